"""Linear least squares: a polynomial of 128 coefficients against the sign function.

The loops of the program are a matrix of powers and a product in NumPy; JAX and CasADi have Horner's rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs.llsq import least_squares as primal

EVAL = "llsq"
SIZES = {"16": (16, 128), "1024": (1024, 128), "8196": (8196, 128)}
SMALL = (8, 4)
WRT = (0,)


def SCALED(n: int) -> tuple[Any, ...]:
    return (n, 8)


def given(n: int, m: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(0).random(m).tolist(), "n": n}


def arguments(n: int, m: int) -> tuple[Any, ...]:
    return evals.llsq_arguments(given(n, m))


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, "x", backend)}


def by_hand() -> Mapping[str, Any]:
    def residuals(x: Any, n: int) -> tuple[Any, Any]:
        t = np.linspace(-1.0, 1.0, n)
        powers = np.vander(t, len(x), increasing=True)
        return powers @ x - np.sign(t), powers

    def least_squares(x: Any, n: int) -> Any:
        r, _ = residuals(x, n)
        return 0.5 * r @ r

    def gradient(x: Any, n: int) -> Any:
        r, powers = residuals(x, n)
        return r @ powers

    return {"primal": least_squares, "gradient": gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def least_squares(x: Any, n: int) -> Any:
        t = jnp.linspace(-1.0, 1.0, n)
        return 0.5 * jnp.sum((jnp.sign(t) - jnp.polyval(x[::-1], t)) ** 2)

    return {
        "primal": jax.jit(least_squares, static_argnums=1),
        "gradient": jax.jit(jax.grad(least_squares), static_argnums=1),
    }


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def least_squares(x: Any, n: int) -> Any:
        t = torch.linspace(-1.0, 1.0, n, dtype=torch.float64)
        return 0.5 * torch.sum((torch.sign(t) - torch.vander(t, len(x), increasing=True) @ x) ** 2)

    return {"primal": with_torch.value(least_squares), "gradient": with_torch.gradient(least_squares, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def least_squares(x: Any, n: int) -> Any:
        t = np.linspace(-1.0, 1.0, n)
        return 0.5 * np.sum((np.sign(t) - np.vander(t, len(x), increasing=True) @ x) ** 2)

    return {"primal": least_squares, "gradient": grad(least_squares)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def least_squares(x: Any, n: int) -> Any:
        t = casadi.DM(np.linspace(-1.0, 1.0, n))
        value = x[x.numel() - 1] * casadi.MX.ones(n)
        for i in reversed(range(x.numel() - 1)):
            value = value * t + x[i]
        return 0.5 * casadi.sumsqr(casadi.sign(t) - value)

    return {"primal": with_casadi.value(least_squares), "gradient": with_casadi.gradient(least_squares, WRT)}
