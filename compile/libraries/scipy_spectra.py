"""Spectra of signals: Fourier transforms of windows that overlap, and what filters do to frequencies.

    stft         Z = F(w x_segment) / sum w        istft        sum of w F^-1(Z) / sum of w^2
    csd          the mean of conj(X) Y             freqz        sum b_k e^-ikw / sum a_k e^-ikw

>>> periodogram(np.array([1.0, -1.0, 1.0, -1.0]))[1]
array([0., 0., 4.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.linear_maps import linear_along

signal: Any = scipy.signal
VECTOR = np.zeros(2)

resample_poly = linear_along(signal.resample_poly, 0)
decimate = linear_along(signal.decimate, -1)


@definition_of(signal.resample)
def resample(x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None, domain: Any = "time") -> Any:
    if t is not None or window is not None or domain != "time" or np.iscomplexobj(x):
        refuse("scipy.signal.resample has a derivative for real samples, t=None, window=None and domain='time'")
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    n = np.shape(rows)[-1]
    m = min(num, n)
    z = np.fft.rfft(rows)[..., :m // 2 + 1]
    if num != n:
        middle = 2.0 if num < n else 0.5
        z = z * np.where(2 * np.arange(m // 2 + 1) == m, middle, 1.0)
    return np.moveaxis(np.fft.irfft(z, num) * (num / n), -1, axis)


@definition_of(signal.hilbert)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    z = np.fft.fft(rows) if N is None else np.fft.fft(rows, N)
    n = np.shape(z)[-1]
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(z * weights), -1, axis)


# -- on arcs and spirals -----------------------------------------------------------------------------------------------


def chirped(x: Any, before: Any, chirp: Any, m: Any, axis: Any) -> Any:
    """Bluestein's sums of `x_n before_n w^(n k)` for `m` of the k, where `chirp` has `w^(k k / 2)`."""
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    n = np.shape(rows)[-1]
    kernel = 1.0 / np.concatenate([chirp[:n][:0:-1], chirp[:m]])
    z = np.fft.fft(rows * before * chirp[:n], n + m - 1) * np.fft.fft(kernel)
    return np.moveaxis(np.fft.ifft(z)[..., n - 1:] * chirp[:m], -1, axis)


@definition_of(signal.czt)
def czt(x: Any, m: Any = None, w: Any = None, a: Any = 1.0, *, axis: Any = -1) -> Any:
    n = np.shape(x)[axis]
    m = n if m is None else m
    k = np.arange(max(m, n))
    chirp = np.exp(-1j * np.pi * ((k * k) % (2 * m)) / m) if w is None else np.exp(np.log(w + 0j) * (0.5 * k * k))
    return chirped(x, np.exp(-np.log(a + 0j) * np.arange(n)), chirp, m, axis)


@definition_of(signal.zoom_fft)
def zoom_fft(x: Any, fn: Any, m: Any = None, *, fs: Any = 2, endpoint: Any = False, axis: Any = -1) -> Any:
    n = np.shape(x)[axis]
    m = n if m is None else m
    low, high = (0.0, fn) if np.ndim(fn) == 0 else (fn[0], fn[1])
    step = (high - low) / (fs * (m - 1)) if endpoint else (high - low) / (fs * m)
    k = np.arange(max(m, n))
    return chirped(x, np.exp(-2j * np.pi * low / fs * np.arange(n)), np.exp(-1j * np.pi * step * (k * k)), m, axis)


# -- windows that overlap ----------------------------------------------------------------------------------------------


def window_of(window: Any, n: Any) -> Any:
    return signal.get_window(window, n)


def weights_of(window: Any, nperseg: Any, length: Any) -> Any:
    """The weights of a window, as long as the signal at most."""
    if isinstance(window, str | tuple):
        return constant(window_of, VECTOR, window, np.minimum(256 if nperseg is None else nperseg, length))
    return np.asarray(window) * 1.0


def starts_of(length: Any, n: Any, noverlap: Any) -> Any:
    return np.arange(0, length - n + 1, n - (n // 2 if noverlap is None else noverlap))


def transformed(rows: Any, weights: Any, noverlap: Any, nfft: Any, detrend: Any) -> Any:
    """The transform of each window."""
    n = len(weights)
    segments = rows[..., starts_of(np.shape(rows)[-1], n, noverlap)[:, None] + np.arange(n)]
    if detrend is not False:
        segments = signal.detrend(segments, -1, detrend)
    return np.fft.rfft(segments * weights) if nfft is None else np.fft.rfft(segments * weights, nfft)


def refuse_others(name: Any, x: Any, detrend: Any, return_onesided: Any) -> None:
    if detrend not in ("constant", "linear", False) or not return_onesided or np.iscomplexobj(x):
        refuse(f"scipy.signal.{name} has a derivative for real samples, return_onesided=True, and detrend as "
               "'constant', 'linear' or False")


def size_of(weights: Any, fs: Any, scaling: Any) -> Any:
    """What powers are divided by."""
    if scaling != "density" and scaling != "spectrum":
        raise ValueError("Unknown scaling")
    return fs * np.sum(weights**2) if scaling == "density" else np.sum(weights) ** 2


def twice_inside(length: Any, nfft: Any) -> Any:
    """Frequencies count twice that stand for two."""
    k = np.arange(length // 2 + 1 if nfft is None else nfft // 2 + 1)
    return np.where((k == 0) | (2 * k == (length if nfft is None else nfft)), 1.0, 2.0)


def frequencies(length: Any, nfft: Any, fs: Any) -> Any:
    n = length if nfft is None else nfft
    return np.arange(n // 2 + 1) * (fs / n)


@definition_of(signal.welch)
def welch(x: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
          nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
          axis: Any = -1, average: Any = "mean") -> Any:
    if average != "mean":
        refuse("scipy.signal.welch has a derivative for average='mean'")
    refuse_others("welch", x, detrend, return_onesided)
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    weights = weights_of(window, nperseg, np.shape(rows)[-1])
    z = transformed(rows, weights, noverlap, nfft, detrend)
    power = twice_inside(len(weights), nfft) * (z.real**2 + z.imag**2) / size_of(weights, fs, scaling)
    return frequencies(len(weights), nfft, fs), np.moveaxis(np.mean(power, axis=-2), -1, axis)


@definition_of(signal.periodogram)
def periodogram(x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
                return_onesided: Any = True, scaling: Any = "density", axis: Any = -1) -> Any:
    rows = np.moveaxis(np.asarray(x), axis, -1)
    if nfft is not None and nfft < np.shape(rows)[-1]:
        rows = rows[..., :nfft]
    f, power = welch(rows, fs, "boxcar" if window is None else window, np.shape(rows)[-1], 0, nfft, detrend,
                     return_onesided, scaling, -1)
    return f, np.moveaxis(power, -1, axis)


@definition_of(signal.csd)
def csd(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
        nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
        axis: Any = -1, average: Any = "mean") -> Any:
    refuse_others("csd", x, detrend, return_onesided)
    one, other = np.moveaxis(np.asarray(x) * 1.0, axis, -1), np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    if average != "mean" or np.shape(one)[-1] != np.shape(other)[-1]:
        raise ValueError("scipy.signal.csd has a derivative for average='mean' and signals of one length")
    weights = weights_of(window, nperseg, np.shape(one)[-1])
    of_x, of_y = [transformed(rows, weights, noverlap, nfft, detrend) for rows in (one, other)]
    both = np.conj(of_x) * of_y * (twice_inside(len(weights), nfft) / size_of(weights, fs, scaling))
    return frequencies(len(weights), nfft, fs), np.moveaxis(np.mean(both, axis=-2), -1, axis)


@definition_of(signal.coherence)
def coherence(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
              nfft: Any = None, detrend: Any = "constant", axis: Any = -1) -> Any:
    f, power = welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    other = welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)[1]
    both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)[1]
    return f, (both.real**2 + both.imag**2) / power / other


@definition_of(signal.spectrogram)
def spectrogram(x: Any, fs: Any = 1.0, window: Any = ("tukey_periodic", 0.25), nperseg: Any = None,
                noverlap: Any = None, nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
                scaling: Any = "density", axis: Any = -1, mode: Any = "psd") -> Any:
    if mode not in ("psd", "complex", "magnitude"):
        refuse("scipy.signal.spectrogram has a derivative for the modes 'psd', 'complex' and 'magnitude'")
    refuse_others("spectrogram", x, detrend, return_onesided)
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    weights = weights_of(window, nperseg, np.shape(rows)[-1])
    n = len(weights)
    over = n // 8 if noverlap is None else noverlap
    z, size = transformed(rows, weights, over, nfft, detrend), size_of(weights, fs, scaling)
    place = axis - 1 if axis < 0 else axis
    times = (starts_of(np.shape(rows)[-1], n, over) + n / 2) / fs
    if mode == "psd":
        power = twice_inside(n, nfft) * (z.real**2 + z.imag**2) / size
        return frequencies(n, nfft, fs), times, np.moveaxis(power, -1, place)
    scaled = z / np.sqrt(size)
    return frequencies(n, nfft, fs), times, np.moveaxis(scaled if mode == "complex" else np.abs(scaled), -1, place)


@definition_of(signal.stft)
def stft(x: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = 256, noverlap: Any = None,
         nfft: Any = None, detrend: Any = False, return_onesided: Any = True, boundary: Any = "zeros",
         padded: Any = True, axis: Any = -1, scaling: Any = "spectrum") -> Any:
    if boundary not in ("zeros", None) or scaling not in ("spectrum", "psd"):
        refuse("scipy.signal.stft has a derivative for the boundaries 'zeros' and None")
    refuse_others("stft", x, detrend, return_onesided)
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    weights = weights_of(window, nperseg, np.shape(rows)[-1])
    n = len(weights)
    over, edge = n // 2 if noverlap is None else noverlap, 0 if boundary is None else n // 2
    length = np.shape(rows)[-1] + 2 * edge
    more = (-(length - n) % (n - over)) % n if padded else 0
    wide = np.concatenate([np.zeros((*np.shape(rows)[:-1], edge)), rows,
                           np.zeros((*np.shape(rows)[:-1], edge + more))], axis=-1)
    size = size_of(weights, fs, "spectrum" if scaling == "spectrum" else "density")
    z = transformed(wide, weights, over, nfft, detrend) / np.sqrt(size)
    times = (starts_of(np.shape(wide)[-1], n, over) + (n / 2 if boundary is None else 0.0)) / fs
    return frequencies(n, nfft, fs), times, np.moveaxis(z, -1, axis - 1 if axis < 0 else axis)


@definition_of(signal.istft)
def istft(Zxx: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
          nfft: Any = None, input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1, freq_axis: Any = -2,
          scaling: Any = "spectrum") -> Any:
    if not input_onesided or time_axis != -1 or freq_axis != -2 or scaling != "spectrum" or nfft is not None:
        refuse("scipy.signal.istft has a derivative for input_onesided=True, nfft=None, scaling='spectrum', and "
               "axes of frequencies and times in this order")
    z = np.swapaxes(Zxx, -1, -2)
    subs = np.fft.irfft(z) if nperseg is None else np.fft.irfft(z, nperseg)
    n, count = np.shape(subs)[-1], np.shape(subs)[-2]
    weights = weights_of(window, n, n)
    step = n - (n // 2 if noverlap is None else noverlap)
    length = n + (count - 1) * step
    x, size = np.zeros((*np.shape(subs)[:-2], length)), np.zeros(length)
    subs = subs * (weights * np.sum(weights))
    for i in range(count):
        x[..., i * step:i * step + n] += subs[..., i, :]
        size[i * step:i * step + n] += weights**2
    x = x / np.where(size > 1e-10, size, 1.0)
    found = x[..., n // 2:length - n // 2] if boundary else x
    return np.arange(np.shape(found)[0]) / fs, found


# -- what filters do to frequencies ------------------------------------------------------------------------------------


def angles(worN: Any, whole: Any, fs: Any) -> Any:
    """Frequencies in radians, those that are asked for or as many as are."""
    if np.ndim(worN) > 0:
        return np.asarray(worN) * (2.0 * np.pi / fs)
    return np.linspace(0.0, 2.0 * np.pi if whole else np.pi, worN, endpoint=False)


def at_angles(b: Any, w: Any) -> Any:
    b = np.atleast_1d(b) * 1.0
    turned = np.multiply.outer(w, np.arange(len(b)))
    return np.dot(np.cos(turned), b) - 1j * np.dot(np.sin(turned), b)


@definition_of(signal.freqz)
def freqz(b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, plot: Any = None, fs: Any = 2.0 * np.pi) -> Any:
    w = angles(worN, whole, fs)
    return w * (fs / (2.0 * np.pi)), at_angles(b, w) / at_angles(a, w)


@definition_of(signal.freqz_sos)
def freqz_sos(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = 2.0 * np.pi) -> Any:
    w, sos = angles(worN, whole, fs), np.asarray(sos) * 1.0
    found = at_angles(sos[0, :3], w) / at_angles(sos[0, 3:], w)
    for i in range(1, len(sos)):
        found = found * (at_angles(sos[i, :3], w) / at_angles(sos[i, 3:], w))
    return w * (fs / (2.0 * np.pi)), found


@definition_of(signal.sosfreqz)
def sosfreqz(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = 2.0 * np.pi) -> Any:
    return freqz_sos(sos, worN, whole, fs)
