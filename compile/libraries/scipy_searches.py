"""Functions of `scipy.optimize` that are others of it, and what has a matrix.

    nnls         least squares in the columns that are not at zero: their normal equations
    fmin_bfgs    minimize(method="BFGS").x, and so the others

>>> nnls(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -1.0]))[0]
array([2., 0.])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from ccc.compile.api.transforms import gradient
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, lifted, refuse
from ccc.compile.libraries.arguments import further
from ccc.compile.libraries.results import Optimum
from ccc.compile.libraries.scipy_constraints import sides, within
from ccc.compile.libraries.solutions import solved

optimize: Any = scipy.optimize
VECTOR = np.zeros(2)


# -- minima ------------------------------------------------------------------------------------------------------------


def searching(name: str, method: str, **tolerances: str) -> Any:
    """The definition of a function of a name that searches by a method; of its tolerances, the names of both."""

    @definition_of(getattr(optimize, name))
    def definition(f: Any, x0: Any, fprime: Any = None, args: Any = (), disp: Any = 1, **given: Any) -> Any:
        others = {k: v for k, v in given.items() if k not in tolerances}
        if others:
            refuse(f"scipy.optimize.{name} has a derivative without further options", "take scipy.optimize.minimize")
        options = {tolerances[k]: v for k, v in given.items()}
        return optimize.minimize(f, x0, args, method, fprime, options=options).x

    return definition


fmin_bfgs = searching("fmin_bfgs", "BFGS", gtol="gtol", maxiter="maxiter")
fmin_cg = searching("fmin_cg", "CG", gtol="gtol", maxiter="maxiter")


@definition_of(optimize.fmin_l_bfgs_b)
def fmin_l_bfgs_b(func: Any, x0: Any, fprime: Any = None, args: Any = (), approx_grad: Any = 0, bounds: Any = None,
                  m: Any = 10, factr: Any = 1e7, pgtol: Any = 1e-5) -> Any:
    """The place and the value there; of what else SciPy says, that it was found."""
    jac = True if fprime is None and not approx_grad else fprime
    options = {"maxcor": m, "ftol": factr * 2.0**-52, "gtol": pgtol}
    found = optimize.minimize(func, x0, args, "L-BFGS-B", jac, bounds=bounds, options=options)
    return found.x, found.fun, {"warnflag": 0}


@definition_of(optimize.fmin_tnc)
def fmin_tnc(func: Any, x0: Any, fprime: Any = None, args: Any = (), approx_grad: Any = 0, bounds: Any = None,
             epsilon: Any = 1e-8, scale: Any = None, offset: Any = None, messages: Any = 15, maxCGit: Any = -1,
             maxfun: Any = None, eta: Any = -1, stepmx: Any = 0, accuracy: Any = 0, fmin: Any = 0, ftol: Any = -1,
             xtol: Any = -1, pgtol: Any = -1, rescale: Any = -1, disp: Any = None, callback: Any = None) -> Any:
    """The place; of what else SciPy says, that it was found."""
    if callback is not None:
        refuse("scipy.optimize.fmin_tnc has a derivative for callback=None")
    jac = True if fprime is None and not approx_grad else fprime
    options = {"eps": epsilon, "scale": scale, "offset": offset, "maxCGit": maxCGit, "maxfun": maxfun, "eta": eta,
               "stepmx": stepmx, "accuracy": accuracy, "minfev": fmin, "ftol": ftol, "xtol": xtol, "gtol": pgtol,
               "rescale": rescale}
    sides = [(None, None)] * np.size(x0) if bounds is None else bounds
    return optimize.minimize(func, x0, args, "TNC", jac, bounds=sides, options=options).x, 0, 1


@definition_of(optimize.fmin_slsqp)
def fmin_slsqp(func: Any, x0: Any, eqcons: Any = (), f_eqcons: Any = None, ieqcons: Any = (), f_ieqcons: Any = None,
               bounds: Any = (), fprime: Any = None, args: Any = (), iter: Any = 100, acc: Any = 1e-6,
               iprint: Any = 1) -> Any:
    rules = [{"type": "eq", "fun": f, "args": args} for f in eqcons] + [
        {"type": "ineq", "fun": f, "args": args} for f in ieqcons]
    for kind, f in (("eq", f_eqcons), ("ineq", f_ieqcons)):
        if f is not None:
            rules = [*rules, {"type": kind, "fun": f, "args": args}]
    return optimize.minimize(func, x0, args, "SLSQP", fprime, bounds=bounds if len(bounds) > 0 else None,
                             constraints=rules, options={"ftol": acc, "maxiter": iter}).x


@definition_of(optimize.fmin_cobyla)
def fmin_cobyla(func: Any, x0: Any, cons: Any, args: Any = (), consargs: Any = None, rhobeg: Any = 1.0,
                rhoend: Any = 1e-4, maxfun: Any = 1000, disp: Any = None, catol: Any = 2e-4) -> Any:
    given = args if consargs is None else consargs
    rules = [{"type": "ineq", "fun": f, "args": given} for f in ([cons] if callable(cons) else cons)]
    return optimize.minimize(func, x0, args, "COBYLA", None, constraints=rules, tol=rhoend, options={
        "rhobeg": rhobeg, "maxiter": maxfun, "catol": catol}).x


@definition_of(optimize.fmin)
def fmin(func: Any, x0: Any, args: Any = (), xtol: Any = 0.0001, ftol: Any = 0.0001, disp: Any = 1) -> Any:
    return optimize.minimize(func, x0, args, "Nelder-Mead", None, options={"xatol": xtol, "fatol": ftol}).x


@definition_of(optimize.fmin_powell)
def fmin_powell(func: Any, x0: Any, args: Any = (), xtol: Any = 0.0001, ftol: Any = 0.0001, disp: Any = 1) -> Any:
    return optimize.minimize(func, x0, args, "Powell", None, options={"xtol": xtol, "ftol": ftol}).x


@definition_of(optimize.fmin_ncg)
def fmin_ncg(f: Any, x0: Any, fprime: Any, args: Any = (), avextol: Any = 1e-05, disp: Any = 1) -> Any:
    return optimize.minimize(f, x0, args, "Newton-CG", fprime, options={"xtol": avextol}).x


@definition_of(optimize.brent)
def brent(func: Any, args: Any = (), brack: Any = None, tol: Any = 1.48e-08) -> Any:
    return optimize.minimize_scalar(func, brack, None, args, "brent", options={"xtol": tol}).x


@definition_of(optimize.golden)
def golden(func: Any, args: Any = (), brack: Any = None, tol: Any = 1.4901161193847656e-08) -> Any:
    return optimize.minimize_scalar(func, brack, None, args, "golden", options={"xtol": tol}).x


@definition_of(optimize.fminbound)
def fminbound(func: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-05, disp: Any = 1) -> Any:
    return optimize.minimize_scalar(func, None, (x1, x2), args, "bounded", options={"xatol": xtol}).x


# -- systems -----------------------------------------------------------------------------------------------------------


def solving(name: str, method: str) -> Any:
    """The definition of a function of a name that solves a system by a method of `root`."""

    @definition_of(getattr(optimize, name))
    def definition(F: Any, xin: Any, f_tol: Any = None, maxiter: Any = None) -> Any:
        return optimize.root(F, xin, (), method, options={"fatol": f_tol, "maxiter": maxiter}).x

    return definition


(broyden1, broyden2, anderson, linearmixing, diagbroyden, excitingmixing, newton_krylov) = [
    solving(name, name.replace("newton_", "")) for name in (
        "broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "excitingmixing", "newton_krylov")]


# -- least squares -----------------------------------------------------------------------------------------------------


@definition_of(optimize.leastsq)
def leastsq(func: Any, x0: Any, args: Any = (), ftol: Any = 1.49012e-08, xtol: Any = 1.49012e-08,
            gtol: Any = 0.0) -> Any:
    given = further(args)
    return optimize.least_squares(func, x0, method="lm", ftol=ftol, xtol=xtol, gtol=gtol or 1e-15, args=given).x, 1


def positive(a: Any, b: Any) -> Any:
    """Which coefficients are not at zero."""
    return (optimize.nnls(a, b)[0] > 0.0) * 1.0


@definition_of(optimize.nnls)
def nnls(A: Any, b: Any) -> Any:
    a, b = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    moves = constant(positive, VECTOR, a, b)
    columns = a * moves
    x = np.linalg.solve(np.dot(np.transpose(columns), columns) + np.diag(1.0 - moves), np.dot(np.transpose(columns), b))
    return x, np.linalg.norm(np.dot(a, x) - b)


def linear_squares(a: Any, b: Any, low: Any, high: Any, options: Any) -> Any:
    return optimize.lsq_linear(a, b, (low, high), **options).x


@definition_of(optimize.lsq_linear)
def lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf), method: Any = "trf", tol: Any = 1e-10) -> Any:
    a, b = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    start = np.zeros(np.shape(a)[1])
    low, high = np.asarray(bounds[0]) + start, np.asarray(bounds[1]) + start
    x = solved(lambda x: within(x, np.dot(np.transpose(a), np.dot(a, x) - b), low, high), linear_squares,
               (a, b, low, high, {"method": method, "tol": tol}), start)
    rest = np.dot(a, x) - b
    return FoundLinear(x, rest, 0.5 * np.dot(rest, rest))


@dataclass
class FoundLinear(Optimum):
    """What SciPy's result says that is known of a linear problem."""

    x: Any
    fun: Any
    cost: Any
    success: bool = True


@definition_of(optimize.linear_sum_assignment)
def linear_sum_assignment(cost_matrix: Any, maximize: Any = False) -> Any:
    """Which pairs are the best is constant where it does not jump."""
    cost = np.asarray(cost_matrix)
    found = constant(pairs, np.zeros((2, 2), np.int64), cost, maximize)
    return found[0], found[1]


def pairs(cost: Any, maximize: Any) -> Any:
    return np.stack(optimize.linear_sum_assignment(cost, maximize))


# -- minima of all -----------------------------------------------------------------------------------------------------


def least_of_all(name: str, f: Any, captured: Any, low: Any, high: Any, options: Any) -> Any:
    found = getattr(optimize, name)(lambda x: f(x, *captured), optimize.Bounds(low, high), **options)
    if not found.success:
        raise ValueError(f"scipy.optimize.{name} found nothing, so there is no derivative: {found.message}")
    return found.x


@dataclass
class FoundBest(Optimum):
    """What SciPy's result says that is known of a minimum."""

    x: Any
    fun: Any
    success: bool = True


def searching_all(name: str) -> Any:
    """The definition of a function of a name that searches between bounds."""

    @definition_of(getattr(optimize, name))
    def definition(func: Any, bounds: Any, args: Any = (), **options: Any) -> Any:
        low, high = sides(bounds)
        least, captured = lifted(lambda x: np.sum(func(x, *args)), low)
        x = solved(lambda x: within(x, gradient(lambda x: least(x, *captured))(x), low, high), least_of_all,
                   (name, least, captured, low, high, options), low)
        return FoundBest(x, least(x, *captured))

    return definition


differential_evolution, dual_annealing, shgo, direct = [
    searching_all(name) for name in ("differential_evolution", "dual_annealing", "shgo", "direct")]


def hopping(f: Any, captured: Any, x0: Any, options: Any) -> Any:
    return optimize.basinhopping(lambda x: f(x, *captured), x0, **options).x


@definition_of(optimize.basinhopping)
def basinhopping(func: Any, x0: Any, **options: Any) -> Any:
    start = np.ravel(np.asarray(x0)) * 1.0
    least, captured = lifted(lambda x: np.sum(func(x)), start)
    x = solved(lambda x: gradient(lambda x: least(x, *captured))(x), hopping, (least, captured, start, options), start)
    return FoundBest(x, least(x, *captured))


def on_a_grid(f: Any, captured: Any, ranges: Any, count: int) -> Any:
    return np.atleast_1d(optimize.brute(lambda x: f(x, *captured), ranges, Ns=count))


@definition_of(optimize.brute)
def brute(func: Any, ranges: Any, args: Any = (), Ns: Any = 20) -> Any:
    """The minimum that is near the best place of a grid."""
    ends = tuple([tuple(r) for r in ranges])
    start = np.array([r[0] * 1.0 for r in ends])
    least, captured = lifted(lambda x: np.sum(func(x, *args)), start)
    return solved(lambda x: gradient(lambda x: least(x, *captured))(x), on_a_grid, (least, captured, ends, Ns), start)


# -- values in order ---------------------------------------------------------------------------------------------------


@dataclass
class Ordered(Optimum):
    """What SciPy's result says of values in order that has a derivative."""

    x: Any


def blocks_in_order(y: Any, weights: Any, increasing: bool) -> Any:
    """Which of the blocks that have one value an item is in."""
    ends = optimize.isotonic_regression(y, weights=weights, increasing=increasing).blocks
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


@definition_of(optimize.isotonic_regression)
def isotonic_regression(y: Any, *, weights: Any = None, increasing: Any = True) -> Any:
    y = np.asarray(y) * 1.0
    w = np.ones_like(y) if weights is None else np.asarray(weights) * 1.0
    n, blocks = len(y), constant(blocks_in_order, np.arange(2), y, w, increasing)
    sums = [np.bincount(blocks, part, n)[blocks] for part in (w * y, w)]
    return Ordered(sums[0] / sums[1])


# -- corners -----------------------------------------------------------------------------------------------------------


@definition_of(optimize.linprog, optimize.milp)
def of_corners(*args: Any, **options: Any) -> Any:
    refuse("the place that scipy.optimize finds for a linear program is a corner of its region, which jumps",
           "solve the equations of the constraints that hold there: np.linalg.solve(A[active], b[active])")


# -- Rosenbrock's function ---------------------------------------------------------------------------------------------


@definition_of(optimize.rosen_der)
def rosen_der(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    steps = x[1:] - x[:-1] ** 2
    first = np.concatenate([-400.0 * x[:-1] * steps - 2.0 * (1.0 - x[:-1]), np.zeros_like(x[:1])])
    return first + np.concatenate([np.zeros_like(x[:1]), 200.0 * steps])


@definition_of(optimize.rosen_hess)
def rosen_hess(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    beside = np.diag(-400.0 * x[:-1], 1)
    inner = np.concatenate([1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, np.zeros_like(x[:1])])
    return beside + np.transpose(beside) + np.diag(inner + np.where(np.arange(len(x)) > 0, 200.0, 0.0))


@definition_of(optimize.rosen_hess_prod)
def rosen_hess_prod(x: Any, p: Any) -> Any:
    return np.dot(rosen_hess(x), np.asarray(p) * 1.0)
