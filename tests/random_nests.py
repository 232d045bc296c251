"""Random programs of loops in loops over whole arrays: what runs carry, keep in lists and leave behind, in one function
and in those that they call.

Memory of runs is given back while the loops go on, so most arrays are as long as a page or longer in one call, and some
runs take more memory than those before.
"""

from __future__ import annotations

import random

from random_checks import ROUNDED
from random_programs import Program

HEADER = """from dataclasses import dataclass

import numpy as np

import ccc


@dataclass
class State:
    u: np.ndarray
    v: np.ndarray
    t: float


def steps(c, d, k):
    found = []
    for m in range(k):
        c = np.tanh(c) + 0.1 * np.cumsum(d) / len(d)
        if m % 2 == 0:
            found.append(c * 0.5)
    return found


def summed(found, c):
    for y in reversed(found):
        c = np.tanh(c + 0.2 * y)
    return c


def folded(c, d, k):
    if k <= 0:
        return c
    return folded(np.sin(c) + 0.1 * d, d * 0.9, k - 1)


def both(c, d, k):
    for m in range(k):
        c, d = np.tanh(c - 0.2 * d), c * 0.5
    return c, d


def energy(c, d, k):
    total = 0.0
    for _ in range(k):
        c = np.sin(c) + 0.3 * d
        total += np.sum(c * c) / len(c)
    return total


def until(c, k):
    found = []
    while len(found) < k and np.sum(np.abs(c)) > 1e-3:
        c = 0.8 * np.roll(c, 1)
        found.append(c)
    return found


def f(x, w, n):
    a = x * 0.5
    b = w + 0.1 * x
    state = State(x * 0.2, w * 0.3, 0.2)
    rows = [x * 0.3, w * 0.4, x * w]
    s = 0.3
    t = 0.7
"""
ARRAYS = ("a", "b", "state.u", "state.v", "rows[0]", "rows[-1]")
NUMBERS = ("s", "t", "state.t")
COUNTS = ("n", "3", "n // 2", "5", "n + 1")
VALUES = (
    "np.sin({p})", "0.5 * {p} + 0.3 * {q}", "{p} * np.cos({q})", "np.tanh({p}) * {z}", "{p} / (1.0 + {q} * {q})",
    "np.where({p} > {z}, {p}, 0.5 * {q})", "np.roll({p}, 1) - 0.1 * {q}", "np.cumsum({p}) / len({p})",
    "np.exp(-{p} * {p})", "np.maximum({p}, 0.2 * {q})", "np.concatenate([{p}[1:], {q}[:1]])", "{p}[::-1] * 0.9",
    "np.sort({p}) * 0.8", "{p} / (1.0 + np.sum({q} * {q}))", "folded({p}, {q}, {k})", "both({p}, {q}, {k})[{i}]",
    "summed(steps({p}, {q}, 4), {p})", "steps({p}, {q}, {k} + 1)[-1]", "until({p}, 3)[0]",
    "ccc.gradient(energy, wrt='c')({p}, {q}, {k})", "0.3 * {p} - ccc.gradient(energy, wrt='d')({p}, {q}, 2)",
)  # fmt: skip
LINES = 36
"""So long become programs before no more loops begin."""
CALLS = (((300, 4), (300, 4), (7, 6)), ((7, 3), (300, 5), (2000, 6)), ((300, 3), (2000, 4), (2000, 9)))


class Nests:
    """Writes one program. `indices` are the numbers of the runs of the loops around; `lists` those that are there."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.indices: list[str] = []
        self.lists: list[str] = []
        self.own: list[str] = []
        self.made = 0

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(1, 2)):
            self.loop(1)
            self.block(1, 1)
        self.line(1, "return np.sum(a) + np.sum(b * b) + s * t + np.sum(state.u * rows[1]) + np.sum(state.v) + state.t")
        calls = [self.call(size, n) for size, n in r.choice(CALLS)]
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", calls, {ROUNDED})

    def call(self, size: int, n: int) -> str:
        a = round(self.r.uniform(0.5, 2.5), 3)
        return f"0.55 + 0.45 * np.sin({a} + 2.3 * np.arange({size})), np.linspace(0.9, 1.2, {size}), {n}"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # -- expressions -----------------------------------------------------------------------------------------------

    def array(self) -> str:
        return self.r.choice((*ARRAYS, "a", "b", "x", "w", *self.own, *self.own))

    def number(self) -> str:
        return self.r.choice(NUMBERS)

    def value(self) -> str:
        r = self.r
        return r.choice(VALUES).format(
            p=self.array(), q=self.array(), z=self.number(), k=r.choice(("1", "2", "n - 1")), i=r.randrange(2))

    # -- statements ------------------------------------------------------------------------------------------------

    def block(self, depth: int, most: int = 4) -> None:
        for _ in range(self.r.randint(1, most)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        r = self.r
        roll = r.random()
        if roll < 0.3 or depth > 4:
            self.change(depth)
        elif roll < 0.38:
            self.line(depth, f"{self.number()} = 0.5 * {self.number()} + 0.1 * np.mean({self.array()})")
        elif roll < 0.5 and self.indices:
            self.branch(depth)
        elif roll < 0.6 and self.lists:
            self.line(depth, f"{r.choice(self.lists)}.append({self.array()} * 0.5)")
        elif roll < 0.66 and self.lists:
            found = r.choice(self.lists)
            self.line(depth, f"if len({found}) > 0:")
            at = r.choice((f"len({found}) // 2", "0", "-1"))
            self.line(depth + 1, f"{r.choice('ab')} = {self.value()} + 0.1 * {found}[{at}]")
        elif roll < 0.75 and len(self.lines) < LINES:
            self.apart(depth)
        elif len(self.indices) < 3 and len(self.lines) < LINES:
            self.loop(depth)
        else:
            self.change(depth)

    def change(self, depth: int) -> None:
        r = self.r
        roll = r.random()
        name = r.choice("ab")
        if roll < 0.5:
            self.line(depth, f"{name} = {self.value()}")
        elif roll < 0.58:
            self.line(depth, f"{name}[{r.choice((':3', '::2', '1:'))}] *= 0.9")
        elif roll < 0.64:
            self.line(depth, f"a, b = b, {self.value()}")
        elif roll < 0.76:
            self.line(depth, f"rows[{r.choice(('0', '1', '2', *[f'{i} % 3' for i in self.indices]))}] = {self.value()}")
        elif roll < 0.84:
            self.line(depth, f"rows = [rows[1], rows[2], {self.value()}]")
        elif roll < 0.92:
            self.line(depth, f"state = State(state.v, {self.value()}, {self.number()} * 0.9)")
        else:
            self.line(depth, f"state.{r.choice('uv')} = {self.value()}")

    def branch(self, depth: int) -> None:
        r = self.r
        tests = (f"{r.choice(self.indices)} % {r.randint(2, 3)} == 0", f"np.sum({self.array()}) > {self.number()}")
        self.line(depth, f"if {r.choice(tests)}:")
        self.change(depth + 1)
        if r.random() < 0.12:
            self.line(depth + 1, r.choice(("continue", "break")))
        elif r.random() < 0.5:
            self.line(depth, "else:")
            self.statement(depth + 1)

    def apart(self, depth: int) -> None:
        """What leaves but a number behind, and takes the more memory, the more runs there have been."""
        r = self.r
        many = r.choice((*[f"{i} + 1" for i in self.indices], "n", "3"))
        part = f"{self.array()}[: len(x) * ({many}) // (2 * n + 2) + 1]"
        self.made += 1
        found, own = f"k{self.made}", f"c{self.made}"
        self.line(depth, f"{own} = {part} * {self.number()}")
        self.line(depth, f"{found} = []")
        self.line(depth, f"for _ in range({many}):")
        self.line(depth + 1, f"{own} = np.sin({own}) + 0.1 * np.cumsum({own}) / len({own})")
        self.line(depth + 1, f"{found}.append({own}{r.choice((' * 0.5', ''))})")
        self.line(depth, f"for v in {r.choice(('', 'reversed'))}({found}):")
        self.line(depth + 1, f"{r.choice(('s', 't'))} += 0.1 * np.sum(v * v) / len(x)")

    def loop(self, depth: int) -> None:
        r = self.r
        i = "ijk"[len(self.indices)]
        before, own = list(self.lists), list(self.own)
        self.made += 1
        mine = f"l{self.made}" if r.random() < 0.5 else ""
        if mine:
            self.line(depth, f"{mine} = []")
        roll = r.random()
        self.indices.append(i)
        if roll < 0.15:
            self.line(depth, f"{i} = 0")
            self.line(depth, f"while {i} < {r.randint(2, 6)} and np.sum(np.abs(a)) > 1e-3:")
            self.line(depth + 1, f"{i} = {i} + 1")
        else:
            self.line(depth, f"for {i} in range({r.choice(COUNTS)}):")
        self.lists = [*before, *[mine] * bool(mine)]
        if r.random() < 0.4:
            self.made += 1
            self.line(depth + 1, f"d{self.made} = {self.value()}")
            self.own = [*own, f"d{self.made}"]
        if mine and r.random() < 0.6:
            self.line(depth + 1, f"{mine}.append({self.array()} * 0.5)")
        self.block(depth + 1, 2 if len(self.lines) > LINES else 3)
        self.indices.pop()
        self.own = own
        if mine and r.random() < 0.7:
            self.line(depth, f"for v in {r.choice(('', 'reversed'))}({mine}):")
            self.line(depth + 1, f"{r.choice('ab')} = {self.value()} + 0.2 * v")
        self.lists = before


def nest_program(seed: int) -> Program:
    """The program of a seed."""
    return Nests(seed).program()
