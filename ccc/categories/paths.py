"""What reverse mode makes of a program where a cotangent is an element of a semiring, or of a commutative monoid.

    a primitive   what is asked of its result is asked of all numbers that it is made of       g |-> (w g, ..., w g)
    two uses      what both ask for, together                                                 g + h

So a number is asked for the sum, over all paths from it to a result, of the products of the weights along them. A
branch asks for what its arm asks for; tests ask for nothing, as derivatives do not. All else is reverse mode's, under
any exponential.

References: R. Atkey, R. Perera, *Galois Slicing as Automatic Differentiation* (2025).
"""

from __future__ import annotations

import reprlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ccc.additive import ZERO, Components, Contribution, Zero, dense, parts
from ccc.arrows import Arrow, Prim
from ccc.categories.functions import arguments
from ccc.categories.layered import STILL
from ccc.categories.origins import count_of, filled, numbers_of, origins, starts_of, unit
from ccc.denotation import functor
from ccc.errors import BoundaryMismatch, MissingDerivative, MissingMeaning
from ccc.objects import Array, List, Map, Object, Product, is_discrete
from ccc.records import is_sum_of_parts, like, parts_of
from ccc.semirings import Element, Monoid

Pullback = Callable[[Any], Any]
Lifted = Callable[[Any], tuple[Any, Pullback]]


def behind(k: Any, term: Arrow, x: Any) -> tuple[Any, Pullback]:
    """The value of a term in `Reverse(L=...)`, and what all numbers of its argument are asked where something is asked
    of the value, both in elements of L."""
    y, pullback = functor(k, term)(in_places(x, term.dom))
    return y, lambda ct: answer(pullback(question(ct, y, k.L)), x)


class Row:
    """A primitive at arguments, and one number of its result: which of the numbers there it is made of, and slopes."""

    def __init__(self, term: Prim, xs: Sequence[Any], y: Any, number: int) -> None:
        self.term = term
        self.xs = xs
        self.y = y
        self.number = number

    @cached_property
    def slopes(self) -> list[Any]:
        """The derivative in each number of the arguments."""
        p, params = self.term.primitive, dict(self.term.params)
        if p.pullback is None:
            raise MissingDerivative(f"`{p.name}` has no derivative", "give a weight that takes no slope").at(
                self.term.label.span)
        cts = p.pullback(unit(self.y, self.number), self.y, *self.xs, **params)
        return [v for ct, x in zip(cts, self.xs, strict=True) for v in numbers_of(filled(dense(ct), x))]


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a number in a step of a program, of which the weight of the step may depend.

    >>> import ccc
    >>> def seen(use):
    ...     print(use.name, use.argument, use.slope)
    ...     return 1
    >>> k = ccc.Reverse(L=ccc.semirings.NUMBERS, weight=seen)
    >>> ccc.interpret(lambda x, y: x * y, k)(2.0, 3.0)[1](1)
    mul 0 3.0
    mul 1 2.0
    (1, 1)
    """

    row: Row
    argument: int
    number: int

    @property
    def name(self) -> str:
        """The name of the primitive."""
        return self.row.term.primitive.name

    @property
    def line(self) -> int | None:
        """The line of the step, where it stands in the source."""
        place = self.row.term.label.place
        return None if place is None else place.line

    @property
    def slope(self) -> Any:
        """The derivative of the step in the number. Raises `MissingDerivative` where it has none."""
        return self.row.slopes[self.number]


def primitive(k: Any, term: Prim) -> Lifted:
    """A primitive in `Reverse(L=...)`."""
    p, params, dom = term.primitive, dict(term.params), term.dom
    domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
    skipped = [is_discrete(a) or i in p.sizes for i, a in enumerate(domains)]
    known = all(skipped) or is_discrete(term.cod)
    if known or (not any(map(has_arrays, (*domains, term.cod))) and p.work in STILL):
        return begun_with_nothing(k.derivative(term), dom)
    if p.program is not None and len(p.program.results) == 1:
        return lambda x: functor(k, p.program.body)(x)
    if any(map(has_maps, (*domains, term.cod))):
        raise MissingMeaning(f"`{type(k).__name__}` does not say what `{p.name}` asks of the items of dicts",
                             "take lists of numbers or arrays; to add it, give a class derived from it "
                             "a `primitive`").at(term.label.span)
    weight = None if p.work in STILL else k.weight

    def lifted(x: Any) -> tuple[Any, Pullback]:
        xs = arguments(x, dom)
        y = k.base.apply(p, xs, params, term.label)
        starts = starts_of(xs)

        def asked(ct: Any) -> Any:
            wanted = by_number(ct, y)
            if not wanted:
                return ZERO
            of, found = origins(term, xs, skipped, y), dict[int, Any]()
            for n, element in wanted.items():
                row = Row(term, xs, y, n)
                for j in of(n):
                    g = element
                    if weight is not None:
                        g = weighted(k.L, weight(Use(row, bisect_right(starts, j) - 1, j)), element)
                    found[j] = found[j] + g if j in found else g
            cts = [ZERO if skip else in_structure(found, a, start)
                   for skip, a, start in zip(skipped, xs, starts, strict=True)]
            return tuple(cts) if isinstance(dom, Product) else cts[0]

        return y, asked

    return lifted


def weighted(L: Any, weight: Any, element: Any) -> Any:
    """The product of a weight with what is asked."""
    return Element(L, L.times(weight, element.of))


class Part(Contribution):
    """What is asked of a part of a list, of which nothing else is asked.

    >>> from ccc.categories.provenance import Labels
    >>> from ccc.primitives.structure import ItemContribution
    >>> Part(ItemContribution([1.0, 2.0], Labels("b"), 1), [1.0, 2.0]).dense()
    [ZERO, Labels('b')]
    """

    __slots__ = ("ct", "starts", "xs")

    def __init__(self, ct: Contribution, xs: Any) -> None:
        self.ct = ct
        self.xs = xs
        self.starts: float = ct.starts

    def onto(self, accumulator: Any) -> Any:
        return self.ct.onto(accumulator)

    def zero(self) -> Any:
        return unasked(self.xs)

    def dense(self) -> Any:
        return self.onto(self.zero())


def unasked(x: Any) -> Any:
    """A value with symbolic zeros for its numbers, of which nothing is asked.

    >>> unasked([(1.0, 2.0)])
    [(ZERO, ZERO)]
    """
    inside = parts_of(x)
    return ZERO if inside is None else like(x, [unasked(part) for part in inside])


def without_numbers(ct: Any, x: Any) -> Any:
    """What a primitive that moves numbers asks of an argument, with symbolic zeros for those that are numbers.

    >>> from ccc.categories.provenance import Labels
    >>> without_numbers([0.0, (Labels("a"), 0)], [1.0, (2.0, 3.0)])
    [ZERO, (Labels('a'), ZERO)]
    """
    if isinstance(ct, Contribution):
        return Part(ct, x)
    inside = parts_of(ct) if isinstance(ct, (tuple, list)) or is_sum_of_parts(ct) else None
    if inside is None:
        return ZERO if isinstance(ct, (int, float, Fraction)) and ct == 0 else ct
    return like(ct, [without_numbers(part, of) for part, of in zip(inside, parts_of(x) or inside, strict=True)])


def begun_with_nothing(moved: Lifted, dom: Object) -> Lifted:
    """A primitive that asks for nothing with symbolic zeros: the zero of labels is no number."""

    def lifted(x: Any) -> tuple[Any, Pullback]:
        y, pullback = moved(x)

        def asked(ct: Any) -> Any:
            ct = pullback(ct)
            if isinstance(dom, Product) and isinstance(ct, tuple):
                return tuple(map(without_numbers, ct, x))  # type: ignore[reportUnknownArgumentType]
            return without_numbers(ct, x)

        return y, asked

    return lifted


class Items:
    """What is asked of some items of an array, by their numbers in its order; + is that of each item.

    >>> Items({0: 1.0}) + Items({0: 1.0, 2: 3.0})
    Items({0: 2.0, 2: 3.0})
    """

    __slots__ = ("of",)

    def __init__(self, of: dict[int, Any]) -> None:
        self.of = of

    def __add__(self, other: Items) -> Items:
        return Items(self.of | {k: self.of[k] + x if k in self.of else x for k, x in other.of.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items) and self.of == other.of

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Items({self.of})"


def by_number(ct: Any, y: Any, start: int = 0) -> dict[int, Any]:
    """What is asked of each number of a value, by its number.

    >>> by_number((ZERO, [1.0, ZERO]), (2.0, [3.0, 4.0]))
    {1: 1.0}
    """
    ct = dense(ct)
    if isinstance(ct, Zero) or ct is None:
        return {}
    if isinstance(ct, Items):
        return {start + k: element for k, element in ct.of.items()}
    inside = list(y) if isinstance(ct, list) else parts_of(y)  # the rows of an array are a list
    if inside is None:
        return {start: ct}
    found: dict[int, Any] = {}
    for part, of, at in zip(parts(ct, len(inside)) if isinstance(ct, Components) else parts_of(ct) or (), inside,
                            starts_of(inside), strict=True):  # fmt: skip
        found |= by_number(part, of, start + at)
    return found


def in_structure(found: dict[int, Any], x: Any, start: int) -> Any:
    """The cotangent of a value of which is asked so much, whose numbers begin with one."""
    end = start + count_of(x)
    found = {k: element for k, element in found.items() if start <= k < end}
    if not found:
        return ZERO
    inside = parts_of(x)
    if inside is not None:
        return like(x, [in_structure(found, part, start + at)
                        for part, at in zip(inside, starts_of(inside), strict=True)])  # fmt: skip
    return Items({k - start: e for k, e in found.items()}) if isinstance(x, np.ndarray) else found[start]


def question(ct: Any, y: Any, L: Monoid) -> Any:
    """What is asked of a value, as a cotangent: None asks for nothing. The value says what is asked by parts.

    >>> from ccc.semirings import SETS
    >>> question((None, [frozenset("a")]), (1.0, [2.0]), SETS)
    (ZERO, [frozenset({'a'})])
    """
    if ct is None:
        return ZERO
    if isinstance(y, np.ndarray):
        if np.shape(ct) != np.shape(y):
            raise BoundaryMismatch(f"what is asked has the shape {np.shape(ct)} where the value has {np.shape(y)}",
                                   "ask with an array of elements, of the shape of the value; None asks for nothing")
        return Items({k: Element(L, of) for k, of in enumerate(ct.ravel().tolist()) if of is not None})
    inside = parts_of(y)
    if inside is None:
        return Element(L, ct)
    asked = parts_of(ct)
    if asked is None or len(asked) != len(inside):
        raise BoundaryMismatch(f"what is asked is {reprlib.repr(ct)} where the value is {reprlib.repr(y)}",
                               "ask each part of the value, with None where nothing is asked")
    return like(y, [question(part, of, L) for part, of in zip(asked, inside, strict=True)])


def in_places(x: Any, a: Object) -> Any:
    """A value as terms take it: what is a product there may be a record here.

    >>> from ccc.objects import REAL
    >>> in_places({"a": 1.0, "b": (2.0,)}, Product((REAL, Product((REAL,)))))
    (1.0, (2.0,))
    """
    inside = parts_of(x)
    if isinstance(a, Product) and inside is not None and len(inside) == len(a.parts) and not isinstance(x, list):
        return tuple(map(in_places, inside, a.parts))
    if (isinstance(a, Product) and a.parts) or (isinstance(a, List) and not isinstance(x, (list, np.ndarray))):
        raise BoundaryMismatch(f"the domain has {a} where the argument has {reprlib.repr(x)}",
                               "give one argument as it is, and several as a tuple")
    return x


def answer(ct: Any, x: Any) -> Any:
    """A cotangent of a value in the structure of that, with None for zeros.

    >>> answer(Components(2, {0: ZERO}), (1.0, [2.0]))
    (None, [None])
    """
    ct = dense(ct)
    if isinstance(x, tuple):
        cts = parts(ZERO if ct is None else ct, len(x))  # type: ignore[reportUnknownArgumentType]
        return tuple(map(answer, cts, x))  # type: ignore[reportUnknownArgumentType]
    if isinstance(x, list):
        return [answer(part, of) for part, of in zip(ct if isinstance(ct, list) else [ZERO] * len(x), x, strict=True)]  # type: ignore[reportUnknownArgumentType]
    if isinstance(x, np.ndarray):
        found = np.full(x.shape, None)
        for k, element in ct.of.items() if isinstance(ct, Items) else ():
            found[np.unravel_index(k, x.shape)] = given(element)
        return found
    inside = parts_of(x)
    if inside is not None:
        cts = parts_of(ct) or parts(ZERO if ct is None else ct, len(inside))  # type: ignore[reportUnknownArgumentType]
        return like(x, list(map(answer, cts, inside)))
    return None if isinstance(ct, Zero) else given(ct)


def given(ct: Any) -> Any:
    """What a user is given for what is asked of a number."""
    return ct.of if isinstance(ct, Element) else ct


def has_arrays(a: Object) -> bool:
    """Whether there is an array in a value of the object.

    >>> from ccc.objects import REAL
    >>> has_arrays(List(Product((REAL, Array("float64", ("3",)))))), has_arrays(List(REAL))
    (True, False)
    """
    if isinstance(a, Product):
        return any(map(has_arrays, a.parts))
    return has_arrays(a.item) if isinstance(a, (List, Map)) else isinstance(a, Array)


def has_maps(a: Object) -> bool:
    """Whether there is a dict in a value of the object."""
    if isinstance(a, Product):
        return any(map(has_maps, a.parts))
    return has_maps(a.item) if isinstance(a, List) else isinstance(a, Map)
