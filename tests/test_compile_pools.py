"""Selections and products of what is run along, of lengths that loops count, kept in lists and under names."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

SELECTING = {
    "combinations": itertools.combinations, "with replacement": itertools.combinations_with_replacement,
    "permutations": itertools.permutations, "product": lambda xs, r: itertools.product(xs, repeat=r),
}  # fmt: skip


def products_of(select: Any, rows: Any, degree: int) -> Any:
    """The columns of a regression in powers of several variables."""
    chosen = [select(range(rows.shape[1]), i) for i in range(degree + 1)]
    columns = [c for some in chosen for c in some]
    made = np.empty((rows.shape[0], len(columns)))
    for i, c in enumerate(columns):
        made[:, i] = np.prod(rows[:, c], axis=1)
    return np.sum(made**2 * np.arange(1.0, 1.0 + len(columns)))


def at_once(select: Any, x: Any, degree: int) -> Any:
    chosen = [c for i in range(degree) for c in select(range(len(x)), i)]
    total = 0.0
    for k, c in enumerate(chosen):
        term = 1.0 + k
        for i in c:
            term = term * x[i]
        total = total + term
    return total


@pytest.mark.parametrize("select", SELECTING.values(), ids=SELECTING.keys())
def test_selections_of_several_lengths(select: Callable[..., Any]):
    agrees(lambda rows: products_of(select, rows, 2), np.array([[0.3, 1.2], [0.7, -0.4], [1.1, 0.9]]))
    agrees(lambda x: at_once(select, x, 3), np.array([0.3, 1.2, 0.8]))


def taken_twice(x: Any) -> Any:
    pairs = itertools.combinations([x, 2.0 * x, 3.0 * x], 2)
    first = next(pairs)
    total = first[0]
    for i in range(2):
        for a, b in pairs:
            total = total + a * b * (i + 1)
    return total


def changed_later(x: Any) -> Any:
    xs = [x, x * x]
    products = [itertools.product(xs, [1.0, 2.0]), itertools.product(xs, [1.0, 3.0])]
    xs[0] = 7.0
    total = 0.0
    for some in products:
        total = total + sum([a * b for a, b in some]) + sum([a + b for a, b in some])
    return total


def left_in_between(x: Any) -> Any:
    pairs = itertools.permutations([x, 2.0 * x, 3.0], 2)
    total, threes = 0.0, [a * next(pairs)[0] for a, _ in pairs]
    for a in threes:
        total = total + a
    return total


@pytest.mark.parametrize("f", [taken_twice, changed_later, left_in_between])
def test_selections_that_are_kept(f: Callable[..., Any]):
    agrees(f, 0.7)


def test_long_ranges_stay_loops():
    """Selections of written lengths are made of places: one code serves all sizes."""
    f = ccc.gradient(lambda x: sum([x[i] * x[j] for i, j in itertools.combinations(range(len(x)), 2)]))
    for n in (3, 5, 40):
        np.testing.assert_allclose(f(np.ones(n)), np.full(n, n - 1.0))
