"""Bounds in intervals that reach beyond the domain of a function hold what it gives where it is defined."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CannotStage
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

BACKENDS = ("numpy", "native")
WITHIN = [p for p in registry.BY_NAME.values() if p.refusal is not None and p.refusal.domain is not None]
ENDS = (-800.0, -3.0, -1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.5, 1030.0)
BOXES = [(a, b) for a in ENDS for b in ENDS if a <= b]


def by_rounding(x: float, y: float) -> float:
    return math.sqrt(x * x - y * y + y * y) + math.asin(math.sin(x) * math.cos(y))


def by_branches(x: float, y: float) -> float:
    return math.sqrt(x - y) if x > y else math.log(1.5 + x) if x > -1.0 else math.acos(y)


def far_away(x: float, y: float) -> float:
    return math.sin(1.0 / (x - y)) + math.exp(1.0 / x)


def in_a_loop(x: float, y: float) -> float:
    for _ in range(3):
        x = x + 0.1 * math.log(y + x * x) if x < 1.0 else math.sqrt(x - 1.0)
    return x


PROGRAMS = (by_rounding, by_branches, far_away, in_a_loop)


@cache
def bounding(f: Callable[..., Any], backend: str, slope: bool) -> Callable[..., Any]:
    return ccc.interpret(ccc.gradient(f) if slope else f, ccc.Intervals(), backend=backend)


def values(f: Callable[..., Any], *boxes: tuple[float, float]) -> list[tuple[float, ...]]:
    """Arguments in boxes at which a function is defined, with what it gives there."""
    points: list[tuple[float, ...]] = [()]
    for a, b in boxes:
        points = [(*point, a + (b - a) * k / 8) for point in points for k in range(9)]
    found: list[tuple[float, ...]] = []
    for point in points:
        try:
            found.append((*point, f(*point)))
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
    return found


def holds(bounds: tuple[float, float], value: float) -> bool:
    """Whether a number lies between bounds, up to the rounding of the number itself; not a number lies anywhere."""
    slack = 1e-13 * (1.0 + abs(value)) if math.isfinite(value) else 0.0
    return value != value or bounds[0] - slack <= value <= bounds[1] + slack


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("p", WITHIN, ids=lambda p: p.name)
def test_a_function_is_bounded_where_it_is_defined_and_raises_where_it_is_not(p: Primitive, backend: str):
    f = getattr(math, p.name.partition(".")[2])
    assert p.refusal is not None and p.refusal.domain is not None
    least, most = p.refusal.domain
    partly = 0
    for box in BOXES:
        if (box[1] < least or box[0] > most) and p.refusal.kind is ValueError:
            with pytest.raises(p.refusal.kind):
                bounding(f, backend, False)(box)
            continue
        known = values(f, box)
        if not known:
            continue
        partly += len(known) < 9
        bounds = bounding(f, backend, False)(box)
        assert all(holds(bounds, y) for _, y in known), box
    assert partly or (least, most) == (-math.inf, math.inf)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "far", "sign"), [
    (math.exp, 800.0, 1), (math.expm1, 1e300, 1), (math.exp2, 1024.0, 1), (math.sinh, 800.0, 1),
    (math.sinh, -800.0, -1), (math.cosh, 800.0, 1), (math.cosh, -800.0, 1), (math.gamma, 180.0, 1),
    (math.gamma, 172.0, 1),
    (math.lgamma, 1e306, 1), (lambda x: math.gamma(x) - 1.0, 1e100, 1),
], ids=lambda x: getattr(x, "__name__", x))
def test_what_no_float_is_lies_below_infinity(f: Callable[[float], float], far: float, sign: int, backend: str):
    near = math.copysign(1.5, far)
    for box in (far, far), (far, far * 1.01), (far, math.copysign(math.inf, far)), (near, far), (near, far * 1.01):
        low, high = sorted(box)
        found = sorted(sign * end for end in bounding(f, backend, False)((low, high)))
        assert found[1] == math.inf
        least = sign * f(near) if near in box else math.inf
        assert found[0] > 1e307 if least == math.inf else found[0] <= least <= found[0] + abs(least) / 2.0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [math.exp, math.cosh, math.gamma, math.lgamma])
def test_slopes_of_what_overflows_have_bounds(f: Callable[[float], float], backend: str):
    low, high = bounding(f, backend, True)((2.0, 1e306))
    assert low <= (f(2.5) - f(2.0)) / 0.5
    assert high == pytest.approx(704.7 if f is math.lgamma else math.inf, rel=1e-2)


def test_bounds_are_those_of_the_part_inside():
    for f, box, least, most in (
        (math.sqrt, (-1.0, 4.0), 0.0, 2.0), (math.asin, (-2.0, 0.0), -math.pi / 2, 0.0),
        (math.acos, (0.0, 3.0), 0.0, math.pi / 2), (math.log, (-1.0, 1.0), -math.inf, 0.0),
        (math.acosh, (0.0, 1.0), 0.0, 0.0), (math.atanh, (0.0, 1.0), 0.0, math.inf),
        (math.exp, (0.0, 800.0), 1.0, math.inf), (math.sin, (0.0, math.inf), -1.0, 1.0),
        (math.exp2, (1.0, 2000.0), 2.0, math.inf), (math.cosh, (-1.0, 800.0), 1.0, math.inf),
        (math.cosh, (-800.0, -1.0), math.cosh(1.0), math.inf), (math.sinh, (-800.0, 1.0), -math.inf, math.sinh(1.0)),
    ):  # fmt: skip
        low, high = bounding(f, "numpy", False)(box)
        assert (low, high) == (pytest.approx(least, abs=1e-12), pytest.approx(most, abs=1e-12))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [
    lambda x: x**3, lambda x: x**3.0, lambda x: x**2.5, lambda x: math.pow(x, 4.0), lambda x: x**-3, lambda x: x**2,
])
def test_powers_of_what_is_too_large_have_no_upper_bound(f: Callable[[float], float], backend: str):
    for box in ((1.0, 1e200), (1e-200, 1.0), (1e150, 1e250)):
        low, high = bounding(f, backend, False)(box)
        known = [y for _, y in values(f, box)]
        assert all(holds((low, high), y) for y in known) and low < math.inf
        if len(known) < 9:
            assert high == math.inf
    low, high = ccc.interpret(ccc.gradient(lambda x: x**3), ccc.Intervals(), backend=backend)((-1e160, 1.0))
    assert (low, high) == (pytest.approx(0.0, abs=1e-300), math.inf)


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [
    lambda x: x**2, lambda x: x**3, lambda x: x**-2, lambda x: x**2.5, lambda x: x**-2.5, lambda x: 2.0**x,
    lambda x: x * x - x, lambda x: x / (1.0 + abs(x)), lambda x: x % 1.0, math.atan, math.tanh, np.square, np.cosh,
])
def test_bounds_that_are_infinite_hold_what_is_between_them(f: Callable[[float], float], backend: str):
    ends = (-math.inf, -1e200, -2.0, 0.0, 0.5, 1.0, 1e200, math.inf)
    for box in [(a, b) for a in ends for b in ends if a <= b]:
        low, high = bounding(f, backend, False)(box)
        assert not math.isnan(low) and not math.isnan(high), box
        for x in {min(max(x, box[0]), box[1]) for x in (-1e200, -2.0, 0.0, 0.5, 1.0, 1e200)} - {math.inf, -math.inf}:
            assert all(holds((low, high), y) for _, y in values(f, (x, x)) if isinstance(y, float)), (box, x)


def test_matrices_of_no_known_size_have_bounds_in_machine_code():
    f = lambda x: np.linalg.inv(np.array([[x, 1.0], [0.0, 2.0]]))[0, 0]  # noqa: E731
    found = [bounding(f, backend, False)((1.0, 1.5)) for backend in BACKENDS]
    assert found[0] == pytest.approx(found[1]) and found[1][0] <= 1.0 / 1.5 and found[1][1] >= 1.0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_of_programs_are_bounded_where_they_are_defined(f: Any, backend: str):
    asked = 0
    for a in (-1.2, -0.3, 0.4, 1.1):
        for b in (-0.5, 0.2, 0.9):
            for r in (0.05, 0.6):
                boxes = (a - r, a + r), (b - r, b + r)
                if not values(f, *boxes):
                    continue
                bounds = bounding(f, backend, False)(*boxes)
                slopes = bounding(f, backend, True)(*boxes)
                for *point, value in values(f, *boxes):
                    assert holds(bounds, value), (boxes, point)
                    try:
                        slope = ccc.gradient(f)(*point)
                    except (ValueError, ZeroDivisionError, OverflowError):
                        continue
                    ends = zip(*slopes, strict=True)
                    assert all(holds(end, d) for end, d in zip(ends, slope, strict=True)), (boxes, point)
                    asked += 1
    assert asked > 100


def test_what_is_not_defined_everywhere_is_not_proved_to_be_convex():
    assert not ccc.convex_on(lambda x: -math.sqrt(x), -0.5, 1.0, depth=3)
    assert not ccc.convex_on(lambda x: -math.log(x), -0.5, 1.0, depth=3)
    assert ccc.convex_on(lambda x: -math.sqrt(x), 0.25, 1.0, depth=3)


def test_bounds_of_numbers_of_fewer_bits_are_refused_where_something_is_computed():
    a = np.array([0.1, 0.2, 0.3], np.float32)
    low, high = ccc.interpret(lambda x: x[::-1], ccc.Intervals())((a, a))
    assert np.array_equal(low, a[::-1]) and np.array_equal(high, a[::-1])
    for f, x in ((lambda x: x * x, a), (lambda x: np.float32(x), 0.1), (lambda x: x.astype(np.float16), np.ones(2))):
        with pytest.raises(CannotStage, match="bounds have 64 bits"):
            ccc.interpret(f, ccc.Intervals())((x, x))
    k, x = ccc.Rounding(np.float32), np.float32(0.1)
    low, high = ccc.interpret(lambda x: x * x, k)(k.exactly(x))
    assert low < float(x) ** 2 < high and low <= x * x <= high
