"""Differentials of functions that are made anew for each call: looked up once, and always those of the call."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api.differentials import ValueWithDifferential

X = np.array([0.3, 1.2, -0.7])
RATE = 2.0


def test_a_function_made_anew_is_looked_up_in_full_twice(monkeypatch: pytest.MonkeyPatch):
    count, found = [0], ValueWithDifferential.found

    def counted(self: Any, *args: Any) -> Any:
        count[0] += 1
        return found(self, *args)

    monkeypatch.setattr(ValueWithDifferential, "found", counted)
    def waves(k: float) -> Any:
        return lambda x: np.sum(np.sin(k * x))

    def turned(k: float) -> Any:
        return lambda x: np.cos(k * x)

    for k in range(9):
        value, tangent = ccc.jvp(waves(float(k)), (X,), (np.ones(3),))
        assert value == pytest.approx(np.sum(np.sin(k * X)), rel=1e-14)
        assert tangent == pytest.approx(np.sum(k * np.cos(k * X)), rel=1e-14)
    for k in range(9):
        value, along = ccc.linearize(turned(float(k)), X)
        np.testing.assert_allclose(along(X), -k * np.sin(k * X) * X, rtol=1e-14)
    assert count[0] == 4


def scaled(scale: Any, offset: list[float]) -> Any:
    return lambda x: np.sum(RATE * scale * x * x) + offset[0]


def noisy(rng: Any) -> Any:
    return lambda x: x * rng.normal()


GIVEN = ((2.0, 1.0), (3, 1.0), (np.float32(2.0), np.float32(1.0)), (X, X), (X[:2], X[:2]), (X[:1], X[:1]), (2.0, 0.5))


def test_what_has_changed_is_seen(monkeypatch: pytest.MonkeyPatch):
    offset = [0.0]
    for k in range(6):
        monkeypatch.setitem(globals(), "RATE", 2.0 + k)
        offset[0] = float(k)
        found = ccc.jvp(scaled(np.full(3, 1.0 + k), offset), (X,), (X,))
        expected = (2.0 + k) * (1.0 + k) * np.sum(X * X)
        np.testing.assert_allclose(found, (expected + k, 2.0 * expected), rtol=1e-13)
    for x, d in GIVEN:
        for _ in range(4):
            value, tangent = ccc.jvp(lambda x: x * x * 0.5, (x,), (d,))
            np.testing.assert_allclose(value, 0.5 * x * x, rtol=1e-6)
            np.testing.assert_allclose(tangent, x * d, rtol=1e-6)


def test_what_is_kept_is_a_copy():
    for _ in range(4):
        x = X.copy()
        _, along = ccc.linearize(lambda x: x * x, x)
        x[:] = 0.0
        np.testing.assert_allclose(along(np.ones(3)), 2.0 * X, rtol=1e-15)


def test_what_the_function_changes_and_draws_is_that_of_one_call():
    def doubled(x: Any) -> Any:
        x *= 2.0
        return np.sum(x * x)

    for _ in range(4):
        x = X.copy()
        value, tangent = ccc.jvp(doubled, (x,), (X,))
        np.testing.assert_allclose((value, tangent), (4.0 * X @ X, 8.0 * X @ X), rtol=1e-14)
        np.testing.assert_array_equal(x, 2.0 * X)
        rng, again = np.random.default_rng(3), np.random.default_rng(3)
        value, tangent = ccc.jvp(noisy(rng), (2.0,), (1.0,))
        assert (value, tangent) == (2.0 * (z := again.normal()), z)


def test_errors_say_where_they_are():
    for _ in range(4):
        with pytest.raises(ValueError, match="math domain error"):
            ccc.jvp(lambda x: math.sqrt(x), (-1.0,), (1.0,))
        with pytest.raises(ccc.CCCError, match="the differential takes 1 tangent, 2 were given"):
            ccc.jvp(lambda x: math.sqrt(x), (4.0,), (1.0, 2.0))
        assert ccc.jvp(lambda x: math.sqrt(x), (4.0,), (1.0,)) == (2.0, 0.25)
