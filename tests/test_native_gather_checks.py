"""Indices that are arrays are checked before anything is read, and once where they do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import ccc
from ccc.compile.native import gathers

pytest.importorskip("llvmlite")

N = 50


def several(x: np.ndarray, i: np.ndarray) -> Any:
    return np.sum(x[i] * x[i] + x[i] * np.sin(x[i]) ** 2)


def in_a_loop(x: np.ndarray, i: np.ndarray) -> Any:
    s = 0.0
    for k in range(3):
        s = s + np.sum(x[i] * x[i + k])
    return s


def changed(x: np.ndarray, i: np.ndarray) -> Any:
    i = i.copy()
    y = x[i]
    i[0] = len(x)
    return np.sum(y * x[i])


def changed_in_a_branch(x: np.ndarray, i: np.ndarray) -> Any:
    i = i.copy()
    y = x[i]
    if x[0] > 0:
        i[1] = -len(x) - 1
    return np.sum(y) + np.sum(x[i])


def changed_in_a_list(x: np.ndarray, i: np.ndarray) -> Any:
    kept = [i.copy(), i + 0]
    y = x[kept[0]]
    kept[0][0] = 10**9
    return np.sum(y) + np.sum(x[kept[0]])


def indices(bad: int | None = None) -> np.ndarray:
    found = np.random.default_rng(0).integers(-N, N - 2, size=700)
    if bad is not None:
        found[77] = bad
    return found


X = np.random.default_rng(1).uniform(0.1, 1.0, size=N)


@pytest.mark.parametrize("f", [several, in_a_loop])
def test_values_and_gradients(f: Callable[..., Any]) -> None:
    native, plain = [ccc.value_with_gradient(f, wrt="x", backend=b)(X, indices()) for b in ("native", "numpy")]
    np.testing.assert_allclose(native[0], plain[0], rtol=1e-13)
    np.testing.assert_allclose(native[1], plain[1], rtol=1e-12)


@pytest.mark.parametrize("bad", [N, -N - 1, 2**63 - 1, -(2**63), 2**62])
@pytest.mark.parametrize("f", [several, in_a_loop])
def test_what_names_no_item_raises(f: Callable[..., Any], bad: int) -> None:
    g = ccc.gradient(f, wrt="x", backend="native")
    g(X, indices())
    with pytest.raises(IndexError):
        g(X, indices(bad))


@pytest.mark.parametrize("f", [changed, changed_in_a_branch, changed_in_a_list])
def test_an_array_that_changed_is_checked_again(f: Callable[..., Any]) -> None:
    with pytest.raises(IndexError):
        f(X, indices())
    with pytest.raises(IndexError):
        ccc.gradient(f, wrt="x", backend="native")(X, indices())


def test_one_check_serves_all_that_read_by_it() -> None:
    def f(x: np.ndarray, i: np.ndarray, j: np.ndarray) -> Any:
        return np.sum(x[i, j] * x[j, i] + x[i, 0])

    x, i = np.outer(X, X), indices()
    with patch.object(gathers, "gathered", wraps=gathers.gathered) as made:
        ccc.gradient(f, wrt="x", backend="native")(x, i, i[::-1].copy())
    assert made.call_count == 4  # two arrays, for each of two axes
