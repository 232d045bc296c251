"""Generators that do something where they are dropped, kept under a name: they do it where the function returns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from typing import Any

import pytest
from checks import agrees

import ccc


def noting(v: float, log: list[float]) -> Generator[float, None, None]:
    try:
        yield v
        yield v * v
    finally:
        log.append(v**3)


def asked_for_all(x: float) -> float:
    log: list[float] = []
    it = noting(x, log)
    a = next(it)
    for b in it:
        a = a * b
    return a + sum(log)


def closed(x: float) -> float:
    log: list[float] = []
    it = noting(x, log)
    a = next(it)
    it.close()
    return a + sum(log)


def dropped(x: float, log: list[float]) -> float:
    it = noting(x, log)
    return next(it) * len(log)


def seen_behind(x: float) -> float:
    log = [x]
    a = dropped(x, log)
    return a * 0.5 + log[-1] * len(log)


def in_order(x: float) -> float:
    log: list[float] = []

    def inner() -> float:
        one = noting(x, log)
        other = noting(2.0 * x, log)
        a = next(other) + next(one)
        if a > 100.0:
            return a
        return a + next(one)

    a = inner()
    return a + sum([v * (i + 1) for i, v in enumerate(log)])


def given_back(x: float) -> float:
    def inner() -> list[float]:
        log = [x]
        it = noting(x, log)
        log.append(next(it))
        return log

    return sum([v * (i + 1) for i, v in enumerate(inner())])


def without_a_value(x: float) -> float:
    log: list[float] = []

    def inner(n: int) -> None:
        it = noting(x * n, log)
        for v in it:
            if v > 2.0:
                return
            log.append(v)

    for n in range(3):
        inner(n)
    return sum([v * (i + 1) for i, v in enumerate(log)])


def first_of_another(x: float, log: list[float]) -> float:
    it = delegating(x, log)
    return next(it) * len(log)


def by_what_delegates(x: float) -> float:
    """What is delegated to is dropped with what delegates."""
    log = [x]
    a = first_of_another(x, log)
    return a + log[-1] * len(log)


def delegated_to_the_end(x: float) -> float:
    log = [x]
    it = delegating(x, log)
    a = next(it)
    log.append(a)
    a += next(it)
    return a * next(it) + sum([v * (i + 1) for i, v in enumerate(log)])


def delegated_and_closed(x: float) -> float:
    log = [x]
    it = delegating(x, log)
    a = next(it)
    it.close()
    log.append(a)
    return sum([v * (i + 1) for i, v in enumerate(log)])


def delegated_and_behind(x: float) -> float:
    log = [x]

    def inner() -> float:
        it = delegating(x, log)
        found = next(it)
        log.append(2.0)
        return found + log[1]

    return inner() + sum([v * (i + 1) for i, v in enumerate(log)])


@pytest.mark.parametrize("f", [asked_for_all, closed, seen_behind, in_order, given_back, without_a_value,
                               by_what_delegates, delegated_to_the_end, delegated_and_closed, delegated_and_behind])
def test_it_is_done_where_the_function_returns(f: Callable[[float], float]) -> None:
    agrees(f, 1.5)


def test_what_the_caller_has_is_changed_then() -> None:
    for backend in ("numpy", "native"):
        log = [7.0]
        value, slope = ccc.value_with_gradient(dropped, wrt=0, backend=backend)(1.5, log)
        assert (value, slope, log) == (1.5, 1.0, [7.0, 3.375])


def twice(x: float, log: list[float]) -> float:
    found = 0.0
    for _ in range(2):
        it = noting(x, log)
        found += next(it)
    return found


def handed_on(x: float, log: list[float]) -> float:
    it = noting(x, log)
    kept = [it]
    return next(kept[0])


def caught_outside(x: float, log: list[float]) -> float:
    try:
        return dropped(x, log)
    except IndexError:
        return x


def done_finally(x: float, log: list[float]) -> float:
    it = noting(x, log)
    try:
        return next(it)
    finally:
        log.append(2.0)


class Noting:
    def __init__(self, log: list[float]) -> None:
        self.log = log

    def __enter__(self) -> Noting:
        return self

    def __exit__(self, *error: object) -> None:
        self.log.append(2.0)


def done_behind_with(x: float, log: list[float]) -> float:
    it = noting(x, log)
    with Noting(log):
        return next(it)


def delegating(v: float, log: list[float]) -> Generator[float, None, None]:
    yield from noting(v, log)
    yield 1.0


def below_a_limit(v: float, log: list[float]) -> Generator[float, None, None]:
    yield from itertools.takewhile(lambda u: u < 100.0, noting(v, log))


def kept_by_a_library(x: float, log: list[float]) -> float:
    """What keeps the generator has no `close`."""
    it = below_a_limit(x, log)
    return next(it) * len(log)


def in_a_loop_of_another(v: float, log: list[float]) -> Generator[float, None, None]:
    for u in noting(v, log):
        yield 0.5 * u


def kept_by_a_loop(x: float, log: list[float]) -> float:
    it = in_a_loop_of_another(x, log)
    return next(it) * len(log)


@pytest.mark.parametrize("f", [twice, handed_on, caught_outside, done_finally, done_behind_with, kept_by_a_library,
                               kept_by_a_loop])
def test_where_it_is_dropped_elsewhere_it_is_refused(f: Callable[[float, Any], float]) -> None:
    with pytest.raises(ccc.CCCError, match="where it is dropped is kept"):
        ccc.gradient(f, wrt=0)(1.5, [1.0])
