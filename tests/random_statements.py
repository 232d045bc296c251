"""Random statements: assignments to numbers and tuples, branches, matches, loops, and ways to leave them."""

from __future__ import annotations

from collections.abc import Callable

from random_containers import Containers
from random_scope import FLOAT, FUNCTION, INT, PAIR, Kind

Choice = tuple[float, Callable[[int], None]]


class Statements(Containers):
    """Each method writes one statement of its kind, with what is nested in it."""

    def statements(self, depth: int, count: int) -> None:
        for _ in range(count):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(depth)

    def body(self, depth: int, count: int, more: dict[str, Kind] | None = None, loop: str | None = None) -> None:
        """A nested block, never empty."""
        with self.block(more, loop):
            start = len(self.lines)
            self.statements(depth, count)
            if len(self.lines) == start:
                self.assign(depth)

    def statement(self, depth: int) -> None:
        weights, actions = zip(*self.choices(depth), strict=True)
        self.r.choices(actions, weights)[0](depth)

    def choices(self, depth: int) -> list[Choice]:
        """What may be written next, each with its weight."""
        themes = self.themes
        found: list[Choice] = [(3, self.assign), (1.1, self.augment), (0.7, self.several), (0.3, self.count)]
        if "numpy" in themes or "in place" in themes:
            found.append((1.3, self.assign_array))
        if "in place" in themes:
            found += [(1.0, self.allocate), (2.2 if self.changing(self.arrays()) else 0.0, self.assign_into)]
        if "lists" in themes:
            found += [(0.8, self.make_list), (2.0 if self.changing(self.lists()) else 0.0, self.change_list)]
        if self.records:
            found += [(1.4, self.assign_record)]
            found += [(1.6 if self.changing(self.of_sort("record")) else 0.0, self.change_record)]
        if "dicts" in themes:
            found += [(0.7, self.make_dict), (1.4 if self.changing(self.of_sort("dict")) else 0.0, self.change_dict)]
        if depth < 4:
            found += [(1.6, self.branch), (1.6, self.loop)]
            if "while" in themes:
                found.append((1.4, self.while_))
            if "match" in themes:
                found.append((0.9, self.match))
        if "leaving" in themes:
            found += [(0.5, self.early), (1.2 if self.in_loop else 0.0, self.leave)]
        if "printing" in themes:
            found.append((0.7, self.print_))
        if "raising" in themes:
            found.append((0.5, self.guard))
        return found

    # -- numbers and tuples ------------------------------------------------------------------------------------

    def augment(self, depth: int) -> None:
        names = self.numbers_to_bind()
        if not names:
            return self.assign(depth)
        op, factor = self.r.choice((("+", "0.3 * "), ("-", "0.2 * "), ("*", "0.8 * "), ("/", "1.5 + 0.1 * ")))
        self.line(depth, f"{self.r.choice(names)} {op}= {factor}{self.squashed(self.float_(2))}")
        return None

    def count(self, depth: int) -> None:
        name = self.target(INT, "k")
        self.line(depth, f"{name} = {self.int_(2)}")
        self.bind(name, INT)

    def several(self, depth: int) -> None:
        r = self.r
        names = self.numbers_to_bind()
        if len(names) > 1 and r.random() < 0.4:
            a, b = r.sample(names, 2)
            self.line(depth, f"{a}, {b} = {b}, {self.squashed(f'{a} + {b}')}")
        elif r.random() < 0.4:
            name = self.target(PAIR, "q")
            self.line(depth, f"{name} = ({self.squashed(self.float_(1))}, {self.float_(1)})")
            self.bind(name, PAIR)
        else:
            a, b = self.fresh("t"), self.fresh("t")
            right = r.choice([*self.named(PAIR), f"({self.float_(1)}, {self.float_(2)})"])
            if r.random() < 0.2:
                self.line(depth, f"{a}, *{self.fresh('rest')} = ({self.float_(1)}, {self.leaf()}, {self.leaf()})")
                self.line(depth, f"{b} = sum(rest{self.counter})")
            else:
                self.line(depth, f"{a}, {b} = {right}")
            self.bind(a, FLOAT)
            self.bind(b, FLOAT)

    # -- branches ----------------------------------------------------------------------------------------------

    def branch(self, depth: int) -> None:
        r = self.r
        self.features.add("branch")
        if r.random() < 0.15:
            self.features.add("walrus")
            name = self.fresh("w")
            self.line(depth, f"if ({name} := {self.float_(2)}) > {self.leaf()}:")
            self.bind(name, FLOAT)
        else:
            self.line(depth, f"if {self.test(2)}:")
        self.body(depth + 1, r.randint(1, 3))
        if r.random() < 0.3:
            self.line(depth, f"elif {self.test(1)}:")
            self.body(depth + 1, r.randint(1, 2))
        if r.random() < 0.6:
            self.line(depth, "else:")
            self.body(depth + 1, r.randint(1, 3))
        elif r.random() < 0.4:
            self.bound_in_both(depth)

    def bound_in_both(self, depth: int) -> None:
        """A name that both arms bind, a number or a function."""
        functions = "functions" in self.themes and self.r.random() < 0.5
        name, kind = (self.fresh("g"), FUNCTION) if functions else (self.fresh("t"), FLOAT)
        for head in (f"if {self.test(1)}:", "else:"):
            self.line(depth, head)
            value = self.float_(2) if kind == FLOAT else f"lambda t: {self.formula('t')}"  # type: ignore[reportAttributeAccessIssue]
            self.line(depth + 1, f"{name} = {value}")
        self.bind(name, kind)

    def match(self, depth: int) -> None:
        """A `match` on a whole number, a tuple, or an object."""
        r = self.r
        self.features.add("match")
        arms: list[tuple[str, dict[str, Kind]]] = []
        records = self.of_sort("record")
        if records and r.random() < 0.5:
            subject = r.choice(records)
            of = self.records[self.scope[subject][1]]
            part, kind = of.fields[0]
            bound: dict[str, Kind] = {"c": kind}
            guard = "c > 0.2" if kind == FLOAT else "True"
            arms = [(f"{of.name}({part}=c) if {guard}", bound), (f"{of.name}({part}=c)", bound)]
        elif r.random() < 0.5:
            subject = r.choice([*self.named(PAIR), f"({self.float_(1)}, {self.leaf()})"])
            arms = [("(c, d) if c > d", {"c": FLOAT, "d": FLOAT}), ("(c, d)", {"c": FLOAT, "d": FLOAT})]
        else:
            subject = self.int_(2)
            arms = (
                [("0", {}), ("1 | 2", {}), ("_", {})] if r.random() < 0.6 else [("0", {}), ("c if c > 1", {"c": INT})]
            )
        self.line(depth, f"match {subject}:")
        for pattern, names in arms:
            self.line(depth + 1, f"case {pattern}:")
            self.body(depth + 2, r.randint(1, 2), names)

    def early(self, depth: int) -> None:
        self.features.add("early return")
        self.line(depth, f"if {self.test(1)}:")
        self.line(depth + 1, f"return {self.returns()}")

    def leave(self, depth: int) -> None:
        word = self.r.choice(("break", "continue"))
        self.features.add(word)
        self.line(depth, f"if {self.test(1)}:")
        if self.r.random() < 0.3:
            with self.block():
                self.assign(depth + 1) if self.r.random() < 0.5 else self.augment(depth + 1)
        self.line(depth + 1, word)

    def guard(self, depth: int) -> None:
        self.features.add("raising")
        test = f"{self.leaf()} > {self.r.choice(('-1.4', '-0.5', '0.4'))}"
        if self.r.random() < 0.5:
            self.line(depth, f"assert {test}, 'too small'")
        else:
            self.line(depth, f"if not {test}:")
            self.line(depth + 1, f"raise ValueError(f'too small: {{{self.leaf()}:.2f}}')")

    def print_(self, depth: int) -> None:
        self.features.add("printing")
        leaf = self.leaf()
        self.line(
            depth,
            self.r.choice(
                (
                    f"print({leaf})",
                    f"print(f'value {{{leaf}:.3f}} of', {self.int_()})",
                    f"print('at', {leaf}, sep=': ')",
                )
            ),
        )

    # -- loops -------------------------------------------------------------------------------------------------

    def heads(self) -> list[tuple[str, dict[str, Kind]]]:
        """What a `for` may run over, with the names that it binds."""
        r = self.r
        i, u, w = self.fresh("i"), self.fresh("u"), self.fresh("w")
        size = r.randint(0, 4)
        found: list[tuple[str, dict[str, Kind]]] = [
            (f"{i} in range({size})", {i: ("index", size)}), (f"{i} in range(1, {size + 1})", {i: INT}),
        ]  # fmt: skip
        if self.named(INT):
            found += [(f"{i} in range({r.choice(self.named(INT))})", {i: INT})] * 2
        lengths = {n: self.scope[n][1] for n in self.of_sort("vector") + self.of_sort("list")}
        for name, length in lengths.items():
            found += [
                (f"{i} in range(len({name}))", {i: ("index", length)}),
                (f"{u} in {name}", {u: FLOAT}),
                (f"{i}, {u} in enumerate({name})", {i: ("index", length), u: FLOAT}),
                (f"{u}, {w} in zip({name}, {r.choice(list(lengths))})", {u: FLOAT, w: FLOAT}),
            ]
        for name in self.lists():
            found += [
                (f"{u} in {name}", {u: FLOAT}),
                (f"{i}, {u} in enumerate({name})", {i: INT, u: FLOAT}),
                (f"{u} in reversed({name})", {u: FLOAT}),
            ]
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            found += [
                (f"{u} in {name}", {u: ("vector", columns)}),
                (f"{i}, {u} in enumerate({name})", {i: ("index", rows), u: ("vector", columns)}),
                (f"{i} in range({name}.shape[0])", {i: ("index", rows)}),
            ]
        if r.random() < 0.2:
            found.append((f"{u} in ({self.float_(1)}, {self.leaf()}, {self.leaf()})", {u: FLOAT}))
        if r.random() < 0.3 and len(self.named(FUNCTION)) > 1:
            a, b = r.sample(self.named(FUNCTION), 2)
            found += [(f"{u} in ({a}, {b})", {u: FUNCTION})] * 3
        return found

    def loop(self, depth: int) -> None:
        r = self.r
        self.features.add("loop")
        head, bound = r.choice(self.heads())
        name = self.fresh("s") if r.random() < 0.5 else ""
        if name:
            self.line(depth, f"{name} = {r.choice(('0.0', '1.0', '0', self.leaf()))}")
            self.bind(name, FLOAT)
        self.line(depth, f"for {head}:")
        with self.block(bound, "for"):
            self.locked |= {n for n in (*self.lists(), *self.arrays()) if n in head} | set(bound)
            self.statements(depth + 1, r.randint(1, 3))
            if name and name in self.scope:
                self.line(depth + 1, f"{name} = {self.squashed(f'{name} + {self.float_(2)}')}")
            else:
                self.assign(depth + 1)
        self.orelse(depth)

    def orelse(self, depth: int) -> None:
        if "leaving" in self.themes and self.r.random() < 0.25:
            self.features.add("else of a loop")
            self.line(depth, "else:")
            self.body(depth + 1, 1)

    def while_(self, depth: int) -> None:
        """A loop with a counter, so that it ends; the counter moves first, so that `continue` does no harm."""
        r = self.r
        self.features.add("while")
        k, limit = self.fresh("k"), self.small()
        self.line(depth, f"{k} = 0")
        forever = r.random() < 0.3
        if forever:
            self.line(depth, "while True:")
            head = [f"{k} += 1", f"if {k} > {limit} or {self.test(1)}:", "    break"]
        else:
            test = r.choice(
                (
                    f"{k} < {limit}",
                    f"{k} < {limit} and ({self.test(1)})",
                    f"({self.test(1)}) and {k} < 4",
                    f"abs({self.leaf()}) > 0.3 and {k} <= {limit}",
                )
            )
            self.line(depth, f"while {test}:")
            head = [f"{k} += 1"]
        for text in head:
            self.line(depth + 1, text)
        with self.block({k: INT}, "while"):
            self.locked.add(k)
            self.statements(depth + 1, r.randint(1, 3))
            self.assign(depth + 1)
        if not forever:
            self.orelse(depth)
        self.bind(k, INT)
