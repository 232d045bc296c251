"""Functions outside whose results Python keeps: they are read as the functions they are made of."""

from __future__ import annotations

import functools
import math

import pytest

import ccc

FACTOR = 2.0


@functools.cache
def scaled(x: float) -> float:
    return x * math.sin(x) * FACTOR


@functools.cache
def table(n: int) -> float:
    return n * FACTOR


def uses_both(x: float) -> float:
    return scaled(x) * table(3)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_cached_function_is_computed_anew_and_keeps_nothing(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    scaled.cache_clear()
    table.cache_clear()
    compiled, slope = ccc.compiled(uses_both, backend=backend), ccc.gradient(uses_both, backend=backend)
    for factor in (2.0, 3.0):
        monkeypatch.setattr(f"{__name__}.FACTOR", factor)
        assert math.isclose(compiled(1.5), 1.5 * math.sin(1.5) * factor * 3 * factor, rel_tol=1e-15)
        expected = (math.sin(1.5) + 1.5 * math.cos(1.5)) * factor * 3 * factor
        assert math.isclose(slope(1.5), expected, rel_tol=1e-14)
    assert scaled.cache_info().currsize == table.cache_info().currsize == 0
