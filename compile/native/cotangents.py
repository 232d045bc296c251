"""Zero cotangents and sums of cotangents, of values that are made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.native import scalars, trees
from ccc.compile.native.arrays import elementwise_sum, forced, zeros_of
from ccc.compile.native.dtypes import FLOATING, REALS
from ccc.compile.native.entries import duplicate, empty, entered
from ccc.compile.native.layout import (
    Arr,
    Block,
    Box,
    Choice,
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
    Pointer,
    Ref,
    Rng,
    Rows,
    Sum,
    Tup,
    Twig,
    Word,
    absent,
    canonical,
    layout_of,
    operands,
    ordered,
    words,
)
from ccc.compile.native.meeting import joined
from ccc.compile.native.sequences import (
    checked,
    copied,
    in_layout,
    item_at,
    listed,
    owned,
    place,
    widened,
    with_parts_of,
)
from ccc.compile.native.sums import added as added_sums, of_one, place_of
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering, Variables
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.coproducts import holds_itself
from ccc.objects import Coproduct, Object, Product, Record
from ccc.primitives import structure, sums, zero_trees
from ccc.wording import in_words


@handles(sums.as_cotangent)
def as_cotangent(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    have, whole = let.args[0].object, let.args[1].object
    if not isinstance(whole, Coproduct):
        return ct
    if isinstance(have, Coproduct):
        return widened(m, ct, have, whole) if holds_itself(whole) else ct
    layouts = [of_cotangents(canonical(one)) for one in ordered(whole)]
    if isinstance(ct, Fixed):
        return Ref(Node(whole), "null") if holds_itself(whole) else Sum("0", tuple(map(absent, layouts)))
    found = of_one(m, ct, have, whole, layouts)
    return m.there(found) if isinstance(found, Twig) and m.module.uses[let.targets[0]] > 1 else found


def of_cotangents(layout: Any) -> Any:
    """The layout of the cotangents of values that are laid out so: nothing for integers and bools."""
    match layout:
        case Word("i64" | "i1"):
            return Nothing(None)
        case Parts(parts):
            return Parts(tuple(map(of_cotangents, parts)))
        case _:
            return layout


@handles(sums.arrived)
def arrived(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    whole, a = let.args[0].object, let.args[1].object
    if isinstance(ct, Fixed):
        return zeros(m, x)
    if not isinstance(whole, Coproduct) or isinstance(a, Coproduct):
        return ct
    k = place_of(whole, a)
    if isinstance(ct := m.there(ct), Ref):
        return narrowed(m, ct, whole, x, a)
    if not isinstance(ct, Sum):
        raise NotNative(f"a cotangent of {in_words(whole)} that is not told from others")
    part = ct.parts[k - 1]
    if ct.tag == "0" or isinstance(part, Fixed):
        return zeros(m, x)
    if ct.tag != str(k):
        wrong = m.w.compare("ne", ct.tag, str(k))
        if "ptr" in words(layout_of(part)):
            m.w.leave(wrong)
        else:  # of nothing, the words are zeros
            m.w.spoil(m.w.binary("and", "i1", wrong, m.w.compare("ne", ct.tag, "0")))
    return part


def added(m: Lowering, a: Any, b: Any) -> Any:
    """The sum of two values of one type."""
    w = m.w
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Fixed):
            return y
    if isinstance(a, Num) and isinstance(b, Num):
        return scalars.add(w, False, a, b)
    if isinstance(a, Tup) and isinstance(b, Tup):
        return Tup(tuple([added(m, x, y) for x, y in zip(a.parts, b.parts, strict=True)]))
    if isinstance(a, (Arr, Lazy)) and isinstance(b, (Arr, Lazy)):
        return m.arr(elementwise_sum(m, a, b))
    if isinstance(a, Ref | Twig) and isinstance(b, Ref | Twig):
        return trees.summed(m, a, b, merged)
    if isinstance(a, Sum) and isinstance(b, Sum):
        return added_sums(m, a, b, added)
    if isinstance(a, (Lst, Rows)) and isinstance(b, (Lst, Rows)):
        xs, ys = listed(m, a), listed(m, b)
        if xs.layout is None or ys.layout is None:
            return ys if xs.layout is None else xs
        w.leave(w.compare("ne", xs.length, ys.length))
        layout = joined(xs.layout, ys.layout)
        out = Lst(layout, m.alloc(w.mul(xs.length, str(8 * len(words(layout))))), xs.length, xs.length)
        with w.counted(xs.length) as k:
            m.write(added(m, item_at(m, xs, k), item_at(m, ys, k)), layout, place(m, out, k))
        return out
    if isinstance(a, Dct) and isinstance(b, Dct):
        return entered(m, duplicate(m, a), b, lambda x, y: added(m, x, y))
    raise NotNative("a sum of values of this type")


def narrowed(m: Lowering, ct: Any, whole: Object, x: Any, a: Object) -> Any:
    """The cotangent of a value of an object, from that of one of an object whose sums have more alternatives."""
    if isinstance(whole, Product) and isinstance(a, Product) and isinstance(ct, Tup) and isinstance(x, Tup):
        parts = zip(ct.parts, whole.parts, x.parts, a.parts, strict=True)
        return Tup(tuple([narrowed(m, *part) for part in parts]))
    if not isinstance(ct, Ref) or (isinstance(a, Coproduct) and holds_itself(a)):
        return settled(m, ct, x)
    assert isinstance(whole, Coproduct)
    if not isinstance(a, Coproduct):
        k = place_of(whole, a)
        return narrowed(m, trees.arrived(m, ct, k), ordered(whole)[k - 1], x, a)
    places = [place_of(whole, one) for one in ordered(a)]
    parts = [narrowed(m, part, ordered(whole)[k - 1], y, one) for part, k, y, one in zip(
        trees.several(m, ct, places), places, x.parts, ordered(a), strict=True)]
    return Sum(x.tag, tuple(parts))


# -- what is nothing in parts: cotangents of trees and tapes ---------------------------------------------------------


def settled(m: Lowering, found: Any, x: Any) -> Any:
    """A part that may be nothing, as the zero of what it belongs to."""
    w = m.w
    if isinstance(found, Fixed):
        return zeros(m, x)
    if isinstance(found, Ref):
        return found
    if isinstance(found, Tup) and isinstance(x, Tup):
        return Tup(tuple([settled(m, part, inner) for part, inner in zip(found.parts, x.parts, strict=True)]))
    if isinstance(found, Lst) and found.layout is not None and isinstance(x, (Lst, Rows, Rng)):
        return with_zeros(m, found, x)
    if isinstance(found, Arr) and isinstance(x, (Arr, Lazy)) and x.dtype == found.dtype in REALS:
        zero = forced(m, zeros_of(m, x))
        none = w.compared("eq", "ptr", found.ptr, "null")
        for have, want in zip(found.axes, x.axes, strict=True):
            differ = w.compare("ne", have, want)
            w.leave(w.binary("and", "i1", differ, w.binary("xor", "i1", none, "true")))
        return Arr(x.dtype, w.select("ptr", none, zero.ptr, found.ptr), x.axes)
    if isinstance(found, (Lst, Arr, Tup, Sum)):
        for type_, text in zip(words(layout_of(found)), operands(found), strict=True):
            if type_ == "ptr":
                w.leave(w.compared("eq", "ptr", text, "null"))
    return found


def with_zeros(m: Lowering, found: Lst, x: Any) -> Lst:
    """The cotangent of a list; one without items is nothing."""
    w = m.w
    out = Variables(m, layout_of(found))
    out.keep(found)
    none = w.compare("eq", found.length, "0")
    with trees.only_if(m, w.binary("and", "i1", none, w.compare("ne", listed(m, x).length, "0"))):
        out.keep(zeros(m, x, True))
    return out.now()


def merged(m: Lowering, a: Any, b: Any, layout: Any) -> Any:
    """The sum of two parts."""
    w = m.w
    match layout:
        case Word(type_) if type_ in FLOATING:
            return Num(type_, w.binary("fadd", type_, a.text, b.text))
        case Parts(parts):
            return Tup(tuple([merged(m, x, y, part) for x, y, part in zip(a.parts, b.parts, parts, strict=True)]))
        case Block(dtype) if dtype in REALS:
            return unless_nothing(m, a, b, layout, lambda: forced(m, elementwise_sum(m, a, b)))
        case Items():
            return unless_nothing(m, a, b, layout, lambda: added(m, a, b))
        case Pointer():
            return unless_nothing(m, a, b, layout, lambda: None)
        case Node() | Choice() | Entries() | None:
            return added(m, a, b)
        case Word() | Nothing():
            return a
        case _:
            raise NotNative("a sum of tapes with such parts")


def unless_nothing(m: Lowering, a: Any, b: Any, layout: Any, both: Callable[[], Any]) -> Any:
    """The one of two values that is there, or what is made of both; where that is None the code leaves."""
    w = m.w
    out = Variables(m, layout)
    out.keep(a)
    tests = [w.compared("ne", "ptr", operands(v)[0], "null") for v in (a, b)]
    there, one, two, done = (w.block(x) for x in ("there", "one", "two", "summed"))
    m.settle()
    w.fork(tests[1], there, done)
    w.label(there)
    w.fork(tests[0], two, one)
    w.label(one)
    out.keep(b)
    w.jump(done)
    w.label(two)
    w.tests += 1
    with m.scope():
        found = both()
        if found is None:
            w.leave("true")
        else:
            out.keep(found)
    w.tests -= 1
    w.jump(done)
    w.label(done)
    return out.now()


@handles(structure.add_item)
def add_item(m: Lowering, let: Let, xs: Any, ct: Any, i: Any) -> Lst:
    out, ct = owned(m, let, xs), m.there(ct)
    if out.layout is not None and not isinstance(ct, Fixed):
        out = in_layout(m, out, with_parts_of(out.layout, layout_of(ct)))
    at = place(m, out, checked(m, out.length, m.number(i)))
    m.write(added(m, m.read(out.layout, at), ct), out.layout, at)
    return out


def zeros(m: Lowering, v: Any, inside: bool = False) -> Any:
    """The zero cotangent of a value; nothing for the integers and bools that structures hold."""
    w = m.w
    if isinstance(v, Num):
        if v.type not in FLOATING:
            return Fixed(None) if inside else Num("i64", "0")
        return Num(v.type, "0x0000000000000000")
    if isinstance(v, (Arr, Lazy)):
        return zeros_of(m, v) if not inside or v.dtype in REALS else Fixed(None)
    if isinstance(v, Tup):
        return Tup(tuple([zeros(m, x, True) for x in v.parts]))
    if isinstance(v, Sum):
        return Sum("0", tuple([absent(layout_of(x)) for x in v.parts]))
    if isinstance(v, Fixed):
        return Fixed(None)
    if isinstance(v, Box):
        return Box("null")
    if isinstance(v, Ref | Twig):
        return Ref(Node(v.layout.whole), "null")
    if isinstance(v, (Lst, Rows)):
        xs = listed(m, v)
        if xs.layout is None:
            return xs
        layout: Any = Nothing(None)
        room = w.gap()
        out = Lst(layout, "null", xs.length, xs.length)
        with w.counted(xs.length) as k:
            zero = m.there(zeros(m, item_at(m, xs, k), True))
            layout = layout_of(zero)
            size = len(words(layout))
            if size:
                with w.within(room):
                    out = Lst(layout, m.alloc(w.mul(xs.length, str(8 * size))), xs.length, xs.length)
                m.write(zero, layout, place(m, out, k))
        return Lst(layout, out.ptr, xs.length, xs.length)
    if isinstance(v, Rng):
        return Lst(Nothing(None), "null", v.length, v.length)
    if isinstance(v, Dct):
        return empty()
    raise NotNative("the zero cotangent of a value of this type")


@handles(zero_trees.zeros_like, facts=Facts(fill=0.0))
def zeros_like(m: Lowering, let: Let, x: Any) -> Any:
    return zeros(m, x)


@handles(structure.pad)
def pad(m: Lowering, let: Let, cts: Any, xs: Any) -> Any:
    """The cotangents of the first items, and zeros for the rest."""
    w = m.w
    found, whole = listed(m, cts), listed(m, xs)
    if found.layout is None:
        return zeros(m, whole)
    if found.length == whole.length:
        return copied(m, found)
    out = Lst(found.layout, m.alloc(w.mul(whole.length, str(8 * len(words(found.layout))))), whole.length,
              whole.length)
    w.leave(w.compare("sgt", found.length, whole.length))
    with w.counted(found.length) as k:
        m.write(item_at(m, found, k), out.layout, place(m, out, k))
    rest = w.sub(whole.length, found.length)
    with w.counted(rest) as k:
        at = w.add(found.length, k)
        m.write(zeros(m, item_at(m, whole, at)), out.layout, place(m, out, at))
    return out


@handles(structure.field_cotangent)
def field_cotangent(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    a = let.args[0].object
    name = let.application.params["name"]
    if isinstance(ct, Fixed):
        return zeros(m, x)
    if not isinstance(ct, Tup) or not isinstance(a, Record):
        raise NotNative("the cotangent of a field of this type")
    found = ct.parts[a.names.index(name)]
    return zeros(m, x) if isinstance(found, Fixed) else found
