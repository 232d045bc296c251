"""Matrices from parts, eigenvalues of any matrix, spaces, and Riccati's equations, of `scipy.linalg`.

    A^T X + X A - X B R^-1 B^T X + Q = 0        A^T X A - X - A^T X B (R + B^T X B)^-1 B^T X A + Q = 0

SciPy solves these; the implicit function theorem says how the solution moves.

>>> companion(np.array([1.0, -10.0, 31.0]))
array([[ 10., -31.],
       [  1.,   0.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.api.transforms import value_with_differential
from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.solutions import solved

linalg: Any = scipy.linalg


@definition_of(linalg.eig)
def eig(a: Any, b: Any = None, left: Any = False, right: Any = True, check_finite: Any = True) -> Any:
    if b is not None or left:
        refuse("scipy.linalg.eig has a derivative for b=None and left=False",
               "take np.linalg.eig(np.linalg.solve(b, a))")
    found = np.linalg.eig(a)
    return (found.eigenvalues, found.eigenvectors) if right else found.eigenvalues


@definition_of(linalg.eigvals)
def eigvals(a: Any, b: Any = None, overwrite_a: Any = False, check_finite: Any = True,
            homogeneous_eigvals: Any = False) -> Any:
    if homogeneous_eigvals:
        refuse("scipy.linalg.eigvals has a derivative for homogeneous_eigvals=False")
    return np.linalg.eigvals(a if b is None else np.linalg.solve(b, a))


def rank_of(a: Any, s: Any, rcond: Any) -> Any:
    share = 2.0**-52 * max(np.shape(a)[0], np.shape(a)[1]) if rcond is None else rcond
    return np.sum(s > np.max(s) * share)


@definition_of(linalg.pinvh)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: Any = True) -> Any:
    if atol is not None:
        refuse("scipy.linalg.pinvh has a derivative for atol=None", "leave `atol` out")
    a = np.asarray(a) if lower else np.transpose(a)
    return np.linalg.pinv(a, rtol=rtol, hermitian=True)


@definition_of(linalg.expm_frechet)
def expm_frechet(A: Any, E: Any, method: Any = None, compute_expm: Any = True, check_finite: Any = True) -> Any:
    value, differential = value_with_differential(lambda x: linalg.expm(x))(np.asarray(A) * 1.0)
    moved = differential(np.asarray(E) * 1.0)
    return (value, moved) if compute_expm else moved


# -- from parts --------------------------------------------------------------------------------------------------------


@definition_of(linalg.companion)
def companion(a: Any) -> Any:
    a = np.asarray(a) * 1.0
    first = np.reshape(-a[1:] / a[0], (1, -1))
    return np.concatenate([first, np.eye(len(a) - 2, len(a) - 1)])


@definition_of(linalg.leslie)
def leslie(f: Any, s: Any) -> Any:
    below = np.eye(len(s), len(s) + 1) * np.reshape(s, (-1, 1))
    return np.concatenate([np.reshape(np.asarray(f) * 1.0, (1, -1)), below])


@definition_of(linalg.fiedler)
def fiedler(a: Any) -> Any:
    a = np.asarray(a) * 1.0
    return np.abs(a[:, None] - a)


@definition_of(linalg.convolution_matrix)
def convolution_matrix(a: Any, n: Any, mode: Any = "full") -> Any:
    if mode not in ("full", "same", "valid"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    a = np.asarray(a) * 1.0
    less = 0 if mode == "full" else min(n, len(a)) - 1
    first = less // 2 if mode == "same" else less
    last = len(a) + n - 1 - (less - first if mode == "same" else less)
    places = np.arange(first, last)[:, None] - np.arange(n)
    there = (places >= 0) & (places < len(a))
    return np.where(there, a[np.where(there, places, 0)], 0.0)


@definition_of(linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None) -> Any:
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, c_or_cr)
    if np.ndim(c) != 1:
        refuse("scipy.linalg.matmul_toeplitz has a derivative for one matrix")
    return np.dot(linalg.toeplitz(c, r), x)


@definition_of(linalg.solve_circulant)
def solve_circulant(c: Any, b: Any) -> Any:
    if np.ndim(c) != 1:
        refuse("scipy.linalg.solve_circulant has a derivative for one matrix")
    return np.linalg.solve(linalg.circulant(c), b)


@definition_of(linalg.solveh_banded)
def solveh_banded(ab: Any, b: Any, lower: Any = False, check_finite: Any = True) -> Any:
    ab = np.asarray(ab) * 1.0
    count, n = np.shape(ab)
    found = np.zeros((n, n))
    for k in range(count):
        beside = ab[k, :n - k] if lower else ab[count - 1 - k, k:]
        found[np.arange(n - k) + k, np.arange(n - k)] += beside
        found[np.arange(n - k), np.arange(n - k) + k] += beside * (k > 0)
    return np.linalg.solve(found, b)


# -- Riccati's equations -----------------------------------------------------------------------------------------------


def continuous(a: Any, b: Any, q: Any, r: Any) -> Any:
    return np.ravel(linalg.solve_continuous_are(a, b, q, r))


@definition_of(linalg.solve_continuous_are)
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    a, b, q, r = [np.asarray(m) * 1.0 for m in (a, b, q, r)]

    def missed(x: Any) -> Any:
        x = np.reshape(x, np.shape(a))
        part = np.dot(x, b)
        return np.ravel(np.dot(np.transpose(a), x) + np.dot(x, a) + q - np.dot(
            part, np.linalg.solve(r, np.dot(np.transpose(b), x))))

    return np.reshape(solved(missed, continuous, (a, b, q, r), np.ravel(q)), np.shape(a))


def discrete(a: Any, b: Any, q: Any, r: Any) -> Any:
    return np.ravel(linalg.solve_discrete_are(a, b, q, r))


@definition_of(linalg.solve_discrete_are)
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    a, b, q, r = [np.asarray(m) * 1.0 for m in (a, b, q, r)]

    def missed(x: Any) -> Any:
        x = np.reshape(x, np.shape(a))
        there, part = np.dot(np.transpose(a), x), np.dot(np.transpose(b), x)
        gain = np.linalg.solve(r + np.dot(part, b), np.dot(part, a))
        return np.ravel(np.dot(there, a) - x - np.dot(np.dot(there, b), gain) + q)

    return np.reshape(solved(missed, discrete, (a, b, q, r), np.ravel(q)), np.shape(a))
