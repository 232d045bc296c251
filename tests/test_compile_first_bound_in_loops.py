"""Functions, texts and generators that a branch in a loop is the first to bind, and that later turns read."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from checks import agrees, agrees_in_value


def counter(x: float) -> Callable[[], float]:
    count = 0

    def counted() -> float:
        nonlocal count
        count += 1
        return count * x

    return counted


def a_lambda(x: float) -> float:
    total = 0.0
    for i in range(4):
        if i == 0:
            f = lambda v: v * x  # noqa: E731
        total += f(i + 1.0)
    return total


def a_function_with_a_state(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            f = counter(x * (i + 1))
        total += f()
    return total + f()


def one_of_two(x: float) -> float:
    total = 0.0
    for i in range(4):
        if i == 0:
            f = math.sin
        elif i == 2:
            f = math.exp
        total += f(x)
    return total


def of_the_turn_before(x: float) -> float:
    total = 0.0
    for i in range(4):
        if i > 0:
            total += f(x)  # noqa: F821
        f = lambda v, i=i: v * v + i * v  # noqa: E731, F841
    return total


def in_a_tuple(x: float) -> float:
    total = 0.0
    for i in range(3):
        if i == 0:
            pair = (counter(x), 2.0)
        total += pair[0]() * pair[1]
    return total


def in_a_loop_that_is_left(x: float) -> float:
    total, i = 0.0, 0
    while True:
        if i > 3:
            break
        if i == 0:
            f = counter(x)
        total += f()
        i += 1
    return total


def a_text(x: float) -> float:
    total = 0.0
    for i in range(4):
        if i % 2 == 0:
            text = "ab" * i
        total += len(text) * x
    return total


def never_bound(x: float) -> float:
    for i in range(3):
        if i == 1:
            f = math.sin
        x += f(2.0)
    return x


PROGRAMS = [(a_lambda, (1.5,)), (a_function_with_a_state, (1.5, 4)), (one_of_two, (0.5,)), (of_the_turn_before, (1.5,)),
            (in_a_tuple, (1.5,)), (in_a_loop_that_is_left, (1.5,)), (a_text, (1.5,))]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_later_turns_read_what_a_branch_bound(f: Callable[..., Any], args: tuple[Any, ...]):
    agrees(f, *args, exponentials=("Delta",))


def test_a_turn_that_reads_it_before_raises():
    agrees_in_value(never_bound, 1.5)


# -- generators ------------------------------------------------------------------------------------------------------


def giving_back(x: float) -> Generator[float, None, float]:
    yield x
    return x * x


def asking(x: float) -> Iterator[float]:
    found = yield from giving_back(x)
    yield found + 1.0


def noting(x: float, log: list[float]) -> Generator[float, None, float]:
    log.append(x)
    yield x
    return x * x


def asking_one_that_acts(x: float, log: list[float]) -> Iterator[float]:
    found = yield from noting(x, log)
    yield found + 1.0


def in_a_loop(x: float) -> float:
    total = 0.0
    for v in asking(x):
        total = total * 0.5 + v
    return total


def in_a_loop_with_effects(x: float) -> float:
    log: list[float] = []
    total = 0.0
    for v in asking_one_that_acts(x, log):
        total = total * 0.5 + v
    return total + sum(log)


def one_after_the_other(x: float) -> float:
    items = asking(x)
    return next(items) * next(items)


def taken_whole(x: float) -> float:
    return sum(asking(x)) * max(asking(x))


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [in_a_loop, in_a_loop_with_effects, one_after_the_other, taken_whole])
def test_yield_from_gives_what_the_other_generator_returns(f: Callable[..., Any]):
    agrees(f, 1.5, exponentials=("Delta",))


# -- values that are sent --------------------------------------------------------------------------------------------


def means(x: float) -> Generator[float, float | None, None]:
    total, count, mean = 0.0, 0, x
    while True:
        v = yield mean
        if v is None:
            return
        total += v
        count += 1
        mean = total / count


def doubled() -> Generator[float, float, None]:
    v = yield 1.0
    while v:
        v = yield 2 * v
    yield -1.0


def sent_until_none(x: float) -> float:
    asked = means(x)
    first = next(asked)
    return first + asked.send(x * x) * asked.send(3.0)


def sent_until_zero(x: float) -> float:
    asked = doubled()
    return next(asked) + asked.send(x) * asked.send(3.0) + asked.send(0.0)


def nothing_is_sent(x: float) -> float:
    return sum(means(x)) + sum([v * x for v in doubled()])


@pytest.mark.parametrize("f", [sent_until_none, sent_until_zero, nothing_is_sent])
def test_a_generator_with_an_end_is_sent_values(f: Callable[..., Any]):
    agrees(f, 1.5, exponentials=("Delta",))
