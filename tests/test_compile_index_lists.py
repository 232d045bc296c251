"""A list that is an index of an array says what an array of its items says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc

X = np.array([1.0, 2.0, 3.0])
XX = np.arange(12.0).reshape(4, 3)
PLACES = [0, 1, 0]


def of_another_list(x: Any, n: int) -> Any:
    return np.sum(x[[i * i % 3 for i in range(n)]] ** 3)


def assigned(x: Any, places: Any) -> Any:
    y = x.copy()
    y[places] = x[places] * 2.0
    y[places] += x[places]
    return np.sum(y * x)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "argument": (lambda x, places: np.sum(x[places] ** 2), (X, [0, 1, 0])),
    "from outside": (lambda x: np.sum(x[PLACES] ** 2), (X,)),
    "negative": (lambda x, places: np.sum(x[places] ** 2), (X, [-1, 0])),
    "nested": (lambda x, places: np.sum(x[places] @ x[:2]), (X, [[0, 1], [2, 0]])),
    "bools": (lambda x, places: np.sum(x[places] ** 2), (X, [True, False, True])),
    "two": (lambda x, i, j: np.sum(x[i, j] ** 2), (XX, [0, 1, 0], [1, 2, 1])),
    "behind a slice": (lambda x, i: np.sum(x[1:, i] ** 2), (XX, [0, 1, 0])),
    "made": (of_another_list, (X, 5)),
    "numbers with axes added": (lambda x, at: np.sum(x[at[0][None]] * x[1][None, None]) + x[0][...] * x[2][()],
                                (X, np.array([1, 0]))),
    "assigned": (assigned, (X, [0, 2, 0])),
    "truth values of NumPy's": (lambda x: np.sum(x[np.True_] ** 2) + np.sum(x[np.False_]) + x[np.True_, 1][0], (X,)),
    "assigned where true": (lambda x: assigned(x, np.True_) + assigned(x, np.False_), (X,)),
}


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", CASES)
def test_a_list_is_an_index(name: str, backend: str) -> None:
    f, (x, *rest) = CASES[name]
    value, gradient = ccc.value_with_gradient(f, wrt=0, backend=backend)(x, *rest)
    assert np.isclose(value, f(x, *rest), rtol=1e-12)
    assert np.allclose(gradient, differences(lambda x: f(x, *rest), x), rtol=1e-6, atol=1e-6)


def of_few(c, n):
    places = [i for i in range(n) if i > 2]
    d = c.copy()
    d[places] += 2.0
    return c[places].sum() + np.take(c, places).sum() * c[0] + c[range(n, n)].sum() + (d * d).sum()


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("n", [2, 4])
def test_lists_of_places_may_be_empty(n: int, backend: str):
    c = np.arange(5.0) + 1.0
    value, found = ccc.value_with_gradient(of_few, wrt="c", backend=backend)(c, n)
    assert value == of_few(c, n)
    for i, step in enumerate(1e-6 * np.eye(5)):
        assert found[i] == pytest.approx((of_few(c + step, n) - of_few(c - step, n)) / 2e-6, rel=1e-6)


def between(x: Any, at: Any) -> Any:
    return x[0:2, 0, ..., at], x[:, at, ..., 1], x[..., 0, at], x[1, ..., at], x[at, 0, ...]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_an_ellipsis_between_indices_stands_between_them_although_for_no_axis(backend: str):
    """What the indices give stands first, as in NumPy, and the type says so: one axis of three is added to another."""
    x, at = np.arange(24.0).reshape(3, 2, 4), np.array([0, 1, 1, 0])
    for found, wanted in zip(ccc.compiled(between, backend=backend)(x, at), between(x, at), strict=True):
        np.testing.assert_array_equal(found, wanted)

    def f(x, w):
        return np.sum(x[0:3, 1, ..., at] ** 2 * w)

    w = np.arange(12.0).reshape(4, 3)
    value, gradient = ccc.value_with_gradient(f, wrt="x", backend=backend)(x, w)
    assert value == f(x, w)
    assert np.allclose(gradient, differences(lambda x: f(x, w), x), rtol=1e-6, atol=1e-6)
