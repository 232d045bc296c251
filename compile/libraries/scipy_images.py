"""Images between their pixels and as a whole: places that move, and what is measured of all or of labelled ones.

>>> shift(np.array([0.0, 1.0, 0.0]), 0.5, order=1)
array([0. , 0.5, 0.5])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.linear_maps import linear_along

ndimage: Any = scipy.ndimage

spline_filter1d = linear_along(ndimage.spline_filter1d, -1)


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


@definition_of(ndimage.affine_transform)
def affine_transform(input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None,
                     order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True) -> Any:
    image, matrix = np.asarray(input) * 1.0, np.asarray(matrix) * 1.0
    return moved("affine_transform", image, np.diag(matrix) if np.ndim(matrix) == 1 else matrix, offset,
                 np.shape(image) if output_shape is None else output_shape, order, mode, cval, output)


def moved(name: Any, image: Any, matrix: Any, offset: Any, shape: Any, order: Any, mode: Any, cval: Any,
          output: Any) -> Any:
    rank = np.ndim(image)
    if np.shape(matrix) != (rank, rank):
        raise ValueError(f"scipy.ndimage.{name} has a derivative for a matrix of {rank} rows and columns")
    lines = np.meshgrid(*[np.arange(shape[i]) for i in tuple(range(rank))], indexing="ij")
    places = [offset if np.ndim(offset) == 0 else offset[i] for i in tuple(range(rank))]
    for i in tuple(range(rank)):
        for j in tuple(range(rank)):
            places[i] = places[i] + matrix[i, j] * lines[j]
    return between_pixels(name, image, places, order, mode, cval, output)


@definition_of(ndimage.rotate)
def rotate(input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3,
           mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True) -> Any:
    image = np.asarray(input) * 1.0
    if np.ndim(image) != 2 or reshape:
        refuse("scipy.ndimage.rotate has a derivative for two axes, and reshape=False", "write `reshape=False`")
    turn = angle * np.pi / 180.0
    matrix = np.stack([np.stack([np.cos(turn), np.sin(turn)]), np.stack([-np.sin(turn), np.cos(turn)])])
    centre = (np.array(np.shape(image)) - 1.0) / 2.0
    return moved("rotate", image, matrix, centre - np.dot(matrix, centre), np.shape(image), order, mode, cval, output)


# -- measures ----------------------------------------------------------------------------------------------------------


def there(input: Any, labels: Any, index: Any) -> Any:
    """Which pixels are measured."""
    if index is not None and np.ndim(index) != 0:
        refuse("a measure of scipy.ndimage has a derivative for one index", "measure each label by itself")
    if labels is None:
        return np.ones(np.shape(input), bool)
    return np.asarray(labels) > 0 if index is None else np.asarray(labels) == index


@definition_of(ndimage.sum, ndimage.sum_labels)
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.sum(np.asarray(input), where=there(input, labels, index))


@definition_of(ndimage.mean)
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.mean(np.asarray(input), where=there(input, labels, index))


@definition_of(ndimage.variance)
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.var(np.asarray(input), where=there(input, labels, index))


@definition_of(ndimage.standard_deviation)
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.std(np.asarray(input), where=there(input, labels, index))


@definition_of(ndimage.maximum)
def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.max(np.asarray(input), where=there(input, labels, index), initial=-np.inf)


@definition_of(ndimage.minimum)
def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.min(np.asarray(input), where=there(input, labels, index), initial=np.inf)


@definition_of(ndimage.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    image = np.where(there(input, labels, index), np.asarray(input), 0.0)
    lines = np.meshgrid(*[np.arange(n) for n in np.shape(image)], indexing="ij")
    return tuple([np.sum(image * lines[i]) / np.sum(image) for i in tuple(range(np.ndim(image)))])
