"""Sorting: the order of numbers, and what is made with it.

Few numbers are merged in ever longer runs, many are sorted by the digits of keys (`radix_sort`); both leave equal ones
in the order of their places. What is not a number comes last, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, radix_sort, truths
from ccc.compile.native.code import Store, is_name
from ccc.compile.native.items import item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import positions, rearranging

Key = Callable[[str], str]
SIGN = str(-(1 << 63))
"""The bit of an integer's sign alone."""


def sorted_places(m: Lowering, type_: str, ptr: str, count: str, descending: bool = False) -> str:
    """Where numbers in memory stand in their order, equal ones in the order of their places: a pointer to integers.
    Leaves where one is not a number, which Python sorts in no order that is defined."""
    w = m.w
    if type_ == "double":
        with w.counted(count) as k:
            x = w.load(type_, w.at_index(type_, ptr, k))
            w.spoil(w.compared("uno", "double", x, x))
    found = Order(m, type_, count, descending)
    return found.of(lambda k: w.load(type_, w.at_index(type_, ptr, k)))


class Order:
    """Memory for the order of some numbers, which may be used several times."""

    def __init__(self, m: Lowering, type_: str, count: str, descending: bool = False) -> None:
        self.m = m
        self.type = type_
        self.count = count
        self.descending = descending
        w = m.w
        if is_name(count):
            self.many = w.compare("sge", count, str(radix_sort.LEAST))
            size = w.mul(count, w.select("i64", self.many, "16", "8"))
        else:
            self.many = "true" if int(count) >= radix_sort.LEAST else "false"
            size = w.mul(count, "16" if self.many == "true" else "8")
        self.buffers = [m.alloc(size), m.alloc(size)]

    def less(self, a: str, b: str) -> str:
        """Whether one key comes before another, which comes later."""
        w = self.m.w
        if self.type != "double":
            return w.compare("sgt" if self.descending else "slt", a, b)
        below = w.compared("ogt" if self.descending else "olt", "double", a, b)
        nothing = [w.compared("ord", "double", a, a), w.compared("uno", "double", b, b)]
        return w.binary("or", "i1", below, w.binary("and", "i1", nothing[0], nothing[1]))

    def of(self, key: Key) -> str:
        """The places of the numbers in their order; `key` gives the number at a place."""
        if self.many == "false":
            return self.by_merging(key)
        if self.many == "true":
            return self.by_digits(key)
        w, found = self.m.w, self.m.w.local("ptr")
        w.choose(self.many, lambda: w.store("ptr", self.by_digits(key), found),
                 lambda: w.store("ptr", self.by_merging(key), found))
        return w.load("ptr", found)

    def by_digits(self, key: Key) -> str:
        """The same for many numbers: pairs of a key and a place are sorted, and the places of them kept."""
        w, n = self.m.w, self.count
        with w.counted(n) as k:
            at = w.at_index("i64", self.buffers[0], w.mul(k, "2"))
            w.store("i64", self.digits(key(k)), at)
            w.store("i64", k, w.at_index("i64", at, "1"))
        found = w.call("ptr", radix_sort.NAME, ("i64", n), *[("ptr", x) for x in self.buffers])
        with w.counted(n) as k:
            place = w.load("i64", w.at_index("i64", found, w.add(w.mul(k, "2"), "1")))
            w.store("i64", place, w.at_index("i64", found, k))
        return found

    def digits(self, x: str) -> str:
        """An integer without a sign that is less than another one where a number comes before another one."""
        w = self.m.w
        if self.type != "double":
            bits = w.binary("xor", "i64", x, SIGN)
            return w.binary("xor", "i64", bits, "-1") if self.descending else bits
        bits = w.cast("bitcast", "double", w.binary("fadd", "double", x, real(0.0)), "i64")  # -0.0 is 0.0
        negative = w.binary("ashr", "i64", bits, "63")
        bits = w.binary("xor", "i64", bits, w.binary("or", "i64", negative, SIGN))
        bits = w.binary("xor", "i64", bits, "-1") if self.descending else bits
        return w.select("i64", w.compared("uno", "double", x, x), "-1", bits)

    def by_merging(self, key: Key) -> str:
        """The same for few numbers: ever longer runs are merged."""
        w, n = self.m.w, self.count
        source, target, width = w.local("ptr"), w.local("ptr"), w.local("i64")
        w.store("ptr", self.buffers[0], source)
        w.store("ptr", self.buffers[1], target)
        with w.counted(n) as k:
            w.store("i64", k, w.at_index("i64", self.buffers[0], k))
        with w.loop() as (before, body, done):
            before.append(Store("i64", "1", width))
            size = w.load("i64", width)
            w.fork(w.compare("slt", size, n), body, done)
            w.label(body)
            a, b = w.load("ptr", source), w.load("ptr", target)
            runs = w.mul(size, "2")
            whole = w.binary("add", "i64", n, w.sub(runs, "1"))
            with w.counted(w.binary("sdiv", "i64", whole, runs)) as run:
                self.merged(key, a, b, w.mul(run, runs), size)
            w.store("ptr", b, source)
            w.store("ptr", a, target)
            w.store("i64", runs, width)
        return w.load("ptr", source)

    def merged(self, key: Key, a: str, b: str, low: str, size: str) -> None:
        """Two runs that follow each other in `a` as one in `b`."""
        w, n = self.m.w, self.count
        ends = [w.call("i64", "llvm.smin.i64", ("i64", w.add(low, x)), ("i64", n))
                for x in (size, w.mul(size, "2"))]
        left, right = w.local("i64"), w.local("i64")
        w.store("i64", low, left)
        w.store("i64", ends[0], right)
        last = w.sub(n, "1")
        with w.counted(w.sub(ends[1], low)) as k:
            i, j = w.load("i64", left), w.load("i64", right)
            one = w.load("i64", w.at_index("i64", a, i_below(w, i, last)))
            other = w.load("i64", w.at_index("i64", a, i_below(w, j, last)))
            more = [w.compare("slt", i, ends[0]), w.compare("slt", j, ends[1])]
            before = w.binary("and", "i1", more[1], self.less(key(other), key(one)))
            takes = w.binary("or", "i1", before, w.binary("xor", "i1", more[0], "true"))
            w.store("i64", w.select("i64", takes, other, one), w.at_index("i64", b, w.add(low, k)))
            w.store("i64", w.select("i64", takes, i, w.add(i, "1")), left)
            w.store("i64", w.select("i64", takes, w.add(j, "1"), j), right)


def i_below(w: Any, i: str, last: str) -> str:
    return w.call("i64", "llvm.smin.i64", ("i64", i), ("i64", last))


def along_axis(m: Lowering, x: Arr, axis: int, each: Callable[[Sequence[str], Order, str], None]) -> None:
    """Sort an array along an axis: `each` is given the other indices, the order and where it stands."""
    n = x.axes[axis]
    order = Order(m, number(x.dtype), n)
    with nest(m, [*x.axes[:axis], *x.axes[axis + 1 :]], ordered=True) as outer:
        found = order.of(lambda k: item_of(m, x, [*outer[:axis], k, *outer[axis:]]).text)
        each(outer, order, found)


def taken(m: Lowering, x: Any, let: Let) -> tuple[Arr, int]:
    """The array that is sorted, and the axis; that of no axis is in memory one behind the other."""
    axis = let.application.params.get("axis", -1)
    if not isinstance(x, (Arr, Lazy)) or x.dtype not in ("float64", "int64") or not x.axes:
        raise NotNative("a sort of these values")
    a = m.arr(x)
    if axis is None:
        return Arr(a.dtype, a.ptr, (product(m, a.axes),)), 0
    return a, axis % len(a.axes)


def moved(m: Lowering, source: Arr, keys: Arr, axis: int, onto: bool) -> Arr:
    """The items of an array in the order of the keys; with `onto`, back from that order."""
    w = m.w
    out = Arr(source.dtype, m.alloc(w.mul(product(m, keys.axes), "8")), keys.axes)

    def each(outer: Sequence[str], order: Order, found: str) -> None:
        with w.counted(order.count) as k:
            p = w.load("i64", w.at_index("i64", found, k))
            here, there = [[*outer[:axis], i, *outer[axis:]] for i in ((p, k) if onto else (k, p))]
            store(m, item_of(m, source, there), out.dtype, out.ptr, offset(m, out.axes, here))

    along_axis(m, keys, axis, each)
    return out


@handles(rearranging.sort, facts=Facts(by_order=(rearranging.take_along_axis, 1)))
def sort(m: Lowering, let: Let, x: Any) -> Arr:
    a, axis = taken(m, x, let)
    return moved(m, a, a, axis, onto=False)


@handles(rearranging.in_order_of, onto=False, facts=Facts(by_order=(rearranging.take_along_axis, 1)))
@handles(rearranging.unsorted, onto=True, facts=Facts(by_order=(rearranging.take_along_axis_onto, 2)))
def in_order_of(m: Lowering, let: Let, d: Any, x: Any, onto: bool) -> Any:
    a, axis = taken(m, x, let)
    if not isinstance(d, (Arr, Lazy)) or len(d.axes) != len(a.axes):
        raise NotNative("a sort along no axis")
    for have, want in zip(d.axes, a.axes, strict=True):
        m.same_size(have, want)
    source = m.arr(d)
    return moved(m, Arr(source.dtype, source.ptr, a.axes), a, axis, onto)


@handles(rearranging.argsort)
def argsort(m: Lowering, let: Let, x: Any) -> Arr:
    """Leaves where items are equal: NumPy has them in an order of its own."""
    w = m.w
    a, axis = taken(m, x, let)
    out = Arr("int64", m.alloc(w.mul(product(m, a.axes), "8")), a.axes)

    def each(outer: Sequence[str], order: Order, found: str) -> None:
        with w.counted(order.count) as k:
            p = w.load("i64", w.at_index("i64", found, k))
            store(m, Num("i64", p), "int64", out.ptr, offset(m, out.axes, [*outer[:axis], k, *outer[axis:]]))
            first = w.compare("eq", k, "0")
            before = w.select("i64", first, "0", w.binary("sub", "i64", k, "1"))
            q = w.load("i64", w.at_index("i64", found, before))
            x, y = [item_of(m, a, [*outer[:axis], i, *outer[axis:]]) for i in (p, q)]
            rises = truths.compared(w, "gt", x, y)
            w.spoil(w.binary("xor", "i1", w.binary("or", "i1", rises, first), "true"))

    along_axis(m, a, axis, each)
    return out


@handles(positions.argsort_by)
def argsort_by(m: Lowering, let: Let, x: Any) -> Arr:
    """An order in which equal items stay as they stand; NumPy has another one where that is not asked for."""
    if let.application.params["kind"] not in ("stable", "mergesort"):
        raise NotNative("an order of this kind")
    w = m.w
    a, axis = taken(m, x, let)
    out = Arr("int64", m.alloc(w.mul(product(m, a.axes), "8")), a.axes)

    def each(outer: Sequence[str], order: Order, found: str) -> None:
        with w.counted(order.count) as k:
            p = w.load("i64", w.at_index("i64", found, k))
            store(m, Num("i64", p), "int64", out.ptr, offset(m, out.axes, [*outer[:axis], k, *outer[axis:]]))

    along_axis(m, a, axis, each)
    return out


# -- order statistics --------------------------------------------------------------------------------------------------


def neighbours(m: Lowering, n: str, q: float) -> tuple[str, str, str]:
    """The places of the two items around the part `q` of n items, and how far it is from the first."""
    w = m.w
    place = w.binary("fmul", "double", real(q), conversions.as_real(w, Num("i64", w.sub(n, "1"))))
    floor = conversions.call(w, "llvm.floor.f64", place)
    low = w.cast("fptosi", "double", floor, "i64")
    last = w.sub(n, "1")
    high = i_below(w, w.add(low, "1"), last)
    return i_below(w, low, last), high, w.binary("fsub", "double", place, floor)


def ranked(m: Lowering, let: Let, x: Any) -> tuple[Arr, int]:
    """The array of which a statistic is taken, and the axis; leaves where there are no items."""
    axis = let.application.params.get("axis")
    if not isinstance(x, (Arr, Lazy)) or x.dtype != "float64" or not x.axes:
        raise NotNative("an order of these values")
    a = m.arr(x)
    a, axis = (Arr(a.dtype, a.ptr, (product(m, a.axes),)), 0) if axis is None else (a, axis % len(a.axes))
    n = a.axes[axis]
    if is_name(n) or n == "0":
        m.w.leave(m.w.compare("slt", n, "1"))
    return a, axis


def refuse_method(params: dict[str, Any]) -> None:
    """Leave quantiles that do not lie linearly between two items to NumPy."""
    if "method" in params:
        raise NotNative("a quantile by a method of its own")


@handles(rearranging.median, below=lambda params: 0.5)
@handles(rearranging.quantile, below=lambda params: params["q"])
@handles(rearranging.percentile, below=lambda params: params["q"] / 100.0)
def quantile(m: Lowering, let: Let, x: Any, below: Callable[[dict[str, Any]], float]) -> Any:
    """Between the two items around the part of all that is `below`; leaves where one is not a number."""
    w, params = m.w, let.application.params
    refuse_method(params)
    q, keeps = below(params), params.get("keepdims")
    a, axis = ranked(m, let, x)
    if not 0.0 <= q <= 1.0:
        raise NotNative("a quantile of no part")
    low, high, part = neighbours(m, a.axes[axis], q)
    rest = (*a.axes[:axis], *a.axes[axis + 1 :])
    out = m.alloc(w.mul(product(m, rest), "8"))

    def each(outer: Sequence[str], order: Order, found: str) -> None:
        def item(k: str) -> str:
            return item_of(m, a, [*outer[:axis], w.load("i64", w.at_index("i64", found, k)), *outer[axis:]]).text

        first, second, last = item(low), item(high), item(w.sub(a.axes[axis], "1"))
        w.spoil(w.compared("uno", "double", last, last))
        gap = w.binary("fsub", "double", second, first)
        above = w.binary("fadd", "double", first, w.binary("fmul", "double", gap, part))
        left = w.binary("fsub", "double", real(1.0), part)
        under = w.binary("fsub", "double", second, w.binary("fmul", "double", gap, left))
        conversions.spoil_unless_finite(w, gap)
        found_ = w.select("double", w.compared("oge", "double", part, real(0.5)), under, above)
        store(m, Num("double", found_), "float64", out, offset(m, rest, outer))

    along_axis(m, a, axis, each)
    if keeps:
        everywhere = let.application.params.get("axis") is None
        axes = tuple(["1" if everywhere or i == axis else n for i, n in enumerate(x.axes)])
        return Arr("float64", out, axes)
    return Arr("float64", out, rest) if rest else Num("double", load(m, "float64", out, "0"))


@handles(rearranging.order_weights)
def order_weights(m: Lowering, let: Let, x: Any) -> Arr:
    """How much each item counts in a statistic."""
    w, q = m.w, let.application.params["q"]
    refuse_method(let.application.params)
    a, axis = ranked(m, let, x)
    low, high, part = neighbours(m, a.axes[axis], q)
    size = product(m, a.axes)
    out = Arr("float64", m.alloc(w.mul(size, "8")), a.axes)
    with w.each(size) as k:
        w.store("double", real(0.0), w.at_index("double", out.ptr, k))

    def each(outer: Sequence[str], order: Order, found: str) -> None:
        for k, weight in ((low, w.binary("fsub", "double", real(1.0), part)), (high, part)):
            here = [*outer[:axis], w.load("i64", w.at_index("i64", found, k)), *outer[axis:]]
            at = w.at_index("double", out.ptr, offset(m, a.axes, here))
            w.store("double", w.binary("fadd", "double", w.load("double", at), weight), at)

    along_axis(m, a, axis, each)
    return Arr("float64", out.ptr, x.axes)


def halved(m: Lowering, keys: Arr, x: Num, right: bool) -> str:
    """Where a number would stand in an array that is sorted; spoils the result where one is not a number."""
    w = m.w
    low, count = w.local("i64"), w.local("i64")
    if x.type == "double":
        w.spoil(w.compared("uno", "double", x.text, x.text))
    w.store("i64", "0", low)
    w.store("i64", keys.axes[0], count)
    with w.loop() as (_, body, done):
        left = w.load("i64", count)
        w.fork(w.compare("sgt", left, "0"), body, done)
        w.label(body)
        half = w.binary("lshr", "i64", left, "1")
        here = w.add(w.load("i64", low), half)
        key = Num(number(keys.dtype), w.load(ITEM[keys.dtype], w.at_index(ITEM[keys.dtype], keys.ptr, here)))
        if key.type == "double":
            w.spoil(w.compared("uno", "double", key.text, key.text))
        behind = truths.compared(w, "le" if right else "lt", key, x)
        w.store("i64", w.select("i64", behind, w.add(here, "1"), w.load("i64", low)), low)
        rest = w.sub(w.sub(left, half), "1")
        w.store("i64", w.select("i64", behind, rest, half), count)
    return w.load("i64", low)


@handles(rearranging.searchsorted)
def searchsorted(m: Lowering, let: Let, a: Any, v: Any) -> Any:
    """Where numbers would stand in an array that is sorted, by halving."""
    w = m.w
    right = let.application.params.get("side", "left") == "right"
    if not isinstance(a, (Arr, Lazy)) or len(a.axes) != 1 or a.dtype not in ("float64", "int64"):
        raise NotNative("`np.searchsorted` in these values")
    keys = m.arr(a)

    if not isinstance(v, (Arr, Lazy)) or not v.axes:
        return Num("i64", halved(m, keys, m.number(v), right))
    values = m.arr(v)
    out = Arr("int64", m.alloc(w.mul(product(m, values.axes), "8")), values.axes)
    with w.counted(product(m, values.axes)) as k:
        x = item_of(m, Arr(values.dtype, values.ptr, (product(m, values.axes),)), [k])
        found = halved(m, keys, x, right)
        w.store("i64", found, w.at_index("i64", out.ptr, k))
    return out
