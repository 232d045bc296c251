"""Bounds that reach beyond the domain of a function: what it gives of numbers between them at which it has a value.

    sqrt [-1, 4]  =  sqrt [0, 4]        log [-1, 1]  =  [-inf, log 1]        sin [0, inf]  =  [-1, 1]
    cosh [-1, 800]  =  [1, inf]

Where a function has values at the ends of its domain, bounds are cut off there. Where it has none, it goes on to the
end of its own bounds. Where no number between bounds is in the domain they stay, and the function raises what it does.
One that overflows has values that no float is: bounds beyond are those at the last number where it has one, and
infinity.

>>> from ccc.primitives.elementary_math import asin, log, sqrt
>>> cut_to_domain(sqrt, (-1.0, 4.0))
(0.0, 4.0, True, False)
>>> cut_to_domain(asin, (-3.0, -2.0)), cut_to_domain(log, (-1.0, 1.0))
((-3.0, -2.0, False, False), (1.0, 1.0, True, False))
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from ccc.categories.bounds import any_of
from ccc.categories.layered import Layers, as_before, is_nothing, kind
from ccc.primitives.arithmetic import both, greater, less, less_equal
from ccc.primitives.elementary_numpy import maximum, minimum, where
from ccc.primitives.facts import ANY
from ccc.primitives.primitive import Primitive


def has_domain(p: Primitive, xs: Sequence[Layers], params: dict[str, Any]) -> bool:
    """Whether a primitive raises at bounds beyond a range that it names, as it is not defined there."""
    if p.refusal is None or p.refusal.domain is None or finite_within(p) != ANY:
        return False
    return len(xs) == 1 and not is_nothing(xs[0][1]) and p.refusal.of([kind(xs[0][0])], params)


def finite_within(p: Primitive) -> tuple[float, float]:
    """Beyond which numbers a primitive overflows.

    >>> from ccc.primitives import elementary_math
    >>> finite_within(elementary_math.exp2), finite_within(elementary_math.log)
    ((-inf, 1023.9999999999999), (-inf, inf))
    """
    if p.refusal is not None and p.refusal.kind is OverflowError and p.refusal.domain is not None:
        return p.refusal.domain
    return p.finite


def cut_to_finite(p: Primitive, x: Layers) -> tuple[Any, Any, Any]:
    """Bounds between which results are floats, and whether the given ones reached beyond.

    >>> from ccc.primitives.elementary_math import sinh
    >>> low, high, beyond = cut_to_finite(sinh, (1.0, 800.0))
    >>> low, round(high, 3), beyond
    (1.0, 710.476, True)
    """
    least, most = finite_within(p)
    low, high = [as_before(minimum(maximum(end, least), most), end) for end in x]
    return low, high, any_of(less(x[0], least), greater(x[1], most))


def to_infinity(y: Layers, beyond: Any) -> tuple[Any, Any]:
    """Bounds of results, those at the last numbers where they are floats moved out where arguments reached beyond."""
    low, high = y
    return (as_before(where(both(beyond, less(low, -HUGE)), -math.inf, low), low),
            as_before(where(both(beyond, greater(high, HUGE)), math.inf, high), high))


HUGE = sys.float_info.max / 2.0
"""What no result is beyond, other than one next to those that overflow."""


def cut_to_domain(p: Primitive, x: Layers) -> tuple[Any, Any, Any, Any]:
    """Bounds in the domain of a primitive, and whether the lower and the upper one reached beyond it."""
    refusal, (low, high) = p.refusal, x
    assert refusal is not None and refusal.domain is not None
    least, most = refusal.domain
    before = less_equal if refusal.closed else less
    meets = both(before(least, high), before(low, most))
    outside = [refusal.test(end) for end in x]
    below, above = [both(meets, hit) for hit in outside]
    if refusal.closed:
        ends: tuple[Any, Any] = least, most
    else:  # any number of the domain will do, best the other end
        middle = within(least, most)
        ends = where(outside[1], middle, high), where(outside[0], middle, low)
    return as_before(where(below, ends[0], low), low), as_before(where(above, ends[1], high), high), below, above


def within(least: float, most: float) -> float:
    """A number between two, of which each may be infinite.

    >>> within(-1.0, 1.0), within(0.0, math.inf), within(-math.inf, 7.0), within(-math.inf, math.inf)
    (0.0, 1.0, 6.0, 0.0)
    """
    if math.isinf(least):
        return 0.0 if math.isinf(most) else most - 1.0
    return least + 1.0 if math.isinf(most) else (least + most) / 2.0


def to_the_end(p: Primitive, y: Layers, below: Any, above: Any, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Bounds of results, moved to the ends of all results where an argument came near to what is no domain of it."""
    assert p.refusal is not None
    if p.refusal.closed:
        return y[0], y[1]
    ends = list(y)
    for hit, moved in ((below, (0,)), (above, (1,))):
        for i in moved if p.increasing else (0, 1):
            ends[i] = as_before(where(hit, bounds[i], ends[i]), y[i])
    return ends[0], ends[1]
