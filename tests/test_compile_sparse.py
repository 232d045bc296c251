"""Sparse Jacobians and Hessians: the dense ones, from few products, also where the pattern changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc

pytest.importorskip("scipy")

from ccc.compile.api import sparse
from ccc.compile.api.sparse import Sparse, found, grouped

RNG = np.random.default_rng(3)
X = RNG.normal(size=40)
INDICES = RNG.integers(0, 40, 40)


def tridiagonal(x):
    y = 2.0 * x**2
    y[1:] = y[1:] - x[:-1] * x[1:]
    y[:-1] -= x[1:] ** 2
    return y


def in_a_loop(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = x[i] * x[i - 1]
    return y


def gathered(x):
    return np.sin(x[INDICES]) * x


def arrowhead(x):
    y = x**2 * x[0]
    y[0] = np.sum(x**2)
    return y


def reshaped(x):
    return (x[1:] * x[:-1]).reshape(3, 13)


def dense(x):
    return np.sum(x) * x


@pytest.mark.parametrize(
    ("f", "products"), [(tridiagonal, 3), (in_a_loop, 2), (arrowhead, 3), (reshaped, 2), (gathered, 8), (dense, 40)]
)
def test_a_sparse_jacobian_is_the_dense_one(f: Any, products: int):
    jacobian = ccc.jacobian(f, sparse=True)
    for x in (X, X + 1.0):
        matrix = jacobian(x)
        expected = ccc.jacobian(f)(x).reshape(matrix.shape)
        np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-12, atol=1e-14)
    (pattern,) = jacobian.patterns.values()  # type: ignore[attr-defined]
    assert pattern.products <= products
    assert matrix.nnz == np.count_nonzero(expected)


def arrow(x):
    return np.sum(x[0] * x**2) + np.sum(x[1:] * x[:-1])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize("f", [arrow, rosenbrock])
def test_a_sparse_hessian_is_the_dense_one(f: Any):
    hessian = ccc.hessian(f, sparse=True)
    np.testing.assert_allclose(hessian(X).toarray(), ccc.hessian(f)(X), rtol=1e-10, atol=1e-12)
    (pattern,) = hessian.patterns.values()  # type: ignore[attr-defined]
    assert pattern.products <= 5


def counted(matrix: Any) -> tuple[Any, list[int]]:
    calls: list[int] = []

    def product(v: Any) -> Any:
        calls.append(1)
        return matrix @ v

    return product, calls


def test_finding_a_banded_pattern_takes_some_products_for_each_halving():
    costs: list[int] = []
    for n in (64, 256, 1024):
        product, calls = counted(np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1))
        assert found(n, n, product, np.random.default_rng(1)).products == 3
        costs.append(len(calls))
    assert costs[2] - costs[1] == costs[1] - costs[0] <= 12
    assert grouped([[0, 1], [1, 2], [2, 3]], 4) == [[0, 2], [1]]


def test_an_entry_that_was_zero_is_found_where_it_is_not():
    def switch(x):
        return np.where(x > 0.0, x**2, np.roll(x, 1) ** 2)

    jacobian = ccc.jacobian(switch, sparse=True)
    assert jacobian(np.zeros(40)).nnz == 0
    for x in (X, -X, np.abs(X), X[::-1].copy()):
        np.testing.assert_allclose(jacobian(x).toarray(), ccc.jacobian(switch)(x), rtol=1e-12, atol=0.0)


def test_parts_what_is_beside_and_dtypes():
    def f(p, k):
        return k * tridiagonal(p["x"]), {"seen": k}

    matrix, aux = ccc.jacobian(f, "p['x']", has_aux=True, sparse=True)({"x": X}, k=2.0)
    np.testing.assert_allclose(matrix.toarray(), 2.0 * ccc.jacobian(tridiagonal)(X), rtol=1e-12, atol=1e-14)
    assert aux == {"seen": 2.0}
    single = ccc.jacobian(tridiagonal, sparse=True)(X.astype(np.float32))
    assert single.dtype == np.float32
    assert ccc.jacobian(lambda x: x, sparse=True)(np.zeros(0)).shape == (0, 0)
    assert isinstance(ccc.hessian(rosenbrock, sparse=True), Sparse)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_random_patterns(backend: str):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        a = np.where(rng.random((30, 25)) < 0.08, rng.normal(size=(30, 25)), 0.0)
        a[7] = rng.normal(size=25)
        b = np.asfortranarray(a)
        matrix = ccc.jacobian(lambda x, a: np.sin(a @ x), 0, sparse=True, backend=backend)(X[:25], b)
        np.testing.assert_allclose(matrix.toarray(), np.cos(a @ X[:25])[:, None] * a, rtol=1e-10, atol=1e-14)


def test_a_repeat_takes_a_product_for_each_colour_and_one_to_compare(monkeypatch: pytest.MonkeyPatch):
    def chain(x: np.ndarray) -> float:
        total = 0.0
        for i in range(len(x) - 1):
            total += (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        return total

    x = np.linspace(0.1, 1.0, 30)
    hessian = ccc.hessian(chain, sparse=True)
    hessian(x)
    (pattern,) = hessian.patterns.values()
    forward, products = hessian.forward, []

    def counted(*args: Any) -> Any:
        value, differential = forward(*args)

        def product(move: np.ndarray) -> Any:
            products.append(move)
            return differential(move)

        return value, product

    hessian.forward = counted
    counted.parts, counted.known, counted.function = forward.parts, forward.known, forward.function
    monkeypatch.setattr(sparse, "found", None)
    monkeypatch.setattr(sparse, "grouped", None)
    found = hessian(2.0 * x)
    assert pattern.products == 3 and len(products) == 4
    np.testing.assert_allclose(found.toarray(), ccc.hessian(chain)(2.0 * x), rtol=1e-12)
    assert found.has_sorted_indices and found.has_canonical_format


def test_further_repeats_are_one_program(monkeypatch: pytest.MonkeyPatch):
    def spring(x: np.ndarray, k: float, power: int = 3) -> Any:
        return np.sum(k * (x[:, 1:] - x[:, :-1] ** 2) ** power), {"size": x.size}

    def plain(x: np.ndarray, k: float) -> Any:
        return spring(x, k)[0]

    hessian = ccc.hessian(spring, sparse=True, has_aux=True)
    x = np.linspace(0.1, 1.0, 24).reshape(2, 12)
    moves, along = list[int](), hessian.along

    def counted(directions: Any, *args: Any, **kwargs: Any) -> Any:
        moves.append(len(directions))
        return along(directions, *args, **kwargs)

    hessian.along = counted
    for k in range(6):
        found, beside = hessian(x + 0.1 * k, 0.5 + k, power=3)
        whole = ccc.hessian(plain)(x + 0.1 * k, 0.5 + k).reshape(24, 24)
        np.testing.assert_allclose(found.toarray(), whole, rtol=1e-11)
        assert beside == {"size": 24} and found.has_sorted_indices and found.has_canonical_format
    assert moves == [4, 4, 4]
    found.data[:] = 0.0  # its own
    assert hessian(x, 1.0, power=3)[0].data.any()
    narrow = ccc.jacobian(lambda x: x[1:] * x[:-1], sparse=True)
    for dtype in ("float32", "float64") * 5:
        made = narrow(np.arange(1.0, 6.0).astype(dtype))
        assert made.dtype == dtype and made.shape == (4, 5) and made.nnz == 8
    assert narrow(np.arange(1.0, 8.0)).shape == (6, 7)


def test_another_pattern_is_seen_by_repeats():
    def f(x: np.ndarray) -> Any:
        return x * np.roll(x, 1) if x[0] > 0.0 else x * np.roll(x, 2) ** 2

    jacobian = ccc.jacobian(f, sparse=True)
    for k in range(12):
        x = np.linspace(0.5, 2.0, 9) - (1.0 if k > 7 else 0.0)
        np.testing.assert_allclose(jacobian(x).toarray(), ccc.jacobian(f)(x), rtol=1e-12)


def test_what_changes_an_argument_runs_once_for_each_matrix():
    def f(x: np.ndarray, seen: list[float]) -> Any:
        seen.append(1.0)
        x *= 2.0
        return x**2

    jacobian, rng = ccc.jacobian(f, sparse=True), np.random.default_rng(2)
    for _ in range(6):
        x, seen = np.arange(1.0, 5.0), [0.0]
        np.testing.assert_allclose(jacobian(x, seen).toarray(), np.diag(8.0 * np.arange(1.0, 5.0)), rtol=1e-12)
        assert seen == [0.0, 1.0]
        np.testing.assert_array_equal(x, 2.0 * np.arange(1.0, 5.0))
    noisy = ccc.jacobian(lambda x, rng: x * rng.normal(size=x.shape), sparse=True)
    for _ in range(6):
        state = np.random.default_rng()
        state.bit_generator.state = rng.bit_generator.state
        made = noisy(np.ones(4), rng)
        np.testing.assert_allclose(made.diagonal(), state.normal(size=4), rtol=1e-14)
        assert state.bit_generator.state == rng.bit_generator.state
