"""What of Python lives while machine code runs in a thread, which has numbers and addresses for it.

>>> alive(lambda x: RUNNING.texts.setdefault(x, x))("a"), RUNNING.texts
('a', {})
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Running(threading.local):
    """The sources of random numbers of the code that runs, by their numbers, and its texts, by what they say."""

    def __init__(self) -> None:
        self.sources: dict[int, Any] = {}
        self.texts: dict[str, str] = {}


RUNNING = Running()


def alive(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose sources and texts live until it returns."""
    def call(*args: Any) -> Any:
        outer = RUNNING.sources, RUNNING.texts
        RUNNING.sources, RUNNING.texts = {}, {}
        try:
            return kernel(*args)
        finally:
            RUNNING.sources, RUNNING.texts = outer

    return call
