"""Arrays of other shapes: sizes as numbers, axes in another order, added, taken away, broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions, strided
from ccc.compile.native.arrays import (
    broadcast_onto,
    by_row_of,
    dtype_of,
    filled,
    fresh_copy,
    in_dtype,
    lazy,
    of_rank,
    renamed,
    same_axes,
)
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import REALS
from ccc.compile.native.items import item_of, offset
from ccc.compile.native.layout import Arr, Lazy, NotNative, number
from ccc.compile.native.nests import product
from ccc.compile.native.table import handles
from ccc.compile.native.totals import picked, summed, total
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.primitives import broadcasting, inplace, reductions, shaping


@handles(shaping.dim)
def dim(m: Lowering, let: Let, x: Any) -> Num:
    return Num("i64", x.axes[let.application.params["axis"]])


@handles(reductions.count)
def count(m: Lowering, let: Let, x: Any) -> Num:
    params = let.application.params
    if not isinstance(x, (Arr, Lazy)):
        return Num("i64", "1")
    axes = picked(x, params.get("axis"))
    n = product(m, [x.axes[i] for i in axes])
    if not isinstance(params.get("ddof", 0), int):
        raise NotNative("`ddof` that is no integer")
    n = m.w.sub(n, str(params.get("ddof", 0)))
    return Num("i64", m.w.call("i64", "llvm.smax.i64", ("i64", n), ("i64", "1")))


@handles(shaping.size)
def size(m: Lowering, let: Let, x: Any) -> Num:
    return Num("i64", product(m, x.axes) if isinstance(x, (Arr, Lazy)) else "1")


@handles(shaping.transpose)
def transpose(m: Lowering, let: Let, x: Any, *rest: Any) -> Any:
    axes = let.application.params.get("axes")
    if isinstance(x, Num):
        return x
    order = tuple(axes) if axes is not None else tuple(reversed(range(len(x.axes))))
    return permuted(m, x, tuple([i % len(x.axes) for i in order]))


@handles(shaping.swapaxes)
def swapaxes(m: Lowering, let: Let, x: Any) -> Any:
    params = let.application.params
    order = list(range(len(x.axes)))
    i, j = params["axis1"] % len(order), params["axis2"] % len(order)
    order[i], order[j] = order[j], order[i]
    return permuted(m, x, tuple(order))


def permuted(m: Lowering, x: Any, order: tuple[int, ...]) -> Any:
    """An array with its axes in another order."""
    if order == tuple(range(len(order))):
        return x
    source = x if isinstance(x, Lazy) and x.view else m.arr(x)

    def at(ks: Sequence[str]) -> str:
        back = [""] * len(order)
        for k, i in zip(ks, order, strict=True):
            back[i] = k
        return item_of(m, source, back).text

    turned = source if order == (1, 0) and isinstance(source, Arr) else None
    of = strided.shown(m, source)
    found = Lazy(x.dtype, tuple([x.axes[i] for i in order]), at, None, turned, view=True)
    if of is not None:
        found.strided = strided.permuted(of, order)
        found.flat = strided.by_position(m, found.strided, found.axes)
    rows = source.in_rows if isinstance(source, Lazy) and order == (1, 0) else None
    if rows is not None:
        found.in_rows = lambda: (rows()[0], not rows()[1])
    return found


@handles(shaping.ravel)
@handles(shaping.flat)
def ravel(m: Lowering, let: Let, x: Any) -> Any:
    if isinstance(x, Num):
        return filled(m, dtype_of(let.targets[0].object), ("1",), x)
    a = m.arr(x)
    return Arr(a.dtype, a.ptr, (product(m, a.axes),))


@handles(shaping.reshape)
def reshape(m: Lowering, let: Let, x: Any, *xs: Any) -> Any:
    w = m.w
    a = m.arr(x)
    found = [conversions.as_int(w, m.number(n)) for n in xs]
    total = product(m, a.axes)
    if "-1" in found:
        others = product(m, [n for n in found if n != "-1"])
        w.leave(w.compare("slt", others, "1"))
        found[found.index("-1")] = w.sdiv(total, others) if others != "1" else total
    axes = tuple(found)
    if product(m, axes) != total:
        w.leave(w.compare("ne", product(m, axes), total))
    for n in axes:
        if is_name(n):
            w.leave(w.compare("slt", n, "0"))
    return Arr(a.dtype, a.ptr, axes)


@handles(shaping.reshape_like)
def reshape_like(m: Lowering, let: Let, x: Any, like: Any) -> Any:
    w = m.w
    if not isinstance(like, (Arr, Lazy)):
        return m.number(x) if not isinstance(x, (Arr, Lazy)) else item_of(m, x, ["0"] * len(x.axes))
    if not isinstance(x, (Arr, Lazy)):
        return filled(m, like.dtype if like.dtype in REALS else "float64", like.axes, m.number(x))
    flat = x.flat if isinstance(x, Lazy) and let.targets[0] in m.module.only_stored else None
    a = m.arr(x) if flat is None else x
    have, want = [sorted([m.sizes.name(n) for n in v.axes if not m.single(n)]) for v in (x, like)]
    if have != want:
        w.leave(w.compare("ne", product(m, have), product(m, want)))
    if isinstance(a, Arr):
        return Arr(a.dtype, a.ptr, like.axes)
    assert flat is not None
    return Lazy(a.dtype, like.axes, lambda at: flat(offset(m, like.axes, at)), flat)


def wider(m: Lowering, let: Let, x: Any, rank: int) -> Any:
    """A number as an array with axes of size 1."""
    return filled(m, dtype_of(let.targets[0].object), ("1",) * rank, x)


@handles(shaping.expand_dims)
def expand_dims(m: Lowering, let: Let, x: Any) -> Any:
    axis = let.application.params["axis"]
    new = axis if isinstance(axis, tuple) else (axis,)
    if isinstance(x, Num):
        return wider(m, let, x, len(new))
    axes = list(x.axes)
    rank = len(axes) + len(new)
    for i in sorted(i % rank for i in new):
        axes.insert(i, "1")
    gone = {i % rank for i in new}
    return with_axes(m, x, axes, [i for i in range(rank) if i not in gone])


@handles(shaping.squeeze)
def squeeze(m: Lowering, let: Let, x: Any) -> Any:
    axis = let.application.params.get("axis")
    if isinstance(x, Num):
        return x
    gone = [i for i, n in enumerate(x.axes) if n == "1"] if axis is None else picked(x, axis)
    for i, n in enumerate(x.axes):
        if axis is None and is_name(n):  # as many axes are left as at the sizes that are known
            m.guard("eq", n, "1")
        elif i in gone and n != "1":
            m.guard("ne", n, "1")
    left = [i for i in range(len(x.axes)) if i not in gone]
    where = {i: k for k, i in enumerate(left)}
    return with_axes(m, x, [x.axes[i] for i in left], list(map(where.get, range(len(x.axes)))))


@handles(shaping.atleast_2d)
def atleast_2d(m: Lowering, let: Let, x: Any) -> Any:
    if isinstance(x, Num):
        return wider(m, let, x, 2)
    more = max(0, 2 - len(x.axes))
    return with_axes(m, x, ["1"] * more + [*x.axes], [more + i for i in range(len(x.axes))])


def with_axes(m: Lowering, x: Any, axes: Sequence[str], where: Sequence[int | None]) -> Any:
    """The same items with axes of size 1 more or less: `where` those that it has are now, None for one that is not."""
    if isinstance(x, Lazy) and x.view and axes:
        item, of = x.item, strided.moved(x.strided, where, len(axes))
        return Lazy(x.dtype, tuple(axes), lambda at: item(tuple(["0" if i is None else at[i] for i in where])),
                    strided.by_position(m, of, tuple(axes)) or x.flat, view=True, strided=of)
    a = m.arr(x)
    found = Arr(a.dtype, a.ptr, tuple(axes))
    return found if axes else item_of(m, found, ())


@handles(shaping.copy)
def copy(m: Lowering, let: Let, x: Any) -> Any:
    if not isinstance(x, (Arr, Lazy)) or not x.axes:
        dtype = dtype_of(let.targets[0].object)
        return filled(m, dtype, (), m.number(x, number(dtype)))
    return fresh_copy(m, x)


@handles(shaping.atleast_1d)
def atleast_1d(m: Lowering, let: Let, x: Any) -> Any:
    if isinstance(x, Num):
        return ravel(m, let, x)
    return copy(m, let, x) if x.axes else with_axes(m, copy(m, let, x), ("1",), ())


@handles(inplace.updated)
def updated(m: Lowering, let: Let, new: Any, old: Any) -> Any:
    if isinstance(old, Num) and getattr(let.args[1].object, "axes", None) != ():
        return new  # a number is not changed: its name stands for another value
    if not isinstance(new, (Arr, Lazy)) or not isinstance(old, (Arr, Lazy)) or new.dtype != old.dtype:
        raise NotNative("an update by another kind of value")
    same_axes(m, new.axes, old.axes)
    return renamed(new, old.axes)


@handles(broadcasting.broadcast_like)
def broadcast_like(m: Lowering, let: Let, x: Any, like: Any) -> Any:
    return conformed(m, x, like, exact=False)


def conformed(m: Lowering, x: Any, like: Any, exact: bool = True) -> Any:
    """A number or array in the shape of another."""
    if not isinstance(like, (Arr, Lazy)) or not like.axes:
        return m.number(x)
    if isinstance(x, Num):
        return filled(m, like.dtype if like.dtype in REALS else "float64", like.axes, x)
    if not isinstance(x, (Arr, Lazy)):
        raise NotNative("a cotangent that is not there")
    x = of_rank(m, x, len(like.axes)) if len(x.axes) > len(like.axes) else x
    broadcast_onto(m, x.axes, like.axes)
    found, dtype = renamed(x, like.axes), like.dtype if like.dtype in REALS else "float64"
    if exact or found.dtype != dtype:
        return found if not exact and found.axes == like.axes else lazy(m, dtype, like.axes, [found], lambda v: v)
    if found.axes == like.axes:
        return found
    smaller = found if isinstance(found, Lazy) and found.view else m.arr(found)
    rows = by_row_of(m, smaller, like.axes)
    return Lazy(dtype, like.axes, lambda at: item_of(m, smaller, at).text, view=True,
                by_row=None if rows is None else lambda *at: rows(*at).text)


@handles(reductions.expanded)
def expanded(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    gone = picked(x, let.application.params["axis"])
    axes = list(ct.axes) if isinstance(ct, (Arr, Lazy)) else []
    for i in gone:
        axes.insert(i, "1")
    source = ct if isinstance(ct, Num) else m.arr(ct)
    wide = source if isinstance(source, Num) else Arr(source.dtype, source.ptr, tuple(axes))
    return conformed(m, wide, x, exact=False)


@handles(broadcasting.unbroadcast)
def unbroadcast(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    found = unstretched(m, ct, x)
    return in_dtype(m, found, dtype_of(let.targets[0].object)) if isinstance(found, (Arr, Lazy)) else found


def unstretched(m: Lowering, ct: Any, x: Any) -> Any:
    """A cotangent summed along the axes along which an array was stretched."""
    if not isinstance(x, (Arr, Lazy)) or not x.axes:
        return total(m, ct) if isinstance(ct, (Arr, Lazy)) else ct
    if not isinstance(ct, (Arr, Lazy)):
        return conformed(m, ct, x)
    extra = len(ct.axes) - len(x.axes)
    if extra < 0:
        for n in x.axes[:-extra]:
            m.same_size(n, "1")
        ct, extra = of_rank(m, ct, len(x.axes)), 0
    gone = [*range(extra), *[i + extra for i, n in enumerate(x.axes) if n == "1" and ct.axes[i + extra] != "1"]]
    for i, n in enumerate(x.axes):
        if n != "1":
            m.same_size(ct.axes[i + extra], n)
    if not gone:
        return renamed(ct, x.axes)
    found = m.arr(in_dtype(m, summed(m, ct, gone, []), ct.dtype))
    return Arr(found.dtype, found.ptr, x.axes)
