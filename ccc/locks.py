"""Locks that a process which a fork makes finds free, where a thread held them that is not in it.

Such a thread will never let go: who then waits for it waits for ever, as `multiprocessing` would in what it forks while
another thread makes code. What is guarded has to be whole at each step, or to be made anew by who finds it unfinished.

>>> lock = Lock()
>>> with lock, lock:
...     print("its owner may take it again")
its owner may take it again
"""

from __future__ import annotations

import os
import threading
import weakref


class Lock:
    """A lock that its owner may take again."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        _locks.add(self)

    def acquire(self, blocking: bool = True) -> bool:
        return self.lock.acquire(blocking)

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


def renew() -> None:
    """Let go of what threads hold that are not in this process: of what this one cannot take."""
    for lock in list(_locks):
        if lock.lock.acquire(blocking=False):
            lock.lock.release()
        else:
            lock.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew)
