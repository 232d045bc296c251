"""Polynomials through points, and sums of radial functions.

    polynomial     p(x) = c_0 + (x - x_0) (c_1 + (x - x_1) (...)),   c_k the divided differences
    radial         s(x) = sum of a_j phi(|x - x_j|) + polynomial,   through the points, a orthogonal to polynomials

>>> float(barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], 1.5))
2.25
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

interpolate: Any = scipy.interpolate


@dataclass
class Newton:
    """The polynomial with divided differences `c` at the places `x`."""

    x: Any
    c: Any

    def __call__(self, x: Any) -> Any:
        at, n = np.asarray(x) * 1.0, len(self.x)
        wide = np.shape(at) + (1,) * (np.ndim(self.c) - 1)
        total = np.zeros(np.shape(at) + np.shape(self.c)[1:]) + self.c[n - 1]
        for k in range(n - 2, -1, -1):
            total = total * np.reshape(at - self.x[k], wide) + self.c[k]
        return np.asarray(total)

    def derivatives(self, x: Any, der: Any = None) -> Any:
        """The value and the derivatives of orders below `der`, along a first axis."""
        if der is not None and np.ndim(der) != 0:
            refuse("the derivatives of a polynomial of scipy.interpolate are those of all orders below one")
        at, n, count = np.asarray(x) * 1.0, len(self.x), len(self.x) if der is None else der
        wide = np.shape(at) + (1,) * (np.ndim(self.c) - 1)
        rows = np.zeros((count, *np.shape(at), *np.shape(self.c)[1:]))
        for k in range(n - 1, -1, -1):
            beside = np.zeros(np.shape(at) + np.shape(self.c)[1:]) + self.c[k]
            rows = rows * np.reshape(at - self.x[k], wide) + np.concatenate([beside[None], rows[:-1]])
        sizes = np.cumprod(np.maximum(np.arange(count) * 1.0, 1.0))
        return rows * np.reshape(sizes, (-1,) + (1,) * (np.ndim(rows) - 1))

    def derivative(self, x: Any, der: Any = 1) -> Any:
        return self.derivatives(x, der + 1)[der]


@definition_of(interpolate.BarycentricInterpolator, interpolate.KroghInterpolator)
def through(xi: Any, yi: Any, axis: Any = 0) -> Any:
    x, c = np.asarray(xi) * 1.0, np.moveaxis(np.asarray(yi) * 1.0, axis, 0)
    if axis != 0:
        refuse("a polynomial of scipy.interpolate has a derivative for axis=0")
    wide = (-1,) + (1,) * (np.ndim(c) - 1)
    for k in range(1, len(x)):
        steps = (c[k:] - c[k - 1:-1]) / np.reshape(x[k:] - x[:-k], wide)
        c = np.concatenate([c[:k], steps])
    return Newton(x, c)


@definition_of(interpolate.barycentric_interpolate)
def barycentric_interpolate(xi: Any, yi: Any, x: Any, axis: Any = 0) -> Any:
    return through(xi, yi, axis)(x)


@definition_of(interpolate.krogh_interpolate)
def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if np.ndim(der) != 0:
        refuse("scipy.interpolate.krogh_interpolate has a derivative for one `der`", "call it for each")
    made = through(xi, yi, axis)
    return made(x) if der == 0 else made.derivative(x, der)


@definition_of(interpolate.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    return interpolate.PchipInterpolator(xi, yi, axis)(x, der)


# -- radial functions --------------------------------------------------------------------------------------------------

DEGREES = {"linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2, "gaussian": -1, "multiquadric": 0,
           "inverse_multiquadric": -1, "inverse_quadratic": -1}


def radial(kernel: Any, square: Any) -> Any:
    """The function of a squared distance."""
    none = square == 0.0
    safe = np.where(none, 1.0, square)
    if kernel == "linear":
        return np.where(none, 0.0, -np.sqrt(safe))
    if kernel == "thin_plate_spline":
        return np.where(none, 0.0, 0.5 * safe * np.log(safe))
    if kernel == "cubic":
        return np.where(none, 0.0, safe * np.sqrt(safe))
    if kernel == "quintic":
        return np.where(none, 0.0, -safe * safe * np.sqrt(safe))
    if kernel == "gaussian":
        return np.exp(-square)
    if kernel == "multiquadric":
        return -np.sqrt(square + 1.0)
    return 1.0 / np.sqrt(square + 1.0) if kernel == "inverse_multiquadric" else 1.0 / (square + 1.0)


def squares(x: Any, y: Any) -> Any:
    return np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def monomials(x: Any, degree: Any) -> Any:
    """The constant, and the coordinates where the degree is 1."""
    one = np.ones((np.shape(x)[0], 1))
    return np.concatenate([one, x], axis=1) if degree == 1 else one


@dataclass
class Radial:
    """A sum of radial functions around places `y`, and a polynomial."""

    y: Any
    coefficients: Any
    kernel: Any
    epsilon: Any
    degree: Any

    def __call__(self, x: Any) -> Any:
        x, n = np.asarray(x) * 1.0, np.shape(self.y)[0]
        found = np.tensordot(radial(self.kernel, squares(x, self.y) * self.epsilon**2), self.coefficients[:n], 1)
        if self.degree < 0:
            return found
        return found + np.tensordot(monomials(x, self.degree), self.coefficients[n:], 1)


@definition_of(interpolate.RBFInterpolator)
def RBFInterpolator(y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0, kernel: Any = "thin_plate_spline",
                    epsilon: Any = None, degree: Any = None) -> Any:
    least = DEGREES[kernel]
    power = max(least, 0) if degree is None else degree
    if neighbors is not None or power > 1:
        refuse("scipy.interpolate.RBFInterpolator has a derivative for neighbors=None and degrees up to 1",
               "leave `neighbors` out, and give degree=1")
    if epsilon is None and kernel not in ("linear", "thin_plate_spline", "cubic", "quintic"):
        raise ValueError("`epsilon` must be specified if `kernel` is not one of {'linear', 'thin_plate_spline', "
                         "'cubic', 'quintic'}}.")
    y, d, size = np.asarray(y) * 1.0, np.asarray(d) * 1.0, 1.0 if epsilon is None else epsilon
    n = np.shape(y)[0]
    system = radial(kernel, squares(y, y) * size**2) + np.diag(np.zeros(n) + smoothing)
    if power < 0:
        return Radial(y, np.linalg.solve(system, d), kernel, size, power)
    p = monomials(y, power)
    k = np.shape(p)[1]
    above = np.concatenate([system, p], axis=1)
    below = np.concatenate([np.transpose(p), np.zeros((k, k))], axis=1)
    right = np.concatenate([d, np.zeros((k, *np.shape(d)[1:]))])
    return Radial(y, np.linalg.solve(np.concatenate([above, below]), right), kernel, size, power)
