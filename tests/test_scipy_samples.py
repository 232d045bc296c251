"""Statistics of samples of `scipy.stats`: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, differences

import ccc
from ccc.compile.diagnostics import CompileError

stats = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(0)
A, W = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))
w, v, p = RNG.normal(size=5), RNG.normal(size=4), np.abs(W)
DATA = RNG.normal(size=(2, 9))
KDE, KDE2 = stats.gaussian_kde(DATA[0]), stats.gaussian_kde(DATA, weights=np.arange(1.0, 10.0))

CASES: dict[str, Callable[[Any], Any]] = {
    "skew": lambda a: np.sum(v * stats.skew(a)) + stats.skew(a, axis=None) + np.sum(w * stats.skew(a, 1, bias=False)),
    "kurtosis": lambda a: np.sum(v * stats.kurtosis(a)) + np.sum(w[:, None] * stats.kurtosis(
        a, 1, fisher=False, bias=False, keepdims=True)),
    "moment": lambda a: np.sum(v * (stats.moment(a, 3) + stats.moment(a, 2, center=1.0) + stats.variation(a, ddof=1))),
    "sem": lambda a: np.sum(v * stats.sem(a)) + stats.sem(a, axis=None, ddof=0),
    "zscore": lambda a: np.sum(W * (stats.zscore(a) + stats.zscore(a, axis=1, ddof=1) + stats.zmap(a, a[:2]))),
    "means": lambda a: np.sum(v * (stats.gmean(a**2) + stats.hmean(a**2 + 1.0, keepdims=True)[0])),
    "weighted means": lambda a: np.sum(v * (stats.gmean(a**2, weights=p**2) + stats.hmean(a**2 + 1.0, weights=p))),
    "trim_mean": lambda a: np.sum(v * stats.trim_mean(a, 0.2)) + stats.trim_mean(a, 0.1, axis=None),
    "entropy": lambda a: np.sum(v * stats.entropy(a**2)) + np.sum(w * stats.entropy(a**2, p + a**2, base=2, axis=1)),
    "pearsonr": lambda a: stats.pearsonr(a[0], a[1])[0] + stats.pearsonr(a[2], a[1]).pvalue,
    "linregress": lambda a: stats.linregress(a[0], a[1]).slope + stats.linregress(a[2], a[1]).intercept * 2.0
    + stats.linregress(a[2], a[3]).rvalue,
    "gaussian_kde": lambda a: np.sum(stats.gaussian_kde(a[:, 0]).logpdf(a[0])) + np.sum(stats.gaussian_kde(
        a[:, :2].T, bw_method=0.7)(a[:2, :3])),
    "gaussian_kde, options": lambda a: np.sum(stats.gaussian_kde(a[:, 1], "silverman", weights=a[:, 0] ** 2).pdf(a[0])),
    "gaussian_kde, made before": lambda a: np.sum(KDE.logpdf(a[0])) + np.sum(KDE2(a[:2]) * v) + KDE2.evaluate(a[0, :2])[
        0] + np.sum(KDE.pdf(a[1])),
    "distributions": lambda a: stats.gamma(a[0, 0] ** 2, scale=2.0).entropy() + stats.norm.median(a[1, 1]) + (
        stats.beta.mean(a[1, 0] ** 2, 1.5) + stats.t.var(a[2, 0] ** 2 + 3.0) * stats.lognorm.std(a[0, 1] ** 2)),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    f = CASES[name]
    slope = ccc.gradient(f, backend="numpy")
    u = np.cos(np.arange(20.0)).reshape(5, 4)
    assert ccc.compiled(f, backend="numpy")(A) == pytest.approx(f(A), rel=1e-12)
    first = differences(f, A)
    np.testing.assert_allclose(slope(A), first, rtol=1e-6, atol=1e-8)
    assert ccc.jvp(f, (A,), (u,))[1] == pytest.approx(np.sum(slope(A) * u), rel=1e-9)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["skew", "entropy", "gaussian_kde", "pearsonr"])
def test_second_derivatives_and_machine_code(name: str):
    f, u = CASES[name], np.cos(np.arange(20.0)).reshape(5, 4)
    bends_agree(f, A, u, rtol=1e-5)
    slope = ccc.gradient(f, backend="numpy")(A)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(A), slope, rtol=1e-9, atol=1e-10)


def test_values_to_the_last_bit():
    for f in (stats.skew, stats.kurtosis, stats.sem, stats.zscore, stats.gmean, stats.hmean, stats.entropy,
              lambda a: stats.moment(a, 3), lambda a: stats.trim_mean(a, 0.2)):
        np.testing.assert_array_equal(ccc.compiled(lambda a, f=f: f(a), backend="numpy")(p), f(p))


def test_samples_that_are_equal_have_no_skewness():
    with np.errstate(all="ignore"):
        assert np.isnan(ccc.compiled(lambda a: stats.skew(a), backend="numpy")(np.ones(3)))


def test_an_estimate_that_was_made_before_is_read_anew():
    made = stats.gaussian_kde(DATA[0])
    f = ccc.gradient(lambda x: made.logpdf(x)[0])
    first = f(0.3)
    made.set_bandwidth(2.0)
    assert f(0.3) != first
    assert f(0.3) == pytest.approx(float(differences(lambda x: made.logpdf(x[0])[0], np.array([0.3]))[0]), rel=1e-7)


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda a: np.sum(stats.gmean(a, nan_policy="omit")), "nan_policy='omit'"),
        (lambda a: stats.pearsonr(a[0], a[1], method=None)[0], "method"),
        (lambda a: stats.gaussian_kde(a[0], lambda kde: 1.0)(0.0)[0], "bw_method"),
        (lambda a: stats.gmean(a[0], dtype=float), "dtype=None"),
        (lambda a: stats.multiscale_graphcorr(a[0], a[1])[0], "multiscale_graphcorr"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(A)
