"""What machine code covers: each construct against the NumPy target: values, gradients and errors, at several sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
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


@cache
def transform(verb: Any, f: Callable[..., Any], backend: str) -> Any:
    return verb(f, backend=backend)


def agrees(f: Callable[..., Any], *args: Any, leaves: bool = False) -> None:
    """Value and gradient in machine code are those of the NumPy target, and so are errors. Nothing is left to that but
    what raises, and where the test says so."""
    for verb in (ccc.value_with_gradient, ccc.compiled):
        native = transform(verb, f, "native")
        expected, found = outcome(transform(verb, f, "numpy"), args), outcome(native, args)
        assert expected == found if raised(expected) else close(expected, found), (expected, found)
        codes = [code for codes in native.codes.values() for code in codes]
        assert not any(code.left_to for code in codes), [code.left_to for code in codes]
        kernel = getattr(codes[-1].call, "kernel", None)
        if kernel is not None and len(codes) == 1:
            assert (kernel(*args) is NotImplemented) is (leaves or raised(expected)), "left when it ran"


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


# -- slices and ranges whose step is computed, and lists made of lists -------------------------------------------------


def stepped(x: np.ndarray, a: int, b: int, step: int) -> Any:
    s = 0.0
    for i in range(a, b, step):
        s += i * x[0]
    return s + np.sum(x[a:b:step] ** 2) + np.sum(x[::step]) * 0.5


def stepped_lists(xs: list[float], a: int, b: int, step: int) -> Any:
    ys = xs[a:b:step]
    zs = xs[::-1] + xs[::2] + ys
    return sum(y * y for y in ys) + sum([z * xs[0] for z in zs])


STEPS = [(0, 7, 1), (0, 7, 2), (7, 0, -1), (7, 0, -3), (-1, -9, -2), (2, 5, 100), (5, 2, 1), (-100, 100, 3), (0, 7, 0)]


@pytest.mark.parametrize("given", STEPS)
@pytest.mark.parametrize("n", [1, 2, 7, 9])
def test_steps_that_are_computed(n: int, given: tuple[int, int, int]) -> None:
    agrees(stepped, vector(n), *given)
    agrees(stepped_lists, vector(n).tolist(), *given)


def of_lists(xs: list[float], n: int) -> Any:
    rows = [[x * y for y in xs] for x in xs]
    a, b = np.array(rows), np.array([x * x for x in xs])
    pairs = np.stack([b * k for k in range(n)])
    joined = np.concatenate([b[:k] * k for k in range(1, n + 1)])
    return np.sum(a @ b) + np.sum(pairs * pairs) + np.sum(joined**2) + math.fsum(xs) * sum(xs)


def sorted_lists(xs: list[float]) -> Any:
    best = sorted(xs)
    worst = sorted(xs, reverse=True)
    by_size = sorted(xs, key=lambda x: x * x)
    return best[0] * worst[0] + sum(k * x * x for k, x in enumerate(by_size)) + best[-1] * xs[0]


@pytest.mark.parametrize("n", SIZES[1:])
def test_lists_made_of_lists(n: int) -> None:
    agrees(of_lists, vector(n).tolist(), 3)
    agrees(sorted_lists, vector(n).tolist())


# -- orders ------------------------------------------------------------------------------------------------------------


def orders(x: np.ndarray, y: np.ndarray) -> Any:
    k = np.argsort(x)
    places = np.searchsorted(np.sort(x), y)
    a = np.sort(np.outer(x, y), axis=0)
    weights = np.arange(len(x)) * 1.0
    return np.sum(np.sort(x) * weights) + np.sum(x[k] * weights**2) + np.sum(a[0]) * 0.5 + np.sum(y * places)


def statistics(x: np.ndarray) -> Any:
    return np.median(x) * np.quantile(x, 0.3) + np.percentile(x, 80.0) ** 2


@pytest.mark.parametrize("n", SIZES)
def test_orders(n: int) -> None:
    agrees(orders, vector(n), vector(3, 1))
    agrees(statistics, vector(n))


def test_orders_of_equal_items_and_of_what_is_no_number() -> None:
    agrees(orders, np.array([1.0, 2.0, 1.0, 1.0]), vector(3), leaves=True)
    x = np.array([1.0, math.nan, -1.0, 3.0, math.nan])
    assert np.array_equal(ccc.compiled(lambda x: np.sort(x), backend="native")(x), np.sort(x), equal_nan=True)
    agrees(lambda x: sorted(x)[0], [1.0, 1.0, -2.0])


def bands(a: np.ndarray, b: np.ndarray) -> Any:
    total = np.zeros(b.shape)
    for i in range(a.shape[1]):
        total += a[:, i : i + 1] * b
    return np.sum((total + a[:, 0:1]) ** 2)


def test_a_slice_of_one_item_is_broadcast() -> None:
    args = vector(12).reshape(4, 3), vector(20, 1).reshape(4, 5)
    native = transform(ccc.compiled, bands, "native")
    assert close(bands(*args), native(*args))
    assert code_of(native).call.kernel(*args) is not NotImplemented
    agrees_on_gradient = ccc.gradient(bands, backend="native")(*args), ccc.gradient(bands, backend="numpy")(*args)
    assert close(*agrees_on_gradient)
