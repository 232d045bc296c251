"""Variables that inner functions write to, and bindings in comprehensions: values as in plain Python, derivatives
against differences; what would write outside of the program is refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError


def accumulated(x: float) -> float:
    n, total = 0, 0.0

    def add(v: float) -> float:
        nonlocal n, total
        n += 1
        total += v * x
        return total

    add(x)
    add(2.0)
    for i in range(3):
        add(x * i)
    return total * n


def several_counters(x: float) -> float:
    def counter() -> Callable[[], float]:
        c = x

        def step() -> float:
            nonlocal c
            c = c * 1.5
            return c

        return step

    a, b = counter(), counter()
    return a() + a() * b()


def in_branches(x: float) -> float:
    t = 0.0

    def add(v: float) -> None:
        nonlocal t
        if v > 1.0:
            t += v * x
        else:
            t = t * 0.5 + v

    for i in range(4):
        add(x * i)
    if x > 0.5:
        add(3.0 * x)
    return t


def of_a_parameter(x: float, n: int) -> float:
    def make(t: float) -> tuple[Callable[[], None], Callable[[], float]]:
        def up() -> None:
            nonlocal t
            t = t * x + 1.0

        def get() -> float:
            return t

        return up, get

    up, get = make(x)
    i = 0
    while i < n and get() < 50.0:
        up()
        i += 1
    return get()


def written_on_both_sides(x: float) -> float:
    t = 0.0

    def add(v: float) -> None:
        nonlocal t
        t += v

    for v in (x, 2 * x):
        add(v)
        t = t * x
    t += 1.0
    return t


def from_further_inside(x: float) -> float:
    t = 0

    def outer() -> None:
        def inner() -> None:
            nonlocal t
            t = t + x

        inner()
        inner()

    outer()
    outer()
    return t * t


def best_offer(x: float) -> float:
    best, where = -1.0, 0

    def offer(v: float, i: int) -> None:
        nonlocal best, where
        if v > best:
            best, where = v, i

    for i, v in enumerate([x, x * x, 3 * x, x - 1]):
        offer(v, i)
    return best * where


def bound_in_two_arms(x: float) -> float:
    if x > 0:  # noqa: SIM108 - it is bound twice
        n = 1.0
    else:
        n = 2.0 * x

    def scale() -> None:
        nonlocal n
        n *= x

    scale()
    return n


def along_an_array(xs: np.ndarray) -> float:
    s = 0.0

    def visit(v: float) -> None:
        nonlocal s
        s = s * 0.5 + v * v

    for v in xs:
        visit(v)
    return s


def bound_in_a_comprehension(x: float) -> float:
    ys = [(y := v * x) * y for v in (1.0, 2.0, 3.0)]
    return sum(ys) + y


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (accumulated, (0.7,)), (several_counters, (0.7,)), (in_branches, (0.7,)), (in_branches, (0.4,)),
    (of_a_parameter, (0.7, 4)), (of_a_parameter, (2.7, 9)), (of_a_parameter, (2.7, 0)), (written_on_both_sides, (0.7,)),
    (from_further_inside, (0.7,)), (best_offer, (0.7,)), (bound_in_two_arms, (0.7,)), (bound_in_two_arms, (-0.7,)),
    (along_an_array, (np.array([0.3, 0.4, 0.5]),)), (bound_in_a_comprehension, (0.7,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_inner_functions_write_outer_variables(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def outer_variable() -> Callable[[float], float]:
    calls = 0

    def f(x: float) -> float:
        nonlocal calls
        calls += 1
        return x * calls

    return f


def counted_inside(x: float) -> float:
    calls = 0

    def f(t: float) -> float:
        nonlocal calls
        calls += 1
        return math.sin(t) * x

    return ccc.gradient(f)(x) * calls


def listed_inside(x: float) -> float:
    seen: list[float] = []

    def f(t: float) -> float:
        seen.append(t)
        return t * t * x

    return ccc.gradient(f)(x) * len(seen)


def recursive(x: float) -> float:
    s = 0.0

    def go() -> None:
        nonlocal s
        s += x
        if s < 3.0:
            go()

    go()
    return s


def bound_in_a_loop(xs: np.ndarray) -> Any:
    return sum([(y := v * 2.0) * y for v in xs]) + y


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (outer_variable(), 0.7, "writes the outer variable `calls`"),
        (counted_inside, 0.7, "changes what it did not make"),
        (listed_inside, 0.7, "changes what it did not make"),
        (bound_in_a_loop, np.array([0.1, 0.2]), "in a comprehension binds is used outside"),
    ],
)
def test_what_cannot_be_seen_through_is_refused_by_name(f: Callable[..., Any], x: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ccc.gradient(f)(x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_recursive_function_writes_a_variable_around_it(backend: str) -> None:
    assert ccc.compiled(recursive, backend=backend)(0.7) == recursive(0.7)
    assert ccc.gradient(recursive, backend=backend)(0.7) == 5.0
