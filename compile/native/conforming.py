"""Cotangents brought into the structure of what they are cotangents of, in memory of their own, and sizes compared.

What holds nothing that is differentiated, an integer for example, has None in its place, wherever it stands.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.native import trees
from ccc.compile.native.apart import is_sole
from ccc.compile.native.arrays import zeros_of
from ccc.compile.native.cotangents import settled
from ccc.compile.native.dtypes import REALS
from ccc.compile.native.layout import (
    Arr,
    Dct,
    Fixed,
    Lazy,
    Lst,
    Node,
    Nothing,
    NotNative,
    Ref,
    Sum,
    Tup,
    canonical,
    layout_of,
    ordered,
    words,
)
from ccc.compile.native.lists import new
from ccc.compile.native.maps import cotangent_at
from ccc.compile.native.reshaping import conformed
from ccc.compile.native.sequences import copied, item_at, listed, place
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.coproducts import holds_itself
from ccc.objects import Array, Coproduct, List, Map, Object, Product, Real
from ccc.primitives import barriers, boundary, reductions
from ccc.wording import in_words


@handles(boundary.conform)
def conform(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    a = let.args[1].object
    if isinstance(a, Array) and isinstance(ct, Arr | Lazy) and ct.dtype == a.dtype and is_sole(m, let.args[0]) and (
            not isinstance(ct, Arr) or ct.ptr in m.taken):
        return m.there(conformed(m, ct, x, exact=False))
    return structured(m, ct, x, a)


def structured(m: Lowering, ct: Any, x: Any, a: Object) -> Any:
    """A cotangent with the structure of x, a value of an object; it is nothing at all where it is zero."""
    nothing = isinstance(ct, Fixed)
    match a:
        case Real():
            type_ = canonical(a).type
            return Num(type_, real(0.0)) if nothing else m.number(ct, type_)
        case Array(dtype):
            if dtype not in REALS:
                return Fixed(None)
            return m.there(zeros_of(m, x) if nothing else conformed(m, ct, x))
        case Coproduct() if holds_itself(a):
            return of_tree(m, ct, x, a)
        case Coproduct():
            return of_sum(m, ct, x, a)
        case Product(parts):
            if not isinstance(x, Tup) or not (nothing or isinstance(ct, Tup)):
                raise NotNative(f"a cotangent of {in_words(a)}")
            cts = [ct] * len(parts) if nothing else ct.parts
            return Tup(tuple([structured(m, c, y, part) for c, y, part in zip(cts, x.parts, parts, strict=True)]))
        case List():
            return of_list(m, None if nothing else ct, x, a)
        case Map():
            return of_map(m, ct, x, a)
        case _:
            return Fixed(None)


def of_sum(m: Lowering, ct: Any, x: Any, a: Coproduct) -> Sum:
    """That of one of several alternatives: all of them have their zeros, the tag says which it is."""
    if not isinstance(x, Sum) or not isinstance(ct, (Fixed, Sum)):
        raise NotNative(f"a cotangent of {in_words(a)}")
    cts = [ct] * len(x.parts) if isinstance(ct, Fixed) else ct.parts
    return Sum(x.tag, tuple([structured(m, c, y, one) for c, y, one in zip(cts, x.parts, ordered(a), strict=True)]))


def of_tree(m: Lowering, ct: Any, x: Any, a: Coproduct) -> Ref:
    """That of a tree, node by node."""
    x, own = m.there(x), Node(a)
    ct = Ref(own, "null") if isinstance(ct, Fixed) else m.there(ct)
    if not isinstance(x, Ref) or not isinstance(ct, Ref):
        raise NotNative(f"a cotangent of {in_words(a)}")
    x, ct = trees.alike(x, ct)
    layout = Node(a, True)

    def structure_of(m: Lowering, ct: Ref, x: Ref) -> Any:
        def made(k: int) -> Any:
            part = trees.alternative(m, x, k)
            found = structured(m, settled(m, trees.arrived(m, ct, k), part), part, ordered(a)[k - 1])
            return trees.stored(m, layout, k, found)

        return trees.by_tag(m, layout, trees.which(m, x), layout, made)

    return trees.recursive(m, "structure", (ct, x), layout, structure_of)


def of_map(m: Lowering, ct: Any, x: Any, a: Map) -> Any:
    """That of a map, for each of its keys."""
    if not isinstance(x, Dct) or x.entries.layout is None:
        return x if isinstance(x, Dct) else Fixed(None)
    layout: Any = None
    room = m.w.gap()
    found = x.entries
    out = Lst(None, "null", found.length, found.length)
    with m.w.counted(found.length) as k, m.scope():
        key, v = item_at(m, found, k).parts
        made = Tup((key, m.there(structured(m, cotangent_at(m, ct, v, key), v, a.item))))
        layout = layout_of(made)
        with m.w.within(room):
            out = new(m, layout, found.length)
        m.write(made, layout, place(m, out, k))
    return Dct(out, copied(m, x.index))


def of_list(m: Lowering, ct: Any, x: Any, a: List) -> Lst:
    """That of a list, item by item."""
    w = m.w
    xs = listed(m, x)
    cts = None if ct is None else listed(m, ct)
    if xs.layout is None:
        return xs
    if cts is not None and cts.length != xs.length:
        w.leave(w.compare("ne", cts.length, xs.length))
    if cts is not None and isinstance(a.item, Real) and cts.layout == canonical(a.item):
        return copied(m, cts)
    layout: Any = Nothing(None)
    ptr, room = "null", w.gap()
    with w.counted(xs.length) as k:
        c = Fixed(None) if cts is None or cts.layout is None else item_at(m, cts, k)
        found = structured(m, c, item_at(m, xs, k), a.item)
        layout = layout_of(found)
        size = len(words(layout))
        if size:
            with w.within(room):
                ptr = m.alloc(w.mul(xs.length, str(8 * size)))
            m.write(found, layout, place(m, Lst(layout, ptr, xs.length, xs.length), k))
    return Lst(layout, ptr, xs.length, xs.length)


@handles(barriers.check_like)
def check_like(m: Lowering, let: Let, d: Any, x: Any) -> Fixed:
    compare(m, d, x, let.args[1].object)
    return Fixed(())


@handles(reductions.weights_for)
def weights_for(m: Lowering, let: Let, w: Any, a: Any) -> Any:
    for size, wanted in zip(m.arr(w).axes, m.arr(a).axes, strict=True):
        unequal(m, size, wanted)
    return w


def compare(m: Lowering, d: Any, x: Any, a: Object) -> None:
    """Leave where a direction has other sizes than x, a value of an object."""
    if isinstance(a, Array) and isinstance(x, (Arr, Lazy)):
        axes = d.axes if isinstance(d, (Arr, Lazy)) else ()
        if len(axes) != len(x.axes):
            raise NotNative(f"a direction of {in_words(a)}")
        for size, wanted in zip(axes, x.axes, strict=True):
            unequal(m, size, wanted)
    elif isinstance(a, List):
        ds, xs = listed(m, d), listed(m, x)
        unequal(m, ds.length, xs.length)
        if ds.layout is not None and xs.layout is not None and holds_sizes(a.item):
            with m.w.counted(xs.length) as k:
                compare(m, item_at(m, ds, k), item_at(m, xs, k), a.item)
    elif isinstance(a, Product) and isinstance(d, Tup) and isinstance(x, Tup):
        for part, inner, b in zip(d.parts, x.parts, a.parts, strict=True):
            compare(m, part, inner, b)


def unequal(m: Lowering, size: str, wanted: str) -> None:
    if size != wanted:
        m.w.leave(m.w.compare("ne", size, wanted))


def holds_sizes(a: Object) -> bool:
    """Whether values of an object that tangents belong to have sizes."""
    return (isinstance(a, Array) and a.is_real) or isinstance(a, List) or (
        isinstance(a, Product) and any(map(holds_sizes, a.parts)))
