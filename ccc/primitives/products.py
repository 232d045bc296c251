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

from ccc.additive import ZERO, Zero, add
from ccc.objects import Array, Object, array
from ccc.primitives.bilinear import cast
from ccc.primitives.broadcasting import fit
from ccc.primitives.domains import Known, unequal, unknown_rank, unranked
from ccc.primitives.elementary_numpy import where
from ccc.primitives.facts import MAY, MOVEMENT, NEW, SUMS, jointly
from ccc.primitives.pointwise import spread
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, expand, reduction_type, sum_
from ccc.primitives.shaping import expand_dims, flip, moveaxis, ravel, reshape_like


def with_last(x: Any, axis: int | None) -> Any:
    """`x` with the axis of a reduction last."""
    if axis is None:
        return ravel(x)
    return x if axis == -1 else moveaxis(x, source=axis, destination=-1)


def with_back(ct: Any, x: Any, axis: int | None) -> Any:
    """The transpose of `with_last`."""
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
    raises=unknown_rank, enclosed="factors",
)
"""At each place along the last axis, the product of the entries at the other places."""

all_but_one = Primitive(
    "all_but_one", _all_but_one, _square_type, "all_but_one({})",
    lambda ct, y, x: (sum_off_diagonal(ct),), lambda ds, y, x: off_diagonal(ds[0]), memory=NEW, work=MOVEMENT,
    raises=unknown_rank,
)
"""Row i repeats the last axis with 1 in place i; the derivative of `others` is made of the products of these rows."""

off_diagonal = linear(
    "off_diagonal", _off_diagonal, _square_type, "off_diagonal({})", lambda ct, y, x: (sum_off_diagonal(ct),),
    memory=NEW, work=MOVEMENT, raises=unknown_rank,
)
sum_off_diagonal = linear(
    "sum_off_diagonal", _sum_off_diagonal, _row_type, "sum_off_diagonal({})", lambda ct, y, x: (off_diagonal(ct),),
    memory=NEW, work=SUMS, raises=MAY,
)


def _prod_pullback(ct: Any, y: Any, x: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Any, ...]:
    return (expand(ct, x, axis, keepdims) * with_back(others(with_last(x, axis)), x, axis),)


def _prod_differential(ds: tuple[Any, ...], y: Any, x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    params: dict[str, Any] = {} if axis is None else {"axis": axis}
    rest = with_back(others(with_last(x, axis)), x, axis)
    return sum_(ds[0] * rest, **params, **({"keepdims": True} if keepdims else {}))


prod = Primitive("np.prod", np.prod, reduction_type, call_source("np.prod"), _prod_pullback, _prod_differential,
                 memory=NEW, work=SUMS, raises=unranked, enclosed="factors")


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


def no_axis(x: Known, axis: int | None = None) -> bool:
    """Where there is no such axis."""
    return axis is not None and (x.axes is None or not -len(x.axes) <= axis < len(x.axes))


cumsum = linear("np.cumsum", np.cumsum, _cumsum_type, call_source("np.cumsum"), _cumsum_pullback, memory=NEW, work=SUMS,
    raises=no_axis, adding=True)


# -- running products ------------------------------------------------------------------------------------------------


def _recurrence(b: Any, a: Any, reverse: bool = False) -> Any:
    found = np.array(b)
    size = found.shape[-1]
    if found.ndim == 1 and found.dtype == a.dtype == float:
        return np.array(_in_numbers(found.tolist(), a.tolist(), reverse))
    if reverse:
        for k in range(size - 2, -1, -1):
            found[..., k] += a[..., k + 1] * found[..., k + 1]
    else:
        for k in range(1, size):
            found[..., k] += a[..., k] * found[..., k - 1]
    return found


def _in_numbers(b: list[float], a: list[float], reverse: bool) -> list[float]:
    """The recurrence of numbers of Python, which is soon done."""
    if reverse:
        for k in range(len(b) - 2, -1, -1):
            b[k] += a[k + 1] * b[k + 1]
    else:
        for k in range(1, len(b)):
            b[k] += a[k] * b[k - 1]
    return b


def _before(x: Any) -> Any:
    found = np.zeros_like(x)
    found[..., 1:] = x[..., :-1]
    return found


def _after(x: Any) -> Any:
    found = np.zeros_like(x)
    found[..., :-1] = x[..., 1:]
    return found


def _first_of(x: Any) -> Any:
    found = np.zeros_like(x)
    found[..., :1] = x[..., :1]
    return found


before = linear("before", _before, _same_type, "before({})", lambda ct, y, x: (after(ct),), memory=NEW, work=MOVEMENT,
                like=0, raises=unknown_rank)
after = linear("after", _after, _same_type, "after({})", lambda ct, y, x: (before(ct),), memory=NEW, work=MOVEMENT,
               like=0, raises=unknown_rank)
first_of = linear("first_of", _first_of, _same_type, "first_of({})", lambda ct, y, x: (first_of(ct),), memory=NEW,
                  work=MOVEMENT, like=0, raises=unknown_rank)


def _recurrence_pullback(ct: Any, z: Any, b: Any, a: Any, reverse: bool = False) -> tuple[Any, ...]:
    c = recurrence(ct, a) if reverse else recurrence(ct, a, reverse=True)
    return c, before(c) * z if reverse else c * before(z)


def _recurrence_differential(ds: tuple[Any, ...], z: Any, b: Any, a: Any, reverse: bool = False) -> Any:
    db, da = ds
    moved = ZERO if isinstance(da, Zero) else after(da * z) if reverse else da * before(z)
    total = moved if isinstance(db, Zero) else db if isinstance(moved, Zero) else db + moved
    return total if isinstance(total, Zero) else recurrence(total, a, **({"reverse": True} if reverse else {}))


recurrence = Primitive(
    "recurrence", _recurrence, _same_type, call_source("recurrence"), _recurrence_pullback, _recurrence_differential,
    memory=NEW, work=SUMS, like=0, linear=jointly(0), raises=unequal,
)
"""Along the last axis z[k] = a[k] z[k - 1] + b[k], and its transpose z[k] = a[k + 1] z[k + 1] + b[k]."""


def _running(x: Any, axis: int | None) -> Any:
    """The result of a running product with its axis last."""
    return x if axis is None else with_last(x, axis)


def _cumprod_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return _cumsum_type(p, args, params)


def _cumprod_pullback(ct: Any, y: Any, x: Any, axis: int | None = None) -> tuple[Any, ...]:
    c = recurrence(_running(ct, axis), with_last(x, axis), reverse=True)
    return (with_back(first_of(c) + c * before(_running(y, axis)), x, axis),)


def _cumprod_differential(ds: tuple[Any, ...], y: Any, x: Any, axis: int | None = None) -> Any:
    d = with_last(ds[0], axis)
    z = recurrence(first_of(d) + d * before(_running(y, axis)), with_last(x, axis))
    return z if axis is None else with_back(z, x, axis)


cumprod = Primitive(
    "np.cumprod", np.cumprod, _cumprod_type, call_source("np.cumprod"), _cumprod_pullback, _cumprod_differential,
    memory=NEW, work=SUMS, raises=no_axis, enclosed="factors",
)


# -- products that begin with a number, or leave entries out ---------------------------------------------------------


def _given_prod(x: Any, *given: Any, names: tuple[str, ...], **params: Any) -> Any:
    return np.prod(x, **dict(zip(names, given, strict=False)), **params)


def _factors(x: Any, given: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, Any]:
    """The entries that are multiplied, 1 in place of those that are left out; and the number that is begun with."""
    options = dict(zip(names, given, strict=True))
    mask = options.get("where")
    return x if mask is None else where(mask, x, 1.0), options.get("initial", 1.0)


def _given_prod_pullback(
    ct: Any, y: Any, x: Any, *given: Any, names: tuple[str, ...], axis: Any = None, keepdims: bool = False
) -> tuple[Any, ...]:
    options = dict(zip(names, given, strict=True))
    factors, start = _factors(x, given, names)
    cx = _prod_pullback(ct * start, y, factors, axis, keepdims)[0]
    params: dict[str, Any] = {} if axis is None else {"axis": axis}
    whole = prod(factors, **params, **({"keepdims": True} if keepdims else {}))
    cts = {"initial": lambda: fit(ct * whole, start), "where": lambda: ZERO}
    mask = options.get("where")
    return cx if mask is None else where(mask, cx, 0.0), *[cts[name]() for name in names]


def _given_prod_differential(
    ds: tuple[Any, ...], y: Any, x: Any, *given: Any, names: tuple[str, ...], axis: Any = None, keepdims: bool = False
) -> Any:
    moving = dict(zip(names, ds[1:], strict=True))
    factors, start = _factors(x, given, names)
    found: Any = ZERO
    if not isinstance(ds[0], Zero):
        mask = dict(zip(names, given, strict=True)).get("where")
        d = ds[0] if mask is None else where(mask, ds[0], 0.0)
        found = _prod_differential((d,), y, factors, axis, keepdims) * start
    if not isinstance(moving.get("initial", ZERO), Zero):
        params: dict[str, Any] = {} if axis is None else {"axis": axis}
        found = add(found, moving["initial"] * prod(factors, **params, **({"keepdims": True} if keepdims else {})))
    return found


prod_given = Primitive(
    "prod_given", _given_prod, reduction_type, call_source("prod_given"), _given_prod_pullback,
    _given_prod_differential, memory=NEW, work=SUMS, raises=MAY,
)
"""A product with the options that `names` says of the arguments behind the first one: `initial`, `where`."""


def _given_sum(x: Any, *given: Any, names: tuple[str, ...], **params: Any) -> Any:
    return np.sum(x, **dict(zip(names, given, strict=False)), **params)


def _given_sum_pullback(
    ct: Any, y: Any, x: Any, *given: Any, names: tuple[str, ...], axis: Any = None, keepdims: bool = False,
    dtype: Any = None,
) -> tuple[Any, ...]:
    options = dict(zip(names, given, strict=True))
    cx = expand(ct, x, axis, keepdims)
    mask = options.get("where")
    cts = {"initial": lambda: fit(ct, options["initial"]), "where": lambda: ZERO}
    return cast(cx if mask is None else where(mask, cx, 0.0), x), *[cts[name]() for name in names]


def _given_sum_differential(
    ds: tuple[Any, ...], y: Any, x: Any, *given: Any, names: tuple[str, ...], **params: Any
) -> Any:
    moving, options = dict(zip(names, ds[1:], strict=True)), dict(zip(names, given, strict=True))
    found: Any = ZERO
    if not isinstance(ds[0], Zero):
        masks = {name: value for name, value in options.items() if name == "where"}
        found = sum_given(ds[0], *masks.values(), names=tuple(masks), **params)
    first = moving.get("initial", ZERO)
    return found if isinstance(first, Zero) else add(found, spread(first, y))


sum_given = Primitive(
    "sum_given", _given_sum, reduction_type, call_source("sum_given"), _given_sum_pullback, _given_sum_differential,
    memory=NEW, work=SUMS, raises=MAY, linear=lambda params: jointly(
        0, *[1 + i for i, name in enumerate(params["names"]) if name == "initial"]),
)
"""A sum with such options, and perhaps of a `dtype`."""
