"""Arithmetic as the compiler records it is arithmetic: what is rewritten on the way has the same value, of arrays too.

    record e = e        e made of sums, products, quotients, spread numbers and sums over what was spread

>>> [check.name for check in REWRITING]
['rewriting']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.program.lam import Apply, Lit, Var
from ccc.compile.terms.stage import Recorder
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.subjects import of_kind
from ccc.objects import REAL
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, broadcasting, guarded

Expression = tuple[Any, ...]
ITEMS = 3


class Recorded:
    """An expression, and the numbers and arrays that it is of."""

    def __init__(self, expression: Expression, values: tuple[Any, ...]) -> None:
        self.expression = expression
        self.values = values

    def named(self) -> list[tuple[str, Any]]:
        """The expression."""
        return [("expression", str(self.expression))]


def _drawn(g: Generator, i: int) -> Recorded:
    numbers = [float(1 + g.below(4)) for _ in range(2 + 2 * ITEMS)]
    values = *numbers[:2], np.array(numbers[2 : 2 + ITEMS]), np.array(numbers[2 + ITEMS :])
    return Recorded(array(g, 3), values)


def array(g: Generator, depth: int) -> Expression:
    """An expression of the object of an array; the simplest is a parameter."""
    if depth <= 0 or g.chance(20):
        return ("parameter", 2 + g.below(2))
    match g.below(5):
        case 0:
            return ("mul", array(g, depth - 1), array(g, depth - 1))
        case 1:
            return ("add", array(g, depth - 1), array(g, depth - 1))
        case 2:
            return ("neg", array(g, depth - 1))
        case 3:
            return (g.pick(("mul", "times0", "over0")), array(g, depth - 1), number(g, depth - 1))
        case _:
            return ("broadcast_like", number(g, depth - 1), array(g, depth - 1))


def number(g: Generator, depth: int) -> Expression:
    """An expression of the object of a number, of those that are never 0."""
    if depth <= 0 or g.chance(30):
        return ("parameter", g.below(2)) if g.chance(60) else ("constant", g.pick((1.0, -1.0, 2.0)))
    match g.below(3):
        case 0:
            return ("mul", number(g, depth - 1), number(g, depth - 1))
        case 1:
            return ("neg", number(g, depth - 1))
        case _:
            return ("over0", number(g, depth - 1), number(g, depth - 1))


OPERATIONS: dict[str, Callable[..., Any]] = {
    "mul": arithmetic.mul, "add": arithmetic.add, "neg": arithmetic.neg, "times0": guarded.times0,
    "over0": guarded.over0, "broadcast_like": broadcasting.broadcast_like,
}


def computed(e: Expression, values: tuple[Any, ...]) -> Any:
    """An expression of numbers and arrays, or of variables."""
    if e[0] == "parameter":
        return values[e[1]]
    return e[1] if e[0] == "constant" else OPERATIONS[e[0]](*[computed(part, values) for part in e[1:]])


def run(x: Any, known: dict[Var, Any]) -> Any:
    """The value of what was recorded."""
    if isinstance(x, Lit):
        return x.value
    if not isinstance(x, Var) or x in known:
        return known[x] if isinstance(x, Var) else x
    let = x.definition
    assert let is not None and isinstance(let.op, Apply)
    known[x] = let.op.primitive.value(*[run(arg, known) for arg in let.args], **let.op.params)
    return known[x]


def _judged(comparison: Any, example: Recorded) -> Judged:
    recorder = Recorder()
    objects = [REAL if isinstance(v, float) else object_of(v) for v in example.values]
    params = tuple([recorder.param(recorder.block, f"p{i}", a) for i, a in enumerate(objects)])
    found = run(computed(example.expression, params), dict(zip(params, example.values, strict=True)))
    expected = computed(example.expression, example.values)
    if np.shape(found) == np.shape(expected) and np.allclose(found, expected, rtol=1e-12, atol=0.0):
        return Judged()
    return Judged(Difference("what is recorded differs", example.values, None, found, expected))


REWRITING: tuple[Check, ...] = (
    Check("rewriting", "programs", "what is recorded of arithmetic with arrays is what it says", _drawn, _judged,
          applies=of_kind("values")),
)
