"""Splines of `scipy.interpolate` in their basis.

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
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate
linalg: Any = scipy.linalg


def at_axis(found: Any, count: Any, axis: Any) -> Any:
    """The first axes of an array, so many, moved to where `axis` stands among the others."""
    if axis == 0 or count == 0:
        return found
    return np.moveaxis(found, tuple(range(count)), tuple(range(axis, axis + count)))


def along(h: Any, y: Any) -> Any:
    """A number for each row of an array."""
    return np.reshape(h, (-1,) + (1,) * (np.ndim(y) - 1))


# -- beyond the ends ---------------------------------------------------------------------------------------------------


class Extended:
    """What has values `between` its `ends`. Beyond these it goes on, begins anew or is none, as `extrapolate` says; the
    axes of places stand at `axis` of what it gives."""

    extrapolate: Any
    axis: Any

    def ends(self) -> Any:
        raise NotImplementedError

    def between(self, at: Any, nu: Any) -> Any:
        raise NotImplementedError

    def antiderivative(self, nu: Any = 1) -> Any:
        raise NotImplementedError

    def asked(self, extrapolate: Any) -> Any:
        return self.extrapolate if extrapolate is None else extrapolate

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        asked, at = self.asked(extrapolate), np.asarray(x) * 1.0
        low, high = self.ends()
        if asked == "periodic":
            at = low + (at - low) % (high - low)
        found = self.between(at, nu)
        if not asked:
            outside = np.reshape((at < low) | (at > high), np.shape(at) + (1,) * (np.ndim(found) - np.ndim(at)))
            found = np.where(outside, np.nan, found)
        return np.asarray(at_axis(found, np.ndim(at), self.axis))

    def up_to(self, whole: Any, at: Any) -> Any:
        """The integral of a periodic curve up to a place, by whole turns and the rest."""
        low, high = self.ends()
        count = np.floor((at - low) / (high - low))
        return count * (whole(high, 0, True) - whole(low, 0, True)) + whole(at - count * (high - low), 0, True)


# -- splines in their basis --------------------------------------------------------------------------------------------


def spans_of(t: Any, k: Any, x: Any) -> Any:
    """Between which knots places lie, by the knot before them."""
    return np.minimum(np.maximum(np.searchsorted(t, x, side="right") - 1, k), len(t) - k - 2)


def mixed(t: Any, d: Any, k: Any, at: Any, i: Any, nu: Any) -> Any:
    """A spline with knots `t`, or a derivative of it, at places behind the knots `i`: its `k + 1` coefficients there,
    `d`, are mixed degree by degree."""
    wide = (-1,) + (1,) * (np.ndim(d[0]) - 1)
    for m in tuple(range(nu)):
        for j in tuple(range(k, m, -1)):
            span = np.reshape(t[i + j - m] - t[i - k + j], wide)
            d[j] = (k - m) * (d[j] - d[j - 1]) / span
    for r in tuple(range(1, k - nu + 1)):
        for j in tuple(range(k, nu + r - 1, -1)):
            low, high = t[i - k + j], t[i + 1 + j - nu - r]
            share = np.reshape((at - low) / (high - low), wide)
            d[j] = (1.0 - share) * d[j - 1] + share * d[j]
    return d[k]


def de_boor(t: Any, c: Any, k: Any, x: Any, nu: Any) -> Any:
    """A spline with knots `t`, or a derivative of it."""
    at = np.ravel(np.asarray(x) * 1.0)
    i = spans_of(t, k, at)
    found = mixed(t, [c[i - k + j] for j in tuple(range(k + 1))], k, at, i, nu)
    return np.reshape(found, np.shape(x) + np.shape(c)[1:])


def rows_of(t: Any, k: Any, at: Any, nu: Any) -> Any:
    """The first of the `k + 1` splines of the basis that there are at each place, and what they are there."""
    i, unit = spans_of(t, k, at), np.eye(k + 1)
    return i - k, mixed(t, [np.zeros((len(at), 1)) + unit[j] for j in tuple(range(k + 1))], k, at, i, nu)


def of_rows(first: Any, rows: Any, c: Any) -> Any:
    """The sums of coefficients along their first axis, `k + 1` for each place."""
    near = c[first[:, None] + np.arange(np.shape(rows)[1])]
    return np.sum(np.reshape(rows, np.shape(rows) + (1,) * (np.ndim(c) - 1)) * near, axis=1)


@dataclass
class Spline(Extended):
    """A spline with knots `t`, coefficients `c` and degree `k`."""

    t: Any
    c: Any
    k: Any
    extrapolate: Any = True
    axis: Any = 0

    def ends(self) -> Any:
        return self.t[self.k], self.t[len(self.t) - self.k - 1]

    def between(self, at: Any, nu: Any) -> Any:
        if nu > self.k:
            return np.zeros(np.shape(at) + np.shape(self.c)[1:])
        return de_boor(self.t, self.c[:len(self.t) - self.k - 1], self.k, at, nu)

    def derivative(self, nu: Any = 1) -> Any:
        t, c, k = self.t, self.c[:len(self.t) - self.k - 1], self.k
        for degree in tuple(range(k, k - nu, -1)):
            n = len(t) - degree - 1
            spans = np.reshape(t[degree + 1:n + degree] - t[1:n], (-1,) + (1,) * (np.ndim(c) - 1))
            c = np.where(spans > 0.0, degree * np.diff(c, axis=0) / np.where(spans > 0.0, spans, 1.0), 0.0)
            t = t[1:-1]
        return Spline(t, c, k - nu, self.extrapolate, self.axis)

    def antiderivative(self, nu: Any = 1) -> Any:
        t, c, k = self.t, self.c[:len(self.t) - self.k - 1], self.k
        for degree in tuple(range(k, k + nu)):
            n = len(t) - degree - 1
            spans = np.reshape(t[degree + 1:degree + 1 + n] - t[:n], (-1,) + (1,) * (np.ndim(c) - 1))
            c = np.concatenate([np.zeros_like(c[:1]), np.cumsum(c * spans, axis=0) / (degree + 1)])
            t = np.concatenate([t[:1], t, t[-1:]])
        return Spline(t, c, k + nu, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        asked, whole = self.asked(extrapolate), self.antiderivative()
        if asked == "periodic":
            return np.asarray(self.up_to(whole, b) - self.up_to(whole, a))
        if not asked:
            low, high = self.ends()
            a, b = np.minimum(np.maximum(a, low), high), np.minimum(np.maximum(b, low), high)
        return np.asarray(whole(b, 0, True) - whole(a, 0, True))

    def integral(self, a: Any, b: Any) -> Any:
        return float(self.integrate(a, b, False))


@definition_of(interpolate.make_interp_spline)
def make_interp_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0,
                       check_finite: Any = True) -> Any:
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    named = isinstance(bc_type, str)
    if k < 1 or (bc_type is not None and not named) or (named and bc_type not in ("not-a-knot", "natural", "clamped")):
        refuse("scipy.interpolate.make_interp_spline has a derivative for k > 0 and bc_type None, 'natural' and "
               "'clamped'")
    if bc_type is None or bc_type == "not-a-knot":
        t = not_a_knot(x, k) if t is None else np.asarray(t) * 1.0
        first, rows = rows_of(t, k, x, 0)
        return Spline(t, solution(first, rows, y), k, True, axis)
    if k != 3 or t is not None:
        refuse("scipy.interpolate.make_interp_spline has a derivative with a bc_type for k=3 and t=None")
    t, nu = with_ends(x, x[1:-1], 3), 2 if bc_type == "natural" else 1
    (at_ends, ends), (first, rows) = rows_of(t, 3, np.stack([x[0], x[-1]]), nu), rows_of(t, 3, x, 0)
    still = np.zeros_like(y[:1])
    first, rows = np.concatenate([at_ends[:1], first, at_ends[1:]]), np.concatenate([ends[:1], rows, ends[1:]])
    return Spline(t, solution(first, rows, np.concatenate([still, y, still])), 3, True, axis)


def solution(first: Any, rows: Any, right: Any) -> Any:
    """The solution of a system of rows that are near the diagonal, for each of the columns behind the first axis."""
    n, k = np.shape(right)[0], np.shape(rows)[1] - 1
    columns = first[:, None] + np.arange(k + 1)
    places = k + np.arange(n)[:, None] - columns
    if np.any(places < 0) or np.any(places > 2 * k):
        raise ValueError("the knots of a spline have to lie between its places")
    band = np.zeros((2 * k + 1, n))
    band[places, columns] = rows
    return np.reshape(linalg.solve_banded((k, k), band, np.reshape(right, (n, -1))), np.shape(right))


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
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y, t = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0), np.asarray(t) * 1.0
    return Spline(t, least_squares(x, y, t, k, w), k, True, axis)


def least_squares(x: Any, y: Any, t: Any, k: Any, w: Any) -> Any:
    """The coefficients of the spline with these knots that is nearest to values, each with its weight."""
    system = de_boor(t, np.eye(len(t) - k - 1), k, x, 0)
    if w is not None:
        w = np.asarray(w) * 1.0
        system, y = system * w[:, None], y * along(w, y)
    return np.linalg.lstsq(system, y, None)[0]


@definition_of(interpolate.BSpline)
def BSpline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    c = np.asarray(c) * 1.0
    axis = axis % np.ndim(c)
    return Spline(np.asarray(t) * 1.0, np.moveaxis(c, axis, 0), k, extrapolate, axis)


@definition_of(interpolate.BSpline.basis_element)
def basis_element(t: Any, extrapolate: Any = True) -> Any:
    """The function of the basis with these knots alone."""
    t = np.asarray(t) * 1.0
    k = np.shape(t)[0] - 2
    t = np.concatenate([t[:1] - np.arange(k, 0, -1), t, t[-1:] + np.arange(1, k + 1)])
    return Spline(t, np.where(np.arange(2 * k + 1) == k, 1.0, 0.0), k, extrapolate)


@dataclass
class Surface:
    """A product of two splines, with knots `tx` and `ty`, coefficients `c` and degrees `kx` and `ky`."""

    tx: Any
    ty: Any
    c: Any
    kx: Any
    ky: Any

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        if not grid:
            return self.ev(x, y, dx, dy)
        i, left = rows_within(self.tx, self.kx, np.atleast_1d(x) * 1.0, dx)
        j, right = rows_within(self.ty, self.ky, np.atleast_1d(y) * 1.0, dy)
        return np.transpose(of_rows(j, right, np.transpose(of_rows(i, left, self.c))))

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        x, y = np.broadcast_arrays(np.asarray(xi) * 1.0, np.asarray(yi) * 1.0)
        (i, left), (j, right) = [rows_within(t, k, np.ravel(at), nu) for t, k, at, nu in (
            (self.tx, self.kx, x, dx), (self.ty, self.ky, y, dy))]
        near = self.c[(i[:, None] + np.arange(self.kx + 1))[:, :, None], (j[:, None] + np.arange(self.ky + 1))[:, None]]
        return np.reshape(np.sum(left[:, :, None] * right[:, None] * near, axis=(1, 2)), np.shape(x))


def rows_within(t: Any, k: Any, at: Any, nu: Any) -> Any:
    """The splines of the basis at places, or at the ends that they lie beyond."""
    return rows_of(t, k, np.minimum(np.maximum(at, t[k]), t[len(t) - k - 1]), nu)


@definition_of(interpolate.RectBivariateSpline)
def RectBivariateSpline(x: Any, y: Any, z: Any, bbox: Any = None, kx: Any = 3, ky: Any = 3, s: Any = 0) -> Any:
    if bbox is not None or s != 0:
        refuse("scipy.interpolate.RectBivariateSpline has a derivative for s=0, and without bbox")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    along = make_interp_spline(x, np.asarray(z) * 1.0, kx)
    across = make_interp_spline(y, np.transpose(along.c), ky)
    return Surface(along.t, across.t, np.transpose(across.c), kx, ky)


# -- made before -------------------------------------------------------------------------------------------------------


def spline(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    return Spline, (), {"t": made.t, "c": made.c, "k": int(made.k), "extrapolate": made.extrapolate,
                        "axis": int(made.axis)}


ARGUMENTS.update({interpolate.BSpline: spline})
