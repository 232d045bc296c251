"""Code that nobody tuned for: kernels of numerical practice, plain NumPy, and their gradients in JAX as its users write
them, in doubles and waited for.

A gradient that is not that of JAX is not timed; without JAX it is compared with NumPy's target, and stands alone.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.programs import practice, practice_images, practice_large
from benchmarks.programs.practice import Case
from benchmarks.systems import SYSTEMS, on_device
from benchmarks.tables import Row, Table, Target, at_most, ratio
from benchmarks.timing import batch, in_turns

LEAST = 2e-3
MOST = 1.1
COLUMNS = ("ccc native", "ccc numpy", "JAX")
CASES = [*practice.CASES, *practice_large.CASES, *practice_images.CASES]


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    rows = [row(case, size, rounds) for case in CASES for size in case.sizes]
    targets: list[Target] = []
    ratios = [x for x in [ratio(found, "ccc native", "JAX") for found in rows] if x is not None]
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        targets.append(at_most("geometric mean of native / JAX", mean, 1.0))
        targets.append(at_most("the largest of native / JAX", max(ratios), MOST))
    return [Table("practice: gradients of kernels that nobody tuned for", COLUMNS, "ccc native", rows, targets)]


def row(case: Case, size: tuple[int, ...], rounds: int) -> Row:
    """The fastest call of each column, in turns."""
    calls = columns(case, size)
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    counts = {name: batch(timer, LEAST) for name, timer in timers.items()}

    def one(name: str) -> float:
        return timers[name].timeit(counts[name]) / counts[name]

    found = in_turns({name: partial(one, name) for name in calls}, rounds)
    return Row(f"{case.kernel.__name__} {' '.join(map(str, size))}", found)


def columns(case: Case, size: tuple[int, ...]) -> dict[str, Callable[[], Any]]:
    """The gradient in each column, as a call; all are compared."""
    arguments = case.arguments(*size)
    calls: dict[str, Callable[[], Any]] = {}
    for backend in ("native", "numpy"):
        if SYSTEMS[f"ccc {backend}"].installed():
            calls[f"ccc {backend}"] = partial(ccc.gradient(case.kernel, wrt=case.wrt, backend=backend), *arguments)
    if SYSTEMS["JAX"].installed():
        from benchmarks import practice_in_jax

        static = tuple([i for i, a in enumerate(arguments) if isinstance(a, int)])
        given = on_device(arguments, case.wrt)
        calls["JAX"] = partial(practice_in_jax.gradient(case.kernel, case.wrt, static), *given)
    wanted, *others = [call() for call in calls.values()]
    for found in others:
        agree(found, wanted)
    return calls


def agree(found: Any, wanted: Any) -> None:
    """Raise `AssertionError` where two gradients are not equal up to rounding."""
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for a, b in pairs:
        largest = max(1e-300, float(np.max(np.abs(b))))
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=0.0, atol=1e-8 * largest)
