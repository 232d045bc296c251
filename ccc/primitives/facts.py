"""What is known of a primitive besides its value, its type and its derivatives; the registry's tests hold it.

memory    whose memory the result has:

    NEW            nobody's: it is made anew, or holds no memory
    same(i)        it is argument i
    view(i)        an array with the memory of argument i, where that is an array
    may_be(*i)     argument i, a view of it, or new
    out_of(i)      what is in argument i, a tuple, list or map; or new
    items_of(i)    a new list or map of what is in argument i
    holds(*i)      a new tuple, list or map of arguments, or of what is in them; of these alone, where some are named
    FOREIGN        nothing is known

work      what most of its time goes into:

    ENTRIES   the entries of arrays one by one, or numbers
    MOVEMENT  moving entries: their values stay as they are
    FILLING   making a new array, list or map of zeros, of arguments, or of what another holds, to be changed
    SUMS      reductions along axes
    EXTREMA   the largest and the smallest entries, and their places
    PRODUCTS  contractions of two arrays
    SYSTEMS   factorisations and solutions of systems
    ORDER     sorting
    STORAGE   tuples, records, lists and maps
    SIZES     nothing: sizes and types of its arguments, or the argument itself
    EFFECT    what happens: printing, raising
    CALL      nothing is known

linear    in which arguments the result is linear at finite numbers, up to rounding, the other arguments kept:

    jointly(*of)      in these together: x + y in (x, y); in all, where none is named
    separately(*of)   in each of these: x * y in x, and in y; in each, where none is named
    NOT_LINEAR        in none

raises    whether it raises at arguments of its types; what is elementwise says it of items:

    NEVER         at none
    MAY           at some, of whatever arguments
    a predicate   at some of which it is true (`ccc.primitives.domains`)
    beside(p)     only where `p` does, which stands beside it

increasing    where a larger argument gives no smaller result

bounds    between which the real results lie; those of zeros say that they are zeros
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal

How = Literal["new", "same", "view", "may be", "out of", "items", "holds", "foreign"]
Work = Literal[
    "entries", "movement", "filling", "sums", "extrema", "products", "systems", "order", "storage", "sizes", "effect",
    "call",
]


@dataclass(frozen=True, slots=True)
class Memory:
    """Whose memory a result has: how, and the positions of the arguments; none of them says all.

    >>> view(0).shares, NEW.shares, may_be(0, 2).reaches(1), holds().reaches(1)
    (True, False, False, True)
    """

    how: How
    of: tuple[int, ...] = ()

    @property
    def shares(self) -> bool:
        """Whether the result may share memory with an argument."""
        return self.how != "new"

    @property
    def is_new(self) -> bool:
        """Whether the result itself is new, whatever it holds."""
        return self.how in ("new", "items", "holds")

    @property
    def passes(self) -> bool:
        """Whether the result holds, or is, what arguments are or hold, as it is."""
        return self.how in ("out of", "items", "holds")

    def reaches(self, i: int) -> bool:
        """Whether the result may share memory with argument `i`, or hold it."""
        return self.shares and (not self.of or i in self.of)


NEW = Memory("new")
FOREIGN = Memory("foreign")


def same(i: int = 0) -> Memory:
    """The result is argument `i`."""
    return Memory("same", (i,))


def view(i: int = 0) -> Memory:
    """The result has the memory of the array that argument `i` is."""
    return Memory("view", (i,))


def may_be(*of: int) -> Memory:
    """The result is one of these arguments, a view of one, or new."""
    return Memory("may be", of)


def out_of(i: int = 0) -> Memory:
    """The result is in argument `i`."""
    return Memory("out of", (i,))


def holds(*of: int) -> Memory:
    """The result is a new tuple, list or map of arguments, or of what is in them."""
    return Memory("holds", of)


def items_of(i: int = 0) -> Memory:
    """The result is a new list or map of what is in argument `i`."""
    return Memory("items", (i,))


@dataclass(frozen=True, slots=True)
class Linearity:
    """In which arguments a result is linear: how, and the positions of the arguments; none of them says all.

    >>> jointly(0, 1).groups(3), separately(0, 1).groups(3), jointly().groups(3), NOT_LINEAR.groups(3)
    (((0, 1),), ((0,), (1,)), ((0, 1, 2),), ())
    """

    how: Literal["jointly", "separately", "not"]
    of: tuple[int, ...] = ()

    def groups(self, count: int) -> tuple[tuple[int, ...], ...]:
        """The arguments, of so many, in which the result is linear together while the others are kept."""
        if self.how == "not":
            return ()
        of = self.of or tuple(range(count))
        return (of,) if self.how == "jointly" else tuple([(i,) for i in of])

    def holds(self, moving: Collection[int], zero: Collection[int], count: int) -> bool:
        """Whether the result is linear in what the `moving` arguments are linear in; those that are `zero` are linear
        in anything.

        >>> jointly(0, 1).holds([0], [], 2), jointly(0, 1).holds([0], [1], 2), separately(0, 1).holds([0], [], 2)
        (False, True, True)
        """
        return any(
            all(i in group for i in moving) and all(i in moving or i in zero for i in group)
            for group in self.groups(count)
        )


NOT_LINEAR = Linearity("not")


def jointly(*of: int) -> Linearity:
    """The result is linear in these arguments together."""
    return Linearity("jointly", of)


def separately(*of: int) -> Linearity:
    """The result is linear in each of these arguments, where the others are kept."""
    return Linearity("separately", of)


@dataclass(frozen=True, slots=True)
class Beside:
    """A primitive raises only where another does, which stands beside it with the same arguments."""

    other: Any


def beside(p: Any) -> Beside:
    """It raises only where the primitive `p` does, which stands beside it."""
    return Beside(p)


Raises = Literal["never", "may"] | Callable[..., bool] | Beside
NEVER: Raises = "never"
MAY: Raises = "may"

ENTRIES: Work = "entries"
MOVEMENT: Work = "movement"
FILLING: Work = "filling"
SUMS: Work = "sums"
EXTREMA: Work = "extrema"
PRODUCTS: Work = "products"
SYSTEMS: Work = "systems"
ORDER: Work = "order"
STORAGE: Work = "storage"
SIZES: Work = "sizes"
EFFECT: Work = "effect"
CALL: Work = "call"

ANY = (-math.inf, math.inf)
MAGNITUDE = (0.0, math.inf)
UNIT = (-1.0, 1.0)
NOTHING = (0.0, 0.0)
"""Bounds: none, those of what is not negative, those of waves, those of zeros."""
