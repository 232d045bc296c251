"""Arrays of other shapes, grids, triangles and bands.

>>> vander([2.0, 3.0], 3).tolist(), tri(2).tolist(), rollaxis(np.ones((2, 3, 4)), 2).shape
([[4.0, 2.0, 1.0], [9.0, 3.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]], (4, 2, 3))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import _function_base_impl

from ccc.compile.frontend.numpy_functions.table import beyond, definition_of, is_few, refuse


@definition_of(np.lib.array_utils.normalize_axis_index)
def normalize_axis_index(axis: Any, ndim: Any, msg_prefix: Any = None) -> Any:
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, msg_prefix)
    return axis % ndim


@definition_of(np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    rank = np.ndim(a)
    if axis < -rank or axis >= rank or start < -rank or start > rank:
        refuse("np.rollaxis takes axes that there are")
    axis, start = axis % rank, start + rank if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@beyond(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """Each axis in turn is repeated as a whole, by an axis of copies before it."""
    found, counts = np.asarray(A), tuple(reps) if isinstance(reps, (list, tuple)) else (reps,)
    for _ in tuple(range(len(counts) - np.ndim(found))):
        found = found[None]
    counts = (*(1,) * (np.ndim(found) - len(counts)), *counts)
    for axis in tuple(range(np.ndim(found))):
        size = np.shape(found)
        copies = np.repeat(np.expand_dims(found, axis), counts[axis], axis)
        found = np.reshape(copies, (*size[:axis], counts[axis] * size[axis], *size[axis + 1:]))
    return found


@definition_of(np.asanyarray)
def asanyarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    return np.asarray(a, dtype, order, copy=copy)


@definition_of(np.asfortranarray)
def asfortranarray(a: Any, dtype: Any = None) -> Any:
    return np.atleast_1d(np.asarray(a, dtype, "F"))


@definition_of(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    a = np.asarray(a, dtype, order)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


@definition_of(np.astype)
def astype(x: Any, dtype: Any, /, *, copy: Any = True) -> Any:
    return x.astype(dtype, copy=copy)


@definition_of(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    order = None
    for wanted in () if requirements is None else requirements:
        if wanted in ("C", "C_CONTIGUOUS", "CONTIGUOUS"):
            order = "C"
        elif wanted in ("F", "F_CONTIGUOUS", "FORTRAN"):
            order = "F"
        elif wanted not in ("A", "ALIGNED", "E", "ENSUREARRAY"):
            refuse("np.require is known for the order of memory: of what has to be writeable, make a copy")
    return np.asarray(a, dtype, order)


@definition_of(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    a = np.atleast_1d(np.asarray(a, dtype))
    return np.reshape(np.ravel(a), np.shape(a))


@definition_of(np.full_like)
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None
) -> Any:
    a = np.asarray(a)
    wanted = a.dtype if dtype is None else dtype
    return np.full(np.shape(a) if shape is None else shape, fill_value, wanted).astype(wanted, order)


@definition_of(np.diagflat)
def diagflat(v: Any, k: Any = 0) -> Any:
    return np.diag(np.ravel(v), k)


@definition_of(np.vander)
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = np.asarray(x)
    if np.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    return powers_of(x.astype(np.promote_types(x.dtype, int)), len(x) if N is None else N, increasing)


def powers_of(x: Any, count: Any, increasing: Any) -> Any:
    """Powers of numbers side by side, so many."""
    powers = np.cumprod(np.broadcast_to(x[:, None], (len(x), max(count - 1, 0))), axis=1)
    found = np.concatenate([np.ones_like(x)[:, None], powers], axis=1)[:, :count]
    return found if increasing else found[:, ::-1]


@definition_of(np.trim_zeros)
def trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    filt = np.asarray(filt)
    if np.ndim(filt) != 1:
        refuse("np.trim_zeros has a derivative for arrays with one axis")
    if len(filt) == 0:
        return filt[:0]
    there = filt != 0
    first = np.argmax(there) if "f" in trim else 0
    last = len(filt) - np.argmax(there[::-1]) if "b" in trim else len(filt)
    return filt[first:last] if np.any(there) else filt[:0]


# -- grids -----------------------------------------------------------------------------------------------------------


def rows_joined(*rows: Any) -> Any:
    """`np.r_[...]`, whose slices are ranges already."""
    return np.concatenate([np.atleast_1d(row) for row in rows])


def joined_along(axis: Any, least: Any, *parts: Any) -> Any:
    """`np.r_["axis,least", ...]`: along an axis, of arrays with at least so many."""
    return np.concatenate([np.array(part, ndmin=least) for part in parts], axis=axis)


def columns_joined(*columns: Any) -> Any:
    """`np.c_[...]`."""
    return np.concatenate([as_columns(np.asarray(column)) for column in columns], axis=-1)


def as_columns(a: Any) -> Any:
    return np.reshape(a, (-1, 1)) if np.ndim(a) < 2 else a


def on_grid(start: Any, stop: Any, count: Any) -> Any:
    """So many points of a grid, both ends among them."""
    step = (stop - start) / float(count - 1) if count > 1 else 1.0
    return np.arange(0.0, count) * step + start


def dense(*rows: Any) -> Any:
    """`np.mgrid[...]`."""
    if len(rows) == 1:
        return rows[0]
    return np.stack([np.asarray(a) for a in np.meshgrid(*rows, indexing="ij")])


def sparse(*rows: Any) -> Any:
    """`np.ogrid[...]`."""
    if len(rows) == 1:
        return rows[0]
    dtype = np.result_type(*rows)
    return tuple([row.astype(dtype) for row in np.ix_(*rows)])


AT_INDEX = {type(np.r_): rows_joined, type(np.c_): columns_joined, type(np.mgrid): dense, type(np.ogrid): sparse}


# -- triangles -------------------------------------------------------------------------------------------------------


@definition_of(np.tri)
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    columns = N if M is None else M
    return (np.arange(N)[:, None] >= np.arange(columns) - k).astype(dtype)


@definition_of(np.tril_indices)
def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return np.nonzero(np.tri(n, m, k))


@definition_of(np.triu_indices)
def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return np.nonzero(np.tri(n, m, k - 1) == 0.0)


@definition_of(np.tril_indices_from)
def tril_indices_from(arr: Any, k: Any = 0) -> Any:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return np.tril_indices(np.shape(arr)[0], k, np.shape(arr)[1])


@definition_of(np.triu_indices_from)
def triu_indices_from(arr: Any, k: Any = 0) -> Any:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return np.triu_indices(np.shape(arr)[0], k, np.shape(arr)[1])


@definition_of(np.diag_indices_from)
def diag_indices_from(arr: Any) -> Any:
    if np.ndim(arr) < 2:
        raise ValueError("input array must be at least 2-d")
    return np.diag_indices(np.shape(arr)[0], np.ndim(arr))


# -- windows ---------------------------------------------------------------------------------------------------------


@definition_of(np.einsum_path)
def einsum_path(*operands: Any, optimize: Any = "greedy", **options: Any) -> Any:
    refuse("np.einsum_path gives a text and an order of products that goes by sizes",
           "leave the order to NumPy, `np.einsum(..., optimize=True)`, or find it in the caller")


@definition_of(np.broadcast)
def broadcast(*arrays: Any) -> Any:
    refuse("np.broadcast makes an object that stands for arrays side by side",
           "make arrays of one shape by np.broadcast_arrays, and ask for the shape by np.broadcast_shapes")


@definition_of(np.lib.stride_tricks.as_strided)
def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: Any = False, writeable: Any = True
) -> Any:
    refuse("np.lib.stride_tricks.as_strided reads memory by its places, which no program here sees",
           "take windows by np.lib.stride_tricks.sliding_window_view, and repeat by np.broadcast_to")


@definition_of(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False
) -> Any:
    if writeable:
        refuse("windows that are written to are not known: their entries are those of several windows")
    x = np.asarray(x)
    sizes = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    axes = tuple(range(np.ndim(x))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(sizes) != len(axes):
        raise ValueError("Must provide matching length window_shape and axis")
    for i in tuple(range(len(axes))):
        along = axes[i] % (np.ndim(x) - i) if axes[i] < 0 else axes[i]
        count = np.shape(x)[along] - sizes[i] + 1
        if count < 1 or sizes[i] < 0:
            raise ValueError("window shape cannot be larger than input array shape")
        if is_few(sizes[i], 16):
            before = (slice(None),) * along
            x = np.stack([x[(*before, slice(k, k + count))] for k in tuple(range(sizes[i]))], -1)
        else:
            x = np.moveaxis(np.take(x, np.arange(count)[:, None] + np.arange(sizes[i]), along), along + 1, -1)
    return x


@definition_of(np.hanning)
def hanning(M: Any) -> Any:
    return 0.5 + 0.5 * np.cos(np.pi * np.arange(1.0 - M, M, 2) / (M - 1)) if M > 1 else np.ones(max(M, 0))


@definition_of(np.hamming)
def hamming(M: Any) -> Any:
    return 0.54 + 0.46 * np.cos(np.pi * np.arange(1.0 - M, M, 2) / (M - 1)) if M > 1 else np.ones(max(M, 0))


@definition_of(np.blackman)
def blackman(M: Any) -> Any:
    n = np.arange(1.0 - M, M, 2)
    return 0.42 + 0.5 * np.cos(np.pi * n / (M - 1)) + 0.08 * np.cos(2.0 * np.pi * n / (M - 1)) if M > 1 else np.ones(
        max(M, 0))


@definition_of(np.bartlett)
def bartlett(M: Any) -> Any:
    n = np.arange(1.0 - M, M, 2)
    return np.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)) if M > 1 else np.ones(max(M, 0))


IMPLEMENTATION: Any = _function_base_impl
A, B = [[float(c) for c in series] for series in (IMPLEMENTATION._i0A, IMPLEMENTATION._i0B)]
"""The coefficients by which NumPy computes the Bessel function, up to 8 and beyond."""


@definition_of(np.i0)
def i0(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    x = np.where(x < 0, -x, x)
    low, high = np.minimum(x, 8.0), np.maximum(x, 8.0)
    near = np.exp(low) * chebyshev(low / 2.0 - 2, A)
    far = np.exp(high) * chebyshev(32.0 / high - 2.0, B) / np.sqrt(high)
    return np.where(x <= 8.0, near, far)


def chebyshev(x: Any, coefficients: Any) -> Any:
    b0, b1, b2 = coefficients[0], 0.0, 0.0
    for i in range(1, len(coefficients)):
        b2 = b1
        b1 = b0
        b0 = x * b1 - b2 + coefficients[i]
    return 0.5 * (b0 - b2)


@definition_of(np.kaiser)
def kaiser(M: Any, beta: Any) -> Any:
    if M < 1:
        return np.zeros(0)
    if M == 1:
        return np.ones(1)
    alpha = (M - 1) / 2.0
    n = np.arange(0.0, M)
    return np.i0(beta * np.sqrt(1 - ((n - alpha) / alpha) ** 2.0)) / np.i0(beta * 1.0)
