"""Pairs of matrices, designs of filters, symmetric filters and polynomials of SciPy's: values are SciPy's, and slopes
those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

linalg, signal, ndimage, interpolate = [
    pytest.importorskip(f"scipy.{name}") for name in ("linalg", "signal", "ndimage", "interpolate")]
P, U = np.array([0.7, 1.3]), np.array([1.0, -0.6])
rng = np.random.default_rng(11)
A, B = rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
BLOCK = np.array([[1.0, 2.0, 0.3], [-1.5, 0.7, 0.2], [0.3, 0.1, 2.0]])
LONG, IMAGE = rng.normal(size=(2, 60)), rng.normal(size=(45, 40))
X, Y = np.array([0.0, 1.0, 2.5, 3.0]), rng.normal(size=(4, 2))


def q(*found: Any) -> Any:
    """A number of all that is found, in which all of it counts."""
    return sum([np.sum(np.sin(np.arange(1.0, np.size(x) + 1.0)) * np.ravel(x)) + np.sum(x * x) for x in found])


def parts(*found: Any) -> Any:
    return q(*[np.real(x) for x in found], *[np.imag(x) for x in found])


def products(line: Any, found: Any, scale: Any) -> None:
    found[:] = scale * line[:-2] * line[1:-1] + line[2:] ** 2


def bands(p: Any, kind: str) -> dict[str, Any]:
    """A filter of a kind for each place of its bands."""
    return {
        "low": lambda: signal.iirdesign(0.2 * p[0], 0.5, p[1], 40.0, ftype=kind),
        "high": lambda: signal.iirdesign(0.7 * p[0], 0.2, 1.0, 30.0 * p[1], ftype=kind),
        "between": lambda: signal.iirdesign([200 * p[0], 300 * p[1]], [100.0, 600], 1.0, 30.0, ftype=kind, fs=2000.0),
        "analog": lambda: signal.iirdesign(0.2 * p[0], 0.5 * p[1], 1.0, 40.0, analog=True, ftype=kind),
    }


CASES: dict[str, Callable[[Any], Any]] = {
    "qz, a block": lambda p: q(*linalg.qz(A * p[0] + B * p[1] ** 2, B * p[0] + A)),
    "qz": lambda p: q(*linalg.qz(A @ A.T * p[0] + 0.1 * B * p[1], B @ B.T * p[1] + np.eye(4))),
    "ordqz": lambda p: parts(*linalg.ordqz(A @ A.T * p[0] - 3.0 * np.eye(4), B @ B.T * p[1] + np.eye(4))),
    "rsf2csf": lambda p: parts(*linalg.rsf2csf(*linalg.schur(BLOCK * p[0] + 0.1 * p[1]))),
    "symiirorder2": lambda p: q(signal.symiirorder2(LONG * p[0], 0.4 * p[0], 0.6 * p[1])),
    "symiirorder2, one": lambda p: q(signal.symiirorder2(LONG[0] * p[0], 0.3 * p[1], 0.0)),
    "symiirorder2, turned": lambda p: q(signal.symiirorder2(LONG[0] * p[0], 0.3 * p[1], np.pi)),
    "cspline2d": lambda p: q(signal.cspline2d(IMAGE * p[0], 0.5 * p[1])),
    "cspline2d, no smoothing": lambda p: q(signal.cspline2d(IMAGE * p[0], 0.0)),
    "qspline2d": lambda p: q(signal.qspline2d(IMAGE * p[1])),
    "spline_filter": lambda p: q(signal.spline_filter(IMAGE * p[1], p[0])),
    "iirdesign, sections": lambda p: q(signal.iirdesign(0.2 * p[0], 0.5 * p[1], 1.0, 40.0, output="sos")),
    "generic_filter1d": lambda p: q(ndimage.generic_filter1d(LONG * p[1], products, 3, extra_arguments=(p[0],))),
    "generic_filter1d, wrapped": lambda p: q(ndimage.generic_filter1d(
        LONG * p[1], products, 3, 0, mode="wrap", origin=1, extra_arguments=(p[0],))),
    "approximate_taylor_polynomial": lambda p: q(interpolate.approximate_taylor_polynomial(
        lambda x: np.sin(p[0] * x) + p[1] * x, p[1], 3, 0.1).coeffs),
    "derivatives": lambda p: q(interpolate.KroghInterpolator(X * p[0], Y * p[1]).derivatives(p[0])),
    "derivatives, some": lambda p: q(
        interpolate.KroghInterpolator(X * p[0], Y * p[1]).derivatives(np.stack([p[0], 1.0]), 2)),
    "krogh_interpolate": lambda p: q(interpolate.krogh_interpolate(X * p[0], Y * p[1], np.stack([p[0], 1.0]), 1)),
    "dpss": lambda p: q(signal.windows.dpss(16, 2.5 * p[0]), signal.windows.dpss(17, 2.0 * p[1])),
    "dpss, several": lambda p: q(signal.windows.dpss(13, 2.5 * p[0], 4, sym=False),
                                 signal.windows.dpss(12, 2.5, 3, norm="approximate") * p[1]),
    "eigh_tridiagonal, some": lambda p: q(
        linalg.eigh_tridiagonal(np.arange(5.0) * p[0], np.ones(4) * p[1], True, select="i", select_range=(1, 3)),
        linalg.eigvalsh_tridiagonal(np.arange(5.0), np.ones(4) * p[1], select="i", select_range=(0, 0))),
    "derivative": lambda p: q(interpolate.BarycentricInterpolator(X * p[0], Y * p[1]).derivative(p[1], 2)),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U, 1e-3, 1e-6)


@pytest.mark.share(4)
@pytest.mark.parametrize("place", ["low", "high", "between", "analog"])
@pytest.mark.parametrize("kind", ["butter", "cheby1", "cheby2", "ellip"])
def test_filters_of_bands_that_are_asked_for(kind: str, place: str):
    slopes_agree(lambda p: q(*bands(p, kind)[place]()), P, U, 1e-4, 1e-6)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["qz, a block", "symiirorder2", "cspline2d", "generic_filter1d", "derivatives"])
def test_second_derivatives_and_machine_code(name: str):
    f = CASES[name]
    first = ccc.derivative(lambda s: f(P + s * U))
    assert ccc.derivative(first)(0.0) == pytest.approx((first(1e-4) - first(-1e-4)) / 2e-4, rel=1e-5)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(P), ccc.gradient(f)(P), rtol=1e-9)


def test_what_has_no_derivative_is_refused_or_raises():
    with pytest.raises(ValueError, match="give scipy.signal.iirfilter an order"):
        ccc.gradient(lambda w: np.sum(signal.iirdesign([0.1 * w, 0.6], [0.2, 0.5], 1.0, 40.0)[0]))(1.0)
    with pytest.raises(ValueError, match="all eigenvalues are real"):
        ccc.gradient(lambda p: parts(*linalg.ordqz(A * p[0] + B * p[1] ** 2, B * p[0] + A)))(P)
    with pytest.raises(ValueError, match="did not converge"):
        ccc.gradient(lambda r: np.sum(signal.symiirorder2(LONG, r, 0.5)))(0.9)
    with pytest.raises(CompileError, match="give select='i'"):
        ccc.gradient(lambda p: q(linalg.eigh_tridiagonal(p, p[1:], True, select="v", select_range=(0, 1))))(P)
    with pytest.raises(CompileError, match="return_ratios=False"):
        ccc.gradient(lambda p: q(*signal.windows.dpss(8, p[0], 2, return_ratios=True)))(P)
    with pytest.raises(CompileError, match="output='real'"):
        ccc.gradient(lambda p: parts(*linalg.qz(A * p[0], B, "complex")))(P)
