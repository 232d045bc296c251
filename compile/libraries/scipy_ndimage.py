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
from ccc.compile.libraries.scipy_image_borders import axes_of, bordered, for_all, part, thick, widened
from ccc.compile.libraries.scipy_windows import root

ndimage: Any = scipy.ndimage


@definition_of(ndimage.correlate1d)
def correlate1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                origin: Any = 0) -> Any:
    plain(input, output)
    dtype, weights = np.asarray(input).dtype, np.conj(np.asarray(weights)) * 1.0
    rows = np.moveaxis(np.asarray(input) * 1.0, axis, 0)
    n, before = len(rows), len(weights) // 2 + origin
    wide = bordered(rows, before, len(weights) - 1 - before, mode, cval)
    total = weights[0] * wide[0:n]
    for k in range(1, len(weights)):
        total = total + weights[k] * wide[k:k + n]
    return as_given(np.moveaxis(total, 0, axis), dtype)


def plain(input: Any, output: Any) -> None:
    if output is not None or not np.issubdtype(np.asarray(input).dtype, np.inexact):
        refuse("a filter of scipy.ndimage has a derivative for output=None and floats, of which the result is one")


def as_given(found: Any, dtype: Any) -> Any:
    """As the floats that an image was given in; complex where weights are."""
    if np.iscomplexobj(found):
        return found.astype(np.result_type(dtype, np.complex64))
    return found.astype(dtype)


@definition_of(ndimage.convolve1d)
def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
               origin: Any = 0) -> Any:
    weights = np.conj(np.asarray(weights))[::-1]
    even = 1 - len(weights) % 2
    return correlate1d(input, weights, axis, output, mode, cval, -origin - even)


@definition_of(ndimage.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    found, axes = 0.0, axes_of(axes, np.ndim(input))
    for i in tuple(range(len(axes))):
        found = found + correlate1d(input, [1.0, -2.0, 1.0], axes[i], output, part(mode, i), cval)
    return found


def edges(input: Any, axis: Any, output: Any, mode: Any, cval: Any, across: Any) -> Any:
    """Differences along an axis, smoothed along the others."""
    rank = np.ndim(input)
    found = correlate1d(input, [-1.0, 0.0, 1.0], axis, output, part(mode, axis % rank), cval)
    for other in tuple(range(rank)):
        if other != axis % rank:
            found = correlate1d(found, across, other, None, part(mode, other), cval)
    return found


@definition_of(ndimage.sobel)
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges(input, axis, output, mode, cval, [1.0, 2.0, 1.0])


@definition_of(ndimage.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges(input, axis, output, mode, cval, [1.0, 1.0, 1.0])


@definition_of(ndimage.gaussian_filter1d)
def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect",
                      cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None) -> Any:
    if order not in (0, 1, 2, 3):
        refuse("scipy.ndimage.gaussian_filter has a derivative for the orders 0 to 3")
    wide = int(truncate * sigma + 0.5) if radius is None else radius
    x = np.arange(-wide, wide + 1) / sigma
    weights = np.exp(-0.5 * x**2)
    weights = weights / np.sum(weights)
    if order > 0:
        weights = weights * (x if order == 1 else x**2 - 1.0 if order == 2 else x**3 - 3.0 * x) / sigma**order
    return correlate1d(input, weights, axis, output, mode, cval, 0)


@definition_of(ndimage.gaussian_filter)
def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None) -> Any:
    plain(input, output)
    found = np.asarray(input)
    axes = axes_of(axes, np.ndim(found))
    for i in tuple(range(len(axes))):
        width = part(sigma, i)
        if width > 1e-15:
            found = gaussian_filter1d(found, width, axes[i], part(order, i), None, part(mode, i), cval, truncate,
                                      radius=None if radius is None else part(radius, i))
    return found + 0.0


def of_order(input: Any, sigma: Any, at: Any, order: Any, mode: Any, cval: Any, axes: Any, options: Any) -> Any:
    """A derivative along one axis of the image that is smoothed along all that are asked for."""
    rank = np.ndim(input)
    orders = [order if axis == at else 0 for axis in tuple(range(rank))]
    return gaussian_filter(input, for_all(sigma, axes, rank, 0.0), orders, None, mode, cval, **options)


@definition_of(ndimage.gaussian_laplace)
def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
                     axes: Any = None, **options: Any) -> Any:
    plain(input, output)
    found, axes = 0.0, axes_of(axes, np.ndim(input))
    for i in tuple(range(len(axes))):
        found = found + of_order(input, sigma, axes[i], 2, part(mode, i), cval, axes, options)
    return found


@definition_of(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
                                axes: Any = None, **options: Any) -> Any:
    plain(input, output)
    square, axes = 0.0, axes_of(axes, np.ndim(input))
    for i in tuple(range(len(axes))):
        square = square + of_order(input, sigma, axes[i], 1, part(mode, i), cval, axes, options) ** 2
    return root(square)


@definition_of(ndimage.uniform_filter1d)
def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    return correlate1d(input, np.ones(size) / size, axis, output, mode, cval, origin)


@definition_of(ndimage.uniform_filter)
def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> Any:
    plain(input, output)
    found = np.asarray(input)
    axes = axes_of(axes, np.ndim(found))
    for i in tuple(range(len(axes))):
        found = uniform_filter1d(found, part(size, i), axes[i], None, part(mode, i), cval, part(origin, i))
    return found


@definition_of(ndimage.correlate)
def correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
              axes: Any = None) -> Any:
    plain(input, output)
    image, rank = np.asarray(input), np.ndim(input)
    axes = axes_of(axes, rank)
    weights = thick(np.conj(np.asarray(weights)) * 1.0, axes, rank)
    wide = widened(image * 1.0, np.shape(weights), mode, cval, for_all(origin, axes, rank, 0))
    return as_given(inner_products(wide, weights, np.shape(image)), image.dtype)


def inner_products(wide: Any, weights: Any, sizes: Any) -> Any:
    """The sums of weights times what stands at places that are so far apart, along as many axes as there are sizes."""
    others = np.broadcast_shapes(np.shape(weights)[len(sizes):], np.shape(wide)[len(sizes):])
    total = np.zeros((*sizes, *others), np.result_type(weights, wide))
    for key in np.ndindex(np.shape(weights)[:len(sizes)]):
        total = total + weights[key] * wide[tuple([slice(k, k + n) for k, n in zip(key, sizes, strict=True)])]
    return total


@definition_of(ndimage.convolve)
def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
             axes: Any = None) -> Any:
    places = tuple([-part(origin, i) - (1 - np.shape(weights)[i] % 2) for i in tuple(range(np.ndim(weights)))])
    return correlate(input, np.flip(np.conj(np.asarray(weights))), output, mode, cval, places, axes=axes)
