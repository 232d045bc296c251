"""Times measured in turns: the fastest turn of each of several calls, so that what disturbs one disturbs all.

>>> times = fastest({"short": lambda: sum(range(10)), "long": lambda: sum(range(10_000))}, rounds=3, least=1e-4)
>>> times["short"] < times["long"]
True
"""

from __future__ import annotations

import timeit
from collections.abc import Callable, Mapping
from typing import Any

Call = Callable[[], Any]


def fastest(calls: Mapping[str, Call], rounds: int, least: float = 5e-3) -> dict[str, float]:
    """Seconds of one call of each, from batches that take at least `least` seconds."""
    timers = {name: timeit.Timer("call()", globals={"call": call}) for name, call in calls.items()}
    sizes = {name: batch(timer, least) for name, timer in timers.items()}
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, timer in timers.items():
            found[name] = min(found[name], timer.timeit(sizes[name]) / sizes[name])
    return found


def batch(timer: timeit.Timer, least: float) -> int:
    """How many calls take at least `least` seconds; the calls made meanwhile are the warming up."""
    timer.timeit(2)
    size = 1
    while (seconds := timer.timeit(size)) < least:
        size = max(2 * size, int(size * 1.1 * least / max(seconds, 1e-9)))
    return size


def in_turns(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The least that each measure, taken in turns, returns: for what can be measured only once in a process."""
    found = dict.fromkeys(measures, float("inf"))
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name] = min(found[name], measure())
    return found
