"""Random programs in which arrays have views, and both change in place: each is refused by name, or its value is that
of NumPy."""

from __future__ import annotations

import random

from random_checks import OVERLAPPING
from random_programs import Program

HEADER = """import numpy as np


def add(a, x):
    a += x
    return a


def put(a, x):
    a[0] = x


def scaled(a, x):
    return a * x


def either(a, b, x):
    if x > 1.0:
        return a
    return b


"""
CALLS = ["1.5, 3, 0", "0.5, 2, 1", "1.1, 3, 1"]


class Views:
    """Writes one program. `names` are the arrays that names stand for, by their shapes."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, tuple[int, ...]] = {}
        self.indices: list[str] = []
        self.count = 0

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(1, 2)):
            self.assigned(1, self.fresh())
        for _ in range(r.randint(2, 8)):
            self.statement(1, 2)
        parts = [self.total(n, shape, w) for w, (n, shape) in enumerate(self.names.items(), 1)]
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        source = OVERLAPPING.sub(r"\1np.copy(\3)", f"{HEADER}def f(x, n, k):\n{body}\n")
        return Program(self.seed, source, CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    @staticmethod
    def total(name: str, shape: tuple[int, ...], weight: int) -> str:
        """A number that tells two contents of an array apart."""
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return f"{weight}.5 * np.sum({name}.ravel() * np.arange(1.0, {size + 1}.0))"

    def number(self) -> str:
        return self.r.choice(("x", "1.0", "2.0 * x", "2.5", "x + 1.0", "float(n)"))

    def index(self, size: int) -> str:
        found = [str(self.r.randrange(size)), "k", "-1"]
        if size >= 3:
            found += ["n - 1", *self.indices]
        return self.r.choice(found)

    def fresh(self) -> tuple[str, tuple[int, ...]]:
        """A new array and its shape."""
        r, n = self.r, self.number
        return r.choice((
            (f"np.array([{n()}, {n()}, {n()}])", (3,)),
            (f"np.array([[{n()}, {n()}, {n()}], [{n()}, {n()}, {n()}], [{n()}, {n()}, {n()}]])", (3, 3)),
            (f"np.arange(9.0).reshape(3, 3) * {n()}", (3, 3)),
            (f"np.ones(3) * {n()}", (3,)),
            ("np.zeros((3, 3))", (3, 3)),
        ))  # fmt: skip

    def array(self, shape: tuple[int, ...] | None = None) -> tuple[str, tuple[int, ...]]:
        """A name, or a view or copy of what it stands for."""
        r = self.r
        found = [(n, s) for n, s in self.names.items()]
        name, of = r.choice(found)
        if len(of) == 2:
            ways = [
                (f"{name}[{self.index(3)}]", (3,)), (f"{name}[:, {self.index(3)}]", (3,)), (f"{name}.T", (3, 3)),
                (f"{name}[::-1]", (3, 3)), (name, (3, 3)), (f"{name}.copy()", (3, 3)), (f"{name}[:]", (3, 3)),
                (f"np.asarray({name})", (3, 3)), (f"np.transpose({name})", (3, 3)), (f"np.array({name})", (3, 3)),
                (f"{name}[[0, 2, 1]]", (3, 3)), (f"{name} * 1.0", (3, 3)), (f"np.flip({name})", (3, 3)),
                (f"{name}.reshape(9)[::3]", (3,)), (f"{name}.flatten()[:3]", (3,)), (f"{name}[...]", (3, 3)),
            ]  # fmt: skip
        else:
            ways = [
                (name, (3,)), (f"{name}[::-1]", (3,)), (f"{name}.copy()", (3,)), (f"{name}[:]", (3,)),
                (f"np.asarray({name})", (3,)), (f"{name}[{name} > -99.0]", (3,)), (f"{name}[[2, 0, 1]]", (3,)),
                (f"{name} + 0.0", (3,)), (f"{name}.reshape(3)", (3,)), (f"np.ravel({name})", (3,)),
                (f"{name}.reshape(3, 1)[:, 0]", (3,)), (f"{name}[None, :][0]", (3,)),
            ]  # fmt: skip
        text, got = r.choice([way for way in ways if shape is None or way[1] == shape] or [(name, of)])
        if r.random() < 0.12:
            other, also = self.array(got)
            if also == got:
                text = r.choice((f"either({text}, {other}, x)", f"({text} if x > 0.0 else {other})"))
        return text, got

    def assigned(self, depth: int, made: tuple[str, tuple[int, ...]]) -> None:
        self.count += 1
        name = f"a{self.count}"
        self.line(depth, f"{name} = {made[0]}")
        self.names[name] = made[1]

    def changed(self, depth: int) -> None:
        """A statement that changes an array in place."""
        r, v = self.r, self.number()
        name = r.choice(list(self.names))
        shape = self.names[name]
        i, j = self.index(3), self.index(3)
        row, _ = self.array((3,))
        own = f"np.copy({row})"  # where a row overlaps a column, NumPy may write what it reads later
        ways = [
            f"{name}[{i}] = {v}", f"{name}[{i}] += {v}", f"{name}[:] = {v}", f"{name} += {v}", f"{name} *= 2.0",
            f"{name}[1:] += {v}", f"{name}[:2] = {name}[1:]", f"{name}[::2] *= {v}", f"add({name}, {v})",
            f"put({name}, {v})", f"add({name}[1:], {v})", f"np.add({name}, {v}, out={name})",
            f"{name}[{name} > 1.0] = {v}", f"{name}.fill({v})", f"{name}[...] = {v}", f"{name} = scaled({name}, {v})",
            f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]", f"np.copyto({name}, {v})",
        ]  # fmt: skip
        if len(shape) == 2:
            ways += [
                f"{name}[{i}, {j}] = {v}", f"{name}[:, {i}] += {v}", f"{name}[{i}] = {own}", f"{name}[:, {j}] = {own}",
                f"{name}.T[{i}] = {v}", f"{name}[{i}][{j}] += {v}", f"{name} += {row}", f"{name}[:] = {name}.T",
                f"{name}.reshape(9)[{i}] = {v}", f"{name}.ravel()[{i}] = {v}", f"{name}.flatten()[{i}] = {v}",
                f"{name}[{i}][:] = {own}", f"np.fill_diagonal({name}, {v})", f"{name}.sort(axis=0)",
            ]  # fmt: skip
        else:
            ways += [f"{name}[:] = {own}", f"{name} += {row}", f"{name}[1:] = {own}[:-1]", f"{name}.sort()",
                     f"{name} -= {row} * {v}", f"np.add.at({name}, [0, 1], {v})"]  # fmt: skip
        self.line(depth, r.choice(ways))

    def statement(self, depth: int, nesting: int) -> None:
        r = self.r
        choice = r.random()
        if choice < 0.3:
            self.assigned(depth, self.array())
        elif choice < 0.36:
            self.assigned(depth, self.fresh())
        elif choice < 0.78 or not nesting:
            self.changed(depth)
        else:
            self.nested(depth, nesting)

    def nested(self, depth: int, nesting: int) -> None:
        r = self.r
        names, indices = dict(self.names), list(self.indices)
        form = r.random()
        if form < 0.45:
            self.line(depth, f"if {r.choice(('x > 1.0', 'n > 2', 'x < 0.0'))}:")
        elif form < 0.75:
            i = f"i{depth}"
            self.line(depth, f"for {i} in range({r.choice(('2', 'n', 'n - 1'))}):")
            self.indices.append(i)
        elif form < 0.85:
            self.line(depth, "def inner():")
        else:
            name = r.choice(list(names))
            self.line(depth, f"for row{depth} in {name}:")
            if len(names[name]) == 2:
                self.names[f"row{depth}"] = (3,)
        for _ in range(r.randint(1, 3)):
            self.statement(depth + 1, nesting - 1)
        self.line(depth + 1, "pass")
        if 0.75 <= form < 0.85:
            self.line(depth, "inner()")
        self.names, self.indices = names, indices


def views(seed: int) -> Program:
    """The program of a seed."""
    return Views(seed).program()
