"""*Automatic Differentiation in Swift* (whitepaper, April 2018).

"When is a function differentiable?" (`tanh` and its adjoint `dTanh`) and "Using automatic differentiation" (`foo` and
its gradient with respect to the first parameter).
"""

from __future__ import annotations

import math

import ccc
from paper_examples.example import CURRIES, ROUNDING, Example, Outcome, close, compared

DOCUMENT = "AD in Swift"


def d_tanh(x: float, y: float, seed: float) -> float:
    """`dTanh`: "y is the original result of tanh(x), and x is the input parameter of the original function"."""
    return (1.0 - y * y) * seed


def tanh(x: float) -> float:
    return math.tanh(x)


def foo(x: float, y: float) -> float:
    return math.tanh(x) + math.tanh(y)


def adjoint_of_tanh() -> Outcome:
    """`let dtanh_dx = #gradient(tanh)`."""
    checks = []
    for x in (-1.5, 0.0, 0.25, 3.0):
        y = math.tanh(x)
        for exponential in CURRIES:
            adjoint = ccc.pullback(tanh, exponential=exponential)(x)
            claim = f"the pullback of tanh at {x} is dTanh with {exponential.name}"
            checks.append((claim, close(adjoint(2.0), d_tanh(x, y, 2.0), ROUNDING)))
    y = math.tanh(0.25)
    return compared(tanh, 0.25, expected=(y, 1.0 - y * y), tolerance=ROUNDING, checks=checks)


def gradient_of_foo() -> Outcome:
    """`let dfoo_dx = #gradient(foo, withRespectTo: .0)` and `dfoo_dx(3, 4)`, "still in progress" there."""
    dfoo_dx = ccc.gradient(foo, wrt=0)
    expected = 1 / math.cosh(3) ** 2
    checks = [("dfoo_dx(3, 4) is 1/cosh(3)^2", close(dfoo_dx(3, 4), expected, ROUNDING))]
    return compared(
        foo, 3.0, 4.0, wrt=0, expected=(math.tanh(3) + math.tanh(4), expected), tolerance=ROUNDING, checks=checks
    )


EXAMPLES = (
    Example("tanh, adjoint: dTanh", DOCUMENT, adjoint_of_tanh),
    Example("foo, withRespectTo: .0", DOCUMENT, gradient_of_foo),
)
