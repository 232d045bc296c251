"""Random programs of statements that nothing reads, of which some raise: what plain Python raises is what is right.

>>> print(Writer(random.Random(1)).program())
def f(x, a, n):
    u = n % (n - 1)
    return x * 2.0
"""

from __future__ import annotations

import linecache
import math
import random
from typing import Any

import numpy as np
from random_programs import Program

NUMBERS = ("x", "n", "0.0", "x - 1.0", "-x", "1e4 * x", "float('nan') * x", "n - 1", "2.5", "-n", "float(n)")
INTEGERS = ("n", "-n", "0", "n - 1", "n + 7", "3", "-1", "2")
VECTORS = ("a[0]", "np.ones(3)", "np.zeros(0)", "a[0, :n - 1]", "a[:, 0]", "np.ones(n)")
MATRICES = ("a", "np.ones((2, 3))", "np.zeros((2, 2))", "-a", "a.T", "a[:n]", "np.eye(2)")
OF_NUMBER = (
    "math.exp({x})", "math.log({x})", "math.sqrt({x})", "math.tanh({x})", "math.acos({x})", "math.gamma({x})",
    "{x} / {y}", "{x} // {y}", "{x} % {y}", "{x} * {y}", "int({x})", "round({x})", "math.floor({x})", "10.0 ** {x}",
    "math.cosh({x})", "math.atan2({x}, {y})", "math.fmod({x}, {y})", "abs({x})", "min({x}, {y})",
)
OF_INTEGER = (
    "1 << {i}", "7 >> {i}", "7 // {i}", "7 % {i}", "[1.0, x][{i}]", "a[{i}]", "a[0, {i}]", "np.zeros({i})",
    "np.ones(({i}, 2))", "np.eye({i})", "range(0, 5, {i})", "np.take(a, {i})", "{{1: x, 2: 2.0}}[{i}]", "(x, x)[{i}]",
    "np.linspace(0.0, 1.0, {i})", "[x] * {i}", "np.arange(0, 5, {i})", "math.factorial({i})", "x * {i}",
    "np.repeat(a, {i})",
)
OF_VECTOR = (
    "np.max({v})", "np.min({v})", "np.argmax({v})", "np.sum({v})", "{v} + {w}", "{v} * {w}", "{v} @ {w}",
    "np.sort({v})",
    "np.dot({v}, {w})", "np.concatenate([{v}, {w}])", "np.outer({v}, {w})", "{v}[{i}]", "np.median({v})", "{v} / {w}",
    "np.prod({v})", "np.cumsum({v})", "np.exp({v})", "np.broadcast_to({v}, (3,))", "np.diff({v})",
)
OF_MATRIX = (
    "np.linalg.inv({m})", "np.linalg.cholesky({m})", "np.linalg.det({m})", "np.linalg.solve({m}, {v})", "{m} @ {p}",
    "{m} + {p}", "np.transpose({m})", "np.max({m}, axis=0)", "np.reshape({m}, (4,))", "np.linalg.slogdet({m})[0]",
    "np.trace({m})", "{m}[{i}]", "np.linalg.eigh({m})[0]", "np.argmin({m}, axis=1)", "np.ravel({m})",
    "np.stack([{m}, {p}])",
)
FORMS = (OF_NUMBER, OF_INTEGER, OF_VECTOR, OF_MATRIX)


class Writer:
    """Writes one program."""

    def __init__(self, r: random.Random) -> None:
        self.r = r

    def expression(self) -> str:
        r = self.r
        form = r.choice(r.choice(FORMS))
        parts = {"x": NUMBERS, "y": NUMBERS, "i": INTEGERS, "v": VECTORS, "w": VECTORS, "m": MATRICES, "p": MATRICES}
        return form.format(**{name: self.bracketed(r.choice(found)) for name, found in parts.items()})

    @staticmethod
    def bracketed(text: str) -> str:
        return f"({text})" if " " in text or text.startswith("-") else text

    def statement(self, depth: int) -> list[str]:
        indent, r = "    " * depth, self.r
        kind = r.random()
        if depth < 3 and kind < 0.15:
            return [f"{indent}for i in range({r.choice(('n', '2', 'n - 1'))}):", *self.statement(depth + 1)]
        if depth < 3 and kind < 0.3:
            return [f"{indent}if {r.choice(('x > 0.0', 'x < 0.0', 'n > 5', 'x > 0.5'))}:", *self.statement(depth + 1)]
        return [f"{indent}u = {self.expression()}"]

    def program(self) -> str:
        lines = [line for _ in range(self.r.randint(1, 3)) for line in self.statement(1)]
        return "\n".join(["def f(x, a, n):", *lines, "    return x * 2.0"])


def function_of(text: str) -> Any:
    """The function that a text defines."""
    name = f"<raising {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np, "math": math}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def arguments() -> tuple[Any, ...]:
    return 1.0, np.array([[1.0, 2.0], [2.0, 4.0]]), 1


def raising_program(seed: int) -> Program:
    """The program of a seed, in a module of its own."""
    source = f"import math\n\nimport numpy as np\n\n\n{Writer(random.Random(seed)).program()}\n"
    calls = ["1.0, np.array([[1.0, 2.0], [2.0, 4.0]]), 1", "0.5, np.array([[2.0, 1.0], [0.0, 4.0]]), 2"]
    return Program(seed, source, calls)
