"""Programs that change arrays in place, against references of their own."""

from __future__ import annotations

from functools import cache

import numpy as np
from checks import agrees
from corpus import in_place

import ccc

R = np.random.default_rng(11)
A = R.normal(size=(4, 4)) + np.diag([0.1, 2.0, 0.2, 1.5])
B = R.normal(size=4)
U = R.uniform(0.1, 1.0, 6)
X, Y = np.array([0.2, 0.9, 0.4, 1.3]), np.array([0.25, 0.5, 1.2])


def test_a_factorization_in_place():
    agrees(in_place.log_likelihood, A, B)
    inverse = np.linalg.inv(A)
    dA, db = ccc.gradient(in_place.log_likelihood)(A, B)
    value = B @ np.linalg.solve(A, B) + np.linalg.slogdet(A)[1]
    assert np.isclose(in_place.log_likelihood(A, B), value)
    assert np.allclose(dA, inverse.T - np.outer(inverse.T @ B, inverse @ B))
    assert np.allclose(db, (inverse + inverse.T) @ B)


def test_heat_in_buffers():
    agrees(lambda u, k: in_place.heat(u, k, 5), U, 0.2)
    L = np.diag(np.r_[-1.0, np.full(4, -2.0), -1.0]) + np.eye(6, k=1) + np.eye(6, k=-1)
    M = np.linalg.matrix_power(np.eye(6) + 0.2 * L, 5)
    assert np.allclose(ccc.gradient(lambda u: in_place.heat(u, 0.2, 5))(U), 2 * M.T @ M @ U)


def aligned(a: tuple[float, ...], b: tuple[float, ...], gap: float) -> tuple[float, tuple[tuple[int, int], ...]]:
    """The distance and the pairs that are matched, by Python's cache."""
    @cache
    def best(i: int, j: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        if i == 0 or j == 0:
            return gap * (i + j), ()
        match, pairs = best(i - 1, j - 1)
        ways = [(match + (a[i - 1] - b[j - 1]) ** 2, (*pairs, (i - 1, j - 1)))]
        ways += [(cost + gap, pairs) for cost, pairs in (best(i - 1, j), best(i, j - 1))]
        return min(ways, key=lambda way: way[0])

    return best(len(a), len(b))


def test_a_table_filled_by_recursion():
    agrees(in_place.alignment, X, Y, 0.3)
    value, pairs = aligned(tuple(X), tuple(Y), 0.3)
    da = np.zeros(4)
    db = np.zeros(3)
    for i, j in pairs:
        da[i] += 2 * (X[i] - Y[j])
        db[j] -= 2 * (X[i] - Y[j])
    found = ccc.gradient(in_place.alignment)(X, Y, 0.3)
    assert np.isclose(in_place.alignment(X, Y, 0.3), value)
    assert np.allclose(found[0], da)
    assert np.allclose(found[1], db)
    assert np.isclose(found[2], len(X) + len(Y) - 2 * len(pairs))
