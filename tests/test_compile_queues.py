"""Queues of Python's `queue`, which one thread fills and empties."""

from __future__ import annotations

import queue
from typing import Any

import pytest
from checks import agrees, agrees_in_value

import ccc


def doubled(x: float, n: int) -> Any:
    waiting = queue.Queue()
    waiting.put(x)
    total = 0.0
    while not waiting.empty() and n > 0:
        v = waiting.get()
        total = 0.5 * total + v
        n -= 1
        waiting.put(2.0 * v)
        waiting.put(v + 1.0)
        waiting.task_done()
    return total, waiting.qsize()


def total(x: float) -> float:
    return doubled(x, 6)[0]


def by_size(xs: list[float]) -> list[Any]:
    waiting = queue.PriorityQueue()
    for i, x in enumerate(xs):
        waiting.put((x, i))
    found = []
    while not waiting.empty():
        found.append(waiting.get())
    return found


def last_first(x: float) -> Any:
    waiting = queue.LifoQueue(maxsize=2)
    waiting.put(x)
    waiting.put(2.0 * x)
    try:
        waiting.put_nowait(3.0)
    except queue.Full:
        x = 10.0 * x
    one, other = waiting.get(), waiting.get_nowait()
    try:
        waiting.get(block=False)
    except queue.Empty:
        x += 1.0
    waiting.task_done()
    waiting.task_done()
    waiting.join()
    return one, other, x, isinstance(waiting, queue.Queue)


def simple(x: float) -> Any:
    waiting = queue.SimpleQueue()
    waiting.put(x)
    return waiting.get(), waiting.empty(), waiting.qsize(), isinstance(waiting, queue.Queue)


def nothing_there(x: float) -> float:
    waiting = queue.Queue()
    waiting.put(x)
    return x if waiting.get() > 5.0 else waiting.get_nowait()


def done_twice(x: float) -> float:
    waiting = queue.Queue()
    waiting.put(x)
    waiting.task_done()
    waiting.task_done()
    return x


class Tree:
    def __init__(self, value: float, left: Tree | None = None, right: Tree | None = None) -> None:
        self.value = value
        self.left = left
        self.right = right


def by_level(tree: Tree) -> float:
    waiting = queue.Queue()
    waiting.put(tree)
    found, i = 0.0, 1
    while not waiting.empty():
        at = waiting.get()
        found += i * at.value
        i += 1
        if at.left is not None:
            waiting.put(at.left)
        if at.right is not None:
            waiting.put(at.right)
    return found


@pytest.mark.parametrize(("f", "args"), [
    (doubled, (1.5, 6)), (by_size, ([3.0, 1.0, 2.0],)), (last_first, (1.5,)), (simple, (1.5,)), (nothing_there, (1.5,)),
    (done_twice, (1.5,)),
])
def test_values_and_exceptions_are_those_of_python(f: Any, args: tuple[Any, ...]) -> None:
    agrees_in_value(f, *args)


def test_queues_have_derivatives() -> None:
    agrees(total, 1.5)
    agrees(by_level, Tree(1.0, Tree(2.0, Tree(4.0)), Tree(3.0)))


def test_what_would_wait_for_ever_raises() -> None:
    def waits(x: float) -> float:
        waiting = queue.Queue()
        waiting.put(x)
        waiting.join()
        return x

    with pytest.raises(RuntimeError, match="no other thread"):
        ccc.compiled(waits)(1.0)
