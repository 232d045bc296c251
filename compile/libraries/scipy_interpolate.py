"""Interpolation by `scipy.interpolate`: lines and steps between places, and the modules of all that is known.

>>> interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])(1.5)
array(2.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of
from ccc.compile.libraries import (
    scipy_grids as scipy_grids,
    scipy_knots as scipy_knots,
    scipy_pieces as scipy_pieces,
    scipy_polynomials as scipy_polynomials,
    scipy_scattered as scipy_scattered,
    scipy_smoothing as scipy_smoothing,
)
from ccc.compile.libraries.scipy_splines import at_axis
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate


@dataclass
class Lines:
    """Straight lines, steps or a spline between the places `x`, which are in order; values are along the first axis."""

    x: Any
    y: Any
    kind: Any = "linear"
    below: Any = np.nan
    above: Any = np.nan
    bounded: Any = True
    spline: Any = None
    axis: Any = 0

    def __call__(self, x: Any) -> Any:
        at = np.asarray(x) * 1.0
        low, high = at < self.x[0], at > self.x[-1]
        if self.bounded:
            if np.any(low):
                raise ValueError("A value in x_new is below the interpolation range.")
            if np.any(high):
                raise ValueError("A value in x_new is above the interpolation range.")
        found = self.between(at)
        if self.below is not None:
            wide = np.shape(at) + (1,) * (np.ndim(self.y) - 1)
            found = np.where(np.reshape(low, wide), self.below, np.where(np.reshape(high, wide), self.above, found))
        return np.asarray(at_axis(found, np.ndim(at), self.axis))

    def between(self, at: Any) -> Any:
        if self.spline is not None:
            return self.spline(at)
        last = len(self.x) - 1
        if self.kind == "linear":
            i = np.minimum(np.maximum(np.searchsorted(self.x, at) - 1, 0), last - 1)
            wide = np.shape(at) + (1,) * (np.ndim(self.y) - 1)
            slope = (self.y[i + 1] - self.y[i]) / np.reshape(self.x[i + 1] - self.x[i], wide)
            return slope * np.reshape(at - self.x[i], wide) + self.y[i]
        if self.kind == "nearest" or self.kind == "nearest-up":
            middles = 0.5 * (self.x[1:] + self.x[:-1])
            i = np.searchsorted(middles, at, side="left" if self.kind == "nearest" else "right")
        elif self.kind == "previous" or self.kind == "zero":
            i = np.searchsorted(self.x, at, side="right") - 1
        else:
            i = np.searchsorted(self.x, at)
        return self.y[np.minimum(np.maximum(i, 0), last)]


DEGREES = {"slinear": 1, "quadratic": 2, "cubic": 3}
STEPS = ("linear", "nearest", "nearest-up", "previous", "next", "zero")


@definition_of(interpolate.interp1d)
def interp1d(x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None,
             fill_value: Any = None, assume_sorted: Any = False) -> Any:
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    if isinstance(fill_value, str) and fill_value != "extrapolate":
        raise ValueError("`fill_value` must be a number, a pair of numbers or 'extrapolate'")
    if not assume_sorted:
        order = np.argsort(x)
        x, y = x[order], y[order]
    degree = kind if isinstance(kind, int) else DEGREES.get(kind, 0)
    if degree == 0 and kind not in STEPS:
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    below, above = filled(fill_value)
    bounded = fill_value is None if bounds_error is None else bounds_error
    return Lines(x, y, kind, below, above, bounded,
                 interpolate.make_interp_spline(x, y, degree) if degree > 0 else None, axis)


def filled(fill_value: Any) -> Any:
    """What stands below and above the places; None where values are extrapolated."""
    if fill_value is None:
        return np.nan, np.nan
    if isinstance(fill_value, str):
        return None, None
    return (fill_value[0], fill_value[1]) if isinstance(fill_value, tuple) else (fill_value, fill_value)


# -- made before -------------------------------------------------------------------------------------------------------


def lines(made: Any) -> Arguments | None:
    usual = made._kind == "linear" and made.bounds_error and np.ndim(made.y) == 1
    return (Lines, (), {"x": made.x, "y": made.y}) if usual else None


ARGUMENTS.update({interpolate.interp1d: lines})
