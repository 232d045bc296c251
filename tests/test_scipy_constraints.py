"""Minima within bounds and under constraints, and fits whose start SciPy chooses: the places are SciPy's, and move as
those that it finds for other parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

optimize = pytest.importorskip("scipy.optimize")
V, U = np.array([0.7, -0.4]), np.array([1.0, 2.0])
M, ROWS = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, 0.3], [0.2, 1.0], [0.5, -1.0]])
COST, RISK = np.array([[1.0, 2.0, 3.0], [2.5, 1.0, 0.5]]), np.diag([0.1, 0.2, 0.15]) + 0.01
T = np.linspace(0.0, 3.0, 9)
BOX, MADE = optimize.Bounds(-1.0, 1.0), optimize.LinearConstraint([[1.0, 2.0]], 0.3, np.inf)
DATA = 2.0 * np.exp(-T) + 0.5 + 0.1 * np.cos(9.0 * T)


def bowl(x: Any, v: Any) -> Any:
    return (x - v) @ M @ (x - v) + 0.1 * np.sum(x**4)


def least(v: Any, **given: Any) -> Any:
    return optimize.minimize(lambda x: bowl(x, v), [0.1, 0.1], tol=1e-13, **given).x


def shares(v: Any) -> Any:
    return optimize.minimize(
        lambda w: w @ RISK @ w, np.ones(3) / 3.0, bounds=[(0, 1)] * 3, tol=1e-14, constraints=[
            {"type": "eq", "fun": lambda w: np.sum(w) - 1.0},
            {"type": "ineq", "fun": lambda w, v: w @ np.array([0.5, 1.0, 0.7]) - v[0], "args": (v,)}]).x


def squares(v: Any, **given: Any) -> Any:
    return optimize.least_squares(lambda p: np.array([p[0] - v[0], p[1] - v[1], p[0] * p[1]]), [0.1, 0.1], ftol=1e-15,
                                  xtol=1e-15, gtol=1e-15, **given).x


def pairs(v: Any) -> Any:
    i, j = optimize.linear_sum_assignment(COST * v[0])
    return (COST * v[0] + v[1])[i, j]


CASES: dict[str, Callable[[Any], Any]] = {
    "bounds": lambda v: least(v, bounds=[(0, 1), (v[0] - 0.9, None)], method="L-BFGS-B"),
    "bounds that do not hold": lambda v: least(v, bounds=[(None, 3.0)] * 2, method="SLSQP"),
    "equality": lambda v: least(v, constraints={"type": "eq", "fun": lambda x: x[0] + x[1] - v[1] ** 2}),
    "inequalities": lambda v: least(v, constraints=[
        {"type": "ineq", "fun": lambda x: 0.1 - x[0] ** 2 - x[1] ** 2}, {"type": "ineq", "fun": lambda x: x[0] + 5.0}]),
    "of products": lambda v: least(v, constraints=optimize.LinearConstraint(
        [[1.0, v[0]], [1.0, -1.0]], [-np.inf, 0.5], [v[1] + 0.5, 0.5])),
    "of a row, from above": lambda v: least(v, constraints=optimize.LinearConstraint(v, ub=0.1)),
    "of functions": lambda v: least(v, constraints=[optimize.NonlinearConstraint(
        lambda x: np.array([x[0] ** 2 + v[0] * x[1] ** 2, x[0] - x[1]]), [-np.inf, 0.3], [0.1, np.inf])]),
    "made before": lambda v: least(v, bounds=BOX, constraints=[MADE, {"type": "ineq", "fun": lambda x: x[0] + 5.0}]),
    "trust-constr": lambda v: least(v, method="trust-constr", constraints=optimize.NonlinearConstraint(
        lambda x: x[0] ** 2 + v[0] * x[1] ** 2, -np.inf, 0.1)),
    "shares": shares,
    "least_squares": lambda v: squares(v, bounds=([0, 0], [5, 5])),
    "least_squares, dogbox": lambda v: squares(v, bounds=(-np.inf, 0.2), method="dogbox"),
    "lsq_linear": lambda v: optimize.lsq_linear(ROWS * v[0], ROWS[:, 0] + v[1], ([0.0, -9.0], [0.1, 9.0]), "bvls").x,
    "curve_fit": lambda v: optimize.curve_fit(
        lambda x, a, b: a * np.exp(-b * x), T, DATA * v[0] + v[1] * T**2, xtol=1e-14, ftol=1e-14)[0],
    "curve_fit, bounds": lambda v: optimize.curve_fit(
        lambda x, a, b: a * x + b, list(T), DATA * v[0] + v[1] * T, bounds=([-1.0, 0.0], [3.0, 1.0]))[0],
    "differential_evolution": lambda v: optimize.differential_evolution(
        bowl, [(-2, 2), (0, 2)], args=(v,), seed=1, tol=1e-10).x,
    "linear_sum_assignment": pairs,
}


@pytest.mark.share(8)
@pytest.mark.filterwarnings("ignore:Equality and inequality", "ignore:delta_grad")  # of SciPy's, about its speed
@pytest.mark.parametrize("name", CASES)
def test_places_and_how_they_move(name: str):
    f, h = CASES[name], 1e-3
    value, change = ccc.jvp(f, (V,), (U,), backend="numpy")
    np.testing.assert_allclose(value, f(V), rtol=1e-6, atol=1e-7)
    d1, d2 = [f(V + k * h * U) - f(V - k * h * U) for k in (1, 2)]
    np.testing.assert_allclose(change, (8.0 * d1 - d2) / (12.0 * h), rtol=1e-4, atol=1e-5)
    weights = np.arange(1.0, np.size(value) + 1.0)
    slope = ccc.gradient(lambda v: np.sum(weights * f(v)), backend="numpy")(V)
    np.testing.assert_allclose(slope @ U, weights @ change, rtol=1e-6, atol=1e-9)


def test_an_inequality_that_is_violated_within_a_wide_tolerance_holds():
    def corner(radius):
        found = optimize.minimize(
            lambda x: (x[0] - 2.0) ** 2 + (x[1] - 2.0) ** 2, np.array([0.1, 0.0]), method="SLSQP",
            constraints=[{"type": "ineq", "fun": lambda x: radius - x[0] ** 2 - x[1] ** 2}], options={"ftol": 1e-4})
        return np.sum(found.x)

    assert corner(1.0) ** 2 / 2.0 > 1.0 + 1e-5  # beyond what is called zero
    np.testing.assert_allclose(ccc.gradient(corner)(1.0), np.sqrt(0.5), rtol=1e-4)


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda v: least(v, bounds=[(0, 1)] * 2, method="trust-constr"), "within bounds"),
        (lambda v: least(v, method="COBYLA", bounds=[(0, 1)] * 2,
                             constraints=({"type": "ineq", "fun": lambda x: x[0]},)), "SLSQP"),
        (lambda v: optimize.curve_fit(np.add, T, DATA * v[0])[0], "how many parameters"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(lambda v: np.sum(f(v)))(V)  # noqa: B023


def test_searches_without_slopes_find_what_moves_as_that_of_slsqp():
    def nearest(v: Any, method: str) -> Any:
        disk = {"type": "ineq", "fun": lambda x: 1.0 - x[0] - x[1] ** 2}
        return optimize.minimize(
            lambda x: np.sum((x - v) ** 2), [0.0, 0.0], method=method, constraints=disk, tol=1e-9).x

    def by_functions(v: Any) -> Any:
        return optimize.fmin_cobyla(
            lambda x: np.sum((x - v) ** 2), [0.0, 0.0], [lambda x: 1.0 - x[0] - x[1] ** 2], rhoend=1e-9)

    at = np.array([2.0, 1.0])
    wanted = ccc.jacobian(lambda v: nearest(v, "SLSQP"))(at)
    for f in (lambda v: nearest(v, "COBYLA"), lambda v: nearest(v, "COBYQA"), by_functions):
        np.testing.assert_allclose(ccc.jacobian(f)(at), wanted, atol=1e-3)
