"""Stable distributions: values are SciPy's, derivatives those of integrals of the characteristic function.

    pdf(x) = integral over t > 0 of exp(-t^a) cos(x t - g(t)) dt / pi
    cdf(x) = 1 / 2 + integral over t > 0 of exp(-t^a) sin(x t - g(t)) / t dt / pi

    g(t) = b tan(pi a / 2) t^a, and -(2 / pi) b t log t for a = 1

Where the integral, of points that are constants, is not what SciPy gives, as where `a` is small, slopes are NaN, and so
is the slope in `a` at 1, where the distribution jumps unless `b` is zero.

>>> round(float(of_integral("pdf", np.array(0.0), 1.0, 0.0)), 9) == round(1.0 / math.pi, 9)
True

Source: Nolan: *Numerical calculation of stable densities and distribution functions* (1997).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.frontend.numpy_functions.table import constant, definition_of
from ccc.compile.libraries.slopes import only_where, with_slope_of

stats: Any = scipy.stats
PLACES = (np.arange(3000) + 0.5) / 3000.0
SHARES = PLACES**3 * (10.0 - 15.0 * PLACES + 6.0 * PLACES**2)
PARTS = 30.0 * PLACES**2 * (1.0 - PLACES) ** 2 / 3000.0
"""Points that lie closer at the ends, where what is summed has slopes that are zero."""
NEAR = 1e-6


def of_integral(name: Any, x: Any, alpha: Any, beta: Any) -> Any:
    a, b, x = np.asarray(alpha)[..., None] * 1.0, np.asarray(beta)[..., None] * 1.0, np.asarray(x)[..., None] * 1.0
    last = without_derivative(40.0 ** (1.0 / a))
    t, weight = last * np.asarray(SHARES), last * np.asarray(PARTS)
    one = a == 1.0
    bent = b * np.tan(0.5 * math.pi * np.where(one, 0.5, a)) * t**a
    angle = x * t - np.where(one, -2.0 / math.pi * b * t * np.log(t), bent)
    size = np.exp(-(t**a)) * weight / math.pi
    if name == "pdf":
        return np.sum(size * np.cos(angle), axis=-1)
    return 0.5 + np.sum(size * np.sin(angle) / t, axis=-1)


def of_scipy(name: str, x: Any, alpha: Any, beta: Any) -> Any:
    found = getattr(stats.levy_stable, f"_{name}")(*np.broadcast_arrays(x, alpha, beta))
    return np.asarray(found, float).reshape(np.broadcast_shapes(np.shape(x), np.shape(alpha), np.shape(beta)))


def found_by(name: Any, x: Any, alpha: Any, beta: Any) -> Any:
    alpha, beta = np.asarray(alpha) * 1.0, np.asarray(beta) * 1.0
    alpha = only_where(alpha, (alpha != 1.0) | (beta == 0.0))
    moving = of_integral(name, x, alpha, beta)
    value = constant(of_scipy, moving, name, x, alpha, beta)
    return with_slope_of(value, only_where(moving, np.abs(moving - value) <= NEAR * (NEAR + np.abs(value))))


@definition_of(stats.levy_stable._pdf)
def pdf(x: Any, alpha: Any, beta: Any) -> Any:
    return found_by("pdf", x, alpha, beta)


@definition_of(stats.levy_stable._cdf)
def cdf(x: Any, alpha: Any, beta: Any) -> Any:
    return found_by("cdf", x, alpha, beta)


def placed(x: Any, alpha: Any, beta: Any, loc: Any, scale: Any) -> Any:
    """The place in units of the scale: for `alpha` 1 the location goes by the scale too."""
    moved = 2.0 / math.pi * np.asarray(beta) * np.asarray(scale) * np.log(np.asarray(scale) * 1.0)
    return (x - loc - np.where(np.asarray(alpha) == 1.0, moved, 0.0)) / scale


@definition_of(stats.levy_stable.pdf)
def density(x: Any, alpha: Any, beta: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return found_by("pdf", placed(np.asarray(x) * 1.0, alpha, beta, loc, scale), alpha, beta)[()] / scale


@definition_of(stats.levy_stable.cdf)
def below(x: Any, alpha: Any, beta: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return found_by("cdf", placed(np.asarray(x) * 1.0, alpha, beta, loc, scale), alpha, beta)[()]
