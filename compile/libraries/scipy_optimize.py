"""Roots, fixed points and minima: SciPy finds them, and the implicit function theorem says how they move.

    root         f(x) = 0                  minimum      f'(x) = 0
    fixed point  x - f(x) = 0              least squares    J(x)^T r(x) = 0

Where SciPy does not find one, this raises `ValueError`: a place that solves nothing has no derivative. Derivatives that
a caller gives are taken along for the search and not for ours.

>>> brentq(lambda x: x * x - 2.0, 0.0, 2.0)
1.4142135623731364
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from ccc.compile.api.jacobians import jacobian
from ccc.compile.api.solvers import solution_at
from ccc.compile.api.transforms import derivative, gradient
from ccc.compile.frontend.numpy_functions.table import constant, count_of_parameters, definition_of, lifted, refuse
from ccc.compile.libraries import scipy_differences as scipy_differences, scipy_searches as scipy_searches
from ccc.compile.libraries.arguments import further
from ccc.compile.libraries.results import Optimum
from ccc.compile.libraries.scipy_constraints import as_list, minimum_within, within
from ccc.compile.libraries.slopes import with_slope_of
from ccc.compile.libraries.solutions import solution, solved

optimize: Any = scipy.optimize


@dataclass
class Found(Optimum):
    """A place that was found."""

    x: Any
    fun: Any
    success: Any = True


@dataclass
class FoundSquares(Found):
    """A place where a sum of squares is least."""

    cost: Any = 0.0


@dataclass
class FoundRoot(Optimum):
    """A root of one number that was found."""

    root: Any
    converged: Any = True
    flag: Any = "converged"


def checked(result: Any, name: str) -> Any:
    """The place that was found, also where rounding kept the library from coming closer to it than SciPy asks for by
    default. Raises `ValueError` where there is none."""
    rounded = "precision loss" in str(result.message) and np.max(np.abs(getattr(result, "jac", np.inf))) <= 1e-5
    if not result.success and not rounded:
        raise ValueError(f"scipy.optimize.{name} found nothing, so there is no derivative: {result.message}")
    return result.x


def closed(f: Any, captured: Any) -> Any:
    """A function for SciPy."""
    return None if f is None else lambda x: f(x, *captured)


def lifted_or_none(f: Any, args: Any, start: Any) -> Any:
    """A function that a caller may leave out, lifted at further arguments."""
    return (None, ()) if f is None else lifted(lambda x: f(x, *args) + 0.0 * x, start)


def slope_of_squares(away: Any, captured: Any) -> Any:
    """The slope of half the sum of squares."""
    return lambda x: gradient(lambda x: 0.5 * np.sum(away(x, *captured) ** 2))(x)


# -- roots of one number -----------------------------------------------------------------------------------------------


def bracketed(name: str, f: Any, captured: Any, a: Any, b: Any, options: Any) -> float:
    return getattr(optimize, name)(closed(f, captured), a, b, **options)


def between(name: Any, f: Any, a: Any, b: Any, args: Any, options: Any) -> Any:
    """A root between two numbers."""
    start, given = a * 1.0, further(args)
    residual, captured = lifted(lambda x: f(x, *given) * 1.0, start)
    return solution(residual, captured, bracketed, (name, residual, captured, a, b, options), start)


def bracketing(name: str) -> Any:
    """The definition of a function of these parameters."""

    @definition_of(getattr(optimize, name))
    def definition(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
                   maxiter: Any = 100, full_output: Any = False, disp: Any = True) -> Any:
        found = between(name, f, a, b, args, {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})
        return (found, FoundRoot(found)) if full_output else found

    return definition


brentq, brenth, ridder, bisect = [bracketing(name) for name in ("brentq", "brenth", "ridder", "bisect")]


@definition_of(optimize.toms748)
def toms748(f: Any, a: Any, b: Any, args: Any = (), k: Any = 1, xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
            maxiter: Any = 100) -> Any:
    return between("toms748", f, a, b, args, {"k": k, "xtol": xtol, "rtol": rtol, "maxiter": maxiter})


def by_newton(f: Any, captured: Any, slope: Any, bend: Any, x0: Any, x1: Any, options: Any) -> Any:
    return optimize.newton(closed(f, captured), x0, closed(*slope), x1=x1, fprime2=closed(*bend), **options)


@definition_of(optimize.newton)
def newton(func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-08, maxiter: Any = 50,
           fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, full_output: Any = False, disp: Any = True) -> Any:
    if full_output and np.ndim(x0) > 0:
        refuse("scipy.optimize.newton of arrays has a derivative for full_output=False", "leave `full_output` out")
    start = x0 * 1.0
    residual, captured = lifted(lambda x: func(x, *args) * 1.0, start)
    slope = lifted_or_none(fprime, args, start)
    bend = lifted_or_none(fprime2, args, start)
    options = {"tol": tol, "maxiter": maxiter, "rtol": rtol}
    found = solution(residual, captured, by_newton, (residual, captured, slope, bend, start, x1, options), start)
    return (found, FoundRoot(found)) if full_output else found


def scalar_root(f: Any, captured: Any, slope: Any, x0: Any, options: Any) -> float:
    found = optimize.root_scalar(closed(f, captured), fprime=closed(*slope), x0=x0, **options)
    if not found.converged:
        raise ValueError(f"scipy.optimize.root_scalar found nothing, so there is no derivative: {found.flag}")
    return found.root


@definition_of(optimize.root_scalar)
def root_scalar(f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, x0: Any = None,
                x1: Any = None, xtol: Any = None, rtol: Any = None, maxiter: Any = None) -> Any:
    start, given = (x0 if bracket is None else bracket[0]) * 1.0, further(args)
    both = fprime is True
    residual, captured = lifted(lambda x: (f(x, *given)[0] if both else f(x, *given)) * 1.0, start)
    slope = lifted(lambda x: f(x, *given)[1] * 1.0, start) if both else lifted_or_none(
        None if fprime is False else fprime, given, start)
    options = {"method": method, "bracket": bracket, "x1": x1, "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    return FoundRoot(solution(residual, captured, scalar_root, (residual, captured, slope, x0, options), start))


# -- systems -----------------------------------------------------------------------------------------------------------


def system_root(f: Any, captured: Any, slope: Any, x0: Any, options: Any) -> Any:
    return checked(optimize.root(closed(f, captured), x0, jac=closed(*slope), **options), "root")


@definition_of(optimize.root)
def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None,
         options: Any = None) -> Any:
    given = further(args)
    start = np.ravel(np.asarray(x0)) * 1.0
    both = jac is True
    residual, captured = lifted(lambda x: np.ravel(fun(x, *given)[0] if both else fun(x, *given)) * 1.0, start)
    slope = (None, ()) if jac is None or isinstance(jac, bool) else lifted(lambda x: np.asarray(jac(x, *given)), start)
    named = {"method": method, "tol": tol, "options": options}
    x = solution(residual, captured, system_root, (residual, captured, slope, start, named), start)
    return Found(x, residual(x, *captured))


@definition_of(optimize.fsolve)
def fsolve(func: Any, x0: Any, args: Any = (), fprime: Any = None, xtol: Any = 1.49012e-08, maxfev: Any = 0) -> Any:
    return root(func, x0, args, "hybr", fprime, None, {"xtol": xtol, "maxfev": maxfev}).x


def iterated(f: Any, captured: Any, x0: Any, options: Any) -> Any:
    return optimize.fixed_point(closed(f, captured), x0, **options)


@definition_of(optimize.fixed_point)
def fixed_point(func: Any, x0: Any, args: Any = (), xtol: Any = 1e-08, maxiter: Any = 500, method: Any = "del2") -> Any:
    start = x0 * 1.0 if np.ndim(x0) == 0 else np.asarray(x0) * 1.0
    image, captured = lifted(lambda x: func(x, *args) * 1.0, start)
    given = (image, captured, start, {"xtol": xtol, "maxiter": maxiter, "method": method})
    return solved(lambda x: x - image(x, *captured), iterated, given, start)


# -- minima ------------------------------------------------------------------------------------------------------------


def minimum(f: Any, captured: Any, slope: Any, bend: Any, x0: Any, options: Any) -> Any:
    found = optimize.minimize(closed(f, captured), x0, jac=closed(*slope), hess=closed(*bend), **options)
    return checked(found, "minimize")


@definition_of(optimize.minimize)
def minimize(fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
             hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> Any:
    if hessp is not None or callback is not None:
        refuse("scipy.optimize.minimize has a derivative for hessp=None and callback=None")
    given = further(args)
    start = np.ravel(np.asarray(x0)) * 1.0
    both = jac is True
    least, captured = lifted(lambda x: np.sum(fun(x, *given)[0] if both else fun(x, *given)), start)
    slope = (None, ()) if jac is None or isinstance(jac, str) or jac is False else lifted(
        lambda x: np.asarray(fun(x, *given)[1] if both else jac(x, *given)), start)
    bend = (None, ()) if hess is None or isinstance(hess, str) else lifted(
        lambda x: np.asarray(hess(x, *given)), start)
    named = {"method": method, "tol": tol, "options": options}
    if bounds is not None or len(as_list(constraints)) > 0:
        x = minimum_within(least, captured, slope, start, bounds, constraints, named)
    else:
        x = solved(lambda x: gradient(lambda x: least(x, *captured))(x), minimum,
                   (least, captured, slope, bend, start, named), start)
    return Found(x, least(x, *captured))


def scalar_minimum(f: Any, captured: Any, options: Any) -> float:
    found = optimize.minimize_scalar(closed(f, captured), **options)
    low, high = options["bounds"] or (-np.inf, np.inf)
    if min(found.x - low, high - found.x) <= 1e-4 * (high - low) < np.inf:
        raise ValueError("scipy.optimize.minimize_scalar found an end of the interval, which is no minimum of the "
                         "function and has no derivative")
    return checked(found, "minimize_scalar")


@definition_of(optimize.minimize_scalar)
def minimize_scalar(fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
                    tol: Any = None, options: Any = None) -> Any:
    given = further(args)
    least, captured = lifted(lambda x: fun(x, *given) * 1.0, 0.5)
    named = {"bracket": bracket, "bounds": bounds, "method": method, "tol": tol, "options": options}
    x = solved(lambda x: derivative(lambda x: least(x, *captured))(x), scalar_minimum, (least, captured, named), 0.5)
    return Found(x, least(x, *captured))


def least_of_squares(f: Any, captured: Any, jac: Any, of_jac: Any, x0: Any, low: Any, high: Any, options: Any) -> Any:
    given = {} if jac is None else {"jac": closed(jac, of_jac)}
    found = optimize.least_squares(closed(f, captured), x0, bounds=(low, high), **given, **options)
    return checked(found, "least_squares")


def loss_of(z: Any, loss: Any) -> Any:
    """What a robust loss makes of squares."""
    if loss == "linear":
        return z
    if loss == "soft_l1":
        return 2.0 * (np.sqrt(1.0 + z) - 1.0)
    if loss == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0)
    return np.log1p(z) if loss == "cauchy" else np.arctan(z)


@definition_of(optimize.least_squares)
def least_squares(fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: Any = "trf",
                  ftol: Any = 1e-08, xtol: Any = 1e-08, gtol: Any = 1e-08, x_scale: Any = None, loss: Any = "linear",
                  f_scale: Any = 1.0, max_nfev: Any = None, *, args: Any = (), kwargs: Any = None) -> Any:
    if loss not in ("linear", "soft_l1", "huber", "cauchy", "arctan"):
        refuse("scipy.optimize.least_squares has a derivative for the losses of SciPy", "name one, as loss='huber'")
    start, options = np.ravel(np.asarray(x0)) * 1.0, {} if kwargs is None else kwargs
    away, captured = lifted(lambda x: np.ravel(np.asarray(fun(x, *args, **options))) * 1.0, start)
    named = {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "x_scale": x_scale, "loss": loss,
             "f_scale": f_scale, "max_nfev": max_nfev}
    slopes, of_slopes = None, ()
    if isinstance(jac, str):
        named = {"jac": "3-point" if jac == "cs" else jac, **named}
    else:
        slopes, of_slopes = lifted(lambda x: np.asarray(jac(x, *args, **options)) * 1.0, start)
    low, high = of_two(bounds, start)

    def cost(x: Any) -> Any:
        return 0.5 * f_scale**2 * np.sum(loss_of((away(x, *captured) / f_scale) ** 2, loss))

    slope = slope_of_squares(away, captured) if loss == "linear" else lambda x: gradient(cost)(x)
    x = solved(lambda x: within(x, slope(x), low, high), least_of_squares,
               (away, captured, slopes, of_slopes, start, low, high, named), start)
    rest = away(x, *captured)
    return FoundSquares(x, rest, True, 0.5 * np.dot(rest, rest) if loss == "linear" else cost(x))


def of_two(bounds: Any, start: Any) -> Any:
    """The lower and the upper bound of each number, of a pair of these."""
    return np.asarray(bounds[0]) + np.zeros_like(start), np.asarray(bounds[1]) + np.zeros_like(start)


def first_guess(low: Any, high: Any) -> Any:
    """SciPy's: within the bounds, and 1 where there are none."""
    one = np.where(np.isfinite(low), low + 1.0, np.where(np.isfinite(high), high - 1.0, 1.0))
    both = np.isfinite(low) & np.isfinite(high)
    return np.where(both, 0.5 * (np.where(both, low, 0.0) + np.where(both, high, 0.0)), one)


def fitted(f: Any, captured: Any, jac: Any, of_jac: Any, p0: Any, options: Any) -> Any:
    """SciPy's parameters, and below them their covariance."""
    n = len(f(p0, *captured))
    given = {} if jac is None else {"jac": lambda x, *p: jac(np.array(p), *of_jac)}
    try:
        found = optimize.curve_fit(lambda x, *p: f(np.array(p), *captured), np.arange(n), np.zeros(n), p0, **given,
                                   **options)
    except RuntimeError as error:
        raise ValueError(f"scipy.optimize.curve_fit found nothing, so there is no derivative: {error}") from None
    return np.vstack(found)


@definition_of(optimize.curve_fit)
def curve_fit(f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
              check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None,
              **tolerances: Any) -> Any:
    """The parameters, and their covariance."""
    if "full_output" in tolerances:
        refuse("scipy.optimize.curve_fit has a derivative for full_output=False", "leave `full_output` out")
    if sigma is not None and np.ndim(sigma) > 1:
        refuse("scipy.optimize.curve_fit has a derivative for one sigma at each point")
    n = count_of_parameters(f) - 1 if p0 is None else len(np.atleast_1d(p0))
    low, high = of_two((-np.inf, np.inf) if bounds is None else bounds, np.zeros(n))
    start = first_guess(low, high) if p0 is None else np.ravel(np.asarray(p0)) * 1.0
    weight = 1.0 if sigma is None else 1.0 / np.asarray(sigma)
    x = np.asarray(xdata, float) if isinstance(xdata, (list, tuple, np.ndarray)) else xdata
    away, captured = lifted(
        lambda p: np.ravel((f(x, *[p[i] for i in tuple(range(n))]) - np.asarray(ydata)) * weight), start)
    slopes, of_slopes = None, ()
    if callable(jac):
        across = weight if np.ndim(weight) == 0 else np.asarray(weight)[:, None]
        slopes, of_slopes = lifted(
            lambda p: np.asarray(jac(x, *[p[i] for i in tuple(range(n))])) * across, start)
    slope, bounded = slope_of_squares(away, captured), bounds is not None or method not in (None, "lm")
    limits = (-np.inf, np.inf) if bounds is None else (low, high)
    named = {"absolute_sigma": absolute_sigma, "bounds": limits, "method": method, **tolerances}
    if isinstance(jac, str):
        named = {"jac": jac, **named}
    found = constant(fitted, np.zeros((2, 2)), away, captured, slopes, of_slopes, start, named)
    residual, of_residual = lifted(lambda x: within(x, slope(x), low, high) if bounded else slope(x), start)
    p = solution_at(residual, of_residual, found[0])
    rows, rest = jacobian(lambda p: away(p, *captured))(p), away(p, *captured)
    spread = np.linalg.inv(np.transpose(rows) @ rows)
    spread = spread if absolute_sigma else spread * (np.sum(rest * rest) / (len(rest) - n))
    return p, with_slope_of(found[1:], spread)
