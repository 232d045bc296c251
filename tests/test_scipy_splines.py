"""Splines of SciPy made in a program and before it, and grids: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

interpolate = pytest.importorskip("scipy.interpolate")
RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
X, Y = np.array([0.0, 1.0, 2.5, 3.0, 4.5, 5.0, 6.5]), RNG.normal(size=7)
YS, AT = RNG.normal(size=(7, 2)), np.array([0.2, 1.9, 4.0])
GX, GY, GRID = np.array([0.0, 1.0, 2.5]), np.arange(4.0), RNG.normal(size=(3, 4))
POINTS = RNG.uniform(0.1, 2.4, size=(5, 2))
CUBIC, HERMITE = interpolate.CubicSpline(X, YS), interpolate.CubicHermiteSpline(X, Y, Y**2)
PCHIP, AKIMA = interpolate.PchipInterpolator(X, Y), interpolate.Akima1DInterpolator(X, Y)
LINES, BASIS = interpolate.interp1d(X, Y), interpolate.make_interp_spline(X, YS)
SMOOTH, TCK = interpolate.UnivariateSpline(X, Y, s=0.5), interpolate.splrep(X, Y)
TABLE = interpolate.RegularGridInterpolator((GX, GY), GRID)
FILLED = interpolate.RegularGridInterpolator((GX, GY), GRID, bounds_error=False, fill_value=2.0)

CASES: dict[str, Callable[[Any], Any]] = {
    "beyond the ends of a basis": lambda p: np.sum(np.stack([(lambda s: np.nan_to_num(s(7.1 * p[0], 1)) + s.integrate(
        -1.2 * p[1], 8.5) + np.nan_to_num(s.antiderivative()(6.3 * p[1])))(interpolate.BSpline(
            np.arange(-3.0, 10.0), np.sin(np.arange(9.0) % 6.0) * p[0] + p[1] ** 2, 3, extrapolate=beyond))
        for beyond in (True, False, "periodic")])),
    "pchip": lambda p: np.sum(interpolate.PchipInterpolator(X * p[0], Y * p[1] ** 2 + X**2 * p[0])(AT)),
    "akima": lambda p: np.sum(interpolate.Akima1DInterpolator(X, Y * p[1] ** 2 + X**2)(AT * p[0])),
    "makima": lambda p: np.sum(interpolate.Akima1DInterpolator(X, Y * p[1] ** 2, method="makima")(AT * p[0])),
    "not extrapolated": lambda p: np.sum(np.nan_to_num(
        interpolate.CubicSpline(X, Y * p[0], extrapolate=False)(AT * p[1] * 2.0))),
    "calculus": lambda p: (lambda s: s.derivative()(p[1]) + s.integrate(p[1], 5.0 * p[0]) + s.derivative(2)(p[0])
                           + s.antiderivative()(p[0] ** 2))(interpolate.CubicSpline(X, Y * p[0])),
    "made before": lambda p: np.sum(CUBIC(AT * p[0]) * p) + CUBIC(p[1], 1)[0] + HERMITE(p[0] * 3.0) + PCHIP(
        p[1]) * AKIMA(p[0]) + LINES(p[1] * 2.0) + PCHIP.derivative()(p[0]) + CUBIC.integrate(p[0], p[1])[1],
    "basis, made before": lambda p: np.sum(BASIS(AT * p[0]) * p) + BASIS(p[1], 2)[0] + SMOOTH(p[0] * 3.0) * p[
        1] + interpolate.splev(p[0] * 4.0, TCK) + interpolate.splev(p[1], TCK, der=1),
    "make_interp_spline": lambda p: np.sum(interpolate.make_interp_spline(X, Y * p[1] ** 2)(AT * p[0])),
    "make_interp_spline, k": lambda p: interpolate.make_interp_spline(X * p[0], Y, k=5)(p[1]) + (
        interpolate.make_interp_spline(X, Y * p[1], k=1)(p[0])),
    "make_interp_spline, ends": lambda p: (lambda s: s(p[0]) + s.derivative()(p[1]) * s.integrate(0.3, 4.0 * p[0]) + (
        s.antiderivative()(p[1]) + s.derivative(2)(p[0])))(interpolate.make_interp_spline(
            X, Y * p[1], bc_type="natural")) + interpolate.make_interp_spline(X, Y * p[0], bc_type="clamped")(p[1]),
    "make_lsq_spline": lambda p: np.sum(interpolate.make_lsq_spline(
        X, YS * p[0], np.array([0.0] * 4 + [2.7] + [6.5] * 4), w=1.0 + X * p[1])(AT * p[1])),
    "splrep": lambda p: (lambda tck: interpolate.splev(p[0], tck) + interpolate.splev(p[1], tck, der=1) * (
        interpolate.splint(-1.0, 4.0 * p[0], tck)))(interpolate.splrep(X, Y * p[1])),
    "UnivariateSpline": lambda p: (lambda s: s(p[0]) * s.integral(p[0], p[1]) + s.derivative()(p[1]))(
        interpolate.UnivariateSpline(X, Y * p[1], s=0)) + interpolate.InterpolatedUnivariateSpline(
            X, Y * p[0], k=2)(p[1], 1),
    "interp1d, kinds": lambda p: np.sum([np.sum(interpolate.interp1d(X, Y * p[1], kind)(AT * p[0])) for kind in (
        "nearest", "previous", "next", "zero", "slinear", "quadratic", "cubic", 5)]),
    "interp1d, beyond": lambda p: np.sum(interpolate.interp1d(X, Y * p[0], fill_value="extrapolate")(
        AT * p[1] * 3.0)) + np.sum(interpolate.interp1d(X[::-1], YS * p[0], "cubic", 0, fill_value=p[1],
                                                        bounds_error=False)(AT * p[1] * 3.0)),
    "RectBivariateSpline": lambda p: (lambda f: np.sum(f(AT[:2] * p[0], AT * p[1])) + f.ev(p[0], p[1]) * f(
        p[1], p[0], dx=1, grid=False))(interpolate.RectBivariateSpline(X, X[:4], np.outer(Y, X[:4] * p[1]), ky=2)),
    "BSpline": lambda p: interpolate.BSpline(X, Y[:4] * p[0], 2)(2.6 * p[1]),
    "grid": lambda p: np.sum(interpolate.RegularGridInterpolator((GX, GY * p[1]), GRID * p[0])(POINTS * p[0])),
    "grid, made before": lambda p: np.sum(TABLE(POINTS * p[0])) + np.sum(TABLE((p[0], p[1])) * p[1]) + np.sum(
        FILLED(p * [2.0, 9.0]) * p[0]) + TABLE(p)[0],
    "interpn": lambda p: np.sum(interpolate.interpn((GX, GY), GRID, POINTS * p[0]) * p[1]),
}


@pytest.mark.share(12)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U, 1e-3, 1e-8)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["pchip", "made before", "basis, made before", "grid"])
def test_second_derivatives(name: str):
    bends_agree(CASES[name], P, U, 1e-3, atol=1e-7)


def test_values_to_the_last_bit():
    at = np.linspace(-0.5, 7.0, 40)
    for made in (CUBIC, HERMITE, PCHIP):
        np.testing.assert_array_equal(ccc.compiled(lambda x, made=made: made(x), backend="numpy")(at), made(at))
    np.testing.assert_array_equal(ccc.compiled(lambda x: AKIMA(x), backend="numpy")(at), AKIMA(at))
    np.testing.assert_allclose(ccc.compiled(lambda x: BASIS(x), backend="numpy")(at), BASIS(at), rtol=1e-12)


def test_a_value_at_one_place_is_an_array_without_axes_as_in_scipy():
    def f(y: Any) -> Any:
        return (interpolate.CubicSpline(X, y)(0.5), CUBIC.integrate(0.0, 1.0), interpolate.interp1d(X, y)(0.5),
                BASIS(0.5), interpolate.KroghInterpolator(X, y)(0.5),
                interpolate.UnivariateSpline(X, y, s=0).integral(0.0, 1.0))

    found, wanted = ccc.compiled(f)(Y), f(Y)
    assert [(type(x), np.shape(x)) for x in found] == [(type(x), np.shape(x)) for x in wanted]


def test_what_is_not_taken_is_refused_or_raises():
    for f, text in [
        (lambda y: interpolate.make_interp_spline(X, y, bc_type="natural", k=5)(0.5), "k=3"),
        (lambda y: CUBIC.roots()[0] * y[0], "roots"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(Y)
    with pytest.raises(ValueError, match="out of bounds in dimension 1"):
        ccc.gradient(lambda p: TABLE(p)[0])(np.array([0.5, 9.0]))


@pytest.mark.parametrize("made", [
    interpolate.CubicSpline, interpolate.make_interp_spline, lambda x, y: interpolate.interp1d(x, y, "cubic"),
    lambda x, y: interpolate.make_interp_spline(x, y, bc_type="natural"),
])
def test_splines_through_many_places_take_as_many_numbers(made: Any):
    """A system with all pairs of these places has 400 million numbers."""
    x = np.linspace(0.0, 1.0, 20000)
    y, at = np.sin(9.0 * x) + np.where(np.arange(20000) % 97 == 0, 0.01, 0.0), np.linspace(0.1, 0.9, 50)
    f = lambda y: np.sum(made(x, y)(at) ** 2)  # noqa: E731
    value, slope = ccc.value_with_gradient(f)(y)
    assert value == pytest.approx(f(y), rel=1e-12)
    assert np.sum(slope * y) == pytest.approx(2.0 * value, rel=1e-11)  # it is of degree two
