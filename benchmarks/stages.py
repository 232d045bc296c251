"""Where the time of a compilation goes: a stopwatch on the functions that begin the stages.

What a stage calls of another stage counts for that one, and what no stage claims is `rest`: checking arguments, the
collector, and the first run.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

STAGES = {
    "parse": "ccc.compile.frontend.source.file_of",
    "elaborate": "ccc.compile.api.programs.elaborate",
    "abstract": "ccc.compile.terms.derive.abstract",
    "stage": "ccc.compile.terms.derive.reverse",
    "read back": "ccc.compile.terms.derive.finished",
    "emit": "ccc.compile.numpy_source.numpy_target.emit",
    "Python's compile": "ccc.compile.numpy_source.numpy_target.load",
}


class Stopwatch:
    """Seconds by stage; starting one stage stops the one that called it.

    >>> watch = Stopwatch()
    >>> watch.timed("inner", lambda: None)()
    >>> list(watch.seconds)
    ['rest', 'inner']
    """

    def __init__(self) -> None:
        self.seconds = {"rest": 0.0}
        self.running = ["rest"]
        self.since = time.perf_counter()

    def lap(self) -> None:
        now = time.perf_counter()
        stage = self.running[-1]
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.since
        self.since = now

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            self.lap()
            self.running.append(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self.lap()
                self.running.pop()

        return run


@contextmanager
def watched() -> Iterator[Stopwatch]:
    """A stopwatch on every stage while the block runs."""
    watch = Stopwatch()
    kept = [(module, name, getattr(module, name)) for module, name in map(place, STAGES)]
    for stage, (module, name, function) in zip(STAGES, kept, strict=True):
        setattr(module, name, watch.timed(stage, function))
    watch.since = time.perf_counter()
    try:
        yield watch
        watch.lap()
    finally:
        for module, name, function in kept:
            setattr(module, name, function)


def place(stage: str) -> tuple[ModuleType, str]:
    """The module in which the function of a stage is looked up, and its name there."""
    module, _, name = STAGES[stage].rpartition(".")
    return importlib.import_module(module), name
