"""Factors, eigenvalues and exponentials of sparse matrices, and operators: values are SciPy's.

    A v = w v,  v^T v = 1     =>   (A - w) dv - v dw = -dA v,  v^T dv = 0
    A v = s u,  A^T u = s v        the same for the matrix with A and A^T beside its diagonal
    exp(A) b                       Taylor's polynomial of A / n, applied n times

The system of an eigenvalue is solved as a sparse one, so a derivative takes as long as a solution does. Eigenvalues
that are equal have no derivatives of their vectors, and the system no solution.

>>> from ccc.compile.libraries.scipy_sparse import Sparse
>>> splu(Sparse(np.array([2.0, 4.0]), np.arange(2), np.arange(2), 2, 2)).solve(np.array([2.0, 2.0]))
array([1. , 0.5])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted, lifted, refuse
from ccc.compile.libraries.scipy_sparse import spsolve, standing_or_made, system
from ccc.compile.libraries.slopes import with_slope_of
from ccc.compile.libraries.solutions import solved

sparse: Any = scipy.sparse
linalg: Any = scipy.sparse.linalg
MATRIX = np.zeros((2, 2))


@dataclass
class Factors:
    """A matrix, which is factorised for each right side."""

    a: Any

    @property
    def shape(self) -> Any:
        return self.a.m, self.a.n

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        return spsolve(self.a if trans == "N" else self.a.T, rhs)


@definition_of(linalg.splu)
def splu(A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None,
         options: Any = None) -> Any:
    return Factors(standing_or_made(A))


# -- eigenvalues -------------------------------------------------------------------------------------------------------


def pairs(run: Any, data: Any, row: Any, col: Any, size: Any, given: Any) -> Any:
    """Eigenvalues of a symmetric matrix in a first row, their vectors in columns below."""
    return hosted(run, MATRIX, data, row, col, size, given)


def pairs_rule(run: Any, data: Any, row: Any, col: Any, size: Any, given: Any) -> Any:
    found = pairs(run, data, row, col, size, given)
    count, n = given["k"], len(found) - 1
    border = np.arange(n)
    rows = np.concatenate([row, border, border, border * 0 + n])
    cols = np.concatenate([col, border, border * 0 + n, border])

    def pulled(ct: Any) -> Any:
        total = 0.0 * data
        for j in tuple(range(count)):
            w, v = found[0, j], found[1:, j]
            numbers = np.concatenate([data, np.zeros(n) - w, v, -v])
            moved = system(numbers, rows, cols, np.concatenate([ct[1:, j], ct[:1, j]]))
            total = total - moved[row] * v[col]
        return None, total, None, None, None, None

    return found, pulled


RULES[pairs] = pairs_rule


def by_lanczos(data: Any, row: Any, col: Any, size: Any, given: Any) -> Any:
    return np.vstack(linalg.eigsh(sparse.csr_matrix((data, (row, col)), shape=size), **given))


@definition_of(linalg.eigsh)
def eigsh(A: Any, k: Any = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None, ncv: Any = None,
          maxiter: Any = None, tol: Any = 0.0, return_eigenvectors: Any = True) -> Any:
    if M is not None:
        refuse("scipy.sparse.linalg.eigsh has a derivative for M=None", "take scipy.linalg.eigh of dense matrices")
    a = standing_or_made(A)
    given = {"k": k, "sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    found = pairs(by_lanczos, a.numbers * 1.0, a.row, a.col, (a.m, a.n), given)
    return (found[0], found[1:]) if return_eigenvectors else found[0]


def by_triplets(data: Any, row: Any, col: Any, size: Any, given: Any) -> Any:
    half = len(data) // 2
    u, s, vh = linalg.svds(sparse.csr_matrix((data[:half], (row[:half], col[:half] - size[0])), shape=size), **given)
    return np.vstack([s, u / math.sqrt(2.0), vh.T / math.sqrt(2.0)])


@definition_of(linalg.svds)
def svds(A: Any, k: Any = 6, ncv: Any = None, tol: Any = 0, which: Any = "LM", v0: Any = None, maxiter: Any = None,
         return_singular_vectors: Any = True, solver: Any = "arpack") -> Any:
    if isinstance(return_singular_vectors, str):
        refuse("scipy.sparse.linalg.svds has a derivative for return_singular_vectors=True and False")
    a = standing_or_made(A)
    data, row, col = np.concatenate([a.numbers, a.numbers]) * 1.0, a.row, a.col + a.m
    given = {"k": k, "ncv": ncv, "tol": tol, "which": which, "v0": v0, "maxiter": maxiter, "solver": solver}
    found = pairs(by_triplets, data, np.concatenate([row, col]), np.concatenate([col, row]), (a.m, a.n), given)
    if not return_singular_vectors:
        return found[0]
    root = math.sqrt(2.0)
    return root * found[1:a.m + 1], found[0], root * np.transpose(found[a.m + 1:])


@definition_of(linalg.eigs)
def eigs(A: Any, *args: Any, **options: Any) -> Any:
    refuse("scipy.sparse.linalg.eigs has no derivative", "take scipy.linalg.eig of A.toarray(), or eigsh")


# -- exponentials ------------------------------------------------------------------------------------------------------


def steps_of(data: Any, col: Any, n: Any) -> int:
    """How many steps a matrix is taken in, each of a norm of at most 1."""
    return max(1, math.ceil(np.max(np.bincount(col, np.abs(data), n))))


def by_scipy(data: Any, row: Any, col: Any, b: Any) -> Any:
    return linalg.expm_multiply(sparse.csr_matrix((data, (row, col)), shape=(len(b), len(b))), b)


@definition_of(linalg.expm_multiply)
def expm_multiply(A: Any, B: Any) -> Any:
    a, b = standing_or_made(A), np.asarray(B) * 1.0
    count = constant(steps_of, 0, a.numbers, a.col, a.n)
    step, moving = a / count, b
    for _ in range(count):
        term = moving
        for j in range(1, 20):
            term = (step @ term) / j
            moving = moving + term
    found = constant(by_scipy, b, a.numbers, a.row, a.col, b)
    return with_slope_of(found, moving)


# -- systems that are solved step by step ------------------------------------------------------------------------------


def iterating(name: str) -> Any:
    """The definition of a function that solves a system step by step: of the place that it finds."""

    @definition_of(getattr(sparse.linalg, name))
    def definition(A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None) -> Any:
        right = np.asarray(b) * 1.0
        options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
        start = right * 0.0 if x0 is None else np.asarray(x0) * 1.0
        if isinstance(A, Operator):
            f, captured = lifted(lambda x: A.product(x) * 1.0, right)
            return solved(lambda x: f(x, *captured) - right, by_products, (name, f, captured, right, start, options),
                          right), 0
        a = standing_or_made(A)
        data, row, col = a.numbers * 1.0, a.row, a.col
        return stepwise(name, data, row, col, right, start, options), 0

    return definition


def stepwise(name: Any, data: Any, row: Any, col: Any, b: Any, x0: Any, options: Any) -> Any:
    """The solution of a system, found step by step."""
    return hosted(by_steps, b, name, data, row, col, b, x0, options)


def stepwise_rule(name: Any, data: Any, row: Any, col: Any, b: Any, x0: Any, options: Any) -> Any:
    """That of a system: the one of its transpose is solved by factors."""
    x = stepwise(name, data, row, col, b, x0, options)

    def pulled(ct: Any) -> Any:
        of_b = system(data, col, row, ct)
        return None, -(of_b[row] * x[col]), None, None, of_b, None, None

    return x, pulled


RULES[stepwise] = stepwise_rule


@dataclass
class Operator:
    """A matrix of `m` by `n` of which only products are known."""

    m: Any
    n: Any
    product: Any

    @property
    def shape(self) -> Any:
        return self.m, self.n

    def matvec(self, x: Any) -> Any:
        return self.product(x)

    def dot(self, x: Any) -> Any:
        return self.product(x)

    def __matmul__(self, x: Any) -> Any:
        if np.ndim(x) != 1:
            refuse("a product with a LinearOperator has a derivative for vectors", "multiply each column")
        return self.product(x)


@definition_of(sparse.linalg.LinearOperator)
def LinearOperator(shape: Any, matvec: Any, rmatvec: Any = None, matmat: Any = None, dtype: Any = None,
                   rmatmat: Any = None) -> Any:
    m, n = shape
    return Operator(m, n, lambda x: matvec(x))


@definition_of(linalg.aslinearoperator)
def aslinearoperator(A: Any) -> Any:
    a = standing_or_made(A)
    return Operator(a.m, a.n, lambda x: a @ x)


def by_products(name: Any, f: Any, captured: Any, b: Any, x0: Any, options: Any) -> Any:
    made = sparse.linalg.LinearOperator((len(b), len(b)), matvec=lambda x: f(x, *captured), dtype=float)
    x, info = getattr(sparse.linalg, name)(made, b, x0, **options)
    if info != 0:
        raise ValueError(f"scipy.sparse.linalg.{name} found nothing, so there is no derivative: it gives {info}")
    return x


def by_steps(name: Any, data: Any, row: Any, col: Any, b: Any, x0: Any, options: Any) -> Any:
    n = len(b)
    x, info = getattr(sparse.linalg, name)(sparse.csr_matrix((data, (row, col)), shape=(n, n)), b, x0, **options)
    if info != 0:
        raise ValueError(f"scipy.sparse.linalg.{name} found nothing, so there is no derivative: it gives {info}")
    return x


cg, bicg, bicgstab, cgs, gmres, lgmres = [
    iterating(name) for name in ("cg", "bicg", "bicgstab", "cgs", "gmres", "lgmres")]


@definition_of(sparse.linalg.factorized)
def factorized(A: Any) -> Any:
    a = standing_or_made(A)
    return lambda b: spsolve(a, b)


@definition_of(sparse.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    return np.linalg.norm(x.toarray(), ord, axis)
