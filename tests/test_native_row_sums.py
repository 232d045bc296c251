"""Sums of rows, a vector of them at a time: the same as one after the other, whatever is left over."""

from __future__ import annotations

import numpy as np
import pytest
from native_checks import native

import ccc
from ccc.compile.native import cpus, engine, row_sums, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")
LANES = (4, 8) if engine.available() and engine.cpu().lanes else (0,)


@pytest.fixture(params=LANES)
def lanes(request, monkeypatch):
    """Vectors of so many items, whether or not registers are as wide."""
    monkeypatch.setattr(cpus.Cpu, "lanes", property(lambda self: request.param))
    return request.param


def distances(x, y):
    return np.sum((x - y) ** 2, axis=1)


def nearest(x, centres):
    total = 0.0
    for point in x:
        total += np.min(np.sum((centres - point) ** 2, axis=1))
    return total


def weighted(x, y):
    """A sum that is read at once, item by item and as a whole."""
    rows = np.sum(x * y, axis=1)
    return np.sum(rows * rows) + rows[0] * np.sum(np.abs(rows)) / len(x)


@pytest.mark.parametrize("d", [1, 2, 4, 5, 8, 9, 19, 40])
def test_rows_of_any_number_and_length(lanes, d):
    code = native(distances, np.ones((3, d)), np.ones(d))
    for n in range(18):
        rng = np.random.default_rng([n, d])
        x, y = rng.normal(size=(n, d)), rng.normal(size=d)
        np.testing.assert_allclose(code(x, y), distances(x, y), rtol=1e-14)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [nearest, weighted])
@pytest.mark.parametrize("shape", [(1, 8), (4, 8), (10, 8), (7, 3), (16, 16), (13, 20), (8, 1)])
def test_gradients_through_sums_of_rows(lanes, f, shape):
    rng = np.random.default_rng(shape)
    x, y = rng.normal(size=(9, shape[1])), rng.normal(size=shape)
    y = y[0] if f is weighted else y
    code = native(f, x, y)
    np.testing.assert_allclose(code(x, y), f(x, y), rtol=1e-14)
    found = ccc.gradient(f, backend="native")(x, y)
    for slope, expected in zip(found, ccc.gradient(f, backend="numpy")(x, y), strict=True):
        np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-13)


def test_rows_with_what_is_not_finite(lanes):
    x = np.arange(60.0).reshape(12, 5)
    x[3, 2], x[5, 0], x[6, 4], x[10, 1], x[10, 2] = np.inf, np.nan, -np.inf, np.inf, -np.inf
    np.testing.assert_array_equal(native(distances, x, np.zeros(5))(x, np.zeros(5)), distances(x, np.zeros(5)))


def test_the_sums_come_together_in_squares(lanes, monkeypatch):
    made = []
    together = row_sums.halved
    monkeypatch.setattr(row_sums, "halved", lambda *args: made.append(args) or together(*args))
    native(distances, np.ones((20, 8)), np.ones(8))
    assert len(made) == lanes - 1 if lanes else not made


def test_several_items_that_are_the_least_share_what_comes(lanes):
    x, centres = np.zeros((3, 8)), np.ones((5, 8))
    centres[1] = centres[4] = 0.5
    found = ccc.gradient(nearest, backend="native")(x, centres)
    for slope, expected in zip(found, ccc.gradient(nearest, backend="numpy")(x, centres), strict=True):
        np.testing.assert_array_equal(slope, expected)
    np.testing.assert_array_equal(found[1][[0, 2, 3]], 0.0)
    np.testing.assert_array_equal(found[1][[1, 4]], np.full((2, 8), 1.5))


def of_blocks(x, y):
    """Sums over axes in front of a short one: of memory and of what is computed on the way, of extrema too."""
    z = x * y
    return (np.sum(x, axis=0), np.sum(x, axis=1), np.sum(x, axis=(0, 1)), np.sum(z, axis=1), np.sum(x - y, axis=0),
            np.max(x, axis=1), np.mean(z, axis=1, keepdims=True), np.sum(x, axis=()))


def pairs(x, m):
    d = x[None, :, :] - x[:, None, :]
    weight = m[None, :] / (np.sum(d * d, axis=2) + 0.1)
    return np.sum(np.sum(d * weight[:, :, None], axis=1) ** 2)


@pytest.mark.share(2)
@pytest.mark.parametrize("first", [(5, 6, 3), (4, 3, 2), (2, 9, 7), (3, 4, 20)])
def test_sums_in_front_of_short_rows(lanes, first):
    code = native(of_blocks, np.ones(first), np.ones(first[-1]))
    for shape in [first, (1, 4, 3), (4, 1, 3), (0, 2, 3), (2, 3, 9), (3, 5, 2), (9, 8, 33), (7, 11, 4)]:
        rng = np.random.default_rng(shape)
        x, y = rng.normal(size=shape), rng.normal(size=shape[-1])
        for found, expected in zip(code(x, y), of_blocks(x, y), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.share(4)
@pytest.mark.parametrize("first", [(6, 3), (3, 2), (10, 9)])
def test_gradients_of_pairs_of_short_rows(lanes, first):
    gradient = ccc.gradient(pairs, wrt=(0, 1), backend="native")
    other = ccc.gradient(pairs, wrt=(0, 1), backend="numpy")
    gradient(np.ones(first), np.ones(first[0]))
    for shape in [first, (1, 3), (7, 3), (8, 2), (5, 9), (9, 4)]:
        rng = np.random.default_rng(shape)
        args = rng.normal(size=shape), rng.normal(size=shape[0])
        for found, expected in zip(gradient(*args), other(*args), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
