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
def correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
              origin: Any = 0) -> Any:
    if output is not None or not np.issubdtype(np.asarray(input).dtype, np.floating):
        refuse("scipy.ndimage.correlate has a derivative for arrays of floats, and output=None")
    if np.ndim(input) == 1:
        return correlate1d(input, weights, 0, None, mode, cval, origin)
    weights, image = np.asarray(weights) * 1.0, np.asarray(input) * 1.0
    if np.ndim(weights) != np.ndim(image):
        raise RuntimeError("filter weights array has incorrect shape.")
    wide = image
    for axis in tuple(range(np.ndim(image))):
        n, by = np.shape(weights)[axis], origin if np.ndim(origin) == 0 else origin[axis]
        before = n // 2 + by
        rows = bordered(np.moveaxis(wide, axis, 0), before, n - 1 - before, mode, cval)
        wide = np.moveaxis(rows, 0, axis)
    return inner_products(wide, weights, np.shape(image))


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


# -- interpolation -----------------------------------------------------------------------------------------------------


def between_pixels(name: Any, image: Any, coordinates: Any, order: Any, mode: Any, cval: Any, output: Any) -> Any:
    """A multilinear function of places, given by its values at whole ones."""
    if order != 1 or output is not None or mode not in ("constant", "nearest", "mirror"):
        refuse(f"scipy.ndimage.{name} has a derivative for order=1, output=None and the modes 'constant', 'nearest' "
               "and 'mirror'", "write `order=1`, and one of these modes")
    corners, outside = [((), 1.0)], np.zeros(np.shape(coordinates[0]), bool)
    for axis in tuple(range(np.ndim(image))):
        x, last = coordinates[axis], np.shape(image)[axis] - 1
        outside = outside | (x < 0.0) | (x > last)
        if mode == "mirror":
            turned = np.mod(x, max(2 * last, 1))
            x = np.where(turned > last, 2 * last - turned, turned)
        else:
            x = np.minimum(np.maximum(x, 0.0), last)
        i = np.minimum(np.floor(x), max(last - 1, 0)).astype(int)
        part = x - i
        corners = [((*key, np.minimum(i + step, last)), weight * share) for key, weight in corners
                   for step, share in ((0, 1.0 - part), (1, part))]
    total = 0.0
    for key, weight in corners:
        total = total + image[key] * weight
    return np.where(outside, cval, total) if mode == "constant" else total


@definition_of(ndimage.map_coordinates)
def map_coordinates(input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
                    cval: Any = 0.0, prefilter: Any = True) -> Any:
    return between_pixels("map_coordinates", np.asarray(input) * 1.0, np.asarray(coordinates) * 1.0, order, mode, cval,
                          output)


@definition_of(ndimage.shift)
def shift(input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
          prefilter: Any = True) -> Any:
    image, rank = np.asarray(input) * 1.0, np.ndim(input)
    by = [shift if np.ndim(shift) == 0 else shift[i] for i in tuple(range(rank))]
    lines = np.meshgrid(*[np.arange(np.shape(image)[i]) - by[i] for i in tuple(range(rank))], indexing="ij")
    return between_pixels("shift", image, lines, order, mode, cval, output)


@definition_of(ndimage.zoom)
def zoom(input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
         prefilter: Any = True, *, grid_mode: Any = False) -> Any:
    if grid_mode:
        refuse("scipy.ndimage.zoom has a derivative for grid_mode=False")
    image, lines = np.asarray(input) * 1.0, []
    for i in tuple(range(np.ndim(image))):
        n = np.shape(image)[i]
        m = round(n * (zoom if np.ndim(zoom) == 0 else zoom[i]))
        lines.append(np.arange(m) * ((n - 1) / max(m - 1, 1)))
    return between_pixels("zoom", image, np.meshgrid(*lines, indexing="ij"), order, "nearest", cval, output)
