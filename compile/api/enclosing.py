"""Taylor enclosures: a polynomial around a point and an interval for what it leaves, proved on all of a range.

    f(x) in sum over k < n of  c_k z^k  +  [r, s] z^n           z = x - at, for every x in the range

What is left is R(x) = integral over t of n (1 - t)^(n-1) f^(n)(at + t z) / n!, so it lies between the bounds of that
derivative over n!. Where the derivative after it has one sign, R is monotone and its bounds are its values at the ends:
no interval is smaller. Bounds of floats are added up exactly, with fractions.

>>> import math
>>> found = enclosure(lambda x: 1.5 * math.exp(3.0 * x) - 25.0 * x * x, 0.5, 0.0, 1.0)
>>> [round(low, 4) for low, high in found.coefficients], [round(bound, 3) for bound in found.rest]
([0.4725, -4.8324], [-5.555, 28.288])

References: Streeter and Dillon, *Automatically Bounding the Taylor Remainder Series* (2023), whose example this is;
Berz and Hoffstaetter, *Computation and Application of Taylor Polynomials with Interval Remainder Bounds* (1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ccc.categories.smooth import Smooth
from ccc.compile.api.interpretation import interpret
from ccc.compile.api.transforms import derivative
from ccc.compile.diagnostics import WrongArguments
from ccc.errors import MissingMeaning

Bounds = tuple[float, float]
Exact = tuple[Fraction, Fraction]
EVERYTHING = -math.inf, math.inf


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A function between two polynomials on a range.

    >>> Enclosure(0.0, -1.0, 1.0, ((1.0, 1.0), (2.0, 2.0)), (0.0, 0.5)).bounds(1.0)
    (3.0, 3.5)

    `coefficients` are bounds of those of powers of `x - at`, and `rest` is that of the next power, for all x from `low`
    to `high`.
    """

    at: float
    low: float
    high: float
    coefficients: tuple[Bounds, ...]
    rest: Bounds

    def bounds(self, x: float) -> Bounds:
        """Between which the function lies at a point of the range.

        >>> low, high = enclosure(lambda x: x * x * x, 0.0, -1.0, 1.0).bounds(0.5)
        >>> low <= 0.125 <= high
        True

        Raises ValueError for a point that is not in the range.
        """
        if not self.low <= x <= self.high:
            raise ValueError("the enclosure holds from `low` to `high` only")
        if not all(map(math.isfinite, (*self.rest, *[c for pair in self.coefficients for c in pair]))):
            return EVERYTHING
        return rounded(polynomial([*self.coefficients, self.rest], Fraction(x) - Fraction(self.at)))


def polynomial(coefficients: Sequence[Bounds], z: Fraction) -> Exact:
    """The bounds of a polynomial of which the coefficients are bounded, exactly."""
    ends = [[Fraction(c) * z**k for c in pair] for k, pair in enumerate(coefficients)]
    return sum(map(min, ends), Fraction(0)), sum(map(max, ends), Fraction(0))


def rounded(pair: Exact) -> Bounds:
    """Floats around two fractions."""
    low, high = map(float, pair)
    return (low if Fraction(low) <= pair[0] else math.nextafter(low, -math.inf),
            high if Fraction(high) >= pair[1] else math.nextafter(high, math.inf))


def enclosure(
    f: Callable[[float], Any], at: float, low: float, high: float, *, order: int = 2, depth: int = 4
) -> Enclosure:
    """A polynomial around `at` and an interval times the power of `order`, between which a function of a number lies on
    a range.

    >>> enclosure(lambda x: 3.0 - x, 1.0, 0.0, 2.0, order=1).rest
    (-1.0, -1.0)

    The bounds are proved, for exact numbers, and infinite where nothing is known: where a branch, step or kink lies in
    the range. The range is cut into 2 ** depth pieces to bound derivatives. Raises `MissingMeaning` for what
    `Intervals` does not say and for derivatives given by hand, and `WrongArguments` where `at` is not in the range.

    Source: Streeter and Dillon, *Automatically Bounding the Taylor Remainder Series* (2023).
    """
    if not (-math.inf < low <= at <= high < math.inf) or order < 1 or depth < 0:
        raise WrongArguments("enclosure takes a point in a range, and an order of one at least",
                             help="write enclosure(f, 0.5, 0.0, 1.0, order=2)")
    at, low, high = float(at), float(low), float(high)
    programs: list[Callable[..., Any]] = [f]
    for _ in range(order + 1):
        programs.append(derivative(programs[-1]))
    ends = np.linspace(low, high, 2**depth + 1).tolist()
    pieces = list(pairwise(ends))
    over = [bounded(g, pieces) for g in programs[: order + 1]]
    if not all(map(math.isfinite, (bound for pair in over for bound in pair))):
        return Enclosure(at, low, high, (EVERYTHING,) * order, EVERYTHING)
    coefficients = tuple([divided(bounded(g, [(at, at)]), math.factorial(k)) for k, g in enumerate(programs[:order])])
    rest = divided(over[order], math.factorial(order))
    try:
        slope = bounded(programs[-1], pieces)
    except MissingMeaning:  # it would only have made the interval smaller
        slope = EVERYTHING
    if slope[0] >= 0.0 or slope[1] <= 0.0:
        sides = [left_over(programs[0], coefficients, at, end) for end in (low, high)]
        (least, _), (_, most) = sides if slope[0] >= 0.0 else sides[::-1]
        rest = max(rest[0], least), min(rest[1], most)
    return Enclosure(at, low, high, coefficients, rest)


def bounded(f: Callable[..., Any], pieces: Sequence[Bounds]) -> Bounds:
    """Bounds of a function on pieces of a range; all numbers where there is none or it is not smooth."""
    meaning = interpret(f, Smooth())
    try:
        with np.errstate(all="ignore"):
            found = [meaning(piece) for piece in pieces]
    except (ValueError, OverflowError, ZeroDivisionError):
        return EVERYTHING
    return float(min(low for low, _ in found)), float(max(high for _, high in found))


def divided(pair: Bounds, n: int) -> Bounds:
    """Bounds, divided by a whole number."""
    return rounded((Fraction(pair[0]) / n, Fraction(pair[1]) / n))


def left_over(f: Callable[..., Any], coefficients: Sequence[Bounds], at: float, x: float) -> Bounds:
    """What a polynomial leaves of a function at a point, as so much times the next power."""
    z, (low, high) = Fraction(x) - Fraction(at), bounded(f, [(x, x)])
    if z == 0 or not (math.isfinite(low) and math.isfinite(high)):
        return EVERYTHING
    least, most = polynomial(coefficients, z)
    ends = (Fraction(low) - most) / z ** len(coefficients), (Fraction(high) - least) / z ** len(coefficients)
    return rounded((min(ends), max(ends)))


__all__ = ["Enclosure", "enclosure"]
