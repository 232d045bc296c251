"""What is not decided in an interval: tests inside tests, whole numbers that become real, and lists made on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import ccc

BACKENDS = ("numpy", "native")
Program = Callable[[float, float], float]


def inner_test(x: float, y: float) -> float:
    return (x if x < y else y - x) if x > 1.0 else x * y


def chained_test(x: float, y: float) -> float:
    return 1.0 if 0.0 < x < y else (x if x == y else y - x) if not (x > 1.0 or y > 1.0) else x * y


def inside_a_loop(x: float, y: float) -> float:
    for k in range(3):
        if x < y and k != 1:
            x = x * 0.5 if x > 0.0 else x * y - k
        elif y > 0.5:
            x = math.sin(x)
    return x


def made_list(x: float, y: float) -> float:
    xs = [x * k - y for k in range(4)]
    xs[1] = x * y
    return sum(t * t for t in xs) - sum(xs)


def from_zero(x: float, y: float) -> float:
    total = 0
    for k in range(4):
        if x * k > y:
            total = total + x * y
    return total


NESTED = (inner_test, chained_test, inside_a_loop)
PROGRAMS = (*NESTED, made_list, from_zero)
BOXES = [(cx - r, cx + r) for cx in (-0.3, 0.4, 1.05) for r in (0.0, 0.01, 0.4)]


def holds(bounds: tuple[float, float], value: float) -> bool:
    """Whether a number lies between bounds, up to the rounding of the number itself."""
    slack = 1e-13 * (1.0 + abs(value))
    return bounds[0] - slack <= value <= bounds[1] + slack


def points(box: tuple[float, float]) -> list[float]:
    return [float(x) for x in np.linspace(*box, 5)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_lie_between_their_bounds(f: Program, backend: str) -> None:
    meaning = ccc.interpret(f, ccc.Intervals(), backend=backend)
    widths: list[float] = []
    for a, b in product(BOXES, BOXES):
        bounds = meaning(a, b)
        assert all(holds(bounds, f(x, y)) for x, y in product(points(a), points(b))), (a, b, bounds)
        widths.append(bounds[1] - bounds[0])
    assert all(map(math.isfinite, widths)) and min(widths) < 1e-12


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_lie_between_their_bounds(f: Program, backend: str) -> None:
    gradient: Any = ccc.gradient(f)
    meaning = ccc.interpret(gradient, ccc.Intervals(), backend=backend)
    for a, b in product(BOXES, BOXES):
        bounds = list(zip(*meaning(a, b), strict=True))
        for x, y in product(points(a), points(b)):
            assert all(map(holds, bounds, gradient(x, y))), (a, b, bounds)


@pytest.mark.parametrize("f", NESTED, ids=lambda f: f.__name__)
def test_errors_of_rounding_lie_between_bounds(f: Program) -> None:
    k = ccc.Rounding(np.float32)
    gradient: Any = ccc.gradient(f)
    meaning = ccc.interpret(gradient, k)
    for x, y in product((-0.3, 0.4, 1.05, 1.5), repeat=2):
        x, y = float(np.float32(x)), float(np.float32(y))
        bounds = list(zip(*meaning(k.exactly(x), k.exactly(y)), strict=True))
        assert all(map(holds, bounds, gradient(x, y))), (x, y, bounds)


def test_a_list_that_begins_empty_has_bounds_of_errors() -> None:
    def f(x: float, y: float) -> float:
        rows: list[list[float]] = []
        for k in range(3):
            rows.append([x * k, y])
        return rows[2][0] + rows[1][1] if x > 0.0 else y

    k = ccc.Rounding(np.float32)
    bounds = ccc.interpret(f, k)(k.exactly(0.5), k.exactly(0.25))
    assert holds(bounds, 1.25) and bounds[1] - bounds[0] < 1e-6


def test_how_often_an_undecided_loop_ran_stays_refused() -> None:
    def f(x: float) -> float:
        total, n = 0.0, 0
        while total < 2.0:
            total, n = total + x, n + 1
        return x + (n if n > 2 else 1)

    with pytest.raises(ccc.CCCError, match="a whole number depends on a `while` whose test is not decided"):
        ccc.interpret(f, ccc.Intervals())((0.25, 1.0))
