"""Columns of matrices that loops read again and again: each is copied, when it is first read, to where its items lie
side by side.

    for sweep in range(k):
        for j in range(n):
            r += c[j] * X[:, j]        item i of column j is far from item i + 1: a line of the cache each

>>> print(COPY.declared())
declare hidden void @ccc_column(ptr %x, i64 %rows, i64 %columns, i64 %j, ptr %into, ptr %copied)
"""

from __future__ import annotations

from ccc.compile.native.by_hand import at, loop
from ccc.compile.native.functions import Written
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.under_way import KeptColumns, Lowering
from ccc.compile.program.lam import Var

NAME = "ccc_column"
FEW = 4
"""A product reads the columns of its first argument where that has so few."""
ITEM = f"""{at("from", "%x", "%i", "%columns", "%j")}
{at("to", "%into", "%i", 1)}
  %item = load double, ptr %from
  store double %item, ptr %to"""
COPY = Written("void", NAME, "(ptr %x, i64 %rows, i64 %columns, i64 %j, ptr %into, ptr %copied)", f""" noinline {{
  %there.at = getelementptr i8, ptr %copied, i64 %j
  %there = load i8, ptr %there.at
  %new = icmp eq i8 %there, 0
  br i1 %new, label %copy, label %done
copy:
  store i8 1, ptr %there.at
{loop("i", 0, "%rows", 1, ITEM)}
  br label %done
done:
  ret void
}}""")


def few(m: Lowering, size: str, most: int = FEW) -> bool:
    """Whether a size is known to be this small in the first call."""
    usual = m.usual(size)
    return usual is not None and usual <= most


def keep(m: Lowering, x: Var) -> None:
    """Memory for the columns of a matrix, of which none is copied yet."""
    w, value = m.w, m.value(x)
    if not isinstance(value, (Arr, Lazy)) or len(value.axes) != 2 or value.dtype != "float64":
        return
    rows, columns = value.axes
    if not m.module.by_columns[x] and not few(m, columns):
        return
    matrix = m.arr(value)
    turned = m.alloc(w.mul(w.mul(rows, columns), "8"))
    copied = m.alloc(columns)
    w.fill(copied, "0", columns)
    m.columns[x] = KeptColumns(matrix, turned, copied)


def column(m: Lowering, kept: KeptColumns, j: str, axes: tuple[str, ...]) -> Arr:
    """A column, side by side."""
    w, (rows, columns) = m.w, kept.matrix.axes
    into = w.at_index("double", kept.turned, w.mul(j, rows))
    sizes = [("i64", n) for n in (rows, columns, j)]
    w.run(NAME, ("ptr", kept.matrix.ptr), *sizes, ("ptr", into), ("ptr", kept.copied))
    return Arr("float64", into, axes)


def all_of(m: Lowering, kept: KeptColumns) -> Arr:
    """The transpose of the matrix."""
    with m.w.counted(kept.matrix.axes[1]) as j:
        column(m, kept, j, kept.matrix.axes[:1])
    return Arr("float64", kept.turned, kept.matrix.axes[::-1])
