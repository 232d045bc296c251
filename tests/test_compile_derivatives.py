"""Derivatives of programs written by hand: loops, branches, indexing, closures, and derivatives inside programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import EPS, EXPONENTIALS, agrees, close, dot, numbers, tangents

import ccc


def check(f: Callable[..., Any], *args: Any, exponentials: Any = EXPONENTIALS) -> None:
    """All that `agrees` compares; the pullback at several seeds, in any order; second order both ways."""
    agrees(f, *args, exponentials=exponentials)
    gradient = ccc.gradient(f)(*args)
    for name in exponentials:
        value, pullback = ccc.value_with_pullback(f, exponential=getattr(ccc, name)())(*args)
        assert value == f(*args)
        for seed in (1.0, -2.5, 0.0, 1.0):
            found, expected = list(numbers(pullback(seed))), [seed * c for c in numbers(gradient)]
            scale = 1 + max(map(abs, expected), default=0.0)
            assert all(close(a, b, 256 * EPS * scale) for a, b in zip(found, expected, strict=True)), (name, seed)
    check_second(f, *args)


def check_second(f: Callable[..., Any], *args: Any) -> None:
    """The Hessian is symmetric, and the same forward over reverse and reverse over reverse."""
    size = len(list(numbers(args)))
    along, weights = [1.0 / (1 + i) for i in range(size)], [math.cos(2.0 * i) for i in range(size)]
    given = [tuple(tangents(args, d)) if len(args) > 1 else tangents(args, d)[0] for d in (along, weights)]
    _, differential = ccc.value_with_differential(ccc.gradient(f))(*args)
    _, pullback = ccc.value_with_pullback(ccc.gradient(f))(*args)
    forward, reverse = [], []
    for direction in given:
        forward.append(list(numbers(differential(*direction) if len(args) > 1 else differential(direction))))
        reverse.append(list(numbers(pullback(direction))))
    for a, b in zip(forward, reverse, strict=True):
        scale = 1 + max(map(abs, a))
        assert all(close(x, y, 1024 * EPS * scale) for x, y in zip(a, b, strict=True)), (a, b)
    one, other = dot(forward[0], weights), dot(forward[1], along)
    assert close(one, other, 1024 * EPS * (1 + abs(one)) * size), "the Hessian is not symmetric"


# -- loops, branches, indexing -----------------------------------------------------------------------------------


def indexed(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i] * math.sin(x[i])
    return s


def nested(x, y):
    s = 0.0
    for i in range(3):
        t = x
        for _ in range(i + 1):
            t = t * y + math.cos(x)
        s = s + t * t
    return s


def branching(x, xs):
    s = 0.0
    for v in xs:
        if v > 0:
            s = s + x * v * math.sin(s)
        else:
            u = v * v
            s = s - u * x
    return s


def conditional_items(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i] ** 2
    return s


def nested_items(a, x):
    s = 0.0
    for i in range(3):
        t = 0.0
        for j in range(2):
            if a[i, j] > 0.2:
                t += a[i, j] * x[j]
        s += t * t
    return s


def rows(a, w):
    s = 0.0
    for row in a:
        s = s + np.sum(row * w) ** 2
    return s


def layers(a, x):
    h = x
    for _ in range(3):
        h = np.tanh(a @ h + 0.1)
    return np.sum(h)


def zipped(xs, ys):
    s = 1.0
    for i, (a, b) in enumerate(zip(xs, ys)):  # noqa: B905 - the lists differ in length
        s = s * (a + i * b)
    return s


def carried(x):
    y = x
    for _ in range(3):
        y, x = x * 0.5, y + x * x
    return y * x


def crossed(x, y, n):
    for i in range(n):
        if x > y:
            y, x = x, x + y * y * 0.1
        else:
            x = math.sin(x) + i * y
    return x * y


def steps(x, n):
    s = x
    for _ in range(n):
        s = s * 0.5 if s > 2.0 else s * s + 0.3
    return s


def returns(x):
    if x > 1:
        return x * x
    elif x > 0:
        return math.exp(x)
    return -x


def broadcast(x, y):
    return np.sum((x[:, None] * y[None, :]) ** 2) / np.mean(y)


def slices(x):
    return np.sum(x[1:] * x[:-1]) + x[0] * x[-1]


def packed(x, y):
    v = np.array([x, y, x * y])
    return np.dot(v, v) + np.max(v)


def windows(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += np.sum(x[i : i + 2]) ** 2 * x[-1 - i]
    return s


def swept(x, a):
    for row in a:
        if np.sum(row) > 0:
            x = x * row[0] + np.max(row)
        for i in range(len(row)):
            x = x + row[i] * x * 0.1
    return x


A = np.arange(6.0).reshape(3, 2) / 5.1 - 0.3
V = np.array([0.3, -0.5, 0.7])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (indexed, (V,)), (nested, (0.4, 0.6)), (branching, (0.4, [0.3, -0.2, 0.7, -0.1])), (conditional_items, (V,)),
    (nested_items, (A, np.array([0.5, -0.7]))), (rows, (A, np.array([0.5, -0.5]))),
    (layers, (np.arange(9.0).reshape(3, 3) / 10, V)), (zipped, ([0.5, 0.6, 0.7], [0.2, 0.3, 0.4, 0.9])),
    (carried, (0.3,)), (crossed, (0.3, 0.2, 4)), (crossed, (0.1, 0.4, 3)), (steps, (0.9, 7)), (returns, (2.0,)),
    (returns, (0.5,)), (returns, (-1.0,)), (broadcast, (np.array([1.0, 2.0]), np.array([0.5, 1.0, 3.0]))),
    (slices, (V,)), (packed, (1.5, 2.5)), (windows, (V,)), (swept, (0.7, A)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_loops_branches_and_indices(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


@pytest.mark.parametrize("f", [steps, lambda x, n: crossed(x, 0.2, n)])
def test_a_loop_that_runs_zero_times(f: Callable[..., Any]) -> None:
    check(f, 0.9, 0)


def test_a_loop_over_nothing() -> None:
    check(branching, 0.4, [0.3])
    assert ccc.gradient(indexed)(np.zeros(0)).shape == (0,)
    x, rows_ = ccc.gradient(swept)(0.7, np.zeros((0, 2)))
    assert x == 1.0 and rows_.shape == (0, 2)


# -- closures ----------------------------------------------------------------------------------------------------


def chosen(x, y):
    f = (lambda t: t * y) if x > 0 else (lambda t: t + y * y)
    return f(x) * f(y)


def cell(w, x):
    def step(h, u):
        return math.tanh(w * h + u)

    def twice(f, h, u):
        return f(f(h, u), u)

    s = 0.1
    for k in range(4):
        s = twice(step, s, x * k)
    return s


def made_in_a_loop(x, xs):
    s = 0.0
    for v in xs:
        def g(t):
            return t * v + x * s  # noqa: B023 - called in the run that made it
        s = s + math.sin(g(g(v)))
    return s


def rebound(x):
    y = x

    def g(t):
        return t * y

    first = g(2.0)
    y = x * x
    return first + g(3.0)


def called_in_branches(x, y):
    def g(t):
        return x * t

    if g(y) > 0.3:
        return g(y) * y
    return g(x) + g(y)


def composed(x, y):
    def compose(f, g):
        return lambda t: g(f(t))

    h = compose(lambda t: t * x, lambda t: math.exp(y) + t)
    pair = (h, compose(h, h))
    return pair[0](y) * pair[1](x)


def in_zero_loops(x, n):
    def g(t):
        return t * x

    s = x
    for _ in range(n):
        s = g(s) + 1.0
    return s


CLOSURES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (chosen, (0.5, 0.7)), (chosen, (-0.5, 0.7)), (cell, (0.5, 0.3)), (made_in_a_loop, (0.4, [0.3, -0.2, 0.6])),
    (rebound, (0.7,)), (called_in_branches, (0.5, 0.9)), (called_in_branches, (0.5, 0.1)), (composed, (0.5, 0.7)),
    (in_zero_loops, (0.5, 0)), (in_zero_loops, (0.5, 5)),
]


@pytest.mark.parametrize(("f", "args"), CLOSURES, ids=lambda x: getattr(x, "__name__", ""))
def test_closures(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


# -- derivatives inside programs ---------------------------------------------------------------------------------


def confused_sum(x):
    return x * ccc.derivative(lambda y: x + y)(1.0)


def confused_product(x):
    return x * ccc.derivative(lambda y: x * y)(2.0)


def confused_thrice(x):
    return ccc.derivative(lambda y: y * ccc.derivative(lambda z: x * y * z)(3.0))(x)


def inner(x, y):
    def h(z):
        return z * z * x + math.sin(z * y)

    return ccc.gradient(h)(x * y) * y


def descent(target, rate):
    def loss(p):
        return (p * p - target) ** 2

    p = 1.0
    for _ in range(5):
        p = p - rate * ccc.gradient(loss)(p)
    return p


def of_two(x, y):
    dx, dy = ccc.gradient(lambda a, b: a * a * b * y)(x, y)
    return dx * dy


def of_an_array(x):
    g = ccc.gradient(lambda v: np.sum(v * v * v))(x)
    return np.dot(g, x)


def in_a_branch(x):
    if x > 0:
        return ccc.derivative(lambda t: t * t * x)(x)
    return x


def fourth(x):
    return x**4


fourth_derivative = ccc.derivative(fourth)


def uses_a_derivative(x):
    return fourth_derivative(x) * x


INSIDE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (confused_sum, (1.0,)), (confused_product, (1.0,)), (confused_thrice, (0.7,)), (inner, (0.5, 0.7)),
    (descent, (2.0, 0.05)), (of_two, (0.5, 0.7)), (of_an_array, (V,)), (in_a_branch, (0.5,)), (in_a_branch, (-0.5,)),
    (uses_a_derivative, (1.5,)),
]


@pytest.mark.parametrize(("f", "args"), INSIDE, ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_inside_programs(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_perturbations_are_not_confused() -> None:
    assert ccc.gradient(confused_sum)(1.0) == 1.0  # d/dx (x * 1)
    assert ccc.gradient(confused_product)(1.0) == 2.0  # d/dx (x * x)
    assert ccc.gradient(confused_thrice)(0.7) == pytest.approx(4 * 0.7, rel=4 * EPS)  # d/dy (y * x * y) at y = x
    assert ccc.derivative(confused_sum)(1.0) == 1.0
    assert ccc.derivative(confused_product)(1.0) == 2.0


def test_derivatives_nest() -> None:
    d = ccc.derivative
    assert d(d(d(d(fourth))))(1.7) == 24.0
    assert ccc.gradient(d(ccc.gradient(fourth)))(2.0) == 48.0


def test_a_derivative_of_each_order_of_a_loop() -> None:
    def f(x):
        s = 1.0
        for _ in range(5):
            s = s * x
        return s

    g: Any = f
    for factor, power in ((5, 4), (20, 3), (60, 2), (120, 1), (120, 0)):
        g = ccc.gradient(g)
        assert g(2.0) == factor * 2.0**power


def added(xs: Any) -> Any:
    s = 0.0
    for x in xs:
        s = s + x
    return s


def some(xs: Any) -> Any:
    """The sum of some of the items, of which there may be none."""
    return added([x for x in xs if np.sum(x) > 0.0])


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_result_that_is_an_array_when_it_runs_has_no_gradient(backend: str):
    """It raised NumPy's error of a step, or gave the gradient of the sum."""
    rows = [np.ones(2), np.ones(2)]
    for f in (added, lambda xs: added(xs) * 2.0, lambda xs: added([x * x for x in xs])):
        with pytest.raises(TypeError, match=r"error\[CC026\]: gradient needs a scalar result; `.*` returned an array"):
            ccc.gradient(f, backend=backend)(rows)
    for f in (some, lambda xs: some(xs) * 2.0):
        with pytest.raises(TypeError, match=r"error\[CC026\]: a scalar result is needed; it has the shape \(2,\)"):
            ccc.gradient(f, backend=backend)(rows)
    with pytest.raises(TypeError, match=r"it has the shape \(2,\)"):
        ccc.gradient(lambda xs: (some(xs), 0.0), has_aux=True, backend=backend)(rows)
    assert ccc.gradient(added, backend=backend)([1.0, 2.0]) == [1.0, 1.0]
    for ct in ccc.gradient(lambda xs: np.sum(added(xs)), backend=backend)(rows):
        assert ct.tolist() == [1.0, 1.0]
