"""Linear least squares: a polynomial against the sign function at points of equal distance between -1 and 1."""

from __future__ import annotations

import numpy as np


def least_squares(x: np.ndarray, n: int) -> float:
    """Half the sum of squares of sign(t) - x[0] - x[1] t - x[2] t**2 - … over n points t."""
    total = 0.0
    for i in range(n):
        t = 2.0 * i / (n - 1) - 1.0
        residual = np.sign(t)
        power = 1.0
        for c in x:
            residual -= c * power
            power *= t
        total += residual * residual
    return 0.5 * total
