"""Derivatives inside programs of functions that change what they are given, or read what the program has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

ARRAY, TABLE, ITEMS = np.array([1.0, 2.0]), {"k": 2.0}, [1.0]


@dataclass
class Counter:
    calls: float
    buffer: Any = None


HELD, COUNTS = Counter(1.0, np.array([1.0, 2.0])), {"n": 0}


def fresh() -> None:
    ARRAY[:], TABLE["k"], ITEMS[:] = [1.0, 2.0], 2.0, [1.0]
    HELD.calls, HELD.buffer, COUNTS["n"] = 1.0, np.array([1.0, 2.0]), 0


def scaled_by_entry(x: Any) -> Any:
    return x * x * ARRAY[0]


def scaled_by_entry_that_changes(x: Any) -> Any:
    ARRAY[1] = ARRAY[1] * x
    return x * x * ARRAY[0]


def scaled_by_value(x: Any) -> Any:
    return x * x * TABLE["k"]


def scaled_by_item(x: Any) -> Any:
    return x * x * ITEMS[0]


def behind_entry(x: Any) -> Any:
    ARRAY[0] = 5.0 * x
    return ccc.gradient(scaled_by_entry)(x) + ARRAY[0]


def behind_two_changes(x: Any) -> Any:
    again = ARRAY
    again[0] = 5.0 * x
    return ccc.gradient(scaled_by_entry_that_changes)(x) + ARRAY[0] + again[1]


def behind_value(x: Any) -> Any:
    TABLE["k"] = 5.0 * x
    value, pullback = ccc.value_with_pullback(scaled_by_value)(x)
    TABLE["k"] = 7.0
    return value + pullback(1.0) + TABLE["k"]


def behind_item(x: Any) -> Any:
    ITEMS[0] = 5.0 * x
    return ccc.gradient(scaled_by_item)(x) + ITEMS[0]


def scaled_by_buffer_that_grows(x: Any) -> Any:
    HELD.calls += 1.0
    HELD.buffer[0] = HELD.buffer[0] * 1.5
    return x * x * HELD.calls * HELD.buffer[0]


def behind_a_new_buffer(x: Any) -> Any:
    HELD.buffer = np.array([x * x, 2.0])
    total = 0.0
    for _ in range(2):
        total = total + ccc.gradient(scaled_by_buffer_that_grows)(x)
    return total + HELD.calls + HELD.buffer[0]


@pytest.mark.parametrize("f", [behind_entry, behind_two_changes, behind_value, behind_item, behind_a_new_buffer],
                         ids=lambda f: f.__name__)
def test_a_derivative_inside_reads_what_the_program_has_changed(f: Any) -> None:
    def run(call: Any, x: float) -> Any:
        fresh()
        return float(call(x)), ARRAY.tolist(), dict(TABLE), list(ITEMS), HELD.calls, HELD.buffer.tolist()

    wanted = run(f, 1.5)
    slope = (run(f, 1.5 + 1e-6)[0] - run(f, 1.5 - 1e-6)[0]) / 2e-6
    for backend in ("numpy", "native"):
        assert run(ccc.compiled(f, backend=backend), 1.5) == wanted
        found = run(ccc.gradient(f, backend=backend), 1.5)
        assert found[1:] == wanted[1:] and np.isclose(found[0], slope)


def test_what_has_to_be_known_and_has_changed_is_refused() -> None:
    def scaled_by_count(x: Any) -> Any:
        return x * x * COUNTS["n"]

    def f(x: Any) -> Any:
        COUNTS["n"] += 1
        return ccc.gradient(scaled_by_count)(x)

    fresh()
    with pytest.raises(CompileError, match="reads a number that has to be known"):
        ccc.compiled(f)(1.5)
    assert COUNTS == {"n": 0}


def counted(x: Any, m: Any, n: Any) -> Any:
    m.calls += 1.0
    n.calls += m.calls
    return x * x * n.calls


def multiplied(x: Any, a: Any, b: Any) -> Any:
    a[0] = x * 3.0
    b[1] = b[0] * x
    return np.sum(a * b)


def one_object(x: Any) -> Any:
    m = Counter(1.0)
    return ccc.gradient(counted, wrt=0)(x, m, m) + m.calls


def a_view(x: Any) -> Any:
    a = np.array([1.0, 2.0])
    return ccc.gradient(multiplied, wrt=0)(x, a, a[:]) + a[1]


def views_that_overlap(x: Any) -> Any:
    a = np.array([1.0, 2.0, 3.0])
    return ccc.gradient(multiplied, wrt=0)(x, a[:2], a[1:]) + a[1]


@pytest.mark.parametrize("f", [one_object, a_view, views_that_overlap], ids=lambda f: f.__name__)
def test_what_shares_memory_there_is_refused(f: Any) -> None:
    for verb in (ccc.compiled, ccc.gradient):
        with pytest.raises(CompileError, match=r"share memory, and the function that is differentiated changes `[am]`"):
            verb(f)(1.5)


def test_one_array_given_twice_there_is_one_place() -> None:
    def f(x: Any) -> Any:
        a = np.array([1.0, 2.0])
        return ccc.gradient(multiplied, wrt=0)(x, a, a) + a[1]

    assert ccc.compiled(f)(1.5) == 18.0 * 1.5 + 36.0 * 1.5**3 + 3.0 * 1.5**2
