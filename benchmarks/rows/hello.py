"""The square of a number: what a call costs that computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import ours as library
from benchmarks.programs.hello import square as primal

EVAL = "hello"
SIZES = {"3.0": (3.0,)}
SMALL = (3.0,)
WRT = (0,)


def given(x: float) -> float:
    return x


def arguments(x: float) -> tuple[Any, ...]:
    return (x,)


def ours(backend: str) -> Mapping[str, Any]:
    return {"square": library.run(primal, backend), "double": library.gradient(primal, None, backend)}


def by_hand() -> Mapping[str, Any]:
    return {"square": primal, "double": lambda x: 2.0 * x}


def jax() -> Mapping[str, Any]:
    import jax

    return {"square": jax.jit(primal), "double": jax.jit(jax.grad(primal))}


def torch() -> Mapping[str, Any]:
    from benchmarks import with_torch

    return {"square": with_torch.value(primal), "double": with_torch.gradient(primal, WRT)}


def autograd() -> Mapping[str, Any]:
    from autograd import grad

    return {"square": primal, "double": grad(primal)}


def casadi() -> Mapping[str, Any]:
    from benchmarks import with_casadi

    return {"square": with_casadi.value(primal), "double": with_casadi.gradient(primal, WRT)}
