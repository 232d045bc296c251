"""Reductions beside sums and extrema: tests, moments, norms, products, the places of extrema, and shapes as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.compile.native import conversions, integers, scalars, truths, whole_numbers
from ccc.compile.native.arrays import in_dtype, lazy, renamed
from ccc.compile.native.body import SUM
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import FLOATING, REALS, item_dtype
from ccc.compile.native.instructions import MAXIMUM, MINIMUM, SQRT, Opcode
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, Lst, NotNative, Word, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.totals import along, picked, reduced, summed, total
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import products, reductions, shaping


def asked(let: Let, x: Any, *dtypes: str) -> tuple[list[int], list[int], bool]:
    """The axes of a reduction, those that stay with size 1, and whether the result is one number."""
    params, name = let.application.params, let.application.primitive.name
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in (dtypes or REALS):
        raise NotNative(f"`{name}` of these values")
    gone = picked(x, params.get("axis"))
    keeps = bool(params.get("keepdims"))
    return gone, gone if keeps else [], len(gone) == len(x.axes) and not keeps


def count_of(m: Lowering, x: Any, gone: Sequence[int]) -> str:
    return product(m, [x.axes[i] for i in gone])


def shown(x: Any, gone: Sequence[int], kept: Sequence[int]) -> Axes:
    return tuple(["1" if i in gone else n for i, n in enumerate(x.axes) if i not in gone or i in kept])


# -- tests -----------------------------------------------------------------------------------------------------------


@handles(reductions.any_)
@handles(reductions.all_, negated=True)
@handles(reductions.count_nonzero, counts=True)
def any_(m: Lowering, let: Let, x: Any, negated: bool = False, counts: bool = False) -> Any:
    """Whether some item is true, or all are; how many."""
    w = m.w
    if isinstance(x, Num):
        truth = Num("i1", conversions.as_bool(w, x))
        return Num("i64", conversions.as_int(w, truth)) if counts else truth
    gone, kept, one = asked(let, x, *ITEM)

    def test(v: Num) -> Num:
        found = conversions.as_bool(w, v)
        return Num("i1", w.binary("xor", "i1", found, "true") if negated else found)

    if one and not counts:
        tests = lazy(m, "bool", x.axes, [x], test)
        found = reduced(m, tests, "false", lambda a, v: w.binary("or", "i1", a, v.text), "i1")
        return Num("i1", w.binary("xor", "i1", found.text, "true")) if negated else found
    ones = lazy(m, "float64", x.axes, [x], lambda v: Num("double", conversions.as_real(w, test(v))))
    if one:
        return Num("i64", w.cast("fptosi", "double", total(m, ones).text, "i64"))
    out = summed(m, ones, gone, kept)
    if counts:
        return lazy(m, "int64", out.axes, [out], lambda v: Num("i64", w.cast("fptosi", "double", v.text, "i64")))
    what = "oeq" if negated else "one"
    return lazy(m, "bool", out.axes, [out], lambda v: Num("i1", w.compared(what, "double", v.text, real(0.0))))


# -- moments ---------------------------------------------------------------------------------------------------------


@handles(reductions.var, root=False)
@handles(reductions.std, root=True)
def var(m: Lowering, let: Let, x: Any, root: bool) -> Any:
    """The mean of the squares of what is left when the mean is taken away."""
    w, params = m.w, let.application.params
    gone, kept, one = asked(let, x)
    n = count_of(m, x, gone)
    ddof = params.get("ddof", 0)
    if not isinstance(ddof, int) or ddof < 0:
        raise NotNative("a variance with this correction")
    m.guard("slt", n, str(ddof + 1))  # of fewer NumPy warns
    source = m.arr(x)
    size = Num("double", conversions.as_real(w, Num("i64", n)))
    rest = Num("double", conversions.as_real(w, Num("i64", w.sub(n, str(ddof)))))

    def final(v: Num) -> Num:
        found = scalars.divide(w, False, v, rest)
        return Num("double", conversions.call(w, "llvm.sqrt.f64", conversions.as_real(w, found))) if root else found

    def away(v: Num, centre: Num) -> Num:
        d = scalars.sub(w, False, v, centre)
        return scalars.mul(w, False, d, d)

    if one:
        centre = scalars.divide(w, False, total(m, source), size)
        return final(total(m, lazy(m, "float64", source.axes, [source], lambda v: away(v, centre))))
    sums = summed(m, source, gone, gone)
    centres = m.arr(lazy(m, "float64", sums.axes, [sums], lambda v: scalars.divide(w, False, v, size)))
    wide = renamed(Arr("float64", centres.ptr, tuple(["1" if i in gone else k for i, k in enumerate(source.axes)])),
                   source.axes)
    out = summed(m, lazy(m, "float64", source.axes, [source, wide], away), gone, kept)
    return lazy(m, x.dtype, out.axes, [out], final)


@handles(reductions.norm)
def norm(m: Lowering, let: Let, x: Any) -> Any:
    w, axis = m.w, let.application.params.get("axis")
    gone, kept, one = asked(let, x)
    if isinstance(axis, tuple) and len(axis) != 2:
        raise NotNative("`np.linalg.norm` along these axes")
    squares = lazy(m, x.dtype, x.axes, [x], lambda v: scalars.square(w, False, v))
    if one:
        found = total(m, squares)
        return Num(found.type, conversions.called(w, SQRT, found.type, found.text))
    out = summed(m, squares, gone, kept)
    return lazy(m, x.dtype, out.axes, [out], lambda v: Num("double", conversions.call(w, "llvm.sqrt.f64", v.text)))


# -- what is not a number is left out --------------------------------------------------------------------------------


def is_number(m: Lowering, v: Num) -> str:
    return m.w.compared("ord", v.type, v.text, v.text)


@handles(reductions.nansum, mean=False)
@handles(reductions.nanmean, mean=True)
def nansum(m: Lowering, let: Let, x: Any, mean: bool) -> Any:
    w = m.w
    gone, kept, one = asked(let, x)
    zero = real(0.0)
    x = m.arr(x)
    values = lazy(m, x.dtype, x.axes, [x], lambda v: Num(v.type, w.select(v.type, is_number(m, v), v.text, zero)))

    def counted(v: Num) -> Num:
        return Num("double", conversions.as_real(w, Num("i1", is_number(m, v))))

    counts = lazy(m, "float64", x.axes, [x], counted)
    if one:
        found = total(m, values)
        if not mean:
            return found
        n = total(m, counts)
        w.spoil(w.compared("oeq", "double", n.text, zero))  # of which NumPy warns
        return scalars.divide(w, False, found, n)
    out = summed(m, values, gone, kept)
    if not mean:
        return in_dtype(m, out, x.dtype)
    number_ = summed(m, counts, gone, kept)
    with nest(m, number_.axes) as at:
        w.spoil(w.compared("oeq", "double", item_of(m, number_, at).text, zero))
    return lazy(m, x.dtype, out.axes, [out, number_], lambda v, n: scalars.divide(w, False, v, n))


@handles(reductions.nanmax, choice=MAXIMUM, start=-math.inf)
@handles(reductions.nanmin, choice=MINIMUM, start=math.inf)
def nanmax(m: Lowering, let: Let, x: Any, choice: Opcode, start: float) -> Any:
    """The largest of the numbers; leaves where there are none, of which NumPy warns or raises."""
    w = m.w
    gone, kept, one = asked(let, x)
    type_ = ITEM[x.dtype]

    def step(a: str, v: Num) -> str:
        return w.select(type_, is_number(m, v), conversions.called(w, choice, type_, a, v.text), a)

    def found(v: str) -> None:
        w.spoil(w.compared("oeq", type_, v, real(start)))

    if one:
        result = reduced(m, x, real(start), step, type_)
        found(result.text)
        return result
    out = along(m, m.arr(x), gone, real(start), step, kept, x.dtype)
    with nest(m, out.axes) as at:
        found(item_of(m, out, at).text)
    return out


@handles(reductions.present)
def present(m: Lowering, let: Let, x: Any) -> Any:
    """1 at numbers and 0 elsewhere, divided by how many there are where a mean is taken."""
    w, params = m.w, let.application.params
    gone, _, _ = asked(let, x)
    x = m.arr(x)
    found = lazy(m, x.dtype, x.axes, [x], lambda v: Num("double", conversions.as_real(w, Num("i1", is_number(m, v)))))
    if not params.get("mean"):
        return found
    n = summed(m, found, gone, gone)
    n = renamed(Arr("float64", n.ptr, tuple(["1" if i in gone else k for i, k in enumerate(x.axes)])), x.axes)

    def part(v: Num, count: Num) -> Num:
        least = conversions.call(w, "llvm.maximum.f64", count.text, real(1.0))
        return scalars.divide(w, False, v, Num("double", least))

    return lazy(m, x.dtype, x.axes, [found, n], part)


# -- products --------------------------------------------------------------------------------------------------------


@handles(products.prod)
def prod(m: Lowering, let: Let, x: Any) -> Any:
    gone, kept, one = asked(let, x)

    def step(a: str, v: Num) -> str:
        return m.w.binary("fmul", "double", a, conversions.as_real(m.w, v), SUM)

    return reduced(m, x, real(1.0), step) if one else in_dtype(
        m, along(m, m.arr(x), gone, real(1.0), step, kept), x.dtype)


def last_rows(m: Lowering, x: Any) -> tuple[Arr, str, str]:
    """An array of reals, how many rows it has along its last axis, and how long they are."""
    if not isinstance(x, (Arr, Lazy)) or x.dtype != "float64" or not x.axes:
        raise NotNative("a product of these values")
    a = m.arr(x)
    return a, product(m, a.axes[:-1]), a.axes[-1]


@handles(products.others)
def others(m: Lowering, let: Let, x: Any) -> Arr:
    """At each place along the last axis, the product of the items at the other places."""
    w = m.w
    a, count, n = last_rows(m, x)
    out = Arr("float64", m.alloc(w.mul(product(m, a.axes), "8")), a.axes)
    so_far = w.local("double")
    with w.counted(count) as i:
        base = w.mul(i, n)
        for forward in (True, False):
            w.store("double", real(1.0), so_far)
            with w.counted(n) as k:
                j = w.add(base, k if forward else w.sub(w.sub(n, "1"), k))
                at, here = w.at_index("double", out.ptr, j), w.load("double", so_far)
                both = here if forward else w.binary("fmul", "double", w.load("double", at), here)
                w.store("double", both, at)
                w.store("double", w.binary("fmul", "double", here, load(m, "float64", a.ptr, j)), so_far)
    return out


@handles(products.all_but_one, place=1.0)
@handles(products.off_diagonal, place=0.0)
def all_but_one(m: Lowering, let: Let, x: Any, place: float) -> Lazy:
    """Row i repeats the last axis, with 1 or 0 in place i."""
    w = m.w
    a, _, n = last_rows(m, x)
    inside = real(place)

    def at(ks: Sequence[str]) -> str:
        here = item_of(m, a, [*ks[:-2], ks[-1]]).text
        return w.select("double", w.compare("eq", ks[-2], ks[-1]), inside, here)

    return Lazy("float64", (*a.axes, n), at)


@handles(products.sum_off_diagonal)
def sum_off_diagonal(m: Lowering, let: Let, g: Any) -> Arr:
    w = m.w

    def at(ks: Sequence[str]) -> str:
        return w.select("double", w.compare("eq", ks[-2], ks[-1]), real(0.0), item_of(m, a, ks).text)

    a, _, _ = last_rows(m, g)
    return summed(m, m.arr(Lazy("float64", a.axes, at)), [len(a.axes) - 2], [])


# -- places of extrema -----------------------------------------------------------------------------------------------


@handles(reductions.argmax, what="gt")
@handles(reductions.argmin, what="lt")
def argmax(m: Lowering, let: Let, x: Any, what: str) -> Any:
    """Where the first of the largest items stands. Leaves where one is not a number."""
    w, params = m.w, let.application.params
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in (*REALS, "int64") or set(params) - {"axis"}:
        raise NotNative("the place of the largest of these values")
    a, axis = m.arr(x), params.get("axis")
    if axis is None:
        a, axis = Arr(a.dtype, a.ptr, (product(m, a.axes),)), 0
    axis %= len(a.axes)
    n, type_ = a.axes[axis], number(a.dtype)
    if is_name(n) or n == "0":
        w.leave(w.compare("slt", n, "1"))
    rest = (*a.axes[:axis], *a.axes[axis + 1 :])
    out = m.alloc(w.mul(product(m, rest), "8")) if rest else ""
    best, where = w.local(type_), w.local("i64")
    with nest(m, rest, ordered=True) as outer:
        w.store(type_, item_of(m, a, [*outer[:axis], "0", *outer[axis:]]).text, best)
        w.store("i64", "0", where)
        with w.counted(n) as k:
            v, old = item_of(m, a, [*outer[:axis], k, *outer[axis:]]), Num(type_, w.load(type_, best))
            if type_ in FLOATING:
                w.spoil(w.compared("uno", type_, v.text, v.text))
            better = truths.compared(w, what, v, old)
            w.store(type_, w.select(type_, better, v.text, old.text), best)
            w.store("i64", w.select("i64", better, k, w.load("i64", where)), where)
        if not rest:
            return Num("i64", w.load("i64", where))
        store(m, Num("i64", w.load("i64", where)), "int64", out, offset(m, rest, outer))
    return Arr("int64", out, rest)


# -- shapes and dtypes -----------------------------------------------------------------------------------------------


@handles(shaping.ndim)
def ndim(m: Lowering, let: Let, x: Any) -> Num:
    return Num("i64", str(len(x.axes)) if isinstance(x, (Arr, Lazy)) else "0")


@handles(shaping.shape)
def shape(m: Lowering, let: Let, x: Any) -> Lst:
    axes = x.axes if isinstance(x, (Arr, Lazy)) else ()
    ptr = m.alloc(str(8 * max(1, len(axes))))
    for i, n in enumerate(axes):
        m.w.store("i64", n, m.w.at_index("i64", ptr, str(i)))
    return Lst(Word("i64"), ptr, str(len(axes)), str(len(axes)))


@handles(shaping.astype, facts=Facts(bits=True))
def astype(m: Lowering, let: Let, x: Any) -> Any:
    """Items of another dtype; leaves where a real is no integer that fits."""
    w, dtype = m.w, let.application.params["dtype"]
    have, want = let.args[0].object, item_dtype(dtype)
    if want not in ITEM:
        raise NotNative(f"arrays of {dtype}")

    def converted(v: Num) -> Num:
        if want == "int64":
            return integers.converted(w, v, np.dtype(dtype), whole_numbers.to_int)
        v = integers.real_of(w, v) if want in REALS and integers.is_unsigned(have) else v
        return conversions.converted(w, v, number(want))

    return lazy(m, want, x.axes, [x], converted) if isinstance(x, (Arr, Lazy)) else converted(m.number(x))
