"""What has a definition of `np.polynomial`, whose functions are read as those of users are: changes of basis, products,
values, integrals of powers and fits.

>>> fit(chebyshev.chebvander, [0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1), poly2leg([0.0, 0.0, 3.0])
(array([1., 2.]), array([1., 0., 2.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

from ccc.compile.frontend.numpy_functions import series_objects as series_objects
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

below: Any = polyutils
MATRIX, CUBE = np.zeros((2, 2)), np.zeros((2, 2, 2))


def in_basis(change: Any, c: Any) -> Any:
    """What is linear in coefficients, by the matrix of it: as many of those of another basis."""
    (c,) = below.as_series([c])
    return np.dot(constant(matrix_of, MATRIX, change, len(c)), c)


def matrix_of(change: Any, n: int) -> Any:
    """The matrix of what is linear in `n` coefficients."""
    return np.stack([np.concatenate([f, np.zeros(n - len(f))]) for f in [change(e) for e in np.eye(n)]], 1)


@definition_of(chebyshev.cheb2poly)
def cheb2poly(c: Any) -> Any:
    return in_basis(chebyshev.cheb2poly, c)


@definition_of(chebyshev.poly2cheb)
def poly2cheb(pol: Any) -> Any:
    return in_basis(chebyshev.poly2cheb, pol)


@definition_of(legendre.leg2poly)
def leg2poly(c: Any) -> Any:
    return in_basis(legendre.leg2poly, c)


@definition_of(legendre.poly2leg)
def poly2leg(pol: Any) -> Any:
    return in_basis(legendre.poly2leg, pol)


def product_of(function: Any) -> None:
    """The definition of the products of a series, by those of two terms each."""

    def mul(c1: Any, c2: Any) -> Any:
        c1, c2 = below.as_series([c1, c2])
        by = constant(products_of, CUBE, function, len(c1), len(c2))
        return below.trimseq(np.einsum("i,j,ijk->k", c1, c2, by))

    mul.__name__ = function.__name__
    definition_of(function)(mul)


def products_of(function: Any, m: int, n: int) -> Any:
    """The coefficients of the products of two terms each."""
    found = np.zeros((m, n, m + n - 1))
    for i, j in np.ndindex(m, n):
        product = function(np.eye(m)[i], np.eye(n)[j])
        found[i, j, :len(product)] = product
    return found


for of_terms in (chebyshev.chebmul, legendre.legmul, hermite.hermmul, hermite_e.hermemul, laguerre.lagmul):
    product_of(of_terms)


# -- values and integrals ----------------------------------------------------------------------------------------------


def against(c: Any, x: Any, tensor: Any) -> Any:
    """Coefficients whose further axes stand before those of the points."""
    c = np.atleast_1d(c) * 1.0
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor and np.ndim(x) > 0 else c


def clenshaw(x: Any, c: Any, tensor: Any, step: Any) -> Any:
    """What is left of a series at its two lowest terms; `step` takes a coefficient, these two and the term's number."""
    c = against(c, x, tensor)
    n = len(c)
    c0, c1 = (c[0] + 0.0 * x, 0.0 * c[0] + 0.0 * x) if n == 1 else (c[-2] + 0.0 * x, c[-1] + 0.0 * x)
    for i in range(3, n + 1):
        c0, c1 = step(c[-i], c0, c1, n - i + 2)
    return c0, c1


@definition_of(chebyshev.chebval)
def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1, c0 + c1 * (2 * x)))
    return c0 + c1 * x


@definition_of(legendre.legval)
def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (
        a - c1 * ((k - 1) / k), c0 + c1 * x * ((2 * k - 1) / k)))
    return c0 + c1 * x


@definition_of(hermite.hermval)
def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    x2 = x * 2
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1 * (2 * (k - 1)), c0 + c1 * x2))
    return c0 + c1 * x2


@definition_of(hermite_e.hermeval)
def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (a - c1 * (k - 1), c0 + c1 * x))
    return c0 + c1 * x


@definition_of(laguerre.lagval)
def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = np.asarray(x)
    c0, c1 = clenshaw(x, c, tensor, lambda a, c0, c1, k: (
        a - (c1 * (k - 1)) / k, c0 + (c1 * ((2 * k - 1) - x)) / k))
    return c0 + c1 * (1 - x)


@definition_of(polynomial.polyint)
def polyint(c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0) -> Any:
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    c = np.moveaxis(np.atleast_1d(c) + 0.0, axis, 0)
    given = np.atleast_1d(k) * 1.0
    constants = np.concatenate([given, np.zeros(max(m - len(given), 0))])
    for i in range(m):
        c = c * scl
        factors = np.reshape(np.arange(1, len(c) + 1), (-1,) + (1,) * (np.ndim(c) - 1))
        rest = c / factors
        whole = np.concatenate([c[:1] * 0, rest])
        first = constants[i] - polynomial.polyval(lbnd, whole)
        c = np.concatenate([first + whole[:1], rest])
    return np.moveaxis(c, 0, axis)


# -- least squares -----------------------------------------------------------------------------------------------------


@definition_of(below._fit)
def fit(
    vander_f: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """The coefficients of least squares, by columns of length 1."""
    if full:
        refuse("a fit of a series of np.polynomial is known without `full`")
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if np.ndim(x) != 1 or len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    degrees = list(range(deg + 1)) if isinstance(deg, int) else sorted(deg)
    columns = vander_f(x, degrees[-1])[:, degrees]
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
