"""Images between their pixels: splines of an order from 0 to 5 through the pixels, at places that move.

    f(x) = sum_j c_j b(x - j)        where f(i) is pixel i        b: the spline of the order that is 0 but near 0

The coefficients c are linear in the image, and SciPy says what they are (`spline_filter1d`). Which of them count at a
place is constant, and how much they do is a polynomial of it.

>>> shift(np.array([0.0, 1.0, 0.0]), 0.5, order=1)
array([0. , 0.5, 0.5])

Reference: *Splines: a perfect fit for signal and image processing* (Unser, 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage
from scipy import special

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.linear_maps import along

ndimage: Any = scipy.ndimage
cosdg: Any = special.cosdg
sindg: Any = special.sindg
MODES = ("constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap")
PADDING = 12  # SciPy's, where a border has no coefficients of its own


# -- coefficients ------------------------------------------------------------------------------------------------------


@definition_of(ndimage.spline_filter1d)
def spline_filter1d(input: Any, order: Any = 3, axis: Any = -1, output: Any = np.float64, mode: Any = "mirror") -> Any:
    if output is not np.float64 and output is not None:
        refuse("scipy.ndimage.spline_filter1d has a derivative for output=np.float64", "leave `output` out")
    if order < 2:
        return np.asarray(input) * 1.0
    return along(ndimage.spline_filter1d, input, axis, order, mode=mode)


@definition_of(ndimage.spline_filter)
def spline_filter(input: Any, order: Any = 3, output: Any = np.float64, mode: Any = "mirror") -> Any:
    if order < 2 or order > 5:
        raise RuntimeError("spline order not supported")
    found = np.asarray(input)
    for axis in tuple(range(np.ndim(found))):
        found = spline_filter1d(found, order, axis, output, mode)
    return found


def coefficients(name: Any, input: Any, output: Any, order: Any, mode: Any, cval: Any, prefilter: Any) -> Any:
    """The coefficients of an image, and how wide a border they have."""
    image = np.asarray(input)
    if output is not None or not np.issubdtype(image.dtype, np.floating):
        refuse(f"scipy.ndimage.{name} has a derivative for arrays of floats, and output=None")
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    image = image.astype(np.float64)
    if order < 2 or not prefilter:
        return image, 0
    wide = PADDING
    if mode == "nearest":
        image = np.pad(image, PADDING, mode="edge")
    elif mode == "grid-constant":
        image = np.pad(image, PADDING, mode="constant", constant_values=cval)
    else:
        wide = 0
    return spline_filter(image, order, np.float64, mode), wide


# -- places ------------------------------------------------------------------------------------------------------------


def inside(x: Any, n: Any, mode: Any) -> Any:
    """Where on an axis of `n` pixels a place beyond its ends stands for."""
    if n == 1:
        return x * 0.0 if mode != "grid-constant" else x
    if mode == "nearest" or mode == "constant":
        return np.minimum(np.maximum(x, 0), n - 1)
    if mode == "mirror":
        turned = np.mod(x, 2 * n - 2)
        return np.where(turned > n - 1, 2 * n - 2 - turned, turned)
    if mode == "reflect" or mode == "grid-mirror":
        turned = np.mod(x + 0.5, 2 * n) - 0.5
        return np.where(turned > n - 0.5, 2 * n - 1 - turned, turned)
    if mode == "wrap":
        span = n - 1
        above = x - span * np.trunc(x / span)
        return np.where(x < 0, x + span * (np.trunc(-x / span) + 1), np.where(x > span, above, x))
    return np.mod(x, n) if mode == "grid-wrap" else x


def steps(share: Any, order: Any) -> Any:
    """How much each of the `order + 1` coefficients around a place counts, along a last axis."""
    weights = [share * 0.0 + 1.0]
    for degree in tuple(range(1, order + 1)):
        raised, kept = [], share * 0.0
        for r in tuple(range(degree)):
            part = weights[r] / degree
            raised.append(kept + (r + 1 - share) * part)
            kept = (share + (degree - 1 - r)) * part
        weights = [*raised, kept]
    return np.stack(weights, axis=-1)


def around(x: Any, n: Any, order: Any, mode: Any) -> Any:
    """Which coefficients count at places on an axis, how much, and which of them stand for `cval`."""
    at = x if mode == "nearest" else inside(x, n, mode)
    whole = np.floor(at + (0.0 if order % 2 else 0.5))
    share = at - whole if order % 2 else at + 0.5 - whole
    near = whole[..., None] + (np.arange(order + 1) - order // 2)
    beyond = (near < 0) | (near > n - 1)
    edge = "mirror" if mode in ("constant", "wrap") else "nearest" if mode == "grid-constant" else mode
    return np.rint(inside(near, n, edge)).astype(int), steps(share, order), beyond


def outside(x: Any, n: Any) -> Any:
    return (x < 0.0) | (x > n - 1)


def at_places(found: Any, coordinates: Any, order: Any, mode: Any, cval: Any) -> Any:
    """The spline at places, that have a coordinate for each of the first axes."""
    count, rank = len(coordinates), np.ndim(coordinates[0])
    rest, sizes = np.ndim(found) - count, np.shape(found)
    keys, weights, covered = [], [], False
    for i in tuple(range(count)):
        key, weight, beyond = around(coordinates[i], sizes[i], order, mode)
        spread = np.shape(key)[:-1] + (1,) * i + (order + 1,) + (1,) * (count - 1 - i)
        keys.append(np.reshape(key, spread))
        covered = covered | np.reshape(beyond, spread)
        weights.append(np.reshape(weight, np.shape(key)[:-1] + (1,) * i + (order + 1,) + (1,) * rest))
    found = found[tuple(keys)]
    if mode == "grid-constant":
        found = np.where(np.reshape(covered, np.shape(covered) + (1,) * rest), cval, found)
    for i in tuple(range(count))[::-1]:
        found = np.sum(found * weights[i], axis=rank + i)
    if mode == "constant":
        gone = False
        for i in tuple(range(count)):
            gone = gone | outside(coordinates[i], sizes[i])
        found = np.where(np.reshape(gone, np.shape(gone) + (1,) * rest), cval, found)
    return found


def on_lines(found: Any, lines: Any, order: Any, mode: Any, cval: Any) -> Any:
    """The spline at the places of a grid, along one axis after the other."""
    sizes = np.shape(found)
    for i in tuple(range(np.ndim(found))):
        key, weight, beyond = around(lines[i], sizes[i], order, mode)
        rows = np.moveaxis(found, i, 0)
        rest = (1,) * (np.ndim(rows) - 1)
        taken = rows[key]
        if mode == "grid-constant":
            taken = np.where(np.reshape(beyond, np.shape(key) + rest), cval, taken)
        found = np.moveaxis(np.sum(taken * np.reshape(weight, np.shape(key) + rest), axis=1), 0, i)
    if mode == "constant":
        for i in tuple(range(np.ndim(found))):
            gone = outside(lines[i], sizes[i])
            found = np.where(np.reshape(gone, np.shape(gone) + (1,) * (np.ndim(found) - 1 - i)), cval, found)
    return found


# -- functions ---------------------------------------------------------------------------------------------------------


def of_each(x: Any, rank: Any) -> Any:
    """A number for each axis."""
    return [x if np.ndim(x) == 0 else x[i] for i in tuple(range(rank))]


@definition_of(ndimage.map_coordinates)
def map_coordinates(input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
                    cval: Any = 0.0, prefilter: Any = True) -> Any:
    found, wide = coefficients("map_coordinates", input, output, order, mode, cval, prefilter)
    places = np.asarray(coordinates) * 1.0
    if len(places) != np.ndim(input):
        raise RuntimeError("invalid shape for coordinate array")
    places = [places[i] + wide for i in tuple(range(np.ndim(input)))]
    return at_places(found, places, order, mode, cval).astype(np.asarray(input).dtype)


@definition_of(ndimage.geometric_transform)
def geometric_transform(input: Any, mapping: Any, output_shape: Any = None, output: Any = None, order: Any = 3,
                        mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True, extra_arguments: Any = (),
                        extra_keywords: Any = None) -> Any:
    if extra_keywords is not None:
        refuse("scipy.ndimage.geometric_transform has a derivative for extra_keywords=None", "write a lambda around it")
    shape = np.shape(input) if output_shape is None else tuple(output_shape)
    rows = np.stack([np.stack(mapping(key, *extra_arguments)) for key in np.ndindex(shape)])
    places = np.reshape(np.transpose(rows * 1.0), (-1, *shape))
    return map_coordinates(input, places, output, order, mode, cval, prefilter)


@definition_of(ndimage.shift)
def shift(input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
          prefilter: Any = True) -> Any:
    found, wide = coefficients("shift", input, output, order, mode, cval, prefilter)
    by, sizes = of_each(shift, np.ndim(input)), np.shape(input)
    lines = [np.arange(sizes[i]) - by[i] + wide for i in tuple(range(np.ndim(input)))]
    return on_lines(found, lines, order, mode, cval).astype(np.asarray(input).dtype)


@definition_of(ndimage.zoom)
def zoom(input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
         prefilter: Any = True, *, grid_mode: Any = False) -> Any:
    found, wide = coefficients("zoom", input, output, order, mode, cval, prefilter)
    by, sizes, lines = of_each(zoom, np.ndim(input)), np.shape(input), []
    for i in tuple(range(np.ndim(input))):
        n, m = sizes[i], round(sizes[i] * by[i])
        if grid_mode:
            line = (np.arange(m) + 0.5) * (n / m if m > 0 else 1.0) - 0.5
        else:
            line = np.arange(m) * ((n - 1) / (m - 1) if m != 1 else 1.0)
        lines.append(line + wide)
    return on_lines(found, lines, order, mode, cval).astype(np.asarray(input).dtype)


@definition_of(ndimage.affine_transform)
def affine_transform(input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None,
                     order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True) -> Any:
    found, wide = coefficients("affine_transform", input, output, order, mode, cval, prefilter)
    matrix, rank = np.asarray(matrix) * 1.0, np.ndim(input)
    shape = np.shape(input) if output_shape is None else output_shape
    by = np.stack([x * 1.0 for x in of_each(offset, rank)])
    if np.ndim(matrix) == 2 and np.shape(matrix)[1] == rank + 1:
        by, matrix = matrix[:rank, rank], matrix[:rank, :rank]
    if np.shape(matrix)[0] != rank:
        raise RuntimeError("affine matrix has wrong number of rows")
    if np.ndim(matrix) == 1:
        lines = [np.arange(shape[i]) * matrix[i] + (by[i] + wide) for i in tuple(range(rank))]
        found = on_lines(found, lines, order, mode, cval)
    else:
        found = at_places(found, moved(matrix, by, shape, wide), order, mode, cval)
    return found.astype(np.asarray(input).dtype)


def moved(matrix: Any, offset: Any, shape: Any, wide: Any) -> Any:
    """The coordinates of the places that a matrix and an offset make of those of an image."""
    rank = len(shape)
    lines = [np.reshape(np.arange(shape[j]), (-1,) + (1,) * (rank - 1 - j)) for j in tuple(range(rank))]
    places = []
    for i in tuple(range(rank)):
        place = offset[i] + wide + np.zeros(tuple(shape))
        for j in tuple(range(rank)):
            place = place + matrix[i, j] * lines[j]
        places.append(place)
    return places


@definition_of(ndimage.rotate)
def rotate(input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3,
           mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True) -> Any:
    rank = np.ndim(input)
    if rank < 2:
        raise ValueError("input array should be at least 2D")
    plane = tuple(sorted([axis + rank if axis < 0 else axis for axis in axes]))
    image = np.moveaxis(np.asarray(input), plane, (0, 1))
    c, s = cosdg(angle), sindg(angle)
    matrix = np.stack([np.stack([c, s]), np.stack([-s, c])])
    sizes = np.array(np.shape(image)[:2])
    n, m = np.shape(image)[0], np.shape(image)[1]
    if reshape:
        corners = np.dot(matrix, np.array([[0, 0, n, n], [0, m, 0, m]]) * 1.0)
        sizes = (np.max(corners, axis=1) - np.min(corners, axis=1) + 0.5).astype(int)
        n, m = sizes[0], sizes[1]
    offset = (np.array(np.shape(image)[:2]) - 1) / 2 - np.dot(matrix, (sizes - 1) / 2)
    found = turned_plane(image, matrix, offset, (n, m), output, order, mode, cval, prefilter)
    return np.moveaxis(found, (0, 1), plane)


def turned_plane(image: Any, matrix: Any, offset: Any, shape: Any, output: Any, order: Any, mode: Any, cval: Any,
                 prefilter: Any) -> Any:
    """A stack of planes, whose first two axes are turned."""
    if np.ndim(image) == 2:
        return affine_transform(image, matrix, offset, shape, output, order, mode, cval, prefilter)
    flat = np.reshape(image, (np.shape(image)[0], np.shape(image)[1], -1))
    found = np.stack([affine_transform(flat[:, :, i], matrix, offset, shape, output, order, mode, cval, prefilter)
                      for i in range(np.shape(flat)[2])], axis=-1)
    return np.reshape(found, (shape[0], shape[1], *np.shape(image)[2:]))
