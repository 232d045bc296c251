"""Augmented assignment of arrays: done where nobody else can see the array, refused by name where somebody can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value, runs_in_stores, value_of

from ccc.compile.diagnostics import UnsupportedPython

V = np.array([0.3, 0.7, 1.1])


def of_an_argument(v):
    v += 1.0
    return v.sum()


def of_what_may_be_a_view(v):
    w = v.reshape(3, 1) * 2
    u = w.reshape(3)
    u += 1.0
    return w.sum()


def seen_through_what_may_be_a_view(v):
    w = v.reshape(3, 1) * 2
    u = w.ravel()
    w += 1.0
    return u.sum()


def one_of_two(v):
    w = v * 2
    u = w if v[0] > 0 else v * 3
    u += 1.0
    return w.sum()


def in_a_list_of_unknown_length(v):
    w = v * 2
    xs = []
    for _ in range(2):
        xs.append(w)
    w += v
    return xs[0].sum()


def held_by_an_expression(v):
    w = v.reshape(3, 1) * 2
    return (w.ravel() * inner(w)).sum()


def carried_with_another_name(v):
    s = v * 2
    t = v * 3
    for _ in range(3):
        s += v
        t = s
    return (s * t).sum()


def carried_from_an_argument(v):
    s = v
    for _ in range(3):
        s += v
    return s.sum()


def rows_of_an_argument(v):
    s = 0.0
    for row in v.reshape(3, 1):
        row += 1.0
        s = s + row.sum()
    return s


def inner(p):
    p += 1.0
    return p


def chosen_by_a_branch(v):
    w = v * 2 if v[0] > 0 else v
    w += 1.0
    return w.sum()


def lists_with_two_names(v):
    a = [v]
    b = a
    a += [v]
    return len(b) * v


def test_a_list_with_two_names_is_one_list():
    assert np.array_equal(value_of(lists_with_two_names, V.copy()), 2 * V)


@pytest.mark.parametrize("f", [
    of_what_may_be_a_view, seen_through_what_may_be_a_view, held_by_an_expression, rows_of_an_argument,
])
def test_what_somebody_sees_is_refused(f: Any):
    with pytest.raises(UnsupportedPython, match="CC01[01]"):
        value_of(f, V.copy())


@pytest.mark.parametrize("f", [one_of_two, in_a_list_of_unknown_length, carried_with_another_name])
def test_what_somebody_sees_stands_in_a_store(f: Any):
    runs_in_stores(f, V.copy(), says="CC01[01]")


@pytest.mark.parametrize("f", [of_an_argument, carried_from_an_argument, chosen_by_a_branch])
def test_an_argument_changes_as_in_plain_python(f: Any):
    expected, found = V.copy(), V.copy()
    assert np.array_equal(value_of(f, found), f(expected)) and np.array_equal(found, expected)


def fresh(v):
    w = v * 2
    w += v
    u = w.sum()
    w *= u
    return w, inner(v + 1.0), inner(w * 1.0)


def fresh_in_loops(v):
    s = np.zeros(3)
    t = np.ones(3)
    for i in range(3):
        s += v * i
        t, s = s, t * 2.0
    return s, t


def numbers(v):
    x = v[0]
    y = x
    x += 1.0
    return x, y


@pytest.mark.parametrize("f", [fresh, fresh_in_loops, numbers])
def test_what_nobody_sees_is_done(f: Any):
    agrees_in_value(f, V.copy())
