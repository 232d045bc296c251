"""What every pullback owes: it is linear, it is pure, and it is the transpose of the derivative.

    linear     pb 0 = 0,  pb (a + b) = pb a + pb b
    pure       calling it again, in any order, gives the same
    adequate   <pb w, v> = <w, J v>,  with J v from dual numbers in the category of plain functions

The oracle of the third shares nothing with reverse mode: the plain program is run on the numbers `x + v eps`.

References: *The Differentiable Curry* ("How to define type (T => S)"); `<pb w, v> = <w, J v>` is the first-order
adequacy of reverse mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, Contribution, Zero, add, parts
from ccc.arrows import Arrow
from ccc.base import Host
from ccc.categories.functions import Functions
from ccc.denotation import functor
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import Difference, PullbackComparison


def linear(comparison: PullbackComparison, arrow: Arrow, world: Arrow) -> Difference | None:
    """Where the pullback of the arrow is not additive, or does not take 0 to 0."""
    point, v, pb = comparison.image(arrow, world)
    a, b = comparison.cotangent(v, arrow.cod), comparison.cotangent(v, arrow.cod)
    sums = pb(add(a, b)), add(pb(a), pb(b))
    if not same_cotangent(*sums):
        return Difference("the pullback is not additive", point, (a, b), *sums)
    for zero in comparison.zeros(v, arrow.cod):
        if not same_cotangent(pb(zero), ZERO):
            return Difference("the pullback of 0 is not 0", point, zero, pb(zero), ZERO)
    return None


def pure(comparison: PullbackComparison, arrow: Arrow, world: Arrow) -> Difference | None:
    """Where a second call of the pullback, or a call of another in between, gives something else."""
    point = comparison.point(world.dom)
    x, _ = comparison.read(world)(point)
    image = comparison.read(arrow)
    v, pb = image(x)
    a, b = comparison.cotangent(v, arrow.cod), comparison.cotangent(v, arrow.cod)
    fresh = [image(x)[1](ct) for ct in (a, b, a)]
    again = [pb(ct) for ct in (a, b, a)]
    (_, first), (_, second) = image(x), image(x)
    interleaved = [first(a), second(b), first(a)]
    for seed, one, two, three in zip((a, b, a), fresh, again, interleaved, strict=True):
        for other in (two, three):
            if not same_cotangent(one, other):
                return Difference("the pullback changes when called again", point, seed, one, other)
    return None


def adequate(comparison: PullbackComparison, arrow: Arrow) -> Difference | None:
    """Where the pullback of an arrow between first-order objects is not the transpose of its derivative."""
    draw = comparison.draw
    x, v = draw.point(arrow.dom), draw.point(arrow.dom)
    y, dy = split(functor(Functions(Host(Fraction)), arrow)(perturbed(x, v)))
    value, pb = functor(comparison.k, arrow)(x)
    if value != y:
        return Difference("values differ", x, None, value, y)
    for seed in comparison.seeds(value, arrow.cod):
        left, right = inner(pb(seed), v), inner(seed, dy)
        if left != right:
            return Difference("<pb w, v> is not <w, J v>", (x, v), seed, left, right)
    return None


def inner(ct: Any, v: Any) -> Any:
    """The pairing of a cotangent with a tangent.

    >>> inner((2, ZERO), (3, 4))
    6
    """
    if isinstance(ct, Zero) or isinstance(v, (bool, Zero)):
        return 0
    ct = ct.dense() if isinstance(ct, Contribution) else ct
    if isinstance(v, tuple):
        return sum(map(inner, parts(ct, len(v)), v))  # type: ignore[arg-type]
    return sum(map(inner, ct, v)) if isinstance(v, list) else ct * v  # type: ignore[arg-type]


_logs: list[list[bool]] = []


@contextmanager
def decisions() -> Iterator[list[bool]]:
    """What the tests of dual numbers say while it is open, one after another.

    >>> with decisions() as said:
    ...     _ = DualNumber(Fraction(1), Fraction(0)) < 2, DualNumber(Fraction(1), Fraction(0)) > 2
    >>> said
    [True, False]
    """
    log: list[bool] = []
    _logs.append(log)
    try:
        yield log
    finally:
        _logs.pop()


def said(test: bool) -> bool:
    """A test, which is noted where somebody asks for it."""
    for log in _logs:
        log.append(test)
    return test


@dataclass(frozen=True, slots=True)
class DualNumber:
    """`value + slope eps` with `eps * eps = 0`.

    >>> DualNumber(Fraction(3), Fraction(1)) * DualNumber(Fraction(3), Fraction(1))
    DualNumber(value=Fraction(9, 1), slope=Fraction(6, 1))
    """

    value: Fraction
    slope: Fraction

    def __add__(self, other: Any) -> DualNumber:
        b = lifted(other)
        return DualNumber(self.value + b.value, self.slope + b.slope)

    __radd__ = __add__

    def __neg__(self) -> DualNumber:
        return DualNumber(-self.value, -self.slope)

    def __sub__(self, other: Any) -> DualNumber:
        return self + -lifted(other)

    def __rsub__(self, other: Any) -> DualNumber:
        return lifted(other) + -self

    def __mul__(self, other: Any) -> DualNumber:
        b = lifted(other)
        return DualNumber(self.value * b.value, self.slope * b.value + self.value * b.slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> DualNumber:
        b = lifted(other)
        value = self.value / b.value
        return DualNumber(value, (self.slope - value * b.slope) / b.value)

    def __rtruediv__(self, other: Any) -> DualNumber:
        return lifted(other) / self

    def __lt__(self, other: Any) -> bool:
        return said(self.value < lifted(other).value)

    def __gt__(self, other: Any) -> bool:
        return said(self.value > lifted(other).value)


def lifted(x: Any) -> DualNumber:
    """A number as a dual number of slope 0."""
    return x if isinstance(x, DualNumber) else DualNumber(x, Fraction(0))


def perturbed(x: Any, v: Any) -> Any:
    """`x + v eps`, at every number of a value."""
    if isinstance(x, (tuple, list)):
        return type(x)(map(perturbed, x, v))  # type: ignore[arg-type]
    return x if isinstance(x, bool) else DualNumber(x, v)


def split(y: Any) -> tuple[Any, Any]:
    """The values and the slopes of a value over dual numbers."""
    if isinstance(y, (tuple, list)):
        pairs = [split(part) for part in y]  # type: ignore[arg-type]
        return type(y)(p for p, _ in pairs), type(y)(q for _, q in pairs)  # type: ignore[arg-type]
    return (y, ZERO) if isinstance(y, bool) else (lifted(y).value, lifted(y).slope)
