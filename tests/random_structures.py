"""Random statements about what grows while the program runs: functions as values, linked lists, None or a number,
dicts whose keys are computed, lists of arrays and of records, and arrays that helpers fill."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from random_functions import Functions
from random_scope import CALLER, FLOAT, FUNCTION, INT, Kind, Record
from random_statements import Choice

CHAIN: Kind = ("chain",)
GROWER: Kind = ("grower",)
FILLER: Kind = ("filler",)
MODULE = ("SHIFT", "TABLE")


class Structures(Functions):
    """Each method writes one statement of its kind, or one declaration of the module."""

    def choices(self, depth: int) -> list[Choice]:
        found = super().choices(depth)
        themes = self.themes
        if "in place" in themes and self.changing(self.of_sort("vector")):
            found += [(1.0, self.written_out), (1.0 if self.named(FILLER) else 0.0, self.filled_by_a_helper)]
        if "values" in themes and depth < 4:
            found += [(0.9, self.carried_function), (0.7, self.functions_in_a_list)]
            found.append((0.9 if self.named(GROWER) else 0.0, self.grown_function))
        if "chains" in themes and depth < 4:
            found += [(1.2, self.chain), (0.8, self.something_or_none)]
        if "keys" in themes and depth < 4:
            found.append((1.2, self.counted))
        if "lists" in themes and depth < 4:
            found.append((0.7, self.list_of_arrays))
            found.append((0.9 if self.plain_records() else 0.0, self.list_of_records))
        return found

    @contextmanager
    def closed(self, names: dict[str, Kind]) -> Iterator[None]:
        """Only the constants of the module and these names are in sight."""
        with self.without({*self.scope} - {*MODULE}), self.block(names):
            yield

    def closed_formula(self, **names: Kind) -> str:
        with self.closed(names):
            return self.squashed(self.float_(2))

    def times(self) -> str:
        """How often something is repeated: a number that is known, or one of the program."""
        return self.r.choice((str(self.r.randint(0, 4)), self.small()))

    # -- the module ------------------------------------------------------------------------------------------------

    def helpers(self) -> None:
        super().helpers()
        if "chains" in self.themes:
            self.chains()
        if "values" in self.themes:
            self.growers()
        if "in place" in self.themes and self.r.random() < 0.5:
            self.fillers()

    def chains(self) -> None:
        self.lines += [
            "@dataclass(frozen=True)",
            "class Link:",
            "    value: float",
            '    rest: "Link | None"',
            "",
            "",
            "def chained(t, k):",
            "    if k <= 0:",
            "        return None",
            f"    return Link({self.closed_formula(t=FLOAT, k=INT)}, chained({self.closed_formula(t=FLOAT)}, k - 1))",
            "",
            "",
            "def folded(link):",
            "    if link is None:",
            f"        return {self.r.choice(('0.0', '1.0', 'SHIFT'))}",
        ]
        with self.closed({"link.value": FLOAT, "rest": FLOAT}):
            self.line(1, "rest = folded(link.rest)")
            self.line(1, f"return {self.squashed(self.float_(2))}")
        self.lines += [
            "",
            "",
            "def walked(link):",
            "    total = 0.0",
            "    while link is not None:",
        ]
        with self.closed({"link.value": FLOAT, "total": FLOAT}):
            self.line(2, f"total = {self.squashed(f'total + {self.float_(2)}')}")
        self.lines += [
            "        link = link.rest",
            "    return total",
            "",
            "",
            "def mapped(f, link):",
            "    return None if link is None else Link(f(link.value), mapped(f, link.rest))",
            "",
            "",
        ]

    def growers(self) -> None:
        r = self.r
        name = self.fresh("grown")
        step = r.choice(("f(t) * SHIFT", "f(0.5 * t)", "f(t + 0.1 * k)", "f(f(t))"))
        self.lines += [
            f"def {name}(f, k):",
            "    if k <= 0:",
            "        return f",
            r.choice(
                (
                    f"    return {name}(lambda t: {self.squashed(step)}, k - 1)",
                    f"    g = {name}(f, k - 1)\n    return lambda t: {self.squashed(step.replace('f(', 'g('))}",
                )
            ),
            "",
            "",
        ]
        self.bind(name, GROWER)
        passed = self.fresh("passed")
        self.lines += [
            f"def {passed}(t, k, done):",
            "    if k <= 0:",
            "        return done(t)",
            f"    return {passed}({self.closed_formula(t=FLOAT)}, k - 1, "
            f"lambda u: done({self.closed_formula(u=FLOAT, t=FLOAT)}))",
            "",
            "",
        ]

        def call() -> str:
            done = r.choice(self.named(FUNCTION) or ["math.sin", "lambda u: u * u"])
            return f"{passed}({self.float_(1)}, {self.small()}, {done})"

        self.forms[passed] = call
        self.bind(passed, CALLER)

    def fillers(self) -> None:
        name = self.fresh("fill")
        self.line(0, f"def {name}(a, t):")
        self.line(1, "for i in range(len(a)):")
        before = " + 0.5 * a[i - 1]" if self.r.random() < 0.4 else ""
        self.line(2, f"a[i] {self.r.choice(('=', '+='))} {self.closed_formula(t=FLOAT, i=INT)}{before}")
        if self.r.random() < 0.4:
            self.line(1, "a *= 0.5")
        if self.r.random() < 0.3:
            self.line(1, "return a")
        self.lines += ["", ""]
        self.bind(name, FILLER)

    # -- arrays ----------------------------------------------------------------------------------------------------

    def written_out(self, depth: int) -> None:
        """Functions of NumPy that write into an array."""
        r = self.r
        self.features.add("out")
        name = r.choice(self.changing(self.of_sort("vector")))
        size = self.scope[name][1]
        a, b = self.vector(1, size), self.vector(1, size)
        self.line(
            depth,
            r.choice(
                (
                    f"np.multiply({a}, {b}, out={name})",
                    f"np.add({name}, 0.3 * {self.leaf()}, out={name})",
                    f"np.subtract({a}, {name}, out={name})",
                    f"np.sin({a}, out={name})",
                    f"np.tanh({name}, out={name})",
                    f"np.cumsum(0.3 * {a}, out={name})",
                    f"np.clip({a}, -0.4, 0.6, out={name})",
                    f"np.matmul({self.matrix(1, size, 2)}, {self.vector(1, 2)}, out={name})",
                    f"np.maximum({a}, {self.leaf()}, out={name})",
                    f"np.copyto({name}, {a})",
                    f"np.add.at({name}, [0, -1], {self.leaf()})",
                    f"{name}.fill({self.leaf()})",
                )
            ),
        )

    def filled_by_a_helper(self, depth: int) -> None:
        self.features.add("filled by a helper")
        name = self.r.choice(self.changing(self.of_sort("vector")))
        part = self.r.choice((name, name, f"{name}[1:]")) if self.scope[name][1] > 1 else name
        self.line(depth, f"{self.r.choice(self.named(FILLER))}({part}, {self.float_(1)})")

    def list_of_arrays(self, depth: int) -> None:
        r = self.r
        self.features.add("list of arrays")
        rows, row, t = self.fresh("rows"), self.fresh("row"), self.fresh("t")
        size = r.randint(1, 3)
        self.line(depth, f"{rows} = [{self.vector(1, size)}]")
        over = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"range({self.times()})"])
        u = self.fresh("u")
        with self.block({u: FLOAT}):
            self.line(depth, f"for {u} in {over}:")
            step = r.choice(
                (
                    f"np.sin({rows}[-1] * {self.leaf()})",
                    f"0.5 * {rows}[0] + {self.vector(1, size)}",
                    f"{self.vector(1, size)} * {u}",
                )
            )
            self.line(depth + 1, f"{rows}.append({step})")
            if r.random() < 0.3:
                self.line(depth + 1, f"{rows}[0] = {rows}[0] * {self.leaf()}")
        text = r.choice(
            (
                f"np.sum(np.stack({rows}))",
                f"sum([np.sum({row}) * 0.5 for {row} in {rows}])",
                f"np.dot({rows}[0], {rows}[-1])",
                f"np.mean(np.array({rows}), axis=0)[-1]",
                f"np.max(np.concatenate({rows}))",
            )
        )
        self.line(depth, f"{t} = {self.squashed(text)}")
        self.bind(t, FLOAT)

    # -- functions as values -----------------------------------------------------------------------------------------

    def function_text(self) -> str:
        """A function that sees only what it is given."""
        return self.r.choice(
            (
                "math.sin",
                "np.tanh",
                f"lambda t: {self.closed_formula(t=FLOAT)}",
                f"lambda t, c={self.leaf()}: {self.closed_formula(t=FLOAT, c=FLOAT)}",
            )
        )

    def carried_function(self, depth: int) -> None:
        """A function that a loop makes of the one before."""
        r = self.r
        self.features.add("carried function")
        g, i, c = self.fresh("g"), self.fresh("i"), self.fresh("c")
        self.line(depth, f"{g} = {self.function_value()}")
        head = f"for {i} in range({self.times()}):"
        with self.block({i: INT}):
            self.line(depth, head)
            self.line(depth + 1, f"{c} = {self.float_(1)}")
            step = r.choice(
                (
                    f"follow({g}, {self.function_value()})",
                    f"lambda t, h={g}, c={c}: {self.squashed('h(t) * c')}",
                    f"lambda t, h={g}, c={c}: 0.5 * t + h(c)",
                    f"{self.function_value()} if {self.test(1)} else {g}",
                )
            )
            self.line(depth + 1, f"{g} = {step}")
        self.bind(g, FUNCTION)

    def function_value(self) -> str:
        text = self.r.choice((self.function_text(), *self.named(FUNCTION)[:1]))
        return f"({text})" if text.startswith("lambda") else text

    def functions_in_a_list(self, depth: int) -> None:
        """Functions that a loop puts in a list, each with a number of its own."""
        r = self.r
        self.features.add("functions in a growing list")
        gs, t, h = self.fresh("gs"), self.fresh("t"), self.fresh("h")
        self.line(depth, f"{gs} = []")
        u = self.fresh("u")
        over = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"range({self.times()})"])
        self.line(depth, f"for {u} in {over}:")
        with self.block({u: FLOAT}):
            first = f"lambda t, c={r.choice((u, self.leaf()))}: {self.closed_formula(t=FLOAT, c=FLOAT)}"
            if r.random() < 0.4:
                self.line(depth + 1, f"if {self.test(1)}:")
                self.line(depth + 2, f"{gs}.append({first})")
                self.line(depth + 1, "else:")
                self.line(depth + 2, f"{gs}.append({self.function_value()})")
            else:
                self.line(depth + 1, f"{gs}.append({first})")
        if r.random() < 0.5:
            self.line(depth, f"{t} = {self.leaf()}")
            self.line(depth, f"for {h} in {gs}:")
            self.line(depth + 1, f"{t} = 0.5 * {t} + {h}({t})")
        else:
            self.line(depth, f"{t} = sum([{h}({self.leaf()}) for {h} in {gs}])")
        self.bind(t, FLOAT)

    def grown_function(self, depth: int) -> None:
        self.features.add("grown function")
        g = self.fresh("g")
        self.line(depth, f"{g} = {self.r.choice(self.named(GROWER))}({self.function_value()}, {self.small()})")
        self.bind(g, FUNCTION)

    # -- linked lists, and None --------------------------------------------------------------------------------------

    def chain(self, depth: int) -> None:
        r = self.r
        self.features.add("chain")
        old = self.local(self.named(CHAIN))
        if old and r.random() < 0.4:
            name = r.choice(old)
            self.line(
                depth,
                r.choice(
                    (
                        f"{name} = Link({self.float_(1)}, {name})",
                        f"{name} = mapped({self.function_value()}, {name})",
                        f"{name} = {name}.rest if {name} is not None else None",
                    )
                ),
            )
        else:
            name = self.fresh("link")
            if r.random() < 0.5:
                self.line(depth, f"{name} = chained({self.float_(1)}, {self.small()})")
            else:
                u = self.fresh("u")
                over = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"range({self.times()})"])
                self.line(depth, f"{name} = {r.choice(('None', f'Link({self.leaf()}, None)'))}")
                self.line(depth, f"for {u} in {over}:")
                with self.block({u: FLOAT}):
                    self.line(depth + 1, f"{name} = Link({self.squashed(self.float_(2))}, {name})")
            self.bind(name, CHAIN)
        t = self.fresh("t")
        self.line(depth, f"{t} = {r.choice(('folded', 'walked'))}({name})")
        self.bind(t, FLOAT)

    def something_or_none(self, depth: int) -> None:
        """A number that is None until there is one."""
        r = self.r
        self.features.add("None or a number")
        best, u, t = self.fresh("best"), self.fresh("u"), self.fresh("t")
        over = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"range({self.times()})"])
        self.line(depth, f"{best} = None")
        self.line(depth, f"for {u} in {over}:")
        with self.block({u: FLOAT}):
            test = r.choice((f"{best} is None or {u} > {best}", f"{best} is None", self.test(1)))
            self.line(depth + 1, f"if {test}:")
            self.line(depth + 2, f"{best} = {self.squashed(self.float_(2))}")
        self.line(
            depth,
            r.choice(
                (
                    f"{t} = {self.leaf()} if {best} is None else {best}",
                    f"{t} = {best} * 0.5 if {best} is not None else {self.leaf()}",
                )
            ),
        )
        self.bind(t, FLOAT)

    # -- dicts and lists ---------------------------------------------------------------------------------------------

    def counted(self, depth: int) -> None:
        """A dict whose keys are computed while the program runs."""
        r = self.r
        self.features.add("computed keys")
        d, i, u, t = self.fresh("d"), self.fresh("i"), self.fresh("u"), self.fresh("t")
        xs = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"[{self.leaf()}, {self.leaf()}]"])
        key = r.choice((f"{i} % 2", i, f"({i}, 0)", f"int(3.0 * abs({u}))"))
        self.line(depth, f"{d} = {{}}")
        self.line(depth, f"for {i}, {u} in enumerate({xs}):")
        with self.block({i: INT, u: FLOAT}):
            value = self.squashed(self.float_(2))
            form = r.randint(0, 4)
            if form == 0:
                self.line(depth + 1, f"{d}[{key}] = {d}.get({key}, {self.leaf()}) + {value}")
            elif form == 1:
                self.line(depth + 1, f"if {key} in {d}:")
                self.line(depth + 2, f"{d}[{key}] *= {value}")
                self.line(depth + 1, "else:")
                self.line(depth + 2, f"{d}[{key}] = {u}")
            elif form == 2:
                self.line(depth + 1, f"{d}.setdefault({key}, 0.5)")
                self.line(depth + 1, f"{d}[{key}] += {value}")
            else:
                self.line(depth + 1, f"{d}[{key}] = {value}")
        text = r.choice(
            (
                f"sum({d}.values())",
                f"sum([k_ * 0.5 for k_ in {d}.values()])",
                f"0.3 * len({d}) + sum({d}.values())",
                f"max({d}.values(), default=0.5)",
                f"sum([{d}[k_] for k_ in {d}])",
            )
        )
        self.line(depth, f"{t} = {self.squashed(text)}")
        self.bind(t, FLOAT)

    def plain_records(self) -> list[str]:
        """The classes whose instances do not change and hold no functions."""
        return [n for n, of in self.records.items() if not of.mutable and not self.holds_function(of)]

    def holds_function(self, of: Record) -> bool:
        return any(
            kind == FUNCTION or (kind[0] == "record" and self.holds_function(self.records[kind[1]]))
            for _, kind in of.fields
        )

    def list_of_records(self, depth: int) -> None:
        r = self.r
        self.features.add("list of records")
        cls = r.choice(self.plain_records())
        ps, u, t = self.fresh("ps"), self.fresh("u"), self.fresh("t")
        xs = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"({self.leaf()}, {self.leaf()})"])
        if r.random() < 0.5:
            with self.block({u: FLOAT}):
                self.line(depth, f"{ps} = [{self.record(1, cls)} for {u} in {xs}]")
        else:
            self.line(depth, f"{ps} = [{self.record(1, cls)}]")
            self.line(depth, f"for {u} in {xs}:")
            with self.block({u: FLOAT}):
                self.line(depth + 1, f"{ps}.append({self.record(1, cls)})")
        of = self.records[cls]
        if of.makes and r.random() < 0.4:
            with self.block({"p_": ("record", cls)}):
                self.line(depth, f"{ps} = [{self.filled(r.choice(of.makes), 'p_', cls)} for p_ in {ps}]")
        with self.block({"p_": ("record", cls)}):
            text = r.choice(
                (
                    f"sum([{self.float_(2)} for p_ in {ps}])",
                    f"sum(p_.x for p_ in {ps})",
                    f"sorted({ps}, key=lambda p_: p_.x)[-1].x",
                    f"{ps}[-1].x * {ps}[0].x",
                    f"max([p_.x for p_ in {ps}])",
                )
            )
        self.line(depth, f"{t} = {self.squashed(text)}")
        self.bind(t, FLOAT)
