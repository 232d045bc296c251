"""Random programs whose variables are a number or an array, of one rank or another, as the run has it: chosen by
branches, carried by loops from a number on, taken and given by functions and recursions."""

from __future__ import annotations

import random

from random_programs import Program

CALLS = [
    "np.array([0.3, -1.04, 0.75]), 0.94, np.array([[0.1, -0.9, 0.4], [1.2, 0.7, -0.3], [0.2, 0.5, -1.1]])",
    "np.array([-0.7, 0.2, 0.45]), -0.35, np.array([[0.6, 0.1, -0.2], [0.9, -0.4, 0.8], [-0.5, 1.3, 0.05]])",
]
NUMBERS = ("0.0", "1.0", "0.5", "1.5", "-0.25", "2.0")


class Ranks:
    """Writes one program of `x`, an array of rank 1, `s`, a number, and `m`, one of rank 2."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["x", "s", "m"]
        self.own: list[str] = []  # those that may be bound again
        self.indices: list[str] = []
        self.count = 0

    def program(self) -> Program:
        for _ in range(self.r.randint(3, 5)):
            self.statement(1, 2)
        found = " + ".join(f"np.sum(np.tanh({name}))" for name in self.own[-4:])
        self.line(1, f"return {found or 's'}")
        return Program(self.seed, "import numpy as np\n\n\ndef f(x, s, m):\n" + "\n".join(self.lines) + "\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def value(self, depth: int = 2) -> str:
        r = self.r
        kind = r.randrange(9 if depth else 3)
        if kind < 2:
            return r.choice(self.names)
        if kind == 2:
            return r.choice(NUMBERS)
        one = self.value(depth - 1)
        if kind < 6:
            return f"({one} {r.choice('+-*')} {self.value(depth - 1)})"
        if kind == 6:
            return f"np.{r.choice(('sin', 'tanh', 'cos'))}({one})"
        if kind == 7:
            return r.choice((f"np.sum({one})", f"np.maximum({one}, {self.value(depth - 1)})"))
        return f"({one} / (1.5 + {self.value(depth - 1)} ** 2))"

    def test(self) -> str:
        return self.r.choice((
            "x[0] > 0.2", "s > 0.5", "x[1] < s", f"np.sum({self.r.choice(self.names)}) > 0.4",
            *[f"{index} % 2 == 0" for index in self.indices],
        ))  # fmt: skip

    def bound(self, name: str) -> None:
        self.names.append(name)
        self.own.append(name)

    def statement(self, depth: int, nested: int) -> None:
        kind = self.r.randrange(10)
        if kind < 2:
            name = self.fresh()
            self.line(depth, f"{name} = {self.value()}")
            self.bound(name)
        elif kind < 4 or not nested:
            name = self.fresh()
            self.line(depth, f"{name} = {self.value(1)} if {self.test()} else {self.value(1)}")
            self.bound(name)
        elif kind < 6 and self.own:
            self.branch(depth)
        elif kind < 8:
            self.loop(depth, nested)
        else:
            self.function(depth)

    def branch(self, depth: int) -> None:
        r = self.r
        self.line(depth, f"if {self.test()}:")
        for _ in range(r.randint(1, 2)):
            self.line(depth + 1, f"{r.choice(self.own)} {r.choice(('=', '+=', '*='))} {self.value(1)}")
        if r.random() < 0.5:
            self.line(depth, "else:")
            self.line(depth + 1, f"{r.choice(self.own)} = {self.value(1)}")

    def loop(self, depth: int, nested: int) -> None:
        r, total = self.r, self.fresh()
        self.line(depth, f"{total} = {r.choice(('0.0', '1.0', 'x', 's'))}")
        self.bound(total)
        index, counts = self.fresh("i"), r.random() < 0.4
        if counts:
            self.line(depth, f"{index} = 0")
        runs = r.randint(1, 3)
        self.line(depth, f"while {index} < {runs}:" if counts else f"for {index} in range({runs}):")
        names, own = list(self.names), list(self.own)
        self.indices.append(index)
        for _ in range(r.randint(0, 2)):
            self.statement(depth + 1, nested - 1)
        step = f"{total} = {total} {r.choice('+*-')} {self.value(1)}"
        if r.random() < 0.5:
            self.line(depth + 1, f"if {self.test()}:")
            self.line(depth + 2, step)
        else:
            self.line(depth + 1, step)
        if counts:
            self.line(depth + 1, f"{index} += 1")
        self.names, self.own = names, own
        self.indices.pop()

    def function(self, depth: int) -> None:
        r, name, found = self.r, self.fresh("f"), self.fresh()
        names = list(self.names)
        self.names.append("a")
        if r.random() < 0.5:
            self.line(depth, f"def {name}(a, n):")
            self.line(depth + 1, "if n == 0:")
            self.line(depth + 2, f"return {r.choice(('0.0', '1.0', 'a', 'x'))}")
            inner = f"{name}({r.choice(('a', 'a * 0.5', 's'))}, n - 1)"
            self.line(depth + 1, f"return {self.value(1)} {r.choice('+*')} {inner}")
            call = f"{name}({r.choice(names)}, {r.randint(0, 3)})"
        else:
            self.line(depth, f"def {name}(a):")
            self.line(depth + 1, "if np.sum(a) > 0.3:")
            self.line(depth + 2, f"return {self.value(1)}")
            self.line(depth + 1, f"return {self.value(1)}")
            call = f"{name}({r.choice(names)})"
        self.names = names
        self.line(depth, f"{found} = {call}")
        self.bound(found)


def ranks(seed: int) -> Program:
    """The program of a seed."""
    return Ranks(seed).program()
