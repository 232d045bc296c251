"""Symmetric filters of order two of `scipy.signal`, and the splines of images that are made by them.

    y = cs^2 x / ((1 - a_2 / z - a_3 / z^2) (1 - a_2 z - a_3 z^2))        a_2 = 2 r cos(omega), a_3 = -r^2

A signal goes on behind its ends as in a mirror. The first two samples of either direction are sums over it, of as many
terms as SciPy takes.

>>> cspline2d(np.ones((9, 9)), 0.0, 1e-2)[4, 4].round(3)
np.float64(1.0)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

signal: Any = scipy.signal


def forward_weight(k: Any, r: Any, omega: Any) -> Any:
    """What the forward filter answers, after `k` samples, to a one."""
    cs = 1.0 - 2.0 * r * np.cos(omega) + r * r
    if omega == 0.0:
        return cs * r**k * (k + 1.0)
    if omega == np.pi:
        return cs * r**k * (k + 1.0) * (1.0 - 2.0 * (k % 2))
    return cs * r**k * np.sin(omega * (k + 1.0)) / np.sin(omega)


def both_weight(k: Any, r: Any, omega: Any) -> Any:
    """What both filters answer, at the distance `k`, to a one, as SciPy has it also for omega = pi."""
    k, square = np.abs(k), r * r
    cs = 1.0 - 2.0 * r * np.cos(omega) + square
    if omega == 0.0 or omega == np.pi:
        sign = 1.0 if omega == 0.0 else 1.0 - 2.0 * (k % 2)
        level = (1.0 + square) / (1.0 - square) ** 3 * cs * cs
        return level * r**k * (1.0 + sign * (1.0 - square) / (1.0 + square) * k)
    level = cs * cs * (1.0 + square) / (1.0 - square) / (1.0 - 2.0 * square * np.cos(2.0 * omega) + square * square)
    lean = (1.0 - square) / (1.0 + square) / np.tan(omega)
    return level * r**k * (np.cos(omega * k) + lean * np.sin(omega * k))


def counts(n: int, r: Any, omega: Any, precision: Any) -> Any:
    """How many terms SciPy adds for each of the four samples, until a term (backwards its square) is small."""
    k = np.arange(n)
    found = [forward_weight(k + 1, r, omega), forward_weight(k + 2, r, omega),
             both_weight(k, r, omega) + both_weight(k + 1, r, omega),
             both_weight(k - 1, r, omega) + both_weight(k + 2, r, omega)]
    bounds = [precision * precision] * 2 + [precision] * 2
    small = [np.flatnonzero(w * w <= bound) for w, bound in zip(found, bounds, strict=True)]
    if min([len(at) for at in small]) == 0 or max([int(at[0]) for at in small]) >= n - 1:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return np.array([int(at[0]) + 1 for at in small])


def filtered(first: Any, second: Any, x: Any, r: Any, omega: Any) -> Any:
    """`y_i = cs x_i + a_2 y_i-1 + a_3 y_i-2` along the last axis, from two samples on."""
    cs = 1.0 - 2.0 * r * np.cos(omega) + r * r
    a2, a3 = 2.0 * r * np.cos(omega), -r * r
    start = np.stack([first, second - a2 * first], axis=-1)
    driven = np.concatenate([start, cs * x[..., 2:]], axis=-1)
    return signal.lfilter(np.ones(1), np.stack([1.0, -a2, -a3]), driven)


@definition_of(signal.symiirorder2)
def symiirorder2(input: Any, r: Any, omega: Any, precision: Any = -1.0) -> Any:
    x, r, omega = np.asarray(input), r * 1.0, omega * 1.0
    if np.iscomplexobj(x) or x.dtype == np.float32:
        refuse("scipy.signal.symiirorder2 has a derivative for real signals of double precision")
    if np.ndim(x) > 2:
        raise ValueError("Input must be 1D or 2D")
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    n = np.shape(x)[-1]
    small = precision if 0.0 < precision < 1.0 else 1e-11
    count, k = constant(counts, np.zeros(4, np.int64), n, r, omega, small), np.arange(n)
    one, two = forward_weight(k + 1, r, omega), forward_weight(k + 2, r, omega)
    at = forward_weight(np.arange(2), r, omega)
    first = at[0] * x[..., 0] + np.sum(np.where(k < count[0], one, 0.0) * x, axis=-1)
    second = at[0] * x[..., 1] + at[1] * x[..., 0] + np.sum(np.where(k < count[1], two, 0.0) * x, axis=-1)
    there, back = filtered(first, second, x * 1.0, r, omega), x[..., ::-1]
    near = both_weight(k, r, omega) + both_weight(k + 1, r, omega)
    far = both_weight(k - 1, r, omega) + both_weight(k + 2, r, omega)
    last = np.sum(np.where(k < count[2], near, 0.0) * back, axis=-1)
    before = np.sum(np.where(k < count[3], far, 0.0) * back, axis=-1)
    return filtered(last, before, there[..., ::-1], r, omega)[..., ::-1]


# -- splines of images -------------------------------------------------------------------------------------------------


def image_of(name: Any, given: Any) -> Any:
    image = np.asarray(given)
    if np.ndim(image) != 2 or np.iscomplexobj(image) or image.dtype == np.float32:
        refuse(f"scipy.signal.{name} has a derivative for real images of double precision")
    return image * 1.0


@definition_of(signal.cspline2d)
def cspline2d(signal: Any, lamb: Any = 0.0, precision: Any = -1.0) -> Any:
    image = image_of("cspline2d", signal)
    small = precision if 0.0 <= precision < 1.0 else 1e-6
    if lamb <= 1.0 / 144.0:
        return twice(image, math.sqrt(3.0) - 2.0, 6.0, small)
    root = np.sqrt(3.0 + 144.0 * lamb)
    xi = 1.0 - 96.0 * lamb + 24.0 * lamb * root
    omega = np.arctan(np.sqrt((144.0 * lamb - 1.0) / xi))
    r = (24.0 * lamb - 1.0 - np.sqrt(xi)) / (24.0 * lamb) * np.sqrt(48.0 * lamb + 24.0 * lamb * root) / np.sqrt(xi)
    return np.transpose(symiirorder2(np.transpose(symiirorder2(image, r, omega, small)), r, omega, small))


@definition_of(signal.qspline2d)
def qspline2d(signal: Any, lamb: Any = 0.0, precision: Any = -1.0) -> Any:
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    return twice(image_of("qspline2d", signal), 2.0 * math.sqrt(2.0) - 3.0, 8.0,
                 precision if 0.0 <= precision < 1.0 else 1e-6)


def twice(image: Any, z: Any, scale: Any, precision: Any) -> Any:
    """A filter of order one along the rows, and then along the columns."""
    rows = signal.symiirorder1(image, -z * scale, z, precision)
    return np.transpose(signal.symiirorder1(np.transpose(rows), -z * scale, z, precision))


@definition_of(signal.spline_filter)
def spline_filter(Iin: Any, lmbda: Any = 5.0) -> Any:
    third = float(np.float32(1.0) / np.float32(6.0))
    weights = np.array([third, float(np.float32(4.0) / np.float32(6.0)), third])
    return signal.sepfir2d(cspline2d(image_of("spline_filter", Iin), lmbda), weights, weights)
