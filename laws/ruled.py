"""A function whose derivative is given by hand, rightly, has the derivatives that it has by its body.

    gradient, differential, gradient of the gradient       of a program that calls it, and of one that calls its body

>>> from ccc.laws.choices import Replayed
>>> print(calling(Generator(Replayed([])), 0).source, end="")
import ccc
def body(u, v):
    return 1.0 * u * u + 1.0 * u * u
@ccc.differentiable
def ruled(u, v):
    return body(u, v)
@ccc.derivative_of(ruled)
def rule(u, v):
    return body(u, v), lambda ct: (ct * (2.0 * u + 2.0 * u), ct * (0.0 + 0.0))
def f(a, b, n):
    for _ in range(n):
        a, b = b, ruled(a, b)
    return a * b
def h(a, b, n):
    x, y = ccc.gradient(f, wrt=("a", "b"))(a, b, n)
    return x * b + y * a
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of
from ccc.laws.economy import Text
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import released
from ccc.laws.subjects import of_kind

MONOMIALS = (("u * u", "{} * u", "0.0"), ("u * v", "{0} * v / 2.0", "{0} * u / 2.0"), ("v", "0.0", "{} / 2.0"),
             ("v * v", "0.0", "{} * v"))
"""Each with its two slopes, in twice its factor."""
CALLS = ("ruled(a, b)", "ruled(b, a) * a", "ruled(ruled(a, b), b)", "ruled(a, 2.0)",
         "(ruled(a, b) if a < b else ruled(b, a))")
POINTS = (0.5, 0.75, 2), (-1.25, 0.5, 1), (1.5, -0.25, 1)


def calling(g: Generator, i: int) -> Text:
    """A loop that calls a polynomial with a rule of its own."""
    terms = [(1.0 + g.below(3), g.pick(MONOMIALS)) for _ in range(2)]
    value = " + ".join([f"{c} * {m[0]}" for c, m in terms])
    du, dv = [" + ".join([m[k].format(2.0 * c) for c, m in terms]) for k in (1, 2)]
    return Text(f"""import ccc
def body(u, v):
    return {value}
@ccc.differentiable
def ruled(u, v):
    return body(u, v)
@ccc.derivative_of(ruled)
def rule(u, v):
    return body(u, v), lambda ct: (ct * ({du}), ct * ({dv}))
def f(a, b, n):
    for _ in range(n):
        a, b = b, {g.pick(CALLS)}
    return a * b
def h(a, b, n):
    x, y = ccc.gradient(f, wrt=("a", "b"))(a, b, n)
    return x * b + y * a
""")


def _derivatives(source: str, at: tuple[float, float, int], along: tuple[float, float]) -> list[Any]:
    """The value, its slopes by both modes, and those of a number that is made of them."""
    from ccc.compile.api.transforms import gradient, value_with_differential

    (f, _), (h, _) = function_of(source), function_of(source, "h")
    try:
        value, moved = value_with_differential(f)(*at)
        found = [value, moved(*along, None)]
        for function in (f, h):
            found += gradient(function, wrt=("a", "b"), backend="numpy")(*at)
        return found
    finally:
        released(f)
        released(h)


def _same(comparison: Any, example: Text) -> Judged:
    at = POINTS[comparison.draw.below(len(POINTS))]
    along = (float(1 + comparison.draw.below(3)), float(comparison.draw.below(3)))
    program, calls = example.source.split("def f(")
    plain = f"{program}def f({calls.replace('ruled(', 'body(')}"
    found, expected = [_derivatives(source, at, along) for source in (example.source, plain)]
    if np.allclose(found, expected, rtol=1e-9, atol=1e-12):
        return Judged()
    return Judged(Difference("derivatives differ", at, along, found, expected))


RULED: tuple[Check, ...] = (
    Check("ruled", "programs", "with a right rule of its own a function has the derivatives that its body has", calling,
          _same, applies=of_kind("values"), share=0.05, weight=16.0),
)
