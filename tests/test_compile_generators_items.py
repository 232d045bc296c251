"""Iterators that lists, tuples and objects hold: each knows how far it is, whoever asks it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import agrees

import ccc


def falling(k: int, x: float) -> Iterator[float]:
    v = x * k
    for i in range(k):
        v = v * 0.9 + i
        yield v


def of_comprehension(x: float) -> float:
    ts = [falling(k, x) for k in (2, 3)]
    return next(ts[0]) + next(ts[1]) * next(ts[0])


def of_list(x: float) -> float:
    ts = list(zip([x, 2.0], [1.0, x], strict=False) for _ in range(2))
    (a, b), (c, d) = next(ts[0]), next(ts[0])
    return a * b + 3.0 * c * d


def of_map(x: float) -> float:
    ts = list(map(lambda k: falling(k, x), (2, 3)))
    return next(ts[0]) + next(ts[1]) * next(ts[0])


def of_tuple(x: float) -> float:
    ts = tuple([falling(k, x) for k in (2, 3)])
    return next(ts[0]) + next(ts[1]) * next(ts[0])


def appended(x: float) -> float:
    ts: list[Any] = []
    ts.append(falling(2, x))
    ts.extend(iter([k, x]) for k in (2.0, 3.0))
    return next(ts[0]) + 2.0 * next(ts[0]) + next(ts[1]) * next(ts[1])


def assigned(x: float) -> float:
    ts = [falling(3, x), falling(2, x)]
    ts[0] = falling(2, 2.0 * x)
    ts[1:] = [falling(1, x)]
    return next(ts[0]) + 10.0 * next(ts[0]) + next(ts[1])


def twice(x: float) -> float:
    rows = [zip([x, 1.0], [2.0, x], strict=False) for _ in range(2)]
    first = sum([a * b for row in rows for a, b in row])
    return first + 100.0 * sum([a * b for row in rows for a, b in row])


def one_in_two_places(x: float) -> float:
    return sum(a * b for a, b in zip(*[iter([x, 2.0, 3.0, x * x])] * 2, strict=False))


def behind_a_star(x: float) -> float:
    def after_one(p: Iterator[float], q: Iterator[float]) -> float:
        next(p)
        return next(p) + next(q)

    ts = [*[falling(k, x) for k in (2, 3)]]
    return next(ts[0]) + 10.0 * next(ts[0]) + after_one(*[falling(k, x) for k in (3, 2)])


def chained(x: float) -> float:
    first = sum(itertools.chain(*[falling(k, x) for k in (1, 2)]))
    return first + sum(v * v for v in itertools.chain.from_iterable([falling(k, x) for k in (1, 2)]))


@pytest.mark.parametrize(
    "f", [behind_a_star, chained, of_comprehension, of_list, of_map, of_tuple, appended, assigned, twice,
          one_in_two_places])
def test_items_are_asked_where_they_are(f: Callable[[float], float]) -> None:
    agrees(f, 1.3)


def unknown_number(x: float, n: int) -> float:
    ts = [falling(k, x) for k in range(1, n + 1)]
    s = 0.0
    for i in range(3):
        for t in ts:
            s += next(t, 0.5) * (i + 1)
    return s


def scheduled(x: float, n: int) -> float:
    tasks = deque(falling(k, x) for k in range(1, n + 1))
    s, turn = 0.0, 0
    while tasks:
        task = tasks.popleft()
        try:
            v = next(task)
        except StopIteration:
            continue
        turn += 1
        s += v * turn
        tasks.append(task)
    return s


@pytest.mark.parametrize("f", [unknown_number, scheduled])
def test_a_number_of_iterators_that_is_not_known(f: Callable[[float, int], float]) -> None:
    agrees(f, 1.3, 3)
    value, slope = ccc.value_with_gradient(f, wrt=0, backend="native")(1.3, 3)
    expected = ccc.value_with_gradient(f, wrt=0, backend="numpy")(1.3, 3)
    assert (value, slope) == (pytest.approx(expected[0], rel=1e-12), pytest.approx(expected[1], rel=1e-12))
