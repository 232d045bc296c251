"""Second derivatives of what SciPy solves, integrates and filters: those of differences, and forward over reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

integrate: Any = pytest.importorskip("scipy.integrate")
optimize: Any = pytest.importorskip("scipy.optimize")
signal: Any = pytest.importorskip("scipy.signal")
X = np.array([1.0, 2.0, 4.0, 8.0, 3.0, 1.0, 5.0, 2.0, 3.0, 4.0, 2.0, 1.0, 6.0])
GOOD: dict[str, float] = {"rtol": 1e-9, "atol": 1e-9}
CASES: dict[str, Callable[[float], Any]] = {
    "odeint": lambda a: integrate.odeint(lambda y, t: -a * y * y, 1.0, np.linspace(0.0, 1.0, 4), **GOOD)[-1, 0],
    "solve_ivp": lambda a: integrate.solve_ivp(lambda t, y: -a * y * y, (0.0, a), [a], **GOOD).y[0, -1],
    "quad": lambda a: integrate.quad(lambda u: np.exp(-a * u * u), a, np.inf)[0],
    "dblquad": lambda a: integrate.dblquad(lambda y, x: np.exp(-a * x * y), 0.0, 1.0, 0.0, lambda x: a * x)[0],
    "filtfilt": lambda a: np.sum(signal.filtfilt([a, 0.3], [1.0, -0.5 * a], X) ** 2),
    "brentq": lambda a: optimize.brentq(lambda u: u**3 - a, 0.0, 5.0, xtol=1e-14),
    "root": lambda a: optimize.root(
        lambda u: np.array([u[0] ** 2 + u[1] - a, u[0] - a * u[1]]), [1.0, 1.0], tol=1e-13).x[0],
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str):
    f, a, h = CASES[name], 0.7, 1e-3
    slope = ccc.gradient(f, backend="numpy")
    quotient = lambda g: (8 * (g(a + h) - g(a - h)) - (g(a + 2 * h) - g(a - 2 * h))) / (12 * h)  # noqa: E731
    assert slope(a) == pytest.approx(quotient(f), rel=1e-6)
    twice = ccc.gradient(slope, backend="numpy")(a)
    assert twice == pytest.approx(quotient(slope), rel=1e-6)
    assert ccc.jvp(slope, (a,), (1.0,), backend="numpy")[1] == pytest.approx(twice, rel=1e-12)
