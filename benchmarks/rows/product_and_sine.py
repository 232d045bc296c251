"""A formula of two numbers: what a cached call costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import ours as library
from benchmarks.programs import formulas
from benchmarks.programs.formulas import product_and_sine as primal

SIZES = {"2, 3": (2.0, 3.0)}
SMALL = (2.0, 3.0)
WRT = (0, 1)


def arguments(x: float, y: float) -> tuple[Any, ...]:
    return x, y


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, None, backend)}


def by_hand() -> Mapping[str, Any]:
    return {"primal": primal, "gradient": formulas.product_and_sine_gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def f(x: Any, y: Any) -> Any:
        return x * y + jnp.sin(x)

    return {"primal": jax.jit(f), "gradient": jax.jit(jax.grad(f, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def f(x: Any, y: Any) -> Any:
        return x * y + torch.sin(x)

    return {"primal": with_torch.value(f), "gradient": with_torch.gradient(f, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def f(x: Any, y: Any) -> Any:
        return x * y + np.sin(x)

    return {"primal": f, "gradient": grad(f, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def f(x: Any, y: Any) -> Any:
        return x * y + casadi.sin(x)

    return {"primal": with_casadi.value(f, casadi.SX), "gradient": with_casadi.gradient(f, WRT, casadi.SX)}
