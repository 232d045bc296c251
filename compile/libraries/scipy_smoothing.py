"""Splines of `scipy.interpolate` that are fitted to data: FITPACK's, and natural ones that smooth.

    c, u:   B^T W^2 (B c - y) + u D^T D c = 0,   sum of w^2 (y - B c)^2 = s          given the knots, which are data
    g:      W (g - y) + u K g = 0,   K = Q R^-1 Q^T,   g^T K g the integral of the square of the second derivative

`B` has the basis at the data, `D` the jumps of the highest derivative at the knots. The library finds the knots, and
`u` so that the second equation holds nearly; the derivative is that of the place where it stopped, by the implicit
function theorem, for knots that move with the data they stand at.

>>> x = np.arange(8.0)
>>> UnivariateSpline(x, x * x, s=0.0)(2.5).round(12)
np.float64(6.25)

References: *Curve and Surface Fitting with Splines* (Dierckx), 5.2; *Nonparametric Regression and Generalized Linear
Models* (Green, Silverman), 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_splines import Spline, Surface, de_boor, least_squares, make_interp_spline
from ccc.compile.libraries.solutions import solved
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate
PLACES, VECTOR = np.zeros(2, np.int64), np.zeros(2)


# -- fits of FITPACK's -------------------------------------------------------------------------------------------------


def fitted(x: Any, y: Any, w: Any, xb: float, xe: float, k: int, s: float) -> Any:
    """SciPy's knots and coefficients, one column of values or several, and whether the sum of squares is `s`."""
    if np.ndim(y) == 1:
        (t, c, _), _, code, text = interpolate.splrep(x, y, w, xb, xe, k, 0, s, full_output=True, quiet=True)
    else:
        ((t, c, _), _), _, code, text = interpolate.splprep(list(y.T), w, x, xb, xe, k, 0, s, full_output=True, quiet=1)
    if code > 3:
        raise ValueError(text)
    return t, np.transpose(np.atleast_2d(c))[:len(t) - k - 1], code >= 0


def knots_at(x: Any, y: Any, w: Any, xb: float, xe: float, k: int, s: float) -> Any:
    """At which data the inner knots stand; -1 alone where no knot does, for a polynomial, as none is between others."""
    t, _, bound = fitted(x, y, w, xb, xe, k, s)
    inner = t[k + 1:-k - 1]
    return np.searchsorted(x, inner) if bound else np.zeros(0, np.int64)


def state(x: Any, y: Any, w: Any, xb: float, xe: float, k: int, s: float) -> Any:
    """Coefficients, and behind them the weight of the jumps."""
    t, c, _ = fitted(x, y, w, xb, xe, k, s)
    basis, jumps = system_of(t, x, k)
    right, jumped = basis.T @ (w[:, None] ** 2 * (np.reshape(y, (len(x), -1)) - basis @ c)), jumps.T @ (jumps @ c)
    return np.append(np.ravel(c), np.sum(right * jumped) / np.sum(jumped * jumped))


def system_of(t: Any, x: Any, k: Any) -> Any:
    """The basis at the data, and the jumps of its highest derivative at the inner knots."""
    unit = np.eye(len(t) - k - 1)
    inner = t[k:len(t) - k]
    jumps = np.diff(de_boor(t, unit, k, 0.5 * (inner[1:] + inner[:-1]), k), axis=0)
    return de_boor(t, unit, k, x, 0), jumps


def fit(x: Any, y: Any, w: Any, xb: Any, xe: Any, k: Any, s: Any) -> Any:
    """Knots and coefficients of a spline whose sum of squares is `s`, or of the polynomial if that is near enough."""
    ends = xb + np.zeros(1), xe + np.zeros(1)
    at = constant(knots_at, PLACES, x, y, w, xb, xe, k, s)
    t = np.concatenate([np.repeat(ends[0], k + 1), x[at], np.repeat(ends[1], k + 1)])
    if len(at) == 0:
        return t, least_squares(x, y, t, k, w)
    found = state_of(t, x, y, w, xb, xe, k, s)
    return t, np.reshape(found[:-1], (len(t) - k - 1, *np.shape(y)[1:]))


def state_of(t: Any, x: Any, y: Any, w: Any, xb: Any, xe: Any, k: Any, s: Any) -> Any:
    """Coefficients and the weight of the jumps, which move as the equations say."""
    values = np.reshape(y, (len(x), -1))
    n, columns = len(t) - k - 1, np.shape(values)[1]
    stopped = constant(sum_of_squares, 0.0, x, y, w, xb, xe, k, s)

    def off(z: Any) -> Any:
        c, basis, jumps = np.reshape(z[:-1], (n, columns)), *system_of(t, x, k)
        away = w[:, None] * (values - np.dot(basis, c))
        slope = z[-1] * np.dot(np.transpose(jumps), np.dot(jumps, c)) - np.dot(
            np.transpose(basis), w[:, None] * away)
        return np.concatenate([np.ravel(slope), np.reshape(np.sum(away * away) - (s + stopped), (1,))])

    return solved(off, state, (x, y, w, xb, xe, k, s), VECTOR)


def sum_of_squares(x: Any, y: Any, w: Any, xb: float, xe: float, k: int, s: float) -> float:
    """How far the sum of squares that SciPy came to is off `s`."""
    t, c, _ = fitted(x, y, w, xb, xe, k, s)
    basis = system_of(t, x, k)[0]
    return float(np.sum((w[:, None] * (np.reshape(y, (len(x), -1)) - basis @ c)) ** 2) - s)


def smoothed_or_through(x: Any, y: Any, w: Any, xb: Any, xe: Any, k: Any, s: Any) -> Any:
    """Knots and coefficients, of the spline through the data where nothing is smoothed."""
    if s == 0 and xb is None and xe is None:
        found = make_interp_spline(x, y, k)
        return found.t, found.c
    weights = np.ones(len(x)) if w is None else np.asarray(w) * 1.0
    return fit(x, y, weights, (x[0] if xb is None else xb) * 1.0, (x[-1] if xe is None else xe) * 1.0, k, s * 1.0)


def usual(s: Any, w: Any, count: Any) -> Any:
    """What FITPACK takes for `s` where a caller gives none."""
    if s is not None:
        return s
    return 0.0 if w is None else count - np.sqrt(2.0 * count)


@definition_of(interpolate.splrep)
def splrep(x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0, s: Any = None,
           t: Any = None) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if task == 1:
        refuse("scipy.interpolate.splrep has a derivative for task=0 and task=-1")
    if task == -1 or t is not None:
        low, high = np.zeros(1) + (x[0] if xb is None else xb), np.zeros(1) + (x[-1] if xe is None else xe)
        t = np.concatenate([np.repeat(low, k + 1), np.asarray(t) * 1.0, np.repeat(high, k + 1)])
        c = least_squares(x, y, t, k, w)
    else:
        t, c = smoothed_or_through(x, y, w, xb, xe, k, usual(s, w, len(x)))
    return t, np.concatenate([c, np.zeros(k + 1)]), k


@definition_of(interpolate.splprep)
def splprep(x: Any, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, task: Any = 0,
            s: Any = None) -> Any:
    if task != 0:
        refuse("scipy.interpolate.splprep has a derivative for task=0")
    points = np.transpose(np.stack([np.asarray(row) * 1.0 for row in x]))
    m = np.shape(points)[0]
    if u is None:
        steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
        passed = np.concatenate([np.zeros(1), np.cumsum(steps)])
        u = passed / passed[-1]
    u = np.asarray(u) * 1.0
    t, c = smoothed_or_through(u, points, w, ub, ue, k, m - np.sqrt(2.0 * m) if s is None else s)
    return [t, [c[:, j] for j in tuple(range(len(x)))], k], u


# -- splines as knots, coefficients and a degree -----------------------------------------------------------------------


@definition_of(interpolate.splev)
def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    if isinstance(tck, Spline):
        return tck(x, der)
    t, c, k = tck
    if isinstance(c, list):
        return [splev(x, (t, part, k), der, ext) for part in c]
    t, c, found = np.asarray(t) * 1.0, np.asarray(c) * 1.0, np.zeros(np.shape(x))
    if k < 1 or k > 5:
        raise ValueError("scipy.interpolate.splev has a derivative for degrees from 1 to 5")
    for degree in (1, 2, 3, 4, 5):
        if k == degree:
            found = beyond_ends(Spline(t, c, degree), x, der, ext)
    return found


def beyond_ends(spline: Any, x: Any, nu: Any, ext: Any) -> Any:
    """Values of a spline, and beyond its ends what FITPACK gives there: those of its last polynomials, zeros, an error
    or those of the ends."""
    at, low, high = np.asarray(x) * 1.0, spline.t[spline.k], spline.t[len(spline.t) - spline.k - 1]
    outside = (at < low) | (at > high)
    if (ext == 2 or ext == "raise") and np.any(outside):
        raise ValueError("Error code returned by splev: 1")
    if ext == 3 or ext == "const":
        return spline(np.minimum(np.maximum(at, low), high), nu)
    found = spline(at, nu)
    return np.where(outside, 0.0, found) if ext == 1 or ext == "zeros" else found


@definition_of(interpolate.splint)
def splint(a: Any, b: Any, tck: Any) -> Any:
    t, c, k = tck
    return Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k).integral(a, b)


@definition_of(interpolate.splder)
def splder(tck: Any, n: Any = 1) -> Any:
    t, c, k = tck
    made = Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k).derivative(n)
    return made.t, np.concatenate([made.c, np.zeros(made.k + 1)]), made.k


@definition_of(interpolate.splantider)
def splantider(tck: Any, n: Any = 1) -> Any:
    t, c, k = tck
    made = Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k).antiderivative(n)
    return made.t, np.concatenate([made.c, np.zeros(made.k + 1)]), made.k


@definition_of(interpolate.spalde)
def spalde(x: Any, tck: Any) -> Any:
    t, c, k = tck
    made = Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k)
    return np.stack([made(x, nu) for nu in tuple(range(k + 1))], axis=-1)


@definition_of(interpolate.sproot)
def sproot(tck: Any, mest: Any = 10) -> Any:
    t, c, k = tck
    made = Spline(np.asarray(t) * 1.0, np.asarray(c) * 1.0, k)
    return solved(lambda x: made(x), roots, (made.t, made.c, k, mest), VECTOR)


def roots(t: Any, c: Any, k: int, mest: int) -> Any:
    return interpolate.sproot((t, c, k), mest)


# -- splines as objects ------------------------------------------------------------------------------------------------


@dataclass
class Curve:
    """A spline that was fitted, with what holds beyond its ends."""

    spline: Any
    ext: Any = 0

    def __call__(self, x: Any, nu: Any = 0, ext: Any = None) -> Any:
        return np.asarray(beyond_ends(self.spline, x, nu, self.ext if ext is None else ext))

    def derivative(self, n: Any = 1) -> Any:
        return Curve(self.spline.derivative(n), 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: Any = 1) -> Any:
        return Curve(self.spline.antiderivative(n), self.ext)

    def integral(self, a: Any, b: Any) -> Any:
        return self.spline.integral(a, b)

    def derivatives(self, x: Any) -> Any:
        return np.stack([self.spline(x, nu) for nu in tuple(range(self.spline.k + 1))])

    def get_coeffs(self) -> Any:
        return self.spline.c[:len(self.spline.t) - self.spline.k - 1]

    def get_knots(self) -> Any:
        return self.spline.t[self.spline.k:len(self.spline.t) - self.spline.k]

    def roots(self) -> Any:
        return sproot((self.spline.t, self.spline.c, self.spline.k))


@definition_of(interpolate.UnivariateSpline)
def UnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None, ext: Any = 0,
                     check_finite: Any = False) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    t, c = smoothed_or_through(x, y, w, bbox[0], bbox[1], k, len(x) * 1.0 if s is None else s)
    return Curve(Spline(t, c, k), ext)


@definition_of(interpolate.InterpolatedUnivariateSpline)
def InterpolatedUnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
                                 check_finite: Any = False) -> Any:
    return UnivariateSpline(x, y, w, bbox, k, 0, ext)


@definition_of(interpolate.LSQUnivariateSpline)
def LSQUnivariateSpline(x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
                        check_finite: Any = False) -> Any:
    t, c, _ = splrep(x, y, w, bbox[0], bbox[1], k, -1, None, t)
    return Curve(Spline(t, c[:len(t) - k - 1], k), ext)


def curve(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    t, c, k = made._eval_args
    return Curve, (), {"spline": interpolate.BSpline(t, c[:len(t) - k - 1], k), "ext": int(made.ext)}


ARGUMENTS.update({interpolate.UnivariateSpline: curve})


# -- natural splines ---------------------------------------------------------------------------------------------------


def bending(x: Any) -> Any:
    """The matrix of the integral of the square of the second derivative, in the values of a natural spline."""
    n, h = len(x), np.diff(x)
    unit, rows = np.eye(n), (1.0 / h)[:, None]
    slopes = rows * (unit[1:] - unit[:-1])
    q = slopes[1:] - slopes[:-1]
    r = np.diag((h[:-1] + h[1:]) / 3.0) + np.diag(h[1:-1] / 6.0, 1) + np.diag(h[1:-1] / 6.0, -1)
    return np.dot(np.transpose(q), np.linalg.solve(r, q))


@definition_of(interpolate.make_smoothing_spline)
def make_smoothing_spline(x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: Any = 0) -> Any:
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    n, weights = len(x), np.ones(len(x)) if w is None else np.asarray(w) * 1.0
    if n <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    bend = bending(x) / weights[:, None]
    if lam is None:
        if np.ndim(y) != 1:
            refuse("scipy.interpolate.make_smoothing_spline has a derivative for one value at each place, or with lam")
        lam = by_cross_validation(x, y, weights, bend)
    g = np.reshape(np.linalg.solve(np.eye(n) + lam * bend, np.reshape(y, (n, -1))), np.shape(y))
    made = make_interp_spline(x, g, bc_type="natural")
    return Spline(made.t, made.c, 3, True, axis)


def by_cross_validation(x: Any, y: Any, w: Any, bend: Any) -> Any:
    """The weight of the integral at which the error of prediction is least."""
    def off(u: Any) -> Any:
        n = len(x)
        inverse = np.linalg.inv(np.eye(n) + u * bend)
        away, moved = y - np.dot(inverse, y), np.dot(inverse, np.dot(bend, np.dot(inverse, y)))
        rest = 1.0 - np.trace(inverse) / n
        return (np.sum(w * away * moved) * rest
                - np.sum(w * away**2) * np.trace(np.dot(inverse, np.dot(bend, inverse))) / n)

    return solved(off, weight_found, (x, y, w, bend), 0.5)


def weight_found(x: Any, y: Any, w: Any, bend: Any) -> float:
    """The weight that SciPy came to, by what the values it gives solve."""
    g = interpolate.make_smoothing_spline(x, y, w)(x)
    moved = bend @ g
    found = float(np.sum((y - g) * moved) / np.sum(moved * moved))
    if not found < 0.999 * len(x):
        raise ValueError("scipy.interpolate.make_smoothing_spline found the largest weight that it takes, which is no "
                         "minimum and has no derivative: give lam")
    return found


@definition_of(interpolate.bisplev)
def bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    tx, ty, c, kx, ky = tck
    tx, ty = np.asarray(tx) * 1.0, np.asarray(ty) * 1.0
    nx, ny = len(tx) - kx - 1, len(ty) - ky - 1
    found = Surface(tx, ty, np.reshape(np.asarray(c) * 1.0, (nx, ny)), kx, ky)(x, y, dx, dy)
    return found[0, 0] if np.ndim(x) == 0 and np.ndim(y) == 0 else found
