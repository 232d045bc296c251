"""Threads that call machine code: who waits for whom, and what they see of arrays that change."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
import pytest
from test_native_entries import only_code

import ccc

pytest.importorskip("llvmlite")


def test_other_threads_run_during_long_work() -> None:
    def decay(x: float, n: int) -> float:
        for _ in range(n):
            x = x - 1e-9 * math.sin(x)
        return x

    def settled(x: float) -> float:
        while x > 1.0:
            x = x - 1e-7 * math.sin(x)
        return x

    for plain, args in ((settled, (1.9,)), (decay, (1.0, 8_000_000))):
        f, ticks, done = ccc.compiled(plain, backend="native"), [0], threading.Event()
        f(1.0, *[1] * (len(args) - 1))
        assert not only_code(f).left_to

        def tick(ticks: list[int] = ticks, done: threading.Event = done) -> None:
            while not done.wait(0.001):
                ticks[0] += 1

        thread = threading.Thread(target=tick)
        thread.start()
        try:
            start = time.perf_counter()
            assert f(*args) <= 1.0
            took = time.perf_counter() - start
        finally:
            done.set()
            thread.join()
        assert took > 0.02 and ticks[0] > 5, (plain.__name__, took, ticks)


def test_threads_hammer_while_what_they_read_changes() -> None:
    """Positions that another thread moves are checked as they are read, and nothing is read outside of its array.

    Machine code is called without what it leaves to NumPy, which reads outside of arrays when positions move meanwhile.
    """

    def picked(x: np.ndarray, at: np.ndarray, ok: np.ndarray) -> Any:
        return np.sum(x[at] * x[at]) + np.sum(np.where(ok, x, 0.0)) + x[at[0]]

    g = ccc.value_with_gradient(picked, backend="native")
    n = 20_000
    x, at, ok = np.ones(n), np.arange(n), np.ones(n, bool)
    value, (dx, *_) = g(x, at, ok)
    assert value == 2 * n + 1 and dx[1] == 3.0 and not only_code(g).left_to
    kernel = only_code(g).call.kernel  # type: ignore[attr-defined]
    stop, problems = threading.Event(), list[Any]()

    def change() -> None:
        while not stop.is_set():
            at[:] = 10**12
            x[:] = 2.0
            at[:] = np.arange(n)
            x[:] = 1.0

    def run() -> None:
        for _ in range(100):
            found = kernel(x, at, ok)
            if found is NotImplemented:
                continue
            value, (dx, *_) = found
            if not 2 * n <= value <= 6 * n + 2 or not np.all((dx >= 1.0) & (dx <= 6.0)):
                problems.append(value)

    changing, threads = threading.Thread(target=change), [threading.Thread(target=run) for _ in range(8)]
    changing.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    changing.join()
    assert not problems
