"""Histograms and counts in machine code: those of NumPy, also at the edges of bins."""

import numpy as np
import pytest
from native_checks import gradients_agree, native, never_left

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def by_width(x, w, n):
    counts, edges = np.histogram(x, n)
    return counts, np.histogram(x, n, weights=w)[0], edges


def by_edges(x, w, edges):
    return np.histogram(x, edges)[0], np.histogram(x, edges, weights=w)[0]


def counted(i, w, least):
    return np.bincount(i), np.bincount(i, weights=w, minlength=least)


def numbers(rng: np.random.Generator, seed: int) -> np.ndarray:
    x = rng.normal(size=rng.integers(2, 60)) * 10.0 ** rng.uniform(-6, 6) + rng.choice([0.0, 1e3, -1e6])
    return np.round(x, 1) if seed % 3 == 0 else x


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_bins_of_one_width(backend: str) -> None:
    found = ccc.compiled(by_width, backend=backend)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, n = numbers(rng, seed), int(rng.integers(1, 40))
        w = rng.normal(size=len(x))
        for a, b in zip(found(x, w, n), by_width(x, w, n), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
            assert a.dtype == b.dtype and a.shape == b.shape


def test_bins_between_edges() -> None:
    rng = np.random.default_rng(1)
    x, edges = np.round(3.0 * rng.normal(size=300), 1), np.array([-2.5, -1.0, -0.9, 0.0, 0.1, 4.0])
    with never_left():
        found = native(by_edges, x, x, edges)
        for a, b in zip(found(x, x * x, edges), by_edges(x, x * x, edges), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_ranges_that_are_found_and_given(backend: str) -> None:
    def found_range(x, n):
        return np.histogram(x, n)

    def given_range(x, low, high):
        return np.histogram(x, 4, (low, high))

    empty, wide = np.zeros(0), 2.0**53 + np.array([0.0, 2.0])
    compiled = ccc.compiled(found_range, backend=backend), ccc.compiled(given_range, backend=backend)
    for args in ((empty, 3), (np.ones(2), 2), (wide, 4), (np.array([1.0, np.nan]), 3), (np.array([np.inf]), 3),
                 (wide, 0), (wide, -1), (wide, 0.0, np.nan), (empty, 1.0, 0.0), (empty, 2.0, 2.0)):
        f, run = (given_range, compiled[1]) if len(args) == 3 else (found_range, compiled[0])
        try:
            expected = f(*args)
        except ValueError as error:
            with pytest.raises(ValueError) as raised:
                run(*args)
            assert str(raised.value) == str(error)
            continue
        for a, b in zip(run(*args), expected, strict=True):
            assert np.array_equal(a, b) and a.dtype == b.dtype


def test_counts_of_whole_numbers() -> None:
    i, w = np.array([0, 3, 3, 1, 0]), np.arange(5.0)
    found = native(counted, i, w, 3)
    for least in (0, 2, 7):
        for a, b in zip(found(i, w, least), counted(i, w, least), strict=True):
            assert np.array_equal(a, b) and a.dtype == b.dtype
    with pytest.raises(ValueError, match="negative"):
        found(np.array([0, -1]), w[:2], 0)
    with pytest.raises(ValueError, match="same length"):
        found(i, w[:2], 0)


def spread(w, x, i):
    """Weights by both kinds of bins, and by numbers."""
    even = np.histogram(x, 6, (-1.5, 1.5), weights=w)[0]
    uneven = np.histogram(x, np.array([-1.0, 0.0, 0.25, 2.0]), weights=w)[0]
    return np.sum(even**2) + np.sum(uneven**3) + np.sum(np.bincount(i, weights=w) ** 2)


def test_gradients_of_weights() -> None:
    rng = np.random.default_rng(2)
    x, w, i = rng.normal(size=80), rng.normal(size=80), rng.integers(0, 5, 80)
    with never_left():
        gradients_agree(lambda w: spread(w, x, i), w)
    seconds = [ccc.hvp(spread, backend=backend)(w, x, i, w) for backend in ("native", "numpy")]
    np.testing.assert_allclose(*seconds, rtol=1e-12)
