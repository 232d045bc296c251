"""The largest and the smallest number of a list whose length is not written, in intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ccc

BACKENDS = ("numpy", "native")


def largest(xs: list[float]) -> float:
    return max(xs)


def width(xs: list[float]) -> float:
    return max(xs) - min(xs)


def of_squares(xs: list[float]) -> float:
    return min(x * x for x in xs) + max([x * xs[0] for x in xs])


def of_appended(xs: list[float]) -> float:
    found: list[float] = []
    for x in xs:
        if len(found) < 3:
            found.append(x * 2.0)
    return max(found) * min(found)


def or_none(xs: list[float]) -> float:
    return max(xs, default=0.0) * xs[0] - min([x * x for x in xs], default=1.0)


SMOOTH = (largest, width, of_squares, or_none)


def holds(low: float, high: float, value: float) -> bool:
    """Whether a number lies between bounds, up to the rounding of the number itself."""
    slack = 1e-13 * (1.0 + abs(value))
    return low - slack <= value <= high + slack


def boxes(seed: int) -> Iterator[tuple[list[float], list[float], list[list[float]]]]:
    """Lists of lower and of upper bounds, some of them equal, and lists between them."""
    draw = random.Random(seed)
    for _ in range(40):
        lows = [draw.choice((-1.0, 0.0, 0.5, draw.uniform(-2.0, 2.0))) for _ in range(draw.randrange(1, 6))]
        highs = [low + draw.choice((0.0, 0.25, 1.0)) for low in lows]
        sides = list(zip(lows, highs, strict=True))
        yield lows, highs, [[low + (high - low) * draw.randrange(5) / 4 for low, high in sides] for _ in range(10)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [*SMOOTH, of_appended])
def test_extremes_of_a_list_are_bounded(f: Callable[[list[float]], float], backend: str):
    bounds = ccc.interpret(f, ccc.Intervals(), backend=backend)
    for lows, highs, lists in boxes(3):
        least, most = bounds((lows, highs))
        assert all(holds(least, most, f(xs)) for xs in lists), (lows, highs)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", SMOOTH)
def test_gradients_of_extremes_of_a_list_are_bounded(f: Callable[[list[float]], float], backend: str):
    slopes, slope = ccc.interpret(ccc.gradient(f), ccc.Intervals(), backend=backend), ccc.gradient(f)
    for lows, highs, lists in boxes(4):
        least, most = slopes((lows, highs))
        assert all(math.isfinite(end) for end in (*least, *most))
        for xs in lists:
            found: Any = slope(xs)
            assert all(map(holds, least, most, found)), (lows, highs, xs)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bounds_of_extremes_are_the_extremes_of_bounds(backend: str):
    xs = [-1.0, 2.0, 0.5], [0.0, 2.5, 3.0]
    assert ccc.interpret(largest, ccc.Intervals(), backend=backend)(xs) == (2.0, 3.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_those_that_are_equal_still_share_the_derivative(backend: str):
    slope = ccc.gradient(largest, backend=backend)
    assert slope([1.0, 3.0, 3.0, 2.0]) == [0.0, 0.5, 0.5, 0.0]
    assert slope([1.0]) == [1.0]
