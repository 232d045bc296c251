"""Splines of `scipy.interpolate` in their basis, and linear interpolation on grids.

    B_i0 = 1 between t_i and t_i+1        B_ik(x) = (x - t_i) / (t_i+k - t_i) B_i,k-1 + (t_i+k+1 - x) / (..) B_i+1,k-1

>>> round(float(make_interp_spline(np.arange(5.0), np.arange(5.0) ** 3)(1.5)), 12)
3.375

Reference: *A Practical Guide to Splines* (de Boor), IX, X.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate


def extends(own: Any, asked: Any) -> Any:
    """Whether a spline is extended beyond its ends: as the call asks for, or else as it was made."""
    extrapolate = own if asked is None else asked
    if extrapolate == "periodic":
        refuse("a spline of scipy.interpolate has a derivative for extrapolate=True and False")
    return extrapolate


def between_ends(found: Any, at: Any, low: Any, high: Any) -> Any:
    """Values of a spline at places, none where these lie beyond its ends."""
    outside = np.reshape((at < low) | (at > high), np.shape(at) + (1,) * (np.ndim(found) - np.ndim(at)))
    return np.where(outside, np.nan, found)


# -- splines in their basis --------------------------------------------------------------------------------------------


def de_boor(t: Any, c: Any, k: Any, x: Any, nu: Any) -> Any:
    """A spline with knots `t`, or a derivative of it: coefficients are mixed, degree by degree."""
    at = np.ravel(np.asarray(x) * 1.0)
    n = len(c)
    for m in tuple(range(nu)):
        spans = np.reshape(t[1 + m + k - m:n + k - m] - t[1 + m:n], (-1,) + (1,) * (np.ndim(c) - 1))
        safe = np.where(spans > 0.0, spans, 1.0)
        steps = np.where(spans > 0.0, (k - m) * np.diff(c[m:], axis=0) / safe, 0.0)
        c = np.concatenate([np.zeros_like(c[:m + 1]), steps])
    i = np.minimum(np.maximum(np.searchsorted(t, at, side="right") - 1, k), n - 1)
    wide = (-1,) + (1,) * (np.ndim(c) - 1)
    d = [c[i - k + j] for j in tuple(range(nu, k + 1))]
    for r in tuple(range(1, k - nu + 1)):
        for j in tuple(range(k - nu, r - 1, -1)):
            low, high = t[i - k + nu + j], t[i + 1 + j - r]
            share = np.reshape((at - low) / (high - low), wide)
            d[j] = (1.0 - share) * d[j - 1] + share * d[j]
    return np.reshape(d[k - nu], np.shape(x) + np.shape(c)[1:])


@dataclass
class Spline:
    """A spline with knots `t`, coefficients `c` and degree `k`."""

    t: Any
    c: Any
    k: Any
    extrapolate: Any = True

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        extended = extends(self.extrapolate, extrapolate)
        at = np.asarray(x) * 1.0
        if nu > self.k:
            return np.zeros(np.shape(at) + np.shape(self.c)[1:])
        n = len(self.t) - self.k - 1
        found = de_boor(self.t, self.c[:n], self.k, at, nu)
        return found if extended else between_ends(found, at, self.t[self.k], self.t[n])


@definition_of(interpolate.make_interp_spline)
def make_interp_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0,
                       check_finite: Any = True) -> Any:
    if bc_type is not None or axis != 0 or k not in (1, 3, 5):
        refuse("scipy.interpolate.make_interp_spline has a derivative for k=1, 3 and 5, bc_type=None and axis=0")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if t is None:
        half = (k + 1) // 2
        inner = x[half:-half] if k > 1 else x[1:-1]
        t = np.concatenate([np.repeat(x[:1], k + 1), inner, np.repeat(x[-1:], k + 1)])
    t = np.asarray(t) * 1.0
    system = de_boor(t, np.eye(len(x)), k, x, 0)
    return Spline(t, np.linalg.solve(system, y), k)


@definition_of(interpolate.splev)
def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    if ext != 0:
        refuse("scipy.interpolate.splev has a derivative for ext=0")
    t, c, k = tck
    t, c, found = np.asarray(t) * 1.0, np.asarray(c) * 1.0, np.zeros(np.shape(x))
    if k < 1 or k > 5:
        raise ValueError("scipy.interpolate.splev has a derivative for degrees from 1 to 5")
    for degree in (1, 2, 3, 4, 5):
        if k == degree:
            found = Spline(t, c, degree)(x, der)
    return found


@definition_of(interpolate.BSpline)
def BSpline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    if axis != 0:
        refuse("scipy.interpolate.BSpline has a derivative for axis=0")
    return Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k, extrapolate)


@definition_of(interpolate.UnivariateSpline, interpolate.InterpolatedUnivariateSpline, interpolate.LSQUnivariateSpline,
               interpolate.splrep, interpolate.make_smoothing_spline)
def made_by_scipy(*args: Any, **options: Any) -> Any:
    refuse("a spline that SciPy fits, as UnivariateSpline, has no derivative in its data",
           "make it before the function, or take `make_interp_spline`")


# -- grids -------------------------------------------------------------------------------------------------------------


@dataclass
class Grid:
    """Values at the crossings of a grid, of which `grid` has the places along each axis."""

    grid: Any
    values: Any
    bounds_error: Any = True
    fill_value: Any = np.nan

    def __call__(self, xi: Any, method: Any = None) -> Any:
        if method is not None and method != "linear":
            refuse("scipy.interpolate.RegularGridInterpolator has a derivative for method='linear'")
        rank = len(self.grid)
        points = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi) * 1.0
        if np.ndim(points) == 1:
            points = np.reshape(points, (-1, rank))
        at = np.reshape(points, (-1, rank))
        wide = (-1,) + (1,) * (np.ndim(self.values) - rank)
        outside = np.zeros(np.shape(at)[0], bool)
        corners = [((), 1.0)]
        for axis in tuple(range(rank)):
            x, places = at[:, axis], np.asarray(self.grid[axis]) * 1.0
            beyond = (x < places[0]) | (x > places[-1])
            if self.bounds_error and np.any(beyond):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {axis}")
            outside = outside | beyond
            i = np.minimum(np.maximum(np.searchsorted(places, x) - 1, 0), len(places) - 2)
            share = (x - places[i]) / (places[i + 1] - places[i])
            corners = [((*key, i + step), weight * part) for key, weight in corners
                       for step, part in ((0, 1.0 - share), (1, share))]
        total = 0.0
        for key, weight in corners:
            total = total + self.values[key] * np.reshape(weight, wide)
        if not self.bounds_error and self.fill_value is not None:
            total = np.where(np.reshape(outside, wide), self.fill_value, total)
        return np.reshape(total, np.shape(points)[:-1] + np.shape(self.values)[rank:])


@definition_of(interpolate.RegularGridInterpolator)
def RegularGridInterpolator(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
                            fill_value: Any = np.nan) -> Any:
    if method != "linear":
        refuse("scipy.interpolate.RegularGridInterpolator has a derivative for method='linear'")
    return Grid(tuple(points), np.asarray(values) * 1.0, bounds_error, fill_value)


@definition_of(interpolate.interpn)
def interpn(points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
            fill_value: Any = np.nan) -> Any:
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


# -- made before -------------------------------------------------------------------------------------------------------


def spline(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.axis != 0:
        return None
    return Spline, (), {"t": made.t, "c": made.c, "k": int(made.k), "extrapolate": made.extrapolate}


def smoothed(made: Any) -> Arguments | None:
    t, c, k = made._eval_args
    return (Spline, (), {"t": t, "c": c, "k": int(k), "extrapolate": True}) if made.ext == 0 else None


def grid(made: Any) -> Arguments | None:
    if made.method != "linear" or any(np.any(np.diff(x) < 0.0) for x in made.grid):
        return None
    return Grid, (), {"grid": made.grid, "values": made.values, "bounds_error": bool(made.bounds_error),
                      "fill_value": made.fill_value}


ARGUMENTS.update({interpolate.BSpline: spline, interpolate.UnivariateSpline: smoothed,
                  interpolate.RegularGridInterpolator: grid})
