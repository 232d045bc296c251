"""Broadcasting and its transpose: a cotangent has the shape of what it is the cotangent of.

`fit(ct, x)` sums `ct` down to the shape of `x`; where the objects already say that nothing is to be summed, it is
`ct` itself, and no code is emitted. A value that is assigned may have more axes of size 1 in front than where it is
written; its cotangent gets them back. Of lists, tuples, records and maps it is the same of each leaf.

>>> fit(np.ones((3, 2)), np.zeros((1, 2)))
array([[3., 3.]])
>>> fit(np.ones(3), 1.0)
np.float64(3.0)
>>> fit(np.ones(3), np.zeros((1, 1)))
array([[3.]])
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.base import Traced
from ccc.objects import Array, Bool, Int, Object, Real
from ccc.objects_of_values import object_of
from ccc.primitives.domains import Known, spreads, uncombined
from ccc.primitives.facts import MOVEMENT, NEVER, NEW, SUMS, may_be
from ccc.primitives.primitive import Primitive, linear
from ccc.records import mapped

LEAVES: Any = (np.ndarray, np.generic, float, int, Fraction)
"""The classes of numbers and arrays, which have a shape; None and structures have none to be fitted to."""


def is_number_of_numpy(a: Object) -> bool:
    """Whether values are numbers of NumPy's, which have no axes and stay numbers where they are given none."""
    return isinstance(a, Real) and a.kind not in ("float", "any", "fraction")


def kind_of(x: Any) -> Object:
    """The object of a value, real or traced."""
    return x.object if isinstance(x, Traced) else object_of(x)


def _sum_to_shape(ct: Any, x: Any) -> Any:
    if isinstance(ct, np.ndarray) and isinstance(x, np.ndarray) and ct.shape == x.shape and ct.dtype == x.dtype:
        return ct
    if not isinstance(x, LEAVES):
        return _by_leaves(_sum_to_shape, ct, x)
    shape = np.shape(x)
    if np.shape(ct) == shape:
        result = ct
    elif shape == ():
        result = np.sum(ct)
    else:
        extra = np.ndim(ct) - len(shape)
        if extra < 0:
            ct, extra = np.reshape(ct, (1,) * -extra + np.shape(ct)), 0
        axes = tuple(range(extra)) + tuple(
            i + extra for i, size in enumerate(shape) if size == 1 and ct.shape[i + extra] != 1
        )
        result = np.sum(ct, axis=axes).reshape(shape)
    real = isinstance(x, (np.ndarray, np.floating)) and x.dtype.kind == "f"  # integers may stand for reals
    if real and (not isinstance(result, (np.ndarray, np.generic)) or result.dtype != x.dtype):
        return np.asarray(result, x.dtype)[()]  # type: ignore[reportUnknownMemberType]
    return result


def _by_leaves(f: Any, ct: Any, like: Any) -> Any:
    """`f` of each leaf of `ct` and of what `like` has there; of what is no number or array, the leaf."""
    return mapped(lambda x, leaf: f(leaf, x) if isinstance(x, LEAVES) and isinstance(leaf, LEAVES) else leaf, like, ct)


def _broadcast_to_shape(x: Any, like: Any) -> Any:
    if not isinstance(like, LEAVES):
        return _by_leaves(_broadcast_to_shape, x, like)
    if isinstance(like, np.ndarray):
        x = np.asarray(x, like.dtype if like.dtype.kind == "f" else None)  # type: ignore[reportUnknownMemberType]
        if x.ndim > like.ndim:
            x = x.reshape(x.shape[x.ndim - like.ndim :])
        if like.size <= SMALL and x.shape != like.shape and x.dtype == like.dtype:
            return filled_with(x, like.shape)
        return np.broadcast_to(x, like.shape) if x.shape != like.shape else x
    if isinstance(x, np.ndarray):
        x = np.broadcast_to(x, ())[()]  # a number: it shares no memory with `x`
    return type(like)(x) if isinstance(like, np.floating) and type(x) is not type(like) else x


SMALL = 512
"""The entries of an array which is written sooner than a view of it is made."""


def filled_with(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A new array of a shape, to which `x` is broadcast."""
    out = np.empty(shape, x.dtype)
    out[...] = x
    return out


def _like_second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    first, second = args
    if isinstance(second, Array) or (isinstance(second, Real) and second.kind not in ("float", "fraction")):
        return second
    if isinstance(first, Array):
        return Real(first.dtype)
    return first if isinstance(second, (Real, Int, Bool)) else second


def _sum_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    return a if not isinstance(a, Array) else Real(a.dtype) if a.is_real else Int("int64")


def _unspread(x: Known, like: Known) -> bool:
    """Where a value may not be broadcast to the sizes of another."""
    if x.single:
        return bool(x.axes) and not isinstance(like.object, Array)
    return like.axes is None or not spreads(x, [like.size(i) for i, _ in enumerate(like.axes)])


unbroadcast = linear(
    "unbroadcast", _sum_to_shape, _like_second, "unbroadcast({}, {})",
    lambda g, y, ct, x: (broadcast_like(g, ct), ZERO), memory=may_be(0), work=SUMS, sizes=(1,), like=1,
    raises=uncombined, adding=True,
)
broadcast_like = linear(
    "broadcast_like", _broadcast_to_shape, _like_second, "broadcast_like({}, {})",
    lambda g, y, x, like: (fit(g, x), ZERO), memory=may_be(0), work=MOVEMENT, sizes=(1,), like=1,
    raises=_unspread,
)
sum_all = linear("sum_all", np.sum, _sum_type, "np.sum({})", lambda g, y, x: (broadcast_like(g, x),),
                 memory=NEW, work=SUMS, raises=NEVER, adding=True)


def fit(ct: Any, x: Any) -> Any:
    """`ct` summed down to the shape of `x`; the transpose of broadcasting `x`."""
    if isinstance(ct, Zero):
        return ct
    if not isinstance(ct, Traced) and not isinstance(x, Traced):
        return _sum_to_shape(ct, x) if isinstance(ct, np.ndarray) or isinstance(x, np.ndarray) else ct
    a, b = kind_of(ct), kind_of(x)
    if isinstance(b, (Real, Int, Bool)):
        return sum_all(ct) if isinstance(a, Array) else ct
    if isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and _no_less(a.axes, b.axes):
        return ct
    return unbroadcast(ct, x)


def _no_less(a: tuple[str, ...] | None, b: tuple[str, ...] | None) -> bool:
    """True where shapes known this far prove that nothing was broadcast."""
    return a is not None and b is not None and len(a) == len(b) and all(
        y == "n" or x == y == "1" for x, y in zip(a, b, strict=True)
    )
