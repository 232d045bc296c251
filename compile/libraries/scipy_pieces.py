"""Polynomials on pieces of `scipy.interpolate`, whose coefficients solve a linear system.

>>> CubicSpline(np.arange(4.0), np.arange(4.0) ** 3)([1.5]).round(12)
array([3.375])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_splines import Extended, along
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate
linalg: Any = scipy.linalg
MATRIX = np.zeros((2, 2))


@dataclass
class Pieces(Extended):
    """Polynomials of degree `k` between the places `x`: `c` has a row for each power, the highest first."""

    c: Any
    x: Any
    k: Any
    extrapolate: Any = True
    axis: Any = 0

    def ends(self) -> Any:
        return self.x[0], self.x[-1]

    def between(self, at: Any, nu: Any) -> Any:
        i = np.minimum(np.maximum(np.searchsorted(self.x, at, side="right") - 1, 0), len(self.x) - 2)
        t = np.reshape(at - self.x[i], np.shape(at) + (1,) * (np.ndim(self.c) - 2))
        total, power = 0.0 * self.c[0, i], 1.0
        for k in tuple(range(nu, self.k + 1)):
            total = total + self.c[self.k - k, i] * power * falling(k, nu)
            power = power * t
        return total

    def derivative(self, nu: Any = 1) -> Any:
        if nu < 1 or nu > self.k:
            refuse("a spline has derivatives here up to its degree: use nu=1 to it")
        rows = tuple(range(self.k + 1 - nu))
        found = np.stack([self.c[i] * falling(self.k - i, nu) for i in rows])
        return Pieces(found, self.x, self.k - nu, self.extrapolate, self.axis)

    def antiderivative(self, nu: Any = 1) -> Any:
        if nu != 1:
            refuse("the antiderivative of a spline has a derivative for nu=1")
        k = self.k + 1
        rows = [self.c[i] / (k - i) for i in tuple(range(k))]
        h = along(np.diff(self.x), self.c[0])
        step = rows[0]
        for i in tuple(range(1, k)):
            step = step * h + rows[i]
        sums = np.cumsum(step * h, axis=0)
        first = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return Pieces(np.stack([*rows, first]), self.x, k, extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        asked, whole = self.asked(extrapolate), self.antiderivative()
        if asked == "periodic":
            return np.asarray(self.up_to(whole, b) - self.up_to(whole, a))
        return np.asarray(whole(b, 0, asked) - whole(a, 0, asked))

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


@definition_of(interpolate.PPoly)
def PPoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    c = np.moveaxis(np.asarray(c) * 1.0, (axis, axis + 1), (0, 1))
    return Pieces(c, np.asarray(x) * 1.0, np.shape(c)[0] - 1, True if extrapolate is None else extrapolate, axis)


@definition_of(interpolate.BPoly)
def BPoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    """Of polynomials in Bernstein's basis, those in powers."""
    c, x = np.moveaxis(np.asarray(c) * 1.0, (axis, axis + 1), (0, 1)), np.asarray(x) * 1.0
    k = np.shape(c)[0] - 1
    sizes = np.diff(x) ** np.reshape(np.arange(k, -1, -1), (-1, 1))
    rows = np.tensordot(constant(powers_of_bernstein, MATRIX, k), c, 1)
    rows = rows / np.reshape(sizes, np.shape(sizes) + (1,) * (np.ndim(c) - 2))
    return Pieces(rows, x, k, True if extrapolate is None else extrapolate, axis)


def powers_of_bernstein(k: int) -> Any:
    """What Bernstein's polynomials of degree `k` are in powers, the highest in the first row.

    >>> powers_of_bernstein(1)
    array([[-1.,  1.],
           [ 1.,  0.]])
    """
    return np.array([[math.comb(k, j) * math.comb(j, a) * (-1.0) ** (j - a) if a <= j else 0.0 for a in range(k + 1)]
                     for j in range(k, -1, -1)])


@definition_of(interpolate.CubicSpline)
def CubicSpline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    dx = np.diff(x)
    slope = np.diff(y, axis=0) / along(dx, y)
    if isinstance(bc_type, str) and bc_type == "periodic":
        if not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
            raise ValueError("The first and last `y` point along axis 0 must be identical (within machine precision) "
                             "when bc_type='periodic'.")
        s = slopes_of_periodic(x, y, dx, slope)
        return Pieces(through(dx, slope, s, y), x, 3, "periodic" if extrapolate is None else extrapolate, axis)
    first, last = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    s = slopes_of_cubic(x, y, dx, slope, condition(first), condition(last))
    return Pieces(through(dx, slope, s, y), x, 3, True if extrapolate is None else extrapolate, axis)


def condition(given: Any) -> Any:
    """What holds at an end: which derivative has which value; the third none where the end is no knot."""
    if isinstance(given, str):
        if given == "not-a-knot":
            return 3, 0.0
        if given != "natural" and given != "clamped":
            raise ValueError(f"bc_type={given} is not allowed.")
        return (2, 0.0) if given == "natural" else (1, 0.0)
    order, value = given
    if order != 1 and order != 2:
        raise ValueError("The specified derivative order must be 1 or 2.")
    return order, np.asarray(value) * 1.0


def slopes_of_cubic(x: Any, y: Any, dx: Any, slope: Any, first: Any, last: Any) -> Any:
    """The slopes of the cubic spline with these conditions at its ends."""
    n = len(x)
    if n == 2:
        first, last = [(1, slope[0]) if end[0] == 3 else end for end in (first, last)]
    if n == 3 and first[0] == 3 and last[0] == 3:  # a parabola
        system = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
        system[1, 0], system[1, 1], system[1, 2] = dx[1], 2.0 * (dx[0] + dx[1]), dx[0]
        right = np.stack([2.0 * slope[0], 3.0 * (dx[0] * slope[1] + dx[1] * slope[0]), 2.0 * slope[1]])
        return np.reshape(np.linalg.solve(system, np.reshape(right, (3, -1))), np.shape(right))
    right = np.zeros_like(y)
    right[1:-1] = 3.0 * (along(dx[1:], y) * slope[:-1] + along(dx[:-1], y) * slope[1:])
    top, above, right[0] = row_at_end(first, dx[:2], x[2:3] - x[:1], slope[:2], y[1] - y[0], 1.0)
    bottom, below, right[-1] = row_at_end(last, dx[::-1][:2], x[-1:] - x[-3:-2], slope[::-1][:2], y[-1] - y[-2], -1.0)
    return tridiagonal(np.concatenate([dx[1:], below]), np.concatenate([top, 2.0 * (dx[:-1] + dx[1:]), bottom]),
                       np.concatenate([above, dx[:-1]]), right)


def row_at_end(end: Any, dx: Any, d: Any, slope: Any, rise: Any, way: Any) -> Any:
    """The numbers on and beside the diagonal, and the right side, of the condition at an end; the numbers of the two
    intervals there and how wide both are, from the end inwards."""
    if end[0] == 3:
        known = ((dx[0] + 2.0 * d[0]) * dx[1] * slope[0] + dx[0] ** 2 * slope[1]) / d[0]
        return dx[1:2], d, known
    if end[0] == 2:
        return 2.0 * dx[:1], dx[:1], -0.5 * way * end[1] * dx[0] ** 2 + 3.0 * rise
    return np.ones(1), np.zeros(1), end[1]


def tridiagonal(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    """The solution of a system with numbers on three diagonals."""
    none = np.zeros(1)
    band = np.stack([np.concatenate([none, above]), diagonal, np.concatenate([below, none])])
    n = np.shape(right)[0]
    return np.reshape(linalg.solve_banded((1, 1), band, np.reshape(right, (n, -1))), np.shape(right))


def slopes_of_periodic(x: Any, y: Any, dx: Any, slope: Any) -> Any:
    """The slopes of the cubic spline which goes on at its end as at its beginning: the last one is left out of the
    system, and found behind it."""
    n = len(x) - 1
    if n < 2:
        return np.zeros_like(y)
    if n == 2:
        h = along(dx, y)
        return np.zeros_like(y) + np.sum(slope / h, axis=0) / np.sum(1.0 / h, axis=0)
    before = np.concatenate([dx[-1:], dx[:-1]])
    right = 3.0 * (along(dx, y) * np.concatenate([slope[-1:], slope[:-1]]) + along(before, y) * slope)
    diagonal, corner = 2.0 * (before + dx), np.zeros_like(right[:-1])
    corner[0], corner[-1] = corner[0] - dx[0], corner[-1] - dx[-3]
    below, above = dx[1:-1], before[:-2]
    one = tridiagonal(below, diagonal[:-1], above, right[:-1])
    two = tridiagonal(below, diagonal[:-1], above, corner)
    last = (right[-1] - dx[-2] * one[0] - dx[-1] * one[-1]) / (diagonal[-1] + dx[-2] * two[0] + dx[-1] * two[-1])
    return np.concatenate([one + last * two, last[None], one[:1] + last * two[:1]])


def through(dx: Any, slope: Any, s: Any, y: Any) -> Any:
    """The coefficients of polynomials with these slopes at the places."""
    h = along(dx, y)
    t = (s[:-1] + s[1:] - 2.0 * slope) / h
    return np.stack([t / h, (slope - s[:-1]) / h - t, s[:-1], y[:-1]])


@definition_of(interpolate.CubicHermiteSpline)
def CubicHermiteSpline(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    y, dydx = np.asarray(y) * 1.0, np.asarray(dydx) * 1.0
    axis = axis % np.ndim(y)
    return by_slopes(np.asarray(x) * 1.0, np.moveaxis(y, axis, 0), np.moveaxis(dydx, axis, 0),
                     extrapolate is None or extrapolate, axis)


def by_slopes(x: Any, y: Any, slopes: Any, extrapolate: Any, axis: Any) -> Any:
    """The spline with these slopes at its places."""
    dx = np.diff(x)
    return Pieces(through(dx, np.diff(y, axis=0) / along(dx, y), slopes, y), x, 3, extrapolate, axis)


@definition_of(interpolate.PchipInterpolator)
def PchipInterpolator(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    slopes = pchip_slopes(along(np.diff(x), y), np.diff(y, axis=0) / along(np.diff(x), y))
    return by_slopes(x, y, slopes, extrapolate is None or extrapolate, axis)


def pchip_slopes(h: Any, m: Any) -> Any:
    """Slopes at places from those of the lines between, which keep the shape."""
    if len(m) < 2:
        return np.concatenate([m, m])
    turns = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (first / np.where(turns, 1.0, m[:-1]) + second / np.where(turns, 1.0, m[1:])) / (first + second)
    inner = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, mean))
    return np.concatenate([pchip_end(h[:1], h[1:2], m[:1], m[1:2]), inner,
                           pchip_end(h[-1:], h[-2:-1], m[-1:], m[-2:-1])])


def pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end, which keeps the shape."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


@definition_of(interpolate.Akima1DInterpolator)
def Akima1DInterpolator(x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None) -> Any:
    if method != "akima" and method != "makima":
        raise NotImplementedError("`method` must be 'akima' or 'makima'")
    y = np.asarray(y) * 1.0
    axis = axis % np.ndim(y)
    x, y = np.asarray(x) * 1.0, np.moveaxis(y, axis, 0)
    inner = np.diff(y, axis=0) / along(np.diff(x), y)
    if len(x) < 3:
        return by_slopes(x, y, np.concatenate([inner, inner]), extrapolate is not None and extrapolate, axis)
    before, behind = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
    m = np.concatenate([np.stack([2.0 * before - inner[0], before]), inner,
                        np.stack([behind, 2.0 * behind - inner[-1]])])
    steps = np.abs(np.diff(m, axis=0))
    if method == "makima":
        steps = steps + 0.5 * np.abs(m[1:] + m[:-1])
    f1, f2 = steps[2:], steps[:-2]
    total = f1 + f2
    plain = total > 1e-9 * np.max(total)
    weighted = m[1:-2] + f2 / np.where(plain, total, 1.0) * (m[2:-1] - m[1:-2])
    slopes = np.where(plain, weighted, 0.5 * (m[3:] + m[:-3]))
    return by_slopes(x, y, slopes, extrapolate is not None and extrapolate, axis)


def pieces(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    return Pieces, (), {"c": made.c, "x": made.x, "k": len(made.c) - 1, "extrapolate": made.extrapolate,
                        "axis": int(made.axis)}


ARGUMENTS.update({interpolate.PPoly: pieces})
