"""More standard distributions, and the tables of all that are known.

Sources of the formulas: *Continuous Univariate Distributions* and *Univariate Discrete Distributions* (Johnson, Kotz,
Balakrishnan, Kemp), and SciPy, whose argument names and supports these are.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.primitives import scipy_families
from ccc.primitives.elementary_numpy import (
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    cos,
    equal,
    exp,
    expm1,
    greater,
    greater_equal,
    isfinite,
    less,
    less_equal,
    log,
    log1p,
    logaddexp,
    logical_and,
    maximum,
    minimum,
    not_equal,
    power,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from ccc.primitives.scipy_families import (
    EULER,
    LOG_PI,
    LOG_TWO_PI,
    ROOT_TWO,
    Family,
    beyond,
    is_count,
    normal,
    positive,
)
from ccc.primitives.scipy_incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    fdtr,
    fdtrc,
    fdtri,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)
from ccc.primitives.scipy_special import (
    betaln,
    boxcox,
    boxcox1p,
    cosm1,
    erf,
    erfc,
    erfcinv,
    erfinv,
    expit,
    gamma,
    gammaln,
    hyp2f1,
    i0e,
    i1e,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    owens_t,
    poch,
    polygamma,
    psi,
    xlog1py,
    xlogy,
    zeta,
)

LOG_TWO = math.log(2.0)


def log1p_ratio(w: Any) -> Any:
    """`log1p(w) / w`, which is regular at 0."""
    near = less(abs(w), 0.1)
    return where(near, hyp2f1(1.0, 1.0, 2.0, -where(near, w, 0.0)), log1p(where(near, 1.0, w)) / where(near, 1.0, w))


def log_cosh(z: Any) -> Any:
    return logaddexp(z, -z) - LOG_TWO


def mirrored(z: Any, upper: Any) -> Any:
    """The distribution function of a symmetric density whose upper tail at `|z|` is this."""
    return where(greater(z, 0.0), 1.0 - upper, upper)


def mirrored_ppf(q: Any, upper: Any) -> Any:
    """The quantile of a symmetric density whose upper tail `upper(p)` inverts."""
    high, middle = greater(q, 0.5), equal(q, 0.5)
    found = upper(where(middle, 0.25, where(high, 1.0 - q, q)))
    return where(middle, 0.0, where(high, found, -found))


def between(low: float, high: float, a: Any) -> Any:
    return logical_and(greater_equal(a, low), less_equal(a, high))


def of_triang(z: Any, c: Any) -> Any:
    left = less(z, c)
    up, down = where(left, z, 0.5) / where(left, c, 1.0), where(left, 0.5, 1.0 - z) / where(less(c, 1.0), 1.0 - c, 1.0)
    return LOG_TWO + log(where(left, up, where(less(c, 1.0), down, 1.0)))


def triang_cdf(z: Any, c: Any) -> Any:
    left = less(z, c)
    return where(left, z * z / where(left, c, 1.0), 1.0 - (1.0 - z) * (1.0 - z) / where(left, 1.0, 1.0 - c))


def triang_ppf(q: Any, c: Any) -> Any:
    left = less(q, c)
    return where(left, sqrt(where(left, c * q, 1.0)), 1.0 - sqrt(where(left, 1.0, (1.0 - c) * (1.0 - q))))


def of_invgauss(z: Any, mu: Any) -> Any:
    away = (z - mu) / mu
    return -0.5 * LOG_TWO_PI - 1.5 * log(z) - away * away / (2.0 * z)


def invgauss_tail(z: Any, mu: Any, turn: float) -> Any:
    """The logarithm of the mass left of z, or right of it where `turn` is -1."""
    first = log_ndtr(turn * (z / mu - 1.0) / sqrt(z))
    rest = exp(2.0 / mu + log_ndtr(-(z + mu) / mu / sqrt(z)) - first)
    return first + log1p(turn * rest)


def extreme(z: Any, c: Any) -> Any:
    """`(1 - c z)**(1 / c)`."""
    return exp(-z * log1p_ratio(-c * z))


def power_tail(z: Any, c: Any) -> Any:
    """`log(1 + c z) / c`."""
    return z * log1p_ratio(c * z)


def gengamma_cdf(z: Any, a: Any, c: Any) -> Any:
    return where(greater(c, 0.0), gammainc(a, power(z, c)), gammaincc(a, power(z, c)))


def gengamma_ppf(q: Any, a: Any, c: Any) -> Any:
    return power(where(greater(c, 0.0), gammaincinv(a, q), gammainccinv(a, q)), 1.0 / c)


def skew_share(a: Any) -> Any:
    """The mean of a skewed normal distribution."""
    return a / sqrt(1.0 + a * a) * math.sqrt(2.0 / math.pi)


def gennorm_cdf(z: Any, beta: Any) -> Any:
    half = 0.5 * sign(z)
    return (0.5 + half) - half * gammaincc(1.0 / beta, power(abs(z), beta))


def nakagami_mean(nu: Any) -> Any:
    return poch(nu, 0.5) / sqrt(nu)


def chi_mean(df: Any) -> Any:
    return ROOT_TWO * poch(0.5 * df, 0.5)


def folded_mean(c: Any) -> Any:
    return math.sqrt(2.0 / math.pi) * exp(-0.5 * c * c) + c * erf(c / ROOT_TWO)


def of_loglaplace(z: Any, c: Any) -> Any:
    return log(0.5 * c) + where(less(z, 1.0), c - 1.0, -c - 1.0) * log(z)


def loglaplace_cdf(z: Any, c: Any) -> Any:
    left = less(z, 1.0)
    tail = 0.5 * power(z, where(left, c, -c))
    return where(left, tail, 1.0 - tail)


def loglaplace_ppf(q: Any, c: Any) -> Any:
    left = less(q, 0.5)
    return where(left, power(2.0 * q, 1.0 / c), power(2.0 * (1.0 - q), -1.0 / c))


def asymmetric_tail(z: Any, kappa: Any, turn: bool) -> Any:
    """The mass left of z, or right of it."""
    right = greater_equal(z, 0.0)
    tail = exp(where(right, -z * kappa, z / kappa)) * where(right, 1.0, kappa * kappa) / (1.0 + kappa * kappa)
    return where(right, tail, 1.0 - tail) if turn else where(right, 1.0 - tail, tail)


def of_hypergeom(k: Any, M: Any, n: Any, N: Any) -> Any:
    ways = lambda a, b: -log(a + 1.0) - betaln(a - b + 1.0, b + 1.0)  # noqa: E731
    return ways(n, k) + ways(M - n, N - k) - ways(M, N)


CONTINUOUS: dict[str, Family] = scipy_families.CONTINUOUS | {
    "erlang": scipy_families.CONTINUOUS["gamma"],
    "maxwell": Family(
        lambda z: 0.5 * math.log(2.0 / math.pi) + 2.0 * log(z) - 0.5 * z * z, lambda z: gammainc(1.5, 0.5 * z * z),
        lambda z: gammaincc(1.5, 0.5 * z * z), lambda q: sqrt(2.0 * gammaincinv(1.5, q)),
        lambda q: sqrt(2.0 * gammainccinv(1.5, q)), mean=lambda: 2.0 * math.sqrt(2.0 / math.pi),
        var=lambda: 3.0 - 8.0 / math.pi, entropy=lambda: EULER + 0.5 * LOG_TWO_PI - 0.5),
    "f": Family(
        lambda z, m, n: 0.5 * m * log(m) + 0.5 * n * log(n) + xlogy(0.5 * m - 1.0, z) - 0.5 * (m + n) * log(n + m * z)
        - betaln(0.5 * m, 0.5 * n), lambda z, m, n: fdtr(m, n, z), lambda z, m, n: fdtrc(m, n, z),
        lambda q, m, n: fdtri(m, n, q), mean=lambda m, n: beyond(2.0, n, lambda k: k / (k - 2.0)) + 0.0 * m,
        var=lambda m, n: beyond(4.0, n, lambda k: 2.0 * k * k * (m + k - 2.0) / (
            m * (k - 2.0) * (k - 2.0) * (k - 4.0)))),
    "triang": Family(
        of_triang, triang_cdf, ppf=triang_ppf, mean=lambda c: (1.0 + c) / 3.0, var=lambda c: (1.0 - c + c * c) / 18.0,
        entropy=lambda c: 0.5 - LOG_TWO + 0.0 * c, allowed=lambda c: between(0.0, 1.0, c)),
    "loguniform": Family(
        lambda z, a, b: -log(z) - log(log(b) - log(a)), lambda z, a, b: (log(z) - log(a)) / (log(b) - log(a)),
        ppf=lambda q, a, b: exp(log(a) + q * (log(b) - log(a))), mean=lambda a, b: (b - a) / (log(b) - log(a)),
        var=lambda a, b: log_variance(a, b), entropy=lambda a, b: 0.5 * (log(a) + log(b)) + log(log(b) - log(a)),
        allowed=lambda a, b: logical_and(greater(a, 0.0), greater(b, a)), support=lambda a, b: (a, b)),
    "powerlaw": Family(
        lambda z, a: log(a) + xlogy(a - 1.0, z), lambda z, a: power(z, a), ppf=lambda q, a: power(q, 1.0 / a),
        logcdf=lambda z, a: a * log(z), mean=lambda a: a / (a + 1.0),
        var=lambda a: a / ((a + 2.0) * (a + 1.0) * (a + 1.0)), entropy=lambda a: 1.0 - 1.0 / a - log(a)),
    "invgauss": Family(
        of_invgauss, lambda z, mu: exp(invgauss_tail(z, mu, 1.0)), lambda z, mu: exp(invgauss_tail(z, mu, -1.0)),
        logcdf=lambda z, mu: invgauss_tail(z, mu, 1.0), logsf=lambda z, mu: invgauss_tail(z, mu, -1.0),
        mean=lambda mu: mu, var=lambda mu: mu * mu * mu, ends=False),
    "wald": Family(
        lambda z: of_invgauss(z, 1.0), lambda z: exp(invgauss_tail(z, 1.0, 1.0)),
        lambda z: exp(invgauss_tail(z, 1.0, -1.0)), mean=lambda: 1.0, var=lambda: 1.0, ends=False),
    "invweibull": Family(
        lambda z, c: log(c) - (c + 1.0) * log(z) - power(z, -c), lambda z, c: exp(-power(z, -c)),
        lambda z, c: -expm1(-power(z, -c)), lambda q, c: power(-log(q), -1.0 / c),
        lambda q, c: power(-log1p(-q), -1.0 / c), logcdf=lambda z, c: -power(z, -c),
        entropy=lambda c: 1.0 + EULER + EULER / c - log(c), ends=False),
    "genextreme": Family(
        lambda z, c: -extreme(z, c) - (1.0 - c) * z * log1p_ratio(-c * z), lambda z, c: exp(-extreme(z, c)),
        lambda z, c: -expm1(-extreme(z, c)), lambda q, c: -boxcox(-log(q), c), lambda q, c: -boxcox(-log1p(-q), c),
        lambda z, c: -extreme(z, c), allowed=isfinite, far=False, inner=0.0,
        support=lambda c: (where(less(c, 0.0), 1.0 / where(less(c, 0.0), c, 1.0), -math.inf),
                           where(greater(c, 0.0), 1.0 / where(greater(c, 0.0), c, 1.0), math.inf))),
    "genpareto": Family(
        lambda z, c: -(1.0 + c) * power_tail(z, c), lambda z, c: -expm1(-power_tail(z, c)),
        lambda z, c: exp(-power_tail(z, c)), lambda q, c: -boxcox1p(-q, -c), lambda q, c: -boxcox(q, -c), None,
        lambda z, c: -power_tail(z, c), entropy=lambda c: 1.0 + c, allowed=isfinite, far=False, inner=0.0,
        support=lambda c: (0.0, where(less(c, 0.0), -1.0 / where(less(c, 0.0), c, 1.0), math.inf))),
    "gengamma": Family(
        lambda z, a, c: log(abs(c)) + xlogy(c * a - 1.0, z) - power(z, c) - gammaln(a), gengamma_cdf,
        ppf=gengamma_ppf, mean=lambda a, c: exp(gammaln(a + 1.0 / c) - gammaln(a)),
        allowed=lambda a, c: logical_and(greater(a, 0.0), not_equal(c, 0.0)), ends=False),
    "skewnorm": Family(
        lambda z, a: LOG_TWO + normal(z) + log_ndtr(a * z), lambda z, a: ndtr(z) - 2.0 * owens_t(z, a),
        lambda z, a: ndtr(-z) + 2.0 * owens_t(z, a), mean=skew_share, var=lambda a: 1.0 - skew_share(a) * skew_share(a),
        allowed=isfinite),
    "vonmises": Family(
        lambda z, kappa: kappa * cosm1(z) - LOG_TWO_PI - log(i0e(kappa)),
        entropy=lambda kappa: -kappa * i1e(kappa) / i0e(kappa) + LOG_TWO_PI + log(i0e(kappa)) + kappa,
        allowed=lambda kappa: greater_equal(kappa, 0.0)),
    "weibull_max": Family(
        lambda z, c: log(c) + xlogy(c - 1.0, -z) - power(-z, c), lambda z, c: exp(-power(-z, c)),
        lambda z, c: -expm1(-power(-z, c)), lambda q, c: -power(-log(q), 1.0 / c), logcdf=lambda z, c: -power(-z, c),
        mean=lambda c: -gamma(1.0 + 1.0 / c), var=scipy_families.weibull_variance,
        entropy=lambda c: -EULER / c - log(c) + EULER + 1.0, inner=-1.0),
    "lomax": Family(
        lambda z, c: log(c) - (c + 1.0) * log1p(z), lambda z, c: -expm1(-c * log1p(z)),
        lambda z, c: exp(-c * log1p(z)), lambda q, c: expm1(-log1p(-q) / c), lambda q, c: power(q, -1.0 / c) - 1.0,
        None, lambda z, c: -c * log1p(z), entropy=lambda c: 1.0 + 1.0 / c - log(c)),
    "fisk": Family(
        lambda z, c: log(c) + xlogy(c - 1.0, z) - 2.0 * log1p(power(z, c)), lambda z, c: expit(c * log(z)),
        lambda z, c: expit(-c * log(z)), lambda q, c: exp(logit(q) / c), entropy=lambda c: 2.0 - log(c), far=False),
    "burr": Family(
        lambda z, c, d: log(c) + log(d) + xlogy(c * d - 1.0, z) - (d + 1.0) * log1p(power(z, c)),
        lambda z, c, d: exp(-d * log1p(power(z, -c))), ppf=lambda q, c, d: power(power(q, -1.0 / d) - 1.0, -1.0 / c),
        logcdf=lambda z, c, d: -d * log1p(power(z, -c)), far=False),
    "burr12": Family(
        lambda z, c, d: log(c) + log(d) + xlogy(c - 1.0, z) - (d + 1.0) * log1p(power(z, c)),
        lambda z, c, d: -expm1(-d * log1p(power(z, c))), lambda z, c, d: exp(-d * log1p(power(z, c))),
        lambda q, c, d: power(expm1(-log1p(-q) / d), 1.0 / c), logsf=lambda z, c, d: -d * log1p(power(z, c))),
    "nakagami": Family(
        lambda z, nu: LOG_TWO + nu * log(nu) - gammaln(nu) + xlogy(2.0 * nu - 1.0, z) - nu * z * z,
        lambda z, nu: gammainc(nu, nu * z * z), lambda z, nu: gammaincc(nu, nu * z * z),
        lambda q, nu: sqrt(gammaincinv(nu, q) / nu), lambda q, nu: sqrt(gammainccinv(nu, q) / nu), mean=nakagami_mean,
        var=lambda nu: 1.0 - nakagami_mean(nu) * nakagami_mean(nu)),
    "chi": Family(
        lambda z, df: LOG_TWO - 0.5 * LOG_TWO * df - gammaln(0.5 * df) + xlogy(df - 1.0, z) - 0.5 * z * z,
        lambda z, df: gammainc(0.5 * df, 0.5 * z * z), lambda z, df: gammaincc(0.5 * df, 0.5 * z * z),
        lambda q, df: sqrt(2.0 * gammaincinv(0.5 * df, q)), lambda q, df: sqrt(2.0 * gammainccinv(0.5 * df, q)),
        mean=chi_mean, var=lambda df: df - chi_mean(df) * chi_mean(df)),
    "dweibull": Family(
        lambda z, c: log(0.5 * c) + xlogy(c - 1.0, abs(z)) - power(abs(z), c),
        lambda z, c: mirrored(z, 0.5 * exp(-power(abs(z), c))),
        ppf=lambda q, c: mirrored_ppf(q, lambda p: power(-log(2.0 * p), 1.0 / c)),
        var=lambda c: gamma(1.0 + 2.0 / c)),
    "dgamma": Family(
        lambda z, a: xlogy(a - 1.0, abs(z)) - abs(z) - LOG_TWO - gammaln(a),
        lambda z, a: mirrored(z, 0.5 * gammaincc(a, abs(z))),
        ppf=lambda q, a: mirrored_ppf(q, lambda p: gammainccinv(a, 2.0 * p)), var=lambda a: a * (a + 1.0)),
    "gennorm": Family(
        lambda z, b: log(0.5 * b) - gammaln(1.0 / b) - power(abs(z), b), gennorm_cdf, lambda z, b: gennorm_cdf(-z, b),
        lambda q, b: mirrored_ppf(q, lambda p: power(gammainccinv(1.0 / b, 2.0 * p), 1.0 / b)),
        var=lambda b: exp(gammaln(3.0 / b) - gammaln(1.0 / b)),
        entropy=lambda b: 1.0 / b - log(0.5 * b) + gammaln(1.0 / b)),
    "halfgennorm": Family(
        lambda z, b: log(b) - gammaln(1.0 / b) - power(z, b), lambda z, b: gammainc(1.0 / b, power(z, b)),
        lambda z, b: gammaincc(1.0 / b, power(z, b)), lambda q, b: power(gammaincinv(1.0 / b, q), 1.0 / b),
        lambda q, b: power(gammainccinv(1.0 / b, q), 1.0 / b), entropy=lambda b: 1.0 / b - log(b) + gammaln(1.0 / b)),
    "johnsonsu": Family(
        lambda z, a, b: log(b) - 0.5 * log1p(z * z) + normal(a + b * arcsinh(z)),
        lambda z, a, b: ndtr(a + b * arcsinh(z)), lambda z, a, b: ndtr(-a - b * arcsinh(z)),
        lambda q, a, b: sinh((ndtri(q) - a) / b), lambda q, a, b: sinh((-ndtri(q) - a) / b),
        allowed=lambda a, b: logical_and(greater(b, 0.0), equal(a, a))),
    "johnsonsb": Family(
        lambda z, a, b: log(b) - log(z) - log1p(-z) + normal(a + b * logit(z)), lambda z, a, b: ndtr(a + b * logit(z)),
        lambda z, a, b: ndtr(-a - b * logit(z)), lambda q, a, b: expit((ndtri(q) - a) / b),
        lambda q, a, b: expit((-ndtri(q) - a) / b), allowed=lambda a, b: logical_and(greater(b, 0.0), equal(a, a)),
        ends=False),
    "arcsine": Family(
        lambda z: -LOG_PI - 0.5 * log(z) - 0.5 * log1p(-z), lambda z: 2.0 / math.pi * arcsin(sqrt(z)),
        ppf=lambda q: sin(0.5 * math.pi * q) * sin(0.5 * math.pi * q), mean=lambda: 0.5, var=lambda: 0.125,
        entropy=lambda: math.log(math.pi / 4.0)),
    "semicircular": Family(
        lambda z: math.log(2.0 / math.pi) + 0.5 * log1p(-z * z),
        lambda z: 0.5 + (z * sqrt(1.0 - z * z) + arcsin(z)) / math.pi, mean=lambda: 0.0, var=lambda: 0.25,
        entropy=lambda: 0.64472988584940017414, inner=0.0),
    "anglit": Family(
        lambda z: log(cos(2.0 * z)), lambda z: sin(z + 0.25 * math.pi) * sin(z + 0.25 * math.pi),
        lambda z: cos(z + 0.25 * math.pi) * cos(z + 0.25 * math.pi), lambda q: arcsin(sqrt(q)) - 0.25 * math.pi,
        mean=lambda: 0.0, var=lambda: math.pi**2 / 16.0 - 0.5, entropy=lambda: 1.0 - LOG_TWO, inner=0.0),
    "hypsecant": Family(
        lambda z: -LOG_PI - log_cosh(z), lambda z: 2.0 / math.pi * arctan(exp(z)),
        lambda z: 2.0 / math.pi * arctan(exp(-z)), lambda q: log(tan(0.5 * math.pi * q)),
        lambda q: -log(tan(0.5 * math.pi * q)), mean=lambda: 0.0, var=lambda: math.pi**2 / 4.0,
        entropy=lambda: LOG_TWO_PI),
    "gibrat": Family(
        lambda z: scipy_families.of_lognorm(z, 1.0), lambda z: ndtr(log(z)), lambda z: ndtr(-log(z)),
        lambda q: exp(ndtri(q)), lambda q: exp(-ndtri(q)), mean=lambda: math.exp(0.5),
        var=lambda: math.e * (math.e - 1.0), entropy=lambda: 0.5 * LOG_TWO_PI + 0.5, ends=False),
    "levy": Family(
        lambda z: -0.5 * LOG_TWO_PI - 1.5 * log(z) - 0.5 / z, lambda z: erfc(sqrt(0.5 / z)),
        lambda z: erf(sqrt(0.5 / z)), lambda q: power(ndtri(0.5 * q), -2.0), lambda q: 0.5 * power(erfinv(q), -2.0),
        mean=lambda: math.inf, var=lambda: math.inf, ends=False),
    "moyal": Family(
        lambda z: -0.5 * (z + exp(-z)) - 0.5 * LOG_TWO_PI, lambda z: erfc(exp(-0.5 * z) / ROOT_TWO),
        lambda z: erf(exp(-0.5 * z) / ROOT_TWO), lambda q: -log(2.0 * erfcinv(q) * erfcinv(q)),
        mean=lambda: LOG_TWO + EULER, var=lambda: math.pi**2 / 2.0),
    "loglaplace": Family(of_loglaplace, loglaplace_cdf, ppf=loglaplace_ppf, ends=False),
    "laplace_asymmetric": Family(
        lambda z, k: z * where(greater_equal(z, 0.0), -k, 1.0 / k) - log(k + 1.0 / k),
        lambda z, k: asymmetric_tail(z, k, False), lambda z, k: asymmetric_tail(z, k, True),
        mean=lambda k: 1.0 / k - k, var=lambda k: 1.0 / (k * k) + k * k, entropy=lambda k: 1.0 + log(k + 1.0 / k)),
    "foldnorm": Family(
        lambda z, c: 0.5 * math.log(2.0 / math.pi) + log_cosh(c * z) - 0.5 * (z * z + c * c),
        lambda z, c: 0.5 * (erf((z - c) / ROOT_TWO) + erf((z + c) / ROOT_TWO)),
        lambda z, c: ndtr(c - z) + ndtr(-c - z), mean=folded_mean,
        var=lambda c: c * c + 1.0 - folded_mean(c) * folded_mean(c), far=False,
        allowed=lambda c: greater_equal(c, 0.0)),
    "halflogistic": Family(
        lambda z: LOG_TWO - z - 2.0 * log1p(exp(-z)), lambda z: tanh(0.5 * z), lambda z: 2.0 * expit(-z),
        lambda q: 2.0 * arctanh(q), lambda q: -logit(0.5 * q), mean=lambda: 2.0 * LOG_TWO,
        var=lambda: math.pi**2 / 3.0 - 4.0 * LOG_TWO * LOG_TWO, entropy=lambda: 2.0 - LOG_TWO),
    "gompertz": Family(
        lambda z, c: log(c) + z - c * expm1(z), lambda z, c: -expm1(-c * expm1(z)), lambda z, c: exp(-c * expm1(z)),
        lambda q, c: log1p(-log1p(-q) / c), lambda q, c: log1p(-log(q) / c), None, lambda z, c: -c * expm1(z)),
    "exponpow": Family(
        lambda z, b: 1.0 + log(b) + xlogy(b - 1.0, z) + power(z, b) - exp(power(z, b)),
        lambda z, b: -expm1(-expm1(power(z, b))), lambda z, b: exp(-expm1(power(z, b))),
        lambda q, b: power(log1p(-log1p(-q)), 1.0 / b), lambda q, b: power(log1p(-log(q)), 1.0 / b)),
    "truncexpon": Family(
        lambda z, b: -z - log(-expm1(-b)), lambda z, b: expm1(-z) / expm1(-b),
        ppf=lambda q, b: -log1p(q * expm1(-b)), mean=lambda b: 1.0 + b * exp(-b) / expm1(-b),
        support=lambda b: (0.0, b), inner=0.0),
    "exponweib": Family(
        lambda z, a, c: log(a) + log(c) + xlogy(a - 1.0, -expm1(-power(z, c))) - power(z, c) + xlogy(c - 1.0, z),
        lambda z, a, c: power(-expm1(-power(z, c)), a),
        ppf=lambda q, a, c: power(-log1p(-power(q, 1.0 / a)), 1.0 / c)),
    "betaprime": Family(
        lambda z, a, b: xlogy(a - 1.0, z) - xlog1py(a + b, z) - betaln(a, b),
        lambda z, a, b: betainc(a, b, z / (1.0 + z)), lambda z, a, b: betaincc(a, b, z / (1.0 + z)),
        lambda q, a, b: betaincinv(a, b, q) / betainccinv(b, a, q),
        lambda q, a, b: betainccinv(a, b, q) / betaincinv(b, a, q),
        mean=lambda a, b: beyond(1.0, b, lambda n: a / (n - 1.0)),
        var=lambda a, b: beyond(2.0, b, lambda n: a * (a + n - 1.0) / ((n - 2.0) * (n - 1.0) * (n - 1.0))), far=False),
    "bradford": Family(
        lambda z, c: log(c) - log1p(c * z) - log(log1p(c)), lambda z, c: log1p(c * z) / log1p(c),
        ppf=lambda q, c: expm1(q * log1p(c)) / c, mean=lambda c: 1.0 / log1p(c) - 1.0 / c,
        entropy=lambda c: 0.5 * log1p(c) - log(c / log1p(c))),
    "loggamma": Family(
        lambda z, c: c * z - exp(z) - gammaln(c), lambda z, c: gammainc(c, exp(z)), lambda z, c: gammaincc(c, exp(z)),
        lambda q, c: log(gammaincinv(c, q)), lambda q, c: log(gammainccinv(c, q)), mean=psi,
        var=lambda c: polygamma(1, c), entropy=lambda c: gammaln(c) - c * psi(c) + c),
    "genlogistic": Family(
        lambda z, c: log(c) + c * log_expit(z) + log_expit(-z), lambda z, c: exp(c * log_expit(z)),
        lambda z, c: -expm1(c * log_expit(z)), lambda q, c: -log(expm1(-log(q) / c)),
        lambda q, c: -log(expm1(-log1p(-q) / c)), lambda z, c: c * log_expit(z), mean=lambda c: EULER + psi(c),
        var=lambda c: math.pi**2 / 6.0 + polygamma(1, c)),
    "powernorm": Family(
        lambda z, c: log(c) + normal(z) + (c - 1.0) * log_ndtr(-z), lambda z, c: -expm1(c * log_ndtr(-z)),
        lambda z, c: exp(c * log_ndtr(-z)), lambda q, c: -ndtri(power(1.0 - q, 1.0 / c)),
        lambda q, c: -ndtri(power(q, 1.0 / c)), None, lambda z, c: c * log_ndtr(-z)),
    "rice": Family(
        lambda z, b: log(z) - 0.5 * (z - b) * (z - b) + log(i0e(z * b)), allowed=lambda b: greater_equal(b, 0.0)),
    "exponnorm": Family(
        lambda z, k: (0.5 / k - z) / k + log_ndtr(z - 1.0 / k) - log(k),
        lambda z, k: ndtr(z) - exp((0.5 / k - z) / k + log_ndtr(z - 1.0 / k)),
        lambda z, k: ndtr(-z) + exp((0.5 / k - z) / k + log_ndtr(z - 1.0 / k)), mean=lambda k: k,
        var=lambda k: 1.0 + k * k, far=False),
    "alpha": Family(
        lambda z, a: -2.0 * log(z) - log_ndtr(a) + normal(a - 1.0 / z), lambda z, a: ndtr(a - 1.0 / z) / ndtr(a),
        ppf=lambda q, a: 1.0 / (a - ndtri(q * ndtr(a))), ends=False),
}
"""The continuous ones by their names."""
CONTINUOUS["reciprocal"] = CONTINUOUS["loguniform"]


def log_variance(a: Any, b: Any) -> Any:
    length = log(b) - log(a)
    mean = (b - a) / length
    return 0.5 * (b * b - a * a) / length - mean * mean


DISCRETE: dict[str, Family] = scipy_families.DISCRETE | {
    "randint": Family(
        lambda k, a, b: -log(b - a) + 0.0 * k, lambda k, a, b: (k - a + 1.0) / (b - a),
        mean=lambda a, b: 0.5 * (a + b - 1.0),
        var=lambda a, b: ((b - a) * (b - a) - 1.0) / 12.0, entropy=lambda a, b: log(b - a),
        allowed=lambda a, b: logical_and(greater(b, a), equal(a + b, a + b)), support=lambda a, b: (a, b - 1.0)),
    "betabinom": Family(
        lambda k, n, a, b: -log(n + 1.0) - betaln(n - k + 1.0, k + 1.0) + betaln(k + a, n - k + b) - betaln(a, b),
        mean=lambda n, a, b: n * a / (a + b),
        var=lambda n, a, b: n * a * b * (a + b + n) / ((a + b) * (a + b) * (a + b + 1.0)),
        allowed=lambda n, a, b: logical_and(is_count(n), positive(a, b)), support=lambda n, a, b: (0.0, n)),
    "logser": Family(
        lambda k, p: k * log(p) - log(k) - log(-log1p(-p)), mean=lambda p: p / (p - 1.0) / log1p(-p),
        allowed=lambda p: logical_and(greater(p, 0.0), less(p, 1.0))),
    "zipf": Family(lambda k, a: -a * log(k) - log(zeta(a, 1.0)), allowed=lambda a: greater(a, 1.0)),
    "planck": Family(
        lambda k, a: log(-expm1(-a)) - a * k, lambda k, a: -expm1(-a * (k + 1.0)), lambda k, a: exp(-a * (k + 1.0)),
        logsf=lambda k, a: -a * (k + 1.0), mean=lambda a: 1.0 / expm1(a),
        var=lambda a: exp(-a) / (expm1(-a) * expm1(-a)), entropy=lambda a: a / expm1(a) - log(-expm1(-a))),
    "hypergeom": Family(
        of_hypergeom, mean=lambda M, n, N: N * n / M,
        var=lambda M, n, N: N * n * (M - n) * (M - N) / (M * M * (M - 1.0)),
        allowed=lambda M, n, N: logical_and(logical_and(is_count(M), is_count(n)), logical_and(
            is_count(N), logical_and(less_equal(n, M), less_equal(N, M)))),
        support=lambda M, n, N: (maximum(N - (M - n), 0.0), minimum(n, N))),
}
"""The discrete ones by their names."""
