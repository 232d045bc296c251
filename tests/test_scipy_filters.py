"""Filters and splines of SciPy: values are SciPy's, derivatives in data, weights and places those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

interpolate, ndimage, signal = [
    pytest.importorskip(f"scipy.{name}") for name in ("interpolate", "ndimage", "signal")
]
RNG = np.random.default_rng(0)
P = np.array([0.7, 1.3])
U = np.array([1.0, 2.0])
IMAGE, KERNEL, v = RNG.normal(size=(6, 5)), RNG.normal(size=(3, 3)), RNG.normal(size=9)
X, Y = np.array([0.0, 1.0, 2.5, 3.0, 4.5]), RNG.normal(size=5)
AT = np.array([0.2, 1.9, 4.0])


def image(p: Any) -> Any:
    return IMAGE * p[0] + p[1] * IMAGE**2


CASES: dict[str, Callable[[Any], Any]] = {
    "lfilter": lambda p: np.sum(v * signal.lfilter([p[0], 1.0], [1.5, p[1], 0.2], v * p[0])),
    "lfilter, axis": lambda p: np.sum(IMAGE * signal.lfilter([p[0]], [1.0, p[1] / 3.0], IMAGE, axis=0)),
    "gaussian_filter, width": lambda p: np.sum(IMAGE * ndimage.gaussian_filter(image(p), p[1])),
    "gaussian_filter, nearest": lambda p: np.sum(IMAGE * ndimage.gaussian_filter(image(p), [0.5, 1.0], mode="nearest")),
    "gaussian_filter1d, wrap": lambda p: np.sum(v * ndimage.gaussian_filter1d(v * p[0] ** 2, 0.7 * p[1], mode="wrap")),
    "uniform_filter": lambda p: np.sum(IMAGE * ndimage.uniform_filter(image(p), 3)),
    "convolve1d, even": lambda p: np.sum(v * ndimage.convolve1d(v**2 * p[0], [p[0], p[1], 2.0, 1.0], mode="mirror")),
    "correlate1d, origin": lambda p: np.sum(v * ndimage.correlate1d(v**2 * p[0], [p[1], 2.0, p[0]], origin=1)),
    "correlate": lambda p: np.sum(IMAGE * ndimage.correlate(
        IMAGE**2 * p[0], KERNEL * p[1], mode="constant", cval=p[0])),
    "convolve": lambda p: np.sum(IMAGE * ndimage.convolve(IMAGE**2 * p[0], KERNEL * p[1])),
    "laplace": lambda p: np.sum(IMAGE * ndimage.laplace(image(p), mode="wrap") ** 2),
    "sobel and prewitt": lambda p: np.sum(ndimage.sobel(image(p), 0) * ndimage.prewitt(image(p), mode="nearest")),
    "CubicSpline": lambda p: np.sum(interpolate.CubicSpline(X * p[0], Y * p[1] ** 2)(AT)),
    "CubicSpline, natural": lambda p: interpolate.CubicSpline(X, Y * p[1] ** 2, bc_type="natural")(p[0]),
    "CubicSpline, slope": lambda p: interpolate.CubicSpline(X, Y * p[1] ** 2, bc_type="clamped")(p[0], 1),
    "CubicHermiteSpline": lambda p: interpolate.CubicHermiteSpline(X, Y * p[1], Y**2 * p[0])(p[0] * 6.0),
    "interp1d": lambda p: interpolate.interp1d(X, Y * p[1] ** 2)(p[0]),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U, 1e-3, 1e-8)


@pytest.mark.parametrize("name", ["lfilter, axis", "gaussian_filter, width", "CubicSpline"])
def test_second_derivatives(name: str):
    bends_agree(CASES[name], P, U, 1e-3, atol=1e-7)


@pytest.mark.parametrize("mode", ["reflect", "mirror", "nearest", "wrap", "constant"])
def test_borders_wider_than_the_image(mode: str):
    f = lambda x: ndimage.correlate1d(x, np.arange(9.0), mode=mode)  # noqa: E731
    x = np.array([1.0, 3.0, 4.0])
    np.testing.assert_allclose(ccc.compiled(f, backend="numpy")(x), f(x), rtol=1e-14)


def test_what_is_not_taken_is_refused_or_raises():
    for f, text in [
        (lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, order=4)), "orders 0 to 3"),
        (lambda x: x[0] * np.sum(ndimage.uniform_filter(np.argsort(x), 3)), "floats"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(v)
    with pytest.raises(ValueError, match="below the interpolation range"):
        ccc.gradient(lambda t: interpolate.interp1d(X, Y)(t))(-1.0)
