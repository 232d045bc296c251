"""Programs of plain NumPy on eight devices of one process: `python3 tests/devices_in_one_process.py` says what agrees.

Arguments are divided among devices by the caller; the programs and their derivatives say nothing of devices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ccc


def loss(p, x, y):
    h = np.tanh(x @ p["w1"] + p["b1"])
    return np.mean((h @ p["w2"] - y) ** 2)


def heat(u, steps):
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u)
    return np.sum(u * u)


def price(spot, volatility, draws):
    end = spot * np.exp(-0.5 * volatility**2 + volatility * draws)
    return np.mean(np.maximum(end - 1.0, 0.0))


def trained(p: Any, x: Any, y: Any) -> Any:
    """The parameters after some steps of descent, compiled by JAX as one program."""
    import jax

    slopes = ccc.gradient(loss, wrt="p", backend="xla")

    def step(p: Any, _: None) -> Any:
        return jax.tree.map(lambda a, d: a - 0.1 * d, p, slopes(p, x, y)), None

    return jax.jit(lambda p, x, y: jax.lax.scan(step, p, None, 5)[0])(p, x, y)


def main() -> None:
    import jax

    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))

    def divided(x: Any, *axes: Any) -> Any:
        return jax.device_put(x, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)))

    def agree(name: str, found: Any, wanted: Any) -> None:
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)
        print(name, "agrees on", len(mesh.devices), "devices")

    draw = np.random.default_rng(1)
    shapes = {"w1": (3, 8), "b1": (8,), "w2": (8, 1)}
    p = {name: draw.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    x, y = draw.normal(size=(32, 3)).astype("float32"), draw.normal(size=(32, 1)).astype("float32")
    found = trained(jax.tree.map(divided, p), divided(x, "i"), divided(y, "i"))
    agree("training", found, trained(jax.tree.map(jax.numpy.asarray, p), jax.numpy.asarray(x), jax.numpy.asarray(y)))

    u = draw.normal(size=(16, 8)).astype("float32")
    slope = ccc.gradient(heat, wrt="u", backend="xla")
    found = slope(divided(u, "i"), 3)
    assert len(found.sharding.device_set) == 8 and found.sharding.shard_shape(found.shape) == (2, 8)
    agree("a stencil", found, ccc.gradient(heat, wrt="u", backend="numpy")(u, 3))

    draws = draw.normal(size=4000).astype("float32")
    greeks = ccc.gradient(price, wrt=("spot", "volatility"), backend="xla")
    agree("Monte Carlo", greeks(1.1, 0.2, divided(draws, "i")), ccc.gradient(
        price, wrt=("spot", "volatility"), backend="numpy")(1.1, 0.2, draws))


if __name__ == "__main__":
    main()
