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


@definition_of(np.polynomial.chebyshev.chebval)
def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if len(c) == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, len(c) + 1):
        c0, c1 = c[-i] - c1, c0 + c1 * (2 * x)
    return c0 + c1 * x


@definition_of(np.polynomial.legendre.legval)
def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    n = len(c)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        k = n - i + 2
        c0, c1 = c[-i] - c1 * ((k - 1) / k), c0 + c1 * x * ((2 * k - 1) / k)
    return c0 + c1 * x


@definition_of(np.polynomial.hermite.hermval)
def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    n, x2 = len(c), x * 2
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        k = n - i + 2
        c0, c1 = c[-i] - c1 * (2 * (k - 1)), c0 + c1 * x2
    return c0 + c1 * x2


@definition_of(np.polynomial.hermite_e.hermeval)
def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    n = len(c)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        k = n - i + 2
        c0, c1 = c[-i] - c1 * (k - 1), c0 + c1 * x
    return c0 + c1 * x


@definition_of(np.polynomial.laguerre.lagval)
def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c = against(c, x, tensor)
    n = len(c)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        k = n - i + 2
        c0, c1 = c[-i] - (c1 * (k - 1)) / k, c0 + (c1 * ((2 * k - 1) - x)) / k
    return c0 + c1 * (1 - x)


# -- products --------------------------------------------------------------------------------------------------------


@definition_of(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    na, nb = np.ndim(a), np.ndim(b)
    if isinstance(axes, int):
        left, right = tuple(range(na - axes, na)), tuple(range(axes))
    else:
        left = tuple(axes[0]) if isinstance(axes[0], tuple | list) else (axes[0],)
        right = tuple(axes[1]) if isinstance(axes[1], tuple | list) else (axes[1],)
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    left, right = tuple([i % na for i in left]), tuple([i % nb for i in right])
    for i, j in zip(left, right):  # noqa: B905
        if np.shape(a)[i] != np.shape(b)[j]:
            raise ValueError("shape-mismatch for sum")
    kept_a, kept_b = [i for i in tuple(range(na)) if i not in left], [j for j in tuple(range(nb)) if j not in right]
    summed, rows, columns = 1, 1, 1
    for i in left:
        summed = summed * np.shape(a)[i]
    for i in kept_a:
        rows = rows * np.shape(a)[i]
    for j in kept_b:
        columns = columns * np.shape(b)[j]
    at = np.reshape(np.transpose(a, tuple([*kept_a, *left])), (rows, summed))
    bt = np.reshape(np.transpose(b, tuple([*right, *kept_b])), (summed, columns))
    return np.reshape(np.dot(at, bt), tuple([np.shape(a)[i] for i in kept_a] + [np.shape(b)[j] for j in kept_b]))


@definition_of(np.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    a, b = np.moveaxis(np.asarray(x1), axis, -1), np.moveaxis(np.asarray(x2), axis, -1)
    return np.matmul(a[..., None, :], b[..., :, None])[..., 0, 0]


@definition_of(np.matvec)
def matvec(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1), np.asarray(x2)[..., None])[..., 0]


@definition_of(np.vecmat)
def vecmat(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1)[..., None, :], np.asarray(x2))[..., 0, :]
