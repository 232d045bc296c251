"""Counts of numbers, and sums of weights, by the bin that a number is in: `np.bincount`, `np.histogram`.

    found[bin of x[k]] += w[k]        dw[k] = ct[bin of x[k]]

Of bins of one width the number of a bin is computed, and set right by its edges; others are found by halving.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import arrays, orders, scalars
from ccc.compile.native.conversions import as_real
from ccc.compile.native.items import item_of, load
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import positions

Bin = Callable[[str], tuple[str, str]]
"""The bin of an item by its position, and whether it is in one."""


REALS, NUMBERS, PLACES = ("float64",), ("float64", "int64"), ("int64",)
"""The dtypes of weights and edges, of what is counted, and of numbers of bins."""


def sized(x: Any, dtypes: Sequence[str]) -> Any:
    """An array of rank 1 of one of some dtypes."""
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) != 1 or x.dtype not in dtypes:
        raise NotNative("a histogram of these values")
    return x


def in_a_row(m: Lowering, x: Any, dtypes: Sequence[str]) -> Arr:
    """The same in memory."""
    return m.arr(sized(x, dtypes))


def numbered(m: Lowering, x: Arr) -> Bin:
    """The bins of numbers that are those of their bins."""
    return lambda k: (load(m, "int64", x.ptr, k), "true")


def numbered_below(m: Lowering, x: Arr, size: str) -> Bin:
    """The same; leaves where there is no such bin."""
    with m.w.counted(x.axes[0]) as k:
        m.w.leave(m.w.compare("uge", load(m, "int64", x.ptr, k), size))
    return numbered(m, x)


def between(m: Lowering, x: Arr, edges: Arr, uniform: bool) -> Bin:
    """The bins between edges: each holds its lower edge, the last one both."""
    w = m.w
    count = w.sub(edges.axes[0], "1")
    w.leave(w.compare("slt", count, "1"))
    last = w.sub(count, "1")
    low, high = load(m, "float64", edges.ptr, "0"), load(m, "float64", edges.ptr, count)
    width = w.binary("fsub", "double", high, low)
    if uniform:
        w.leave(w.compared("ule", "double", width, real(0.0)))
        w.leave(w.compared("ueq", "double", width, real(math.inf)))

    def at(k: str) -> tuple[str, str]:
        a = as_real(w, item_of(m, x, [k]))
        inside = w.binary("and", "i1", w.compared("oge", "double", a, low), w.compared("ole", "double", a, high))
        if not uniform:
            place = w.sub(orders.halved(m, edges, Num("double", w.select("double", inside, a, low)), right=True), "1")
            return w.call("i64", "llvm.smin.i64", ("i64", place), ("i64", last)), inside
        part = w.binary("fdiv", "double", w.binary("fsub", "double", w.select("double", inside, a, low), low), width)
        part = w.binary("fmul", "double", part, w.cast("sitofp", "i64", count, "double"))
        place = w.cast("fptosi", "double", part, "i64")
        place = w.call("i64", "llvm.smin.i64", ("i64", place), ("i64", last))
        under = w.compared("olt", "double", a, load(m, "float64", edges.ptr, place))
        over = w.compared("oge", "double", a, load(m, "float64", edges.ptr, w.add(place, "1")))
        over = w.binary("and", "i1", over, w.compare("ne", place, last))
        under = w.binary("and", "i1", under, w.compare("ne", place, "0"))
        place = w.sub(place, w.cast("zext", "i1", under, "i64"))
        return w.add(place, w.cast("zext", "i1", over, "i64")), inside

    return at


def summed(m: Lowering, dtype: str, size: str, items: str, at: Bin, weight: Callable[[str], Num] | None) -> Arr:
    """The sums of weights by bins, or how many numbers there are in each."""
    w, type_ = m.w, ITEM[dtype]
    zero = Num("double", real(0.0)) if weight else Num("i64", "0")
    out = arrays.forced(m, arrays.filled(m, dtype, (size,), zero))
    with w.counted(items) as k:
        place, inside = at(k)
        here = w.at_index(type_, out.ptr, place)
        have = Num(type_, w.load(type_, here))
        if weight is None:
            more = Num("i64", w.cast("zext", "i1", inside, "i64"))
        else:
            more = weight(k)
            more = Num(more.type, w.select(more.type, inside, more.text, real(0.0)))
        w.store(type_, scalars.add(w, False, have, more).text, here)
    return out


def weights_of(m: Lowering, ws: Any, x: Arr) -> Callable[[str], Num]:
    ws = in_a_row(m, ws, REALS)
    m.same_size(ws.axes[0], x.axes[0])
    return lambda k: item_of(m, ws, [k])


def size_of(m: Lowering, x: Arr, least: Any) -> str:
    """One more than the largest of numbers, at least so many."""
    w, most = m.w, m.w.local("i64")
    w.store("i64", m.number(least, "i64").text, most)
    with w.counted(x.axes[0]) as k:
        found = load(m, "int64", x.ptr, k)
        w.leave(w.compare("slt", found, "0"))
        w.store("i64", w.call("i64", "llvm.smax.i64", ("i64", w.load("i64", most)), ("i64", w.add(found, "1"))), most)
    return w.load("i64", most)


@handles(positions.counted)
def counted(m: Lowering, let: Let, x: Any, least: Any) -> Arr:
    x = in_a_row(m, x, PLACES)
    return summed(m, "int64", size_of(m, x, least), x.axes[0], numbered(m, x), None)


@handles(positions.weighed)
def weighed(m: Lowering, let: Let, ws: Any, x: Any, least: Any) -> Arr:
    x = in_a_row(m, x, PLACES)
    weight = weights_of(m, ws, x)
    return summed(m, "float64", size_of(m, x, least), x.axes[0], numbered(m, x), weight)


@handles(positions.weighed_like)
def weighed_like(m: Lowering, let: Let, ws: Any, x: Any, like: Any) -> Arr:
    x, (size,) = in_a_row(m, x, PLACES), sized(like, REALS).axes
    weight = weights_of(m, ws, x)
    return summed(m, "float64", size, x.axes[0], numbered_below(m, x, size), weight)


@handles(positions.at_places)
def at_places(m: Lowering, let: Let, ct: Any, x: Any) -> Lazy:
    ct, x = in_a_row(m, ct, REALS), in_a_row(m, x, PLACES)
    return read(m, ct, x, numbered_below(m, x, ct.axes[0]))


@handles(positions.histogram_counts)
def histogram_counts(m: Lowering, let: Let, x: Any, edges: Any, ws: Any = None) -> Arr:
    x, edges = in_a_row(m, x, NUMBERS), in_a_row(m, edges, REALS)
    weight = None if ws is None else weights_of(m, ws, x)
    at = between(m, x, edges, uniform(let))
    return summed(m, "float64" if weight else "int64", m.w.sub(edges.axes[0], "1"), x.axes[0], at, weight)


@handles(positions.histogram_weights)
def histogram_weights(m: Lowering, let: Let, ws: Any, x: Any, edges: Any) -> Arr:
    return histogram_counts(m, let, x, edges, ws)


@handles(positions.histogram_onto)
def histogram_onto(m: Lowering, let: Let, ct: Any, x: Any, edges: Any) -> Arr:
    x, edges = in_a_row(m, x, NUMBERS), in_a_row(m, edges, REALS)
    ct, w = in_a_row(m, ct, REALS), m.w
    found = read(m, ct, x, between(m, x, edges, uniform(let)))
    out = Arr("float64", m.memory("float64", x.axes[0]), x.axes)
    with w.counted(x.axes[0]) as k:
        w.store("double", found.item((k,)), w.at_index("double", out.ptr, k))
    return out


def uniform(let: Let) -> bool:
    return let.application.params.get("uniform", False)


def read(m: Lowering, ct: Arr, x: Any, at: Bin) -> Lazy:
    """The item of its bin for each number; 0 for one that is in none."""

    def item(ks: Any) -> str:
        place, inside = at(ks[0])
        return m.w.select("double", inside, load(m, "float64", ct.ptr, place), real(0.0))

    return Lazy("float64", x.axes, item)
