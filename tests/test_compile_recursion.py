"""Recursive functions: values, gradients under every exponential, second order; types by fixed point."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
import ccc.compile.diagnostics


def power(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * power(x, n - 1)


def rnn(xs: list[float], w: float) -> float:
    def go(i: int, state: float) -> float:
        if i < len(xs):
            return go(i + 1, math.tanh(w * state + xs[i]))
        else:
            return state

    return go(0, 0.1)


def even(n: int, x: float) -> float:
    return x if n == 0 else odd(n - 1, x * 1.1)


def odd(n: int, x: float) -> float:
    return -x if n == 0 else even(n - 1, x * x)


def fib(n: int, x: float) -> float:
    if n < 2:
        return x * n
    return fib(n - 1, x) + fib(n - 2, x) * x


def det(A: np.ndarray) -> float:
    n = len(A)
    if n == 1:
        return A[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.concatenate([A[1:, :j], A[1:, j + 1:]], axis=1)
        total = total + (-1) ** j * A[0, j] * det(minor)
    return total


def branching(x: float, n: int) -> float:
    if n <= 0:
        return math.sin(x)
    total = 0.0
    for _ in range(n):
        total = total + branching(x * 0.5, n - 2) * x
    return total


def pairs(x: float, n: int) -> float:
    def go(k: int, state: tuple[float, float]) -> tuple[float, float]:
        a, b = state
        return (a, b) if k == 0 else go(k - 1, (b * x, a + b))

    a, b = go(n, (1.0, x))
    return a * b


def widened(x: float, n: int) -> float:
    def go(k: int, total: float) -> float:
        return total if k == 0 else go(k - 1, total + x * k)

    return go(n, 0)


def over_closure(x: float, n: int) -> float:
    step = lambda t: t * x + 0.1  # noqa: E731

    def go(k: int, t: float) -> float:
        if k <= 0:
            return t
        return go(k - 1, step(t))

    return go(n, x) + go(n - 1, 2.0 * x)


def along(x: np.ndarray, i: int) -> float:
    return 0.0 if i == len(x) else x[i] ** 2 * math.sin(i) + along(x, i + 1)


def twice(x: np.ndarray, n: int) -> float:
    if n == 0:
        return np.sum(np.sin(x))
    return twice(x, n - 1) * x[0] + twice(x * 0.5, n - 1) + np.sum(x * x)


def swapped(x: np.ndarray, y: np.ndarray, n: int) -> float:
    if n <= 0:
        return np.sum(x * y)
    return swapped(y, x, n - 1) * 0.5 + swapped(x, y, n - 2) + swapped(x, x * y, n - 3)


def over_rows(A: np.ndarray, n: int) -> float:
    def go(r: np.ndarray, k: int) -> float:
        return r[0] * r[-1] if k == 0 else go(r, k - 1) + r[k - 1] * np.sum(r)

    total = 0.0
    for row in A:
        total += go(row, n)
    return total + go(A[0], n) * go(2.0 * A[0], n + 1)


def of_its_tail(x: np.ndarray, n: int) -> float:
    return x[0] if n == 0 else of_its_tail(x, n - 1) + of_its_tail(x[1:], n - 1) * x[1]


MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.7, 0.1, 1.2]])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (power, (1.1, 5)), (power, (1.1, 0)), (rnn, ([0.1, 0.5, 0.3], 0.7)), (rnn, ([0.4], 0.7)), (even, (4, 0.9)),
    (even, (3, 0.9)), (fib, (6, 0.5)), (det, (MATRIX,)), (branching, (0.7, 4)), (pairs, (0.6, 4)), (widened, (0.7, 4)),
    (over_closure, (0.8, 3)), (along, (MATRIX[0], 0)), (twice, (MATRIX[1], 3)), (swapped, (MATRIX[1], MATRIX[2], 4)),
    (over_rows, (MATRIX, 2)), (of_its_tail, (MATRIX[0], 2)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_recursive_function_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_the_code_holds_one_forward_and_one_backward_function() -> None:
    assert ccc.explain(power, 1.1, 5).code == """\
def power_gradient(x, n):
    def power2(t, t2):
        t3 = t2 == 0
        if t3:
            t4 = 1.0
            t5 = None
            tape = None
        else:
            t6 = t2 - 1
            t5, tape, = power2(t, t6)
            t4 = t * t5
        tape2 = (t3, t5, t, tape)
        return (t4, tape2)
    def power_pullback(tape3, ct):
        tape4 = tape3[3]
        t7 = tape3[2]
        t8 = tape3[1]
        t9 = tape3[0]
        if t9:
            t10 = 0.0
        else:
            t11 = ct * t8
            t12 = ct * t7
            t13 = power_pullback(tape4, t12)
            t10 = t11 + t13
        return t10
    t14, tape5, = power2(x, n)
    dx = power_pullback(tape5, 1.0)
    return (dx, 0.0)"""


def test_the_cotangent_of_an_array_that_is_passed_on_is_summed_in_place() -> None:
    code = ccc.explain(along, MATRIX[0], 0).code
    pullback, call = code[code.index("def along_pullback"):].split("\n        return", 1)
    assert "zeros_like" not in pullback
    assert call.count("zeros_like") == 1


def test_a_recursion_ignores_warnings_once_and_not_in_each_activation() -> None:
    def overflowing(x: np.ndarray, n: int) -> float:
        return np.sqrt(x[0]) if n == 0 else overflowing(x, n - 1) * x[1]

    assert ccc.explain(overflowing, MATRIX[0], 2).code.count("errstate") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ccc.gradient(overflowing, wrt=0)(np.array([0.0, 1e200]), 2)[0] == math.inf


def test_the_determinant_has_the_cofactors_as_its_gradient() -> None:
    gradient = ccc.gradient(det)(MATRIX)
    np.testing.assert_allclose(gradient, np.linalg.det(MATRIX) * np.linalg.inv(MATRIX).T, rtol=1e-12)


def test_one_compilation_serves_every_depth() -> None:
    gradient = ccc.gradient(power, wrt=0)
    for n in (1, 2, 7, 30):
        assert math.isclose(gradient(1.1, n), n * 1.1 ** (n - 1), rel_tol=1e-12)
    assert len(gradient.codes) == 1  # type: ignore[attr-defined]


def test_a_function_that_never_returns_is_refused() -> None:
    def forever(x: float) -> float:
        return forever(x * 0.5)

    with pytest.raises(ccc.compile.diagnostics.CompileError, match="never returns without calling itself"):
        ccc.gradient(forever)(1.0)


def test_functions_that_grow_with_the_recursion() -> None:
    def grow(n: int, k: Callable[[float], float]) -> float:
        return k(1.0) if n == 0 else grow(n - 1, lambda t: k(t) + t)

    def f(x: float, n: int) -> float:
        return grow(n, lambda t: t * x)

    agrees(f, 1.5, 3)
