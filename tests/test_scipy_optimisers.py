"""Functions of structures for the optimisers of SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc

optimize = pytest.importorskip("scipy.optimize")


@dataclass
class Model:
    layers: list[dict[str, Any]]
    scale: float
    name: str = "m"
    count: int = 2


def predicted(model: Model, x: Any) -> Any:
    for layer in model.layers:
        x = np.tanh(layer["w"] @ x + layer["b"][:, None])
    return model.scale * x[0] * model.count


def loss(model: Model, x: Any, y: Any) -> Any:
    return np.mean((predicted(model, x) - y) ** 2)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 15))
START = Model([{"w": RNG.normal(size=(2, 2)), "b": np.zeros(2)} for _ in range(2)], 1.0)
Y = predicted(Model([{"w": np.eye(2), "b": np.full(2, 0.3)} for _ in range(2)], 1.5), X)


def test_a_structure_becomes_a_vector_and_comes_back():
    fit = ccc.scipy.objective(loss, START, X, Y)
    assert fit.x0.shape == (13,) and fit.x0.dtype == np.float64
    back = fit.unravel(fit.x0)
    assert type(back) is Model and (back.scale, back.name, back.count) == (1.0, "m", 2) and type(back.scale) is float
    np.testing.assert_array_equal(back.layers[1]["w"], START.layers[1]["w"])


def test_values_gradients_and_hessians_agree_with_differences():
    fit = ccc.scipy.objective(loss, START, X, Y)
    value, slope = fit(fit.x0)
    assert type(value) is float and value == loss(START, X, Y) and slope.flags.c_contiguous
    np.testing.assert_allclose(slope, optimize.approx_fprime(fit.x0, lambda v: fit(v)[0], 1e-7), rtol=1e-4, atol=1e-6)
    h, p = 1e-6, RNG.normal(size=13)
    np.testing.assert_allclose(
        fit.hessp(fit.x0, p), (fit(fit.x0 + h * p)[1] - fit(fit.x0 - h * p)[1]) / (2 * h), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(fit.hess(fit.x0) @ p, fit.hessp(fit.x0, p), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "SLSQP", "trust-ncg"])
def test_optimisers_take_it(method: str):
    fit = ccc.scipy.objective(loss, START, X, Y)
    more = {"hessp": fit.hessp} if method == "trust-ncg" else {}
    found = optimize.minimize(fit, fit.x0, jac=True, method=method, options={"maxiter": 40}, **more)
    assert loss(fit.unravel(found.x), X, Y) == found.fun < 0.2 * loss(START, X, Y)


def test_residuals_have_the_jacobian_of_differences():
    off = ccc.scipy.residuals(lambda model, x, y: predicted(model, x) - y, START, X, Y)
    jacobian = off.jac(off.x0)
    assert jacobian.shape == (15, 13)
    columns = [(off(off.x0 + d) - off(off.x0 - d)) / 2e-6 for d in 1e-6 * np.eye(13)]
    np.testing.assert_allclose(jacobian, np.array(columns).T, rtol=1e-5, atol=1e-8)
    found = optimize.least_squares(off, off.x0, jac=off.jac, max_nfev=30)
    assert found.cost < 0.05 * 0.5 * np.sum(off(off.x0) ** 2)


def test_roots():
    off = ccc.scipy.residuals(lambda p: np.array([p["x"] ** 2 - 2.0, p["x"] * p["y"] - 1.0]), {"x": 1.0, "y": 1.0})
    found = off.unravel(optimize.root(off, off.x0, jac=off.jac).x)
    assert found["x"] == pytest.approx(2**0.5) and found["y"] == pytest.approx(0.5**0.5)


def test_a_minimum_that_rounding_keeps_from_being_closer_is_one():
    X = np.stack([np.ones(6), np.arange(6.0)], axis=1)

    def f(y: Any) -> Any:
        found = optimize.minimize(lambda b: np.sum((X @ b - y) ** 2) + 0.1 * b @ b, np.zeros(2), method="BFGS",
                                  options={"gtol": 1e-13})
        return found.x @ np.array([1.0, 2.0])

    y = np.array([2.0, -2.5, 0.4, -0.5, -0.4, -0.2])
    wanted = np.linalg.solve(X.T @ X + 0.1 * np.eye(2), X.T).T @ np.array([1.0, 2.0])
    assert np.allclose(ccc.gradient(f)(y), wanted, rtol=1e-6)
