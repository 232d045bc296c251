"""What is known of a primitive besides its value, its type and its derivatives; the registry's tests hold it.

memory    whose memory the result has:

    NEW            nobody's: it is made anew, or holds no memory
    IN_ORDER       new, its entries one behind another in the order of their places
    same(i)        it is argument i
    view(i)        an array with the memory of argument i, where that is an array
    turned(i)      a view of argument i with each of its entries once, its axes in another order or direction
    wrapped(i)     a view of argument i with its entries in the order of their places: axes of size 1 come and go
    refolded(i)    the entries of argument i in the order of their places: a view where they lie in that order
    broadcast(i)   a view of argument i in which an entry may stand at several places
    may_be(*i)     argument i, a view of it, or new
    out_of(i)      what is in argument i, a tuple, list or map; or new
    items_of(*i)   a new list or map of what is in arguments i, and of what is new; in each argument once
    repeats(i)     such a list or map, in which one item may stand at several places
    changed(i, *j) argument i, a list or map, but for one item: one of the arguments j was put there, or one taken away
    within(i, *j)  argument i, a list or map, in one of whose items something changed, by what is in arguments j
    in_row(i, *j)  the same, where the item is a list or array of which, or in which, one item changed
    holds(*i)      a new tuple, list or map of arguments, each once; of these alone, where some are named
    copies_of(i)   a new list of argument i, at several places
    FOREIGN        nothing is known

Nobody can write to what is `read_only`; of views of it neither.

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

adding        where it is linear, and adds up numbers of the arguments in which it is, each times what is not negative;
              of several arguments it adds up products, each so often

turns     where a function is not monotone in a number: at a place, and at all others in equal steps from it; the same
          in each argument, or one for each; a step of 0 says that it jumps there, as the zeros of both signs tell

poles     where a function, monotone between, has no bounds: places as those where it turns

powers    whether it raises its first argument to its second

remainder how far a quotient of its two numbers may lie from the whole number that it is rounded to

shares    whether it gives all of its first argument where the second is the third and no other one, none of it where it
          is not the third, and a part between where it is several of them

magnitudes of one that is linear in its first argument, the same with the magnitudes of its factors, at numbers of which
          none is negative

modulus   at what arguments are apart at most, a bound of how far results are

enclosed  what says between which bounds results lie, for arguments between bounds, where nothing shorter does:

    "magnitudes"   they depend on magnitudes alone, and are no less for larger ones
    "factors"      they are products of entries, of each at most once
    "variance"     they are squares of standard deviations
    "places"       they give to each entry of the second argument what stands in the first at its place in the order
    "weights"      they say how much the entries count in an order statistic
    "chosen"       they give the first argument to those entries of the third that are the second, in equal shares
    "inverse", "solution", "determinant", "cofactors"      of matrices

within    the numbers between which turns and poles are all there are; elsewhere nothing is known

finite    the numbers beyond which results are larger than any float, where no `refusal` says so

absolute  how far a result near 0 may be from that of exact numbers, where that is more than a few places of it

bounds    between which the real results lie; those of zeros say that they are zeros
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal

from ccc.objects import Object
from ccc.values import value

How = Literal["new", "same", "view", "may be", "out of", "items", "changed", "within", "holds", "foreign"]
Entries = Literal["once", "all", "in order", "repeated", "as given"]
Work = Literal[
    "entries", "movement", "filling", "sums", "extrema", "products", "systems", "order", "storage", "sizes", "effect",
    "call",
]


@value()
class Memory:
    """Whose memory a result has: how, and the positions of the arguments; none of them says all. `entries` says how
    it shows the entries or items of an argument: each once at most, each once, these in the order of their places, or
    some at several places; of a new array, whether they lie in order, or as those of the first argument do. One that
    may be a view is one of entries that lie in order, or (`strided`) in even steps. One within which something changed
    may be changed in a row alone (`by_row`), made anew as those on the way there are.

    >>> view(0).shares, NEW.shares, may_be(0, 2).reaches(1), holds().reaches(1)
    (True, False, False, True)
    """

    how: How
    of: tuple[int, ...] = ()
    entries: Entries = "once"
    strided: bool = False
    by_row: bool = False

    @property
    def shares(self) -> bool:
        """Whether the result may share memory with an argument."""
        return self.how != "new"

    @property
    def is_new(self) -> bool:
        """Whether the result itself is new, whatever it holds."""
        return self.goes_on or self.how in ("new", "items", "holds")

    @property
    def goes_on(self) -> bool:
        """Whether the result is an argument, but for what was changed in it."""
        return self.how in ("changed", "within")

    @property
    def passes_on(self) -> bool:
        """Whether what is in arguments, or they themselves, are in the result, or are it."""
        return self.goes_on or self.how in ("out of", "items", "holds")

    @property
    def is_whole(self) -> bool:
        """Whether the result has each entry of its argument, once."""
        return self.entries in ("all", "in order")

    def reaches(self, i: int) -> bool:
        """Whether the result may share memory with argument `i`, or hold it."""
        return self.shares and (not self.of or i in self.of)


NEW = Memory("new")
IN_ORDER = Memory("new", (), "in order")
AS_GIVEN = Memory("new", (), "as given")
FOREIGN = Memory("foreign")


def same(i: int = 0) -> Memory:
    """The result is argument `i`."""
    return Memory("same", (i,))


def view(i: int = 0) -> Memory:
    """The result has the memory of the array that argument `i` is."""
    return Memory("view", (i,))


def turned(i: int = 0) -> Memory:
    """The result has the memory of argument `i`, and each of its entries once."""
    return Memory("view", (i,), "all")


def wrapped(i: int = 0) -> Memory:
    """The result has the memory of argument `i`, and its entries in the order of their places."""
    return Memory("view", (i,), "in order")


def refolded(i: int = 0, strided: bool = False) -> Memory:
    """The result has the entries of argument `i` in the order of their places, and its memory if they lie so."""
    return Memory("may be", (i,), "in order", strided)


def broadcast(i: int = 0) -> Memory:
    """The result has the memory of argument `i`, whose entries may stand at several places."""
    return Memory("view", (i,), "repeated")


def may_be(*of: int) -> Memory:
    """The result is one of these arguments, a view of one, or new."""
    return Memory("may be", of)


def out_of(i: int = 0) -> Memory:
    """The result is in argument `i`."""
    return Memory("out of", (i,))


def holds(*of: int) -> Memory:
    """The result is a new tuple, list or map of arguments."""
    return Memory("holds", of)


def items_of(*of: int) -> Memory:
    """The result is a new list or map of what is in arguments, or new: the first one, where none is named."""
    return Memory("items", of or (0,))


def copies_of(i: int = 0) -> Memory:
    """The result is a new list of argument `i`, at several places."""
    return Memory("holds", (i,), "repeated")


def repeats(i: int = 0) -> Memory:
    """The result is a new list or map of what is in argument `i`, where one item may stand at several places."""
    return Memory("items", (i,), "repeated")


def changed(i: int = 0, *by: int) -> Memory:
    """The result is argument `i`, a list or map, but for one item, which was put there or taken away."""
    return Memory("changed", (i, *by))


def within(i: int = 0, *by: int) -> Memory:
    """The result is argument `i`, a list or map, but for what is in one item."""
    return Memory("within", (i, *by))


def in_row(i: int = 0, *by: int) -> Memory:
    """The result is argument i, a list, but for an item of a row, which is new as the rows on the way to it are."""
    return Memory("within", (i, *by), by_row=True)


@value()
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

    def arguments(self, count: int) -> set[int]:
        """The arguments, of so many, in which the result is linear while others are kept.

        >>> separately(0, 1).arguments(3), NOT_LINEAR.arguments(3)
        ({0, 1}, set())
        """
        return {i for group in self.groups(count) for i in group}

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


@value()
class Beside:
    """A primitive raises only where another does, which stands beside it with the same arguments."""

    other: Any


def beside(p: Any) -> Beside:
    """It raises only where the primitive `p` does, which stands beside it."""
    return Beside(p)


def of_any(objects: Sequence[Object], params: dict[str, Any]) -> bool:
    """Arguments of any objects, and any parameters."""
    return True


@value()
class Refusal:
    """The one exception that a primitive raises for arguments `of` some objects, and a term of the program, of its
    arguments, that says whether it does. Of a function of one number that raises it beyond a range, `domain` is that
    range, and `closed` says that it has values at the ends of it, between which all others lie if it does not turn."""

    kind: type[Exception]
    test: Callable[..., Any]
    of: Callable[[Sequence[Object], dict[str, Any]], bool] = of_any
    domain: tuple[float, float] | None = None
    closed: bool = True


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

Enclosed = Literal[
    "", "magnitudes", "factors", "variance", "places", "weights", "chosen", "inverse", "solution", "determinant",
    "cofactors",
]

NOWHERE = (math.inf, math.inf)
AT_ZERO = (0.0, math.inf)
AT_PEAKS = (math.pi / 2, math.pi)
FROM_ZERO = (0.0, math.pi)
ACROSS_ZERO = (0.0, 0.0)
"""Where functions turn: nowhere, at zero, where sines and where cosines do; where one jumps, at zero."""


def of_each(where: Any, count: int) -> tuple[tuple[float, float], ...]:
    """Places in each of so many arguments, of which may be said the same."""
    return where if isinstance(where[0], tuple) else (where,) * count


DOWN, TO_ZERO = (0.0, 1.0), (-1.0, 1.0)
"""Remainders: of quotients that are rounded down, and to zero."""
ANY = (-math.inf, math.inf)
PI = math.pi * (1.0 + 2.0**-24)
"""A number that no angle is beyond, in any format of floats: pi in single precision is larger than pi."""
MAGNITUDE = (0.0, math.inf)
UNIT = (-1.0, 1.0)
NOTHING = (0.0, 0.0)
"""Bounds: none, those of what is not negative, those of waves, those of zeros."""
