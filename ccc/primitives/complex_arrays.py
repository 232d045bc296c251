"""What functions of NumPy's on arrays mean for complex arguments that take their options, written in Python.

>>> sum_(Complex(np.ones(2), np.ones(2)), initial=Complex(0.0, 1.0)), np.asarray(sign(Complex(0.0, -2.0)))
(Complex(real=np.float64(2.0), imag=np.float64(3.0)), array(0.-1.j))
"""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from ccc.primitives.complex_functions import (
    FUNCTIONS,
    NUMBERS,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    converted,
    isnan,
    number,
    of_number,
)
from ccc.primitives.complexes import Complex, as_complex


def in_dtype(a: Any, dtype: Any) -> Any:
    return as_complex(a) if dtype is None else converted(a, dtype)


def real_of(x: Any) -> Any:
    """The real part of what may be complex, of each item of a tuple or list."""
    return tuple([real_of(item) for item in x]) if isinstance(x, (tuple, list)) else x.real if is_pair(x) else x


def imag_of(x: Any) -> Any:
    """The imaginary part of what may be complex, of each item of a tuple or list; 0 of a real number."""
    return tuple([imag_of(item) for item in x]) if isinstance(x, (tuple, list)) else x.imag if is_pair(x) else 0.0


def is_pair(x: Any) -> bool:
    return isinstance(x, Complex)


# -- reductions --------------------------------------------------------------------------------------------------------


def sum_(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Complex:
    a = in_dtype(a, dtype)
    found = Complex(np.sum(a.real, axis, keepdims=keepdims, where=where),
                    np.sum(a.imag, axis, keepdims=keepdims, where=where))
    return found if initial is None else found + initial


def prod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    a = in_dtype(a, dtype)
    a = a if where is True else as_complex(np.where(where, a, 1.0))  # type: ignore[call-overload]
    if axis is None and not keepdims:
        a, axis = np.ravel(a), 0  # type: ignore[assignment]
    axes = tuple(range(np.ndim(a))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple([k % np.ndim(a) for k in axes])
    found = a
    for k in axes:
        found = along(found, k)
    if not keepdims and len(axes) > 0:
        kept = tuple([np.shape(found)[k] for k in tuple(range(np.ndim(a))) if k not in axes])
        found = np.reshape(found, kept)[()]  # type: ignore[assignment]
    return found if initial is None else found * initial


def along(a: Any, axis: Any) -> Any:
    """The products along an axis, which stays."""
    rows: Any = a if axis == 0 else np.moveaxis(a, axis, 0)
    found = Complex(np.ones_like(rows.real.sum(axis=0)), np.zeros_like(rows.imag.sum(axis=0)))
    for i in range(len(rows)):
        found = found * rows[i]
    return np.expand_dims(found, axis)  # type: ignore[arg-type]


def var(
    a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    a = as_complex(a)
    of_real, of_imag = (None, None) if mean is None else (as_complex(mean).real, as_complex(mean).imag)
    less = ddof if correction is None else correction
    return (np.var(a.real, axis, ddof=less, keepdims=keepdims, where=where, mean=of_real)  # type: ignore[arg-type]
            + np.var(a.imag, axis, ddof=less, keepdims=keepdims, where=where, mean=of_imag))  # type: ignore[arg-type]


def std(
    a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    return np.sqrt(var(a, axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction))


def any_(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    return np.any(as_complex(a) != 0, axis=axis, keepdims=keepdims, where=where)


def all_(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    return np.all(as_complex(a) != 0, axis=axis, keepdims=keepdims, where=where)


def instead_of_nan(a: Any, value: Any) -> Any:
    """An array with a value where a part is no number."""
    a = as_complex(a)
    return Complex(np.where(isnan(a), value, a.real)[()], np.where(isnan(a), 0.0, a.imag)[()])


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    return sum_(instead_of_nan(a, 0.0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    return prod(instead_of_nan(a, 1.0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    total = nansum(a, axis, dtype, keepdims=keepdims, where=where)
    return total / np.sum(np.logical_not(isnan(as_complex(a))), axis, keepdims=keepdims, where=where)


def nanvar(
    a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    a = as_complex(a)
    there = np.logical_and(np.logical_not(isnan(a)), where)
    return var(instead_of_nan(a, 0.0), axis, ddof=ddof, keepdims=keepdims, where=there, mean=mean,
               correction=correction)


def nanstd(
    a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    return np.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction))


def nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(instead_of_nan(in_dtype(a, dtype), 0.0), axis)  # type: ignore[arg-type]


def nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumprod(instead_of_nan(in_dtype(a, dtype), 1.0), axis)  # type: ignore[arg-type]


def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = as_complex(np.cov(x, y, rowvar, dtype=dtype))
    if np.ndim(c.real) == 0:
        return c / c
    size = np.sqrt(np.diag(c.real))
    c = c / size[:, None] / size[None, :]
    return Complex(np.clip(c.real, -1, 1), np.clip(c.imag, -1, 1))


# -- numbers one by one ------------------------------------------------------------------------------------------------


def sign(z: Any) -> Complex:
    size = abs(z)
    by = np.where(size == 0.0, 1.0, size)
    return Complex((z.real / by)[()], (z.imag / by)[()])


def rounded(a: Any, decimals: Any = 0) -> Complex:
    return Complex(np.round(a.real, decimals), np.round(a.imag, decimals))


def sinc(z: Any) -> Complex:
    none = (z.real == 0.0) & (z.imag == 0.0)
    y = Complex(np.pi * np.where(none, 1.0, z.real), np.pi * z.imag)
    found = np.sin(y) / y  # type: ignore[call-overload]
    return Complex(np.where(none, 1.0, found.real)[()], np.where(none, 0.0, found.imag)[()])


def float_power(z: Any, n: Any) -> Complex:
    return as_complex(z) ** n


# -- arrays ------------------------------------------------------------------------------------------------------------


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    a, b = as_complex(start), as_complex(stop)
    found = Complex(np.linspace(a.real, b.real, num, endpoint, axis=axis),
                    np.linspace(a.imag, b.imag, num, endpoint, axis=axis))
    found = found if dtype is None else found.astype(dtype)
    return (found, (b - a) / ((num - 1) if endpoint else num)) if retstep else found


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Complex:
    fp = as_complex(np.asarray(fp))
    left, right = [None if end is None else as_complex(end) for end in (left, right)]
    return Complex(np.interp(x, xp, fp.real, part_of(left, "real"), part_of(right, "real"), period),
                   np.interp(x, xp, fp.imag, part_of(left, "imag"), part_of(right, "imag"), period))


def part_of(z: Any, name: str) -> Any:
    return None if z is None else getattr(z, name)


def take(a: Any, indices: Any, axis: Any = None, mode: Any = "raise") -> Complex:
    return Complex(np.take(a.real, indices, axis, mode=mode), np.take(a.imag, indices, axis, mode=mode))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Complex:
    return Complex(np.select(condlist, list(real_of(choicelist)), real_of(default)),
                   np.select(condlist, list(imag_of(choicelist)), imag_of(default)))


def repeat(a: Any, repeats: Any, axis: Any = None) -> Complex:
    return Complex(np.repeat(a.real, repeats, axis), np.repeat(a.imag, repeats, axis))


# -- truth values ------------------------------------------------------------------------------------------------------


def truth(x: Any) -> Any:
    """Which numbers are not zero, of complex ones."""
    return x != 0 if is_pair(x) else x


def nonzero(a: Any) -> Any:
    return np.nonzero(a != 0)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return np.count_nonzero(a != 0, axis, keepdims=keepdims)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return np.nonzero(truth(condition))
    if not is_pair(x) and not is_pair(y):
        return np.where(truth(condition), x, y)
    x, y = as_complex(x), as_complex(y)
    return Complex(np.where(truth(condition), x.real, y.real), np.where(truth(condition), x.imag, y.imag))


def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    if is_pair(condition):
        return np.compress(truth(condition), a, axis)
    return Complex(np.compress(condition, a.real, axis), np.compress(condition, a.imag, axis))


def extract(condition: Any, arr: Any) -> Any:
    if is_pair(condition):
        return np.extract(truth(condition), arr)
    return Complex(np.extract(condition, arr.real), np.extract(condition, arr.imag))


# -- cmath -------------------------------------------------------------------------------------------------------------


def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> bool:
    a, b = number(a), number(b)
    apart = abs(a - b)
    return bool(apart == 0.0 or (apart <= max(rel_tol * max(abs(a), abs(b)), abs_tol) and cmath.isfinite(a - b)))


def narrow(x: Any = 0.0, /) -> Complex:
    """`np.complex64(x)`."""
    z = as_complex(x)
    return Complex(np.float32(z.real), np.float32(z.imag))


NUMBERS.update({
    np.complex64: narrow, cmath.isclose: isclose, cmath.asin: of_number(arcsin), cmath.acos: of_number(arccos),
    cmath.atan: of_number(arctan), cmath.asinh: of_number(arcsinh), cmath.acosh: of_number(arccosh),
    cmath.atanh: of_number(arctanh),
})
FUNCTIONS.update({
    np.sum: sum_, np.prod: prod, np.var: var, np.std: std, np.any: any_, np.all: all_, np.nansum: nansum,
    np.nanprod: nanprod, np.nanmean: nanmean, np.nanvar: nanvar, np.nanstd: nanstd, np.nancumsum: nancumsum,
    np.nancumprod: nancumprod, np.corrcoef: corrcoef, np.sign: sign, np.round: rounded, np.around: rounded,
    np.sinc: sinc, np.float_power: float_power, np.linspace: linspace, np.interp: interp,
    np.select: select, np.take: take, np.repeat: repeat, np.nonzero: nonzero, np.count_nonzero: count_nonzero,
    np.where: where, np.compress: compress, np.extract: extract, np.flatnonzero: lambda a: np.flatnonzero(a != 0),
    np.argwhere: lambda a: np.argwhere(a != 0), np.logical_and: lambda a, b: np.logical_and(truth(a), truth(b)),
    np.logical_or: lambda a, b: np.logical_or(truth(a), truth(b)),
    np.logical_xor: lambda a, b: np.logical_xor(truth(a), truth(b)),
})
