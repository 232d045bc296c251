"""Splines through points: polynomials on pieces, whose coefficients solve a linear system.

>>> CubicSpline(np.arange(4.0), np.arange(4.0) ** 3)(1.5).round(12)
np.float64(3.375)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

interpolate: Any = scipy.interpolate


@dataclass
class Pieces:
    """Cubic polynomials between the places `x`: `c` has a row for each power, the highest first."""

    c: Any
    x: Any

    def __call__(self, x: Any, nu: Any = 0) -> Any:
        at = np.asarray(x) * 1.0
        i = np.minimum(np.maximum(np.searchsorted(self.x, at, side="right") - 1, 0), len(self.x) - 2)
        t = at - self.x[i]
        a, b, c, d = self.c[0, i], self.c[1, i], self.c[2, i], self.c[3, i]
        if nu == 0:
            return ((a * t + b) * t + c) * t + d
        if nu == 1:
            return (3.0 * a * t + 2.0 * b) * t + c
        if nu == 2:
            return 6.0 * a * t + 2.0 * b
        if nu == 3:
            return 6.0 * a
        raise ValueError("a cubic spline has a derivative here for nu up to 3")


@definition_of(interpolate.CubicSpline)
def CubicSpline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.ndim(y) != 1 or extrapolate is False or extrapolate == "periodic":
        refuse("scipy.interpolate.CubicSpline has a derivative for one value at each place, and extrapolates")
    if bc_type != "not-a-knot" and bc_type != "natural" and bc_type != "clamped":
        refuse("scipy.interpolate.CubicSpline has a derivative for bc_type 'not-a-knot', 'natural' and 'clamped'")
    n = len(x)
    if n < 4:
        raise ValueError("scipy.interpolate.CubicSpline has a derivative for four places and more")
    dx, slope = np.diff(x), np.diff(y) / np.diff(x)
    system = np.zeros((n, n))
    right = np.zeros(n)
    for i in range(1, n - 1):
        system[i, i - 1], system[i, i], system[i, i + 1] = dx[i], 2.0 * (dx[i - 1] + dx[i]), dx[i - 1]
        right[i] = 3.0 * (dx[i] * slope[i - 1] + dx[i - 1] * slope[i])
    if bc_type == "not-a-knot":
        d, e = x[2] - x[0], x[-1] - x[-3]
        system[0, 0], system[0, 1] = dx[1], d
        right[0] = ((dx[0] + 2.0 * d) * dx[1] * slope[0] + dx[0] ** 2 * slope[1]) / d
        system[-1, -1], system[-1, -2] = dx[-2], e
        right[-1] = (dx[-1] ** 2 * slope[-2] + (2.0 * e + dx[-1]) * dx[-2] * slope[-1]) / e
    elif bc_type == "natural":
        system[0, 0], system[0, 1], right[0] = 2.0 * dx[0], dx[0], 3.0 * (y[1] - y[0])
        system[-1, -1], system[-1, -2], right[-1] = 2.0 * dx[-1], dx[-1], 3.0 * (y[-1] - y[-2])
    else:
        system[0, 0], system[-1, -1] = 1.0, 1.0
    s = np.linalg.solve(system, right)
    return Pieces(through(dx, slope, s, y), x)


def through(dx: Any, slope: Any, s: Any, y: Any) -> Any:
    """The coefficients of polynomials with these slopes at the places."""
    t = (s[:-1] + s[1:] - 2.0 * slope) / dx
    return np.stack([t / dx, (slope - s[:-1]) / dx - t, s[:-1], y[:-1]])


@definition_of(interpolate.CubicHermiteSpline)
def CubicHermiteSpline(x: Any, y: Any, dydx: Any) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    return Pieces(through(np.diff(x), np.diff(y) / np.diff(x), np.asarray(dydx) * 1.0, y), x)


@dataclass
class Lines:
    """Straight lines between the places `x`, which are in order."""

    x: Any
    y: Any

    def __call__(self, x: Any) -> Any:
        if np.any(np.asarray(x) < self.x[0]):
            raise ValueError("A value in x_new is below the interpolation range.")
        if np.any(np.asarray(x) > self.x[-1]):
            raise ValueError("A value in x_new is above the interpolation range.")
        return np.interp(x, self.x, self.y)


@definition_of(interpolate.interp1d)
def interp1d(x: Any, y: Any, kind: Any = "linear") -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if kind != "linear" or np.ndim(y) != 1:
        refuse("scipy.interpolate.interp1d has a derivative for kind='linear' and one value at each place")
    order = np.argsort(x)
    return Lines(x[order], y[order])
