"""Distribution functions and quantiles of which SciPy has no formula, or one in C: values are SciPy's.

    dF(x)/dx = p(x)     dF(x)/dc = integral of dp/dc up to x          x(q): dx = (dq - dF/dc dc) / p(x)

Integrals are sums over points that lie ever closer together at the end (Takahasi, Mori), which are constants of a
derivative; where such a sum is not what SciPy gives, slopes are NaN.

>>> round(float(integral_of("norm", 0.0, ())), 9)
0.5
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.api.transforms import pullback
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted
from ccc.compile.libraries.slopes import only_where, with_slope_of

stats: Any = scipy.stats
STEPS = np.arange(-110, 111) / 32.0
FAR = np.exp(0.5 * math.pi * np.sinh(STEPS))
FAR_PARTS = FAR * 0.5 * math.pi * np.cosh(STEPS) / 32.0
NEAR = 0.5 * (1.0 + np.tanh(0.5 * math.pi * np.sinh(STEPS)))
NEAR_PARTS = 0.25 * math.pi * np.cosh(STEPS) / np.cosh(0.5 * math.pi * np.sinh(STEPS)) ** 2 / 32.0


def integral_of(name: Any, x: Any, shapes: Any) -> Any:
    """The integral of a density up to `x`, as it moves with this and with the shapes."""
    of, x = getattr(stats, name), np.asarray(x) * 1.0
    kept, wide = without_derivative(x), [np.asarray(s)[..., None] for s in shapes]
    low = np.asarray(of._get_support(*[without_derivative(s) for s in shapes])[0]) + 0.0 * kept
    ends = np.isfinite(low)[..., None]
    room = (kept - np.where(np.isfinite(low), low, 0.0))[..., None]
    at = kept[..., None] - np.where(ends, room * np.asarray(NEAR), np.asarray(FAR))
    parts = np.where(ends, room * np.asarray(NEAR_PARTS), np.asarray(FAR_PARTS))
    return np.sum(of.pdf(at, *wide) * parts, axis=-1) + (x - kept) * of.pdf(x, *shapes)


def of_scipy(method: str, name: str, x: Any, shapes: Any) -> Any:
    return np.asarray(getattr(getattr(stats, name), method)(x, *shapes), float)


def below(name: Any, x: Any, shapes: Any) -> Any:
    """The distribution function."""
    moving = integral_of(name, x, shapes)
    value = constant(of_scipy, moving, "cdf", name, x, shapes)
    return with_slope_of(value, only_where(moving, np.abs(moving - value) <= 1e-7))


def inverse(method: Any, name: Any, q: Any, shapes: Any) -> Any:
    """The quantile, or that of the upper tail; `q` has the shape of all."""
    return hosted(of_scipy, q, method, name, q, shapes)


def inverse_rule(method: Any, name: Any, q: Any, shapes: Any) -> Any:
    x, of = inverse(method, name, q, shapes), getattr(stats, name)

    def pulled(ct: Any) -> Any:
        by = ct / of.pdf(x, *shapes)
        back = pullback(lambda shapes: of.cdf(x, *shapes))(shapes)(by)
        moved = tuple([-1.0 * s for s in back])
        return None, None, by if method == "ppf" else -by, moved

    return x, pulled


RULES[inverse] = inverse_rule


def quantile(method: Any, name: Any, q: Any, shapes: Any) -> Any:
    q = np.asarray(q) * 1.0
    for s in shapes:
        q = q + 0.0 * without_derivative(s)
    return inverse(method, name, q, tuple(shapes))


def numeric(name: Any) -> Any:
    """How a method of a distribution is known that has a density alone."""
    def how(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        if name in ("ppf", "isf"):
            return quantile(name, of.name, x[0], shapes) * scale + loc
        if name == "median":
            return quantile("ppf", of.name, 0.5, shapes) * scale + loc
        found = below(of.name, (np.asarray(x[0]) - loc) / scale, shapes)
        found = found if name.endswith("cdf") else 1.0 - found
        return np.log(found) if name.startswith("log") else found

    return how


@definition_of(stats.skewnorm._ppf)
def skewnorm_ppf(q: Any, a: Any) -> Any:
    return quantile("ppf", "skewnorm", q, (a,))


@definition_of(stats.skewnorm._isf)
def skewnorm_isf(q: Any, a: Any) -> Any:
    return quantile("isf", "skewnorm", q, (a,))


@definition_of(stats.invgauss._ppf)
def invgauss_ppf(q: Any, mu: Any) -> Any:
    return quantile("ppf", "invgauss", q, (mu,))


@definition_of(stats.invgauss._isf)
def invgauss_isf(q: Any, mu: Any) -> Any:
    return quantile("isf", "invgauss", q, (mu,))


@definition_of(stats._stats.von_mises_cdf)
def von_mises_cdf(kappa: Any, x: Any) -> Any:
    """Of an angle, whole turns of which count one each."""
    moving = turned(np.asarray(kappa) * 1.0, np.asarray(x) * 1.0)
    return with_slope_of(constant(von_mises_of_scipy, moving, kappa, x), moving)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)


def turned(kappa: Any, x: Any) -> Any:
    turns = without_derivative(np.round(x / (2.0 * math.pi)))
    end = x - turns * 2.0 * math.pi
    at = 0.5 * end[..., None] * (np.asarray(NODES) + 1.0)
    k = kappa[..., None]
    inside = np.exp(k * (np.cos(at) - 1.0)) / (2.0 * math.pi * scipy.special.i0e(k))
    return turns + 0.5 + np.sum(0.5 * end[..., None] * np.asarray(WEIGHTS) * inside, axis=-1)


def von_mises_of_scipy(kappa: Any, x: Any) -> Any:
    return np.asarray(stats._stats.von_mises_cdf(kappa, x), float)
