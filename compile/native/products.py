"""Products of matrices and vectors: by rows where a side is small, of tiles where all are large."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ccc.compile.native import conversions, scalars
from ccc.compile.native.arrays import elementwise, lazy, renamed
from ccc.compile.native.contractions import Named, multiplied, of_dot, of_inner, of_matmul, of_outer, of_vdot
from ccc.compile.native.dtypes import ITEM, REALS
from ccc.compile.native.items import load
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.matrix_products import of_few_terms, times, times_matrix, times_vector, where_read
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.totals import total
from ccc.compile.native.under_way import Lowering
from ccc.compile.program.lam import Let, Var
from ccc.primitives import bilinear


@handles(bilinear.matmul, bilinear.np_matmul, of=of_matmul, facts=Facts(columns=True))
@handles(bilinear.dot, of=of_dot, scales=True, facts=Facts(columns=True))
@handles(bilinear.inner, of=of_inner, rows=True)
@handles(bilinear.vdot, of=of_vdot, rows=True)
def matmul(m: Lowering, let: Let, a: Any, b: Any, of: Named, scales: bool = False, rows: bool = False) -> Any:
    """A product whose indices `of` names. One that `scales` takes numbers, too; of two with `rows` the axes that meet
    are the last ones."""
    if not isinstance(a, (Arr, Lazy)) or not isinstance(b, (Arr, Lazy)):
        if scales:
            return elementwise(m, let.targets[0].object, [a, b], lambda x, y: scalars.mul(m.w, False, x, y))
        return multiplied(m, let, a, b, of)
    ranks = len(a.axes), len(b.axes)
    if a.dtype not in REALS or b.dtype != a.dtype or not set(ranks) <= {1, 2}:
        return multiplied(m, let, a, b, of)
    if rows and ranks != (1, 1):
        return multiplied(m, let, a, b, of)
    w = m.w
    inner, other = a.axes[-1], b.axes[0]
    if inner != other:
        m.same_size(inner, other)
    if ranks == (1, 1):
        both = lazy(m, "float64", (inner,), [renamed(a, (inner,)), renamed(b, (inner,))], partial(times, m))
        return conversions.converted(w, total(m, both), ITEM[a.dtype])
    if ranks == (2, 1):
        return times_vector(m, a, m.arr(b), turned=False)
    if ranks == (1, 2):
        return times_vector(m, b, m.arr(a), turned=True)
    kept = m.columns.get(let.args[0]) if isinstance(let.args[0], Var) else None
    return where_read(m, a, b, kept) or of_few_terms(m, a, b) or times_matrix(m, a, b)


@handles(bilinear.outer)
def outer(m: Lowering, let: Let, a: Any, b: Any) -> Any:
    if any(not isinstance(x, (Arr, Lazy)) or x.dtype not in REALS or len(x.axes) != 1 for x in (a, b)) or (
            a.dtype != b.dtype):
        return multiplied(m, let, a, b, of_outer)
    x, y, dtype = m.arr(a), m.arr(b), a.dtype

    def item(at: Sequence[str]) -> str:
        return m.w.binary("fmul", ITEM[dtype], load(m, dtype, x.ptr, at[0]), load(m, dtype, y.ptr, at[1]))

    return Lazy(dtype, (x.axes[0], y.axes[0]), item)
