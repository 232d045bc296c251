"""Polynomials by their coefficients, the highest power first, and products of matrices and vectors.

>>> polyval([1.0, 2.0], 3.0), polyder([1.0, 2.0, 3.0])
(np.float64(5.0), array([2., 2.]))
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


# -- products --------------------------------------------------------------------------------------------------------


@definition_of(np.matvec)
def matvec(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1), np.asarray(x2)[..., None])[..., 0]


@definition_of(np.vecmat)
def vecmat(x1: Any, x2: Any, /) -> Any:
    return np.matmul(np.asarray(x1)[..., None, :], np.asarray(x2))[..., 0, :]
