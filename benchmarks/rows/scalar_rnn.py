"""A recurrent cell with one number of state; JAX by `lax.scan`, CasADi by a mapped accumulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import ours as library
from benchmarks.programs import recurrent

SIZES = {"100": (100,), "1000": (1000,)}
SMALL = (7,)
WRT = (0, 1, 2)
NAMES = ("w", "u", "b")
primal = recurrent.scalar_rnn


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def arguments(steps: int) -> tuple[Any, ...]:
    return recurrent.scalar_rnn_arguments(steps)


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    return {"primal": primal, "gradient": recurrent.scalar_rnn_gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        return jax.lax.scan(lambda h, x: (jnp.tanh(w * h + u * x + b), None), jnp.zeros(()), jnp.asarray(xs))[0]

    return {"primal": jax.jit(rnn), "gradient": jax.jit(jax.grad(rnn, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h = torch.zeros((), dtype=torch.float64)
        for x in u * xs + b:
            h = torch.tanh(w * h + x)
        return h

    return {"primal": with_torch.value(rnn), "gradient": with_torch.gradient(rnn, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h = 0.0
        for x in xs:
            h = np.tanh(w * h + u * x + b)
        return h

    return {"primal": rnn, "gradient": grad(rnn, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    h, x, w, u, b = [casadi.SX.sym(name) for name in "hxwub"]
    cell = casadi.Function("cell", [h, x, w, u, b], [casadi.tanh(w * h + u * x + b)])

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        return cell.fold(xs.numel())(0.0, xs.T, w, u, b)

    return {"primal": with_casadi.value(rnn), "gradient": with_casadi.gradient(rnn, WRT)}
