"""Equality of pullbacks whose cotangents are elements of a semiring.

>>> from ccc.categories.reverse import Reverse
>>> from ccc.semirings import TROPICAL
>>> from ccc.laws.choices import Randomly
>>> AskedComparison(Reverse(L=TROPICAL), Generator(Randomly(0))).number()
3.0
"""

from __future__ import annotations

from typing import Any

from ccc.additive import ZERO
from ccc.laws.equality import PullbackComparison
from ccc.laws.generate import Generator
from ccc.objects import Object
from ccc.semirings import OWN, Element, Monoid, Semiring


def semiring_of(k: Any) -> Monoid | None:
    """The semiring, or monoid, in which a category asks; None where it says nothing of one."""
    L = getattr(k, "L", None)
    return L if isinstance(L, Monoid) and L is not OWN else None


def element(L: Monoid, draw: Generator, depth: int = 2) -> Any:
    """An element made of some by plus and times.

    >>> from ccc.semirings import NUMBERS
    >>> from ccc.laws.choices import Replayed
    >>> element(NUMBERS, Generator(Replayed([])))
    0
    """
    times, ones = ([L.times], [L.one]) if isinstance(L, Semiring) else ([], [])
    if depth and draw.chance(60):
        return draw.pick([L.plus, *times])(element(L, draw, depth - 1), element(L, draw, depth - 1))
    return draw.pick([L.zero, *ones, *L.some])


class AskedComparison(PullbackComparison):
    """The same, where what is asked is drawn from the elements of a semiring."""

    def number(self) -> Any:
        return Element(self.k.L, element(self.k.L, self.draw))

    def seeds(self, v: Any, a: Object) -> list[Any]:
        return [ZERO, *[self.cotangent(v, a) for _ in range(2)]]

    def zeros(self, v: Any, a: Object) -> list[Any]:
        return [ZERO]
