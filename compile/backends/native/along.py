"""Entries of lists in lists, read and changed where they lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compile.backends.native.layout import Lst, NotNative
from compile.backends.native.lowering import Lowering, handles
from compile.backends.native.sequences import added, checked, copied, item, listed, place
from compile.lam import Let

Change = Callable[[Lst, str], None]
"""What is done to a row at an address in it."""


@handles("item_along")
def item_along(m: Lowering, let: Let, xs: Any, *keys: Any) -> Any:
    for key in keys:
        xs = item(m, let, xs, key)
    return xs


@handles("set_along")
def set_along(m: Lowering, let: Let, xs: Any, v: Any, *keys: Any) -> Lst:
    found = m.there(v)
    return changed(m, let, xs, keys, lambda row, at: m.write(found, row.layout, at))


@handles("add_along")
def add_along(m: Lowering, let: Let, xs: Any, ct: Any, *keys: Any) -> Lst:
    found = m.there(ct)
    return changed(m, let, xs, keys, lambda row, at: m.write(added(m, m.read(row.layout, at), found), row.layout, at))


def changed(m: Lowering, let: Let, xs: Any, keys: tuple[Any, ...], change: Change) -> Lst:
    """A list with a change at one entry: in its own memory where nothing else sees its rows, else in new rows."""
    here = let in m.module.overwritten and isinstance(xs, Lst)
    out = row = xs if here else copied(m, listed(m, xs))
    at = place(m, row, checked(m, row.length, m.number(keys[0])))
    for key in keys[1:]:
        inner = m.read(row.layout, at)
        if not isinstance(inner, Lst):
            raise NotNative("a change of a list of other sequences")
        if not here:
            inner = copied(m, inner)
            m.write(inner, row.layout, at)
        row = inner
        at = place(m, row, checked(m, row.length, m.number(key)))
    change(row, at)
    return out
