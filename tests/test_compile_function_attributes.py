"""Attributes of functions that change: counters, running values and caches, of functions outside and inside."""

# pyright: reportFunctionMemberAccess=false, reportAttributeAccessIssue=false
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, same

import ccc

X = np.array([0.3, -1.2, 0.7])


def cost(v: Any) -> Any:
    cost.calls += 1
    cost.total = cost.total + v
    return v * cost.total


cost.calls, cost.total = 0, 0.0


def outside(x: Any) -> Any:
    cost.calls, cost.total = 0, 0.0
    s = 0.0
    for v in x:
        s += cost(v)
    return s * cost.calls


def counted(x: Any) -> Any:
    def step(v: Any) -> Any:
        step.calls += 1
        return v * v

    step.calls = 0
    s = 0.0
    for v in x:
        s += step(v)
    return s * step.calls


def running(x: Any) -> Any:
    def step(v: Any) -> Any:
        step.total = step.total + v
        if v > 0:
            step.calls += 1
        return v * step.total

    step.total, step.calls = 0.0, 0
    return sum([step(v) for v in x]) * step.calls + step.total


def recursive(x: Any) -> Any:
    def product(n: int) -> Any:
        product.calls += 1
        return x[0] if n <= 0 else product(n - 1) * x[2]

    product.calls = 0
    return product(3) * product.calls


def decorated(x: Any) -> Any:
    def counting(f: Any) -> Any:
        @functools.wraps(f)
        def wrapper(*args: Any) -> Any:
            wrapper.calls += 1
            return f(*args)

        wrapper.calls = 0
        return wrapper

    @counting
    def square(v: Any) -> Any:
        return v * v

    s = 0.0
    for v in x:
        s += square(v)
    return s * square.calls


def cached(x: Any) -> Any:
    def seen(v: Any) -> Any:
        seen.items.append(v)
        return v

    seen.items = []
    for v in x:
        seen(v * v)
    return seen.items[1] * len(seen.items)


@pytest.mark.parametrize("f", [counted, running, recursive, decorated, cached])
def test_attributes_of_inner_functions_change(f: Callable[..., Any]) -> None:
    agrees(f, X)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_attributes_of_functions_outside_are_written_back(backend: str) -> None:
    expected = outside(X)
    held = cost.calls, cost.total
    cost.calls, cost.total = 7, 8.0
    assert same(ccc.compiled(outside, backend=backend)(X), expected)
    assert same((cost.calls, cost.total), held)
    cost.calls, cost.total = 7, 8.0
    ccc.gradient(outside, backend=backend)(X)
    assert same((cost.calls, cost.total), held)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_each_call_goes_on_from_what_the_last_one_left(backend: str) -> None:
    cost.calls, cost.total = 0, 0.0
    g = ccc.value_with_gradient(cost, backend=backend)
    assert [g(v)[0] for v in (2.0, 3.0, 4.0)] == [4.0, 15.0, 36.0]
    assert cost.calls == 3
