"""Bounds of what is put in an order, or chosen, where the order is known of some entries and not of others.

Sorted lower bounds and sorted upper bounds tell between which places the order is known: where the k-th upper bound is
less than the next lower one, the same entries are before that place for all numbers between bounds.

>>> import numpy as np
>>> from ccc.primitives.rearranging import unsorted
>>> x = np.array([3.0, 1.0, 1.5]), np.array([4.0, 2.0, 2.5])
>>> cts = np.array([10.0, 20.0, 30.0])
>>> print(*of_places(unsorted, (cts, cts), x, close=0.0))
[30. 10. 10.] [30. 30. 30.]
"""

from __future__ import annotations

from typing import Any

from ccc.categories.enclosures import Bounds
from ccc.primitives.arithmetic import less
from ccc.primitives.elementary_numpy import equal, logical_and, logical_or, maximum, minimum, where
from ccc.primitives.primitive import Primitive
from ccc.primitives.products import cumsum
from ccc.primitives.rearranging import sort, unsorted
from ccc.primitives.reductions import expand, max_, min_, sum_
from ccc.primitives.shaping import ravel, reshape_like, roll


def alone(x: Bounds, axis: int) -> Any:
    """Which places in the order of numbers between bounds one entry has for all of them."""

    low, high = [sort(end, axis=axis) for end in x]
    place = cumsum(0.0 * low + 1.0, axis=axis)
    first, last = equal(place, 1.0), equal(place, max_(place, axis=axis, keepdims=True))
    before = logical_or(first, less(roll(high, 1, axis=axis), low))
    return logical_and(before, logical_or(last, less(high, roll(low, -1, axis=axis))))


def of_places(p: Primitive, ct: Any, x: Any, *, close: float, axis: int = -1) -> Bounds:
    """The rule of what gives to each entry what stands at its place in the order: any of all, where none is known."""

    cts, xs = [z if isinstance(z, tuple) else (z, z) for z in (ct, x)]
    known = alone(xs, axis)
    low = where(known, cts[0], min_(cts[0], axis=axis, keepdims=True))
    high = where(known, cts[1], max_(cts[1], axis=axis, keepdims=True))
    return p(low, xs[0], axis=axis), p(high, xs[0], axis=axis)


def of_weights(p: Primitive, x: Bounds, *, close: float, **params: Any) -> Bounds:
    """The rule of weights of order statistics: between none and all, where places are not known."""

    axis = params.get("axis")
    flat = [ravel(end) if axis is None else end for end in x]
    known = alone((flat[0], flat[1]), -1 if axis is None else axis)
    found = unsorted(where(known, 1.0, 0.0), flat[0], axis=-1 if axis is None else axis)
    found = reshape_like(found, x[0]) if axis is None else found
    weights = p(x[0], **params)
    return weights * found, weights * found + (1.0 - found)


def of_chosen(
    p: Primitive, ct: Any, y: Any, x: Any, *, close: float, axis: Any = None, keepdims: bool = False
) -> Bounds:
    """The rule of what gives to entries that are y, in equal shares: all where one alone may be, and none where it
    surely is not."""

    cts, ys, xs = [z if isinstance(z, tuple) else (z, z) for z in (ct, y, x)]
    low, high = [expand(end, xs[0], axis, keepdims) for end in ys]
    possible = where(logical_or(less(xs[1], low), less(high, xs[0])), 0.0, 1.0)
    single = less(sum_(possible, axis=axis, keepdims=True), 1.5)
    least, most = [expand(end, xs[0], axis, keepdims) for end in cts]
    return (possible * where(single, least, minimum(least, 0.0)), possible * where(single, most, maximum(most, 0.0)))
