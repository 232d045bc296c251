"""Tests of sizes whose arms give values of different types: they are settled as what they are in the call, where the
function is refused otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc

RNG = np.random.default_rng(3)
SCORES, ROW = RNG.uniform(0.1, 0.9, size=(3, 4)), RNG.uniform(0.1, 0.9, size=4)
SHARES = np.eye(4)[[1, 3, 0]]


def entropy(y, t):
    if y.ndim == 1:
        y, t = y.reshape(1, y.size), t.reshape(1, t.size)
    if t.size == y.size:
        t = t.argmax(axis=1)
    return -np.sum(np.log(y[np.arange(y.shape[0]), t])) / y.shape[0]


class Layer:
    def __init__(self):
        self.labels = None

    def forward(self, y, t):
        self.labels = t if t.size != y.size else t.argmax(axis=1)
        return entropy(y, self.labels)


def through_a_layer(y, t):
    return Layer().forward(y * y, t)


def list_or_sum(x):
    parts = np.sum(x)
    if len(x) == 4:
        parts = [parts, 2.0]
    return parts[0] if len(x) == 4 else parts


def in_an_expression(x):
    parts = [x[0], x[1]] if len(x) > 2 else x[0]
    return parts[1] * parts[0] if len(x) > 2 else parts


def where_some_paths_end(x):
    if len(x) > 2:
        if x[0] > 2.0:
            return x[1]
        parts = (x[0], x[1] * x[2])
    else:
        parts = x[0]
    return parts[1] * 2.0 if len(x) > 2 else parts


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        row = [x[i], x[0]] if len(x) == 4 else x[i]
        total += row[0] * row[1] if len(x) == 4 else row  # pyright: ignore[reportOperatorIssue]
    return total


CASES: list[tuple[Callable[..., Any], Any]] = [
    (entropy, (SCORES, SHARES)), (entropy, (SCORES, np.array([1, 3, 0]))), (entropy, (ROW, SHARES[0])),
    (list_or_sum, (ROW,)), (list_or_sum, (ROW[:3],)), (in_an_expression, (ROW,)), (in_an_expression, (ROW[:2],)),
    (where_some_paths_end, (ROW,)), (where_some_paths_end, (ROW[:2],)), (in_a_loop, (ROW,)), (in_a_loop, (ROW[:3],)),
]


@pytest.mark.parametrize("i", range(len(CASES)))
def test_the_arm_of_the_call_is_read(i):
    function, args = CASES[i]
    agrees(function, *args)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_each_size_has_its_code(backend):
    slope = ccc.gradient(through_a_layer, wrt=0, backend=backend)
    for n in (2, 3, 2):
        y, places = RNG.uniform(0.1, 0.9, size=(n, 4)), np.arange(n)
        expected = np.zeros((n, 4))
        expected[places, places] = -2.0 / (n * y[places, places])
        assert np.allclose(slope(y, np.eye(4)[:n]), expected)
        assert np.allclose(slope(y, places), expected)


def test_where_nothing_is_refused_the_code_is_for_all_sizes():
    def f(x):
        y = x[0] if len(x) == 1 else x
        return np.sum(y * 2.0)

    agrees_in_value(f, ROW)
    agrees_in_value(f, ROW[:1])
    assert not ccc.explain(f, ROW).places


@pytest.mark.parametrize("first", [0.3, 0.7])
def test_what_entries_decide_is_one_of_two_when_it_runs(first):
    def f(x):
        parts = [x[0] * x[1], x[1]] if x[0] > 0.5 else x[0]
        return parts[0] if x[0] > 0.5 else parts

    agrees(f, np.array([first, 0.2]))


@pytest.mark.parametrize("first", [0.3, 0.7])
def test_what_has_no_items_raises_before_its_place_is_read(first):
    def f(x):
        parts = [x[0], x[1]] if x[0] > 0.5 else x[0]
        return parts[0]

    agrees_in_value(f, np.array([first, 0.2]))
