"""Factors that are updated, functions of matrices, knots that are put in, and filters that had no rule: values are
SciPy's, and slopes those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

linalg, signal, ndimage, interpolate, optimize = [
    pytest.importorskip(f"scipy.{name}") for name in ("linalg", "signal", "ndimage", "interpolate", "optimize")]
P, U = np.array([0.7, 1.3]), np.array([1.0, -0.6])
rng = np.random.default_rng(11)
A, B, N, ROW = rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), rng.normal(size=(6, 3)), rng.normal(size=6)
X, Y = np.arange(7.0), rng.normal(size=(2, 7))
LONG = rng.normal(size=(2, 40))
T, C = np.array([0.0, 0, 0, 0, 1.5, 3, 4, 6, 6, 6, 6]), rng.normal(size=7)


def q(*found: Any) -> Any:
    """A number of all that is found, in which all of it counts."""
    return sum([np.sum(np.sin(np.arange(1.0, np.size(x) + 1.0)) * np.ravel(x)) + np.sum(x * x) for x in found])


def moved(p: Any) -> Any:
    return A * p[0] + B * p[1] ** 2


def thin(p: Any) -> Any:
    return np.linalg.qr(N * p[0] + p[1] * N**2)


CASES: dict[str, Callable[[Any], Any]] = {
    "qr_update": lambda p: q(*linalg.qr_update(*np.linalg.qr(moved(p)), B[0] * p[0], A[1])),
    "qr_update, some": lambda p: q(*linalg.qr_update(*np.linalg.qr(moved(p)), B[:, :2] * p[0], A[:, :2])),
    "qr_update, economic": lambda p: q(*linalg.qr_update(*thin(p), ROW * p[0], N[0])),
    "qr_insert": lambda p: q(*linalg.qr_insert(*thin(p), N[0] * p[1], 2)),
    "qr_insert, column": lambda p: q(*linalg.qr_insert(*thin(p), ROW * p[1], 1, "col")),
    "qr_delete": lambda p: q(*linalg.qr_delete(*thin(p), 1, 2)),
    "qr_delete, column": lambda p: q(*linalg.qr_delete(*thin(p), 1, 1, "col")),
    "funm": lambda p: q(linalg.funm(moved(p), lambda w: np.exp(w) + w * w)),
    "funm, by parts": lambda p: q(np.real(linalg.funm(moved(p) + 1j * B, lambda w: np.sin(w) / 3.0))),
    "fmin_tnc": lambda p: q(optimize.fmin_tnc(
        lambda x: ((x[0] - p[0]) ** 2 + (x[1] * p[1] - 1.0) ** 2, np.array([
            2.0 * (x[0] - p[0]), 2.0 * p[1] * (x[1] * p[1] - 1.0)])), [0.1, 0.1], disp=0, pgtol=1e-12)[0]),
    "fmin_tnc, bounds": lambda p: q(optimize.fmin_tnc(
        lambda x: (np.sum((x - p) ** 2), 2.0 * (x - p)), [0.1, 0.1], bounds=[(0, 0.5), (None, None)], disp=0)[0]),
    "insert": lambda p: (lambda made: q(made[0], made[1][:8]))(
        interpolate.insert(2.0 * p[0], (T, C * p[1], 3))),
    "insert, twice": lambda p: (lambda made: q(made[0], made[1][:9]))(
        interpolate.insert(1.5 * p[1], (T * p[0], C, 3), m=2)),
    "make_splrep": lambda p: q(interpolate.make_splrep(X * p[0], Y[0] * p[1], k=3)(X[1:4] * 0.5)),
    "make_splprep": lambda p: (lambda made: q(made[0](0.3 * p[0]), made[1]))(
        interpolate.make_splprep([Y[0] * p[0], Y[1] * p[1]])),
    "symiirorder1": lambda p: q(signal.symiirorder1(LONG * p[0], p[1], 0.4 * p[0])),
    "symiirorder1, one": lambda p: q(signal.symiirorder1(LONG[0] * p[0], 0.3, -0.3 * p[1])),
    "sepfir2d": lambda p: q(signal.sepfir2d(A * p[0], np.array([1.0, 2.0 * p[1], 3.0]), np.array([0.5, p[0], 1.0]))),
    "fourier_ellipsoid": lambda p: q(ndimage.fourier_ellipsoid(A * p[0], 1.5 * p[1])),
    "fourier_ellipsoid, one": lambda p: q(ndimage.fourier_ellipsoid(X * p[0], p[1], n=12)),
    "fourier_ellipsoid, three": lambda p: q(ndimage.fourier_ellipsoid(
        np.stack([A, B]) * p[0], [1.0, p[1], 2.0])),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    searched = name.startswith("fmin")
    slopes_agree(CASES[name], P, U, 0.05 if searched else 1e-3, 1e-5 if searched else 1e-7)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["qr_update", "qr_delete", "funm", "insert", "symiirorder1", "fourier_ellipsoid"])
def test_second_derivatives_and_machine_code(name: str):
    f = CASES[name]
    first = ccc.derivative(lambda s: f(P + s * U))
    assert ccc.derivative(first)(0.0) == pytest.approx((first(1e-4) - first(-1e-4)) / 2e-4, rel=1e-5)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(P), ccc.gradient(f)(P), rtol=1e-9)


def test_what_has_no_derivative_is_refused_or_raises():
    with pytest.raises(ValueError, match="mode='economic'"):
        ccc.gradient(lambda p: q(*linalg.qr_insert(*np.linalg.qr(moved(p)), B[0] * p[0], 1)))(P)
    with pytest.raises(ValueError, match="eigenvectors are a basis"):
        ccc.gradient(lambda p: q(linalg.funm(np.array([[1.0, 1.0], [0.0, 1.0]]) * p[0], np.exp)))(P)
    with pytest.raises(CompileError, match="s=0"):
        ccc.gradient(lambda p: q(interpolate.make_splrep(X * p[0], Y[0], s=1.0)(X)))(P)
