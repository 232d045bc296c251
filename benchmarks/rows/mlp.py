"""A training step of a network of two layers: the gradient of the loss, and the weights moved against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ccc
from benchmarks import ours as library
from benchmarks.programs import mlp

SIZES = {"16×8→16→4": (16, 8, 16, 4), "256×64→128→10": (256, 64, 128, 10)}
SMALL = (5, 3, 4, 2)
WRT = (0, 1, 2, 3)
RATE = 0.1


def arguments(examples: int, features: int, hidden: int, classes: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(features, hidden)) / features**0.5, rng.normal(size=hidden),
        rng.normal(size=(hidden, classes)) / hidden**0.5, rng.normal(size=classes),
        rng.normal(size=(examples, features)), np.eye(classes)[rng.integers(0, classes, examples)], RATE,
    )  # fmt: skip


def primal(*arguments: Any) -> Any:
    return mlp.loss(*arguments[:6])


def along(result: np.ndarray, arguments: Sequence[Any], moves: Sequence[Any]) -> np.ndarray:
    before = np.concatenate([np.ravel(w) for w in arguments[:4]])
    return np.array([(before - result) / RATE @ np.concatenate([np.ravel(move) for move in moves])])


def loss(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any, rate: float) -> Any:
    return mlp.loss(w1, b1, w2, b2, x, y)


def step(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any, rate: float) -> Any:
    dw1, db1, dw2, db2 = ccc.gradient(mlp.loss, wrt=("w1", "b1", "w2", "b2"))(w1, b1, w2, b2, x, y)
    return w1 - rate * dw1, b1 - rate * db1, w2 - rate * dw2, b2 - rate * db2


def ours(backend: str) -> Mapping[str, Any]:
    return {"loss": library.run(loss, backend), "step": library.run(step, backend)}


def by_hand() -> Mapping[str, Any]:
    def step(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any, rate: float) -> Any:
        hidden = np.tanh(x @ w1 + b1)
        scores = hidden @ w2 + b2
        scores = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        dscores = (scores / np.sum(scores, axis=1, keepdims=True) - y) / len(x)
        dhidden = dscores @ w2.T * (1.0 - hidden * hidden)
        return (
            w1 - rate * (x.T @ dhidden), b1 - rate * np.sum(dhidden, axis=0),
            w2 - rate * (hidden.T @ dscores), b2 - rate * np.sum(dscores, axis=0),
        )  # fmt: skip

    return {"loss": primal, "step": step}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def loss(weights: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        scores = jnp.tanh(x @ w1 + b1) @ w2 + b2
        return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(scores), axis=1))

    def step(*arguments: Any) -> Any:
        weights, x, y, rate = arguments[:4], *arguments[4:]
        return jax.tree.map(lambda w, dw: w - rate * dw, weights, jax.grad(loss)(weights, x, y))

    return {"loss": jax.jit(lambda *arguments: loss(arguments[:4], *arguments[4:6])), "step": jax.jit(step)}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def loss(*arguments: Any) -> Any:
        w1, b1, w2, b2, x, y, _ = arguments
        scores = torch.tanh(torch.addmm(b1, x, w1))
        return torch.nn.functional.cross_entropy(torch.addmm(b2, scores, w2), y)

    def step(*arguments: Any) -> Any:
        weights, rate = arguments[:4], arguments[6]
        slopes = torch.autograd.grad(loss(*arguments), weights)
        with torch.no_grad():
            return [w - rate * dw for w, dw in zip(weights, slopes, strict=True)]

    return {"loss": with_torch.value(loss), "step": step}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad
    from autograd.scipy.special import logsumexp

    def loss(weights: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        scores = np.dot(np.tanh(np.dot(x, w1) + b1), w2) + b2
        return np.mean(logsumexp(scores, axis=1) - np.sum(y * scores, axis=1))

    def step(*arguments: Any) -> Any:
        weights, x, y, rate = arguments[:4], *arguments[4:]
        return [w - rate * dw for w, dw in zip(weights, grad(loss)(weights, x, y), strict=True)]

    return {"loss": lambda *arguments: loss(arguments[:4], *arguments[4:6]), "step": step}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def loss(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any, rate: Any) -> Any:
        scores = casadi.tanh(x @ w1 + casadi.repmat(b1.T, x.shape[0], 1)) @ w2 + casadi.repmat(b2.T, x.shape[0], 1)
        top = casadi.mmax(scores)
        normaliser = top + casadi.log(casadi.sum2(casadi.exp(scores - top)))
        return (casadi.sum1(normaliser) - casadi.sum1(casadi.sum2(y * scores))) / x.shape[0]

    def step(arguments: Any) -> list[Any]:
        slopes = with_casadi.slopes(loss(*arguments), arguments[:4])
        return [w - arguments[6] * dw for w, dw in zip(arguments[:4], slopes, strict=True)]

    return {"loss": with_casadi.value(loss), "step": with_casadi.built(step)}
