"""Columns of matrices that loops read again and again: each is copied, when it is first read, to where its items lie
side by side.

    for sweep in range(k):
        for j in range(n):
            r += c[j] * X[:, j]        item i of column j is far from item i + 1: a line of the cache each

>>> "call void @ccc_column(" in CALL
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ccc.compile.native.by_hand import at, loop
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.table import applies, known
from ccc.compile.program.lam import Apply, Block, Lambda, Let, Loop, Var, While
from ccc.objects import Array
from ccc.primitives import indexing

if TYPE_CHECKING:
    from ccc.compile.native.lowering import Lowering

AGAIN = 2
"""Loops so deep within what makes a matrix are taken to read a column more than once."""
NAME = "ccc_column"
CALL = f"call void @{NAME}("
DECLARED = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
PATTERNS = (("s", "i"), ("s", "s12"))
"""The indices `X[:, j]` and `X[:, i:j]`, of which the latter may be one column."""
FEW = 4
"""A product reads the columns of its first argument where that has so few."""
ITEM = f"""{at("from", "%x", "%i", "%columns", "%j")}
{at("to", "%into", "%i", 1)}
  %item = load double, ptr %from
  store double %item, ptr %to"""
COPY = f"""
define internal void @ccc_column(ptr %x, i64 %rows, i64 %columns, i64 %j, ptr %into, ptr %copied) noinline {{
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
}}
"""


@dataclass
class Kept:
    """A matrix, the rows that its columns are copied to, and a byte for each that says whether it is."""

    matrix: Arr
    turned: str
    copied: str


def read_again(whole: Block) -> dict[Var, bool]:
    """The matrices of which columns are read by loops within loops, and whether by an index."""
    found: dict[Var, bool] = {}
    places: dict[Block | None, tuple[int, Block]] = {}
    todo = [(whole, 0, whole)]
    while todo:
        here, depth, function = todo.pop()
        places[here] = depth, function
        for let in here.lets:
            op = let.op
            x = let.args[0] if isinstance(op, Apply) and let.args else None
            if isinstance(x, Var) and reads_columns(let, x):
                home, its_function = places.get(x.home, (depth, None))
                if its_function is function and depth - home >= AGAIN:
                    found[x] = found.get(x, False) or applies(let, indexing.index)
            deeper = depth + isinstance(op, Loop | While)
            todo += [(inner, 0, inner) if isinstance(op, Lambda) else (inner, deeper, function) for inner in op.blocks]
    return found


def reads_columns(let: Let, x: Var) -> bool:
    """Whether a let may read a matrix of reals by its columns."""
    a, op = x.object, let.op
    by_index = applies(let, indexing.index) and op.params["pattern"] in PATTERNS  # type: ignore[attr-defined]
    if not by_index and not known(let).columns:
        return False
    return isinstance(a, Array) and a.dtype == "float64" and a.axes is not None and len(a.axes) == 2


def few(m: Lowering, size: str, most: int = FEW) -> bool:
    """Whether a size is known to be this small in the first call."""
    usual = m.usual(size)
    return usual is not None and usual <= most


def keep(m: Lowering, x: Var) -> None:
    """Memory for the columns of a matrix, of which none is copied yet."""
    w, value = m.w, m.value(x)
    if not isinstance(value, Arr | Lazy) or len(value.axes) != 2 or value.dtype != "float64":
        return
    rows, columns = value.axes
    if not m.module.by_columns[x] and not few(m, columns):
        return
    matrix = m.arr(value)
    w.declared.add(DECLARED)
    turned = m.alloc(w.mul(w.mul(rows, columns), "8"))
    copied = m.alloc(columns)
    w.run("llvm.memset.p0.i64", ("ptr", copied), ("i8", "0"), ("i64", columns), ("i1", "false"))
    m.columns[x] = Kept(matrix, turned, copied)


def column(m: Lowering, kept: Kept, j: str, axes: tuple[str, ...]) -> Arr:
    """A column, side by side."""
    w, (rows, columns) = m.w, kept.matrix.axes
    into = w.at_index("double", kept.turned, w.mul(j, rows))
    sizes = [("i64", n) for n in (rows, columns, j)]
    w.run(NAME, ("ptr", kept.matrix.ptr), *sizes, ("ptr", into), ("ptr", kept.copied))
    return Arr("float64", into, axes)


def all_of(m: Lowering, kept: Kept) -> Arr:
    """The transpose of the matrix."""
    with m.w.counted(kept.matrix.axes[1]) as j:
        column(m, kept, j, kept.matrix.axes[:1])
    return Arr("float64", kept.turned, kept.matrix.axes[::-1])
