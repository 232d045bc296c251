"""Bounds on what one example may take, so that a law can find what does not end.

    limited(seconds)     raises `Endless` in the code that is at it for so long
    ready()              makes it cheap to limit many
    last_resort(seconds) ends the process that raises nothing, as machine code that loops

>>> with limited(60.0):
...     sum(range(10))
45
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

EXAMPLE_SECONDS = 4.0  # of the processor, for an example of a mutant that takes milliseconds
PATIENCE = 30.0  # for one example or proof of the source, which a proof by sympy may need
AGAIN = 0.5


class Endless(Exception):
    """An example takes a thousand times as long as it should."""


_limits: list[float] = []  # those that hold where limits are `ready`, the last of them counting


def _stop(number: int, frame: object) -> None:
    raise Endless(f"it does not end within {_limits[-1]:g} s")


@contextmanager
def ready() -> Iterator[None]:
    """Signals of the processor's time end what is limited in the block; to say so of each example is most of what a
    limit costs."""
    if _limits or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _stop)
    _limits.append(PATIENCE)
    try:
        yield
    finally:
        _limits.clear()
        signal.signal(signal.SIGPROF, before)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `Endless` where the processor has been at it for so long, and again where that is caught; other processes
    do not count. In a thread other than the main one nothing is limited."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with nullcontext() if _limits else ready():
        if not _limits:
            yield
            return
        _limits.append(seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            _limits.pop()


def last_resort(seconds: float) -> None:
    """End this process where its own code runs for so long from now on, unless it asks again before: what loops in
    machine code sees no exception."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
