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
