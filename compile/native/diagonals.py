"""Diagonals of matrices: read, added up, and what is added back to them."""

from __future__ import annotations

from typing import Any

from ccc.compile.native.arrays import DTYPES, dtype_of
from ccc.compile.native.dtypes import REALS, bytes_of
from ccc.compile.native.items import Axes, item_of, offset, store
from ccc.compile.native.layout import ZERO_OF, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import product
from ccc.compile.native.rearranging import diagonal, diagonal_length
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import matrices


@handles(matrices.diag)
def diag(m: Lowering, let: Let, x: Any) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    w, k = m.w, let.application.params.get("k", 0)
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) not in (1, 2):
        raise NotNative("`np.diag` of these values")
    source = m.arr(x)
    if len(x.axes) == 2:
        found = diagonal(m, source.axes, {"offset": k}, ())
        return Lazy(x.dtype, found.axes, lambda at: item_of(m, source, found.source(at)[0]).text, view=True)
    n = w.add(x.axes[0], str(abs(k)))
    return onto_diagonal(m, source, (n, n), k)


def onto_diagonal(m: Lowering, source: Any, axes: Axes, k: int) -> Arr:
    """A matrix of zeros but for a diagonal: the items of a vector, or one number."""
    w = m.w
    if isinstance(source, Arr) and len(source.axes) != 1:
        raise NotNative("what is no vector as a diagonal")
    n = diagonal_length(m, axes[0], axes[1], k)
    if isinstance(source, Arr):
        m.same_size(source.axes[0], n)
    dtype = source.dtype if isinstance(source, Arr) else DTYPES[source.type]
    size = product(m, axes)
    out = Arr(dtype, m.alloc(w.mul(size, bytes_of(dtype))), axes)
    zero = Num(number(dtype), ZERO_OF[number(dtype)])
    with w.each(size) as i:
        store(m, zero, dtype, out.ptr, i)
    with w.counted(n) as i:
        here = [w.add(i, str(max(-k, 0))), w.add(i, str(max(k, 0)))]
        store(m, item_of(m, source, [i]), dtype, out.ptr, offset(m, axes, here))
    return out


@handles(matrices.diagonal_onto)
def diagonal_onto(m: Lowering, let: Let, ct: Any, x: Any) -> Arr:
    return onto_diagonal(m, m.arr(ct), x.axes, let.application.params.get("k", 0))


@handles(matrices.trace_onto)
def trace_onto(m: Lowering, let: Let, ct: Any, x: Any) -> Arr:
    return onto_diagonal(m, m.number(ct, number(dtype_of(let.targets[0].object))), x.axes, 0)


@handles(matrices.trace)
def trace(m: Lowering, let: Let, x: Any) -> Num:
    w = m.w
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) != 2 or x.dtype not in (*REALS, "int64"):
        raise NotNative("`np.trace` of these values")
    type_, a = number(x.dtype), m.arr(x)
    total = w.local(type_)
    w.store(type_, "0" if type_ == "i64" else real(0.0), total)
    with w.counted(diagonal_length(m, a.axes[0], a.axes[1], 0)) as i:
        before, here = Num(type_, w.load(type_, total)), item_of(m, a, [i, i])
        w.store(type_, w.binary("add" if type_ == "i64" else "fadd", type_, before.text, here.text), total)
    return Num(type_, w.load(type_, total))
