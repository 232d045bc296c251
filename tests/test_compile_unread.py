"""What nothing reads of a program that is run as it is: it is dropped, but for what Python would raise in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.improve import improve
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.plan import Plan, derived


def program_of(f: Any, *args: Any) -> str:
    program = derived(Plan("value", (), None), elaborate(f, list(args)).program)
    improve(program)
    return program_text(program)


def rows_stored(x: np.ndarray, which: np.ndarray) -> np.ndarray:
    v = np.zeros(4)
    for i in range(len(which)):
        row = x[which[i]]
        twice = row + row
        v[i] = row[0] + twice[1]
    return v


def test_locals_of_a_loop_are_not_carried():
    x, which = np.arange(6.0).reshape(3, 2), np.array([2, 0, 1])
    text = program_of(rows_stored, x, which)
    assert "absent" not in text
    (line,) = [line for line in text.splitlines() if " for " in line]
    assert line.count("=") == 2  # the loop has one carry, the array
    for backend in ("numpy", "native"):
        np.testing.assert_array_equal(Transform(rows_stored, backend=backend)(x, which), rows_stored(x, which))


def last_row(x: np.ndarray, n: int) -> Any:
    row = x[0]
    for i in range(n):
        row = x[i]
        _unread = math.tanh(row[1])
    return row[1]


def test_locals_that_are_read_after_a_loop_are_carried():
    x = np.arange(6.0).reshape(3, 2)
    assert "tanh" not in program_of(last_row, x, 3)
    for n in (0, 1, 3):
        assert Transform(last_row)(x, n) == last_row(x, n)


def unread_quotient(x: float, y: float) -> float:
    _unread = 1.0 / y
    return x


def unread_item(x: np.ndarray, i: int) -> Any:
    for k in range(2):
        _unread = x[i + k]
    return x[0]


def test_what_raises_in_python_raises():
    with pytest.raises(ZeroDivisionError):
        Transform(unread_quotient)(1.0, 0.0)
    assert Transform(unread_item)(np.ones(3), 1) == 1.0
    with pytest.raises(IndexError):
        Transform(unread_item)(np.ones(3), 2)


def half_a_pullback(x: float, y: float) -> float:
    def f(a: float, b: float) -> float:
        for _ in range(3):
            a, b = a * b, math.tanh(b)
        return a

    _, pullback = ccc.value_with_pullback(f)(x, y)
    dx, _ = pullback(1.0)
    return dx


def test_cotangents_that_are_not_asked_for_are_not_computed():
    """That of y is not: no slope of tanh is left."""
    found = Transform(half_a_pullback)(0.5, 0.7)
    expected = 0.7 * math.tanh(0.7) * math.tanh(math.tanh(0.7))
    assert found == pytest.approx(expected, rel=1e-15)
    text = program_of(half_a_pullback, 0.5, 0.7)
    assert "1.0 -" not in text and "1 -" not in text


def printed(x: float) -> float:
    for i in range(2):
        unread = x * i
        print(unread)
    return x


def test_effects_stay(capsys: pytest.CaptureFixture[str]):
    assert Transform(printed)(2.0) == 2.0
    assert capsys.readouterr().out == "0.0\n2.0\n"


def curvature(x: np.ndarray) -> Any:
    def f(x: np.ndarray) -> Any:
        total = 0.0
        for a in x:
            total += a**3
        return total

    _, along = ccc.value_with_differential(ccc.gradient(f))(x)
    return along(np.ones(len(x)))


def test_derivatives_of_derivatives_compute_only_what_is_asked_for():
    """The gradient itself is not, and the loops run along what they read, and not along other tapes."""
    x = np.array([0.5, -2.0, 3.0])
    np.testing.assert_allclose(Transform(curvature)(x), 6.0 * x, rtol=1e-15)
    text = program_of(curvature, x)
    (loop,) = [line for line in text.splitlines() if " for " in line]
    assert text.count("*") == 4 and loop.count(",") <= 4, text
