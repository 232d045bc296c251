"""Random statements about what holds many numbers: arrays changed in place, lists, dicts, objects."""

from __future__ import annotations

from random_expressions import Expressions
from random_scope import BAG, FLOAT, ITEMS, Kind

CONSTANTS = ("SHIFT", "TABLE")


class Containers(Expressions):
    """Each method writes one statement of its kind."""

    def numbers_to_bind(self) -> list[str]:
        return [n for n in self.local(self.named(FLOAT)) if n not in CONSTANTS]

    def assign(self, depth: int) -> None:
        text = self.squashed(self.float_(3)) if self.r.random() < 0.6 else self.float_(2)
        name = self.target(FLOAT, "t")
        self.line(depth, f"{name} = {text}")
        self.bind(name, FLOAT)

    def statements(self, depth: int, count: int) -> None:
        """At most `count` statements of any kind."""
        raise NotImplementedError

    # -- arrays ------------------------------------------------------------------------------------------------

    def arrays(self) -> list[str]:
        return self.of_sort("vector") + self.of_sort("matrix")

    def assign_array(self, depth: int) -> None:
        self.features.add("array")
        r = self.r
        if r.random() < 0.25:
            rows, columns = r.randint(1, 3), r.randint(2, 3)
            kind: Kind = ("matrix", rows, columns)
            text = f"np.tanh({self.matrix(2, rows, columns)})"
        else:
            kind = ("vector", r.randint(1, 4))
            text = self.vector(2, kind[1])
            form = r.choice(("np.tanh({})", "np.sin({})", "1.5 * np.cos({})", "0.8 * {}", "{}"))
            text = form.format(text)
        name = self.target(kind, "a")
        if name in self.changing([name]) and r.random() < 0.4:
            self.line(depth, f"{name} {r.choice('+-')}= 0.3 * {text}")
            self.features.add("in place")
            return
        self.line(depth, f"{name} = {text}")
        self.bind(name, kind)
        self.owned.discard(name)
        if text.startswith(("np.tanh", "np.sin", "1.5", "0.8")):
            self.owned.add(name)

    def allocate(self, depth: int) -> None:
        r = self.r
        self.features.add("in place")
        if r.random() < 0.35:
            rows, columns = r.randint(1, 3), r.randint(2, 3)
            kind: Kind = ("matrix", rows, columns)
            options = [f"np.zeros(({rows}, {columns}))", f"np.ones(({rows}, {columns}))"]
            options += [f"{n}.copy()" for n in self.named(kind)] * 2
        else:
            size = r.randint(1, 4)
            kind = ("vector", size)
            options = [f"np.zeros({size})", f"np.ones({size})", f"np.full({size}, {self.leaf()})"]
            options += [t for n in self.named(kind) for t in (f"{n}.copy()", f"np.zeros_like({n})", f"np.array({n})")]
        name = self.fresh("a")
        self.line(depth, f"{name} = {r.choice(options)}")
        self.bind(name, kind)
        self.owned.add(name)
        if r.random() < 0.6:
            self.fill(depth, name, kind)

    def fill(self, depth: int, name: str, kind: Kind) -> None:
        """Loops over the indices that assign each entry."""
        i, j = self.fresh("i"), self.fresh("j")
        self.line(depth, f"for {i} in range({kind[1]}):")
        with self.block({i: ("index", kind[1])}, "for"):
            self.statements(depth + 1, self.r.randint(0, 1))
            if kind[0] == "vector":
                before = f" + 0.5 * {name}[{i} - 1]" if self.r.random() < 0.4 else ""
                op = self.r.choice(("=", "=", "+="))
                self.line(depth + 1, f"{name}[{i}] {op} {self.squashed(self.float_(2))}{before}")
                return
            self.line(depth + 1, f"for {j} in range({kind[2]}):")
            with self.block({j: ("index", kind[2])}, "for"):
                self.line(depth + 2, f"{name}[{i}, {j}] = {self.squashed(self.float_(2))}")

    def assign_into(self, depth: int) -> None:
        r = self.r
        names = self.changing(self.arrays())
        if not names:
            return self.allocate(depth)
        self.features.add("in place")
        name = r.choice(names)
        kind = self.scope[name]
        op = r.choice(("=", "=", "+=", "*=", "-="))
        number = self.squashed(self.float_(2))
        if kind[0] == "matrix":
            _, rows, columns = kind
            i, j = self.index(rows), self.index(columns)
            options = [f"{name}[{i}, {j}] {op} {number}"] * 2 + [
                f"{name}[{i}] {op} {self.vector(1, columns)}",
                f"{name}[:, {j}] {op} {self.vector(1, rows)}",
                f"{name}[{name} > 0.3] = {self.leaf()}",
                f"{name}[{i}][{j}] {op} {number}",
                f"{name} *= 0.5",
            ]
        else:
            size = kind[1]
            options = [f"{name}[{self.index(size)}] {op} {number}"] * 4 + [
                f"{name}[{name} > 0.3] = {self.leaf()}",
                f"{name}[:] = {self.vector(1, size)}",
                f"{name} {op if op != '=' else '+='} 0.5 * {self.vector(1, size)}",
                f"{name} *= {number}",
            ]
            if size > 1:
                options += [
                    f"{name}[1:] {op} {self.vector(1, size - 1)}",
                    f"{name}[:-1] {op} {number}",
                    f"{name}[1:] += 0.5 * {name}[:-1]",
                    f"{name}[[0, 1]] {op} {self.vector(0, 2)}",
                    f"{name}[0], {name}[1] = {name}[1], {name}[0]",
                ]
        self.line(depth, r.choice(options))
        return None

    # -- lists and dicts ---------------------------------------------------------------------------------------

    def lists(self) -> list[str]:
        return self.named(ITEMS) + self.named(BAG)

    def make_list(self, depth: int) -> None:
        r = self.r
        self.features.add("list")
        sized = self.of_sort("vector") + self.of_sort("list") + self.named(ITEMS)
        kind = ITEMS
        options = [f"[{self.float_(1)}, {self.float_(1)}]", f"[{self.leaf()}]", f"[0.0] * {r.randint(1, 3)}"]
        with self.block({"u": FLOAT}):
            each = self.squashed(self.float_(2))
        if sized:
            options += [f"[{each} for u in {r.choice(sized)}]"] * 3
        options += [
            t
            for n in self.of_sort("list") + self.named(ITEMS)
            for t in (f"list({n})", f"{n}[:]", f"{n} + [{self.leaf()}]", f"{n}[::-1]", f"[*{n}, {self.leaf()}]")
        ]
        text = r.choice(options)
        if r.random() < 0.3:
            kind = BAG
            text = r.choice(
                [
                    "[]",
                    "[]",
                    *[f"[{each} for u in {n} if {self.leaf()} < u]" for n in sized],
                    *[f"{n}[1:]" for n in self.named(ITEMS)],
                ]
            )
        name = self.fresh("ys")
        self.line(depth, f"{name} = {text}")
        self.bind(name, kind)
        self.owned.add(name)

    def change_list(self, depth: int) -> None:
        r = self.r
        self.features.add("list changed")
        names = self.changing(self.lists())
        if not names:
            return self.make_list(depth)
        name = r.choice(names)
        value = self.squashed(self.float_(2))
        forms = [f"{name}.append({value})"] * 4 + [
            f"{name} += [{value}]",
            f"{name}.extend([{value}, {self.leaf()}])",
            f"{name} = {name} + [{value}]",
            f"{name}.insert(0, {value})",
        ]
        if self.scope[name] == ITEMS:
            forms += [
                f"{name}[0] = {value}",
                f"{name}[-1] += {value}",
                f"{name}[-1] = {value}",
                f"{name}[len({name}) // 2] *= 0.5",
            ] * 2
            forms.append("pop")
        text = r.choice(forms)
        if text == "pop":
            t = r.choice(self.numbers_to_bind() or [""])
            if not t:
                return self.assign(depth)
            self.line(depth, f"if len({name}) > 1:")
            self.line(depth + 1, f"{t} = {name}.pop() * 0.5")
            return None
        self.line(depth, text)
        return None

    def make_dict(self, depth: int) -> None:
        self.features.add("dict")
        keys = self.r.sample(("a", "b", "rate", "loss"), self.r.randint(1, 3))
        name = self.fresh("d")
        items = ", ".join([f'"{key}": {self.float_(1)}' for key in keys])
        self.line(depth, f"{name} = {{{items}}}")
        self.bind(name, ("dict", *keys))
        self.owned.add(name)

    def change_dict(self, depth: int) -> None:
        r = self.r
        self.features.add("dict changed")
        names = self.changing(self.of_sort("dict"))
        if not names:
            return self.make_dict(depth)
        name = r.choice(names)
        key = r.choice(self.scope[name][1:])
        value = self.squashed(self.float_(2))
        t = self.fresh("t")
        roll = r.random()
        if roll < 0.6:
            op = r.choice(("=", "+=", "*="))
            self.line(depth, f'{name}["{key}"] {op} {value}')
        elif roll < 0.8:
            self.line(depth, f"{t} = 0.0")
            self.line(depth, f"for key, value in {name}.items():")
            self.line(depth + 1, f"{t} += value if key == '{key}' else {self.leaf()}")
            self.bind(t, FLOAT)
        elif roll < 0.9:
            self.line(depth, f"{t} = sum({name}.values())")
            self.bind(t, FLOAT)
        else:
            self.line(depth, f"{name}.update({key}={value})")
        return None

    # -- objects -----------------------------------------------------------------------------------------------

    def assign_record(self, depth: int) -> None:
        self.features.add("record")
        cls = self.r.choice(list(self.records))
        of = self.records[cls]
        name = self.target(("record", cls), cls[0].lower())
        text = self.record(2, cls)
        if not of.mutable and self.named(("record", cls)) and self.r.random() < 0.2:
            text = f"{text} if {self.test(1)} else {self.record(1, cls)}"
        self.line(depth, f"{name} = {text}")
        self.bind(name, ("record", cls))
        self.owned.discard(name)
        if of.mutable and text.startswith(f"{cls}("):
            self.owned.add(name)

    def change_record(self, depth: int) -> None:
        r = self.r
        names = self.changing(self.of_sort("record"))
        if not names:
            return self.assign_record(depth)
        self.features.add("object changed")
        name = r.choice(names)
        of = self.records[self.scope[name][1]]
        numbers = [n for n, kind in of.fields if kind == FLOAT]
        if (of.changes and r.random() < 0.5) or not numbers:
            self.line(depth, self.filled(r.choice(of.changes), name, of.name))
        else:
            op, factor = r.choice((("=", ""), ("+=", "0.3 * "), ("*=", "")))
            self.line(depth, f"{name}.{r.choice(numbers)} {op} {factor}{self.squashed(self.float_(2))}")
        return None
