"""Splines of `scipy.interpolate` in their basis, and linear interpolation on grids.

    B_i0 = 1 between t_i and t_i+1        B_ik(x) = (x - t_i) / (t_i+k - t_i) B_i,k-1 + (t_i+k+1 - x) / (..) B_i+1,k-1

>>> make_interp_spline(np.arange(5.0), np.arange(5.0) ** 3)([1.5]).round(12)
array([3.375])

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
        return np.asarray(found if extended else between_ends(found, at, self.t[self.k], self.t[n]))

    def derivative(self, nu: Any = 1) -> Any:
        t, c, k = self.t, self.c[:len(self.t) - self.k - 1], self.k
        for degree in tuple(range(k, k - nu, -1)):
            n = len(t) - degree - 1
            spans = np.reshape(t[degree + 1:n + degree] - t[1:n], (-1,) + (1,) * (np.ndim(c) - 1))
            c = np.where(spans > 0.0, degree * np.diff(c, axis=0) / np.where(spans > 0.0, spans, 1.0), 0.0)
            t = t[1:-1]
        return Spline(t, c, k - nu, self.extrapolate)

    def antiderivative(self, nu: Any = 1) -> Any:
        t, c, k = self.t, self.c[:len(self.t) - self.k - 1], self.k
        for degree in tuple(range(k, k + nu)):
            n = len(t) - degree - 1
            spans = np.reshape(t[degree + 1:degree + 1 + n] - t[:n], (-1,) + (1,) * (np.ndim(c) - 1))
            c = np.concatenate([np.zeros_like(c[:1]), np.cumsum(c * spans, axis=0) / (degree + 1)])
            t = np.concatenate([t[:1], t, t[-1:]])
        return Spline(t, c, k + nu, self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        whole, low, high = self.antiderivative(), self.t[self.k], self.t[len(self.t) - self.k - 1]
        if not extends(self.extrapolate, extrapolate):
            a, b = np.minimum(np.maximum(a, low), high), np.minimum(np.maximum(b, low), high)
        return np.asarray(whole(b) - whole(a))

    def integral(self, a: Any, b: Any) -> Any:
        return float(self.integrate(a, b, False))


@definition_of(interpolate.make_interp_spline)
def make_interp_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0,
                       check_finite: Any = True) -> Any:
    if axis != 0 or k < 1 or bc_type not in (None, "not-a-knot", "natural", "clamped"):
        refuse("scipy.interpolate.make_interp_spline has a derivative for k > 0, axis=0 and bc_type None, 'natural' "
               "and 'clamped'")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if bc_type is None or bc_type == "not-a-knot":
        t = not_a_knot(x, k) if t is None else np.asarray(t) * 1.0
        return Spline(t, np.linalg.solve(de_boor(t, np.eye(len(x)), k, x, 0), y), k)
    if k != 3 or t is not None:
        refuse("scipy.interpolate.make_interp_spline has a derivative with a bc_type for k=3 and t=None")
    t, unit, nu = with_ends(x, x[1:-1], 3), np.eye(len(x) + 2), 2 if bc_type == "natural" else 1
    ends = de_boor(t, unit, 3, np.stack([x[0], x[-1]]), nu)
    system = np.concatenate([ends[:1], de_boor(t, unit, 3, x, 0), ends[1:]])
    still = np.zeros_like(y[:1])
    return Spline(t, np.linalg.solve(system, np.concatenate([still, y, still])), 3)


def with_ends(x: Any, inner: Any, k: Any) -> Any:
    """Knots in which the ends of the places stand `k + 1` times."""
    return np.concatenate([np.repeat(x[:1], k + 1), inner, np.repeat(x[-1:], k + 1)])


def not_a_knot(x: Any, k: Any) -> Any:
    """Knots at the places, or between them, but the first and the last."""
    half = (k + 1) // 2
    if k % 2 == 0:
        return with_ends(x, (0.5 * (x[1:] + x[:-1]))[half:-half], k)
    return with_ends(x, x[half:-half] if k > 1 else x[1:-1], k)


@definition_of(interpolate.make_lsq_spline)
def make_lsq_spline(x: Any, y: Any, t: Any, k: Any = 3, w: Any = None, axis: Any = 0, check_finite: Any = True) -> Any:
    if axis != 0:
        refuse("scipy.interpolate.make_lsq_spline has a derivative for axis=0")
    x, y, t = np.asarray(x) * 1.0, np.asarray(y) * 1.0, np.asarray(t) * 1.0
    system = de_boor(t, np.eye(len(t) - k - 1), k, x, 0)
    if w is not None:
        w = np.asarray(w) * 1.0
        system, y = system * w[:, None], y * np.reshape(w, (-1,) + (1,) * (np.ndim(y) - 1))
    return Spline(t, np.linalg.lstsq(system, y, None)[0], k)


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


@definition_of(interpolate.splint)
def splint(a: Any, b: Any, tck: Any) -> Any:
    t, c, k = tck
    return Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k).integral(a, b)


@definition_of(interpolate.splrep)
def splrep(x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0,
           s: Any = None) -> Any:
    if w is not None or xb is not None or xe is not None or task != 0 or (s is not None and s != 0):
        made_by_scipy()
    found = make_interp_spline(x, y, k)
    return found.t, np.concatenate([found.c, np.zeros(k + 1)]), k


@definition_of(interpolate.UnivariateSpline)
def UnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = None, k: Any = 3, s: Any = None, ext: Any = 0) -> Any:
    if w is not None or bbox is not None or s is None or s != 0 or ext != 0:
        made_by_scipy()
    return make_interp_spline(x, y, k)


@definition_of(interpolate.InterpolatedUnivariateSpline)
def InterpolatedUnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = None, k: Any = 3, ext: Any = 0) -> Any:
    return UnivariateSpline(x, y, w, bbox, k, 0, ext)


@definition_of(interpolate.BSpline)
def BSpline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    if axis != 0:
        refuse("scipy.interpolate.BSpline has a derivative for axis=0")
    return Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k, extrapolate)


@definition_of(interpolate.LSQUnivariateSpline, interpolate.make_smoothing_spline)
def made_by_scipy(*args: Any, **options: Any) -> Any:
    refuse("a spline that SciPy fits, as UnivariateSpline, has no derivative in its data",
           "make it before the function, or take `make_interp_spline`")


@dataclass
class Surface:
    """A product of two splines, with knots `tx` and `ty`, coefficients `c` and degrees `kx` and `ky`."""

    tx: Any
    ty: Any
    c: Any
    kx: Any
    ky: Any

    def basis(self, t: Any, k: Any, x: Any, nu: Any) -> Any:
        n = len(t) - k - 1
        return de_boor(t, np.eye(n), k, np.minimum(np.maximum(np.asarray(x) * 1.0, t[k]), t[n]), nu)

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        if not grid:
            return self.ev(x, y, dx, dy)
        found = np.dot(self.basis(self.tx, self.kx, np.atleast_1d(x), dx), self.c)
        return np.dot(found, np.transpose(self.basis(self.ty, self.ky, np.atleast_1d(y), dy)))

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        x, y = np.broadcast_arrays(np.asarray(xi) * 1.0, np.asarray(yi) * 1.0)
        across = np.dot(self.basis(self.tx, self.kx, x, dx), self.c)
        return np.asarray(np.sum(across * self.basis(self.ty, self.ky, y, dy), axis=-1))


@definition_of(interpolate.RectBivariateSpline)
def RectBivariateSpline(x: Any, y: Any, z: Any, bbox: Any = None, kx: Any = 3, ky: Any = 3, s: Any = 0) -> Any:
    if bbox is not None or s != 0:
        refuse("scipy.interpolate.RectBivariateSpline has a derivative for s=0, and without bbox")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    along = make_interp_spline(x, np.asarray(z) * 1.0, kx)
    across = make_interp_spline(y, np.transpose(along.c), ky)
    return Surface(along.t, across.t, np.transpose(across.c), kx, ky)


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
