"""Integrals with weights: derivatives in what the function captures, in the limits and in the weight are those that
differences of SciPy's own values find, or known ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

integrate = pytest.importorskip("scipy.integrate")

P, WAY = np.array([0.5, 1.2]), np.array([0.3, -0.7])
quad: Any = integrate.quad


def wave(p: Any) -> Any:
    return lambda x: np.exp(-p[0] * x) * np.sin(p[1] * x + 1.0)


CASES: dict[str, Callable[[Any], Any]] = {
    "cos": lambda p: quad(wave(p), 0.1, 1.3, weight="cos", wvar=2.0)[0],
    "sin, limits": lambda p: quad(wave(p), p[1], p[0], weight="sin", wvar=p[1] * 3.0)[0],
    "alg": lambda p: quad(wave(p), 0.0, 1.3, weight="alg", wvar=(-0.3, 0.2))[0],
    "alg, all of it": lambda p: quad(wave(p), 0.1 * p[1], 1.3 + p[0], weight="alg", wvar=(p[0] - 0.9, p[1]))[0],
    "alg-loga": lambda p: quad(wave(p), 0.0, p[1], weight="alg-loga", wvar=(-0.3, p[0]))[0],
    "alg-logb": lambda p: quad(wave(p), p[0], 1.3, weight="alg-logb", wvar=(0.3, -0.2))[0],
    "alg-log": lambda p: quad(wave(p), 0.0, 1.3, weight="alg-log", wvar=(p[0], p[1]))[0],
    "cauchy": lambda p: quad(wave(p), 0.1 * p[1], 1.3 + p[0], weight="cauchy", wvar=p[1] * 0.9)[0],
    "cauchy, backwards": lambda p: quad(wave(p), 2.0, 0.0, (), 0, 1e-10, weight="cauchy", wvar=p[1])[0],
    "cauchy, outside": lambda p: quad(wave(p), 0.0, p[1], weight="cauchy", wvar=p[1] + 1.0)[0],
    "cos, to infinity": lambda p: quad(lambda x: np.exp(-p[0] * x), 0.3 * p[1], np.inf, weight="cos", wvar=p[1])[0],
    "sin, slowly": lambda p: quad(lambda x: 1.0 / (p[0] + x * x), p[1], np.inf, weight="sin", wvar=-p[1])[0],
    "sin, from -inf": lambda p: quad(lambda x: np.exp(x * p[0]), -np.inf, p[1], weight="sin", wvar=2.0)[0],
    "cos, from -inf": lambda p: quad(lambda x: np.exp(x * p[0]), -np.inf, p[1], weight="cos", wvar=-p[1])[0],
    "of a complex function": lambda p: abs(quad(
        lambda x: np.exp(1j * p[0] * x), 0.0, p[1], complex_func=True, weight="alg", wvar=(-0.5, 0.0))[0]),
}


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", CASES)
def test_slopes_are_those_of_differences(name: str, backend: Any):
    f = CASES[name]
    value, slope = ccc.value_with_gradient(f, backend=backend)(P)
    assert value == pytest.approx(f(P), rel=1e-13)
    h = 1e-3
    for i in (0, 1):
        step = h * np.eye(2)[i]
        expected = (8 * (f(P + step) - f(P - step)) - (f(P + 2 * step) - f(P - 2 * step))) / (12 * h)
        assert slope[i] == pytest.approx(expected, rel=2e-6, abs=1e-8)


@pytest.mark.share(6)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_are_those_of_first_ones(name: str):
    first = ccc.derivative(lambda s: CASES[name](P + s * WAY))
    assert ccc.derivative(first)(0.0) == pytest.approx((first(1e-4) - first(-1e-4)) / 2e-4, rel=1e-5, abs=1e-6)


def test_points_stay_where_they_would_move_over_a_jump():
    jump = lambda a, b: quad(lambda x: np.where(x > 0.4, a, 0.0), 0.0, b)[0]  # noqa: E731
    np.testing.assert_allclose(ccc.gradient(jump)(0.5, 1.2), (0.8, 0.5), rtol=1e-7)
    bend = lambda a, b: quad(lambda x: abs(x - 1.4) * np.exp(-a * x), b, np.inf)[0]  # noqa: E731
    assert ccc.gradient(bend)(0.5, 0.3)[1] == pytest.approx(-1.1 * np.exp(-0.15), rel=1e-9)
    along = ccc.derivative(ccc.derivative(lambda b: bend(0.5, b)))
    assert along(0.3) == pytest.approx((1.0 + 0.5 * 1.1) * np.exp(-0.15), rel=1e-9)


def test_no_points_are_good_enough_for_a_weight_and_a_jump():
    with pytest.raises(ValueError, match="smooth parts one by one"):
        ccc.gradient(lambda b: quad(lambda x: np.where(x > 0.4, b, 0.0), 0, 2, weight="alg", wvar=(-0.5, 0.0))[0])(1.2)
    with pytest.raises(ValueError, match="there is no derivative"):
        ccc.gradient(lambda a: quad(lambda x: abs(x - 0.4) * np.exp(-a * x), 0, np.inf, weight="cos", wvar=2.0)[0])(1.0)


def test_limits_in_which_there_is_no_weight_are_refused_as_scipy_does():
    with pytest.raises(ValueError, match="from -Inf to"):
        ccc.gradient(lambda a: quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf, weight="cos", wvar=2.0)[0])(1.0)
