"""Filters and flocks that are objects of the caller's: arrays that stand at their attributes change in loops, and give
way to others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, same

import ccc


class Track:
    """A state that each measurement replaces, with what was predicted kept beside it."""

    def __init__(self) -> None:
        self.x = np.zeros((2, 1))
        self.p = np.eye(2)
        self.seen: Any = np.array([[None]]).T
        self.prior = self.x.copy()

    def predict(self) -> None:
        f = np.array([[1.0, 0.1], [0.0, 1.0]])
        self.x = np.dot(f, self.x)
        self.p = np.dot(np.dot(f, self.p), f.T) + 0.1 * np.eye(2)
        self.prior = self.x.copy()

    def update(self, z: Any) -> None:
        gain = self.p[:, :1] / (self.p[0, 0] + 0.5)
        self.x = self.x + gain * (z - self.x[0, 0])
        self.p = self.p - gain @ self.p[:1]


kept = Track()


def begin() -> None:
    """The filter that the functions below change, as it was first."""
    kept.__init__()


def of_the_module(zs: Any) -> Any:
    kept.x = np.array([[0.0], [1.0]])
    for i in range(len(zs)):
        kept.predict()
        kept.update(zs[i])
    return np.sum(kept.x**2) + kept.p[0, 1]


def not_replaced_first(zs: Any) -> Any:
    for i in range(len(zs)):
        kept.x = kept.x + zs[i]
        kept.prior = kept.x.copy()
    return np.sum(kept.x * kept.prior)


def read_alone(zs: Any) -> Any:
    for i in range(len(zs)):
        kept.prior = kept.p[:, :1] * zs[i]
    return np.sum(kept.prior * kept.p)


@pytest.mark.parametrize("f", [of_the_module, not_replaced_first, read_alone], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_attributes_of_an_object_outside_that_loops_replace(f: Callable[..., Any], n: int, backend: str):
    zs = np.linspace(0.3, 1.1, n)
    begin()
    held = kept.x
    expected = f(zs)
    after = {name: np.array(value) for name, value in vars(kept).items()}
    is_held, was = kept.x is held, held.copy()
    begin()
    held = kept.x
    assert same(ccc.compiled(f, backend=backend)(zs), expected)
    for name, value in after.items():
        assert np.allclose(np.array(getattr(kept, name), float), value.astype(float), rtol=1e-14, equal_nan=True), name
    assert (kept.x is held) is is_held
    assert np.array_equal(held, was)
    begin()
    slope = ccc.grad(f, backend=backend)(zs)
    for i in range(n):
        moved = [zs + step * np.eye(n)[i] for step in (1e-6, -1e-6)]
        ends = [(begin(), f(x))[1] for x in moved]
        assert abs(slope[i] - (ends[0] - ends[1]) / 2e-6) < 1e-7 * (1 + abs(slope[i]))


def tracked(track: Any, z: Any) -> Any:
    track.predict()
    track.update(z)
    track.seen = np.atleast_2d(z)
    return np.sum(track.x) * track.seen[0, 0]


def test_an_array_of_none_that_the_caller_has_is_replaced():
    expected = tracked(Track(), 0.7)
    track = Track()
    assert same(ccc.compiled(tracked)(track, 0.7), expected)
    assert np.array_equal(track.seen, [[0.7]])
    ends = [tracked(Track(), 0.7 + step) for step in (1e-6, -1e-6)]
    assert abs(ccc.grad(tracked, argnums=1)(Track(), 0.7) - (ends[0] - ends[1]) / 2e-6) < 1e-8


def sizes(z: Any) -> Any:
    return z * kept.seen.size if kept.seen[0, 0] is None else z**2


def test_arrays_of_none_outside_are_read_anew_where_they_are_replaced():
    begin()
    f = ccc.grad(sizes)
    assert f(3.0) == 1.0
    kept.seen = np.array([[None, None]])
    assert f(3.0) == 2.0
    kept.seen = np.array([[4.0]])
    assert f(3.0) == 6.0
    begin()


class Sigmas:
    """Points that change in place, and then give way to others."""

    def __init__(self, n: int) -> None:
        self.points = np.zeros((3, 2))
        self.x = np.ones(2)
        self.seen: Any = np.array([[None] * n]).T

    def spread(self) -> None:
        for i in range(3):
            self.points[i] = self.x * (i + 1.0)
        self.x = np.sum(self.points, axis=0) * 0.1
        self.points = np.outer(np.arange(3.0), self.x)


def spread(zs: Any) -> Any:
    sigmas = Sigmas(2)
    for z in zs:
        for i in range(3):
            sigmas.points[i] = sigmas.x * z
            sigmas.x = sigmas.points[i]
        sigmas.spread()
    return np.sum(sigmas.x * sigmas.points[1]) + sigmas.seen.shape[0]


def test_lists_of_none_beside_arrays_in_stores():
    agrees(spread, np.array([0.9, 1.2]))


class Flock:
    def __init__(self) -> None:
        self.velocity = np.full((3, 2), 0.5, dtype=np.float32)
        self.position = np.ones((3, 2), dtype=np.float32)


flock = Flock()


def flown(x: Any) -> Any:
    f = copy.copy(flock)
    f.position = x
    for _ in range(2):
        f.position = f.position * x + f.velocity
        f.velocity = f.position * f.velocity
    return np.sum(f.velocity) + np.sum(f.position)


def one_of_two(x: Any, n: int) -> Any:
    flocks = [copy.copy(flock), copy.copy(flock)]
    for i in range(n):
        flocks[i % 2].position = x * (i + 1.0)
    return np.sum(flocks[0].position) * np.sum(flocks[1].position * flocks[1].velocity)


def test_float32_attributes_that_give_way_to_float64_ones():
    x = np.linspace(0.4, 0.9, 6).reshape(3, 2)
    agrees(flown, x)
    for n in range(3):
        found, expected = ccc.compiled(one_of_two)(x, n), one_of_two(x, n)
        assert type(found) is type(expected)
        assert found == expected
        along = (one_of_two(x + 1e-6, n) - one_of_two(x - 1e-6, n)) / 2e-6 if n else 0.0
        assert abs(np.sum(ccc.grad(one_of_two)(x, n)) - along) < 1e-6


def widened(x: Any) -> Any:
    """As transposed convolutions are written: how wide an array is made goes by what one before was made."""
    y = np.pad(x, ((0, 1), (0, 0)))
    n = int((2 * (y.shape[0] - 1) + 3 - y.shape[0]) / 2)
    z = np.pad(np.tile(y, (2, 1)), ((n, n), (1, 0)))
    m = z.shape[0] - np.tril(x).shape[0]
    return np.sum(np.pad(z, ((m, 0), (0, 0))) ** 2) * m


def test_widths_that_go_by_what_was_made_wider_before():
    agrees(widened, np.linspace(0.2, 1.1, 6).reshape(3, 2))
