"""Gradients by XLA beside the same in JAX, as its users write it under one `jit`: on the device that JAX takes
first, in doubles, with arrays that are there, and waited for. Last comes a loop that JAX refuses in reverse mode.

All are compiled first, side by side, and compared with NumPy's target; then each pair is timed in turns. What there was
no time for is told. `python3 -m benchmarks xla` ends within four minutes on a machine with an accelerator.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.adaptive import decay, refusal, seconds
from benchmarks.practice import agree
from benchmarks.programs import practice, wide
from benchmarks.programs.practice import Case
from benchmarks.systems import on_device, waited
from benchmarks.tables import Row, Table, at_most, duration, number, ratio
from benchmarks.timing import in_turns

COLUMNS = ("ccc xla", "JAX", "its first call", "JAX's first call")
MOST = 1.1
PREPARING, TIMING = 150.0, 60.0
"""The seconds in which programs are compiled, and those in which they are timed."""
ADAPTIVE = Case(decay, lambda n: [np.linspace(0.5, 2.0, n), np.linspace(1.0, 3.0, n), 2.0], ((10,), (100_000,)), (0, 1))


@dataclass
class Ready:
    """A row that is compiled and compared: its calls, what their first took, and what is not as NumPy has it."""

    calls: dict[str, Callable[[], Any]]
    first: dict[str, float]
    wrong: str = ""


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    import jax

    on_device([], ())
    cases = {label(case): case for case in (*wide.CASES, *practice.CASES, ADAPTIVE)}
    ready, remarks = prepared(cases)
    rows = timed(ready, rounds, remarks)
    ratios = {row.label: found for row in rows if (found := ratio(row, "ccc xla", "JAX")) is not None}
    targets = []
    if ratios:
        targets.append(at_most("geometric mean of ccc / JAX", float(np.exp(np.mean(np.log([*ratios.values()])))), 1.0))
        targets.append(at_most("the largest of ccc / JAX", max(ratios.values()), MOST))
        slower = [f"{name} {number(found)}" for name, found in ratios.items() if found > MOST]
        remarks.append(f"above {number(MOST)}: {', '.join(slower) or 'none'}")
    remarks.append(f"{ADAPTIVE.kernel.__name__} has steps that adapt; {refusal()}")
    device = jax.devices()[0].device_kind
    return [Table(f"xla: gradients beside JAX's, on {device}", COLUMNS, "JAX", rows, targets, remarks)]


def label(case: Case) -> str:
    return f"{case.kernel.__name__} {' '.join(map(str, case.sizes[-1]))}"


def prepared(cases: dict[str, Case]) -> tuple[dict[str, Ready], list[str]]:
    """The rows that could be compiled in time, with remarks on the others; several are compiled at once."""
    start, ready, remarks = time.monotonic(), {}, []
    arguments = {name: case.arguments(*case.sizes[-1]) for name, case in cases.items()}
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        waiting: dict[str, Future[Ready]] = {
            name: pool.submit(prepare, case, arguments[name]) for name, case in cases.items()}
        for name, found in waiting.items():
            try:
                ready[name] = found.result(timeout=max(0.0, start + PREPARING - time.monotonic()))
            except TimeoutError:
                found.cancel()
                remarks.append(f"{name} was not compiled in time")
                continue
            except Exception as error:  # a row that one of them does not compute is told, and the others are measured
                remarks.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
                continue
            print(f"{name}: compiled, {told(ready[name].first)}", flush=True)
            if ready[name].wrong:
                remarks.append(f"{name} is not what NumPy has: {ready[name].wrong}")
    return ready, remarks


def told(times: dict[str, float]) -> str:
    return ", ".join([f"{column} {duration(found)}" for column, found in times.items()])


def prepare(case: Case, arguments: list[Any]) -> Ready:
    """The gradient of a kernel in each column, called once and compared with NumPy's target."""
    from benchmarks import practice_in_jax

    given = on_device(arguments, case.wrt)
    verb = ccc.gradient(case.kernel, wrt=case.wrt, backend="xla")
    calls: dict[str, Callable[[], Any]] = {"ccc xla": lambda: waited(verb(*given))}
    if case is not ADAPTIVE:
        static = tuple([i for i, a in enumerate(arguments) if isinstance(a, int)])
        calls["JAX"] = partial(practice_in_jax.gradient(case.kernel, case.wrt, static), *given)
    wanted = ccc.gradient(case.kernel, wrt=case.wrt, backend="numpy")(*arguments)
    found, first, wrong = {}, {}, []
    for (column, call), of in zip(calls.items(), COLUMNS[2:], strict=False):
        first[of] = seconds(lambda: found.update({column: call()}))  # noqa: B023
        try:
            agree(found[column], wanted)
        except AssertionError as error:
            wrong.append(f"{column}, {' '.join(str(error).split())[:160]}")
    left = [code.left for codes in verb.codes.values() for code in codes if code.left]  # type: ignore[attr-defined]
    wrong += [f"ccc xla, which does not take {reason}" for reason in left]
    return Ready(calls, first, "; ".join(wrong))


def timed(ready: dict[str, Ready], rounds: int, remarks: list[str]) -> list[Row]:
    """The fastest call of each column, in turns, for at most an equal share of the time."""
    rows, end = [], time.monotonic() + TIMING
    for left, (name, one) in zip(range(len(ready), 0, -1), ready.items(), strict=True):
        share = max(0.0, end - time.monotonic()) / left
        once = sum(in_turns({column: partial(seconds, call) for column, call in one.calls.items()}, 1).values())
        if once > end - time.monotonic():
            remarks.append(f"{name} was not timed again, its calls are too long")
        times = max(1, min(rounds, int(share / (10.0 * once))))
        found = in_turns({column: partial(repeated, call, once) for column, call in one.calls.items()}, times)
        rows.append(Row(name, {**found, **one.first}))
        print(f"{name}: {told(found)}", flush=True)
    return rows


def repeated(call: Callable[[], Any], once: float) -> float:
    """The fastest of ten calls, of one that takes long alone."""
    return min([seconds(call) for _ in range(10 if once < 0.2 else 1)])
