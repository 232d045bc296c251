"""Effects that happen once, though what has them may be computed from its beginning again.

Machine code prints where plain Python does. Should it leave then, NumPy's code computes the call from its beginning,
and what was done already is not done again: it gives, or raises, what it did.

>>> show = Once(print)
>>> def leaves(x):
...     show.noted("begun")
...     return NotImplemented
>>> def whole(x):
...     show("begun")
...     show("at the end")
...     return x
>>> code, other = beginning_anew(leaves, whole)
>>> code(1) is NotImplemented and other(1)
begun
at the end
1
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

Done = tuple[Any, BaseException | None]
"""What an effect gave, or what it raised."""


class Running(threading.local):
    """What a thread has done in the code that it runs, and what is not to be done again."""

    def __init__(self) -> None:
        self.done: list[Done] = []
        self.again: deque[Done] = deque()


HERE = Running()


class Once:
    """A function that has an effect."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *args: Any, **params: Any) -> Any:
        """Do it, but where a computation before this one has done it."""
        if not HERE.again:
            return self.function(*args, **params)
        found, error = HERE.again.popleft()
        if error is not None:
            raise error
        return found

    def noted(self, *args: Any, **params: Any) -> Any:
        """Do it, and note it for a computation that begins anew."""
        try:
            found = self.function(*args, **params)
        except BaseException as error:
            HERE.done.append((None, error))
            raise
        HERE.done.append((found, None))
        return found


def beginning_anew(
    code: Callable[..., Any], other: Callable[..., Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Two functions of the same arguments: the first notes what it does, and where it gives `NotImplemented`, the
    second, which is called next, computes the same from its beginning and does that not again."""
    left = threading.local()

    def noting(*args: Any) -> Any:
        outer, HERE.done = HERE.done, []
        try:
            found = code(*args)
            left.done = HERE.done if found is NotImplemented else []
            return found
        finally:
            HERE.done = outer

    def again(*args: Any) -> Any:
        outer, HERE.again = HERE.again, deque[Done](getattr(left, "done", ()))
        left.done = []
        try:
            return other(*args)
        finally:
            HERE.again = outer

    return noting, again
