"""The logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs.lse import logsumexp as primal

EVAL = "lse"
SIZES = {"100": (100,), "100000": (100_000,)}
SMALL = (9,)
WRT = (0,)


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def given(n: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(0).random(n).tolist()}


def arguments(n: int) -> tuple[Any, ...]:
    return evals.one_array(given(n))


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, None, backend)}


def by_hand() -> Mapping[str, Any]:
    def gradient(x: Any) -> Any:
        weights = np.exp(x - np.max(x))
        return weights / np.sum(weights)

    return {"primal": primal, "gradient": gradient}


def jax() -> Mapping[str, Any]:
    import jax
    from jax.scipy.special import logsumexp

    return {"primal": jax.jit(logsumexp), "gradient": jax.jit(jax.grad(logsumexp))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def logsumexp(x: Any) -> Any:
        return torch.logsumexp(x, 0)

    return {"primal": with_torch.value(logsumexp), "gradient": with_torch.gradient(logsumexp, WRT)}


def autograd() -> Mapping[str, Any]:
    from autograd import grad
    from autograd.scipy.special import logsumexp

    return {"primal": logsumexp, "gradient": grad(logsumexp)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    return {"primal": with_casadi.value(casadi.logsumexp), "gradient": with_casadi.gradient(casadi.logsumexp, WRT)}
