"""*Differentiable functions and differentiation APIs* (Richard Wei, Dan Zheng, Marc Rasi, Parker Schuh).

"Basics" (`square`, `Vector`, what is not differentiable), "Differentiating with respect to" (`conv2d`, `Layer`,
`DenseLayer`), "Providing a custom derivative" (`sillyExp`), "Constructing a @differentiable function from a derivative"
(`multiply`), and "@differentiable functions and automatic differentiation" (`foo` and its pullback, written by hand).
"""

from __future__ import annotations

import contextlib
import io
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


# -- "There are a few reasons why differentiation can fail" --------------------------------------------------------


def add(x: float, y: float) -> float:
    """`Float(Int(x + y))`: "function is not differentiable"."""
    return float(int(x + y))


def mended(x: float, y: float) -> float:
    """"do you want to add '.withoutDerivative()'?" """
    return float(ccc.without_derivative(int(x + y)))


def not_differentiable() -> Outcome:
    """"cannot differentiate through a non-differentiable result": at its place, with what to write instead."""
    try:
        ccc.gradient(add)(1.0, 2.5)
        message = ""
    except ccc.CCCError as error:
        message = str(error)
    lines = message.splitlines()
    checks = [
        ("it is refused", lines[:1] == ["error[CC023]: derivative lost: `int` has no derivative and its result reaches "
                                        "the output"]),
        ("the caret stands under int(x + y)", any("    return float(int(x + y))" in line for line in lines) and any(
            line.endswith(" " * 17 + "^" * len("int(x + y)")) for line in lines)),
        ("its mend is withoutDerivative", lines[-1:] == ["  = help: if a zero derivative is meant, write "
                                                         "ccc.without_derivative(int(x + y))"]),
    ]  # fmt: skip
    notes = [line for line in lines if "-->" not in line]
    found = [ccc.value_with_gradient(mended, exponential=e)(1.0, 2.5) for e in CURRIES]
    agree = all(each == found[0] for each in found)
    return claimed(*found[0], expected=(3.0, (0.0, 0.0)), agree=agree, checks=checks, notes=notes)


# -- "Differentiating with respect to": conv2d ---------------------------------------------------------------------


@ccc.differentiable(wrt=("input", "filter"))
def conv2d(input: Any, filter: Any, strides: tuple[int, int], padding: str) -> Any:
    """`@differentiable(wrt: (input, filter))`: "strides and padding are not"."""
    height, width = filter.shape
    if padding == "same":
        top, left = height // 2, width // 2
        padded = np.zeros((input.shape[0] + 2 * top, input.shape[1] + 2 * left))
        padded[top : top + input.shape[0], left : left + input.shape[1]] = input
        input = padded
    rows, columns = input.shape[0] - height + 1, input.shape[1] - width + 1
    out = np.zeros((len(range(0, rows, strides[0])), len(range(0, columns, strides[1]))))
    for i in range(height):
        for j in range(width):
            out = out + input[i : i + rows : strides[0], j : j + columns : strides[1]] * filter[i, j]
    return out


def convolved_by_hand(x: Any, k: Any, strides: tuple[int, int], pad: int, seed: Any) -> tuple[Any, Any, Any]:
    """The output, and the cotangents of input and filter, entry by entry."""
    padded, out = np.pad(x, pad), np.zeros(seed.shape)
    dx, dk = np.zeros(padded.shape), np.zeros(k.shape)
    for a, b in np.ndindex(*seed.shape):
        for i, j in np.ndindex(*k.shape):
            at = (a * strides[0] + i, b * strides[1] + j)
            out[a, b] += padded[at] * k[i, j]
            dx[at] += seed[a, b] * k[i, j]
            dk[i, j] += seed[a, b] * padded[at]
    return out, dx[pad : pad + x.shape[0], pad : pad + x.shape[1]], dk


def convolution() -> Outcome:
    """The pullback of conv2d gives the cotangents of input and filter, and of nothing else."""
    x, k = np.arange(30.0).reshape(5, 6) % 7, np.array([[1.0, -2.0, 0.0], [3.0, 1.0, 1.0], [0.0, 2.0, -1.0]])
    checks = []
    found: tuple[Any, Any] = (None, None)
    expected = found
    for strides, padding, size, pad in (((1, 1), "valid", (3, 4), 0), ((2, 2), "same", (3, 3), 1)):
        seed = np.arange(float(size[0] * size[1])).reshape(size) - 3.0
        out, *slopes = convolved_by_hand(x, k, strides, pad, seed)
        expected = (out, tuple(slopes))
        for e in CURRIES:
            value, pullback = ccc.value_with_pullback(conv2d, exponential=e)(x, k, strides, padding)
            found = (value, pullback(seed))
            checks.append((f"{strides}, {padding} with {e.name}", close(found, expected)))
    return claimed(*found, expected=expected, agree=all(holds for _, holds in checks), checks=checks)


# -- "Providing a custom derivative" -------------------------------------------------------------------------------


def silly_exp(x: Any) -> Any:
    e = np.float32(math.e)
    print(f"Taking 𝑒({e!s}) to the power of {x!s}!")
    return e**x


@ccc.derivative_of(silly_exp)
def silly_derivative(x: Any) -> Any:
    y = silly_exp(x)
    return y, lambda v: v * y


def custom_derivative() -> Outcome:
    """`print(gradient(of: sillyExp)(3))`: "Taking 𝑒(2.7182817) to the power of 3.0!" and "20.085535"."""
    x = np.float32(3.0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        gradient = ccc.gradient(silly_exp)(x)
        again = printed.getvalue()
        value = silly_exp(x)
        slopes = [ccc.gradient(silly_exp, exponential=e)(x) for e in CURRIES]
        second = ccc.gradient(ccc.gradient(silly_exp))(x)
    checks = [
        ("it is said once that the power is taken", again == "Taking 𝑒(2.7182817) to the power of 3.0!\n"),
        ("20.085535, up to the last of 32 bits", abs(float(gradient) - 20.085535) < 4e-6),
        ("it has 32 bits", type(gradient) is np.float32),
        ("the derivative of the derivative is the same", second == gradient),
    ]
    return claimed(value, gradient, expected=(value, value), agree=all(s == gradient for s in slopes), checks=checks,
                   notes=[again.rstrip("\n")])  # fmt: skip


# -- "Constructing a @differentiable function from a derivative" ---------------------------------------------------

multiply = ccc.differentiable_function(lambda x, y: (x * y, lambda v: (v * y, v * x)))


def multiplied(x: float, y: float) -> float:
    return multiply(x, y)


def function_from_its_derivative() -> Outcome:
    """`differentiableFunction(from: { x, y in (value: x * y, pullback: { v in (v * y, v * x) }) })`."""
    checks = [
        ("it is a function", multiply(2.0, 3.0) == 6.0),
        ("its pullback is the one given", ccc.pullback(multiply)(2.0, 3.0)(10.0) == (30.0, 20.0)),
        ("with respect to y", ccc.gradient(multiply, wrt=1)(2.0, 3.0) == 2.0),
        ("in forward mode", ccc.value_with_differential(multiply)(2.0, 3.0)[1](1.0, 10.0) == 23.0),
        ("of second order", ccc.hessian(lambda v: multiply(v[0], v[1]))(np.array([2.0, 3.0])).tolist() == [
            [0.0, 1.0], [1.0, 0.0]]),
    ]  # fmt: skip
    return compared(multiplied, 2.0, 3.0, expected=(6.0, (3.0, 2.0)), checks=checks)


EXAMPLES = (
    Example("square", DOCUMENT, gradient_of_square),
    Example("Vector.magnitude", DOCUMENT, gradient_of_magnitude),
    Example("DenseLayer, backprop(seed)", DOCUMENT, applied_for_backpropagation),
    Example("a function over Layer", DOCUMENT, generic_over_layers),
    Example("foo, fooValueWithPullback", DOCUMENT, pullback_of_foo),
    Example("Float(Int(x + y))", DOCUMENT, not_differentiable),
    Example("conv2d, wrt: (input, filter)", DOCUMENT, convolution),
    Example("sillyExp", DOCUMENT, custom_derivative),
    Example("multiply, from its derivative", DOCUMENT, function_from_its_derivative),
)
