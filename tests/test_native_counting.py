"""Whole numbers that count, in machine code."""

import math
import re

import numpy as np
import pytest
from native_checks import native, never_left

from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def factorial(n, k):
    return math.factorial(n)


def ways(n, k):
    return math.comb(n, k)


def divisor(n, k):
    return math.gcd(n, k)


def root(n, k):
    return math.isqrt(n)


@pytest.mark.parametrize(("f", "numbers", "others"), [
    (factorial, range(21), [0]),
    (ways, [0, 1, 5, 20, 60, 61], [0, 1, 2, 30, 31, 61]),
    (divisor, [0, 1, -12, 18, 2**62, -(2**63) + 1], [0, 12, -18, 3 * 2**40, 7]),
    (root, [0, 1, 2, 3, 4, 15, 16, 10**12 - 1, 10**12, (2**26 - 1) ** 2 - 1, 2**52 - 1, 2**52], [0]),
], ids=["factorial", "comb", "gcd", "isqrt"])  # fmt: skip
def test_they_are_those_of_python(f, numbers, others) -> None:
    with never_left():
        found = native(f, 1, 1)
        for n in numbers:
            for k in others:
                assert found(n, k) == f(n, k) and type(found(n, k)) is int


@pytest.mark.parametrize(("f", "given"), [
    (factorial, (25, 0)), (factorial, (2000, 0)), (ways, (100, 50)), (root, (2**62 + 3, 0)), (divisor, (-(2**63), 6))])
def test_large_ones_are_left_to_python(f, given) -> None:
    assert native(f, 3, 2)(*given) == f(*given)


@pytest.mark.parametrize(("f", "given"), [(factorial, (-1, 0)), (ways, (-1, 2)), (ways, (2, -1)), (root, (-4, 0))])
def test_negative_ones_raise_what_python_raises(f, given) -> None:
    with pytest.raises(ValueError) as expected:
        f(*given)
    with pytest.raises(ValueError, match=re.escape(str(expected.value))):
        native(f, 3, 2)(*given)


def series(x):
    total = np.zeros(len(x))
    for k in range(8):
        total = total + x**k / math.factorial(k) * math.comb(8, k) / math.gcd(k, 6 + k)
    return np.sum(total)


def test_series_run_in_one_piece() -> None:
    x = np.array([0.5, -1.0, 2.0])
    with never_left():
        assert native(series, x)(x) == pytest.approx(series(x), rel=1e-14)
