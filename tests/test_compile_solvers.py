"""Solvers with the derivative of what they solve: differences, both modes, second order, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import TypeMismatch, WrongArguments

A, B = np.array([[2.0, 0.3], [0.1, 1.5]]), np.array([1.0, 2.0])


def off(x: Any, a: Any, b: Any) -> Any:
    return a @ x + 0.1 * x**3 - b


@ccc.implicit(off)
def solved(a: Any, b: Any) -> Any:
    x = np.zeros(2)
    for _ in range(8):
        x = x - np.linalg.solve(a + np.diag(0.3 * x * x), off(x, a, b))
    return x


def squares(a: Any, b: Any) -> Any:
    return np.sum(solved(a, b) ** 2)


def test_arrays_agree_with_differences_in_both_modes_and_orders():
    da, db = ccc.gradient(squares)(A, B)
    value, along = ccc.value_with_differential(squares)(A, B)
    assert value == squares(A, B)
    for e in np.eye(2):
        slope = (squares(A, B + 1e-6 * e) - squares(A, B - 1e-6 * e)) / 2e-6
        np.testing.assert_allclose([db @ e, along(np.zeros((2, 2)), e)], slope, rtol=1e-8)
        for d in np.eye(2):
            da_e = np.outer(e, d)
            slope = (squares(A + 1e-6 * da_e, B) - squares(A - 1e-6 * da_e, B)) / 2e-6
            np.testing.assert_allclose([np.sum(da * da_e), along(da_e, np.zeros(2))], slope, rtol=1e-7)
    bend = ccc.hessian(squares, argnums=1)(A, B)
    slopes = [ccc.gradient(squares, wrt=1)(A, B + 1e-6 * e) - ccc.gradient(squares, wrt=1)(A, B - 1e-6 * e)
              for e in np.eye(2)]
    np.testing.assert_allclose(bend, np.array(slopes) / 2e-6, rtol=1e-6)


def newton(f: Callable[[Any], Any], x: Any) -> Any:
    while abs(f(x)) > 1e-13:
        x = x - f(x) / ccc.derivative(f)(x)
    return x


root = ccc.implicit(lambda x, f, start: f(x))(newton)


def test_functions_that_read_what_is_differentiated_are_arguments():
    def f(a: Any, b: Any) -> Any:
        return root(lambda x: x * x * b - a, 1.0)

    assert f(2.0, 0.5) == pytest.approx(2.0)
    for backend in ("numpy", "native"):
        np.testing.assert_allclose(ccc.gradient(f, backend=backend)(2.0, 0.5), (0.5, -2.0), rtol=1e-12)
    np.testing.assert_allclose(ccc.hessian(lambda a: f(a, 0.5))(2.0), -0.125, rtol=1e-12)


@ccc.implicit(lambda x, a: np.cos(x) - a * x)
def bisected(a) -> float:
    """What cannot be read is called."""
    low, high = eval("0.0, 2.0")
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if math.cos(middle) > a * middle else (low, middle)
    return low


def test_a_solver_that_cannot_be_read_has_both_modes_and_orders():
    x = bisected(1.3)
    slope = -x / (math.sin(x) + 1.3)
    assert ccc.gradient(bisected)(1.3) == pytest.approx(slope, rel=1e-12)
    assert ccc.value_with_differential(bisected)(1.3)[1](2.0) == pytest.approx(2.0 * slope, rel=1e-12)
    bend = (ccc.gradient(bisected)(1.3 + 1e-5) - ccc.gradient(bisected)(1.3 - 1e-5)) / 2e-5
    assert ccc.gradient(ccc.gradient(bisected))(1.3) == pytest.approx(bend, rel=1e-7)


def test_structures_keep_their_integers():
    @ccc.implicit(lambda x, p: {"u": x["u"] ** 2 - p["c"] + np.sum(x["w"]), "w": 2.0 * x["w"] - x["u"] * p["d"]})
    def both(p: Any) -> Any:
        s = np.sum(p["d"]) / 2.0
        u = (-s + np.sqrt(s * s + 4.0 * p["c"])) / 2.0
        return {"u": u, "w": u * p["d"] / 2.0, "steps": 7}

    def f(c: Any) -> Any:
        x = both({"c": c, "d": np.array([0.5, 1.0])})
        return x["u"] * x["w"][0] * x["w"][1] * x["steps"]

    assert ccc.gradient(f)(1.5) == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-8)
    assert ccc.derivative(f)(1.5) == pytest.approx(ccc.gradient(f)(1.5), rel=1e-12)


class Curve:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    @ccc.implicit(lambda x, curve, a: curve.rate * x * x - a)
    def solve(self, a: Any) -> Any:
        return newton(lambda x: self.rate * x * x - a, 1.0)


def test_a_solver_is_made_in_a_program():
    def f(a: Any) -> Any:
        return ccc.implicit(lambda x, b: x * x - a * b)(lambda b: newton(lambda x: x * x - a * b, 1.0))(2.0)

    assert ccc.gradient(f)(2.0) == pytest.approx(0.5, rel=1e-12)


def test_a_method_solves():
    curve = Curve(0.5)
    for f in (curve.solve, lambda a: curve.solve(a)):
        assert ccc.gradient(f)(2.0) == pytest.approx(0.5, rel=1e-12)
    assert ccc.gradient(lambda curve, a: curve.solve(a))(curve, 2.0)[0].rate == pytest.approx(-2.0, rel=1e-12)
    assert repr(solved) == "implicit(solved)" and solved.__wrapped__ is not None


def test_what_is_no_equation_is_refused():
    with pytest.raises(WrongArguments, match="implicit takes the residual, a function, found float"):
        ccc.implicit(2.0)  # type: ignore[arg-type]
    pair = ccc.implicit(lambda x, a: (x, x))(lambda a: a)
    with pytest.raises(TypeMismatch, match=r"the residual of `<lambda>` gives \(a real number, a real number\)"):
        ccc.gradient(lambda a: pair(a))(1.0)
    nothing = ccc.implicit(lambda x, a: x)(lambda a: 3)
    with pytest.raises(TypeMismatch, match="which is no solution"):
        ccc.gradient(lambda a: nothing(a) * a)(1.0)
    flat = ccc.implicit(lambda x, a: 0.0 * x - a)(lambda a: np.array([a, a]))
    with pytest.raises(np.linalg.LinAlgError):
        ccc.gradient(lambda a: np.sum(flat(a)))(1.0)


def test_whole_numbers_that_a_residual_captures_stay_whole():
    optimize = pytest.importorskip("scipy.optimize")

    def f(y):
        n = len(y) // 2
        return np.sum(optimize.root(lambda x: np.reshape(np.reshape(x, (n, 2)), (2 * n,)) ** 2 - y, np.ones(2 * n)).x)

    np.testing.assert_allclose(ccc.gradient(f)(np.array([1.0, 4.0, 9.0, 16.0])), [1 / 2, 1 / 4, 1 / 6, 1 / 8])


def test_tuples_of_ranges_that_go_down_from_a_size():
    def f(xs):
        total = 0.0
        for i in tuple(range(len(xs) - 1, -1, -2)):
            total = total * 2.0 + xs[i]
        return total

    assert ccc.gradient(f)(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 0.0, 2.0]
