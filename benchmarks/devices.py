"""Weak scaling: one step on 1, 2, 4 and 8 devices of one process, with as much work for each device.

The caller divides the arguments (`NamedSharding`); XLA divides the program. Beside ours stands the same step as it is
written for JAX, by `jax.grad`: what more devices cost there they cost here. Devices of a CPU share its cores, so the
time grows with their number where these are fewer; the ratio of ours to JAX's should not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.adaptive import seconds
from benchmarks.systems import waited
from benchmarks.tables import Row, Table, at_most
from benchmarks.timing import in_turns

DEVICES = (1, 2, 4, 8)
ROWS, COLUMNS_OF, STEPS = 256, 64, 8
"""The rows of each device, the columns of a row, the steps of the stencil."""
MOST = 1.5


def loss(p: Any, x: Any, y: Any) -> Any:
    h = np.tanh(x @ p["w1"] + p["b1"])
    return np.mean((h @ p["w2"] - y) ** 2)


def heat(u: Any) -> Any:
    for _ in range(STEPS):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u)
    return np.sum(u * u)


def loss_in_jax(p: Any, x: Any, y: Any) -> Any:
    import jax.numpy as jnp

    h = jnp.tanh(x @ p["w1"] + p["b1"])
    return jnp.mean((h @ p["w2"] - y) ** 2)


def heat_in_jax(u: Any) -> Any:
    import jax
    import jax.numpy as jnp

    def step(u: Any, _: None) -> Any:
        around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.1 * (around - 4.0 * u), None

    u, _ = jax.lax.scan(step, u, None, STEPS)
    return jnp.sum(u * u)


def steps() -> dict[str, dict[str, Callable[..., Any]]]:
    """A step of descent and the slope of a stencil, each as it is written with ours and with JAX, jitted."""
    import jax

    def trained(slopes: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(lambda p, x, y: jax.tree.map(lambda a, d: a - 0.1 * d, p, slopes(p, x, y)))

    return {
        "training": {"ccc": trained(ccc.gradient(loss, wrt="p", backend="xla")), "JAX": trained(jax.grad(loss_in_jax))},
        "stencil": {"ccc": ccc.gradient(heat, backend="xla"), "JAX": jax.jit(jax.grad(heat_in_jax))},
    }


def arguments(number: int) -> dict[str, tuple[Any, ...]]:
    """The arguments on so many devices: rows are divided, parameters are on each."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()[:number]), ("rows",))
    draw = np.random.default_rng(1)

    def on(x: Any, *axes: Any) -> Any:
        return jax.device_put(x.astype("float32"), NamedSharding(mesh, PartitionSpec(*axes)))

    p = {"w1": on(draw.normal(size=(COLUMNS_OF, 128))), "b1": on(np.zeros(128)), "w2": on(draw.normal(size=(128, 1)))}
    x, y = (draw.normal(size=(ROWS * number, n)) for n in (COLUMNS_OF, 1))
    return {"training": (p, on(x, "rows"), on(y, "rows")), "stencil": (on(x, "rows"),)}


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    import jax

    jax.config.update("jax_num_cpu_devices", DEVICES[-1])
    if len(jax.devices()) < DEVICES[-1]:
        raise SystemExit(f"`devices` needs {DEVICES[-1]} devices, there are {len(jax.devices())}: run it by itself")
    return [table(name, ways, rounds) for name, ways in steps().items()]


def table(name: str, ways: dict[str, Callable[..., Any]], rounds: int) -> Table:
    """What a step takes on each number of devices, ours and JAX's in turns, which agree."""
    import jax

    rows: list[Row] = []
    for number in DEVICES:
        given = arguments(number)[name]
        ours, theirs = (waited(way(*given)) for way in ways.values())
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
            if not a.sharding.is_equivalent_to(b.sharding, a.ndim):
                raise AssertionError(f"{name} is divided as {a.sharding}, with JAX as {b.sharding}")
        calls = {way: lambda f=f: seconds(lambda: waited(f(*given))) for way, f in ways.items()}  # noqa: B023
        rows.append(Row(f"{number} device{'s' if number > 1 else ''}", in_turns(calls, max(5, rounds))))
    most = max(row.seconds["ccc"] / row.seconds["JAX"] for row in rows)
    title = f"devices: {name}, {ROWS} rows for each device"
    return Table(title, tuple(ways), "JAX", rows, [at_most("the most ccc / JAX", most, MOST)])
