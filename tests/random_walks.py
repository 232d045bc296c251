"""Random programs over trees whose shape is the caller's: binary ones that may be None, expressions of several classes,
nodes with lists of children. Functions fold them, make new ones, insert into them and walk down; nodes hold numbers,
whole numbers and arrays.
"""

from __future__ import annotations

import random

from random_programs import Program

CLASSES = """from __future__ import annotations
import math
from dataclasses import dataclass
from typing import Optional
import numpy as np


@dataclass
class B:
    v: float
    k: int
    w: np.ndarray
    left: Optional[B] = None
    right: Optional[B] = None


@dataclass
class Num:
    v: float


@dataclass
class Arg:
    i: int


@dataclass
class Bin:
    op: int
    l: Num | Arg | Bin | Row
    r: Num | Arg | Bin | Row


@dataclass
class Row:
    w: np.ndarray
    xs: list[Num | Arg | Bin | Row]


"""
OWN = ("t.v", "t.v * x", "t.k * x", "np.sum(t.w) * x", "math.sin(t.v + x)", "t.v * t.v", "np.sum(t.w * t.v)", "x")
BELOW = ("{f}(t.{side}, {x})", "0.5 * {f}(t.{side}, {x})", "{f}(t.{side}, {x}) * t.v", "max({f}(t.{side}, {x}), 0.1)")
NEXT = ("x", "x * 0.5", "x + 0.1 * t.v", "math.cos(x)", "t.v")
MADE = ("B({v}, t.k, {w}, {f}(t.left, {x}), {f}(t.right, {x}))", "B({v}, t.k + 1, {w}, {f}(t.right, {x}), t.left)",
        "B({v}, t.k, {w}, t.left, {f}(t.right, {x}))", "B({v}, t.k, {w}, None, {f}(t.left, {x}))")
VALUES = ("t.v * x", "t.v + x", "np.sum(t.w) * x", "x", "t.v * 1.0")
WEIGHTS = ("t.w", "t.w * x", "np.tanh(t.w)", "t.w + t.v")
BINARY = ("a + b", "a - b", "a * b", "math.tanh(a) * b", "a * x + b", "max(a, b)")
OF_ROW = ("np.sum(e.w) * s", "s + e.w[0]", "s * x + np.sum(e.w * e.w)", "np.sum(np.tanh(e.w * s))")


class Walks:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.text = CLASSES
        self.folds: list[str] = []
        self.maps: list[str] = []

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(1, 2)):
            self.fold()
        for _ in range(r.randint(0, 2)):
            self.map()
        self.insert()
        self.evaluate()
        body = "\n".join([f"    {line}" for line in self.statements()])
        self.text += f"def f(t, e, x):\n{body}\n    return float(s)\n"
        return Program(self.seed, self.text, [f"{self.tree(4)}, {self.expression(3)}, {self.number()}" for _ in "12"])

    # -- arguments ---------------------------------------------------------------------------------------------------

    def number(self) -> float:
        return round(self.r.uniform(-1.5, 1.5), 3)

    def row(self, n: int) -> str:
        return f"np.array({[self.number() for _ in range(n)]})"

    def tree(self, depth: int) -> str:
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return "None"
        sides = ", ".join([self.tree(depth - 1) for _ in "lr"])
        return f"B({self.number()}, {r.randrange(4)}, {self.row(2)}, {sides})"

    def expression(self, depth: int) -> str:
        r = self.r
        kind = r.choice(["Num", "Arg"] if depth == 0 else ["Num", "Arg", "Bin", "Bin", "Bin", "Row"])
        if kind == "Num":
            return f"Num({self.number()})"
        if kind == "Arg":
            return f"Arg({r.randrange(3)})"
        if kind == "Bin":
            return f"Bin({r.randrange(3)}, {self.expression(depth - 1)}, {self.expression(depth - 1)})"
        return f"Row({self.row(3)}, [{', '.join([self.expression(depth - 1) for _ in range(r.randrange(3))])}])"

    # -- functions ---------------------------------------------------------------------------------------------------

    def fold(self) -> None:
        r, name = self.r, f"fold{len(self.folds)}"
        self.folds.append(name)
        x = r.choice(NEXT)
        below = [r.choice(BELOW).format(f=r.choice([name, *self.folds]), side=side, x=x) for side in ("left", "right")]
        test = r.choice(["", "", "    if t.k > 2:\n        return x\n",
                         "    if t.left is None:\n        return t.v * x\n"])
        self.text += f"def {name}(t, x):\n    if t is None:\n        return {r.choice(['0.0', 'x', '0.5'])}\n{test}"
        self.text += f"    return {' + '.join([r.choice(OWN), *r.sample(below, r.randint(1, 2))])}\n\n\n"

    def map(self) -> None:
        r, name = self.r, f"map{len(self.maps)}"
        self.maps.append(name)
        new = r.choice(MADE).format(v=r.choice(VALUES), w=r.choice(WEIGHTS), f=name, x=r.choice(NEXT))
        self.text += f"def {name}(t, x):\n    if t is None:\n        return None\n    return {new}\n\n\n"

    def insert(self) -> None:
        w = self.r.choice(("np.array([v, 1.0])", "np.ones(2) * v"))
        self.text += (
            f"def insert(t, v):\n    if t is None:\n        return B(v, 1, {w})\n    if v < t.v:\n"
            "        return B(t.v, t.k, t.w, insert(t.left, v), t.right)\n"
            "    return B(t.v, t.k, t.w, t.left, insert(t.right, v))\n\n\n"
        )

    def evaluate(self) -> None:
        r = self.r
        others = [r.choice(BINARY) for _ in range(3)]
        self.text += (
            "def value(e, xs, x):\n    if isinstance(e, Num):\n        return e.v\n    if isinstance(e, Arg):\n"
            "        return xs[e.i]\n    if isinstance(e, Bin):\n        a, b = value(e.l, xs, x), value(e.r, xs, x)\n"
            f"        if e.op == 0:\n            return {others[0]}\n"
            f"        if e.op == 1:\n            return {others[1]}\n"
            f"        return {others[2]}\n    s = x\n    for y in e.xs:\n        s = s + value(y, xs, x)\n"
            f"    return {r.choice(OF_ROW)}\n\n\n"
        )

    # -- statements --------------------------------------------------------------------------------------------------

    def statements(self) -> list[str]:
        r = self.r
        lines = ["s = x"]
        for _ in range(r.randint(2, 5)):
            fold, xs = r.choice(self.folds), r.choice(["[x, s, 0.5]", "[0.3, x * s, x]"])
            ways = [
                [f"s = s + {fold}(t, x)"], [f"s = s * 0.5 + value(e, {xs}, x)"], [f"t = insert(t, {r.choice('xs')})"],
                ["for v in [0.3, x, s]:", "    t = insert(t, v)"],
                ["u = t", "while u is not None:", "    s = s + u.v * x", f"    u = u.{r.choice(['left', 'right'])}"],
                ["if t is not None:", "    s = s + np.sum(t.w) * t.v", "    t = t.left"],
                [f"if {r.choice(['x > 0.0', 's > x'])}:", f"    t = insert(t, {r.choice(['x', 's', '0.1'])})"],
                ["if isinstance(e, Bin):", "    e = e.l", "elif isinstance(e, Row):", "    s = s + e.w[1]"],
                ["ts = [t, insert(t, x)]", "for u in ts:", f"    s = s + 0.5 * {fold}(u, s)"],
                ["e = Bin(1, e, Num(s))"], ["s = s + (0.0 if t is None else t.v)"],
            ]  # fmt: skip
            if self.maps:
                ways += [[f"t = {r.choice(self.maps)}(t, x)"]] * 3
            lines += r.choice(ways)
        return [*lines, f"s = s + {r.choice(self.folds)}(t, x) + value(e, [x, s, 0.2], s)"]


def walks(seed: int) -> Program:
    """The program of a seed."""
    return Walks(seed).program()
