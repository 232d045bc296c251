"""Tests of samples and what SciPy says of one: its values and types, slopes in the samples by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc

stats: Any = pytest.importorskip("scipy.stats")
X = np.array([0.5, 1.2, 0.9, 2.1, 1.7, 0.3])
Y = np.array([1.1, 2.0, 1.4, 3.3, 2.9])
PROGRAMS: list[Callable[[Any], Any]] = [
    lambda x: stats.ttest_ind(x, Y).statistic * stats.ttest_ind(x, Y).pvalue,
    lambda x: stats.ttest_ind(x, Y, equal_var=False, alternative="less").pvalue,
    lambda x: stats.ttest_1samp(x, 1.0, alternative="greater")[1], lambda x: stats.ttest_rel(x, X**2)[0],
    lambda x: stats.f_oneway(x, Y, X + 1.0).statistic * stats.f_oneway(x, Y, X + 1.0).pvalue,
    lambda x: stats.chisquare(x).statistic + stats.chisquare(x, np.mean(x) * np.ones(6), ddof=1)[1],
    lambda x: stats.iqr(x) + stats.iqr(x, rng=(10, 60), scale=2.0), lambda x: stats.median_abs_deviation(x),
    lambda x: stats.tmean(x) * stats.tvar(x) + stats.tstd(x, ddof=0),
    lambda x: stats.boxcox_llf(x[0], x) + np.sum(stats.boxcox(x, 0.3)),
    lambda x: stats.norm(x[0], x[1]).interval(0.9)[1] + np.sum(stats.gamma.interval(x[:2] / 2.0, x[2], scale=x[3])[0]),
    lambda x: stats.beta(x[0], 2.0).stats()[1] * stats.gamma.stats(x[1], scale=x[2], moments="m"),
    lambda x: stats.norm.expect(lambda y: y**2 * x[2], loc=x[0], scale=x[1]) + stats.beta(x[3], 2.0).expect(),
    lambda x: stats.gamma(x[3], scale=x[4]).expect(np.sqrt) + stats.argus(x[1]).expect(lambda y: y**3, lb=0.2),
    lambda x: stats.gamma.expect(np.log, args=(x[1],), scale=x[4], lb=x[0], ub=3.0, conditional=True),
    lambda x: np.sum(stats.ttest_ind(np.outer(x, x), np.outer(x, x + 1.0), axis=1)[0]),
]


@pytest.mark.share(8)
@pytest.mark.parametrize("f", PROGRAMS, ids=range(len(PROGRAMS)))
def test_values_and_slopes(f: Callable[[Any], Any]):
    value, slope = ccc.value_with_gradient(f, backend="numpy")(X)
    assert value == pytest.approx(f(X), rel=1e-11)
    assert type(value) is type(f(X))
    np.testing.assert_allclose(slope, differences(f, X), rtol=1e-7, atol=1e-8)
