"""What stands as a copy behind a loop or a recursion: no change of the one is missed under the name of the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees, is_refused_without_stores, runs_in_stores

import ccc


class P:
    def __init__(self, a: float) -> None:
        self.a = a


def back(c: Any, i: int) -> Any:
    return c if i <= 0 else back(c, i - 1)


def through_a_recursion(x: float, n: int) -> float:
    d = {1: x}
    c = back(d, n)
    d[1] = 5.0 * x
    return c[1] + 3.0 * d[1]


def object_through_a_recursion(x: float, n: int) -> float:
    d = P(x)
    c = back(d, n)
    d.a = 5.0 * x
    return c.a + 3.0 * d.a


def through_a_recursion_in_a_loop(x: float, n: int) -> float:
    d = {1: x}
    c = d
    for i in range(n):
        c = back(c, i)
    d[1] = 5.0 * x
    return c[1] + 3.0 * d[1]


def bound_in_a_loop(x: float, n: int) -> float:
    d, c = P(x), P(2.0 * x)
    for _ in range(n):
        c = d
    d.a = 5.0 * x
    return c.a + 3.0 * d.a


def bound_in_a_while(x: float, n: int) -> float:
    d, c = [x, x], [2.0 * x, x]
    i = 0
    while i < n:
        c = d
        i += 1
    d[1] = 5.0 * x
    return sum(c) + 3.0 * sum(d)


def exchanged(x: float, n: int) -> float:
    d, e = {1: x}, {1: 2.0 * x}
    c = d
    for _ in range(n):
        c, e = e, c
    d[1] = 5.0 * x
    return c[1] + 3.0 * d[1]


def changed_in_the_next_run(x: float, n: int) -> float:
    d, c, s = P(x), P(2.0 * x), 0.0
    for _ in range(n):
        d.a = d.a * 2.0
        s = s + c.a
        c = d
    return s + c.a


@pytest.mark.parametrize("f", [
    through_a_recursion, object_through_a_recursion, bound_in_a_loop, bound_in_a_while,
    exchanged, changed_in_the_next_run,
], ids=lambda f: f.__name__)  # fmt: skip
def test_a_change_that_a_copy_would_miss_is_made_in_a_store(f: Callable[..., float]) -> None:
    for n in (0, 2, 3):
        runs_in_stores(f, 2.0, n, says=r"CC011.* visible elsewhere")


def test_a_change_behind_a_recursion_in_a_loop_is_made_in_a_store() -> None:
    f = through_a_recursion_in_a_loop
    for n in (0, 2, 3):
        is_refused_without_stores(f, 2.0, n, says=r"CC011.* visible elsewhere")
        value, (slope,) = ccc.value_with_gradient(f, wrt=(0,))(2.0, n)
        assert value == f(2.0, n) and math.isclose(slope, (f(3.0, n) - f(1.0, n)) / 2.0)


def changed_before(x: float, n: int) -> float:
    d, c = P(x), P(2.0 * x)
    d.a = 5.0 * x
    for _ in range(n):
        c = d
    return c.a + 3.0 * d.a


def of_its_own(x: float, n: int) -> float:
    c = {1: x}
    for _ in range(n):
        c = {1: c[1] * x}
    c[1] = c[1] + x
    return c[1]


def made_anew(x: float, n: int) -> float:
    def grown(c: Any, i: int) -> Any:
        return {1: c[1] * 2.0} if i <= 0 else grown(c, i - 1)

    d = {1: x}
    c = grown(d, n)
    d[1] = 5.0 * x
    return c[1] + 3.0 * d[1]


@pytest.mark.parametrize("f", [changed_before, of_its_own, made_anew], ids=lambda f: f.__name__)
def test_what_no_copy_misses_changes(f: Callable[..., float]) -> None:
    for n in (0, 2, 3):
        agrees(f, 2.0, n)
