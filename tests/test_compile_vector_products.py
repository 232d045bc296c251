"""Products with outer products are products with their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

A, B = np.arange(12.0).reshape(3, 4) / 7.0, np.arange(8.0).reshape(4, 2) / 5.0 - 0.6
U, V = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.2, -0.3, 0.7])


def left(b, u, v):
    return np.sum((np.outer(u, v) @ b) ** 2)


def right(a, u, v):
    return np.sum((a.T @ np.outer(u, v)) ** 2)


def turned(a, u, v):
    return np.sum(np.sin(np.outer(u, v).T @ a))


def both(u, v):
    return np.sum(np.exp(np.outer(u, v) @ np.outer(v, u)))


def of_a_vector(u, v, w):
    return np.sum((np.outer(u, v) @ w) * (u @ np.outer(u, v))[0])


def summed(a, b):
    return np.sum(a @ b)


def in_a_loop(a, u, v):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.outer(u * i, v) @ a.T) * a[i, i]
    return total


CASES = [(left, B, U, V), (right, A, U, V), (turned, A, U, V), (both, U, V), (of_a_vector, U, V, V), (summed, A, B),
         (in_a_loop, A, U, V)]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_derivatives_are_those_of_differences(case: tuple[Any, ...]):
    agrees(*case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_machine_code_computes_the_same(case: tuple[Any, ...]):
    f, *args = case
    names = f.__code__.co_varnames[: len(args)]
    found, expected = [ccc.value_with_gradient(f, wrt=names, backend=b)(*args) for b in ("native", "numpy")]
    assert expected[0] == f(*args)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    for x, y in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


def test_no_product_of_two_matrices_is_left():
    code = ccc.explain(ccc.gradient(lambda b, u, v: np.sum(np.outer(u, v) @ b), backend="numpy"), B, U, V).derivative
    assert "outer" not in code.split("@")[0] and code.count("np.outer") == 1


def test_values_have_the_bits_of_plain_python():
    rng = np.random.default_rng(3)
    u, v, b = rng.normal(size=40), rng.normal(size=30), rng.normal(size=(30, 20))
    code = ccc.compiled(lambda u, v, b: np.outer(u, v) @ b, backend="numpy")
    assert np.array_equal(code(u, v, b), np.outer(u, v) @ b)


def test_sizes_that_do_not_fit_raise_what_numpy_raises():
    for backend in ("numpy", "native"):
        with pytest.raises(ValueError, match="matmul"):
            ccc.gradient(left, wrt=["b"], backend=backend)(B[:2], U, V)
