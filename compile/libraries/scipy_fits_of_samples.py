"""Statistics of samples that move with these, where SciPy's own text sorts in place or counts in C: how far a sample is
from a distribution, slopes by medians, means of what lies in bins, and differences of means.

    D = max over i of max(i / n - F(x_i), F(x_i) - (i - 1) / n)      p = P(D_n >= D)

>>> found = siegelslopes(np.array([0.0, 1.0, 2.0, 9.0]))
>>> float(found.slope)
1.0

Sources: Simard, L'Ecuyer (2011); Siegel: *Robust regression using repeated medians* (1982); Filliben: *The probability
plot correlation coefficient test for normality* (1975).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.api.transforms import derivative
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.named_parts import Parts
from ccc.compile.libraries.solutions import solved

stats: Any = scipy.stats


# -- Kolmogorov and Smirnov --------------------------------------------------------------------------------------------


@dataclass
class Fit(Parts):
    """What a test of one sample gives."""

    statistic: Any
    pvalue: Any
    statistic_location: Any
    statistic_sign: Any

    def parts(self) -> Any:
        return self.statistic, self.pvalue


@definition_of(stats.ks_1samp)
def ks_1samp(x: Any, cdf: Any, args: Any = (), alternative: Any = "two-sided", method: Any = "auto", *, axis: Any = 0,
             nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    x = np.sort(np.asarray(x) * 1.0)
    if np.ndim(x) != 1 or keepdims or alternative[0].lower() not in ("t", "g", "l"):
        refuse("scipy.stats.ks_1samp has a derivative for a sample of one axis", "call it for each row")
    n, below = len(x), cdf(x, *args)
    over, under = np.arange(1.0, n + 1) / n - below, below - np.arange(0.0, n) / n
    up, down = np.argmax(over), np.argmax(under)
    kind = alternative[0].lower()
    above = kind == "g" or (kind == "t" and over[up] > under[down])
    d, at = (over[up], x[up]) if above else (under[down], x[down])
    if kind != "t":
        p = stats.ksone.sf(d, n) if method in ("auto", "exact", "approx") else np.exp(-2.0 * n * d * d)
    elif method == "asymp":
        p = stats.kstwobign.sf(d * np.sqrt(n))
    else:
        p = 2.0 * stats.ksone.sf(d, n) if method == "approx" else stats.kstwo.sf(d, n)
    return Fit(d, np.clip(p, 0.0, 1.0), at, 1 if above else -1)


@definition_of(stats.kstest)
def kstest(rvs: Any, cdf: Any, args: Any = (), N: Any = 20, alternative: Any = "two-sided", method: Any = "auto", *,
           axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    if callable(rvs) or isinstance(rvs, str) or not (callable(cdf) or isinstance(cdf, str)):
        refuse("scipy.stats.kstest has a derivative of a sample beside a distribution",
               "give the sample, and a name or a function")
    if isinstance(cdf, str):
        return ks_1samp(rvs, getattr(stats, cdf).cdf, args, alternative, method)
    return ks_1samp(rvs, cdf, args, alternative, method)


@definition_of(stats.ppcc_max)
def ppcc_max(x: Any, brack: Any = (0.0, 1.0), dist: Any = "tukeylambda") -> Any:
    """Where the correlation is greatest: its slope is zero."""
    if not isinstance(dist, str):
        refuse("scipy.stats.ppcc_max has a derivative for the name of a distribution", "name it")
    x = np.asarray(x) * 1.0
    osr, of, n = np.sort(x), getattr(stats, dist), len(x)
    last = 0.5 ** (1.0 / n)
    medians = np.concatenate([[1.0 - last], (np.arange(2.0, n) - 0.3175) / (n + 0.365), [last]])
    return solved(lambda c: derivative(lambda c: stats.pearsonr(of.ppf(medians, c), osr)[0])(c), most_alike,
                  (x, brack, dist), 0.0)


def most_alike(x: Any, brack: Any, dist: str) -> float:
    return float(stats.ppcc_max(x, brack, dist))


# -- slopes by medians -------------------------------------------------------------------------------------------------


@definition_of(stats._stats_mstats_common._find_repeats)
def find_repeats(arr: Any) -> Any:
    """SciPy sorts what it is given, in place: a copy."""
    return constant(repeated, np.zeros(1), arr), constant(how_often, np.zeros(1, int), arr)


def repeated(arr: Any) -> Any:
    return stats._stats_mstats_common._find_repeats(np.array(arr))[0]


def how_often(arr: Any) -> Any:
    return np.asarray(stats._stats_mstats_common._find_repeats(np.array(arr))[1], int)


@dataclass
class Line(Parts):
    """A line by medians."""

    slope: Any
    intercept: Any

    def parts(self) -> Any:
        return self.slope, self.intercept


@definition_of(stats.siegelslopes)
def siegelslopes(y: Any, x: Any = None, method: Any = "hierarchical", *, axis: Any = None,
                 nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    y = np.ravel(np.asarray(y)) * 1.0
    x = np.arange(len(y)) * 1.0 if x is None else np.ravel(np.asarray(x)) * 1.0
    if len(x) != len(y):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    slopes, heights = [], []
    for j in range(len(x)):
        there = x != x[j]
        away = x[there] - x[j]
        slopes.append(np.median((y[there] - y[j]) / away))
        heights.append(np.median((y[j] * x[there] - y[there] * x[j]) / away))
    slope = np.median(np.array(slopes))
    return Line(slope, np.median(np.array(heights)) if method == "separate" else np.median(y - slope * x))


# -- differences of means ----------------------------------------------------------------------------------------------


@dataclass
class Differences:
    """What `tukey_hsd` gives."""

    __ccc_record__ = True

    statistic: Any
    pvalue: Any


@definition_of(stats.tukey_hsd)
def tukey_hsd(*args: Any, equal_var: Any = True) -> Any:
    xs = [np.asarray(x) * 1.0 for x in args]
    if len(xs) < 2:
        raise ValueError("There must be more than 1 treatment.")
    k, sizes = len(xs), np.array([float(len(x)) for x in xs])
    means, spreads = np.stack([np.mean(x) for x in xs]), np.stack([np.var(x, ddof=1) for x in xs])
    apart = means[:, None] - means
    if equal_var:
        df = np.sum(sizes) - k
        within = np.sum(spreads * (sizes - 1.0)) / df
        error = np.sqrt((1.0 / sizes + 1.0 / sizes[:, None]) * within / 2.0)
    else:
        each = spreads / sizes
        both = each[:, None] + each
        error = np.sqrt(both) / 2.0**0.5
        df = both**2 / (each[:, None] ** 2 / (sizes[:, None] - 1.0) + each**2 / (sizes - 1.0))
    return Differences(apart, stats.studentized_range.sf(np.abs(apart) / error, k, df))
