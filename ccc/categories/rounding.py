"""Rounding errors: between two bounds lie what exact numbers give and what a format of floats gives, however it rounds.

    p [a, b]  =  the interval of p, moved out by the relative error that an operation of the format may make

Both values lie in the interval, by induction on the program, so they differ by no more than it is wide. A test that an
error may turn is not decided: both branches are taken and joined, as in `Intervals`.

>>> import ccc, math
>>> import numpy as np
>>> k = Rounding(np.float32)
>>> bounds = ccc.interpret(lambda x: math.exp(x) - 1.0, k)(k.exactly(0.5))
>>> k.error(bounds) < 2e-6, bounds[0] < float(np.exp(np.float32(0.5)) - np.float32(1.0)) < bounds[1]
(True, True)

Reference: Nicholas Higham, *Accuracy and Stability of Numerical Algorithms*, sections 2.2 and 3.3.
"""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

import numpy as np

from ccc.base import Traced
from ccc.categories.bounds import CLOSE, FAR, TINY
from ccc.categories.intervals import Intervals
from ccc.categories.layered import Layers, as_before
from ccc.primitives.arithmetic import less_equal
from ccc.primitives.elementary_numpy import where


class Rounding(Intervals):
    """Bounds of what a program computes in a format of floats (`np.float16`, `np.float32`, `np.float64`) and of what
    exact numbers give, by its type.

    >>> import ccc
    >>> import numpy as np
    >>> k = Rounding(np.float32)
    >>> k.error(ccc.interpret(lambda x: x * x, k)(k.exactly(3.0))) < 2.0 ** -19
    True

    An operation is off by half a unit in the last place, another function than `+ - * /` by eight. Raises
    `MissingMeaning` where `Intervals` does.
    """

    bounded = False

    def __init__(self, format: Any = np.float64) -> None:
        super().__init__()
        self.format = np.dtype(format)
        info = np.finfo(self.format)
        half = float(info.eps) / 2.0
        self.close, self.far = half + CLOSE, 8.0 * half + FAR
        self.least, self.largest = float(info.smallest_subnormal), float(info.max)
        self.tiny = self.least

    def exactly(self, x: Any) -> Layers:
        """The bounds of a number or array that the format has; of another one, around it."""
        return self.constant(x.astype(float) if isinstance(x, np.ndarray | np.floating) else x)

    def error(self, y: Layers) -> Any:
        """A bound of the rounding error of a result: how far what is computed is from what exact numbers give.

        >>> Rounding().error((1.0, 1.5))
        0.5
        """
        return y[1] - y[0]

    def constant(self, value: Any) -> Layers:
        if not isinstance(value, Traced):
            if not isinstance(value, (Number, np.ndarray)):  # what a path does not have
                return value, value
            with np.errstate(over="ignore"):
                rounded = np.asarray(value).astype(self.format).astype(np.float64)
            if np.all(rounded.astype(object) == value):  # each as it is: NumPy would round one to compare them
                return value, value
        return self.outward(value, value, self.close)

    def outward(self, low: Any, high: Any, far: float, tiny: float = TINY) -> tuple[Any, Any]:
        low, high = super().outward(low, high, far, tiny)
        low, high = low - self.least, high + self.least
        return (as_before(where(less_equal(-self.largest, low), low, -math.inf), low),
                as_before(where(less_equal(high, self.largest), high, math.inf), high))
