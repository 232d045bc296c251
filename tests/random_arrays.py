"""Random programs of array statements: sums, scans, slices, gathers, products and changes in place of vectors and
matrices of one length, which is another one in each call.

They are long and straight where other random programs are short and nested, so that what is computed in one loop, what
waits, and what is written where something else was read differ in each.
"""

from __future__ import annotations

import random

from random_checks import ROUNDED
from random_programs import Program

HEADER = """import numpy as np


def f(x, y, w):
"""
VECTORS = (
    "{a} * 0.5 + {b} * 0.25", "np.sin({a}) * {b}", "np.tanh({a} - {b})", "({a} + {b}) * ({a} - {c}) / 2.0",
    "np.exp(-{a} * {a}) * {b}", "{a} - {s} * {b}", "{a} / (1.0 + {s} * {s})", "{a} - np.mean({b}) * {c}",
    "{a} / (1.0 + np.sum({b} * {b}))", "{a}[::-1] * {b} + {c}", "np.cumsum({a}) * 0.1", "np.roll({a}, 1) - {b}",
    "np.where({a} > {b}, {a} * 0.9, {c})", "np.where({q}, {a}, 0.3 * {b})", "np.concatenate([{a}[1:], {b}[:1]])",
    "{a} * {b}[0] - {c}[-1]", "np.maximum({a}, {b}) * 0.8", "np.outer({a}, {b}) @ {c} * 0.1", "np.flip({a}) + {s}",
    "np.sort({a}) * 0.5 + {b}", "np.diff(np.append({a}, 0.3)) * 0.4", "np.clip({a}, -0.8, 0.8) + np.max({b}) * 0.05",
    "np.sqrt(np.abs({a}) + 1.0) * {b}", "np.append({a}[1:], {s})", "{a} * np.arange(len({a})) / len({a})",
    "np.where(np.arange(len({a})) % 2 == 0, {a}, {b})", "{a}[{i}] * 0.7", "np.sin({a}) + {b}[{i}] * 0.2",
    "{a}[{i}][{j}]", "np.take({a}, {i}) - {b}", "{m}[:, 0] * {a}", "{m}[:, 1] + {m}[:, 2] * {a}", "{m} @ {w}",
    "np.sum({m}, axis=1) * 0.3", "np.max({m}, axis=1)", "{m}[{i}, 1] + {a}",
    "np.convolve({a}, {w}, 'same') * 0.4", "{a}[{a}.argmax()] * {b}", "np.minimum(np.abs({a}), {s} * {s})",
    "np.repeat({a}[:1], len({a})) + {b}", "np.linalg.norm({m}, axis=1) * {a}", "({q}) * {a} + {b}",
    "np.array([t * 0.5 for t in {a}])", "np.full(len({a}), {s}) - {b}", "np.concatenate([np.ones(1), {a}[:-1]])",
    "np.concatenate([{a}[:1], {b}[1:2], {c}[2:]]) * {a}", "np.concatenate([{a}[2:], np.zeros(2)])[: len({a})] - {b}",
    "np.concatenate([{a}[1:] - {a}[:-1], {b}[:1]])", "{a} * np.concatenate([{b}[-1:], {a}[:-1] * {s}])",
)  # fmt: skip
MATRICES = (
    "np.outer({a}, {w})", "{m} * {a}[:, None]", "{m} + {n} * 0.5", "np.tanh({m}) - {w}", "{m}[::-1]", "{m}[{i}]",
    "{m}[:, ::-1] * {s}", "np.stack([{a}, {b}, {c}], axis=1)", "np.stack([{a}, {b}, {a} * {c}]).T", "np.sin({m} * {n})",
    "np.cumsum({m}, axis=0) * 0.1", "np.cumsum({m}, axis=1)", "{m} - np.mean({m}, axis=0)",
    "{m} / (1.0 + np.sum({m} * {m}, axis=1, keepdims=True))", "np.where({m} > 0.1, {m}, {n} * 0.2)",
    "np.exp({m} - np.max({m}, axis=1, keepdims=True))", "{m} @ np.outer({w}, {w}) * 0.3", "np.roll({m}, 1, axis=0)",
    "np.concatenate([{m}[1:], {n}[:1]])", "np.sort({m}, axis=0) * 0.9", "{m}.copy()", "np.maximum({m}, {n}[{i}])",
    "np.column_stack([{a}, {m}[:, 0], {b}])", "{m} @ np.outer({w}, {w}).T * {a}[:, None] - {n}",
    "0.2 * ({m} @ np.cos({m}[0] + np.outer({w}, {w}))) + {n}", "{n} * 0.5 + {m}[:, 1:] @ np.outer({w}[:2], {w}) * {s}",
)  # fmt: skip
NUMBERS = (
    "np.tanh(np.sum({a}))", "np.mean({a} * {b})", "np.max({a})", "np.min({m})", "{a} @ {b} / len({a})", "{a}[0]",
    "{a}[-1] * {s}", "np.sin({s})", "np.tanh(np.sum({m} * {n}))", "{m}[0, 1]", "np.tanh(np.linalg.norm({a}))",
    "{w} @ {w} * 0.3", "np.tanh({a} @ {m} @ {w})", "np.var({a})", "np.sum({a}[{q}]) / len({a})", "{a}[{i}[0]]",
    "np.mean({m}[{i}, 0])", "np.tanh(sum(t * t for t in {a}))", "np.log(np.sum(np.exp({a})))", "{a}[{i}].mean()",
    "np.median({a})",
)  # fmt: skip
INDICES = (
    "np.arange(len(x))[::-1]", "np.arange(len(x)) // 2", "(np.arange(len(x)) * 3) % len(x)", "np.argsort({a})",
    "np.flip({i})", "{i}[{j}]", "np.where({q}, {i}, 0)", "(len(x) - 1) - {i}", "np.minimum({i} + 1, len(x) - 1)",
    "np.roll({i}, 1)", "np.zeros(len(x), dtype=int)", "np.argmin({m}, axis=1)",
    "np.argmax({m}, axis=0)[0] * {i} // len(x)", "np.maximum({i}, {j})", "np.cumsum({q}) % len(x)",
    "{i} // 2 + {j} // 2",
)  # fmt: skip
TESTS = ("{a} > {b}", "{a} > 0.1", "{i} > {j}", "{a} * {b} <= {s}", "({a} > 0.0) & ({b} < 0.4)", "np.abs({a}) < 0.5",
         "np.arange(len(x)) < 3", "~({a} > {s})")  # fmt: skip
CHANGES = (
    "{v} += 0.2 * {a}", "{v} *= {a}", "{v} -= {s}", "{v}[1:] += 0.1 * {a}[:-1]", "{v}[:2] = {a}[:2] * {s}",
    "{v}[0] = {s}", "{v}[-1] += {s} * {a}[0]", "{v}[{i}] = {a}", "{v}[{i}] = {a} * {b}[{j}]", "{v}[{q}] = 0.3",
    "{v}[{q}] *= 0.5", "{v}[::-1] = {a}.copy()", "np.add.at({v}, {i}, {a} * 0.2)", "{v}[::2] = {a}[::2]",
    "{v}[:] = {a}", "np.multiply({v}, {a}, out={v})", "{v}[{i}[0]] += {s}", "{v}[1:] = {v}[:-1].copy()",
    "np.tanh({v}, out={v})",
)  # fmt: skip
ROW_CHANGES = (
    "{v} *= {w}", "{v} += {a}[:, None]", "{v}[0] = {w} * {s}", "{v}[:, 1] = {a}", "{v}[{i}, 0] = {a}",
    "{v}[-1, 2] += {s}", "{v}[1:] -= 0.2 * {m}[:-1]", "{v}[{i}] = {m}", "{v}[:, 0] *= {b}", "{v}[{q}] = 0.1",
    "np.add.at({v}, {i}, {m} * 0.1)", "{v}[{q}, 1] = {s}",
)  # fmt: skip
LOOPS = (
    "for i in range(len(x)):\n    {v}[i] = {a}[i] * {b}[i] + {s} * 0.1",
    "for i in range(1, len(x)):\n    {v}[i] += 0.5 * {v}[i - 1]",
    "for i in range(len(x) - 1):\n    {v}[i] = {a}[i + 1] - {b}[{j}[i]]",
    "for i in range(len(x)):\n    {v}[{i}[i]] += 0.2 * {a}[i]",
    "for i in range(len(x)):\n    if {a}[i] > {s}:\n        {v}[i] = {b}[i]\n    else:\n        {z} = {z} * 0.5",
    "for t in {a}:\n    {z} = {z} * 0.5 + t * {s}",
    "for row in {m}:\n    {z} = {z} + np.sum(row * {w}) / len(x)",
    "for row, t in zip({m}, {a}):\n    if t > 0.1:\n        continue\n    {z} = np.tanh({z} + row @ {w} * t)",
    "for i, t in enumerate({a}):\n    {z} = np.tanh({z} + t * {b}[i])",
    "for i in range(len(x)):\n    {z} = {z} * {a}[i] + {b}[{i}[i]]\n    if abs({z}) > 2.0:\n        break",
    "for _ in range(3):\n    {v} = {v} * 0.5 + {a} * {s}",
    "for _ in range(3):\n    {v}, {u} = {u}, {v} * 0.5 - {u} * {a}",
    "for i in range(4):\n    {u} = {v}\n    if i > 1:\n        {v} = np.sin({v}) + {u}\n    {z} = {z} * 0.5 + {u}[0]",
    "for _ in range(3):\n    for k in range(3):\n        {v} = {v} * 0.5 + {m}[:, k] * {z}",
    "for _ in range(2):\n    for k in range(3):\n        {z} = np.tanh({z} + {m}[:, k] @ {a} / len(x))\n"
    "        {v} = {v} * 0.8 - {m}[:, -k] * 0.2",
    "for _ in range(2):\n    for k in range(2):\n        {v} = {v} + ({n}[:, k : k + 1] * {m})[:, 1] * {b}[0]\n"
    "        {u} = {u} * 0.5 + ({n} @ np.outer({w}, {w}))[:, k] * {z}",
    "for _ in range(2):\n    {u} = {a} * np.concatenate([np.ones(1), {v}[:-1]])\n"
    "    {v} = {v} + 0.5 * {b} * np.concatenate([{u}[1:], {c}[:1]])",
    "for _ in range(2):\n    {u} = np.concatenate([{u}[1:] - {u}[:-1], {a}[-1:]])\n    {v} += {u} * {s}",
    "for i in range(3):\n    {v}[i % len(x)] += {z}\n    {z} = np.tanh(np.sum({v} * {a}))",
    "while {z} > 0.1:\n    {z} = {z} * 0.4 - np.sum({a}) * 0.0",
    "{u} = np.stack([{a} * t for t in {b}])[0] + {v}\n{z} = {z} + {u}[-1]",
    "def inner(t, k):\n    return t * {a} + k * {b} if k > 0.0 else {v}\n{u} = inner({c}, {s}) - inner({v}, {z})",
    "{z} = sum([{a}[i] * {b}[i] for i in range(len(x)) if {v}[i] > 0.0]) / len(x)",
    "{u} = {v} if {z} > 0.2 else {a}\n{z} = {z} + np.mean({u} * {v})",
)  # fmt: skip
SIZES = ((3, 4, 5, 7), (9, 16, 41), (1, 2, 64, 200))


class Arrays:
    """Writes one program. `names` are those of each sort in the order in which they were bound."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {"v": ["x", "y"], "m": [], "s": [], "i": [], "q": []}
        self.own: dict[str, list[str]] = {"v": [], "m": []}

    def program(self) -> Program:
        r = self.r
        for sort, text in (("v", "x * y"), ("m", "np.outer(x, w)"), ("s", "np.mean(y)"), ("i", "np.argsort(y)")):
            self.bind(sort, text)
        self.bind("q", "x > y")
        for _ in range(r.choice((4, 8, 16, 40))):
            self.statement(1)
        last = [f"{r.choice(('0.5 * ', ''))}np.sum({n} * {self.near('v')})" for n in self.names["v"][-3:]]
        last += [f"np.sum({self.near('m')})", self.near("s")]
        self.lines.append(f"    return {' + '.join(r.sample(last, r.randint(2, len(last))))}")
        calls = [self.call(r.choice(sizes)) for sizes in SIZES]
        if r.random() < 0.4:
            calls.reverse()
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", [calls[0], *calls], {ROUNDED})

    def call(self, size: int) -> str:
        """Arguments of numbers that differ, so that no two of them tie."""
        a, b = round(self.r.uniform(0.5, 2.5), 3), round(self.r.uniform(0.5, 2.5), 3)
        x, y = f"np.sin({a} + 2.3 * np.arange({size}))", f"np.cos({b} + 1.9 * np.arange({size}))"
        return f"{x}, {y}, np.array([0.4, -0.7, {a}])"

    def near(self, sort: str) -> str:
        """A name that was bound lately, sometimes an old one."""
        names = self.names[sort]
        return self.r.choice(names[-4:] if self.r.random() < 0.7 else names)

    def filled(self, form: str, **more: str) -> str:
        a, b, c = (self.near("v") for _ in range(3))
        m, n = (self.near("m") for _ in range(2))
        i, j = (self.near("i") for _ in range(2))
        return form.format(a=a, b=b, c=c, m=m, n=n, i=i, j=j, s=self.near("s"), q=self.near("q"), w="w", **more)

    def bind(self, sort: str, text: str, depth: int = 1) -> str:
        name = f"{sort}{sum(map(len, self.names.values()))}"
        self.lines.append("    " * depth + f"{name} = {text}")
        self.names[sort].append(name)
        return name

    def statement(self, depth: int) -> None:
        r = self.r
        roll = r.random()
        if roll < 0.36:
            self.bind("v", self.filled(r.choice(VECTORS)), depth)
        elif roll < 0.48:
            self.bind("m", self.filled(r.choice(MATRICES)), depth)
        elif roll < 0.57:
            self.bind("s", self.filled(r.choice(NUMBERS)), depth)
        elif roll < 0.63:
            self.bind("i", self.filled(r.choice(INDICES)), depth)
        elif roll < 0.66:
            self.bind("q", self.filled(r.choice(TESTS)), depth)
        elif roll < 0.76:
            self.change(depth)
        elif roll < 0.83:
            self.bound_again(depth)
        elif roll < 0.90 or depth > 3:
            self.loop(depth)
        elif roll < 0.96:
            self.branch(depth)
        else:
            self.nested(depth)

    def bound_again(self, depth: int) -> None:
        """Another value for one or two names that are bound already."""
        sort, forms = self.r.choice((("v", VECTORS), ("v", VECTORS), ("m", MATRICES), ("s", NUMBERS)))
        names = [name for name in self.names[sort] if name not in ("x", "y", *self.own.get(sort, ()))]
        if self.r.random() < 0.3 and len(names) > 1:
            one, other = self.r.sample(names, 2)
            text = f"{one}, {other} = {other}, {self.filled(self.r.choice(forms))}"
        elif names:
            name = self.r.choice(names)
            text = f"{name} = {self.filled(self.r.choice((*forms, self.near(sort))))}"
            text = text if sort == "v" or self.r.random() < 0.5 else f"{text} * 0.5 + {name} * 0.5"
        else:
            return
        self.lines.append("    " * depth + text)

    def nested(self, depth: int) -> None:
        """A loop over statements, which give names another value; names bound in it are forgotten behind it."""
        r = self.r
        head = r.choice(("for _ in range(3):", "for _ in range(len(x) % 4):", "for k in range(2):", "for t in w:"))
        self.lines.append("    " * depth + head)
        outer = self.names, self.own
        self.names, self.own = ({k: list(v) for k, v in of.items()} for of in outer)
        for _ in range(r.randint(1, 5)):
            self.statement(depth + 1)
        self.bound_again(depth + 1)
        self.names, self.own = outer
        self.lines.append("    " * (depth + 1) + "pass")

    def changed(self, sort: str, depth: int) -> str:
        """An array that no argument and no other name leads to."""
        own = self.own[sort]
        if own and self.r.random() < 0.5:
            return self.r.choice(own[-3:])
        name = self.bind(sort, f"{self.near(sort)}.copy()", depth)
        if depth == 1:
            own.append(name)
        return name

    def change(self, depth: int) -> None:
        sort, forms = self.r.choice((("v", CHANGES), ("v", CHANGES), ("m", ROW_CHANGES)))
        name = self.changed(sort, depth)
        self.lines.append("    " * depth + self.filled(self.r.choice(forms), v=name))

    def loop(self, depth: int) -> None:
        v = self.changed("v", depth)
        u, z = self.bind("v", self.near("v"), depth), self.bind("s", self.near("s"), depth)
        lines = self.filled(self.r.choice(LOOPS), v=v, u=u, z=z).split("\n")
        self.lines += ["    " * depth + line for line in lines]

    def branch(self, depth: int) -> None:
        """One or two names that an arm binds; two names may stand for one array in an arm, for two in the other."""
        r = self.r
        names = [self.bind("v", self.near("v"), depth) for _ in range(r.choice((1, 1, 2)))]
        arms = 1 if r.random() < 0.4 else 2
        outer = self.names, self.own
        for head in (f"if {self.near('s')} > {r.choice(('0.0', '0.3', self.near('s')))}:", "else:")[:arms]:
            self.lines.append("    " * depth + head)
            self.names, self.own = ({k: list(v) for k, v in of.items()} for of in outer)
            for _ in range(r.randint(0, 3)):
                self.statement(depth + 1)
            self.lines.append("    " * (depth + 1) + f"{names[0]} = {self.filled(r.choice(VECTORS))}")
            for name in names[1:]:
                text = names[0] if r.random() < 0.6 else self.filled(r.choice(VECTORS))
                self.lines.append("    " * (depth + 1) + f"{name} = {text}")
        self.names, self.own = outer


def array_program(seed: int) -> Program:
    """The program of a seed."""
    return Arrays(seed).program()
