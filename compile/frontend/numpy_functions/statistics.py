"""Covariances, and statistics of what is a number.

>>> cov([1.0, 2.0, 4.0]), nanstd([1.0, np.nan, 3.0])
(array(2.33333333), np.float64(1.0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse


@definition_of(np.cov)
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:
    if dtype is not None:
        refuse("np.cov has a derivative without a dtype")
    m = np.asarray(m)
    if np.ndim(m) > 2:
        raise ValueError("m has more than 2 dimensions")
    x = np.atleast_2d(m).T if not rowvar and np.ndim(m) != 1 else np.atleast_2d(m)
    if y is not None:
        y = np.asarray(y)
        if np.ndim(y) > 2:
            raise ValueError("y has more than 2 dimensions")
        if not rowvar and np.ndim(y) > 1:
            refuse("np.cov has a derivative for two matrices whose variables are rows")
        x = np.concatenate([x, np.atleast_2d(y)], axis=0)
    less = ddof if ddof is not None else 0 if bias else 1
    weights = aweights if fweights is None else fweights if aweights is None else fweights * aweights
    if weights is None:
        x = x - np.mean(x, axis=1)[:, None]
        c = np.dot(x, x.T) * np.true_divide(1, max(np.shape(x)[1] - less, 0))
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
    return np.squeeze(np.dot(x, (x * weights).T) * np.true_divide(1, np.maximum(fact, 0.0)))


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
def nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    a = np.asarray(a)
    there = np.where(np.isnan(a), 0.0, 1.0)
    count = np.sum(there, axis=axis, keepdims=True)
    values = np.where(np.isnan(a), 0.0, a)
    distance = np.where(np.isnan(a), 0.0, values - np.sum(values, axis=axis, keepdims=True) / count)
    found = np.sum(distance * distance, axis=axis, keepdims=keepdims)
    free = (count if keepdims else np.sum(there, axis=axis)) - ddof
    return found / np.where(free <= 0, np.nan, free)


@definition_of(np.nanstd)
def nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    return np.sqrt(np.nanvar(a, axis, ddof=ddof, keepdims=keepdims))


@definition_of(np.nanprod)
def nanprod(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.prod(np.where(np.isnan(a), 1.0, a), axis=axis, keepdims=keepdims)


@definition_of(np.nancumsum)
def nancumsum(a: Any, axis: Any = None) -> Any:
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


@definition_of(np.nancumprod)
def nancumprod(a: Any, axis: Any = None) -> Any:
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


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
def nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.nanquantile(a, 0.5, axis, keepdims=keepdims)


@definition_of(np.nanpercentile)
def nanpercentile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    if isinstance(q, tuple | list) and axis is not None:
        refuse("np.nanpercentile has a derivative for one level along an axis")
    return of_numbers(lambda row: np.percentile(row, q, method=method), np.asarray(a), axis, keepdims)


@definition_of(np.nanquantile)
def nanquantile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    if isinstance(q, tuple | list) and axis is not None:
        refuse("np.nanquantile has a derivative for one level along an axis")
    return of_numbers(lambda row: np.quantile(row, q, method=method), np.asarray(a), axis, keepdims)


def of_numbers(statistic: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A statistic of the entries that are numbers."""
    if axis is None:
        flat = np.ravel(a)
        found = statistic(flat[np.logical_not(np.isnan(flat))])
        return np.reshape(found, (1,) * np.ndim(a)) if keepdims else found
    moved = np.moveaxis(a, axis, -1)
    rows = np.reshape(moved, (-1, np.shape(moved)[-1]))
    found = np.array([statistic(row[np.logical_not(np.isnan(row))]) for row in rows])
    found = np.reshape(found, np.shape(moved)[:-1])
    return np.expand_dims(found, axis) if keepdims else found


@definition_of(np.cumulative_sum)
def cumulative_sum(x: Any, /, *, axis: Any = None, include_initial: Any = False) -> Any:
    x = np.asarray(x)
    if np.ndim(x) == 0:
        raise ValueError("0-D arrays are not supported")
    if axis is None and np.ndim(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    along = 0 if axis is None else axis
    found = np.cumsum(x, axis=along)
    if not include_initial:
        return found
    first = np.zeros_like(np.moveaxis(np.moveaxis(found, along, 0)[:1], 0, along))
    return np.concatenate([first, found], axis=along)


@definition_of(np.cumulative_prod)
def cumulative_prod(x: Any, /, *, axis: Any = None, include_initial: Any = False) -> Any:
    x = np.asarray(x)
    if np.ndim(x) == 0:
        raise ValueError("0-D arrays are not supported")
    if axis is None and np.ndim(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    along = 0 if axis is None else axis
    found = np.cumprod(x, axis=along)
    if not include_initial:
        return found
    first = np.ones_like(np.moveaxis(np.moveaxis(found, along, 0)[:1], 0, along))
    return np.concatenate([first, found], axis=along)
