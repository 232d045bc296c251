"""Filters of images: an image with its border, times weights.

>>> correlate1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
array([-1., -3., -2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

ndimage: Any = scipy.ndimage


def bordered(rows: Any, before: Any, after: Any, mode: Any, cval: Any) -> Any:
    """With a border along the first axis."""
    n = len(rows)
    places = np.arange(-before, n + after)
    if mode == "reflect" or mode == "grid-mirror":
        at = np.mod(places, 2 * n)
        return rows[np.where(at < n, at, 2 * n - 1 - at)]
    if mode == "mirror":
        at = np.mod(places, max(2 * n - 2, 1))
        return rows[np.where(at < n, at, 2 * n - 2 - at)]
    if mode == "wrap" or mode == "grid-wrap":
        return rows[np.mod(places, n)]
    nearest = rows[np.minimum(np.maximum(places, 0), n - 1)]
    if mode == "nearest":
        return nearest
    if mode != "constant" and mode != "grid-constant":
        raise RuntimeError("boundary mode not supported")
    inside = np.reshape((places >= 0) & (places < n), (-1,) + (1,) * (np.ndim(rows) - 1))
    return np.where(inside, nearest, cval)


@definition_of(ndimage.correlate1d)
def correlate1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                origin: Any = 0) -> Any:
    if output is not None or not np.issubdtype(np.asarray(input).dtype, np.floating):
        refuse("a filter of scipy.ndimage has a derivative for output=None and floats, of which the result is one")
    weights = np.asarray(weights) * 1.0
    rows = np.moveaxis(np.asarray(input) * 1.0, axis, 0)
    n, before = len(rows), len(weights) // 2 + origin
    wide = bordered(rows, before, len(weights) - 1 - before, mode, cval)
    total = weights[0] * wide[0:n]
    for k in range(1, len(weights)):
        total = total + weights[k] * wide[k:k + n]
    return np.moveaxis(total, 0, axis)


@definition_of(ndimage.convolve1d)
def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
               origin: Any = 0) -> Any:
    weights = np.asarray(weights)[::-1]
    even = 1 - len(weights) % 2
    return correlate1d(input, weights, axis, output, mode, cval, -origin - even)


@definition_of(ndimage.gaussian_filter1d)
def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect",
                      cval: Any = 0.0, truncate: Any = 4.0) -> Any:
    if order != 0:
        refuse("scipy.ndimage.gaussian_filter has a derivative for order=0")
    radius = int(truncate * sigma + 0.5)
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(-radius, radius + 1) ** 2)
    return correlate1d(input, weights / np.sum(weights), axis, output, mode, cval, 0)


@definition_of(ndimage.gaussian_filter)
def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: Any = 4.0) -> Any:
    found = np.asarray(input)
    for axis in tuple(range(np.ndim(found))):
        width = sigma if np.ndim(sigma) == 0 else sigma[axis]
        found = gaussian_filter1d(found, width, axis, order, output, mode, cval, truncate)
    return found


@definition_of(ndimage.uniform_filter1d)
def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    return correlate1d(input, np.ones(size) / size, axis, output, mode, cval, origin)


@definition_of(ndimage.uniform_filter)
def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0) -> Any:
    found = np.asarray(input)
    for axis in tuple(range(np.ndim(found))):
        found = uniform_filter1d(found, size, axis, output, mode, cval, origin)
    return found


@definition_of(ndimage.correlate)
def correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    if output is not None or np.ndim(input) > 2 or not np.issubdtype(np.asarray(input).dtype, np.floating):
        refuse("scipy.ndimage.correlate has a derivative for vectors and matrices of floats, and output=None")
    if np.ndim(input) == 1:
        return correlate1d(input, weights, 0, None, mode, cval, 0)
    weights, image = np.asarray(weights) * 1.0, np.asarray(input) * 1.0
    (m, n), (p, q) = np.shape(image), np.shape(weights)
    wide = bordered(image, p // 2, p - 1 - p // 2, mode, cval)
    wide = np.transpose(bordered(np.transpose(wide), q // 2, q - 1 - q // 2, mode, cval))
    total = np.zeros((m, n))
    for i in range(p):
        for j in range(q):
            total = total + weights[i, j] * wide[i:i + m, j:j + n]
    return total


@definition_of(ndimage.convolve)
def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    if np.ndim(input) == 1:
        return convolve1d(input, weights, 0, output, mode, cval, 0)
    weights = np.asarray(weights)
    if np.shape(weights)[0] % 2 == 0 or np.shape(weights)[1] % 2 == 0:
        raise ValueError("scipy.ndimage.convolve has a derivative for weights of odd sizes")
    return correlate(input, weights[::-1, ::-1], output, mode, cval)
