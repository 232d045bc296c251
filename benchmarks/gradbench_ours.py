"""GradBench's functions computed by this library: `functions(backend)` has a function of the arguments for each, which
gives a call without arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import ccc
from benchmarks.programs import ba, det, gmm, hello, ht, kmeans, llsq, lse, lstm, ode, particle, saddle
from compile.wrapper import Transform

Bound = Callable[..., Callable[[], Any]]
BACKENDS = ("auto", "native", "numpy")


def verb(transform: Callable[..., Any], backend: str) -> Callable[..., Any]:
    """A verb that compiles for a target, where it has targets; `auto` leaves the choice to the verb."""
    chosen = backend != "auto" and "backend" in inspect.signature(transform).parameters
    return partial(transform, backend=backend) if chosen else transform


def newton_direction(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The gradient over the second derivatives, which are zero off the diagonal."""
    slopes, differential = ccc.value_with_differential(ccc.gradient(kmeans.cost, wrt="centres"), wrt="centres")(
        points, centres
    )
    return slopes / differential(np.ones(np.shape(centres)))


def observed_slopes(cameras: np.ndarray, points: np.ndarray, weights: np.ndarray, features: np.ndarray) -> Any:
    """The derivatives of each error in its own camera, point and weight, observations along the first axis."""
    one, zero = np.ones(len(weights)), np.zeros(len(weights))
    _, pullback = ccc.value_with_pullback(ba.observed_errors, wrt=("cameras", "points", "weights"))(
        cameras, points, weights, features
    )
    return pullback((one, zero, zero)), pullback((zero, one, zero)), pullback((zero, zero, one))


def compressed_rows(slopes: Any, camera_of: np.ndarray, point_of: np.ndarray, n: int, m: int) -> Any:
    """The matrix of all derivatives of bundle adjustment: where rows start, the columns of entries, and entries."""
    u, v, w = slopes
    p = len(camera_of)
    blocks, columns = np.empty((p, 2, 15)), np.empty((p, 2, 15), dtype=np.int32)
    for row, (camera, point, weight) in enumerate((u, v)):
        blocks[:, row, :11], blocks[:, row, 11:14], blocks[:, row, 14] = camera, point, weight
    of_weight = 11 * n + 3 * m + np.arange(p, dtype=np.int32)
    columns[:, :, :11] = (11 * camera_of[:, None] + np.arange(11))[:, None]
    columns[:, :, 11:14] = (11 * n + 3 * point_of[:, None] + np.arange(3))[:, None]
    columns[:, :, 14] = of_weight[:, None]
    starts = np.concatenate([np.arange(0, 30 * p, 15), np.arange(30 * p, 31 * p + 1)])
    return starts, np.concatenate([np.ravel(columns), of_weight]), np.concatenate([np.ravel(blocks), w[2]])


def surface_jacobian(
    theta: np.ndarray, u: np.ndarray, hand: ht.Hand, correspondences: np.ndarray, measured: np.ndarray
) -> np.ndarray:
    """The derivatives of hand tracking in the coordinates of each point itself and in theta, a column each."""
    _, along = ccc.value_with_differential(ht.surface_distances, wrt=("theta", "u"))(
        theta, u, hand, correspondences, measured
    )
    here, still = np.zeros(len(theta)), np.zeros(np.shape(u))
    own = np.array([np.ravel(along(here, still + axis)) for axis in np.eye(2)])
    moved = np.array([np.ravel(along(move, still)) for move in np.eye(len(theta))])
    return np.transpose(np.concatenate([own, moved]))


def vertex_jacobian(theta: np.ndarray, hand: ht.Hand, correspondences: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """The derivatives of hand tracking on vertices, a column for each entry of theta."""
    _, along = ccc.value_with_differential(ht.distances, wrt="theta")(theta, hand, correspondences, measured)
    return np.transpose(np.array([np.ravel(along(move)) for move in np.eye(len(theta))]))


def by_points(surface: Callable[..., Any], vertices: Callable[..., Any]) -> Bound:
    """The function of points on a surface where they have coordinates there, else that of vertices."""

    def chosen(theta: Any, u: Any, *rest: Any) -> Callable[[], Any]:
        return partial(surface, theta, u, *rest) if len(u) else partial(vertices, theta, *rest)

    return chosen


def by_modes(module: Any, name: str, run: Callable[..., Any]) -> dict[str, Bound]:
    return {mode: bound(run(getattr(module, f"{name}_{mode}"))) for mode in ("rr", "ff", "fr", "rf")}


def bound(function: Callable[..., Any]) -> Bound:
    return lambda *arguments: partial(function, *arguments)


def functions(backend: str = "auto") -> Mapping[str, Mapping[str, Bound]]:
    """The functions of each eval."""
    run, gradient = verb(Transform, backend), verb(ccc.gradient, backend)
    slopes = run(observed_slopes)

    def ba_jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        found = slopes(cameras[camera_of], points[point_of], weights, features)
        return compressed_rows(found, camera_of, point_of, len(cameras), len(points))

    return {
        "hello": {"square": bound(run(hello.square)), "double": bound(gradient(hello.square))},
        "llsq": {"primal": bound(run(llsq.least_squares)), "gradient": bound(gradient(llsq.least_squares, wrt="x"))},
        "lstm": {"objective": bound(run(lstm.loss)), "jacobian": bound(gradient(lstm.loss, wrt=("weights", "extra")))},
        "gmm": {
            "objective": bound(run(gmm.log_posterior)),
            "jacobian": bound(gradient(gmm.log_posterior, wrt=("alpha", "means", "q", "l"))),
        },
        "ba": {"objective": bound(run(ba.errors)), "jacobian": bound(ba_jacobian)},
        "kmeans": {"cost": bound(run(kmeans.cost)), "dir": bound(run(newton_direction))},
        "ht": {
            "objective": by_points(run(ht.surface_distances), run(ht.distances)),
            "jacobian": by_points(run(surface_jacobian), run(vertex_jacobian)),
        },
        "saddle": by_modes(saddle, "saddle", run),
        "particle": by_modes(particle, "particle", run),
        "ode": {"primal": bound(run(ode.trajectory_end)), "gradient": bound(gradient(ode.last_component, wrt="x"))},
        "det": {"primal": bound(run(det.determinant)), "gradient": bound(gradient(det.determinant))},
        "lse": {"primal": bound(run(lse.logsumexp)), "gradient": bound(gradient(lse.logsumexp))},
    }
