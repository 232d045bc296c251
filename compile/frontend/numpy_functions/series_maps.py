"""Other series of `np.polynomial` than powers: what is linear in their coefficients is a matrix, a product three axes.

    chebder(c)_j  =  sum of D_jk c_k        chebmul(a, b)_k  =  sum of T_ijk a_i b_j

>>> from ccc.compile.frontend.numpy_functions.table import DEFINED
>>> DEFINED[chebyshev.chebder]([0.0, 0.0, 1.0]), DEFINED[legendre.legmul]([0.0, 1.0], [0.0, 1.0])
(array([0., 4.]), array([0.33333333, 0.        , 0.66666667]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from ccc.compile.frontend.numpy_functions.series_arithmetic import series, trimmed
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

MATRIX, CUBE = np.zeros((2, 2)), np.zeros((2, 2, 2))


def matrix_of(function: Any, n: int, *args: Any) -> Any:
    """The matrix of what is linear in `n` coefficients."""
    return np.stack([np.concatenate([f, np.zeros(n + 9 - len(f))]) for f in [function(e, *args) for e in np.eye(n)]], 1)


def mapped(function: Any, c: Any, size: Any, axis: Any, *args: Any) -> Any:
    """What a function gives of coefficients along an axis, `size` ones."""
    c = np.moveaxis(np.atleast_1d(c) + 0.0, axis, 0)
    by = constant(matrix_of, MATRIX, function, len(c), *args)
    return np.moveaxis(np.tensordot(by[:size], c, 1), 0, axis)


def derived(derivative: Any, c: Any, m: Any, scl: Any, axis: Any) -> Any:
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    n = np.shape(np.atleast_1d(c))[axis]
    return scl**m * mapped(derivative, c, max(n - m, 1), axis, m)


def integrated(integral: Any, value: Any, c: Any, m: Any, k: Any, lbnd: Any, scl: Any, axis: Any) -> Any:
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    c = np.moveaxis(np.atleast_1d(c) + 0.0, axis, 0)
    given = np.atleast_1d(k) * 1.0
    constants = np.concatenate([given, np.zeros(max(m - len(given), 0))])
    for i in tuple(range(m)):
        c = scl * mapped(integral, c, len(c) + 1, 0)
        c = np.concatenate([c[:1] + (constants[i] - value(lbnd, c)), c[1:]])
    return np.moveaxis(c, 0, axis)


# -- products and changes of basis -------------------------------------------------------------------------------------


def products_of(function: Any, m: int, n: int) -> Any:
    """The coefficients of the products of two terms each."""
    found = np.zeros((m, n, m + n - 1))
    for i, j in np.ndindex(m, n):
        product = function(np.eye(m)[i], np.eye(n)[j])
        found[i, j, :len(product)] = product
    return found


def multiplied(function: Any, c1: Any, c2: Any) -> Any:
    c1, c2 = series(c1), series(c2)
    return trimmed(np.einsum("i,j,ijk->k", c1, c2, constant(products_of, CUBE, function, len(c1), len(c2))))


@definition_of(chebyshev.cheb2poly)
def cheb2poly(c: Any) -> Any:
    return mapped(chebyshev.cheb2poly, series(c), len(series(c)), 0)


@definition_of(chebyshev.poly2cheb)
def poly2cheb(pol: Any) -> Any:
    return mapped(chebyshev.poly2cheb, series(pol), len(series(pol)), 0)


@definition_of(legendre.leg2poly)
def leg2poly(c: Any) -> Any:
    return mapped(legendre.leg2poly, series(c), len(series(c)), 0)


@definition_of(legendre.poly2leg)
def poly2leg(pol: Any) -> Any:
    return mapped(legendre.poly2leg, series(pol), len(series(pol)), 0)


# -- bases at points, least squares, roots -----------------------------------------------------------------------------


def fitted(vander: Any, x: Any, y: Any, deg: Any, rcond: Any, full: Any, w: Any) -> Any:
    """The coefficients of least squares, by columns of length 1."""
    if full:
        refuse("a fit of a series of np.polynomial is known without `full`")
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if np.ndim(x) != 1 or len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    degrees = list(range(deg + 1)) if isinstance(deg, int) else sorted(deg)
    columns = vander(x, degrees[-1])[:, degrees]
    if w is not None:
        w = np.asarray(w) + 0.0
        columns, y = columns * w[:, None], (y.T * w).T
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    scale = np.where(scale == 0.0, 1.0, scale)
    found = (np.linalg.lstsq(columns / scale, y, rcond)[0].T / scale).T
    if isinstance(deg, int):
        return found
    coefficients = np.zeros((degrees[-1] + 1, *np.shape(found)[1:]))
    coefficients[degrees] = found
    return coefficients


@definition_of(polynomial.polyroots)
def polyroots(c: Any) -> Any:
    """Those of the companion with its rows and columns in turn, as NumPy takes it, in order."""
    c = series(c)
    n = len(c) - 1
    last = -(c[:-1] / c[-1])[::-1][None, :]
    return np.sort(np.linalg.eigvals(np.concatenate([last, np.eye(max(n - 1, 0), n)])[:n]))

# -- each series -------------------------------------------------------------------------------------------------------


def called_as(function: Any) -> Any:
    """Enter a definition as that of a function, by whose name it goes."""

    def enter(definition: Any) -> Any:
        definition.__name__ = function.__name__
        return definition_of(function)(definition)

    return enter


def define(module: Any, name: str) -> None:
    """The definitions of the functions of one series, which begin with its name."""
    derivative, integral, value, product, vander, fit = [
        getattr(module, name + what) for what in ("der", "int", "val", "mul", "vander", "fit")]

    @called_as(derivative)
    def der(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
        return derived(derivative, c, m, scl, axis)

    @called_as(integral)
    def int_(c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0) -> Any:
        return integrated(integral, value, c, m, k, lbnd, scl, axis)

    @called_as(product)
    def mul(c1: Any, c2: Any) -> Any:
        return multiplied(product, c1, c2)

    @called_as(vander)
    def basis(x: Any, deg: Any) -> Any:
        return np.moveaxis(value(np.atleast_1d(x) + 0.0, np.eye(deg + 1)), 0, -1)

    @called_as(fit)
    def least_squares(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
        return fitted(vander, x, y, deg, rcond, full, w)


define(chebyshev, "cheb")
define(legendre, "leg")
define(hermite, "herm")
define(hermite_e, "herme")
define(laguerre, "lag")
