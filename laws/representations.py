"""Cotangents in every representation: however a sum is written down, it is the sum of what is written down.

    ZERO, numbers, tuples, a few components of a tuple, lists, dicts, records, arrays, contributions to arrays, and
    spaces of users

A drawn cotangent is compared with the flat list of its numbers, which is added by Python. A sum changes nothing that it
is made of, and what belongs to different values is not added.

>>> from ccc.laws.choices import Randomly
>>> drawn = _drawn(Generator(Randomly(3)), 0)
>>> len(drawn.cotangents), {len(flat(ct, drawn.shape)) for ct in drawn.cotangents} == {size_of(drawn.shape)}
(4, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from ccc.additive import ZERO, Components, Contribution, Zero, add, dense, is_zero, parts, total
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, FormalSum, Opaque
from ccc.errors import CotangentMismatch
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.subjects import Subject
from ccc.spaces import vector_space

SIZE = 3
Leaf: TypeAlias = Literal["number", "array", "space"]
Container: TypeAlias = Literal["tuple", "list", "record", "dict"]  # a dict with keys 0, 1, ...
Shape: TypeAlias = "Leaf | tuple[Container, tuple[Shape, ...]]"
Record = make_dataclass("Record", ["first", "second"], frozen=True)
Record.__module__ = "a program"  # a record of a user, not of this package


class Bag:
    """Numbers that stand for their sum: a vector space whose own sum is the only one that is right."""

    def __init__(self, numbers: tuple[Any, ...]) -> None:
        self.numbers = numbers


vector_space(Bag, zero=lambda bag: Bag(()), add=lambda a, b: Bag(a.numbers + b.numbers))


class At(Contribution):
    """A contribution to one entry of an array of three, which says when it is added."""

    __slots__ = ("index", "log", "starts", "value")

    def __init__(self, index: int, value: float, starts: float, log: list[float]) -> None:
        self.index = index
        self.value = value
        self.starts = starts
        self.log = log

    def onto(self, accumulator: Any) -> Any:
        self.log.append(self.starts)
        found = np.array(accumulator)
        found[self.index] += self.value
        return found

    def dense(self) -> Any:
        return self.onto(np.zeros(SIZE))

    def zero(self) -> Any:
        return np.zeros(SIZE)


@dataclass(frozen=True, slots=True)
class Cotangents:
    """Some cotangents of one value of a shape, and when their contributions were added."""

    shape: Shape
    cotangents: tuple[Any, ...]
    log: list[float]

    def named(self) -> list[tuple[str, Any]]:
        """The cotangents."""
        return [(f"c{i}", ct) for i, ct in enumerate(self.cotangents)]


def shape(g: Generator, depth: int) -> Shape:
    """A shape of values, by default a number."""
    flat: tuple[Leaf, ...] = ("number", "array", "space")
    deep: tuple[Leaf | Container, ...] = ("number", "tuple", "array", "tuple", "list", "dict", "array", "record")
    kind = g.pick(deep if depth else flat)
    if kind == "number" or kind == "array" or kind == "space":
        return kind
    if kind == "record":
        return kind, (shape(g, depth - 1), shape(g, depth - 1))
    return kind, tuple([shape(g, depth - 1) for _ in range(1 + g.below(3))])


def cotangent(g: Generator, a: Shape, log: list[float]) -> Any:
    """A cotangent of a value of the shape, in some representation."""
    if g.chance(15):
        return ZERO
    if a == "number":
        return g.number()
    if a == "array":
        return array_cotangent(g, log)
    if a == "space":
        return Bag(tuple([g.number() for _ in range(g.below(3))]))
    kind, inner = a
    if kind == "tuple" and g.chance(50):
        some = {i: cotangent(g, part, log) for i, part in enumerate(inner) if g.chance(60)}
        return Components(len(inner), some)
    found = [cotangent(g, part, log) for part in inner]
    if kind == "record":
        return Record(*[None if g.chance(20) else ct for ct in found])
    if kind == "dict":
        return {i: ct for i, ct in enumerate(found) if g.chance(70)}
    return tuple(found) if kind == "tuple" else found


def array_cotangent(g: Generator, log: list[float]) -> Any:
    """An array, one contribution to an array, or a formal sum of contributions."""
    if g.chance(30):
        return np.array([float(g.below(9) - 4) for _ in range(SIZE)])
    starts = g.pick((math.inf, 1.0, 2.0, 3.0))
    here = At(g.below(SIZE), float(1 + g.below(9)), starts, log)
    return add(here, array_cotangent(g, log)) if g.chance(30) else here


def size_of(a: Shape) -> int:
    """How many numbers a value of the shape has.

    >>> size_of(("tuple", ("number", "array")))
    4
    """
    return {"number": 1, "array": SIZE, "space": 1}[a] if isinstance(a, str) else sum(map(size_of, a[1]))


def flat(ct: Any, a: Shape) -> list[Any]:
    """The numbers of a cotangent of a value of the shape.

    >>> flat(Components(2, {1: Fraction(3)}), ("tuple", ("number", "number")))
    [0, Fraction(3, 1)]
    """
    if isinstance(ct, Zero) or ct is None:
        return [0] * size_of(a)
    if isinstance(ct, Contribution):
        return flat(ct.dense(), a)
    if a == "number":
        return [ct]
    if a == "array":
        return ct.tolist()
    if a == "space":
        return [sum(ct.numbers)]
    if a[0] == "record":
        ct = (ct.first, ct.second)
    entries = dict(enumerate(ct)) if isinstance(ct, (tuple, list)) else ct.entries if isinstance(ct, Components) else ct
    return [x for i, part in enumerate(a[1]) for x in flat(entries.get(i, ZERO), part)]


def _drawn(g: Generator, i: int) -> Cotangents:
    log: list[float] = []
    a = shape(g, 2)
    return Cotangents(a, tuple([cotangent(g, a, log) for _ in range(4)]), log)


def _sums(comparison: Any, example: Cotangents) -> Judged:
    cts, a = example.cotangents, example.shape
    numbers = [flat(ct, a) for ct in cts]
    two = list(map(sum, zip(*numbers[:2], strict=True)))
    every = list(map(sum, zip(*numbers, strict=True)))
    for what, made, expected in (
        ("the sum of two", lambda: add(cts[0], cts[1]), two),
        ("the sum the other way round", lambda: add(cts[1], cts[0]), two),
        ("the sum of four", lambda: total(cts), every),
        ("the sum of four, one by one", lambda: add(add(add(cts[0], cts[1]), cts[2]), cts[3]), every),
        ("the sum of four, in halves", lambda: add(add(cts[0], cts[1]), add(cts[2], cts[3])), every),
        ("the sum of none", lambda: total([]), [0] * size_of(a)),
    ):
        found = flat(made(), a)
        if found != expected:
            return Judged(Difference(f"{what} is another", a, None, found, expected))
    if [flat(ct, a) for ct in cts] != numbers:
        return Judged(Difference("a sum changes what it is made of", a, None, [flat(ct, a) for ct in cts], numbers))
    for ct, found in zip(cts, numbers, strict=True):
        if is_zero(ct) and any(found):
            return Judged(Difference("what is not zero counts as zero", a, None, ct, ZERO))
        if isinstance(a, tuple) and a[0] == "tuple":
            spread = parts(ct, len(a[1]))
            if len(spread) != len(a[1]) or flat(spread, a) != found:
                return Judged(Difference("the components are others", a, None, spread, found))
    return Judged(_order(example))


def _order(example: Cotangents) -> Difference | None:
    """A formal sum of contributions begins with those that can start at what is there."""
    for ct in (total([ct for ct in example.cotangents if isinstance(ct, Contribution)]),):
        if isinstance(ct, Contribution):
            for made in (lambda ct=ct: dense(ct), lambda ct=ct: ct.onto(np.ones(SIZE))):
                example.log.clear()
                made()
                if example.log != sorted(example.log) or ct.starts != min(example.log):
                    return Difference("contributions are added in another order", "array", None, example.log, ct.starts)
            if not np.array_equal(ct.zero(), np.zeros(SIZE)):
                return Difference("the zero of a contribution is not 0", "array", None, ct.zero(), 0)
    return None


def _mismatched(comparison: Any, example: Cotangents) -> Judged:
    """Cotangents of different values are refused, whatever they are."""
    one, two = Fraction(1), (Fraction(1), Fraction(2))
    facts: list[tuple[str, Callable[[], Any]]] = [
        ("a pair and a triple", lambda: add(two, (one, *two))),
        ("parts of a pair and of a triple", lambda: add(Components(2, {0: one}), Components(3, {0: one}))),
        ("parts of a pair and a triple, in a total", lambda: total([Components(2, {0: one}), Components(3, {0: one})])),
        ("parts of a pair and a number", lambda: add(one, Components(2, {0: one}))),
        ("a pair and a number", lambda: add(two, one)),
        ("a number and a pair", lambda: add(one, two)),
        ("a pair and an array", lambda: add(two, np.ones(2))),
        ("a list and a number", lambda: add(list(two), one)),
        ("a pair and a list", lambda: add(two, list(two))),
        ("lists of different lengths", lambda: add([one], [one, one])),
        ("a formal sum and a number", lambda: add(FormalSum((one, one)), one)),
        ("a box and a number", lambda: add(Opaque("here", one), one)),
        ("a pair as a triple", lambda: parts(two, 3)),
        ("a number as a pair", lambda: parts(one, 2)),
    ]
    for what, made in facts:
        try:
            found = made()
        except CotangentMismatch:
            continue
        return Judged(Difference(f"{what} fit together", "here", None, found, "CotangentMismatch"))
    return Judged()


def _boxed(comparison: Any, example: Cotangents) -> Judged:
    """A box equals another where they belong to one closure and hold the same, zeros being symbols or numbers."""
    cts, a = example.cotangents, example.shape
    if any(isinstance(ct, Contribution) for ct in cts) or any(kind in str(a) for kind in UNBOXED):
        return Judged()
    for x in cts:
        for y in cts:
            same = flat(x, a) == flat(y, a)
            for what, found, expected in (
                ("box == box", Opaque("here", x) == Opaque("here", y), same),
                ("box == box of another closure", Opaque("here", x) == Opaque("there", y), False),
                ("box == what it holds", Opaque("here", x) == x, isinstance(x, Zero)),
                ("box == a number", Opaque("here", x) == Fraction(1), False),
                ("box == ZERO", Opaque("here", x) == ZERO, not any(flat(x, a))),
                ("box of a box == ZERO", Opaque("here", Opaque("in", x)) == ZERO, not any(flat(x, a))),
                ("sum of boxes", Opaque("here", x) + Opaque("here", y) == Opaque("here", add(x, y)), True),
                ("ZERO + box", (ZERO + Opaque("here", x), Opaque("here", x) + ZERO) == (Opaque("here", x),) * 2, True),
            ):
                if found != expected:
                    return Judged(Difference(f"{what} is {found}", a, None, x, y))
    return Judged()


UNBOXED = ("array", "dict", "record", "space")  # whose numbers have no == as a whole


def _reverse(exponential: type | None = None) -> Callable[[Subject], bool]:
    """True for one category of this project: equality of cotangents does not depend on the category."""
    cls = exponential or AdditiveMap
    return lambda subject: subject.compiled and subject.kind == "pullbacks" and type(subject.exponential) is cls


REPRESENTATIONS: tuple[Check, ...] = (
    Check("sum-represented", "representations", "a sum is the sum of what is written, in any representation", _drawn,
          _sums, applies=_reverse()),
    Check("sum-refused", "representations", "cotangents of different values are not added", _drawn, _mismatched,
          applies=_reverse(), share=0.02),
    Check("boxes-equal", "representations", "boxes are equal where they are of one closure and hold the same", _drawn,
          _boxed, applies=_reverse(AnyDerivative)),
)
