"""How often SciPy is called for a value and its gradient: functions that it has are not written anew in loops."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

signal: Any = pytest.importorskip("scipy.signal")
integrate: Any = pytest.importorskip("scipy.integrate")
special: Any = pytest.importorskip("scipy.special")

from ccc.compile.libraries.scipy_rules_of_points import places  # noqa: E402 - only where SciPy is installed

RNG = np.random.default_rng(0)
LONG = RNG.normal(size=400)
B, A = signal.butter(3, 0.3)
SECTIONS = signal.butter(6, 0.3, output="sos")
FREE = np.where(np.arange(6) == 3, 0.0, 1.0)
"""Which coefficients of a section are free: `a[0]` is 1."""

CASES: dict[str, tuple[Any, int, Callable[..., Any], tuple[Any, ...]]] = {
    "lfilter": (signal.lfilter, 2, lambda x: np.sum(signal.lfilter(B, A, x) ** 2), (LONG,)),
    "lfilter, coefficients": (signal.lfilter, 3, lambda b, a, x: np.sum(signal.lfilter(b, a, x) ** 2), (B, A, LONG)),
    "lfilter, state": (
        signal.lfilter, 3, lambda x, z: np.sum(np.concatenate(signal.lfilter(B, A, x, zi=z)) ** 2), (LONG, A[1:])),
    "filtfilt": (signal.lfilter, 4, lambda x: np.sum(signal.filtfilt(B, A, x) ** 2), (LONG,)),
    "sosfilt": (signal.sosfilt, 2, lambda x: np.sum(signal.sosfilt(SECTIONS, x) ** 2), (LONG,)),
    "sosfilt, coefficients": (
        signal.sosfilt, 1, lambda s: np.sum(signal.sosfilt(s * FREE + (1.0 - FREE), LONG) ** 2), (SECTIONS,)),
    "resample_poly": (signal.upfirdn, 2, lambda x: np.sum(signal.resample_poly(x, 3, 2) ** 2), (LONG,)),
    "upfirdn": (signal.upfirdn, 1, lambda h: np.sum(signal.upfirdn(h, LONG, 3, 2) ** 2), (LONG[:7],)),
    "quad": (integrate.quad, 2, lambda a: integrate.quad(lambda t: np.exp(-a[0] * t), 0.0, a[1])[0], (LONG[:2] ** 2,)),
    "quad, value within": (places, 22, lambda a: integrate.dblquad(
        lambda y, x: np.exp(-a[0] * x * y), 0.0, 1.0, 0.0, 1.0)[0], (LONG[:1] ** 2,)),
}
"""The function that is counted, how often it may be called, and a program."""


@pytest.mark.parametrize("name", CASES)
def test_so_many_calls_are_made(name: str):
    function, most, f, args = CASES[name]
    g = ccc.value_with_gradient(f, backend="numpy")
    value, slope = g(*args)
    slopes = slope if isinstance(slope, tuple) else (slope,)
    assert value == pytest.approx(f(*args), rel=1e-14)
    for i, (x, d) in enumerate(zip(args, slopes, strict=True)):
        away = RNG.normal(size=x.shape) * 1e-5
        ends = [f(*args[:i], x + u, *args[i + 1 :]) for u in (away, -away)]
        assert np.sum(d * away) == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-6)
    assert calls_of(function, lambda: g(*args)) == most


def calls_of(function: Any, run: Callable[[], Any]) -> int:
    """How often a function of Python's is entered in a run."""
    entered = [0]

    def seen(frame: types.FrameType, event: str, arg: Any) -> None:
        entered[0] += event == "call" and frame.f_code is function.__code__

    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(None)
    return entered[0]


def test_functions_of_order_1_need_none_of_order_2():
    for name in ("j1", "y1", "i1", "k1", "i1e", "k1e"):
        f = getattr(special, name)
        text = str(ccc.explain(lambda x, f=f: np.sum(f(x)), LONG))
        assert "v(2" not in text and "ve(2" not in text
