"""Lists that change in place at one item while another one is kept: what is kept stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


@dataclass
class Body:
    place: Any
    speed: Any


def items_that_are_read_again(x: float, n: int) -> Any:
    arrays = [np.array([x, 2.0 + i]) for i in range(n)]
    total = 0.0
    for i in range(n):
        before = arrays[i]
        arrays[i] = np.sin(before) * arrays[i // 2]
        arrays[i // 2] = before * x
        total = total + np.sum(before * arrays[i])
    return total + np.sum(arrays[0] * arrays[n - 1])


def items_that_change_within(x: float, n: int) -> Any:
    arrays = [np.array([x, 2.0 + i, 1.0]) for i in range(n)]
    total = 0.0
    for i in range(n):
        kept = arrays[i] * 1.0
        arrays[i] = np.cos(arrays[i])
        seen = arrays[i // 2]
        arrays[i // 2][1] = x * i
        arrays[i][0] += kept[1]
        total = total + np.sum(seen * kept) + seen[1]
    return total + sum([np.sum(a) for a in arrays])


def rows_that_grow(x: float, n: int) -> Any:
    rows = [[x], [2.0 * x], [1.0]]
    total = 0.0
    for i in range(n):
        row = rows[i % 3]
        total = total + row[-1]
        rows[i % 3] = [row[0] * x, total]
        rows[(i + 1) % 3].append(x)
        total = total + len(row) * row[0]
    return total + sum([sum(row) for row in rows])


def rows_that_are_replaced(x: float, n: int) -> Any:
    rows = [[x, 1.0 + i] for i in range(n)]
    for i in range(n):
        row = rows[i]
        rows[i] = [row[0] * x + rows[i // 2][1], row[1] * x]
        rows[i // 2] = [row[1], rows[i][0]]
    return sum([row[0] * row[1] for row in rows])


def in_a_branch(x: float, n: int) -> Any:
    arrays = [np.array([x, 2.0 + i]) for i in range(n)]
    for k in range(3):
        for i in range(n):
            if (i + k) % 3:
                arrays[i - 1] = arrays[i] * x
            elif i:
                arrays[i] = arrays[i] + np.sin(arrays[i - 1])
    return np.sum(arrays[0] * arrays[n - 1])


def of_other_sizes(x: float, n: int) -> Any:
    arrays = [np.full(i + 1, x) for i in range(n)]
    for i in range(1, n):
        old = arrays[i - 1]
        arrays[i - 1] = np.concatenate([arrays[i], old[:1]]) * x
        arrays[i] = np.array([np.sum(old), x])
    return sum([np.sum(a * a) for a in arrays])


def bodies(x: float, n: int) -> Any:
    found = [Body(np.array([x, 2.0 + i]), np.array([1.0, x])) for i in range(n)]
    last = found[0]
    for _ in range(2):
        for body in found:
            if body is not last:
                apart = last.place - body.place
                body.speed = body.speed + 0.1 * apart
            body.place += body.speed * 0.1
            last = body
    return np.sum(last.place * found[0].speed)


def in_a_while(x: float, n: int) -> Any:
    arrays, i, first = [np.array([x, 2.0 + i]) for i in range(n)], 0, np.zeros(2)
    while i < n - 1:
        first = arrays[i]
        arrays[i] = arrays[i + 1] * x
        arrays[i + 1] = first * 0.5
        i += 1
    return np.sum(arrays[0] * arrays[n - 1] * first)


def by_a_function(x: float, n: int) -> Any:
    def step(arrays: list[Any], i: int) -> Any:
        if i == n:
            return np.zeros(2)
        before = arrays[i]
        arrays[i] = before * x
        arrays[i - 1] = arrays[i] + before
        return before + step(arrays, i + 1)

    arrays = [np.array([x, 2.0 + i]) for i in range(n)]
    return np.sum(step(arrays, 0) * arrays[0] * arrays[n - 1])


PROGRAMS = [items_that_are_read_again, items_that_change_within, rows_that_grow, rows_that_are_replaced, in_a_branch,
            of_other_sizes, bodies, in_a_while, by_a_function]


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_kept_stays_as_it_was(f: Callable[[float, int], Any]) -> None:
    agrees(lambda x: f(x, 5), 0.7)
    for backend in ("numpy", "native"):
        for n in (3, 6):
            value, slope = ccc.value_with_gradient(f, wrt=0, backend=backend)(0.7, n)
            h = 1e-6
            assert np.isclose(value, f(0.7, n), rtol=1e-14)
            assert np.isclose(slope, (f(0.7 + h, n) - f(0.7 - h, n)) / (2.0 * h), rtol=1e-6)


def test_lists_of_arrays_change_in_place() -> None:
    for f in (items_that_are_read_again, rows_that_are_replaced, in_a_branch, bodies):
        code = ccc.explain(ccc.gradient(f, wrt=0), 0.7, 5).code
        assert "set_item" not in code and "[*" not in code, code


def test_what_is_raised_where_there_is_no_item() -> None:
    def f(x: float, n: int) -> Any:
        arrays = [np.array([x])]
        for i in range(n):
            arrays[i] = np.array([x * i])
        return np.sum(arrays[0])

    for backend in ("numpy", "native"):
        with pytest.raises(IndexError, match="list assignment index out of range"):
            ccc.gradient(f, backend=backend)(0.7, 3)
