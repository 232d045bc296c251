"""Provenance: reverse mode in which a cotangent is an element of a lattice, or of any commutative monoid.

    a primitive   what is asked of its result is asked of all numbers that it was computed from     g |-> (g, ..., g)
    two uses      what both ask for, together                                                      g + h

With sets of labels and their union it is which results a number went into, with numbers and their sum in how many ways.
A branch asks for what its arm asks for; tests ask for nothing, as derivatives do not. All else is reverse mode's, under
any exponential.

>>> import ccc
>>> value, asks = Provenance().behind(ccc.arrow(lambda x, y: (x * y, y + 1.0), 3.0, 4.0), (3.0, 4.0))
>>> value, asks((Labels("first"), Labels("second")))
((12.0, 5.0), (Labels('first'), Labels('first', 'second')))

Reference: R. Atkey, R. Perera, *Galois Slicing as Automatic Differentiation* (2025).
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Components, Contribution, Zero, dense, parts
from ccc.arrows import Arrow, Prim
from ccc.categories.functions import arguments
from ccc.categories.layered import STILL
from ccc.categories.origins import count_of, origins, starts_of
from ccc.categories.reverse import Lifted, Pullback, Reverse
from ccc.denotation import functor
from ccc.errors import BoundaryMismatch, MissingMeaning
from ccc.objects import Array, List, Map, Object, Product, is_discrete
from ccc.records import is_sum_of_parts, like, parts_of


class Labels:
    """A set of labels; + is union.

    >>> Labels("a") + Labels("b", "a") == Labels("a", "b")
    True
    """

    __slots__ = ("of",)

    def __init__(self, *of: Any) -> None:
        self.of = frozenset(of)

    def __add__(self, other: Labels) -> Labels:
        return Labels(*(self.of | other.of))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.of == other.of

    def __hash__(self) -> int:
        return hash(self.of)

    def __repr__(self) -> str:
        return f"Labels({', '.join(sorted(map(repr, self.of)))})"


class Provenance(Reverse):
    """Functions with pullbacks of elements of any commutative monoid: numbers, `Labels`, or what else has a +.

    >>> import ccc
    >>> def total(rows, wanted):
    ...     return sum([n for label, n in rows if label == wanted])
    >>> rows = [(1, 10.0), (2, 20.0), (1, 30.0)]
    >>> value, asks = Provenance().behind(ccc.arrow(total, rows, 1), (rows, 1))
    >>> value, asks(Labels("sum"))[0]
    (40.0, [(None, Labels('sum')), (None, None), (None, Labels('sum'))])

    Of an array is asked item by item. Raises `MissingMeaning` at the place of a primitive that takes or gives a dict.
    """

    differentiates = False

    def behind(self, term: Arrow, x: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The value of a term, and what all numbers in its argument are asked where something is asked of the value.

        >>> import ccc
        >>> value, asks = Provenance().behind(ccc.arrow(lambda xs: (xs[0] * xs[1], xs[1]), [2.0, 3.0]), [2.0, 3.0])
        >>> value, asks((1.0, 1.0)), asks((1.0, None))
        ((6.0, 3.0), [1.0, 2.0], [1.0, 1.0])

        What is asked has the structure of the value, and the answer that of the argument, with None where nothing is;
        of arrays both are arrays of objects, of the same shape. Raises `BoundaryMismatch` for an argument that has not
        the structure of the domain.
        """
        y, pullback = functor(self, term)(in_places(x, term.dom))
        return y, lambda ct: answer(pullback(question(ct)), x)

    def primitive(self, term: Prim) -> Lifted:
        p, params, dom = term.primitive, dict(term.params), term.dom
        domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
        skipped = [is_discrete(a) or i in p.sizes for i, a in enumerate(domains)]
        known = all(skipped) or is_discrete(term.cod)
        if known or (not any(map(has_arrays, (*domains, term.cod))) and p.work in STILL):
            return begun_with_nothing(super().primitive(term), dom)
        if p.program is not None and len(p.program.results) == 1:
            return lambda x: functor(self, p.program.body)(x)
        if any(map(has_maps, (*domains, term.cod))):
            raise MissingMeaning(f"`{type(self).__name__}` does not say what `{p.name}` asks of the items of dicts",
                                 "take lists of numbers or arrays; to add it, give a class derived from it "
                                 "a `primitive`").at(term.label.span)

        def lifted(x: Any) -> tuple[Any, Pullback]:
            xs = arguments(x, dom)
            y = self.base.apply(p, xs, params, term.label)

            def asked(ct: Any) -> Any:
                wanted = by_number(ct, y)
                if not wanted:
                    return ZERO
                of, found = origins(term, xs, skipped, y), dict[int, Any]()
                for k, element in wanted.items():
                    for j in of(k):
                        found[j] = found[j] + element if j in found else element
                cts = [ZERO if skip else in_structure(found, a, start)
                       for skip, a, start in zip(skipped, xs, starts_of(xs), strict=True)]
                return tuple(cts) if isinstance(dom, Product) else cts[0]

            return y, asked

        return lifted


class Part(Contribution):
    """What is asked of a part of a list, of which nothing else is asked.

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


def question(ct: Any) -> Any:
    """What is asked, as a cotangent: None asks for nothing.

    >>> question((None, [Labels(1)]))
    (ZERO, [Labels(1)])
    """
    if isinstance(ct, (tuple, list)):
        return type(ct)(map(question, ct))  # type: ignore[reportUnknownVariableType]
    if isinstance(ct, np.ndarray):
        return Items({k: element for k, element in enumerate(ct.ravel().tolist()) if element is not None})
    return ZERO if ct is None else ct


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
            found.flat[k] = element
        return found
    inside = parts_of(x)
    if inside is not None:
        cts = parts_of(ct) or parts(ZERO if ct is None else ct, len(inside))  # type: ignore[reportUnknownArgumentType]
        return like(x, list(map(answer, cts, inside)))
    return None if isinstance(ct, Zero) else ct


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
