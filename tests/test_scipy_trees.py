"""Nearest neighbours in trees, hulls and triangles: distances and volumes have derivatives, and which points are near
or corners is what SciPy says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

spatial = pytest.importorskip("scipy.spatial")
rng = np.random.default_rng(5)
POINTS, AT = rng.normal(size=(20, 2)), rng.normal(size=(3, 2))
MADE = spatial.cKDTree(POINTS)

CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "of points that move": (lambda x: np.sum(spatial.cKDTree(x).query(AT)[0] ** 2), POINTS),
    "at places that move": (lambda x: np.sum(spatial.KDTree(POINTS).query(x, k=3)[0] ** 3), AT),
    "of themselves": (lambda x: np.sum(spatial.KDTree(x).query(x, k=2)[0]), POINTS),
    "sums of sides": (lambda x: np.sum(spatial.KDTree(2 * x).query(x, 2, p=1)[0] ** 2), AT),
    "made before": (lambda x: np.sum(MADE.query(x, k=3, p=3)[0] ** 3), AT),
    "some of them": (lambda x: np.sum(MADE.query(x, k=[1, 3], p=np.inf)[0] ** 3), AT),
    "of one place": (lambda x: MADE.query(x)[0] * MADE.query(x)[1], AT[0]),
    "by index": (lambda x: np.sum(POINTS[MADE.query(x)[1]] * x) / MADE.n, AT),
    "none so near": (lambda x: np.sum(np.exp(-MADE.query(x, k=8, distance_upper_bound=0.6)[0])), AT),
}


def around(x: Any) -> Any:
    hull = spatial.ConvexHull(x)
    corners = hull.points[hull.vertices]
    turned = np.roll(corners, -1, axis=0)
    return hull.volume * hull.area + np.sum(corners[:, 0] * turned[:, 1] - corners[:, 1] * turned[:, 0]) + hull.nsimplex


def between(x: Any) -> Any:
    mesh = spatial.Delaunay(x)
    corners = x[mesh.simplices]
    found = np.sum(np.linalg.det(corners[:, 1:] - corners[:, :1]) ** 2)
    return found + mesh.npoints * isinstance(mesh, spatial.Delaunay)


CASES |= {
    "the hull of a plane": (around, POINTS),
    "the hull of a space": (lambda x: spatial.ConvexHull(x).volume + 2 * spatial.ConvexHull(x).area,
                            rng.normal(size=(9, 3))),
    "triangles": (between, POINTS),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", CASES)
def test_slopes_are_those_of_differences(name: str, backend: Any):
    f, at = CASES[name]
    value, slope = ccc.value_with_gradient(f, backend=backend)(at)
    assert value == pytest.approx(f(at), rel=1e-13)
    way, h = rng.normal(size=at.shape), 1e-6
    assert np.sum(slope * way) == pytest.approx((f(at + h * way) - f(at - h * way)) / (2 * h), rel=1e-6, abs=1e-8)


def test_second_derivatives():
    f = lambda s: np.sum(MADE.query(AT * s, k=3)[0] ** 3)  # noqa: E731
    first = ccc.derivative(f)
    assert ccc.derivative(first)(1.1) == pytest.approx((first(1.1 + 1e-5) - first(1.1 - 1e-5)) / 2e-5, rel=1e-7)


def test_places_are_those_of_scipy():
    far, places = ccc.compiled(lambda x: MADE.query(x, k=8, distance_upper_bound=0.6))(AT)
    expected = MADE.query(AT, k=8, distance_upper_bound=0.6)
    np.testing.assert_array_equal(places, expected[1])
    np.testing.assert_allclose(far, expected[0], rtol=1e-14)


def test_periodic_trees_are_refused():
    with pytest.raises(CompileError, match="boxsize=None"):
        ccc.gradient(lambda x: spatial.KDTree(x % 1.0, boxsize=1.0).query(AT[0])[0])(POINTS)
