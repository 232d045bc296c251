"""Functions that are affine in an array along one axis, by their matrix: what they make of units, SciPy says.

    f(x) = M x + f(0)        M = f(1) - f(0)

The matrix is computed at each call, so this is for what has no formula of its own that is worth one.

>>> import scipy.signal
>>> along(scipy.signal.resample, np.array([1.0, 0.0, 1.0, 0.0]), 0, 8).round(12)[:3]
array([1. , 0.5, 0. ])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import hosted

MATRIX = np.zeros((2, 2))


def along(run: Any, x: Any, axis: Any, *given: Any, **options: Any) -> Any:
    """`run(x, *given, axis=axis, **options)`, which is linear in `x`; in what else is given a derivative is refused."""
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, 0)
    matrix = hosted(of_units, MATRIX, run, len(rows), given, options)
    found = np.tensordot(matrix[:, :len(rows)], rows, 1)
    level = np.reshape(matrix[:, len(rows)], (-1,) + (1,) * (np.ndim(rows) - 1))
    return np.moveaxis(found + level, 0, axis)


def of_units(run: Any, n: int, given: Any, options: Any) -> Any:
    """What is made of each unit, beside what is made of zeros, as by a border that is not zero."""
    found = np.asarray(run(np.eye(n, n + 1), *given, axis=0, **options))
    return found - np.where(np.arange(n + 1) < n, found[:, n:], 0.0)
