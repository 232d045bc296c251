"""Filters and convolutions of signals; `scipy_spectra` has their spectra.

>>> lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import MADE, beyond, constant, definition_of
from ccc.compile.libraries import (
    scipy_equal_ripple as scipy_equal_ripple,
    scipy_filter_designs as scipy_filter_designs,
    scipy_filters as scipy_filters,
    scipy_peaks as scipy_peaks,
    scipy_spectra as scipy_spectra,
    scipy_symmetric_filters as scipy_symmetric_filters,
    scipy_systems as scipy_systems,
)
from ccc.compile.libraries.scipy_image_borders import axes_of, bordered
from ccc.compile.libraries.scipy_ndimage import convolve1d, inner_products
from ccc.compile.libraries.scipy_recursions import at_rates, padded, recursion, recursion_from, sections
from ccc.compile.libraries.scipy_windows import median_filter

signal: Any = scipy.signal
tools: Any = scipy.signal._signaltools  # type: ignore[attr-defined]
VECTOR, MATRIX = np.zeros(2), np.zeros((2, 2))


def wrapped(function: Any) -> Any:
    """What SciPy wraps in a function that warns of parameters which are to be named."""
    return function.__wrapped__


MADE[signal.lombscargle.__code__] = wrapped


# -- convolutions ------------------------------------------------------------------------------------------------------


@beyond(signal.convolve)
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    a, b = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    if np.ndim(a) != np.ndim(b):
        raise ValueError("volume and kernel should have the same dimensionality")
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    return a * b if np.ndim(a) == 0 else convolved(a, b, mode, np.ndim(a))


def convolved(a: Any, b: Any, mode: Any, count: Any) -> Any:
    """The convolution along the first so many axes; along the others there are as many in both, or one."""
    axes = tuple(range(count))
    wide = np.pad(a, tuple([(np.shape(b)[i] - 1, np.shape(b)[i] - 1) for i in axes] + [(0, 0)] * (np.ndim(a) - count)))
    whole = tuple([np.shape(a)[i] + np.shape(b)[i] - 1 for i in axes])
    found = inner_products(wide, np.flip(b, axes), whole)
    if mode == "full":
        return found
    if mode == "same":
        return found[tuple([slice((whole[i] - np.shape(a)[i]) // 2, (whole[i] - np.shape(a)[i]) // 2 + np.shape(a)[i])
                            for i in axes])]
    ends = [(min(np.shape(a)[i], np.shape(b)[i]) - 1, max(np.shape(a)[i], np.shape(b)[i])) for i in axes]
    return found[tuple([slice(start, stop) for start, stop in ends])]


@beyond(signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    if axes is None:
        return convolve(in1, in2, mode)
    a, b = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    if np.ndim(a) != np.ndim(b) or mode not in ("full", "same", "valid"):
        raise ValueError("scipy.signal.fftconvolve takes arrays of as many axes, and the modes 'full', 'same', 'valid'")
    axes = axes_of(axes, np.ndim(a))
    front = tuple(range(len(axes)))
    found = convolved(np.moveaxis(a, axes, front), np.moveaxis(b, axes, front), mode, len(axes))
    return np.moveaxis(found, front, axes)


@definition_of(signal.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    turned = np.conj(np.flip(np.asarray(in2)))
    if mode != "same":
        return convolve2d(in1, turned, mode, boundary, fillvalue)
    whole, middle = convolve2d(in1, turned, "full", boundary, fillvalue), [n // 2 for n in np.shape(turned)]
    return whole[middle[0]:middle[0] + np.shape(in1)[0], middle[1]:middle[1] + np.shape(in1)[1]]


@definition_of(signal.deconvolve)
def deconvolve(signal: Any, divisor: Any) -> Any:
    whole, part = np.atleast_1d(signal) * 1.0, np.atleast_1d(divisor) * 1.0
    n = len(whole) - len(part) + 1
    if n < 1:
        raise ValueError("scipy.signal.deconvolve has a derivative where the divisor is no longer than the signal")
    unit = np.where(np.arange(n) == 0, 1.0, 0.0)
    quotient = lfilter(whole, part, unit)
    return quotient, whole - np.convolve(part, quotient)


@definition_of(signal.oaconvolve)
def oaconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    return signal.fftconvolve(in1, in2, mode, axes)


@definition_of(signal.convolve2d)
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    if mode == "valid" or (boundary == "fill" and isinstance(fillvalue, int) and fillvalue == 0):
        return convolve(in1, in2, mode)
    if boundary not in ("fill", "wrap", "symm") or mode not in ("full", "same"):
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    a, b = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    (m, n), (height, width) = np.shape(a), np.shape(b)
    border = "constant" if boundary == "fill" else "wrap" if boundary == "wrap" else "reflect"
    tall = bordered(a, height - 1, height - 1, border, fillvalue)
    wide = np.transpose(bordered(np.transpose(tall), width - 1, width - 1, border, fillvalue))
    whole = inner_products(wide, np.flip(b), (m + height - 1, n + width - 1))
    if mode == "full":
        return whole
    top, left = (height - 1) // 2, (width - 1) // 2
    return whole[top:top + m, left:left + n]


@definition_of(signal.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(in1, np.conj(np.flip(np.asarray(in2))), mode)


# -- filters -----------------------------------------------------------------------------------------------------------


@definition_of(signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    if len(a) > 1 and a[0] == 0.0:
        raise ValueError("BUG: filter coefficient a[0] == 0 not supported yet")
    if zi is None:
        return at_rest(b, a, x, axis)
    zi = np.asarray(zi)
    if np.iscomplexobj(x) or np.iscomplexobj(zi):
        real, imag = lfilter(b, a, np.real(x), axis, np.real(zi)), lfilter(b, a, np.imag(x), axis, np.imag(zi))
        return real[0] + 1j * imag[0], real[1] + 1j * imag[1]
    samples = in_type(turned(x, axis), b, a, zi)
    none = np.zeros((1, *np.shape(samples)[1:]), samples.dtype)
    state = in_type(turned(zi, axis), samples) + np.repeat(none, max(len(a), len(b)) - 1, axis=0)
    b, a = scaled(b, a, samples)
    found = recursion_from(b, a, samples, state)
    return turned_back(found[:len(samples)], axis), turned_back(found[len(samples):], axis)


def in_type(x: Any, *others: Any) -> Any:
    """In the type that it has beside others."""
    return np.asarray(x, np.result_type(x, *others))


def turned(x: Any, axis: Any) -> Any:
    """With the samples along the first axis."""
    return np.transpose(np.moveaxis(np.asarray(x) * 1.0, axis, -1))


def turned_back(samples: Any, axis: Any) -> Any:
    return np.moveaxis(np.transpose(samples), -1, axis)


def scaled(b: Any, a: Any, samples: Any) -> Any:
    """Coefficients in the type of samples, those of the denominator with 1 first."""
    return np.asarray(b / a[0], samples.dtype), np.asarray(a / a[0], samples.dtype)


def at_rest(b: Any, a: Any, x: Any, axis: Any) -> Any:
    """What a filter with a denominator that begins with no zero does; of a complex signal, with both parts."""
    if np.iscomplexobj(x):
        return at_rest(b, a, np.real(x), axis) + 1j * at_rest(b, a, np.imag(x), axis)
    samples = in_type(turned(x, axis), b, a)
    b, a = scaled(b, a, samples)
    return turned_back(recursion(b, a, samples), axis)


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
    b, a = np.asarray(b, np.result_type(b, a)), np.asarray(a, np.result_type(b, a))
    unit = np.eye(n - 1, dtype=b.dtype)
    return np.linalg.solve(unit - np.eye(n - 1, k=1, dtype=b.dtype) + np.outer(a[1:], unit[0]), b[1:] - a[1:] * b[0])


def settled(b: Any, a: Any, samples: Any) -> Any:
    """Filtered along the first axis as if the first sample had been there always: by what it is away from that."""
    n, samples = max(len(a), len(b)), samples + np.zeros(1, np.result_type(b, a, np.real(samples)))
    start = lfilter_zi(b, a)
    level = padded(b / a[0], n)[0] + start[0]
    return at_rest(b, a, samples - samples[0], 0) + level * samples[0]


@definition_of(signal.filtfilt)
def filtfilt(b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad",
             irlen: Any = None) -> Any:
    if method != "pad" and method != "gust":
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        return tools._filtfilt_gust(np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0, np.asarray(x), axis, irlen)[0]
    if padtype is not None and padtype not in ("even", "odd", "constant"):
        raise ValueError(f"Unknown value '{padtype}' given to padtype. "
                         "padtype must be 'even', 'odd', 'constant', or None.")
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, 0)
    edge = 0 if padtype is None else 3 * max(len(a), len(b)) if padlen is None else padlen
    once = settled(b, a, extended(rows, edge, padtype))
    return np.moveaxis(settled(b, a, once[::-1])[::-1][edge:edge + len(rows)], 0, axis)


def extended(rows: Any, edge: Any, padtype: Any) -> Any:
    """Samples with so many before and behind them along the first axis."""
    n = len(rows)
    if n <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    before, behind = rows[np.arange(edge, 0, -1)], rows[n - 2 - np.arange(edge)]
    if padtype == "odd":
        before, behind = 2.0 * rows[0] - before, 2.0 * rows[n - 1] - behind
    if padtype == "constant":
        before, behind = before * 0.0 + rows[0], behind * 0.0 + rows[n - 1]
    return np.concatenate([before, rows, behind])


@definition_of(signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    sos = np.asarray(sos) * 1.0
    if np.any(sos[:, 3] != 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    x = in_type(np.asarray(x) * 1.0, sos)
    if zi is None:
        return sections_at_rest(sos, x, axis)
    x, left = in_type(x, zi), []
    for i in range(len(sos)):
        x, state = lfilter(sos[i, :3], sos[i, 3:], x, axis, zi[i])
        left.append(state)
    return x, np.array(left)


def sections_at_rest(sos: Any, x: Any, axis: Any) -> Any:
    if np.iscomplexobj(x):
        return sections_at_rest(sos, np.real(x), axis) + 1j * sections_at_rest(sos, np.imag(x), axis)
    samples = turned(x, axis)
    return turned_back(sections(np.asarray(sos, samples.dtype), samples), axis)


@definition_of(signal.sosfilt_zi)
def sosfilt_zi(sos: Any) -> Any:
    sos, scale, found = np.asarray(sos) * 1.0, 1.0, []
    for i in range(len(sos)):
        found.append(scale * lfilter_zi(sos[i, :3], sos[i, 3:]))
        scale = scale * np.sum(sos[i, :3]) / np.sum(sos[i, 3:])
    return np.array(found)


@definition_of(signal.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    if padtype is not None and padtype not in ("even", "odd", "constant"):
        raise ValueError(f"Unknown value '{padtype}' given to padtype. "
                         "padtype must be 'even', 'odd', 'constant', or None.")
    sos, rows = np.asarray(sos) * 1.0, np.moveaxis(np.asarray(x) * 1.0, axis, 0)
    if np.any(sos[:, 3] != 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    taps = 2 * len(sos) + 1 - np.minimum(np.sum(sos[:, 2] == 0.0), np.sum(sos[:, 5] == 0.0))
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    wide = extended(rows, edge, padtype)
    once = settled_sections(sos, wide + np.zeros(1, np.result_type(sos, np.real(wide))))
    return np.moveaxis(settled_sections(sos, once[::-1])[::-1][edge:edge + len(rows)], 0, axis)


def settled_sections(sos: Any, samples: Any) -> Any:
    level = np.prod(np.sum(sos[:, :3], axis=1) / np.sum(sos[:, 3:], axis=1))
    return sections_at_rest(sos, samples - samples[0], 0) + level * samples[0]


@definition_of(tools._output_len)
def length_of(len_h: Any, in_len: Any, up: Any, down: Any) -> Any:
    return ((in_len - 1) * up + len_h - 1) // down + 1


@definition_of(signal.upfirdn)
def upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1, mode: Any = "constant", cval: Any = 0) -> Any:
    if np.iscomplexobj(x):
        real, imag = [upfirdn(h, part(x), up, down, axis, mode, part(cval)) for part in (np.real, np.imag)]
        return real + 1j * imag
    if np.iscomplexobj(h):
        real, imag = [upfirdn(part(h), x, up, down, axis, mode, cval) for part in (np.real, np.imag)]
        return real + 1j * imag
    h, rows = np.asarray(h) * 1.0, np.moveaxis(np.asarray(x) * 1.0, axis, 0)
    if mode == "constant" and isinstance(cval, (int, float)) and cval == 0:
        rows = in_type(rows, h)
        return np.moveaxis(at_rates(np.asarray(h, rows.dtype), rows, up, down), 0, axis)
    n, m = len(rows), len(h)
    edge = (m - 1) // up
    if mode != "constant":
        beyond = np.asarray(constant(beyond_ends, MATRIX, n, edge, mode), np.real(rows).dtype)
        wide = np.tensordot(beyond, rows, 1)
    else:
        level = np.zeros((edge, *np.shape(rows)[1:]), rows.dtype) + np.asarray(cval, np.real(rows).dtype)
        wide = np.concatenate([level, rows, level])
    places = np.arange(length_of(m, n, up, down))[:, None] * down - np.arange(m)
    there = places % up == 0
    found = np.einsum("ok,ok...->o...", np.where(there, h, h * 0.0), wide[np.where(there, places // up + edge, 0)])
    return np.moveaxis(found, 0, axis)


def beyond_ends(n: int, edge: int, mode: str) -> Any:
    """What a signal is beyond its ends, of each of its samples."""
    return signal.upfirdn(np.where(np.arange(2 * edge + 1) == edge, 1.0, 0.0), np.eye(n), axis=0, mode=mode)


@definition_of(signal.medfilt)
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    return median_filter(np.asarray(volume) * 1.0, 3 if kernel_size is None else kernel_size, mode="constant")


@definition_of(signal.medfilt2d)
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    return median_filter(np.asarray(input) * 1.0, kernel_size, mode="constant")


@definition_of(signal.savgol_coeffs)
def savgol_coeffs(window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, pos: Any = None,
                  use: Any = "conv") -> Any:
    return constant(of_steps, VECTOR, window_length, polyorder, deriv, pos, use) / delta**deriv


def of_steps(window_length: int, polyorder: int, deriv: int, pos: Any, use: str) -> Any:
    return signal.savgol_coeffs(window_length, polyorder, deriv, 1.0, pos, use)


@definition_of(signal.savgol_filter)
def savgol_filter(x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
                  mode: Any = "interp", cval: Any = 0.0) -> Any:
    x = np.asarray(x) * 1.0
    weights = np.asarray(savgol_coeffs(window_length, polyorder, deriv, delta), x.dtype)
    if mode != "interp":
        return convolve1d(x, weights, axis, None, mode, cval, 0)
    rows, half = np.moveaxis(x, axis, 0), window_length // 2
    if window_length > len(rows):
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    ends = np.asarray(constant(ends_by_polynomials, MATRIX, window_length, polyorder, deriv) / delta**deriv, x.dtype)
    inner = convolve1d(rows, weights, 0, None, "constant", 0.0, 0)
    before = np.tensordot(ends[:half], rows[:window_length], 1)
    behind = np.tensordot(ends[window_length - half:], rows[len(rows) - window_length:], 1)
    return np.moveaxis(np.concatenate([before, inner[half:len(rows) - half], behind]), 0, axis)


def ends_by_polynomials(n: int, degree: int, deriv: int) -> Any:
    """What the filter is at as many samples as its window has."""
    return signal.savgol_filter(np.eye(n), n, degree, deriv, 1.0, 0)


@definition_of(signal.detrend)
def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    if type != "linear" and type != "constant":
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    rows = np.moveaxis(np.asarray(data) * 1.0, axis, 0)
    if type == "constant" or (np.ndim(bp) == 0 and bp == 0):
        return np.moveaxis(level(rows, type), 0, axis)
    ends = [0, *([bp] if np.ndim(bp) == 0 else bp), len(rows)]
    parts = [level(rows[ends[i]:ends[i + 1]], type) for i in tuple(range(len(ends) - 1))]
    return np.moveaxis(np.concatenate(parts), 0, axis)


def level(rows: Any, type: Any) -> Any:
    """Without the mean, or the line, that is nearest."""
    away = rows - np.mean(rows, axis=0)
    if type == "linear":
        t = np.asarray(np.arange(len(rows)) - (len(rows) - 1) / 2.0, np.real(rows).dtype)
        away = away - np.multiply.outer(t, np.tensordot(t, away, 1) / np.sum(t * t))
    return away


# -- waves -------------------------------------------------------------------------------------------------------------


@definition_of(signal.gauss_spline)
def gauss_spline(x: Any, n: Any) -> Any:
    width = (n + 1) / 12.0
    return np.exp(-(np.asarray(x) ** 2) / 2.0 / width) / np.sqrt(2.0 * np.pi * width)
