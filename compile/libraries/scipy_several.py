"""Distributions of `scipy.stats` of several variables, in NumPy: the methods that have a formula.

    wishart.logpdf(x, df, V)  =  (df - p - 1) / 2 log|x| - tr(V^-1 x) / 2 - df / 2 log|2 V| - log Gamma_p(df / 2)

Of a symmetric matrix the lower triangle is read, as in Cholesky's factor; where it has none, this raises as NumPy does,
so a covariance that is singular is none. Places outside of a support, and parameters that are not allowed, give what
SciPy gives where that is a number.

>>> bool(np.isclose(wishart_logpdf(2.0, 3.0, 1.5), scipy.stats.wishart.logpdf(2.0, 3.0, 1.5)))
True
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

stats: Any = scipy.stats
special: Any = scipy.special
LOG_TWO, LOG_PI, LOG_TWO_PI = math.log(2.0), math.log(math.pi), math.log(2.0 * math.pi)


def matrix(a: Any, size: Any = 1) -> Any:
    """A matrix of parameters: a number is that of each component, a vector has one for each."""
    a = np.asarray(a) * 1.0
    if np.ndim(a) == 0:
        return a * np.eye(size)
    return np.diag(a) if np.ndim(a) == 1 else a


def log_det(factor: Any) -> Any:
    """Of the matrix that is a Cholesky factor times its transpose, or of several."""
    return 2.0 * np.sum(np.log(np.diagonal(factor, 0, -2, -1)), axis=-1)


def white(factor: Any, away: Any) -> Any:
    """The squared length of rows, in units of the deviation."""
    turned = np.linalg.solve(factor, np.expand_dims(away, -1))
    return np.sum(turned * turned, axis=(-2, -1))


def log_gamma_of_matrices(a: Any, size: Any) -> Any:
    return size * (size - 1) * 0.25 * LOG_PI + np.sum(special.gammaln(a - 0.5 * np.arange(size)))


def no_singular(name: Any, allow_singular: Any) -> None:
    if allow_singular:
        refuse(f"scipy.stats.{name} has a derivative for allow_singular=False only")


# -- Student's, and the entropy of the normal distribution -----------------------------------------------------------


@definition_of(stats.multivariate_t.logpdf)
def t_logpdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    x = np.asarray(x) * 1.0
    size = np.size(loc) if loc is not None else np.shape(np.atleast_1d(shape))[0]
    if size == 1:
        x = np.reshape(x, (*np.shape(x), 1)) if np.ndim(x) < 2 else x
    factor = np.linalg.cholesky(matrix(shape, size))
    away = x if loc is None else x - np.reshape(loc, (-1,))
    half = 0.5 * (df + size)
    scale = special.gammaln(half) - special.gammaln(0.5 * df) - 0.5 * (size * np.log(df * math.pi) + log_det(factor))
    return np.squeeze(scale - half * np.log1p(white(factor, away) / df))[()]


@definition_of(stats.multivariate_t.pdf)
def t_pdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: Any = False) -> Any:
    no_singular("multivariate_t", allow_singular)
    return np.exp(t_logpdf(x, loc, shape, df))


@definition_of(stats.multivariate_normal.entropy)
def normal_entropy(mean: Any = None, cov: Any = 1) -> Any:
    size = np.size(mean) if mean is not None else np.shape(np.atleast_1d(cov))[0]
    return 0.5 * (size * (LOG_TWO_PI + 1.0) + log_det(np.linalg.cholesky(matrix(cov, size))))


# -- matrices --------------------------------------------------------------------------------------------------------


def squares(x: Any, size: Any) -> Any:
    """Matrices along the first axes: SciPy has several along the last one, and takes numbers."""
    x = np.asarray(x) * 1.0
    if np.ndim(x) == 0:
        return x * np.eye(size)
    if np.ndim(x) == 1:
        return np.reshape(x, (-1, 1, 1)) if size == 1 else np.diag(x)
    return x if np.ndim(x) == 2 else np.moveaxis(x, -1, 0)


@definition_of(stats.wishart.logpdf)
def wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    factor = np.linalg.cholesky(matrix(scale))
    size = np.shape(factor)[0]
    x = squares(x, size)
    trace = np.trace(np.linalg.solve(factor @ factor.T, x), axis1=-2, axis2=-1)
    constant = 0.5 * df * (size * LOG_TWO + log_det(factor)) + log_gamma_of_matrices(0.5 * df, size)
    return 0.5 * (df - size - 1.0) * log_det(np.linalg.cholesky(x)) - 0.5 * trace - constant


@definition_of(stats.wishart.pdf)
def wishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    return np.exp(wishart_logpdf(x, df, scale))


@definition_of(stats.invwishart.logpdf)
def invwishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    factor = np.linalg.cholesky(matrix(scale))
    size = np.shape(factor)[0]
    below = np.linalg.cholesky(squares(x, size))
    inside = np.linalg.solve(below, factor)
    trace = np.sum(inside * inside, axis=(-2, -1))
    constant = 0.5 * df * (size * LOG_TWO - log_det(factor)) + log_gamma_of_matrices(0.5 * df, size)
    return -0.5 * (df + size + 1.0) * log_det(below) - 0.5 * trace - constant


@definition_of(stats.invwishart.pdf)
def invwishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    return np.exp(invwishart_logpdf(x, df, scale))


@definition_of(stats.matrix_normal.logpdf)
def matrix_normal_logpdf(X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    X = np.asarray(X) * 1.0
    away = X if mean is None else X - mean
    n, m = np.shape(away)[-2:]
    rows, columns = np.linalg.cholesky(matrix(rowcov, n)), np.linalg.cholesky(matrix(colcov, m))
    half = np.linalg.solve(rows, away)
    whole = np.linalg.solve(columns, np.swapaxes(half, -1, -2))
    spread = n * m * LOG_TWO_PI + m * log_det(rows) + n * log_det(columns)
    return -0.5 * (spread + np.sum(whole * whole, axis=(-2, -1)))


@definition_of(stats.matrix_normal.pdf)
def matrix_normal_pdf(X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    return np.exp(matrix_normal_logpdf(X, mean, rowcov, colcov))


# -- counts ----------------------------------------------------------------------------------------------------------


@definition_of(stats.multinomial.logpmf)
def multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """The last probability is what the others leave."""
    x, p = np.asarray(x) * 1.0, np.asarray(p) * 1.0
    first = p[..., :-1]
    p = np.concatenate([first, 1.0 - np.sum(first, axis=-1, keepdims=True)], axis=-1)
    found = special.gammaln(n + 1.0) + np.sum(special.xlogy(x, p) - special.gammaln(x + 1.0), axis=-1)
    fits = (np.sum(x, axis=-1) == n) & np.all((x >= 0.0) & (x == np.floor(x)), axis=-1)
    allowed = np.all((p >= 0.0) & (p <= 1.0), axis=-1) & (n >= 0)
    return np.where(allowed, np.where(fits, found, -np.inf), np.nan)[()]


@definition_of(stats.multinomial.pmf)
def multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    return np.exp(multinomial_logpmf(x, n, p))


@definition_of(stats.dirichlet_multinomial.logpmf)
def dirichlet_multinomial_logpmf(x: Any, alpha: Any, n: Any) -> Any:
    x, alpha = np.asarray(x) * 1.0, np.asarray(alpha) * 1.0
    total = np.sum(alpha, axis=-1)
    found = special.gammaln(total) + special.gammaln(n + 1.0) - special.gammaln(n + total)
    found = found + np.sum(special.gammaln(x + alpha) - special.gammaln(alpha) - special.gammaln(x + 1.0), axis=-1)
    return np.where(np.sum(x, axis=-1) == n, found, -np.inf)[()]


@definition_of(stats.dirichlet_multinomial.pmf)
def dirichlet_multinomial_pmf(x: Any, alpha: Any, n: Any) -> Any:
    return np.exp(dirichlet_multinomial_logpmf(x, alpha, n))


# -- Dirichlet's moments ---------------------------------------------------------------------------------------------


@definition_of(stats.dirichlet.mean)
def dirichlet_mean(alpha: Any) -> Any:
    return np.asarray(alpha) / np.sum(alpha)


@definition_of(stats.dirichlet.var)
def dirichlet_var(alpha: Any) -> Any:
    total = np.sum(alpha)
    return np.asarray(alpha) * (total - np.asarray(alpha)) / (total * total * (total + 1.0))


@definition_of(stats.dirichlet.entropy)
def dirichlet_entropy(alpha: Any) -> Any:
    alpha = np.asarray(alpha) * 1.0
    total, size = np.sum(alpha), np.size(alpha)
    constant = np.sum(special.gammaln(alpha)) - special.gammaln(total)
    return constant + (total - size) * special.psi(total) - np.sum((alpha - 1.0) * special.psi(alpha))


# -- a normal mean and its variance ----------------------------------------------------------------------------------


if hasattr(stats, "normal_inverse_gamma"):

    @definition_of(stats.normal_inverse_gamma.logpdf)
    def normal_inverse_gamma_logpdf(x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> Any:
        away = x - mu
        found = 0.5 * (np.log(lmbda) - LOG_TWO_PI) + a * np.log(b) - special.gammaln(a)
        return found - (a + 1.5) * np.log(s2) - (2.0 * b + lmbda * away * away) / (2.0 * s2)

    @definition_of(stats.normal_inverse_gamma.pdf)
    def normal_inverse_gamma_pdf(x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> Any:
        return np.exp(normal_inverse_gamma_logpdf(x, s2, mu, lmbda, a, b))
