"""Functions of `np.emath`: those of NumPy's that are complex where a real argument leaves their domain.

>>> sqrt(4.0), sqrt(-4.0), power([-1.0, 2.0], 2.0)
(np.float64(2.0), np.complex128(2j), array([1.-0.j, 4.+0.j]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

emath: Any = np.emath


def not_negative(x: Any) -> Any:
    """A number or array, as complex ones where a real one is negative."""
    x = np.asarray(x)
    return x + 0j if not np.iscomplexobj(x) and np.any(x < 0) else x


def at_most_one(x: Any) -> Any:
    """A number or array, as complex ones where a real one is beyond -1 and 1."""
    x = np.asarray(x)
    return x + 0j if not np.iscomplexobj(x) and np.any(np.abs(x) > 1) else x


@definition_of(emath.sqrt)
def sqrt(x: Any) -> Any:
    return np.sqrt(not_negative(x))


@definition_of(emath.log)
def log(x: Any) -> Any:
    return np.log(not_negative(x))


@definition_of(emath.log2)
def log2(x: Any) -> Any:
    return np.log2(not_negative(x))


@definition_of(emath.log10)
def log10(x: Any) -> Any:
    return np.log10(not_negative(x))


@definition_of(emath.logn)
def logn(n: Any, x: Any) -> Any:
    return np.log(not_negative(x)) / np.log(not_negative(n))


@definition_of(emath.power)
def power(x: Any, p: Any) -> Any:
    if np.asarray(x).dtype.kind in "iu" and np.asarray(p).dtype.kind in "iu":
        refuse("np.emath.power of integers, which are floats where an exponent is negative", "give floats")
    return np.power(not_negative(x), p)


@definition_of(emath.arcsin)
def arcsin(x: Any) -> Any:
    return np.arcsin(at_most_one(x))


@definition_of(emath.arccos)
def arccos(x: Any) -> Any:
    return np.arccos(at_most_one(x))


@definition_of(emath.arctanh)
def arctanh(x: Any) -> Any:
    return np.arctanh(at_most_one(x))
