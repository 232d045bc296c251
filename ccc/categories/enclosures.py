"""Bounds of what a primitive makes of bounds: rules that are written with primitives, by facts of it.

    rule(p, *bounds, close=, **params) -> (low, high)            around what p gives of all that lies between the bounds

`close` is how far a sum or a product of two numbers may be off, relatively; what is found holds what exact numbers give
and what is computed of them, but for eight roundings of the result. A bound that is not a number says nothing.

>>> import numpy as np
>>> from ccc.primitives.products import prod
>>> low, high = of_factors(prod, (np.array([-2.0, 1.0]), np.array([-1.0, 3.0])), close=2.0 ** -53)
>>> bool(-6.001 < low <= -6.0), bool(-1.0 <= high < -0.999)
(True, True)

References: Ramon Moore, *Interval Analysis* (1966); Nicholas Higham, *Accuracy and Stability of Numerical Algorithms*.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.categories.layered import kind
from ccc.objects import Array
from ccc.primitives.arithmetic import less, to_float
from ccc.primitives.elementary_numpy import maximum, where
from ccc.primitives.norms import norm_of_order
from ccc.primitives.primitive import Primitive
from ccc.primitives.reductions import std
from ccc.primitives.shaping import size

Bounds = tuple[Any, Any]
LOST = 5e-324
"""What a product may lose where it is too small for a float."""


def size_of(x: Any) -> Any:
    """How many numbers there are in a value, as a real number.

    >>> size_of([1.0]), size_of(2.0)
    (1.0, 1.0)
    """
    return to_float(size(x)) if isinstance(kind(x), Array) else 1.0


def magnitudes(x: Bounds) -> Bounds:
    """The least and the largest magnitude of what lies between bounds.

    >>> [float(end) for end in magnitudes((1.0, 2.0))], float(magnitudes((-3.0, 2.0))[1])
    ([1.0, 2.0], 3.0)
    """
    low, high = x
    return maximum(maximum(low, -high), 0.0 * low), maximum(-low, high)


def of_magnitudes(p: Primitive, x: Bounds, *, close: float, order: float = 2.0, **params: Any) -> Bounds:
    """The rule of norms of this order, which may be 0 where powers of entries are too small for floats."""
    given = params if p is not norm_of_order else {"order": order, **params}
    low, high = [p(end, **given) for end in magnitudes(x)]
    off = close * (size_of(x[0]) + 8.0)
    lost = 2.0 ** (-900.0 / abs(order)) if abs(order) >= 1.0 else math.inf
    return low - low * off - lost, high + high * off + lost


def of_factors(p: Primitive, x: Bounds, *, close: float, **params: Any) -> Bounds:
    """The rule of products of entries, of each at most once: those of magnitudes with the product of the signs, where
    all have one."""
    low, high = x
    near, far = magnitudes(x)
    signs = where(less(low, 0.0 * low), where(less(0.0 * high, high), 0.0 * low, 0.0 * low - 1.0), 0.0 * low + 1.0)
    count = size_of(low)
    sign, least, most = p(signs, **params), p(near, **params), p(far, **params)
    lost = count * LOST * p(maximum(far, 0.0 * far + 1.0), **params)
    least, most = least - least * (close * count) - lost, most + most * (close * count) + lost
    return where(less(0.0 * sign, sign), least, -most), where(less(sign, 0.0 * sign), -least, most)


def of_variance(p: Primitive, x: Bounds, *, close: float, **params: Any) -> Bounds:
    """The rule of squares of standard deviations."""
    low, high = spread(std, x, close=close, **params)
    low = maximum(low, 0.0 * low)
    return low * low - LOST, high * high + LOST


def spread(p: Primitive, *xs: Any, close: float, **params: Any) -> Bounds:
    """The rule of what says by its `modulus` how far results are apart: around what the middle of bounds gives. What is
    no pair of bounds is known."""
    middle, apart, modulus = list(xs), list(xs), p.modulus
    assert modulus is not None
    for i, x in enumerate(xs):
        if isinstance(x, tuple):
            low, high = x
            if i in p.sizes:
                middle[i] = apart[i] = low
                continue
            middle[i] = (low + high) * 0.5
            apart[i] = maximum(high - middle[i], middle[i] - low) + (abs(middle[i]) * (64.0 * close) + LOST)
    y, off = p(*middle, **params), modulus(*apart, **params)
    off = off + off * (64.0 * close)
    return y - off, y + off
