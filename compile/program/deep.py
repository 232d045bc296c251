"""Making code of programs that are nested more deeply than Python's stack allows: once more, on a larger one.

>>> def depth(n):
...     return 0 if n == 0 else 1 + depth(n - 1)
>>> deep(lambda: depth(5000))
5000
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ccc.diagnostics import SITE, call_site
from ccc.errors import CCCError
from ccc.locks import Lock

P = ParamSpec("P")
R = TypeVar("R")
STACK = 256 << 20
"""The bytes of the larger stack, which count as they are used."""
LIMIT = 30_000
"""The calls that may be under way on it."""
SECONDS = 5.0
"""How often is asked whether what is waited for still runs."""


class Lent(Lock):
    """A lock that a thread which works for its owner may take too."""

    def acquire(self, blocking: bool = True) -> bool:
        return _lent.get() or super().acquire(blocking)

    def release(self) -> None:
        if not _lent.get():
            super().release()


_lent: contextvars.ContextVar[bool] = contextvars.ContextVar("lent", default=False)
LOCK = Lent()
"""Held while code is made. Who holds another lock does not ask for it: who has it may wait for that one."""


def is_larger() -> bool:
    """Whether this runs on the larger stack."""
    return _lent.get()


def deep(run: Callable[[], R]) -> R:
    """What `run` gives; where it calls too deeply, that of another run, which may call more deeply."""
    try:
        return run()
    except (RecursionError, CCCError) as error:
        if is_larger() or (isinstance(error, CCCError) and error.code != "CC060"):
            raise
        first = error
    return on_a_larger_stack(run, first)


class Stopped(BaseException):
    """Nobody waits any more for what runs on the larger stack."""


def on_a_larger_stack(run: Callable[[], R], first: Exception) -> R:
    """What `run` gives in a thread with a larger stack; where there is none, `first` is raised.

    That thread takes the limit back itself, when it is no longer deep: Python ends where a limit falls below the calls
    that are under way, as it would where the one who waits is interrupted.
    """
    found: list[Any] = []
    ended = threading.Event()  # `join` says so of a thread that still runs where it is interrupted itself
    site = call_site()

    def inside() -> None:
        _lent.set(True)
        SITE.set(site)
        try:
            found.append(run())
        except BaseException as error:  # raised again by who waits
            found.extend((None, error))
        finally:
            sys.setrecursionlimit(limit)
            ended.set()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(inside,), daemon=True)
    with LOCK:
        limit = sys.getrecursionlimit()
        try:
            begin(thread, limit, first)
            waited(ended, thread)
        except BaseException:
            if thread.ident is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
                waited(ended, thread)
            raise
    if not found:
        raise first
    if len(found) == 2:
        raise found[1]
    return found[0]


def begin(thread: threading.Thread, limit: int, first: Exception) -> None:
    """Start a thread with the larger stack and the higher limit; where there is none, `first` is raised."""
    size = threading.stack_size()
    try:
        threading.stack_size(STACK)
        sys.setrecursionlimit(max(limit, LIMIT))
        thread.start()
    except (RuntimeError, ValueError, MemoryError):
        if thread.ident is not None:  # it runs, so this interrupts the one who waits
            raise
        sys.setrecursionlimit(limit)
        raise first from None
    finally:
        threading.stack_size(size)


def waited(ended: threading.Event, thread: threading.Thread) -> None:
    """Wait for an end, or for that of a thread that could not say so."""
    while not ended.wait(SECONDS):
        if not thread.is_alive():
            return


def deeply(make: Callable[P, R]) -> Callable[P, R]:
    """A function that is run once more, on a larger stack, where it calls too deeply."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> R:
        return deep(lambda: make(*args, **kwargs))

    return made
