"""Powers that make samples as normal as they can be: the transforms of Box and Cox, and of Yeo and Johnson.

    (x^p - 1) / p        p = argmax L(p, x)   =>   dp = -L_pp^-1 L_px dx

SciPy finds the power in its own way, and the implicit function theorem says how it moves with the samples.

>>> y, power = boxcox(np.array([1.0, 2.0, 4.0, 5.0]))
>>> round(float(power), 4)
0.5044
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.api.transforms import derivative
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.solutions import solved

stats: Any = scipy.stats
special: Any = scipy.special


def found_by(name: str, x: Any, options: Any) -> Any:
    """The power that SciPy finds. Raises `ValueError` where it stands at a limit, and solves nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "The optimal lambda")
        try:
            return np.float64(getattr(stats, name)(x, **options))
        except UserWarning as warned:
            raise ValueError(f"scipy.stats.{name} has no derivative where the power is limited: {warned}") from None


def most_normal(name: Any, measure: Any, x: Any, options: Any) -> Any:
    """The power at which a measure of samples is largest."""
    return solved(lambda p: derivative(lambda p: measure(p, x))(p), found_by, (name, x, options), np.float64(1.0))


@definition_of(stats.boxcox_llf)
def boxcox_llf(lmb: Any, data: Any) -> Any:
    rows = np.asarray(data) * 1.0
    moved = special.boxcox(rows, lmb)
    return (lmb - 1.0) * np.sum(np.log(rows), axis=0) - len(rows) / 2.0 * np.log(np.var(moved, axis=0))


def middles(n: int) -> Any:
    """The normal quantiles at the medians of `n` uniform variables in order."""
    places = (np.arange(1.0, n + 1.0) - 0.3175) / (n + 0.365)
    places[-1] = 0.5 ** (1.0 / n)
    places[0] = 1.0 - places[-1]
    return special.ndtri(places)


def straightness(p: Any, x: Any) -> Any:
    """The correlation of samples in order with the middles of normal ones."""
    y, at = np.sort(special.boxcox(x, p)), constant(middles, np.zeros(2), len(x))
    y, at = y - np.mean(y), at - np.mean(at)
    return np.sum(y * at) / np.sqrt(np.sum(y * y) * np.sum(at * at))


@definition_of(stats.boxcox_normmax)
def boxcox_normmax(x: Any, brack: Any = None, method: Any = "pearsonr", optimizer: Any = None) -> Any:
    if optimizer is not None or method not in ("pearsonr", "mle"):
        refuse("scipy.stats.boxcox_normmax has a derivative for method='pearsonr' and 'mle', without optimizer")
    measure = boxcox_llf if method == "mle" else straightness
    return most_normal("boxcox_normmax", measure, np.asarray(x) * 1.0, {"brack": brack, "method": method})


@definition_of(stats.boxcox)
def boxcox(x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None) -> Any:
    x = np.asarray(x) * 1.0
    if lmbda is not None:
        return special.boxcox(x, lmbda)
    if alpha is not None or optimizer is not None:
        refuse("scipy.stats.boxcox has a derivative without alpha and optimizer")
    if np.all(x == x[0]):
        raise ValueError("Data must not be constant.")
    if np.any(x <= 0.0):
        raise ValueError("Data must be positive.")
    power = boxcox_normmax(x, method="mle")
    return special.boxcox(x, power), power


# -- of samples of both signs ------------------------------------------------------------------------------------------


def moved_by(x: Any, p: Any) -> Any:
    """The transform of Yeo and Johnson."""
    above = x >= 0.0
    return np.where(above, special.boxcox1p(np.where(above, x, 0.0), p),
                    -special.boxcox1p(np.where(above, 0.0, -x), 2.0 - p))


@definition_of(stats.yeojohnson_llf)
def yeojohnson_llf(lmb: Any, data: Any) -> Any:
    rows = np.asarray(data) * 1.0
    width = np.log(np.var(moved_by(rows, lmb), axis=0))
    return (lmb - 1.0) * np.sum(np.sign(rows) * np.log1p(np.abs(rows)), axis=0) - len(rows) / 2.0 * width


@definition_of(stats.yeojohnson_normmax)
def yeojohnson_normmax(x: Any, brack: Any = None) -> Any:
    return most_normal("yeojohnson_normmax", yeojohnson_llf, np.asarray(x) * 1.0, {"brack": brack})


@definition_of(stats.yeojohnson)
def yeojohnson(x: Any, lmbda: Any = None) -> Any:
    x = np.asarray(x) * 1.0
    if lmbda is not None:
        return moved_by(x, lmbda)
    power = yeojohnson_normmax(x)
    return moved_by(x, power), power
