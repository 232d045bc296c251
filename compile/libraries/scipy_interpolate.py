"""Splines through points: polynomials on pieces, whose coefficients solve a linear system.

>>> CubicSpline(np.arange(4.0), np.arange(4.0) ** 3)([1.5]).round(12)
array([3.375])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries import scipy_polynomials as scipy_polynomials
from ccc.compile.libraries.scipy_splines import between_ends, extends
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate


@dataclass
class Pieces:
    """Polynomials of degree `k` between the places `x`: `c` has a row for each power, the highest first."""

    c: Any
    x: Any
    k: Any
    extrapolate: Any = True

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        extended = extends(self.extrapolate, extrapolate)
        at = np.asarray(x) * 1.0
        i = np.minimum(np.maximum(np.searchsorted(self.x, at, side="right") - 1, 0), len(self.x) - 2)
        t = np.reshape(at - self.x[i], np.shape(at) + (1,) * (np.ndim(self.c) - 2))
        total, power = 0.0 * self.c[0, i], 1.0
        for k in tuple(range(nu, self.k + 1)):
            total = total + self.c[self.k - k, i] * power * falling(k, nu)
            power = power * t
        return np.asarray(total if extended else between_ends(total, at, self.x[0], self.x[-1]))

    def derivative(self, nu: Any = 1) -> Any:
        if nu < 1 or nu > self.k:
            refuse("a spline has derivatives here up to its degree: use nu=1 to it")
        rows = tuple(range(self.k + 1 - nu))
        found = np.stack([self.c[i] * falling(self.k - i, nu) for i in rows])
        return Pieces(found, self.x, self.k - nu, self.extrapolate)

    def antiderivative(self, nu: Any = 1) -> Any:
        if nu != 1:
            refuse("the antiderivative of a spline has a derivative for nu=1")
        k = self.k + 1
        rows = [self.c[i] / (k - i) for i in tuple(range(k))]
        h = np.reshape(np.diff(self.x), (-1,) + (1,) * (np.ndim(self.c) - 2))
        step = rows[0]
        for i in tuple(range(1, k)):
            step = step * h + rows[i]
        sums = np.cumsum(step * h, axis=0)
        first = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
        return Pieces(np.stack([*rows, first]), self.x, k, self.extrapolate)

    def integrate(self, a: Any, b: Any) -> Any:
        whole = self.antiderivative()
        return np.asarray(whole(b) - whole(a))

    def solve(self, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        refuse("the roots of a spline have no derivative here", "take scipy.optimize.brentq of the spline")

    def roots(self, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        return self.solve()


def falling(k: int, nu: int) -> float:
    """The factor of the derivative of a power.

    >>> falling(3, 2)
    6.0
    """
    factor = 1.0
    for i in tuple(range(nu)):
        factor = factor * (k - i)
    return factor


@definition_of(interpolate.CubicSpline)
def CubicSpline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.ndim(y) != 1:
        refuse("scipy.interpolate.CubicSpline has a derivative for one value at each place")
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
    return Pieces(through(dx, slope, s, y), x, 3, extrapolate is None or extrapolate)


def through(dx: Any, slope: Any, s: Any, y: Any) -> Any:
    """The coefficients of polynomials with these slopes at the places."""
    t = (s[:-1] + s[1:] - 2.0 * slope) / dx
    return np.stack([t / dx, (slope - s[:-1]) / dx - t, s[:-1], y[:-1]])


@definition_of(interpolate.CubicHermiteSpline)
def CubicHermiteSpline(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    return by_slopes("CubicHermiteSpline", x, y, np.asarray(dydx) * 1.0, extrapolate is None or extrapolate)


def by_slopes(name: Any, x: Any, y: Any, slopes: Any, extrapolate: Any) -> Any:
    """The spline with these slopes at its places."""
    if np.ndim(y) != 1:
        refuse(f"scipy.interpolate.{name} has a derivative for one value at each place")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    return Pieces(through(np.diff(x), np.diff(y) / np.diff(x), slopes, y), x, 3, extrapolate)


@definition_of(interpolate.PchipInterpolator)
def PchipInterpolator(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    h, m = np.diff(x), np.diff(y) / np.diff(x)
    if len(m) < 2:
        raise ValueError("scipy.interpolate.PchipInterpolator has a derivative for three places and more")
    turns = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (first / np.where(turns, 1.0, m[:-1]) + second / np.where(turns, 1.0, m[1:])) / (first + second)
    inner = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, mean))
    ends = [pchip_end(h[0], h[1], m[0], m[1]), pchip_end(h[-1], h[-2], m[-1], m[-2])]
    slopes = np.concatenate([np.reshape(ends[0], (1,)), inner, np.reshape(ends[1], (1,))])
    return by_slopes("PchipInterpolator", x, y, slopes, extrapolate is None or extrapolate)


def pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end, which keeps the shape."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


@definition_of(interpolate.Akima1DInterpolator)
def Akima1DInterpolator(x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None) -> Any:
    if method != "akima" and method != "makima":
        raise NotImplementedError("`method` must be 'akima' or 'makima'")
    if len(x) < 3:
        raise ValueError("scipy.interpolate.Akima1DInterpolator has a derivative for three places and more")
    inner = np.diff(y) / np.diff(x)
    before, behind = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
    m = np.concatenate([np.stack([2.0 * before - inner[0], before]), inner,
                        np.stack([behind, 2.0 * behind - inner[-1]])])
    steps = np.abs(np.diff(m))
    if method == "makima":
        steps = steps + 0.5 * np.abs(m[1:] + m[:-1])
    f1, f2 = steps[2:], steps[:-2]
    total = f1 + f2
    plain = total > 1e-9 * np.max(total)
    weighted = m[1:-2] + f2 / np.where(plain, total, 1.0) * (m[2:-1] - m[1:-2])
    slopes = np.where(plain, weighted, 0.5 * (m[3:] + m[:-3]))
    return by_slopes("Akima1DInterpolator", x, y, slopes, extrapolate is not None and extrapolate)


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
        return np.asarray(found)

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
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.ndim(y) != 1 and axis != 0:
        refuse("scipy.interpolate.interp1d has a derivative for one value at each place, and for axis=0")
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
                 interpolate.make_interp_spline(x, y, degree) if degree > 0 else None)


def filled(fill_value: Any) -> Any:
    """What stands below and above the places; None where values are extrapolated."""
    if fill_value is None:
        return np.nan, np.nan
    if isinstance(fill_value, str):
        return None, None
    return (fill_value[0], fill_value[1]) if isinstance(fill_value, tuple) else (fill_value, fill_value)


# -- made before -------------------------------------------------------------------------------------------------------


def pieces(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.axis != 0:
        return None
    return Pieces, (), {"c": made.c, "x": made.x, "k": len(made.c) - 1, "extrapolate": made.extrapolate}


def lines(made: Any) -> Arguments | None:
    usual = made._kind == "linear" and made.bounds_error and np.ndim(made.y) == 1
    return (Lines, (), {"x": made.x, "y": made.y}) if usual else None


ARGUMENTS.update({interpolate.PPoly: pieces, interpolate.interp1d: lines})
