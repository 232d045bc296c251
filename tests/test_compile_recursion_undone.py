"""Recursive functions that change what is outside, call themselves, and undo it: a call sees what there is then."""

from __future__ import annotations

from typing import Any

import pytest
from checks import agrees, agrees_in_value

import ccc


def choices(n: int) -> list[float]:
    current: list[float] = []
    found = [0.0]

    def go(n: int) -> None:
        if len(current) > 1:
            found.append(current[0])
            return
        for i in range(n):
            current.append(i + 1.0)
            go(n - 1)
            current.pop()

    go(n)
    return found


def paths(x: float, n: int) -> float:
    path: list[float] = []

    def go(n: int) -> float:
        if n == 0:
            return sum(path) * x
        total = 0.0
        for i in range(n):
            path.append(i * x)
            total += go(n - 1)
            path.pop()
        return total

    return go(n)


def depths(x: float, n: int) -> float:
    depth, total = 0, 0.0

    def go(n: int) -> None:
        nonlocal depth, total
        total += depth * x
        for _ in range(n):
            depth += 1
            go(n - 1)
            depth -= 1

    go(n)
    return total


class Marked:
    def __init__(self) -> None:
        self.flag = False
        self.hits = 0.0


def marks(x: float, n: int) -> float:
    marked = Marked()

    def go(n: int) -> None:
        if marked.flag:
            marked.hits += x
            return
        for i in range(n):
            marked.flag = i > 0
            go(n - 1)
            marked.flag = False

    go(n)
    return marked.hits


class Walker:
    def __init__(self) -> None:
        self.stack: list[int] = []
        self.total = 0.0

    def walk(self, x: float, n: int) -> None:
        self.total += len(self.stack) * x
        for i in range(n):
            self.stack.append(i)
            self.walk(x, n - 1)
            self.stack.pop()


def walks(x: float, n: int) -> float:
    walker = Walker()
    walker.walk(x, n)
    return walker.total


def entries(x: float, n: int) -> float:
    known, total = {"a": 0.0}, [0.0]

    def go(n: int) -> None:
        total[0] += known["a"]
        for _ in range(n):
            known["a"] = n * x
            go(n - 1)
            known["a"] = 0.0

    go(n)
    return total[0]


@pytest.mark.parametrize("f", [paths, depths, marks, walks, entries])
def test_values_and_derivatives(f: Any) -> None:
    agrees(f, 1.5, 3)


def test_lists_of_choices() -> None:
    agrees_in_value(choices, 3)


def least_above(xs: list[float], current: list[float], best: list[float]) -> None:
    if sum(current) > 3.0:
        if not best or sum(current) < sum(best):
            best[:] = current
        return
    for i, x in enumerate(xs):
        current.append(x)
        least_above(xs[i + 1:], current, best)
        current.pop()


def subsets(first: int, count: int, left: int, current: list[int], found: list[list[int]]) -> None:
    if left == 0:
        found.append(current[:])
        return
    for i in range(first, count - left + 2):
        current.append(i)
        subsets(i + 1, count, left - 1, current, found)
        current.pop()


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_the_caller_has_is_found_as_it_is(backend: str) -> None:
    cases: list[Any] = [([1.0, 2.0, 3.0], []), ([1.0, 2.0, 3.0], [9.0, 9.0]), ([1, 2, 3], [])]
    for numbers, best in cases:
        ccc.compiled(least_above, backend=backend)(numbers, [], best)
        assert best == [1, 3]
    found: list[list[int]] = []
    ccc.compiled(subsets, backend=backend)(1, 4, 2, [], found)
    assert repr(found) == "[[1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]"
