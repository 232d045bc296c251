"""Statistics of samples by powers and by order, tables of counts, and directions, as SciPy computes them.

>>> lmoment(np.array([1.0, 2.0, 4.0, 8.0]), order=2).round(12)
np.float64(1.916666666667)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

stats: Any = scipy.stats
special: Any = scipy.special


def along(name: str, a: Any, axis: Any, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The samples with their axis as the first one."""
    if nan_policy != "propagate" or keepdims:
        refuse(f"scipy.stats.{name} has a derivative for nan_policy='propagate' and keepdims=False")
    a = np.asarray(a) * 1.0
    return np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)


# -- cumulants and moments -------------------------------------------------------------------------------------------


@definition_of(stats.kstat)
def kstat(data: Any, n: Any = 2, *, axis: Any = None, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    x = along("kstat", data, axis, nan_policy, keepdims)
    count = len(x) * 1.0
    s1, s2 = np.sum(x, axis=0), np.sum(x**2, axis=0)
    if n == 1:
        return s1 / count
    if n == 2:
        return (count * s2 - s1**2) / (count * (count - 1.0))
    s3 = np.sum(x**3, axis=0)
    if n == 3:
        return (2.0 * s1**3 - 3.0 * count * s1 * s2 + count**2 * s3) / (count * (count - 1.0) * (count - 2.0))
    if n != 4:
        raise ValueError("k-statistics only supported for 1<=n<=4")
    s4 = np.sum(x**4, axis=0)
    top = -6.0 * s1**4 + 12.0 * count * s1**2 * s2 - 3.0 * count * (count - 1.0) * s2**2
    top = top - 4.0 * count * (count + 1.0) * s1 * s3 + count**2 * (count + 1.0) * s4
    return top / (count * (count - 1.0) * (count - 2.0) * (count - 3.0))


@definition_of(stats.kstatvar)
def kstatvar(data: Any, n: Any = 2, *, axis: Any = None, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    count = len(along("kstatvar", data, axis, nan_policy, keepdims)) * 1.0
    second = kstat(data, 2, axis=axis)
    if n == 1:
        return second / count
    if n != 2:
        raise ValueError("Only n=1 or n=2 supported.")
    return (2.0 * count * second**2 + (count - 1.0) * kstat(data, 4, axis=axis)) / (count * (count + 1.0))


@definition_of(stats.lmoment)
def lmoment(sample: Any, order: Any = None, *, axis: Any = 0, sorted: Any = False, standardize: Any = True,
            nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    x = along("lmoment", sample, axis, nan_policy, keepdims)
    x = x if sorted else np.sort(x, axis=0)
    asked = (1, 2, 3, 4) if order is None else (order,) if isinstance(order, int) else tuple(order)
    places, count = np.arange(len(x)) * 1.0, len(x) * 1.0
    weights = [special.binom(places, r) / special.binom(count - 1.0, r) / count for r in range(max(asked))]
    parts = [np.tensordot(weight, x, 1) for weight in weights]

    def moment(m: Any) -> Any:
        found = 0.0
        for k in range(m):
            found = found + (-1) ** (m - 1 - k) * math.comb(m - 1, k) * math.comb(m - 1 + k, k) * parts[k]
        return found

    found = [moment(m) / moment(2) if standardize and m > 2 else moment(m) for m in asked]
    return found[0] if isinstance(order, int) else np.stack(found)


@definition_of(stats.obrientransform)
def obrientransform(*samples: Any) -> Any:
    """Samples of one size: others are no array."""
    return np.stack([transformed(np.asarray(x) * 1.0) for x in samples])


def transformed(x: Any) -> Any:
    n, squares = len(x), (x - np.mean(x)) ** 2
    return ((n - 1.5) * n * squares - 0.5 * np.sum(squares)) / ((n - 1) * (n - 2))


# -- what is between limits ------------------------------------------------------------------------------------------


@definition_of(stats.tmin)
def tmin(a: Any, lowerlimit: Any = None, axis: Any = 0, inclusive: Any = True, nan_policy: Any = "propagate", *,
         keepdims: Any = False) -> Any:
    x = along("tmin", a, axis, nan_policy, keepdims)
    if lowerlimit is None:
        return np.min(x, axis=0)
    there = x >= lowerlimit if inclusive else x > lowerlimit
    return np.where(np.any(there, axis=0), np.min(np.where(there, x, np.inf), axis=0), np.nan)[()]


@definition_of(stats.tmax)
def tmax(a: Any, upperlimit: Any = None, axis: Any = 0, inclusive: Any = True, nan_policy: Any = "propagate", *,
         keepdims: Any = False) -> Any:
    x = along("tmax", a, axis, nan_policy, keepdims)
    if upperlimit is None:
        return np.max(x, axis=0)
    there = x <= upperlimit if inclusive else x < upperlimit
    return np.where(np.any(there, axis=0), np.max(np.where(there, x, -np.inf), axis=0), np.nan)[()]


@definition_of(stats.tsem)
def tsem(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
         nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    x = along("tsem", a, axis, nan_policy, keepdims)
    there = np.isfinite(x) | True
    low, high = (None, None) if limits is None else limits
    if low is not None:
        there = there & (x >= low if inclusive[0] else x > low)
    if high is not None:
        there = there & (x <= high if inclusive[1] else x < high)
    count = np.sum(there, axis=0) * 1.0
    away = np.where(there, x - np.sum(np.where(there, x, 0.0), axis=0) / count, 0.0)
    return np.sqrt(np.sum(away * away, axis=0) / (count - ddof)) / np.sqrt(count)


@definition_of(stats.scoreatpercentile)
def scoreatpercentile(a: Any, per: Any, limit: Any = (), interpolation_method: Any = "fraction",
                      axis: Any = None) -> Any:
    if len(limit) > 0 or interpolation_method != "fraction":
        refuse("scipy.stats.scoreatpercentile has a derivative without limits, for interpolation_method='fraction'")
    return np.percentile(a, per, axis=axis)


# -- tables ----------------------------------------------------------------------------------------------------------


class Contingency(NamedTuple):
    """What SciPy's result says of a table of counts."""

    statistic: Any
    pvalue: Any
    dof: Any
    expected_freq: Any


@definition_of(stats.chi2_contingency)
def chi2_contingency(observed: Any, correction: Any = True, lambda_: Any = None, *, method: Any = None) -> Any:
    observed = np.asarray(observed) * 1.0
    if np.ndim(observed) != 2 or lambda_ is not None or method is not None:
        refuse("scipy.stats.chi2_contingency has a derivative for two axes, lambda_=None and method=None")
    rows, columns = np.sum(observed, axis=1), np.sum(observed, axis=0)
    expected = np.outer(rows, columns) / np.sum(observed)
    dof, away = (len(rows) - 1) * (len(columns) - 1), expected - observed
    if correction and dof == 1:
        away = np.sign(away) * (np.abs(away) - np.minimum(0.5, np.abs(away)))
    statistic = np.sum(away * away / expected)
    return Contingency(statistic, special.chdtrc(dof * 1.0, statistic), dof, expected)


@definition_of(stats.false_discovery_control)
def false_discovery_control(ps: Any, *, axis: Any = 0, method: Any = "bh") -> Any:
    if np.ndim(ps) != 1 or axis not in (0, -1, None):
        refuse("scipy.stats.false_discovery_control has a derivative for one axis")
    order = np.argsort(ps)
    ranks = np.arange(1.0, len(order) + 1.0)
    found = np.asarray(ps)[order] * (len(order) / ranks)
    if method == "by":
        found = found * np.sum(1.0 / ranks)
    found = np.flip(np.minimum.accumulate(np.flip(found)))
    return np.clip(found[np.argsort(order)], 0.0, 1.0)


@definition_of(stats.pointbiserialr)
def pointbiserialr(x: Any, y: Any, *, axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    return stats.pearsonr(along("pointbiserialr", x, axis, nan_policy, keepdims), y)


# -- directions ------------------------------------------------------------------------------------------------------


if hasattr(stats, "vonmises_fisher"):

    @definition_of(stats.vonmises_fisher.logpdf)
    def vonmises_fisher_logpdf(x: Any, mu: Any = None, kappa: Any = 1) -> Any:
        """Of points that are directions; of others SciPy raises."""
        half = 0.5 * np.size(mu)
        bessel = np.log(special.ive(half - 1.0, kappa * 1.0)) + kappa
        return kappa * np.dot(x, mu) + (half - 1.0) * np.log(kappa) - half * math.log(2.0 * math.pi) - bessel

    @definition_of(stats.vonmises_fisher.pdf)
    def vonmises_fisher_pdf(x: Any, mu: Any = None, kappa: Any = 1) -> Any:
        return np.exp(vonmises_fisher_logpdf(x, mu, kappa))
