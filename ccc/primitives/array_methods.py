"""Methods and attributes of arrays, in terms of primitives; the array is the first argument.

>>> METHODS["item"](np.array([[1.0, 2.0]]), 0, 1), ATTRIBUTES["nbytes"](np.ones((2, 3)))
(2.0, 48)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.objects import Array
from ccc.primitives import (
    adaptors,
    adaptors_arrays,
    adaptors_reductions as of,
    arithmetic,
    bilinear,
    creation,
    indexing,
    shaping,
)
from ccc.primitives.arguments import dtype_name, flag
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.reductions import dtype_of


def _reshape(x: Any, *sizes: Any, order: Any = "C") -> Any:
    return adaptors.np_reshape(x, sizes[0] if len(sizes) == 1 else sizes, order)


def _transpose(x: Any, *axes: Any) -> Any:
    return adaptors.np_transpose(x, *axes) if len(axes) < 2 else adaptors.np_transpose(x, axes)


def _astype(x: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True) -> Any:
    found, given = dtype_name(dtype), dtype_of(kind_of(x))
    if not np.can_cast(given, found, casting):
        raise TypeError(f"Cannot cast array data from {np.dtype(given)!r} to {np.dtype(found)!r} according to the rule "
                        f"{casting!r}")
    made = x if given == found and not flag("copy", copy) else shaping.astype(x, dtype=found)
    return adaptors.laid_out(made, order)


def _item(x: Any, *places: Any) -> Any:
    if places:
        at = places[0] if len(places) == 1 and isinstance(places[0], tuple) else places
        x = indexing.index(shaping.ravel(x) if len(at) == 1 else x, *at, pattern=("i",) * len(at))
    convert = {"i": arithmetic.to_int, "u": arithmetic.to_int, "b": arithmetic.truth}
    kind = np.dtype(dtype_of(kind_of(x))).kind
    return convert.get(kind, arithmetic.to_float)(x if bilinear.rank_of(x) == 0 else adaptors.np_reshape(x, ()))


def _copy(x: Any, order: Any = "C") -> Any:
    """A new array, by rows unlike that of `np.copy`; a scalar of NumPy as it is."""
    if not isinstance(kind_of(x), Array):
        return x
    return shaping.copy(x, order="C") if order == "C" else adaptors.laid_out(shaping.copy(x), order)


def _view(x: Any, dtype: Any = None, type: Any = None) -> Any:
    """The same array once more; of another dtype it would show bits."""
    for wanted in (dtype, type):
        if wanted is not None and wanted is not np.ndarray and np.dtype(wanted) != np.dtype(dtype_of(kind_of(x))):
            raise TypeError(f"a view of {dtype_of(kind_of(x))} as {np.dtype(wanted)} shows the bits of numbers, which "
                            "has no derivative: .astype(...) converts them")
    return indexing.index(x, pattern=(".",)) if isinstance(kind_of(x), Array) else x


def _imaginary(x: Any) -> Any:
    return creation.zeros_like(x) if isinstance(kind_of(x), Array) else 0.0


def _size_of_item(x: Any) -> int:
    return adaptors.np_dtype(x).itemsize


METHODS: dict[str, Callable[..., Any]] = {
    "sum": of.np_sum, "mean": of.np_mean, "max": of.np_max, "min": of.np_min,
    "var": of.np_var, "std": of.np_std, "argmax": of.np_argmax, "argmin": of.np_argmin,
    "prod": of.np_prod, "cumsum": of.np_cumsum, "cumprod": of.np_cumprod,
    "trace": adaptors_arrays.np_trace,
    "any": of.np_any, "all": of.np_all, "dot": adaptors.np_dot, "reshape": _reshape,
    "ravel": adaptors.np_ravel, "flatten": lambda x, order="C": shaping.copy(adaptors.np_ravel(x, order)),
    "transpose": _transpose,
    "squeeze": adaptors.np_squeeze, "swapaxes": adaptors.np_swapaxes, "copy": _copy,
    "conj": lambda x: x, "conjugate": lambda x: x,
    "repeat": adaptors_arrays.np_repeat, "take": adaptors_arrays.np_take, "argsort": adaptors_arrays.np_argsort,
    "diagonal": adaptors_arrays.np_diagonal, "astype": _astype, "item": _item,
    "searchsorted": adaptors_arrays.np_searchsorted, "view": _view,
    "compress": lambda x, condition, axis=None: adaptors_arrays.np_compress(condition, x, axis),
    "round": adaptors.np_round, "clip": lambda x, min=None, max=None: adaptors.clipped(x, min, max),
}

ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "T": shaping.transpose, "shape": adaptors.np_shape, "ndim": adaptors.np_ndim, "size": shaping.size,
    "dtype": adaptors.np_dtype, "real": lambda x: x, "imag": _imaginary,
    "flat": shaping.flat, "itemsize": _size_of_item,
    "nbytes": lambda x: arithmetic.mul(shaping.size(x), _size_of_item(x)),
    "mT": lambda x: shaping.swapaxes(x, axis1=-2, axis2=-1),
}
