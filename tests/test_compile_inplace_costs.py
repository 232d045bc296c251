"""An access to an array costs the same whatever its size, forward and backward: copies are counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import counted

import ccc
from benchmarks import generated
from ccc.compile.native import target

BACKENDS = ["numpy", *([] if target.available() else ["native"])]
COPYING = ("set_at", "add_at", "zeros_like", "own", "conform")


def carried(x):
    a = np.zeros(len(x))
    a[0] = x[0]
    for i in range(1, len(x)):
        a[i] = a[i - 1] * 0.5 + x[i]
    return a[-1]


def in_branches(x):
    a = x * 1.0
    for i in range(1, len(x)):
        if a[i - 1] > 0.3:
            a[i] *= a[i - 1]
        else:
            a[i] = 0.5 * a[i - 1] + x[i]
    return a[-1]


def in_a_while(x):
    a = x * 1.0
    i = 1
    while i < len(x):
        a[i] = 0.5 * a[i - 1] + x[i]
        i += 1
    return a[-1]


def left_early(x):
    a = x * 1.0
    for i in range(1, len(x)):
        a[i] = 0.5 * a[i - 1] + x[i]
        if a[i] > 1e9:
            return a[i]
    return a[-1]


def step(a, i, x):
    a[i] = 0.5 * a[i - 1] + x[i]


def in_a_helper(x):
    a = x * 1.0
    for i in range(1, len(x)):
        step(a, i, x)
    return a[-1]


@dataclass
class State:
    a: np.ndarray
    t: float


def in_a_record(x):
    s = State(x * 1.0, 0.0)
    for i in range(1, len(x)):
        s.a[i] = 0.5 * s.a[i - 1] + x[i]
        s.t += s.a[i]
    return s.t


def in_a_table(x):
    D = np.zeros((len(x) // 4 + 1, 5))
    for i in range(1, len(x) // 4 + 1):
        row = D[i]
        for j in range(1, 5):
            row[j] = (x[i - 1] - x[j - 1]) ** 2 + min(D[i - 1, j], row[j - 1]) * 0.5
    return D[-1, 4]


def by_recursion(x):
    a = x * 1.0

    def go(n):
        if n > 0:
            go(n - 1)
            a[n] = a[n - 1] * 0.5 + x[n]

    go(len(x) - 1)
    return a[-1]


def read_in_a_recursion(x):
    def go(n):
        return 0.0 if n == 0 else go(n - 1) * 0.5 + x[n]

    return go(len(x) - 1)


def read_of_an_argument(x):
    return go_along(x, len(x) - 1)


def go_along(x, n):
    return 0.0 if n == 0 else go_along(x, n - 1) * 0.5 + x[n]


def read_in_a_tree(x):
    def go(low, high):
        if high - low < 2:
            return x[low]
        middle = (low + high) // 2
        return go(low, middle) * 0.5 + go(middle, high)

    return go(0, len(x))


def shortest_paths(w):
    d = w.copy()
    for k in range(len(d)):
        for i in range(len(d)):
            d[i, :] = np.minimum(d[i, :], d[i, k] + d[k, :])
    return np.sum(d)


def products_of_rows(w):
    d = w.copy()
    for i in range(len(d)):
        d[i, 1:] = d[i, 1:] * d[i, 0] * d[0, 1:]
    return np.sum(d)


def rows_read_by_columns(w):
    d, total = w * 1.0, 0.0
    for i in range(len(d)):
        column = d[:, i]
        d[i] = d[i] * np.sin(d[i])
        total = total + column @ column
    return total


def copies(f: Callable[..., Any], n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many arrays the gradient makes of the size of its argument, and checks the gradient."""
    made = counted(COPYING, monkeypatch)
    x = np.linspace(0.2, 0.9, n)
    found = ccc.gradient(f)(x)
    along = np.cos(np.arange(n))
    expected = (f(x + 1e-6 * along) - f(x - 1e-6 * along)) / 2e-6
    assert np.isclose(found @ along, expected, rtol=1e-6)
    return made.total()


@pytest.mark.parametrize("f", [
    carried, in_branches, in_a_while, left_early, in_a_helper, in_a_record, in_a_table, by_recursion,
    read_in_a_recursion, read_of_an_argument, read_in_a_tree,
])
def test_the_number_of_copies_does_not_grow(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as m:
        few = copies(f, 20, m)
    with monkeypatch.context() as m:
        assert copies(f, 200, m) == few


@pytest.mark.parametrize("f", [shortest_paths, products_of_rows])
def test_of_an_array_whose_rows_are_kept_the_rows_are_copied(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    made = counted(("set_at",), monkeypatch)
    ccc.gradient(f, backend="numpy")(np.random.default_rng(0).random((5, 5)) + 0.1)
    assert not made.total()


@pytest.mark.parametrize("f", [shortest_paths, products_of_rows, rows_read_by_columns])
def test_rows_that_are_kept_have_the_numbers_from_before_the_change(f: Callable[..., Any]):
    w = np.random.default_rng(0).random((5, 5)) + 0.1
    along = np.cos(np.arange(25.0)).reshape(5, 5)
    expected = (f(w + 1e-6 * along) - f(w - 1e-6 * along)) / 2e-6
    for backend in BACKENDS:
        assert np.isclose(np.sum(ccc.gradient(f, backend=backend)(w) * along), expected, rtol=1e-6)


def test_long_texts_of_arrays_are_followed_without_recursion(tmp_path: Path):
    f = generated.load(generated.source("array", 1200), tmp_path)
    x, y = np.linspace(0.1, 0.9, 5), np.linspace(0.5, 0.2, 5)
    value, (dx, _) = ccc.value_with_gradient(f, backend="numpy")(x, y)
    h = 1e-6
    assert value == f(x, y)
    assert np.isclose(dx @ np.ones(5), (f(x + h, y) - f(x - h, y)) / (2 * h), rtol=1e-4)
