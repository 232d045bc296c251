"""Values that are a number or an array, or arrays of several ranks, as the run will have it.

    y = x if c else 0.0                   an array of rank 1 or a number: one of a choice, whose tag says which
    z = y * x                             a branch on the tag, with the operation in both arms: an array
    for r in xs: t = t + r if ok else t   a number until the first run that adds something to it

A branch knows what its arms give. What a loop carries, and what functions take and give, has a layout before it is
known what comes there: where more comes than was known when the text began, it is written anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ccc.compile.native.dtypes import item_dtype
from ccc.compile.native.layout import NotNative, Word, canonical, layout_of, number
from ccc.compile.native.meeting import joined
from ccc.objects import Array, Coproduct, List, Map, Object, Product


class Anew(Exception):
    """More is known than when the text began: it has to be written anew."""


class TooMany(NotNative):
    """Operations on values of several ranks, each of which is a branch, would make code that takes long to compile."""


MOST = 150
"""So many operations on such values a program may have."""


class Ranks:
    """The layouts of what comes to places at which values may be arrays of several ranks."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Any] = {}
        self.told: dict[Hashable, Any] = {}
        self.branches = 0
        self.never: dict[Hashable, NotNative] = {}
        """The operations on values of ranks that do not meet there, with what was said of them."""

    def begin(self) -> None:
        """To be called where the text begins."""
        self.branches = 0

    def branched(self) -> None:
        """Count a branch on the rank of a value. Raises `TooMany`."""
        self.branches += 1
        if self.branches > MOST:
            raise TooMany(f"more than {MOST} operations on values of which the rank is not known")

    def layout(self, place: Hashable, a: Object, v: Any) -> Any:
        """The layout at a place of values of an object, given one which comes there. Raises `Anew` where the
        text relies on another one."""
        if not of_any_rank(a):
            return canonical(a)
        known, found = self.known.get(place), layout_of(v)
        both = self.known[place] = found if known is None else joined(known, found)
        if self.told.get(place, both) != both or (known is not None and both != known):
            raise Anew
        return both

    def before(self, place: Hashable, a: Object) -> Any:
        """The layout at a place of which it is written first what takes it from there: of numbers, where it is not
        known what comes."""
        if not isinstance(a, Array) or a.axes is not None:
            return canonical(a)
        found = self.told[place] = self.known.get(place) or Word(number(item_dtype(a.dtype)))
        return found


def of_any_rank(a: Object) -> bool:
    """Whether a value is an array of a rank that its object does not say, or holds one.

    >>> of_any_rank(List(Array("float64", None))), of_any_rank(Array("float64", ("n",)))
    (True, False)
    """
    if isinstance(a, (List, Map)):
        return of_any_rank(a.item)
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return (isinstance(a, Array) and a.axes is None) or any(map(of_any_rank, inside))
