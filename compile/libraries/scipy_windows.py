"""Filters of images by what stands in a window around each pixel: extrema, ranks, or what a function says of it.

>>> maximum_filter(np.array([1.0, 4.0, 2.0, 0.0]), footprint=np.array([True, False, True]))
array([4., 2., 4., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage
import scipy.special

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.scipy_image_borders import axes_of, for_all, part, thick, widened

ndimage: Any = scipy.ndimage
special: Any = scipy.special


def windows(name: Any, input: Any, size: Any, footprint: Any, output: Any, mode: Any, cval: Any, origin: Any,
            axes: Any = None) -> Any:
    """What stands in the window around each place, along a last axis."""
    if output is not None or not np.issubdtype(np.asarray(input).dtype, np.floating):
        refuse(f"scipy.ndimage.{name} has a derivative for arrays of floats, and output=None")
    image = np.asarray(input)
    rank = np.ndim(image)
    axes = axes_of(axes, rank)
    footprint = None if footprint is None else thick(footprint, axes, rank)
    sizes = for_all(size, axes, rank, 1) if footprint is None else np.shape(footprint)
    modes, places = for_all(mode, axes, rank, "nearest"), for_all(origin, axes, rank, 0)
    wide, shape = widened(image, sizes, modes, cval, places), np.shape(image)
    found = np.stack([wide[tuple([slice(k, k + n) for k, n in zip(key, shape, strict=True)])]
                      for key in np.ndindex(sizes)], axis=-1)
    return found if footprint is None else found[..., np.ravel(np.asarray(footprint).astype(bool))]


# -- extrema -----------------------------------------------------------------------------------------------------------


@definition_of(ndimage.maximum_filter)
def maximum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
                   cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    return np.max(windows("maximum_filter", input, size, footprint, output, mode, cval, origin, axes), axis=-1)


@definition_of(ndimage.minimum_filter)
def minimum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
                   cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    return np.min(windows("minimum_filter", input, size, footprint, output, mode, cval, origin, axes), axis=-1)


def heights(structure: Any, footprint: Any) -> Any:
    """The heights of a structure, in the order of a window."""
    flat = np.ravel(np.asarray(structure) * 1.0)
    return flat if footprint is None else flat[np.ravel(np.asarray(footprint).astype(bool))]


def given_window(size: Any, footprint: Any, structure: Any) -> None:
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


@definition_of(ndimage.grey_erosion)
def grey_erosion(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
                 mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    given_window(size, footprint, structure)
    if structure is None:
        return minimum_filter(input, size, footprint, output, mode, cval, origin, axes=axes)
    there = np.ones(np.shape(structure), bool) if footprint is None else footprint
    found = windows("grey_erosion", input, None, there, output, mode, cval, origin, axes)
    return np.min(found - heights(structure, footprint), axis=-1)


@definition_of(ndimage.grey_dilation)
def grey_dilation(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
                  mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    given_window(size, footprint, structure)
    footprint = None if footprint is None else np.flip(np.asarray(footprint))
    structure = None if structure is None else np.flip(np.asarray(structure))
    sizes = size if footprint is None and structure is None else np.shape(structure if footprint is None else footprint)
    count = len(axes_of(axes, np.ndim(input)))
    places = tuple([-part(origin, i) - (1 - part(sizes, i) % 2) for i in tuple(range(count))])
    if structure is None:
        return maximum_filter(input, size, footprint, output, mode, cval, places, axes=axes)
    there = np.ones(np.shape(structure), bool) if footprint is None else footprint
    found = windows("grey_dilation", input, None, there, output, mode, cval, places, axes)
    return np.max(found + heights(structure, footprint), axis=-1)


def along_one(value: Any, axis: Any, rank: Any, others: Any) -> Any:
    """A value at an axis, and another at the rest."""
    return tuple([value if i == axis % rank else others for i in tuple(range(rank))])


@definition_of(ndimage.maximum_filter1d)
def maximum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    rank = np.ndim(input)
    places = along_one(origin, axis, rank, 0)
    return maximum_filter(input, along_one(size, axis, rank, 1), None, output, mode, cval, places)


@definition_of(ndimage.minimum_filter1d)
def minimum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    rank = np.ndim(input)
    places = along_one(origin, axis, rank, 0)
    return minimum_filter(input, along_one(size, axis, rank, 1), None, output, mode, cval, places)


# -- ranks -------------------------------------------------------------------------------------------------------------


@definition_of(ndimage.rank_filter)
def rank_filter(input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None,
                mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    return np.sort(windows("rank_filter", input, size, footprint, output, mode, cval, origin, axes), axis=-1)[..., rank]


@definition_of(ndimage.median_filter)
def median_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
                  cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    found = np.sort(windows("median_filter", input, size, footprint, output, mode, cval, origin, axes), axis=-1)
    return found[..., np.shape(found)[-1] // 2]


@definition_of(ndimage.percentile_filter)
def percentile_filter(input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None,
                      mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    found = np.sort(windows("percentile_filter", input, size, footprint, output, mode, cval, origin, axes), axis=-1)
    n, share = np.shape(found)[-1], percentile + 100.0 if percentile < 0.0 else percentile * 1.0
    return found[..., n - 1 if share == 100.0 else int(n * share / 100.0)]


# -- functions that are given functions --------------------------------------------------------------------------------


@definition_of(ndimage.generic_filter)
def generic_filter(input: Any, function: Any, size: Any = None, footprint: Any = None, output: Any = None,
                   mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (),
                   extra_keywords: Any = None, *, axes: Any = None) -> Any:
    if extra_keywords is not None:
        refuse("scipy.ndimage.generic_filter has a derivative for extra_keywords=None", "write a lambda around it")
    found = windows("generic_filter", input, size, footprint, output, mode, cval, origin, axes)
    rows = np.reshape(found, (-1, np.shape(found)[-1])).astype(np.float64)
    values = np.stack([np.asarray(function(row, *extra_arguments) * 1.0) for row in rows])
    return np.reshape(values, np.shape(input)).astype(np.asarray(input).dtype)


@definition_of(ndimage.generic_filter1d)
def generic_filter1d(input: Any, function: Any, filter_size: Any, axis: Any = -1, output: Any = None,
                     mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (),
                     extra_keywords: Any = None) -> Any:
    only_plain("generic_filter1d", output, extra_keywords)
    lines = np.moveaxis(np.asarray(input), axis, 0)
    wide = np.moveaxis(widened(lines, along_one(filter_size, 0, np.ndim(lines), 1), mode, cval,
                               along_one(origin, 0, np.ndim(lines), 0)), 0, -1)
    found = []
    for row in np.reshape(wide, (-1, np.shape(wide)[-1])).astype(np.float64):
        line = np.zeros(len(lines))
        function(np.copy(row), line, *extra_arguments)
        found.append(line)
    across = np.reshape(np.stack(found), (*np.shape(lines)[1:], len(lines)))
    return np.moveaxis(across, -1, axis).astype(np.asarray(input).dtype)


if hasattr(ndimage, "vectorized_filter"):

    @definition_of(ndimage.vectorized_filter)
    def vectorized_filter(input: Any, function: Any, *, size: Any = None, footprint: Any = None, output: Any = None,
                          mode: Any = "reflect", cval: Any = None, origin: Any = 0,
                          axes: Any = None) -> Any:
        beyond = 0.0 if cval is None else cval
        found = windows("vectorized_filter", np.asarray(input) * 1.0, size, footprint, output, mode, beyond, origin,
                        axes)
        return np.asarray(function(found, axis=-1))


@definition_of(ndimage.generic_laplace)
def generic_laplace(input: Any, derivative2: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None) -> Any:
    only_plain("generic_laplace", output, extra_keywords)
    found, axes = 0.0, axes_of(axes, np.ndim(input))
    for i in tuple(range(len(axes))):
        found = found + derivative2(input, axes[i], None, part(mode, i), cval, *extra_arguments)
    return found


@definition_of(ndimage.generic_gradient_magnitude)
def generic_gradient_magnitude(input: Any, derivative: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                               extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None) -> Any:
    only_plain("generic_gradient_magnitude", output, extra_keywords)
    square, axes = 0.0, axes_of(axes, np.ndim(input))
    for i in tuple(range(len(axes))):
        square = square + derivative(input, axes[i], None, part(mode, i), cval, *extra_arguments) ** 2
    return root(square)


def root(square: Any) -> Any:
    """With the slope zero where it is zero."""
    flat = square == 0.0
    return np.where(flat, 0.0, np.sqrt(np.where(flat, 1.0, square)))


def only_plain(name: Any, output: Any, extra_keywords: Any) -> None:
    if output is not None or extra_keywords is not None:
        refuse(f"scipy.ndimage.{name} has a derivative for output=None and extra_keywords=None")


# -- filters of spectra ------------------------------------------------------------------------------------------------


def turns(input: Any, at: Any, n: Any, axis: Any) -> Any:
    """The frequencies along an axis of a spectrum, in turns for each pixel, along that axis."""
    rank, wide = np.ndim(input), np.shape(input)[at]
    half = n >= 0 and at == axis % rank
    found = np.arange(wide) / n if half else np.fft.fftfreq(wide)
    return np.reshape(found, (-1,) + (1,) * (rank - 1 - at))


@definition_of(ndimage.fourier_gaussian)
def fourier_gaussian(input: Any, sigma: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    only_plain("fourier_gaussian", output, None)
    found = np.asarray(input)
    for at in tuple(range(np.ndim(found))):
        width = sigma if np.ndim(sigma) == 0 else sigma[at]
        found = found * np.exp(-2.0 * (np.pi * width * turns(input, at, n, axis)) ** 2)
    return found


@definition_of(ndimage.fourier_uniform)
def fourier_uniform(input: Any, size: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    only_plain("fourier_uniform", output, None)
    found = np.asarray(input)
    for at in tuple(range(np.ndim(found))):
        width = size if np.ndim(size) == 0 else size[at]
        found = found * np.sinc(width * turns(input, at, n, axis))
    return found


@definition_of(ndimage.fourier_ellipsoid)
def fourier_ellipsoid(input: Any, size: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    only_plain("fourier_ellipsoid", output, None)
    found = np.asarray(input)
    rank = np.ndim(found)
    if rank > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    square = 0.0
    for at in tuple(range(rank)):
        square = square + (np.pi * (size if np.ndim(size) == 0 else size[at]) * turns(input, at, n, axis)) ** 2
    far = np.asarray(square) > 0.0
    r = np.sqrt(np.where(far, square, 1.0))
    shape = np.sin(r) / r if rank == 1 else 2.0 * special.j1(r) / r if rank == 2 else (
        3.0 * (np.sin(r) - r * np.cos(r)) / r**3)
    return found * np.where(far, shape, 1.0)


@definition_of(ndimage.fourier_shift)
def fourier_shift(input: Any, shift: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    only_plain("fourier_shift", output, None)
    found = np.asarray(input) * 1.0
    for at in tuple(range(np.ndim(found))):
        by = shift if np.ndim(shift) == 0 else shift[at]
        found = found * np.exp(-2j * np.pi * (by * turns(input, at, n, axis)))
    return found
