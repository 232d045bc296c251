"""Filters of `scipy.signal` between their forms, where SciPy's own text turns by what numbers are.

    poly(z) = prod (x - z_k)        normalize(b, a) = b / a_0, a / a_0

Zeros come in conjugate pairs here, so polynomials are real.

>>> poly(np.array([1.0, 2.0]))
array([ 1., -3.,  2.])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.signal._filter_design
import scipy.signal._polyutils

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

linalg: Any = scipy.linalg
signal: Any = scipy.signal
sampled: Any = scipy.signal
images: Any = scipy.ndimage
polynomials: Any = scipy.signal._polyutils
designs: Any = scipy.signal._filter_design
MATRIX = np.zeros((2, 2))


@definition_of(polynomials.poly)
def poly(seq_of_zeros: Any, *, xp: Any = None) -> Any:
    z = np.atleast_1d(seq_of_zeros)
    n = np.shape(z)[0]
    re, im = np.real(z) * 1.0, np.imag(z) * 1.0
    if np.any(np.sort(im) != np.sort(-im)):
        raise ValueError("a polynomial of scipy.signal has a derivative for zeros in conjugate pairs")
    a, b = np.zeros(n + 1), np.zeros(n + 1)
    a[0] = 1.0
    for i in range(n):
        moved_a, moved_b = re[i] * a[:i + 1] - im[i] * b[:i + 1], re[i] * b[:i + 1] + im[i] * a[:i + 1]
        a[1:i + 2] = a[1:i + 2] - moved_a
        b[1:i + 2] = b[1:i + 2] - moved_b
    return a


@definition_of(signal.normalize)
def normalize(b: Any, a: Any) -> Any:
    if np.ndim(b) > 1 or np.ndim(a) > 1 or np.iscomplexobj(b) or np.iscomplexobj(a):
        refuse("scipy.signal.normalize has a derivative for real coefficients of one axis", "give each row by itself")
    num, den = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    if np.all(den == 0.0):
        raise ValueError("Denominator must have at least on nonzero element.")
    den = den[np.argmax(den != 0.0):]
    num, den = num / den[0], den / den[0]
    large = np.abs(num) > 1e-14
    first = np.argmax(large) if np.any(large) else len(num) - 1
    return num[first:], den


@definition_of(polynomials.polyroots)
def polyroots(coef: Any, *, xp: Any = None) -> Any:
    return np.roots(coef)


@definition_of(designs._resize)
def resize(a: Any, new_shape: Any, xp: Any = None) -> Any:
    return np.resize(a, new_shape)


def turned(n: Any) -> Any:
    """Of `(z + 1)^(n - q) (z - 1)^q` the coefficients, highest first, in row q."""
    first, second = np.poly1d([1.0, 1.0]), np.poly1d([1.0, -1.0])
    return np.stack([(first ** int(n - q) * second ** int(q)).coeffs for q in range(n + 1)])


@definition_of(signal.bilinear)
def bilinear(b: Any, a: Any, fs: Any = 1.0) -> Any:
    if np.ndim(b) > 1 or np.ndim(a) > 1:
        refuse("scipy.signal.bilinear has a derivative for coefficients of one axis", "give each row by itself")
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    n = max(len(a), len(b)) - 1
    rows, factor = constant(turned, MATRIX, n), np.sqrt(fs * 2.0)
    by_b, by_a = [x[::-1] * factor ** (2.0 * np.arange(len(x)) - n) for x in (b, a)]
    return signal.normalize(np.dot(by_b, rows[:len(b)]), np.dot(by_a, rows[:len(a)]))


# -- systems of differential equations ---------------------------------------------------------------------------------


@dataclass
class System:
    """`x' = A x + B u`, `y = C x + D u`."""

    A: Any
    B: Any
    C: Any
    D: Any

    def _as_ss(self) -> Any:
        return self


@definition_of(signal.lti)
def lti(*system: Any) -> Any:
    if len(system) == 2:
        b, a = [np.asarray(x) * 1.0 for x in system]
        if np.ndim(b) != 1:
            refuse("a system of scipy.signal has a derivative for one numerator", "give each row by itself")
        A, B, C, D = signal.tf2ss(b, a)
        n = len(a) - 1
        return System(np.reshape(A, (n, n)), np.reshape(B, (n, 1)), np.reshape(C, (1, n)), np.reshape(D, (1, 1)))
    return System(*(signal.zpk2ss(*system) if len(system) == 3 else signal.abcd_normalize(*system)))


def of_parts(parts: Any) -> Any:
    """Numerator and denominator of a system that is given by them, or by zeros, poles and a gain."""
    return signal.normalize(*parts) if len(parts) == 2 else signal.zpk2tf(*parts)


@definition_of(signal.freqresp)
def freqresp(system: Any, w: Any = None, n: Any = 10000) -> Any:
    if w is None or isinstance(system, System) or len(system) == 4:
        refuse("scipy.signal.freqresp has a derivative for the coefficients or the zeros of a system and for `w`",
               "give it two or three arrays, and the frequencies as `w`")
    b, a = of_parts(system)
    return signal.freqs(b, a, w)


@definition_of(signal.lsim)
def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> Any:
    sys, T = system if isinstance(system, System) else lti(*system), np.atleast_1d(T) * 1.0
    A, B, C, D = [np.asarray(x) * 1.0 for x in (sys.A, sys.B, sys.C, sys.D)]
    n, m = np.shape(B)
    steps = len(T)
    dt = T[1] - T[0]
    if not np.allclose(np.diff(T), dt):
        raise ValueError("Time steps are not equally spaced.")
    start = np.zeros(n) if X0 is None else np.asarray(X0) * 1.0
    if T[0] < 0.0:
        raise ValueError("Initial time must be nonnegative")
    x = np.zeros((steps, n))
    x[0] = np.dot(start, linalg.expm(np.transpose(A) * T[0])) if T[0] > 0.0 else start
    none = U is None or (isinstance(U, (int, float)) and U == 0)
    U = np.zeros((steps, m)) if none else np.atleast_1d(np.asarray(U) * 1.0)
    U = U[:, None] if np.ndim(U) == 1 else U
    if np.shape(U)[0] != steps:
        raise ValueError("U must have the same number of rows as elements in T.")
    if interp:
        M = np.vstack([np.hstack([A * dt, B * dt, np.zeros((n, m))]),
                       np.hstack([np.zeros((m, n + m)), np.eye(m)]), np.zeros((m, n + 2 * m))])
        moved = linalg.expm(np.transpose(M))
        ahead = moved[n + m:, :n]
        now = moved[n:n + m, :n] - ahead
    else:
        moved = linalg.expm(np.transpose(np.vstack([np.hstack([A * dt, B * dt]), np.zeros((m, n + m))])))
        now, ahead = moved[n:, :n], np.zeros((m, n))
    along = moved[:n, :n]
    for i in range(1, steps):
        x[i] = x[i - 1] @ along + U[i - 1] @ now + U[i] @ ahead
    return T, np.squeeze(x @ np.transpose(C) + U @ np.transpose(D)), np.squeeze(x + 0.0)


# -- symmetric filters -------------------------------------------------------------------------------------------------


def first_sum(x: Any, z: Any, precision: Any) -> int:
    """How many samples SciPy adds for the first one, until what is added is small."""
    small = precision if 0.0 < precision < 1.0 else (1e-6 if np.asarray(x).dtype == np.float32 else 1e-11)
    count = int(np.ceil(np.log(small) / np.log(abs(z)))) if z != 0.0 else 1
    if count >= np.shape(x)[-1]:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return count


@definition_of(signal.symiirorder1)
def symiirorder1(signal: Any, c0: Any, z1: Any, precision: Any = -1.0) -> Any:
    x = np.asarray(signal) * 1.0
    if np.iscomplexobj(x) or np.ndim(x) > 2:
        refuse("scipy.signal.symiirorder1 has a derivative for real signals of one or two axes")
    if np.abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    count = constant(first_sum, 1, x, z1, precision)
    k = np.arange(np.shape(x)[-1])
    powers = np.where(k < count, z1 ** (k + 1.0), 0.0)
    first = x[..., 0] + np.sum(x * powers, axis=-1)
    there = filtered(np.concatenate([first[..., None], x[..., 1:]], axis=-1), z1)
    last = -c0 / (z1 - 1.0) * there[..., -1]
    return filtered(np.concatenate([last[..., None], c0 * there[..., -2::-1]], axis=-1), z1)[..., ::-1]


def filtered(x: Any, z: Any) -> Any:
    """`y_i = x_i + z y_i-1`."""
    return sampled.lfilter(np.ones(1), np.stack([1.0, -z]), x)


@definition_of(signal.sepfir2d)
def sepfir2d(input: Any, hrow: Any, hcol: Any) -> Any:
    """Rows are filtered by the first filter, and columns by the second one, with mirrors behind the ends."""
    x, rows, columns = np.asarray(input) * 1.0, np.asarray(hrow) * 1.0, np.asarray(hcol) * 1.0
    if np.shape(rows)[0] % 2 != 1 or np.shape(columns)[0] % 2 != 1:
        raise ValueError("hrow and hcol must be odd length")
    if np.iscomplexobj(x) or np.iscomplexobj(rows) or np.iscomplexobj(columns) or x.dtype == np.float32:
        refuse("scipy.signal.sepfir2d has a derivative for real numbers of double precision")
    return images.convolve1d(images.convolve1d(x, rows, 1), columns, 0)
