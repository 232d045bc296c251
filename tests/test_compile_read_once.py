"""A function is read once for all that is asked of it at the same types, and again where it gives another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api import programs

SCALE = 2.0
POWER = 2


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that were read."""
    found: list[Any] = []
    elaborate = programs.elaborate

    def noted(function: Any, *rest: Any, **named: Any) -> Any:
        found.append(function)
        return elaborate(function, *rest, **named)

    monkeypatch.setattr(programs, "elaborate", noted)
    return found


def scaled(x: float) -> float:
    return SCALE * x**POWER


def test_verbs_share_a_program(reads: list[Any]) -> None:
    assert ccc.compiled(scaled)(3.0) == 18.0
    assert ccc.value_with_gradient(scaled)(3.0) == (18.0, 12.0)
    value, differential = ccc.value_with_differential(scaled)(3.0)
    assert (value, differential(1.0)) == (18.0, 12.0)
    assert ccc.compiled(scaled)(3.0) == 18.0
    assert ccc.value_with_gradient(scaled, exponential=ccc.AdditiveMap())(3.0) == (18.0, 12.0)
    assert ccc.derivative(scaled)(3.0) == 12.0
    assert reads == [scaled]


def test_what_is_known_outside_is_looked_at_again(reads: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert ccc.gradient(scaled)(3.0) == 12.0
    monkeypatch.setitem(globals(), "POWER", 3)
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    assert ccc.value_with_gradient(scaled)(3.0) == (27.0, 27.0)
    assert reads == [scaled, scaled]
    monkeypatch.setitem(globals(), "SCALE", 4.0)  # a number, which the program reads anew
    assert ccc.derivative(scaled)(3.0) == 108.0
    assert len(reads) == 2


def test_closures_of_one_form_share_a_program(reads: list[Any]) -> None:
    def times(k: Any) -> Callable[[Any], Any]:
        return lambda x: np.sum(x) * k

    assert ccc.gradient(times(2.0))(np.ones(2)).tolist() == [2.0, 2.0]
    assert ccc.value_with_gradient(times(5.0))(np.ones(2))[1].tolist() == [5.0, 5.0]
    assert len(reads) == 1
    assert ccc.value_with_gradient(times(2.0))(np.ones((2, 2)))[0] == 8.0  # another type
    assert ccc.jvp(times(np.ones(1)), (np.ones(2),), (np.ones(2),))[1].tolist() == [2.0]
    assert len(reads) == 3


def test_a_program_that_writes_back_is_for_one_reader(reads: list[Any]) -> None:
    def put(x: Any, y: Any) -> Any:
        x[0] = 2.0 * y[0]
        return x[0] * y[1]

    one, other = np.array([1.0, 5.0]), np.array([2.0, 7.0])
    assert ccc.compiled(put)(one, other) == 28.0
    assert ccc.compiled(put)(other, other) == 2 * 2.0 * 7.0
    assert one.tolist() == [4.0, 5.0] and other.tolist() == [4.0, 7.0]
    assert len(reads) == 2


def test_few_short_programs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for x in (2.0, np.float64(2.0), np.ones(2), np.ones((2, 2)), np.ones((1, 2))):
        ccc.gradient(lambda x: np.sum(x) * 2.0)(x)
        ccc.gradient(lambda x: np.sum(x) * 3.0)(x)
    assert len(programs._known) == programs.KEPT
    before = list(programs._known)
    monkeypatch.setattr(programs, "LONGEST", 0)
    ccc.gradient(scaled)(2.0)
    assert list(programs._known) == before
