"""Arithmetic of the series of `np.polynomial` by their coefficients, the lowest first.

>>> add([1.0, 2.0], [0.0, -2.0]), polymul([1.0, 2.0], [1.0, 1.0]), polyder([1.0, 2.0, 3.0])
(array([1.]), array([1., 3., 2.]), array([2., 6.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from ccc.compile.frontend.numpy_functions.table import definition_of


def series(c: Any) -> Any:
    """Coefficients as an array of real numbers, without the zeros at its end."""
    c = np.atleast_1d(c)
    if len(c) == 0:
        raise ValueError("Coefficient array is empty")
    if np.ndim(c) != 1:
        raise ValueError("Coefficient array is not 1-d")
    return trimmed(c + 0.0)


def trimmed(c: Any) -> Any:
    count = len(c)
    while count > 1 and c[count - 1] == 0.0:
        count -= 1
    return c[:count]


def longer(c: Any, size: Any) -> Any:
    """Coefficients with zeros behind them, at least so many."""
    return np.concatenate([c, np.zeros(max(size - len(c), 0), c.dtype)])


@definition_of(polynomial.polyadd, chebyshev.chebadd, legendre.legadd, hermite.hermadd, hermite_e.hermeadd,
               laguerre.lagadd)
def add(c1: Any, c2: Any) -> Any:
    c1, c2 = series(c1), series(c2)
    return trimmed(longer(c1, len(c2)) + longer(c2, len(c1)))


@definition_of(polynomial.polysub, chebyshev.chebsub, legendre.legsub, hermite.hermsub, hermite_e.hermesub,
               laguerre.lagsub)
def subtract(c1: Any, c2: Any) -> Any:
    c1, c2 = series(c1), series(c2)
    return trimmed(longer(c1, len(c2)) - longer(c2, len(c1)))


@definition_of(polynomial.polymul)
def polymul(c1: Any, c2: Any) -> Any:
    return trimmed(np.convolve(series(c1), series(c2)))


@definition_of(polynomial.polymulx)
def polymulx(c: Any) -> Any:
    c = series(c)
    return c if len(c) == 1 and c[0] == 0.0 else np.concatenate([c[:1] * 0, c])


@definition_of(polynomial.polypow)
def polypow(c: Any, pow: Any, maxpower: Any = None) -> Any:
    c = series(c)
    if pow < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and pow > maxpower:
        raise ValueError("Power is too large")
    found = c if pow > 0 else np.ones(1, c.dtype)
    for _ in range(1, pow):
        found = np.convolve(found, c)
    return found


@definition_of(polynomial.polydiv)
def polydiv(c1: Any, c2: Any) -> Any:
    c1, c2 = series(c1), series(c2)
    if c2[-1] == 0.0:
        raise ZeroDivisionError("polynomial division")
    rest, lead, count = np.copy(c1), c2[-1], len(c1) - len(c2) + 1
    if count < 1:
        return rest[:1] * 0, rest
    lower = c2[:-1] / lead
    for i in range(count - 1, -1, -1):
        rest[i:i + len(lower)] -= lower * rest[i + len(lower)]
    return rest[len(lower):] / lead, trimmed(rest[:len(lower)]) if len(lower) > 0 else c1[:1] * 0


@definition_of(polynomial.polyder)
def polyder(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    c = np.moveaxis(np.atleast_1d(c) + 0.0, axis, 0)
    if m >= len(c):
        c = c[:1] * 0
    else:
        for _ in range(m):
            factors = np.reshape(np.arange(1, len(c)), (-1,) + (1,) * (np.ndim(c) - 1))
            c = factors * (c[1:] * scl)
    return np.moveaxis(c, 0, axis)


@definition_of(polynomial.polyint)
def polyint(c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0) -> Any:
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    c = np.moveaxis(np.atleast_1d(c) + 0.0, axis, 0)
    given = np.atleast_1d(k) * 1.0
    constants = np.concatenate([given, np.zeros(max(m - len(given), 0))])
    for i in range(m):
        c = c * scl
        factors = np.reshape(np.arange(1, len(c) + 1), (-1,) + (1,) * (np.ndim(c) - 1))
        rest = c / factors
        whole = np.concatenate([c[:1] * 0, rest])
        first = constants[i] - polynomial.polyval(lbnd, whole)
        c = np.concatenate([first + whole[:1], rest])
    return np.moveaxis(c, 0, axis)


@definition_of(polynomial.polyfromroots)
def polyfromroots(roots: Any) -> Any:
    """Products of two neighbours in the order of NumPy's, until one is left."""
    roots = np.sort(np.ravel(roots) + 0.0)
    if len(roots) == 0:
        return np.ones(1)
    parts = [np.stack([-root, 1.0 + 0.0 * root]) for root in roots]
    while len(parts) > 1:
        half, odd = len(parts) // 2, len(parts) % 2
        last = parts[-1]
        parts = [np.convolve(parts[i], parts[i + half]) for i in range(half)]
        if odd == 1:
            parts[0] = np.convolve(parts[0], last)
    return parts[0]


@definition_of(polynomial.polyline)
def polyline(off: Any, scl: Any) -> Any:
    return trimmed(np.array([off, scl]))


# -- in several variables ----------------------------------------------------------------------------------------------


@definition_of(polynomial.polyval2d)
def polyval2d(x: Any, y: Any, c: Any) -> Any:
    x, y = of_one_shape(x, y)
    return polynomial.polyval(y, polynomial.polyval(x, c), tensor=False)


@definition_of(polynomial.polyval3d)
def polyval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    x, y = of_one_shape(x, y)
    x, z = of_one_shape(x, z)
    found = polynomial.polyval(y, polynomial.polyval(x, c), tensor=False)
    return polynomial.polyval(z, found, tensor=False)


def of_one_shape(x: Any, y: Any) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    if np.shape(x) != np.shape(y):
        raise ValueError("x, y are incompatible")
    return x, y


@definition_of(polynomial.polygrid2d)
def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    return polynomial.polyval(y, polynomial.polyval(x, c))
