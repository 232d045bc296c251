"""Schur's forms of pairs of matrices, which SciPy finds and the implicit function theorem moves, and complex ones.

    Q^T A Z is zero below its blocks, Q^T B Z below its diagonal        Q^T Q = Z^T Z = 1

A block of two rows, for a pair of complex eigenvalues, has a diagonal matrix in B.

>>> aa, bb, q, z = qz(np.array([[2.0, 1.0], [0.0, 1.0]]), np.eye(2))
>>> aa
array([[2., 1.],
       [0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_factors import one_matrix
from ccc.compile.libraries.solutions import solved

linalg: Any = scipy.linalg
EPS = float(np.finfo(np.float64).eps)


def turns_of(a: Any, b: Any, sort: Any) -> Any:
    """Both orthogonal matrices, as SciPy finds them."""
    q, z = linalg.qz(a, b)[2:] if sort is None else linalg.ordqz(a, b, sort)[4:]
    return np.ravel(np.stack([q, z]))


def blocks_of(a: Any, b: Any, sort: Any) -> Any:
    """A one where a number below the diagonal belongs to a block."""
    found = linalg.qz(a, b) if sort is None else linalg.ordqz(a, b, sort)
    return (np.diag(found[0], -1) != 0.0) * 1.0


def pencil(name: str, a: Any, b: Any, sort: Any) -> Any:
    """The four matrices of two."""
    a, b = one_matrix(name, a), one_matrix(name, b)
    n = np.shape(a)[0]
    inside = constant(blocks_of, np.zeros(2), a, b, sort)

    def missed(found: Any) -> Any:
        q, z = np.reshape(found, (2, n, n))
        first, second = [np.dot(np.transpose(q), np.dot(m, z)) for m in (a, b)]
        beside = np.where(inside > 0.0, np.diag(second, 1), np.diag(first, -1))
        first = first - np.diag(np.diag(first, -1) - beside, -1)
        grams = [np.dot(np.transpose(m), m) - np.eye(n) for m in (q, z)]
        return np.concatenate([*[m[np.triu_indices(n)] for m in grams], first[np.tril_indices(n, -1)],
                               second[np.tril_indices(n, -1)]])

    q, z = np.reshape(solved(missed, turns_of, (a, b, sort), np.zeros(2 * n * n)), (2, n, n))
    first, second = [np.dot(np.transpose(q), np.dot(m, z)) for m in (a, b)]
    upper = np.triu(second)
    return (np.triu(first) + np.diag(np.diag(first, -1) * inside, -1),
            upper - np.diag(np.diag(upper, 1) * inside, 1), q, z)


@definition_of(linalg.qz)
def qz(A: Any, B: Any, output: Any = "real", lwork: Any = None, sort: Any = None, overwrite_a: Any = False,
       overwrite_b: Any = False, check_finite: Any = True) -> Any:
    if output not in ("real", "r") or sort is not None:
        refuse("scipy.linalg.qz has a derivative for output='real'", "leave it out")
    return pencil("qz", A, B, None)


@definition_of(linalg.ordqz)
def ordqz(A: Any, B: Any, sort: Any = "lhp", output: Any = "real", overwrite_a: Any = False, overwrite_b: Any = False,
          check_finite: Any = True) -> Any:
    if output not in ("real", "r") or not isinstance(sort, str):
        refuse("scipy.linalg.ordqz has a derivative for output='real' and a text as `sort`")
    aa, bb, q, z = pencil("ordqz", A, B, sort)
    if np.any(np.diag(aa, -1) != 0.0):
        raise ValueError("scipy.linalg.ordqz has a derivative where all eigenvalues are real")
    return aa, bb, np.diag(aa) + 0j, np.diag(bb), q, z


# -- from real to complex ----------------------------------------------------------------------------------------------


@definition_of(linalg.rsf2csf)
def rsf2csf(T: Any, Z: Any, check_finite: Any = True) -> Any:
    t, z = np.asarray(T) + 0j, np.asarray(Z) + 0j
    n = len(t)
    for m in range(n - 1, 0, -1):
        if np.abs(t[m, m - 1]) > EPS * (np.abs(t[m - 1, m - 1]) + np.abs(t[m, m])):
            turn = rotation(t[m - 1:m + 1, m - 1:m + 1])
            back = np.conj(np.transpose(turn))
            t[m - 1:m + 1, m - 1:] = np.dot(turn, t[m - 1:m + 1, m - 1:])
            t[:m + 1, m - 1:m + 1] = np.dot(t[:m + 1, m - 1:m + 1], back)
            z[:, m - 1:m + 1] = np.dot(z[:, m - 1:m + 1], back)
        t[m, m - 1] = 0.0
    return t, z


def rotation(block: Any) -> Any:
    """The one that makes a block triangular."""
    mu, below = np.linalg.eigvals(block)[0] - block[1, 1], block[1, 0]
    r = np.sqrt(np.abs(mu) ** 2 + np.abs(below) ** 2)
    c, s = mu / r, below / r
    return np.stack([np.stack([np.conj(c), s]), np.stack([-s, c])])
