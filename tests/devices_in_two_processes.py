"""A gradient of plain NumPy over the rows that two processes hold: each runs
`python3 tests/devices_in_two_processes.py PORT NUMBER`, and prints what agrees."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from devices_in_one_process import loss

import ccc


def main(port: str, number: int) -> None:
    import jax

    jax.config.update("jax_num_cpu_devices", 2)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=number)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    draw = np.random.default_rng(1)
    shapes = {"w1": (3, 8), "b1": (8,), "w2": (8, 1)}
    p = {name: draw.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    x, y = draw.normal(size=(32, 3)).astype("float32"), draw.normal(size=(32, 1)).astype("float32")

    def divided(a: Any, *axes: Any) -> Any:
        here = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
        return jax.make_array_from_callback(a.shape, here, lambda part: a[part])

    slopes = jax.jit(ccc.gradient(loss, wrt="p", backend="xla"), out_shardings=jax.sharding.NamedSharding(
        mesh, jax.sharding.PartitionSpec()))
    found = slopes(jax.tree.map(divided, p), divided(x, "i"), divided(y, "i"))
    wanted = ccc.gradient(loss, wrt="p", backend="numpy")(p, x, y)
    for name in p:
        np.testing.assert_allclose(np.asarray(found[name]), wanted[name], rtol=2e-5, atol=1e-6)
    print("process", number, "agrees on", len(jax.devices()), "devices")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
