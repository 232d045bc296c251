"""Bounds on what one example may take, so that a law can find what does not end.

    limited(seconds)     raises `Endless` in the code that is at it for so long
    last_resort(seconds) ends the process that raises nothing, as machine code that loops

>>> with limited(60.0):
...     sum(range(10))
45
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

EXAMPLE_SECONDS = 4.0  # of the processor, for an example of a mutant that takes milliseconds
PATIENCE = 30.0  # for one example or proof of the source, which a proof by sympy may need
AGAIN = 0.5


class Endless(Exception):
    """An example takes a thousand times as long as it should."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `Endless` where the processor has been at it for so long, and again where that is caught; other processes
    do not count. In a thread other than the main one nothing is limited."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise Endless(f"it does not end within {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def last_resort(seconds: float) -> None:
    """End this process where its own code runs for so long from now on, unless it asks again before: what loops in
    machine code sees no exception."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
