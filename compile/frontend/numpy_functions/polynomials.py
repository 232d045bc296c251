"""Polynomials by their coefficients, the highest power first, and series of `np.polynomial`, the lowest first.

>>> polyval([1.0, 2.0], 3.0), polyder([1.0, 2.0, 3.0]), chebval(0.5, [1.0, 2.0, 3.0])
(np.float64(5.0), array([2., 2.]), np.float64(0.5))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse


@definition_of(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    p, x = np.asarray(p), np.asarray(x) * 1.0
    y = x * 0.0 + p[0] if len(p) > 0 else x * 0.0
    for i in range(1, len(p)):
        y = y * x + p[i]
    return y


@definition_of(np.polyfit)
def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False
) -> Any:
    """The coefficients of least squares, by columns of length 1."""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if np.ndim(x) != 1:
        raise TypeError("expected 1D vector for x")
    if len(x) == 0:
        raise TypeError("expected non-empty vector for x")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    columns = np.vander(x, deg + 1)
    if w is not None:
        w = np.asarray(w) + 0.0
        columns, y = columns * w[:, None], (y.T * w).T
    scale = np.sqrt((columns * columns).sum(axis=0))
    columns = columns / scale
    found = np.linalg.lstsq(columns, y, rcond)
    coefficients = (found[0].T / scale).T
    if full:
        return coefficients, found[1], found[2], found[3], len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    if cov is False:
        return coefficients
    base = np.linalg.inv(np.dot(columns.T, columns)) / np.outer(scale, scale)
    if cov == "unscaled":
        factor = 1.0
    else:
        if len(x) <= deg + 1:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = found[1] / (len(x) - (deg + 1))
    return coefficients, base * factor if np.ndim(y) == 1 else base[:, :, None] * factor


@definition_of(np.polynomial.polynomial.polyvander)
def polyvander(x: Any, deg: Any) -> Any:
    return np.vander(np.asarray(x), deg + 1, increasing=True)


@definition_of(np.polynomial.polynomial.polyfit)
def polyfit_by_series(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    if full or not isinstance(deg, int):
        refuse("np.polynomial.polynomial.polyfit is known for one degree, without `full`")
    return np.polyfit(x, y, deg, rcond, w=w)[::-1]


@definition_of(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@definition_of(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = np.asarray(p)
    constants = np.zeros(m) if k is None else np.atleast_1d(np.asarray(k))
    constants = constants[0] * np.ones(m) if len(constants) == 1 and m > 1 else constants
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        p = np.concatenate([p / np.arange(len(p), 0, -1), constants[i:i + 1]])
    return p


@definition_of(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return longer(a1, len(a2)) + longer(a2, len(a1))


@definition_of(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return longer(a1, len(a2)) - longer(a2, len(a1))


def longer(a: Any, size: Any) -> Any:
    """Coefficients with zeros before them, at least so many."""
    return np.concatenate([np.zeros(max(size - len(a), 0), a.dtype), a])


@definition_of(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(np.trim_zeros(np.atleast_1d(a1), "f"), np.trim_zeros(np.atleast_1d(a2), "f"))


@definition_of(np.polydiv)
def polydiv(u: Any, v: Any) -> Any:
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    count = max(len(u) - len(v) + 1, 1)
    scale = 1.0 / v[0]
    quotient, rest = np.zeros(count), np.copy(u)
    for k in range(len(u) - len(v) + 1):
        quotient[k] = scale * rest[k]
        rest[k:k + len(v)] -= quotient[k] * v
    first = 0
    while first < len(rest) - 1 and np.abs(rest[first]) <= 1e-8:
        first += 1
    return quotient, rest[first:]


@definition_of(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    zeros = np.atleast_1d(seq_of_zeros)
    if np.ndim(zeros) != 1:
        refuse("np.poly has a derivative for a sequence of zeros")
    found = np.concatenate([np.ones(1), np.zeros(len(zeros))])
    for i in range(len(zeros)):
        shifted = np.concatenate([np.zeros(1), found[:-1]])
        found = found + shifted * -zeros[i]
    return found


# -- series ----------------------------------------------------------------------------------------------------------


def against(c: Any, x: Any, tensor: Any) -> Any:
    """Coefficients whose further axes stand before those of the points."""
    c = np.atleast_1d(c) * 1.0
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor and np.ndim(x) > 0 else c


@definition_of(np.polynomial.polynomial.polyval)
def polynomial_polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    found = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        found = c[-i] + found * x
    return found


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


# -- products --------------------------------------------------------------------------------------------------------


@definition_of(np.matvec)
def matvec(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1), np.asarray(x2)[..., None])[..., 0]


@definition_of(np.vecmat)
def vecmat(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1)[..., None, :], np.asarray(x2))[..., 0, :]
