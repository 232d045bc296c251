"""Slices of lists that are assigned, where the bounds, the list or the items are known only when the program runs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def put(xs: Any, i: Any, j: Any, ys: Any) -> Any:
    xs[i:j] = ys
    return xs


def turned(rows: Any) -> Any:
    rows[:] = [list(row) for row in zip(*rows, strict=True)]
    return rows


def permutations(pool: Any) -> Any:
    n = len(pool)
    indices, cycles = list(range(n)), list(range(n, 0, -1))
    found = [list(pool)]
    while n:
        for i in reversed(range(n)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                found.append([pool[k] for k in indices])
                break
        else:
            return found
    return found


def named_twice(i: Any) -> Any:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    again = rows
    rows[i:] = [[0.0, 0.0]]
    again.append([7.0, 7.0])
    return rows


def several(n: Any, x: Any) -> Any:
    xs = [x, x, x, x]
    xs[1:3] = [x * i for i in range(n)]
    return xs


def in_a_row(row: Any, i: Any) -> Any:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    rows[i:] = [row]
    row[0] = 9.0
    return rows[-1][0]


@TARGETS
@pytest.mark.parametrize(("f", "args"), [
    *((put, ([1, 2, 3, 4], i, j, [7, 8, 9])) for i, j in (
        (1, 3), (3, 1), (0, 0), (-2, 9), (-9, -2), (None, 2), (2, None), (None, None))),
    (put, ([1.0, 2.0], 0, 1, [])), (put, ([1.0, 2.0], 1, 2, (4.0, 5.0))), (turned, ([[1.0, 2.0], [3.0, 4.0]],)),
    (permutations, ([1, 2, 3],)), (named_twice, (1,)), (several, (5, 3.0)), (in_a_row, ([5.0, 6.0], 1)),
])
def test_slices_are_assigned_as_in_python(f: Any, args: Any, backend: Any) -> None:
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    assert ccc.compiled(f, backend=backend)(*mine) == f(*theirs)
    assert mine == theirs


@TARGETS
def test_what_is_put_in_has_its_derivative(backend: Any) -> None:
    def f(x: Any, i: Any) -> Any:
        xs = [x, x * x, x**3]
        xs[i:i + 1] = [x**4, x**5]
        return sum([y * k for k, y in enumerate(xs)])

    assert ccc.gradient(f, wrt="x", backend=backend)(2.0, 1) == 4 * 2.0**3 + 2 * 5 * 2.0**4 + 3 * 3 * 2.0**2
