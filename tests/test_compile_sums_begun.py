"""Sums of cotangents that begin at another cotangent: only loops that do nothing but add may begin there."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees

X = np.array([0.5, -1.25, 2.0])


def read_while_it_changes(x):
    y = x
    v = 0.0
    for _ in range(3):
        v = v + y[2]
        y = y * 2.0
    return v + np.sum(x)


def read_in_a_branch_after(b, x):
    v = b
    y = x
    for _ in range(3):
        v = y[2]
        y = y + y * b
    return np.sum(x) if v < 1.0 else v


def while_loop(b, x):
    y = x
    v = 0.0
    k = 0
    while k < 3:
        v = v + np.sum(y)
        y = y * b
        k = k + 1
    return v + np.sum(x * x)


def outputs(b, x):
    y = x
    ys = []
    for _ in range(3):
        ys.append(y[1])
        y = y * b
    v = 0.0
    for z in ys:
        v = v + z * z
    return v + np.sum(x)


def one_array_or_two(x, y, z):
    if x[0] > 0.0:
        v = np.sin(x)
        return v, v
    return np.sin(y), np.cos(z)


def a_loop_reads_one_of_two(x, y, z):
    v, u = one_array_or_two(x, y, z)
    t = 0.0
    for i in range(len(x)):
        t = t + v[i] * x[i] * t + v[i]
    return t + np.sum(u * x) * 0.5


def a_recursion_reads_one_of_two(x, y, z):
    def fold(t, n):
        return t if n == 0 else fold(t * v[n - 1] + v[n - 1], n - 1)

    v, u = one_array_or_two(x, y, z)
    return fold(x[0], len(v)) + np.sum(u * x) * 0.5


@pytest.mark.parametrize("x", [X, -X], ids=["one array", "two arrays"])
@pytest.mark.parametrize("f", [a_loop_reads_one_of_two, a_recursion_reads_one_of_two])
def test_a_sum_that_both_arms_read_begins_at_zero(f, x):
    """The cotangent of `v` may not begin at that of `u`, which is added to it in one arm alone."""
    agrees(f, x, np.array([0.25, 1.5, -0.75]), np.array([1.25, -0.5, 0.875]))


@pytest.mark.parametrize(
    ("f", "args"),
    [(read_while_it_changes, (X,)), (read_in_a_branch_after, (0.5, X)), (read_in_a_branch_after, (-0.9, X)),
     (while_loop, (0.75, X)), (outputs, (0.75, X))],
)
def test_the_cotangent_of_a_state_that_changes_begins_at_zero(f, args):
    agrees(f, *args)


def test_the_gradient_of_a_sum_of_what_a_state_was():
    import ccc

    assert ccc.gradient(read_while_it_changes)(X).tolist() == [1.0, 1.0, 8.0]


def rows_read_in_nested_loops(x, n):
    rows = [[x * i * j for j in range(n)] for i in range(n)]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += rows[i][j] * rows[j][i]
    return total + rows[0][1]


def keys_read_in_nested_loops(x, n):
    found = {}
    for i in range(n):
        found[i * i] = x * i
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += found[i * i] * found[j * j]
    return total


@pytest.mark.parametrize("f", [rows_read_in_nested_loops, keys_read_in_nested_loops])
def test_the_sum_of_an_inner_loop_begins_at_that_of_the_outer_one(f):
    """Each run of the outer loop added two whole cotangents."""
    import ccc

    agrees(f, 1.25, 4)
    assert "add_trees" not in str(ccc.explain(ccc.gradient(f), 1.25, 4).code)
