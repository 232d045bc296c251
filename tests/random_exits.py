"""Random programs whose statements leave in every way: `break`, `continue`, `return` and `raise` in loops with `else`,
in `try` with handlers, `else` and `finally`, in `with` and `match`, in functions that others call.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import contextlib
import math


class Low(ValueError):
    pass


class High(ValueError):
    def __init__(self, by):
        super().__init__("high")
        self.by = by


def checked(t):
    if t < -1.0:
        raise Low("low")
    if t > 4.0:
        raise High(t - 4.0)
    return 0.5 * t


@contextlib.contextmanager
def noted(log, t):
    log.append(t)
    try:
        yield t * 0.5
    finally:
        log.append(0.25)


"""
CALLS = [
    "0.7, 2, [1.0, -0.5, 2.5, 0.3]", "1.6, 5, [0.4, 3.0, -2.0, 1.2]", "-0.9, 3, [2.0, 0.6, -1.5, 0.8]",
]
CAUGHT = ("Low", "High", "ValueError", "(Low, IndexError)", "ZeroDivisionError", "IndexError", "Exception")


class Exits:
    """Writes one program. `loops` tells for each loop around, in the function being written, what it counts with."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.count = 0
        self.finals = 0
        self.helper = False

    def program(self) -> Program:
        self.helper = True
        self.line(0, "def helper(s, t, xs, log):")
        for _ in range(self.r.randint(1, 2)):
            self.statement(1, 2)
        self.line(1, "return s + 0.5 * t")
        self.helper = False
        self.lines += ["", ""]
        self.line(0, "def f(x, n, xs):")
        self.line(1, "s, t, log = x, 1.0, [x]")
        for _ in range(self.r.randint(2, 3)):
            self.statement(1, 3)
        self.line(1, "return s + 0.5 * t + sum(log)")
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> str:
        r = self.r
        ways = ["s", "t", "xs[0]", "0.5 * s", "s - t", "checked(s)", "checked(t - 1.0)", "xs[1] * t", "1.5"]
        ways += [f"xs[{i}]" for i in self.loops] * 2 + [f"checked(xs[{i}] * s)" for i in self.loops]
        ways += [f"1.0 / ({i} - 1)" for i in self.loops] + [f"{i} * 0.5" for i in self.loops]
        ways += [] if self.helper else ["x", "helper(s, t, xs, log)", "xs[n]", "1.0 / (n - 2)"]
        return r.choice(ways)

    def test(self) -> str:
        r = self.r
        ways = ["s > t", "s > 2.0", "t < 0.5", "len(log) > 3", "xs[0] > s"]
        ways += [f"{i} == {r.randint(0, 2)}" for i in self.loops] * 2 + [f"xs[{i}] < 0.5" for i in self.loops]
        return r.choice(ways + ([] if self.helper else ["n > 2", "x > 1.0"]))

    # -- statements ----------------------------------------------------------------------------------------------

    def body(self, depth: int, nesting: int) -> None:
        for _ in range(self.r.choice((1, 1, 2))):
            self.statement(depth, nesting)

    def statement(self, depth: int, nesting: int) -> None:
        r = self.r
        if nesting == 0 or r.random() < 0.3:
            self.simple(depth)
        else:
            r.choice((self.branch, self.loop, self.loop, self.attempt, self.attempt, self.attempt, self.managed,
                      self.cases))(depth, nesting - 1)

    def simple(self, depth: int) -> None:
        r = self.r
        name = r.choice("st")
        choice = r.random()
        if choice < 0.45:
            self.line(depth, f"{name} = {r.choice(('{} + {}', '{} - 0.5 * {}', '0.5 * {} + {}'))}".format(
                name, self.number()))
        elif choice < 0.55:
            self.line(depth, f"log.append({self.number()})")
        elif choice < 0.75:
            self.line(depth, f"if {self.test()}:")
            self.leave(depth + 1)
        else:
            self.line(depth, f"{name} += {self.number()}")
            if r.random() < 0.3:
                self.leave(depth)

    def leave(self, depth: int) -> None:
        r = self.r
        ways = ["raise Low", "raise High(s)", "raise ValueError('no')"]
        ways += ["return s - t"] * 2 if not self.finals else []
        ways += ["break", "continue"] * 3 if self.loops and not self.finals else []
        self.line(depth, r.choice(ways))

    def branch(self, depth: int, nesting: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.body(depth + 1, nesting)
        if self.r.random() < 0.5:
            self.line(depth, "else:")
            self.body(depth + 1, nesting)

    def loop(self, depth: int, nesting: int) -> None:
        r = self.r
        i = self.new("i")
        finals, self.finals = self.finals, 0
        if r.random() < 0.6:
            self.line(depth, f"for {i} in range({r.choice(('3', '4', '5'))}):")
        else:
            self.line(depth, f"{i} = -1")
            self.line(depth, f"while {i} < {r.choice(('2', '3', '4'))}:")
            self.line(depth + 1, f"{i} += 1")
        self.loops.append(i)
        self.body(depth + 1, nesting)
        self.loops.pop()
        self.finals = finals
        if r.random() < 0.3:
            self.line(depth, "else:")
            self.body(depth + 1, 0)

    def attempt(self, depth: int, nesting: int) -> None:
        r = self.r
        self.line(depth, "try:")
        self.body(depth + 1, nesting)
        kinds = r.sample(CAUGHT, r.choice((0, 1, 1, 2)))
        kinds.sort(key=lambda kind: kind in ("ValueError", "Exception"))
        for kind in kinds:
            name = self.new("e") if kind == "High" else ""
            self.line(depth, f"except {kind}{f' as {name}' if name else ''}:")
            if name:
                self.line(depth + 1, f"s -= 0.25 * {name}.by")
            self.body(depth + 1, nesting)
            if r.random() < 0.3:
                self.leave(depth + 1)
        if kinds and r.random() < 0.4:
            self.line(depth, "else:")
            self.body(depth + 1, nesting)
        if not kinds or r.random() < 0.4:
            self.line(depth, "finally:")
            self.finals += 1
            self.line(depth + 1, r.choice(("t = 0.5 * t + 0.25", "s = s - 0.125", "log.append(t)")))
            self.finals -= 1

    def managed(self, depth: int, nesting: int) -> None:
        if self.r.random() < 0.5:
            self.line(depth, f"with contextlib.suppress({self.r.choice(('Low', 'ValueError', 'IndexError'))}):")
        else:
            name = self.new("m")
            self.line(depth, f"with noted(log, s) as {name}:")
            self.line(depth + 1, f"t += {name}")
        self.body(depth + 1, nesting)

    def cases(self, depth: int, nesting: int) -> None:
        subject = self.r.choice([*self.loops, "len(log)", *([] if self.helper else ["n"])])
        self.line(depth, f"match {subject}:")
        for k in range(self.r.randint(1, 2)):
            self.line(depth + 1, f"case {k + self.r.randint(0, 2) * 2}:")
            self.body(depth + 2, nesting)
        if self.r.random() < 0.6:
            self.line(depth + 1, "case _:")
            self.body(depth + 2, nesting)


def exits(seed: int) -> Program:
    """The program of a seed."""
    return Exits(seed).program()
