"""Random programs that compute by loops over the items of arrays, as one writes in C: numbers that runs hand on, sums,
items that are read, added to and written over, tables, places that depend on data, branches, loops in loops.

Machine code takes several runs of such loops at once, so the arrays are longer than a vector in most calls, and of
lengths that are no multiples of it.
"""

from __future__ import annotations

import random

from random_checks import ROUNDED
from random_programs import Program

HEADER = """import math

import numpy as np


def f(x, y, w):
    n = len(x)
    a = y.copy()
    b = np.zeros(n)
    c = x * 0.5
    table = np.zeros((3, n))
    places = np.argsort(y)
    s = 0.25
    t = 0.5
    z = 0.0
    u = w[0] * 0.5
    v = y[0] - 0.2
"""
ARRAYS = ("a", "b", "c")
GIVEN = ("x", "y")
NUMBERS = ("s", "t", "z")
UNARY = (
    "math.sin({})", "math.tanh({})", "math.exp(-{0} * {0})", "abs({})", "math.sqrt(1.0 + {0} * {0})", "({0} * {0})",
    "(-{})", "(0.5 * {})", "np.cos({})", "(1.0 / (1.5 + abs({})))",
)  # fmt: skip
BINARY = ("({} + {})", "({} - {})", "({} * {})", "({} * {})", "max({}, {})", "min({}, {})", "({} / (1.0 + abs({})))")
LONG_SUMS = "sums of many numbers"
"""The feature of programs in which the order of additions may matter more than the last places of arguments."""
CALLS = (((3, 4), (3, 4)), ((13, 41), (2, 3)), ((8, 19, 67), (1, 4)))


class Loops:
    """Writes one program. `indices` are the numbers of the runs of the loops around, the innermost one last: those that
    run over all items are below `n`, others may be below the length of `w`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.indices: list[tuple[str, str]] = []
        self.apart = False  # whether the runs of the loop depend on each other by sums alone

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(2, 5)):
            self.loop(1)
        found = ["np.sum(np.tanh(a) * x)", "np.sum(np.tanh(b) * y)", "np.sum(np.tanh(c))", "np.sum(np.tanh(table) * x)",
                 "math.tanh(s)", "math.tanh(t)", "math.tanh(z)"]  # fmt: skip
        self.lines.append(f"    return {' + '.join(r.sample(found, r.randint(3, len(found))))}")
        calls = [self.call(r.choice(sizes), r.choice(short)) for sizes, short in CALLS]
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", [calls[0], *calls], {ROUNDED, LONG_SUMS})

    def call(self, size: int, short: int) -> str:
        a, b = round(self.r.uniform(0.5, 2.5), 3), round(self.r.uniform(0.5, 2.5), 3)
        arrays = (f"np.sin({a} + 2.3 * np.arange({size}))", f"np.cos({b} + 1.9 * np.arange({size}))",
                  f"np.sin({b} + 1.3 * np.arange({short}))")  # fmt: skip
        return ", ".join(arrays)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # -- expressions -----------------------------------------------------------------------------------------------

    def place(self) -> str:
        """An index of an array of `n` items."""
        r = self.r
        below = [i for i, end in self.indices if end == "n"]
        short = [i for i, end in self.indices if end != "n"]
        if not below or (not self.apart and r.random() < 0.06):
            return r.choice(("0", "-1", "n // 2", *[f"{j} % n" for j in short]))
        i = r.choice(below)
        if self.apart:
            return i
        forms = [i] * 6 + [f"n - 1 - {i}", f"{i} - 1", f"({i} + 1) % n", f"places[{i}]", f"({i} * 3) % n", f"{i} // 2"]
        return r.choice(forms + [f"({i} + {j}) % n" for j in short])

    def item(self, arrays: tuple[str, ...]) -> str:
        r = self.r
        if r.random() < 0.12:
            return f"table[{r.randrange(3)}, {self.place()}]"
        short = [j for j, end in self.indices if end == "len(w)"]
        if short and arrays != ARRAYS and r.random() < 0.3:
            return f"w[{r.choice(short)}]"
        return f"{r.choice(arrays)}[{self.place()}]"

    def number(self, depth: int) -> str:
        r = self.r
        roll = r.random()
        if depth <= 0 or roll < 0.2:
            item = self.item(ARRAYS + GIVEN)
            return r.choice((item, item, item, "u" if self.apart else r.choice(NUMBERS), "u", "v", "0.3", "w[0]"))
        if roll < 0.5:
            return r.choice(UNARY).format(self.number(depth - 1))
        return r.choice(BINARY).format(self.number(depth - 1), self.number(depth - 1))

    def squashed(self, depth: int) -> str:
        return self.r.choice(("math.tanh({})", "0.4 * {}", "math.sin({})", "{}")).format(self.number(depth))

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, depth: int) -> None:
        r = self.r
        roll = r.random() * (0.56 if self.apart else 1.0)
        if roll < 0.26:
            self.line(depth, f"{self.item(ARRAYS)} {r.choice(('=', '=', '+=', '+=', '-='))} {self.squashed(2)}")
        elif roll < 0.36:
            given, more = self.item(GIVEN), self.number(1)
            forms = ("= 0.0", "*= 0.5", "= u", f"= v + {more}", f"= {more} - u", f"= {given}", f"= {given} + {more}")
            self.line(depth, f"{self.item(ARRAYS)} {r.choice(forms)}")
        elif roll < 0.56:
            self.line(depth, f"{r.choice(NUMBERS)} {r.choice(('+=', '+=', '-='))} {self.squashed(2)} * 0.1")
        elif roll < 0.66:
            name = r.choice(NUMBERS)
            forms = (f"max({name}, {self.number(1)})", f"math.tanh({name} * 0.5 + {self.number(1)})", self.squashed(2))
            self.line(depth, f"{name} = {r.choice(forms)}")
        elif roll < 0.80 and depth < 4:
            self.branch(depth)
        elif depth < 4:
            self.loop(depth)
        else:
            self.line(depth, f"{r.choice(NUMBERS)} += {self.number(1)} * 0.01")

    def branch(self, depth: int) -> None:
        r = self.r
        self.line(depth, f"if {self.number(1)} > {r.choice(('0.1', '-0.2', r.choice(NUMBERS)))}:")
        for _ in range(r.randint(1, 2)):
            self.statement(depth + 1)
        if r.random() < 0.12:
            self.line(depth + 1, r.choice(("continue", "break")))
        elif r.random() < 0.5:
            self.line(depth, "else:")
            self.statement(depth + 1)

    def loop(self, depth: int) -> None:
        r = self.r
        i = f"i{len(self.indices)}"
        outer = sum(end == "n" for _, end in self.indices)
        heads = [(f"for {i} in range(n):", "n")] * (1 if outer else 4)
        heads += [(f"for {i} in range(n - 1, -1, -1):", "n"), (f"for {i} in range(1, n):", "n")] * (not outer)
        few = depth > 1 or r.random() < 0.4
        heads += [(f"for {i} in range(len(w)):", "len(w)"), (f"for {i} in range(2):", "2")] * few
        heads += [(f"for {i} in range({j}):", "n") for j, end in self.indices if end == "n" and outer < 2]
        head, end = r.choice(heads)
        self.line(depth, head)
        self.indices.append((i, end))
        before, self.apart = self.apart, self.apart or (end == "n" and r.random() < 0.45)
        for _ in range(r.randint(1, 4 if depth == 1 else 2)):
            self.statement(depth + 1)
        self.apart = before
        self.indices.pop()


def loop_program(seed: int) -> Program:
    """The program of a seed."""
    return Loops(seed).program()
