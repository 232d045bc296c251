"""Items that are made one after the other along an axis: running sums and products, and recurrences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.arrays import same_axes
from ccc.compile.native.dtypes import REALS, bytes_of
from ccc.compile.native.items import item_of, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.rearranging import flattened
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import products, running


@handles(products.cumsum, what=("add", "0", -0.0))
@handles(products.cumprod, what=("mul", "1", 1.0))
def running_totals(m: Lowering, let: Let, x: Any, what: tuple[str, str, float]) -> Arr:
    """Each item joined to what those before it come to: an operation, and what it begins with."""
    w, params, name = m.w, let.application.params, let.application.primitive.name
    axis, (operation, whole, first) = params.get("axis"), what
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in ITEM:
        raise NotNative(f"`{name}` of these values")
    if axis is not None and not -len(x.axes) <= axis < len(x.axes):
        raise NotNative(f"`{name}` along an axis that there is not")
    a = flattened(m, x) if axis is None else m.arr(x)
    dtype = "int64" if a.dtype == "bool" else a.dtype
    type_ = number(dtype)

    def join(before: str, at: list[str]) -> str:
        here = conversions.converted(w, item_of(m, a, at), type_).text
        return w.binary(operation if type_ == "i64" else f"f{operation}", type_, before, here)

    return along(m, dtype, a.axes, (axis or 0) % len(a.axes), whole if type_ == "i64" else real(first), join)


@handles(running.running_max, after="ogt", least=-math.inf)
@handles(running.running_min, after="olt", least=math.inf)
def running_extrema(m: Lowering, let: Let, x: Any, after: str, least: float) -> Arr:
    """Each item, or what the one before it comes to where that lies behind it; once it is not a number, that."""
    w, axis = m.w, let.application.params["axis"]
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in REALS or not -len(x.axes) <= axis < len(x.axes):
        raise NotNative(f"`{let.application.primitive.name}` of these values")
    a = m.arr(x)
    type_ = number(a.dtype)

    def join(before: str, at: list[str]) -> str:
        here = item_of(m, a, at).text
        taken = w.binary("or", "i1", w.compared(after, type_, here, before), w.compared("uno", type_, here, here))
        return w.select(type_, taken, here, before)

    return along(m, a.dtype, a.axes, axis % len(a.axes), real(least), join)


@handles(products.recurrence)
def recurrence(m: Lowering, let: Let, b: Any, a: Any) -> Arr:
    """`z[k] = b[k] + a[k] z[k - 1]`, or back from the end, with the factor of the item behind."""
    w, backwards = m.w, let.application.params.get("reverse", False)
    if not all(isinstance(x, (Arr, Lazy)) and x.axes and x.dtype in REALS for x in (a, b)) or a.dtype != b.dtype:
        raise NotNative("a recurrence of these values")
    same_axes(m, b.axes, a.axes)
    added, factor, type_, n = m.arr(b), m.arr(a), number(b.dtype), b.axes[-1]
    last = w.sub(n, "1")

    def join(before: str, at: list[str]) -> str:
        begins = w.compare("eq", at[-1], last if backwards else "0")
        place = w.select("i64", begins, at[-1], w.add(at[-1], "1")) if backwards else at[-1]
        product_ = w.binary("fmul", type_, item_of(m, factor, [*at[:-1], place]).text, before)
        here = item_of(m, added, at).text
        return w.select(type_, begins, here, w.binary("fadd", type_, here, product_))

    return along(m, b.dtype, b.axes, len(b.axes) - 1, real(0.0), join, backwards)


def along(
    m: Lowering, dtype: str, axes: tuple[str, ...], axis: int, first: str, join: Callable[[str, list[str]], str],
    backwards: bool = False,
) -> Arr:
    """An array whose items along an axis are made from what stood there before, which is `first` at the beginning."""
    w, type_, n = m.w, number(dtype), axes[axis]
    out = Arr(dtype, m.alloc(w.mul(product(m, axes), bytes_of(dtype))), axes)
    carried = w.local(type_)
    with nest(m, [*axes[:axis], *axes[axis + 1 :]], ordered=True) as outer:
        w.store(type_, first, carried)
        with w.counted(n) as k:
            place = w.sub(w.sub(n, "1"), k) if backwards else k
            at = [*outer[:axis], place, *outer[axis:]]
            now = join(w.load(type_, carried), at)
            w.store(type_, now, carried)
            store(m, Num(type_, now), dtype, out.ptr, offset(m, axes, at))
    return out
