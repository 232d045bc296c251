"""Images as a whole: what is measured of all pixels or of labelled ones, and which of them have a label.

>>> sum_labels(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1]))
np.float64(6.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_windows import root

ndimage: Any = scipy.ndimage


def measured(of: Any, input: Any, labels: Any, index: Any) -> Any:
    """What `of` says of an image and of which of its pixels count: of each label in `index`, if these are several."""
    image = np.asarray(input)
    if labels is None:
        return of(image, np.ones(np.shape(image), bool))
    labels = np.asarray(labels)
    if index is None:
        return of(image, labels > 0)
    if np.ndim(index) == 0:
        return of(image, labels == index)
    return np.array([of(image, labels == i) for i in index])


@definition_of(ndimage.sum, ndimage.sum_labels)
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.sum(image, where=there), input, labels, index)


@definition_of(ndimage.mean)
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.mean(image, where=there), input, labels, index)


@definition_of(ndimage.variance)
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.var(image, where=there), input, labels, index)


@definition_of(ndimage.standard_deviation)
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.std(image, where=there), input, labels, index)


@definition_of(ndimage.maximum)
def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.max(image, where=there, initial=-np.inf), input, labels, index)


@definition_of(ndimage.minimum)
def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return measured(lambda image, there: np.min(image, where=there, initial=np.inf), input, labels, index)


def centre(image: Any, there: Any) -> Any:
    image = np.where(there, image, 0.0)
    lines = np.meshgrid(*[np.arange(n) for n in np.shape(image)], indexing="ij")
    return tuple([np.sum(image * lines[i]) / np.sum(image) for i in tuple(range(np.ndim(image)))])


@definition_of(ndimage.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    if index is not None and np.ndim(index) != 0:
        return [centre(np.asarray(input), np.asarray(labels) == i) for i in index]
    return measured(centre, input, labels, index)


# -- labels ------------------------------------------------------------------------------------------------------------


@definition_of(ndimage.label)
def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Labels are constant where they do not jump."""
    image = np.asarray(input)
    return (constant(labels_of, np.zeros(np.shape(image), np.int32), image, structure, output),
            constant(count_of, 0, image, structure, output))


def labels_of(input: Any, structure: Any, output: Any) -> Any:
    return ndimage.label(input, structure, output)[0]


def count_of(input: Any, structure: Any, output: Any) -> Any:
    return ndimage.label(input, structure, output)[1]


def nearest(input: Any, sampling: Any) -> Any:
    """The indices of the pixel of the background that is next to each."""
    return np.asarray(ndimage.distance_transform_edt(input, sampling, return_distances=False, return_indices=True), int)


@definition_of(ndimage.distance_transform_edt)
def distance_transform_edt(input: Any, sampling: Any = None, return_distances: Any = True, return_indices: Any = False,
                           distances: Any = None, indices: Any = None) -> Any:
    """Which pixel is next is a constant; how far it is moves with the distances along the axes."""
    if distances is not None or indices is not None:
        refuse("scipy.ndimage.distance_transform_edt has a derivative without arrays for its results",
               "leave `distances` and `indices` out")
    image = np.atleast_1d(np.asarray(input))
    near = constant(nearest, np.zeros((2,) * (np.ndim(image) + 1), int), image, sampling)
    if not return_distances:
        return near
    apart = (near - np.indices(np.shape(image))) * 1.0
    if sampling is not None:
        steps = np.zeros(np.ndim(image)) + np.asarray(sampling)
        apart = apart * np.reshape(steps, (-1,) + (1,) * np.ndim(image))
    far = root(np.sum(apart * apart, axis=0))
    return (far, near) if return_indices else far
