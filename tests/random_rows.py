"""Random programs over values nested in each other: rows of rows of numbers, in lists and arrays, that are put into
others, moved, copied, compared and changed by any way that leads to them.

Rows are reached by name, at known and unknown keys, by branches and in loops. Each program that compiles gives what
plain Python gives.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import copy
import numpy as np


def push(rows, i, row):
    rows[i].append(row)
    return rows[i]


def first(rows, k):
    return rows[k]


def weighed1(v):
    found = 0.0
    for i, w in enumerate(v):
        found += (i + 1.0) * w
    return 0.5 * found + len(v)


def weighed2(v):
    found = 0.0
    for i, w in enumerate(v):
        found += (i + 1.0) * weighed1(w)
    return 0.5 * found + len(v)


def weighed3(v):
    found = 0.0
    for i, w in enumerate(v):
        found += (i + 1.0) * weighed2(w)
    return 0.5 * found + len(v)


def weighed(v, depth):
    if depth == 0:
        return v
    found = 0.0
    for i, w in enumerate(v):
        found += (i + 1.0) * weighed(w, depth - 1)
    return 0.5 * found + len(v)


"""
CALLS = ["1.5, 3, 0", "0.5, 2, 1", "1.1, 3, 1"]


class Rows:
    """Writes one program. `names` are those of values of each depth, which have two items at least."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[int, list[str]] = {1: [], 2: [], 3: []}
        self.arrays = self.r.random() < 0.25
        self.count = 0
        self.along = 0

    def program(self) -> Program:
        r = self.r
        for depth in (1, 2, r.choice((2, 3))):
            self.new(1, depth, self.made(depth))
        for _ in range(r.randint(3, 6)):
            self.statement(1, 1)
        call = "weighed({name}, {depth})" if self.seed % 8 == 7 else "weighed{depth}({name})"
        parts = [f"{i}.5 * {call.format(name=name, depth=depth)}" for depth, names in self.names.items()
                 for i, name in enumerate(names)]
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        return Program(self.seed, f"{HEADER}def f(x, n, k):\n{body}\n", CALLS)

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def new(self, indent: int, depth: int, text: str) -> None:
        self.count += 1
        self.line(indent, f"{'abcd'[depth]}{self.count} = {text}")
        self.names[depth].append(f"{'abcd'[depth]}{self.count}")

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> str:
        row = self.r.choice(self.names[1] or ["[x]"])
        return self.r.choice(("x", "1.5", "x * x", "x + 1.0", f"{row}[0]"))

    def key(self) -> str:
        return self.r.choice(("0", "1", "k", "1 - k", "(n + k) % 2", *(["i"] * self.along)))

    def made(self, depth: int) -> str:
        """A new value, its parts perhaps not."""
        r = self.r
        if depth == 0:
            return self.number()
        a, b = self.number() if depth == 1 else self.item(depth - 1), self.made(depth - 1)
        if depth == 1 and self.arrays:
            return f"np.array([{a}, {b}])"
        ways = [f"[{a}, {b}]", f"[{b}, {a}]"]
        if depth > 1:
            ways += [f"[{self.made(depth - 1)} for _ in range({r.choice(('2', 'n'))})]"] * 2
        return r.choice(ways)

    def item(self, depth: int) -> str:
        """A value that there may be already."""
        r = self.r
        found = [*self.names[depth]] * 2
        found += [f"{name}[{self.key()}]" for name in self.names.get(depth + 1, ())]
        found += [f"{name}[{self.key()}][{self.key()}]" for name in self.names.get(depth + 2, ())]
        found += [f"first({name}, {self.key()})" for name in self.names.get(depth + 1, ())[:1]]
        if not found:
            return self.made(depth)
        if r.random() < 0.12:
            return f"({r.choice(found)} if x > 1.0 else {r.choice(found)})"
        if r.random() < 0.15:
            return f"{r.choice(('copy.copy', 'copy.deepcopy'))}({r.choice(found)})"
        return r.choice(found)

    def place(self, depth: int) -> str:
        """A value that changes where it stands."""
        found = [*self.names[depth], *[f"{name}[{self.key()}]" for name in self.names.get(depth + 1, ())]]
        return self.r.choice(found or [self.item(depth)])

    # -- statements ----------------------------------------------------------------------------------------------

    def change(self, indent: int) -> None:
        r, depth = self.r, self.r.choice([d for d in (1, 2, 2, 3) if self.names[d] or self.names.get(d + 1)])
        at = self.place(depth)
        if depth == 1:
            ways = [f"{at}[{self.key()}] {r.choice(('=', '+=', '*='))} {self.number()}"] * 2
            if not self.arrays and not self.along:
                ways += [f"{at}.append({self.number()})", f"{at}.insert(0, {self.number()})"]
            self.line(indent, r.choice(ways))
            return
        part = self.item(depth - 1)
        ways = [f"{at}[{self.key()}] = {part}", f"{at}[0], {at}[1] = {at}[1], {at}[0]"]
        if not self.along:
            ways += [f"{at}.append({part})", f"{at}.insert({r.choice('01')}, {part})", f"{at}.reverse()",
                     f"if len({at}) > 2: {at}.pop()", f"{at}.extend({self.item(depth)})"]
            if depth == 3:
                ways += [f"push({at}, {self.key()}, {self.item(1)})"] * 2
        self.line(indent, r.choice(ways))

    def statement(self, indent: int, nesting: int) -> None:
        r, choice = self.r, self.r.random()
        if choice < 0.2 and indent == 1:
            depth = r.choice((1, 2, 3))
            self.new(indent, depth, r.choice((self.made, self.item))(depth))
        elif choice < 0.75 or not nesting:
            self.change(indent)
        elif choice < 0.88:
            depth = r.choice((1, 2))
            test = r.choice(("x > 1.0", "k == 0", f"{self.item(depth)} is {self.item(depth)}"))
            self.line(indent, f"if {test}:")
            self.change(indent + 1)
        elif self.names[2] or self.names[3]:
            depth = r.choice([d for d in (2, 3) if self.names[d]])
            name = r.choice(self.names[depth])
            self.count += 1
            self.line(indent, "for i in range(2):" if depth == 2 else f"for i, w{self.count} in enumerate({name}[:2]):")
            self.along += 1
            if depth == 3:
                self.line(indent + 1, f"w{self.count}[0], w{self.count}[1] = w{self.count}[1], w{self.count}[0]")
            for _ in range(r.randint(1, 2)):
                self.change(indent + 1)
            self.along -= 1


def rows(seed: int) -> Program:
    """The program of a seed."""
    return Rows(seed).program()
