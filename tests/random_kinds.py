"""Random programs of numbers of several kinds: Python's bools, ints and floats and NumPy's, which meet in operators,
branches, loops and containers, and are asked for their class, rounded, divided with a rest, shown and compared.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import math
import numpy as np


"""
CALLS = ["0.7, 2, [1.0, -0.5, 2.5, 0.3]", "1.6, 5, [0.4, 3.0, -2.0, 1.2]", "-0.9, 3, [2.0, 0.6, -1.5, 0.8]"]
MADE = (
    "1", "2.0", "True", "x", "n", "xs[0]", "np.float64(0.5)", "np.float64(x)", "np.float32(1.5)", "np.float32(x)",
    "np.int64(3)", "np.int64(n)", "np.bool_(x > 1.0)", "x > 0.5", "n > 2", "len(xs)", "np.sin(x)", "math.sin(x)",
    "a[0]", "a[n % 3]", "k[n % 3]", "a.sum()", "k.sum()", "a.mean()", "np.array(x)", "np.int32(n)", "a.dtype.type(x)",
)  # fmt: skip
PAIRS = (
    "{} + {}", "{} - {}", "{} * {}", "{} / ({} + 3)", "{} // ({} + 3)", "{} % ({} + 4)", "max({}, {})", "min({}, {})",
    "{} ** 2 + {}", "({} if x > 1.0 else {})", "({} if n > 2 else {})", "({} or {})", "({} and {})", "({} == {})",
    "np.maximum({}, {})", "({} < {})", "np.where(x > 1.0, {}, {})", "sum([{}, {}])", "divmod({}, abs({}) + 1)[0]",
)  # fmt: skip
ONE = (
    "-{}", "abs({})", "round({})", "round({}, 1)", "int({})", "float({})", "bool({})", "{} * 1", "not {}", "+{}",
    "np.float64({})", "math.floor({})", "np.floor({})", "{} + 0", "int({}) * 1.0", "np.round({})", "math.sqrt(abs({}))",
    "np.abs({})", "{} ** 0.5 if {} > 0 else 0", "np.asarray({}).item()", "complex({}).real",
)  # fmt: skip


class Kinds:
    """Writes one program: numbers under names, and what is said of them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: list[str] = []
        self.loops: list[str] = []

    def program(self) -> Program:
        r = self.r
        self.line(0, "def f(x, n, xs):")
        self.line(1, "a, k = np.array([x, 0.5, 2.0]), np.array([1, 2, 5])")
        for name in "pqr":
            self.line(1, f"{name} = {r.choice(MADE)}")
            self.names.append(name)
        self.line(1, "ys = [x, 2.0 * x]")  # what else stands at an index that is not known is a float, or refused
        self.line(1, f"d = {{'u': {self.number()}, 'v': {self.number()}}}")
        self.line(1, "s = x")
        for _ in range(r.randint(3, 6)):
            self.statement(1, 2)
        shown = r.sample(["p", "q", "r", "ys[0]", 'd["u"]', 'd["v"]', "s"], 3)
        for text in shown:
            self.line(1, r.choice((
                f"print({text})", f"print(repr({text}))", f"print(type({text}).__name__)", f"print(f'{{{text}:.3f}}')",
                f"print(f'{{{text}}}', isinstance({text}, float))")))
        self.line(1, r.choice((
            "return s + p", "return s, p, q", "return [p, q], s", "return {'p': p, 'ys': ys, 's': s}",
            "return float(p) + q + s", "return s * 1.0")))
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def atom(self) -> str:
        r = self.r
        ways = [*self.names * 2, *MADE, "ys[0]", "ys[1]", "d['u']", "d['v']", "ys[n % 2]", "s", *self.loops * 2]
        return r.choice(ways if "s = x" in "".join(self.lines) else MADE)

    def number(self) -> str:
        r = self.r
        choice = r.random()
        if choice < 0.35:
            return self.atom()
        if choice < 0.6:
            text = self.atom()
            return r.choice(ONE).replace("{}", text if text.isidentifier() else f"({text})")
        return r.choice(PAIRS).format(self.atom(), self.atom())

    def test(self) -> str:
        one = self.atom()
        ways = ["x > 1.0", "n > 2", f"{one} > {self.atom()}", f"{one} == {self.atom()}", one, f"type({one}) is int"]
        ways += [f"isinstance({one}, {cls})" for cls in ("float", "(int, float)", "np.floating")]
        return self.r.choice(ways)

    def statement(self, depth: int, nesting: int) -> None:
        r = self.r
        choice = r.random() if nesting else 0.0
        if choice < 0.55:
            name = r.choice(self.names)
            ways = [f"{name} = {self.number()}", f"{name} += {self.number()}", f"{name} *= {self.number()}"]
            ways += [f"ys[0] = float({self.number()})", f"d['u'] = {self.number()}"]
            ways += [f"s = s + 0.5 * float({self.number()})", f"d['v'] += {self.number()}"]
            ways += [f"ys[n % 2] = 0.5 * float({self.number()})"]
            self.line(depth, r.choice(ways))
        elif choice < 0.8:
            self.line(depth, f"if {self.test()}:")
            self.body(depth + 1, nesting - 1)
            if r.random() < 0.6:
                self.line(depth, "else:")
                self.body(depth + 1, nesting - 1)
        else:
            i = f"i{len(self.lines)}"
            over = r.choice(("range(3)", "xs", "a", "k", "range(n % 4)", "ys[:2]", "(1, 2.0)"))
            self.line(depth, f"for {i} in {over}:")
            self.loops.append(i)
            self.body(depth + 1, nesting - 1)
            self.loops.pop()

    def body(self, depth: int, nesting: int) -> None:
        for _ in range(self.r.choice((1, 1, 2))):
            self.statement(depth, nesting)


def kinds(seed: int) -> Program:
    """The program of a seed."""
    return Kinds(seed).program()
