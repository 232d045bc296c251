"""Columns of matrices that nested loops read, and short sums of products that are computed where they are read."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import columns, engine

pytest.importorskip("llvmlite")


def descents(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    """Coordinate descent: each sweep reads each column."""
    n = X.shape[1]
    c, r = np.zeros(n), y * 1.0
    for _ in range(sweeps):
        for j in range(n):
            step = X[:, j] @ r / (1.0 + X[:, j] @ X[:, j])
            c[j] += step
            r = r - step * X[:, j]
    return np.sum(c * c) + r @ r


def from_the_end(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    total = 0.0
    for k in range(sweeps):
        for j in range(1, X.shape[1] + 1):
            total += np.sum(X[:, -j] * y) * (k + 1.0) + np.max(X[:, -1])
    return total


def one_wide(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    """`X[:, j : j + 1]` is broadcast; `X[:, j : j + 2]` is no single column."""
    total = np.zeros((len(y), 3))
    for _ in range(sweeps):
        for j in range(X.shape[1] - 1):
            total += X[:, j : j + 1] * np.cos(total) + np.mean(X[:, j : j + 2])
    return np.sum(total * y[:, None])


def changed_between(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    """What is read is the matrix as it is by then."""
    Z, total = X * 1.0, 0.0
    for k in range(sweeps):
        for _ in range(2):
            for j in range(Z.shape[1]):
                total += y @ Z[:, j]
        Z[:, 0] += 0.5 * y
        Z[k % len(y)] *= 1.5
    return total


def made_anew(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    """A matrix that each run of a loop makes."""
    total = 0.0
    for k in range(sweeps):
        Z = np.sin(X) * (k + 1.0)
        for _ in range(2):
            for j in range(Z.shape[1]):
                total += y @ Z[:, j] * Z[0, j]
    return total


def in_a_condition(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    total = 0.0
    for k in range(sweeps):
        for j in range(X.shape[1]):
            if (j + k) % 3 == 1:
                total += np.sum(X[:, j] ** 2)
            elif j < k:
                total -= y @ X[:, j]
    return total


def narrow(X: np.ndarray, y: np.ndarray, sweeps: int) -> Any:
    """Rows of three, of which each item of a product is a sum of as many."""
    Z = X[:, 0:3] * 1.0
    R = np.array([[0.9, -0.1, 0.0], [0.1, 0.9, 0.2], [0.0, -0.2, 0.9]]) * np.cos(y[0])
    for _ in range(sweeps):
        for _ in range(2):
            Z += 0.1 * (X[:, 0:3] @ R.T) * y[:, None]
            Z[:] = Z @ R
            W = Z @ R.T
            Z[1:] += W[:-1]
            Z -= W
    return np.sum(Z * Z)


PROGRAMS = [descents, from_the_end, one_wide, changed_between, made_anew, in_a_condition, narrow]


@pytest.mark.share(4)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_columns_that_are_read_again(program: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    code = ccc.compiled(program, backend="native")
    slope = ccc.gradient(program, wrt=("X", "y"), backend="native")
    for rows, count, sweeps in ((40, 5, 3), (7, 4, 2), (1000, 6, 2), (9, 3, 0)):
        X, y = rng.normal(size=(rows, count)), rng.normal(size=rows)
        expected = program(X, y, sweeps)
        np.testing.assert_allclose(code(X, y, sweeps), expected, rtol=1e-11, atol=1e-11)
        dX, dy = slope(X, y, sweeps)
        toward, along = rng.normal(size=X.shape), rng.normal(size=rows)
        h = 1e-6
        ahead, behind = (program(X + s * toward, y + s * along, sweeps) for s in (h, -h))
        size = np.sum(np.abs(dX * toward)) + np.sum(np.abs(dy * along)) + abs(expected) + 1.0
        assert abs((ahead - behind) / (2 * h) - np.sum(dX * toward) - dy @ along) <= 1e-7 * size


def test_a_column_that_is_not_there_is_an_error() -> None:
    def beyond(X: np.ndarray, n: int) -> Any:
        total = 0.0
        for _ in range(2):
            for j in range(n):
                total += np.sum(X[:, j])
        return total

    code = ccc.compiled(beyond, backend="native")
    assert code(np.ones((5, 3)), 3) == 30.0
    for _ in range(2):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            code(np.ones((5, 3)), 4)


def test_each_column_is_copied_once_and_only_if_it_is_read() -> None:
    code = engine.compile_ir(columns.COPY.linked(""), ["ccc_column"], effort=engine.Effort.NONE)
    copy = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3, ctypes.c_void_p, ctypes.c_void_p)(
        code["ccc_column"])
    X, turned, copied = np.arange(12.0).reshape(4, 3), np.full((3, 4), -1.0), np.zeros(3, dtype=np.int8)
    for new in (X[:, 1].copy(), X[:, 1].copy()):
        copy(X.ctypes.data, 4, 3, 1, turned[1].ctypes.data, copied.ctypes.data)
        np.testing.assert_array_equal(turned, [[-1.0] * 4, new, [-1.0] * 4])
        np.testing.assert_array_equal(copied, [0, 1, 0])
        X[:, 1] = 0.0  # what was copied stays
