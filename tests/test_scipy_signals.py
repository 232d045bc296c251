"""Signals, images and distances of SciPy: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

ndimage, signal, spatial = [pytest.importorskip(f"scipy.{name}") for name in ("ndimage", "signal", "spatial")]
distance = spatial.distance
RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
A, K, v = RNG.normal(size=(5, 6)), RNG.normal(size=(2, 3)), RNG.normal(size=12)
CUBE, KERNEL, AT = RNG.normal(size=(3, 4, 3)), RNG.normal(size=(2, 3, 2)), RNG.uniform(0.2, 3.7, size=(2, 5))
SECTIONS = signal.butter(4, 0.3, output="sos")


def q(x: Any) -> Any:
    return np.sum(x**2) + np.sum(x[:1])


def peaks(x: Any) -> Any:
    at, found = signal.find_peaks(x, height=-3.0, distance=2, prominence=(0.1, None), width=0.2)
    widths = signal.peak_widths(x, at, 0.4)
    return q(x[at]) * q(found["prominences"]) + q(found["peak_heights"] * found["left_ips"]) + (
        q(widths[0] * widths[3])) + (q(signal.peak_prominences(x, signal.find_peaks(x, threshold=0.01)[0])[0]))


CASES: dict[str, Callable[[Any], Any]] = {
    "czt": lambda p: q(np.abs(signal.czt(v * p[0] + v**2, 7))) + q(np.abs(signal.czt(A * p[0], axis=0))) + q(np.abs(
        signal.czt(v, 15, np.exp(-0.1j * p[0]), p[1] * np.exp(0.3j)))) + q(np.abs(signal.czt(v, 5, p[0] + 0.25, 0.9))),
    "zoom_fft": lambda p: q(np.abs(signal.zoom_fft(v * p[0] + v**2, [0.1, 0.3 * p[1]], 20, fs=2.5))) + q(np.real(
        signal.zoom_fft(A * p[1], p[0], endpoint=True, axis=0))) + q(np.imag(signal.zoom_fft(v + 1j * p[0], 0.5, 9))),
    "convolve": lambda p: q(signal.convolve(A * p[0], K * p[1])) + q(
        signal.fftconvolve(A * p[0], K * p[1], "valid")) + q(signal.convolve2d(A * p[0], K * p[1], mode="same")) + q(
            signal.oaconvolve(v, v[:2] * p[0])),
    "convolve, some axes": lambda p: q(signal.fftconvolve(A * p[0], A[:2] * p[1], axes=0)) + q(signal.oaconvolve(
        A * p[0], A[:1, :3] * p[1], "same", axes=[1])) + q(signal.fftconvolve(
            CUBE * p[0], KERNEL[:, :1] * p[1], "valid", axes=(-1, 0))),
    "convolve, three axes": lambda p: q(signal.fftconvolve(CUBE * p[0], KERNEL * p[1], mode="same")),
    "convolve2d, borders": lambda p: q(signal.convolve2d(A * p[0], K * p[1], boundary="wrap")) + q(signal.convolve2d(
        A * p[0], K, "same", "symm")) + q(signal.correlate2d(A, K * p[1], "same", fillvalue=p[0])) + q(
            signal.correlate2d(A, K * p[1], boundary="symm")),
    "correlate": lambda p: q(signal.correlate(A * p[0], K * p[1])) + q(signal.correlate(
        v * p[0], v[:4] * p[1], mode="same")) + q(signal.correlate(v[:3] * p[0], v * p[1], mode="valid")) + q(
        signal.convolve(K * p[1], A * p[0], mode="valid")),
    "sosfilt": lambda p: q(signal.sosfilt(SECTIONS * np.array([p[0], 1.0, 1.0, 1.0, p[1], 1.0]), v * p[0])),
    "filtfilt": lambda p: q(signal.filtfilt([p[0], 0.4], [2.0, -p[1], 0.3], v * p[0] + v**2)),
    "filtfilt, padded otherwise": lambda p: q(signal.filtfilt([0.5, p[1]], 2.0, A * p[0] + A**2, 0, "even", 2)) + q(
        signal.filtfilt([1.0, p[0]], [1.0, 0.2], A, padtype="constant", padlen=3)),
    "lfilter_zi": lambda p: q(signal.lfilter_zi([p[0], 0.1, p[1]], [2.0, p[1]])),
    "savgol_filter": lambda p: q(signal.savgol_filter(v * p[0] + p[1], 5, 2)) + q(signal.savgol_filter(
        A * p[0] + p[1] * A**2, 3, 1, axis=0, deriv=1, delta=0.5)) + q(
            signal.savgol_filter(v * p[0], 5, 3, mode="wrap")) + q(signal.savgol_filter(v, 5, 2, 1, p[0])) + q(
                signal.savgol_coeffs(5, 2, 1, p[1], pos=1, use="dot")),
    "states": lambda p: q(signal.lfilter([p[0], 0.3], [1.0, -0.4], A, zi=A[:, :1] * p[1])[1]) + q(signal.lfilter(
        [p[0]], [2.0, 0.1, p[1]], A, 0, np.outer([1.0, p[0]], A[0]))[0]) + q(np.concatenate(
            signal.sosfilt(SECTIONS, v[:2] * p[0], zi=SECTIONS[:, :2] * p[1]), axis=None)),
    "peaks": lambda p: peaks(v * p[0] + np.cos(np.arange(len(v))) * p[1]),
    "detrend": lambda p: q(signal.detrend(v * p[0] + v**2 * p[1])) + q(
        signal.detrend(A * p[0], axis=0, type="constant")),
    "hilbert": lambda p: q(np.abs(signal.hilbert(v * p[0] + v**2 * p[1]))) + q(np.abs(signal.hilbert(
        A * p[0] + A**2, axis=0))),
    "welch": lambda p: q(signal.welch(v * p[0] + v**2 * p[1], nperseg=6)[1]) + q(signal.welch(
        A * p[0], 2.0, "hamming", nperseg=4, noverlap=1, detrend="linear", scaling="spectrum", axis=0)[1]),
    "periodogram": lambda p: q(signal.periodogram(v * p[0] + v**2 * p[1])[1]) + q(signal.periodogram(
        A * p[0], 3.0, "hann", detrend=False)[1]) + signal.periodogram(v, 3.0 * p[0])[0][2],
    "images": lambda p: q(ndimage.correlate(CUBE * p[0], KERNEL * p[1], mode="wrap")) + q(ndimage.convolve(
        CUBE * p[0], KERNEL * p[1], mode="nearest", origin=(0, 1, 0))) + q(ndimage.convolve(A * p[0], K * p[1])) + q(
        ndimage.correlate(A, K * p[0], origin=-1)),
    "map_coordinates": lambda p: q(ndimage.map_coordinates(A * p[1], AT * p[0], order=1)) + q(ndimage.map_coordinates(
        A, AT * p[1] * 1.7, order=1, mode="nearest")) + q(ndimage.map_coordinates(
            A, AT * p[1] * 3.1 - 2.0, order=1, mode="mirror")) + q(ndimage.map_coordinates(
                v, (AT * p[0])[:1], order=1, cval=p[1])),
    "shift": lambda p: q(ndimage.shift(A * p[1], p[0], order=1)) + q(ndimage.shift(A, p, order=1, mode="nearest")),
    "zoom": lambda p: q(ndimage.zoom(A * p[1], 2, order=1) * p[0]) + q(ndimage.zoom(v * p[0], 1.6, order=1)),
    "pdist": lambda p: q(distance.pdist(A * p[0])) + q(distance.squareform(distance.squareform(
        distance.pdist(A * p[1], "sqeuclidean"))) * v[:10]),
    "between two": lambda p: distance.cosine(v + p[0], v[::-1]) * distance.cityblock(v * p[0], v[::-1]) + (
        distance.euclidean(v * p[0], v[::-1]) + distance.sqeuclidean(v * p[0], v[::-1])) + q(
        spatial.distance_matrix(A * p[0], A + p[1])) + q(spatial.distance_matrix(A * p[0], A + p[1], 1)),
} | {
    f"cdist, {metric}": (lambda p, metric=metric: q(distance.cdist(A * p[0], A[:3] ** 2 + p[1] * A[1:4], metric)))
    for metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation")
}


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U)


@pytest.mark.share(8)
@pytest.mark.parametrize("name", ["convolve", "lfilter_zi", "welch", "map_coordinates", "between two"])
def test_second_derivatives_and_machine_code(name: str):
    f = CASES[name]
    bends_agree(f, P, U)
    slope = ccc.gradient(f, backend="numpy")(P)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(P), slope, rtol=1e-10)


def test_sizes_and_borders():
    for mode in ("constant", "nearest", "mirror"):
        for order in (-2.3, -0.2, 0.0, 2.0, 4.0, 4.4, 9.9):
            f = lambda x: ndimage.map_coordinates(A, [[x], [x]], order=1, mode=mode)  # noqa: B023, E731
            np.testing.assert_allclose(ccc.compiled(f, backend="numpy")(order), f(order), rtol=1e-13)
    for x in (np.arange(7.0), np.arange(8.0)):
        for f in (lambda x: signal.hilbert(x).imag, lambda x: signal.welch(x, nperseg=5)[1],
                  lambda x: signal.periodogram(x)[1], lambda x: ndimage.zoom(x, 0.4, order=1)):
            np.testing.assert_allclose(ccc.compiled(f, backend="numpy")(x), f(x), rtol=1e-12, atol=1e-13)


def test_a_border_by_the_median_of_a_signal_is_no_linear_map_of_it():
    for padtype in ("median", "maximum"):
        f = lambda x: signal.resample_poly(x, 3, 2, padtype=padtype)[2]  # noqa: B023, E731
        slopes_agree(f, A[0], A[1])


def test_points_that_are_one_have_a_distance_of_slope_zero():
    slope = ccc.gradient(lambda x: np.sum(distance.cdist(x, x)))(np.ones((2, 2)))
    np.testing.assert_array_equal(slope, np.zeros((2, 2)))


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda x: np.sum(ndimage.generic_filter1d(x, np.sum, 3, output=x)), "generic_filter1d"),
        (lambda x: np.sum(distance.cdist(x, x, "hamming")), "'chebyshev'"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(A)


def test_distances_of_what_is_no_number_are_none():
    u, v = np.array([[np.nan, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_array_equal(ccc.compiled(lambda u: distance.cdist(u, v))(u), distance.cdist(u, v))
