"""Work that nobody waits for, in a thread of its own, where this process may use another processor.

It should leave Python's lock most of the time, as a compiler's library does that is called: else it takes from who
goes on. When the process ends, what is under way is left where it asks (`go_on`), and waited for till then: libraries
must not be taken down below it. A process that a fork makes has no such thread, and does the work again itself.

>>> work = Apart(lambda: 6 * 7)
>>> work.found()
42
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Ended(RuntimeError):
    """The process ends, and nobody will ask for what would be found."""


class Apart(Generic[T]):
    """What a function gives, found in a thread of its own."""

    def __init__(self, run: Callable[[], T]) -> None:
        self.run, self.process = run, os.getpid()
        self.gave: list[T] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self.inside, name="ccc", daemon=True)
        _under_way.add(self)
        self.thread.start()

    def inside(self) -> None:
        try:
            self.gave.append(self.run())
        except BaseException as error:  # raised again by who asks
            self.error = error

    def ended(self) -> bool:
        """Whether nobody has to wait for it any more."""
        return self.process != os.getpid() or not self.thread.is_alive()

    def found(self) -> T:
        """What the function gave, waited for; raises what it raised."""
        if self.process != os.getpid():
            return self.run()
        self.thread.join()
        if self.error is not None:
            raise self.error
        return self.gave[0]


_under_way: weakref.WeakSet[Apart[Any]] = weakref.WeakSet()
_ending: list[bool] = []


def go_on() -> None:
    """Raises `Ended` where this process ends meanwhile."""
    if _ending:
        raise Ended


def spare() -> bool:
    """Whether this process may use more than one processor."""
    return processors() > 1


QUOTAS = ("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")
"""The files of Linux that say how much time of processors a container has, of how much."""


@cache
def processors() -> int:
    """How many processors this process may use."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(there, quota(Path("/sys/fs/cgroup"), there)))


def quota(folder: Path, there: int) -> int:
    """How many processors a container has the time of, which has so many."""
    for files in QUOTAS:
        with suppress(OSError, ValueError, ZeroDivisionError):
            time, of = " ".join([(folder / file).read_text() for file in files]).split()[:2]
            return there if time == "max" or int(time) < 0 else ceil(int(time) / int(of))
    return there


@atexit.register
def end() -> None:
    """Let what is under way end."""
    _ending.append(True)
    for work in list(_under_way):
        if work.process == os.getpid():
            work.thread.join()
