"""Lists in lists that grow and shrink where they stand, in O(1), forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, counted, runs_in_stores

import ccc


def buckets(x: float, n: int) -> Any:
    rows = [[] for _ in range(3)]
    for i in range(n):
        rows[i % 3].append(x * i)
    return rows[0][-1] + len(rows[1]) * x + sum([sum(r) ** 2 for r in rows])


def never_filled(x: float, n: int) -> Any:
    rows = [[] for _ in range(n)]
    return x * len(rows) + sum([len(r) for r in rows])


def neighbours(x: float, n: int) -> Any:
    around = [[] for _ in range(n)]
    for i in range(n):
        around[i].append((i + 1) % n)
        around[i].append((i + 2) % n)
    v = [x * i for i in range(n)]
    for _ in range(3):
        v = [sum([v[j] for j in around[i]]) / len(around[i]) + 0.1 * v[i] * x for i in range(n)]
    return sum(v)


def by_loop_name(x: float, n: int) -> Any:
    rows = [[x] for _ in range(n)]
    for r in rows:
        r.append(r[0] * x)
        r.append(r[-1] + 1.0)
    return sum([r[0] * r[1] * r[2] for r in rows])


def taken_back(x: float, n: int) -> Any:
    stacks = [[x, x * x] for _ in range(2)]
    s = 0.0
    for i in range(n):
        stacks[i % 2].append(x + i)
        if i % 3 == 2:
            s += stacks[i % 2].pop() * stacks[i % 2][-1]
    return s + stacks[0].pop() + stacks[1].pop() * len(stacks[0])


def three_deep(x: float, n: int) -> Any:
    cells = [[[x] for _ in range(2)] for _ in range(2)]
    for i in range(n):
        cells[i % 2][(i // 2) % 2].append(x * i)
        cells[i % 2][0][0] += x
    return sum([sum([sum(c) * c[0] for c in r]) for r in cells])


def integers_at_first(x: float, n: int) -> Any:
    rows: list[list[float]] = [[0] for _ in range(n)]
    for i in range(n):
        rows[i].append(x * i)
        rows[i].append(i)
    return sum([r[0] + r[1] * r[2] for r in rows])


def of_pairs(x: float, n: int) -> Any:
    rows = [[(x, 1)] for _ in range(2)]
    for i in range(n):
        rows[i % 2].append((x * i, i))
    return sum([a * b for r in rows for a, b in r])


def of_arrays(x: float, n: int) -> Any:
    rows = [[np.array([x, 1.0])] for _ in range(2)]
    for i in range(n):
        rows[i % 2].append(rows[0][-1] * x)
    return sum([np.sum(a) for r in rows for a in r])


def in_a_while(x: float, n: int) -> Any:
    todo = [[x], [x * 2.0]]
    total, k = 0.0, 0
    while len(todo[0]) + len(todo[1]) > 0 and k < 4 * n:
        if len(todo[k % 2]) > 0:
            v = todo[k % 2].pop()
            total += v * v
            if k < n:
                todo[(k + 1) % 2].append(v * 0.5)
                todo[k % 2].append(v * x)
        k += 1
    return total


def equal_rows_at_each_run(x: float, n: int) -> Any:
    rows = [[x], [x, x]]
    last = n % 2
    for _ in range(n):
        rows[last][0] = 1.0
        last = len(rows)
        rows.append([x])  # the tangent of each of these rows is one value, which must not be one list
    return rows[last][0] + sum(rows[1]) * sum(rows[2])


PROGRAMS = (
    buckets, never_filled, neighbours, by_loop_name, taken_back, three_deep, integers_at_first, of_pairs, of_arrays,
    in_a_while, equal_rows_at_each_run,
)


@pytest.mark.filterwarnings("ignore::ccc.CCCWarning")
@pytest.mark.parametrize("f", PROGRAMS)
def test_rows_grow_as_in_python(f: Callable[..., Any]) -> None:
    for n in (4, 5):
        agrees(f, 0.7, n)


@pytest.mark.parametrize("f", PROGRAMS)
def test_machine_code_does_the_same(f: Callable[..., Any]) -> None:
    pytest.importorskip("llvmlite")
    for n in (4, 40):
        found, expected = [ccc.value_with_gradient(f, backend=b)(0.7, n) for b in ("native", "numpy")]
        assert np.isclose(found[0], expected[0], rtol=1e-14)
        assert np.isclose(found[1][0], expected[1][0], rtol=1e-13)


def test_a_row_that_two_names_lead_to_stands_in_a_store() -> None:
    def f(x: float, n: int) -> Any:
        row = [x]
        rows = [row for _ in range(n)]
        rows[0].append(x)
        return rows[1][-1]

    runs_in_stores(f, 0.7, 3, says="cannot append to")


def test_there_is_nothing_to_pop_from_an_empty_row() -> None:
    def f(x: float, n: int) -> Any:
        rows = [[x] for _ in range(2)]
        for _ in range(n):
            rows[0].pop()
        return rows[1][0]

    for backend in ("numpy", "auto"):
        with pytest.raises(IndexError):
            ccc.value_with_gradient(f, backend=backend)(0.7, 2)


def copies(f: Callable[..., Any], n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a gradient makes a list anew instead of changing it."""
    names = ("zeros_like", "own", "conform", "set_item", "set_along", "add_along", "append_along", "without_last_along")
    made = counted(names, monkeypatch)
    (found, _), h = ccc.gradient(f, backend="numpy")(0.7, n), 1e-6
    assert np.isclose(found, (f(0.7 + h, n) - f(0.7 - h, n)) / (2 * h), rtol=1e-5)
    return made.total()


@pytest.mark.parametrize("f", [buckets, taken_back])
def test_a_row_grows_without_copies(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as m:
        few = copies(f, 20, m)
    with monkeypatch.context() as m:
        assert copies(f, 200, m) == few
