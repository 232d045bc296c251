"""Differences of items that stand beside each other, and their transposes."""

from __future__ import annotations

from typing import Any

from ccc.compile.native.arrays import nest, product
from ccc.compile.native.dtypes import REALS, bytes_of
from ccc.compile.native.items import item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.rearranging import At, replaced
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import rearranging


@handles(rearranging.diff)
def diff(m: Lowering, let: Let, x: Any) -> Any:
    params = let.application.params
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in (*REALS, "int64"):
        raise NotNative("`np.diff` of these values")
    axis = params.get("axis", -1) % len(x.axes)
    f = "fsub" if x.dtype in REALS else "sub"
    found: Any = m.arr(x)
    for _ in range(params.get("n", 1)):
        found = difference(m, m.arr(found), axis, f)
    return found


def difference(m: Lowering, a: Arr, axis: int, f: str) -> Lazy:
    w, type_ = m.w, number(a.dtype)
    n = a.axes[axis]
    fewer = w.sub(n, "1")
    axes = replaced(a.axes, axis, w.call("i64", "llvm.smax.i64", ("i64", fewer), ("i64", "0")))

    def at(ks: At) -> str:
        left, right = item_of(m, a, ks), item_of(m, a, replaced(ks, axis, w.add(ks[axis], "1")))
        return w.binary(f, type_, right.text, left.text)

    return Lazy(a.dtype, tuple(axes), at)


@handles(rearranging.diff_onto)
def diff_onto(m: Lowering, let: Let, ct: Any, x: Any) -> Arr:
    """Each cotangent taken from where it was taken from, and added to the item behind."""
    w, params = m.w, let.application.params
    axis = params.get("axis", -1) % len(x.axes)
    found, times = m.arr(ct), params.get("n", 1)
    for left in range(times - 1, -1, -1):
        n = w.sub(x.axes[axis], str(left)) if left else x.axes[axis]
        n = w.call("i64", "llvm.smax.i64", ("i64", n), ("i64", "0")) if left else n
        axes = tuple(replaced(x.axes, axis, n))
        dtype, type_ = found.dtype, ITEM[found.dtype]
        out = Arr(dtype, m.alloc(w.mul(product(m, axes), bytes_of(dtype))), axes)
        with w.each(product(m, axes)) as k:
            w.store(type_, real(0.0), w.at_index(type_, out.ptr, k))
        for f, moved in (("fsub", "0"), ("fadd", "1")):
            with nest(m, found.axes, ordered=True) as at:
                k = offset(m, axes, replaced(at, axis, w.add(at[axis], moved)))
                before = load(m, dtype, out.ptr, k)
                here = w.binary(f, type_, before, item_of(m, found, at).text)
                store(m, Num(type_, here), dtype, out.ptr, k)
        found = out
    return found
