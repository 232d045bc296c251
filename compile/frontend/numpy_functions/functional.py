"""Functions of NumPy's that take functions, and methods of its elementwise functions.

>>> vectorized(lambda a, b: a * b, [1.0, 2.0], 3.0), outer(np.subtract, [1.0, 2.0], [1.0])
(array([3., 6.]), array([[0.],
       [1.]]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse


def vectorized(function: Any, *args: Any) -> Any:
    """What `np.vectorize(function)` gives: the results item by item, of which NumPy computes the first twice."""
    arrays = np.broadcast_arrays(*args)
    rows = [np.ravel(a) for a in arrays]
    if len(rows[0]) > 0:
        function(*[row[0] for row in rows])
    found = np.array([function(*[row[i] for row in rows]) for i in range(len(rows[0]))])
    return np.reshape(found, np.shape(arrays[0]))


@definition_of(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    moved = np.moveaxis(np.asarray(arr), axis, -1)
    around = np.shape(moved)[:-1]
    rows = np.reshape(moved, (-1, np.shape(moved)[-1]))
    if len(rows) == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    found = np.stack([np.asarray(func1d(rows[i], *args, **kwargs)) for i in range(len(rows))])
    inner = np.shape(found)[1:]
    found = np.reshape(found, around + inner)
    first = axis % np.ndim(arr)
    for i in tuple(range(len(inner))):
        found = np.moveaxis(found, len(around) + i, first + i)
    return found


@definition_of(np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    found = np.asarray(a)
    for axis in axes if isinstance(axes, tuple | list) else (axes,):
        axis = axis % np.ndim(a)
        result = func(found, axis)
        found = result if np.ndim(result) == np.ndim(found) else np.expand_dims(result, axis)
    return found


# -- methods of elementwise functions --------------------------------------------------------------------------------


def outer(function: Any, A: Any, B: Any, /) -> Any:
    a, b = np.asarray(A), np.asarray(B)
    return function(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b)


def reduce(function: Any, array: Any, axis: Any = 0, *, keepdims: Any = False) -> Any:
    array = np.asarray(array)
    if isinstance(axis, tuple):
        refuse("the reduction has a derivative along one axis or all")
    if axis is None and np.ndim(array) > 1:
        refuse("the reduction has a derivative along one axis")
    rows = np.moveaxis(array, axis or 0, 0)
    if len(rows) == 0:
        raise ValueError("zero-size array to reduction operation")
    total = rows[0]
    for i in range(1, len(rows)):
        total = function(total, rows[i])
    return np.expand_dims(total, axis or 0) if keepdims else total


def accumulate(function: Any, array: Any, axis: Any = 0) -> Any:
    rows = np.moveaxis(np.asarray(array), axis, 0)
    found = [rows[0]]
    for i in range(1, len(rows)):
        found.append(function(found[-1], rows[i]))
    return np.moveaxis(np.array(found), 0, axis)


def running(function: Any, array: Any, axis: Any = 0) -> Any:
    """The extrema of what stands before and at each place: ties share equally."""
    rows = np.moveaxis(np.asarray(array), axis, 0)
    return np.moveaxis(np.array([function(rows[:i + 1], axis=0) for i in range(len(rows))]), 0, axis)


def reduceat(function: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    rows = np.moveaxis(np.asarray(array), axis, 0)
    starts = [i for i in indices]
    ends = [*starts[1:], len(rows)]
    found = []
    for k in range(len(starts)):
        total = rows[starts[k]]
        for i in range(starts[k] + 1, ends[k]):
            total = function(total, rows[i])
        found.append(total)
    return np.moveaxis(np.array(found), 0, axis)


def at(function: Any, a: Any, indices: Any, b: Any, /) -> Any:
    if isinstance(indices, int):
        a[indices] = function(a[indices], b)
    else:
        places = np.asarray(indices)
        if np.ndim(places) != 1 or np.ndim(a) != 1:
            refuse("`at` has a derivative for places along one axis")
        values = np.broadcast_to(np.asarray(b), np.shape(places))
        for k in range(len(places)):
            a[places[k]] = function(a[places[k]], values[k])


METHODS = {"outer": outer, "reduce": reduce, "accumulate": accumulate, "reduceat": reduceat, "at": at}
REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all,
    np.logical_or: np.any,
}
"""The reductions that have a name."""
RUNNING: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
