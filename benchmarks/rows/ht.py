"""Hand tracking: how far points are from the surface of a posed hand, and its derivatives in 26 parameters of the pose
and, each point in its own, two coordinates on the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import ccc
from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import ht

EVAL = "ht"
SIZES = {"hand1": (544, 1084, 100), "hand3": (10_000, 1084, 200)}
SMALL = (7, 4, 3)
WRT = (0, 1)
BONES = 22


def given(vertices: int, triangles: int, points: int) -> dict[str, Any]:
    """A hand of random bones, whose vertices move with up to four of them."""
    rng = np.random.default_rng(0)
    weights = rng.random((vertices, BONES)) * (rng.random((vertices, BONES)) < 4.0 / BONES)
    affine = np.eye(4) + 0.3 * rng.normal(size=(2, BONES, 4, 4))
    affine[:, :, 3] = [0.0, 0.0, 0.0, 1.0]
    model = {
        "bone_count": BONES, "bone_names": ["bone"] * BONES,
        "parents": [-1, *[0 if i % 4 == 0 else i for i in range(20)], 0],
        "base_relatives": affine[0].tolist(), "inverse_base_absolutes": affine[1].tolist(),
        "base_positions": np.hstack([rng.normal(size=(vertices, 3)), np.ones((vertices, 1))]).tolist(),
        "weights": weights.tolist(), "triangles": rng.integers(0, min(vertices, 544), size=(triangles, 3)).tolist(),
        "is_mirrored": False,
    }  # fmt: skip
    data = {
        "model": model, "points": rng.normal(size=(points, 3)).tolist(),
        "correspondences": rng.integers(0, triangles, size=points).tolist(),
    }  # fmt: skip
    return {"theta": rng.normal(size=26).tolist(), "data": data, "us": rng.random((points, 2)).tolist()}


def arguments(vertices: int, triangles: int, points: int) -> tuple[Any, ...]:
    return evals.ht_arguments(given(vertices, triangles, points))


def primal(theta: Any, u: Any, hand: Any, correspondences: Any, measured: Any) -> Any:
    if not len(u):
        return ht.distances(theta, hand, correspondences, measured)
    return ht.surface_distances(theta, u, hand, correspondences, measured)


def along(result: np.ndarray, arguments: Sequence[Any], moves: Sequence[Any]) -> np.ndarray:
    theta, u = moves
    matrix = np.reshape(result, (-1, 28))
    return matrix[:, 2:] @ theta + np.sum(matrix[:, :2] * np.repeat(u, 3, axis=0), axis=1)


def surface_jacobian(
    theta: np.ndarray, u: np.ndarray, hand: ht.Hand, correspondences: np.ndarray, measured: np.ndarray
) -> np.ndarray:
    """The derivatives in the coordinates of each point itself and in theta, a column each."""
    _, along = ccc.value_with_differential(ht.surface_distances, wrt=("theta", "u"))(
        theta, u, hand, correspondences, measured
    )
    here, still = np.zeros(len(theta)), np.zeros(np.shape(u))
    own = np.array([np.ravel(along(here, still + axis)) for axis in np.eye(2)])
    moved = np.array([np.ravel(along(move, still)) for move in np.eye(len(theta))])
    return np.transpose(np.concatenate([own, moved]))


def vertex_jacobian(theta: np.ndarray, hand: ht.Hand, correspondences: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """The derivatives of what is measured on vertices, a column for each entry of theta."""
    _, along = ccc.value_with_differential(ht.distances, wrt="theta")(theta, hand, correspondences, measured)
    return np.transpose(np.array([np.ravel(along(move)) for move in np.eye(len(theta))]))


def ours(backend: str) -> Mapping[str, Any]:
    def chosen(surface: Any, vertices: Any) -> Callable[..., Any]:
        """The function of points on a surface where they have coordinates there, else that of vertices."""
        of_surface, of_vertices = library.run(surface, backend), library.run(vertices, backend)

        def call(theta: Any, u: Any, *rest: Any) -> Any:
            return of_surface(theta, u, *rest) if len(u) else of_vertices(theta, *rest)

        call.codes = of_surface.codes  # type: ignore[attr-defined]
        return call

    return {
        "objective": chosen(ht.surface_distances, ht.distances),
        "jacobian": chosen(surface_jacobian, vertex_jacobian),
    }


def joint(np: Any, bend: Any, spread: Any) -> Any:
    """Rotations about x and z, one for each entry of the arguments, as matrices along the last axes."""
    cx, sx, cz, sz = np.cos(bend), np.sin(bend), np.cos(spread), np.sin(spread)
    zero, one = np.zeros_like(cx), np.ones_like(cx)
    rows = [cz, -sz * cx, sz * sx, zero, sz, cz * cx, -cz * sx, zero, zero, sx, cx, zero, zero, zero, zero, one]
    return np.stack(rows, -1).reshape(-1, 4, 4)


def about_axis(np: Any, r: Any) -> Any:
    """The rotation about the axis r by the angle |r|."""
    angle = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = np.sin(angle), np.cos(angle)
    v = 1.0 - c
    rows = [
        x * x * v + c, x * y * v - z * s, x * z * v + y * s,
        x * y * v + z * s, y * y * v + c, y * z * v - x * s,
        x * z * v - y * s, y * z * v + x * s, z * z * v + c,
    ]  # fmt: skip
    return np.stack(rows, -1).reshape(3, 3)


def angles_by_bone(np: Any, theta: Any) -> tuple[Any, Any]:
    """Bend and spread of each bone: a wrist, five fingers of which the first bone is stiff, an arm."""
    fingers = theta[6:].reshape(5, 4)
    zero = np.zeros_like(fingers[:, :1])
    bend = np.concatenate([zero, fingers[:, :1], fingers[:, 2:4]], 1).reshape(-1)
    spread = np.concatenate([zero, fingers[:, 1:2], zero, zero], 1).reshape(-1)
    end = np.zeros_like(theta[:1])
    return np.concatenate([end, bend, end]), np.concatenate([end, spread, end])


def distances(np: Any, theta: Any, u: Any, hand: Any, parents: Any, correspondences: Any, measured: Any) -> Any:
    """The measured points less those of the posed hand, on vertices or, where u has rows, on triangles; the bones and
    the vertices that are needed in arrays, in any library."""
    corners = hand.triangles[correspondences] if len(u) else None
    which = correspondences if corners is None else corners.reshape(-1)
    weights, vertices = hand.weights[which], hand.vertices[which]
    relatives = hand.base_relatives @ joint(np, *angles_by_bone(np, theta))
    absolutes: list[Any] = []
    for parent, relative in zip(parents, relatives, strict=True):
        absolutes.append(relative if parent == -1 else absolutes[parent] @ relative)
    transforms = np.stack(absolutes) @ hand.inverse_base_absolutes
    places = np.einsum("vb,bij,vj->vi", weights, transforms[:, :3], vertices)
    if hand.mirrored:
        places = places * np.stack([-np.ones_like(theta[0]), np.ones_like(theta[0]), np.ones_like(theta[0])])
    places = places @ about_axis(np, theta[:3]).T + theta[3:6]
    if corners is None:
        return measured - places
    places = places.reshape(-1, 3, 3)
    s, t = u[:, 0:1], u[:, 1:2]
    return measured - (s * places[:, 0] + t * places[:, 1] + (1.0 - s - t) * places[:, 2])


def jax() -> Mapping[str, Any]:
    """The hand is known when the pose is not: its tree is unrolled, its arrays are constants."""
    import jax
    import jax.numpy as jnp

    known: dict[str, Any] = {}

    def jitted(of: Callable[[Callable[..., Any], Any, Any], Any]) -> Callable[..., Any]:
        def call(theta: Any, u: Any, hand: Any, correspondences: Any, measured: Any) -> Any:
            if of.__name__ not in known:
                parents = np.array(hand.parents).tolist()

                def f(theta: Any, u: Any) -> Any:
                    return distances(jnp, theta, u, hand, parents, correspondences, measured)

                known[of.__name__] = jax.jit(lambda theta, u: of(f, theta, u))
            return known[of.__name__](theta, u)

        return call

    def value(f: Any, theta: Any, u: Any) -> Any:
        return f(theta, u)

    def jacobian(f: Any, theta: Any, u: Any) -> Any:
        in_theta = jax.jacfwd(f)(theta, u).reshape(-1, len(theta))
        if not len(u):
            return in_theta
        moves = [jnp.broadcast_to(row, u.shape) for row in jnp.eye(2)]
        own = [jax.jvp(lambda u: f(theta, u), [u], [move])[1].reshape(-1, 1) for move in moves]
        return jnp.concatenate([*own, in_theta], 1)

    return {"objective": jitted(value), "jacobian": jitted(jacobian)}


def torch() -> Mapping[str, Any]:
    import torch
    from torch.func import jacfwd, jvp

    from benchmarks import with_torch

    def value(theta: Any, u: Any, hand: Any, correspondences: Any, measured: Any) -> Any:
        return distances(torch, theta, u, hand, hand.parents.tolist(), correspondences, measured)

    def jacobian(theta: Any, u: Any, *rest: Any) -> Any:
        in_theta = jacfwd(value)(theta, u, *rest).reshape(-1, len(theta))
        if not len(u):
            return in_theta
        moves = [row.expand(u.shape) for row in torch.eye(2, dtype=torch.float64)]
        own = [jvp(lambda u: value(theta, u, *rest), (u,), (move,))[1].reshape(-1, 1) for move in moves]
        return torch.cat([*own, in_theta], 1)

    return {"objective": with_torch.value(value), "jacobian": with_torch.value(jacobian)}
