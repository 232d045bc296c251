"""Loops along the same rows as one loop along strips of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from native_checks import never_left
from random_row_sums import rows
from random_targets import TAKEN, outcome, pulled_back, valued

import ccc
from ccc.compile.native import elementwise_fusion, strips, threads

pytest.importorskip("llvmlite")


@pytest.fixture(autouse=True)
def small_ones() -> Iterator[list[int]]:
    """Strips of few rows also where arrays are small; gives how many loops each is of."""
    found = list[int]()
    joined = strips.Strip.joined

    def noted(strip: strips.Strip, own: list[str]) -> Any:
        found.append(len(strip.loops))
        return joined(strip, own)

    with patch.multiple(strips, SMALL=0, STRIP=512), patch.object(strips.Strip, "joined", noted):
        yield found


def normalised(x: np.ndarray) -> Any:
    return np.sum(np.tanh(x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))))


def weighted(x: np.ndarray) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) * x)


def standardised(x: np.ndarray) -> Any:
    return np.sum(((x - np.mean(x, axis=-1, keepdims=True)) / np.sqrt(np.var(x, axis=-1, keepdims=True) + 0.1)) ** 3)


@pytest.mark.parametrize("f", [normalised, weighted, standardised], ids=lambda f: f.__name__)
def test_rows_and_what_reads_their_sums_are_one_loop(f: Callable[..., Any], small_ones: list[int]) -> None:
    r = np.random.default_rng(0)
    native, plain = [ccc.gradient(f, backend=backend) for backend in ("native", "numpy")]
    with never_left():
        for size in ((100, 40), (33, 70), (2000, 9), (1, 50), (0, 40), (17, 33)):
            x = r.normal(size=size)
            np.testing.assert_allclose(native(x), plain(x), rtol=1e-11, atol=1e-13)
    assert max(small_ones) >= 3


@pytest.mark.parametrize("other", [
    lambda y: y[::-1], lambda y: np.roll(y, 1, axis=0), lambda y: np.cumsum(y, axis=0), lambda y: y - y[5],
    lambda y: y - np.sum(y, axis=0), lambda y: np.concatenate([y[1:], y[:1]]), lambda y: y.T @ y],
    ids=["back", "rolled", "summed up", "less one", "centred", "turned", "products"])
def test_what_reads_other_rows_waits_for_them(other: Callable[..., Any]) -> None:
    def f(x: np.ndarray) -> Any:
        y = x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))
        z = other(y)
        return np.sum(z * z / (2.0 + np.sum(z * z, axis=1, keepdims=True)))

    x = np.random.default_rng(1).normal(size=(150, 37))
    found, expected = [ccc.gradient(f, backend=backend)(x) for backend in ("native", "numpy")]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_arrays_of_other_sizes_are_left_alone() -> None:
    """What says that two arrays are as long stands behind the loops along each: where they are not, no row is touched
    that is not there."""
    def f(x: np.ndarray, y: np.ndarray) -> Any:
        a = x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))
        b = y / np.sqrt(np.sum(y * y, axis=1, keepdims=True))
        return np.sum(a * b)

    r = np.random.default_rng(2)
    g = ccc.gradient(f, wrt=("x", "y"), backend="native")
    x, y = r.normal(size=(100, 40)), r.normal(size=(100, 40))
    g(x, y)
    for size in ((1, 40), (100, 1), (1, 1)):
        y = r.normal(size=size)
        expected = ccc.gradient(f, wrt=("x", "y"), backend="numpy")(x, y)
        for a, b in zip(g(x, y), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    for size in ((99, 40), (4000, 40), (100, 39)):
        with pytest.raises(ValueError, match="broadcast"):
            g(x, r.normal(size=size))


@pytest.mark.parametrize("f", [normalised, weighted, standardised], ids=lambda f: f.__name__)
def test_digits_do_not_depend_on_the_number_of_threads(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(3).normal(size=(20_000, 70))
    found = []
    for n in (1, 2, 3):
        monkeypatch.setattr(threads.COUNT, "value", n)
        found.append(ccc.gradient(f, backend="native")(x))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.share(4)
@pytest.mark.parametrize("block", range(24))
def test_random_programs_of_rows(block: int) -> None:
    with np.errstate(all="ignore"):
        found = [outcome(rows(seed), (valued, pulled_back)[seed % 2], "native")
                 for seed in range(4 * block, 4 * block + 4)]
    assert found.count(TAKEN) == 4


def test_what_reads_an_array_joins_its_loop_though_a_number_is_made_later() -> None:
    """What is times a number of the function, made behind the loop of what it is made of, is one loop with that."""
    def f(x: np.ndarray, a: float, b: float) -> Any:
        y = np.minimum(x * a, 1.0)
        c = 1.0 + a * b
        return y * c, y

    groups = list[Any]()
    end = elementwise_fusion.Group.end

    def noted(group: elementwise_fusion.Group) -> None:
        if not group.ended:
            groups.append(group)
        end(group)

    x = np.linspace(-1.0, 2.0, 70)
    with patch.object(elementwise_fusion.Group, "end", noted):
        found = ccc.compiled(f, backend="native")(x, 1.5, 0.25)
    assert len(groups) == 1
    for a, b in zip(found, f(x, 1.5, 0.25), strict=True):
        assert np.array_equal(a, b)


def test_sums_over_pixels_are_one_loop_for_all_channels() -> None:
    def f(image: np.ndarray, grey: np.ndarray) -> Any:
        means = np.mean(image * grey, axis=(0, 1))
        return np.sum(means * means)

    groups = list[Any]()
    end = elementwise_fusion.Group.end

    def noted(group: elementwise_fusion.Group) -> None:
        if not group.ended and group.axes != ("3",):
            groups.append(group)
        end(group)

    image, grey = np.random.default_rng(0).uniform(size=(90, 60, 3)), np.array([0.9, 1.1, 1.3])
    with patch.object(elementwise_fusion.Group, "end", noted):
        found = ccc.compiled(f, backend="native")(image, grey)
    assert len(groups) == 1
    np.testing.assert_allclose(found, f(image, grey), rtol=1e-13)
