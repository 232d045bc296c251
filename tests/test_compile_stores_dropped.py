"""Arrays in stores that nothing leads to any more are dropped behind each run of a loop."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, differences
from random_views import views

import ccc

X = np.array([0.3, -0.4, 0.5])


def step(x: Any, w: float) -> Any:
    return np.tanh(x) * w


def as_python_does(x: Any, n: int) -> Any:
    for _ in range(n):
        x = step(x, 1.2)
    x[0] += 1.0  # that of the caller, if there was no run
    return np.sum(x)


def with_the_last(x: Any, n: int) -> Any:
    last = x
    while n > 0:
        last = x
        x = step(x, 1.5) + last[1]
        x[0] += last[1]
        last[0] = 2.0 * x[2]
        n -= 1
    x[0] += 1.0
    return np.sum(x) * np.sum(last)


def with_the_best(x: Any, n: int) -> Any:
    best = x
    for i in range(n):
        x = step(x, 1.2)
        if np.sum(x) > 0.1 * i:
            best = x
        x[0] *= 1.2
        if x[0] < 0.01:
            break
    best[1] += 1.0
    return np.sum(best * x)


def in_turns(x: Any, n: int) -> Any:
    p, q = x, x * 2.0
    for _ in range(n):
        p, q = q, p
        q = step(p, 1.1) + q[0]
        p[0] += 0.3
    q[1] += 1.0
    return np.sum(p) * np.sum(q)


def in_an_inner_loop(x: Any, n: int) -> Any:
    for i in range(n):
        y = x
        for _ in range(i):
            z = y
            y = step(y, 1.3)
            z[0] += 0.1
        x = y
    x[0] += 1.0
    return np.sum(x * x)


def read_by_a_closure(x: Any, n: int) -> Any:
    def total() -> Any:
        return np.sum(y)

    for i in range(n):
        y = step(x, 0.5 + i)
        y[0] += 1.0
        x = y
    x[1] += 2.0
    return total() * x[1]


def some_in_a_list(x: Any, n: int) -> Any:
    kept = []
    for i in range(n):
        x = step(x, 1.1)
        if i % 2 == 0:
            kept.append(x)
        x[0] *= 1.2
    x[0] += 1.0
    return sum([np.sum(k * k) for k in kept]) + x[0]


def with_a_view_that_nothing_reads(x: Any, n: int) -> Any:
    a = np.outer(x, x)
    for _ in range(2):
        shown = a.reshape(9)[::3]  # noqa: F841
        a.fill(2.5)
        a = a * x
    for _ in range(n):
        if n > 1:
            a[-1][0] += 2.5
    return np.sum(a * np.arange(9.0).reshape(3, 3))


def with_a_view_of_before(x: Any, n: int) -> Any:
    a = np.outer(x, x)
    shown = a.reshape(9)[::3]
    i = 0
    while i < n:
        shown = a.reshape(9)[::3]  # noqa: F841
        a.fill(2.5)
        a = a * x
        i += 1
        if a[0, 0] > 100.0:
            break
    for _ in range(n):
        if n > 1:
            a[-1][0] += 2.5
    return np.sum(a * np.arange(9.0).reshape(3, 3))


def at_places_in_a_tuple(x: Any, n: int) -> Any:
    y = x.copy()
    back = np.arange(len(x))[::-1]
    a = np.zeros((len(x), 2))
    for _ in range(n):
        last = y
        y = step(y, 1.1)
        a[back, 1] += last
    y[1:] = 2.0
    a[back, 0] = y
    key: Any = (back, 0)
    np.add.at(a, key, last)
    return np.sum(a[key] * back) + np.sum(a[:, 1] * x)


ALL = (as_python_does, with_the_last, with_the_best, in_turns, in_an_inner_loop, read_by_a_closure, some_in_a_list,
       with_a_view_that_nothing_reads, with_a_view_of_before, at_places_in_a_tuple)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_what_names_lead_to_is_kept(f: Callable[..., Any]) -> None:
    valued, slope = ccc.compiled(f, backend="numpy"), ccc.gradient(f, wrt=0, backend="numpy")
    for n in (1, 2, 5):
        one, other = X.copy(), X.copy()
        assert valued(one, n) == f(other, n)
        np.testing.assert_array_equal(one, other)
        expected = differences(lambda x, n=n: f(x.copy(), n), X)
        np.testing.assert_allclose(slope(X.copy(), n), expected, rtol=1e-8, atol=1e-9)


def test_a_name_that_nothing_has_bound_yet_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 300365 of the views."""
    monkeypatch.setenv("CCC_STORES", "always")
    made = views(300_365)
    f = made.load()
    for call in made.calls:
        assert ccc.value_with_gradient(f, backend="numpy")(*made.arguments(f, call))[0] == f(*made.arguments(f, call))


@pytest.mark.parametrize("f", ALL[:4], ids=lambda f: f.__name__)
def test_a_loop_takes_as_much_memory_for_any_number_of_runs(f: Callable[..., Any]) -> None:
    valued, x = ccc.compiled(f, backend="numpy"), np.linspace(0.0, 1.0, 10_000)
    taken = []
    for n in (5, 5, 50):
        tracemalloc.start()
        valued(x, n)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert taken[2] < taken[1] + 0.1 * x.nbytes


def made_anew(x: float, n: int, k: int) -> Any:
    """The store is what a loop within the run made of it, or where there is none, what stood before the run."""
    m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5], [0.25, 3.0, x]])
    rows = [np.array([0.5, x, x * x]), m[0], np.array([x, 2.0, 0.5])]
    rows[k][0] += x
    for _ in range(n):
        m[0] *= 0.5
        for _ in range(2):
            rows = [row * 1.5 for row in rows]
    for _ in range(n - 1):
        rows = [row + m[1] for row in rows]
    return rows[0][1] + rows[1][0] * x + m[0, 0] + m[0, 1]


@pytest.mark.parametrize("k", [0, 1])
def test_a_run_makes_the_arrays_of_a_list_anew(k: int) -> None:
    agrees(made_anew, 1.3, 3, k, second=False, exponentials=("Delta",))
