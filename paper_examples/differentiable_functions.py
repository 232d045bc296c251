"""*Differentiable functions and differentiation APIs* (Richard Wei, Dan Zheng, Marc Rasi, Parker Schuh).

"Basics" (`square`), "Differentiating with respect to" (the layer), and "@differentiable functions and automatic
differentiation" (`foo` and its pullback, written by hand).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ccc
from paper_examples.example import CURRIES, ROUNDING, Example, Outcome, claimed, close, compared

DOCUMENT = "Differentiable functions"


# -- Basics --------------------------------------------------------------------------------------------------------


def square(x: float) -> float:
    return x * x


def gradient_of_square() -> Outcome:
    """`print(gradient(at: x, in: square)) // 6.0` and `valueWithGradient` `(value: 9.0, gradient: 6.0)`."""
    x = 3.0
    checks = [
        ("gradient(of: square)(3) is 6.0", ccc.gradient(square)(x) == 6.0),
        ("valueWithGradient(at: 3, in: square) is (9.0, 6.0)", ccc.value_with_gradient(square)(x) == (9.0, 6.0)),
    ]
    return compared(square, x, expected=(9.0, 6.0), checks=checks)


# -- "struct Vector: Differentiable" -------------------------------------------------------------------------------


def magnitude(v: tuple[float, float]) -> float:
    x, y = v
    return math.sqrt(x * x + y * y)


def gradient_of_magnitude() -> Outcome:
    """`v.magnitude // 2.828427` and `gradient(at: v) { v in v.magnitude } // Vector(x: 0.70710677, y: 0.70710677)`,
    printed from numbers of 32 bits."""
    value, (x, y) = ccc.value_with_gradient(magnitude)((2.0, 2.0))
    printed = [
        ("the magnitude rounds to 2.828427", f"{value:.6f}" == "2.828427"),
        ("the gradient rounds to 0.70710677", str(np.float32(x)) == str(np.float32(y)) == "0.70710677"),
    ]
    expected = (math.sqrt(8.0), (math.sqrt(0.5), math.sqrt(0.5)))
    return compared(magnitude, (2.0, 2.0), expected=expected, tolerance=ROUNDING, checks=printed)


# -- "Example usage of `appliedForBackpropagation(to:)`" -----------------------------------------------------------


def dense_layer(layer: tuple[Any, Any], x: Any) -> Any:
    """`struct DenseLayer: Layer`, `return matmul(input, weight) + bias`."""
    weight, bias = layer
    return np.matmul(x, weight) + bias


def applied_for_backpropagation() -> Outcome:
    """`let (𝛁dense, 𝛁input) = backprop(seed)`: weight `[[3, 3], [3, 3]]`, bias `[1, 1]`, input `[[2, 2]]`."""
    dense = (np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0]))
    x = np.array([[3.0, 3.0]])
    seed = np.array([[1.0, 1.0]])
    found = []
    for exponential in CURRIES:
        output, backprop = ccc.value_with_pullback(dense_layer, exponential=exponential)(dense, x)
        found.append((output, backprop(seed)))
    expected = (
        np.array([[7.0, 7.0]]),
        ((np.array([[3.0, 3.0], [3.0, 3.0]]), np.array([1.0, 1.0])), np.array([[2.0, 2.0]])),
    )
    agree = all(close(other, found[0]) for other in found)
    return claimed(*found[0], expected=expected, agree=agree)


# -- @differentiable functions and automatic differentiation -------------------------------------------------------


def foo(x: float) -> float:
    double = x + x
    result = double * double
    return result


def plus(x: float, y: float) -> float:
    return x + y


def times(x: float, y: float) -> float:
    return x * y


def foo_value_with_pullback(x: float, exponential: Any) -> tuple[float, Callable[[float], float]]:
    """`fooValueWithPullback`, line by line."""
    double, double_pullback = ccc.value_with_pullback(plus, exponential=exponential)(x, x)
    result, result_pullback = ccc.value_with_pullback(times, exponential=exponential)(double, double)

    def pullback(v: float) -> float:
        d_result1, d_result2 = result_pullback(v)
        d_double1, d_double2 = double_pullback(d_result1 + d_result2)
        return d_double1 + d_double2

    return result, pullback


def pullback_of_foo() -> Outcome:
    """`print(result) // 36.0` and `print(pullback(1)) // 24.0`, the hand-written one and the real one."""
    x = 3.0
    checks = [("gradient(at: x, in: foo) is 24.0", ccc.gradient(foo)(x) == 24.0)]
    for exponential in CURRIES:
        result, pullback = foo_value_with_pullback(x, exponential)
        checks.append((f"fooValueWithPullback with {exponential.name}", (result, pullback(1)) == (36.0, 24.0)))
        result, pullback = ccc.value_with_pullback(foo, exponential=exponential)(x)
        checks.append((f"valueWithPullback with {exponential.name}", (result, pullback(1)) == (36.0, 24.0)))
        checks.append((f"the pullback is linear with {exponential.name}", pullback(2.5) == 60.0))
    return compared(foo, x, expected=(36.0, 24.0), checks=checks)


EXAMPLES = (
    Example("square", DOCUMENT, gradient_of_square),
    Example("Vector.magnitude", DOCUMENT, gradient_of_magnitude),
    Example("DenseLayer", DOCUMENT, applied_for_backpropagation),
    Example("foo, fooValueWithPullback", DOCUMENT, pullback_of_foo),
)
