"""Series of `np.polynomial` by their coefficients, the lowest first.

>>> chebval(0.5, [1.0, 2.0, 3.0])
np.float64(0.5)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions import (
    series_arithmetic as series_arithmetic,
    series_maps as series_maps,
    series_objects as series_objects,
)
from ccc.compile.frontend.numpy_functions.shapes import powers_of
from ccc.compile.frontend.numpy_functions.table import definition_of, refuse


def against(c: Any, x: Any, tensor: Any) -> Any:
    """Coefficients whose further axes stand before those of the points."""
    c = np.atleast_1d(c) * 1.0
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor and np.ndim(x) > 0 else c


@definition_of(np.polynomial.polynomial.polyvander)
def polyvander(x: Any, deg: Any) -> Any:
    return powers_of(np.atleast_1d(x) + 0.0, deg + 1, True)


@definition_of(np.polynomial.polynomial.polyfit)
def polyfit_by_series(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    if full or not isinstance(deg, int):
        refuse("np.polynomial.polynomial.polyfit is known for one degree, without `full`")
    return np.polyfit(x, y, deg, rcond, w=w)[::-1]


@definition_of(np.polynomial.polynomial.polyval)
def polynomial_polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    found = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        found = c[-i] + found * x
    return found


@definition_of(np.polynomial.polynomial.polyvalfromroots)
def polyvalfromroots(x: Any, r: Any, tensor: Any = True) -> Any:
    x, r = np.asarray(x), np.atleast_1d(r) * 1.0
    if not tensor and np.ndim(x) > 0 and np.ndim(x) >= np.ndim(r):
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return np.prod(x - against(r, x, tensor), axis=0)


def clenshaw(x: Any, c: Any, tensor: Any, step: Any) -> Any:
    """What is left of a series at its two lowest terms; `step` takes a coefficient, these two and the term's number."""
    c = against(c, x, tensor)
    n = len(c)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        c0, c1 = step(c[-i], c0, c1, n - i + 2)
    return c0, c1


@definition_of(np.polynomial.chebyshev.chebval)
def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1, c0 + c1 * (2 * x)))
    return c0 + c1 * x


@definition_of(np.polynomial.legendre.legval)
def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (
        a - c1 * ((k - 1) / k), c0 + c1 * x * ((2 * k - 1) / k)))
    return c0 + c1 * x


@definition_of(np.polynomial.hermite.hermval)
def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    x2 = x * 2
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1 * (2 * (k - 1)), c0 + c1 * x2))
    return c0 + c1 * x2


@definition_of(np.polynomial.hermite_e.hermeval)
def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1 * (k - 1), c0 + c1 * x))
    return c0 + c1 * x


@definition_of(np.polynomial.laguerre.lagval)
def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (
        a - (c1 * (k - 1)) / k, c0 + (c1 * ((2 * k - 1) - x)) / k))
    return c0 + c1 * (1 - x)
