"""Bundle adjustment: all derivatives of the errors of observations, as a matrix in compressed rows.

Machine code goes observation by observation; NumPy has all of them in an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import ccc
from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import ba
from benchmarks.programs.ba import errors as primal

EVAL = "ba"
SIZES = {"1": (49, 7776, 31843), "5": (257, 65132, 225911)}
SMALL = (3, 2, 11)
WRT = (0, 1, 2)


def given(n: int, m: int, p: int) -> dict[str, Any]:
    """One camera, one point and one observation, repeated, as GradBench has it."""
    camera = [-0.75, -1.1, -0.84, 34.5, 39.6, 53.8, 419.1, 5.86, -8.51, 0.0878, 0.00273]
    return {"cam": camera, "x": [7.2, 0.11, 3.02], "w": 0.417, "feat": [271.7, 834.2], "n": n, "m": m, "p": p}


def arguments(n: int, m: int, p: int) -> tuple[Any, ...]:
    return evals.ba_arguments(given(n, m, p))


def along(result: np.ndarray, arguments: Sequence[Any], moves: Sequence[Any]) -> np.ndarray:
    """The matrix times a direction; its rows are the two errors of each observation and then those of weights."""
    p = len(arguments[2])
    starts, rest = result[: 3 * p + 1].astype(int), result[3 * p + 1 :]
    columns, values = rest[: len(rest) // 2].astype(int), rest[len(rest) // 2 :]
    moved = np.add.reduceat(values * np.concatenate([np.ravel(m) for m in moves])[columns], starts[:-1])
    return np.concatenate([moved[0 : 2 * p : 2], moved[1 : 2 * p : 2], moved[2 * p :]])


def shown(function: str, result: np.ndarray) -> np.ndarray:
    """What a tool in C++ prints: first entries and the last of each part."""
    if function == "objective":
        p = len(result) // 3
        return result[[0, p, 2 * p]]
    p = (len(result) - 1) // 65
    starts, columns, values = np.split(result, [3 * p + 1, 34 * p + 1])
    return np.concatenate([np.append(part[:30], part[-1]) for part in (starts, columns, values)])


def all_slopes(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    """The derivatives of both errors of each observation in its camera, its point and its weight, then of its weight's
    error; observation by observation."""
    p = len(weights)
    values = np.zeros(31 * p)
    for i in range(p):
        _, pullback = ccc.value_with_pullback(ba.reprojection_error, wrt=("camera", "point", "weight"))(
            cameras[camera_of[i]], points[point_of[i]], weights[i], features[i]
        )
        for row in range(2):
            camera, point, weight = pullback((1.0 - row, 1.0 * row))
            start = 30 * i + 15 * row
            for k in range(11):
                values[start + k] = camera[k]
            for k in range(3):
                values[start + 11 + k] = point[k]
            values[start + 14] = weight
        values[30 * p + i] = -2.0 * weights[i]
    return values


def all_slopes_at_once(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    """The same in arrays of all observations, as NumPy is fastest."""
    p = len(weights)
    one, zero = np.ones(p), np.zeros(p)
    _, pullback = ccc.value_with_pullback(ba.observed_errors, wrt=("cameras", "points", "weights"))(
        cameras[camera_of], points[point_of], weights, features
    )
    blocks = np.zeros((p, 2, 15))
    for row, seed in enumerate(((one, zero, zero), (zero, one, zero))):
        camera, point, weight = pullback(seed)
        blocks[:, row, :11] = camera
        blocks[:, row, 11:14] = point
        blocks[:, row, 14] = weight
    return np.concatenate([np.ravel(blocks), -2.0 * weights])


def places(camera_of: np.ndarray, point_of: np.ndarray, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the rows of the matrix start, and the columns of its entries."""
    p = len(camera_of)
    columns = np.empty((p, 2, 15), dtype=np.int32)
    of_weight = 11 * n + 3 * m + np.arange(p, dtype=np.int32)
    columns[:, :, :11] = (11 * camera_of[:, None] + np.arange(11))[:, None]
    columns[:, :, 11:14] = (11 * n + 3 * point_of[:, None] + np.arange(3))[:, None]
    columns[:, :, 14] = of_weight[:, None]
    starts = np.concatenate([np.arange(0, 30 * p, 15), np.arange(30 * p, 31 * p + 1)])
    return starts, np.concatenate([np.ravel(columns), of_weight])


def places_one_by_one(camera_of: np.ndarray, point_of: np.ndarray, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The same, observation by observation."""
    p = len(camera_of)
    starts, columns = np.zeros(3 * p + 1, dtype=int), np.zeros(31 * p, dtype=int)
    for i in range(p):
        camera, point, weight = 11 * camera_of[i], 11 * n + 3 * point_of[i], 11 * n + 3 * m + i
        for row in range(2):
            start = 30 * i + 15 * row
            starts[2 * i + row] = start
            for k in range(11):
                columns[start + k] = camera + k
            for k in range(3):
                columns[start + 11 + k] = point + k
            columns[start + 14] = weight
        starts[2 * p + i] = 30 * p + i
        columns[30 * p + i] = weight
    starts[3 * p] = 31 * p
    return starts, columns


def ours(backend: str) -> Mapping[str, Any]:
    slopes = library.run(all_slopes_at_once if backend == "numpy" else all_slopes, backend)
    placed = places if backend == "numpy" else library.run(places_one_by_one, backend)

    def jacobian(*arguments: Any) -> Any:
        cameras, points, _, _, camera_of, point_of = arguments
        return *placed(camera_of, point_of, len(cameras), len(points)), slopes(*arguments)

    jacobian.codes = slopes.codes  # type: ignore[attr-defined]
    return {"objective": library.run(primal, backend), "jacobian": jacobian}


def reprojection_error(np: Any, camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    """The two errors of an observation by components, which may be arrays over many, in any library."""
    r1, r2, r3, c1, c2, c3, focal, u0, v0, k1, k2 = camera
    x, y, z = point[0] - c1, point[1] - c2, point[2] - c3
    angle = np.sqrt(r1 * r1 + r2 * r2 + r3 * r3)
    sine, cosine = np.sin(angle), np.cos(angle)
    a, b, c = r1 / angle, r2 / angle, r3 / angle
    along = (a * x + b * y + c * z) * (1.0 - cosine)
    px = x * cosine + (b * z - c * y) * sine + a * along
    py = y * cosine + (c * x - a * z) * sine + b * along
    pz = z * cosine + (a * y - b * x) * sine + c * along
    u, v = px / pz, py / pz
    square = u * u + v * v
    distortion = 1.0 + k1 * square + k2 * square * square
    return weight * (u * distortion * focal + u0 - feature[0]), weight * (v * distortion * focal + v0 - feature[1])


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def observed(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
        return jnp.stack(reprojection_error(jnp, camera, point, weight, feature))

    def errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        found = jax.vmap(observed)(cameras[camera_of], points[point_of], weights, features)
        return found[:, 0], found[:, 1], 1.0 - weights**2

    def jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        n, m, p = len(cameras), len(points), len(weights)
        counted = partial(jnp.arange, dtype=jnp.int32)
        slopes = jax.vmap(jax.jacrev(observed, argnums=(0, 1, 2)))
        camera, point, weight = slopes(cameras[camera_of], points[point_of], weights, features)
        camera_of, point_of = camera_of.astype(jnp.int32), point_of.astype(jnp.int32)
        own = 11 * n + 3 * m + counted(p)
        columns = jnp.concatenate(
            [11 * camera_of[:, None] + counted(11), 11 * n + 3 * point_of[:, None] + counted(3), own[:, None]], 1
        )
        starts = jnp.concatenate([counted(0, 30 * p, 15), counted(30 * p, 31 * p + 1)])
        blocks = jnp.concatenate([camera, point, weight[:, :, None]], 2)
        both = jnp.broadcast_to(columns[:, None], blocks.shape)
        return starts, jnp.concatenate([both.ravel(), own]), jnp.concatenate([blocks.ravel(), -2.0 * weights])

    return {"objective": jax.jit(errors), "jacobian": jax.jit(jacobian)}


def torch() -> Mapping[str, Any]:
    import torch
    from torch.func import jacrev, vmap

    from benchmarks import with_torch

    def observed(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
        return torch.stack(reprojection_error(torch, camera, point, weight, feature))

    def errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        u, v = reprojection_error(torch, cameras[camera_of].T, points[point_of].T, weights, features.T)
        return u, v, 1.0 - weights**2

    def jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        n, m, p = len(cameras), len(points), len(weights)
        slopes = vmap(jacrev(observed, argnums=(0, 1, 2)))
        camera, point, weight = slopes(cameras[camera_of], points[point_of], weights, features)
        own = 11 * n + 3 * m + torch.arange(p)
        columns = torch.cat(
            [
                11 * camera_of[:, None] + torch.arange(11),
                11 * n + 3 * point_of[:, None] + torch.arange(3),
                own[:, None],
            ],
            1,
        )
        starts = torch.cat([torch.arange(0, 30 * p, 15), torch.arange(30 * p, 31 * p + 1)])
        blocks = torch.cat([camera, point, weight[:, :, None]], 2)
        both = columns[:, None].expand(blocks.shape)
        return starts, torch.cat([both.flatten(), own]), torch.cat([blocks.flatten(), -2.0 * weights])

    return {"objective": with_torch.value(errors), "jacobian": with_torch.value(jacobian)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import make_vjp

    def observed(cameras: Any, points: Any, weights: Any, features: Any) -> Any:
        return np.stack(reprojection_error(np, cameras.T, points.T, weights, features.T))

    def errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        u, v = observed(cameras[camera_of], points[point_of], weights, features)
        return u, v, 1.0 - weights**2

    def jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        n, m, p = len(cameras), len(points), len(weights)
        own = (cameras[camera_of], points[point_of], weights)
        pullback, value = make_vjp(lambda own: observed(*own, features))(own)
        blocks = np.empty((p, 2, 15))
        for row in range(2):
            seed = np.zeros(value.shape)
            seed[row] = 1.0
            camera, point, weight = pullback(seed)
            blocks[:, row, :11], blocks[:, row, 11:14], blocks[:, row, 14] = camera, point, weight
        last = 11 * n + 3 * m + np.arange(p)
        columns = np.concatenate(
            [11 * camera_of[:, None] + np.arange(11), 11 * n + 3 * point_of[:, None] + np.arange(3), last[:, None]], 1
        )
        starts = np.concatenate([np.arange(0, 30 * p, 15), np.arange(30 * p, 31 * p + 1)])
        both = np.repeat(columns[:, None], 2, axis=1)
        return starts, np.concatenate([both.ravel(), last]), np.concatenate([blocks.ravel(), -2.0 * weights])

    return {"objective": errors, "jacobian": jacobian}


def casadi() -> Mapping[str, Any]:
    """The blocks of one observation, mapped over all; the places of entries by NumPy."""
    import casadi

    def one() -> Any:
        camera, point, weight, feature = [casadi.SX.sym("x", n) for n in (11, 3, 1, 2)]
        error = casadi.vertcat(
            *reprojection_error(casadi, casadi.vertsplit(camera), casadi.vertsplit(point), weight, feature)
        )
        block = casadi.jacobian(error, casadi.vertcat(camera, point, weight)).T
        return casadi.Function("slopes", [camera, point, weight, feature], [casadi.densify(casadi.vec(block))])

    mapped: list[Any] = []

    def jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
        owners, seen = np.array(camera_of).ravel().astype(int), np.array(point_of).ravel().astype(int)
        n, m, p = cameras.shape[0], points.shape[0], weights.numel()
        if not mapped:
            mapped.append(one().map(p))
        blocks = mapped[0](np.array(cameras).T[:, owners], np.array(points).T[:, seen], weights.T, features.T)
        columns = np.empty((p, 2, 15))
        columns[:, :, :11] = (11 * owners[:, None] + np.arange(11))[:, None]
        columns[:, :, 11:14] = (11 * n + 3 * seen[:, None] + np.arange(3))[:, None]
        columns[:, :, 14] = (own := 11 * n + 3 * m + np.arange(p))[:, None]
        starts = np.concatenate([np.arange(0, 30 * p, 15), np.arange(30 * p, 31 * p + 1)])
        values = np.concatenate([np.ravel(np.array(blocks).T), -2.0 * np.array(weights).ravel()])
        return starts, np.concatenate([columns.ravel(), own]), values

    return {"jacobian": jacobian}
