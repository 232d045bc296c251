"""The gradient of a loop, beside the loop run by Python."""

from __future__ import annotations

from functools import partial
from typing import Any

import ccc
from benchmarks import peers
from benchmarks.programs import recurrent
from benchmarks.tables import Row, Table, at_most, ratio
from benchmarks.timing import Call, fastest

COLUMNS = ("the loop", "by hand", "ccc", "JAX", "autograd", "PyTorch")
WEIGHTS = ("w", "u", "b")
STEPS = 1000


def measure(rounds: int) -> list[Table]:
    rows = [
        row("one number of state", "scalar_rnn", recurrent.scalar_rnn_arguments(STEPS), rounds),
        row("eight numbers of state", "array_rnn", recurrent.array_rnn_arguments(STEPS), rounds),
    ]
    targets = [at_most("ccc / the loop, one number of state", ratio(rows[0], "ccc", "the loop"), 5)]
    remarks = ["value and gradient in the weights; JAX by lax.scan"]
    return [Table(f"loops: a recurrent cell, {STEPS:,} steps", COLUMNS, "the loop", rows, targets, remarks)]


def row(label: str, program: str, arguments: Any, rounds: int) -> Row:
    """The times of a program, of its gradients by hand and by ccc, and of the peers' gradients."""
    f = getattr(recurrent, program)
    transformed = ccc.value_with_gradient(f, wrt=WEIGHTS)
    gradients: dict[str, Call] = {
        "by hand": partial(getattr(recurrent, f"{program}_gradient"), *arguments),
        "ccc": lambda: transformed(*arguments)[1],
        **peers.calls_of(program, *arguments),
    }
    peers.same_gradient(gradients)
    return Row(label, fastest({"the loop": partial(f, *arguments), **gradients}, rounds, least=2e-2))
