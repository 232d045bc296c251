"""Calls of SciPy with known arguments are constants: their values are SciPy's, made anew in each run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

signal: Any = pytest.importorskip("scipy.signal")
special: Any = pytest.importorskip("scipy.special")
stats: Any = pytest.importorskip("scipy.stats")
linalg: Any = pytest.importorskip("scipy.linalg")
X = np.array([1.0, 2.0, 4.0, 8.0, 3.0])


def filtered(x: Any) -> Any:
    sections = signal.butter(4, [0.1, 0.3], btype="band", output="sos")
    b, a = signal.butter(2, 0.3)
    return np.sum(signal.sosfilt(sections, x) * signal.lfilter(b, a, x))


def quadrature(x: Any) -> Any:
    nodes, weights = np.polynomial.legendre.leggauss(len(x))
    weights[0] = 0.0
    return np.sum(np.exp(0.1 * x[0] * nodes) * weights * x)


PROGRAMS: list[Callable[[Any], Any]] = [
    filtered, quadrature, lambda x: np.sum(signal.get_window("hann", len(x)) * x),
    lambda x: np.sum(signal.get_window(("kaiser", 2.0), 5) * x),
    lambda x: x[0] * special.bdtr(2, 5, 0.3) * special.roots_legendre(3)[1][0],
    lambda x: np.abs(x[0] * special.wofz(0.5)) * stats.alpha.ppf(0.3, 2.0), lambda x: np.sum(linalg.hilbert(5) @ x),
]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_constants_are_those_of_scipy(f: Callable[[Any], Any], backend: str):
    value, gradient = ccc.value_with_gradient(f, backend=backend)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    for i, g in enumerate(gradient):
        h = 1e-3 * np.eye(5)[i]
        slope = (8 * (f(X + h) - f(X - h)) - f(X + 2 * h) + f(X - 2 * h)) / 12e-3
        assert g == pytest.approx(slope, rel=1e-8, abs=1e-9)


def test_what_is_given_out_is_new_at_each_call():
    window = ccc.compiled(lambda: signal.get_window("hann", 4), backend="numpy")
    window()[:] = 7.0
    assert window().tolist() == signal.get_window("hann", 4).tolist()


@pytest.mark.parametrize(("f", "text"), [
    (lambda x: x * stats.norm.rvs(0.5), "known with a whole number as `random_state`"),
    (lambda x: np.sum(x * stats.ortho_group.rvs(2)), "no derivative rule"),
])
def test_draws_and_what_moves_are_refused(f: Callable[[Any], Any], text: str):
    with pytest.raises(CompileError, match=text):
        ccc.gradient(f)(0.5)


def test_a_fault_of_ours_is_not_taken_for_one_of_the_library(monkeypatch: pytest.MonkeyPatch):
    """It was: such a call was read as if it were not known."""
    from ccc.compile.frontend import known_calls

    def broken(*args: Any) -> Any:
        raise AssertionError("ours")

    monkeypatch.setattr(known_calls, "placed", broken)
    with pytest.raises(ccc.CCCError, match="AssertionError: ours"):
        ccc.gradient(lambda x: np.sum(signal.get_window("hann", len(x)) * x))(X)
