"""Iterators that lists, tuples and objects hold: each knows how far it is, whoever asks it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
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


KS = (1, 2, 3)


def of_loop(x: float) -> float:
    s = 0.0
    for row in [falling(k, x) for k in KS]:
        for v in row:
            s += v * v
    return s


def of_display(x: float) -> float:
    return sum([sum(row) * w for row, w in zip((falling(2, x), falling(3, x)), [x, 2.0], strict=True)])


def of_two_loops(x: float) -> float:
    return sum([v * v for row in [falling(k, x) for k in KS] for v in row if v > 0.5])


def of_chain(x: float) -> float:
    rows = [falling(k, x) for k in KS]
    s = 1.0
    for v in itertools.chain.from_iterable(rows):
        s += v * s
    return s


def of_star(x: float) -> float:
    rows = [falling(k, x) for k in KS[1:]]
    s = 0.0
    for a, b in zip(*rows, strict=False):
        s += a * b
    return s


def of_sums(x: float) -> float:
    return sum(map(sum, [falling(k, x) for k in KS]))


@pytest.mark.parametrize("f", [of_chain, of_display, of_loop, of_star, of_sums, of_two_loops])
def test_lists_that_nothing_keeps_hand_on_what_they_hold(
    f: Callable[[float], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    agrees(f, 1.3)
    monkeypatch.setattr("ccc.compile.frontend.cursors.resumed", None)  # which would make objects of them
    assert ccc.value_with_gradient(f)(1.3)[0] == pytest.approx(f(1.3))


def of_an_argument(xs: list[float], w: float) -> float:
    first = sum(v * v for v in itertools.chain.from_iterable([scaled(xs, k) for k in (1.0, w)]))
    return first + sum([a * b for a, b in zip(*[scaled(xs, k) for k in (1.0, w)], strict=False)])


def test_lists_of_iterators_along_a_list_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    agrees(of_an_argument, [0.5, 1.3], 1.5)
    monkeypatch.setattr("ccc.compile.frontend.cursors.resumed", None)
    assert ccc.value_with_gradient(of_an_argument)([0.5, 1.3], 1.5)[0] == pytest.approx(of_an_argument([0.5, 1.3], 1.5))


def scaled(xs: list[float], k: float) -> Iterator[float]:
    for v in xs:
        yield v * k


def changed_between(x: float) -> float:
    xs, s = [x, 2.0, 3.0], 0.0
    for row in [scaled(xs, 1.0), scaled(xs, 2.0)]:
        for v in row:
            s += v
        xs[0] = s
    return s


def changed_in_turn(x: float) -> float:
    xs, s = [x, 2.0, 3.0], 0.0
    for v in itertools.chain.from_iterable([scaled(xs, 1.0), scaled(xs, 2.0)]):
        s += v
        xs[2] = s
    return s


def changed_where_made(x: float) -> float:
    xs = [x, 2.0, 3.0]

    def bumped(k: float) -> float:
        xs[0] += k * x
        return k

    return sum(itertools.chain(*[scaled(xs, bumped(k)) for k in (1.0, 2.0)]))


def changed_array_where_made(x: float) -> float:
    xs = x * np.arange(1.0, 4.0)

    def bumped(k: float) -> float:
        xs[0] += k * x
        return k

    return sum(itertools.chain.from_iterable([scaled(xs, bumped(k)) for k in (1.0, 2.0)]))  # type: ignore[arg-type]


def left_early(x: float) -> float:
    s = 0.0
    row: Iterator[float] = iter([])
    for row in [falling(3, x), falling(4, x)]:
        for v in row:
            s += v
            break
    return s + next(row)


@pytest.mark.parametrize("f", [
    changed_array_where_made, changed_between, changed_in_turn, changed_where_made, left_early])
def test_what_lists_hand_on_has_its_turn(f: Callable[[float], float]) -> None:
    agrees(f, 1.3)


def of_pairs(x: float) -> float:
    return sum([next(a) + 10.0 * next(b) for a, b in itertools.pairwise(falling(k, x) for k in (2, 3, 4))])


def of_combinations(x: float) -> float:
    s = 0.0
    for a, b in itertools.combinations((falling(k, x) for k in (5, 3, 4)), 2):
        s += next(a) + 10.0 * next(b)
    return s


def of_product(x: float) -> float:
    s = 0.0
    for a, b in itertools.product((falling(k, x) for k in (5, 6, 4)), [1.0, 2.0]):
        s += next(a) * b
    return s


def repeated(x: float) -> float:
    s = 0.0
    for row in itertools.repeat(falling(4, x), 3):
        s += s + next(row)
    return s


@pytest.mark.parametrize("f", [of_pairs, of_combinations, of_product, repeated])
def test_an_iterator_that_is_given_again_knows_how_far_it_is(f: Callable[[float], float]) -> None:
    agrees(f, 1.3)


def endless(x: float) -> Iterator[float]:
    while True:
        yield x
        x = x * 1.5


def in_a_comprehension(x: float) -> float:
    row = iter([x, 2.0, 3.0])
    ys = [next(row) for _ in range(3)]
    return ys[0] * ys[1] + ys[2]


def in_a_sum(x: float) -> float:
    row = iter([x, 2.0, 3.0])
    return sum(next(row) * k for k in (1, 2, 3))


def in_a_comprehension_of_another(x: float) -> float:
    def taken(row: Iterator[float]) -> list[float]:
        return [next(row) for _ in range(3)]

    ys = taken(endless(x))
    return ys[0] * ys[1] + ys[2]


@pytest.mark.parametrize("f", [in_a_comprehension, in_a_sum, in_a_comprehension_of_another])
def test_what_a_comprehension_asks_is_no_loop_of_its_own(f: Callable[[float], float]) -> None:
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
