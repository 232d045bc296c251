"""*Differentiable functions and differentiation APIs* (Richard Wei, Dan Zheng, Marc Rasi, Parker Schuh).

"Basics" (`square`, `Vector`), "Differentiating with respect to" (`Layer`, `DenseLayer`), and "@differentiable
functions and automatic differentiation" (`foo` and its pullback, written by hand).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Vector:
    """`struct Vector: Differentiable, VectorNumeric`, its computed property and its initializer."""

    x: float
    y: float

    @property
    def magnitude(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)


def magnitude(v: Vector) -> float:
    """`{ v in v.magnitude }`"""
    return v.magnitude


def magnitude_of(x: float, y: float) -> float:
    """Through the initializer, "implicitly: @differentiable(wrt: (x, y))"."""
    return Vector(x=x, y=y).magnitude


def gradient_of_magnitude() -> Outcome:
    """`v.magnitude // 2.828427` and `gradient(at: v) { v in v.magnitude } // Vector(x: 0.70710677, y: 0.70710677)`,
    printed from numbers of 32 bits."""
    v = Vector(2.0, 2.0)
    value, slope = ccc.value_with_gradient(magnitude)(v)
    checks = [
        ("the gradient is a Vector", type(slope) is Vector),
        ("the magnitude rounds to 2.828427", f"{value:.6f}" == "2.828427"),
        ("the gradient rounds to 0.70710677", str(np.float32(slope.x)) == str(np.float32(slope.y)) == "0.70710677"),
    ]
    for x, y in ((2.0, 2.0), (3.0, -4.0), (-5.0, 12.0)):
        unit = (x / math.hypot(x, y), y / math.hypot(x, y))
        for e in CURRIES:
            found = ccc.gradient(magnitude_of, exponential=e)(x, y)
            checks.append((f"the initializer at {(x, y)} with {e.name}", close(found, unit, ROUNDING)))
    expected = (math.sqrt(8.0), Vector(math.sqrt(0.5), math.sqrt(0.5)))
    return compared(magnitude, v, expected=expected, tolerance=ROUNDING, checks=checks)


# -- "a neural network Layer protocol that defines a @differentiable method" ---------------------------------------


class Layer:
    """`protocol Layer: Differentiable` and its extension."""

    def __call__(self, x: Any) -> Any:
        raise NotImplementedError

    def applied_for_backpropagation(self, x: Any, exponential: Any) -> tuple[Any, Callable[[Any], Any]]:
        """`valueWithPullback(at: input) { layer, input in return layer(input) }`, for whatever layer it is."""
        return ccc.value_with_pullback(applied, exponential=exponential)(self, x)


def applied(layer: Layer, x: Any) -> Any:
    return layer(x)


@dataclass(frozen=True)
class DenseLayer(Layer):
    weight: Any
    bias: Any

    def __call__(self, x: Any) -> Any:
        return np.matmul(x, self.weight) + self.bias


@dataclass(frozen=True)
class Scaled(Layer):
    """A layer with one number for its parameter."""

    factor: Any

    def __call__(self, x: Any) -> Any:
        return self.factor * x


@dataclass(frozen=True)
class Chained(Layer):
    """A layer of two others, of any kind."""

    first: Layer
    second: Layer

    def __call__(self, x: Any) -> Any:
        return self.second(self.first(x))


INPUT = np.array([[3.0, 3.0]])


def dense_layer() -> DenseLayer:
    """`DenseLayer(weight: [[1, 1], [1, 1]], bias: [1, 1])`"""
    return DenseLayer(weight=np.array([[1.0, 1.0], [1.0, 1.0]]), bias=np.array([1.0, 1.0]))


def size_of_backpropagated(layer: Layer, x: Any, seed: Any) -> Any:
    """A program that backpropagates, and has a gradient itself: the square of what arrives at the input."""
    _, backprop = ccc.value_with_pullback(applied)(layer, x)
    _, d_input = backprop(seed)
    return np.sum(d_input * d_input)


def applied_for_backpropagation() -> Outcome:
    """`let (𝛁dense, 𝛁input) = backprop(seed)`: weight `[[3, 3], [3, 3]]`, bias `[1, 1]`, input `[[2, 2]]`."""
    seed = np.array([[1.0, 1.0]])
    found, checks = [], []
    for exponential in CURRIES:
        output, backprop = dense_layer().applied_for_backpropagation(INPUT, exponential)
        found.append((output, backprop(seed)))
        other = np.array([[2.0, -1.0]])
        by_hand = (DenseLayer(np.outer([3.0, 3.0], other), other[0]), np.array([[1.0, 1.0]]))
        checks.append((f"the seed [[2, -1]] with {exponential.name}", close(backprop(other), by_hand)))
        # (seed Wᵀ)², of which W has the gradient 2 (seed Wᵀ)ᵀ seed and seed 2 (seed Wᵀ) W
        twice = ccc.value_with_gradient(size_of_backpropagated, exponential=exponential)(dense_layer(), INPUT, other)
        by_hand = (2.0, (DenseLayer(np.array([[4.0, -2.0], [4.0, -2.0]]), np.zeros(2)), np.zeros((1, 2)),
                         np.array([[4.0, 4.0]])))  # fmt: skip
        checks.append((f"the gradient of backpropagation with {exponential.name}", close(twice, by_hand)))
    expected = (
        np.array([[7.0, 7.0]]),
        (DenseLayer(np.array([[3.0, 3.0], [3.0, 3.0]]), np.array([1.0, 1.0])), np.array([[2.0, 2.0]])),
    )
    agree = all(close(other, found[0]) for other in found)
    return claimed(*found[0], expected=expected, agree=agree, checks=checks)


def squares(layer: Layer, x: Any) -> Any:
    """A function over the protocol: it calls the layer and knows nothing else of it."""
    y = layer(x)
    return np.sum(y * y)


def generic_over_layers() -> Outcome:
    """"the call(_:) method can be differentiated in a Layer protocol extension": one function, layers of three kinds;
    the gradient at a layer is a layer of its kind. Whole numbers, so that the formulas by hand are met exactly."""
    dense = DenseLayer(np.array([[1.0, -2.0], [0.0, 3.0]]), np.array([1.0, -1.0]))
    w, b, x, k = dense.weight, dense.bias, np.array([[3.0, 2.0]]), 2.0
    y = x @ w + b
    dense_by_hand = (DenseLayer(x.T @ (2 * y), 2 * y[0]), 2 * y @ w.T)
    scaled_by_hand = (Scaled(2 * k * float((x * x).sum())), 2 * k * k * x)
    z = k * y  # the chain: scaled after dense
    dy = 2 * k * z
    chained_by_hand = (
        Chained(DenseLayer(x.T @ dy, dy[0]), Scaled(2 * float((z * y).sum()))),
        dy @ w.T,
    )
    checks = []
    for layer, value, by_hand in (
        (dense, (y * y).sum(), dense_by_hand), (Scaled(k), k * k * (x * x).sum(), scaled_by_hand),
    ):  # fmt: skip
        for e in CURRIES:
            found = ccc.value_with_gradient(squares, exponential=e)(layer, x)
            checks.append((f"{type(layer).__name__} with {e.name}", close(found, (value, by_hand))))
    chain = Chained(dense, Scaled(k))
    return compared(squares, chain, x, expected=((z * z).sum(), chained_by_hand), checks=checks)


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
    Example("DenseLayer, backprop(seed)", DOCUMENT, applied_for_backpropagation),
    Example("a function over Layer", DOCUMENT, generic_over_layers),
    Example("foo, fooValueWithPullback", DOCUMENT, pullback_of_foo),
)
