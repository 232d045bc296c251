"""The gradient of an adaptive integrator, whose number of steps nobody knows before it runs: on the device that JAX
takes first, and in NumPy. JAX refuses to differentiate such a loop in reverse mode, which is tried and told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.systems import on_device, waited
from benchmarks.tables import Row, Table, Target
from benchmarks.timing import in_turns

SIZES = (1_000, 100_000, 1_000_000)
COLUMNS = ("ccc xla", "its first call", "ccc numpy")


def decay(y: Any, rate: Any, end: float) -> Any:
    """Heun's steps with Euler's beside them, longer and shorter as the two differ; the loss is what is left."""
    t, h = 0.0, 0.01
    while t < end:
        h = min(h, end - t)
        first = -rate * y * y
        second = -rate * (y + h * first) ** 2
        if np.max(np.abs(second - first)) * h < 1e-3:
            t = t + h
            y = y + 0.5 * h * (first + second)
            h = 1.3 * h
        else:
            h = 0.5 * h
    return np.sum(y)


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    import jax

    rows: list[Row] = []
    remarks = [f"on {jax.devices()[0].device_kind}; {refusal()}"]
    for n in SIZES:
        y, rate = np.linspace(0.5, 2.0, n), np.linspace(1.0, 3.0, n)
        arguments = [*on_device((y, rate), ()), 2.0]
        ours, plain = (ccc.gradient(decay, wrt=("y", "rate"), backend=backend) for backend in ("xla", "numpy"))
        first = seconds(lambda: waited(ours(*arguments)))  # noqa: B023
        wanted = plain(y, rate, 2.0)
        for a, b in zip(ours(*arguments), wanted, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-9, atol=1e-12)
        found = in_turns({
            "ccc xla": lambda: seconds(lambda: waited(ours(*arguments))),  # noqa: B023
            "ccc numpy": lambda: seconds(lambda: plain(y, rate, 2.0)),  # noqa: B023
        }, max(2, rounds))  # fmt: skip
        rows.append(Row(f"{n:,} numbers", {**found, "its first call": first}))
    largest = rows[-1].seconds
    ratio = largest["ccc numpy"] / largest["ccc xla"]
    wanted_ratio = Target(f"numpy / xla at {SIZES[-1]:,} numbers", ratio, 1.0, most=False)
    return [Table("adaptive: reverse mode through adaptive steps", COLUMNS, "ccc xla", rows, [wanted_ratio], remarks)]


def refusal() -> str:
    """What JAX says to the gradient of such a loop."""
    import jax

    def left(y: Any) -> Any:
        return jax.lax.while_loop(lambda at: at[0] < 1.0, lambda at: (at[0] + 0.1, at[1] * y), (0.0, y))[1]

    try:
        jax.grad(left)(1.0)
    except ValueError as error:
        return f"JAX: {str(error).splitlines()[0][:80]}"
    return "JAX differentiates such a loop"


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    before = time.perf_counter()
    call()
    return time.perf_counter() - before
