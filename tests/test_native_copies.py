"""Copies of views: by rows, by squares that are turned over in registers, item by item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from native_checks import modules

import ccc
from ccc.compile.api import wrapper
from ccc.compile.native import engine, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")
SHAPES = [(512, 40), (40, 512), (515, 43), (64, 519), (33, 512), (3, 4), (0, 512), (512, 0)]


def squares(text: str) -> bool:
    """Whether code turns squares of items over: a shuffle of two vectors each, not of one number to all lanes."""
    return sum("shufflevector" in line and "poison" not in line for line in text.splitlines()) >= 8


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_a_transpose_has_its_items(shape: tuple[int, int], dtype: str) -> None:
    x = (100.0 * np.sin(np.arange(shape[0] * shape[1]))).reshape(shape).astype(dtype)

    def f(x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(x.T)

    found = ccc.compiled(f, backend="native")(x)
    assert found.dtype == x.dtype and np.array_equal(found, x.T)


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("shape", [(3, 64, 512), (40, 5, 512), (64, 64, 64), (512, 33, 2)])
def test_axes_in_another_order(shape: tuple[int, int, int], order: tuple[int, int, int]) -> None:
    x = np.random.default_rng(0).normal(size=shape)

    def f(x: np.ndarray) -> np.ndarray:
        return np.transpose(x, order).copy()

    assert np.array_equal(ccc.compiled(f, backend="native")(x), np.transpose(x, order))


def test_squares_are_turned_over_where_lines_of_the_cache_would_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    if not engine.cpu().lanes:
        pytest.skip("no vectors here")
    made = modules(monkeypatch)
    for n, turned in ((512, True), (500, False)):
        def f(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            return x + np.transpose(y)

        wrapper.forget()
        x, y = np.random.default_rng(n).normal(size=(2, n, n))
        assert np.array_equal(ccc.compiled(f, backend="native")(x, y), x + y.T)
        assert squares(made[-1]) == turned


def test_a_transpose_in_a_loop_and_of_rows_that_are_views() -> None:
    def f(x: np.ndarray, w: np.ndarray) -> Any:
        total: Any = 0.0
        for i in range(3):
            total = total + np.sum((x[i] * w).T[1:] * np.transpose(x[2 - i])[:-1])
        return total

    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(3, 512, 64)), rng.normal(size=(512, 64))
    found, expected = [ccc.gradient(f, wrt=["x", "w"], backend=backend)(x, w) for backend in ("native", "numpy")]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
