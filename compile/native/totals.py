"""Sums, means and extrema over all items or along axes, and where the cotangents of extrema go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, parallel_parts, scalars, truths
from ccc.compile.native.arrays import (
    ByRow,
    broadcast_onto,
    by_row_of,
    dtype_of,
    either,
    filled,
    flat_of,
    forced,
    in_dtype,
    indices,
    lazy,
    renamed,
)
from ccc.compile.native.body import SUM
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import REALS, bytes_of
from ccc.compile.native.elementwise_fusion import gathered, grouped
from ccc.compile.native.extrema import BOUND, share
from ccc.compile.native.instructions import MAXIMUM, MINIMUM, SMAX, SMIN
from ccc.compile.native.items import Axes, item_of, offset
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import may_share, nest, product
from ccc.compile.native.row_sums import row_sums
from ccc.compile.native.short_rows import each_item
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import broadcasting, reductions


def picked(x: Any, axis: Any) -> list[int]:
    """The axes that a reduction is over."""
    rank = len(x.axes)
    if axis is None:
        return list(range(rank))
    return sorted(i % rank for i in (axis if isinstance(axis, tuple) else (axis,)))


def reduced(m: Lowering, x: Any, start: str, step: Callable[[str, Num], str], type_: str = "double") -> Num:
    """One number from all items."""
    w = m.w
    flat = flat_of(m, x, x.axes)
    if flat is None and isinstance(x, Lazy) and (member := grouped(m, x)) is not None:
        flat = flat_of(m, member, x.axes)
    found = None if flat is None else gathered(m, x.axes, flat, start, step, type_)
    if found is not None:
        return found
    place = w.local(type_)
    w.store(type_, start, place)
    with nest(m, x.axes) as at:
        w.store(type_, step(w.load(type_, place), item_of(m, x, at)), place)
    return Num(type_, w.load(type_, place))


def plus(m: Lowering, a: str, x: Num) -> str:
    return m.w.binary("fadd", "double", a, conversions.as_real(m.w, x), SUM)


def total(m: Lowering, x: Any) -> Num:
    """The sum of all items."""
    if not isinstance(x, (Arr, Lazy)):
        return m.number(x)
    if x.dtype not in REALS:
        return reduced(m, x, "0", lambda a, v: m.w.binary("add", "i64", a, conversions.as_int(m.w, v)), "i64")
    return conversions.converted(m.w, reduced(m, x, real(0.0), lambda a, v: plus(m, a, v)), ITEM[x.dtype])


def summed(m: Lowering, x: Any, gone: Sequence[int], kept: Sequence[int]) -> Arr:
    """Sums over some axes, as doubles; those in `kept` stay with size 1."""
    if len(gone) == len(x.axes) > 1:
        whole = Num("double", conversions.as_real(m.w, total(m, x)))
        return forced(m, filled(m, "float64", ("1",) * len(kept), whole))
    return along(m, x, gone, real(0.0), lambda a, v: plus(m, a, v), kept, sums=True)


def along(
    m: Lowering, x: Any, gone: Sequence[int], start: str, step: Callable[[str, Num], str], kept: Sequence[int],
    dtype: str = "float64", sums: bool = False,
) -> Arr:
    """A reduction over some axes; `sums` says that it is a sum of reals."""
    w, type_ = m.w, ITEM[dtype]
    stays = [i for i in range(len(x.axes)) if i not in gone]
    axes = tuple([x.axes[i] for i in stays])
    shown = tuple(["1" if i in gone else x.axes[i] for i in range(len(x.axes)) if i in stays or i in kept])
    if sums and (found := side_sums(m, x, gone, axes)) is not None:
        return Arr(dtype, found, shown)
    size = w.mul(product(m, axes), bytes_of(dtype))
    if len(x.axes) - 1 in gone:
        by_vectors = sums and len(axes) == len(gone) == 1
        ptr = m.alloc(w.add(size, str(8 * w.lanes)) if by_vectors else size)

        def rows(outers: Sequence[Sequence[str]], ordered: bool = False) -> list[str]:
            places = [w.local(type_) for _ in outers]
            for place in places:
                w.store(type_, start, place)
            with nest(m, [x.axes[i] for i in gone], ordered) as inner:
                for outer, place in zip(outers, places, strict=True):
                    at = [""] * len(x.axes)
                    for i, k in [*zip(stays, outer, strict=True), *zip(gone, inner, strict=True)]:
                        at[i] = k
                    w.store(type_, step(w.load(type_, place), item_of(m, x, at)), place)
            return places

        def one_by_one() -> None:
            if by_vectors:
                row_sums(m, axes[0], x.axes[gone[0]], lambda ks: rows([[k] for k in ks]), ptr)
                return
            with nest(m, axes, apart=True) as outer:
                here = offset(m, axes, outer)
                w.store(type_, w.load(type_, rows([outer])[0]), w.at_index(type_, ptr, here))

        def several() -> None:
            with each_item(m, product(m, axes), product(m, [x.axes[i] for i in gone])) as k:
                (place,) = rows([indices(m, axes, k)], ordered=True)
                w.store(type_, w.load(type_, place), w.at_index(type_, ptr, k))

        if all(n == "1" for n in axes):
            one_by_one()
        else:
            either(m, product(m, [x.axes[i] for i in gone]), several, one_by_one)
    else:
        ptr = m.alloc(size)
        leading(m, x, gone, start, step, ptr, type_, sums)
    return Arr(dtype, ptr, shown)


STEPS = 4
"""Sums in registers are made in so many parts, which do not wait for each other."""
LONG = 4096
"""Of so many short rows the sums are made by one loop over the rows."""
MANY = 64
"""So many short rows are added up several at once."""
NARROW = 32
"""So many sums at most are made one after the other, in registers: others by rows, which are read in order."""


def leading(
    m: Lowering, x: Any, gone: Sequence[int], start: str, step: Callable[[str, Num], str], ptr: str, type_: str,
    sums: bool,
) -> None:
    """A reduction over axes of which the last one is not, into memory."""
    w = m.w
    stays = [i for i in range(len(x.axes)) if i not in gone]
    axes = tuple([x.axes[i] for i in stays])
    both, by_rows, after = w.gap(), w.gap(), w.gap()
    with w.within(by_rows):
        with w.each(product(m, axes)) as k:
            w.store(type_, start, w.at_index(type_, ptr, k))
        rows_onto(m, x, stays, step, ptr, type_)
    if not w.lanes or not in_registers(m, x, gone, stays):
        return
    few, many, done = w.block("few"), w.block("many"), w.block("reduced")
    together = by_row_of(m, x, x.axes) if sums and several_rows(m, x, gone, axes) else None
    with w.within(both):
        w.fork(w.compare("sle", axes[-1], str(NARROW)), few, many)
        w.label(few)
        if together is not None:
            narrow(m, together, product(m, [x.axes[i] for i in gone]), axes[-1], ptr)
        else:
            in_columns(m, x, gone, start, step, ptr, type_, sums)
        w.jump(done)
        w.label(many)
    with w.within(after):
        w.jump(done)
        w.label(done)
    both.plain, after.plain = [], []  # where runs of a loop around this go side by side, it goes by rows


def in_columns(
    m: Lowering, x: Any, gone: Sequence[int], start: str, step: Callable[[str, Num], str], ptr: str, type_: str,
    sums: bool,
) -> None:
    """Each result after the other, in registers."""
    w = m.w
    stays = [i for i in range(len(x.axes)) if i not in gone]
    axes = tuple([x.axes[i] for i in stays])
    with nest(m, axes[:-1], ordered=True) as outer, w.each(axes[-1]) as k:
        parts = [w.local(type_) for _ in range(STEPS if sums else 1)]
        for part in parts:
            w.store(type_, start, part)
        with nest(m, [x.axes[i] for i in gone[:-1]], ordered=True) as inner:
            for last, run in w.in_steps(x.axes[gone[-1]], len(parts)):
                at = [""] * len(x.axes)
                for i, n in zip([*stays, *gone], [*outer, k, *inner, last], strict=True):
                    at[i] = n
                w.store(type_, step(w.load(type_, parts[run]), item_of(m, x, at)), parts[run])
        found = w.load(type_, parts[0])
        for part in parts[1:]:
            found = plus(m, found, Num(type_, w.load(type_, part)))
        w.store(type_, found, w.at_index(type_, ptr, offset(m, axes, [*outer, k])))


def side_sums(m: Lowering, x: Any, gone: Sequence[int], axes: Axes) -> str | None:
    """Where the sums of many rows shorter than a vector, of a known length, are: each is gathered by one loop over the
    rows, which other operations join and threads share; None for others."""
    w = m.w
    if len(axes) != 1 or is_name(axes[0]) or not 1 < int(axes[0]) < w.lanes or len(x.axes) - 1 in gone:
        return None
    rows = product(m, [x.axes[i] for i in gone])
    count = m.at_first(rows)
    item = by_row_of(m, x, x.axes) if count is not None and count >= LONG else None
    if item is None:
        return None
    found = list[Num]()
    for j in range(int(axes[0])):
        def at(k: str, j: int = j) -> Num:
            return Num("double", conversions.as_real(w, item(w.add(w.mul(k, axes[0]), str(j)), k, str(j))))

        one = gathered(m, (rows,), at, real(0.0), lambda a, v: plus(m, a, v), "double")
        if one is None:
            return None
        found.append(one)
    ptr = m.alloc(str(8 * len(found)))
    for j, one in enumerate(found):
        w.store("double", one.text, w.at_index("double", ptr, str(j)))
    return ptr


def several_rows(m: Lowering, x: Any, gone: Sequence[int], axes: Sequence[str]) -> bool:
    """Whether rows shorter than a vector are added up, many of them, all that there are."""
    width, count = m.usual(axes[-1]), m.at_first(product(m, [x.axes[i] for i in gone]))
    return len(axes) == 1 and width is not None and 1 < width < m.w.lanes and (count is None or count >= MANY)


def narrow(m: Lowering, item: ByRow, count: str, width: str, ptr: str) -> None:
    """Sums of short rows: of as many rows at once as a vector has lanes, which lie side by side; then of these."""
    w = m.w
    lanes = str(w.lanes)
    wide, whole = w.mul(width, lanes), w.sdiv(count, lanes)
    sums = m.alloc(w.mul(wide, "8"))

    def several(at: Sequence[str]) -> str:
        among, column = w.binary("udiv", "i64", at[1], width), w.binary("urem", "i64", at[1], width)
        now, row = w.add(w.mul(at[0], wide), at[1]), w.add(w.mul(at[0], lanes), among)
        return conversions.as_real(w, item(now, row, column))

    rows = Lazy("float64", (whole, wide), several)
    in_columns(m, rows, [0], real(0.0), lambda a, v: plus(m, a, v), sums, "double", True)
    with w.counted(width) as k:
        place = w.local("double")
        w.store("double", real(0.0), place)
        with w.counted(lanes) as i:
            x = Num("double", w.load("double", w.at_index("double", sums, w.add(w.mul(i, width), k))))
            w.store("double", plus(m, w.load("double", place), x), place)
        first = w.mul(whole, lanes)
        with w.counted(w.sub(count, first)) as i:
            row = w.add(first, i)
            x = item(w.add(w.mul(row, width), k), row, k)
            w.store("double", plus(m, w.load("double", place), x), place)
        w.store("double", w.load("double", place), w.at_index("double", ptr, k))


def in_registers(m: Lowering, x: Any, gone: Sequence[int], stays: Sequence[int]) -> bool:
    """Whether few sums stand side by side, and are made of what is read in its order, or are all that there are."""
    if len(stays) == 1 or not gone:
        return bool(gone)
    usual = m.usual(x.axes[-1])
    return list(gone) == list(range(len(stays) - 1, len(x.axes) - 1)) and usual is not None and 1 < usual <= NARROW


def rows_onto(
    m: Lowering, x: Any, stays: Sequence[int], step: Callable[[str, Num], str], ptr: str, type_: str
) -> None:
    """What is reduced, in its order, onto memory. Rows that stay side by side are one where they are shorter than a
    vector: to read what was just written of a part of one waits."""
    w, rank = m.w, len(x.axes)
    axes = tuple([x.axes[i] for i in stays])
    first = next((i for i in range(rank, 0, -1) if i - 1 not in stays), rank)
    side, usual = x.axes[first:], m.usual(x.axes[-1]) if rank else None

    def onto(at: Sequence[str], here: str) -> None:
        place = w.at_index(type_, ptr, here)
        w.store(type_, step(w.load(type_, place), item_of(m, x, at)), place)

    if len(side) < 2 or usual is None or not 1 < usual < w.lanes:
        if rank < 2 or rank - 1 not in stays or not may_share(m, x.axes[-1]):
            with nest(m, x.axes) as at:
                onto(at, offset(m, axes, [at[i] for i in stays]))
            return
        with parallel_parts.between(w, x.axes[-1], product(m, x.axes[:-1]), x.axes) as (start, stop):
            count = w.sub(stop, start)
            with nest(m, x.axes[:-1], ordered=True) as before, w.each(count) as k:
                at = [*before, w.add(start, k)]
                onto(at, offset(m, axes, [at[i] for i in stays]))
        return
    with nest(m, x.axes[:first], ordered=True) as outer:
        before = [outer[i] for i in stays if i < first]
        start = offset(m, axes, [*before, *["0"] * len(side)])
        with each_item(m, product(m, side), side[-1]) as k:
            onto([*outer, *indices(m, side, k)], w.add(start, k))


@handles(reductions.sum_, broadcasting.sum_all, facts=Facts(bits=True), mean=False)
@handles(reductions.mean, mean=True)
def sum_(m: Lowering, let: Let, x: Any, mean: bool) -> Any:
    params = let.application.params
    if isinstance(x, Num) and not params:
        return x
    if not set(params) <= {"axis", "keepdims"} or not isinstance(x, (Arr, Lazy)):
        raise NotNative(f"`{let.application.primitive.name}` with these options")
    gone = picked(x, params.get("axis"))
    if x.dtype not in REALS and mean:
        x = lazy(m, "float64", x.axes, [x], lambda v: Num("double", conversions.as_real(m.w, v)))
    if len(gone) == len(x.axes) and not params.get("keepdims"):
        found = total(m, x)
        return found if not mean else scalars.divide(m.w, False, found, Num("i64", product(m, x.axes)))
    kept = gone if params.get("keepdims") else []
    if x.dtype not in REALS:
        return along(m, m.arr(x), gone, "0", lambda a, v: m.w.binary("add", "i64", a, conversions.as_int(m.w, v)),
                     kept, "int64")
    out = summed(m, x, gone, kept)
    if not mean:
        return in_dtype(m, out, x.dtype)
    n = Num("double", conversions.as_real(m.w, Num("i64", product(m, [x.axes[i] for i in gone]))))
    return lazy(m, x.dtype, out.axes, [out], lambda v: scalars.divide(m.w, False, v, n))


@handles(reductions.max_, largest=True)
@handles(reductions.min_, largest=False)
def extremum(m: Lowering, let: Let, x: Any, largest: bool) -> Any:
    w = m.w
    params = let.application.params
    if not isinstance(x, (Arr, Lazy)) or x.dtype == "bool" or not set(params) <= {"axis", "keepdims"}:
        raise NotNative("the largest of these values")
    gone = picked(x, params.get("axis"))
    for i in gone:
        if is_name(x.axes[i]) or x.axes[i] == "0":
            w.leave(w.compare("eq", x.axes[i], "0"))
    choice = MAXIMUM if largest else MINIMUM
    start = real(float("-inf") if largest else float("inf"))
    if x.dtype == "int64":
        choice, start = (SMAX, str(-(2**63))) if largest else (SMIN, str(2**63 - 1))

    def step(a: str, v: Num) -> str:
        return conversions.called(w, choice, v.type, a, v.text)

    if len(gone) == len(x.axes) and not params.get("keepdims"):
        return reduced(m, x, start, step, number(x.dtype))
    return along(m, m.arr(x), gone, start, step, gone if params.get("keepdims") else [], x.dtype)


@handles(reductions.spread_ties)
def spread_ties(m: Lowering, let: Let, ct: Any, y: Any, x: Any) -> Any:
    params = let.application.params
    x = m.arr(x)
    gone = picked(x, params.get("axis"))
    wide_y, wide_ct = [widened(m, v, x, gone, params.get("keepdims", False)) for v in (y, ct)]
    number_ = ties(m, wide_y, x, gone)

    def f(v: Num, top: Num, n: Num, d: Num) -> Num:
        return tie(m, v, top, n, d)

    return lazy(m, dtype_of(let.targets[0].object), x.axes, [x, wide_y, number_, wide_ct], f)


@handles(share)
def tie_share(m: Lowering, let: Let, ct: Any, y: Any, x: Any, *sizes: Any) -> Num:
    for size in sizes:
        large = m.w.compared("ugt", "double", m.number(size, "double").text, real(BOUND))
        m.w.spoil(large)
    x, w, whole = m.arr(x), m.w, m.number(ct, "double").text
    number_ = ties(m, m.number(y), x, [0])
    several = w.compared("une", "double", number_.text, real(1.0))
    return w.seldom(several, "double", whole, lambda: w.binary("fdiv", "double", whole, number_.text))


@handles(reductions.mean_ties)
def mean_ties(m: Lowering, let: Let, dx: Any, y: Any, x: Any) -> Any:
    params = let.application.params
    x = m.arr(x)
    gone = picked(x, params.get("axis"))
    wide_y = widened(m, y, x, gone, params.get("keepdims", False))
    number_ = ties(m, wide_y, x, gone)

    def f(v: Num, top: Num, n: Num, d: Num) -> Num:
        return tie(m, v, top, n, d)

    dtype = dtype_of(let.targets[0].object)
    weighted = lazy(m, dtype, x.axes, [x, wide_y, number_, dx], f)
    if len(gone) == len(x.axes) and not params.get("keepdims"):
        return total(m, weighted)
    return in_dtype(m, summed(m, weighted, gone, gone if params.get("keepdims") else []), dtype)


def tie(m: Lowering, v: Num, top: Num, count: Num, d: Num) -> Num:
    """The part of an item in what reaches its extremum."""
    type_, (part, n) = conversions.reals(m.w, d, count)
    part = m.w.binary("fdiv", type_, part, n)
    return Num(type_, m.w.select(type_, truths.compared(m.w, "eq", v, top), part, real(0.0)))


def widened(m: Lowering, v: Any, x: Arr, gone: Sequence[int], keeps: bool) -> Any:
    """The result of a reduction, or its cotangent, with the axes of what was reduced."""
    if not isinstance(v, (Arr, Lazy)):
        return m.number(v)
    a = m.arr(v)
    if not a.axes:
        return m.number(a)
    axes = list(a.axes)
    for i in gone:
        if keeps:
            m.same_size(axes[i], "1")
            axes[i] = "1"
        else:
            axes.insert(i, "1")
    broadcast_onto(m, tuple(axes), x.axes)
    return renamed(Arr(a.dtype, a.ptr, tuple(axes)), x.axes)


def ties(m: Lowering, y: Any, x: Arr, gone: Sequence[int]) -> Any:
    """How many items are equal to the extremum, at least 1."""
    w = m.w

    def tie(v: Num, top: Num) -> Num:
        return Num("double", w.select("double", truths.compared(w, "eq", v, top), real(1.0), real(0.0)))

    same = lazy(m, "float64", x.axes, [x, y], tie)
    one = Num("double", real(1.0))
    if len(gone) == len(x.axes) and isinstance(y, Num):
        return Num("double", conversions.call(w, "llvm.maximum.f64", total(m, same).text, one.text))
    found = summed(m, same, gone, gone)
    return lazy(m, "float64", found.axes, [found], lambda n: Num(
        "double", conversions.call(w, "llvm.maximum.f64", n.text, one.text)))
