"""Factorisations and systems of `scipy.linalg`, by those of NumPy or by SciPy's values and a rule.

    A v = w B v, v^T B v = 1   =>   dw = v^T (dA - w dB) v,  dV = V X,  X_ij = (P_ij - w_j Q_ij) / (w_j - w_i),
                                    X_jj = -Q_jj / 2         P = V^T dA V,  Q = V^T dB V

Eigenvalues that are equal have no derivatives of eigenvectors among themselves, which are taken to be zero, as those of
`np.linalg.eigh`. Flags that save memory or checks mean nothing.

>>> svdvals(np.diag([1.0, 2.0]))
array([2., 1.])

Reference: *Matrix Differential Calculus* (Magnus, Neudecker), 8.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted, refuse
from ccc.compile.libraries import (
    scipy_batches as scipy_batches,
    scipy_complex_matrices as scipy_complex_matrices,
    scipy_factors as scipy_factors,
    scipy_matrices as scipy_matrices,
    scipy_pencils as scipy_pencils,
    scipy_updates as scipy_updates,
)
from ccc.primitives.decompositions import gaps
from ccc.primitives.scipy_linalg import order_of

linalg: Any = scipy.linalg
MATRIX, PLACES = np.zeros((2, 2)), np.zeros(2, np.int32)


# -- eigenvalues of symmetric matrices ---------------------------------------------------------------------------------


def eigenpairs(run: Any, a: Any) -> Any:
    """Eigenvalues in a first row, their vectors in columns below."""
    return hosted(run, MATRIX, a)


def of_symmetric(a: Any) -> Any:
    return np.vstack(linalg.eigh(a))


def of_tridiagonal(a: Any) -> Any:
    return np.vstack(linalg.eigh_tridiagonal(np.diag(a), np.diag(a, -1)))


def eigenpairs_rule(run: Any, a: Any) -> Any:
    found = eigenpairs(run, a)

    def pulled(ct: Any) -> Any:
        w, v = found[0], found[1:]
        inner = np.diag(ct[0]) + gaps(w) * np.dot(np.transpose(v), ct[1:])
        of_a = np.dot(np.dot(v, inner), np.transpose(v))
        return None, 0.5 * (of_a + np.transpose(of_a))

    return found, pulled


def eigenpairs_of_two(a: Any, b: Any) -> Any:
    return hosted(pairs_of_two, MATRIX, a, b)


def pairs_of_two(a: Any, b: Any) -> Any:
    return np.vstack(linalg.eigh(a, b))


def rule_of_two(a: Any, b: Any) -> Any:
    found = eigenpairs_of_two(a, b)

    def pulled(ct: Any) -> Any:
        w, v = found[0], found[1:]
        turned = np.dot(np.transpose(v), ct[1:])
        inner = gaps(w) * turned
        of_a = np.dot(np.dot(v, np.diag(ct[0]) + inner), np.transpose(v))
        of_b = np.dot(np.dot(v, np.diag(ct[0] * w + 0.5 * np.diag(turned)) + inner * w), np.transpose(v))
        return 0.5 * (of_a + np.transpose(of_a)), -0.5 * (of_b + np.transpose(of_b))

    return found, pulled


RULES[eigenpairs] = eigenpairs_rule
RULES[eigenpairs_of_two] = rule_of_two


def mirrored(a: Any, lower: Any) -> Any:
    """The symmetric matrix with this triangle."""
    a = np.asarray(a) * 1.0
    below = a if lower else np.transpose(a)
    return np.tril(below) + np.transpose(np.tril(below, -1))


@definition_of(linalg.eigh)
def eigh(a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False,
         overwrite_b: Any = False, type: Any = 1, check_finite: Any = True, subset_by_index: Any = None,
         subset_by_value: Any = None, driver: Any = None) -> Any:
    if np.ndim(a) != 2 or type != 1 or np.iscomplexobj(a) or np.iscomplexobj(b):
        refuse("scipy.linalg.eigh has a derivative for one real matrix, and type=1")
    if b is None:
        found = eigenpairs(of_symmetric, mirrored(a, lower))
    else:
        found = eigenpairs_of_two(mirrored(a, lower), mirrored(b, lower))
    if subset_by_value is not None:
        refuse("scipy.linalg.eigh has a derivative for values by their places", "give `subset_by_index`")
    if subset_by_index is not None:
        found = found[:, subset_by_index[0]:subset_by_index[1] + 1]
    return found[0] if eigvals_only else (found[0], found[1:])


@definition_of(linalg.eigh_tridiagonal)
def eigh_tridiagonal(d: Any, e: Any, eigvals_only: Any = False, select: Any = "a", select_range: Any = None,
                     check_finite: Any = True, tol: Any = 0.0, lapack_driver: Any = "auto") -> Any:
    found = eigenpairs(of_tridiagonal, mirrored(np.diag(d) + np.diag(e, -1), True))
    if select == "v":
        refuse("scipy.linalg.eigh_tridiagonal has a derivative for values by their places", "give select='i'")
    if select == "i":
        found = found[:, select_range[0]:select_range[1] + 1]
    return found[0] if eigvals_only else (found[0], found[1:])


def of_lower_band(a: Any) -> Any:
    band = np.stack([np.pad(np.diag(a, -k), (0, k)) for k in range(max(linalg.bandwidth(a)) + 1)])
    return np.vstack(linalg.eig_banded(band, lower=True))


def of_upper_band(a: Any) -> Any:
    band = np.stack([np.pad(np.diag(a, k), (k, 0)) for k in range(max(linalg.bandwidth(a)), -1, -1)])
    return np.vstack(linalg.eig_banded(band, lower=False))


@definition_of(linalg.eig_banded)
def eig_banded(a_band: Any, lower: Any = False, eigvals_only: Any = False, overwrite_a_band: Any = False,
               select: Any = "a", select_range: Any = None, max_ev: Any = 0, check_finite: Any = True) -> Any:
    if select not in ("a", "all", 0):
        refuse("scipy.linalg.eig_banded has a derivative for select='a'", "take a slice of all of them")
    whole = mirrored(scipy_factors.from_band(np.asarray(a_band) * 1.0, lower), lower)
    found = eigenpairs(of_lower_band if lower else of_upper_band, whole)
    return found[0] if eigvals_only else (found[0], found[1:])


# -- factorisations ----------------------------------------------------------------------------------------------------


@definition_of(linalg.svd)
def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, overwrite_a: Any = False, check_finite: Any = True,
        lapack_driver: Any = "gesdd") -> Any:
    if lapack_driver != "gesdd":
        refuse("scipy.linalg.svd has a derivative for lapack_driver='gesdd'", "leave `lapack_driver` out")
    if not compute_uv:
        return linalg.svdvals(a)
    u, s, vh = np.linalg.svd(a, full_matrices=full_matrices)
    return u, s, vh


@definition_of(linalg.svdvals)
def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.svd(a, compute_uv=False)


@definition_of(linalg.qr)
def qr(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", pivoting: Any = False,
       check_finite: Any = True) -> Any:
    if mode not in ("full", "r", "economic"):
        refuse("scipy.linalg.qr has a derivative for the modes 'full', 'r' and 'economic'", "take one of these modes")
    if pivoting:
        order = constant(pivots_of_qr, PLACES, a)
        return (*qr(np.asarray(a)[:, order], False, None, mode), order)
    m, n = np.shape(a)[-2:]
    q, r = np.linalg.qr(a)
    if mode != "economic" and m > n:
        r = np.concatenate([r, np.zeros((*np.shape(a)[:-2], m - n, n))], axis=-2)
    if mode == "r":
        return (r,)
    if mode == "economic" or m <= n:
        return q, r
    return reflected(a), r


@definition_of(linalg.qr_multiply)
def qr_multiply(a: Any, c: Any, mode: Any = "right", pivoting: Any = False, conjugate: Any = False,
                overwrite_a: Any = False, overwrite_c: Any = False) -> Any:
    if pivoting:
        refuse("scipy.linalg.qr_multiply has a derivative for pivoting=False", "leave `pivoting` out")
    q, r = qr(a, mode="economic")
    return (np.dot(c, q), r) if mode == "right" else (np.dot(q, c), r)


def balance(a: Any, permute: Any, scale: Any) -> Any:
    return linalg.matrix_balance(a, permute, scale)[1]


@definition_of(linalg.matrix_balance)
def matrix_balance(A: Any, permute: Any = True, scale: Any = True, separate: Any = False,
                   overwrite_a: Any = False) -> Any:
    """Which powers of two scale the rows is constant where it does not jump."""
    if separate:
        refuse("scipy.linalg.matrix_balance has a derivative for separate=False", "leave `separate` out")
    a = np.asarray(A) * 1.0
    by = constant(balance, MATRIX, a, permute, scale)
    return np.dot(np.linalg.inv(by), np.dot(a, by)), by


def pivots_of_qr(a: Any) -> Any:
    return np.asarray(linalg.qr(a, pivoting=True)[2], np.int32)


def reflected(a: Any) -> Any:
    """The whole factor of a matrix with more rows than columns: Householder's reflections, column after column."""
    if np.ndim(a) != 2:
        refuse("scipy.linalg.qr of matrices with more rows than columns has a derivative for one, or mode='economic'")
    q, r = np.eye(np.shape(a)[0]), np.asarray(a) * 1.0
    rows = np.arange(np.shape(a)[0])
    for k in range(np.shape(a)[1]):
        x = np.where(rows >= k, r[:, k], 0.0)
        size = np.sqrt(np.sum(x * x))
        v = x + np.where(rows == k, np.where(x[k] < 0.0, -size, size), 0.0)
        v = v / np.sqrt(np.sum(v * v))
        q, r = q - 2.0 * np.outer(np.dot(q, v), v), r - 2.0 * np.outer(v, np.dot(v, r))
    return q


@definition_of(linalg.lu)
def lu(a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True,
       p_indices: Any = False) -> Any:
    if np.ndim(a) != 2:
        refuse("scipy.linalg.lu has a derivative for one matrix")
    n = np.shape(a)[0]
    if np.shape(a)[1] != n:
        raise ValueError("scipy.linalg.lu has a derivative for square matrices")
    both, pivots = linalg.lu_factor(a)
    low, up, order = np.tril(both, -1) + np.eye(n), np.triu(both), order_of(pivots, inverse=True)
    if permute_l:
        return low[order], up
    return order if p_indices else np.eye(n)[order], low, up


# -- systems -----------------------------------------------------------------------------------------------------------


@definition_of(linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True) -> Any:
    if atol is not None or return_rank:
        refuse("scipy.linalg.pinv has a derivative for atol=None and return_rank=False")
    return np.linalg.pinv(a, rtol=rtol)


@definition_of(linalg.lstsq)
def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False,
          check_finite: Any = True, lapack_driver: Any = None) -> Any:
    if lapack_driver not in (None, "gelsd", "gelss"):
        refuse("scipy.linalg.lstsq has a derivative for the drivers 'gelsd' and 'gelss'")
    usual = 2.0**-23 if np.result_type(a, b) == np.float32 else 2.0**-52
    found = np.linalg.lstsq(a, b, usual if cond is None else cond)
    if np.ndim(b) > 1:
        return found
    rest = np.sum(found[1]) if len(found[1]) > 0 else np.nan  # of one system a number, which may be no known one
    return found[0], rest, found[2], found[3]


def banded(below: Any, above: Any, ab: Any, b: Any) -> Any:
    """The solution of a system whose matrix has so many diagonals below and above."""
    return hosted(solved_banded, b, below, above, ab, b)


def solved_banded(below: Any, above: Any, ab: Any, b: Any) -> Any:
    return linalg.solve_banded((below, above), ab, b)


def banded_rule(below: Any, above: Any, ab: Any, b: Any) -> Any:
    x = banded(below, above, ab, b)

    def pulled(ct: Any) -> Any:
        along = tuple(range(-above, below + 1))
        turned = np.stack([np.roll(ab[above + d], d) for d in along[::-1]])
        of_b = banded(above, below, turned, ct)
        return None, None, -np.stack([outer_diagonal(of_b, x, d) for d in tuple(range(above, -below - 1, -1))]), of_b

    return x, pulled


def outer_diagonal(left: Any, right: Any, d: Any) -> Any:
    """`left_i right_j` for `j = i + d`, at `j`, and zeros where there is no `i`."""
    n, places = len(right), np.arange(len(right))
    product = np.roll(left, d, 0) * right
    product = np.sum(product, axis=1) if np.ndim(product) == 2 else product
    return np.where((places >= d) & (places < n + d), product, 0.0)


RULES[banded] = banded_rule


@definition_of(linalg.solve_banded)
def solve_banded(l_and_u: Any, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False,
                 check_finite: Any = True) -> Any:
    below, above = l_and_u
    return banded(below, above, np.asarray(ab) * 1.0, np.asarray(b) * 1.0)


@definition_of(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, c_or_cr)
    if np.ndim(b) != 1:
        refuse("scipy.linalg.solve_toeplitz has a derivative for one right side")
    return toeplitz_system(np.asarray(c) * 1.0, np.asarray(r) * 1.0, np.asarray(b) * 1.0)


def toeplitz_system(c: Any, r: Any, b: Any) -> Any:
    return hosted(solved_toeplitz, b, c, r, b)


def solved_toeplitz(c: Any, r: Any, b: Any) -> Any:
    return linalg.solve_toeplitz((c, r), b)


def toeplitz_rule(c: Any, r: Any, b: Any) -> Any:
    x = toeplitz_system(c, r, b)

    def pulled(ct: Any) -> Any:
        n = len(x)
        first = np.concatenate([c[:1], r[1:]])
        of_b = toeplitz_system(first, c, ct)
        moved = -np.convolve(of_b, x[::-1])
        return moved[n - 1:], np.concatenate([np.zeros(1), moved[:n - 1][::-1]]), of_b

    return x, pulled


RULES[toeplitz_system] = toeplitz_rule


@definition_of(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    return linalg.solve_sylvester(a, np.transpose(a), q)


@definition_of(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any) -> Any:
    n = np.shape(a)[0]
    found = np.linalg.solve(np.eye(n * n) - np.kron(a, a), np.ravel(q))
    return np.reshape(found, (n, n))


# -- matrices from parts -----------------------------------------------------------------------------------------------


@definition_of(linalg.circulant)
def circulant(c: Any) -> Any:
    if np.ndim(c) != 1:
        refuse("scipy.linalg.circulant has a derivative for one vector")
    c = np.asarray(c)
    return linalg.toeplitz(c, np.concatenate([c[:1], c[1:][::-1]]))


@definition_of(linalg.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    c = np.ravel(c)
    r = np.zeros_like(c) if r is None else np.ravel(r)
    values = np.concatenate([c, r[1:]])
    return values[np.arange(len(c))[:, None] + np.arange(len(r))]


@definition_of(linalg.khatri_rao)
def khatri_rao(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    return np.reshape(a[:, None, :] * b[None, :, :], (-1, np.shape(a)[1]))
