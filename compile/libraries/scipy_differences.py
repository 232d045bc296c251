"""Gradients by differences, as SciPy takes them: what they are wrong by is theirs too.

    (f(x + h e_i) - f(x)) / ((x_i + h) - x_i)

>>> approx_fprime(np.array([1.0, 2.0]), lambda x: x[0] * x[1], 1e-6).round(6).tolist()
[2.0, 1.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

optimize: Any = scipy.optimize
STEP = 2.0**-26


@definition_of(optimize.approx_fprime)
def approx_fprime(xk: Any, f: Any, epsilon: Any = STEP, *args: Any) -> Any:
    x = np.atleast_1d(np.asarray(xk) * 1.0)
    least = STEP * np.where(x >= 0.0, 1.0, -1.0) * np.maximum(1.0, np.abs(x))
    h = np.where((x + epsilon) - x == 0.0, least, epsilon)
    here, n = f(x, *args), np.size(x)
    rows = [(f(x + np.where(np.arange(n) == i, h, 0.0), *args) - here) / ((x[i] + h[i]) - x[i]) for i in range(n)]
    return np.ravel(np.stack(rows, axis=-1)) if np.ndim(xk) == 0 else np.stack(rows, axis=-1)


@definition_of(optimize.check_grad)
def check_grad(func: Any, grad: Any, x0: Any, *args: Any, epsilon: Any = STEP, direction: Any = "all",
               rng: Any = None) -> Any:
    if direction != "all":
        refuse("scipy.optimize.check_grad has a derivative for direction='all'", "leave `direction` out")
    off = grad(np.asarray(x0), *args) - approx_fprime(x0, func, epsilon, *args)
    return np.sqrt(np.sum(off * off))
