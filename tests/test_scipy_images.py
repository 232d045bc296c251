"""Splines of images, windows and labels of SciPy: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

ndimage = pytest.importorskip("scipy.ndimage")
RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
A, v = RNG.normal(size=(5, 6)), RNG.normal(size=9)
T = np.stack([A[:3, :4], A[2:, 2:], A[1:4, 1:5]])
AT = RNG.uniform(-1.0, 6.0, size=(2, 4))
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]])
FAR = np.array([-13.3, -5.2, -1.0, -0.7, -0.3, 0.0, 0.2, 1.5, 3.0, 7.7, 8.0, 8.3, 8.7, 9.5, 17.0, 20.3])


def q(x: Any) -> Any:
    return np.sum(x**2) + np.sum(x[:1])


def second(input: Any, axis: Any, output: Any, mode: Any, cval: Any) -> Any:
    return ndimage.correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)


def by_labels(a: Any) -> Any:
    found, n = ndimage.label(a > 0.0)
    several = ndimage.mean(a, found, range(1, n + 1)), ndimage.standard_deviation(a, found, np.arange(1, n + 1))
    return q(several[0] * n) + q(several[1]) + ndimage.center_of_mass(a**2, found, [1, 2])[1][0]


CASES: dict[str, Callable[[Any], Any]] = {
    "map_coordinates": lambda p: q(ndimage.map_coordinates(A * p[1], AT * p[0])) + q(ndimage.map_coordinates(
        A, AT * p[1], order=2, mode="grid-constant", cval=p[0])) + q(ndimage.map_coordinates(
            v * p[0], [FAR * p[1]], order=5, mode="reflect", prefilter=False)),
    "zoom": lambda p: q(ndimage.zoom(A * p[0], (1.5, 0.6))) + q(ndimage.zoom(A * p[1], 2, order=4, mode="nearest")) + (
        q(ndimage.zoom(v * p[0], 2, order=2, mode="grid-wrap", grid_mode=True))),
    "shift": lambda p: q(ndimage.shift(A * p[0], p[1])) + q(
        ndimage.shift(A, p, order=3, mode="grid-constant", cval=p[0])),
    "rotate": lambda p: q(ndimage.rotate(A * p[0], 30.0 * p[1])) + q(ndimage.rotate(A * p[0], 90.0)) + q(ndimage.rotate(
        np.stack([A * p[1], A]), 20.0, axes=(0, 2), reshape=False, mode="mirror")),
    "affine_transform": lambda p: q(ndimage.affine_transform(A * p[0], np.array([[p[1], 0.1], [-0.1, 0.8]]), p)) + (
        q(ndimage.affine_transform(A, p, 0.23, order=2))) + q(ndimage.affine_transform(
            A * p[0], np.array([[1.0, 0.1, 0.3], [0.0, 0.9, 0.2]]), output_shape=(3, 4))),
    "geometric_transform": lambda p: q(ndimage.geometric_transform(
        A * p[1], lambda at, k: (at[0] * k, at[1] - 0.3), extra_arguments=(p[0],))),
    "spline_filter": lambda p: q(ndimage.spline_filter(A * p[0], 4)) + q(ndimage.spline_filter1d(A * p[1], 2, 0)),
    "footprints": lambda p: q(ndimage.maximum_filter(A * p[0], footprint=CROSS)) + q(ndimage.median_filter(
        A * p[1], footprint=CROSS)) + q(ndimage.rank_filter(A * p[0], 1, footprint=CROSS, mode="wrap")),
    "structures": lambda p: q(ndimage.grey_erosion(A * p[0], 3, None, None, None, "wrap")) + q(ndimage.grey_dilation(
        A * p[1], (2, 3), origin=(0, 1))) + q(ndimage.grey_dilation(A * p[0], structure=CROSS * p[1])) + q(
            ndimage.grey_erosion(A, structure=CROSS * p[0], footprint=CROSS)),
    "generic": lambda p: q(ndimage.generic_filter(A * p[0], lambda x: x.std() * p[1], size=3)) + q(
        ndimage.generic_filter(A * p[0], np.ptp, footprint=CROSS)) + q(ndimage.generic_laplace(A * p[1], second)) + q(
            ndimage.generic_gradient_magnitude(A * p[0], ndimage.sobel)),
    "spectra": lambda p: q(np.fft.ifft2(ndimage.fourier_shift(np.fft.fft2(A * p[1]), p)).real) + q(
        ndimage.fourier_gaussian(np.fft.rfft2(A), p[0], n=6).real) + q(
            np.real(ndimage.fourier_uniform(np.fft.fft2(A * p[0]), (2, 3)))),
    "axes of filters": lambda p: q(ndimage.gaussian_filter(T * p[0], (p[1], 0.0), axes=(0, 2), radius=2)) + q(
        ndimage.uniform_filter(A * p[0], (2, 3), mode=["wrap", "nearest"], origin=(0, 1))) + q(ndimage.convolve(
            T, CROSS * p[1], axes=(0, 2), origin=(0, 1))) + q(ndimage.laplace(T * p[0], axes=(1,))) + q(
                ndimage.sobel(A * p[1], 0, mode=["wrap", "nearest"])) + q(
                    ndimage.correlate(A * p[0], [[p[1] + 2j]]).imag),
    "axes of windows": lambda p: q(ndimage.minimum_filter(T * p[0], 2, axes=(0, 2), mode=("wrap", "nearest"))) + q(
        ndimage.grey_dilation(T * p[0], structure=CROSS * p[1], axes=(1, 2))) + q(ndimage.rank_filter(
            A * p[0], 1, size=3, axes=(1,))) + q(ndimage.gaussian_laplace(A * p[0], p[1], axes=(0,), truncate=2.0)),
    "labels": lambda p: by_labels(A * p[0] + 0.1 * p[1]),
}


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["map_coordinates", "footprints"])
def test_second_derivatives_and_machine_code(name: str):
    bends_agree(CASES[name], P, U)
    slope = ccc.gradient(CASES[name], backend="numpy")(P)
    np.testing.assert_allclose(ccc.gradient(CASES[name], backend="native")(P), slope, rtol=1e-10)


@pytest.mark.share(4)
@pytest.mark.parametrize("mode", ["constant", "grid-constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap"])
def test_places_beyond_the_border(mode: str):
    for order in range(6):
        for prefilter in (True, False):
            f = lambda x: ndimage.map_coordinates(  # noqa: E731
                v, [x], order=order, mode=mode, cval=0.7, prefilter=prefilter)  # noqa: B023
            np.testing.assert_allclose(ccc.compiled(f, backend="numpy")(FAR), f(FAR), rtol=1e-11)


def test_zooms_that_end_behind_the_last_pixel_and_other_floats():
    for x in (np.ones(29), np.float32(v)):
        found, wanted = ccc.compiled(lambda x: ndimage.zoom(x, 1.5, order=1))(x), ndimage.zoom(x, 1.5, order=1)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert found.dtype == wanted.dtype


def test_filters_of_width_zero_and_of_other_floats():
    for f in (lambda x: ndimage.gaussian_filter(x, 0), lambda x: ndimage.gaussian_filter(x, (0.0, 1.0)),
              lambda x: ndimage.convolve1d(x, [1, 2, 1]), lambda x: ndimage.uniform_filter(x, (1, 2))):
        for x in (A, np.float32(A)):
            found, wanted = ccc.compiled(f)(x), f(x)
            np.testing.assert_allclose(found, wanted, rtol=1e-12 if x is A else 1e-5, atol=1e-6 * (x is not A))
            assert found.dtype == wanted.dtype


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda x: np.sum(ndimage.zoom(np.arange(4), 2) * x), "arrays of floats"),
        (lambda x: np.sum(ndimage.shift(x, 0.5, np.zeros((5, 6)))), "output=None"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(A)
