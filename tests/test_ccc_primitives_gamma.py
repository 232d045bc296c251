"""The gamma function and its kin against mpmath, and differentiated to any order."""

from __future__ import annotations

import math
from typing import Any

import pytest
from checks import agrees

import ccc
from ccc.primitives.gamma import polygamma_of

mp = pytest.importorskip("mpmath").mp
POINTS = [1e-300, 1e-8, 0.1, 0.5, 1.0, 1.4616321449683622, 2.0, 7.25, 11.99, 30.0, 1e3, 1e15, 1e300,
          -0.25, -0.5, -1e-9, -1.75, -7.125, -30.5, -100.875]  # fmt: skip


@pytest.mark.parametrize("n", range(7))
def test_polygamma_is_right_to_the_last_digits(n: int) -> None:
    with mp.workdps(60):
        for x in POINTS:
            found, expected = polygamma_of(n, x), mp.polygamma(n, mp.mpf(x))
            scale = max(abs(expected), 1.0 if n == 0 else 0.0)
            if abs(expected) > 1.7e308:
                assert found == math.copysign(math.inf, float(mp.sign(expected)))
            else:
                assert abs(found - expected) <= 4e-15 * scale + 1e-300, (n, x, found, expected)


def test_poles_and_ends() -> None:
    assert math.isnan(polygamma_of(0, 0.0)) and math.isnan(polygamma_of(2, -3.0)) and polygamma_of(1, -3.0) == math.inf
    assert [polygamma_of(n, math.inf) for n in range(3)] == [math.inf, 0.0, 0.0]
    assert math.isnan(polygamma_of(1, -math.inf)) and math.isnan(polygamma_of(0, math.nan))


def wishart_normaliser(x: float, d: int, m: int) -> float:
    s = 0.0
    for j in range(d):
        s += math.lgamma(0.5 * (m - j))
    return s + x * math.lgamma(x + 0.5 * d)


def beta(a: float, b: float) -> float:
    return math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)) + math.gamma(a) * math.gamma(-b)


def test_agrees_with_differences() -> None:
    agrees(wishart_normaliser, 0.7, 3, 5)
    agrees(beta, 1.3, 2.4)
    agrees(math_of_one, 1.7)


def math_of_one(x: float) -> Any:
    return math.gamma(x) * math.lgamma(x * x)


def test_derivatives_of_every_order() -> None:
    f: Any = lambda x: math.lgamma(x)  # noqa: E731
    for order in range(1, 6):
        f = ccc.derivative(f)
        assert abs(f(2.3) - float(mp.polygamma(order - 1, 2.3))) < 1e-13
    with pytest.raises(ValueError, match="math domain error"):
        ccc.gradient(lambda x: math.lgamma(x))(-2.0)
