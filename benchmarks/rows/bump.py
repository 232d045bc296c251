"""A sum of elementary functions of the entries of an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import ours as library
from benchmarks.programs import formulas
from benchmarks.programs.formulas import bump as primal

SIZES = {"10": (10,), "1000": (1000,), "1000000": (1_000_000,)}
SMALL = (5,)
WRT = (0,)


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def arguments(n: int) -> tuple[Any, ...]:
    return (np.linspace(-2.0, 3.0, n),)


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, None, backend)}


def by_hand() -> Mapping[str, Any]:
    return {"primal": primal, "gradient": formulas.bump_gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def f(x: Any) -> Any:
        return jnp.sum(jnp.tanh(x) * jnp.exp(-x * x))

    return {"primal": jax.jit(f), "gradient": jax.jit(jax.grad(f))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def f(x: Any) -> Any:
        return torch.sum(torch.tanh(x) * torch.exp(-x * x))

    return {"primal": with_torch.value(f), "gradient": with_torch.gradient(f, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def f(x: Any) -> Any:
        return np.sum(np.tanh(x) * np.exp(-x * x))

    return {"primal": f, "gradient": grad(f)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def f(x: Any) -> Any:
        return casadi.sum1(casadi.tanh(x) * casadi.exp(-x * x))

    return {"primal": with_casadi.value(f), "gradient": with_casadi.gradient(f, WRT)}
