"""Distributions of `scipy.stats` whose chances are sums that SciPy leaves to C, a matrix of several variables, and the
distance between two samples of points.

    zipfian               i^-a / sum_{i <= n} i^-a
    nchypergeom_fisher    C(n, i) C(M - n, N - i) w^i over the sum of these
    poisson_binom         the coefficients of prod (1 - p_i + p_i z)
    matrix_t              |1 + R^-1 (X - M) C^-1 (X - M)^T|^-((df + m + n - 1) / 2) and its factor

>>> poisson_binom_pmf(1, np.array([0.5, 0.5]))
np.float64(0.5)

References: *Discrete Multivariate Distributions* (Johnson, Kotz, Balakrishnan), 39; *Matrix Variate Distributions*
(Gupta, Nagar), 4.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
import scipy.spatial
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_several import LOG_PI, log_det, log_gamma_of_matrices, matrix
from ccc.compile.libraries.slopes import with_slope_of

stats: Any = scipy.stats
special: Any = scipy.special
sums: Any = scipy.special._ufuncs
MATRIX = np.zeros((2, 2))


# -- chances that are sums ---------------------------------------------------------------------------------------------


def powers(j: Any, k: Any, a: Any) -> Any:
    """The sum of `i^-a` for `i` from `j` to `k`, item by item."""
    i = np.arange(1, int(np.max(k, initial=0.0)) + 1) * 1.0
    inside = (i >= np.expand_dims(j, -1)) & (i <= np.expand_dims(k, -1))
    return np.sum(np.where(inside, i ** -np.expand_dims(a, -1), 0.0), axis=-1)


if hasattr(sums, "_normalized_gen_harmonic"):

    @definition_of(sums._gen_harmonic)
    def gen_harmonic(n: Any, a: Any) -> Any:
        return powers(np.ones(np.shape(n)), n, a)

    @definition_of(sums._normalized_gen_harmonic)
    def normalized_gen_harmonic(j: Any, k: Any, n: Any, a: Any) -> Any:
        j, k, n, a = np.broadcast_arrays(j * 1.0, k, n, a)
        return powers(j, k, a) / powers(np.ones(np.shape(n)), n, a)


def log_choose(n: Any, k: Any) -> Any:
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


@definition_of(stats.nchypergeom_fisher._pmf)
def fisher_pmf(x: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    def weight(i: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
        inside = (i >= 0.0) & (i <= n) & (i <= N) & (N - i <= M - n)
        safe = np.where(inside, i, np.maximum(0.0, N - (M - n)))
        return np.where(inside, log_choose(n, safe) + log_choose(M - n, N - safe) + safe * np.log(odds), -np.inf)

    i = np.arange(int(np.max(N, initial=0.0)) + 1) * 1.0
    wide = [np.expand_dims(p, -1) for p in (M, n, N, odds)]
    return np.exp(weight(x, M, n, N, odds) - special.logsumexp(weight(i, *wide), axis=-1))


def chances(p: Any) -> Any:
    """Of each number of events."""
    p = np.asarray(p) * 1.0
    if np.ndim(p) != 1:
        refuse("scipy.stats.poisson_binom has a derivative for the chances of one sequence of events")
    found = np.zeros(len(p) + 1)
    found[0] = 1.0
    for i in range(len(p)):
        found = found * (1.0 - p[i]) + np.concatenate([np.zeros(1), found[:-1]]) * p[i]
    return np.where(np.all((p >= 0.0) & (p <= 1.0)), found, np.nan)


@definition_of(stats.poisson_binom.pmf)
def poisson_binom_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    found, at = chances(p), np.asarray(k) - loc
    inside = (at >= 0) & (at < len(found)) & (np.floor(at) == at)
    return np.where(inside, taken(found, np.where(inside, at, 0)), 0.0)[()]


def taken(found: Any, at: Any) -> Any:
    """Items at places, of any shape."""
    return np.reshape(found[np.ravel(at).astype(np.int64)], np.shape(at))


@definition_of(stats.poisson_binom.logpmf)
def poisson_binom_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.log(poisson_binom_pmf(k, p, loc))


@definition_of(stats.poisson_binom.cdf)
def poisson_binom_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    found, at = np.cumsum(chances(p)), np.floor(np.asarray(k) - loc)
    last = np.minimum(np.maximum(at, 0), len(found) - 1)
    return np.where(at < 0, 0.0, np.where(at >= len(found) - 1, 1.0, taken(found, last)))[()]


@definition_of(stats.poisson_binom.mean)
def poisson_binom_mean(p: Any, loc: Any = 0) -> Any:
    return np.sum(np.asarray(p) * 1.0, axis=-1) + loc


@definition_of(stats.poisson_binom.var)
def poisson_binom_var(p: Any, loc: Any = 0) -> Any:
    p = np.asarray(p) * 1.0
    return np.sum(p * (1.0 - p), axis=-1)


# -- several variables -------------------------------------------------------------------------------------------------


if hasattr(stats, "matrix_t"):

    @definition_of(stats.matrix_t.logpdf)
    def matrix_t_logpdf(X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1) -> Any:
        x = np.asarray(X) * 1.0
        m, n = np.shape(x)[-2:]
        away = x if mean is None else x - np.asarray(mean)
        rows, columns = np.linalg.cholesky(matrix(row_spread, m)), np.linalg.cholesky(matrix(col_spread, n))
        left = np.linalg.solve(rows, away)
        turned = np.linalg.solve(columns, np.swapaxes(left, -1, -2))
        inner = np.eye(m) + np.swapaxes(turned, -1, -2) @ turned
        half = 0.5 * (df + n - 1.0)
        scale = log_gamma_of_matrices(half + 0.5 * m, n) - log_gamma_of_matrices(half, n) - 0.5 * m * n * LOG_PI
        scale = scale - 0.5 * n * log_det(rows) - 0.5 * m * log_det(columns)
        return scale - (half + 0.5 * m) * log_det(np.linalg.cholesky(inner))

    @definition_of(stats.matrix_t.pdf)
    def matrix_t_pdf(X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1) -> Any:
        return np.exp(matrix_t_logpdf(X, mean, row_spread, col_spread, df))


def carried(u: Any, v: Any) -> Any:
    """How much of each point goes to each other one, on the cheapest way: a corner, which does not move."""
    m, n = len(u), len(v)
    cost = scipy.spatial.distance.cdist(u, v)
    rows = np.concatenate([np.kron(np.eye(m), np.ones(n)), np.kron(np.ones(m), np.eye(n))])
    found = scipy.optimize.linprog(np.ravel(cost), A_eq=rows, b_eq=np.repeat([1.0 / m, 1.0 / n], [m, n]))
    if not found.success:
        raise ValueError(f"scipy.stats.wasserstein_distance_nd found nothing: {found.message}")
    return np.reshape(found.x, (m, n))


def cheapest(u: Any, v: Any) -> float:
    return float(stats.wasserstein_distance_nd(u, v))


@definition_of(stats.wasserstein_distance_nd)
def wasserstein_distance_nd(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    if u_weights is not None or v_weights is not None:
        refuse("scipy.stats.wasserstein_distance_nd has a derivative for points of equal weight",
               "leave the weights out")
    u, v = np.asarray(u_values) * 1.0, np.asarray(v_values) * 1.0
    if np.ndim(u) == 1:
        u, v = u[:, None], v[:, None]
    plan = constant(carried, MATRIX, u, v)
    total = np.sum(plan * scipy.spatial.distance.cdist(u, v))
    return with_slope_of(constant(cheapest, 0.0, u, v), total)
