"""A particle steered by descent through forces that are gradients, in the four combinations of modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import particle
from benchmarks.rows import descents

EVAL = "particle"
SIZES = {"0": (0.0,)}
SMALL = (0.0,)
WRT = ()


@cache
def primal(w: float) -> float:
    return particle.particle(descents.by_quotients, descents.by_quotients, w)


def given(w: float) -> dict[str, Any]:
    return {"w": w}


def arguments(w: float) -> tuple[Any, ...]:
    return evals.particle_arguments(given(w))


def check(what: str, arguments: Sequence[Any], result: Any) -> str:
    """Against the same descent by difference quotients, whose errors leave fewer digits."""
    from benchmarks.rows import close

    return close(result, primal(*arguments), 1e-4)


def ours(backend: str) -> Mapping[str, Any]:
    return {mode: library.run(getattr(particle, f"particle_{mode}"), backend) for mode in evals.MODES}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    minimum = descents.with_jax()

    def particle(inner: Callable[..., Any], w: Any) -> Any:
        def cost(w: Any) -> Any:
            def potential(x: Any) -> Any:
                far, near = x - jnp.stack([10.0, 10.0 - w[0]]), x - jnp.array([10.0, 0.0])
                return 1.0 / jnp.sqrt(jnp.sum(far**2)) + 1.0 / jnp.sqrt(jnp.sum(near**2))

            force = inner(potential)

            def fly(s: Any) -> Any:
                x, v = s
                return x + 0.1 * v, v - 0.1 * force(x)

            start = jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])
            x, v = jax.lax.while_loop(lambda s: s[0][1] + 0.1 * s[1][1] > 0.0, fly, start)
            return (x[0] - x[1] / v[1] * v[0]) ** 2

        return minimum(cost, jax.jacfwd(cost), jnp.stack([w]))[0]

    def mode(inner: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(lambda w: particle(inner, w))

    return {"ff": mode(jax.jacfwd), "fr": mode(jax.grad)}
