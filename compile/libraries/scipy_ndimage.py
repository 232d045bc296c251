"""Filters of images: an image with its border, times weights.

>>> correlate1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
array([-1., -3., -2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries import (
    scipy_image_splines as scipy_image_splines,
    scipy_images as scipy_images,
    scipy_windows as scipy_windows,
)
from ccc.compile.libraries.scipy_image_borders import bordered, widened

ndimage: Any = scipy.ndimage


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


@definition_of(ndimage.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    found = 0.0
    for axis in tuple(range(np.ndim(input))):
        found = found + correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval)
    return found


def edges(input: Any, axis: Any, output: Any, mode: Any, cval: Any, across: Any) -> Any:
    """Differences along an axis, smoothed along the others."""
    found = correlate1d(input, [-1.0, 0.0, 1.0], axis, output, mode, cval)
    rank = np.ndim(input)
    for other in tuple(range(rank)):
        if other != axis % rank:
            found = correlate1d(found, across, other, None, mode, cval)
    return found


@definition_of(ndimage.sobel)
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges(input, axis, output, mode, cval, [1.0, 2.0, 1.0])


@definition_of(ndimage.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges(input, axis, output, mode, cval, [1.0, 1.0, 1.0])


@definition_of(ndimage.gaussian_filter1d)
def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect",
                      cval: Any = 0.0, truncate: Any = 4.0) -> Any:
    if order not in (0, 1, 2, 3):
        refuse("scipy.ndimage.gaussian_filter has a derivative for the orders 0 to 3")
    x = np.arange(-int(truncate * sigma + 0.5), int(truncate * sigma + 0.5) + 1) / sigma
    weights = np.exp(-0.5 * x**2)
    weights = weights / np.sum(weights)
    if order > 0:
        weights = weights * (x if order == 1 else x**2 - 1.0 if order == 2 else x**3 - 3.0 * x) / sigma**order
    return correlate1d(input, weights, axis, output, mode, cval, 0)


@definition_of(ndimage.gaussian_filter)
def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: Any = 4.0) -> Any:
    found = np.asarray(input)
    for axis in tuple(range(np.ndim(found))):
        width = sigma if np.ndim(sigma) == 0 else sigma[axis]
        found = gaussian_filter1d(found, width, axis, order if np.ndim(order) == 0 else order[axis], output, mode, cval,
                                  truncate)
    return found


def of_order(input: Any, sigma: Any, at: Any, order: Any, output: Any, mode: Any, cval: Any, truncate: Any) -> Any:
    """A derivative along one axis of the image that is smoothed along all."""
    orders = [order if axis == at else 0 for axis in tuple(range(np.ndim(input)))]
    return gaussian_filter(input, sigma, orders, output, mode, cval, truncate)


@definition_of(ndimage.gaussian_laplace)
def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     truncate: Any = 4.0) -> Any:
    found = 0.0
    for axis in tuple(range(np.ndim(input))):
        found = found + of_order(input, sigma, axis, 2, output, mode, cval, truncate)
    return found


@definition_of(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                                truncate: Any = 4.0) -> Any:
    square = 0.0
    for axis in tuple(range(np.ndim(input))):
        square = square + of_order(input, sigma, axis, 1, output, mode, cval, truncate) ** 2
    flat = square == 0.0
    return np.where(flat, 0.0, np.sqrt(np.where(flat, 1.0, square)))


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
def correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
              origin: Any = 0) -> Any:
    if output is not None or not np.issubdtype(np.asarray(input).dtype, np.floating):
        refuse("scipy.ndimage.correlate has a derivative for arrays of floats, and output=None")
    if np.ndim(input) == 1:
        return correlate1d(input, weights, 0, None, mode, cval, origin)
    weights, image = np.asarray(weights) * 1.0, np.asarray(input) * 1.0
    if np.ndim(weights) != np.ndim(image):
        raise RuntimeError("filter weights array has incorrect shape.")
    return inner_products(widened(image, np.shape(weights), mode, cval, origin), weights, np.shape(image))


def inner_products(wide: Any, weights: Any, sizes: Any) -> Any:
    """The sums of weights times what stands at places that are so far apart."""
    total = np.zeros(sizes)
    for key in np.ndindex(np.shape(weights)):
        total = total + weights[key] * wide[tuple([slice(k, k + n) for k, n in zip(key, sizes, strict=True)])]
    return total


@definition_of(ndimage.convolve)
def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
             origin: Any = 0) -> Any:
    weights = np.asarray(weights) * 1.0
    if np.ndim(input) == 1:
        return convolve1d(input, weights, 0, output, mode, cval, origin)
    axes = tuple(range(np.ndim(weights)))
    places = tuple([-(origin if np.ndim(origin) == 0 else origin[i]) - (1 - np.shape(weights)[i] % 2) for i in axes])
    return correlate(input, np.flip(weights), output, mode, cval, places)
