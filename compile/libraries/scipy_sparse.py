"""Sparse matrices of `scipy.sparse`, made before or in a program: numbers at places.

    A x  =  sum over places (i, j) of a_ij x_j at i          A x = b  =>  A dx = db - dA x

>>> A = Sparse(np.array([2.0, 3.0]), np.array([0, 1]), np.array([1, 1]), 2, 3)
>>> A @ np.array([1.0, 10.0, 100.0]), A.T.shape
(array([20., 30.]), (3, 2))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted, lifted, refuse
from ccc.compile.libraries.solutions import solved
from ccc.primitives.frozen import ARGUMENTS, Arguments

sparse: Any = scipy.sparse


WHOLE = np.zeros(2, dtype=np.int64)


@dataclass
class Sparse:
    """A matrix of `m` by `n` with numbers at some places, which are added up where they are given twice. One of SciPy's
    arrays multiplies item by item, one of its matrices as matrices do."""

    data: Any
    row: Any
    col: Any
    m: Any
    n: Any
    is_array: Any = False

    @property
    def shape(self) -> Any:
        return self.m, self.n

    @property
    def T(self) -> Any:
        return Sparse(self.data, self.col, self.row, self.n, self.m, self.is_array)

    def transpose(self) -> Any:
        return self.T

    def with_data(self, data: Any) -> Any:
        """Other numbers at the same places."""
        return Sparse(data, self.row, self.col, self.m, self.n, self.is_array)

    def tocsr(self) -> Any:
        return self

    def tocsc(self) -> Any:
        return self

    def tocoo(self) -> Any:
        return self

    def copy(self) -> Any:
        return self.with_data(self.data.copy())

    def __neg__(self) -> Any:
        return self.with_data(-self.data)

    def __add__(self, other: Any) -> Any:
        other = standing(other)
        if self.shape != other.shape:
            raise ValueError("inconsistent shapes")
        return Sparse(np.concatenate([self.data, other.data]), np.concatenate([self.row, other.row]),
                      np.concatenate([self.col, other.col]), self.m, self.n, self.is_array)

    def __sub__(self, other: Any) -> Any:
        return self + -standing(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) > 0:
            refuse("a quotient of a sparse matrix has a derivative for a number", "write `.multiply(1.0 / x)`")
        return self.with_data(self.data / other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.multiply(other) if self.is_array else self @ other
        if np.ndim(other) == 0:
            return self.with_data(self.data * other)
        return self.multiply(other) if self.is_array else self @ other

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self.with_data(other * self.data)
        return self.multiply(other) if self.is_array else other @ self

    def multiply(self, other: Any) -> Any:
        """Item by item, with a number or an array."""
        if isinstance(other, Sparse):
            return self.multiply(other.toarray())
        if np.ndim(other) == 0:
            return self.with_data(self.data * other)
        return self.with_data(self.data * np.broadcast_to(other, (self.m, self.n))[self.row, self.col])

    def sum(self, axis: Any = None) -> Any:
        if axis is None:
            return np.sum(self.data)
        if not self.is_array:
            refuse("sums of a sparse matrix along an axis are matrices of NumPy, which are not supported",
                   "make a sparse array, as csr_array, or write `A @ np.ones(n)`")
        return self @ np.ones(self.n) if axis in (1, -1) else self.T @ np.ones(self.m)

    def mean(self) -> Any:
        return np.sum(self.data) / (self.m * self.n)

    def trace(self) -> Any:
        return np.sum(np.where(self.row == self.col, self.data, 0.0))

    def diagonal(self) -> Any:
        found = np.zeros(min(self.m, self.n), dtype=self.data.dtype)
        np.add.at(found, np.where(self.row == self.col, self.row, 0), np.where(self.row == self.col, self.data, 0.0))
        return found

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, Sparse):
            return product(self, x)
        x = np.asarray(x)
        if np.shape(x)[0] != self.n:
            raise ValueError("matmul: dimension mismatch")
        if np.ndim(x) > 2:
            refuse("a product with a sparse matrix has a derivative for vectors and matrices")
        data = np.reshape(self.data, (-1,) + (1,) * (np.ndim(x) - 1))
        terms = data * x[self.col]
        found = np.zeros((self.m, *np.shape(x)[1:]), dtype=terms.dtype)
        np.add.at(found, self.row, terms)
        return found

    def __rmatmul__(self, x: Any) -> Any:
        return np.transpose(self.T @ np.transpose(x))

    def dot(self, other: Any) -> Any:
        return self @ other

    def toarray(self) -> Any:
        found = np.zeros((self.m, self.n), dtype=self.data.dtype)
        np.add.at(found, (self.row, self.col), self.data)
        return found

    def todense(self) -> Any:
        if not self.is_array:
            refuse("todense() gives a matrix of NumPy, which is not supported", "write `.toarray()`")
        return self.toarray()


def standing(x: Any) -> Any:
    """An operand as one of ours."""
    if not isinstance(x, Sparse):
        refuse("a sum of a sparse matrix and an array is no sparse matrix", "write `A.toarray() + x`")
    return x


def meeting(col: Any, row: Any, of: int) -> Any:
    """The places of two matrices at which a column of the one is a row of the other: those in one of them."""
    order = np.argsort(row, kind="stable")
    first, last = [np.searchsorted(row[order], col, side) for side in ("left", "right")]
    if of == 0:
        return np.repeat(np.arange(len(col)), last - first)
    return np.concatenate([order[a:b] for a, b in zip(first, last, strict=True)]) if len(col) else np.zeros(0, np.int64)


def product(a: Any, b: Any) -> Any:
    """The numbers of a product at their places, for each pair of numbers that meet."""
    if a.n != b.m:
        raise ValueError("matmul: dimension mismatch")
    p, q = constant(meeting, WHOLE, a.col, b.row, 0), constant(meeting, WHOLE, a.col, b.row, 1)
    return Sparse(a.data[p] * b.data[q], a.row[p], b.col[q], a.m, b.n, a.is_array)


def taken_apart(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.ndim != 2 or made.dtype.kind not in "fiu":
        return None
    places, (m, n), array = made.tocoo(), made.shape, not isinstance(made, sparse.spmatrix)
    return Sparse, (), {"data": places.data, "row": places.row, "col": places.col, "m": int(m), "n": int(n),
                        "is_array": array}


ARGUMENTS.update({sparse.spmatrix: taken_apart, sparse.sparray: taken_apart})


def of_numbers(arg1: Any, shape: Any, is_array: Any) -> Any:
    """A matrix of numbers at places, or of all numbers of an array with two axes."""
    if isinstance(arg1, Sparse):
        return Sparse(arg1.data, arg1.row, arg1.col, arg1.m, arg1.n, is_array)
    if isinstance(arg1, tuple) and isinstance(arg1[1], tuple):
        data, (row, col) = arg1[0], arg1[1]
        row, col = np.asarray(row), np.asarray(col)
        m, n = (np.max(row) + 1, np.max(col) + 1) if shape is None else shape
        return Sparse(np.asarray(data) * 1.0, row, col, m, n, is_array)
    if isinstance(arg1, tuple) or np.ndim(arg1) != 2:
        refuse("a sparse matrix has a derivative in a program where it is made of (data, (row, col)) and shape=(m, n), "
               "or of an array with two axes")
    whole: Any = np.shape(arg1)
    m, n = whole
    places = np.arange(m * n)
    return Sparse(np.ravel(arg1) * 1.0, places // n, places % n, m, n, is_array)


@definition_of(sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix)
def made_matrix(arg1: Any, shape: Any = None) -> Any:
    return of_numbers(arg1, shape, False)


@definition_of(sparse.csr_array, sparse.csc_array, sparse.coo_array)
def made_array(arg1: Any, shape: Any = None) -> Any:
    return of_numbers(arg1, shape, True)


# -- made of parts -----------------------------------------------------------------------------------------------------


def with_diagonals(diagonals: Any, offsets: Any, shape: Any, is_array: Any) -> Any:
    """A matrix of one diagonal, or of several, in which a diagonal of one number is filled with it."""
    if isinstance(offsets, int):
        if np.ndim(diagonals) > 1:
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [diagonals], [offsets]
    ds = [np.atleast_1d(d) * 1.0 for d in diagonals]
    if len(ds) != len(offsets):
        raise ValueError(f"Different number of diagonals ({len(ds)}) and offsets ({len(offsets)}).")
    n = len(ds[0]) + abs(offsets[0])
    height, width = (n, n) if shape is None else shape
    counts = [min(height + min(k, 0), width - max(k, 0)) for k in offsets]
    for d, count in zip(ds, counts, strict=True):
        if len(d) != count and len(d) != 1:
            raise ValueError(f"Diagonal length (index {len(d)}) does not agree with array size ({height}, {width}).")
    data = [d * np.ones(count) for d, count in zip(ds, counts, strict=True)]
    rows = [np.arange(count) + max(-k, 0) for k, count in zip(offsets, counts, strict=True)]
    cols = [np.arange(count) + max(k, 0) for k, count in zip(offsets, counts, strict=True)]
    return Sparse(np.concatenate(data), np.concatenate(rows), np.concatenate(cols), height, width, is_array)


@definition_of(sparse.diags)
def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return with_diagonals(diagonals, offsets, shape, False)


@definition_of(sparse.diags_array)
def diags_array(diagonals: Any, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return with_diagonals(diagonals, offsets, shape, True)


@definition_of(sparse.eye)
def eye(m: Any, n: Any = None, k: Any = 0, dtype: Any = None, format: Any = None) -> Any:
    return with_diagonals(1.0, k, (m, m if n is None else n), False)


@definition_of(sparse.identity)
def identity(n: Any, dtype: Any = None, format: Any = None) -> Any:
    return eye(n)


@definition_of(sparse.eye_array)
def eye_array(m: Any, n: Any = None, *, k: Any = 0, dtype: Any = None, format: Any = None) -> Any:
    return with_diagonals(1.0, k, (m, m if n is None else n), True)


@definition_of(sparse.kron)
def kron(A: Any, B: Any, format: Any = None) -> Any:
    a, b = standing_or_made(A), standing_or_made(B)
    data = np.ravel(np.multiply.outer(a.data, b.data))
    row = np.ravel(np.add.outer(a.row * b.m, b.row))
    col = np.ravel(np.add.outer(a.col * b.n, b.col))
    return Sparse(data, row, col, a.m * b.m, a.n * b.n, a.is_array or b.is_array)


def standing_or_made(x: Any) -> Any:
    """A matrix as one of ours."""
    return x.T.T if isinstance(x, Sparse) else of_numbers(x, None, False)


@definition_of(sparse.bmat, sparse.block_array)
def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """A matrix of blocks in rows, some of them None."""
    data, rows, cols, top, wide, is_array = [], [], [], 0, 0, False
    widths = [max([0 if line[j] is None else standing_or_made(line[j]).n for line in blocks])
              for j in tuple(range(len(blocks[0])))]
    for line in blocks:
        left, height = 0, 0
        for j in tuple(range(len(line))):
            if line[j] is not None:
                part = standing_or_made(line[j])
                data.append(part.data)
                rows.append(part.row + top)
                cols.append(part.col + left)
                height, is_array = part.m, is_array or part.is_array
            left = left + widths[j]
        top, wide = top + height, left
    return Sparse(np.concatenate(data), np.concatenate(rows), np.concatenate(cols), top, wide, is_array)


@definition_of(sparse.hstack)
def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return bmat([blocks])


@definition_of(sparse.vstack)
def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return bmat([[block] for block in blocks])


@definition_of(sparse.block_diag)
def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    n = len(mats)
    return bmat([[mats[i] if i == j else None for j in tuple(range(n))] for i in tuple(range(n))])


# -- systems -----------------------------------------------------------------------------------------------------------


def system(data: Any, row: Any, col: Any, b: Any) -> Any:
    return hosted(solved_by_scipy, b, data, row, col, b)


def solved_by_scipy(data: Any, row: Any, col: Any, b: Any) -> Any:
    n = len(b)
    return sparse.linalg.spsolve(sparse.csc_matrix((data, (row, col)), shape=(n, n)), b)


def system_rule(data: Any, row: Any, col: Any, b: Any) -> Any:
    x = system(data, row, col, b)

    def pulled(ct: Any) -> Any:
        of_b = system(data, col, row, ct)
        moved = of_b[row] * x[col]
        return -(moved if np.ndim(b) == 1 else np.sum(moved, axis=1)), None, None, of_b

    return x, pulled


RULES[system] = system_rule


@definition_of(sparse.linalg.spsolve)
def spsolve(A: Any, b: Any) -> Any:
    A = A.T.T  # one made before is now one of ours
    return system(A.data * 1.0, A.row, A.col, np.asarray(b) * 1.0)


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
        data, row, col = a.data * 1.0, a.row, a.col
        x = solved(lambda x: times(data, row, col, x) - right, by_steps, (name, data, row, col, right, start, options),
                   right)
        return x, 0

    return definition


def times(data: Any, row: Any, col: Any, x: Any) -> Any:
    """A square matrix times a vector."""
    found = np.zeros_like(x)
    np.add.at(found, row, data * x[col])
    return found


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
