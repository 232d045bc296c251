"""Items of arrays in memory, or of arrays that wait for their reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.layout import ITEM, Lazy, number
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num

Axes = tuple[str, ...]


def offset(m: Lowering, axes: Axes, at: Sequence[str]) -> str:
    """The position of an item among all."""
    known = m.flat.get(tuple(at))
    if known is not None and [m.sizes.name(n) for n in known[0]] == [m.sizes.name(n) for n in axes]:
        return known[1]
    found = "0"
    for axis, i in zip(axes, at, strict=True):
        found = m.w.add(m.w.mul(found, axis), i)
    return found


def load(m: Lowering, dtype: str, ptr: str, position: str) -> str:
    """An item in a register."""
    found = m.w.load(ITEM[dtype], m.w.at_index(ITEM[dtype], ptr, position))
    return m.w.cast("trunc", "i8", found, "i1") if dtype == "bool" else found


def store(m: Lowering, x: Num, dtype: str, ptr: str, position: str) -> None:
    """Write an item."""
    w = m.w
    text = conversions.converted(w, x, number(dtype)).text
    if dtype == "bool":
        text = w.cast("zext", "i1", text, "i8")
    w.store(ITEM[dtype], text, w.at_index(ITEM[dtype], ptr, position))


def item_of(m: Lowering, v: Any, at: Sequence[str]) -> Num:
    """The item of an array at indices, those of broadcast axes included; or the number itself."""
    if isinstance(v, Num):
        return v
    here = at[len(at) - len(v.axes):] if v.axes else ()
    here = tuple(["0" if axis == "1" else i for axis, i in zip(v.axes, here, strict=True)])
    if isinstance(v, Lazy):
        return Num(number(v.dtype), v.item(here))
    return Num(number(v.dtype), load(m, v.dtype, v.ptr, offset(m, v.axes, here)))
