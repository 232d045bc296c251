"""Transforms of `scipy.fft` that are made of others: of what is Hermitian along several axes, and Hankel's.

    hfftn(x) = irfftn(conj(x)),  ihfftn(x) = conj(rfftn(x)), with the factor of the other direction
    fht(a) = irfft(u rfft(a)), turned around;  u = 2^z Gamma((mu + 1 + z) / 2) / Gamma((mu + 1 - z) / 2), z = q + i y

>>> hfftn(np.array([[1.0, 2.0, 1.0]])).round(12)
array([[ 6.,  0., -2.,  0.]])
"""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import scipy.fft
import scipy.special

from ccc.compile.frontend.numpy_functions.table import definition_of

fft: Any = scipy.fft
special: Any = scipy.special
LN_2 = math.log(2.0)


def other(norm: Any) -> Any:
    """The factor of the other direction."""
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def is_fast(n: Any, primes: Any) -> bool:
    """Whether a whole number has no prime factors but these."""
    for prime in primes:
        while n % prime == 0:
            n = n // prime
    return n == 1


@definition_of(fft.next_fast_len, inspect.unwrap(fft.next_fast_len))
def next_fast_len(target: Any, real: Any = False) -> int:
    if target < 0:
        raise ValueError("Target length must be positive")
    primes, n = (2, 3, 5) if real else (2, 3, 5, 7, 11), target
    while n > 0 and not is_fast(n, primes):
        n = n + 1
    return n


@definition_of(fft.prev_fast_len, inspect.unwrap(fft.prev_fast_len))
def prev_fast_len(target: Any, real: Any = False) -> int:
    if target < 1:
        raise ValueError("Target length must be positive")
    primes, n = (2, 3, 5) if real else (2, 3, 5, 7, 11), target
    while not is_fast(n, primes):
        n = n - 1
    return n


@definition_of(fft.hfftn)
def hfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
          workers: Any = None) -> Any:
    return np.fft.irfftn(np.conj(x), s, axes, other(norm))


@definition_of(fft.ihfftn)
def ihfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
           workers: Any = None) -> Any:
    return np.conj(np.fft.rfftn(x, s, axes, other(norm)))


@definition_of(fft.hfft2)
def hfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: Any = False,
          workers: Any = None) -> Any:
    return hfftn(x, s, axes, norm)


@definition_of(fft.ihfft2)
def ihfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: Any = False,
           workers: Any = None) -> Any:
    return ihfftn(x, s, axes, norm)


def coefficients(n: Any, dln: Any, mu: Any, offset: Any, bias: Any) -> Any:
    """What Hankel's transform multiplies each frequency with."""
    place = np.arange(n // 2 + 1)
    y = place * (np.pi / (n * dln))
    above = special.loggamma((mu + 1.0 + bias) / 2.0 + 1j * y)
    below = special.loggamma((mu + 1.0 - bias) / 2.0 + 1j * y)
    size = np.exp(np.real(above) - np.real(below) + LN_2 * bias)
    if not np.isfinite(size[0]) or size[0] == 0.0:
        raise ValueError("Hankel's transform of scipy.fft has a derivative where it is not singular: change the bias")
    turn = np.imag(above) + np.imag(below) + 2.0 * y * (LN_2 - offset)
    return size * np.cos(turn), size * np.where(2 * place == n, 0.0, np.sin(turn))


def centred(n: Any) -> Any:
    return np.arange(n) - (n - 1) / 2.0


@definition_of(fft.fht)
def fht(a: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    a = np.asarray(a) * 1.0
    n = np.shape(a)[-1]
    re, im = coefficients(n, dln, mu, offset, bias)
    weighed = np.fft.rfft(a * np.exp(-bias * centred(n) * dln)) * (re + 1j * im)
    return np.flip(np.fft.irfft(weighed, n), -1) * np.exp(-bias * (centred(n) * dln + offset))


@definition_of(fft.ifht)
def ifht(A: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    a = np.asarray(A) * 1.0
    n = np.shape(a)[-1]
    re, im = coefficients(n, dln, mu, offset, bias)
    weighed = np.fft.rfft(a * np.exp(bias * (centred(n) * dln + offset))) * ((re + 1j * im) / (re * re + im * im))
    return np.flip(np.fft.irfft(weighed, n), -1) * np.exp(bias * centred(n) * dln)


def packed(x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
           plan: Any = None) -> Any:
    """`scipy.fftpack.rfft`: the real and imaginary parts side by side, without those that are always zero."""
    if np.iscomplexobj(x):
        raise TypeError("x must be a real sequence")
    found = np.moveaxis(np.fft.rfft(x, n, axis, norm), axis, -1)
    length = np.shape(x)[axis] if n is None else n
    parts = np.stack([found.real, found.imag], -1)
    parts = np.reshape(parts, (*found.shape[:-1], 2 * found.shape[-1]))
    return np.moveaxis(np.concatenate([parts[..., :1], parts[..., 2:length + 1]], -1), -1, axis)


def unpacked(x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
             plan: Any = None) -> Any:
    """`scipy.fftpack.irfft`: the inverse of `packed`."""
    if np.iscomplexobj(x):
        raise TypeError("x must be a real sequence")
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    length = rows.shape[-1] if n is None else n
    rows = rows[..., :length]
    nothing = np.zeros_like(rows[..., :1])
    missing = length - rows.shape[-1] + (1 - length % 2)
    parts = np.concatenate([rows[..., :1], nothing, rows[..., 1:], *[nothing for _ in range(missing)]], -1)
    found = np.fft.irfft(parts[..., ::2] + 1j * parts[..., 1::2], length, -1, norm)
    return np.moveaxis(found, -1, axis)


if hasattr(fft, "_pocketfft"):
    definition_of(fft._pocketfft.rfft_fftpack)(packed)
    definition_of(fft._pocketfft.irfft_fftpack)(unpacked)
