"""Spectra of signals: Fourier transforms of windows that overlap, and what filters do to frequencies.

    stft         Z = F(w x_segment) / sum w        istft        sum of w F^-1(Z) / sum of w^2
    csd          the mean of conj(X) Y             freqz        sum b_k e^-ikw / sum a_k e^-ikw

>>> np.abs(np.round(czt(np.array([1.0, -1.0])), 12))
array([0., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import constant, definition_of
from ccc.compile.libraries.scipy_arrays import as_dtype

fft: Any = scipy.fft
signal: Any = scipy.signal
ends: Any = scipy.signal._arraytools  # type: ignore[attr-defined]
spectral: Any = scipy.signal._spectral_py  # type: ignore[attr-defined]
VECTOR = np.zeros(2)

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


@definition_of(spectral._triage_segments)
def weights_of(window: Any, nperseg: Any, input_length: Any) -> Any:
    """The weights of a window, as long as the signal at most, and how many they are."""
    if not isinstance(window, (str, tuple)):
        weights = np.asarray(window)
        if np.ndim(weights) != 1:
            raise ValueError("window must be 1-D")
        if input_length < len(weights):
            raise ValueError("window is longer than input signal")
        if nperseg is not None and nperseg != len(weights):
            raise ValueError("value specified for nperseg is different from length of window")
        return weights, len(weights)
    n = np.minimum(256 if nperseg is None else nperseg, input_length)
    return (constant(window_of, VECTOR, window, n) if isinstance(window, str) else window_of(window, n)), n


def in_windows(rows: Any, n: Any, step: Any) -> Any:
    """Pieces of so many samples, each so many behind the one before."""
    return rows[..., np.arange(0, np.shape(rows)[-1] - n + 1, step)[:, None] + np.arange(n)]


def without_trend(pieces: Any, detrend: Any, axis: Any) -> Any:
    if not detrend:
        return pieces
    if not callable(detrend):
        return signal.detrend(pieces, -1, detrend)
    found: Any = detrend(np.moveaxis(pieces, -1, axis))
    return np.moveaxis(found, axis, -1)


def transformed(pieces: Any, nfft: Any, onesided: Any) -> Any:
    """The transform of each piece, with zeros behind it; along all frequencies of a complex one."""
    more = nfft - np.shape(pieces)[-1]
    filled = np.concatenate([pieces, np.zeros((*np.shape(pieces)[:-1], more), pieces.dtype)], axis=-1)
    return fft.rfft(filled) if onesided else fft.fft(filled)


def twice_inside(nfft: Any) -> Any:
    """Frequencies count twice that stand for two."""
    k = np.arange(nfft // 2 + 1)
    return np.where((k == 0) | (2 * k == nfft), 1, 2)


def beyond_ends(rows: Any, edge: Any, boundary: Any) -> Any:
    if boundary is None:
        return rows
    if boundary not in ("even", "odd", "constant", "zeros"):
        raise ValueError(f"Unknown boundary option '{boundary}', "
                         "must be one of: ['even', 'odd', 'constant', 'zeros', None]")
    if boundary == "zeros":
        none = np.zeros((*np.shape(rows)[:-1], edge), rows.dtype)
        return np.concatenate([none, rows, none], axis=-1)
    extend = ends.even_ext if boundary == "even" else ends.odd_ext if boundary == "odd" else ends.const_ext
    return extend(rows, edge, axis=-1)


@definition_of(spectral._spectral_helper)
def spectra(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
            nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
            axis: Any = -1, mode: Any = "psd", boundary: Any = None, padded: Any = False) -> Any:
    """The spectrum of each window of `x`, whose powers are those of mode='psd', where `y` is `x`."""
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {scaling!r}")
    rows = np.moveaxis(np.asarray(x), axis, -1)
    weights, n = weights_of(window, nperseg, np.shape(rows)[-1])
    weights = np.asarray(weights, np.result_type(np.real(rows), np.float32))
    nfft, over = n if nfft is None else nfft, n // 2 if noverlap is None else noverlap
    if nfft < n:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    if over >= n:
        raise ValueError("noverlap must be less than nperseg.")
    wide = beyond_ends(rows, n // 2, boundary)
    if padded:
        more = (-(np.shape(wide)[-1] - n) % (n - over)) % n
        wide = np.concatenate([wide, np.zeros((*np.shape(wide)[:-1], more), wide.dtype)], axis=-1)
    onesided = return_onesided and not np.iscomplexobj(wide)
    pieces = without_trend(in_windows(wide, n, n - over), detrend, axis)
    size = fs * np.sum(weights * weights) if scaling == "density" else np.sum(weights) ** 2
    found = transformed(as_dtype(weights * pieces, weights.dtype), nfft, onesided)
    if mode == "stft":
        found = scaled(found, 1.0 / np.sqrt(size), weights.dtype)
    else:
        found = scaled(np.real(found)**2 + np.imag(found)**2, 1.0 / size, weights.dtype)
        found = scaled(found, twice_inside(nfft), weights.dtype) if onesided else found
    f = np.fft.rfftfreq(nfft, 1 / fs) if onesided else np.fft.fftfreq(nfft, 1 / fs)
    times = np.arange(n / 2, np.shape(wide)[-1] - n / 2 + 1, n - over) / (fs * 1.0)
    times = times if boundary is None else times - (n / 2) / fs
    return f, times, np.moveaxis(found, -1, axis - 1 if axis < 0 else axis)


def scaled(found: Any, by: Any, dtype: Any) -> Any:
    return found * np.asarray(by, dtype)


def averaged(each: Any, average: Any) -> Any:
    """The mean or the median of what windows say; that of one is it."""
    if average == "mean":
        return np.mean(each, axis=-1)
    if average != "median":
        raise ValueError(f"Parameter {average=} must be 'median' or 'mean'!")
    middle = np.median(np.real(each), axis=-1)
    if np.iscomplexobj(each):
        middle = middle + np.median(np.imag(each), axis=-1) * 1j
    return scaled(middle, 1.0 / spectral._median_bias(np.shape(each)[-1]), np.real(each).dtype)


@definition_of(signal.welch)
def welch(x: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
          nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
          axis: Any = -1, average: Any = "mean") -> Any:
    f, _, each = spectra(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis)
    return f, averaged(each, average)


@definition_of(signal.csd)
def csd(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
        nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density",
        axis: Any = -1, average: Any = "mean") -> Any:
    onesided = return_onesided and not np.iscomplexobj(x)
    if onesided and np.iscomplexobj(y):
        raise ValueError("scipy.signal.csd has no one-sided spectrum of a complex signal")
    length = np.maximum(np.shape(x)[axis], np.shape(y)[axis])
    dtype = np.result_type(np.real(x), np.real(y))
    given = fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis, "stft"
    one, other = [spectra(with_zeros(as_dtype(z, dtype), length, axis), None, *given) for z in (x, y)]
    both = np.conj(one[2]) * other[2]
    if onesided:
        place = axis - 1 if axis < 0 else axis
        n = weights_of(window, nperseg, length)[1] if nfft is None else nfft
        both = np.moveaxis(scaled(np.moveaxis(both, place, -1), twice_inside(n), np.real(both).dtype), -1, place)
    return one[0], averaged(both, average)


def with_zeros(x: Any, length: Any, axis: Any) -> Any:
    """With zeros behind it along an axis, up to a length."""
    rows = np.moveaxis(x, axis, -1)
    none = np.zeros((*np.shape(rows)[:-1], length - np.shape(rows)[-1]), rows.dtype)
    return np.moveaxis(np.concatenate([rows, none], axis=-1), -1, axis)


@definition_of(signal.istft)
def istft(Zxx: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None, noverlap: Any = None,
          nfft: Any = None, input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1, freq_axis: Any = -2,
          scaling: Any = "spectrum") -> Any:
    rank = np.ndim(Zxx)
    if rank < 2 or (freq_axis - time_axis) % rank == 0:
        raise ValueError("scipy.signal.istft takes two axes or more, one of frequencies and another of times")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    time, frequency = time_axis % rank, freq_axis % rank
    z = np.moveaxis(np.asarray(Zxx) + 0j, (time, frequency), (-2, -1))
    usual = 2 * (np.shape(z)[-1] - 1) if input_onesided else np.shape(z)[-1]
    n = usual if nperseg is None else nperseg
    weights, pieces = weights_of(window, n, n)[0], turned_back(z, nperseg, nfft, input_onesided)[..., :n]
    weights = np.asarray(weights, np.real(pieces).dtype)
    size = np.sum(weights) if scaling == "spectrum" else np.sqrt(fs * np.sum(weights**2))
    found = overlapped(pieces * (weights * np.asarray(size, weights.dtype)), weights**2,
                       n - (n // 2 if noverlap is None else noverlap))
    found = found[..., n // 2:np.shape(found)[-1] - n // 2] if boundary else found
    if time != rank - 1:
        found = np.moveaxis(found, -1, time - (frequency < time))
    return np.arange(np.shape(found)[0]) / (fs * 1.0), found


def turned_back(z: Any, nperseg: Any, nfft: Any, onesided: Any) -> Any:
    """What has these transforms; of half of one as many samples as are asked for, where that may be odd."""
    if not onesided:
        return fft.ifft(z) if nfft is None else fft.ifft(z, nfft)
    if nfft is not None:
        return fft.irfft(z, nfft)
    if nperseg is not None and nperseg % 2 == 1 and nperseg == 2 * np.shape(z)[-1] - 1:
        return fft.irfft(z, nperseg)
    return fft.irfft(z)


def overlapped(pieces: Any, weights: Any, step: Any) -> Any:
    """The sum of pieces that begin so many samples one behind the other, over that of their weights."""
    if np.iscomplexobj(pieces):
        return overlapped(np.real(pieces), weights, step) + 1j * overlapped(np.imag(pieces), weights, step)
    count, n = np.shape(pieces)[-2], np.shape(pieces)[-1]
    places = step * np.arange(count)[:, None] + np.arange(n)
    length = n + (count - 1) * step
    rows = np.moveaxis(np.zeros((*np.shape(pieces)[:-2], length), pieces.dtype), -1, 0)
    np.add.at(rows, places, np.moveaxis(pieces, (-2, -1), (0, 1)))
    size = np.zeros(length, weights.dtype)
    np.add.at(size, places, np.broadcast_to(weights, (count, n)))
    return np.moveaxis(rows, 0, -1) / np.where(size > 1e-10, size, 1.0)


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
