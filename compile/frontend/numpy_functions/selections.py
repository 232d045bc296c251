"""Entries chosen: by conditions, by order, as sets, and written in place.

>>> choose([1, 0], [[1.0, 2.0], [3.0, 4.0]]), unique([3.0, 1.0, 3.0]), digitize(1.5, [1.0, 2.0])
(array([3., 2.]), array([1., 3.]), np.int64(1))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives import positions
from ccc.primitives.complex_functions import FUNCTIONS
from ccc.primitives.complexes import Complex, as_complex

# -- by conditions ---------------------------------------------------------------------------------------------------


@definition_of(np.choose)
def choose(a: Any, choices: Any, mode: Any = "raise") -> Any:
    several = isinstance(choices, (tuple, list))
    a, count = np.asarray(a), len(choices)
    if mode == "wrap":
        a = a % count
    elif mode == "clip":
        a = np.maximum(np.minimum(a, count - 1), 0)
    elif np.any((a < 0) | (a >= count)):
        raise ValueError("invalid entry in choice array")
    found = np.where(a == 0, choices[0], choices[0])
    for i in tuple(range(1, count)) if several else range(1, count):
        found = np.where(a == i, choices[i], found)
    return found


@definition_of(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = np.asarray(x)
    conditions = list(condlist) if isinstance(condlist, (tuple, list)) else [condlist]
    if len(conditions) != len(funclist) and len(conditions) + 1 != len(funclist):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1}"
                         " functions are expected")
    y = np.zeros_like(x)
    rest = np.asarray(False)
    for i in tuple(range(len(conditions))):
        y = piece(x, y, np.asarray(conditions[i]), funclist[i], args, kw)
        rest = rest | np.asarray(conditions[i])
    return y if len(conditions) == len(funclist) else piece(x, y, ~rest, funclist[-1], args, kw)


def piece(x: Any, y: Any, condition: Any, function: Any, args: Any, kw: Any) -> Any:
    """`y` with what a function gives where a condition holds; of an array it sees these entries only."""
    if not callable(function):
        return np.where(condition, function, y)
    if np.ndim(x) == 0:
        return np.asarray(function(x, *args, **kw)) if condition else y
    if not np.any(condition):
        return y
    found = np.copy(y)
    found[condition] = function(x[condition], *args, **kw)
    return found


@definition_of(np.nonzero)
def nonzero(a: Any) -> Any:
    a = np.asarray(a)
    if np.ndim(a) == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. "
                         "If the context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`.")
    return tuple([positions.nonzero_along(a, axis=i) for i in tuple(range(np.ndim(a)))])


# -- by order --------------------------------------------------------------------------------------------------------


@definition_of(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    a = np.ravel(a) if axis is None else np.asarray(a)
    along = -1 if axis is None else axis
    return np.take_along_axis(a, positions.partitioned(a, kth=tuple_of(kth), axis=along), along)


@definition_of(np.argpartition)
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    return positions.argpartition(np.ravel(a) if axis is None else np.asarray(a), kth=tuple_of(kth),
                                  axis=-1 if axis is None else axis)


def tuple_of(x: Any) -> Any:
    return tuple(x) if isinstance(x, list) else x


@definition_of(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    if not isinstance(keys, (tuple, list)):
        if np.ndim(keys) != 2 or axis not in (-1, 0):
            refuse("np.lexsort takes a tuple or a list of keys here, or a matrix")
        order = np.arange(np.shape(keys)[1])
        for key in np.asarray(keys):
            order = order[np.argsort(key[order], kind="stable")]
        return order
    return positions.lexsort(*[np.asarray(key) for key in keys], axis=axis)


@definition_of(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    bins = np.asarray(bins)
    step = np.diff(bins)
    if np.any(step < 0) and np.any(step > 0):
        raise ValueError("bins must be monotonically increasing or decreasing")
    if np.any(step < 0):
        return len(bins) - np.searchsorted(bins[::-1], x, side="left" if right else "right")
    return np.searchsorted(bins, x, side="left" if right else "right")


@definition_of(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    if order != "C":
        refuse("np.unravel_index is known for order='C'")
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    found = []
    rest = np.asarray(indices) if isinstance(indices, (tuple, list)) else indices
    total = 1
    for size in sizes:
        total = total * size
    if np.any(rest < 0) or np.any(rest >= total):
        raise ValueError(f"index {indices} is out of bounds for array with size {total}")
    for size in sizes[::-1]:
        found.append(rest % size)
        rest = rest // size
    return tuple(found[::-1])


@definition_of(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    sizes = dims if isinstance(dims, (tuple, list)) else (dims,)
    modes = mode if isinstance(mode, (tuple, list)) else (mode,) * len(sizes)
    found, stride = 0, 1
    axes = tuple(range(len(sizes)))
    for i in axes if order == "F" else axes[::-1]:
        place = np.asarray(multi_index[i]) if isinstance(multi_index[i], (tuple, list)) else multi_index[i]
        if modes[i] == "wrap":
            place = place % sizes[i]
        elif modes[i] == "clip":
            place = np.maximum(np.minimum(place, sizes[i] - 1), 0)
        elif np.any(place < 0) or np.any(place >= sizes[i]):
            raise ValueError("invalid entry in coordinates array")
        found, stride = found + place * stride, stride * sizes[i]
    return found


# -- sets ------------------------------------------------------------------------------------------------------------


@definition_of(np.unique)
def unique(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, axis: Any = None
) -> Any:
    """Of equal entries the first one counts."""
    ar = np.asarray(ar)
    if axis is not None:
        return unique_along(ar, axis, return_index, return_inverse, return_counts)
    flat = np.ravel(ar)
    first = positions.unique_places(flat)
    found = (flat[first],)
    if return_index:
        found = (*found, first)
    if return_inverse:
        found = (*found, np.reshape(positions.unique_inverse(flat), np.shape(ar)))
    if return_counts:
        found = (*found, positions.unique_counts(flat))
    return found if len(found) > 1 else found[0]


def unique_along(ar: Any, axis: Any, return_index: Any, return_inverse: Any, return_counts: Any) -> Any:
    """The parts of an array along an axis, in the order of their entries."""
    moved = np.moveaxis(ar, axis, 0)
    rows = np.reshape(moved, (len(moved), -1))
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.concatenate([np.ones(1, dtype=bool), np.any(ordered[1:] != ordered[:-1], axis=1)])[:len(rows)]
    first, places = order[new], np.nonzero(new)[0]
    found = (np.moveaxis(moved[first], 0, axis),)
    if return_index:
        found = (*found, first)
    if return_inverse:
        found = (*found, (np.cumsum(new) - 1)[np.argsort(order)])
    if return_counts:
        found = (*found, np.diff(np.append(places, len(rows))))
    return found if len(found) > 1 else found[0]


@definition_of(np.isin)
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False) -> Any:
    element, tests = np.asarray(element), np.ravel(test_elements)
    found = np.any(element[..., None] == tests, axis=-1)
    return np.logical_not(found) if invert else found


@definition_of(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any) -> Any:
    found = np.unique(ar1)
    return found[np.isin(found, ar2, invert=True)]


@definition_of(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any) -> Any:
    both = np.sort(np.concatenate([np.unique(ar1), np.unique(ar2)]))
    apart = both[1:] != both[:-1]
    edge = np.ones(1) > 0.0
    flags = np.concatenate([edge, apart, edge])
    return both[flags[1:] & flags[:-1]]


# -- counts ----------------------------------------------------------------------------------------------------------


@definition_of(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    x = np.asarray(x)
    if weights is None:
        return positions.counted(x, minlength)
    return positions.weighed(np.asarray(weights) * 1.0, x, minlength)


@definition_of(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    a = np.ravel(a)
    edges = np.histogram_bin_edges(a, bins, range)
    if np.any(np.diff(edges) < 0):
        raise ValueError("`bins` must increase monotonically, when an array")
    if weights is None:
        found = positions.histogram_counts(a, edges, uniform=np.ndim(bins) == 0)
    else:
        w = np.ravel(weights)
        found = positions.histogram_weights(w * 1.0, a, edges, uniform=np.ndim(bins) == 0)
        found = found if w.dtype.kind == "f" else found.astype(w.dtype)
    if not density:
        return found, edges
    return found / np.diff(edges) / found.sum(), edges


def complex_histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """With complex weights."""
    w = as_complex(np.asarray(weights))
    if np.iscomplexobj(a):
        refuse("np.histogram has places in an order of real numbers")
    real, edges = np.histogram(a, bins, range, density=False, weights=w.real)
    found = Complex(real, np.histogram(a, bins, range, density=False, weights=w.imag)[0])
    return (found / np.diff(edges) / np.sum(found) if density else found), edges


FUNCTIONS[np.histogram] = complex_histogram


@definition_of(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    columns = sample_columns(sample)
    axes = tuple_of_axes(len(columns))
    each = bins if isinstance(bins, (tuple, list)) else (bins,) * len(columns)
    edges = [np.histogram_bin_edges(columns[i], each[i], None if range is None else range[i]) for i in axes]
    place, shape = 0, ()
    for i in axes:
        if np.any(np.diff(edges[i]) < 0):
            raise ValueError("`bins` must be monotonically increasing, when an array")
        inside = np.searchsorted(edges[i], columns[i], side="right") - (columns[i] == edges[i][-1])
        place, shape = place * (len(edges[i]) + 1) + inside, (*shape, len(edges[i]) + 1)
    total = 1
    for n in shape:
        total = total * n
    found = np.bincount(place, weights, minlength=total)
    found = (found * 1.0).reshape(shape)[(slice(1, -1),) * len(columns)]
    if not density:
        return found, edges
    sum_of_all = found.sum()
    for i in axes:
        width = np.reshape(np.diff(edges[i]), (1,) * i + (-1,) + (1,) * (len(columns) - i - 1))
        found = found / width
    return found / sum_of_all, edges


def sample_columns(sample: Any) -> Any:
    """The coordinates of points: of a matrix its columns."""
    if isinstance(sample, (tuple, list)):
        return [np.asarray(x) for x in sample]
    if np.ndim(sample) == 1:
        return [sample]
    return refuse("np.histogramdd is known for a list of coordinates: of a matrix, [m[:, 0], m[:, 1]]")


def tuple_of_axes(count: Any) -> Any:
    return tuple(range(count))


# -- places left out -------------------------------------------------------------------------------------------------


@definition_of(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    arr = np.ravel(arr) if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    if isinstance(obj, (list, tuple)) and len(obj) == 0:
        return np.copy(arr) if axis is None else np.moveaxis(np.copy(arr), 0, axis)
    out = np.arange(len(arr))[obj] if isinstance(obj, slice) else np.atleast_1d(np.asarray(obj))
    found = arr[positions.without(out, len(arr))]
    return found if axis is None else np.moveaxis(found, 0, axis)


# -- in place --------------------------------------------------------------------------------------------------------


@definition_of(np.place)
def place(arr: Any, mask: Any, vals: Any) -> Any:
    vals, mask = np.ravel(vals), np.asarray(mask).astype(bool)
    arr[mask] = vals[np.arange(np.count_nonzero(mask)) % len(vals)]


@definition_of(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> Any:
    values, mask = np.ravel(values), np.asarray(mask).astype(bool)
    a[mask] = np.reshape(values[np.arange(a.size) % len(values)], np.shape(a))[mask]


@definition_of(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: Any = False) -> Any:
    if np.ndim(a) < 2:
        raise ValueError("array must be at least 2-d")
    if wrap or np.ndim(a) > 2:
        refuse("np.fill_diagonal has a derivative for matrices without `wrap`")
    i = np.arange(min(np.shape(a)[0], np.shape(a)[1]))
    val = np.ravel(val)
    a[i, i] = val[i % len(val)]


@definition_of(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    rank = np.ndim(arr)
    if axis is None or rank > 2:
        refuse("np.put_along_axis has a derivative along an axis of a vector or a matrix")
    if rank == 1:
        arr[indices] = values
    elif axis % 2 == 1:  # type: ignore[operator]
        arr[np.arange(np.shape(arr)[0])[:, None], indices] = values
    else:
        arr[indices, np.arange(np.shape(arr)[1])] = values


FUNCTIONS.update({np.piecewise: piecewise, np.fill_diagonal: fill_diagonal})
