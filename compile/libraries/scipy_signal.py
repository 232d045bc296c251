"""Filters, convolutions and spectra of signals.

>>> lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import beyond, constant, definition_of, refuse
from ccc.compile.libraries.scipy_ndimage import convolve1d, inner_products

signal: Any = scipy.signal
VECTOR, MATRIX = np.zeros(2), np.zeros((2, 2))


# -- convolutions ------------------------------------------------------------------------------------------------------


@beyond(signal.convolve)
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    a, b = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    if np.ndim(a) != np.ndim(b):
        raise ValueError("volume and kernel should have the same dimensionality")
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    axes = tuple(range(np.ndim(a)))
    wide = np.pad(a, tuple([(np.shape(b)[i] - 1, np.shape(b)[i] - 1) for i in axes]))
    whole = tuple([np.shape(a)[i] + np.shape(b)[i] - 1 for i in axes])
    found = inner_products(wide, np.flip(b), whole)
    if mode == "full":
        return found
    if mode == "same":
        return found[tuple([slice((whole[i] - np.shape(a)[i]) // 2, (whole[i] - np.shape(a)[i]) // 2 + np.shape(a)[i])
                            for i in axes])]
    ends = [(min(np.shape(a)[i], np.shape(b)[i]) - 1, max(np.shape(a)[i], np.shape(b)[i])) for i in axes]
    return found[tuple([slice(start, stop) for start, stop in ends])]


@beyond(signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    return convolve(in1, in2, mode)


@definition_of(signal.oaconvolve)
def oaconvolve(in1: Any, in2: Any, mode: Any = "full") -> Any:
    return signal.convolve(in1, in2, mode)


@definition_of(signal.convolve2d)
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    if boundary != "fill" or fillvalue != 0:
        refuse("scipy.signal.convolve2d has a derivative for boundary='fill' and fillvalue=0")
    return convolve(in1, in2, mode)


@definition_of(signal.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(in1, np.flip(np.asarray(in2)), mode)


# -- filters -----------------------------------------------------------------------------------------------------------


def padded(weights: Any, n: Any) -> Any:
    return np.concatenate([weights, np.zeros(n - len(weights))])


@definition_of(signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    n = max(len(a), len(b)) + 1
    b, a = padded(b / a[0], n), padded(a / a[0], n)
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    samples = np.transpose(rows)
    state = np.zeros((n - 1, *np.shape(samples)[1:]))
    still = np.zeros((1, *np.shape(samples)[1:]))
    found = []
    for i in range(len(samples)):
        y = b[0] * samples[i] + state[0]
        found.append(y)
        state = np.concatenate([state[1:], still]) + np.multiply.outer(b[1:], samples[i]) - np.multiply.outer(a[1:], y)
    return np.moveaxis(np.transpose(np.array(found)), -1, axis)


@definition_of(signal.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state in which a filter stands when it has long been given ones."""
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    if np.ndim(b) != 1:
        raise ValueError("Numerator b must be 1-D.")
    if np.ndim(a) != 1:
        raise ValueError("Denominator a must be 1-D.")
    if a[0] == 0.0:
        raise ValueError("scipy.signal.lfilter_zi has a derivative where a[0] is not 0")
    n = max(len(a), len(b))
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    b, a = padded(b / a[0], n), padded(a / a[0], n)
    unit = np.eye(n - 1)
    return np.linalg.solve(unit - np.eye(n - 1, k=1) + np.outer(a[1:], unit[0]), b[1:] - a[1:] * b[0])


def settled(b: Any, a: Any, samples: Any) -> Any:
    """Filtered along the first axis as if the first sample had been there always: by what it is away from that."""
    n = max(len(a), len(b))
    start = lfilter_zi(b, a)
    level = padded(b / a[0], n)[0] + start[0]
    return lfilter(b, a, samples - samples[0], 0) + level * samples[0]


@definition_of(signal.filtfilt)
def filtfilt(b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad",
             irlen: Any = None) -> Any:
    if method != "pad" and method != "gust":
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        refuse("scipy.signal.filtfilt has a derivative for method='pad'")
    if padtype is not None and padtype not in ("even", "odd", "constant"):
        raise ValueError(f"Unknown value '{padtype}' given to padtype. "
                         "padtype must be 'even', 'odd', 'constant', or None.")
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, 0)
    n = len(rows)
    edge = 0 if padtype is None else 3 * max(len(a), len(b)) if padlen is None else padlen
    if n <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    edge = max(edge, 0)
    before, behind = rows[np.arange(edge, 0, -1)], rows[n - 2 - np.arange(edge)]
    if padtype == "odd":
        before, behind = 2.0 * rows[0] - before, 2.0 * rows[n - 1] - behind
    if padtype == "constant":
        before, behind = before * 0.0 + rows[0], behind * 0.0 + rows[n - 1]
    once = settled(b, a, np.concatenate([before, rows, behind]))
    return np.moveaxis(settled(b, a, once[::-1])[::-1][edge:edge + n], 0, axis)


@definition_of(signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1) -> Any:
    sos, found = np.asarray(sos) * 1.0, np.asarray(x) * 1.0
    for i in range(len(sos)):
        found = lfilter(sos[i, :3], sos[i, 3:], found, axis)
    return found


@definition_of(signal.savgol_filter)
def savgol_filter(x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
                  mode: Any = "interp", cval: Any = 0.0) -> Any:
    x = np.asarray(x) * 1.0
    weights = constant(signal.savgol_coeffs, VECTOR, window_length, polyorder, deriv, delta)
    if mode != "interp":
        return convolve1d(x, weights, axis, None, mode, cval, 0)
    rows, half = np.moveaxis(x, axis, 0), window_length // 2
    if window_length > len(rows):
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    ends = constant(ends_by_polynomials, MATRIX, window_length, polyorder, deriv, delta)
    inner = convolve1d(rows, weights, 0, None, "constant", 0.0, 0)
    before = np.tensordot(ends[:half], rows[:window_length], 1)
    behind = np.tensordot(ends[window_length - half:], rows[len(rows) - window_length:], 1)
    return np.moveaxis(np.concatenate([before, inner[half:len(rows) - half], behind]), 0, axis)


def ends_by_polynomials(n: int, degree: int, deriv: int, delta: float) -> Any:
    """What the filter is at as many samples as its window has."""
    return signal.savgol_filter(np.eye(n), n, degree, deriv, delta, 0)


@definition_of(signal.detrend)
def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    if np.ndim(bp) != 0 or bp != 0:
        refuse("scipy.signal.detrend has a derivative for bp=0")
    if type != "linear" and type != "constant":
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    rows = np.moveaxis(np.asarray(data) * 1.0, axis, 0)
    away = rows - np.mean(rows, axis=0)
    if type == "linear":
        t = np.arange(len(rows)) - (len(rows) - 1) / 2.0
        away = away - np.multiply.outer(t, np.tensordot(t, away, 1) / np.sum(t * t))
    return np.moveaxis(away, 0, axis)


# -- spectra -----------------------------------------------------------------------------------------------------------


@definition_of(signal.hilbert)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    if N is not None:
        refuse("scipy.signal.hilbert has a derivative for N=None")
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    n = np.shape(rows)[-1]
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(np.fft.fft(rows) * weights), -1, axis)


def window_of(window: Any, n: Any) -> Any:
    return signal.get_window(window, n)


@definition_of(signal.welch)
def welch(x: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
          detrend: Any = "constant", scaling: Any = "density", axis: Any = -1, average: Any = "mean") -> Any:
    if average != "mean" or not isinstance(window, str | tuple) or detrend not in ("constant", "linear", False):
        refuse("scipy.signal.welch has a derivative for average='mean', a window that is named, and detrend as "
               "'constant', 'linear' or False")
    if scaling != "density" and scaling != "spectrum":
        raise ValueError("Unknown scaling")
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    n = np.minimum(256 if nperseg is None else nperseg, np.shape(rows)[-1])
    step = n - (n // 2 if noverlap is None else noverlap)
    starts = np.arange(0, np.shape(rows)[-1] - n + 1, step)
    segments = rows[..., starts[:, None] + np.arange(n)]
    if detrend is not False:
        segments = signal.detrend(segments, -1, detrend)
    weights = constant(window_of, VECTOR, window, n)
    scale = 1.0 / (fs * np.sum(weights**2)) if scaling == "density" else 1.0 / np.sum(weights) ** 2
    z = np.fft.rfft(segments * weights)
    k = np.arange(n // 2 + 1)
    power = np.where((k == 0) | (2 * k == n), 1.0, 2.0) * (z.real**2 + z.imag**2) * scale
    return k * (fs / n), np.moveaxis(np.mean(power, axis=-2), -1, axis)


@definition_of(signal.periodogram)
def periodogram(x: Any, fs: Any = 1.0, window: Any = "boxcar", detrend: Any = "constant", scaling: Any = "density",
                axis: Any = -1) -> Any:
    return welch(x, fs, window, np.shape(x)[axis], 0, detrend, scaling, axis)
