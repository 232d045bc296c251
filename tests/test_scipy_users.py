"""Calls of SciPy as people write them: the value is SciPy's, the gradient that of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

linalg: Any = pytest.importorskip("scipy.linalg")
optimize: Any = pytest.importorskip("scipy.optimize")
sparse: Any = pytest.importorskip("scipy.sparse")
linear: Any = pytest.importorskip("scipy.sparse.linalg")
signal: Any = pytest.importorskip("scipy.signal")
special: Any = pytest.importorskip("scipy.special")
spatial: Any = pytest.importorskip("scipy.spatial")

RNG = np.random.default_rng(1)
X = np.linspace(0.0, 4.0, 30)
Y = 2.5 * np.exp(-1.3 * X) + 0.5 + 0.05 * RNG.normal(size=30)
POINTS, OTHERS = RNG.normal(size=(6, 3)), RNG.normal(size=(5, 3))
PLACES = RNG.uniform(size=(12, 2))
MESH, HULL = spatial.Delaunay(PLACES), spatial.ConvexHull(PLACES)
BAND = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(6, 6), format="csc")
KEPT = sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(6, 6)).tocsr()
DIAGONALS, LINES = BAND.todia(), BAND.tolil()
FINE = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
START = [2.0, 1.0, 0.3]


def decay(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * x) + c


def slopes(x: Any, a: Any, b: Any, c: Any) -> Any:
    return np.stack([np.exp(-b * x), -a * x * np.exp(-b * x), 1.0 + 0.0 * x], axis=1)


def fitted(y: Any, **options: Any) -> Any:
    found, spread = optimize.curve_fit(decay, X, y, p0=START, xtol=1e-13, ftol=1e-13, **options)
    return np.sum(found) + np.sum(np.sqrt(np.diag(spread)))


def searched(y: Any, loss: str) -> Any:
    found = optimize.least_squares(lambda p: decay(X, *[p[0], p[1], p[2]]) - y, START, loss=loss, f_scale=0.1, **FINE)
    return found.x[1] + found.cost


def by_slopes(y: Any) -> Any:
    found = optimize.least_squares(
        lambda p, x: decay(x, p[0], p[1], p[2]) - y, START, lambda p, x: slopes(x, p[0], p[1], p[2]), method="lm",
        args=(X,), **FINE)
    return np.sum(found.x) + found.cost + np.sum(found.fun**2)


def area(q: Any) -> Any:
    s = MESH.simplices
    a, b, c = q[s[:, 0]], q[s[:, 1]], q[s[:, 2]]
    return np.sum(((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])) ** 2)


def around(q: Any) -> Any:
    v = q[HULL.vertices]
    return np.abs(np.sum(v[:, 0] * np.roll(v[:, 1], -1) - v[:, 1] * np.roll(v[:, 0], -1))) * HULL.nsimplex


d = spatial.distance
CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "curve_fit": (lambda y: fitted(y), Y),
    "curve_fit, slopes": (lambda y: fitted(y, jac=slopes), Y),
    "curve_fit, bounds": (lambda y: fitted(y, bounds=(0.0, [3.0, 5.0, 1.0]), sigma=0.1 + 0.01 * X), Y),
    "least_squares, slopes": (by_slopes, Y),
    "least_squares, linear": (lambda y: searched(y, "linear"), Y),
    "least_squares, huber": (lambda y: searched(y, "huber"), Y),
    "least_squares, soft_l1": (lambda y: searched(y, "soft_l1"), Y),
    "least_squares, cauchy": (lambda y: searched(y, "cauchy"), Y),
    "least_squares, arctan": (lambda y: searched(y, "arctan"), Y),
    "seuclidean": (lambda a: np.sum(d.pdist(a, "seuclidean")) + np.sum(d.cdist(a, OTHERS, "seuclidean") ** 2), POINTS),
    "mahalanobis": (
        lambda a: np.sum(d.pdist(a, "mahalanobis")) + np.sum(d.cdist(a, OTHERS, "mahalanobis") ** 2), POINTS),
    "a mesh made before": (area, PLACES),
    "a hull made before": (around, PLACES),
    "cg": (lambda b: np.sum(linear.cg(BAND, b, rtol=1e-13)[0] ** 2), Y[:6]),
    "gmres": (lambda b: np.sum(linear.gmres(KEPT, b, rtol=1e-13)[0] ** 2), Y[:6]),
    "cg, numbers": (lambda v: np.sum(linear.cg(sparse.csr_matrix((v * v, KEPT.indices, KEPT.indptr), shape=(6, 6)),
                                               np.ones(6), rtol=1e-13)[0]), np.sqrt(np.abs(KEPT.data))),
    "formats": (lambda b: np.sum((DIAGONALS @ b) ** 2) + np.sum((LINES @ b) ** 3) + np.sum((BAND @ b) ** 2), Y[:6]),
}
FITS = ("curve_fit", "least_squares")
"""What SciPy searches ends within about 1e-9 of the place."""


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name: str, backend: Any):
    f, x = CASES[name]
    value, slope = ccc.value_with_gradient(f, backend=backend)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    fits = name.startswith(FITS)
    for away in RNG.normal(size=(3, *x.shape)) * (1e-3 if fits else 1e-4):
        ends = [f(x + k * away) for k in (1, -1, 2, -2)]
        wanted = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12.0
        rel, least = (2e-4, 3e-9) if fits else (3e-6, 1e-10)
        assert np.sum(slope * away) == pytest.approx(wanted, rel=rel, abs=least)


def test_a_mesh_is_read_anew():
    global MESH
    before, kept = ccc.value_with_gradient(area)(PLACES)[0], MESH
    try:
        MESH = spatial.Delaunay(PLACES[:8])
        assert ccc.value_with_gradient(area)(PLACES)[0] == pytest.approx(area(PLACES)) != before
    finally:
        MESH = kept


SINGLE = (0.3 * RNG.normal(size=(4, 4))).astype(np.float32)
B, A = [c.astype(np.float32) for c in signal.butter(3, 0.3)]
KEPT_SINGLE: dict[str, tuple[Callable[..., Any], Any]] = {
    "expm": (lambda a: np.sum(linalg.expm(a)), SINGLE),
    "filtfilt": (lambda x: np.sum(signal.filtfilt(B, A, x)), Y.astype(np.float32)),
    "lfilter": (lambda x: np.sum(signal.lfilter(B, A, x)), Y.astype(np.float32)),
    "sosfilt": (lambda x: np.sum(signal.sosfilt(signal.tf2sos(B, A).astype(np.float32), x)), Y.astype(np.float32)),
    "j1": (lambda x: np.sum(special.j1(x)), Y.astype(np.float32)),
}


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", KEPT_SINGLE)
def test_single_precision_stays(name: str, backend: Any):
    f, x = KEPT_SINGLE[name]
    value, slope = ccc.value_with_gradient(f, backend=backend)(x)
    assert value.dtype == f(x).dtype == np.float32
    assert slope.dtype == np.float32
    assert float(value) == pytest.approx(float(f(x)), rel=1e-5)
