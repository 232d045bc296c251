"""The Jacobian of diffusion and reaction on a line, by three directions for three bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ccc
from benchmarks import ours as library
from benchmarks.programs import reaction

SIZES = {"100": (100,), "10000": (10_000,)}
SMALL = (8,)
WRT = (0,)


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def arguments(n: int) -> tuple[Any, ...]:
    """The state, and directions of which each has every third entry."""
    return np.random.default_rng(0).normal(size=n), *[(np.arange(n) % 3 == k).astype(float) for k in range(3)]


def along(result: np.ndarray, arguments: Sequence[Any], moves: Sequence[Any]) -> np.ndarray:
    """Entry i of the product with the direction k is that of the row i in the one column near i that k has."""
    (move,) = moves
    products = np.reshape(result, (3, -1))
    i = np.arange(len(move))
    found = np.zeros(len(move))
    for k in (-1, 0, 1):
        inside = (i + k >= 0) & (i + k < len(move))
        found[inside] += products[(i + k)[inside] % 3, i[inside]] * move[(i + k)[inside]]
    return found


def primal(u: np.ndarray, d0: np.ndarray, d1: np.ndarray, d2: np.ndarray) -> np.ndarray:
    return reaction.rates(u)


def bands(u: np.ndarray, d0: np.ndarray, d1: np.ndarray, d2: np.ndarray) -> Any:
    _, along = ccc.value_with_differential(reaction.rates)(u)
    return along(d0), along(d1), along(d2)


def ours(backend: str) -> Mapping[str, Any]:
    return {"rates": library.run(primal, backend), "bands": library.run(bands, backend)}


def by_hand() -> Mapping[str, Any]:
    def jacobian(u: Any, d0: Any, d1: Any, d2: Any) -> Any:
        padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
        middle = -2.0 - 0.5 * (padded[2:] - padded[:-2]) + 1.0 - 3.0 * u * u
        left, right = 1.0 + 0.5 * u, 1.0 - 0.5 * u
        found = []
        for d in (d0, d1, d2):
            out = middle * d
            out[1:] += left[1:] * d[:-1]
            out[:-1] += right[:-1] * d[1:]
            found.append(out)
        return found

    return {"rates": primal, "bands": jacobian}


def program_of(f: Any) -> Any:
    return lambda u, *directions: f(u)


def rates(np: Any, u: Any, zero: Any) -> Any:
    """The program in any library that concatenates."""
    padded = np.concatenate([zero, u, zero])
    left, right = padded[:-2], padded[2:]
    return left - 2.0 * u + right - 0.5 * u * (right - left) + u * (1.0 - u * u)


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def f(u: Any) -> Any:
        return rates(jnp, u, jnp.zeros(1))

    def jacobian(u: Any, *directions: Any) -> Any:
        return jax.vmap(jax.linearize(f, u)[1])(jnp.stack(directions))

    return {"rates": jax.jit(program_of(f)), "bands": jax.jit(jacobian)}


def torch() -> Mapping[str, Any]:
    import torch
    from torch.func import jvp

    from benchmarks import with_torch

    def f(u: Any) -> Any:
        return rates(torch, u, torch.zeros(1, dtype=torch.float64))

    def jacobian(u: Any, *directions: Any) -> Any:
        return [jvp(f, (u,), (d,))[1] for d in directions]

    return {"rates": with_torch.value(program_of(f)), "bands": with_torch.value(jacobian)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import make_jvp

    def f(u: Any) -> Any:
        return rates(np, u, np.zeros(1))

    def jacobian(u: Any, *directions: Any) -> Any:
        jvp = make_jvp(f)(u)
        return [jvp(d)[1] for d in directions]

    return {"rates": program_of(f), "bands": jacobian}


def casadi() -> Mapping[str, Any]:
    """CasADi sees by itself that there are three bands; their entries are put where the directions have them."""
    import casadi

    from benchmarks import with_casadi

    def f(u: Any) -> Any:
        padded = casadi.vertcat(0.0, u, 0.0)
        left, right = padded[:-2], padded[2:]
        return left - 2.0 * u + right - 0.5 * u * (right - left) + u * (1.0 - u * u)

    def jacobian(arguments: Any) -> list[Any]:
        u, *directions = arguments
        matrix = casadi.jacobian(f(u), u)
        return [casadi.densify(matrix @ d) for d in directions]

    return {"rates": with_casadi.value(program_of(f), casadi.SX), "bands": with_casadi.built(jacobian, casadi.SX)}
