"""Roundings to first order: intervals of programs in which marks say where a format of floats rounds.

    F(r) - F(0)  =  sum over operations of  r_i dF/dr_i (s r)        for some s from 0 to 1, |r_i| <= unit |y_i|

The mean value theorem leaves no second order: the derivatives are bounded where each number is off by as much as it may
be, which is what `rounded` of an interval says. A function that is not smooth on an interval has no mean value, so it
has no bounds there, as in `Smooth`.

>>> k = FirstOrder(np.float32)
>>> low, high = k.rounding((1.0, 2.0), places=1.0, least=0.0)
>>> 0.9999998 < low < 1.0, 2.0 < high < 2.0000002
(True, True)

Reference: Solovyev, Baranowski, Briggs, Jacobsen, Rakamaric and Gopalakrishnan, *Rigorous Estimation of Floating-Point
Round-Off Errors with Symbolic Taylor Expansions* (2018), whose bound is this one with second derivatives for the rest.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.arrows import Prim
from ccc.categories.bounds import CLOSE, TINY, all_of
from ccc.categories.layered import Layers, Moved, as_before, is_nothing
from ccc.categories.smooth import Smooth
from ccc.primitives.arithmetic import equal, less_equal
from ccc.primitives.elementary_numpy import maximum, where
from ccc.primitives.roundings import reaching, rounded


class FirstOrder(Smooth):
    """Lower and upper bounds of what a marked program gives in a format of floats, and of its derivatives.

    >>> import ccc
    >>> low, high = ccc.interpret(lambda x: x * x, FirstOrder(np.float32))((1.0, 2.0))
    >>> low <= 1.0, high >= 4.0
    (True, True)

    Raises `MissingMeaning` where `Smooth` does.
    """

    def __init__(self, format: Any = np.float64) -> None:
        super().__init__()
        self.format = np.dtype(format)
        info = np.finfo(self.format)
        self.unit, self.largest = float(info.eps) / 2.0, float(info.max)

    def primitive(self, term: Prim) -> Moved:
        params = dict(term.params)
        if term.primitive is rounded:
            return lambda x: self.rounding(self.apart(x, 2)[0], **params)
        if term.primitive is reaching:
            return lambda x: self.reach(self.apart(x, 2), **params)
        return super().primitive(term)

    def rounding(self, x: Layers, places: float, least: float) -> Layers:
        """The bounds of what a number is rounded to; none where that may overflow."""
        far = places * self.unit * (1.0 + 2.0**-50) + CLOSE
        off = maximum(abs(x[0]), abs(x[1])) * far + (least * self.unit + TINY)
        low, high = x[0] - off, x[1] + off
        most = self.largest
        if most == sys.float_info.max:  # beyond it bounds are infinite themselves, or no numbers
            below, above = equal(low, low), equal(high, high)
        else:
            below, above = less_equal(-most, low), less_equal(high, most)
        return as_before(where(below, low, -math.inf), low), as_before(where(above, high, math.inf), high)

    def reach(self, xs: Sequence[Layers], places: float, least: float) -> Layers:
        """The bounds of how much of the rounding of a number, beside its cotangent, reaches the result: none where that
        has none, and where the number may overflow, whether or not that reaches the result."""
        slope, size = [maximum(abs(y[0]), abs(y[1])) for y in map(self.both, xs)]
        most = slope * (size * (places * (1.0 + CLOSE)) + least * (1.0 + CLOSE)) * (1.0 + 4.0 * CLOSE) + TINY
        fits = all_of(equal(most, most), less_equal(size, self.largest * (1.0 - 2.0 * places * self.unit)))
        return 0.0 * slope, as_before(where(fits, most, math.inf), slope)

    def both(self, x: Layers) -> Layers:
        """Both bounds of a number, one that is known too."""
        return self.constant(x[0]) if is_nothing(x[1]) else x
