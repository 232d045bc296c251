"""Clusters: the cost of centres, and the direction of Newton's method, whose second derivatives are a diagonal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ccc
from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import kmeans

EVAL = "kmeans"
SIZES = {"10,100,8": (10, 100, 8), "100,10000,8": (100, 10_000, 8)}
SMALL = (4, 30, 3)
WRT = (1,)
primal = kmeans.cost


def given(k: int, n: int, d: int) -> dict[str, Any]:
    points = np.random.default_rng(0).random((n, d))
    return {"points": points.tolist(), "centroids": points[-k:].tolist()}


def arguments(k: int, n: int, d: int) -> tuple[Any, ...]:
    return evals.kmeans_arguments(given(k, n, d))


def check(what: str, arguments: Sequence[Any], result: Any) -> str:
    """The direction is the centres less the means of the points that are nearest to them."""
    from benchmarks.rows import close

    points, centres = arguments
    if what == "cost":
        return close(result, primal(points, centres), 1e-9)
    owner = np.array([np.argmin(np.sum((centres - point) ** 2, axis=1)) for point in points])
    return close(result, centres - np.array([points[owner == i].mean(axis=0) for i in range(len(centres))]), 1e-9)


def newton_direction(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    slopes, differential = ccc.value_with_differential(ccc.gradient(kmeans.cost, wrt="centres"), wrt="centres")(
        points, centres
    )
    return slopes / differential(np.ones(np.shape(centres)))


def ours(backend: str) -> Mapping[str, Any]:
    return {"cost": library.run(primal, backend), "dir": library.run(newton_direction, backend)}


def by_hand() -> Mapping[str, Any]:
    def nearest(points: Any, centres: Any) -> Any:
        """The squared distances to the centres, less what all centres have in common."""
        return np.sum(centres**2, axis=1) - 2.0 * points @ centres.T

    def cost(points: Any, centres: Any) -> Any:
        return np.sum(np.min(nearest(points, centres), axis=1)) + np.sum(points**2)

    def direction(points: Any, centres: Any) -> Any:
        k = len(centres)
        owner = np.argmin(nearest(points, centres), axis=1)
        sums = np.stack([np.bincount(owner, column, k) for column in points.T], axis=1)
        return centres - sums / np.bincount(owner, minlength=k)[:, None]

    return {"cost": cost, "dir": direction}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def cost(points: Any, centres: Any) -> Any:
        distances = jnp.sum(centres**2, axis=1) - 2.0 * points @ centres.T
        return jnp.sum(points**2) + jnp.sum(jnp.min(distances, axis=1))

    def direction(points: Any, centres: Any) -> Any:
        gradient = jax.grad(lambda centres: cost(points, centres))
        slopes, curvatures = jax.jvp(gradient, [centres], [jnp.ones_like(centres)])
        return slopes / curvatures

    return {"cost": jax.jit(cost), "dir": jax.jit(direction)}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def cost(points: Any, centres: Any) -> Any:
        distances = torch.sum(centres**2, dim=1) - 2.0 * points @ centres.T
        return torch.sum(points**2) + torch.sum(torch.min(distances, dim=1).values)

    def direction(points: Any, centres: Any) -> Any:
        (slopes,) = torch.autograd.grad(cost(points, centres), centres, create_graph=True)
        (curvatures,) = torch.autograd.grad(torch.sum(slopes), centres)
        return slopes.detach() / curvatures

    return {"cost": with_torch.value(cost), "dir": direction}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad, make_vjp

    def cost(points: Any, centres: Any) -> Any:
        distances = np.sum(centres**2, axis=1) - 2.0 * points @ centres.T
        return np.sum(points**2) + np.sum(np.min(distances, axis=1))

    def direction(points: Any, centres: Any) -> Any:
        pullback, slopes = make_vjp(grad(lambda centres: cost(points, centres)))(centres)
        return slopes / pullback(np.ones(centres.shape))

    return {"cost": cost, "dir": direction}
