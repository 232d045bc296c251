"""Python's `statistics`: its values to the last bit, and the derivatives of the formulas."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError


def of_items(x: float) -> float:
    xs = [x, 2.0 * x, x * x, 0.5, -x]
    off = statistics.mean(xs) + statistics.variance(xs) * statistics.stdev(xs)
    return off - statistics.pvariance(xs) / statistics.pstdev(xs)


def of_a_list_that_grows(x: float) -> float:
    xs: list[float] = []
    for i in range(4):
        xs.append(x**i)
    middle, off = statistics.mean(xs), statistics.stdev(xs)
    return sum([((v - middle) / off) ** 3 for v in xs])


def of_an_array(v: Any) -> Any:
    return statistics.mean(v) * statistics.stdev(v) + statistics.pstdev([a * a for a in v])


def test_values_and_derivatives():
    agrees(of_items, 0.6)
    agrees(of_a_list_that_grows, 0.7)
    agrees(of_an_array, np.array([0.3, 0.9, 1.7, 0.2]))


@pytest.mark.parametrize("name", ["mean", "variance", "pvariance", "stdev", "pstdev", "harmonic_mean"])
def test_values_are_those_of_python_to_the_last_bit(name: str):
    f, rng = getattr(statistics, name), np.random.default_rng(3)
    compiled = ccc.compiled(lambda xs: f(xs), backend="numpy")
    for scale in (1e-150, 1e-5, 1.0, 1e150):
        xs = (np.exp(rng.normal(size=7)) * scale).tolist()
        assert compiled(xs) == f(xs) and type(compiled(xs)) is float
    assert ccc.compiled(lambda: statistics.mean([1e308, 1.5e308]))() == 1.25e308
    with pytest.raises(statistics.StatisticsError, match="requires at least"):
        compiled([])
    assert ccc.compiled(lambda xs: f(xs), backend="numpy")([1, 2, 4]) == f([1, 2, 4])


def means(x: float) -> float:
    xs = [x, 2.0, x * x, 7.0]
    return (statistics.harmonic_mean(xs) * statistics.geometric_mean(xs) + statistics.harmonic_mean(xs, [1, x, 2, 3])
            + statistics.median(xs) * statistics.median_low(xs) - statistics.median_grouped(xs) + statistics.fmean(xs)
            + sum(statistics.quantiles(xs)))


def of_two(x: float) -> float:
    xs, ys = [x, 2.0, x * x, 7.0], [1.0, 2.2, 3.9, x]
    line = statistics.linear_regression(xs, ys)
    return statistics.correlation(xs, ys) * line.slope + line.intercept * statistics.covariance(xs, ys)


def about(x: float) -> float:
    xs = [x, 2.0, x * x, 7.0]
    return statistics.variance(xs, x) + statistics.pstdev(xs, 3.0) * statistics.pvariance(xs, x * x)


def normal(x: float) -> float:
    d = statistics.NormalDist(x, 1.0 + x * x) + statistics.NormalDist.from_samples([x, 2.0, 3.5])
    tail = statistics.NormalDist().inv_cdf(x * 1e-4)
    return d.pdf(0.3) + d.cdf(x) * d.inv_cdf(x / 3.0) + tail + sum(d.quantiles(4)) + d.overlap(statistics.NormalDist())


def test_more_of_them():
    for f in (means, of_two, about, normal):
        agrees(f, 0.9)


def test_a_value_that_is_infinite_or_no_number_has_no_derivative():
    for f in (statistics.mean, statistics.variance, statistics.pvariance):
        for x in (math.inf, -math.inf, math.nan):
            value, slope = ccc.value_with_gradient(lambda x, f=f: f([x, 1.0, 2.0]))(x)
            assert str(value) == str(f([x, 1.0, 2.0])) and math.isnan(slope)
            assert math.isnan(ccc.derivative(lambda x, f=f: f([x, 1.0, 2.0]))(x))
    assert math.isnan(ccc.gradient(lambda x: statistics.harmonic_mean([x, 1.0]))(0.0))


def test_what_is_not_taken_is_refused():
    with pytest.raises(CompileError, match="statistics.correlation has a derivative for method='linear'"):
        ccc.gradient(lambda xs: statistics.correlation(
            xs, xs, method="ranked"))([1.0, 2.0])  # pyright: ignore[reportCallIssue]
