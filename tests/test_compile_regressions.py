"""Programs that were once compiled wrongly or refused for no reason, each made as small as it can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores

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


def sum_of_a_list_that_starts_empty(v: np.ndarray) -> float:
    ys: list[Any] = []
    for i in range(len(v)):
        if sum(ys) > v[i]:
            ys.append(v[i] * 1.2)
    return sum(ys) + v[0]


def greatest_of_one(x: float) -> float:
    ys = [x]
    return min(ys) * max([x * x])


def list_bound_in_a_loop_that_returns(x: float, n: int) -> float:
    for i in range(n):
        for _ in range(1):
            ys = [x * i]
            if i != 0:
                return ys[0] + x
    return x


def rebound_to_a_longer_list(x: float, n: int) -> float:
    ys = [x, 2.0]
    history = [x]
    while len(ys) < n:
        ys = ys + [ys[-1] * x]  # noqa: RUF005
        history = [history[0] * x, *history[:2]]
        if ys[-1] > 0.5:
            ys = [*ys, x]
    return sum(ys) * ys[0] + sum(history)


def inserted_popped_and_cleared(x: float, n: int) -> float:
    queue, batch, total = [x, 2 * x], [], 0.0
    for i in range(n):
        queue.insert(0, x * queue[0])
        queue.insert(-1, total)
        batch.append(queue.pop(1))
        if len(batch) >= 2:
            total += batch[0] * batch[1] * i
            batch.clear()
        total += queue.pop(-2)
    return total + len(batch) * x + queue[0] * queue[-1]


def of_one_length_or_another(x: float, n: int) -> float:
    if n > 2:
        ys = [x]
        zs = ys
    else:
        ys = [x, x]
        zs = ys
    ys.append(2.0 * x)
    us = [x, x * x] if x > 0.5 else []
    return sum(zs) * ys[0] + sum(us)


def multiples(x: float, n: int) -> list[float]:
    return [x] if n == 0 else [*multiples(x, n - 1), x * n]


def made_by_recursion(x: float, n: int) -> float:
    return sum(multiples(x, n)) * multiples(x, 1)[1]


def merged(xs: list[float], ys: list[float]) -> list[float]:
    if not xs:
        return ys
    if not ys:
        return xs
    if xs[0] < ys[0]:
        return [xs[0], *merged(xs[1:], ys)]
    return [ys[0], *merged(xs, ys[1:])]


def merge_sorted(xs: list[float]) -> list[float]:
    middle = len(xs) // 2
    return xs if middle == 0 else merged(merge_sorted(xs[:middle]), merge_sorted(xs[middle:]))


def sorted_by_merging(x: float, y: float) -> float:
    ys = merge_sorted([x, 0.1, 2 * x, y, 0.3])
    return ys[0] + 2 * ys[1] + 3 * ys[2] + 4 * ys[3] * ys[4]


def loop_without_a_state(x: float, n: int) -> float:
    while n < 0:
        pass
    return 0.5 * x


def smallest_times_an_integer(p: tuple[float, float], n: int) -> float:
    return min(p[0], p[1]) * (p[0] if p[0] > 0 else n)


CONSTANTS = np.array([0.04, -0.9, 0.8])


def state_with_an_integer(k: int, state: tuple[float, float]) -> tuple[float, float]:
    if k <= 0:
        return state
    return state_with_an_integer(k - 1, (math.sin(CONSTANTS[2]), max(k, CONSTANTS[0])))


def recursion_with_integers_for_reals(x: float, y: float, t: float) -> float:
    y *= state_with_an_integer(3, (t, t))[0]
    return math.sin(y if t >= 0.5 else math.cos(x))


def derivative_at_an_array_that_changed(x: float) -> float:
    a = np.ones(4)
    for i in range(4):
        a[i] += math.tanh(x * a[(i + 1) % 4])
    return np.sum(ccc.gradient(lambda u: np.sum(np.sin(u) * x))(a))


def pullback_of_an_array_that_changes(x: float) -> float:
    a = np.full(2, x)
    _, pullback = ccc.value_with_pullback(lambda u: np.sum(u * u))(a)
    a[0] = 5.0 * x
    return np.sum(pullback(1.0) * a)


def pullback_of_a_function_whose_capture_is_bound_again(x: float) -> float:
    t = x
    a = np.full(2, x)
    _, pullback = ccc.value_with_pullback(lambda u: u * u * t * a[0])(x)
    t = 5.0
    a[0] = 3.0
    return pullback(1.0) * t + pullback(x) * a[0]


NUMBERS = np.array([1.4, -0.6, -0.3])


def recursion_that_reads_an_array_in_a_loop(x: float, n: int) -> float:
    def grow(t: Any, k: int) -> Any:
        total = t
        for i in range(k):
            total = total + grow(np.mean(NUMBERS), i) * 0.3
        return total

    return x + grow(math.sin(x), n) + np.sum(NUMBERS)


def arrays_of_integers_and_reals(xs: list[float], y: float) -> float:
    s = 0
    for x in xs:
        a = np.array([s, s]) + np.array([x, y])
        s = s + 0.1 * np.sum(a * np.array([xs[0], y]) + np.array([y, 0.5]))
    return s


AGREE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (a_recursion_inside_a_derivative, (np.array([0.3, 0.4]), 0.2)),
    (ends_in_a_loop_without_runs, (0.7, 3)),
    (ends_in_a_while_without_runs, (0.7, 3)),
    (ends_in_an_empty_sum, (0.7, 3)),
    (sum_of_a_list_that_starts_empty, (np.array([-0.5, 0.3]),)),
    (of_one_length_or_another, (0.7, 3)),
    (of_one_length_or_another, (0.3, 1)),
    (made_by_recursion, (0.7, 3)),
    (made_by_recursion, (0.7, 0)),
    (sorted_by_merging, (0.35, 0.5)),
    (loop_without_a_state, (0.7, 3)),
    (smallest_times_an_integer, ((-1.0, 1.2), 4)),
    (recursion_with_integers_for_reals, (0.1, 0.5, -0.8)),
    (recursion_with_integers_for_reals, (0.1, 0.5, 0.8)),
    (derivative_at_an_array_that_changed, (0.7,)),
    (pullback_of_an_array_that_changes, (0.7,)),
    (pullback_of_a_function_whose_capture_is_bound_again, (0.7,)),
    (greatest_of_one, (0.4,)),
    (list_bound_in_a_loop_that_returns, (0.3, 3)),
    (rebound_to_a_longer_list, (0.8, 5)),
    (inserted_popped_and_cleared, (0.8, 4)),
    (recursion_that_reads_an_array_in_a_loop, (0.8, 3)),
    (arrays_of_integers_and_reals, ([1.5, -0.5, 2.5], 0.3)),
]


@pytest.mark.parametrize(("f", "args"), AGREE, ids=[f"{f.__name__}{i}" for i, (f, _) in enumerate(AGREE)])
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def one_of_two_lists(x: float, n: int) -> float:
    us = [x]
    ys = us if n > 2 else [x, x]
    ys.append(2.0)
    return sum(us) + sum(ys)


def lists_of_one_list(x: float, n: int) -> float:
    a = [x]
    ys = [a, a] if n * x > 0.75 else [a]
    a.append(3.0)
    return sum(ys[0])


@pytest.mark.parametrize(
    ("f", "reason"),
    [(one_of_two_lists, "also reachable as `us`"), (lists_of_one_list, "branches give different types")],
)
def test_lists_of_different_lengths_that_others_see_stand_in_stores(f: Callable[..., Any], reason: str) -> None:
    for n in (2, 3):
        runs_in_stores(f, 0.3, n, says=reason)


def test_the_second_derivative_of_a_recursion_with_integers_for_reals() -> None:
    gradient = ccc.gradient(recursion_with_integers_for_reals)
    for args in ((0.1, 0.5, -0.8), (0.1, 0.5, 0.8)):
        found = ccc.value_with_pullback(gradient)(*args)[1]((1.0, 1.0, 1.0))
        forward = ccc.value_with_differential(gradient)(*args)[1](1.0, 1.0, 1.0)
        np.testing.assert_allclose(found, forward, rtol=1e-12, atol=1e-15)


def test_each_call_of_a_pullback_gives_lists_of_its_own() -> None:
    def f(x: float, xs: list[float]) -> float:
        return 0.5 * x if sum(i * u for i, u in enumerate(xs)) > 0.0 else math.tanh(x)

    _, pullback = ccc.value_with_pullback(ccc.gradient(f))(-1.0, [0.3, 0.4])
    first, second = pullback((1.0, [1.0, 1.0])), pullback((1.0, [1.0, 1.0]))
    first[1].append(3.0)
    assert second[1] == [0.0, 0.0] and pullback((1.0, [1.0, 1.0])) == second
