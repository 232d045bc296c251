"""How often recursive functions inside of others are read: once for each call, behind the first."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest.mock import patch

from checks import agrees

import ccc
from ccc.compile.frontend import recursion


class Node:
    """A node of a search tree that knows its parent."""

    def __init__(self, key: Any, parent: Any = None) -> None:
        self.key, self.parent, self.left, self.right, self.count = key, parent, None, None, 1

    def counted(self) -> None:
        self.count = self.count + 1
        if self.parent is not None:
            self.parent.counted()

    def insert(self, key: Any) -> None:
        if key < self.key:
            if self.left is None:
                self.left = Node(key, self)
                self.counted()
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Node(key, self)
            self.counted()
        else:
            self.right.insert(key)

    def total(self, depth: float) -> float:
        found = depth * self.key**2 / self.count
        if self.left is not None:
            found += self.left.total(depth + 1.0)
        if self.right is not None:
            found += self.right.total(depth + 1.0)
        return found


def inserted(xs: list[float]) -> float:
    root = Node(xs[0])
    for x in xs[1:]:
        root.insert(x)
    return root.total(1.0)


def test_a_recursion_within_a_recursion_settles_once() -> None:
    """Each pass of `insert` read `counted` in three passes at both calls, and so in 81."""
    passes = Counter[str]()
    within = recursion.within

    def counted(e: Any, activation: Any, *rest: Any) -> Any:
        passes[activation.name] += 1
        return within(e, activation, *rest)

    with patch.object(recursion, "within", counted):
        ccc.value_with_gradient(inserted)([2.0, 1.0, 3.0, 0.5, 2.5])
    assert 0 < passes["counted"] <= 4 * passes["insert"] + 8 <= 40
    agrees(inserted, [2.0, 1.0, 3.0, 0.5, 2.5])


def of_what_is_around(x: float) -> tuple[int, float, int, float]:
    n = int(abs(ccc.without_derivative(x))) + 2
    step: Any = 1

    def far(k: int) -> Any:
        return step if k <= 0 else far(k - 1) + step

    first = far(n)
    step = 0.5
    second = far(n)
    step = 2
    return first, second, far(n), x * second


def test_a_recursion_has_the_types_of_what_is_around_it_now() -> None:
    assert repr(ccc.compiled(of_what_is_around)(3.5)) == repr(of_what_is_around(3.5)) == "(6, 3.0, 12, 10.5)"


def raising_later(x: float, n: int) -> float:
    seen = 0

    def walk(k: int) -> float:
        nonlocal seen
        if k <= 0:
            return 0.0
        seen += 1
        if seen > 6:
            raise ValueError("too many")
        return x + walk(k - 1)

    total = walk(n)
    for _ in range(2):
        try:
            total += 2.0 * walk(n)
        except ValueError:
            total += 100.0 * x
    return total + seen


def test_a_recursion_raises_where_a_call_behind_the_first_catches() -> None:
    agrees(raising_later, 0.5, 3)
    agrees(raising_later, 0.5, 2)
