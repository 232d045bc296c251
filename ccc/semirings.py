"""Semirings: what stands in the place of derivatives where `Reverse(L=...)` follows the paths of a program.

    plus    two ways from a number to a result, together        times    one step after another

A sum over all paths of the products along them is how many paths there are in `NUMBERS`, whether there is one in
`BOOLEAN`, the cheapest in `TROPICAL`, the dearest in `MAX_PLUS`, what is met on any in `LINEAGE`, what is met on each
in `WHY`, in order in `WALKS`, and all of these at once in `POLYNOMIALS`. A lattice is a semiring of joins and meets.

>>> TROPICAL.plus(3.0, 4.0), TROPICAL.times(3.0, 4.0), WIDEST.plus(3.0, 4.0), WIDEST.times(3.0, 4.0)
(3.0, 7.0, 4.0, 3.0)

References: T. Green, G. Karvounarakis, V. Tannen, *Provenance Semirings* (2007); M. Mohri, *Semiring Frameworks and
Algorithms for Shortest-Distance Problems* (2002).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

import numpy as np

from ccc.additive import ZERO, Zero


@dataclass(frozen=True, slots=True, eq=False)
class Monoid:
    """A commutative monoid: what may be asked of numbers that are all used alike. The laws draw from `some` elements.

    >>> SETS.plus(frozenset("a"), SETS.zero)
    frozenset({'a'})
    """

    name: str
    zero: Any
    plus: Callable[[Any, Any], Any]
    some: tuple[Any, ...] = ()

    def same(self, a: Any, b: Any) -> bool:
        """Whether two elements are equal; of arrays, whether all entries are.

        >>> SETS.same({"a"}, frozenset("a")), NUMBERS.same(np.array([1, 2]), np.array([1, 3]))
        (True, False)
        """
        arrays = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
        return np.array_equal(a, b) if arrays else bool(a == b)

    def total(self, elements: Any) -> Any:
        """The sum of some elements.

        >>> NUMBERS.total([1, 2, 3])
        6
        """
        return reduce(self.plus, elements, self.zero)


@dataclass(frozen=True, slots=True, eq=False)
class Semiring(Monoid):
    """A semiring: `times` is associative with `one`, distributes over `plus`, and takes `zero` to itself.

    >>> best = Semiring("likeliest", 0.0, max, (0.5, 0.25), 1.0, operator.mul)
    >>> best.total([best.times(0.5, 0.5), best.times(0.75, 0.5)])
    0.375

    `times` need not commute: the step that comes first stands left. The laws draw from `some` elements, with 0 and 1.
    """

    one: Any = None
    times: Callable[[Any, Any], Any] = operator.mul
    lattice: bool = False


def lattice(name: str, bottom: Any, top: Any, join: Callable[[Any, Any], Any], meet: Callable[[Any, Any], Any],
            some: tuple[Any, ...] = ()) -> Semiring:
    """A distributive lattice as a semiring: a path has the meet of its steps, and two have the join of both.

    >>> lattice("divisors", 1, 12, math.lcm, math.gcd, (2, 3, 4)).total([2, 3])
    6
    """
    return Semiring(name, bottom, join, some, top, meet, lattice=True)


class Element:
    """An element of a monoid in the place of a cotangent; + is the monoid's.

    >>> Element(TROPICAL, 3.0) + Element(TROPICAL, 2.0), Element(TROPICAL, math.inf) == ZERO
    (2.0, True)
    """

    __slots__ = ("monoid", "of")

    def __init__(self, monoid: Monoid, of: Any) -> None:
        self.monoid = monoid
        self.of = of

    def __add__(self, other: Element) -> Element:
        return Element(self.monoid, self.monoid.plus(self.of, other.of))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Zero):
            return self.monoid.same(self.of, self.monoid.zero)
        return isinstance(other, Element) and self.monoid is other.monoid and self.monoid.same(self.of, other.of)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.of)


class Walks:
    """A formal sum of walks, each of which is a sequence of labels: + is another one, * goes on.

    >>> x, y = Walks("x"), Walks("y")
    >>> (x + y) * x + y * x, Walks() * x == x
    (x*x + 2*y*x, True)
    """

    __slots__ = ("of",)

    def __init__(self, *labels: Hashable, of: Mapping[tuple[Hashable, ...], int] | None = None) -> None:
        walks = {labels: 1} if of is None else of
        self.of: dict[tuple[Hashable, ...], int] = {}
        for walk, n in walks.items():
            walk = self.as_one(walk)
            self.of[walk] = self.of.get(walk, 0) + n

    @staticmethod
    def as_one(walk: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """The walk that stands for those that are taken to be one with it."""
        return walk

    def __add__(self, other: Self) -> Self:
        return type(self)(of=self.of | {m: self.of.get(m, 0) + n for m, n in other.of.items()})

    def __mul__(self, other: Self) -> Self:
        found: dict[tuple[Hashable, ...], int] = {}
        for m, n in self.of.items():
            for l, k in other.of.items():
                both = self.as_one((*m, *l))
                found[both] = found.get(both, 0) + n * k
        return type(self)(of=found)

    def at(self, L: Semiring, meaning: Callable[[Any], Any]) -> Any:
        """What it is in a semiring, where its labels mean elements.

        >>> x, y = Walks("x"), Walks("y")
        >>> (x * y + y).at(TROPICAL, {"x": 1.0, "y": 5.0}.get)
        5.0
        """
        return L.total([reduce(L.times, map(meaning, m), L.one) for m, n in self.of.items() for _ in range(n)])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.of == other.of  # type: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return hash(frozenset(self.of.items()))

    def __repr__(self) -> str:
        terms = [(m, "*".join([*([str(n)] if n > 1 or not m else []), *map(str, m)])) for m, n in self.of.items()]
        return " + ".join([text for _, text in sorted(terms, key=lambda term: list(map(repr, term[0])))]) or "0"


class Polynomial(Walks):
    """A polynomial with natural coefficients in labels: the same, where the order of steps is forgotten.

    >>> x, y = Polynomial("x"), Polynomial("y")
    >>> (x + y) * (x + y)
    x*x + 2*x*y + y*y
    """

    __slots__ = ()

    @staticmethod
    def as_one(walk: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return tuple(sorted(walk, key=repr))


def _both(a: frozenset[Any] | None, b: frozenset[Any] | None) -> frozenset[Any] | None:
    return None if a is None or b is None else a | b


def _either(a: frozenset[Any] | None, b: frozenset[Any] | None) -> frozenset[Any] | None:
    return b if a is None else a if b is None else a | b


def _together(a: frozenset[Any], b: frozenset[Any]) -> frozenset[Any]:
    return frozenset([m | n for m in a for n in b])


_A, _B = frozenset("a"), frozenset("b")
OWN = Monoid("own", ZERO, operator.add)
"""What has a + of its own."""
SETS = Monoid("sets", frozenset(), operator.or_, (_A, _B))
"""Sets of labels: which results ask for a number."""
NUMBERS = Semiring("numbers", 0, operator.add, (2, 3), 1, operator.mul)
"""How many paths there are; with slopes for weights, derivatives."""
BOOLEAN = lattice("boolean", False, True, operator.or_, operator.and_)
"""Whether there is a path."""
TROPICAL = Semiring("tropical", math.inf, min, (2.0, 3.0), 0.0, operator.add)
"""What the cheapest path costs."""
MAX_PLUS = Semiring("max-plus", -math.inf, max, (2.0, 3.0), 0.0, operator.add)
"""What the dearest path costs, which is the critical one."""
WIDEST = lattice("widest", -math.inf, math.inf, max, min, (2.0, 3.0))
"""The least step of the path whose least step is greatest."""
LINEAGE = Semiring("lineage", None, _either, (_A, _B), frozenset(), _both)
"""All labels of all paths; None where there is no path."""
WHY = Semiring("why", frozenset(), operator.or_, (frozenset([_A]), frozenset([_B])), frozenset([frozenset()]),
               _together)
"""The set of labels of each path."""
POLYNOMIALS = Semiring("polynomials", Polynomial(of={}), operator.add, (Polynomial("x"), Polynomial("y")), Polynomial(),
                       operator.mul)
"""Which labels each path has, how many times, and how many such paths there are."""
WALKS = Semiring("walks", Walks(of={}), operator.add, (Walks("x"), Walks("y")), Walks(), operator.mul)
"""All paths, each with its labels in order."""

__all__ = [
    "BOOLEAN", "LINEAGE", "MAX_PLUS", "NUMBERS", "OWN", "POLYNOMIALS", "SETS", "TROPICAL", "WALKS", "WHY", "WIDEST",
    "Element", "Monoid", "Polynomial", "Semiring", "Walks", "lattice",
]
