"""Systems whose matrix is a triangle, in machine code: no factorisation, and the numbers and exceptions of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

SHAPES = {
    "full": lambda a: a, "lower": np.tril, "upper": np.triu, "turned": lambda a: np.tril(a).T,
    "diagonal": lambda a: np.diag(np.diag(a)), "band": lambda a: np.triu(np.tril(a, 1), -1),
    "corner": lambda a: np.tril(a) + a[0, -1:] * np.eye(len(a), k=len(a) - 1),
}  # fmt: skip


def solved(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a)


def posterior(a, b):
    """A Cholesky factor and systems of it, as those of a Gaussian process."""
    factor = np.linalg.cholesky(a @ a.T + len(a) * np.eye(len(a)))
    weights = np.linalg.solve(factor.T, np.linalg.solve(factor, b))
    return np.sum(weights * b) + np.sum(np.log(np.diag(factor))) + np.sum(factor[:, 0] ** 3)


SOLVED = ccc.compiled(solved, backend="native")


@pytest.mark.parametrize("shape", SHAPES)
def test_triangles_are_found_among_matrices(shape):
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 7, 20):
        a, b = SHAPES[shape](rng.normal(size=(n, n)) + n * np.eye(n)), rng.normal(size=(n, 2))
        for found, expected in zip(SOLVED(a, b), solved(a, b), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)
    assert not any(code.left_to for codes in SOLVED.codes.values() for code in codes)


@pytest.mark.parametrize("shape", ["lower", "upper"])
def test_few_right_sides_of_a_triangle_are_solved_as_each_alone(shape):
    """LAPACK starts threads for two right sides of any size, and computes with other digits for them."""
    rng = np.random.default_rng(3)
    a, b = SHAPES[shape](rng.normal(size=(60, 60)) + 60 * np.eye(60)), rng.normal(size=(60, 60))
    together = SOLVED(a, b)[0]
    for j in range(60):
        np.testing.assert_array_equal(SOLVED(a, b[:, j])[0], together[:, j])


def test_what_is_singular_or_not_finite_is_numpy_s():
    a, b = np.tril(np.arange(1.0, 17.0).reshape(4, 4)), np.ones((4, 2))
    singular = a.copy()
    singular[2, 2] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        SOLVED(singular.T, b)
    for odd in (np.nan, np.inf):
        a[2, 1] = odd
        for found, expected in zip(SOLVED(a, b), solved(a, b), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_the_derivatives_of_a_factor_are_those_of_numpy():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    native, numpy = [ccc.gradient(posterior, backend=backend)(a, b) for backend in ("native", "numpy")]
    along = np.sum(numpy[0] * np.sin(a)) + numpy[1] @ np.cos(b)
    np.testing.assert_allclose(ccc.jvp(posterior, (a, b), (np.sin(a), np.cos(b)))[1], along, rtol=1e-10)
    for found, expected in zip(native, numpy, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    step = 1e-6
    moved = [posterior(a + h * np.sin(a), b + h * np.cos(b)) for h in (step, -step)]
    np.testing.assert_allclose((moved[0] - moved[1]) / (2 * step), along, rtol=1e-7)


def test_the_second_derivative_of_a_factor():
    rng = np.random.default_rng(5)
    a, d = rng.normal(size=(4, 4)), rng.normal(size=(4, 4))

    def loss(a):
        return np.sum(np.linalg.cholesky(a @ a.T + 4.0 * np.eye(4)) ** 3)

    moved = [ccc.gradient(loss)(a + h * d) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(ccc.hvp(loss)(a, d), (moved[0] - moved[1]) / 2e-6, rtol=1e-6, atol=1e-6)
