"""Formulas of a line, and their derivatives by hand.

>>> import ccc
>>> ccc.gradient(product_and_sine)(2.0, 0.0) == product_and_sine_gradient(2.0, 0.0)
True
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


def product_and_sine(x: float, y: float) -> float:
    return x * y + math.sin(x)


def product_and_sine_gradient(x: float, y: float) -> tuple[float, float]:
    return y + math.cos(x), x


def bump(x: Reals) -> Any:
    return np.sum(np.tanh(x) * np.exp(-x * x))


def bump_gradient(x: Reals) -> Reals:
    t = np.tanh(x)
    return np.exp(-x * x) * (1.0 - t * t - 2.0 * x * t)
