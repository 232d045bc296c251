"""Bessel functions of the third kind in their order: slopes are mpmath's, and what is made of them moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import slopes_agree

import ccc

mpmath: Any = pytest.importorskip("mpmath")
special: Any = pytest.importorskip("scipy.special")

PLACES = [(0.3, 1e-9), (0.5, 0.7), (1.5, 2.0), (2.5, 15.0), (-1.2, 3.0), (20.0, 5.0), (3.0, 300.0), (0.0, 1.0),
          (40.0, 0.5)]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_slopes_are_those_of_mpmath(backend: str):
    slope = ccc.gradient(lambda p: special.kv(p[0], p[1]), backend=backend)
    scaled = ccc.gradient(lambda p: special.kve(p[0], p[1]), backend=backend)
    for v, x in PLACES:
        with mpmath.mp.workdps(30):
            wanted = mpmath.diff(lambda u, x=x: mpmath.besselk(u, mpmath.mpf(x)), mpmath.mpf(v), h=mpmath.mpf("1e-9"))
            over = wanted * mpmath.exp(x)
        assert slope(np.array([v, x]))[0] == pytest.approx(float(wanted), rel=1e-12, abs=1e-300), (v, x)
        assert scaled(np.array([v, x]))[0] == pytest.approx(float(over), rel=1e-12, abs=1e-14), (v, x)


def test_a_kernel_of_matern_moves_with_its_smoothness():
    """`2^(1 - nu) / gamma(nu) z^nu K_nu(z)` with `z = sqrt(2 nu) r / length`."""
    r = np.array([0.1, 0.5, 1.3])

    def kernel(p: Any) -> Any:
        z = np.sqrt(2.0 * p[0]) * r / p[1]
        return np.sum(2.0 ** (1.0 - p[0]) / special.gamma(p[0]) * z ** p[0] * special.kv(p[0], z))

    at, u = np.array([1.7, 0.8]), np.array([1.0, -0.6])
    slopes_agree(kernel, at, u, 1e-3, 1e-7)
    slope = ccc.gradient(kernel, backend="numpy")
    bend = ccc.gradient(lambda p: np.sum(slope(p) * u))(at)
    for i, h in enumerate(1e-4 * np.eye(2)):
        assert bend[i] == pytest.approx(np.sum((slope(at + h) - slope(at - h)) * u) / 2e-4, rel=1e-6)


def test_outside_there_is_none():
    slope = ccc.gradient(lambda v, x: special.kv(v, x))
    assert np.isnan(slope(1.5, -1.0)[0]) and slope(1.5, np.inf)[0] == 0.0 and np.isnan(slope(1e12, 1e12)[0])
