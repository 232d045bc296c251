"""Zero cotangents and sums of cotangents, of values that are made of others."""

from __future__ import annotations

from typing import Any

from ccc.compile.native import scalars
from ccc.compile.native.arrays import elementwise_sum, zeros_of
from ccc.compile.native.dtypes import FLOATING, REALS
from ccc.compile.native.entries import duplicate, empty, entered
from ccc.compile.native.layout import (
    Arr,
    Box,
    Dct,
    Fixed,
    Lazy,
    Lst,
    Nothing,
    NotNative,
    Rng,
    Rows,
    Sum,
    Tup,
    absent,
    joined,
    layout_of,
    words,
)
from ccc.compile.native.sequences import checked, copied, in_layout, item_at, listed, owned, place, with_parts_of
from ccc.compile.native.sums import added as added_sums, place_of
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.objects import Coproduct, Record
from ccc.primitives import structure, sums, zero_trees
from ccc.wording import in_words


@handles(sums.arrived)
def arrived(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    whole, a = let.args[0].object, let.args[1].object
    if isinstance(ct, Fixed):
        return zeros(m, x)
    if not isinstance(whole, Coproduct) or isinstance(a, Coproduct):
        return ct
    if not isinstance(ct, Sum):
        raise NotNative(f"a cotangent of {in_words(whole)} that is not told from others")
    k = place_of(whole, a)
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
    name = let.op.params["name"]  # type: ignore[attr-defined]
    if isinstance(ct, Fixed):
        return zeros(m, x)
    if not isinstance(ct, Tup) or not isinstance(a, Record):
        raise NotNative("the cotangent of a field of this type")
    found = ct.parts[a.names.index(name)]
    return zeros(m, x) if isinstance(found, Fixed) else found
