"""Python's `statistics`: its values to the last bit, and the derivatives of the formulas."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", ["mean", "variance", "pvariance", "stdev", "pstdev"])
def test_values_are_those_of_python_to_the_last_bit(name: str):
    f, rng = getattr(statistics, name), np.random.default_rng(3)
    compiled = ccc.compiled(lambda xs: f(xs), backend="numpy")
    for scale in (1e-150, 1e-5, 1.0, 1e150):
        xs = (rng.normal(size=7) * scale).tolist()
        assert compiled(xs) == f(xs) and type(compiled(xs)) is float
    assert ccc.compiled(lambda: statistics.mean([1e308, 1.5e308]))() == 1.25e308
    with pytest.raises(statistics.StatisticsError, match="requires at least"):
        compiled([])
    assert ccc.compiled(lambda xs: f(xs), backend="numpy")([1, 2, 4]) == f([1, 2, 4])


def test_what_is_not_taken_is_refused():
    with pytest.raises(CompileError, match="`statistics.variance` about a given number"):
        ccc.gradient(lambda xs: statistics.variance(xs, xs[0]))([1.0, 2.0])
