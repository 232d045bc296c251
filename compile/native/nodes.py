"""How the nodes of trees are laid out: the tag, then the words of the alternative that it tells."""

from __future__ import annotations

from typing import Any

from ccc.compile.native.layout import (
    Block,
    Choice,
    Entries,
    Items,
    Node,
    Nothing,
    Parts,
    Word,
    canonical,
    ordered,
)
from ccc.coproducts import tag_of, unfolded
from ccc.objects import UNIT

STACK = 1 << 20
"""The bytes of the stack that recursion may take."""


def alternatives(layout: Node) -> list[Any]:
    """The layouts of the alternatives."""
    found = list(map(canonical, ordered(layout.whole)))
    return list(map(of_cotangent, found)) if layout.given_out else found


def of_cotangent(layout: Any) -> Any:
    """The layout of the cotangents that are given out of values which are laid out so."""
    match layout:
        case Word("i64" | "i1") | Nothing() | Block("int64" | "bool"):
            return Nothing(None)
        case Node(whole):
            return Node(whole, True)
        case Parts(parts):
            return Parts(tuple(map(of_cotangent, parts)))
        case Choice(parts):
            return Choice(tuple(map(of_cotangent, parts)))
        case Items(item) if item is not None:
            return Items(of_cotangent(item))
        case Entries(entry) if entry is not None:
            key, item = entry.parts
            return Entries(Parts((key, of_cotangent(item))))
        case _:
            return layout


def in_memory(layout: Node) -> list[Any]:
    """How the alternatives of a tree lie in memory, which hold nodes."""
    whole = layout.whole
    return [layout.given_out, *[(tag_of(one), canonical(unfolded(one, UNIT))) for one in whole.alternatives]]
