"""Minima within bounds and under constraints: SciPy finds them, and the conditions of Karush, Kuhn and Tucker say how
they move, in which what holds there goes on to hold.

    g = f'(x) - sum_i l_i c_i'(x)      g_j = 0, or x_j is a bound that g pushes against      c_i(x) = 0 or l_i = 0

>>> low, high = sides([(0.0, None), (None, 2.0)])
>>> within(np.array([0.0, 1.0]), np.array([3.0, 0.5]), low, high)
array([0. , 0.5])

Reference: *Numerical Optimization* (Nocedal, Wright), 12.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from ccc.compile.api.jacobians import jacobian
from ccc.compile.api.transforms import gradient
from ccc.compile.frontend.numpy_functions.table import definition_of, lifted, refuse
from ccc.compile.libraries.solutions import solved
from ccc.primitives.frozen import ARGUMENTS

optimize: Any = scipy.optimize
NEAR = 1e-7  # how close a place is to a bound that it is at; what stays inside of all comes closer than this
HOLDS = 1e-5  # how close to zero a constraint is that holds it back; one that is violated does so too
SEARCHES = (None, "L-BFGS-B", "SLSQP", "TNC", "Nelder-Mead", "Powell")


# -- bounds ------------------------------------------------------------------------------------------------------------


@dataclass
class Box:
    """Lower and upper bounds of each number, or of all."""

    __ccc_bases__ = (optimize.Bounds,)

    lb: Any
    ub: Any


@definition_of(optimize.Bounds)
def box(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    return Box(np.atleast_1d(lb) * 1.0, np.atleast_1d(ub) * 1.0)


def sides(bounds: Any, like: Any = 0.0) -> Any:
    """The lower and the upper bounds of pairs, in which None is no bound, or of SciPy's object for such a place."""
    if isinstance(bounds, (Box, optimize.Bounds)):
        return bounds.lb + 0.0 * like, bounds.ub + 0.0 * like
    return (np.array([-np.inf if pair[0] is None else pair[0] * 1.0 for pair in bounds]),
            np.array([np.inf if pair[1] is None else pair[1] * 1.0 for pair in bounds]))


def within(x: Any, slope: Any, low: Any, high: Any) -> Any:
    """What is zero at a minimum within bounds: the slope, or the way to the bound that it pushes against."""
    at_low = (x - low <= NEAR * (1.0 + np.abs(x))) & (slope > 0.0)
    at_high = (high - x <= NEAR * (1.0 + np.abs(x))) & (slope < 0.0)
    return np.where(at_low, x - np.where(at_low, low, 0.0), np.where(at_high, x - np.where(at_high, high, 0.0), slope))


# -- constraints -------------------------------------------------------------------------------------------------------


@dataclass
class Between:
    """Lower and upper bounds of what a function gives."""

    __ccc_bases__ = (optimize.NonlinearConstraint,)

    fun: Any
    lb: Any
    ub: Any


@dataclass
class Products:
    """Lower and upper bounds of products with rows."""

    __ccc_bases__ = (optimize.LinearConstraint,)

    A: Any
    lb: Any
    ub: Any


@definition_of(optimize.NonlinearConstraint)
def between(fun: Any, lb: Any, ub: Any, jac: Any = "2-point", hess: Any = None, keep_feasible: Any = False,
            finite_diff_rel_step: Any = None, finite_diff_jac_sparsity: Any = None) -> Any:
    return Between(fun, np.asarray(lb) * 1.0, np.asarray(ub) * 1.0)


@definition_of(optimize.LinearConstraint)
def products(A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    return Products(np.asarray(A) * 1.0, np.asarray(lb) * 1.0, np.asarray(ub) * 1.0)


def fields_of(cls: Any, *names: str) -> Any:
    """How what a program made before is read."""
    return lambda made: (cls, (), {
        name: getattr(made, name) if name == "fun" else np.asarray(getattr(made, name)) * 1.0 for name in names})


ARGUMENTS.update({
    optimize.Bounds: fields_of(Box, "lb", "ub"), optimize.LinearConstraint: fields_of(Products, "A", "lb", "ub"),
    optimize.NonlinearConstraint: fields_of(Between, "fun", "lb", "ub"),
})


def as_list(constraints: Any) -> Any:
    alone = isinstance(constraints, (dict, Between, Products, optimize.NonlinearConstraint, optimize.LinearConstraint))
    return (constraints,) if alone else tuple(constraints)


def said_of(c: Any, x: Any) -> Any:
    """What a constraint says of a place: values that are zero, or not negative, and ones where they are to be zero.
    Bounds say how far above the lower ones and then how far below the upper ones it is; of equal ones the first is
    zero, and what has no bound is 1."""
    if isinstance(c, dict):
        found = np.ravel(np.asarray(c["fun"](x, *c.get("args", ())))) * 1.0
        return found, np.zeros_like(found) + (1.0 if c["type"] == "eq" else 0.0)
    if isinstance(c, (Products, optimize.LinearConstraint)):
        found = np.dot(np.atleast_2d(c.A), x)
    else:
        found = np.ravel(np.asarray(c.fun(x))) * 1.0
    low, high = np.asarray(c.lb) + np.zeros_like(found), np.asarray(c.ub) + np.zeros_like(found)
    same, below, above = low == high, np.isfinite(low), np.isfinite(high) & (low != high)
    return (np.concatenate([np.where(below, found - np.where(below, low, 0.0), 1.0),
                            np.where(above, np.where(above, high, 0.0) - found, 1.0)]),
            np.concatenate([np.where(same, 1.0, 0.0), np.zeros_like(found)]))


def values(constraints: Any, x: Any) -> Any:
    """What the constraints say of a place, one after the other."""
    return np.concatenate([said_of(c, x)[0] for c in constraints])


def are_equal(constraints: Any, x: Any) -> Any:
    """Of which constraints the values are zero, and not only positive."""
    return np.concatenate([said_of(c, x)[1] for c in constraints])


def place_and_pushes(f: Any, captured: Any, slope: Any, said: Any, of_said: Any, rows: Any, of_rows: Any, start: Any,
                     low: Any, high: Any, options: Any) -> Any:
    """The place that SciPy finds, and behind it how much the constraints push."""
    equal = np.asarray(said(start, *of_said))[1] > 0.0
    parts = [(kind, which) for kind, which in (("eq", equal), ("ineq", ~equal)) if np.any(which)]
    found = optimize.minimize(
        lambda x: f(x, *captured), start, jac=None if slope[0] is None else lambda x: slope[0](x, *slope[1]),
        bounds=bounded(low, high), constraints=[
            {"type": kind, "fun": lambda x, which=which: np.asarray(said(x, *of_said))[0][which]}
            for kind, which in parts], **options)
    if not found.success:
        raise ValueError(f"scipy.optimize.minimize found nothing, so there is no derivative: {found.message}")
    x, far = np.asarray(found.x), NEAR * (1.0 + np.abs(found.x))
    free, slopes = (x - low > far) & (high - x > far), np.asarray(rows(x, *of_rows))[:, :]
    values = np.asarray(said(x, *of_said))[0]
    return np.concatenate([x, pushes(slopes[1:, free], slopes[0, free], equal, values <= HOLDS)])


def pushes(rows: Any, slope: Any, equal: Any, holds: Any) -> Any:
    """How much of each row makes a slope, by least squares, and nothing of what does not hold or would pull."""
    found, holds = np.zeros(len(rows)), holds | equal
    while np.any(holds):
        found[:] = 0.0
        found[holds] = np.linalg.lstsq(rows[holds].T, slope, rcond=None)[0]
        if np.all(equal | (found >= 0.0)):
            break
        holds = holds & (equal | (found > 0.0))
    return found


def bounded(low: Any, high: Any) -> Any:
    return None if np.all(np.isinf(low)) and np.all(np.isinf(high)) else optimize.Bounds(low, high)


def bounded_minimum(f: Any, captured: Any, slope: Any, start: Any, low: Any, high: Any, options: Any) -> Any:
    found = optimize.minimize(
        lambda x: f(x, *captured), start, jac=None if slope[0] is None else lambda x: slope[0](x, *slope[1]),
        bounds=optimize.Bounds(low, high), **options)
    if not found.success:
        raise ValueError(f"scipy.optimize.minimize found nothing, so there is no derivative: {found.message}")
    return found.x


def minimum_within(least: Any, captured: Any, slope: Any, start: Any, bounds: Any, constraints: Any,
                   options: Any) -> Any:
    """Where a function is least within bounds and under constraints."""
    if bounds is None:
        low, high = np.full(np.shape(start), -np.inf), np.full(np.shape(start), np.inf)
    else:
        low, high = sides(bounds, start)
    given = as_list(constraints)
    if len(given) == 0:
        if options["method"] not in SEARCHES:
            refuse("scipy.optimize.minimize has a derivative within bounds for the methods 'L-BFGS-B', 'SLSQP', 'TNC', "
                   "'Nelder-Mead' and 'Powell'", "leave `method` out")
        return solved(lambda x: within(x, gradient(lambda x: least(x, *captured))(x), low, high), bounded_minimum,
                      (least, captured, slope, start, low, high, options), start)
    if options["method"] not in (None, "SLSQP") and (
            bounds is not None or options["method"] not in ("trust-constr", "COBYLA", "COBYQA")):
        refuse("scipy.optimize.minimize has a derivative under constraints for method='SLSQP', and without bounds for "
               "'trust-constr', 'COBYLA' and 'COBYQA'", "leave `method` out")
    said, of_said = lifted(lambda x: np.stack([values(given, x), are_equal(given, x)]), start)
    rows, of_rows = lifted(lambda x: np.concatenate([gradient(lambda x: least(x, *captured))(x)[None], jacobian(
        lambda x: values(given, x))(x)]), start)

    def conditions(z: Any) -> Any:
        x, push = z[:len(low)], z[len(low):]
        of_all = gradient(lambda x: least(x, *captured) - np.sum(push * values(given, x)))(x)
        holds = (are_equal(given, x) > 0.0) | (push > 0.0)
        return np.concatenate([within(x, of_all, low, high), np.where(holds, values(given, x), push)])

    both = (least, captured, slope, said, of_said, rows, of_rows, start, low, high, options)
    return solved(conditions, place_and_pushes, both, np.concatenate([start, values(given, start)]))[:len(start)]
