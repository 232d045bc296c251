"""Rolled arrays: an item comes from one of two parts, in which what lies together stays so.

    np.roll(x, s)[k]  =  x[k - s] where k >= s, else x[k - s + n]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.items import Axes
from ccc.compile.native.layout import NotNative
from ccc.compile.native.rearranging import At, Moved, minus, replaced, rule
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.primitives import shaping


@rule(shaping.roll, flat=True, same=True)
def roll(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    w = m.w
    axis = params.get("axis", 0)
    axis = 0 if axis is None else axis
    if not isinstance(axis, int) or len(places) != 1 or not isinstance(places[0], Num):
        raise NotNative("`np.roll` along several axes")
    axis %= len(axes)
    n = axes[axis]
    least = w.call("i64", "llvm.smax.i64", ("i64", n), ("i64", "1"))
    rest = w.binary("srem", "i64", conversions.as_int(w, places[0]), least)
    shift = w.select("i64", w.compare("slt", rest, "0"), w.add(rest, n), rest)

    def source(at: At) -> tuple[list[str], str]:
        back = minus(m, at[axis], shift)
        return replaced(at, axis, w.select("i64", w.compare("slt", back, "0"), w.add(back, n), back)), ""

    def parts(at: At) -> list[tuple[str, list[str]]]:
        back = minus(m, at[axis], shift)
        return [(w.compare("sge", back, "0"), replaced(at, axis, back)),
                (w.compare("slt", back, "0"), replaced(at, axis, w.add(back, n)))]

    return Moved(axes, source, parts if axis == len(axes) - 1 else None)
