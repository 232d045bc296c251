"""Arrays split, and put together from parts.

>>> split(np.arange(4.0), 2), block([[1.0, 2.0], [3.0, 4.0]]).tolist()
([array([0., 1.]), array([2., 3.])], [[1.0, 2.0], [3.0, 4.0]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of
from ccc.primitives import positions

FEW = 8
"""So many sections of the same size are read one by one."""

# -- parts -----------------------------------------------------------------------------------------------------------


@definition_of(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    ary = np.asarray(ary)
    size = np.shape(ary)[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extras = size // indices_or_sections, size % indices_or_sections
        ends = [i * each + min(i, extras) for i in range(indices_or_sections + 1)]
    else:
        ends = [0, *indices_or_sections, size]
    swapped = np.swapaxes(ary, axis, 0)
    return [np.swapaxes(swapped[ends[i]:ends[i + 1]], axis, 0) for i in range(len(ends) - 1)]


@definition_of(np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    ary = np.asarray(ary)
    if isinstance(indices_or_sections, int) and np.shape(ary)[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    if isinstance(indices_or_sections, int) and 0 < indices_or_sections <= FEW:
        each, whole = np.shape(ary)[axis] // indices_or_sections, (slice(None),) * len(np.shape(ary)[:axis])
        return [ary[(*whole, slice(i * each, (i + 1) * each))] for i in tuple(range(indices_or_sections))]
    return np.array_split(ary, indices_or_sections, axis)


@definition_of(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    if np.ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return np.split(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0)


@definition_of(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    if np.ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return np.split(ary, indices_or_sections, 0)


@definition_of(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if np.ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return np.split(ary, indices_or_sections, 2)


# -- joints ----------------------------------------------------------------------------------------------------------


@definition_of(np.block)
def block(arrays: Any) -> Any:
    depth = depth_of(arrays)
    return joined(arrays, depth, max(depth, rank_of_parts(arrays)))


def depth_of(arrays: Any) -> Any:
    return 1 + depth_of(arrays[0]) if isinstance(arrays, list) else 0


def rank_of_parts(arrays: Any) -> Any:
    return max([rank_of_parts(a) for a in arrays]) if isinstance(arrays, list) else np.ndim(arrays)


def joined(arrays: Any, depth: Any, rank: Any) -> Any:
    if depth > 0:
        if not isinstance(arrays, list):
            raise ValueError("List depths are mismatched.")
        return np.concatenate([joined(a, depth - 1, rank) for a in arrays], axis=-depth)
    if isinstance(arrays, list):
        raise ValueError("List depths are mismatched.")
    a = np.asarray(arrays)
    return np.reshape(a, (1,) * (rank - np.ndim(a)) + np.shape(a)) if np.ndim(a) < rank else np.copy(a)


@definition_of(np.broadcast_arrays)
def broadcast_arrays(*args: Any) -> Any:
    arrays = [np.asarray(a) for a in args]
    rank = max([np.ndim(a) for a in arrays])
    shape = tuple([size_along([np.shape(a) for a in arrays], i) for i in tuple(range(-rank, 0))])
    return tuple([np.broadcast_to(a, shape) for a in arrays])


@definition_of(np.broadcast_shapes)
def broadcast_shapes(*args: Any) -> Any:
    shapes = [arg if isinstance(arg, tuple) else (arg,) for arg in args]
    rank = max([len(shape) for shape in shapes])
    found = tuple([size_along(shapes, i) for i in tuple(range(-rank, 0))])
    for shape in shapes:
        for i in tuple(range(-len(shape), 0)):
            if shape[i] != found[i] and shape[i] != 1:
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return found


def size_along(shapes: Any, i: Any) -> Any:
    sizes = [shape[i] for shape in shapes if len(shape) >= -i]
    found = sizes[0]
    for size in sizes[1:]:
        found = size if found == 1 else found
    return found


@definition_of(np.meshgrid)
def meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    if indexing != "xy" and indexing != "ij":
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    rows = [np.ravel(x) for x in xi]
    place = [1 - i if indexing == "xy" and count > 1 and i < 2 else i for i in tuple(range(count))]
    axes = [np.reshape(rows[i], (1,) * place[i] + (-1,) + (1,) * (count - 1 - place[i])) for i in tuple(range(count))]
    if sparse:
        return tuple([np.copy(a) for a in axes]) if copy else tuple(axes)
    shape = tuple([len(rows[place[i]]) for i in tuple(range(count))])
    return tuple([np.copy(np.broadcast_to(a, shape)) for a in axes]) if copy else tuple(
        [np.broadcast_to(a, shape) for a in axes])


@definition_of(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr = np.ravel(arr) if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    one = isinstance(obj, list) and len(obj) == 1
    place: Any = obj[0] if isinstance(obj, list) and one else obj
    if not isinstance(place, int):
        return inserted(arr, obj, values, axis)
    size = len(arr)
    if place < -size or place > size:
        raise IndexError(f"index {place} is out of bounds for axis {0 if axis is None else axis} with size {size}")
    at = place + size if place < 0 else place
    values = np.asarray(values).astype(arr.dtype)
    if one and np.ndim(values) == np.ndim(arr) and axis is not None:
        values = np.moveaxis(values, axis, 0)
    if np.ndim(values) < np.ndim(arr):
        values = np.broadcast_to(values, np.shape(arr)[1:])[None]
    else:
        values = np.broadcast_to(values, (len(values), *np.shape(arr)[1:]))
    found = np.concatenate([arr[:at], values, arr[at:]])
    return found if axis is None else np.moveaxis(found, 0, axis)


def inserted(arr: Any, obj: Any, values: Any, axis: Any) -> Any:
    """An array with values before each of several places of what it held, along its first axis."""
    size = len(arr)
    at = np.arange(size)[obj] if isinstance(obj, slice) else np.asarray(obj)
    at = np.nonzero(at)[0] if at.dtype == np.dtype(bool) else at
    if np.any(at < -size) or np.any(at > size):
        raise IndexError(f"index out of bounds for axis {0 if axis is None else axis} with size {size}")
    at = np.where(at < 0, at + size, at)
    values = np.asarray(values).astype(arr.dtype)
    if axis is not None and np.ndim(values) == np.ndim(arr):
        values = np.moveaxis(values, axis, 0)
    elif axis is not None and np.ndim(values) > 0 and axis % np.ndim(arr) == np.ndim(arr) - 1:
        values = np.reshape(values, (-1,) + (1,) * (np.ndim(arr) - 1))
    if np.ndim(values) == np.ndim(arr) and len(at) == 1:  # all of them before one place
        at = np.repeat(at, len(values))
    count = len(at)
    order = np.argsort(at, kind="stable")
    final = np.zeros(count, dtype=int)
    final[order] = at[order] + np.arange(count)
    source = np.zeros(size + count, dtype=int)
    source[final] = np.arange(count)
    source[positions.without(final, size + count)] = np.arange(count, size + count)
    new = np.broadcast_to(values, (count, *np.shape(arr)[1:]))
    found = np.concatenate([new, arr])[source]
    return found if axis is None else np.moveaxis(found, 0, axis)


@definition_of(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    a = np.ravel(a)
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    size = 1
    for n in shape:
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        size = size * n
    return np.reshape(a[np.arange(size) % len(a)], tuple(shape))
