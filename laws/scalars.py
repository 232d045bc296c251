"""The numbers that laws are checked on: exact rationals, and floats that know how wrong they may be.

The second run is on real floats. Each carries a bound of its rounding error, computed along with it, so that two sides
are equal where they agree within their bounds: the tolerance is derived and not chosen.

>>> third = Measured.of(Fraction(1, 3))
>>> third + third + third == Measured(1.0), third * third == third
(True, False)

References: Nicholas Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.3 (running error analysis).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ccc.base import Base, Host
from ccc.objects_of_values import real_class

UNIT_ROUNDOFF = sys.float_info.epsilon / 2
TINY = sys.float_info.min * UNIT_ROUNDOFF


class Undecided(Exception):
    """Two floats are so close that rounding decides how they compare; such an example says nothing."""


@real_class
class Measured(float):
    """A float and a bound of its distance from the exact value.

    >>> product = Measured.of(Fraction(1, 4)) * Measured(3.0)
    >>> product, product.error < 1e-16
    (0.75, True)
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Measured:
        made = super().__new__(cls, value)
        made.error = error
        return made

    @staticmethod
    def of(x: Any) -> Measured:
        """A rational or a float rounded to a float."""
        if isinstance(x, Measured):
            return x
        value = float(x)
        return Measured(value, 0.0 if Fraction(value) == x else abs(value) * UNIT_ROUNDOFF)

    @staticmethod
    def rounded(value: float, error: float) -> Measured:
        """The result of one operation; the last factor is for the rounding of the bound itself."""
        return Measured(value, (error + abs(value) * UNIT_ROUNDOFF + TINY) * (1 + 8 * UNIT_ROUNDOFF))

    def __add__(self, other: Any) -> Measured:
        b = Measured.of(other)
        return Measured.rounded(float(self) + float(b), self.error + b.error)

    __radd__ = __add__

    def __neg__(self) -> Measured:
        return Measured(-float(self), self.error)

    def __sub__(self, other: Any) -> Measured:
        return self + -Measured.of(other)

    def __rsub__(self, other: Any) -> Measured:
        return Measured.of(other) + -self

    def __mul__(self, other: Any) -> Measured:
        b = Measured.of(other)
        error = abs(float(self)) * b.error + abs(float(b)) * self.error + self.error * b.error
        return Measured.rounded(float(self) * float(b), error)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, float, Fraction)):
            return NotImplemented
        b = Measured.of(other)
        return abs(float(self) - float(b)) <= (self.error + b.error) * (1 + 4 * UNIT_ROUNDOFF)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        b = Measured.of(other)
        if self == b and (self.error or b.error):
            raise Undecided
        return float(self) < float(b)

    def __gt__(self, other: Any) -> bool:
        return Measured.of(other) < self


class Floats(Host):
    """The host base whose literals are measured floats.

    >>> Floats().const((Fraction(1, 2), True), None)
    (0.5, True)
    """

    def const(self, value: Any, a: Any) -> Any:
        return measured(value)


def measured(x: Any) -> Any:
    """A value with measured floats for its rationals.

    >>> measured([Fraction(1), True])
    [1.0, True]
    """
    if isinstance(x, (tuple, list)):
        return type(x)([measured(part) for part in x])  # type: ignore[arg-type]
    return Measured.of(x) if isinstance(x, Fraction) else x


@dataclass(frozen=True, slots=True)
class Numbers:
    """A domain of numbers: its name, the base of categories over it, and how a drawn value is read in it."""

    name: str
    base: Base
    read: Callable[[Any], Any]


def _as_it_is(x: Any) -> Any:
    return x


EXACT = Host(Fraction)
RATIONALS = Numbers("rationals", EXACT, _as_it_is)
FLOATS = Numbers("floats", Floats(), measured)
SCALARS = (Fraction, Measured)
