"""The rules of `scipy.integrate` for samples. That of Simpson is a sum with weights, which depend on the points.

>>> import scipy.integrate
>>> FUNCTIONS[scipy.integrate.simpson](np.array([0.0, 1.0, 4.0, 9.0, 16.0]))
np.float64(21.333333333333332)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate

from ccc.additive import ZERO
from ccc.objects import Object, array
from ccc.primitives import shaping
from ccc.primitives.adaptors import real_array
from ccc.primitives.adaptors_arrays import np_diff
from ccc.primitives.adaptors_reductions import np_sum
from ccc.primitives.arguments import integer
from ccc.primitives.bilinear import rank_of
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.facts import ENTRIES, MAY, NEW
from ccc.primitives.indexing import index
from ccc.primitives.primitive import Primitive
from ccc.primitives.shaping import axes_of
from ccc.primitives.unknown import unknown
from ccc.wording import in_words

integrate: Any = scipy.integrate
NAME = "scipy.integrate.simpson"


def _even_weights(y: Any) -> Any:
    """The weights for samples at distance 1 along the last axis."""
    n = np.shape(y)[-1]
    if n < 3:
        return np.full(n, 0.5 * (n - 1))
    odd = n - (n % 2 == 0)
    found = np.where(np.arange(n) % 2 == 1, 4.0, 2.0) / 3.0
    found[0] = found[odd - 1] = 1.0 / 3.0
    if odd < n:
        found[-1] = 0.0
        found[-3:] += np.array([-1.0, 8.0, 5.0]) / 12.0
    return found


def _weights_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    return array("float64", (axes or ("?",))[-1:])


even_weights = Primitive(
    "simpson_even_weights", _even_weights, _weights_type, "simpson_even_weights({})",
    lambda ct, y, x: (ZERO,), lambda ds, y, x: ZERO, memory=NEW, work=ENTRIES, sizes=(0,), raises=MAY,
)
weights_at = Primitive(
    "simpson_weights_at", lambda x: integrate.simpson(np.eye(len(x)), x=x), _weights_type, "simpson_weights_at({})",
    lambda ct, y, x: (unknown(ct, x, of=NAME, argument="x"),),
    lambda ds, y, x: unknown(ds[0], x, of=NAME, argument="x"), memory=NEW, work=ENTRIES, raises=MAY,
)


def _last(y: Any, axis: Any) -> Any:
    """The samples along the last axis."""
    y, place = real_array(y), integer("axis", axis)
    rank = rank_of(y)
    return y if place in (-1, (rank or 0) - 1) else shaping.moveaxis(y, source=place, destination=-1)


def sp_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = _last(y, axis)
    if x is not None and rank_of(x) != 1:
        raise TypeError(f"trapezoid has a derivative for points on a line: found {in_words(kind_of(x))}")
    after, before = [index(y, bound, pattern=(".", code)) for bound, code in ((1, "s1"), (-1, "s2"))]
    step = real_array(dx) if x is None else np_diff(real_array(x))
    return np_sum(step * (after + before) / 2.0, -1)


def sp_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = _last(y, axis)
    if x is None:
        return np_sum(y * even_weights(y), -1) * dx
    x = real_array(x)
    if rank_of(x) != 1:
        raise TypeError(f"{NAME} has a derivative for points on a line")
    return np_sum(y * weights_at(x), -1)


FUNCTIONS: dict[Any, Any] = {integrate.trapezoid: sp_trapezoid, integrate.simpson: sp_simpson}
