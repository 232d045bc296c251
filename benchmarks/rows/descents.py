"""The descent of `saddle` and `particle` in other systems, and by difference quotients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def by_quotients(f: Callable[[Any], float]) -> Callable[[Any], Any]:
    """The gradient of a function of a tuple, by central difference quotients."""

    def slopes(x: Any) -> Any:
        moved = lambda i, h: f(tuple([a + h * (i == j) for j, a in enumerate(x)]))  # noqa: E731
        return tuple([(moved(i, 1e-4) - moved(i, -1e-4)) / 2e-4 for i in range(len(x))])

    return slopes


def minimum(np: Any, f: Any, slopes: Any, x: Any) -> Any:
    """Descent as in `programs.descent`, in a library whose numbers Python can compare."""
    fx, gx = f(x), slopes(x)
    step, downhill = 1e-5, 0
    while np.sqrt(np.sum(gx * gx)) > 1e-5:
        if downhill == 10:
            step, downhill = 2.0 * step, 0
            continue
        y = x - step * gx
        if np.sqrt(np.sum((x - y) * (x - y))) <= 1e-5:
            break
        fy = f(y)
        if fy < fx:
            x, fx, gx, downhill = y, fy, slopes(y), downhill + 1
        else:
            step, downhill = step / 2.0, 0
    return x


def with_jax() -> Callable[[Any, Any, Any], Any]:
    """Descent by `lax.while_loop`, through which JAX has forward mode but not reverse mode."""
    import jax.numpy as jnp
    from jax import lax

    def minimum(f: Callable[[Any], Any], slopes: Callable[[Any], Any], x: Any) -> Any:
        def going(s: Any) -> Any:
            return jnp.logical_not(s["done"]) & (jnp.sqrt(jnp.sum(s["gx"] ** 2)) > 1e-5)

        def step(s: Any) -> Any:
            doubled = s["downhill"] == 10
            y = s["x"] - s["step"] * s["gx"]
            near = jnp.sqrt(jnp.sum((s["x"] - y) ** 2)) <= 1e-5
            fy = f(y)
            down = fy < s["fx"]
            moves = down & ~near & ~doubled
            gy = lax.cond(moves, slopes, lambda _: s["gx"], y)
            scale = jnp.where(doubled, 2.0, jnp.where(down | near, 1.0, 0.5))
            return {
                "x": jnp.where(moves, y, s["x"]), "fx": jnp.where(moves, fy, s["fx"]), "gx": gy,
                "step": s["step"] * scale, "downhill": jnp.where(moves, s["downhill"] + 1, 0),
                "done": near & ~doubled,
            }  # fmt: skip

        first = {"x": x, "fx": f(x), "gx": slopes(x), "step": 1e-5, "downhill": 0, "done": False}
        return lax.while_loop(going, step, first)["x"]

    return minimum
