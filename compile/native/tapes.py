"""Tapes of recursive functions: words in the arena that stay as they are.

All tapes of one type have one layout, that of the first one written. Of a tape of cotangents or tangents, parts that
are nothing are zero words, and a null pointer is nothing at all.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.native.cotangents import added, merged, settled, unless_nothing, zeros
from ccc.compile.native.layout import (
    Box,
    Fixed,
    Items,
    Nothing,
    NotNative,
    Pointer,
    Twig,
    absent,
    layout_of,
    operands,
    rebuilt,
    words,
)
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.program.lam import Let
from ccc.objects import Boxed
from ccc.primitives import tapes, zero_trees


def layouts_of(m: Lowering, tape: Any, parts: list[Any] | None = None) -> list[Any]:
    """The layouts of the parts of a tape of a type; the first one that is written says them."""
    found = m.module.rolled.get(tape)
    if found is None:
        if parts is None:
            raise NotNative("a tape that is read before it is written")
        m.module.rolled[tape] = parts
        return parts
    if parts is not None and any(a == Nothing(None) != b for a, b in zip(found, parts, strict=True)):
        raise NotNative("tapes of one type with parts of several kinds")
    return found


def written(m: Lowering, parts: list[Any], layouts: list[Any]) -> Box:
    """A new tape."""
    ptr = m.alloc(str(max(8, 8 * sum(map(room, layouts)))))
    at = 0
    for x, layout in zip(parts, layouts, strict=True):
        v = m.brought(x, layout)
        for i, (type_, text) in enumerate(zip(words(layout)[: room(layout)], operands(v), strict=False)):
            m.w.put_word(type_, text, m.w.at_index("i64", ptr, str(at + i)))
        at += room(layout)
    return Box(ptr)


def room(layout: Any) -> int:
    """The words of a part of a tape: lists there are as long as they will be."""
    return len(words(layout)) - isinstance(layout, Items)


@handles(tapes.roll)
def roll(m: Lowering, let: Let, *xs: Any) -> Box:
    tape, ranks = let.application.params["tape"], m.module.ranks
    parts = [m.there(m.brought(x, ranks.layout((tape, i), a.object, x)))
             for i, (x, a) in enumerate(zip(xs, let.args, strict=True))]  # fmt: skip
    return written(m, parts, layouts_of(m, tape, list(map(layout_of, parts))))


@handles(tapes.unroll)
def unroll(m: Lowering, let: Let, t: Any) -> Any:
    index = let.application.params["index"]
    if not isinstance(t, Box):
        raise NotNative("a part of what is no tape")
    m.w.leave(m.w.compared("eq", "ptr", t.ptr, "null"), guards=False)
    return part(m, t.ptr, layouts_of(m, let.args[0].object), index)


def part(m: Lowering, ptr: str, layouts: list[Any], index: int) -> Any:
    first, layout = sum(map(room, layouts[:index])), layouts[index]
    texts = [m.w.word(type_, m.w.at_index("i64", ptr, str(first + i)))
             for i, type_ in enumerate(words(layout)[: room(layout)])]
    return rebuilt(layout, iter([*texts, *(texts[-1:] if isinstance(layout, Items) else [])]))


@handles(tapes.touched)
def touched(m: Lowering, let: Let, ct: Any, t: Any) -> Box:
    """The cotangent of a tape that touches one part."""
    index = let.application.params["index"]
    layouts = layouts_of(m, let.args[1].object)
    parts = [m.brought(ct, layout) if i == index else absent(layout) for i, layout in enumerate(layouts)]
    return written(m, parts, layouts)


@handles(tapes.part_of_cotangent)
def part_of_cotangent(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    """A part of the cotangent of a tape, or the zero of what it belongs to."""
    w, index = m.w, let.application.params["index"]
    if isinstance(ct, Fixed):
        return zeros(m, x)
    if not isinstance(ct, Box):
        raise NotNative("a part of what is no tape")
    layouts = layouts_of(m, let.args[0].object)
    size = max(1, sum(map(room, layouts)))
    nothing = w.local("i64", max(2, size))
    for i in range(size):
        w.store("i64", "0", w.at_index("i64", nothing, str(i)))
    none = w.compared("eq", "ptr", ct.ptr, "null")
    found = part(m, w.select("ptr", none, nothing, ct.ptr), layouts, index)
    return settled(m, found, x)


# -- sums ----------------------------------------------------------------------------------------------------------


def summed(m: Lowering, tape: Any, a: Any, b: Any) -> Any:
    """The sum of two cotangents of a tape, part by part; one that is nothing leaves the other."""
    if isinstance(a, Fixed) or isinstance(b, Fixed):
        return b if isinstance(a, Fixed) else a
    layouts = layouts_of(m, tape)

    def both() -> Box:
        pairs = [(part(m, a.ptr, layouts, i), part(m, b.ptr, layouts, i)) for i in range(len(layouts))]
        return written(m, [merged(m, x, y, layout) for (x, y), layout in zip(pairs, layouts, strict=True)], layouts)

    return unless_nothing(m, a, b, Pointer(), both)


@handles(zero_trees.add_trees)
def add_trees(m: Lowering, let: Let, a: Any, b: Any) -> Any:
    tape = let.targets[0].object
    if isinstance(tape, Boxed):
        return summed(m, tape, a, b)
    a, b = [v if isinstance(v, Twig) else m.there(v) for v in (a, b)]
    return added(m, a, b)
