"""A chain of linear differential equations, integrated by the classical Runge-Kutta method in one step.

What is written by hand in C++ is a closed form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import ode

EVAL = "ode"
SIZES = {"4": (4, 1), "10000": (10_000, 1)}
SMALL = (5, 3)
WRT = (0,)
primal = ode.trajectory_end


def given(n: int, steps: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(0).random(n).tolist(), "s": steps}


def arguments(n: int, steps: int) -> tuple[Any, ...]:
    return evals.ode_arguments(given(n, steps))


def check(what: str, arguments: Sequence[Any], result: Any) -> str:
    from benchmarks.rows import as_quotients, close, directions, inner_product

    if what == "primal":
        return close(result, primal(*arguments), 1e-9)
    moves = directions(arguments, WRT)
    return as_quotients(inner_product(result, arguments, moves), ode.last_component, arguments, WRT, moves)


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(ode.last_component, "x", backend)}


def by_hand() -> Mapping[str, Any]:
    def gradient(x: Any, steps: int) -> Any:
        n, h = len(x), 2.0 / steps
        shift = lambda y: np.concatenate([np.ones(1), y[:-1]])  # noqa: E731
        back = lambda dy: np.concatenate([dy[1:], np.zeros(1)])  # noqa: E731
        y, tape = np.zeros(n), []
        for _ in range(steps):
            s1 = shift(y)
            s2 = shift(y + 0.5 * h * (k1 := x * s1))
            s3 = shift(y + 0.5 * h * (k2 := x * s2))
            s4 = shift(y + h * (k3 := x * s3))
            tape.append((s1, s2, s3, s4))
            y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + x * s4)
        dx, dy = np.zeros(n), np.zeros(n)
        dy[-1] = 1.0
        for s1, s2, s3, s4 in reversed(tape):
            d4 = h / 6.0 * dy
            y4 = back(x * d4)
            d3 = h / 3.0 * dy + h * y4
            y3 = back(x * d3)
            d2 = h / 3.0 * dy + 0.5 * h * y3
            y2 = back(x * d2)
            d1 = h / 6.0 * dy + 0.5 * h * y2
            dx += d1 * s1 + d2 * s2 + d3 * s3 + d4 * s4
            dy = dy + y4 + y3 + y2 + back(x * d1)
        return dx

    return {"primal": primal, "gradient": gradient}


def step(np: Any, x: Any, h: Any, y: Any, one: Any) -> Any:
    """One step, in a library that concatenates."""

    def slope(y: Any) -> Any:
        return x * np.concatenate([one, y[:-1]])

    k1 = slope(y)
    k2 = slope(y + 0.5 * h * k1)
    k3 = slope(y + 0.5 * h * k2)
    k4 = slope(y + h * k3)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def end(x: Any, steps: int) -> Any:
        h = 2.0 / steps
        stepped = jax.checkpoint(lambda y, _: (step(jnp, x, h, y, jnp.ones(1)), None))
        return jax.lax.scan(stepped, jnp.zeros_like(x), None, steps)[0]

    gradient = jax.grad(lambda x, steps: end(x, steps)[-1])
    return {"primal": jax.jit(end, static_argnums=1), "gradient": jax.jit(gradient, static_argnums=1)}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def end(x: Any, steps: int) -> Any:
        y = torch.zeros_like(x)
        for _ in range(steps):
            y = step(torch, x, 2.0 / steps, y, torch.ones(1, dtype=torch.float64))
        return y

    return {"primal": with_torch.value(end), "gradient": with_torch.gradient(lambda x, steps: end(x, steps)[-1], WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def end(x: Any, steps: int) -> Any:
        y = np.zeros(len(x))
        for _ in range(steps):
            y = step(np, x, 2.0 / steps, y, np.ones(1))
        return y

    return {"primal": end, "gradient": grad(lambda x, steps: end(x, steps)[-1])}
