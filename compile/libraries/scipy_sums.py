"""Sums of `scipy.integrate` over whole numbers, and integrals over boxes: values are SciPy's, slopes those of rules.

    sum of f(k) from a     =  a few terms + the integral of the rest + f / 2 - f' / 12 + f''' / 720  (Euler, Maclaurin)
    integral over a box    =  Kronrod's rule along each axis, in the boxes that SciPy came to

>>> round(float(nsum(lambda k: 1.0 / k**2, 1, 4).sum), 12)  # 1 + 1/4 + 1/9 + 1/16
1.423611111111

Reference: *NIST Handbook of Mathematical Functions*, 2.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.api.transforms import derivative
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, lifted, refuse
from ccc.compile.libraries.results import Result
from ccc.compile.libraries.slopes import with_slope_of

integrate: Any = scipy.integrate
VECTOR = np.zeros(2)
TERMS = 16


@dataclass
class Sum(Result):
    """What SciPy says of a sum."""

    success: Any
    status: Any
    sum: Any
    error: Any
    nfev: Any


def summed(f: Any, captured: Any, a: Any, b: Any, maxterms: Any, tolerances: Any) -> Any:
    found = integrate.nsum(lambda k: np.reshape(f(np.ravel(k), *captured), np.shape(k)), a, b, maxterms=maxterms,
                           tolerances=tolerances)
    return np.array([found.success, found.status, found.sum, found.error, found.nfev], float)


@definition_of(integrate.nsum)
def nsum(f: Any, a: Any, b: Any, *, step: Any = 1, args: Any = (), log: Any = False, maxterms: Any = 1048576,
         tolerances: Any = None) -> Any:
    if log or step != 1 or np.ndim(a) > 0 or np.ndim(b) > 0:
        refuse("scipy.integrate.nsum has a derivative between numbers, with step=1 and log=False")
    given = args if isinstance(args, tuple) else (args,)
    term, captured = lifted(lambda k: f(k, *given) * 1.0, 1.5)
    terms, of_terms = lifted(lambda k: np.asarray(f(k, *given)) * 1.0, np.array([1.5, 2.5]))
    first, last = without_derivative(a * 1.0), without_derivative(b * 1.0)
    found = constant(summed, np.zeros(5), terms, of_terms, first, last, maxterms, tolerances)
    total, infinite = 0.0, np.isinf(last)
    for k in range(TERMS if infinite else int(last - first) + 1):
        total = total + term(first + k, *captured)
    if infinite:
        at = first + TERMS
        slope = derivative(lambda k: term(k, *captured))
        bend = derivative(lambda k: derivative(lambda k: slope(k))(k))
        rest = integrate.quad(lambda k: term(k, *captured), at, np.inf)[0]
        total = total + rest + 0.5 * term(at, *captured) - slope(at) / 12.0 + bend(at) / 720.0
    return Sum(found[0] > 0.0, int(found[1]), with_slope_of(found[2], total), found[3], int(found[4]))


# -- integrals over boxes ----------------------------------------------------------------------------------------------


@dataclass
class Cubature(Result):
    """What SciPy says of an integral over a box."""

    estimate: Any
    error: Any
    status: Any


def cubed(f: Any, captured: Any, a: Any, b: Any, options: Any) -> Any:
    """In a row: the estimate, the error, and of all boxes points as shares of the whole one, each with its weight."""
    found = integrate.cubature(lambda x: f(x, *captured), a, b, **options)
    if found.status != "converged":
        raise ValueError("scipy.integrate.cubature did not converge, so there is no derivative")
    places, factors = np.polynomial.legendre.leggauss(10)
    points = np.stack(np.meshgrid(*[places] * len(a), indexing="ij"), -1).reshape(-1, len(a))
    weights = np.prod(np.stack(np.meshgrid(*[factors] * len(a), indexing="ij"), -1), -1).ravel()
    rows = [np.ravel(found.estimate), np.ravel(np.asarray(found.error) + np.zeros_like(found.estimate))]
    for region in found.regions:
        low, high = (np.asarray(region.a) - a) / (b - a), (np.asarray(region.b) - a) / (b - a)
        rows.append(np.column_stack([low + (high - low) * (points + 1.0) / 2.0,
                                     weights * np.prod(np.abs(high - low) / 2.0)]).ravel())
    return np.concatenate(rows)


@definition_of(integrate.cubature)
def cubature(f: Any, a: Any, b: Any, *, rule: Any = "gk21", rtol: Any = 1e-08, atol: Any = 0,
             max_subdivisions: Any = 10000, args: Any = (), workers: Any = 1, points: Any = None) -> Any:
    low, high = np.atleast_1d(a) * 1.0, np.atleast_1d(b) * 1.0
    if np.any(np.isinf(low)) or np.any(np.isinf(high)):
        raise ValueError("scipy.integrate.cubature has a derivative between finite limits")
    if points is not None:
        refuse("scipy.integrate.cubature has a derivative for points=None", "leave `points` out")
    options = {"rule": rule, "rtol": rtol, "atol": atol, "max_subdivisions": max_subdivisions}
    places = low + (high - low) * np.full((1, len(low)), 0.5)
    inside, captured = lifted(lambda x: np.asarray(f(x, *args)) * 1.0, places)
    like = np.sum(inside(places, *captured), axis=0)
    row = constant(cubed, VECTOR, inside, captured, low, high, options)
    size = np.size(like)
    estimate, error = [np.reshape(row[k * size:(k + 1) * size], np.shape(like)) for k in (0, 1)]
    at = np.reshape(row[2 * size:], (-1, len(low) + 1))
    values = inside(low + (high - low) * at[:, :-1], *captured)
    total = np.tensordot(at[:, -1], values, 1) * np.prod(high - low)
    return Cubature(with_slope_of(estimate, total), error, "converged")
