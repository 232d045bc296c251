"""Entries of lists and arrays in lists, read and changed where they lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.native.arrays import forced, fresh_copy
from ccc.compile.native.cotangents import added
from ccc.compile.native.indices import region
from ccc.compile.native.items import item_of, load, offset, store
from ccc.compile.native.layout import Arr, Fixed, Items, Lst, NotNative, layout_of, number
from ccc.compile.native.sequences import appended, checked, copied, in_layout, item, listed, place, with_parts_of
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.primitives import along

Change = Callable[[Any], Any]
"""What is made of an entry."""


@handles(along.item_along)
def item_along(m: Lowering, let: Let, xs: Any, *keys: Any) -> Any:
    for n, key in enumerate(keys):
        if isinstance(xs, Arr):
            return item_of(m, xs, entry(m, xs, keys[n:]))
        xs = item(m, let, xs, key)
    return xs


@handles(along.set_along)
def set_along(m: Lowering, let: Let, xs: Any, v: Any, *keys: Any) -> Lst:
    found = m.there(v)
    return changed(m, let, xs, keys, lambda old: found)


@handles(along.add_along)
def add_along(m: Lowering, let: Let, xs: Any, ct: Any, *keys: Any) -> Lst:
    found = m.there(ct)
    if isinstance(xs, Lst) and not isinstance(found, Fixed):
        xs = in_layout(m, xs, with_entry(xs.layout, layout_of(found), len(keys) - 1))
    return changed(m, let, xs, keys, lambda old: added(m, old(), found))


def with_entry(layout: Any, of_entry: Any, depth: int) -> Any:
    """The layout of items some lists down, where entries of a layout are added, of which fields may be new."""
    if layout is None or (depth and not isinstance(layout, Items)):
        return layout
    return Items(with_entry(layout.item, of_entry, depth - 1)) if depth else with_parts_of(layout, of_entry)


@handles(along.append_along)
def append_along(m: Lowering, let: Let, xs: Any, v: Any, *keys: Any) -> Lst:
    found = m.there(v)
    return changed(m, let, xs, keys, lambda old: appended(m, row_of(old()), found))


@handles(along.without_last_along)
def without_last_along(m: Lowering, let: Let, xs: Any, *keys: Any) -> Lst:
    return changed(m, let, xs, keys, lambda old: shortened(m, row_of(old())))


def shortened(m: Lowering, row: Lst) -> Lst:
    """A row without its last item, whose place is free again."""
    m.w.leave(m.w.compare("eq", row.length, "0"))
    return Lst(row.layout, row.ptr, m.w.sub(row.length, "1"), row.capacity)


def row_of(v: Any) -> Lst:
    """A row that may grow where it is."""
    if not isinstance(v, Lst) or v.layout is None:
        raise NotNative("a change of a list of other sequences")
    return v


def changed(m: Lowering, let: Let, xs: Any, keys: tuple[Any, ...], change: Change) -> Lst:
    """A list with a change at one entry: in its own memory where nothing else sees its rows, else in new rows."""
    here = let in m.module.overwritten and isinstance(xs, Lst)
    out = row = xs if here else copied(m, listed(m, xs))
    at = place(m, row, checked(m, row.length, m.number(keys[0])))
    for n, key in enumerate(keys[1:], 1):
        inner = m.read(row.layout, at)
        if not isinstance(inner, (Arr, Lst)):
            raise NotNative("a change of a list of other sequences")
        if not here:
            inner = copied(m, inner) if isinstance(inner, Lst) else forced(m, fresh_copy(m, inner))
            m.write(inner, row.layout, at)
        if isinstance(inner, Arr):
            change_entry(m, inner, keys[n:], change)
            return out
        row = inner
        at = place(m, row, checked(m, row.length, m.number(key)))
    m.write(change(lambda: m.read(row.layout, at)), row.layout, at)
    return out


def change_entry(m: Lowering, a: Arr, keys: tuple[Any, ...], change: Change) -> None:
    """Change one entry of an array where it lies."""
    k = offset(m, a.axes, entry(m, a, keys))
    store(m, m.number(change(lambda: Num(number(a.dtype), load(m, a.dtype, a.ptr, k)))), a.dtype, a.ptr, k)


def entry(m: Lowering, a: Arr, keys: tuple[Any, ...]) -> list[str]:
    """The place of an entry of an array."""
    return region(m, a.axes, ("i",) * len(keys), keys).at(())
