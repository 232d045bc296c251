"""What machine code covers: each construct against the NumPy target: values, gradients and errors, at several sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from test_native_programs import close, code_of

import ccc

pytest.importorskip("llvmlite")

SIZES = (0, 1, 2, 7, 8, 9, 33)


def vector(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(n + 100 * seed).normal(size=n)


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a call gives, or how it fails."""
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error)


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """Value and gradient in machine code are those of the NumPy target, and so are errors; nothing was left."""
    native, plain = ccc.value_with_gradient(f, backend="native"), ccc.value_with_gradient(f)
    expected, found = outcome(plain, args), outcome(native, args)
    assert expected == found if raised(expected) else close(expected, found), (expected, found)
    value, other = ccc.compiled(f, backend="native"), ccc.compiled(f)
    expected, found = outcome(other, args), outcome(value, args)
    assert expected == found if raised(expected) else close(expected, found), (expected, found)
    assert not code_of(native).left_to and not code_of(value).left_to, (code_of(native).left_to, code_of(value).left_to)


def raised(found: Any) -> bool:
    return isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], type)


# -- what raises ---------------------------------------------------------------------------------------------------


def checked_root(x: float, n: int) -> float:
    if x < 0.0:
        raise ValueError(f"no root of {x}")
    for i in range(n):
        if i > 3:
            raise KeyError(i)
        x = math.sqrt(x + i)
    return x


def asserted(x: np.ndarray) -> Any:
    assert len(x) > 1, "too short"
    total = 0.0
    for i in range(len(x)):
        if x[i] > 2.5:
            raise ArithmeticError
        total += x[i] * x[i]
    return total


def perhaps_unbound(x: float, n: int) -> float:
    for i in range(n):
        last = x * i
    return last * x


def recursive(x: float, n: int) -> float:
    if n == 3:
        raise NotImplementedError("three")
    return x if n == 0 else x * recursive(x, n - 1)


@pytest.mark.parametrize(("f", "args"), [
    (checked_root, (2.0, 3)), (checked_root, (-2.0, 3)), (checked_root, (2.0, 6)), (asserted, (np.arange(3.0),)),
    (asserted, (np.arange(1.0),)), (asserted, (np.arange(9.0),)), (perhaps_unbound, (2.0, 2)),
    (perhaps_unbound, (2.0, 0)), (recursive, (1.5, 2)), (recursive, (1.5, 5)),
])  # fmt: skip
def test_what_raises(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


# -- one of several alternatives -----------------------------------------------------------------------------------


@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float
    count: int


def area(shape: Any) -> float:
    if isinstance(shape, Circle):
        return math.pi * shape.radius**2
    return shape.width * shape.height * shape.count


def of_shapes(x: float, y: float) -> float:
    shape = Circle(x) if x < y else Box(x, y, 3)
    other = Box(y, 2.0 * x, 2) if x > 0.0 else Circle(y)
    return area(shape) * area(other)


def perhaps_none(x: float, n: int) -> float:
    best = None
    for i in range(n):
        y = math.sin(x * i)
        if best is None or y > best:
            best = y
    return 0.5 * x if best is None else best * x


def chosen_function(x: float, n: int) -> float:
    def scaled(a: float) -> float:
        return a * x

    def moved(a: float) -> float:
        return a + x * x

    f = scaled if n > 2 else moved
    return f(x) * f(2.0)


@pytest.mark.parametrize(("f", "args"), [
    (of_shapes, (1.0, 2.0)), (of_shapes, (2.0, 1.0)), (of_shapes, (-2.0, 1.0)), (perhaps_none, (0.7, 0)),
    (perhaps_none, (0.7, 1)), (perhaps_none, (0.7, 9)), (chosen_function, (0.7, 2)), (chosen_function, (0.7, 3)),
])  # fmt: skip
def test_one_of_several_alternatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_a_saddle_point_by_nested_descent() -> None:
    from benchmarks.programs import saddle

    for f in (saddle.saddle_rr, saddle.saddle_rf, saddle.saddle_fr, saddle.saddle_ff):
        native = ccc.compiled(f, backend="native")
        assert close(ccc.compiled(f)((1.0, 1.0)), native((1.0, 1.0)))
        assert not code_of(native).left_to
