"""First-order errors of arrays, whose sources are each an item's own or one for all, beside the plain program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.intervals import seconds
from benchmarks.tables import Row, Table, at_most
from benchmarks.timing import in_turns

SIZE = 100_000
MOST = 3.0
"""So many times as long as the plain program the one with errors takes at most."""


def decay(x: np.ndarray) -> Any:
    return x * np.exp(-0.5 * x) + 1.0


def mean(x: np.ndarray) -> Any:
    return np.mean(np.sin(x) * x)


def smoothed(x: np.ndarray) -> Any:
    y = x
    for _ in range(3):
        y = np.where(y > 1.5, np.tanh(y), np.sqrt(y + 0.5))
    return y


PROGRAMS: tuple[Callable[[Any], Any], ...] = (decay, mean, smoothed)


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    """The times of plain programs and of those with errors by row; nothing is drawn."""
    k, x, errors = ccc.Uncertainty(1), np.linspace(0.5, 2.0, SIZE), np.full(SIZE, 0.01)
    rows: list[Row] = []
    for f in PROGRAMS:
        ours = ccc.interpret(f, k)
        value, spread = ours((x, errors))
        along = np.sum(ccc.gradient(lambda x, f=f: np.sum(f(x)), wrt=0)(x) * errors)
        assert np.allclose(value, f(x)) and np.allclose(np.sum(spread), along), f.__name__
        calls = {"errors": partial(seconds, partial(ours, (x, errors)), 10),
                 "plain": partial(seconds, partial(f, x), 10)}
        rows.append(Row(f.__name__, in_turns(calls, rounds)))
    slowest = max(row.seconds["errors"] / row.seconds["plain"] for row in rows)
    question = f"uncertainty: errors of {SIZE} numbers beside the plain program"
    return [Table(question, ("errors", "plain"), "plain", rows, [at_most("errors / plain", slowest, MOST)])]
