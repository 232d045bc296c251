"""How far samples are from distributions, and what their means and deviations may be: statistics that SciPy has in C or
gives with the distribution that it fitted.

    A^2 = -n - sum over i of (2 i - 1) / n (log F(x_i) + log(1 - F(x_n+1-i)))          W = (a . x)^2 / (|a|^2 |x - m|^2)

>>> float(anderson(np.array([0.0, 1.0, 2.0, 4.0])).statistic.round(6))
0.197261

Sources: Stephens: *EDF statistics for goodness of fit* (1974); Royston: *Algorithm AS R94* (1995); Oliphant: *A
Bayesian perspective on estimating mean, variance, and standard-deviation from data* (2006).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.named_parts import Parts
from ccc.compile.libraries.slopes import with_slope_of

stats: Any = scipy.stats


# -- Anderson and Darling ----------------------------------------------------------------------------------------------


@dataclass
class Distance(Parts):
    """What `anderson` gives, but for the distribution that it fitted."""

    statistic: Any
    critical_values: Any
    significance_level: Any

    def parts(self) -> Any:
        return self.statistic, self.critical_values, self.significance_level


@dataclass
class Significance(Parts):
    """A statistic and how often one as large occurs."""

    statistic: Any
    pvalue: Any

    def parts(self) -> Any:
        return self.statistic, self.pvalue


def critical_of(n: int, dist: str) -> Any:
    """SciPy's levels and the values of the statistic at them, which go by the size of the sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.anderson(np.linspace(1.0, 2.0, n) ** 3, dist)
    return np.stack([found.critical_values, found.significance_level])


def distance_of(x: Any, dist: str) -> float:
    """SciPy's statistic, whose parameters are as exact as its search is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(stats.anderson(x, dist).statistic)


def fitted(x: Any, dist: Any) -> Any:
    """The location and the scale that SciPy tests with."""
    if dist == "norm":
        return np.mean(x), np.std(x, ddof=1)
    if dist == "expon":
        return 0.0 * np.mean(x), np.mean(x)
    return getattr(stats, dist).fit(x)


@definition_of(stats.anderson)
def anderson(x: Any, dist: Any = "norm", *, method: Any = None) -> Any:
    name = "gumbel_l" if dist.lower() in ("extreme1", "gumbel") else dist.lower()
    if name not in ("norm", "expon", "gumbel_l", "gumbel_r", "logistic"):
        refuse("scipy.stats.anderson has a derivative for norm, expon, logistic, gumbel_l and gumbel_r",
               "fit the parameters, and sum `of.logcdf(x) + of.logsf(x[::-1])` of the sorted sample with its weights")
    if method is not None and method != "interpolate":
        refuse("scipy.stats.anderson has a derivative for method=None and 'interpolate'", "give method='interpolate'")
    y = np.sort(np.asarray(x) * 1.0)
    loc, scale = fitted(np.asarray(x) * 1.0, name)
    n, w, of = len(y), (y - loc) / scale, getattr(stats, name)
    weights = (2 * np.arange(1, n + 1) - 1.0) / n
    distance = -n - np.sum(weights * (of.logcdf(w) + of.logsf(w)[::-1]), axis=0)
    if name == "logistic":
        distance = with_slope_of(constant(distance_of, 0.0, x, name), distance)
    levels = constant(critical_of, np.zeros((2, 2)), n, name)
    if method is None:
        return Distance(distance, levels[0], levels[1])
    return Significance(distance, np.interp(distance, levels[0], levels[1] / 100))


# -- Shapiro and Wilk --------------------------------------------------------------------------------------------------


def weights_of(n: int) -> Any:
    """The weights of the half of a sorted sample that is larger, as SciPy computes them."""
    a = np.zeros(n // 2)
    stats._ansari_swilk_statistics.swilk(np.arange(n) * 1.0, a, 0)
    return np.concatenate([-a, np.zeros(n % 2), a[::-1]])


def as_scipy(x: Any) -> Any:
    return np.array(stats.shapiro(x))


def likelihood(w: Any, n: Any) -> Any:
    """How often a statistic as small occurs."""
    if n == 3:
        return 1.90985931710274 * (np.arcsin(np.sqrt(w)) - 1.04719755119660)
    y, size = np.log(1.0 - w), np.log(n)
    if n <= 11:
        gamma = 0.459 * n - 2.273
        y = -np.log(gamma - y)
        m = 0.5440 + n * (-0.39978 + n * (0.025054 - n * 6.714e-4))
        s = np.exp(1.3822 + n * (-0.77857 + n * (0.062767 - n * 0.0020322)))
    else:
        m = -1.5861 + size * (-0.31082 + size * (-0.083751 + size * 0.0038915))
        s = np.exp(-0.4803 + size * (-0.082676 + size * 0.0030302))
    return stats.norm.sf((y - m) / s)


@definition_of(stats.shapiro)
def shapiro(x: Any, *, axis: Any = None, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    if (axis is not None and np.ndim(x) > 1) or nan_policy != "propagate" or keepdims:
        refuse("scipy.stats.shapiro has a derivative for one sample, nan_policy='propagate' and keepdims=False",
               "call it for each row")
    y = np.sort(np.ravel(np.asarray(x) * 1.0))
    n = len(y)
    if n < 3:
        raise ValueError("Data must be at least length 3.")
    found = constant(as_scipy, np.zeros(2), x)
    a, away = constant(weights_of, np.zeros(2), n), y - np.mean(y)
    w = np.dot(a, away) ** 2 / (np.dot(a, a) * np.dot(away, away))
    return Significance(with_slope_of(found[0], w), with_slope_of(found[1], likelihood(w, n)))


# -- what a mean, a variance and a deviation may be --------------------------------------------------------------------


@dataclass
class Posterior:
    """The distribution of the mean, the variance or the deviation behind a sample, for which many are normal."""

    __ccc_record__ = True

    few: Any
    many: Any
    is_many: Any

    def of_one(self, value: Any) -> Any:
        return value(self.many) if self.is_many else value(self.few)

    def mean(self) -> Any:
        return self.of_one(lambda of: of.mean())

    def var(self) -> Any:
        return self.of_one(lambda of: of.var())

    def std(self) -> Any:
        return self.of_one(lambda of: of.std())

    def median(self) -> Any:
        return self.of_one(lambda of: of.median())

    def pdf(self, x: Any) -> Any:
        return self.of_one(lambda of: of.pdf(x))

    def logpdf(self, x: Any) -> Any:
        return self.of_one(lambda of: of.logpdf(x))

    def cdf(self, x: Any) -> Any:
        return self.of_one(lambda of: of.cdf(x))

    def sf(self, x: Any) -> Any:
        return self.of_one(lambda of: of.sf(x))

    def ppf(self, q: Any) -> Any:
        return self.of_one(lambda of: of.ppf(q))

    def interval(self, confidence: Any) -> Any:
        return self.of_one(lambda of: of.interval(confidence))


@definition_of(stats.mvsdist)
def mvsdist(data: Any) -> Any:
    x = np.ravel(np.asarray(data) * 1.0)
    n = len(x)
    if n < 2:
        raise ValueError("Need at least 2 data-points.")
    mean, var, many = np.mean(x), np.var(x), n > 1000
    half, total = (n - 1) / 2.0, n * var / 2.0
    return (
        Posterior(stats.t(n - 1, loc=mean, scale=np.sqrt(var / (n - 1))), stats.norm(mean, np.sqrt(var / n)), many),
        Posterior(stats.invgamma(half, scale=total), stats.norm(var, math.sqrt(2.0 / n) * var), many),
        Posterior(stats.gengamma(half, -2, scale=np.sqrt(total)), stats.norm(np.sqrt(var), np.sqrt(var / (2.0 * n))),
                  many))


@dataclass
class Estimate(Parts):
    """The mean of such a distribution, and an interval of it."""

    statistic: Any
    minmax: Any

    def parts(self) -> Any:
        return self.statistic, self.minmax


@definition_of(stats.bayes_mvs)
def bayes_mvs(data: Any, alpha: Any = 0.90) -> Any:
    if alpha >= 1 or alpha <= 0:
        raise ValueError(f"0 < alpha < 1 is required, but {alpha=} was given.")
    return tuple([Estimate(of.mean(), of.interval(alpha)) for of in mvsdist(data)])


# -- Dunnett -----------------------------------------------------------------------------------------------------------


@dataclass
class Comparison:
    """What `dunnett` gives, but for its interval."""

    __ccc_record__ = True

    statistic: Any
    pvalue: Any


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
"""Points of a normal distribution, whose weights sum to sqrt(2 pi)."""
SIZES, SHARES = np.polynomial.legendre.leggauss(80)


def inside(t: Any, b: Any, df: Any, alternative: Any) -> Any:
    """The probability that all of some statistics stay within `t`, whose correlations are the products of `b`: given
    what they share and the deviation they are independent."""
    low, high = stats.chi2.ppf(1e-12, df), stats.chi2.ppf(1.0 - 1e-12, df)
    u = 0.5 * (high - low) * (np.asarray(SIZES) + 1.0) + low
    of_u = 0.5 * (high - low) * np.asarray(SHARES) * stats.chi2.pdf(u, df)
    s = np.sqrt(u / df)[:, None, None]
    z, own = np.asarray(NODES)[None, :, None] * b, np.sqrt(1.0 - b * b)
    above = scipy.special.ndtr((t * s - z) / own)
    each = above - scipy.special.ndtr((-t * s - z) / own) if alternative == "two-sided" else above
    return np.sum(of_u * (np.prod(each, axis=2) @ np.asarray(WEIGHTS))) / math.sqrt(2.0 * math.pi)


def beyond_as_scipy(t: Any, b: Any, df: int, alternative: str, rng: Any) -> Any:
    correlation = np.outer(b, b)
    np.fill_diagonal(correlation, 1.0)
    return stats._multicomp._pvalue_dunnett(correlation, df, t, alternative, np.random.default_rng(rng))


@definition_of(stats.dunnett)
def dunnett(*samples: Any, control: Any, alternative: Any = "two-sided", rng: Any = None) -> Any:
    """Where `rng` is None, how often a statistic as large occurs is the integral that SciPy takes draws for."""
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("alternative must be 'less', 'greater' or 'two-sided'")
    xs, base = [np.asarray(x) * 1.0 for x in samples], np.asarray(control) * 1.0
    sizes, n = np.array([len(x) * 1.0 for x in xs]), len(base)
    means, center = np.stack([np.mean(x) for x in xs]), np.mean(base)
    df = np.sum(sizes) + n - len(xs) - 1
    spread = sum([np.sum((x - np.mean(x)) ** 2) for x in xs]) + np.sum((base - center) ** 2)
    std = np.sqrt(spread / df)
    statistic = (means - center) / np.sqrt(1 / sizes + 1 / n) / std
    b = 1.0 / np.sqrt(n / sizes + 1.0)
    bound = np.abs(statistic) if alternative == "two-sided" else statistic if alternative == "greater" else -statistic
    p = np.stack([1.0 - inside(bound[k], b, df, alternative) for k in range(len(xs))])
    if rng is None:
        return Comparison(statistic, p)
    return Comparison(statistic, with_slope_of(constant(beyond_as_scipy, np.zeros(2), statistic, b, int(df),
                                                        alternative, rng), p))
