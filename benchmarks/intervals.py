"""Outward-rounded intervals of loops over numbers, in machine code, beside those of mpmath."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import ccc
from benchmarks.tables import Row, Table, at_least
from benchmarks.timing import in_turns

STEPS = 1000
LEAST = 100.0
"""So many times as fast as mpmath's the bounds have to be."""


def newton(x: float) -> float:
    y = x
    for _ in range(STEPS):
        y = 0.5 * (y + x / y) if y > 0.1 else y + 1.0
    return y


def pendulum(x: float) -> float:
    angle, speed = x, 0.0
    for _ in range(STEPS):
        speed = speed - 0.001 * math.sin(angle)
        angle = angle + 0.001 * speed if angle > -1.0 else -1.0
    return angle


def polynomial(x: float) -> float:
    y = 0.0
    for i in range(STEPS):
        y = y * x + 1.0 if i % 2 == 0 else y * x - 0.5
    return y


PROGRAMS = {newton: (1.999, 2.001), pendulum: (0.5, 0.51), polynomial: (0.3, 0.6)}


def in_mpmath(f: Any, iv: Any) -> Callable[[Any], Any]:
    """The program on intervals of mpmath with the digits of floats."""
    return FunctionType(f.__code__, {**f.__globals__, "math": iv}, f.__name__)


def seconds(call: Callable[[], Any], times: int) -> float:
    """How long a call takes of the processor."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    """The times of bounds by row; nothing is drawn."""
    import mpmath

    iv: Any = mpmath.iv
    rows: list[Row] = []
    for f, box in PROGRAMS.items():
        ours, theirs = ccc.interpret(f, ccc.Intervals(), backend="native"), in_mpmath(f, iv)
        low, high = ours(box)
        found = theirs(iv.mpf(list(box)))
        assert low <= float(found.b) and float(found.a) <= high, f.__name__
        calls = {"ccc": partial(seconds, partial(ours, box), 100),
                 "mpmath": partial(seconds, partial(theirs, iv.mpf(list(box))), 1)}
        rows.append(Row(f.__name__, in_turns(calls, rounds)))
    slowest = min(row.seconds["mpmath"] / row.seconds["ccc"] for row in rows)
    question = f"intervals: bounds of {STEPS} steps of a loop over numbers"
    return [Table(question, ("ccc", "mpmath"), "ccc", rows, [at_least("mpmath / ccc", slowest, LEAST)])]
