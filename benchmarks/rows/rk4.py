"""Prey and predators by the classical Runge-Kutta method, in numbers; JAX by `lax.scan`, CasADi by an accumulation.

JAX computes a step again in the reverse loop (`jax.checkpoint`), which is 40 times as fast here as to keep its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import ours as library
from benchmarks.programs import rk4
from benchmarks.programs.rk4 import orbit_end as primal

SIZES = {"1000": (1000,), "100000": (100_000,)}
SMALL = (20,)
WRT = (0, 1, 2, 3, 4, 5)
NAMES = ("a", "b", "c", "d", "u", "v")


def SCALED(n: int) -> tuple[Any, ...]:
    return (n,)


def arguments(steps: int) -> tuple[Any, ...]:
    return 1.1, 0.4, 0.4, 0.1, 10.0, 5.0, steps


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    def gradient(a: float, b: float, c: float, d: float, u: float, v: float, steps: int) -> Any:
        """The slopes of each step are run backwards through the four stages; the state is taped."""
        h = 10.0 / steps
        tape = []
        for _ in range(steps):
            tape.append((u, v))
            u, v, _ = step(a, b, c, d, u, v, h)
        da = db = dc = dd = 0.0
        du = dv = 1.0
        weights = (h / 6.0, h / 3.0, h / 3.0, h / 6.0)
        ahead = (0.5 * h, 0.5 * h, h, 0.0)
        for u, v in reversed(tape):
            _, _, stages = step(a, b, c, d, u, v, h)
            eu = ev = 0.0
            su, sv = du, dv
            for (x, y), weight, reach in zip(reversed(stages), reversed(weights), reversed(ahead), strict=True):
                dk, dl = weight * du + reach * eu, weight * dv + reach * ev
                da += dk * x
                db -= dk * x * y
                dc -= dl * y
                dd += dl * x * y
                eu = dk * (a - b * y) + dl * d * y
                ev = dl * (d * x - c) - dk * b * x
                su, sv = su + eu, sv + ev
            du, dv = su, sv
        return da, db, dc, dd, du, dv

    def step(a: float, b: float, c: float, d: float, u: float, v: float, h: float) -> Any:
        k1, l1 = rk4.slope(a, b, c, d, u, v)
        u2, v2 = u + 0.5 * h * k1, v + 0.5 * h * l1
        k2, l2 = rk4.slope(a, b, c, d, u2, v2)
        u3, v3 = u + 0.5 * h * k2, v + 0.5 * h * l2
        k3, l3 = rk4.slope(a, b, c, d, u3, v3)
        u4, v4 = u + h * k3, v + h * l3
        k4, l4 = rk4.slope(a, b, c, d, u4, v4)
        moved = u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
        return *moved, ((u, v), (u2, v2), (u3, v3), (u4, v4))

    return {"primal": primal, "gradient": gradient}


def step(a: Any, b: Any, c: Any, d: Any, h: Any, u: Any, v: Any) -> Any:
    """One step, in any library."""
    k1, l1 = rk4.slope(a, b, c, d, u, v)
    k2, l2 = rk4.slope(a, b, c, d, u + 0.5 * h * k1, v + 0.5 * h * l1)
    k3, l3 = rk4.slope(a, b, c, d, u + 0.5 * h * k2, v + 0.5 * h * l2)
    k4, l4 = rk4.slope(a, b, c, d, u + h * k3, v + h * l3)
    return u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)


def jax() -> Mapping[str, Any]:
    import jax

    def end(a: Any, b: Any, c: Any, d: Any, u: Any, v: Any, steps: int) -> Any:
        h = 10.0 / steps
        stepped = jax.checkpoint(lambda s, _: (step(a, b, c, d, h, *s), None))
        (u, v), _ = jax.lax.scan(stepped, (u, v), None, steps)
        return u + v

    gradient = jax.grad(end, WRT)
    return {"primal": jax.jit(end, static_argnums=6), "gradient": jax.jit(gradient, static_argnums=6)}


def torch() -> Mapping[str, Any]:
    from benchmarks import with_torch

    def end(a: Any, b: Any, c: Any, d: Any, u: Any, v: Any, steps: int) -> Any:
        for _ in range(steps):
            u, v = step(a, b, c, d, 10.0 / steps, u, v)
        return u + v

    return {"primal": with_torch.value(end), "gradient": with_torch.gradient(end, WRT)}


def autograd() -> Mapping[str, Any]:
    from autograd import grad

    return {"primal": primal, "gradient": grad(primal, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    s, p, h = casadi.SX.sym("s", 2), casadi.SX.sym("p", 4), casadi.SX.sym("h")
    moved = casadi.vertcat(*step(*casadi.vertsplit(p), h, s[0], s[1]))
    stepped = casadi.Function("step", [s, p, h], [moved])

    def end(a: Any, b: Any, c: Any, d: Any, u: Any, v: Any, steps: int) -> Any:
        f = stepped.mapaccum("orbit", steps, 1, {"base": 10})
        found = f(casadi.vertcat(u, v), casadi.repmat(casadi.vertcat(a, b, c, d), 1, steps), 10.0 / steps)
        return casadi.sum1(found[:, -1])

    return {"primal": with_casadi.value(end), "gradient": with_casadi.gradient(end, WRT)}
