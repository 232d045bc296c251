"""Formal sums of calls: closures that loops, branches and recursion call under AdditiveMap, staged, with second order;
what the program prints is printed once, however often a body runs again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, same

import ccc
import ccc.compile.terms.host
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.numpy_source.numpy_target import emit
from ccc.compile.terms.host import on_host
from ccc.compile.terms.plan import Plan, derived


def in_a_loop(x: float) -> float:
    g = lambda t: t * t * x  # noqa: E731
    s = g(x)
    for _ in range(3):
        s = s + g(s) * 0.1
    return s


def in_a_branch(x: float, xs: list[float]) -> float:
    g = lambda t: t * t * x  # noqa: E731
    s = g(x)
    for v in xs:
        if v > 0:
            s += g(v)
        elif v < -1.0:
            s -= g(v * s)
    return s


def in_a_while(x: float, n: int) -> float:
    g = lambda t: math.sin(t) * x  # noqa: E731
    y, i = g(1.0), 0
    while i < n:
        for _ in range(2):
            y = y + g(y) * 0.1
        i += 1
    return y


def in_another(x: float) -> float:
    g = lambda t: t * t * x  # noqa: E731
    y = g(x)

    def h(u: float) -> float:
        s = u
        for _ in range(3):
            s = s + g(s) * 0.1
        return s

    return h(x) * h(2 * x) + y


def of_an_array(v: np.ndarray) -> Any:
    g = lambda t: t * np.sum(v * v)  # noqa: E731
    y = g(1.0)
    for i in range(len(v)):
        y = y + g(y) * v[i]
    return y


def in_a_list(x: float) -> float:
    g = lambda t: t * t * x  # noqa: E731
    y = g(x)
    return sum([g(y * i) for i in range(3)]) + y


def of_each_other(x: float) -> float:
    g = lambda t: t * t * x  # noqa: E731
    h = lambda t: g(t) * g(t + 1)  # noqa: E731
    y = g(x) + h(x)
    for _ in range(3):
        y = y + h(y) * 0.01 + g(y) * 0.1
    return y


def left_early(x: float) -> float:
    g = lambda t: t * t * x  # noqa: E731
    y = g(x)
    for i in range(5):
        for _ in range(2):
            y = y + g(y) * 0.3
            if y > 2.0:
                return y * g(y) * i
    return g(y)


STAGED: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (in_a_loop, (0.7,)), (in_a_branch, (0.7, [0.3, 0.4, -0.3, -1.5])), (in_a_while, (0.7, 3)), (in_a_while, (0.7, 0)),
    (in_another, (0.4,)), (of_an_array, (np.array([0.3, 0.4]),)), (in_a_list, (0.7,)), (of_each_other, (0.5,)),
    (left_early, (0.7,)), (left_early, (1.3,)),
]  # fmt: skip


def folded(x: float) -> float:
    def go(n: int, a: float) -> float:
        return a if n <= 0 else go(n - 1, a * x + go(n - 2, a))

    return go(4, x)


def with_a_loop(x: float) -> float:
    def go(n: int) -> float:
        if n == 0:
            return x
        s = 0.0
        for i in range(2):
            s = s + go(n - 1) * x * i
        return s

    return go(3)


def of_an_array_recursively(v: np.ndarray) -> Any:
    def go(n: int, a: Any) -> Any:
        return np.sum(a * v) if n == 0 else go(n - 1, a * v) + v[0]

    return go(3, v)


RECURSIVE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (folded, (0.7,)), (with_a_loop, (0.7,)), (of_an_array_recursively, (np.array([0.3, 0.4]),))
]  # fmt: skip


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError("the program was not staged")

    monkeypatch.setattr(ccc.compile.terms.host, "on_host", refused)


def second(f: Callable[..., Any], exponential: Any) -> Callable[..., Any]:
    """The gradient of the sum of squares of the gradient, both under one exponential."""
    def length(*args: Any) -> Any:
        found = ccc.gradient(f, wrt=0, exponential=exponential)(*args)
        return np.sum(found * found)

    return ccc.gradient(length, wrt=0, exponential=exponential)


@pytest.mark.share(8)
@pytest.mark.usefixtures("staged")
@pytest.mark.parametrize(("f", "args"), [*STAGED, *RECURSIVE], ids=lambda x: getattr(x, "__name__", ""))
def test_calls_are_summed_in_the_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


@pytest.mark.share(2)
@pytest.mark.usefixtures("staged")
@pytest.mark.parametrize(("f", "args"), STAGED, ids=lambda x: getattr(x, "__name__", ""))
def test_second_order_in_the_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    found, expected = second(f, ccc.AdditiveMap())(*args), second(f, ccc.Delta())(*args)
    assert np.allclose(found, expected, rtol=1e-12, atol=0.0)


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), RECURSIVE, ids=lambda x: getattr(x, "__name__", ""))
def test_second_order_of_recursion(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    found, expected = second(f, ccc.AdditiveMap())(*args), second(f, ccc.Delta())(*args)
    assert np.allclose(found, expected, rtol=1e-12, atol=0.0)


def talks(x: float) -> float:
    print("start")

    def told(t: float) -> float:
        print("in", t)
        return t * t * x

    s = told(x)
    for _ in range(2):
        s = s + told(s) * 0.1

    def go(n: int) -> float:
        print("go", n)
        return x if n == 0 else go(n - 1) * x

    return s * go(3)


@pytest.mark.parametrize("host", [False, True], ids=["staged", "host"])
def test_effects_happen_once(host: bool, capsys: pytest.CaptureFixture[str]) -> None:
    talks(0.7)
    printed = capsys.readouterr().out
    expected = ccc.gradient(talks)(0.7)
    assert capsys.readouterr().out == printed
    plan = Plan("pullback", (0,), ccc.AdditiveMap(), True)
    if host:
        value, pullback = on_host(plan, elaborate(talks, [0.7]).program)(0.7)
    else:
        value, pullback = ccc.value_with_pullback(talks, exponential=ccc.AdditiveMap())(0.7)
    assert capsys.readouterr().out == printed
    assert math.isclose(pullback(1.0), expected, rel_tol=1e-14)
    assert math.isclose(pullback(2.0), 2 * expected, rel_tol=1e-14)
    assert not capsys.readouterr().out
    assert same(value, talks(0.7))


def test_the_tape_of_calls_does_not_grow_the_program() -> None:
    """The code for more runs is the same code."""
    def code(n: int) -> str:
        def f(x: float) -> float:
            g = lambda t: t * t * x  # noqa: E731
            s = g(x)
            for _ in range(n):
                s = s + g(s) * 0.1
            return s

        program = derived(Plan("gradient", (0,), ccc.AdditiveMap(), True), elaborate(f, [0.7]).program)
        return emit(program).source

    assert code(3) == code(1000).replace("1000", "3")
