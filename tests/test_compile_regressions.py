"""Programs that were once compiled wrongly or refused for no reason, each made as small as it can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


def along(xs: Any, i: int, state: float) -> float:
    if i < len(xs):
        return along(xs, i + 1, math.sin(state + xs[i]))
    return state


def a_recursion_inside_a_derivative(v: np.ndarray, y: float) -> float:
    def g(t: float) -> float:
        return t * along(v, 0, y)

    return ccc.pullback(g)(0.5)(1.0)


def ends_in_a_loop_without_runs(t: float, k: int) -> float:
    total = math.sin(t)
    for i in range(k):
        total = total + ends_in_a_loop_without_runs(0.5 * t, i) * 0.3
    return total


def ends_in_a_while_without_runs(t: float, k: int) -> float:
    i, total = 0, 0
    while i < k:
        total = total + ends_in_a_while_without_runs(0.5 * t, i) * t  # type: ignore[assignment]
        i += 1
        if total > 5:
            break
    return total + t


def ends_in_an_empty_sum(t: float, k: int) -> float:
    return t + sum(ends_in_an_empty_sum(0.5 * t, i) * t for i in range(k))


AGREE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (a_recursion_inside_a_derivative, (np.array([0.3, 0.4]), 0.2)),
    (ends_in_a_loop_without_runs, (0.7, 3)),
    (ends_in_a_while_without_runs, (0.7, 3)),
    (ends_in_an_empty_sum, (0.7, 3)),
]


@pytest.mark.parametrize(("f", "args"), AGREE, ids=[f.__name__ for f, _ in AGREE])
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)
