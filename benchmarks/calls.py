"""A cached gradient, called: what one call costs beside the derivative written by hand."""

from __future__ import annotations

from functools import partial

import numpy as np

import ccc
from benchmarks import peers
from benchmarks.programs import formulas
from benchmarks.tables import Row, Table, at_least, ratio
from benchmarks.timing import Call, fastest

COLUMNS = ("by hand", "ccc", "JAX", "JAX, on device", "autograd", "PyTorch")
SIZES = (10, 1000, 1_000_000)


def measure(rounds: int) -> list[Table]:
    rows = [scalar(rounds), *[array(size, rounds) for size in SIZES]]
    targets = [
        at_least("JAX / ccc on floats", ratio(rows[0], "JAX", "ccc"), 3),
        at_least("JAX on device / ccc on floats", ratio(rows[0], "JAX, on device", "ccc"), 3),
        at_least("autograd / ccc on floats", ratio(rows[0], "autograd", "ccc"), 20),
    ]
    remarks = ["JAX takes arrays of the device in all rows but the first, and in its second column"]
    return [Table("calls: a cached gradient, called", COLUMNS, "ccc", rows, targets, remarks)]


def scalar(rounds: int) -> Row:
    x, y = 2.0, 3.0
    calls: dict[str, Call] = {
        "by hand": partial(formulas.product_and_sine_gradient, x, y),
        "ccc": partial(ccc.gradient(formulas.product_and_sine), x, y),
        **peers.calls_of("product_and_sine", x, y),
    }
    if "JAX" in calls:
        calls["JAX, on device"] = peers.module_of("JAX").product_and_sine_on_device(x, y)
    peers.same_gradient(calls)
    return Row("x * y + math.sin(x)", fastest(calls, rounds))


def array(size: int, rounds: int) -> Row:
    x = np.linspace(-2.0, 2.0, size)
    calls: dict[str, Call] = {
        "by hand": partial(formulas.bump_gradient, x),
        "ccc": partial(ccc.gradient(formulas.bump), x),
        **peers.calls_of("bump", x),
    }
    peers.same_gradient(calls)
    return Row(f"sum(tanh(x) * exp(-x * x)), {size:,}", fastest(calls, rounds))
