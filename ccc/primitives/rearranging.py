"""Entries of an array in other places: `tile`, `repeat`, `triu`, `pad`, `take`, `diagonal`, and sorting.

Each is linear, and its transpose adds the cotangent of an entry to where the entry came from. `sort` and the order
statistics are such maps as long as the order stays; among equal entries the order is that of their places.

>>> repeat.pullback(np.array([1.0, 2.0, 3.0, 4.0]), None, np.array([5.0, 6.0]), 2)[0]
array([3., 7.])
>>> sort.pullback(np.array([1.0, 2.0]), None, np.array([8.0, 3.0]))[0]
array([2., 1.])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.objects import Array, Int, Object, array
from ccc.primitives.domains import Known, empty, unknown_rank, unranked
from ccc.primitives.facts import MAY, MOVEMENT, NEVER, NEW, ORDER, SUMS, Memory, Raises, view
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, linear, sample
from ccc.primitives.reductions import (
    call_source,
    dtype_of,
    expand,
    max_,
    places_of,
    reduction_type,
    scalar_kind,
    sum_,
)
from ccc.primitives.shaping import axes_of
from ccc.primitives.sizes import ONE, Size, Sized, constant

Source = Callable[..., str]


def _like_second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    x = args[1]
    return array(dtype_of(args[0]), x.axes if isinstance(x, Array) else ())


def _ranked(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The rank by trying it on samples, of which each axis has room for an index; nothing is known of sizes."""
    a = args[0]
    if any(isinstance(x, Array) and x.axes is None for x in args):
        return array(dtype_of(a), None)
    wide = [array(x.dtype, ("?",) * len(x.axes)) if isinstance(x, Array) and x.axes else x for x in args]
    found = p.value(*[sample(x, 1.0, 4) for x in wide], **params)
    return array(dtype_of(a), ("?",) * found.ndim) if isinstance(found, np.ndarray) else scalar_kind(dtype_of(a))


def sums_at(places: Any, ct: Any, size: int) -> Any:
    """Cotangents added up at places, in their dtype; `np.bincount` takes none longer than float64.

    >>> sums_at(np.array([1, 0, 1]), np.array([1.0, 2.0, 4.0]), 3)
    array([2., 5., 0.])
    """
    if ct.dtype.itemsize <= 8:
        return np.bincount(places, weights=ct, minlength=size).astype(ct.dtype)
    sums = np.zeros(size, ct.dtype)
    np.add.at(sums, places, ct)
    return sums


TRANSPOSES: dict[Primitive, Primitive] = {}
"""The functions whose transposes these are."""


def rearrangement(
    name: str, value: Callable[..., Any], source: Source, raises: Raises = NEVER, memory: Memory = NEW,
    read_only: bool = False, shape: Callable[..., Any] | None = None,
) -> tuple[Primitive, Primitive]:
    """A function whose result has entries of its argument, or zeros, in other places; and its transpose. `shape` says
    of which sizes it is."""
    word = name.replace(".", "_") + "_onto"

    def transposed(ct: Any, x: Any, *places: Any, **params: Any) -> Any:
        size = int(np.prod(np.shape(x)))
        came_from = value(np.arange(1, size + 1).reshape(np.shape(x)), *places, **params)
        return sums_at(np.ravel(came_from), np.ravel(ct), size + 1)[1:].reshape(np.shape(x))

    def pullback(ct: Any, y: Any, x: Any, *places: Any, **params: Any) -> tuple[Any, ...]:
        return onto(ct, x, *places, **params), *[ZERO] * len(places)

    def back(g: Any, y: Any, ct: Any, x: Any, *places: Any, **params: Any) -> tuple[Any, ...]:
        return p(g, *places, **params), ZERO, *[ZERO] * len(places)

    p = linear(name, value, _ranked, source, pullback, memory=memory, read_only=read_only, work=MOVEMENT,
               raises=raises, shape=shape)
    onto = linear(
        word, transposed, _like_second, call_source(word), back, memory=NEW, work=SUMS, sizes=(1,), like=1,
        raises=MAY,
    )
    TRANSPOSES[onto] = p
    return p, onto


def _pad(x: Any, pad_width: Any, mode: str = "constant") -> Any:
    return np.pad(x, pad_width, mode)  # type: ignore[reportCallIssue]


def _no_edge(x: Known, mode: str = "constant", **params: Any) -> bool:
    """Where what is put around an array is taken from it, which may be empty, or its rank is not known."""
    return x.axes is None or (mode != "constant" and not x.single)


def _padded(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    shape = args[0].shape
    widths = None if shape is None else np.broadcast_to(params["pad_width"], (len(shape), 2)).tolist()
    return None if shape is None or widths is None else [
        size + constant(sum(width)) for size, width in zip(shape, widths, strict=True)]


def _tiled(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    shape, reps = args[0].shape, tuple(np.atleast_1d(params["reps"]).tolist())
    if shape is None:
        return None
    rank = max(len(shape), len(reps))
    sizes, reps = (ONE,) * (rank - len(shape)) + tuple(shape), (1,) * (rank - len(reps)) + reps
    return [size.times(n) for size, n in zip(sizes, reps, strict=True)]


def _triangular(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    """Of triangles, which a vector is made a matrix for."""
    shape = args[0].shape
    return None if shape is None else [*shape] if len(shape) > 1 else [*shape, *shape]


def _taken(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    shape, axis = args[0].shape, params.get("axis")
    places = args[1].shape if isinstance(args[1].object, Array) else ()
    if places is None or (shape is None and axis is not None):
        return None
    if shape is None or axis is None:
        return [*places]
    return [*shape[:axis % len(shape)], *places, *shape[axis % len(shape) + 1:]]


tile, tile_onto = rearrangement(
    "np.tile", lambda x, reps: np.tile(x, reps), call_source("np.tile"), shape=_tiled,
)
repeat, repeat_onto = rearrangement(
    "np.repeat", lambda x, n, axis=None: np.repeat(x, n, axis), call_source("np.repeat"),
    lambda x, n, **params: n.low < 0 or not n.single or unranked(x, **params),
)
triu, triu_onto = rearrangement(
    "np.triu", lambda x, k=0: np.triu(x, k), call_source("np.triu"), unknown_rank, shape=_triangular,
)
tril, tril_onto = rearrangement(
    "np.tril", lambda x, k=0: np.tril(x, k), call_source("np.tril"), unknown_rank, shape=_triangular,
)
rot90, rot90_onto = rearrangement(
    "np.rot90", lambda x, k=1: np.rot90(x, k), call_source("np.rot90"), unknown_rank, memory=view(),
)
diagonal, diagonal_onto = rearrangement(
    "np.diagonal", np.diagonal, call_source("np.diagonal"), unknown_rank, memory=view(), read_only=True,
)
pad, pad_onto = rearrangement("np.pad", _pad, call_source("np.pad"), _no_edge, shape=_padded)
take, take_onto = rearrangement(
    "np.take", lambda x, i, axis=None: np.take(x, i, axis), call_source("np.take"), MAY, shape=_taken,
)
compress, compress_onto = rearrangement(
    "np.compress", lambda x, c, axis=None: np.compress(c, x, axis),
    lambda x, c, axis=None: call_source("np.compress")(c, x, axis=axis), MAY,
)
take_along_axis, take_along_axis_onto = rearrangement(
    "np.take_along_axis", lambda x, i, axis: np.take_along_axis(x, i, axis), call_source("np.take_along_axis"), MAY
)


# -- orders ----------------------------------------------------------------------------------------------------------


def _order(x: Any, axis: int) -> Any:
    return np.argsort(x, axis, kind="stable")


def _same(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    if (axes := axes_of(args[0])) is not None:
        places_of(len(axes), params.get("axis"))
    return args[0]


def _places(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    places_of(len(axes_of(a) or ("1",)), params.get("axis"))
    return array("int64", a.axes if isinstance(a, Array) and a.axes != () else ("1",))


def _unsorted(ct: Any, x: Any, axis: int = -1) -> Any:
    out = np.empty_like(ct)
    np.put_along_axis(out, _order(x, axis), ct, axis)
    return out


sort = Primitive(
    "np.sort", lambda x, axis=-1: np.sort(x, axis), _same, call_source("np.sort"),
    lambda ct, y, x, axis=-1: (unsorted(ct, x, axis=axis),),
    lambda ds, y, x, axis=-1: in_order_of(ds[0], x, axis=axis), memory=NEW, work=ORDER, raises=unknown_rank,
    increasing=True,
)
in_order_of = linear(
    "in_order_of", lambda d, x, axis=-1: np.take_along_axis(d, _order(x, axis), axis), _like_second,
    call_source("in_order_of"), lambda g, y, d, x, axis=-1: (unsorted(g, x, axis=axis), ZERO), memory=NEW, work=ORDER,
    raises=MAY,
)
unsorted = linear(
    "unsorted", _unsorted, _like_second, call_source("unsorted"),
    lambda g, y, ct, x, axis=-1: (in_order_of(g, x, axis=axis), ZERO), memory=NEW, work=ORDER, raises=MAY,
    enclosed="places",
)
argsort = Primitive(
    "np.argsort", lambda x, axis=-1: np.argsort(x, axis), _places, call_source("np.argsort"), no_cotangents, no_tangent,
    memory=NEW, work=ORDER, raises=NEVER,
)


def _searched(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    v = args[1]
    return array("int64", v.axes) if isinstance(v, Array) and v.axes != () else Int("int64")


def _search(a: Any, v: Any, side: Any = "left") -> Any:
    return np.searchsorted(a, v, side)


searchsorted = Primitive(
    "np.searchsorted", _search, _searched, call_source("np.searchsorted"), no_cotangents, no_tangent,
    memory=NEW, work=ORDER, raises=unknown_rank,
)


# -- order statistics ------------------------------------------------------------------------------------------------


def _order_weights(x: Any, q: float, axis: int | None = None, method: str = "linear") -> Any:
    if isinstance(x, (float, np.floating)):
        return type(x)(1.0)
    flat = np.ravel(x) if axis is None else np.moveaxis(x, axis, -1)
    n = flat.shape[-1]
    weights = np.zeros_like(flat)
    if n:
        order = np.argsort(flat, -1, kind="stable")
        for i, weight in _counting(n, q, method):
            at = order[..., i : i + 1]
            np.put_along_axis(weights, at, np.take_along_axis(weights, at, -1) + flat.dtype.type(weight), -1)
    return np.reshape(weights, np.shape(x)) if axis is None else np.moveaxis(weights, -1, axis)


def _counting(n: int, q: float, method: str) -> list[tuple[int, float]]:
    """The ranks of those entries that count in a quantile, and how much."""
    if method == "linear":
        place = q * (n - 1)
        low = min(int(place), n - 1)
        weight = place - low
    else:  # every quantile is one of two neighbours or between them: which, the ranks themselves tell
        ranks = np.arange(n, dtype=float)
        low = int(np.quantile(ranks, q, method=method))  # type: ignore[reportCallIssue]
        weight = float(np.quantile((ranks > low).astype(float), q, method=method))  # type: ignore[reportCallIssue]
    return [(low, 1.0 - weight), (min(low + 1, n - 1), weight)]


order_weights = Primitive(
    "order_weights", _order_weights, _same, call_source("order_weights"), no_cotangents, no_tangent,
    memory=NEW, work=ORDER, raises=unranked, enclosed="weights",
)
"""How much each entry counts in the quantile `q`; it changes where the order of the entries does, by jumps."""


def _statistic(
    name: str, value: Callable[..., Any], source: Source, of: Callable[..., float], raises: Raises
) -> Primitive:
    def weights(x: Any, axis: int | None, q: Any, **method: str) -> Any:
        return order_weights(x, **({} if axis is None else {"axis": axis}), q=of(q), **method)

    def pullback(
        ct: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False, q: Any = None, **method: str
    ) -> tuple[Any, ...]:
        return (expand(ct, x, axis, keepdims) * weights(x, axis, q, **method),)

    def differential(
        ds: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False, q: Any = None, **method: str
    ) -> Any:
        params = {"axis": axis} if axis is not None else {}
        return sum_(ds[0] * weights(x, axis, q, **method), **params, **({"keepdims": True} if keepdims else {}))

    def farthest(d: Any, axis: Any = None, keepdims: bool = False, **rest: Any) -> Any:
        return max_(d, **({} if axis is None else {"axis": axis}), **({"keepdims": True} if keepdims else {}))

    return Primitive(name, value, _statistic_type, source, pullback, differential, memory=NEW, work=ORDER,
                     raises=raises, increasing=True, modulus=farthest)


def _statistic_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """That of reductions; with `keepdims` no axes are kept as an array, where sums are a number."""
    a = args[0]
    none_kept = params.get("keepdims") and isinstance(a, Array) and a.axes == ()
    found = reduction_type(p, args, params)
    return array(dtype_of(found), ()) if none_kept else found


median = _statistic("np.median", np.median, call_source("np.median"), lambda q: 0.5, unranked)
quantile = _statistic("np.quantile", np.quantile, call_source("np.quantile"), lambda q: q, empty)
percentile = _statistic("np.percentile", np.percentile, call_source("np.percentile"), lambda q: q / 100.0, empty)
