"""Products and running sums along an axis.

    d prod x = sum_i (prod_{j != i} x_j) dx_i          right also where factors are zero, to every order

    <ct, cumsum dx> = <reverse (cumsum (reverse ct)), dx>

>>> prod.pullback(1.0, 0.0, np.array([2.0, 0.0, 3.0]))
(array([0., 6., 0.]),)
>>> cumsum.pullback(np.ones(3), np.ones(3), np.ones(3))
(array([3., 2., 1.]),)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import Array, Object, array
from ccc.primitives.domains import Known, unranked
from ccc.primitives.facts import MAY, MOVEMENT, NEVER, NEW, SUMS
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, expand, reduction_type, sum_
from ccc.primitives.shaping import expand_dims, flip, moveaxis, ravel, reshape_like


def _last(x: Any, axis: int | None) -> Any:
    """`x` with the axis of a reduction last."""
    if axis is None:
        return ravel(x)
    return x if axis == -1 else moveaxis(x, source=axis, destination=-1)


def _back(ct: Any, x: Any, axis: int | None) -> Any:
    """The transpose of `_last`."""
    if axis is None:
        return reshape_like(ct, x)
    return ct if axis == -1 else moveaxis(ct, source=-1, destination=axis)


# -- products --------------------------------------------------------------------------------------------------------


def _others(x: Any) -> Any:
    before, after = np.ones_like(x), np.ones_like(x)
    before[..., 1:] = np.cumprod(x[..., :-1], axis=-1)
    after[..., :-1] = np.cumprod(x[..., :0:-1], axis=-1)[..., ::-1]
    return before * after


def _all_but_one(x: Any) -> Any:
    return np.where(np.eye(x.shape[-1], dtype=bool), x.dtype.type(1), x[..., None, :])


def _off_diagonal(x: Any) -> Any:
    return np.where(np.eye(x.shape[-1], dtype=bool), x.dtype.type(0), x[..., None, :])


def _sum_off_diagonal(g: Any) -> Any:
    return np.sum(np.where(np.eye(g.shape[-1], dtype=bool), g.dtype.type(0), g), axis=-2)


def _same_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


def _square_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    assert isinstance(a, Array)
    return array(a.dtype, None if a.axes is None else (*a.axes, a.axes[-1]))


def _row_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    assert isinstance(a, Array)
    return array(a.dtype, None if a.axes is None else a.axes[:-1])


others = Primitive(
    "others", _others, _same_type, "others({})",
    lambda ct, y, x: (sum_off_diagonal(expand_dims(ct, axis=-1) * others(all_but_one(x))),),
    lambda ds, y, x: sum_(off_diagonal(ds[0]) * others(all_but_one(x)), axis=-1), memory=NEW, work=SUMS, like=0,
    raises=NEVER,
)
"""At each place along the last axis, the product of the entries at the other places."""

all_but_one = Primitive(
    "all_but_one", _all_but_one, _square_type, "all_but_one({})",
    lambda ct, y, x: (sum_off_diagonal(ct),), lambda ds, y, x: off_diagonal(ds[0]), memory=NEW, work=MOVEMENT,
    raises=NEVER,
)
"""Row i repeats the last axis with 1 in place i; the derivative of `others` is made of the products of these rows."""

off_diagonal = linear(
    "off_diagonal", _off_diagonal, _square_type, "off_diagonal({})", lambda ct, y, x: (sum_off_diagonal(ct),),
    memory=NEW, work=MOVEMENT, raises=NEVER,
)
sum_off_diagonal = linear(
    "sum_off_diagonal", _sum_off_diagonal, _row_type, "sum_off_diagonal({})", lambda ct, y, x: (off_diagonal(ct),),
    memory=NEW, work=SUMS, raises=MAY,
)


def _prod_pullback(ct: Any, y: Any, x: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Any, ...]:
    return (expand(ct, x, axis, keepdims) * _back(others(_last(x, axis)), x, axis),)


def _prod_differential(ds: tuple[Any, ...], y: Any, x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    params: dict[str, Any] = {} if axis is None else {"axis": axis}
    return sum_(ds[0] * _back(others(_last(x, axis)), x, axis), **params, **({"keepdims": True} if keepdims else {}))


prod = Primitive("np.prod", np.prod, reduction_type, call_source("np.prod"), _prod_pullback, _prod_differential,
                 memory=NEW, work=SUMS, raises=unranked)


# -- running sums ----------------------------------------------------------------------------------------------------


def _cumsum_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    dtype = np.cumsum(np.ones(1, dtype_of(a))).dtype.name
    if not isinstance(a, Array) or params.get("axis") is None:
        axes = a.axes if isinstance(a, Array) else ()
        one = axes is not None and len(axes) == 1
        return array(dtype, axes if one else ("?",))
    return array(dtype, a.axes)


def _cumsum_pullback(ct: Any, y: Any, x: Any, axis: int | None = None) -> tuple[Any, ...]:
    along = 0 if axis is None else axis
    summed = flip(cumsum(flip(ct, axis=along), axis=along), axis=along)
    return (reshape_like(summed, x) if axis is None else summed,)


def _no_axis(x: Known, axis: int | None = None) -> bool:
    """Where there is no such axis."""
    return axis is not None and (x.axes is None or not -len(x.axes) <= axis < len(x.axes))


cumsum = linear("np.cumsum", np.cumsum, _cumsum_type, call_source("np.cumsum"), _cumsum_pullback, memory=NEW, work=SUMS,
    raises=_no_axis)
