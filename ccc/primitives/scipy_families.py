"""Standard distributions: location 0, scale 1. What of them is known by a formula that has a derivative.

Sources of the formulas: *Continuous Univariate Distributions* (Johnson, Kotz, Balakrishnan), and SciPy, whose argument
names and supports these are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.primitives.elementary_numpy import (
    arctan,
    arctan2,
    equal,
    exp,
    expm1,
    floor,
    greater,
    greater_equal,
    isfinite,
    less,
    less_equal,
    log,
    log1p,
    logaddexp,
    logical_and,
    power,
    sqrt,
    tan,
    where,
)
from ccc.primitives.scipy_incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    chdtr,
    chdtrc,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    stdtr,
    stdtrit,
)
from ccc.primitives.scipy_special import (
    betaln,
    entr,
    erf,
    erfc,
    expit,
    gamma,
    gammaln,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    ndtri_exp,
    psi,
    xlog1py,
    xlogy,
)

Formula = Callable[..., Any]
LOG_PI, LOG_TWO_PI = math.log(math.pi), math.log(2.0 * math.pi)
EULER = 0.5772156649015329
ROOT_TWO = math.sqrt(2.0)


def positive(*shapes: Any) -> Any:
    """Whether all parameters are positive."""
    found: Any = True
    for a in shapes:
        found = greater(a, 0.0) if found is True else logical_and(found, greater(a, 0.0))
    return found


@dataclass(frozen=True, eq=False)
class Family:
    """A standard distribution: the logarithm of its density `log(z, *shapes)` and what else is known. Of `sf`, `isf`
    and the logarithms there are formulas where they say more than `1 - cdf`, `ppf(1 - q)`, `log(cdf)`. Where `ends` is
    false, the formula of the density means nothing at the ends of the support, where it is 0; where `far` is, those of
    the density and of `cdf` mean nothing at infinite places. `inner` is a place where the density is positive, whatever
    the parameters, of supports without such a one right of their lower end."""

    log: Formula
    cdf: Formula | Any = None
    sf: Formula | Any = None
    ppf: Formula | Any = None
    isf: Formula | Any = None
    logcdf: Formula | Any = None
    logsf: Formula | Any = None
    mean: Formula | Any = None
    var: Formula | Any = None
    entropy: Formula | Any = None
    allowed: Formula = positive
    support: Formula | Any = None
    ends: bool = True
    far: bool = True
    inner: float | None = None

    def upper(self, z: Any, *shapes: Any) -> Any:
        """`sf`."""
        return self.sf(z, *shapes) if self.sf else 1.0 - self.cdf(z, *shapes)

    def log_cdf(self, z: Any, *shapes: Any) -> Any:
        """`logcdf`."""
        return self.logcdf(z, *shapes) if self.logcdf else log(self.cdf(z, *shapes))

    def log_upper(self, z: Any, *shapes: Any) -> Any:
        """`logsf`."""
        return self.logsf(z, *shapes) if self.logsf else log(self.upper(z, *shapes))

    def upper_ppf(self, q: Any, *shapes: Any) -> Any:
        """`isf`."""
        return self.isf(q, *shapes) if self.isf else self.ppf(1.0 - q, *shapes)


def beyond(bound: float, a: Any, y: Formula, otherwise: float = math.inf) -> Any:
    """A moment that exists for parameters larger than a bound."""
    there = greater(a, bound)
    return where(there, y(where(there, a, bound + 1.0)), otherwise)


# -- densities -------------------------------------------------------------------------------------------------------


def normal(z: Any) -> Any:
    return -0.5 * (z * z) - 0.5 * LOG_TWO_PI


def of_t(z: Any, df: Any) -> Any:
    """Student's density; that of infinitely many degrees of freedom is the normal one."""
    finite = isfinite(df)
    n = where(finite, df, 1.0)
    half = 0.5 * (n + 1.0)
    found = gammaln(half) - gammaln(0.5 * n) - 0.5 * log(n) - 0.5 * LOG_PI - half * log1p(z * z / n)
    return where(finite, found, normal(z))


def of_cauchy(z: Any) -> Any:
    near = less(abs(z), 1.0)
    inside, outside = where(near, z, 0.0), where(near, 1.0, abs(z))
    far = 2.0 * log(outside) + log1p(1.0 / outside / outside)
    return -LOG_PI - where(near, log1p(inside * inside), far)


def of_chi2(z: Any, df: Any) -> Any:
    return xlogy(0.5 * df - 1.0, z) - 0.5 * z - gammaln(0.5 * df) - 0.5 * math.log(2.0) * df


def of_logistic(z: Any) -> Any:
    return log_expit(z) + log_expit(-z)


def of_lognorm(z: Any, s: Any) -> Any:
    length = log(z)
    return -(length * length) / (2.0 * s * s) - log(s) - length - 0.5 * LOG_TWO_PI


def laplace_tail(z: Any) -> Any:
    right = greater(z, 0.0)
    near = 0.5 * exp(-abs(z))
    return where(right, near, 1.0 - near)


def laplace_quantile(q: Any) -> Any:
    low = less(q, 0.5)
    return where(low, -log(2.0 * where(low, q, 0.25)), log(2.0 * (1.0 - where(low, 0.75, q))))


def of_gamma_entropy(a: Any) -> Any:
    return a + gammaln(a) + (1.0 - a) * psi(a)


def of_beta_entropy(a: Any, b: Any) -> Any:
    return betaln(a, b) - (a - 1.0) * psi(a) - (b - 1.0) * psi(b) + (a + b - 2.0) * psi(a + b)


def of_t_entropy(df: Any) -> Any:
    half = 0.5 * (df + 1.0)
    return half * (psi(half) - psi(0.5 * df)) + 0.5 * log(df) + betaln(0.5 * df, 0.5)


def of_t_variance(df: Any) -> Any:
    return where(greater(df, 1.0), beyond(2.0, df, lambda n: n / (n - 2.0)), math.nan)


def weibull_variance(c: Any) -> Any:
    mean = gamma(1.0 + 1.0 / c)
    return gamma(1.0 + 2.0 / c) - mean * mean


# -- truncated -------------------------------------------------------------------------------------------------------


def log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal mass between a and b; an interval right of 0 is turned to the left, where tails keep
    their digits."""
    turned = greater(a, 0.0)
    low, high = where(turned, -b, a), where(turned, -a, b)
    left = less_equal(high, 0.0)
    top, bottom = log_ndtr(where(left, high, 0.0)), log_ndtr(where(left, low, -1.0))
    tail = top + log(-expm1(bottom - top))
    middle = log1p(-ndtr(where(left, -1.0, low)) - ndtr(where(left, -1.0, -high)))
    return where(left, tail, middle)


def truncated_ppf(q: Any, a: Any, b: Any) -> Any:
    turned = greater(a, 0.0)
    left = logaddexp(log_ndtr(where(turned, -1.0, a)), log(q) + log_mass(a, b))
    right = logaddexp(log_ndtr(where(turned, -b, -1.0)), log1p(-q) + log_mass(a, b))
    return where(turned, -ndtri_exp(where(turned, right, -1.0)), ndtri_exp(where(turned, -1.0, left)))


CONTINUOUS: dict[str, Family] = {
    "norm": Family(
        normal, ndtr, lambda z: ndtr(-z), ndtri, lambda q: -ndtri(q), log_ndtr, lambda z: log_ndtr(-z),
        lambda: 0.0, lambda: 1.0, lambda: 0.5 * (LOG_TWO_PI + 1.0)),
    "lognorm": Family(
        of_lognorm, lambda z, s: ndtr(log(z) / s), lambda z, s: ndtr(-log(z) / s), lambda q, s: exp(s * ndtri(q)),
        lambda q, s: exp(-s * ndtri(q)), lambda z, s: log_ndtr(log(z) / s), lambda z, s: log_ndtr(-log(z) / s),
        lambda s: exp(0.5 * s * s), lambda s: expm1(s * s) * exp(s * s),
        lambda s: 0.5 * (1.0 + LOG_TWO_PI) + log(s), ends=False),
    "expon": Family(
        lambda z: -z, lambda z: -expm1(-z), lambda z: exp(-z), lambda q: -log1p(-q), lambda q: -log(q), None,
        lambda z: -z, lambda: 1.0, lambda: 1.0, lambda: 1.0),
    "gamma": Family(
        lambda z, a: xlogy(a - 1.0, z) - z - gammaln(a), lambda z, a: gammainc(a, z), lambda z, a: gammaincc(a, z),
        lambda q, a: gammaincinv(a, q), lambda q, a: gammainccinv(a, q), None, None, lambda a: a, lambda a: a,
        of_gamma_entropy),
    "invgamma": Family(
        lambda z, a: -(a + 1.0) * log(z) - gammaln(a) - 1.0 / z, lambda z, a: gammaincc(a, 1.0 / z),
        lambda z, a: gammainc(a, 1.0 / z), lambda q, a: 1.0 / gammainccinv(a, q), lambda q, a: 1.0 / gammaincinv(a, q),
        None, None, lambda a: beyond(1.0, a, lambda n: 1.0 / (n - 1.0)),
        lambda a: beyond(2.0, a, lambda n: 1.0 / ((n - 1.0) * (n - 1.0) * (n - 2.0))),
        lambda a: a - (a + 1.0) * psi(a) + gammaln(a), ends=False),
    "beta": Family(
        lambda z, a, b: xlogy(a - 1.0, z) + xlog1py(b - 1.0, -z) - betaln(a, b), lambda z, a, b: betainc(a, b, z),
        lambda z, a, b: betaincc(a, b, z), lambda q, a, b: betaincinv(a, b, q), lambda q, a, b: betainccinv(a, b, q),
        None, None, lambda a, b: a / (a + b), lambda a, b: a * b / ((a + b) * (a + b) * (a + b + 1.0)),
        of_beta_entropy),
    "uniform": Family(
        lambda z: 0.0 * z, lambda z: z, lambda z: 1.0 - z, lambda q: q, None, None, None, lambda: 0.5,
        lambda: 1.0 / 12.0, lambda: 0.0),
    "t": Family(
        of_t, lambda z, df: stdtr(df, z), lambda z, df: stdtr(df, -z), lambda q, df: stdtrit(df, q),
        lambda q, df: -stdtrit(df, q), None, None, lambda df: where(greater(df, 1.0), 0.0, math.inf), of_t_variance,
        of_t_entropy),
    "chi2": Family(
        of_chi2, lambda z, df: chdtr(df, z), lambda z, df: chdtrc(df, z),
        lambda q, df: 2.0 * gammaincinv(0.5 * df, q), lambda q, df: 2.0 * gammainccinv(0.5 * df, q), None, None,
        lambda df: df, lambda df: 2.0 * df, lambda df: of_gamma_entropy(0.5 * df) + math.log(2.0)),
    "cauchy": Family(
        of_cauchy, lambda z: arctan2(1.0, -z) / math.pi, lambda z: arctan2(1.0, z) / math.pi,
        lambda q: tan(math.pi * (q - 0.5)), lambda q: -tan(math.pi * (q - 0.5)), None, None, lambda: math.nan,
        lambda: math.nan, lambda: math.log(4.0 * math.pi)),
    "halfcauchy": Family(
        lambda z: math.log(2.0 / math.pi) - log1p(z * z), lambda z: 2.0 / math.pi * arctan(z),
        lambda z: 2.0 / math.pi * arctan2(1.0, z), lambda q: tan(0.5 * math.pi * q),
        lambda q: 1.0 / tan(0.5 * math.pi * q), None, None, lambda: math.inf, lambda: math.inf,
        lambda: math.log(2.0 * math.pi)),
    "laplace": Family(
        lambda z: -math.log(2.0) - abs(z), lambda z: laplace_tail(-z), laplace_tail,
        lambda q: -laplace_quantile(q), laplace_quantile, None, None, lambda: 0.0, lambda: 2.0,
        lambda: math.log(2.0) + 1.0),
    "logistic": Family(
        of_logistic, expit, lambda z: expit(-z), logit, lambda q: -logit(q), log_expit, lambda z: log_expit(-z),
        lambda: 0.0, lambda: math.pi**2 / 3.0, lambda: 2.0),
    "pareto": Family(
        lambda z, b: log(b) - (b + 1.0) * log(z), lambda z, b: 1.0 - power(z, -b), lambda z, b: power(z, -b),
        lambda q, b: power(1.0 - q, -1.0 / b), lambda q, b: power(q, -1.0 / b), None, lambda z, b: -b * log(z),
        lambda b: beyond(1.0, b, lambda n: n / (n - 1.0)),
        lambda b: beyond(2.0, b, lambda n: n / ((n - 2.0) * (n - 1.0) * (n - 1.0))), lambda b: 1.0 + 1.0 / b - log(b)),
    "weibull_min": Family(
        lambda z, c: log(c) + xlogy(c - 1.0, z) - power(z, c), lambda z, c: -expm1(-power(z, c)),
        lambda z, c: exp(-power(z, c)), lambda q, c: power(-log1p(-q), 1.0 / c), lambda q, c: power(-log(q), 1.0 / c),
        None, lambda z, c: -power(z, c), lambda c: gamma(1.0 + 1.0 / c), weibull_variance,
        lambda c: -EULER / c - log(c) + EULER + 1.0),
    "gumbel_r": Family(
        lambda z: -z - exp(-z), lambda z: exp(-exp(-z)), lambda z: -expm1(-exp(-z)), lambda q: -log(-log(q)),
        lambda q: -log(-log1p(-q)), lambda z: -exp(-z), None, lambda: EULER, lambda: math.pi**2 / 6.0,
        lambda: EULER + 1.0),
    "gumbel_l": Family(
        lambda z: z - exp(z), lambda z: -expm1(-exp(z)), lambda z: exp(-exp(z)), lambda q: log(-log1p(-q)),
        lambda q: log(-log(q)), None, lambda z: -exp(z), lambda: -EULER, lambda: math.pi**2 / 6.0,
        lambda: EULER + 1.0),
    "halfnorm": Family(
        lambda z: 0.5 * math.log(2.0 / math.pi) - 0.5 * (z * z), lambda z: erf(z / ROOT_TWO),
        lambda z: erfc(z / ROOT_TWO), lambda q: ndtri(0.5 + 0.5 * q), lambda q: -ndtri(0.5 * q), None,
        lambda z: math.log(2.0) + log_ndtr(-z), lambda: math.sqrt(2.0 / math.pi), lambda: 1.0 - 2.0 / math.pi,
        lambda: 0.5 * math.log(math.pi / 2.0) + 0.5),
    "rayleigh": Family(
        lambda z: log(z) - 0.5 * (z * z), lambda z: -expm1(-0.5 * (z * z)), lambda z: exp(-0.5 * (z * z)),
        lambda q: sqrt(-2.0 * log1p(-q)), lambda q: sqrt(-2.0 * log(q)), None, lambda z: -0.5 * (z * z),
        lambda: math.sqrt(math.pi / 2.0), lambda: 2.0 - math.pi / 2.0, lambda: EULER / 2.0 + 1.0 - 0.5 * math.log(2.0),
        ends=False),
    "truncnorm": Family(
        lambda z, a, b: normal(z) - log_mass(a, b), lambda z, a, b: exp(log_mass(a, z) - log_mass(a, b)),
        lambda z, a, b: exp(log_mass(z, b) - log_mass(a, b)), truncated_ppf, None,
        lambda z, a, b: log_mass(a, z) - log_mass(a, b), lambda z, a, b: log_mass(z, b) - log_mass(a, b),
        allowed=lambda a, b: less(a, b), support=lambda a, b: (a, b)),
}


# -- discrete --------------------------------------------------------------------------------------------------------


def is_probability(p: Any) -> Any:
    return logical_and(greater_equal(p, 0.0), less_equal(p, 1.0))


def is_chance(p: Any) -> Any:
    return logical_and(greater(p, 0.0), less_equal(p, 1.0))


def is_count(n: Any) -> Any:
    return logical_and(greater_equal(n, 0.0), equal(floor(n), n))


def of_binom(k: Any, n: Any, p: Any) -> Any:
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return ways + xlogy(k, p) + xlog1py(n - k, -p)


DISCRETE: dict[str, Family] = {
    "poisson": Family(
        lambda k, mu: xlogy(k, mu) - gammaln(k + 1.0) - mu, lambda k, mu: gammaincc(k + 1.0, mu),
        lambda k, mu: gammainc(k + 1.0, mu), mean=lambda mu: mu, var=lambda mu: mu,
        allowed=lambda mu: greater_equal(mu, 0.0)),
    "binom": Family(
        of_binom, lambda k, n, p: betaincc(k + 1.0, n - k, p), lambda k, n, p: betainc(k + 1.0, n - k, p),
        mean=lambda n, p: n * p, var=lambda n, p: n * p * (1.0 - p),
        allowed=lambda n, p: logical_and(is_count(n), is_probability(p)), support=lambda n, p: (0.0, n)),
    "bernoulli": Family(
        lambda k, p: xlogy(k, p) + xlog1py(1.0 - k, -p), lambda k, p: 1.0 - p + 0.0 * k, lambda k, p: p + 0.0 * k,
        mean=lambda p: p, var=lambda p: p * (1.0 - p), entropy=lambda p: entr(p) + entr(1.0 - p),
        allowed=is_probability),
    "nbinom": Family(
        lambda k, n, p: gammaln(n + k) - gammaln(k + 1.0) - gammaln(n) + n * log(p) + xlog1py(k, -p),
        lambda k, n, p: betainc(n, k + 1.0, p), lambda k, n, p: betaincc(n, k + 1.0, p),
        mean=lambda n, p: n * (1.0 - p) / p, var=lambda n, p: n * (1.0 - p) / (p * p),
        allowed=lambda n, p: logical_and(greater(n, 0.0), is_chance(p))),
    "geom": Family(
        lambda k, p: xlog1py(k - 1.0, -p) + log(p), lambda k, p: -expm1(log1p(-p) * k), lambda k, p: exp(log1p(-p) * k),
        logsf=lambda k, p: log1p(-p) * k, mean=lambda p: 1.0 / p, var=lambda p: (1.0 - p) / (p * p),
        allowed=is_chance),
}
