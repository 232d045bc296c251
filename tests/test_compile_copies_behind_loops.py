"""What stands as a copy behind a loop or a recursion: no change of the one is missed under the name of the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError


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
    through_a_recursion, object_through_a_recursion, through_a_recursion_in_a_loop, bound_in_a_loop, bound_in_a_while,
    exchanged, changed_in_the_next_run,
], ids=lambda f: f.__name__)  # fmt: skip
def test_a_change_is_refused_that_a_copy_would_miss(f: Callable[..., float]) -> None:
    for n in (0, 2, 3):
        with pytest.raises(CompileError, match=r"CC011.* visible elsewhere"):
            ccc.compiled(f)(2.0, n)


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
