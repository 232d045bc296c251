"""Entries of lists and arrays in lists, by all their indices: to read or change one costs as much as in Python.

    item_along(xs, i, j) = xs[i][j]        set_along(xs, v, i, j): xs with xs[i][j] = v        add_along: with += ct
    append_along(xs, v, i): xs with xs[i].append(v)        without_last_along(xs, i): xs with del xs[i][-1]

The cotangent of an entry that is read is added at its place; no row is made for it.

>>> set_along([[1.0], [2.0, 3.0]], 5.0, 1, 0), item_along([[1.0], [2.0, 3.0]], 1, 1)
([[1.0], [5.0, 3.0]], 3.0)
>>> set_along.pullback([[1.0], [2.0, 3.0]], None, [[0.0], [0.0, 0.0]], 5.0, 1, 0)
([[1.0], [0.0, 3.0]], 2.0, ZERO, ZERO)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Contribution
from ccc.coproducts import join
from ccc.objects import Array, List, Object, Real, array, is_discrete
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.facts import MAY, STORAGE, in_row, jointly, out_of
from ccc.primitives.lists import filled_list, is_sized
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import scalar_kind
from ccc.primitives.structure import add_onto, filled_item
from ccc.primitives.zero_trees import filled, zero_for, zeros_like
from ccc.wording import in_words


def _item(xs: Any, *keys: int) -> Any:
    for key in keys:
        xs = xs[key]
    return xs


def _item_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    _integers(args[1:])
    for _ in args[1:]:
        if isinstance(a, List):
            a = a.item
        else:
            if not isinstance(a, Array) or not a.axes:
                raise TypeError(f"{in_words(a)} is read at an index, and may have no axes")
            a = array(a.dtype, a.axes[1:]) if len(a.axes) > 1 else scalar_kind(a.dtype)
    return a


def _integers(keys: tuple[Object, ...]) -> None:
    for key in keys:
        if not is_discrete(key):
            raise TypeError("list indices must be integers or slices, not float")


def _first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    _integers(args[1:])
    return args[0]


def _changed_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    _integers(args[2:])
    return args[0]


def _kept(a: Object, v: Object, depth: int) -> Object:
    """A list in which an entry so deep is another real, which may be of another kind."""
    if depth and isinstance(a, List):
        return List(_kept(a.item, v, depth - 1))
    return join(a, v) or a if not depth and isinstance(a, Real) and isinstance(v, Real) else a


def _given_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    xs, v, *keys = args
    _integers(tuple(keys))
    return _kept(xs, v, len(keys) + (p is append_along))


def _changed(xs: Any, change: Any, keys: tuple[int, ...]) -> Any:
    """A list or array with a change at one entry; the rows on the way to it are new."""
    ys = xs.copy()
    if len(keys) == 1:
        change(ys, keys[0])
    else:
        ys[keys[0]] = _changed(ys[keys[0]], change, keys[1:])
    return ys


def _set(xs: list[Any], v: Any, *keys: int) -> list[Any]:
    def put(row: Any, key: int) -> None:
        row[key] = v

    return _changed(xs, put, keys)


def _add(cts: Any, ct: Any, *keys: int) -> Any:
    return _changed(cts, lambda row, key: add_onto(row, ct, key), keys) if isinstance(cts, list) else cts


def add_all_along(cts: Any, ct: Any, *keys: int) -> Any:
    """`cts[i][j] += ct`; the number 0 is the zero of a list that a branch did not make, and stays it."""
    row = cts
    for key in keys[:-1]:
        row = row[key] if isinstance(row, (list, np.ndarray)) else row
    add_onto(row, ct, keys[-1])
    return cts


def _append(xs: list[Any], v: Any, *keys: int) -> list[Any]:
    def put(row: Any, key: int) -> None:
        row[key] = [*row[key], v]

    return _changed(xs, put, keys)


def _without_last(xs: list[Any], *keys: int) -> list[Any]:
    def take(row: Any, key: int) -> None:
        row[key] = row[key][:-1]

    return _changed(xs, take, keys)


def _path(keys: tuple[str, ...]) -> str:
    return "".join([f"[{key}]" for key in keys])


class EntryContribution(Contribution):
    """The cotangent of a list of lists or arrays that touches one entry."""

    __slots__ = ("ct", "keys", "xs")

    def __init__(self, xs: Any, ct: Any, keys: tuple[Any, ...]) -> None:
        self.xs = xs
        self.ct = ct
        self.keys = keys

    def onto(self, accumulator: Any) -> Any:
        return add_along(accumulator, self.ct, *self.keys)

    def zero(self) -> Any:
        return zeros_like(self.xs)

    def dense(self) -> Any:
        return self.onto(self.zero())


def _set_pullback(ct: Any, y: Any, xs: Any, v: Any, *keys: Any) -> tuple[Any, ...]:
    written = item_along(ct, *keys)  # read first, so that the rest may be made in place
    before = item_along(xs, *keys) if is_sized(kind_of(v)) else v
    return set_along(ct, filled(ZERO, before), *keys), written, *[ZERO] * len(keys)


def _append_pullback(ct: Any, y: Any, xs: Any, v: Any, *keys: Any) -> tuple[Any, ...]:
    last = item_along(ct, *keys, -1)  # read first, so that the rest may be made in place
    return without_last_along(ct, *keys), last, *[ZERO] * len(keys)


item_along = linear(
    "item_along",
    _item,
    _item_type,
    lambda xs, *keys: f"{xs}{_path(keys)}",
    lambda ct, y, xs, *keys: (EntryContribution(xs, ct, keys), *[ZERO] * len(keys)),
    exact=True, memory=out_of(), work=STORAGE, raises=MAY,
)
set_along = Primitive(
    "set_along",
    _set,
    _given_type,
    lambda xs, v, *keys: f"set_along({xs}, {v}, {', '.join(keys)})",
    _set_pullback,
    lambda ds, y, xs, v, *keys: set_along(filled_list(ds[0], xs), filled(ds[1], v), *keys),
    exact=True, memory=in_row(0, 1), work=STORAGE, overwrites=0, like=0, linear=jointly(0, 1), raises=MAY,
    in_place=lambda xs, v, *keys: f"{xs}{_path(keys)} = {v}",
)
add_along = Primitive(
    "add_along",
    _add,
    _changed_type,
    lambda cts, ct, *keys: f"add_along({cts}, {ct}, {', '.join(keys)})",
    lambda g, y, cts, ct, *keys: (g, item_along(g, *keys), *[ZERO] * len(keys)),
    lambda ds, y, cts, ct, *keys: add_along(filled(ds[0], cts), filled(ds[1], ct), *keys),
    exact=True, memory=in_row(0, 1), work=STORAGE, overwrites=0, like=0, linear=jointly(0, 1), raises=MAY,
)
append_along = Primitive(
    "append_along",
    _append,
    _given_type,
    lambda xs, v, *keys: f"append_along({xs}, {v}, {', '.join(keys)})",
    _append_pullback,
    lambda ds, y, xs, v, *keys: append_along(
        filled_list(ds[0], xs), filled_item(ds[1], v, item_along(y, *keys)), *keys),
    exact=True, memory=in_row(0, 1), work=STORAGE, overwrites=0, like=0, linear=jointly(0, 1), raises=MAY,
    in_place=lambda xs, v, *keys: f"{xs}{_path(keys)}.append({v})",
)
without_last_along = linear(
    "without_last_along",
    _without_last,
    _first,
    lambda xs, *keys: f"without_last_along({xs}, {', '.join(keys)})",
    lambda ct, y, xs, *keys: (
        append_along(ct, zero_for(item_along(xs, *keys, -1)), *keys), *[ZERO] * len(keys)),
    exact=True, memory=in_row(), work=STORAGE, overwrites=0, like=0, raises=MAY,
    in_place=lambda xs, *keys: f"del {xs}{_path(keys)}[-1]",
)
"""What changes rows, which must be seen from nowhere else where that happens in place."""
