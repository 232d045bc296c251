"""Cotangents of slices of slices: added to the whole array at once, right at all sizes, left where they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, differences

import ccc


def total_variation(x: np.ndarray) -> Any:
    dx, dy = np.diff(x, axis=0), np.diff(x, axis=1)
    return np.sum(np.sqrt(dx[:, :-1] ** 2 + dy[:-1, :] ** 2 + 0.1)) + np.sum((x - 0.3) ** 2)


def of_second_differences(x: np.ndarray) -> Any:
    d = np.diff(x, 2, axis=0)
    return np.sum(d[1:] * d[:-1]) + np.sum(np.diff(d[:, 1:]) ** 3)


def beyond_the_ends(x: np.ndarray) -> Any:
    """Slices that leave nothing, and those of fewer axes."""
    y = x[2:, 1:-1][1:-3]
    return np.sum(y[:, :-2] ** 2) + np.sum(x[4:][5:]) + np.sum(np.sin(x[1:][:-1]) * 2.0)


def a_row_for_all(x: np.ndarray) -> Any:
    """Parts to which one row is added."""
    y = x[1:] - x[0]
    z = y[:, 1:] * y[-1, :-1]
    return np.sum(z[:-1] ** 2) + np.sum(x[1:][:, 1:][:-1] * 0.5 + z[1])


def others_read_it(x: np.ndarray) -> Any:
    """A cotangent that is read by more than sums."""
    y = np.exp(x[1:, 1:])
    return np.sum(y[:-1] * y[1:]) - np.sum(np.tanh(-y[:, 1:])[:-1])


def counted(x: np.ndarray) -> Any:
    """Slices whose ends are computed, and steps."""
    n, total = len(x), 0.0
    for k in range(1, n):
        total = total + np.sum(x[k:][:-1] ** 2) + np.sum(x[:-k][::2] ** 3)
    return total + np.sum(x[1:][: n // 2] ** 2)


def four_times(x: np.ndarray) -> np.ndarray:
    for _ in (1, 2, 3, 4):
        x = x[1:] + x[:-1] * 0.5
    return x


def many_times(x: np.ndarray) -> Any:
    """Slices of sums of slices, sixteen times: as many parts as double each time."""
    y = four_times(four_times(four_times(four_times(x))))
    return np.sum(y * y)


PROGRAMS = [total_variation, of_second_differences, beyond_the_ends, a_row_for_all, others_read_it, counted]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (4, 3), (6, 6), (9, 4)], ids=str)
def test_gradients_are_those_of_differences(f: Callable[[Any], Any], shape: tuple[int, int]) -> None:
    if f is a_row_for_all and shape[0] < 3:
        shape = (3, 2)
    x = np.random.default_rng(shape).uniform(0.2, 1.0, shape)
    wanted = differences(f, x)
    for backend in ("numpy", "native"):
        np.testing.assert_allclose(ccc.gradient(f, backend=backend)(x), wanted, rtol=1e-7, atol=1e-7)
    bends_agree(f, x, np.random.default_rng(1).normal(size=shape))


def test_cotangents_that_others_read_are_made_once() -> None:
    """Where a cotangent is multiplied too, what was added to it is not added again to what it is part of."""
    x, kernel = np.random.default_rng(0).random(20), np.ones(1)
    for _ in range(16):
        kernel = np.convolve(kernel, [0.5, 1.0])
    wanted = 2.0 * np.convolve(np.correlate(x, kernel, "valid"), kernel)
    for backend in ("numpy", "native"):
        np.testing.assert_allclose(ccc.gradient(many_times, backend=backend)(x), wanted, rtol=1e-12)
    code = ccc.explain(ccc.gradient(many_times, backend="numpy"), x).code
    assert code.count("+=") == 32


def test_no_zeros_are_made_for_slices_of_slices() -> None:
    code = ccc.explain(ccc.gradient(total_variation, backend="numpy"), np.ones((4, 4))).code
    assert "zeros" not in code and code.count("[:(-1), :(-1)] +=") == 2


def test_differences_are_numpys_with_all_arguments() -> None:
    def f(x: np.ndarray) -> Any:
        return (np.diff(x), np.diff(x, 3, axis=0), np.diff(x > 0.5, 2, axis=-2), np.diff(x, 0),
                np.diff(x, axis=0, prepend=0.0, append=x), np.diff(np.floor(10.0 * x).astype(np.uint8)), np.diff(x, 9))

    x = np.random.default_rng(0).random((5, 4))
    for backend in ("numpy", "native"):
        for found, wanted in zip(ccc.compiled(f, backend=backend)(x), f(x), strict=True):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)
