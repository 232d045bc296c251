"""What functions of NumPy's that go by an order mean for complex arguments: by the real parts, equal ones by the
imaginary parts, behind all what is no number.

>>> np.asarray(sort(Complex(np.array([2.0, 1.0, 1.0]), np.array([0.0, 3.0, -1.0]))))
array([1.-1.j, 1.+3.j, 2.+0.j])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.primitives import positions
from ccc.primitives.complex_functions import FUNCTIONS, isnan
from ccc.primitives.complexes import Complex, as_complex


def as_arrays(z: Any) -> Complex:
    z = as_complex(z)
    return Complex(np.asarray(z.real), np.asarray(z.imag))


def argsort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    z: Any = as_arrays(a) if axis is not None else np.ravel(as_arrays(a))  # type: ignore[arg-type]
    return np.lexsort((z.imag, z.real, isnan(z)), axis=-1 if axis is None else axis)


def at_places(z: Complex, places: Any, axis: Any) -> Complex:
    return Complex(np.take_along_axis(z.real, places, axis), np.take_along_axis(z.imag, places, axis))


def sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Complex:
    z: Any = as_arrays(a) if axis is not None else np.ravel(as_arrays(a))  # type: ignore[arg-type]
    return at_places(z, argsort(z, -1 if axis is None else axis), -1 if axis is None else axis)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    z: Any = as_arrays(a) if axis is not None else np.ravel(as_arrays(a))  # type: ignore[arg-type]
    places = tuple(kth) if isinstance(kth, (list, tuple)) else kth
    return positions.argpartition_of_parts(z.real, z.imag, kth=places, axis=-1 if axis is None else axis)


def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Complex:
    z: Any = as_arrays(a) if axis is not None else np.ravel(as_arrays(a))  # type: ignore[arg-type]
    axis = -1 if axis is None else axis
    return at_places(z, argpartition(z, kth, axis), axis)


def largest(z: Complex, axis: Any, sign: Any) -> Any:
    """Where the greatest are along axes, or the least where `sign` is -1, and where those are that are no numbers."""
    real, none = sign * z.real, isnan(z)
    real = np.where(none, -np.inf, real)
    top = real == np.max(real, axis=axis, keepdims=True)
    imag = np.where(top & ~none, sign * z.imag, -np.inf)
    top = top & (imag == np.max(imag, axis=axis, keepdims=True)) & ~none
    return np.where(np.any(none, axis=axis, keepdims=True), none, top)


def extremum(a: Any, axis: Any, keepdims: Any, initial: Any, where: Any, sign: Any) -> Any:
    z = as_arrays(a)
    if where is not True:
        raise TypeError("a greatest complex number is found among all: np.where says which count")
    best = largest(z, axis, sign)
    found = Complex(sign * np.max(np.where(best, sign * z.real, -np.inf), axis=axis, keepdims=keepdims),
                    sign * np.max(np.where(best, sign * z.imag, -np.inf), axis=axis, keepdims=keepdims))
    return found if initial is None else of_two(found, initial, sign, False)


def max_(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return extremum(a, axis, keepdims, initial, where, 1)


def min_(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return extremum(a, axis, keepdims, initial, where, -1)


def argmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.argmax(largest(as_arrays(a), axis, 1), axis=axis, keepdims=keepdims)


def argmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.argmax(largest(as_arrays(a), axis, -1), axis=axis, keepdims=keepdims)


def ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def of_two(a: Any, b: Any, sign: Any, leaves: Any) -> Any:
    """The greater of two, or the lesser where `sign` is -1; equal ones count as those of reals do. What is no number is
    the result, or is left where the other is one."""
    z, w = as_complex(a), as_complex(b)
    none, other = isnan(z), isnan(w)
    over = (sign * z.real > sign * w.real) | ((z.real == w.real) & (sign * z.imag > sign * w.imag))
    same = (z.real == w.real) & (z.imag == w.imag)
    first = np.where(none | other, other & ~none if leaves else none, over)
    if leaves:
        first = first | (none & other)
    one = np.maximum if sign == 1 else np.minimum
    return Complex(np.where(same, one(z.real, w.real), np.where(first, z.real, w.real))[()],
                   np.where(same, one(z.imag, w.imag), np.where(first, z.imag, w.imag))[()])


def maximum(a: Any, b: Any) -> Any:
    return of_two(a, b, 1, False)


def minimum(a: Any, b: Any) -> Any:
    return of_two(a, b, -1, False)


def fmax(a: Any, b: Any) -> Any:
    return of_two(a, b, 1, True)


def fmin(a: Any, b: Any) -> Any:
    return of_two(a, b, -1, True)


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    found = as_complex(a)
    found = found if low is None else maximum(found, low)
    return found if high is None else minimum(found, high)


# -- statistics --------------------------------------------------------------------------------------------------------


def median(a: Any, axis: Any = None, *, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    z = as_arrays(a)
    rank = np.ndim(z)
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple([i % rank for i in axes])
    left = tuple([i for i in tuple(range(rank)) if i not in axes])
    sizes = tuple([1 if i in axes else z.shape[i] for i in tuple(range(rank)) if keepdims or i not in axes])
    rows = np.reshape(np.transpose(z, left + axes), (*[z.shape[i] for i in left], -1))
    rows = sort(rows)
    n = rows.shape[-1]
    low, high = rows[..., (n - 1) // 2], rows[..., n // 2]
    found = low if n % 2 == 1 else (low + high) / 2.0
    last = rows[..., n - 1]
    none = isnan(last)
    found = Complex(np.where(none, last.real, found.real), np.where(none, last.imag, found.imag))
    return np.reshape(found, sizes)[()]


def without_nan(a: Any, sign: Any) -> Complex:
    """What stands among others in no place that counts, in place of what is no number."""
    z = as_arrays(a)
    none = isnan(z)
    return Complex(np.where(none, -sign * np.inf, z.real), np.where(none, -sign * np.inf, z.imag))


def nanmax(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return extremum(without_nan(a, 1), axis, keepdims, initial, where, 1)


def nanmin(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return extremum(without_nan(a, -1), axis, keepdims, initial, where, -1)


# -- places ------------------------------------------------------------------------------------------------------------


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """How many come before."""
    z, w = as_arrays(a), as_complex(v)
    z = z if sorter is None else z[sorter]
    real, imag = np.asarray(w.real)[..., None], np.asarray(w.imag)[..., None]
    same = (z.real == real) & (z.imag <= imag if side == "right" else z.imag < imag)
    return np.sum((z.real < real) | same, axis=-1)[()]


def unique(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, axis: Any = None
) -> Any:
    if axis is not None:
        raise TypeError("np.unique of complex numbers along an axis is not known: take the parts as columns")
    z = np.ravel(as_arrays(ar))
    order = argsort(z)
    ordered = z[order]
    new = np.concatenate([np.ones(1) > 0.0, ordered[1:] != ordered[:-1]])[:len(order)]
    found: Any = (ordered[new],)
    if return_index:
        found = (*found, order[new])
    if return_inverse:
        found = (*found, np.reshape((np.cumsum(new) - 1)[np.argsort(order)], np.shape(ar)))
    if return_counts:
        found = (*found, np.diff(np.append(np.nonzero(new)[0], len(order))))
    return found if len(found) > 1 else found[0]


FUNCTIONS.update({
    np.sort: sort, np.argsort: argsort, np.sort_complex: lambda a: sort(a), np.max: max_, np.amax: max_, np.min: min_,
    np.amin: min_, np.argmax: argmax, np.argmin: argmin, np.ptp: ptp, np.maximum: maximum, np.minimum: minimum,
    np.fmax: fmax, np.fmin: fmin, np.clip: clip, np.median: median, np.nanmax: nanmax, np.nanmin: nanmin,
    np.searchsorted: searchsorted, np.unique: unique, np.partition: partition, np.argpartition: argpartition,
    np.less: lambda a, b: as_complex(a) < b, np.less_equal: lambda a, b: as_complex(a) <= b,
    np.greater: lambda a, b: as_complex(a) > b, np.greater_equal: lambda a, b: as_complex(a) >= b,
})
