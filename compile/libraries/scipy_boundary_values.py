"""Boundary value problems: SciPy finds the solution, and the equations that it solves say how it moves.

    y_i+1 - y_i = h_i / 6 (f_i + f_i+1 + 4 f(x_i + h_i / 2, (y_i + y_i+1) / 2 - h_i / 8 (f_i+1 - f_i)))
    b(y_0, y_m) = 0

The mesh that it chose is a constant but for shares of the interval: it moves as its ends do.

Reference: *A BVP Solver Based on Residual Control and the Matlab PSE* (Kierzenka, Shampine).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, lifted, refuse
from ccc.compile.libraries.results import Optimum
from ccc.compile.libraries.solutions import solved

integrate: Any = scipy.integrate
VECTOR = np.zeros(2)


@dataclass
class Found(Optimum):
    """What SciPy's result says that is known of a solution."""

    sol: Any
    p: Any
    x: Any
    y: Any
    yp: Any
    status: int = 0
    message: str = "The algorithm converged to the desired accuracy."
    success: bool = True


def by_scipy(fun: Any, of_fun: Any, bc: Any, of_bc: Any, x: Any, y: Any, p: Any, options: Any) -> Any:
    """SciPy's mesh and values. Raises `ValueError` where it finds none."""
    if len(p) == 0:
        found = integrate.solve_bvp(lambda x, y: fun(x, y, p, *of_fun), lambda a, b: bc(a, b, p, *of_bc), x, y,
                                    **options)
    else:
        found = integrate.solve_bvp(lambda x, y, p: fun(x, y, p, *of_fun), lambda a, b, p: bc(a, b, p, *of_bc), x, y,
                                    p, **options)
    if not found.success:
        raise ValueError(f"scipy.integrate.solve_bvp found nothing, so there is no derivative: {found.message}")
    return found


def mesh(*args: Any) -> Any:
    """The places, as shares of the interval."""
    x = by_scipy(*args).x
    return (x - x[0]) / (x[-1] - x[0])


def values(*args: Any) -> Any:
    """The values there, and behind them the parameters."""
    found = by_scipy(*args)
    return np.concatenate([np.ravel(found.y), np.zeros(0) if found.p is None else found.p])


@definition_of(integrate.solve_bvp)
def solve_bvp(fun: Any, bc: Any, x: Any, y: Any, p: Any = None, S: Any = None, fun_jac: Any = None, bc_jac: Any = None,
              tol: Any = 1e-3, max_nodes: Any = 1000, verbose: Any = 0, bc_tol: Any = None) -> Any:
    if S is not None or verbose != 0:
        refuse("scipy.integrate.solve_bvp has a derivative for S=None and verbose=0")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    guess = np.zeros(0) if p is None else np.atleast_1d(np.asarray(p) * 1.0)
    slope: Any = (lambda x, y, p: fun(x, y)) if p is None else fun
    ends: Any = (lambda a, b, p: bc(a, b)) if p is None else bc
    f, of_f = lifted(lambda x, y, p: np.asarray(slope(x, y, p)) * 1.0, x, y, guess)
    b, of_b = lifted(lambda a, b, p: np.asarray(ends(a, b, p)) * 1.0, y[:, 0], y[:, -1], guess)
    given = (f, of_f, b, of_b, x, y, guess, {"tol": tol, "max_nodes": max_nodes, "bc_tol": bc_tol})
    shares = constant(mesh, VECTOR, *given)
    at = x[0] + (x[-1] - x[0]) * shares

    def off(z: Any) -> Any:
        n, m = np.shape(y)[0], len(at)
        ys, q = np.reshape(z[:n * m], (n, m)), z[n * m:]
        h, fs = np.diff(at), f(at, ys, q, *of_f)
        middle = 0.5 * (ys[:, 1:] + ys[:, :-1]) - 0.125 * h * (fs[:, 1:] - fs[:, :-1])
        steps = ys[:, 1:] - ys[:, :-1] - h / 6.0 * (
            fs[:, :-1] + fs[:, 1:] + 4.0 * f(at[:-1] + 0.5 * h, middle, q, *of_f))
        return np.concatenate([np.ravel(steps), b(ys[:, 0], ys[:, -1], q, *of_b)])

    z = solved(off, values, given, VECTOR)
    n, m = np.shape(y)[0], len(at)
    ys, q = np.reshape(z[:n * m], (n, m)), z[n * m:]
    fs = f(at, ys, q, *of_f)
    sol = scipy.interpolate.CubicHermiteSpline(at, ys, fs, 1)
    return Found(sol, None if p is None else q, at, ys, fs)
