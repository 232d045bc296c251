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
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments, WhenAsked

sparse: Any = scipy.sparse


WHOLE = np.zeros(2, dtype=np.int64)


@dataclass
class Sparse:
    """A matrix of `m` by `n` with numbers at some places, which are added up where they are given twice. One of SciPy's
    arrays multiplies item by item, one of its matrices as matrices do."""

    numbers: Any
    row: Any
    col: Any
    m: Any
    n: Any
    is_array: Any = False
    as_kept: Any = False
    """Whether the numbers are those that SciPy keeps, in its order."""

    @staticmethod
    def __ccc_bases__(fields: Any) -> Any:
        kind = {True: sparse.sparray, False: sparse.spmatrix}.get(fields["is_array"])
        return sparse._base._spbase, *([] if kind is None else [kind])

    @property
    def data(self) -> Any:
        if not self.as_kept:
            refuse("which numbers SciPy keeps of a sparse matrix that a program made, in which order, is not known",
                   "take them from `.toarray()`")
        return self.numbers

    @property
    def nnz(self) -> Any:
        return len(self.data)

    @property
    def ndim(self) -> Any:
        return 2

    @property
    def dtype(self) -> Any:
        return self.numbers.dtype

    @property
    def shape(self) -> Any:
        return self.m, self.n

    @property
    def T(self) -> Any:
        return Sparse(self.numbers, self.col, self.row, self.n, self.m, self.is_array, self.as_kept)

    def transpose(self) -> Any:
        return self.T

    def with_data(self, data: Any, as_kept: Any = False) -> Any:
        """Other numbers at the same places."""
        return Sparse(data, self.row, self.col, self.m, self.n, self.is_array, as_kept)

    def once(self) -> Any:
        """The same with one number at a place, as is wanted of what is not linear in them."""
        which = constant(number_of_place, WHOLE, self.row, self.col)
        first = constant(first_at, WHOLE, self.row, self.col)
        numbers = np.zeros(len(first), dtype=self.numbers.dtype)
        np.add.at(numbers, which, self.numbers)
        return Sparse(numbers, self.row[first], self.col[first], self.m, self.n, self.is_array)

    def tocsr(self, copy: Any = False) -> Any:
        return self.with_data(self.numbers)

    def tocsc(self, copy: Any = False) -> Any:
        return self.with_data(self.numbers)

    def tocoo(self, copy: Any = False) -> Any:
        return self.with_data(self.numbers)

    def asformat(self, format: Any, copy: Any = False) -> Any:
        return self.with_data(self.numbers)

    def copy(self) -> Any:
        return self.with_data(self.numbers.copy(), self.as_kept)

    def astype(self, dtype: Any, casting: Any = "unsafe", copy: Any = True) -> Any:
        return self.with_data(self.numbers.astype(dtype), self.as_kept)

    def __neg__(self) -> Any:
        return self.with_data(-self.numbers, self.as_kept)

    def __abs__(self) -> Any:
        one = self.once()
        return one.with_data(np.abs(one.numbers))

    def power(self, n: Any, dtype: Any = None) -> Any:
        if not n >= 1:
            refuse("a power of each number of a sparse matrix has a derivative from 1 on", "take `.toarray()`")
        one = self.once()
        return one.with_data(one.numbers**n)

    def __pow__(self, n: Any) -> Any:
        if self.is_array:
            return self.power(n)
        if not isinstance(n, int) or n < 1:
            refuse("a power of a sparse matrix has a derivative for a whole number from 1 on", "write the product out")
        found = self
        for _ in tuple(range(n - 1)):
            found = found @ self
        return found

    def __getitem__(self, key: Any) -> Any:
        both: tuple[Any, Any] = key if isinstance(key, tuple) else (key, slice(None))
        i, j = both
        of_rows, of_columns = isinstance(i, slice), isinstance(j, slice)
        if not of_rows and not of_columns and np.ndim(i) == 0 and np.ndim(j) == 0:
            at = (self.row == i % self.m) & (self.col == j % self.n)
            return np.sum(np.where(at, self.numbers, 0.0))
        if self.is_array and ((not of_rows and np.ndim(i) == 0) or (not of_columns and np.ndim(j) == 0)):
            refuse("a row of a sparse array, which has one axis, is not supported", "take `A[[i]]`")
        if not of_rows and not of_columns:
            refuse("a sparse matrix has a derivative at one list of indices and one slice", "write `A[i][:, j]`")
        rows, cols = np.atleast_1d(np.arange(self.m)[i]), np.atleast_1d(np.arange(self.n)[j])
        return selection(rows, self.m, self.is_array) @ self @ selection(cols, self.n, self.is_array).T

    def __add__(self, other: Any) -> Any:
        other = standing(other)
        if self.shape != other.shape:
            raise ValueError("inconsistent shapes")
        return Sparse(np.concatenate([self.numbers, other.numbers]), np.concatenate([self.row, other.row]),
                      np.concatenate([self.col, other.col]), self.m, self.n, self.is_array)

    def __sub__(self, other: Any) -> Any:
        return self + -standing(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) > 0:
            refuse("a quotient of a sparse matrix has a derivative for a number", "write `.multiply(1.0 / x)`")
        return self.with_data(self.numbers / other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.multiply(other) if self.is_array else self @ other
        if np.ndim(other) == 0:
            return self.with_data(self.numbers * other)
        return self.multiply(other) if self.is_array else self @ other

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self.with_data(other * self.numbers)
        return self.multiply(other) if self.is_array else other @ self

    def multiply(self, other: Any) -> Any:
        """Item by item, with a number or an array."""
        if isinstance(other, Sparse):
            return self.multiply(other.toarray())
        if np.ndim(other) == 0:
            return self.with_data(self.numbers * other)
        return self.with_data(self.numbers * np.broadcast_to(other, (self.m, self.n))[self.row, self.col])

    def sum(self, axis: Any = None) -> Any:
        if axis is None:
            return np.sum(self.numbers)
        if not self.is_array:
            refuse("sums of a sparse matrix along an axis are matrices of NumPy, which are not supported",
                   "make a sparse array, as csr_array, or write `A @ np.ones(n)`")
        return self @ np.ones(self.n) if axis in (1, -1) else self.T @ np.ones(self.m)

    def mean(self, axis: Any = None) -> Any:
        return self.sum(axis) / (self.m * self.n if axis is None else self.n if axis in (1, -1) else self.m)

    def trace(self) -> Any:
        return np.sum(np.where(self.row == self.col, self.numbers, 0.0))

    def diagonal(self, k: Any = 0) -> Any:
        found = np.zeros(min(self.m + min(k, 0), self.n - max(k, 0)), dtype=self.numbers.dtype)
        there = self.col - self.row == k
        np.add.at(found, np.where(there, np.minimum(self.row, self.col), 0), np.where(there, self.numbers, 0.0))
        return found

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, Sparse):
            return product(self, x)
        x = np.asarray(x)
        if np.shape(x)[0] != self.n:
            raise ValueError("matmul: dimension mismatch")
        if np.ndim(x) > 2:
            refuse("a product with a sparse matrix has a derivative for vectors and matrices")
        data = np.reshape(self.numbers, (-1,) + (1,) * (np.ndim(x) - 1))
        terms = data * x[self.col]
        found = np.zeros((self.m, *np.shape(x)[1:]), dtype=terms.dtype)
        np.add.at(found, self.row, terms)
        return found

    def __rmatmul__(self, x: Any) -> Any:
        return np.transpose(self.T @ np.transpose(x))

    def dot(self, other: Any) -> Any:
        return self @ other

    def toarray(self) -> Any:
        found = np.zeros((self.m, self.n), dtype=self.numbers.dtype)
        np.add.at(found, (self.row, self.col), self.numbers)
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


def number_of_place(row: Any, col: Any) -> Any:
    return np.unique(np.stack([row, col]), axis=1, return_inverse=True)[1].ravel()


def first_at(row: Any, col: Any) -> Any:
    return np.unique(np.stack([row, col]), axis=1, return_index=True)[1]


def selection(which: Any, n: Any, is_array: Any) -> Any:
    """The matrix whose product with another has these rows of it."""
    return Sparse(np.ones(len(which)), np.arange(len(which)), which, len(which), n, is_array)


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
    return Sparse(a.numbers[p] * b.numbers[q], a.row[p], b.col[q], a.m, b.n, a.is_array)


def taken_apart(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.ndim != 2 or made.dtype.kind not in "fiu":
        return None
    compressed = made.format in ("csr", "csc")
    lines = ("row", "col") if made.format == "csr" else ("col", "row")
    return Sparse, (), WhenAsked(
        numbers=lambda: made.data if compressed else made.tocoo().data,
        **{lines[0]: lambda: lines_of(made.indptr, made.indices.dtype) if compressed else made.tocoo().coords[1],
           lines[1]: lambda: made.indices if compressed else made.tocoo().coords[0]},
        m=lambda: int(made.shape[0]), n=lambda: int(made.shape[1]),
        is_array=lambda: not isinstance(made, sparse.spmatrix),
        as_kept=lambda: compressed or made.format == "coo")


ARGUMENTS.update({sparse.spmatrix: taken_apart, sparse.sparray: taken_apart})


def of_numbers(arg1: Any, shape: Any, is_array: Any) -> Any:
    """A matrix of numbers at places, or of all numbers of an array with two axes."""
    if isinstance(arg1, Sparse):
        return Sparse(arg1.numbers, arg1.row, arg1.col, arg1.m, arg1.n, is_array)
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


def along_pointers(data: Any, indices: Any, indptr: Any, shape: Any, by_rows: Any, is_array: Any) -> Any:
    """A matrix of compressed rows or columns."""
    indices, last = np.asarray(indices), constant(lines_of, WHOLE, np.asarray(indptr))
    row, col = (last, indices) if by_rows else (indices, last)
    m, n = (len(indptr) - 1, np.max(indices) + 1) if by_rows else (np.max(indices) + 1, len(indptr) - 1)
    m, n = (m, n) if shape is None else shape
    return Sparse(np.asarray(data) * 1.0, row, col, m, n, is_array, True)


def lines_of(indptr: Any, dtype: Any = np.int64) -> Any:
    """The row or column of each number of compressed ones."""
    return np.repeat(np.arange(len(indptr) - 1, dtype=dtype), np.diff(indptr))


def making(made: Any, is_array: bool) -> None:
    """Enter the definition of what makes sparse matrices of a format."""
    by_rows, compressed = "csr" in made.__name__, "coo" not in made.__name__

    @definition_of(made)
    def definition(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if isinstance(arg1, tuple) and len(arg1) == 3 and compressed:
            found = along_pointers(*arg1, shape, by_rows, is_array)
        else:
            found = of_numbers(arg1, shape, is_array)
            found = found.with_data(found.numbers, isinstance(arg1, tuple) and not compressed)
        return found if dtype is None else found.astype(dtype)


for maker in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
    making(maker, False)
for maker in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
    making(maker, True)


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


@definition_of(sparse.spdiags)
def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    """Of each row of `data`, the items are those of a diagonal by the columns in which they stand."""
    rows = np.atleast_2d(data) * 1.0
    height, width = m if n is None else (m, n)
    parts = [row[max(k, 0):min(height + k, width)] for k, row in zip(np.atleast_1d(diags), rows, strict=True)]
    return with_diagonals(parts, np.atleast_1d(diags), (height, width), False)


@definition_of(sparse.tril)
def tril(A: Any, k: Any = 0, format: Any = None) -> Any:
    a = standing_or_made(A)
    return a.with_data(np.where(a.col - a.row <= k, a.numbers, 0.0))


@definition_of(sparse.triu)
def triu(A: Any, k: Any = 0, format: Any = None) -> Any:
    a = standing_or_made(A)
    return a.with_data(np.where(a.col - a.row >= k, a.numbers, 0.0))


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
    data = np.ravel(np.multiply.outer(a.numbers, b.numbers))
    row = np.ravel(np.add.outer(a.row * b.m, b.row))
    col = np.ravel(np.add.outer(a.col * b.n, b.col))
    return Sparse(data, row, col, a.m * b.m, a.n * b.n, a.is_array or b.is_array)


def standing_or_made(x: Any) -> Any:
    """A matrix as one of ours."""
    made = x if isinstance(x, (tuple, list)) else x.T.T  # one made before is now one of ours
    return made if isinstance(made, Sparse) else of_numbers(made, None, False)


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
                data.append(part.numbers)
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
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:  # how, not what
    A = A.T.T  # one made before is now one of ours
    return system(A.numbers * 1.0, A.row, A.col, np.asarray(b) * 1.0)
