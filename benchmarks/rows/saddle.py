"""A saddle point by nested descent, in the four combinations of modes.

JAX has no reverse mode through a loop of unknown length, so its outer mode is forward; autograd follows Python's loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import saddle
from benchmarks.rows import descents

EVAL = "saddle"
SIZES = {"1,1": (1.0, 1.0)}
SMALL = (1.0, 1.0)
WRT = ()


@cache
def primal(start: Any) -> Any:
    return saddle.saddle(descents.by_quotients, descents.by_quotients, start)


def given(x: float, y: float) -> dict[str, Any]:
    return {"start": [x, y]}


def arguments(x: float, y: float) -> tuple[Any, ...]:
    return evals.saddle_arguments(given(x, y))


def check(what: str, arguments: Sequence[Any], result: Any) -> str:
    """Against the same descent by difference quotients."""
    from benchmarks.rows import close, flat

    return close(1.0 + result, 1.0 + flat(primal(*arguments)), 1e-6)


def ours(backend: str) -> Mapping[str, Any]:
    return {mode: library.run(getattr(saddle, f"saddle_{mode}"), backend) for mode in evals.MODES}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    minimum = descents.with_jax()

    def saddle(inner: Callable[..., Any], start: Any) -> Any:
        def greatest(x: Any, gradient: Callable[..., Any]) -> Any:
            lowered = lambda y: jnp.sum(y**2) - jnp.sum(x**2)  # noqa: E731
            return minimum(lowered, gradient(lowered), start)

        def cost(x: Any) -> Any:
            return jnp.sum(x**2) - jnp.sum(greatest(x, inner) ** 2)

        x = minimum(cost, jax.jacfwd(cost), start)
        return x, greatest(x, jax.jacfwd)

    def mode(inner: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(lambda start: saddle(inner, jnp.stack(start)))

    return {"ff": mode(jax.jacfwd), "fr": mode(jax.grad)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def saddle(start: Any) -> Any:
        start = np.array(start)

        def greatest(x: Any) -> Any:
            lowered = lambda y: np.sum(y**2) - np.sum(x**2)  # noqa: E731
            return descents.minimum(np, lowered, grad(lowered), start)

        def cost(x: Any) -> Any:
            return np.sum(x**2) - np.sum(greatest(x) ** 2)

        x = descents.minimum(np, cost, grad(cost), start)
        return x, greatest(x)

    return {"rr": saddle}
