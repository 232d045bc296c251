"""Lists made of other lists: slices, sums, orders, and lists as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions, scalars
from ccc.compile.native.arrays import dtype_of, fresh_copy
from ccc.compile.native.cotangents import zeros
from ccc.compile.native.dtypes import FLOATING, bytes_of
from ccc.compile.native.items import item_of, offset, store
from ccc.compile.native.layout import (
    ITEM,
    Arr,
    Items,
    Lazy,
    Lst,
    Nothing,
    NotNative,
    Word,
    canonical,
    layout_of,
    number,
    words,
)
from ccc.compile.native.nests import nest, product
from ccc.compile.native.sequences import copied, item_at, listed, place, sequence
from ccc.compile.native.slices import sliced
from ccc.compile.native.table import Facts, applies, handles
from ccc.compile.native.totals import plus
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Apply, Let
from ccc.objects import List, Object
from ccc.primitives import folds, joining, lists, ties, widening


def new(m: Lowering, layout: Any, count: str) -> Lst:
    """A list of known length, to be filled."""
    size = len(words(layout))
    ptr = m.alloc(m.w.mul(count, str(8 * size))) if size else "null"
    return Lst(layout, ptr, count, count)


# -- slices --------------------------------------------------------------------------------------------------------


@handles(lists.sliced, facts=Facts(structural=True))
def sliced_(m: Lowering, let: Let, xs: Any, *numbers: Any) -> Lst:
    """A slice of a list."""
    places = let.application.params["places"]
    found = listed(m, xs)
    if found.layout is None:
        return found
    ends = [conversions.as_int(m.w, m.number(n)) for n in numbers]
    start, step, count = sliced(m, f"s{places}", ends, found.length)
    if step == "1":
        part = Lst(found.layout, place(m, found, start), count, count)
        return part if soon_joined(m, let) else copied(m, part)
    out = new(m, found.layout, count)
    with m.w.counted(count) as k:
        at = m.w.add(start, m.w.mul(k, step))
        m.write(item_at(m, found, at), out.layout, place(m, out, k))
    return out


def soon_joined(m: Lowering, let: Let) -> bool:
    """Whether all that reads a part of a list copies it, before anything changes."""
    (target,) = let.targets
    lets = target.home.lets if target.home else []
    for after in lets[lets.index(let) + 1 :] if m.module.uses[target] == 1 else []:
        joins = applies(after, lists.concat)  # which makes a new list
        if target in after.args or not isinstance(after.op, Apply) or (after in m.module.overwritten and not joins):
            return joins and target in after.args
    return False


@handles(lists.spread)
def spread(m: Lowering, let: Let, cts: Any, xs: Any, *numbers: Any) -> Any:
    """The cotangent of a list from that of a slice of it."""
    places = let.application.params["places"]
    found, out = listed(m, cts), zeros(m, xs)
    if not isinstance(out, Lst):
        raise NotNative("a slice of what is no list")
    if found.layout is None or out.layout is None:
        return out
    ends = [conversions.as_int(m.w, m.number(n)) for n in numbers]
    start, step, count = sliced(m, f"s{places}", ends, out.length)
    if count != found.length:
        m.w.leave(m.w.compare("ne", count, found.length))
    with m.w.counted(found.length) as k:
        at = m.w.add(start, m.w.mul(k, step))
        m.write(item_at(m, found, k), out.layout, place(m, out, at))
    return out


# -- sums -------------------------------------------------------------------------------------------------------------


@handles(folds.sum_)
def sum_(m: Lowering, let: Let, xs: Any, start: Any) -> Any:
    """Python's `sum` of numbers; of reals the order is free."""
    w = m.w
    s = sequence(m, xs) if not isinstance(xs, Lst) or xs.layout is not None else None
    type_ = canonical(let.targets[0].object)
    if not isinstance(type_, Word):
        raise NotNative("a sum of a list of other things than numbers")
    first = m.number(start, type_.type)
    if s is None:
        return first
    total = w.local(type_.type)
    w.store(type_.type, first.text, total)
    with w.each(s.length) as k:
        x = m.number(s.item(k, k, w.gap(), False), type_.type)
        before = Num(type_.type, w.load(type_.type, total))
        found = plus(m, before.text, x) if x.type == "double" else scalars.add(w, True, before, x).text
        w.store(type_.type, found, total)
    return Num(type_.type, w.load(type_.type, total))


@handles(folds.added)
def added_(m: Lowering, let: Let, ds: Any) -> Num:
    """The sum of the tangents of the items of a list."""
    w = m.w
    found = listed(m, ds)
    if found.layout is None or isinstance(found.layout, Nothing):
        return Num("i64", "0")
    if found.layout != Word("double"):
        raise NotNative("a sum of tangents that are no numbers")
    total = w.local("double")
    w.store("double", real(0.0), total)
    with w.each(found.length) as k:
        w.store("double", plus(m, w.load("double", total), item_at(m, found, k)), total)
    return Num("double", w.load("double", total))


@handles(folds.fsum)
def fsum(m: Lowering, let: Let, xs: Any) -> Num:
    """A sum that keeps what rounding loses, in a second number."""
    w = m.w
    if isinstance(xs, Lst) and xs.layout is None:
        return Num("double", real(0.0))
    s = sequence(m, xs)
    high, low = w.local("double"), w.local("double")
    w.store("double", real(0.0), high)
    w.store("double", real(0.0), low)
    with w.counted(s.length) as k:
        x = m.number(s.item(k, k, w.gap(), False), "double").text
        a = w.load("double", high)
        total = w.binary("fadd", "double", a, x)
        part = w.binary("fsub", "double", total, a)
        lost = [w.binary("fsub", "double", a, w.binary("fsub", "double", total, part)),
                w.binary("fsub", "double", x, part)]
        error = w.binary("fadd", "double", lost[0], lost[1])
        w.store("double", total, high)
        w.store("double", w.binary("fadd", "double", w.load("double", low), error), low)
    found = w.binary("fadd", "double", w.load("double", high), w.load("double", low))
    conversions.spoil_unless_finite(w, found)
    return Num("double", found)


@handles(folds.copies)
def copies(m: Lowering, let: Let, ct: Any, xs: Any) -> Lst:
    """One cotangent for every item of a list; nothing for integers."""
    found = xs if isinstance(xs, Lst) and xs.layout is None else None
    if found is not None:
        return found
    s = sequence(m, xs)
    item = layout_of(xs).item if isinstance(layout_of(xs), Items) else Word("i64")
    if item == Word("i64") or item == Word("i1"):
        return Lst(Nothing(None), "null", s.length, s.length)
    if not isinstance(item, Word) or item.type not in FLOATING:
        raise NotNative("a sum of a list of other things than numbers")
    out = new(m, item, s.length)
    x = m.number(ct, item.type)
    with m.w.counted(s.length) as k:
        m.write(x, out.layout, place(m, out, k))
    return out


@handles(lists.as_floats)
def as_floats(m: Lowering, let: Let, xs: Any) -> Lst:
    if isinstance(xs, Lst) and xs.layout is None:
        return xs
    s = sequence(m, xs)
    out = new(m, Word("double"), s.length)
    with m.w.counted(s.length) as k:
        m.write(m.number(s.item(k, k, m.w.gap(), False), "double"), out.layout, place(m, out, k))
    return out


@handles(widening.widen, ties.moving_as)
def widen(m: Lowering, let: Let, x: Any, *other: Any) -> Any:
    return x


# -- lists as arrays ---------------------------------------------------------------------------------------------------


def depth_of(a: Object) -> int:
    """How many lists are around the numbers or arrays."""
    return 1 + depth_of(a.item) if isinstance(a, List) else 0


@handles(joining.from_list, joining.stack_list)
def from_list(m: Lowering, let: Let, xs: Any) -> Any:
    """The array of a list of numbers, arrays, or lists of them: all of the sizes of the first."""
    found, axis = rows_of(m, let, xs), let.application.params.get("axis", 0)
    axis %= max(len(found.axes), 1)
    if not axis:
        return found
    axes = (*found.axes[1 : axis + 1], found.axes[0], *found.axes[axis + 1 :])
    rows = m.arr(found)
    return Lazy(rows.dtype, axes, lambda at: item_of(m, rows, [at[axis], *at[:axis], *at[axis + 1 :]]).text)


def rows_of(m: Lowering, let: Let, xs: Any) -> Any:
    """The items of a list as the rows of an array."""
    w = m.w
    dtype = dtype_of(let.targets[0].object)
    found = xs if isinstance(xs, (Arr, Lazy)) else listed(m, xs)
    if isinstance(found, (Arr, Lazy)):
        return m.arr(found)
    if found.layout == Word("double") and dtype == "float64":
        return fresh_copy(m, Arr(dtype, found.ptr, (found.length,)))
    axes = sizes_inside(m, found)
    out = Arr(dtype, m.alloc(w.mul(product(m, axes), bytes_of(dtype))), axes)
    fill(m, found, out, [], axes)
    return out


def sizes_inside(m: Lowering, xs: Lst) -> tuple[str, ...]:
    """The sizes of a list and of what its first item is; leaves where there is none that tells them."""
    w = m.w
    inner = xs.layout
    if inner is None or isinstance(inner, Word):
        return (xs.length,)
    w.leave(w.compare("eq", xs.length, "0"))
    first = item_at(m, xs, "0")
    if isinstance(first, Lst):
        return (xs.length, *sizes_inside(m, first))
    if isinstance(first, Arr):
        return (xs.length, *first.axes)
    raise NotNative("an array of a list of these values")


def fill(m: Lowering, xs: Lst, out: Arr, at: Sequence[str], axes: Sequence[str]) -> None:
    """Write the items of a list into an array; leaves where they are not of these sizes."""
    w = m.w
    if xs.layout is None:
        return
    w.leave(w.compare("ne", xs.length, axes[len(at)]))
    with w.counted(xs.length) as k:
        x = item_at(m, xs, k)
        here = [*at, k]
        if isinstance(x, Num):
            store(m, x, out.dtype, out.ptr, offset(m, out.axes, here))
        elif isinstance(x, Lst):
            fill(m, x, out, here, axes)
        elif isinstance(x, Arr) and len(x.axes) == len(axes) - len(here):
            for have, want in zip(x.axes, axes[len(here) :], strict=True):
                w.leave(w.compare("ne", have, want))
            with nest(m, x.axes) as inner:
                store(m, item_of(m, x, inner), out.dtype, out.ptr, offset(m, out.axes, [*here, *inner]))
        else:
            raise NotNative("an array of a list of these values")


@handles(joining.to_list)
def to_list(m: Lowering, let: Let, ct: Any, xs: Any) -> Any:
    """The rows of a cotangent as a list, nested as the list is."""
    if isinstance(xs, (Arr, Lazy)):
        return ct
    return unfilled(m, m.arr(ct), listed(m, xs))


def unfilled(m: Lowering, ct: Arr, xs: Lst) -> Lst:
    w = m.w
    if xs.layout is None:
        return xs
    w.leave(w.compare("ne", ct.axes[0], xs.length))
    if isinstance(xs.layout, Word):
        if len(ct.axes) != 1:
            raise NotNative("rows of other rank")
        out = new(m, Word(number(ct.dtype)), xs.length)
        with w.counted(xs.length) as k:
            m.write(item_of(m, ct, [k]), out.layout, place(m, out, k))
        return out
    rest = ct.axes[1:]
    layout = layout_of(Arr(ct.dtype, "null", rest)) if not isinstance(xs.layout, Items) else xs.layout
    if isinstance(xs.layout, Items) and not isinstance(xs.layout.item, (Word, Items)):
        raise NotNative("rows of lists of these values")
    out = new(m, layout, xs.length)
    with w.counted(xs.length) as k:
        inside = Arr(ct.dtype, w.at_index(ITEM[ct.dtype], ct.ptr, w.mul(k, product(m, rest))), rest)
        x = item_at(m, xs, k)
        if isinstance(x, Lst):
            m.write(unfilled(m, inside, x), layout, place(m, out, k))
        else:
            m.write(inside, layout, place(m, out, k))
    return out


@handles(joining.concatenate_list)
def concatenate_list(m: Lowering, let: Let, xs: Any) -> Arr:
    """The arrays of a list one behind the other along an axis."""
    w = m.w
    found = listed(m, xs)
    if found.layout is None or layout_of(found).item is None:
        raise NotNative("`np.concatenate` of an empty list")
    w.leave(w.compare("eq", found.length, "0"))
    first = item_at(m, found, "0")
    if not isinstance(first, Arr) or not first.axes:
        raise NotNative("`np.concatenate` of a list of these values")
    axis = axis_of(let, first)
    others = (*first.axes[:axis], *first.axes[axis + 1 :])
    total = w.local("i64")
    w.store("i64", "0", total)
    with w.counted(found.length) as k:
        x = item_at(m, found, k)
        for have, want in zip((*x.axes[:axis], *x.axes[axis + 1 :]), others, strict=True):
            w.leave(w.compare("ne", have, want))
        w.store("i64", w.add(w.load("i64", total), x.axes[axis]), total)
    axes = along(first.axes, axis, w.load("i64", total))
    out = Arr(first.dtype, m.alloc(w.mul(product(m, axes), bytes_of(first.dtype))), axes)
    w.store("i64", "0", total)
    with w.counted(found.length) as k:
        x = item_at(m, found, k)
        before, own = w.load("i64", total), along(first.axes, axis, x.axes[axis])
        with nest(m, own) as at:
            store(m, item_of(m, Arr(x.dtype, x.ptr, own), at), out.dtype, out.ptr,
                  offset(m, axes, along(at, axis, w.add(before, at[axis]))))
        w.store("i64", w.add(before, x.axes[axis]), total)
    return out


def axis_of(let: Let, x: Arr) -> int:
    """The axis along which arrays like one are put together."""
    axis = let.application.params.get("axis", 0)
    if axis is None:
        raise NotNative("`np.concatenate` of a list along no axis")
    return axis % len(x.axes)


def along(xs: Sequence[str], axis: int, x: str) -> tuple[str, ...]:
    """Sizes or indices with another one for an axis."""
    return (*xs[:axis], x, *xs[axis + 1 :])


@handles(joining.pieces)
def pieces(m: Lowering, let: Let, ct: Any, xs: Any) -> Lst:
    """The parts of an array that stand where the items of a list stand in their concatenation; along another
    axis than the first they are copies."""
    w = m.w
    found, whole = listed(m, xs), m.arr(ct)
    if found.layout is None:
        raise NotNative("the parts of an empty list")
    axis = axis_of(let, whole)
    rest = product(m, along(whole.axes, axis, "1"))
    memory = m.alloc(w.mul(product(m, whole.axes), bytes_of(whole.dtype))) if axis else whole.ptr
    out = new(m, layout_of(whole), found.length)
    before = w.local("i64")
    w.store("i64", "0", before)
    with w.counted(found.length) as k:
        x = item_at(m, found, k)
        start = w.load("i64", before)
        end = w.add(start, x.axes[axis])
        w.leave(w.compare("sgt", end, whole.axes[axis]))
        axes = along(whole.axes, axis, x.axes[axis])
        part = Arr(whole.dtype, w.at_index(ITEM[whole.dtype], memory, w.mul(start, rest)), axes)
        if axis:
            with nest(m, axes) as at:
                store(m, item_of(m, whole, along(at, axis, w.add(start, at[axis]))), part.dtype, part.ptr,
                      offset(m, axes, at))
        m.write(part, out.layout, place(m, out, k))
        w.store("i64", end, before)
    return out


# -- orders ------------------------------------------------------------------------------------------------------------


@handles(lists.order)
def order(m: Lowering, let: Let, keys: Any) -> Lst:
    """The places of the keys in the order of the keys, equal ones in that of their places."""
    from ccc.compile.native.orders import sorted_places

    reverse = bool(let.application.params.get("reverse", False))
    found = listed(m, keys)
    if found.layout is None:
        return Lst(Word("i64"), "null", "0", "0")
    if found.layout not in (Word("double"), Word("i64")):
        raise NotNative("an order of keys that are no numbers")
    ptr = sorted_places(m, found.layout.type, found.ptr, found.length, descending=reverse)
    return Lst(Word("i64"), ptr, found.length, found.length)
