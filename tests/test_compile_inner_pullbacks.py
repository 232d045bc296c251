"""Pullbacks and gradients taken inside programs: of functions with captures, of function arguments, passed around."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


def of_a_lambda(x: float, y: float) -> float:
    value, pullback = ccc.value_with_pullback(lambda a, b: a * b * b)(x, y)
    da, db = pullback(x)
    return value + da * db


def called_in_a_loop(x: float) -> float:
    def h(z: float) -> float:
        return z * z * x

    value, pullback = ccc.value_with_pullback(h)(x * 2.0)
    total = 0.0
    for i in range(3):
        total = total + pullback(1.0 + i) * value
    return total


def twice(pullback: Callable[[float], float], ct: float) -> float:
    return pullback(ct) + pullback(2.0 * ct)


def passed_on(x: float) -> float:
    return twice(ccc.pullback(math.sin)(x), x)


def of_a_tuple(x: float) -> float:
    _, pullback = ccc.value_with_pullback(lambda t: (t * x, np.sin(t)))(x)
    return pullback((1.0, x))


def slope(f: Callable[[float], float], x: float) -> float:
    return ccc.gradient(f)(x)


def of_an_argument(x: float) -> float:
    return slope(lambda t: t**3 * x, x) + slope(math.sin, x)


def in_a_while(x: float) -> float:
    """Newton's method for the minimum of a quartic, by derivatives taken where they are needed."""
    def energy(t: float) -> float:
        return (t * t - x) ** 2 + 0.1 * t

    t = 2.0
    while abs(ccc.derivative(energy)(t)) > 1e-10:
        t = t - ccc.derivative(energy)(t) / ccc.derivative(ccc.derivative(energy))(t)
    return t


@pytest.mark.parametrize(
    "f", [called_in_a_loop, passed_on, of_a_tuple, of_an_argument], ids=lambda f: f.__name__
)
def test_a_derivative_inside_agrees(f: Callable[..., Any]) -> None:
    agrees(f, 0.5)


def test_a_pullback_of_several_arguments_agrees() -> None:
    agrees(of_a_lambda, 0.5, 0.7)


def test_newtons_method_by_derivatives_inside_a_while() -> None:
    value, found = ccc.value_with_gradient(in_a_while)(1.5)
    assert value == in_a_while(1.5)
    step = 1e-5
    expected = (in_a_while(1.5 + step) - in_a_while(1.5 - step)) / (2 * step)
    assert math.isclose(found, expected, rel_tol=1e-6)


def rows_of_a_jacobian(x: np.ndarray) -> float:
    one, zero = np.ones(len(x)), np.zeros(len(x))
    value, pullback = ccc.value_with_pullback(lambda v: (v * v, np.sin(v) * v[0]))(x)
    first, second = pullback((one, zero)), pullback((np.zeros_like(x), one))
    changed = np.zeros(len(x))
    changed[0] = x[1]
    return np.sum(value[0] * first * second) + np.sum(pullback((changed, zero)))


def along_one_argument(x: np.ndarray, y: float) -> float:
    value, differential = ccc.value_with_differential(lambda v, w: np.sum(np.exp(v * w)))(x, y)
    return value * differential(np.zeros(len(x)), y) + differential(x, 0.0) * differential(np.zeros_like(x), 0.0)


def test_a_cotangent_of_zeros_is_as_good_as_numbers() -> None:
    agrees(rows_of_a_jacobian, np.array([0.4, -1.3, 0.8]))
    agrees(along_one_argument, np.array([0.4, -1.3, 0.8]), 0.7)


def test_nothing_is_computed_of_a_cotangent_that_is_known_to_be_zero() -> None:
    program = ccc.explain(along_one_argument, np.ones(2), 0.5).lam
    assert program.count("np.exp") == 3  # of the value and the first two differentials
