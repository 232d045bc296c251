"""Images as a whole: what is measured of all pixels or of labelled ones, and which of them have a label.

>>> sum_labels(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 1]))
np.float64(6.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage

from ccc.compile.frontend.numpy_functions.table import constant, definition_of

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
