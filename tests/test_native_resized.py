"""Loops whose arrays change their sizes from run to run, in machine code: nothing is left to NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from native_checks import never_left

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def wavelet(x: Any, n: int) -> Any:
    total = 0.0
    for _ in range(n):
        total = total + np.sum((x[0::2] - x[1::2]) ** 3)
        x = x[0::2] + x[1::2] * 0.5
    return total + np.sum(x * x)


def option_on_a_tree(x: Any, n: int) -> Any:
    v = x
    for i in range(len(x) - 2, -1, -1):
        v = np.maximum(0.6 * v[:-1] + 0.3 * v[1:], x[0] - 0.1 * np.arange(i + 1.0))
    return v[0] * n


def doubled(x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.concatenate([x * 0.5, np.sin(x[::-1])])
    return np.sum(x**3)


def of_a_matrix(x: Any, n: int) -> Any:
    a = np.outer(x, np.cos(x))
    for _ in range(n):
        a = a[1:, :-1] * a[:-1, 1:]
    return np.sum(a)


def until_one_is_left(x: Any, n: int) -> Any:
    while len(x) > 1:
        x = 0.5 * np.sin(x[:-1]) + 0.4 * x[1:] + n
    return x[0]


def grown_item_by_item(x: Any, n: int) -> Any:
    kept = x[:1]
    for i in range(n):
        kept = np.append(kept, np.sum(kept) * x[i])
    return kept @ kept


def in_an_inner_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(1, n):
        y = x * k
        for _ in range(n):
            y = y[1:] * y[0]
        x = x[:-1] + 0.1
        total = total + np.sum(y)
    return total


def to_an_index(x: Any, n: int) -> Any:
    s, v = 0.4 + x, x
    for i in range(len(x) - 2, -1, -1):
        s = s[: i + 1] * 1.02
        v = np.maximum(0.6 * v[: i + 1] + 0.3 * v[1 : i + 2], s - 0.9)
    return v[0] * n


def those_that_are_left(x: Any, n: int) -> Any:
    for i in range(n):
        x = x[x > 0.32 + 0.05 * i] * 0.95
    return np.sum(x**2)


def control_points(x: Any, n: int) -> Any:
    """De Casteljau's curve: all of what loops carry is kept for the derivative."""
    points, at = np.outer(x, np.arange(1.0, n + 2)), np.cos(x)
    while points.shape[1] > 1:
        points = (1.0 - at)[:, None] * points[:, :-1] + at[:, None] * points[:, 1:]
    return np.sum(points[:, 0] ** 2)


def scaled_rest(x: Any, n: int) -> Any:
    rest = np.outer(np.arange(1.0, n + 2), x).T
    while rest.shape[1] > 1:
        rest = rest[:, :-1] * x[:, None]
    return np.sum(rest)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [
    control_points, scaled_rest, wavelet, option_on_a_tree, doubled, of_a_matrix, until_one_is_left,
    grown_item_by_item, in_an_inner_loop, to_an_index, those_that_are_left,
])  # fmt: skip
def test_arrays_of_other_sizes_in_each_run(f: Any) -> None:
    with never_left():
        agrees(f)


def agrees(f: Any) -> None:
    value, gradient = ccc.compiled(f, backend="native"), ccc.gradient(f, wrt=0, backend="native")
    for size, n in ((16, 3), (16, 2), (8, 3), (40, 3)):
        x = np.random.default_rng(size).random(size) + 0.3
        along = np.cos(np.arange(size))
        np.testing.assert_allclose(value(x, n), f(x, n), rtol=1e-10)
        expected = (f(x + 1e-6 * along, n) - f(x - 1e-6 * along, n)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient(x, n) * along), expected, rtol=1e-6, atol=1e-9)
    for verb in (value, gradient):
        assert str(ccc.explain(verb, x, n).backend) == "native"


def test_sizes_that_do_not_fit_are_those_of_python() -> None:
    value, gradient = ccc.compiled(wavelet, backend="native"), ccc.gradient(wavelet, wrt=0, backend="native")
    with pytest.raises(ValueError, match="broadcast"):
        gradient(np.ones(20), 3)
    x = np.linspace(0.2, 0.9, 12)  # two items and one in the last run, which NumPy broadcasts
    assert value(x, 3) == wavelet(x, 3)
    np.testing.assert_array_equal(gradient(x, 3), ccc.gradient(wavelet, wrt=0, backend="numpy")(x, 3))
