"""Lists, ranges, rows of arrays, tuples and tapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, trees
from ccc.compile.native.arrays import fresh_copy
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import bytes_of
from ccc.compile.native.layout import (
    ITEM,
    Arr,
    Column,
    Dct,
    Entries,
    Fixed,
    Items,
    Lazy,
    Lst,
    Node,
    Nothing,
    NotNative,
    Parts,
    Ref,
    Rng,
    Rows,
    Sum,
    Tup,
    Word,
    canonical,
    layout_of,
    number,
    ordered,
    words,
)
from ccc.compile.native.meeting import joined
from ccc.compile.native.new_arrays import as_rows
from ccc.compile.native.notes import Row
from ccc.compile.native.slices import index_checked, steps
from ccc.compile.native.sums import injected, place_of
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Counted, Lowering
from ccc.compile.native.writer import Gap, Num
from ccc.compile.program.lam import Let
from ccc.coproducts import holds_itself
from ccc.objects import UNIT, Coproduct, List, Map, Object, Product
from ccc.primitives import arithmetic, boundary, lists, structure, sums


class Sequence_:
    """What a loop runs along: its length and its items by position."""

    def __init__(self, length: str, item: Callable[[str, str, Gap, bool], Any]) -> None:
        self.length = length
        self.item = item


def sequence(m: Lowering, v: Any) -> Sequence_:
    """A value as what a loop runs along."""
    w = m.w
    if isinstance(v, Rng):
        def along(k: str, now: str, before: Gap, reverse: bool) -> Num:
            moved = w.mul(k, v.step)
            text = w.add(v.start, moved)
            if v.step == "1" and text in w.defined:
                m.counted[text] = Counted(v.start, v.stop, before, len(w.loops)), 0
            return Num("i64", text)

        return Sequence_(v.length, along)
    if isinstance(v, (Rows, Arr, Lazy)):
        a = v.array if isinstance(v, Rows) else m.arr(v)
        if not a.axes:
            raise NotNative("a loop along an array of rank 0, which raises")
        return Sequence_(a.axes[0], lambda k, now, before, reverse: row(m, a, k))
    if isinstance(v, Lst):
        return Sequence_(v.length, lambda k, now, before, reverse: item_at(m, v, k))
    if isinstance(v, Column):
        return Sequence_(v.table.length, lambda k, now, before, reverse: part_at(m, v, k))
    raise NotNative(f"a loop along a {type(v).__name__}")


def row(m: Lowering, a: Arr, k: str) -> Any:
    """A row of an array: a number, or an array in the same memory."""
    w = m.w
    size = "1"
    for axis in a.axes[1:]:
        size = w.mul(size, axis)
    ptr = w.at_index(ITEM[a.dtype], a.ptr, w.mul(k, size))
    if len(a.axes) > 1:
        if a.dtype == "float64":
            w.do(Row(ptr, size))  # see `spread`
        return Arr(a.dtype, ptr, a.axes[1:])
    found = w.load(ITEM[a.dtype], ptr)
    return Num(number(a.dtype), w.cast("trunc", "i8", found, "i1") if a.dtype == "bool" else found)


def place(m: Lowering, xs: Lst, k: str) -> str:
    """The address of an item."""
    return m.w.at_index("i64", xs.ptr, m.w.mul(k, str(len(words(xs.layout)))))


def item_at(m: Lowering, xs: Lst, k: str) -> Any:
    """An item at a position that is there."""
    return m.read(xs.layout, place(m, xs, k))


def part_at(m: Lowering, v: Column, k: str) -> Any:
    """What a column holds at a position that is there."""
    at = place(m, v.table, k)
    found = m.read(v.layout, m.w.at_index("i64", at, str(v.at)) if v.at else at)
    return Arr(found.dtype, found.ptr, v.axes) if v.axes else found


def listed(m: Lowering, v: Any) -> Lst:
    """A range or the rows of an array as a list."""
    w = m.w
    if isinstance(v, Lst):
        return v
    if isinstance(v, Rows) and len(v.array.axes) == 1 and bytes_of(v.array.dtype) == "8":
        a = v.array
        return Lst(Word(number(a.dtype)), a.ptr, a.axes[0], a.axes[0])
    s = sequence(m, v)
    layout = Word("i64") if isinstance(v, Rng) else layout_of(v).item
    size = len(words(layout))
    ptr = m.alloc(w.mul(s.length, str(8 * size)))
    out = Lst(layout, ptr, s.length, s.length)
    with w.counted(s.length) as k:
        m.write(s.item(k, k, w.gap(), False), layout, place(m, out, k))
    return out


def relaid(m: Lowering, v: Any, layout: Items) -> Lst:
    """A list with items in another layout."""
    w = m.w
    xs = listed(m, v)
    if xs.layout is None:
        return Lst(layout.item, "null", "0", "0")
    if xs.layout == layout.item:
        return xs
    if layout.item is None:
        raise NotNative("a list that becomes an empty one")
    out = Lst(layout.item, m.alloc(w.mul(xs.length, str(8 * len(words(layout.item))))), xs.length, xs.length)
    with w.counted(xs.length) as k:
        m.write(item_at(m, xs, k), layout.item, place(m, out, k))
    return out


def with_parts_of(layout: Any, other: Any) -> Any:
    """A layout of cotangents, also with the parts that only another has: no other cotangent has arrived at them."""
    match layout, other:
        case Parts(xs), Parts(ys) if len(xs) == len(ys):
            return Parts(tuple(map(with_parts_of, xs, ys)))
        case Entries(x), Entries(y) if x is not None and y is not None:
            return Entries(with_parts_of(x, y))
        case Entries(), Entries():
            return joined(layout, other)
        case Nothing(), _:
            return joined(layout, other)
        case _:
            return layout


def in_layout(m: Lowering, xs: Lst, layout: Any) -> Lst:
    """A list with items in a layout: itself where it has that already."""
    return xs if layout == xs.layout else relaid(m, xs, Items(layout))


def widened(m: Lowering, v: Any, a: Object, whole: Object) -> Any:
    """A value of an object as one of an object whose sums, at any depth, have more alternatives."""
    if a == whole or isinstance(v, Fixed):
        return injected(m, v, a, whole) if isinstance(whole, Coproduct) else v
    if isinstance(whole, Coproduct):
        if isinstance(v := m.there(v), Ref) and holds_itself(whole):
            return trees.into(m, v, Node(whole), widened)
        return injected(m, with_wide_parts(m, v, a, whole), a, whole)
    if isinstance(whole, Map) and isinstance(a, Map) and has_sum(whole.item) and a.item not in (UNIT, whole.item):
        raise NotNative("a dict whose items become one of several alternatives")
    if isinstance(whole, Product) and isinstance(a, Product) and isinstance(v, Tup):
        parts = zip(v.parts, a.parts, whole.parts, strict=True)
        return Tup(tuple([widened(m, x, one, part) for x, one, part in parts]))
    if not isinstance(whole, List) or not isinstance(a, List) or not isinstance(v, Lst) or v.layout is None or (
            a.item == whole.item or not has_sum(whole.item)):
        return v
    layout = canonical(whole.item)
    out = Lst(layout, m.alloc(m.w.mul(v.length, str(8 * len(words(layout))))), v.length, v.length)
    with m.w.counted(v.length) as k:
        m.write(widened(m, item_at(m, v, k), a.item, whole.item), layout, place(m, out, k))
    return out


@handles(sums.inject)
def inject(m: Lowering, let: Let, x: Any) -> Any:
    return widened(m, x, let.args[0].object, let.application.params["into"])


def with_wide_parts(m: Lowering, v: Any, a: Object, whole: Coproduct) -> Any:
    """A value of an alternative, or of a smaller sum, with each alternative as the sum has it."""
    alternatives = ordered(whole)
    if isinstance(a, Coproduct):
        return v if not isinstance(v, Sum) else Sum(v.tag, tuple([
            widened(m, x, one, alternatives[place_of(whole, one) - 1])
            for x, one in zip(v.parts, ordered(a), strict=True)]))
    return widened(m, v, a, alternatives[place_of(whole, a) - 1])


def has_sum(a: Object) -> bool:
    """Whether an object is a sum, or a list or tuple that holds one."""
    if isinstance(a, List):
        return has_sum(a.item)
    return isinstance(a, Coproduct) or (isinstance(a, Product) and any(map(has_sum, a.parts)))


def checked(m: Lowering, length: str, i: Num) -> str:
    """A position in a list, from an index that may count from the end."""
    return index_checked(m, conversions.as_int(m.w, i), length)


# -- what there is to do with lists --------------------------------------------------------------------------------


@handles(structure.span, facts=Facts(structural=True))
def range_(m: Lowering, let: Let, *xs: Any) -> Rng:
    w = m.w
    numbers = [conversions.as_int(w, m.number(x)) for x in xs]
    start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) == 3 else "1"
    if is_name(step) or step == "0":
        w.leave(w.compare("eq", step, "0"))
        return Rng(start, stop, step, "0" if step == "0" else steps(m, start, stop, step))
    by = int(step)
    gap = w.sub(stop, start) if by > 0 else w.sub(start, stop)
    size = abs(by)
    if size > 1:
        gap = w.sdiv(w.add(gap, str(size - 1)), str(size))
    if not is_name(gap):
        return Rng(start, stop, step, str(max(0, int(gap))))
    return Rng(start, stop, step, w.call("i64", "llvm.smax.i64", ("i64", gap), ("i64", "0")))


@handles(structure.rows)
def rows(m: Lowering, let: Let, x: Any) -> Any:
    return Rows(m.arr(x))


@handles(structure.length, facts=Facts(structural=True))
def length(m: Lowering, let: Let, xs: Any) -> Num:
    if isinstance(xs, (Arr, Lazy)):
        if not xs.axes:
            raise NotNative("the length of an array without axes")
        return Num("i64", xs.axes[0])
    if isinstance(xs, Rows):
        return Num("i64", xs.array.axes[0])
    if isinstance(xs, Num):
        raise NotNative("the length of a number")
    return Num("i64", xs.entries.length if isinstance(xs, Dct) else xs.length)


@handles(arithmetic.truth)
def truth(m: Lowering, let: Let, x: Any) -> Any:
    """Whether a list or map has items, or a number is not zero."""
    if isinstance(x, (Lst, Rng, Rows, Dct)):
        return Num("i1", m.w.compare("ne", length(m, let, x).text, "0"))
    return m.operated(arithmetic.truth, let, [x])


@handles(structure.check_length)
def check_length(m: Lowering, let: Let, xs: Any) -> Fixed:
    w = m.w
    w.leave(w.compare("ne", length(m, let, xs).text, str(let.application.params["count"])))
    return Fixed(())


@handles(structure.item, facts=Facts(structural=True))
def item(m: Lowering, let: Let, xs: Any, i: Any) -> Any:
    if isinstance(xs, Rng):
        k = checked(m, xs.length, m.number(i))
        return Num("i64", m.w.add(xs.start, m.w.mul(k, xs.step)))
    if isinstance(xs, Rows):
        return row(m, xs.array, checked(m, xs.array.axes[0], m.number(i)))
    return item_at(m, xs, checked(m, xs.length, m.number(i)))


def as_item(m: Lowering, let: Let, x: Any, place: int) -> Any:
    """An argument of a let as an item of the list that it gives, which may hold one of several alternatives."""
    whole = let.targets[0].object.item  # type: ignore[attr-defined]
    return widened(m, x, let.args[place].object, whole) if isinstance(whole, Coproduct) else x


@handles(structure.listing)
def display(m: Lowering, let: Let, *xs: Any) -> Lst:
    found = [m.there(as_item(m, let, x, k)) for k, x in enumerate(xs)]
    return listed_items(m, found, canonical(let.targets[0].object).item)


def listed_items(m: Lowering, found: Sequence[Any], layout: Any = None) -> Lst:
    """The list of some items, in a layout or in that which they have in common."""
    for x in found:
        layout = layout_of(x) if layout is None else joined(layout, layout_of(x))
    if not found:
        return Lst(layout, "null", "0", "0")
    size, count = len(words(layout)), str(len(found))
    out = Lst(layout, m.alloc(str(8 * size * len(found))), count, count)
    for k, x in enumerate(found):
        m.write(x, layout, place(m, out, str(k)))
    return out


def copied(m: Lowering, xs: Lst, capacity: str | None = None) -> Lst:
    """The list in new memory."""
    w = m.w
    size = len(words(xs.layout))
    room = capacity or xs.length
    ptr = m.alloc(w.mul(room, str(8 * size)))
    count = w.mul(xs.length, str(8 * size))
    w.run("llvm.memcpy.p0.p0.i64", ("ptr", ptr), ("ptr", xs.ptr), ("i64", count), ("i1", "false"))
    return Lst(xs.layout, ptr, xs.length, room)


def appended(m: Lowering, xs: Lst, v: Any) -> Lst:
    """The list with one item more, in its own memory while there is room."""
    w = m.w
    layout = xs.layout if xs.layout is not None else layout_of(v)
    slots = [w.local("ptr"), w.local("i64")]
    w.store("ptr", xs.ptr, slots[0])
    w.store("i64", xs.capacity, slots[1])
    full = w.compare("eq", xs.length, xs.capacity)
    grow, on = w.block("grow"), w.block("room")
    w.fork(full, grow, on)
    w.label(grow)
    room = w.add(w.mul(xs.capacity, "2"), "8")
    new = copied(m, Lst(layout, xs.ptr, xs.length, xs.capacity), room)
    w.store("ptr", new.ptr, slots[0])
    w.store("i64", room, slots[1])
    w.jump(on)
    w.label(on)
    out = Lst(layout, w.load("ptr", slots[0]), w.add(xs.length, "1"), w.load("i64", slots[1]))
    m.write(v, layout, place(m, out, xs.length))
    return out


def owned(m: Lowering, let: Let, xs: Any) -> Lst:
    """A list that a let may change."""
    found = listed(m, xs)
    return found if let in m.module.overwritten and found is xs else copied(m, found)


@handles(lists.append, facts=Facts(structural=True))
def append(m: Lowering, let: Let, xs: Any, v: Any) -> Lst:
    v = m.there(as_item(m, let, v, 1))
    found = listed(m, xs)
    if found.layout is None:
        found = Lst(layout_of(v), found.ptr, found.length, found.capacity)
    if let not in m.module.overwritten or not isinstance(xs, Lst):
        found = copied(m, found)
    return appended(m, found, v)


@handles(lists.set_item)
def set_item(m: Lowering, let: Let, xs: Any, v: Any, i: Any, *old: Any) -> Lst:
    out = owned(m, let, xs)
    m.write(as_item(m, let, v, 1), out.layout, place(m, out, checked(m, out.length, m.number(i))))
    return out


@handles(lists.without_last, facts=Facts(structural=True))
def without_last(m: Lowering, let: Let, xs: Any) -> Lst:
    found = listed(m, xs)
    m.w.leave(m.w.compare("eq", found.length, "0"))
    shorter = m.w.sub(found.length, "1")
    out = Lst(found.layout, found.ptr, shorter, shorter)  # what comes next is written elsewhere
    return out if let in m.module.overwritten and found is xs else copied(m, out)


def joint(m: Lowering, xs: Any, ys: Any) -> Lst:
    """One list behind another, in new memory."""
    w = m.w
    a, b = listed(m, xs), listed(m, ys)
    if a.layout is None or b.layout is None:
        found = b if a.layout is None else a
        return found if found.layout is None else copied(m, found)
    layout = joined(a.layout, b.layout)
    count = w.add(a.length, b.length)
    out = Lst(layout, m.alloc(w.mul(count, str(8 * len(words(layout))))), count, count)
    with w.counted(a.length) as k:
        m.write(item_at(m, a, k), layout, place(m, out, k))
    with w.counted(b.length) as k:
        m.write(item_at(m, b, k), layout, place(m, out, w.add(a.length, k)))
    return out


@handles(lists.concat, facts=Facts(structural=True))
def concat(m: Lowering, let: Let, xs: Any, ys: Any) -> Lst:
    whole = let.targets[0].object
    return joint(m, *[widened(m, listed(m, v), atom.object, whole) for v, atom in zip((xs, ys), let.args, strict=True)])


@handles(lists.behind, facts=Facts(structural=True))
def behind(m: Lowering, let: Let, cts: Any, xs: Any) -> Lst:
    """The cotangents behind those of the items of a list."""
    w = m.w
    found = listed(m, cts)
    if found.layout is None:
        return found
    n = length(m, let, xs).text
    first = w.call("i64", "llvm.smin.i64", ("i64", n), ("i64", found.length))
    rest = w.sub(found.length, first)
    return copied(m, Lst(found.layout, place(m, found, first), rest, rest))


@handles(structure.cut, facts=Facts(structural=True))
def cut(m: Lowering, let: Let, cts: Any, like: Any) -> Any:
    w = m.w
    n = length(m, let, like).text
    found = listed(m, cts)
    if found.layout is None:
        return found
    if n == found.length:
        return copied(m, found)
    shorter = w.call("i64", "llvm.smin.i64", ("i64", n), ("i64", found.length))
    return copied(m, Lst(found.layout, found.ptr, shorter, shorter))


@handles(structure.stack_rows)
def stack_rows(m: Lowering, let: Let, cts: Any, x: Any) -> Any:
    return as_rows(m, listed(m, cts), x, item_at)


@handles(boundary.own)
def own(m: Lowering, let: Let, v: Any) -> Any:
    if isinstance(v, (Arr, Lazy)):
        return fresh_copy(m, v)
    if isinstance(v, (Lst, Rows, Rng)):
        found = listed(m, v)
        if isinstance(found.layout, Word) or found.layout is None:
            return copied(m, found) if found.layout is not None else found
        out = copied(m, found)
        with m.w.counted(found.length) as k:
            at = place(m, out, k)
            x = m.read(out.layout, at)
            m.write(m.there(own(m, let, x)), out.layout, at)
        return out
    if isinstance(v, Dct):
        return v if v.entries.layout is None else Dct(own(m, let, v.entries), copied(m, v.index))
    if isinstance(v, Tup):
        return Tup(tuple([m.there(own(m, let, x)) for x in v.parts]))
    if isinstance(v, Sum):
        return Sum(v.tag, tuple([m.there(own(m, let, x)) for x in v.parts]))
    return v


# -- tuples and tapes ----------------------------------------------------------------------------------------------


@handles(structure.pack, structure.record)
def pack(m: Lowering, let: Let, *xs: Any) -> Tup:
    return Tup(tuple(map(m.there, xs)))


@handles(structure.part, structure.field)
def part(m: Lowering, let: Let, x: Any) -> Any:
    if not isinstance(x, Tup):
        raise NotNative("a part of a value of this type")
    return x.parts[let.application.params["index"]]


@handles(structure.touched_field)
def touched_field(m: Lowering, let: Let, ct: Any) -> Tup:
    params = let.application.params
    return Tup(tuple([m.there(ct) if name == params["name"] else Fixed(None) for name in params["of"].names]))
