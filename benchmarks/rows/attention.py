"""Self-attention of one head: the gradient of a loss in the three matrices of weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import ours as library
from benchmarks.programs.attention import loss as primal

SIZES = {"16×8": (16, 8), "256×64": (256, 64)}
SMALL = (4, 3)
WRT = (0, 1, 2)
NAMES = ("wq", "wk", "wv")


def SCALED(n: int) -> tuple[Any, ...]:
    return (n, 8)


def arguments(rows: int, width: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(width, width)) / width**0.5 for _ in range(3)]
    return *weights, rng.normal(size=(rows, width)), rng.normal(size=(rows, width))


def ours(backend: str) -> Mapping[str, Any]:
    return {"loss": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    def gradient(wq: Any, wk: Any, wv: Any, x: Any, target: Any) -> Any:
        queries, keys, values = x @ wq, x @ wk, x @ wv
        scale = 1.0 / math.sqrt(keys.shape[1])
        weights = queries @ keys.T * scale
        weights = np.exp(weights - np.max(weights, axis=1, keepdims=True))
        weights /= np.sum(weights, axis=1, keepdims=True)
        d = (weights @ values - target) / target.size
        dweights = d @ values.T
        dscores = weights * (dweights - np.sum(dweights * weights, axis=1, keepdims=True)) * scale
        return x.T @ (dscores @ keys), x.T @ (dscores.T @ queries), x.T @ (weights.T @ d)

    return {"loss": primal, "gradient": gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def loss(wq: Any, wk: Any, wv: Any, x: Any, target: Any) -> Any:
        weights = jax.nn.softmax((x @ wq) @ (x @ wk).T / math.sqrt(wk.shape[1]))
        return 0.5 * jnp.mean((weights @ (x @ wv) - target) ** 2)

    return {"loss": jax.jit(loss), "gradient": jax.jit(jax.grad(loss, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def loss(wq: Any, wk: Any, wv: Any, x: Any, target: Any) -> Any:
        weights = torch.softmax((x @ wq) @ (x @ wk).T / math.sqrt(wk.shape[1]), dim=1)
        return 0.5 * torch.mean((weights @ (x @ wv) - target) ** 2)

    return {"loss": with_torch.value(loss), "gradient": with_torch.gradient(loss, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad
    from autograd.scipy.special import logsumexp

    def loss(wq: Any, wk: Any, wv: Any, x: Any, target: Any) -> Any:
        scores = np.dot(np.dot(x, wq), np.dot(x, wk).T) / math.sqrt(wk.shape[1])
        weights = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        return 0.5 * np.mean((np.dot(weights, np.dot(x, wv)) - target) ** 2)

    return {"loss": loss, "gradient": grad(loss, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def loss(wq: Any, wk: Any, wv: Any, x: Any, target: Any) -> Any:
        weights = casadi.exp((x @ wq) @ (x @ wk).T / math.sqrt(wk.shape[1]))
        weights = weights / casadi.repmat(casadi.sum2(weights), 1, x.shape[0])
        return 0.5 * casadi.sumsqr(weights @ (x @ wv) - target) / target.numel()

    return {"loss": with_casadi.value(loss), "gradient": with_casadi.gradient(loss, WRT)}
