"""Trees whose nodes have their children in dicts: made by paths, copied, merged and summed by recursion."""

from __future__ import annotations

from typing import Any

import numpy as np
from checks import agrees

from ccc.compile.frontend import turns
from ccc.compile.frontend.regions import Regions


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.children: dict[Any, Any] = {}


def insert(root: Node, path: list[int], value: Any) -> None:
    node = root
    for key in path:
        if key not in node.children:
            node.children[key] = Node(0)
        node = node.children[key]
    node.value += value


def total(node: Node) -> Any:
    return node.value + sum(total(child) for child in node.children.values())


def copied(node: Node) -> Node:
    new = Node(node.value)
    for key, child in node.children.items():
        new.children[key] = copied(child)
    return new


def merge(a: Node, b: Node) -> None:
    a.value += b.value
    for key, child in b.children.items():
        if key in a.children:
            merge(a.children[key], child)
        else:
            a.children[key] = child


def halves(x: Any, depth: int) -> Node:
    node = Node(x)
    if depth > 0:
        for side in ("left", "right"):
            node.children[side] = halves(x * x, depth - 1)
    return node


def from_whole_numbers(x: Any) -> Any:
    """The number 0 of one place is a `float` where another place has NumPy's: one type holds both."""
    root = Node(0)
    for i in range(len(x)):
        insert(root, [i % 3, i], x[i] * i)
    return total(root) * total(root.children[1])


def copied_and_merged(x: float, n: int) -> Any:
    root = Node(x)
    for i in range(n):
        insert(root, [i, i % 2], x * i)
    other = copied(root)
    insert(other, [1, 5], x * x)
    merge(root, other)
    return total(root) * total(other) + len(root.children[1].children)


def made_by_recursion(x: float, n: int) -> Any:
    return total(halves(x, 3)) * n


def test_trees_in_dicts() -> None:
    agrees(from_whole_numbers, np.array([0.8, 1.1, 0.4, 0.7, 1.5]), second=False)
    for f in (copied_and_merged, made_by_recursion):
        agrees(f, 0.8, 5, second=False)


def test_a_reading_that_learns_nothing_is_the_last() -> None:
    regions, asked = Regions(), []

    def reading(found: Regions | None) -> None:
        asked.append(found)
        regions.grew = True

    assert turns.settled(reading, regions) is None
    assert len(asked) == 1
