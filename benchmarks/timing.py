"""Times measured in turns, so that what disturbs one disturbs all.

>>> found = in_turns({"short": lambda: 1.0, "long": iter((9.0, 8.0)).__next__}, 2)
>>> found == {"short": 1.0, "long": 8.0}
True
"""

from __future__ import annotations

import timeit
from collections.abc import Callable, Mapping


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
