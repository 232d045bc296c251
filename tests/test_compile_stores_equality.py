"""`==` of objects in stores: a function that calls itself along what they lead to, which ends where both are one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

import ccc


@dataclass
class Node:
    data: Any
    next: Any = None


@dataclass
class Ring:
    head: Any = None
    tail: Any = None

    def __iter__(self) -> Any:
        node = self.head
        while node:
            yield node.data
            node = node.next
            if node == self.head:
                break

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def insert(self, index: int, data: Any) -> None:
        if index < 0 or index > len(self):
            raise IndexError("list index out of range.")
        new = Node(data)
        if self.head is None:
            new.next = new
            self.head = self.tail = new
        elif index == 0:
            new.next = self.head
            self.head = self.tail.next = new
        else:
            at = self.head
            for _ in range(index - 1):
                at = at.next
            new.next = at.next
            at.next = new
            if index == len(self) - 1:
                self.tail = new


def in_a_circle(x: Any, n: Any) -> Any:
    a = Node(x)
    b = Node(2.0, a)
    a.next = b
    return a == (a if n > 1 else b), (a,) == (a,), [b, 1] == [b, 1]


def along_a_circle(x: Any, n: Any) -> Any:
    a = Node(x)
    a.next = a
    p, k = a, 0
    for _ in range(n):
        p = p.next
        k += p == a
    return k


def along_chains(x: Any, n: Any) -> Any:
    a, b = Node(x, Node(2.0, Node(3.0))), Node(x, Node(2.0, Node(x)))
    c = b
    for _ in range(n):
        c = c.next
    return a == b, a.next == b.next, c == a, c != b


def ring(x: Any, n: Any) -> Any:
    r = Ring()
    for i in range(n):
        r.insert(i, x * i)
    r.insert(0, x)
    return len(r), sum(r), r.tail == r.head, r.tail.next == r.head


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [in_a_circle, along_a_circle, along_chains], ids=lambda f: f.__name__)
def test_objects_that_lead_to_themselves(f: Any, backend: str) -> None:
    g = ccc.compiled(f, backend=backend)
    assert [g(3.0, 2), g(4.0, 1), g(4.0, 0)] == [f(3.0, 2), f(4.0, 1), f(4.0, 0)]


def test_a_circular_list_is_read_in_seconds() -> None:
    begun = time.process_time()
    assert ccc.compiled(ring)(2.0, 3) == ring(2.0, 3)
    assert time.process_time() - begun < 20.0


@dataclass
class Several:
    v: float
    xs: list[Several]


def tree(*last: float) -> Several:
    return Several(1.0, [Several(2.0, []), Several(3.0, [Several(v, []) for v in last])])


def differ(a: Any, b: Any, x: float) -> float:
    return (x if a == b else 2.0 * x) + (3.0 * x if a != b else 0.0) + (5.0 * x if (a, x) != (b, x) else 0.0)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("last", [(4.0,), (4.0, 5.0), (), (6.0,)])
def test_trees_of_lists_are_equal_where_all_nodes_are(last: tuple[float, ...], backend: str) -> None:
    run = ccc.compiled(differ, backend=backend)
    assert run(tree(4.0), tree(*last), 0.5) == differ(tree(4.0), tree(*last), 0.5)
