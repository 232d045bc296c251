"""Certificates of convexity: the second derivatives of a program in intervals, over all of a box.

    H in [M - R, M + R] on a box,  M - |R| I  positive semidefinite   ==>   f convex on it

|R| is the largest sum of a row. Whether a matrix of floats is positive semidefinite is decided exactly, with fractions.
A box of which it is not known is halved. A function that is smooth on boxes that cover a box is smooth on it, as a
branch that is decided at a point is decided there in each of them, so what is proved of each is proved of all.

>>> import math
>>> bool(convex_on(lambda x: math.exp(x) + x ** 4, -1.0, 2.0)), bool(convex_on(lambda x: x ** 3, -1.0, 1.0))
(True, False)

References: Gerschgorin (1931); Jiri Rohn, *Positive definiteness and stability of interval matrices* (1994).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.categories.smooth import Smooth
from ccc.compile.api.interpretation import interpret
from ccc.compile.api.jacobians import hessian
from ccc.compile.api.transforms import gradient
from ccc.compile.diagnostics import WrongArguments

Box = tuple[Any, Any]
Matrix = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Convexity:
    """Whether a function was proved to be convex: true, or false where it is not known.

    >>> bool(Convexity(True, 1)), Convexity(False, 9, (0.5, 1.0)).open
    (True, (0.5, 1.0))

    `boxes` were tried, and `open` is one of those that stayed without proof.
    """

    proved: bool
    boxes: int
    open: Box | None = None

    def __bool__(self) -> bool:
        return self.proved


def positive_semidefinite(a: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a symmetric matrix of fractions is positive semidefinite, exactly, by elimination.

    >>> positive_semidefinite([[1, 1], [1, 1]]), positive_semidefinite([[1, 2], [2, 1]])
    (True, False)
    """
    a = [[Fraction(x) for x in row] for row in a]
    for k in range(len(a)):
        pivot = a[k][k]
        if pivot < 0 or (pivot == 0 and any(a[k][k + 1 :])):
            return False
        for i in range(k + 1, len(a)):
            factor = a[i][k] / pivot if pivot else Fraction(0)
            for j in range(k + 1, len(a)):
                a[i][j] -= factor * a[k][j]
    return True


def surely_positive_semidefinite(low: Any, high: Any) -> bool:
    """Whether all symmetric matrices between two are positive semidefinite; where not, it is not known.

    >>> surely_positive_semidefinite([[2.0, 0.5], [0.5, 2.0]], [[3.0, 1.0], [1.0, 3.0]])
    True
    """
    n = len(low)
    middle: Matrix = [[Fraction(0)] * n for _ in range(n)]
    rows = [Fraction(0)] * n
    for i in range(n):
        for j in range(n):  # both entries bound the one number that the two derivatives are
            least = max(Fraction(float(low[i][j])), Fraction(float(low[j][i])))
            most = min(Fraction(float(high[i][j])), Fraction(float(high[j][i])))
            middle[i][j] = (least + most) / 2
            rows[i] += abs(most - least) / 2
    off = max(rows)
    return positive_semidefinite([[x - off * (i == j) for j, x in enumerate(row)] for i, row in enumerate(middle)])


def convex_on(f: Callable[[Any], Any], low: Any, high: Any, *, depth: int = 8) -> Convexity:
    """Prove that a function of a number or an array is convex between two bounds, or find that it is not known.

    >>> import numpy as np
    >>> def f(x):
    ...     return np.sum(np.exp(x)) + (x[0] - 0.5 * x[1]) ** 2 + x[0] * x[1]
    >>> convex_on(f, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    Convexity(proved=True, boxes=1, open=None)
    >>> convex_on(lambda x: -x * x, 0.0, 1.0, depth=0)
    Convexity(proved=False, boxes=1, open=(0.0, 1.0))

    True is a proof, for exact numbers: bounds are rounded outward. False is none of the contrary. A box is halved along
    its longest side, up to `depth` times. A function whose curvature is zero somewhere, in a direction that is not that
    of an argument, stays without proof, as one with kinks does. Raises `MissingMeaning` (file, line and caret) for what
    `Intervals` does not say, for derivatives given by hand, and `WrongArguments` for bounds that are no box.

    Source: interval matrices after Rohn (1994).
    """
    scalar = np.ndim(low) == 0
    least, most = np.array(low, float), np.array(high, float)
    if least.shape != most.shape or least.ndim > 1 or not np.all(least <= most) or depth < 0:
        raise WrongArguments("convex_on takes lower and upper bounds of a number or a row of numbers",
                             help="write convex_on(f, np.array([0.0, 0.0]), np.array([1.0, 1.0]))")
    k = Smooth()
    bounds = [interpret(g, k) for g in (f, gradient(f), gradient(gradient(f)) if scalar else hessian(f))]

    def proved(box: Box) -> bool:
        given = tuple(map(float, box)) if scalar else box
        try:
            with np.errstate(all="ignore"):
                found = [g(given) for g in bounds]
        except (ValueError, OverflowError, ZeroDivisionError):  # somewhere in the box there is no value
            return False
        if not all(np.all(np.isfinite(x)) for pair in found for x in pair):
            return False
        lower, upper = found[-1]
        return surely_positive_semidefinite([[lower]], [[upper]]) if scalar else surely_positive_semidefinite(
            lower, upper)

    waiting, tried = [(least, most, 0)], 0
    while waiting:
        lower, upper, halved = waiting.pop()
        tried += 1
        if proved((lower, upper)):
            continue
        if halved == depth:
            return Convexity(False, tried, (float(lower), float(upper)) if scalar else (lower, upper))
        waiting += halves(lower, upper, halved + 1)
    return Convexity(True, tried)


def halves(low: Any, high: Any, halved: int) -> list[tuple[Any, Any, int]]:
    """A box, halved along its longest side."""
    side = np.unravel_index(np.argmax(high - low), np.shape(low))
    middle = low[side] / 2.0 + high[side] / 2.0
    left, right = np.array(high), np.array(low)
    left[side] = right[side] = middle
    return [(low, left, halved), (right, high, halved)]


__all__ = ["Convexity", "convex_on"]
