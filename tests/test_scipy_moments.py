"""Statistics of samples by powers and by order, tables of counts, and directions: values are SciPy's, slopes those of
differences."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

stats: Any = pytest.importorskip("scipy.stats")

x = np.cos(np.arange(9.0) * 1.3) + 0.1 * np.arange(9)
p = np.array([0.01, 0.2, 0.03, 0.5, 0.04])
table = np.array([[10.0, 12.0, 9.0], [8.0, 15.0, 20.0]])
CASES: dict[str, tuple[Any, Any]] = {
    "kstat": (lambda v: stats.kstat(v, 1) + stats.kstat(v, 3) + stats.kstat(v, 4), x),
    "kstat, axis": (lambda v: np.sum(stats.kstat(np.stack([v, v**2]), axis=1)), x),
    "kstatvar": (lambda v: stats.kstatvar(v) + stats.kstatvar(v, 1), x),
    "lmoment": (lambda v: np.sum(stats.lmoment(v) * np.arange(4)) + stats.lmoment(v, order=3, standardize=False), x),
    "tmin": (lambda v: stats.tmin(v, -0.5) * stats.tmin(v), x),
    "tmax": (lambda v: stats.tmax(v, 0.5, inclusive=False) * stats.tmax(v), x),
    "tsem": (lambda v: stats.tsem(v, (-0.5, 0.9)) + stats.tsem(v), x),
    "scoreatpercentile": (lambda v: stats.scoreatpercentile(v, 30), x),
    "obrientransform": (lambda v: np.sum(stats.obrientransform(v, x * 2)[0] ** 2), x),
    "pointbiserialr": (lambda v: stats.pointbiserialr([0, 1, 0, 1, 1, 0, 1, 0, 1], v).statistic, x),
    "chi2_contingency": (lambda t: stats.chi2_contingency(t).pvalue + stats.chi2_contingency(t[:, :2])[0], table),
    "false_discovery_control": (lambda p: np.sum(np.arange(5) * (
        stats.false_discovery_control(p) + stats.false_discovery_control(0.1 * p, method="by"))), p),
    "vonmises_fisher": (lambda k: stats.vonmises_fisher.logpdf(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.6, 0.8]), k)
                        + stats.vonmises_fisher.pdf(np.array([0.0, 1.0]), np.array([0.6, 0.8]), k), 1.3),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str):
    f, at = CASES[name]
    u = np.cos(np.arange(float(np.size(at)))).reshape(np.shape(at))[()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, slope = ccc.value_with_gradient(f)(at)
        assert value == pytest.approx(f(at), rel=1e-12)
        d1, d2, d3 = [f(at + k * 1e-4 * u) - f(at - k * 1e-4 * u) for k in (1, 2, 3)]
    assert np.sum(slope * u) == pytest.approx((45 * d1 - 9 * d2 + d3) / 60e-4, rel=1e-7, abs=1e-9)


def test_what_they_do_not_take_is_refused():
    with pytest.raises(CCCError, match="scipy.stats.kstat has a derivative for nan_policy='propagate'"):
        ccc.gradient(lambda v: stats.kstat(v, nan_policy="omit"))(x)
    with pytest.raises(CCCError, match="scipy.stats.chi2_contingency has a derivative for two axes"):
        ccc.gradient(lambda t: stats.chi2_contingency(t, lambda_="log-likelihood").statistic)(table)
