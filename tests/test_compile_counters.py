"""Counters that are added up and compared, and graphs of the caller's in searches that keep heaps."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from typing import Any

import pytest
from checks import agrees

GRAPHS = [
    {"a": [("b", 1.0), ("c", 4.0)], "b": [("c", 2.0)], "c": []},
    {"a": [("b", 1.0), ("c", 4.0)], "b": [("c", 2.0)], "c": [("a", 9.0)]},
]


def totals(x: Any, words: list[str], more: list[str]) -> Any:
    first, second = Counter(words), Counter(more)
    both, less = first + second, first - second
    either, common = first | second, first & second
    counts = [both["b"], less["a"], either["c"], common["b"], len(less), len(common), sum((+both).values())]
    return sum(x**i * n for i, n in enumerate(counts))


def shortest(graph: Any) -> Any:
    distance = {node: math.inf for node in graph}
    distance["a"] = 0.0
    heap, before = [(0.0, "a")], {}
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, w in graph[node]:
            if d + w < distance[other]:
                distance[other] = d + w
                before[other] = node
                heapq.heappush(heap, (distance[other], other))
    path = ["c"]
    while path[-1] in before:
        path.append(before[path[-1]])
    return distance["c"] * len(path)


def test_counters_have_the_operators_of_multisets():
    agrees(lambda x: totals(x, ["a", "b", "a"], ["b", "c"]), 1.5)


@pytest.mark.parametrize("graph", GRAPHS)
def test_known_texts_of_the_caller_become_texts_of_the_program(graph: Any):
    agrees(shortest, graph)
