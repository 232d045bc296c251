"""Tuples of texts, None and numbers that loops carry: states with a time, the best of named rows."""

from typing import Any

import numpy as np
import pytest

import ccc

Rows = list[tuple[str, float]]


def marked(x: float, rows: Rows) -> float:
    m = ("a", x)
    for _, v in rows:
        m = ("a", m[1] * v)
    return m[1]


def named(x: float, rows: Rows) -> float:
    m = ("a", x)
    for n, v in rows:
        m = (n, m[1] * v)
    return m[1] if m[0] == "a" else m[1] * x


def first_none(x: float, rows: Rows) -> float:
    m: Any = (None, x)
    for _, v in rows:
        if v > 1.0:
            m = (v, m[1] * x)
    return m[1] if m[0] is None else m[0] * m[1]


def kept(x: float, rows: Rows) -> float:
    m = ("a", x, None)
    out = []
    for n, v in rows:
        m = (n, m[1] * v, None)
        out.append(m)
    return sum(o[1] for o in out if o[0] == "a") + x * len(m[0])


def best(x: float, rows: Rows) -> float:
    return (max(rows)[1] + 2.0 * min(rows, key=lambda r: r[1])[1]) * x


def sought(x: float, rows: Rows) -> float:
    found, i = rows[0], 0
    while i < len(rows) and found[1] < 2.5:
        found = rows[i]
        i += 1
    return found[1] * x + i * x * x


def exchanged(x: float, rows: Rows) -> float:
    p, q = ("s", x), ("t", x * x)
    for n, v in rows:
        p, q = q, p
        if n == "a":
            p = (p[0], p[1] * v)
    return p[1] if p[0] == "s" else p[1] * 2.0


def states(x: float, rows: Rows) -> float:
    state = ("idle", 0.0)
    for n, v in rows:
        match state:
            case ("idle", t):
                state = ("run", t + v * x) if v > 1.5 else state
            case ("run", t):
                state = ("idle", t * x) if n == "a" else ("run", t + x)
    return state[1]


PROGRAMS = [marked, named, first_none, kept, best, sought, exchanged, states]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("rows", [[("a", 2.0)], [("a", 2.0), ("a", 3.0)], [("a", 2.0), ("b", 3.0), ("a", 0.5)],
                                  [("b", 2.0)] * 3])
@pytest.mark.parametrize("f", PROGRAMS)
def test_loops_carry_tuples_with_texts(f: Any, rows: Rows, backend: str) -> None:
    value, slope = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.5, rows)
    assert value == f(1.5, rows)
    assert np.isclose(slope, (f(1.5 + 1e-6, rows) - f(1.5 - 1e-6, rows)) / 2e-6, rtol=1e-6, atol=1e-8)
