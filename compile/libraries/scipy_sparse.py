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
from ccc.compile.frontend.numpy_functions.table import definition_of, hosted, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments

sparse: Any = scipy.sparse


@dataclass
class Sparse:
    """A matrix of `m` by `n` with numbers at some places, which are added up where they are given twice."""

    data: Any
    row: Any
    col: Any
    m: Any
    n: Any

    @property
    def shape(self) -> Any:
        return self.m, self.n

    @property
    def T(self) -> Any:
        return Sparse(self.data, self.col, self.row, self.n, self.m)

    def transpose(self) -> Any:
        return self.T

    def __matmul__(self, x: Any) -> Any:
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


def taken_apart(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.ndim != 2 or made.dtype.kind not in "fiu":
        return None
    places, (m, n) = made.tocoo(), made.shape
    return Sparse, (), {"data": places.data, "row": places.row, "col": places.col, "m": int(m), "n": int(n)}


ARGUMENTS.update({sparse.spmatrix: taken_apart, sparse.sparray: taken_apart})


@definition_of(sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array, sparse.csc_array,
               sparse.coo_array)
def made_of_numbers(arg1: Any, shape: Any = None) -> Any:
    if isinstance(arg1, tuple) and isinstance(arg1[1], tuple) and shape is not None:
        data, (row, col) = arg1
        return Sparse(np.asarray(data) * 1.0, np.asarray(row), np.asarray(col), shape[0], shape[1])
    return refuse("a sparse matrix has a derivative in a program where it is made of (data, (row, col)) and "
                  "shape=(m, n)")


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
