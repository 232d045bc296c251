"""Layouts that meet, where two arms of a branch do, or a loop carries what it began with and what a run makes of it."""

from __future__ import annotations

from typing import Any

from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.layout import Block, Choice, Entries, Items, Node, Nothing, NotNative, Parts, Span, Word, number
from ccc.compile.native.nodes import in_memory


def joined(a: Any, b: Any) -> Any:
    """The layout that values of two layouts are brought into where they meet."""
    if a == b:
        return a
    match a, b:
        case Items(None), Items() | Span():
            return joined(Items(Word("i64")), b) if isinstance(b, Span) else b
        case Items() | Span(), Items(None):
            return joined(b, a)
        case (Items(x), Items(y)):
            return Items(joined(x, y))
        case (Span(), Items(x)) | (Items(x), Span()):
            return Items(joined(Word("i64"), x))
        case Parts(xs), Parts(ys) if len(xs) == len(ys):
            return Parts(tuple([joined(x, y) for x, y in zip(xs, ys, strict=True)]))
        case Entries(x), Entries(y):
            return Entries(joined(Items(x), Items(y)).item)
        case Choice(xs, False), Choice(ys, False) if len(xs) == len(ys):
            return Choice(tuple([joined(x, y) for x, y in zip(xs, ys, strict=True)]))
        case Word(x), Word(y) if x in FLOATING and y in FLOATING:
            raise NotNative("a number that is a float32 or of another kind")
        case Word(x), Word() | Nothing() if x in FLOATING:
            return a
        case Word() | Nothing(), Word(y) if y in FLOATING:
            return b
        case Word(), Nothing(None):  # the cotangent of an integer, which is nothing
            return a
        case Nothing(None), Word() | Node():
            return b
        case Node(), Nothing(None):
            return a
        case Node(x), Node(y) if x == y:  # one of which is given out
            return Node(x)
        case Node(), Node() if in_memory(a) == in_memory(b):
            return a
        case Word("i64"), Word("i1"):
            return a
        case Word("i1"), Word("i64"):
            return b
        case Word() | Block() | Choice(), Word() | Block() | Choice():
            return of_ranks(a, b)
        case _:
            raise NotNative("values of two kinds meet")


def of_ranks(a: Any, b: Any) -> Any:
    """The layout of numbers and arrays of several ranks, by rank (`ranks`). A number may be an integer: what becomes of
    it without the array is left to NumPy, since that is no float."""
    several = [one for x in (a, b) for one in (x.alternatives if isinstance(x, Choice) else (x,))]
    of_items = {number(x.dtype) for x in several if isinstance(x, Block)}
    alone = {x.type for x in several if isinstance(x, Word)}
    if not all(isinstance(x, (Word, Block)) for x in several) or len(of_items) > 1 or len(alone) > 1 or (
            not alone <= of_items | {"i64"}):
        raise NotNative("values of two kinds meet")
    found = {rank_of(x): x for x in several}
    return Choice(tuple([found[rank] for rank in sorted(found)]), by_rank=True)


def rank_of(layout: Any) -> int:
    """The rank of values of a layout, which of several is the last."""
    return layout.rank if isinstance(layout, Block) else rank_of(layout.alternatives[-1]) if isinstance(
        layout, Choice) and layout.by_rank else 0
