"""Queues of Python's `queue` as classes over lists: one thread puts in and takes out.

>>> found = Priority()
>>> found.put(2.0), found.put(1.0), found.get(), found.qsize()
(None, None, 1.0, 1)
"""

from __future__ import annotations

import heapq
import queue
from typing import Any

from ccc.compile.frontend.numpy_functions.table import class_for


class Waiting:
    """What every queue does with the list of those that wait: the first that was put in is taken first."""

    items: list[Any]

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        self.items.append(item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if len(self.items) == 0:
            raise queue.Empty
        return self.items.pop(0)

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get()

    def qsize(self) -> int:
        return len(self.items)

    def empty(self) -> bool:
        return len(self.items) == 0


@class_for(queue.Queue)
class First(Waiting):
    """`queue.Queue`: the first that was put in is taken first. What would wait for another thread raises what does not
    wait raises."""

    def __init__(self, maxsize: Any = 0) -> None:
        self.items: list[Any] = []
        self.maxsize = maxsize
        self.unfinished = 0

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        if self.full():
            raise queue.Full
        self.unfinished += 1
        self.items.append(item)

    def full(self) -> bool:
        return 0 < self.maxsize <= len(self.items)

    def task_done(self) -> None:
        if self.unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished -= 1

    def join(self) -> None:
        if self.unfinished > 0:
            raise RuntimeError("no other thread does what is in the queue")


@class_for(queue.LifoQueue)
class Last(First):
    """`queue.LifoQueue`: the last that was put in is taken first."""

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if len(self.items) == 0:
            raise queue.Empty
        return self.items.pop()


@class_for(queue.PriorityQueue)
class Priority(First):
    """`queue.PriorityQueue`: the least is taken first."""

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        if self.full():
            raise queue.Full
        self.unfinished += 1
        heapq.heappush(self.items, item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if len(self.items) == 0:
            raise queue.Empty
        return heapq.heappop(self.items)


@class_for(queue.SimpleQueue)
class Simple(Waiting):
    """`queue.SimpleQueue`: one without a greatest length."""

    def __init__(self) -> None:
        self.items: list[Any] = []
