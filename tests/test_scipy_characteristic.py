"""Characteristic values of all degrees, and Legendre functions of the second kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

special: Any = pytest.importorskip("scipy.special")
WEIGHTS = np.arange(1.0, 5.0)

CASES: dict[str, Callable[[Any], Any]] = {
    "lqn": lambda x: np.sum(WEIGHTS * (special.lqn(3, x)[0] + 2.0 * special.lqn(3, x)[1])),
    "lqmn": lambda x: np.sum(WEIGHTS * (special.lqmn(2, 3, x)[0] + 2.0 * special.lqmn(2, 3, x)[1])),
    "pro_cv_seq": lambda x: np.sum(WEIGHTS * special.pro_cv_seq(1, 4, x)),
    "obl_cv_seq": lambda x: np.sum(WEIGHTS * special.obl_cv_seq(1, 4, x)),
    "mathieu_a, third order": lambda x: ccc.derivative(ccc.derivative(lambda q: special.mathieu_a(2, q)))(x),
}


@pytest.mark.parametrize("at", [0.3, -0.7, 1.6])
@pytest.mark.parametrize("name", CASES)
def test_slopes_are_those_of_differences(name: str, at: float):
    f, h = CASES[name], 1e-3
    value, slope = ccc.value_with_gradient(f)(at)
    assert value == pytest.approx(f(at), rel=1e-12)
    d1, d2 = [f(at + k * h) - f(at - k * h) for k in (1, 2)]
    assert slope == pytest.approx((8.0 * d1 - d2) / (12.0 * h), rel=1e-6)
    assert ccc.gradient(f, backend="native")(at) == pytest.approx(slope, rel=1e-12)


def test_arrays_of_parameters_and_single_precision():
    q = np.array([0.3, 1.2, -4.0])
    slope = ccc.gradient(lambda q: np.sum(special.mathieu_b(np.array([1, 2, 3]), q)))
    expected = [(special.mathieu_b(m, q[m - 1] + 1e-3) - special.mathieu_b(m, q[m - 1] - 1e-3)) / 2e-3
                for m in (1, 2, 3)]
    np.testing.assert_allclose(slope(q), expected, rtol=1e-4)
    assert slope(q.astype(np.float32)).dtype == np.float32
