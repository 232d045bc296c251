"""Running extrema: what is the largest, or the smallest, of an axis up to each place.

    y = np.maximum.accumulate(x)     hit[k]: x[k] is y[k]      kept[k]: y[k] is y[k - 1]
    dy = sums / counts               sums[k] = hit[k] dx[k] + kept[k] sums[k - 1], counts the same with 1 for dx
    the transpose hit * c            c[k] = ct[k] / counts[k] + kept[k + 1] c[k + 1]

Ties share equally: y[k] moves as the mean of those that are it by then. All is done in one pass along the axis.

>>> running_max.pullback(np.ones(4), np.array([1.0, 3.0, 3.0, 3.0]), np.array([1.0, 3.0, 2.0, 3.0]), axis=0)[0]
array([1. , 2.5, 0. , 0.5])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import Array, Object, array
from ccc.primitives.arithmetic import equal
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.elementary_numpy import maximum, where
from ccc.primitives.facts import NEW, SUMS
from ccc.primitives.primitive import Primitive
from ccc.primitives.products import before, no_axis, recurrence, with_back, with_last
from ccc.primitives.reductions import call_source, dtype_of
from ccc.primitives.shaping import astype


def _type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    return array(dtype_of(a), a.axes if isinstance(a, Array) else None)


def _ties(y: Any, x: Any) -> tuple[Any, Any, Any]:
    """Where an entry is the extremum by then, whether that is the one before, and how many it is by then."""
    hit, dtype = equal(x, y), dtype_of(kind_of(y))
    kept = astype(equal(y, before(y)), dtype=dtype)
    return hit, kept, maximum(recurrence(astype(hit, dtype=dtype), kept), 1.0)


def _pullback(ct: Any, y: Any, x: Any, axis: int) -> tuple[Any, ...]:
    hit, kept, counts = _ties(with_last(y, axis), with_last(x, axis))
    c = where(hit, recurrence(with_last(ct, axis) / counts, kept, reverse=True), 0.0)
    return (with_back(c, x, axis),)


def _differential(ds: tuple[Any, ...], y: Any, x: Any, axis: int) -> Any:
    hit, kept, counts = _ties(with_last(y, axis), with_last(x, axis))
    moved = recurrence(where(hit, with_last(ds[0], axis), 0.0), kept) / counts
    return with_back(moved, x, axis)


def _running(name: str, function: np.ufunc) -> Primitive:
    return Primitive(
        f"np.{name}.accumulate", lambda x, axis: function.accumulate(x, axis), _type,
        call_source(f"np.{name}.accumulate"), _pullback, _differential, memory=NEW, work=SUMS, raises=no_axis,
        increasing=True,
    )


running_max = _running("maximum", np.maximum)
running_min = _running("minimum", np.minimum)
