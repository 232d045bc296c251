"""Fits of distributions: parameters are SciPy's, and move as those where the likelihood is largest do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

stats = pytest.importorskip("scipy.stats")
optimize = pytest.importorskip("scipy.optimize")
X = np.array([0.8, 1.9, 2.2, 3.1, 0.6, 1.4, 2.7, 1.1, 4.0])

BY_FORMULAS: dict[str, Callable[[Any], Any]] = {
    "norm": lambda x: stats.norm.fit(x),
    "norm, with a place": lambda x: stats.norm.fit(x, floc=0.1 * x[0] + 1.5),
    "expon": lambda x: stats.expon.fit(x),
    "expon, from 0": lambda x: stats.expon.fit(x, floc=0),
    "uniform": lambda x: stats.uniform.fit(x),
    "uniform, so wide": lambda x: stats.uniform.fit(x, fscale=5),
    "laplace": lambda x: stats.laplace.fit(x),
    "gamma": lambda x: stats.gamma.fit(x, floc=0),
    "lognorm": lambda x: stats.lognorm.fit(x, floc=0),
    "beta": lambda x: stats.beta.fit(x / 5.0, floc=0, fscale=1),
    "gumbel_r": lambda x: stats.gumbel_r.fit(x),
    "rayleigh": lambda x: stats.rayleigh.fit(x),
}
BY_SEARCH: dict[str, tuple[Any, dict[str, Any]]] = {
    "weibull_min": (stats.weibull_min, {"floc": 0}), "t": (stats.t, {"fdf": 5.0}), "cauchy": (stats.cauchy, {}),
    "genextreme": (stats.genextreme, {}),
}


def read(found: Any) -> Any:
    return sum([(i + 1.0) * value for i, value in enumerate(found)])


def slope_of(f: Callable[[Any], Any], h: float) -> Any:
    """By differences of the fourth order."""
    steps = h * np.eye(len(X))
    return np.array([(8 * (f(X + e) - f(X - e)) - (f(X + 2 * e) - f(X - 2 * e))) / (12 * h) for e in steps])


@pytest.mark.share(3)
@pytest.mark.parametrize("name", BY_FORMULAS)
def test_fits_that_scipy_knows_to_all_digits(name: str):
    f = lambda x: read(BY_FORMULAS[name](x))  # noqa: E731
    value, slope = ccc.value_with_gradient(f)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(slope, slope_of(f, 1e-3), rtol=1e-6, atol=1e-8)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", BY_SEARCH)
def test_fits_that_scipy_searches_for(name: str):
    of, given = BY_SEARCH[name]

    def closely(f: Any, start: Any, args: Any, disp: Any) -> Any:
        return optimize.fmin(f, start, args=args, disp=0, xtol=1e-10, ftol=1e-14, maxiter=10000, maxfun=10000)

    value, slope = ccc.value_with_gradient(lambda x: read(of.fit(x, **given)))(X)
    assert value == read(of.fit(X, **given))
    expected = slope_of(lambda x: read(of.fit(x, optimizer=closely, **given)), 1e-3)
    np.testing.assert_allclose(slope, expected, rtol=1e-3, atol=1e-3)


def test_second_derivatives_and_machine_code():
    f = lambda s: read(stats.gamma.fit(X**s, floc=0))  # noqa: E731
    first = ccc.derivative(f)
    assert ccc.derivative(first)(1.1) == pytest.approx((first(1.1 + 1e-4) - first(1.1 - 1e-4)) / 2e-4, rel=1e-6)
    assert ccc.compiled(f, backend="native")(1.1) == pytest.approx(f(1.1), rel=1e-13)
    assert ccc.gradient(f, backend="native")(1.1) == pytest.approx(first(1.1), rel=1e-9)


def test_where_the_likelihood_is_not_flat_there_is_no_derivative():
    with pytest.raises(ValueError, match="likelihood is not flat"):
        ccc.gradient(lambda x: read(stats.pareto.fit(x, floc=0)))(X)
    with pytest.raises(CompileError, match="by the likelihood"):
        ccc.gradient(lambda x: read(stats.gamma.fit(x, method="MM")))(X)
    with pytest.raises(ValueError, match="below `floc`"):
        ccc.gradient(lambda x: read(stats.expon.fit(x, floc=1.0)))(X)
