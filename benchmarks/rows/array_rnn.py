"""A recurrent cell with eight numbers of state; JAX by `lax.scan`, CasADi by a mapped accumulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import ours as library
from benchmarks.programs import recurrent

SIZES = {"100": (100,), "1000": (1000,)}
SMALL = (7,)
WRT = (0, 1, 2)
NAMES = ("w", "u", "b")
primal = recurrent.array_rnn


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def arguments(steps: int) -> tuple[Any, ...]:
    return recurrent.array_rnn_arguments(steps)


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    return {"primal": primal, "gradient": recurrent.array_rnn_gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h, _ = jax.lax.scan(lambda h, x: (jnp.tanh(w @ h + x), None), jnp.zeros(len(b)), xs @ u.T + b)
        return jnp.sum(h)

    return {"primal": jax.jit(rnn), "gradient": jax.jit(jax.grad(rnn, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h = torch.zeros(len(b), dtype=torch.float64)
        for x in torch.addmm(b, xs, u.T):
            h = torch.tanh(w @ h + x)
        return torch.sum(h)

    return {"primal": with_torch.value(rnn), "gradient": with_torch.gradient(rnn, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h = np.zeros(len(b))
        for x in np.dot(xs, u.T) + b:
            h = np.tanh(np.dot(w, h) + x)
        return np.sum(h)

    return {"primal": rnn, "gradient": grad(rnn, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    h, x, w = casadi.SX.sym("h", 8), casadi.SX.sym("x", 8), casadi.SX.sym("w", 8, 8)
    cell = casadi.Function("cell", [h, x, w], [casadi.tanh(w @ h + x)])

    def rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
        steps = xs.shape[0]
        moved = u @ xs.T + casadi.repmat(b, 1, steps)
        return casadi.sum1(cell.fold(steps)(casadi.DM.zeros(8), moved, w))

    return {"primal": with_casadi.value(rnn), "gradient": with_casadi.gradient(rnn, WRT)}
