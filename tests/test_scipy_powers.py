"""Powers that make samples normal: SciPy's values, slopes against those of places that are found to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

stats: Any = pytest.importorskip("scipy.stats")

from scipy import optimize, special  # noqa: E402 - only where SciPy is installed

POSITIVE = np.random.default_rng(0).random(9) + 0.5
BOTH = 2.0 * np.random.default_rng(1).normal(size=9)


def moved(x: Any, p: Any) -> Any:
    """The transform of Yeo and Johnson, also of complex powers."""
    size = np.log1p(np.abs(x))
    return np.where(x >= 0.0, (np.exp(p * size) - 1.0) / p, -(np.exp((2.0 - p) * size) - 1.0) / (2.0 - p))


def likelihood(y: Any, start: Any, p: Any) -> Any:
    centred = y - np.mean(y)
    return (p - 1.0) * start - len(y) / 2.0 * np.log(np.mean(centred * centred))


def of_box(x: Any, p: Any) -> Any:
    return likelihood((x ** p - 1.0) / p, np.sum(np.log(x)), p)


def of_johnson(x: Any, p: Any) -> Any:
    return likelihood(moved(x, p), np.sum(np.sign(x) * np.log1p(np.abs(x))), p)


def straight(x: Any, p: Any) -> Any:
    n = len(x)
    places = (np.arange(1.0, n + 1.0) - 0.3175) / (n + 0.365)
    places[-1] = 0.5 ** (1.0 / n)
    places[0] = 1.0 - places[-1]
    y, at = (np.sort(x) ** p - 1.0) / p, special.ndtri(places)
    y = y - np.mean(y)
    return np.sum(y * at) / np.sqrt(np.sum(y * y))


def found(measure: Callable[[Any, Any], Any], x: Any, near: float) -> float:
    """Where the slope of a measure is zero, by a complex step."""
    def slope(p: float) -> Any:
        return np.imag(measure(x, p + 1e-30j)) / 1e-30

    place: Any = optimize.brentq(slope, near - 0.2, near + 0.2, xtol=1e-14)
    return place


CASES: list[tuple[Any, Any, Any]] = [
    (lambda x: stats.boxcox(x)[1], of_box, POSITIVE), (lambda x: stats.boxcox_normmax(x), straight, POSITIVE),
    (lambda x: stats.boxcox_normmax(x, brack=(-1.0, 3.0), method="mle"), of_box, POSITIVE),
    (lambda x: stats.yeojohnson(x)[1], of_johnson, BOTH), (lambda x: stats.yeojohnson_normmax(x), of_johnson, BOTH),
]


@pytest.mark.share(6)
@pytest.mark.parametrize(("f", "measure", "x"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_how_powers_move(f: Any, measure: Any, x: Any, backend: Any):
    power, slope = ccc.value_with_gradient(f, backend=backend)(x)
    assert power == f(x)
    h, steps = 1e-5, np.eye(len(x))
    wanted = [(found(measure, x + h * e, power) - found(measure, x - h * e, power)) / (2.0 * h) for e in steps]
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-7)
    assert ccc.value_with_differential(f)(x)[1](steps[0]) == pytest.approx(wanted[0], rel=1e-5)
    bend = ccc.hessian(f, backend=backend)(x)
    np.testing.assert_allclose(bend, bend.T, rtol=1e-6, atol=1e-6)
    moved = [(ccc.gradient(f)(x + 1e-3 * e) - ccc.gradient(f)(x - 1e-3 * e)) / 2e-3 for e in steps[:2]]
    np.testing.assert_allclose(bend[:2], moved, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("f", "x"), [
    (lambda x: np.sum(stats.boxcox(x)[0] ** 2), POSITIVE), (lambda x: np.sum(stats.yeojohnson(x)[0] ** 3), BOTH),
    (lambda x: np.sum(stats.yeojohnson(x, 0.4)) + stats.yeojohnson_llf(x[0], x), BOTH),
    (lambda x: np.sum(stats.yeojohnson(x, 2.0)) + np.sum(stats.yeojohnson(x, 0.0)), BOTH),
])
def test_values_of_the_transforms(f: Any, x: Any):
    assert ccc.compiled(f)(x) == pytest.approx(f(x), rel=1e-12)


@pytest.mark.parametrize(("f", "said"), [
    (lambda x: np.sum(stats.boxcox(x - 5.0)[0]), "Data must be positive"),
    (lambda x: np.sum(stats.boxcox(0.0 * x + 2.0)[0]), "Data must not be constant"),
])
def test_samples_that_have_no_power(f: Any, said: str):
    for run in (f, ccc.gradient(f)):
        with pytest.raises(ValueError, match=said):
            run(POSITIVE)


def test_a_limited_power_has_no_derivative():
    far = np.array([2003.0, 1950.0, 1997.0, 2000.0, 2009.0])
    with pytest.warns(UserWarning, match="The optimal lambda"):
        stats.boxcox(far)
    with pytest.raises(ValueError, match="has no derivative where the power is limited"):
        ccc.gradient(lambda x: stats.boxcox(x)[1])(far)
