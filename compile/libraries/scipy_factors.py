"""Factors of a matrix that SciPy finds and the implicit function theorem moves: by what they are zero of.

    Schur          Z^T A Z is zero below its blocks        Hessenberg    Q^T A Q is zero below a diagonal, Q e_1 = e_1
    RQ             A Q^T is zero below its diagonal        all three     Z^T Z = 1
    LDL            L D L^T = A[p][:, p]

A block of two rows, for a pair of complex eigenvalues, has two equal numbers on its diagonal. There are two such
blocks, turned by a right angle, and SciPy may go over from one to the other at any place: derivatives are those along
the one that it found.

>>> t, z = schur(np.array([[2.0, 1.0], [0.0, 1.0]]))
>>> t
array([[2., 1.],
       [0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.slopes import with_slope_of
from ccc.compile.libraries.solutions import solved

linalg: Any = scipy.linalg
MATRIX, PLACES = np.zeros((2, 2)), np.zeros(2, np.int64)


def one_matrix(name: Any, a: Any) -> Any:
    if np.ndim(a) != 2 or np.iscomplexobj(a):
        refuse(f"scipy.linalg.{name} has a derivative for one real matrix")
    return np.asarray(a) * 1.0


def turned_by(missed: Any, find: Any, a: Any) -> Any:
    """The orthogonal matrix that `find` finds of another, where `missed` of it is zero."""
    n = np.shape(a)[0]

    def away(z: Any) -> Any:
        z = np.reshape(z, np.shape(a))
        gram = np.dot(np.transpose(z), z) - np.eye(len(z))
        return np.concatenate([gram[np.triu_indices(len(z))], missed(z)])

    return np.reshape(solved(away, find, (a,), np.zeros(n * n)), (n, n))


# -- Schur's form ------------------------------------------------------------------------------------------------------


def schur_turn(a: Any) -> Any:
    return np.ravel(linalg.schur(a)[1])


def blocks_of(a: Any) -> Any:
    """A one where a number below the diagonal belongs to a block."""
    return (np.diag(linalg.schur(a)[0], -1) != 0.0) * 1.0


@definition_of(linalg.schur)
def schur(a: Any, output: Any = "real", lwork: Any = None, overwrite_a: Any = False, sort: Any = None,
          check_finite: Any = True) -> Any:
    if output not in ("real", "r") or sort is not None:
        refuse("scipy.linalg.schur has a derivative for output='real' and sort=None", "leave both out")
    a = one_matrix("schur", a)
    inside = constant(blocks_of, np.zeros(2), a)

    def missed(z: Any) -> Any:
        m = np.dot(np.transpose(z), np.dot(a, z))
        equal = np.diag(m)[1:] - np.diag(m)[:-1]
        m = m - np.diag(np.diag(m, -1) - np.where(inside > 0.0, equal, np.diag(m, -1)), -1)
        return m[np.tril_indices(len(m), -1)]

    z = turned_by(missed, schur_turn, a)
    m = np.dot(np.transpose(z), np.dot(a, z))
    return np.triu(m) + np.diag(np.diag(m, -1) * inside, -1), z


# -- Hessenberg's form and RQ ------------------------------------------------------------------------------------------


def hessenberg_turn(a: Any) -> Any:
    return np.ravel(linalg.hessenberg(a, calc_q=True)[1])


@definition_of(linalg.hessenberg)
def hessenberg(a: Any, calc_q: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = one_matrix("hessenberg", a)

    def missed(q: Any) -> Any:
        m = np.dot(np.transpose(q), np.dot(a, q))
        return np.concatenate([m[np.tril_indices(len(m), -2)], q[1:, 0]])

    q = turned_by(missed, hessenberg_turn, a)
    h = np.triu(np.dot(np.transpose(q), np.dot(a, q)), -1)
    return (h, q) if calc_q else h


def rq_turn(a: Any) -> Any:
    return np.ravel(np.transpose(linalg.rq(a)[1]))


@definition_of(linalg.rq)
def rq(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", check_finite: Any = True) -> Any:
    a = one_matrix("rq", a)
    if mode not in ("full", "r"):
        refuse("scipy.linalg.rq has a derivative for the modes 'full' and 'r'")
    if np.shape(a)[0] != np.shape(a)[1]:
        raise ValueError("scipy.linalg.rq has a derivative for square matrices")

    def missed(q: Any) -> Any:
        return np.dot(a, q)[np.tril_indices(len(q), -1)]

    q = turned_by(missed, rq_turn, a)
    r = np.triu(np.dot(a, q))
    return r if mode == "r" else (r, np.transpose(q))


# -- LDL ---------------------------------------------------------------------------------------------------------------


def ldl_parts(a: Any, lower: Any) -> Any:
    """The numbers of L below the diagonal, and those of D."""
    outer, d, order = linalg.ldl(a, lower)
    n = np.arange(len(a))
    inner = outer[order] if lower else outer[order].T
    return np.where((d != 0.0) | (n[:, None] == n), d, inner)[np.tril_indices(len(a))]


def ldl_blocks(a: Any, lower: Any) -> Any:
    d = linalg.ldl(a, lower)[1]
    return ((d != 0.0) | (np.eye(len(d)) > 0.0)) * 1.0


def ldl_order(a: Any, lower: Any) -> Any:
    return np.asarray(linalg.ldl(a, lower)[2], np.int64)


@definition_of(linalg.ldl)
def ldl(A: Any, lower: Any = True, hermitian: Any = True, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    if not lower:
        refuse("scipy.linalg.ldl has a derivative for lower=True", "leave `lower` out")
    a = one_matrix("ldl", A)
    a = np.tril(a) + np.transpose(np.tril(a, -1))
    inside, order = constant(ldl_blocks, MATRIX, a, lower), constant(ldl_order, PLACES, a, lower)
    moved = a[order][:, order]

    def parts(z: Any) -> Any:
        below = np.zeros(np.shape(moved))
        below[np.tril_indices(len(moved))] = z
        d = below * inside
        return np.eye(len(moved)) + below - d, d + np.transpose(np.tril(d, -1))

    def missed(z: Any) -> Any:
        outer, d = parts(z)
        return (np.dot(np.dot(outer, d), np.transpose(outer)) - moved)[np.tril_indices(len(moved))]

    outer, d = parts(solved(missed, ldl_parts, (a, lower), np.zeros(len(a) * (len(a) + 1) // 2)))
    return outer[np.argsort(order)], d, order


# -- bands -------------------------------------------------------------------------------------------------------------


def from_band(ab: Any, lower: Any) -> Any:
    """The triangle that stands in a band."""
    count, n = np.shape(ab)
    found = np.zeros((n, n))
    for k in range(count):
        if lower:
            found[np.arange(n - k) + k, np.arange(n - k)] = ab[k, :n - k]
        else:
            found[np.arange(n - k), np.arange(n - k) + k] = ab[count - 1 - k, k:]
    return found


@definition_of(linalg.cholesky_banded)
def cholesky_banded(ab: Any, overwrite_ab: Any = False, lower: Any = False, check_finite: Any = True) -> Any:
    ab = np.asarray(ab) * 1.0
    part = from_band(ab, lower)
    low = np.linalg.cholesky(part if lower else np.transpose(part))
    count, n = np.shape(ab)
    found = np.copy(ab)
    for k in range(count):
        beside = low[np.arange(n - k) + k, np.arange(n - k)]
        if lower:
            found[k, :n - k] = beside
        else:
            found[count - 1 - k, k:] = beside
    return found


@definition_of(linalg.cho_solve_banded)
def cho_solve_banded(cb_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    cb, lower = cb_and_lower
    return linalg.cho_solve((from_band(np.asarray(cb) * 1.0, lower), lower), b)


@definition_of(linalg.eigvals_banded)
def eigvals_banded(a_band: Any, lower: Any = False, overwrite_a_band: Any = False, select: Any = "a",
                   select_range: Any = None, check_finite: Any = True) -> Any:
    if select not in ("a", "all", 0):
        refuse("scipy.linalg.eigvals_banded has a derivative for select='a'", "take a slice of all of them")
    return np.linalg.eigvalsh(from_band(np.asarray(a_band) * 1.0, lower), "L" if lower else "U")


# -- powers and signs --------------------------------------------------------------------------------------------------


@definition_of(linalg.fractional_matrix_power)
def fractional_matrix_power(A: Any, t: Any) -> Any:
    return linalg.expm(t * linalg.logm(one_matrix("fractional_matrix_power", A)))


@definition_of(linalg.signm)
def signm(A: Any) -> Any:
    a = one_matrix("signm", A)
    return np.linalg.solve(linalg.sqrtm(np.dot(a, a)), a)


# -- cosines and sines -------------------------------------------------------------------------------------------------


def parts_as_scipy(x: Any, swap_sign: bool) -> Any:
    """Both orthogonal matrices of the left side and of the right, and the angles as a matrix."""
    n = len(x) // 2
    (u1, u2), theta, (v1, v2) = linalg.cossin(x, n, n, separate=True, swap_sign=swap_sign)
    return np.stack([u1, u2, v1, v2, np.diag(theta)])


@definition_of(linalg.cossin)
def cossin(X: Any, p: Any = None, q: Any = None, separate: Any = False, swap_sign: Any = False, compute_u: Any = True,
           compute_vh: Any = True) -> Any:
    """Of a matrix that stays orthogonal, in four blocks of one size: other blocks leave some vectors open."""
    x = np.block([[X[0], X[1]], [X[2], X[3]]]) if isinstance(X, (tuple, list)) else np.asarray(X) * 1.0
    n = len(x) // 2
    if np.iscomplexobj(x):
        refuse("scipy.linalg.cossin has a derivative for real matrices")
    if 2 * n != len(x) or (p is not None and p != n) or (q is not None and q != n):
        raise ValueError("scipy.linalg.cossin has a derivative for four blocks of one size: take the angles of the "
                         "first, `np.arccos(np.linalg.svd(x[:p, :q])[1])`")
    kept = constant(parts_as_scipy, np.zeros((2, 2, 2)), x, swap_sign)
    left, cosines, right = np.linalg.svd(x[:n, :n])
    signs = np.where(np.sum(left * kept[0], axis=0) < 0.0, -1.0, 1.0)
    u1, v1, turn = left * signs, right * signs[:, None], -1.0 if swap_sign else 1.0
    theta = np.arccos(cosines)
    sines = np.sin(theta)
    u2, v2 = turn * (x[n:, :n] @ v1.T) / sines, -turn * (u1.T @ x[:n, n:]) / sines[:, None]
    u1, u2, v1, v2 = [with_slope_of(kept[k], part) for k, part in enumerate((u1, u2, v1, v2))]
    theta = with_slope_of(np.diag(kept[4]), theta)
    if separate:
        return (u1, u2), theta, (v1, v2)
    c, s, none = np.diag(np.cos(theta)), np.diag(np.sin(theta)) * turn, np.zeros((n, n))
    return (np.block([[u1, none], [none, u2]]), np.block([[c, -s], [s, c]]), np.block([[v1, none], [none, v2]]))
