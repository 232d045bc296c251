"""Random programs with generators: functions that yield, in loops, branches, `try` and from others, and what consumes
them, one item at a time or all at once, to the end or not. A log tells in which order both ran.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import itertools
import math


"""
CALLS = ["0.7, 2, [1.0, -0.5, 2.5]", "1.6, 4, [0.4, 3.0, -2.0, 1.2]", "-0.9, 3, [2.0]"]
ALL_AT_ONCE = (
    "sum({})", "sum(list({}))", "max({}, default=0.5)", "len(list({}))", "float(any(u > 1.0 for u in {}))",
    "sum(u * u for u in {})", "next({}, 0.25)", "sum(sorted({}))", "float(all(u < 2.0 for u in {}))",
)  # fmt: skip


class Yields:
    """Writes one program. `made` are the names of generator functions by now: each takes a number and a list."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.made: list[str] = []
        self.inside = ""
        self.count = 0
        self.looping = False

    def program(self) -> Program:
        for _ in range(self.r.randint(1, 3)):
            self.function()
        self.line(0, "def f(x, n, xs):")
        self.line(1, "s, t, log = x, 1.0, [x]")
        self.inside = "x"
        for _ in range(self.r.randint(2, 4)):
            self.consumer(1, 2)
        self.line(1, "return s + 0.5 * t + sum([(i + 1) * v for i, v in enumerate(log)])")
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- functions that yield ------------------------------------------------------------------------------------

    def function(self) -> None:
        name, first = self.new("gen"), len(self.lines)
        self.line(0, f"def {name}(a, xs, log):")
        self.line(1, "b = 0.5 * a")
        self.inside = "a"
        for _ in range(self.r.randint(1, 3)):
            self.step(1, 2)
        if not any("yield" in line for line in self.lines[first:]):
            self.line(1, "yield a")
        self.lines += ["", ""]
        self.made.append(name)

    def inner(self) -> str:
        """A number where a generator is written."""
        return self.r.choice(("a", "b", "0.5 * a", "a - b", "xs[0]", "1.5", *["v"] * (2 * self.looping)))

    def step(self, depth: int, nesting: int) -> None:
        r = self.r
        choice = r.random()
        if choice < 0.35 or nesting == 0:
            self.line(depth, f"yield {self.inner()}")
        elif choice < 0.45:
            self.line(depth, r.choice((f"b += {self.inner()}", f"log.append({self.inner()})")))
        elif choice < 0.65:
            outer, self.looping = self.looping, True
            self.line(depth, r.choice((
                "for v in xs:", "for v in range(3):", "for v, w in zip(xs, [a, b, 1.0]):", "for v in [a, b]:")))
            for _ in range(r.randint(1, 2)):
                self.step(depth + 1, nesting - 1)
            self.looping = outer
        elif choice < 0.75:
            self.line(depth, f"if {r.choice(('a > 0.5', 'b < 1.0', 'len(log) > 4', 'xs[0] > a'))}:")
            self.step(depth + 1, nesting - 1)
            if r.random() < 0.3:
                self.line(depth, "    return")
        elif choice < 0.85:
            self.line(depth, "try:")
            self.step(depth + 1, nesting - 1)
            self.line(depth, "finally:")
            self.line(depth + 1, r.choice(("log.append(0.25)", "b = b + 1.0")))
        elif self.made:
            self.line(depth, f"yield from {self.source()}")
        else:
            self.line(depth, f"yield {self.inner()}")

    # -- what consumes them --------------------------------------------------------------------------------------

    def number(self) -> str:
        return self.r.choice(("x", "s", "t", "xs[0]", "0.5 * s", "1.5")) if self.inside == "x" else self.inner()

    def source(self) -> str:
        """A generator."""
        r = self.r
        call = f"{r.choice(self.made)}({self.number()}, xs, log)"
        return r.choice((call, call, f"(0.5 * u for u in {call})", f"(u for u in {call} if u > 0.3)",
                         f"map(abs, {call})", f"itertools.islice({call}, 2)", f"itertools.chain({call}, [0.5])",
                         f"itertools.takewhile(lambda u: u < 2.0, {call})"))

    def consumer(self, depth: int, nesting: int) -> None:
        r = self.r
        choice = r.random()
        if choice < 0.4:
            self.loop(depth, nesting)
        elif choice < 0.6:
            how = r.choice(ALL_AT_ONCE)
            name = r.choice("st")
            self.line(depth, f"{name} = 0.5 * {name} + {how.format(self.iterator(how))}")
        elif choice < 0.8:
            g = self.new("g")
            self.line(depth, f"{g} = iter({self.source()})")
            for _ in range(r.randint(1, 2)):
                self.line(depth, r.choice((
                    f"s += next({g}, 0.5)", f"log.append(next({g}, s))", f"t = t + 0.5 * next({g}, 1.0)")))
            if r.random() < 0.6:
                self.line(depth, r.choice((f"t += sum({g})", f"for u in {g}: s += 0.5 * u", f"log += list({g})")))
        elif nesting:
            self.line(depth, f"if {r.choice(('x > 1.0', 's > t', 'n > 2'))}:")
            self.consumer(depth + 1, nesting - 1)
        else:
            self.line(depth, "log.append(s)")

    def iterator(self, how: str) -> str:
        return f"iter({self.source()})" if how.startswith("next") else self.source()

    def loop(self, depth: int, nesting: int) -> None:
        r = self.r
        u = self.new("u")
        head = r.choice((f"for {u} in {{}}:", f"for k, {u} in enumerate({{}}):", f"for {u}, w in zip({{}}, xs):",
                         f"for w, {u} in zip([1.0, s], {{}}):"))
        self.line(depth, head.format(self.source()))
        self.line(depth + 1, r.choice((f"s += 0.5 * {u}", f"log.append({u})", f"t = 0.5 * t + {u}")))
        if r.random() < 0.5:
            test = r.choice((f"{u} > 1.0", "s > 2.0", "len(log) > 6"))
            self.line(depth + 1, f"if {test}:")
            self.line(depth + 2, r.choice(("break", "break", "continue", "return s * t")))
        if r.random() < 0.4:
            self.line(depth + 1, r.choice((f"log.append({u} * 0.5)", f"s = s - 0.25 * {u}")))
        if nesting and r.random() < 0.2:
            self.consumer(depth + 1, nesting - 1)
        if r.random() < 0.2:
            self.line(depth, "else:")
            self.line(depth + 1, "log.append(0.125)")


def yields(seed: int) -> Program:
    """The program of a seed."""
    return Yields(seed).program()
