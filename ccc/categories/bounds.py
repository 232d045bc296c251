"""Bounds of numbers and of truth values: tests that surely or possibly hold, hulls, and bounds that are moved out.

>>> hull([2.0, -1.0, 0.5])
(-1.0, 2.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.categories.layered import NOTHING, Layers, as_before, is_nothing, kind
from ccc.errors import CannotStage
from ccc.objects import Array, Int, Object, Real, is_truth
from ccc.primitives.arithmetic import both, equal, logical_not
from ccc.primitives.elementary_numpy import logical_and, logical_not as logical_not_each, maximum, minimum, where
from ccc.primitives.primitive import Primitive
from ccc.wording import in_words

TINY = 5e-324
NO_BOUNDS = -math.inf, math.inf
NARROW = ("float16", "float32")
CLOSE, FAR = 2.0**-52, 2.0**-49
"""How far an operation of arithmetic may be off, and another function: by one place, and by eight."""


def number(x: Any) -> float | None:
    """The number that a literal is."""
    return x if isinstance(x, (int, float)) else getattr(x, "value", None)


def undecided(x: Layers) -> bool:
    """Whether it is a truth value of which it is not known whether it holds."""
    return not isinstance(x[0], tuple) and not callable(x[0]) and not is_nothing(x[1]) and is_truth(kind(x[0]))


def negated(a: Any) -> Any:
    return logical_not_each(a) if isinstance(kind(a), Array) else logical_not(a)


def all_of(a: Any, b: Any) -> Any:
    return logical_and(a, b) if isinstance(kind(a), Array) or isinstance(kind(b), Array) else both(a, b)


def any_of(a: Any, b: Any) -> Any:
    return negated(all_of(negated(a), negated(b)))


def factor_is_rounded(p: Primitive, params: dict[str, Any]) -> bool:
    """Whether a linear function of a number, as `math.degrees`, multiplies by what no float is.

    >>> from ccc.primitives import arithmetic, elementary_math
    >>> factor_is_rounded(arithmetic.neg, {}), factor_is_rounded(elementary_math.degrees, {})
    (False, True)
    """
    return abs(math.frexp(p.value(np.float64(1.0), **params))[0]) != 0.5


def hull(xs: Sequence[Any]) -> tuple[Any, Any]:
    """The least and the greatest of numbers; not a number where one is none. Of exact numbers among others a rounded
    one is what is made, moved out."""
    low = high = xs[0]
    for x in xs[1:]:
        low, high = minimum(low, x), maximum(high, x)
    found = as_before(low, xs[0]), as_before(high, xs[0])
    return outward(*found, CLOSE) if len({kind(x) == Real("fraction") for x in xs}) > 1 else found


def outward(low: Any, high: Any, far: float, tiny: float = TINY) -> tuple[Any, Any]:
    """Bounds moved out by as much as rounding may be off; by everything where they are no numbers."""
    below, above = low - (abs(low) * far + tiny), high + (abs(high) * far + tiny)
    return (as_before(where(equal(below, below), below, -math.inf), low),
            as_before(where(equal(above, above), above, math.inf), high))


def clipped(low: Any, high: Any, below: Any, above: Any, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Numbers that were moved out, cut off where no result lies, unless they were none."""
    if bounds != NO_BOUNDS:
        below = as_before(where(equal(low, low), maximum(below, bounds[0]), below), low)
        above = as_before(where(equal(high, high), minimum(above, bounds[1]), above), high)
    return below, above


def is_narrow(a: Object) -> bool:
    """Whether it is a real number, or an array of some, that may have fewer than 64 bits.

    >>> is_narrow(Real("float32")), is_narrow(Array("float64", ("n",))), is_narrow(Real())
    (True, False, False)
    """
    dtypes = (a.dtypes or (a.dtype,)) if isinstance(a, Array) else a.kinds or (a.kind,) if isinstance(a, Real) else ()
    return any(dtype in NARROW for dtype in dtypes)


def everything(x: Layers) -> Layers:
    """All values of the same shape."""
    if isinstance(x[0], tuple):
        parts = [everything(tuple([NOTHING if is_nothing(layer) else layer[i] for layer in x]))
                 for i in range(len(x[0]))]
        layers = list(zip(*parts, strict=True)) or [NOTHING, NOTHING]
        return layers[0], NOTHING if all(map(is_nothing, layers[1])) else layers[1]
    if is_truth(kind(x[0])):
        return all_of(x[0], negated(x[0])), any_of(x[0], negated(x[0]))
    if isinstance(kind(x[0]), Int):
        return x
    if is_nothing(x[1]) or not isinstance(kind(x[0]), Real | Array):
        raise CannotStage(f"{in_words(kind(x[0]))} depends on a `while` whose test is not decided",
                          "keep real numbers")
    return x[0] - math.inf, x[1] + math.inf
