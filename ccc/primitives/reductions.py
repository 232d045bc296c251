"""Reductions of arrays: sums, extrema, moments and norms along axes.

    d sum x = sum dx      d max x = mean of dx over the ties      d norm x = <x, dx> / norm x, and 0 at 0

`axis` and `keepdims` are parameters, known when a program is compiled. Extrema share equally among ties; `std`
and `norm` have slope 0 where they are 0.

>>> max_.pullback(1.0, 1.0, np.array([1.0, 1.0, 0.0]))
(array([0.5, 0.5, 0. ]),)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.objects import INT, REAL, Array, Bool, Int, Object, Real, array
from ccc.primitives.broadcasting import SMALL, broadcast_like, filled_with
from ccc.primitives.domains import empty, first_two_not_single, not_single, unranked
from ccc.primitives.facts import ENTRIES, EXTREMA, MAY, MOVEMENT, NEW, SIZES, SUMS, Work, jointly, may_be, same
from ccc.primitives.guarded import power0, times0, unit
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, by_sampling, linear, one_dtype

Axis = int | tuple[int, ...] | None


def scalar_kind(dtype: str) -> Object:
    """The object of the entries of an array."""
    if dtype == "bool":
        return Bool("bool_")
    return Real(dtype) if dtype.startswith("float") else Int(dtype)


def dtype_of(a: Object) -> str:
    """The dtype of `a` as an array."""
    if isinstance(a, Array):
        return a.dtype
    if isinstance(a, Int) and a.kinds:
        return reduce(one_dtype, [array(dtype_of(way), ()) for way in a.of_kinds]).dtype  # type: ignore[attr-defined]
    kind = getattr(a, "kind", "float64")
    return {"float": "float64", "any": "float64", "int": "int64", "bool_": "bool"}.get(kind, kind)


def places_of(rank: int, axis: Axis, repeated: bool = False) -> tuple[int, ...]:
    """The axes that a parameter names, counted from the front; None for all.

    >>> places_of(3, (0, -1)), places_of(2, None)
    ((0, 2), (0, 1))

    Raises `AxisError` for one that there is not, `ValueError` for one that is named twice and may not.
    """
    named = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else axis
    for i in named:
        if not -rank <= i < rank:
            raise np.exceptions.AxisError(i, rank)
    places = tuple([i % rank for i in named])
    if not repeated and len(set(places)) < len(places):
        raise ValueError("duplicate value in 'axis'")
    return places


def reduced_axes(axes: tuple[str, ...] | None, axis: Axis, keepdims: bool) -> tuple[str, ...] | None:
    """The axes that are left.

    >>> reduced_axes(("n", "1", "?"), -1, False), reduced_axes(("n", "?"), None, True)
    (('n', '1'), ('1', '1'))
    """
    if axes is None:
        return () if axis is None and not keepdims else None
    places = places_of(len(axes), axis)
    if keepdims:
        return tuple("1" if i in places else name for i, name in enumerate(axes))
    return tuple(name for i, name in enumerate(axes) if i not in places)


def reduction_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The type rule of reductions with `axis` and `keepdims`."""
    a = args[0]
    if not isinstance(a, Array):
        return by_sampling(p, args, params)
    plain = {key: value for key, value in params.items() if key not in ("axis", "keepdims")}
    dtype = dtype_of(by_sampling(p, (Array(a.dtype, ("n",)),), plain))
    axes = reduced_axes(a.axes, params.get("axis"), params.get("keepdims", False))
    return scalar_kind(dtype) if axes == () else array(dtype, axes)


def _like(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[-1]


def _shaped_like_second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    ct, x = args
    return array(dtype_of(ct), x.axes if isinstance(x, Array) else ())


def call_source(name: str) -> Callable[..., str]:
    """Prints `name(x, ..., key=value)`, leaving out parameters that are None or False."""

    def source(*xs: str, **params: Any) -> str:
        given = [f"{key}={value!r}" for key, value in params.items() if value is not None and value is not False]
        return f"{name}({', '.join([*xs, *given])})"

    return source


# -- what reductions are transposed with -----------------------------------------------------------------------------


def _count(x: Any, axis: Axis = None, ddof: float = 0) -> Any:
    shape = np.shape(x)
    sizes = shape if axis is None else [shape[i] for i in ((axis,) if isinstance(axis, int) else axis)]
    found = 1
    for size in sizes:
        found *= size
    return found - ddof if found > ddof else 1


def _expanded(ct: Any, x: Any, axis: int | tuple[int, ...]) -> Any:
    if isinstance(ct, np.ndarray) and isinstance(axis, int) and axis >= 0:
        ct = ct[(slice(None),) * axis + (None,)]
    else:
        ct = np.expand_dims(ct, axis)
    if isinstance(x, np.ndarray) and x.size <= SMALL:
        return filled_with(ct, x.shape)
    return np.broadcast_to(ct, np.shape(x))


count = Primitive(
    "count", _count, lambda p, args, params: INT if isinstance(params.get("ddof", 0), int) else REAL,
    call_source("count"), no_cotangents, no_tangent, memory=NEW, work=SIZES, sizes=(0,), raises=unranked,
)
"""The number of entries along `axis`, less `ddof`; at least 1, so that one may divide by it."""


def expand(ct: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """The cotangent of a reduction of `x` at every entry of `x`; the transpose of `sum`."""
    if axis is None or keepdims:
        return broadcast_like(ct, x)
    return expanded(ct, x, axis=axis)


expanded = linear(
    "expanded", _expanded, _shaped_like_second, call_source("expanded"),
    lambda g, y, ct, x, axis: (sum_(g, axis=axis), ZERO), memory=may_be(0), work=MOVEMENT, sizes=(1,), like=1,
    raises=MAY,
)


def _tie_weights(y: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    ties = np.equal(x, y if axis is None or keepdims else np.expand_dims(y, axis))
    return ties, np.maximum(np.sum(ties, axis=axis, keepdims=True), 1)


def in_kind(ct: Any, x: Any) -> Any:
    """A cotangent in the kind or dtype of the number or array that it belongs to; integers stand for reals.

    >>> in_kind(np.array(2.0), 1.0), in_kind(np.ones(2), np.ones(2, np.float32)).dtype
    (2.0, dtype('float32'))
    """
    if isinstance(x, (float, np.floating)):
        return type(x)(ct if np.ndim(ct) == 0 else np.reshape(ct, ()))
    real = isinstance(x, np.ndarray) and x.dtype.kind == "f"
    return ct.astype(x.dtype) if real and ct.dtype != x.dtype else ct


def _spread_ties(ct: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    if axis is None and isinstance(x, np.ndarray) and x.ndim and np.ndim(ct) == 0:
        ties = np.equal(x, y)
        return in_kind(np.where(ties, ct / np.result_type(ct).type(max(np.count_nonzero(ties), 1)), 0), x)
    ties, number = _tie_weights(y, x, axis, keepdims)
    full = ct if axis is None or keepdims else np.expand_dims(ct, axis)
    return in_kind(np.where(ties, full / number.astype(np.result_type(full)), 0), x)


def _mean_ties(dx: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    ties, number = _tie_weights(y, x, axis, keepdims)
    weighted = np.where(ties, dx / number.astype(np.result_type(dx)), 0)
    return in_kind(np.sum(weighted, axis=axis, keepdims=keepdims), y)


spread_ties = linear(
    "spread_ties", _spread_ties, _like, call_source("spread_ties"),
    lambda g, r, ct, y, x, **params: (mean_ties(g, y, x, **params), ZERO, ZERO), memory=NEW, work=ENTRIES, adding=True,
    raises=first_two_not_single, enclosed="chosen",
)
mean_ties = linear(
    "mean_ties", _mean_ties, lambda p, args, params: args[1], call_source("mean_ties"),
    lambda g, r, dx, y, x, **params: (spread_ties(g, y, x, **params), ZERO, ZERO), memory=NEW, work=SUMS, raises=MAY,
)


def _reduction(
    name: str, value: Callable[..., Any], pullback: Any = None, differential: Any = None, work: Work = SUMS,
    **facts: Any,
) -> Primitive:
    return Primitive(
        f"np.{name}", value, reduction_type, call_source(f"np.{name}"),
        pullback or no_cotangents, differential or no_tangent, memory=NEW, work=work,
        **facts,
    )


# -- sums and moments ------------------------------------------------------------------------------------------------

sum_ = _reduction(
    "sum", np.sum,
    lambda ct, y, x, axis=None, keepdims=False: (expand(ct, x, axis, keepdims),),
    lambda ds, y, x, **params: sum_(ds[0], **params), linear=jointly(0), raises=unranked, adding=True,
)
mean = _reduction(
    "mean", np.mean,
    lambda ct, y, x, axis=None, keepdims=False: (expand(ct / count(x, axis=axis), x, axis, keepdims),),
    lambda ds, y, x, **params: mean(ds[0], **params), linear=jointly(0), raises=unranked, adding=True,
)


def _weights_for(w: Any, a: Any, axis: Axis = None) -> Any:
    if np.shape(w) != np.shape(a):
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    return w


weights_for = linear(
    "weights_for", _weights_for, lambda p, args, params: args[0], call_source("weights_for"),
    lambda ct, y, w, a, axis=None: (ct, ZERO), memory=same(), work=SIZES, sizes=(1,), like=0, raises=not_single,
)
"""The weights of an average, which raise what NumPy raises where they have not the shape of the array."""


def _weights_along(w: Any, a: Any, axis: int) -> Any:
    if np.shape(w)[0] != np.shape(a)[axis]:
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    return w


weights_along = linear(
    "weights_along", _weights_along, lambda p, args, params: args[0], call_source("weights_along"),
    lambda ct, y, w, a, axis: (ct, ZERO), memory=same(), work=SIZES, sizes=(1,), like=0, raises=MAY,
)
"""The weights of an average along one axis, which raise where there are more or fewer than entries."""


def _var_pullback(ct: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    scale = expand(ct * 2 / count(x, axis=axis, ddof=ddof), x, axis, keepdims)
    return (scale * (x - mean(x, axis=axis, keepdims=True)),)


def _var_differential(ds: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    moment = sum_(ds[0] * (x - mean(x, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims)
    return moment * 2 / count(x, axis=axis, ddof=ddof)


def _deviations(x: Any, axis: Axis) -> Any:
    """What `x` differs from its mean by. The mean is taken off twice: what it is rounded by is as large as all of them
    where there is no spread, and of no direction."""
    once = x - mean(x, axis=axis, keepdims=True)
    return once - mean(once, axis=axis, keepdims=True)


def _std_pullback(ct: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    direction = unit(_deviations(x, axis), expand(y, x, axis, keepdims))
    return (expand(ct / count(x, axis=axis, ddof=ddof), x, axis, keepdims) * direction,)


def _std_differential(ds: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    direction = unit(_deviations(x, axis), expand(y, x, axis, keepdims))
    return sum_(ds[0] * direction, axis=axis, keepdims=keepdims) / count(x, axis=axis, ddof=ddof)


def _deviation_of(d: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    """How far deviations are apart of numbers that are so far apart."""
    return power0(sum_(d * d, axis=axis, keepdims=keepdims) / count(d, axis=axis, ddof=ddof), 0.5) + 2.0**-500


std = _reduction("std", np.std, _std_pullback, _std_differential, raises=unranked, modulus=_deviation_of)
var = _reduction("var", np.var, _var_pullback, _var_differential, raises=unranked, enclosed="variance")


def _norm_pullback(ct: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return (times0(expand(ct, x, axis, keepdims), unit(x, expand(y, x, axis, keepdims))),)


def _norm_differential(ds: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return sum_(times0(ds[0], unit(x, expand(y, x, axis, keepdims))), axis=axis, keepdims=keepdims)


norm = _reduction("linalg.norm", np.linalg.norm, _norm_pullback, _norm_differential, raises=unranked,
                  enclosed="magnitudes")


# -- extrema and tests -----------------------------------------------------------------------------------------------


def _extremum(name: str, value: Callable[..., Any]) -> Primitive:
    return _reduction(
        name, value,
        lambda ct, y, x, **params: (spread_ties(ct, y, x, **params),),
        lambda ds, y, x, **params: mean_ties(ds[0], y, x, **params), EXTREMA, raises=empty, increasing=True,
    )


max_ = _extremum("max", np.max)
min_ = _extremum("min", np.min)
argmax = _reduction("argmax", np.argmax, work=EXTREMA, raises=empty)
argmin = _reduction("argmin", np.argmin, work=EXTREMA, raises=empty)
any_ = _reduction("any", np.any, raises=unranked)
all_ = _reduction("all", np.all, raises=unranked)
count_nonzero = _reduction("count_nonzero", np.count_nonzero, raises=unranked)


# -- what is not a number is left out ----------------------------------------------------------------------------------


def _present(x: Any, axis: Axis = None, mean: bool = False) -> Any:
    if isinstance(x, float):
        return type(x)(x == x)
    found = np.where(np.isnan(x), 0, 1).astype(np.result_type(x))
    if mean:
        found = found / np.maximum(np.sum(found, axis=axis, keepdims=True), 1).astype(found.dtype)
    return found if isinstance(x, np.ndarray) else found[()]


present = Primitive("present", _present, _like, call_source("present"), no_cotangents, no_tangent,
                    memory=NEW, work=ENTRIES, like=0, raises=unranked)
"""1 at numbers and 0 elsewhere, divided by how many numbers there are along `axis` where a mean is taken."""


def _of_numbers(name: str, value: Callable[..., Any], mean: bool) -> Primitive:
    def weights(x: Any, axis: Axis) -> Any:
        return present(x, **({} if axis is None else {"axis": axis}), mean=True) if mean else present(x)

    def pullback(ct: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Any, ...]:
        return (times0(weights(x, axis), expand(ct, x, axis, keepdims)),)

    def differential(ds: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        return sum_(times0(weights(x, axis), ds[0]), axis=axis, keepdims=keepdims)

    return _reduction(name, value, pullback, differential, linear=jointly(0), raises=unranked)


nansum = _of_numbers("nansum", np.nansum, mean=False)
nanmean = _of_numbers("nanmean", np.nanmean, mean=True)
nanmax = _extremum("nanmax", np.nanmax)
nanmin = _extremum("nanmin", np.nanmin)
