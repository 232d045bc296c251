"""Distributions of `scipy.stats` that SciPy computes in C or by integrals: values are SciPy's, derivatives those of
formulas, by sums over points that lie ever closer together at the ends (Takahasi, Mori).

    Landau          pdf(x) = integral over t > 0 of exp(-t log t - u t) sin(pi t) dt / 2,   u = pi x / 2 + log(pi / 2)
    Wallenius       pmf(k) = binom(n, k) binom(m, j) integral over (0, 1) of (1 - t^(w / d))^k (1 - t^(1 / d))^j dt
    studentized     cdf(q) = E over s of k integral of phi(z) (Phi(z) - Phi(z - q s))^(k - 1) dz,   df s^2 is chi2(df)

>>> round(float(landau_density(1.0)), 12) == round(float(stats.landau.pdf(1.0)), 12)
True

Sources: Kölbig, Schorr: *A program package for the Landau distribution* (1984); Fog: *Calculation methods for
Wallenius' noncentral hypergeometric distribution* (2008); Lund, Lund: algorithm AS 190; Marsaglia, Tsang, Wang:
*Evaluating Kolmogorov's distribution* (2003).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.api.transforms import derivative
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted
from ccc.compile.libraries.slopes import with_slope_of

stats: Any = scipy.stats
special: Any = scipy.special
ufuncs: Any = scipy.special._ufuncs
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


# -- Landau's ----------------------------------------------------------------------------------------------------------

STEPS = np.arange(-90, 91) / 16.0
TIMES = np.exp(STEPS - np.exp(-STEPS))
PARTS = TIMES * (1.0 + np.exp(-STEPS)) / 16.0


def landau_density(x: Any) -> Any:
    """The integral for u >= 0, and along the other axis for u < 0."""
    t, weight = np.asarray(TIMES), np.asarray(PARTS)
    at = 0.5 * math.pi * np.asarray(x)[..., None] + math.log(0.5 * math.pi)
    right = np.where(at < 0.0, 0.0, at)
    left = np.where(at < 0.0, at, 0.0)
    above = np.exp(-t * np.log(t) - right * t) * np.sin(math.pi * t)
    below = np.exp(-0.5 * math.pi * t) * np.cos(t * (left + np.log(t)))
    return np.sum(np.where(at < 0.0, below, above) * weight, axis=-1) / 2.0


def pdf_of_scipy(x: Any) -> Any:
    return np.asarray(ufuncs._landau_pdf(x, 0.0, 1.0), float)


@definition_of(ufuncs._landau_pdf)
def landau_pdf(x: Any, mu: Any, sigma: Any) -> Any:
    z = (np.asarray(x) * 1.0 - mu) / sigma
    return with_slope_of(constant(pdf_of_scipy, z, z), landau_density(z)) / sigma


def accumulated(name: Any, z: Any) -> Any:
    """A function of SciPy's whose slope the density gives."""
    return hosted(of_landau, z, name, z)


def of_landau(name: str, z: Any) -> Any:
    return np.asarray(getattr(ufuncs, f"_landau_{name}")(z, 0.0, 1.0), float)


def accumulated_rule(name: Any, z: Any) -> Any:
    y = accumulated(name, z)

    def pulled(ct: Any) -> Any:
        if name in ("cdf", "sf"):
            slope = landau_pdf(z, 0.0, 1.0)
            return None, ct * slope if name == "cdf" else -ct * slope
        slope = 1.0 / landau_pdf(y, 0.0, 1.0)
        return None, ct * slope if name == "ppf" else -ct * slope

    return y, pulled


RULES[accumulated] = accumulated_rule


def landau(name: str) -> Any:
    @definition_of(getattr(ufuncs, f"_landau_{name}"))
    def definition(x: Any, mu: Any, sigma: Any) -> Any:
        if name in ("cdf", "sf"):
            return accumulated(name, (np.asarray(x) * 1.0 - mu) / sigma)
        return accumulated(name, np.asarray(x) * 1.0) * sigma + mu

    return definition


LANDAU = [landau(name) for name in ("cdf", "sf", "ppf", "isf")]


# -- Wallenius' --------------------------------------------------------------------------------------------------------

WAYS = np.arange(-7 * 64, 4 * 64) / 64.0
TURNS = math.pi * np.sinh(WAYS)
LOGS = -np.logaddexp(0.0, -TURNS)
WEIGHTS = math.pi * np.cosh(WAYS) * np.exp(LOGS - np.logaddexp(0.0, TURNS)) / 64.0


def wallenius(x: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    """The probability; the urn has `M` balls, of which `n` have the odds, and `N` are taken."""
    x, M, n, N, odds = [np.asarray(a)[..., None] * 1.0 for a in (x, M, n, N, odds)]
    share = odds * (n - x) + (M - n) - (N - x)
    d = np.where(share > 0.0, share, 1.0)
    log_t = np.asarray(LOGS)
    logs = x * np.log(-np.expm1(log_t * odds / d)) + (N - x) * np.log(-np.expm1(log_t / d))
    top = without_derivative(np.max(logs, axis=-1, keepdims=True))
    total = np.log(np.sum(np.exp(logs - top) * np.asarray(WEIGHTS), axis=-1)) + top[..., 0]
    count = special.gammaln(n + 1.0) - special.gammaln(x + 1.0) - special.gammaln(n - x + 1.0)
    m, j = M - n, N - x
    other = special.gammaln(m + 1.0) - special.gammaln(j + 1.0) - special.gammaln(m - j + 1.0)
    return np.exp((count + other)[..., 0] + total)


def pmf_of_scipy(x: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    return np.asarray(stats.nchypergeom_wallenius._pmf(x, M, n, N, odds), float)


@definition_of(stats.nchypergeom_wallenius._pmf)
def wallenius_pmf(x: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    own = wallenius(x, M, n, N, odds)
    return with_slope_of(constant(pmf_of_scipy, own, x, M, n, N, odds), own)


# -- the studentized range ---------------------------------------------------------------------------------------------

NODES, SIZES = np.polynomial.legendre.leggauss(96)


def range_below(q: Any, k: Any, df: Any, density: bool = False) -> Any:
    """The distribution function or the density, by Gauss' rule over z and over the logarithm of s."""
    q, k, df = [np.asarray(a)[..., None, None] * 1.0 for a in (q, k, df)]
    z, of_z = 9.0 * np.asarray(NODES)[:, None], 9.0 * np.asarray(SIZES)[:, None]
    low, high = -(7.0 / np.sqrt(df) + 36.0 / df), 0.5 * np.log1p(12.0 / np.sqrt(df) + 72.0 / df)
    u = 0.5 * (low + high) + 0.5 * (high - low) * np.asarray(NODES)
    s = np.exp(u)
    of_s = np.exp(0.5 * df * np.log(0.5 * df) - special.gammaln(0.5 * df) + math.log(2.0) + df * u - 0.5 * df * s * s)
    between = special.ndtr(z) - special.ndtr(z - q * s)
    inside = k * np.exp(-0.5 * z * z) / ROOT_TWO_PI * between ** (k - 1.0)
    if density:
        beside = np.exp(-0.5 * (z - q * s) ** 2) / ROOT_TWO_PI
        inside = k * (k - 1.0) * s * np.exp(-0.5 * z * z) / ROOT_TWO_PI * beside * between ** (k - 2.0)
    return np.sum(np.sum(inside * of_z, axis=-2) * (of_s * 0.5 * (high - low) * np.asarray(SIZES))[..., 0, :], axis=-1)


def range_of_scipy(name: str, q: Any, k: Any, df: Any) -> Any:
    return np.asarray(getattr(stats.studentized_range, f"_{name}")(q, k, df), float)


@definition_of(stats.studentized_range._cdf)
def range_cdf(q: Any, k: Any, df: Any) -> Any:
    own = range_below(q, k, df)
    return with_slope_of(constant(range_of_scipy, own, "cdf", q, k, df), own)


@definition_of(stats.studentized_range._pdf)
def range_pdf(q: Any, k: Any, df: Any) -> Any:
    own = range_below(q, k, df, True)
    return with_slope_of(constant(range_of_scipy, own, "pdf", q, k, df), own)


# -- the two-sided statistic of Kolmogorov -----------------------------------------------------------------------------


def step_of(n: float, x: float) -> int:
    return int(np.ceil(n * x))


def kolmogorov_below(n: Any, x: Any) -> Any:
    """The distribution function at one place, by the powers of a matrix; 0 or 1 outside of what is possible."""
    if x >= 1.0:
        return 1.0 + 0.0 * x
    if n * x <= 0.5:
        return 0.0 * x
    k = constant(step_of, 1, n, x)
    h, m = k - n * x, 2 * k - 1
    away = np.arange(m)[:, None] - np.arange(m) + 1.0
    matrix = np.where(away >= 0.0, np.exp(-special.gammaln(np.where(away >= 0.0, away, 0.0) + 1.0)), 0.0)
    power = np.arange(1.0, m + 1.0)
    part = h**power * np.exp(-special.gammaln(power + 1.0))
    first, last = (np.arange(m) == 0) * 1.0, (np.arange(m) == m - 1) * 1.0
    matrix = matrix - part[:, None] * first - last[:, None] * part[::-1]
    corner = np.where(h > 0.5, np.where(h > 0.5, 2.0 * h - 1.0, 1.0) ** m, 0.0) * np.exp(-special.gammaln(m + 1.0))
    matrix = (matrix + corner * last[:, None] * first) * math.exp(-1.0)
    row = (np.arange(m) == k - 1) * 1.0
    for _ in range(int(n)):
        row = row @ matrix
    return row[k - 1] * np.exp(special.gammaln(n + 1.0) + n - n * np.log(n))


def kolmogorov_of_scipy(n: Any, x: Any, cdf: Any) -> Any:
    return np.asarray(stats._ksstats.kolmogn(n, x, cdf), float)


@definition_of(stats._ksstats.kolmogn)
def kolmogn(n: Any, x: Any, cdf: Any = True) -> Any:
    n, x = np.broadcast_arrays(n, np.asarray(x) * 1.0)
    ns, xs = np.ravel(n), np.ravel(x)
    own = np.array([kolmogorov_below(float(ns[i]), float(xs[i])) for i in range(len(xs))])
    own = np.reshape(own if cdf else -own, np.shape(x))
    return with_slope_of(constant(kolmogorov_of_scipy, x, n, x, cdf), own)


def density_of_scipy(n: Any, x: Any) -> Any:
    return np.asarray(stats._ksstats.kolmognp(n, x), float)


@definition_of(stats._ksstats.kolmognp)
def kolmognp(n: Any, x: Any) -> Any:
    n, x = np.broadcast_arrays(n, np.asarray(x) * 1.0)
    ns, xs = np.ravel(n), np.ravel(x)
    own = np.array([derivative(lambda t, m=float(ns[i]): kolmogorov_below(m, t))(float(xs[i])) for i in range(len(xs))])
    return with_slope_of(constant(density_of_scipy, x, n, x), np.reshape(own, np.shape(x)))
