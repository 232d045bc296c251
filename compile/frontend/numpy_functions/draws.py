"""Families of random numbers by what they are made of: a draw of the standard one, moved by parameters.

    normal(loc, scale)  =  loc + scale * normal(0, 1)          gamma(shape, scale)  =  scale * standard_gamma(shape)
    uniform(low, high)  =  low + (high - low) * random()       chisquare(df)        =  2 * standard_gamma(df / 2)

So NumPy computes them itself, bit by bit, and so draws of `size` have derivatives in their parameters. What is in no
table here is drawn by NumPy as it stands. What NumPy refuses, it is asked to refuse.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ccc.primitives import drawing

METHODS: dict[str, Any] = {}
"""The definition of each method, whose first parameter is the source."""
LEGACY: dict[str, Any] = {}
"""Those of `RandomState` alone."""


def drawn(source: Any, name: str, /, **named: Any) -> Any:
    """What NumPy's own method gives."""
    return getattr(source, name)(**named)


def refused(source: Any, name: str, /, **named: Any) -> None:
    """Raise what NumPy's own method raises, and draw nothing."""
    raise NotImplementedError


def method(definition: Any) -> Any:
    """Enter a definition under its name."""
    METHODS[definition.__name__] = definition
    return definition


def legacy(definition: Any) -> Any:
    """Enter a definition of a method that `RandomState` has."""
    LEGACY[definition.__name__.removeprefix("legacy_")] = definition
    return definition


# -- parameters ------------------------------------------------------------------------------------------------------


def parameter(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, (tuple, list)) else x


def negative(x: Any) -> Any:
    """Whether NumPy refuses a parameter that must not be negative."""
    return math.copysign(1.0, x) < 0.0 if np.ndim(x) == 0 else np.any(np.signbit(x))


def sizes(size: Any, both: Any) -> Any:
    """The size of a draw for parameters that are broadcast to `both`."""
    return np.shape(both) if size is None else size


def agree(size: Any, both: Any) -> Any:
    """Whether parameters that are broadcast to `both` fit into a size."""
    wanted = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    return np.shape(both + np.zeros(wanted)) == wanted


def numbers(a: Any, b: Any) -> bool:
    return np.ndim(a) == 0 and np.ndim(b) == 0


def moved(source: Any, name: Any, loc: Any, scale: Any, size: Any) -> Any:
    """`loc + scale * z` of a standard draw z."""
    loc, scale = parameter(loc), parameter(scale)
    if negative(scale):
        refused(source, name, loc=loc, scale=scale)
    if numbers(loc, scale):
        if size is None:
            return float(loc) + float(scale) * drawn(source, name)
        return np.asarray(loc + scale * drawn(source, name, size=size))
    both = loc + scale
    if size is not None and not agree(size, both):
        refused(source, name, loc=loc, scale=scale, size=size)
    return loc + scale * drawn(source, name, size=sizes(size, both))


def scaled(source: Any, name: Any, scale: Any, size: Any) -> Any:
    """`scale * z` of a standard draw z."""
    scale = parameter(scale)
    if negative(scale):
        refused(source, name, scale=scale)
    if np.ndim(scale) == 0:
        if size is None:
            return float(scale) * drawn(source, name)
        return np.asarray(scale * drawn(source, name, size=size))
    if size is not None and not agree(size, scale):
        refused(source, name, scale=scale, size=size)
    return scale * drawn(source, name, size=sizes(size, scale))


# -- places and scales -----------------------------------------------------------------------------------------------


@method
def normal(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return moved(self, "normal", loc, scale, size)


@method
def laplace(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return moved(self, "laplace", loc, scale, size)


@method
def logistic(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return moved(self, "logistic", loc, scale, size)


@method
def gumbel(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return moved(self, "gumbel", loc, scale, size)


@method
def exponential(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return scaled(self, "exponential", scale, size)


@method
def rayleigh(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return scaled(self, "rayleigh", scale, size)


@method
def lognormal(self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    mean, sigma = parameter(mean), parameter(sigma)
    if negative(sigma):
        refused(self, "lognormal", mean=mean, sigma=sigma)
    return drawing.exp_of_each(moved(self, "normal", mean, sigma, size))


@method
def uniform(self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    low, high = parameter(low), parameter(high)
    if numbers(low, high):
        low, high = float(low), float(high)
    width = high - low
    if not np.all(np.isfinite(width)) or negative(width):
        refused(self, "uniform", low=low, high=high)
    if numbers(low, high):
        return low + width * drawn(self, "uniform") if size is None else (
            np.asarray(low + width * drawn(self, "uniform", size=size)))
    if size is not None and not agree(size, width):
        refused(self, "uniform", low=low, high=high, size=size)
    return low + width * drawn(self, "uniform", size=sizes(size, width))


@method
def triangular(self: Any, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    left, mode, right = parameter(left), parameter(mode), parameter(right)
    both = left + mode + right
    if np.any(left > mode) or np.any(mode > right) or np.any(left == right):
        refused(self, "triangular", left=left, mode=mode, right=right)
    if size is not None and np.ndim(both) > 0 and not agree(size, both):
        refused(self, "triangular", left=left, mode=mode, right=right, size=size)
    u = drawn(self, "uniform", size=size if np.ndim(both) == 0 else sizes(size, both))
    base, leftbase = right - left, mode - left
    if np.ndim(u) == 0 and size is None:
        if u <= leftbase / base:
            return float(left + math.sqrt(u * (leftbase * base)))
        return float(right - math.sqrt((1.0 - u) * ((right - mode) * base)))
    below = u <= leftbase / base
    rising = np.where(below, u, 1.0) * (leftbase * base)
    falling = np.where(below, 1.0, 1.0 - u) * ((right - mode) * base)
    return np.where(below, left + np.sqrt(rising), right - np.sqrt(falling))


# -- gamma -----------------------------------------------------------------------------------------------------------


@method
def gamma(self: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    shape, scale = parameter(shape), parameter(scale)
    if negative(shape) or negative(scale):
        refused(self, "gamma", shape=shape, scale=scale)
    if numbers(shape, scale):
        found = scale * drawn(self, "standard_gamma", shape=shape, size=size)
        return float(found) if size is None else np.asarray(found)
    both = shape + scale
    if size is not None and not agree(size, both):
        refused(self, "gamma", shape=shape, scale=scale, size=size)
    return scale * drawn(self, "standard_gamma", shape=shape, size=sizes(size, both))


@method
def chisquare(self: Any, df: Any, size: Any = None) -> Any:
    df = parameter(df)
    if np.any(df <= 0.0) or np.any(np.isnan(df)):
        refused(self, "chisquare", df=df)
    if size is not None and np.ndim(df) > 0 and not agree(size, df):
        refused(self, "chisquare", df=df, size=size)
    found = 2.0 * drawn(self, "standard_gamma", shape=df / 2.0, size=size)
    return np.asarray(found) if np.ndim(df) > 0 or size is not None else float(found)


@method
def dirichlet(self: Any, alpha: Any, size: Any = None) -> Any:
    alpha = np.asarray(alpha)
    if np.ndim(alpha) != 1 or np.any(alpha <= 0.0):
        refused(self, "dirichlet", alpha=alpha)
    if np.max(alpha) < 0.1:
        raise NotImplementedError("`dirichlet` is known for an `alpha` with an entry of at least 0.1")
    before = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    found = drawn(self, "standard_gamma", shape=alpha, size=(*before, len(alpha)))
    return found * (1.0 / np.cumsum(found, axis=-1)[..., -1:])


# -- normal numbers of several dimensions ----------------------------------------------------------------------------


@method
def multivariate_normal(
    self: Any, mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8, *, method: Any = "svd"
) -> Any:
    mean, cov = np.asarray(mean), np.asarray(cov)
    if check_valid != "ignore" or method == "cholesky":
        refused(self, "multivariate_normal", mean=mean, cov=cov, check_valid=check_valid, tol=tol, method=method)
    before = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    z = np.reshape(drawn(self, "standard_normal", size=(*before, len(mean))), (-1, len(mean)))
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        factor = vectors * np.sqrt(np.abs(values))
    else:
        vectors, values, _ = np.linalg.svd(cov)
        factor = vectors * np.sqrt(values)
    return np.reshape(mean + z @ factor.T, (*before, len(mean)))


@legacy
def legacy_multivariate_normal(
    self: Any, mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8
) -> Any:
    mean, cov = np.asarray(mean), np.asarray(cov)
    if check_valid != "ignore":
        refused(self, "multivariate_normal", mean=mean, cov=cov, check_valid=check_valid, tol=tol)
    before = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    z = np.reshape(drawn(self, "standard_normal", size=(*before, len(mean))), (-1, len(mean)))
    _, values, rows = np.linalg.svd(cov)
    return np.reshape(np.dot(z, np.sqrt(values)[:, None] * rows) + mean, (*before, len(mean)))


# -- sizes as arguments ----------------------------------------------------------------------------------------------


@legacy
def legacy_randn(self: Any, *args: Any) -> Any:
    return drawn(self, "standard_normal", size=args if args else None)


@legacy
def legacy_rand(self: Any, *args: Any) -> Any:
    return drawn(self, "random_sample", size=args if args else None)


# -- orders and choices: of places, which are constants --------------------------------------------------------------


@method
def permutation(self: Any, x: Any, axis: Any = 0) -> Any:
    x = parameter(x)
    if np.ndim(x) == 0:
        return drawn(self, "permutation", x=x)
    return np.take(x, drawn(self, "permutation", x=np.shape(x)[axis]), axis=axis)


@legacy
def legacy_permutation(self: Any, x: Any) -> Any:
    x = parameter(x)
    return drawn(self, "permutation", x=x) if np.ndim(x) == 0 else x[drawn(self, "permutation", x=len(x))]


def reordered(self: Any, x: Any, axis: Any = 0) -> Any:
    """What `shuffle` makes of an array, or of a list of unknown length."""
    if isinstance(x, list):
        return [x[i] for i in drawn(self, "permutation", x=len(x))]
    return np.take(x, drawn(self, "permutation", x=np.shape(x)[axis]), axis=axis)


@method
def shuffle(self: Any, x: Any) -> None:
    put(x, drawn(self, "permutation", x=len(x)))


def put(x: Any, order: Any) -> None:
    """Put the items of a list into another order."""
    before = list(x)
    for i in tuple(range(len(x))):
        x[i] = before[order[i]]


@method
def permuted(self: Any, x: Any, *, axis: Any = None) -> Any:
    x = np.asarray(x)
    if axis is None:
        return np.reshape(np.ravel(x)[drawn(self, "permutation", x=np.size(x))], np.shape(x))
    places = np.moveaxis(np.broadcast_to(np.arange(np.shape(x)[axis]), np.shape(np.moveaxis(x, axis, -1))), -1, axis)
    return np.take_along_axis(x, drawn(self, "permuted", x=places, axis=axis), axis)


@method
def choice(
    self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True
) -> Any:
    a = parameter(a)
    if np.ndim(a) == 0:
        return drawn(self, "choice", a=a, size=size, replace=replace, p=p, shuffle=shuffle)
    at = drawn(self, "choice", a=np.shape(a)[axis], size=size, replace=replace, p=p, shuffle=shuffle)
    return np.take(a, at, axis=axis)


@legacy
def legacy_choice(self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    a = parameter(a)
    if np.ndim(a) == 0:
        return drawn(self, "choice", a=a, size=size, replace=replace, p=p)
    return a[drawn(self, "choice", a=len(a), size=size, replace=replace, p=p)]
