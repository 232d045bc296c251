"""Covariances, and statistics of what is a number.

>>> cov([1.0, 2.0, 4.0]), nanstd([1.0, np.nan, 3.0])
(array(2.33333333), np.float64(1.0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import beyond, definition_of, refuse
from ccc.primitives.complex_functions import FUNCTIONS
from ccc.primitives.complexes import as_complex


@definition_of(np.cov)
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:
    m = np.asarray(m)
    m = m.astype(np.result_type(m, np.float64) if dtype is None else dtype)
    if np.ndim(m) > 2:
        raise ValueError("m has more than 2 dimensions")
    x = np.atleast_2d(m).T if not rowvar and np.ndim(m) != 1 else np.atleast_2d(m)
    if y is not None:
        y = np.asarray(y) if dtype is None else np.asarray(y).astype(dtype)
        if np.ndim(y) > 2:
            raise ValueError("y has more than 2 dimensions")
        y = np.atleast_2d(y).T if not rowvar and np.ndim(y) != 1 else np.atleast_2d(y)
        x = np.concatenate([x, y], axis=0)
    less = ddof if ddof is not None else 0 if bias else 1
    fweights = None if fweights is None else np.asarray(fweights)
    aweights = None if aweights is None else np.asarray(aweights) * 1.0
    weights = aweights if fweights is None else fweights if aweights is None else fweights * aweights
    if weights is None:
        x = x - np.mean(x, axis=1)[:, None]
        c = np.dot(x, np.conj(x.T)) * np.true_divide(1, max(np.shape(x)[1] - less, 0))
        return np.squeeze(c)
    weights = np.asarray(weights) * 1.0
    total = np.sum(weights)
    average = np.sum(x * weights, axis=1) / total
    if less == 0:
        fact = total
    elif aweights is None:
        fact = total - less
    else:
        fact = total - less * np.sum(weights * aweights) / total
    x = x - average[:, None]
    return np.squeeze(np.dot(x, np.conj((x * weights).T)) * np.true_divide(1, np.maximum(fact, 0.0)))


@definition_of(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = np.cov(x, y, rowvar, dtype=dtype)
    if np.ndim(c) == 0:
        return c / c
    deviations = np.sqrt(np.diag(c))
    c = c / deviations[:, None]
    c = c / deviations[None, :]
    return np.clip(c, -1, 1)


@definition_of(np.nanvar)
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    numbers = np.logical_and(np.logical_not(np.isnan(a)), where)
    there = numbers.astype(a.dtype)
    count = np.sum(there, axis=axis, keepdims=True)
    values = np.where(numbers, a, 0)
    average = np.sum(values, axis=axis, keepdims=True) / count if mean is None else mean
    distance = np.where(numbers, values - average, 0)
    found = np.sum(distance * distance, axis=axis, keepdims=keepdims)
    free = (count if keepdims else np.sum(there, axis=axis)) - ddof
    return found / np.where(free <= 0, np.nan, free)


@definition_of(np.nanstd)
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    found = nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction)
    return np.where(found == 0, found * 0, np.sqrt(np.where(found == 0, 1, found)))[()]


@definition_of(np.nanargmax)
def nanargmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)


@definition_of(np.nanargmin)
def nanargmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)


@definition_of(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, *, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    return of_numbers(np.median, np.asarray(a), axis, keepdims)


@definition_of(np.nanpercentile)
def nanpercentile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False
) -> Any:
    return of_numbers(lambda row: np.percentile(row, q, method=method), np.asarray(a), axis, keepdims)


@definition_of(np.nanquantile)
def nanquantile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False
) -> Any:
    return of_numbers(lambda row: np.quantile(row, q, method=method), np.asarray(a), axis, keepdims)


def of_numbers(statistic: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A statistic of the entries that are numbers, of which one gives several behind another along a first axis."""
    places = axes_of(axis, np.ndim(a))
    rows = as_rows(a, places)
    if np.shape(rows)[1] == 0:
        rows = np.full((len(rows), 1), np.nan, rows.dtype)
    found = np.array([statistic(row if np.all(np.isnan(row)) else row[np.logical_not(np.isnan(row))]) for row in rows])
    levels = np.ndim(found) - 1
    sizes = sizes_left(a, places, keepdims)
    found = np.moveaxis(found, 0, -1)
    found = np.reshape(found, np.shape(found)[:levels] + sizes)
    return found[()]


def axes_of(axis: Any, rank: Any) -> Any:
    """The axes that one, several or None stand for."""
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple([i % rank for i in axes if rank > 0])


def sizes_left(a: Any, places: Any, keepdims: Any) -> Any:
    """The shape of what is reduced along some axes."""
    axes = tuple(range(np.ndim(a)))
    return tuple([1 if i in places else np.shape(a)[i] for i in axes if keepdims or i not in places])


def as_rows(a: Any, places: Any) -> Any:
    """An array with some of its axes as one, and all others as another one before it."""
    left = tuple([i for i in tuple(range(np.ndim(a))) if i not in places])
    turned = np.transpose(a, left + places)
    count, others = 1, 1
    for i in places:
        count = count * np.shape(a)[i]
    for i in left:
        others = others * np.shape(a)[i]
    return np.reshape(turned, (others, count))


# -- levels that are computed ------------------------------------------------------------------------------------------


ALPHAS = {"linear": (1.0, 1.0), "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
          "median_unbiased": (1.0 / 3.0, 1.0 / 3.0), "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0)}
"""The plotting positions of the methods that are continuous in the level."""


@beyond(np.quantile)
def quantile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False,
    weights: Any = None,
) -> Any:
    a, q = np.asarray(a), np.asarray(q)
    if np.any(q < 0.0) or np.any(q > 1.0):
        raise ValueError("Quantiles must be in the range [0, 1]")
    places = axes_of(axis, np.ndim(a))
    if weights is not None:
        found = weighted(a, q, places, method, weights)
    elif method in ALPHAS:
        found = between(np.sort(as_rows(a, places), axis=1), q, method)
    else:
        rows = np.sort(as_rows(a, places), axis=1)
        first, second, part = neighbours(np.ravel(q), np.shape(rows)[1], method)
        low, high = rows[:, first], rows[:, second]
        found = low if part is None else interpolated(low, high, part)
        found = np.where(np.isnan(rows[:, -1:]), np.nan, found) if rows.dtype.kind == "f" else found
    sizes = sizes_left(a, places, keepdims)
    found = np.reshape(found.T, np.shape(q) + sizes)
    return found if keepdims or weights is not None else found[()]


def neighbours(q: Any, count: Any, method: Any) -> Any:
    """The places of the two sorted entries that make the quantiles of a method that jumps, and what counts of the
    second one; None of an entry alone."""
    if method in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation"):
        place = count * q - (1.5 if method == "closest_observation" else 1.0)
        below = np.floor(place)
        at = place == below
        if method == "closest_observation":
            at = at & (np.mod(below, 2.0) == 1.0)
        first = below.astype(int)
        second = np.maximum(np.minimum(first + 1, count - 1), 0)
        first = np.maximum(np.minimum(first, count - 1), 0)
        if method == "averaged_inverted_cdf":
            return first, second, np.where(at, 0.5, 1.0)
        return np.where(at, first, second), second, None
    place = (count - 1) * q
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    if method == "midpoint":
        return low, high, 0.5
    if method == "nearest":
        return np.rint(place).astype(int), low, None
    if method not in ("lower", "higher"):
        raise ValueError(f"{method!r} is not a valid method.")
    return (low if method == "lower" else high), low, None


def between(rows: Any, q: Any, method: Any) -> Any:
    """The quantiles of sorted rows, linear between their entries."""
    count = np.shape(rows)[1]
    alpha, beta = ALPHAS[method]
    place = (count - 1) * np.ravel(q)
    if method != "linear":
        place = count * np.ravel(q) + (alpha + np.ravel(q) * (1 - alpha - beta)) - 1
    if np.issubdtype(q.dtype, np.integer) and method == "linear":
        found = rows[:, place]
    else:
        below = np.floor(place)
        part, first = place - below, below.astype(int)
        low = rows[:, np.maximum(np.minimum(first, count - 1), 0)]
        high = rows[:, np.maximum(np.minimum(first + 1, count - 1), 0)]
        found = interpolated(low, high, part)
    if not np.issubdtype(rows.dtype, np.integer):
        found = np.where(np.isnan(rows[:, -1:]), np.nan, found)
    return found


def interpolated(low: Any, high: Any, part: Any) -> Any:
    return np.where(part >= 0.5, high - (high - low) * (1 - part), low + (high - low) * part)


def weighted(a: Any, q: Any, places: Any, method: Any, weights: Any) -> Any:
    """The entries at which the sum of the weights of the smaller ones reaches a part of all."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = np.asarray(weights)
    if np.ndim(weights) != np.ndim(a):
        if np.ndim(weights) != len(places):
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        for i in tuple(range(len(places))):
            if np.shape(weights)[i] != np.shape(a)[places[i]]:
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        along = tuple([i for i in tuple(range(np.ndim(a))) if i in places])
        weights = np.transpose(weights, tuple([k for i in along for k in tuple(range(len(places))) if places[k] == i]))
        weights = np.reshape(weights, tuple([np.shape(a)[i] if i in places else 1 for i in tuple(range(np.ndim(a)))]))
        weights = np.broadcast_to(weights, np.shape(a))
    if np.any(weights < 0):
        raise ValueError("Weights must be non-negative.")
    rows, by = as_rows(a, places), as_rows(weights, places)
    order = np.argsort(rows, axis=1, kind="stable")
    rows = np.take_along_axis(rows, order, 1)
    parts = np.cumsum(np.take_along_axis(by, order, 1).astype(float), axis=1)
    parts = parts / parts[:, -1:]
    if np.any(np.isnan(parts)):
        raise ValueError("Weights included NaN, inf or were all zero.")
    parts = np.where(parts == 0.0, -1.0, parts)
    at = np.sum(parts[:, :, None] < np.ravel(q), axis=1)
    found = np.take_along_axis(rows, np.minimum(at, np.shape(rows)[1] - 1), 1)
    return found if np.issubdtype(rows.dtype, np.integer) else np.where(np.isnan(rows[:, -1:]), np.nan, found)


@beyond(np.percentile)
def percentile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False,
    weights: Any = None,
) -> Any:
    return quantile(a, np.true_divide(q, 100), axis, method=method, keepdims=keepdims, weights=weights)


@beyond(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """Along several axes, whose weights have an axis for each of them."""
    a, weights = np.asarray(a), np.asarray(weights)
    places = axes_of(axis, np.ndim(a))
    for i in tuple(range(len(places))):
        if np.shape(weights)[i] != np.shape(a)[places[i]]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    axes, along = tuple(range(np.ndim(a))), tuple(range(len(places)))
    weights = np.transpose(weights, tuple([k for i in axes for k in along if places[k] == i]))
    weights = np.reshape(weights, tuple([np.shape(a)[i] if i in places else 1 for i in axes]))
    scale = np.sum(weights, axis=places, keepdims=keepdims)
    if np.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = np.sum(a * weights, axis=places, keepdims=keepdims) / scale
    return (found, np.broadcast_to(scale, np.shape(found))) if returned else found


def complex_average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """With weights of the array's shape, or along one axis."""
    z = as_complex(np.asarray(a))
    if weights is None:
        found = np.mean(z, axis=axis, keepdims=keepdims)
        scale = z.size / np.size(found)
        return (found, np.full(np.shape(found), complex(scale))[()]) if returned else found
    w = as_complex(np.asarray(weights))
    if w.ndim != z.ndim:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if w.ndim != 1:
            refuse("np.average of complex numbers takes weights of their shape, or along one axis")
        w = np.reshape(w, tuple([-1 if i == axis % z.ndim else 1 for i in tuple(range(z.ndim))]))
        if w.size != z.shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        w = as_complex(w) + np.zeros(z.shape)
    elif w.shape != z.shape:
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    scale = np.sum(w, axis=axis, keepdims=keepdims)
    if np.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = np.sum(z * w, axis=axis, keepdims=keepdims) / scale
    return (found, scale) if returned else found


FUNCTIONS.update({np.cov: cov, np.average: complex_average})
