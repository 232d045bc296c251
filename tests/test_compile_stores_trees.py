"""Trees whose nodes have their children in dicts: made by paths, copied, merged and summed by recursion."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from checks import agrees, agrees_in_value

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


def trie(x: float, n: int) -> Any:
    """A dict holds dicts and numbers: what is done to an item is done to that which can do it, else Python raises."""
    root: dict[str, Any] = {}
    for i, word in enumerate(["to", "tea", "ten", "i"]):
        at = root
        for letter in word:
            at = at.setdefault(letter, {})
        at["$"] = x * (i + n)

    def weighted(at: dict[str, Any], depth: int) -> Any:
        found = 0.0
        for key, item in at.items():
            found += item * depth if key == "$" else weighted(item, depth + 1)
        return found

    return weighted(root, 0) * x


def trie_with_a_word_too_many(x: float, word: int) -> Any:
    root: dict[str, Any] = {}
    for text in ["a", "b", ("$", "a$")[word]]:
        at = root
        for letter in text:
            at = at.setdefault(letter, {})
        at["$"] = x
    return root["a"]["$"] * x


class Recent:
    def __init__(self, size: int) -> None:
        self.size = size
        self.held: dict[int, Any] = {}
        self.order: list[int] = []

    def put(self, key: int, value: Any) -> None:
        if key in self.held:
            self.order.remove(key)
        elif len(self.held) >= self.size:
            del self.held[self.order.pop(0)]
        self.held[key] = value
        self.order.append(key)


def recent(x: float, n: int) -> Any:
    """A list that is known to be empty is popped on a path that is not taken then."""
    cache = Recent(2)
    for i in range(n):
        cache.put(i * i % 3, x * i)
    return sum(cache.held.values()) * cache.order[0]


def shortest(x: float, n: int) -> Any:
    """Dicts of reals of different kinds are places of one type."""
    roads = {"a": {"b": x, "c": x * 2}, "b": {"c": x * x, "d": 3.0}, "c": {"d": x}, "d": {}}
    far = {name: float("inf") for name in roads}
    far["a"] = 0.0
    heap = [(0.0, "a")]
    while heap:
        way, name = heapq.heappop(heap)
        for other, step in roads[name].items():
            if way + step < far[other]:
                far[other] = way + step * n
                heapq.heappush(heap, (far[other], other))
    return sum(far.values())


def made_by_recursion(x: float, n: int) -> Any:
    return total(halves(x, 3)) * n


def test_trees_in_dicts() -> None:
    agrees(from_whole_numbers, np.array([0.8, 1.1, 0.4, 0.7, 1.5]), second=False)
    for f in (trie, recent, shortest, copied_and_merged, made_by_recursion):
        agrees(f, 0.8, 5, second=False)


def test_what_stands_at_another_key_than_thought() -> None:
    for word in (0, 1):
        agrees_in_value(trie_with_a_word_too_many, 0.7, word)


def test_a_reading_that_learns_nothing_is_the_last() -> None:
    regions, asked = Regions(), []

    def reading(found: Regions | None) -> None:
        asked.append(found)
        regions.grew = True

    assert turns.settled(reading, regions) is None
    assert len(asked) == 1
