"""New arrays: of one number, of a range, of other arrays put together, of the items of lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, parts, side_by_side
from ccc.compile.native.arrays import dtype_of, filled, fresh_copy, in_dtype, nest, product, same_axes, zeros_of
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import FLOATING, ITEM, REALS, bytes_of
from ccc.compile.native.items import Axes, item_of, offset, store
from ccc.compile.native.layout import Arr, Block, Fixed, Lazy, Lst, NotNative, Tup, words
from ccc.compile.native.slices import steps
from ccc.compile.native.table import Facts, handles, known
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.objects import Array
from ccc.primitives import creation, joining, zero_trees


def sizes(m: Lowering, let: Let, xs: Sequence[Any]) -> Axes:
    """The sizes of a new array; those that the type says are 1 are."""
    known = getattr(let.targets[0].object, "axes", None)
    found = [conversions.as_int(m.w, m.number(x)) for x in xs]
    for n in found:
        if is_name(n) or int(n) < 0:
            m.w.leave(m.w.compare("slt", n, "0"))
    return tuple(["1" if kind == "1" else n for n, kind in zip(found, known or found, strict=True)])


def constant_of(dtype: str, fill: float) -> Num:
    """The 0 or the 1 of a dtype."""
    if dtype in REALS:
        return Num(ITEM[dtype], real(fill))
    return Num("i64", str(int(fill))) if dtype == "int64" else Num("i1", str(bool(fill)).lower())


@handles(creation.zeros, facts=Facts(sizes=0, fill=0.0))
@handles(creation.ones, facts=Facts(sizes=0, fill=1.0))
@handles(creation.full, facts=Facts(sizes=1))
def new(m: Lowering, let: Let, *xs: Any) -> Any:
    facts, dtype = known(let), dtype_of(let.targets[0].object)
    first = m.number(xs[0]) if facts.fill is None else constant_of(dtype, facts.fill)
    axes = sizes(m, let, xs[facts.sizes :])
    if let in m.module.bounds.covered and dtype != "bool":
        return Arr(dtype, m.memory(dtype, product(m, axes)), axes)
    return filled(m, dtype, axes, first)


@handles(creation.blank, facts=Facts(sizes=0, fill=0.0))
def blank(m: Lowering, let: Let, *xs: Any) -> Lazy:
    dtype = dtype_of(let.targets[0].object)
    zero = constant_of(dtype, False).text
    return Lazy(dtype, sizes(m, let, xs), lambda at: zero, lambda k: zero, alike=True)


@handles(creation.zeros_like, zero_trees.spread_zero, facts=Facts(fill=0.0))
@handles(creation.ones_like, facts=Facts(fill=1.0))
def new_like(m: Lowering, let: Let, x: Any) -> Any:
    number_ = Num("double", real(known(let).fill or 0.0))
    if isinstance(x, Num) and not isinstance(let.targets[0].object, Array):
        return number_
    if isinstance(x, Num):
        return filled(m, dtype_of(let.targets[0].object), (), number_)
    return filled(m, dtype_of(let.targets[0].object), x.axes, number_)


@handles(creation.eye)
def eye(m: Lowering, let: Let, *xs: Any) -> Any:
    axes = sizes(m, let, (xs * 2)[:2])

    def at(ij: Any) -> str:
        return m.w.select("double", m.w.compare("eq", ij[0], ij[1]), real(1.0), real(0.0))

    return in_dtype(m, Lazy("float64", axes, at), dtype_of(let.targets[0].object))


@handles(creation.arange)
def arange(m: Lowering, let: Let, *xs: Any) -> Any:
    w = m.w
    given = [m.number(x) for x in xs]
    if any(x.type in FLOATING for x in given):
        if dtype_of(let.targets[0].object) != "float64":
            raise NotNative("`np.arange` of float32")
        return real_range(m, *[conversions.as_real(w, x) for x in given])
    if len(xs) == 3 and given[2].text != "1":
        a, b, by = [conversions.as_int(w, x) for x in given]
        w.leave(w.compare("eq", by, "0"))
        n = steps(m, a, b, by)

        def at(k: str) -> str:
            return w.binary("add", "i64", a, w.binary("mul", "i64", k, by))

        return Lazy("int64", (n,), lambda ks: at(ks[0]), at)
    xs = xs[:2]
    numbers = [conversions.as_int(w, m.number(x)) for x in xs]
    start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers
    n = w.call("i64", "llvm.smax.i64", ("i64", w.sub(stop, start)), ("i64", "0"))
    return Lazy("int64", (n,), lambda at: w.add(start, at[0]), lambda k: w.add(start, k))


def real_range(m: Lowering, *xs: str) -> Lazy:
    """`np.arange` of reals: each number is the start and so many times the step, as it is rounded at the start."""
    w = m.w
    start, stop = (real(0.0), xs[0]) if len(xs) == 1 else xs[:2]
    step = xs[2] if len(xs) == 3 else real(1.0)
    over = w.binary("fdiv", "double", w.binary("fsub", "double", stop, start), step)
    length = conversions.call(w, "llvm.ceil.f64", over)
    small = w.compared("olt", "double", conversions.call(w, "llvm.fabs.f64", length), real(2.0 ** 40))
    w.leave(w.binary("xor", "i1", small, "true"))
    n = w.call("i64", "llvm.smax.i64", ("i64", w.cast("fptosi", "double", length, "i64")), ("i64", "0"))
    by = w.binary("fsub", "double", w.binary("fadd", "double", start, step), start)

    def at(k: str) -> str:
        moved = w.binary("fmul", "double", conversions.as_real(w, Num("i64", k)), by)
        return w.binary("fadd", "double", start, moved)

    return Lazy("float64", (n,), lambda ks: at(ks[0]), at)


@handles(creation.places)
def places(m: Lowering, let: Let, x: Any) -> Lazy:
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) != 1:
        raise NotNative("the places of an array of higher rank")
    w = m.w
    if x.dtype == "int64":
        return Lazy("int64", x.axes, lambda ks: ks[0], lambda k: k)
    if dtype_of(let.targets[0].object) != "float64":
        raise NotNative("the places of an array of float32")
    return Lazy("float64", x.axes, lambda ks: conversions.as_real(w, Num("i64", ks[0])),
                lambda k: conversions.as_real(w, Num("i64", k)))


@handles(creation.linspace)
def linspace(m: Lowering, let: Let, a: Any, b: Any, n: Any) -> Any:
    w = m.w
    if any(isinstance(v, (Arr, Lazy)) and v.axes for v in (a, b)) or dtype_of(let.targets[0].object) != "float64":
        raise NotNative("`np.linspace` between arrays")
    x, y = (m.number(v, "double").text for v in (a, b))
    axes = sizes(m, let, [n])
    last = w.sub(axes[0], "1")
    w.leave(w.compare("slt", axes[0], "2"))
    step = w.binary("fdiv", "double", w.binary("fsub", "double", y, x), conversions.as_real(w, Num("i64", last)))

    def at(k: str) -> str:
        here = w.binary("fmul", "double", conversions.as_real(w, Num("i64", k)), step)
        return w.select("double", w.compare("eq", k, last), y, w.binary("fadd", "double", here, x))

    return Lazy("float64", axes, lambda ks: at(ks[0]), at)


@handles(joining.array_of, joining.stack)
def array_of(m: Lowering, let: Let, *xs: Any) -> Any:
    params = let.application.params
    dtype = dtype_of(let.targets[0].object)
    count = str(len(xs))
    if all(isinstance(x, Num) for x in xs):
        ptr = m.alloc(str(8 * len(xs)))
        for k, x in enumerate(xs):
            store(m, x, dtype, ptr, str(k))
        return Arr(dtype, ptr, (count,))
    given = [x if isinstance(x, Lazy) else m.arr(x) for x in xs]
    axis = params.get("axis", 0) % (len(given[0].axes) + 1)
    for x in given[1:]:
        same_axes(m, given[0].axes, x.axes)
    whole = side_by_side.stacked(m, given, axis, dtype)
    if whole is not None:
        return whole
    found = [m.arr(x) for x in given]
    axes = (*found[0].axes[:axis], count, *found[0].axes[axis:])
    ptr = m.alloc(m.w.mul(product(m, axes), bytes_of(dtype)))
    for k, x in enumerate(found):
        with nest(m, x.axes) as at:
            store(m, item_of(m, Arr(x.dtype, x.ptr, found[0].axes), at), dtype, ptr,
                  offset(m, axes, [*at[:axis], str(k), *at[axis:]]))
    return Arr(dtype, ptr, axes)


@handles(joining.concatenate)
def concatenate(m: Lowering, let: Let, *xs: Any) -> Any:
    w = m.w
    axis = let.application.params.get("axis", 0)
    if axis is None:
        raise NotNative("`np.concatenate` along no axis")
    if parts.in_parts(m, xs):
        return parts.concatenated(m, xs)
    found = [m.arr(x) for x in xs]
    axis %= len(found[0].axes)
    dtype = dtype_of(let.targets[0].object)
    total = "0"
    for x in found:
        same_axes(m, (*x.axes[:axis], *x.axes[axis + 1:]), (*found[0].axes[:axis], *found[0].axes[axis + 1:]))
        total = w.add(total, x.axes[axis])
    axes = (*found[0].axes[:axis], total, *found[0].axes[axis + 1:])
    ptr = m.alloc(w.mul(product(m, axes), bytes_of(dtype)))
    base = "0"
    for x in found:
        with nest(m, x.axes) as at:
            moved = w.add(base, at[axis])
            store(m, item_of(m, x, at), dtype, ptr, offset(m, axes, [*at[:axis], moved, *at[axis + 1:]]))
        base = w.add(base, x.axes[axis])
    return Arr(dtype, ptr, axes)


@handles(joining.piece)
def piece(m: Lowering, let: Let, ct: Any, *xs: Any) -> Any:
    params = let.application.params
    place, axis = params["place"], params.get("axis", 0)
    if axis is None or not all(isinstance(x, (Arr, Lazy)) for x in xs):
        raise NotNative("a part of a concatenation along no axis")
    axis %= len(ct.axes)
    base = "0"
    for x in xs[:place]:
        base = m.w.add(base, x.axes[axis])
    axes = (*ct.axes[:axis], xs[place].axes[axis], *ct.axes[axis + 1:])
    source = m.arr(ct)
    return Lazy(ct.dtype, axes, lambda at: item_of(
        m, source, [*at[:axis], m.w.add(base, at[axis]), *at[axis + 1:]]).text, view=True)


def as_rows(m: Lowering, xs: Lst, x: Any, item_at: Callable[[Lowering, Lst, str], Any]) -> Any:
    """A list of the cotangents of rows as the cotangent of the array."""
    w = m.w
    if isinstance(x, Num):
        raise NotNative("rows of a number")
    if xs.layout is None:
        return zeros_of(m, x)
    if xs.length != x.axes[0]:
        w.leave(w.compare("ne", xs.length, x.axes[0]))
    dtype = x.dtype if x.dtype in REALS else "float64"
    if len(x.axes) == 1 and words(xs.layout) == ["double"] and dtype == "float64":
        return fresh_copy(m, Arr("float64", xs.ptr, x.axes))
    if len(words(xs.layout)) != len(x.axes):
        raise NotNative("rows of other rank")
    have = xs.layout.dtype if isinstance(xs.layout, Block) else ""
    ptr = m.alloc(w.mul(product(m, x.axes), bytes_of(dtype)))
    with w.counted(xs.length) as k:
        row = item_at(m, xs, k)
        if isinstance(row, Num):
            store(m, row, dtype, ptr, k)
        elif isinstance(row, (Tup, Fixed)):
            raise NotNative("rows that are no arrays")
        else:
            same_axes(m, row.axes, x.axes[1:])
            with nest(m, x.axes[1:]) as at:
                store(m, item_of(m, Arr(have, row.ptr, x.axes[1:]), at), dtype, ptr, offset(m, x.axes, [k, *at]))
    return Arr(dtype, ptr, x.axes)
