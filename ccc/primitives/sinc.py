"""The derivatives of `np.sinc`, whose singularity at 0 is removable, so that all of them are finite there.

    s(x) = sin u / u,   u = pi x       near 0:   s(x) = sum of (-1)^k u^2k / (2k + 1)!, differentiated term by term
                                       far off:  x s^(n)(x) = pi^(n - 1) sin(u + n pi / 2) - n s^(n - 1)(x)

>>> [float(round(sinc_slope(n, 0.0), 12)) for n in (1, 2)], float(round(-math.pi**2 / 3, 12))
([0.0, -3.289868133696], -3.289868133696)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.primitives.domains import no_order
from ccc.primitives.facts import NEW
from ccc.primitives.pointwise import operation


def reach(n: int) -> float:
    """Up to which |u| the series is used: beyond it the recurrence loses no digit that counts."""
    return 1.0 + 0.5 * n


def series(n: int) -> tuple[float, ...]:
    """The coefficients of the derivative of order n: in u², times `pi**n`, and times u where n is odd."""
    found: list[float] = []
    k = (n + 1) // 2
    while len(found) < 2 or abs(found[-1]) * reach(n) ** (2 * len(found)) > 1e-18 * abs(found[0]):
        found.append((-1) ** k / (2 * k + 1) / math.factorial(2 * k - n))
        k += 1
    return tuple(found)


def _near(n: int, u: Any) -> Any:
    square, found = u * u, 0.0
    for c in reversed(series(n)):
        found = found * square + c
    return math.pi**n * (0.0 + found * u if n % 2 else found)


def _far(n: int, x: Any, u: Any) -> Any:
    turns = (np.sin(u), np.cos(u))
    found = turns[0] / u
    for k in range(1, n + 1):
        turn = turns[k % 2] if k % 4 < 2 else -turns[k % 2]
        found = (math.pi ** (k - 1) * turn - k * found) / x
    return found


def sinc_slope_of(n: int, x: Any) -> Any:
    """The derivative of order `n` of `np.sinc` at `x`: a number of NumPy, or an array.

    >>> sinc_slope_of(1, np.array([0.0, 1.0], np.float32))
    array([ 0., -1.], dtype=float32)
    """
    x = np.asanyarray(x)
    x = x if x.dtype.kind == "f" else x.astype(float)
    u = x * math.pi
    near = np.abs(u) < reach(n)
    return np.where(near, _near(n, np.where(near, u, 0)), _far(n, np.where(near, 1, x), np.where(near, 1, u)))[()]


sinc_slope = operation(
    "sinc_slope", sinc_slope_of, "sinc_slope({}, {})",
    lambda d, y, n, x: ZERO, lambda d, y, n, x: d * sinc_slope(n + 1, x), memory=NEW, raises=no_order,
    modulus=lambda n, d: d * (math.pi ** (n + 1) / (n + 2)),
)
"""`sinc_slope(n, x)`: the derivative of order n of `np.sinc`, which is the mean of cos(pi x t) for t from 0 to 1: so
none of order k is larger than pi^k / (k + 1)."""
