"""Arrays from parts: `array_of`, `stack`, `concatenate`, and lists read as arrays.

    d stack(a, b) = stack(da, db)        <ct, stack(da, db)> = <ct[0], da> + <ct[1], db>

>>> array_of(1.0, 2.0), stack.pullback(np.eye(2), np.eye(2), np.ones(2), np.ones(2))[1]
(array([1., 2.]), array([0., 1.]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import Array, Bool, Int, List, Map, Object, Real, Record, Static, Text, array
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.creation import zeros_like
from ccc.primitives.domains import Known, rows_differ, unequal, unknown_rank, unranked
from ccc.primitives.facts import IN_ORDER, MAY, MOVEMENT, NEW, STORAGE, items_of, jointly, view
from ccc.primitives.indexing import index
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, places_of
from ccc.primitives.shaping import axes_of, moveaxis
from ccc.primitives.sizes import joined, stacked
from ccc.wording import in_words


def _rank_joined(args: tuple[Object, ...]) -> tuple[str, ...] | None:
    """The axes that all arguments share."""
    ranks = [axes_of(a) for a in args]
    known = [axes for axes in ranks if axes is not None]
    if len(known) < len(ranks):
        return None
    if len({len(axes) for axes in known}) != 1:
        raise ValueError("arrays that are joined must have the same rank")
    return tuple(next((name for name in column if name != "?"), "?") for column in zip(*known, strict=True))


def _dtype(args: tuple[Object, ...]) -> str:
    return np.result_type(*[dtype_of(a) for a in args]).name if args else "float64"


def _joined_source(name: str) -> Callable[..., str]:
    def source(*xs: str, axis: int = 0) -> str:
        return f"{name}([{', '.join(xs)}]{f', axis={axis}' if axis else ''})"

    return source


def tangents(ds: tuple[Any, ...], xs: tuple[Any, ...]) -> list[Any]:
    """Tangents of all of `xs`, with real zeros for symbolic ones."""
    return [zeros_as(x) if isinstance(d, Zero) else d for d, x in zip(ds, xs, strict=True)]


def zeros_as(x: Any) -> Any:
    """Zeros with the shape of `x`."""
    return zeros_like(x) if isinstance(kind_of(x), Array) else 0.0


# -- stack and array -------------------------------------------------------------------------------------------------


def _stack_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = _rank_joined(args)
    if axes is None:
        return array(_dtype(args), None)
    axis = params.get("axis", 0) % (len(axes) + 1)
    return array(_dtype(args), (*axes[:axis], "1" if len(args) == 1 else "n", *axes[axis:]))


def _stack_pullback(ct: Any, y: Any, *xs: Any, axis: int = 0) -> tuple[Any, ...]:
    first = ct if axis == 0 else moveaxis(ct, source=axis, destination=0)
    return tuple([fit(index(first, i, pattern=("i",)), x) for i, x in enumerate(xs)])


stack = Primitive(
    "np.stack", lambda *xs, axis=0: np.stack(xs, axis), _stack_type, _joined_source("np.stack"),
    _stack_pullback, lambda ds, y, *xs, axis=0: stack(*tangents(ds, xs), axis=axis), memory=NEW, work=MOVEMENT,
    linear=jointly(), shape=stacked, raises=unequal,
)
array_of = Primitive(
    "np.array", lambda *xs: np.array(xs), _stack_type, _joined_source("np.array"),
    _stack_pullback, lambda ds, y, *xs: array_of(*tangents(ds, xs)), memory=IN_ORDER, work=MOVEMENT,
    linear=jointly(), shape=stacked, raises=unequal,
)
"""The array of scalars, or of arrays of one shape: as `stack`, but that it lies in memory by rows."""


# -- concatenate -----------------------------------------------------------------------------------------------------


def _concatenated_axis(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    ones = names.count("1")
    return "n" if ones > 1 or ("?" not in names and ones == 0) else "?"


def _concatenate_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = _rank_joined(args)
    if axes is None:
        return array(_dtype(args), None)
    (axis,) = places_of(len(axes), params.get("axis", 0))
    joined = _concatenated_axis([names[axis] for names in map(axes_of, args) if names is not None])
    return array(_dtype(args), (*axes[:axis], joined, *axes[axis + 1 :]))


def _piece(ct: Any, *xs: Any, place: int, axis: int = 0) -> Any:
    sizes = [np.shape(x)[axis] for x in xs]
    start = sum(sizes[:place])
    if axis == 0:
        return ct[start : start + sizes[place]]
    return np.moveaxis(np.moveaxis(ct, axis, 0)[start : start + sizes[place]], 0, axis)


def _piece_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(args[0]), axes_of(args[1 + params["place"]]))


def _piece_pullback(g: Any, y: Any, ct: Any, *xs: Any, place: int, axis: int = 0) -> tuple[Any, ...]:
    padded = concatenate(*[g if i == place else zeros_like(x) for i, x in enumerate(xs)], axis=axis)
    return (padded, *[ZERO] * len(xs))


def _unequal_beside(*xs: Known, axis: int = 0) -> bool:
    """Where several arrays have not the same sizes beside the axis along which they are joined."""
    if len(xs) == 1:
        return xs[0].axes is None
    first = xs[0]
    if first.axes is None:
        return True
    rank = len(first.axes)
    if any(x.axes is None or len(x.axes) != rank for x in xs):
        return True
    return any(not x.has_size(i, first.size(i)) for x in xs for i in range(rank) if i != axis % rank)


concatenate = Primitive(
    "np.concatenate", lambda *xs, axis=0: np.concatenate(xs, axis), _concatenate_type,
    _joined_source("np.concatenate"),
    lambda ct, y, *xs, axis=0: tuple([fit(piece(ct, *xs, place=i, axis=axis), x) for i, x in enumerate(xs)]),
    lambda ds, y, *xs, axis=0: concatenate(*tangents(ds, xs), axis=axis), memory=NEW, work=MOVEMENT,
    linear=jointly(), shape=joined, raises=_unequal_beside,
)
piece = linear("piece", _piece, _piece_type, call_source("piece"), _piece_pullback,
               memory=view(), work=MOVEMENT, sizes=range(1, 1 << 30), like=lambda params: 1 + params["place"],
               raises=unranked)
"""`piece(ct, *xs, place=i, axis=a)`: the part of `ct` that stands where `xs[i]` stands in their concatenation."""


# -- lists as arrays -------------------------------------------------------------------------------------------------


def _list_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes: list[str] = []
    a = args[0]
    while isinstance(a, List):
        axes.append("?")
        a = a.item
    if isinstance(a, (Real, Int, Bool)):
        return array(dtype_of(a), tuple(axes))
    if isinstance(a, (Record, Static, Text, Map)):
        raise TypeError(f"needs numbers or arrays in lists: found {in_words(a)}")
    inner = axes_of(a) if isinstance(a, Array) else None
    return array(dtype_of(a), None if inner is None else (*axes, *inner))


def _as_list(ct: Any, xs: Any) -> Any:
    """The rows of `ct` as a list, nested as `xs` is."""
    if isinstance(xs, (list, tuple)):
        return [_as_list(row, x) for row, x in zip(ct, xs, strict=True)]  # type: ignore[reportUnknownArgumentType]
    return type(xs)(ct) if isinstance(xs, (float, np.floating)) else ct


from_list = linear("from_list", np.array, _list_type, "np.array({})", lambda ct, y, xs: (to_list(ct, xs),),
                   memory=NEW, work=MOVEMENT, raises=rows_differ)
to_list = linear(
    "to_list", _as_list, lambda p, args, params: args[1], "to_list({}, {})",
    lambda g, y, ct, xs: (from_list(g), ZERO), memory=items_of(), work=STORAGE, sizes=(1,), raises=MAY,
)


def _stacked_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = _list_type(p, args, params)
    axes = axes_of(a)
    if axes is None:
        return a
    axis = params.get("axis", 0) % len(axes)
    return array(dtype_of(a), (*axes[1 : axis + 1], axes[0], *axes[axis + 1 :]))


def _joined_rows_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    inner = args[0].item  # type: ignore[attr-defined]
    axes, axis = axes_of(inner), params.get("axis", 0)
    if axes is None:
        return array(dtype_of(inner), None)
    (axis,) = places_of(len(axes), axis)
    return array(dtype_of(inner), (*axes[:axis], "?", *axes[axis + 1 :]))


def _pieces(ct: Any, xs: Any, axis: int = 0) -> Any:
    return np.split(ct, np.cumsum([np.shape(x)[axis] for x in xs])[:-1], axis)


def _list_source(name: str) -> Callable[..., str]:
    return lambda xs, axis=0: f"{name}({xs}{f', axis={axis}' if axis else ''})"


def _stack_list_pullback(ct: Any, y: Any, xs: Any, axis: int = 0) -> tuple[Any, ...]:
    return (to_list(ct if axis == 0 else moveaxis(ct, source=axis, destination=0), xs),)


stack_list = linear(
    "stack_list", lambda xs, axis=0: np.stack(xs, axis), _stacked_type, _list_source("np.stack"), _stack_list_pullback,
    memory=NEW, work=MOVEMENT, raises=MAY,
)
"""`stack` of the items of a list of arrays."""
concatenate_list = linear(
    "concatenate_list", lambda xs, axis=0: np.concatenate(xs, axis), _joined_rows_type,
    _list_source("np.concatenate"), lambda ct, y, xs, axis=0: (pieces(ct, xs, axis=axis),), memory=NEW, work=MOVEMENT,
    raises=MAY,
)
"""`concatenate` of the items of a list of arrays."""
pieces = linear(
    "pieces", _pieces, lambda p, args, params: args[1], call_source("pieces"),
    lambda g, y, ct, xs, axis=0: (concatenate_list(g, axis=axis), ZERO), memory=items_of(), work=STORAGE, sizes=(1,),
    raises=unknown_rank,
)
"""The parts of an array that stand where the items of a list stand in their concatenation."""
