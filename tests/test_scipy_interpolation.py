"""Interpolation on grids, between scattered points and by splines that smooth: values are SciPy's, derivatives those of
differences, and where SciPy stops early those of differences of what is solved to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, differences, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

interpolate: Any = pytest.importorskip("scipy.interpolate")
optimize: Any = pytest.importorskip("scipy.optimize")
from scipy.sparse.linalg import spsolve  # noqa: E402 - only where SciPy is installed

RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
X, AT = np.array([0.0, 1.0, 2.5, 3.0, 4.5, 5.0]), np.array([0.2, 1.9, 4.0])
YS, TWO = RNG.normal(size=(2, 6)), RNG.normal(size=(6, 2))
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.4]])
F, PLACES = np.array([0.0, 1.0, 4.0, 9.0, 16.0]), np.array([[0.2, 0.1], [0.3, 0.25], [0.35, 0.3]])
GRID = RNG.normal(size=(7, 8, 2))
GX, GY = np.linspace(0.0, 1.0, 7) ** 1.2, np.linspace(2.0, 0.0, 8)
LONG = np.sort(RNG.uniform(0.0, 3.0, 20))
NOISY = np.sin(LONG) + 0.1 * RNG.normal(size=20)
ROWS, FLAT = interpolate.CubicSpline(X, YS, axis=1), interpolate.LinearNDInterpolator(CORNERS, F)
STEEP = interpolate.RegularGridInterpolator((GX, GY[::-1]), GRID, method="pchip")
KEPT = interpolate.UnivariateSpline(LONG, NOISY, s=0.1, ext=1)
PERIODIC = interpolate.CubicSpline(X, np.append(YS[0, :5], YS[0, 0]), bc_type="periodic")

CASES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda p: np.sum(interpolate.CubicSpline(X, YS * p[0], axis=1)(AT * p[1]) * AT)
    + np.sum(interpolate.PchipInterpolator(X * p[1], YS * p[0], axis=-1)(AT) * AT)
    + np.sum(interpolate.Akima1DInterpolator(X, TWO * p[0] ** 2)(AT * p[1] * 0.9) * P)
    + np.sum(interpolate.CubicHermiteSpline(X, YS, YS * p[0], axis=1)(AT[0] * p[1], 1)),
    "ends": lambda p: np.sum(interpolate.CubicSpline(X, TWO * p[0], bc_type=((1, p), (2, p**2)))(AT * p[1]))
    + np.sum(interpolate.CubicSpline(X * p[1], TWO, bc_type=("natural", "not-a-knot"))(AT))
    + interpolate.CubicSpline(X[:2], p)(0.3) + interpolate.CubicSpline(X[:3] * p[0], X[:3] ** 2 * p[1])(0.3),
    "periodic": lambda p: (lambda s: s(p[0] + 5.0) + s(-p[1]) * s.integrate(p[0], 7.0 * p[1]) + s.derivative()(-p[0]))(
        interpolate.CubicSpline(X * p[1], np.append(YS[0, :5] * p[0], YS[0, 0] * p[0]), bc_type="periodic")),
    "pieces": lambda p: interpolate.PPoly(TWO[:4] * p[0], X[:3] * p[1])(1.5)
    + np.sum(interpolate.BPoly(GRID[:4, :2] * p[0], X[:3] * p[1])(1.5, 1) * P),
    "basis": lambda p: interpolate.BSpline.basis_element(X[:5] * p[0])(p[1] * 1.5)
    + np.sum(interpolate.BSpline(X, YS[:, :4] * p[0], 1, axis=1)(AT * p[1]) * AT)
    + np.sum(interpolate.make_interp_spline(X, YS * p[0], axis=1)(AT * p[1], 1) * AT)
    + np.sum(interpolate.interp1d(X, YS * p[0])(AT * p[1] * 0.8) * AT),
    "made before": lambda p: np.sum(ROWS(AT * p[0], 1) * AT) + FLAT(p[0] * 0.3, p[1] * 0.2) * p[0]
    + np.sum(STEEP(PLACES * p) * P) + KEPT(p[0]) * KEPT.derivative()(p[1]) + KEPT(5.0 * p[1]) + PERIODIC(p[0] * 9.0),
    "scattered": lambda p: np.sum(interpolate.griddata(CORNERS * p[1], F * p[0], PLACES) * AT)
    + np.sum(interpolate.LinearNDInterpolator(CORNERS, np.stack([F, F**2 * p[0]], 1), rescale=True)(PLACES * p) * P)
    + np.sum(interpolate.griddata(CORNERS, F * p[0], PLACES, "nearest") * AT)
    + np.nan_to_num(interpolate.griddata(CORNERS, F, (p[0] * 3.0, 0.1))) + interpolate.griddata(
        X[::-1], TWO[:, 0] * p[0], p[1], "cubic"),
    "shapes": lambda p: np.sum(interpolate.interpn((GX, GY), GRID * p[0], PLACES * p[1], "pchip") * P)
    + interpolate.RegularGridInterpolator((GX, GY), GRID[..., 0], "nearest")(PLACES)[1] * p[0],
    "fits": lambda p: (lambda tck: interpolate.splev(p[0], tck) + interpolate.splint(0.1, p[1], tck)
                       + interpolate.splev(p[1], interpolate.splder(tck)) * p[0] + interpolate.spalde(p[0], tck)[2]
                       + interpolate.splev(p[0], interpolate.splantider(tck)))(
        interpolate.splrep(LONG, NOISY * p[0], LONG + p[1], task=-1, t=np.array([1.0, 2.0]))),
    "fits with options": lambda p: interpolate.LSQUnivariateSpline(LONG, NOISY * p[0], [1.5], k=2)(p[1])
    + np.sum(interpolate.UnivariateSpline(LONG, NOISY * p[0], s=0, ext=3)(np.array([-1.0, p[1], 5.0])) * AT),
    "polynomial": lambda p: interpolate.UnivariateSpline(LONG, NOISY * p[0], LONG + p[1])(p[1]),
    "roots": lambda p: np.sum(interpolate.sproot(interpolate.splrep(LONG, NOISY - 0.5 * p[0])) * p[1]),
    "path": lambda p: np.sum(np.stack(interpolate.splev(AT * 0.2 * p[1], interpolate.splprep(
        [LONG, NOISY * p[0]], s=0)[0])) * np.array([[1.0], [2.0]])),
    "natural": lambda p: np.sum(interpolate.make_smoothing_spline(LONG, NOISY * p[0], LONG + p[1], 0.1)(AT * p[1]))
    + interpolate.make_smoothing_spline(LONG * p[1], NOISY, lam=p[0])(0.5),
    "surface": lambda p: interpolate.bisplev(p[0], p[1], (X, X, np.arange(9.0) ** 2 * p[0], 2, 2))
    + np.sum(interpolate.bisplev(AT * p[1] * 0.9, AT[:2], (X, X, np.arange(9.0) ** 2, 2, 2), dx=1)),
}


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U, 1e-3, 1e-8)


@pytest.mark.share(8)
@pytest.mark.parametrize("name", ["rows", "periodic", "scattered", "shapes", "natural", "roots"])
def test_second_derivatives_and_machine_code(name: str):
    bends_agree(CASES[name], P, U, 3e-4, atol=1e-7)
    slope = ccc.gradient(CASES[name], backend="numpy")(P)
    np.testing.assert_allclose(ccc.gradient(CASES[name], backend="native")(P), slope, rtol=1e-9, atol=1e-10)


@pytest.mark.share(2)
@pytest.mark.parametrize("method", ["slinear", "cubic", "quintic"])
def test_splines_on_grids_move_as_those_of_a_direct_solver(method: str):
    def f(p: Any) -> Any:
        return interpolate.RegularGridInterpolator((GX, GY), GRID[..., 0] * p[0], method)(PLACES * p[1])[1]

    def exact(p: Any) -> Any:
        return interpolate.RegularGridInterpolator((GX, GY), GRID[..., 0] * p[0], method, solver=spsolve)(
            PLACES * p[1])[1]

    value, slope = ccc.value_with_gradient(f, backend="numpy")(P)
    assert value == f(P)
    np.testing.assert_allclose(slope, differences(exact, P, 1e-3), rtol=1e-8)


def solved_to_the_end(y: Any, s: float, at: Any) -> Any:
    """The spline with SciPy's knots whose sum of squares is `s`."""
    t = interpolate.splrep(LONG, NOISY, s=0.1)[0]
    basis = interpolate.BSpline.design_matrix(LONG, t, 3).toarray()
    inner = t[3:-3]
    jumps = np.diff(interpolate.BSpline(t, np.eye(len(t) - 4), 3)(0.5 * (inner[1:] + inner[:-1]), 3), axis=0)

    def coefficients(u: float) -> Any:
        return np.linalg.solve(basis.T @ basis + np.exp(u) * jumps.T @ jumps, basis.T @ y)

    u = optimize.brentq(lambda u: np.sum((y - basis @ coefficients(u)) ** 2) - s, -25.0, 5.0, xtol=1e-14, rtol=1e-15)
    return interpolate.BSpline(t, coefficients(u), 3)(at)


@pytest.mark.parametrize("fit", [
    lambda y, s: interpolate.UnivariateSpline(LONG, y, s=s)(AT * 0.7),
    lambda y, s: interpolate.splev(AT * 0.7, interpolate.splrep(LONG, y, s=s)),
])
def test_splines_that_smooth_move_as_those_solved_to_the_end(fit: Any):
    came_to = np.sum((NOISY - interpolate.splev(LONG, interpolate.splrep(LONG, NOISY, s=0.1))) ** 2)
    f = lambda y, s: np.sum(fit(y, s) * AT)  # noqa: E731
    value, (of_y, of_s) = ccc.value_with_gradient(f, backend="numpy")(NOISY, 0.1)
    assert value == pytest.approx(f(NOISY, 0.1), rel=1e-12)
    assert abs(came_to - 0.1) > 1e-5
    exact = lambda y, s: np.sum(solved_to_the_end(y, s, AT * 0.7) * AT)  # noqa: E731
    np.testing.assert_allclose(of_y, differences(lambda y: exact(y, came_to), NOISY), rtol=1e-6, atol=1e-7)
    of_s_too = differences(lambda s: exact(NOISY, s[0]), np.array([came_to]))[0]
    assert of_s == pytest.approx(of_s_too, rel=1e-6)


def test_the_weight_of_a_natural_spline_that_is_found_moves_as_a_minimum():
    f = lambda y: interpolate.make_smoothing_spline(LONG, y)(1.0)  # noqa: E731
    value, slope = ccc.value_with_gradient(f, backend="numpy")(NOISY)
    assert value == pytest.approx(f(NOISY), rel=1e-10)
    n, h = len(LONG), np.diff(LONG)
    q, r = np.zeros((n, n - 2)), np.diag((h[:-1] + h[1:]) / 3) + np.diag(h[1:-1] / 6, 1) + np.diag(h[1:-1] / 6, -1)
    for j in range(n - 2):
        q[j:j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
    bend = q @ np.linalg.solve(r, q.T)
    (w, v), g = np.linalg.eigh(bend), interpolate.make_smoothing_spline(LONG, NOISY)(LONG)
    found = np.log((NOISY - g) @ bend @ g / np.sum((bend @ g) ** 2))

    def off(u: float, y: Any) -> Any:
        """The slope of the error of prediction in the logarithm of the weight."""
        share = 1 / (1 + np.exp(u) * w)
        rest, z = 1 - share, (v.T @ y) ** 2
        return np.sum(rest**2 * share * z) * np.sum(rest) - np.sum(rest**2 * z) * np.sum(share * rest)

    def exact(y: Any) -> Any:
        stopped = off(found, NOISY)
        u = optimize.brentq(lambda u: off(u, y) - stopped, found - 0.5, found + 0.5, xtol=1e-14)
        return interpolate.make_smoothing_spline(LONG, y, lam=np.exp(u))(1.0)

    assert abs(off(found, NOISY)) < 1e-5
    np.testing.assert_allclose(slope, differences(exact, NOISY), rtol=1e-4, atol=1e-6)


def test_what_is_not_taken_is_refused_or_raises():
    for f, text in [
        (lambda y: interpolate.griddata(CORNERS, F * y[0], PLACES, "cubic")[0], "method='linear' and 'nearest'"),
        (lambda y: interpolate.splrep(LONG, NOISY * y[0], task=1)[1][0], "task=0 and task=-1"),
        (lambda y: interpolate.splprep([LONG, NOISY * y[0]], task=1)[1][0], "task=0"),
        (lambda y: interpolate.make_smoothing_spline(X, TWO * y[0])(0.5)[0], "or with lam"),
        (lambda y: STEEP(PLACES * y[0], nu=(1, 0))[0, 0], "nu=None"),
        (lambda y: interpolate.interpn((GX, GY), GRID[..., 0] * y[0], PLACES, "splinef2d")[0], "splinef2d"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(YS[0])
    with pytest.raises(ValueError, match="identical"):
        ccc.gradient(lambda y: interpolate.CubicSpline(X, y, bc_type="periodic")(0.5))(YS[0])
