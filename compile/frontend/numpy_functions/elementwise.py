"""Elementwise functions with several results or options, and tests of numbers.

>>> modf(-1.5), isclose(1.0, 1.0 + 1e-9), nan_to_num([np.nan, 1.0])
((np.float64(-0.5), np.float64(-1.0)), np.True_, array([0., 1.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives import positions
from ccc.primitives.complexes import Complex


@definition_of(np.modf)
def modf(x: Any, /) -> Any:
    return np.where(np.isinf(x), np.copysign(0.0, x), np.fmod(x, 1.0))[()], np.trunc(x)


@definition_of(np.divmod)
def divmod(x1: Any, x2: Any, /) -> Any:
    return np.floor_divide(x1, x2), np.mod(x1, x2)


@definition_of(np.frexp)
def frexp(x: Any, /) -> Any:
    exponent = positions.exponent(x)
    return np.ldexp(x, -exponent), exponent


@definition_of(np.nan_to_num)
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return np.copy(x)[()]
    found = np.where(np.isnan(x), nan, x)
    found = np.where(found == np.inf, np.finfo(x.dtype).max if posinf is None else posinf, found)
    return np.where(found == -np.inf, np.finfo(x.dtype).min if neginf is None else neginf, found)[()]


@definition_of(np.isposinf)
def isposinf(x: Any) -> Any:
    return np.equal(x, np.inf)


@definition_of(np.isneginf)
def isneginf(x: Any) -> Any:
    return np.equal(x, -np.inf)


@definition_of(np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    return np.asarray(a) if isinstance(a, (tuple, list)) else a


@definition_of(np.emath.power)
def power(x: Any, p: Any) -> Any:
    x = np.asarray(x)
    if x.dtype.kind in "iu" and np.asarray(p).dtype.kind in "iu":
        refuse("np.emath.power of integers, which are floats where an exponent is negative", "give floats")
    return np.power(x + 0j if not np.iscomplexobj(x) and np.any(x < 0) else x, p)


@definition_of(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    near = np.less_equal(np.abs(np.subtract(a, b)), np.add(atol, np.multiply(rtol, np.abs(b))))
    found = np.logical_or(np.logical_and(near, np.isfinite(b)), np.equal(a, b))
    return np.logical_or(found, np.logical_and(np.isnan(a), np.isnan(b))) if equal_nan else found


@definition_of(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@definition_of(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    a, b = np.asarray(a1), np.asarray(a2)
    rank = min(np.ndim(a), np.ndim(b))
    for i in tuple(range(-rank, 0)):
        if np.shape(a)[i] != np.shape(b)[i] and np.shape(a)[i] != 1 and np.shape(b)[i] != 1:
            return False
    return bool(np.all(np.equal(a, b)))


@definition_of(np.ndindex)
def ndindex(*shape: Any) -> Any:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if len(sizes) == 0:
        return [()]
    if len(sizes) == 1:
        return [(i,) for i in range(sizes[0])]
    if len(sizes) == 2:
        return [(i, j) for i in range(sizes[0]) for j in range(sizes[1])]
    total, behind = 1, ()
    for size in sizes[::-1]:
        behind = (total, *behind)
        total = total * size
    axes = tuple(range(len(sizes)))
    return [tuple([k // behind[i] % sizes[i] for i in axes]) for k in range(total)]


@definition_of(np.ndenumerate)
def ndenumerate(arr: Any) -> Any:
    arr = np.asarray(arr)
    if np.ndim(arr) == 1:
        return [((i,), arr[i]) for i in range(np.shape(arr)[0])]
    if np.ndim(arr) == 2:
        return [((i, j), arr[i, j]) for i in range(np.shape(arr)[0]) for j in range(np.shape(arr)[1])]
    return [(place, arr[place]) for place in np.ndindex(np.shape(arr))]


# -- methods of arrays -----------------------------------------------------------------------------------------------


def tolist(a: Any) -> Any:
    if np.ndim(a) == 0:
        return a.item()
    if np.ndim(a) == 1:
        return [entry.item() for entry in a]
    if np.ndim(a) == 2:
        return [[entry.item() for entry in row] for row in a]
    return [row.tolist() for row in a]


def sort_in_place(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    a[...] = np.sort(a, axis, kind)


def partition_in_place(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    a[...] = np.partition(a, kth, axis, kind)


def resize_in_place(a: Any, *new_shape: Any, refcheck: Any = True) -> Any:
    refuse(".resize() makes an array longer or shorter under all its names: `a = np.resize(a, ...)` makes a new one")


def view_of_complex(a: Any, dtype: Any = None, type: Any = None) -> Any:
    if dtype is not None and np.dtype(dtype).kind != "c":
        refuse("the parts of a complex array lie apart here, so that no view shows one beside the other",
               "make an array of them: np.stack([z.real, z.imag], axis=-1)")
    return Complex(a.real.view(), a.imag.view())


METHODS: dict[str, Any] = {
    "resize": resize_in_place, "tolist": tolist, "sort": sort_in_place, "partition": partition_in_place,
}
"""Methods of arrays that are no functions of NumPy's, or do something else than these."""
METHODS_OF_COMPLEX: dict[str, Any] = {"view": view_of_complex}
"""What methods of complex arrays mean otherwise."""
