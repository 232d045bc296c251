"""Statistics of samples, as SciPy computes them, and densities that kernels of Gaussians estimate.

>>> moment(np.array([1.0, 2.0, 3.0, 4.0]), 2)
np.float64(1.25)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.statistics import axes_of, sizes_left
from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries import (
    scipy_bins as scipy_bins,
    scipy_comparisons as scipy_comparisons,
    scipy_counts as scipy_counts,
    scipy_distributions as scipy_distributions,
    scipy_distributions_seldom as scipy_distributions_seldom,
    scipy_fits as scipy_fits,
    scipy_fits_in_bounds as scipy_fits_in_bounds,
    scipy_fits_of_samples as scipy_fits_of_samples,
    scipy_moments as scipy_moments,
    scipy_normal_corners as scipy_normal_corners,
    scipy_normality as scipy_normality,
    scipy_powers as scipy_powers,
    scipy_ranks as scipy_ranks,
    scipy_resampled as scipy_resampled,
    scipy_several as scipy_several,
    scipy_stable as scipy_stable,
)
from ccc.compile.libraries.scipy_arrays import along_axes, refuse_missing
from ccc.primitives.frozen import ARGUMENTS, Arguments

stats: Any = scipy.stats
special: Any = scipy.special


def samples(name: Any, a: Any, axis: Any, nan_policy: Any) -> Any:
    """The samples with their axis as the first one."""
    a = np.asarray(a) * 1.0
    refuse_missing(nan_policy, [a])
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    if nan_policy != "omit":
        return rows
    if np.ndim(rows) > 1:
        refuse(f"scipy.stats.{name} has a derivative for nan_policy='omit' and samples of one axis",
               "call it for each row")
    return rows[~np.isnan(rows)]


def kept(found: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """What was reduced, with an axis of one item where it is kept."""
    return np.reshape(found, sizes_left(a, axes_of(axis, np.ndim(a)), True)) if keepdims else found


def to_power(x: Any, n: int) -> Any:
    """By squares, in SciPy's order."""
    if n < 3:
        return x if n == 1 else x**2
    square = to_power(x, n // 2) ** 2
    return square * x if n % 2 else square


def central(rows: Any, order: Any) -> Any:
    return np.mean(to_power(rows - np.mean(rows, axis=0), order), axis=0)


def standardised(rows: Any, order: Any) -> Any:
    """A moment in units of the deviation; NaN where all samples are equal."""
    m2, mean = central(rows, 2), np.mean(rows, axis=0)
    equal = m2 <= (np.finfo(rows.dtype).eps * mean) ** 2
    return np.where(equal, np.nan, central(rows, order) / np.where(equal, 1.0, m2) ** (order / 2.0))[()]


skew_as_scipy, kurtosis_as_scipy = along_axes(stats.skew), along_axes(stats.kurtosis)
"""What is read in SciPy's own words where there is more than one axis to it, or what is missing is left out."""


@definition_of(stats.skew)
def skew(a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *, keepdims: Any = False,
         _no_deco: Any = False) -> Any:
    if nan_policy != "propagate" or isinstance(axis, tuple):
        return skew_as_scipy(a, axis=axis, bias=bias, nan_policy=nan_policy, keepdims=keepdims)
    rows = samples("skew", a, axis, nan_policy)
    n, found = len(rows), standardised(rows, 3)
    if not bias and n > 2:
        found = ((n - 1.0) * n) ** 0.5 / (n - 2.0) * found
    return kept(found, a, axis, keepdims)


@definition_of(stats.kurtosis)
def kurtosis(a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
             keepdims: Any = False, _no_deco: Any = False) -> Any:
    if nan_policy != "propagate" or isinstance(axis, tuple):
        return kurtosis_as_scipy(a, axis=axis, fisher=fisher, bias=bias, nan_policy=nan_policy, keepdims=keepdims)
    rows = samples("kurtosis", a, axis, nan_policy)
    n, found = len(rows), standardised(rows, 4)
    if not bias and n > 3:
        found = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * found - 3 * (n - 1) ** 2.0) + 3.0
    return kept(found - 3 if fisher else found, a, axis, keepdims)


@definition_of(stats.moment)
def moment(a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
           keepdims: Any = False) -> Any:
    if np.ndim(order) > 0:
        return np.stack([moment(a, k, axis, nan_policy, center=center, keepdims=keepdims) for k in order])
    if not isinstance(order, int) or order < 0:
        refuse("scipy.stats.moment has a derivative for whole numbers as orders, from 0 on")
    rows = samples("moment", a, axis, nan_policy)
    if order == 0:
        return kept(np.mean(np.ones_like(rows), axis=0), a, axis, keepdims)
    away = rows - (np.mean(rows, axis=0) if center is None else center)
    return kept(np.mean(to_power(away, order), axis=0), a, axis, keepdims)


@definition_of(stats.zmap)
def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    compare = np.asarray(compare) * 1.0
    refuse_missing(nan_policy, [compare])
    average, deviation = (np.nanmean, np.nanstd) if nan_policy == "omit" else (np.mean, np.std)
    mean, width = average(compare, axis=axis, keepdims=True), deviation(compare, axis=axis, ddof=ddof, keepdims=True)
    equal = width <= np.abs(np.finfo(compare.dtype).eps * mean)
    return np.where(equal, np.nan, (np.asarray(scores) - mean) / np.where(equal, 1.0, width))


def averaged(rows: Any, weights: Any, axis: Any) -> Any:
    if weights is None:
        return np.mean(rows, axis=0)
    weights = np.asarray(weights) * 1.0
    weights = np.ravel(weights) if axis is None else np.moveaxis(weights, axis, 0)
    if np.ndim(weights) != np.ndim(rows):
        refuse("a mean of scipy.stats has a derivative for weights of the shape of the samples")
    return np.sum(rows * weights, axis=0) / np.sum(weights, axis=0)


@definition_of(stats.gmean)
def gmean(a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *, nan_policy: Any = "propagate",
          keepdims: Any = False) -> Any:
    if dtype is not None:
        refuse("scipy.stats.gmean has a derivative for dtype=None")
    rows = samples("gmean", a, axis, nan_policy)
    return kept(np.exp(averaged(np.log(rows), weights, axis)), a, axis, keepdims)


@definition_of(stats.hmean)
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, nan_policy: Any = "propagate",
          keepdims: Any = False) -> Any:
    if dtype is not None:
        refuse("scipy.stats.hmean has a derivative for dtype=None")
    rows = samples("hmean", a, axis, nan_policy)
    rows = np.where(rows < 0.0, np.nan, rows)
    return kept(1.0 / averaged(1.0 / rows, weights, axis), a, axis, keepdims)


@definition_of(stats.trim_mean)
def trim_mean(a: Any, proportiontocut: Any, axis: Any = 0, *, nan_policy: Any = "propagate",
              keepdims: Any = False) -> Any:
    rows = np.sort(samples("trim_mean", a, axis, nan_policy), axis=0)
    n = len(rows)
    cut = int(proportiontocut * n)
    if cut > n - cut:
        raise ValueError("Proportion too big.")
    return kept(np.mean(rows[cut:n - cut], axis=0), a, axis, keepdims)


class Correlation(NamedTuple):
    """What SciPy's result says of a correlation that has a derivative."""

    statistic: Any
    pvalue: Any


@definition_of(stats.pearsonr)
def pearsonr(x: Any, y: Any, *, alternative: Any = "two-sided") -> Any:
    if np.ndim(x) != 1 or np.ndim(y) != 1:
        refuse("scipy.stats.pearsonr has a derivative for two vectors")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    away_x, away_y = x - np.mean(x), y - np.mean(y)
    r = np.dot(away_x / np.linalg.norm(away_x), away_y / np.linalg.norm(away_y))
    r = np.maximum(np.minimum(r, 1.0), -1.0)
    half = len(x) / 2.0 - 1.0
    if alternative == "two-sided":
        return Correlation(r, 2.0 * special.betainc(half, half, 0.5 * (1.0 - np.abs(r))))
    if alternative != "less" and alternative != "greater":
        raise ValueError('`alternative` must be "less", "greater", or "two-sided".')
    return Correlation(r, special.betainc(half, half, 0.5 * (1.0 + (r if alternative == "less" else -r))))


class Line(NamedTuple):
    """What SciPy's result says of a line of least squares that has a derivative."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


@definition_of(stats.linregress)
def linregress(x: Any, y: Any, alternative: Any = "two-sided") -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    c, df, tiny = np.cov(x, y, bias=True), len(x) - 2.0, 1e-20
    slope = c[0, 1] / c[0, 0]
    r = np.maximum(np.minimum(c[0, 1] / np.sqrt(c[0, 0] * c[1, 1]), 1.0), -1.0)
    if len(x) == 2:
        return Line(slope, np.mean(y) - slope * np.mean(x), r, 1.0 if y[0] == y[1] else 0.0, 0.0)
    t = r * np.sqrt(df / ((1.0 - r + tiny) * (1.0 + r + tiny)))
    return Line(slope, np.mean(y) - slope * np.mean(x), r, scipy_comparisons.of_t(t, df, alternative).pvalue,
                np.sqrt((1.0 - r**2) * c[1, 1] / c[0, 0] / df))


# -- densities by kernels ----------------------------------------------------------------------------------------------


@dataclass
class Kernels:
    """Gaussians at the columns of `dataset`; `cho_cov` is the Cholesky factor of their covariance."""

    dataset: Any
    weights: Any
    cho_cov: Any

    def logpdf(self, x: Any) -> Any:
        d = len(self.dataset)
        points = np.atleast_2d(x) * 1.0
        if np.shape(points)[0] != d:
            points = np.reshape(points, (d, 1))
        scaled = np.linalg.solve(self.cho_cov, self.dataset)
        away = np.linalg.solve(self.cho_cov, points)[:, :, None] - scaled[:, None, :]
        each = np.log(self.weights) - 0.5 * np.sum(away**2, axis=0)
        return special.logsumexp(each, axis=1) - 0.5 * d * np.log(2.0 * np.pi) - np.sum(np.log(np.diag(self.cho_cov)))

    def evaluate(self, points: Any) -> Any:
        return np.exp(self.logpdf(points))

    def pdf(self, x: Any) -> Any:
        return np.exp(self.logpdf(x))

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        if len(self.dataset) != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        return np.sum(self.weights * (self.below(high) - self.below(low)))

    def below(self, end: Any) -> Any:
        """What of each Gaussian lies below an end, which may be infinite."""
        found = special.ndtr(np.ravel((np.where(np.isfinite(end), end, 0.0) - self.dataset) / self.cho_cov[0, 0]))
        return np.where(np.isfinite(end), found, np.where(end > 0.0, 1.0, 0.0))

    def __call__(self, points: Any) -> Any:
        return np.exp(self.logpdf(points))


@definition_of(stats.gaussian_kde)
def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    data = np.atleast_2d(dataset) * 1.0
    d, n = np.shape(data)
    factor: Any
    weights = np.ones(n) / n if weights is None else np.asarray(weights) / np.sum(np.asarray(weights))
    effective = 1.0 / np.dot(weights, weights)
    if callable(bw_method):
        refuse("scipy.stats.gaussian_kde has a derivative for bw_method as a number, 'scott' and 'silverman'")
    if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
        factor = effective ** (-1.0 / (d + 4))
    elif isinstance(bw_method, str):
        if bw_method != "silverman":
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        factor = (effective * (d + 2.0) / 4.0) ** (-1.0 / (d + 4))
    else:
        factor = bw_method
    covariance = np.reshape(np.cov(data, aweights=weights), (d, d))
    return Kernels(data, weights, np.linalg.cholesky(covariance) * factor)


def kernels(made: Any) -> Arguments:
    """What a program made before, as it is read."""
    return Kernels, (), {"dataset": made.dataset, "weights": made.weights, "cho_cov": made.cho_cov}


ARGUMENTS[stats.gaussian_kde] = kernels
