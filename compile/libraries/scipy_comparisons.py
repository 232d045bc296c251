"""Tests of samples against each other, and what is said of one sample, as SciPy computes them.

>>> [round(float(y), 12) for y in ttest_1samp(np.array([1.0, 2.0, 4.0]), 1.0)]
[1.511857892037, 0.26970325666]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import definition_of

stats: Any = scipy.stats
special: Any = scipy.special


class Comparison(NamedTuple):
    """What SciPy's result says of a test that has a derivative."""

    statistic: Any
    pvalue: Any


def along(a: Any, axis: Any) -> Any:
    """Samples with their axis as the first one."""
    a = np.asarray(a) * 1.0
    return np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)


def of_t(t: Any, df: Any, alternative: Any) -> Any:
    if alternative == "two-sided":
        return Comparison(t, 2.0 * special.stdtr(df, -np.abs(t)))
    if alternative == "less":
        return Comparison(t, special.stdtr(df, t))
    if alternative == "greater":
        return Comparison(t, special.stdtr(df, -t))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


@definition_of(stats.ttest_ind)
def ttest_ind(a: Any, b: Any, *, axis: Any = 0, equal_var: Any = True, alternative: Any = "two-sided") -> Any:
    x, y = along(a, axis), along(b, axis)
    m, n = len(x), len(y)
    v, w = np.var(x, axis=0, ddof=1), np.var(y, axis=0, ddof=1)
    if equal_var:
        df = m + n - 2.0
        width = np.sqrt(((m - 1) * v + (n - 1) * w) / df * (1.0 / m + 1.0 / n))
    else:
        df = (v / m + w / n) ** 2 / ((v / m) ** 2 / (m - 1) + (w / n) ** 2 / (n - 1))
        width = np.sqrt(v / m + w / n)
    return of_t((np.mean(x, axis=0) - np.mean(y, axis=0)) / width, df, alternative)


@definition_of(stats.ttest_1samp)
def ttest_1samp(a: Any, popmean: Any, axis: Any = 0, *, alternative: Any = "two-sided") -> Any:
    x = along(a, axis)
    n = len(x)
    t = (np.mean(x, axis=0) - popmean) / np.sqrt(np.var(x, axis=0, ddof=1) / n)
    return of_t(t, n - 1.0, alternative)


@definition_of(stats.ttest_rel)
def ttest_rel(a: Any, b: Any, axis: Any = 0, *, alternative: Any = "two-sided") -> Any:
    return ttest_1samp(np.asarray(a) - np.asarray(b), 0.0, axis, alternative=alternative)


@definition_of(stats.f_oneway)
def f_oneway(*samples: Any, axis: Any = 0) -> Any:
    parts = [along(x, axis) for x in samples]
    whole = np.concatenate(parts)
    middle, groups = np.mean(whole, axis=0), len(parts)
    between, within = 0.0, 0.0
    for x in parts:
        mean = np.mean(x, axis=0)
        between = between + len(x) * (mean - middle) ** 2
        within = within + np.sum((x - mean) ** 2, axis=0)
    m, n = groups - 1.0, len(whole) - groups + 0.0
    ratio = (between / m) / (within / n)
    return Comparison(ratio, special.fdtrc(m, n, ratio))


@definition_of(stats.chisquare)
def chisquare(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0) -> Any:
    seen = along(f_obs, axis)
    wanted = np.mean(seen, axis=0) if f_exp is None else along(f_exp, axis)
    found = np.sum((seen - wanted) ** 2 / wanted, axis=0)
    return Comparison(found, special.chdtrc(len(seen) - 1.0 - ddof, found))


def within(a: Any, limits: Any, inclusive: Any) -> Any:
    """What lies between limits; NaN for the rest."""
    a = np.asarray(a) * 1.0
    if limits is None:
        return a
    (low, high), (from_low, to_high) = limits, inclusive
    if low is not None:
        a = np.where(a >= low if from_low else a > low, a, np.nan)
    return a if high is None else np.where(a <= high if to_high else a < high, a, np.nan)


@definition_of(stats.tvar)
def tvar(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
         keepdims: Any = False) -> Any:
    variance = np.var if limits is None else np.nanvar
    return variance(within(a, limits, inclusive), axis=axis, ddof=ddof, keepdims=keepdims)


@definition_of(stats.tstd)
def tstd(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
         keepdims: Any = False) -> Any:
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, keepdims=keepdims))
