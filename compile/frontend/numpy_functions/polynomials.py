"""Polynomials by their coefficients, the highest power first, and products of matrices and vectors.

>>> polyval([1.0, 2.0], 3.0), polyder([1.0, 2.0, 3.0])
(np.float64(5.0), array([2., 2.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.polynomial_objects import Descending, numbers, poly1d
from ccc.compile.frontend.numpy_functions.table import definition_of
from ccc.primitives.complex_functions import FUNCTIONS


@definition_of(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    if isinstance(x, Descending):
        return poly1d(numbers(p))(x)
    p, x = np.asarray(numbers(p)), np.asarray(x)
    y = np.zeros_like(x) + p[0] if len(p) > 0 else np.zeros_like(x)
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


@definition_of(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if isinstance(p, Descending):
        return p.deriv(m)
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@definition_of(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if isinstance(p, Descending):
        return p.integ(m, 0 if k is None else k)
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
    if isinstance(a1, Descending) or isinstance(a2, Descending):
        return poly1d(a1) + a2
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return longer(a1, len(a2)) + longer(a2, len(a1))


@definition_of(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    if isinstance(a1, Descending) or isinstance(a2, Descending):
        return poly1d(a1) - a2
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return longer(a1, len(a2)) - longer(a2, len(a1))


def longer(a: Any, size: Any) -> Any:
    """Coefficients with zeros before them, at least so many."""
    return np.concatenate([np.zeros(max(size - len(a), 0), a.dtype), a])


@definition_of(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    if isinstance(a1, Descending) or isinstance(a2, Descending):
        return poly1d(a1) * a2
    return np.convolve(np.trim_zeros(np.atleast_1d(a1), "f"), np.trim_zeros(np.atleast_1d(a2), "f"))


@definition_of(np.polydiv)
def polydiv(u: Any, v: Any) -> Any:
    if isinstance(u, Descending) or isinstance(v, Descending):
        return poly1d(u) / poly1d(v)
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    count = max(len(u) - len(v) + 1, 1)
    scale = 1.0 / v[0]
    quotient, rest = np.zeros_like(np.broadcast_to(u[:1] * v[:1], (count,))), np.copy(u) + 0.0 * v[0]
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
    if np.ndim(zeros) == 2 and np.shape(zeros)[0] == np.shape(zeros)[1]:
        return characteristic(zeros * 1.0)
    if np.ndim(zeros) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    found = np.concatenate([np.ones(1), np.zeros_like(zeros * 1.0)])
    for i in range(len(zeros)):
        shifted = np.concatenate([np.zeros(1), found[:-1]])
        found = found + shifted * -zeros[i]
    return found


def characteristic(a: Any) -> Any:
    """The characteristic polynomial of a matrix, by Faddeev and Le Verrier: eigenvalues may be equal."""
    one = np.eye(len(a))
    found, part = np.ones(1) + np.zeros_like(np.trace(a)), one + np.zeros_like(a)
    for k in range(len(a)):
        moved = np.dot(a, part)
        step = -np.trace(moved) / (k + 1.0)
        found, part = np.append(found, step), moved + step * one
    return found


# -- products --------------------------------------------------------------------------------------------------------


@definition_of(np.roots)
def roots(p: Any) -> Any:
    """The eigenvalues of the companion, and a zero for each power that all terms share."""
    p = np.atleast_1d(numbers(p)) + 0.0
    if np.ndim(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    first, last = 0, len(p)
    while first < len(p) and p[first] == 0.0:
        first += 1
    while last > first and p[last - 1] == 0.0:
        last -= 1
    q = p[first:last]
    n = max(len(q) - 1, 0)
    top = -(q[1:] / q[:1])[None, :] if len(q) > 1 else np.zeros_like(q[None, :n])
    companion = np.concatenate([top, np.eye(max(n - 1, 0), n)])[:n]
    return np.concatenate([np.linalg.eigvals(companion), np.zeros(len(p) - last if last > first else 0)])


@definition_of(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Of real numbers; those of complex ones is with the functions of these."""
    a = np.sort(np.asarray(a))
    if a.dtype in (np.int8, np.uint8, np.int16, np.uint16):
        return a.astype(np.complex64)
    return a.astype(np.clongdouble if a.dtype == np.longdouble else np.complex128)


@definition_of(np.matvec)
def matvec(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1), np.asarray(x2)[..., None])[..., 0]


@definition_of(np.vecmat)
def vecmat(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.conj(np.asarray(x1))[..., None, :], np.asarray(x2))[..., 0, :]


FUNCTIONS.update({np.poly: poly, np.roots: roots, np.polydiv: polydiv, np.vecmat: vecmat})
