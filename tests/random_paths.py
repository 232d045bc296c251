"""Random statements about names: such as are bound on some paths only, variables of outer functions that inner ones
assign, and tables that are as long as a number of the program says."""

from __future__ import annotations

from random_functions import Functions
from random_scope import BAG, CALLER, FLOAT, INT, ITEMS
from random_statements import Choice


class Paths(Functions):
    """Each method writes a few statements that belong together."""

    def choices(self, depth: int) -> list[Choice]:
        found = super().choices(depth)
        if "paths" in self.themes and depth < 4:
            found += [(0.7, self.bound_behind_a_test), (0.5, self.bound_by_a_loop), (0.5, self.bound_before)]
        if "outer" in self.themes and depth < 4:
            found += [(0.8, self.assigned_outside), (0.6, self.remembered)]
        if "tables" in self.themes and depth < 4:
            found += [(0.9, self.table), (0.6, self.square), (0.6, self.stack)]
        return found

    def over(self) -> str:
        return self.r.choice(
            [*self.of_sort("list"), *self.of_sort("vector"), *self.named(BAG), f"range({self.small()})"]
        )

    # -- names on some paths ---------------------------------------------------------------------------------------

    def bound_behind_a_test(self, depth: int) -> None:
        """A name that one arm binds, read where the same test holds, or where it need not."""
        r = self.r
        self.features.add("bound on some paths")
        name, flag, t = self.fresh("z"), self.fresh("b"), self.fresh("t")
        self.line(depth, f"{flag} = {self.test(1)}")
        self.line(depth, f"{t} = {self.leaf()}")
        self.line(depth, f"if {flag}:")
        self.line(depth + 1, f"{name} = {self.float_(2)}")
        self.bind(t, FLOAT)
        if r.random() < 0.4:
            self.statements(depth, 1)
        test = flag if r.random() < 0.8 else f"{self.leaf()} > {self.leaf()}"
        if r.random() < 0.3:
            self.line(depth, f"{t} = {name} * 0.5 if {test} else {t}")
        else:
            self.line(depth, f"if {test}:")
            with self.block({name: FLOAT, t: FLOAT}):
                self.line(depth + 1, f"{t} = {self.squashed(f'{name} + {self.float_(2)}')}")
        self.bind(t, FLOAT)

    def bound_by_a_loop(self, depth: int) -> None:
        """A name that a loop's head or body binds, read behind the loop, which may have had no run."""
        r = self.r
        self.features.add("bound on some paths")
        u, name, t = self.fresh("u"), self.fresh("z"), self.fresh("t")
        self.line(depth, f"for {u} in {self.over()}:")
        with self.block({u: FLOAT}, "for"):
            if r.random() < 0.3:
                self.line(depth + 1, f"if {self.test(1)}:")
                self.line(depth + 2, f"{name} = {self.float_(2)}")
                self.line(depth + 2, "break")
            else:
                self.line(depth + 1, f"{name} = {self.squashed(self.float_(2))}")
        if r.random() < 0.3:
            self.line(depth, "else:")
            self.line(depth + 1, f"{name} = {self.leaf()}")
        self.line(depth, f"{t} = {self.squashed(f'{r.choice((u, name, name))} + {self.leaf()}')}")
        self.bind(t, FLOAT)

    def bound_before(self, depth: int) -> None:
        """A name that a run of the loop's body takes from the run before."""
        self.features.add("bound on some paths")
        u, i, before, t = self.fresh("u"), self.fresh("i"), self.fresh("z"), self.fresh("t")
        self.line(depth, f"{t} = {self.leaf()}")
        self.line(depth, f"for {i}, {u} in enumerate({self.over()}):")
        with self.block({u: FLOAT, i: INT, t: FLOAT}, "for"):
            self.line(depth + 1, f"if {i} > 0:")
            with self.block({before: FLOAT}):
                self.line(depth + 2, f"{t} = {self.squashed(f'{before} * {self.float_(2)}')}")
            self.line(depth + 1, f"{before} = {self.float_(2)}")
        self.bind(t, FLOAT)

    # -- variables of outer functions ------------------------------------------------------------------------------

    def assigned_outside(self, depth: int) -> None:
        """An inner function that assigns a variable of the function around it."""
        r = self.r
        self.features.add("nonlocal")
        s, bump, t = self.fresh("s"), self.fresh("bump"), self.fresh("t")
        self.line(depth, f"{s} = {self.leaf()}")
        self.line(depth, f"def {bump}(t):")
        self.line(depth + 1, f"nonlocal {s}")
        with self.block({s: FLOAT, "t": FLOAT}):
            if r.random() < 0.4:
                self.line(depth + 1, f"if {self.test(1)}:")
                self.line(depth + 2, f"{s} += 0.3 * {self.leaf()}")
            self.line(depth + 1, f"{s} = {self.squashed(f'{s} + {self.float_(2)}')}")
            self.line(depth + 1, f"return {self.leaf()}")
        form = r.random()
        if form < 0.5:
            u = self.fresh("u")
            self.line(depth, f"{t} = {self.leaf()}")
            self.line(depth, f"for {u} in {self.over()}:")
            with self.block({u: FLOAT}):
                self.line(depth + 1, f"{t} = 0.5 * {t} + {bump}({self.float_(1)})")
        elif form < 0.8:
            self.line(depth, f"{t} = {bump}({self.float_(1)}) - {bump}({s})")
        else:
            self.line(depth, f"{t} = {bump}({self.leaf()}) if {self.test(1)} else {self.leaf()}")
        self.bind(t, FLOAT)
        self.bind(s, FLOAT)
        self.locked.add(s)

    def remembered(self, depth: int) -> None:
        """A recursive function that keeps what it has computed in a dict of the function around it."""
        r = self.r
        self.features.add("remembered")
        memo, go = self.fresh("memo"), self.fresh("go")
        self.line(depth, f"{memo} = {r.choice(('{}', f'{{0: {self.leaf()}}}'))}")
        self.line(depth, f"def {go}(k):")
        self.line(depth + 1, f"if k in {memo}:")
        self.line(depth + 2, f"return {memo}[k]")
        self.line(depth + 1, "if k < 2:")
        with self.block({"k": INT}), self.without({*self.of_functions()}):
            self.line(depth + 2, f"return {self.float_(1)}")
            step = self.squashed(f"{go}(k - 1) + {self.leaf()} * {go}(k - 2)")
            self.line(depth + 1, f"{memo}[k] = {step}")
            self.line(depth + 1, f"return {memo}[k]")
        self.forms[go] = lambda: f"{go}({self.small()})"
        t = self.fresh("t")
        self.line(depth, f"{t} = {go}({self.small()})")
        if r.random() < 0.3:
            self.line(depth, f"{t} = {t} + sum({memo}.values())")
        self.bind(go, CALLER) if r.random() < 0.3 else None
        self.bind(t, FLOAT)

    # -- tables ----------------------------------------------------------------------------------------------------

    def table(self, depth: int) -> None:
        """A list of as many numbers as the program says, filled item by item."""
        r = self.r
        self.features.add("table")
        ys, i, k = self.fresh("ys"), self.fresh("i"), self.small()
        self.line(
            depth, f"{ys} = {r.choice((f'[0.0] * ({k} + 1)', f'[{self.leaf()}] * ({k} + 1)', f'({k} + 1) * [0.5]'))}"
        )
        if r.random() < 0.6:
            self.line(depth, f"{ys}[0] = {self.float_(1)}")
        self.line(depth, f"for {i} in range(1, len({ys})):")
        with self.block({i: INT}, "for"):
            before = r.choice((f"{ys}[{i} - 1]", f"{ys}[{i} // 2]", f"max({ys}[:{i}])", f"{ys}[-1]"))
            self.line(depth + 1, f"{ys}[{i}] = {self.squashed(f'{before} + {self.float_(2)}')}")
        self.bind(ys, ITEMS)
        self.owned.add(ys)

    def square(self, depth: int) -> None:
        """A list of lists: rows made of the rows before, and rows replaced."""
        r = self.r
        self.features.add("table")
        grid, i, j, t, k = self.fresh("grid"), self.fresh("i"), self.fresh("j"), self.fresh("t"), self.small()
        width = r.choice((str(r.randint(1, 3)), f"({k} + 1)"))
        with self.block({j: INT}):
            first = self.squashed(self.float_(1))
        self.line(depth, f"{grid} = [[{first} for {j} in range({width})]]")
        self.line(depth, f"for {i} in range({k}):")
        with self.block({i: INT, j: FLOAT}, "for"):
            step = self.squashed(f"{j} + {self.float_(1)}")
            self.line(depth + 1, f"{grid}.append([{step} for {j} in {grid}[{r.choice(('-1', i, '0'))}]])")
        if r.random() < 0.3:
            self.line(depth, f"{grid}[{k} // 2] = {r.choice((f'{grid}[-1][::-1]', f'[2.0 * c for c in {grid}[0]]'))}")
        sums = f"sum([sum(row_) for row_ in {grid}])"
        text = r.choice((f"{grid}[-1][-1]", sums, f"np.sum(np.array({grid}))", f"{grid}[{k}][0]"))
        self.line(depth, f"{t} = {self.squashed(text)}")
        self.bind(t, FLOAT)

    def stack(self, depth: int) -> None:
        """A list that a loop empties while it puts things on it."""
        r = self.r
        self.features.add("stack")
        todo, u, s, k = self.fresh("todo"), self.fresh("u"), self.fresh("s"), self.fresh("k")
        self.line(depth, f"{todo}, {s}, {k} = [{self.leaf()}, {self.leaf()}], {self.leaf()}, 0")
        self.line(depth, f"while {todo} and {k} < {r.randint(2, 6)}:")
        self.line(depth + 1, f"{k} += 1")
        self.line(depth + 1, f"{u} = {todo}.pop()")
        with self.block({u: FLOAT, s: FLOAT, k: INT}, "while"):
            self.line(depth + 1, f"{s} = {self.squashed(f'{s} + {self.float_(2)}')}")
            self.line(depth + 1, f"if {self.test(1)}:")
            self.line(depth + 2, f"{todo}.append({self.float_(2)})")
        self.bind(s, FLOAT)
        self.bind(k, INT)
