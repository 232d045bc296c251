"""Bounds of sums, norms, moments, matrices, orders and special functions: what is computed of numbers between bounds
lies between the bounds of it, and these are not much wider than its range.

`python tests/test_compile_interpretation_enclosures.py 100000` tries so many points of each, and prints the table of
docs/categories.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import ccc
from ccc.errors import MissingMeaning

VECTOR = np.array([0.5, -1.0, 2.0, 3.5])
POSITIVE = np.array([0.5, 1.0, 2.0, 3.5])
MATRIX = np.array([[2.0, 0.5, -0.25], [0.25, 1.5, 0.5], [-0.5, 0.25, 3.0]])
STACK = np.stack([MATRIX, MATRIX.T + np.eye(3)])
WAVES = np.array([0.4, -1.1, 1.9, 3.1])
RIGHT = np.array([1.0, -2.0, 0.5])

CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "x ** 2.5": (lambda x: x**2.5, 1.3),
    "x ** -1.5": (lambda x: x**-1.5, POSITIVE),
    "2 ** x": (lambda x: 2.0**x, -0.3),
    "x ** x": (lambda x: x**x, POSITIVE),
    "math.pow(x, 1 / x)": (lambda x: math.pow(x, 1.0 / x), 1.3),
    "np.prod(x)": (np.prod, VECTOR),
    "np.cumprod(x)": (np.cumprod, VECTOR),
    "np.linalg.norm(x)": (np.linalg.norm, VECTOR),
    "np.linalg.norm(x, 3)": (lambda x: np.linalg.norm(x, 3), VECTOR),
    "np.linalg.norm(a, axis=0)": (lambda a: np.linalg.norm(a, axis=0), MATRIX),
    "np.std(x)": (np.std, VECTOR),
    "np.var(x, ddof=1)": (lambda x: np.var(x, ddof=1), VECTOR),
    "np.var(a, axis=1)": (lambda a: np.var(a, axis=1), MATRIX),
    "np.median(x)": (np.median, VECTOR),
    "np.quantile(x, 0.3)": (lambda x: np.quantile(x, 0.3), VECTOR),
    "math.gamma(x)": (math.gamma, 1.4),
    "math.lgamma(x)": (math.lgamma, 2.0),
    "special.gammaln(x)": (special.gammaln, POSITIVE),
    "special.psi(x)": (special.psi, POSITIVE),
    "np.sinc(x)": (np.sinc, WAVES),
    "np.logaddexp(x, -x)": (lambda x: np.logaddexp(x, -x - 1.0), VECTOR),
    "special.j0(x)": (special.j0, POSITIVE),
    "np.trace(a)": (np.trace, MATRIX),
    "np.linalg.inv(a)": (np.linalg.inv, MATRIX),
    "np.linalg.inv(stack)": (np.linalg.inv, STACK),
    "np.linalg.det(a)": (np.linalg.det, MATRIX),
    "np.linalg.solve(a, b)": (lambda a: np.linalg.solve(a, RIGHT), MATRIX),
    "np.linalg.solve(a, a + a.T)": (lambda a: np.linalg.solve(a, a + a.T), MATRIX),
    "np.real(np.fft.fft(x))": (lambda x: np.real(np.fft.fft(x)), VECTOR),
    "np.imag(np.fft.rfft(x))": (lambda x: np.imag(np.fft.rfft(x)), VECTOR),
    "np.fft.irfft(np.fft.rfft(x) * 2)": (lambda x: np.fft.irfft(np.fft.rfft(x) * 2.0), VECTOR),
}
"""Programs, by what they are called, and where they are tried."""
SLOPES: dict[str, tuple[Callable[..., Any], Any]] = {
    "x ** 2.5": (lambda x: x**2.5, 1.3),
    "np.prod(x)": (np.prod, VECTOR),
    "np.linalg.norm(x)": (np.linalg.norm, VECTOR),
    "np.std(x)": (np.std, VECTOR),
    "np.median(x)": (np.median, VECTOR),
    "np.sort(x)[1]": (lambda x: np.sort(x)[1] * x[0], VECTOR),
    "np.max(x)": (np.max, VECTOR),
    "np.max(a, axis=0)": (lambda a: np.sum(np.max(a, axis=0) ** 2), MATRIX),
    "math.lgamma(x)": (math.lgamma, 1.4),
    "np.sinc(x)": (lambda x: np.sum(np.sinc(x)), WAVES),
    "np.linalg.inv(a)": (lambda a: np.sum(np.linalg.inv(a)), MATRIX),
    "np.linalg.det(a)": (np.linalg.det, MATRIX),
    "np.linalg.solve(a, b)": (lambda a: np.sum(np.linalg.solve(a, RIGHT) ** 2), MATRIX),
    "abs(np.fft.fft(x))": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), POSITIVE),
}
"""Programs of which the gradient is tried."""
TRIES = [("", name) for name in CASES] + [("gradient of ", name) for name in SLOPES]


def tried(of: str, name: str, radius: float, count: int, seed: int = 0) -> tuple[int, float]:
    """How many of so many points lie outside of the bounds, and how many times as wide these are as what was found."""
    f, at = (SLOPES if of else CASES)[name]
    g = ccc.gradient(f) if of else f
    r = np.random.default_rng(seed)
    low, high = at - radius, at + radius
    bounds = [np.asarray(bound) for bound in ccc.interpret(g, ccc.Intervals())((low, high))]
    least, most, wrong = np.inf, -np.inf, 0
    for _ in range(count):
        share = r.random(np.shape(at)) if r.random() < 0.5 else np.round(r.random(np.shape(at)))
        x = low + (high - low) * share
        y = np.asarray(g(x if np.shape(at) else float(x)))
        wrong += not (np.all(bounds[0] <= y) and np.all(y <= bounds[1]))
        least, most = np.minimum(least, y), np.maximum(most, y)
    moving = most - least > 1e-9  # of what is constant there are no times
    times = np.where(moving, (bounds[1] - bounds[0]) / np.where(moving, most - least, 1.0), 0.0)
    return wrong, float(np.max(times))


@pytest.mark.share(6)
@pytest.mark.parametrize("radius", [2.0**-8, 0.125])
@pytest.mark.parametrize(("of", "name"), TRIES, ids=lambda x: x or "value")
def test_what_is_computed_lies_between_the_bounds(of: str, name: str, radius: float) -> None:
    wrong, times = tried(of, name, radius, 100)
    assert wrong == 0
    if radius < 0.1:
        assert times < 100.0  # all numbers would be sound, too


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", ["x ** 2.5", "np.prod(x)", "np.std(x)", "np.linalg.norm(x)"])
def test_bounds_are_the_same_by_each_target(name: str, backend: str) -> None:
    f, at = CASES[name]
    low, high = ccc.interpret(f, ccc.Intervals(), backend=backend)((at - 0.1, at + 0.1))
    expected = ccc.interpret(f, ccc.Intervals())((at - 0.1, at + 0.1))
    assert np.allclose(low, expected[0]) and np.allclose(high, expected[1])


def bounds_of(f: Callable[..., Any], low: Any, high: Any) -> tuple[Any, Any]:
    """The bounds of what a program makes of what lies between two others."""
    return ccc.interpret(f, ccc.Intervals())((low, high))


def test_nothing_is_known_where_there_may_be_no_value() -> None:
    """A negative number has no real power of 1/2, and no logarithm of the gamma function is monotone below 0."""
    assert bounds_of(lambda x: x**0.5, -0.5, 1.0) == (-math.inf, math.inf)
    assert bounds_of(lambda x: x**x, -2.0, 2.0) == (-math.inf, math.inf)
    assert bounds_of(lambda x: special.gamma(x), -0.5, 1.0) == (-math.inf, math.inf)
    a = np.array([[1.0, 2.0], [2.0, 4.1]])
    assert np.all(np.isinf(bounds_of(np.linalg.inv, a - 0.2, a + 0.2)))
    low, high = bounds_of(np.linalg.det, a - 0.2, a + 0.2)
    assert low <= 0.0 <= high < math.inf


def test_powers_of_zero_and_of_zero_exponents_are_in_the_bounds() -> None:
    low, high = bounds_of(lambda x: x**1.5, 0.0, 4.0)
    assert low == 0.0 and 8.0 <= high < 8.001
    low, high = bounds_of(lambda n: 0.5**n, -1.0, 1.0)
    assert 0.499 < low <= 0.5 and 2.0 <= high < 2.001


def test_signs_of_products_are_known_where_those_of_entries_are() -> None:
    low, high = bounds_of(np.prod, np.array([-2.0, 1.0, -3.0]), np.array([-1.0, 2.0, -1.0]))
    assert 0.999 < low <= 1.0 and 12.0 <= high < 12.001
    low, high = bounds_of(np.prod, np.array([-2.0, -1.0]), np.array([-1.0, 2.0]))
    assert -4.001 < low <= -4.0 and high >= 4.0


def test_products_that_are_too_small_on_the_way_are_in_the_bounds() -> None:
    x = np.array([1e-200, 1e-200, 1e200, 1e150])  # the product is 1e-50, and 0 as it is computed
    low, high = bounds_of(np.prod, x, x)
    assert low <= 1e-50 <= high


def test_orders_that_are_not_known_leave_all_slopes_of_theirs() -> None:
    slope = ccc.gradient(lambda x: 2.0 * np.sort(x)[0] + 5.0 * np.sort(x)[2])
    low, high = bounds_of(slope, np.array([3.0, 0.0, 2.5]), np.array([4.0, 1.0, 3.5]))
    assert np.all(low <= [0.0, 2.0, 0.0]) and np.all(high >= [5.0, 2.0, 5.0])
    assert high[1] - low[1] < 1e-12  # which is the least of all for sure


def test_the_logarithm_of_gamma_is_bounded_near_its_zeros() -> None:
    for x in (1.0 + 1e-10, 2.0 - 1e-9, 1.0, 2.0):
        low, high = bounds_of(math.lgamma, x, x)
        with_digits = special.polygamma(0, round(x)) * (x - round(x))
        assert low <= with_digits <= high and high - low < 1e-13


def test_what_has_no_rule_is_refused_by_name() -> None:
    with pytest.raises(MissingMeaning, match=r"np\.linalg\.cholesky"):
        bounds_of(lambda a: np.linalg.cholesky(a @ a.T), MATRIX, MATRIX)


def main(count: int) -> None:
    """Try so many points of each program and print how wide bounds are."""
    print("| program | points outside | widths, 2⁻⁸ | widths, ⅛ |\n|---|---|---|---|")
    for of, name in TRIES:
        found = [tried(of, name, radius, count) for radius in (2.0**-8, 0.125)]
        outside, (few, many) = sum(wrong for wrong, _ in found), [times for _, times in found]
        print(f"| {of}`{name}` | {outside} | {few:.2g} | {many:.2g} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))


@pytest.mark.parametrize("f", [math.sin, math.cos, np.sin, np.cos], ids=["sin", "cos", "np.sin", "np.cos"])
def test_waves_between_bounds_that_are_far_away_have_all_their_values(f: Any):
    """Places where a wave turns are missed by floats there, and what it gives beside them is no bound."""
    bounds = ccc.interpret(lambda x: f(x), ccc.Intervals())
    for k in range(20, 50):
        for low, high in ((-(2.0**k), 1.0), (1.0, 1.1 * 2.0**k), (2.0**k, 2.0**k + 8.0)):
            found = bounds((low, high))
            assert found[0] <= -1.0 + 1e-15 and found[1] >= 1.0 - 1e-15, (low, high)
    low, high = bounds((2.0**30, 2.0**30 + 0.125))
    assert high - low < 0.2
