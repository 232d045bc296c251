"""Where zeros need not be strong in derivatives, and where they still are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

ROWS = np.random.default_rng(5).normal(size=(3, 4))
SQUARE = np.random.default_rng(6).normal(size=(3, 3))
VECTOR = ROWS[0]


def strong(f: Callable[..., Any], *args: Any) -> int:
    """How many products and quotients with strong zeros the gradient has."""
    code = ccc.explain(ccc.gradient(f, backend="numpy"), *args).code
    return code.count("over0(") + code.count("times0(")


def sigmoid(x: np.ndarray) -> float:
    return np.sum(1.0 / (1.0 + np.exp(-x)))


def lorentz(x: np.ndarray) -> float:
    return np.sum(x / (0.5 + x * x + abs(x) ** 2))


def softmax(x: np.ndarray) -> float:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(e[:, 0] / np.sum(e, axis=1))


def kept(x: np.ndarray) -> float:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def expanded(x: np.ndarray) -> float:
    return np.sum(np.log(np.sum(np.exp(x - np.expand_dims(np.max(x, axis=1), 1)), axis=1)) ** 2)


def columns(x: np.ndarray) -> float:
    e = np.exp(x - np.max(x, axis=0))
    return np.sum((e / np.sum(e, axis=0)) ** 2)


def scalar(x: float) -> float:
    return math.tanh(1.0 / (1.0 + math.exp(-x))) / math.cosh(x)


@pytest.mark.parametrize(("f", "x", "left"), [
    (sigmoid, VECTOR, 0), (lorentz, VECTOR, 1), (softmax, ROWS, 0), (kept, ROWS, 0), (expanded, ROWS, 0),
    (columns, ROWS, 0), (scalar, 0.3, 0),
])  # fmt: skip
def test_divisors_that_are_never_zero(f: Callable[..., Any], x: Any, left: int) -> None:
    assert strong(f, x) == left, "numerators that may be infinite"
    agrees(f, x)


def reciprocal(x: np.ndarray) -> float:
    return np.sum(1.0 / np.exp(x))


def other_axis(x: np.ndarray) -> float:
    e = np.exp(x - np.max(x, axis=1))
    return np.sum((e / np.sum(e, axis=1)) ** 2)


def of_another(x: np.ndarray) -> float:
    e = np.exp(x - np.max(x * x))
    return np.sum((e / np.sum(e)) ** 2)


def negative(x: np.ndarray) -> float:
    return np.sum(1.0 / (x * x - 1.0))


@pytest.mark.parametrize(
    ("f", "x"), [(reciprocal, VECTOR), (other_axis, SQUARE), (of_another, VECTOR), (negative, VECTOR)]
)
def test_divisors_that_may_be_zero(f: Callable[..., Any], x: Any) -> None:
    assert strong(f, x) > 0
    agrees(f, x)


def test_a_cotangent_of_zero_stays_zero_where_a_slope_is_infinite() -> None:
    def masked(x: np.ndarray) -> float:
        return np.sum(np.where(x > 0, 1.0 / x, x))

    with np.errstate(all="ignore"):
        assert np.array_equal(ccc.gradient(masked)(np.array([0.0, 2.0, -1.0])), [1.0, -0.25, 1.0])


def warped(a: np.ndarray, b: np.ndarray) -> float:
    ways = np.full((len(a) + 1, len(b) + 1), np.inf)
    ways[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(ways[i - 1, j], ways[i, j - 1], ways[i - 1, j - 1])
    return ways[-1, -1]


def floored(x: np.ndarray) -> float:
    return np.sum(x / (0.001 + np.maximum(x * x, 0.3)))


def above(x: np.ndarray) -> float:
    e = np.exp(np.maximum(x - np.max(x), 2.0 * x))
    return np.sum(1.0 / e)


def test_a_choice_among_several_is_no_function_of_one_number() -> None:
    agrees(warped, np.array([1.0, 2.5, 2.0]), np.array([0.7, 2.1]))
    agrees(floored, VECTOR)
    agrees(above, VECTOR)
