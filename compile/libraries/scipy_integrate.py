"""Integrals: SciPy chooses the places, and the program computes at these.

    quad        sum of w_i f(a + (b - a) t_i) (b - a), Kronrod's rule of 21 points on intervals that are small enough

The derivative is that of what is computed there: the places, as shares of the whole, are constants of it. The value of
`quad` is SciPy's own, which extrapolates; an integral to infinity is one of `t` in `x = a + (1 - t) / t`, as in SciPy.

>>> round(quad(lambda x: x * x, 0.0, 3.0)[0], 12)
9.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate
import scipy.special

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.api.solvers import is_inexact
from ccc.compile.api.transforms import pullback
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, hosted, lifted, refuse
from ccc.compile.libraries import (
    scipy_boundary_values as scipy_boundary_values,
    scipy_initial_values as scipy_initial_values,
    scipy_quasi_random as scipy_quasi_random,
    scipy_sums as scipy_sums,
)
from ccc.compile.libraries.arguments import further
from ccc.compile.libraries.results import Result
from ccc.compile.libraries.scipy_rules_of_points import MATRIX, places, rule_of_points
from ccc.compile.libraries.scipy_weighted_integrals import weighted
from ccc.compile.libraries.slopes import with_slope_of

integrate: Any = scipy.integrate
VECTOR = np.zeros(2)


# -- integrals of functions --------------------------------------------------------------------------------------------


def integral(f: Any, captured: Any, a: Any, b: Any, options: Any) -> Any:
    """What SciPy's `quad` gives: the integral and its error."""
    return hosted(adaptive, VECTOR, f, captured, a, b, options)


def integral_rule(f: Any, captured: Any, a: Any, b: Any, options: Any) -> Any:
    """The derivative is that of a rule of points, which nobody asks for where only the value is wanted."""
    def pulled(ct: Any) -> Any:
        at = constant(places, MATRIX, f, captured, a, b)

        def total(moved: Any, low: Any, high: Any) -> Any:
            inside = [m if is_inexact(c) else c for m, c in zip(moved, captured, strict=True)]
            return rule_of_points(f, inside, at, low, high)

        of_captured, of_a, of_b = pullback(total)(captured, a, b)(ct[0])
        return None, of_captured, of_a, of_b, None

    return integral(f, captured, a, b, options), pulled


RULES[integral] = integral_rule


def adaptive(f: Any, captured: Any, a: Any, b: Any, options: Any) -> Any:
    return np.array(integrate.quad(lambda x: f(x, *captured), a, b, **options))


@definition_of(integrate.quad)
def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-08,
         epsrel: Any = 1.49e-08, limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None,
         wopts: Any = None, maxp1: Any = 50, limlst: Any = 50, complex_func: Any = False) -> Any:
    if full_output or wopts is not None:
        refuse("scipy.integrate.quad has a derivative for full_output=0 and wopts=None", "leave both out")
    given = further(args)
    if complex_func:
        real, imag = [quad(lambda x, part=part: part(func(x, *given)), a, b, (), 0, epsabs, epsrel, limit, points,
                           weight, wvar, None, maxp1, limlst) for part in (np.real, np.imag)]
        return complex(real[0], imag[0]), complex(real[1], imag[1])
    if weight is not None:
        return weighted(lambda x: func(x, *given), a, b, weight, wvar, {
            "epsabs": epsabs, "epsrel": epsrel, "limit": limit, "maxp1": maxp1, "limlst": limlst})
    if points is not None:
        return quad_at(func, a, b, given, epsabs, epsrel, limit, points)
    f, captured = lifted(lambda x: func(x, *given) * 1.0, 0.5)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit}
    found = integral(f, captured, a * 1.0, b * 1.0, options)
    return float(found[0]), float(found[1])


@definition_of(integrate.dblquad)
def dblquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-08,
            epsrel: Any = 1.49e-08) -> Any:
    def inner(x: Any) -> Any:
        low, high = gfun(x) if callable(gfun) else gfun, hfun(x) if callable(hfun) else hfun
        return quad(lambda y: func(y, x, *args), low, high, (), 0, epsabs, epsrel)[0]

    return quad(inner, a, b, (), 0, epsabs, epsrel)


@definition_of(integrate.tplquad)
def tplquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
            epsabs: Any = 1.49e-08, epsrel: Any = 1.49e-08) -> Any:
    def inner(y: Any, x: Any) -> Any:
        low, high = qfun(x, y) if callable(qfun) else qfun, rfun(x, y) if callable(rfun) else rfun
        return quad(lambda z: func(z, y, x, *args), low, high, (), 0, epsabs, epsrel)[0]

    return dblquad(inner, a, b, gfun, hfun, (), epsabs, epsrel)


@definition_of(integrate.nquad)
def nquad(func: Any, ranges: Any, args: Any = (), opts: Any = None) -> Any:
    if opts is not None or len(ranges) > 3:
        refuse("scipy.integrate.nquad has a derivative for up to three variables, and opts=None")
    given = further(args)
    ends: Any = [r if callable(r) else tuple(r) for r in ranges]
    if len(ends) == 1:
        return quad(func, ends[0][0], ends[0][1], given)
    if len(ends) == 2:
        return quad(lambda y: quad(lambda x: func(x, y, *given), *at(ends[0], (y,), given))[0], *at(ends[1], (), given))
    return quad(lambda z: quad(lambda y: quad(lambda x: func(x, y, z, *given), *at(ends[0], (y, z), given))[0],
                               *at(ends[1], (z,), given))[0], *at(ends[2], (), given))


def at(ends: Any, xs: Any, given: Any) -> Any:
    """Limits, which may depend on the variables outside."""
    limits: Any = ends(*xs, *given) if callable(ends) else ends
    return tuple(limits)


@definition_of(integrate.quad_vec)
def quad_vec(f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-08, norm: Any = "2", limit: Any = 10000, *,
             args: Any = ()) -> Any:
    inside, captured = lifted(lambda x: np.asarray(f(x, *args)) * 1.0, 0.5)
    at = constant(places, MATRIX, inside, captured, a, b)
    total = rule_of_points(inside, captured, at, a * 1.0, b * 1.0)
    return total, np.max(np.abs(without_derivative(total))) * 1e-10


@dataclass
class DoubleExponential(Result):
    """What `tanhsinh` gives."""

    success: Any
    status: Any
    integral: Any
    error: Any
    nfev: Any
    maxlevel: Any


def double_exponential(f: Any, captured: Any, a: Any, b: Any, options: Any) -> Any:
    """What SciPy's `tanhsinh` gives of a function of numbers."""
    found = integrate.tanhsinh(np.vectorize(lambda x: f(x, *captured), otypes=[float]), a, b, **options)
    return np.array([found.success, found.status, found.integral, found.error, found.nfev, found.maxlevel], float)


@definition_of(integrate.tanhsinh)
def tanhsinh(f: Any, a: Any, b: Any, *, args: Any = (), log: Any = False, maxlevel: Any = None, minlevel: Any = 2,
             atol: Any = None, rtol: Any = None, preserve_shape: Any = False, callback: Any = None) -> Any:
    if log or preserve_shape or callback is not None or np.ndim(a) > 0 or np.ndim(b) > 0:
        refuse("scipy.integrate.tanhsinh has a derivative between numbers, without log, preserve_shape and callback")
    given = further(args)
    inside, captured = lifted(lambda x: f(x, *given) * 1.0, 0.5)
    options = {"maxlevel": maxlevel, "minlevel": minlevel, "atol": atol, "rtol": rtol}
    found = constant(double_exponential, np.zeros(6), inside, captured, a, b, options)
    total = rule_of_points(inside, captured, constant(places, MATRIX, inside, captured, a, b), a * 1.0, b * 1.0)
    return DoubleExponential(found[0] > 0.0, int(found[1]), with_slope_of(found[2], total), found[3],
                             int(found[4]), int(found[5]))


def quad_at(func: Any, a: Any, b: Any, given: Any, epsabs: Any, epsrel: Any, limit: Any, points: Any) -> Any:
    """Between points at which the function may have kinks."""
    ends = [a, *[p for p in points], b]
    total, error = 0.0, 0.0
    for i in tuple(range(len(ends) - 1)):
        part = quad(func, ends[i], ends[i + 1], given, 0, epsabs, epsrel, limit)
        total, error = total + part[0], error + part[1]
    return total, error


def legendre(n: int) -> Any:
    return np.array(scipy.special.roots_legendre(n))


# -- integrals of samples ----------------------------------------------------------------------------------------------


@definition_of(integrate.cumulative_simpson)
def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    y = np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    n = np.shape(y)[-1]
    if n < 3 or (x is not None and np.ndim(x) != 1) or np.ndim(dx) != 0:
        raise ValueError("scipy.integrate.cumulative_simpson has a derivative for three samples and more, on a line")
    h = np.diff(np.asarray(x) * 1.0) if x is not None else np.ones(n - 1) * dx
    first = thirds(y[..., :-2], y[..., 1:-1], y[..., 2:], h[:-1], h[1:])
    last = thirds(y[..., 2:], y[..., 1:-1], y[..., :-2], h[1:], h[:-1])
    even = np.arange(n - 1) % 2 == 0
    steps = np.where(even[:-1], first, np.concatenate([np.zeros_like(last[..., :1]), last[..., :-1]], axis=-1))
    steps = np.concatenate([steps, last[..., -1:]], axis=-1)
    found = np.cumsum(steps, axis=-1)
    if initial is not None:
        found = np.concatenate([np.zeros_like(found[..., :1]), found], axis=-1) + initial
    return np.moveaxis(found, -1, axis)


def thirds(y0: Any, y1: Any, y2: Any, h0: Any, h1: Any) -> Any:
    """The integral over the first of two steps of the parabola through three samples."""
    both, ratio = h0 + h1, h0 / h1
    return h0 / 6.0 * ((3.0 - h0 / both) * y0 + (3.0 + h0 * ratio / both + h0 / both) * y1 - h0 * ratio / both * y2)


@definition_of(integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.moveaxis(np.asarray(y) * 1.0, axis, -1)
    weights = constant(romberg, VECTOR, np.shape(y)[-1])
    return np.sum(y * weights, axis=-1) * dx


def romberg(n: int) -> Any:
    """The weights of Romberg's rule, which is linear in the samples."""
    return np.array([float(integrate.romb(row)) for row in np.eye(n)])


@definition_of(integrate.newton_cotes)
def newton_cotes(rn: Any, equal: Any = 0) -> Any:
    """The weights of sums at places that may move; at whole steps they are constants."""
    if np.ndim(rn) == 0 or equal:
        n = rn if np.ndim(rn) == 0 else len(rn) - 1
        return constant(of_steps, VECTOR, n, 0), constant(of_steps, 0.0, n, 1)
    at = np.asarray(rn) * 1.0
    n = len(at) - 1
    if at[0] != 0.0 or at[n] != n:
        raise ValueError("The sample positions must start at 0 and end at N")
    y, powers = at / float(n), np.arange(n + 1)
    sums = np.where(powers % 2 == 0, 1.0 / (powers + 1.0), 0.0) * n
    weights = np.linalg.solve((2.0 * y - 1.0) ** powers[:, None], sums)
    is_even = n % 2 == 0 and np.all(np.diff(at) == 1.0)
    power = n + 2.0 if is_even else n + 1.0
    rest = (n / (n + 3.0) if is_even else n / (n + 2.0)) - np.dot(y**power, weights)
    factor = np.exp(power * np.log(n * 1.0) - scipy.special.gammaln(power + 1.0))
    found = constant(of_places, VECTOR, at)
    return with_slope_of(found[:-1], weights), with_slope_of(found[-1], rest * factor)


def of_places(at: Any) -> Any:
    return np.append(*integrate.newton_cotes(at))


def of_steps(n: int, part: int) -> Any:
    return integrate.newton_cotes(int(n))[part]
