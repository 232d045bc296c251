# ruff: noqa: B023 - what a function reads of a loop is what is tested
"""Recursive functions that a loop defines and that read what the loop changes: each run's pullback reads that run."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees

import ccc


def in_a_while(a, b, n):
    v = a
    k = 0
    while k < 2:
        def r(m, s):
            if m < 1:
                return -v
            t = r(m - 1, b)
            return v * v + 0.1 * t * s

        v = r(n, b)
        k = k + 1
    return v


def in_a_for(a, n):
    v = a
    for _ in range(2):
        def r(m):
            if m < 1:
                return v
            return r(m - 1) * v

        v = r(n)
    return v


def over_an_array(x, n):
    v = x[0]
    for e in x:
        def r(m):
            if m < 1:
                return v * e
            return r(m - 1) + v

        v = r(n)
    return v


@pytest.mark.parametrize(
    ("f", "args"),
    [(in_a_while, (0.75, 0.5, 2)), (in_a_for, (1.5, 1)), (over_an_array, (np.array([0.5, -1.25, 2.0]), 2))],
)
def test_its_gradient_is_that_of_each_run(f, args):
    agrees(f, *args)


def test_the_gradient_of_a_power():
    assert ccc.gradient(in_a_for)(1.5, 1)[0] == pytest.approx(4 * 1.5**3)
    assert ccc.value_with_differential(ccc.gradient(in_a_for))(1.5, 1)[1](1.0, None)[0] == pytest.approx(12 * 1.5**2)


def halves(a, by):
    if len(a) == 1:
        a[0] = a[0] * by + 0.25
        return 1
    m = len(a) // 2
    return halves(a[:m], by) + halves(a[m:], by * 0.5)


def over_a_view(x, n):
    m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5], [0.25, 3.0, x]])
    column = m[:, 2]
    for _ in range(n):
        halves(column, 0.5)
    return m.sum() + column[0]


def test_views_that_a_recursive_function_changes_are_taken_anew_in_each_run() -> None:
    agrees(over_a_view, 1.5, 2)
