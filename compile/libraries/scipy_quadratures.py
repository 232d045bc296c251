"""Points and weights of Gauss' rules whose weight has parameters: eigenvalues of a matrix of three diagonals and the
squares of what its eigenvectors begin with (Golub, Welsch). Values are SciPy's, derivatives those of the matrix.

    x p_k = sqrt(b_k+1) p_k+1 + a_k p_k + sqrt(b_k) p_k-1         points = eigenvalues,  weights = mu v_0^2

>>> roots_jacobi(2, 0.0, 0.0)[0].round(8)
array([-0.57735027,  0.57735027])

Source: Golub, Welsch: *Calculation of Gauss quadrature rules* (1969).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special

from ccc.compile.frontend.numpy_functions.table import constant, definition_of
from ccc.compile.libraries.slopes import with_slope_of

special: Any = scipy.special


def of_scipy(name: str, n: int, *parameters: float) -> Any:
    return np.array(getattr(special, name)(n, *parameters))


def by_matrix(name: Any, n: Any, parameters: Any, a: Any, b: Any, total: Any, mu: Any) -> Any:
    """What SciPy gives, with the derivatives of the eigenvalues of the matrix with `a` and `sqrt(b)`."""
    found = constant(of_scipy, np.zeros((2, 2)), name, n, *parameters)
    beside = np.sqrt(b)
    values, vectors = np.linalg.eigh(np.diag(a) + np.diag(beside, 1) + np.diag(beside, -1))
    weights = total * vectors[0] ** 2
    points = with_slope_of(found[0], values)
    weights = with_slope_of(found[1], weights)
    return (points, weights, total) if mu else (points, weights)


def of_jacobi(name: Any, n: Any, parameters: Any, a: Any, b: Any, total: Any, mu: Any) -> Any:
    k = np.arange(1.0, n)
    first = (b - a) / (a + b + 2.0)
    both = 2.0 * k + a + b
    middle = np.concatenate([np.reshape(first, (1,)), (b - a) * (b + a) / (both * (both + 2.0))])
    near = 4.0 * (a + 1.0) * (b + 1.0) / ((a + b + 2.0) ** 2 * (a + b + 3.0))
    m = k[1:]
    both = 2.0 * m + a + b
    far = 4.0 * m * (m + a) * (m + b) * (m + a + b) / (both * both * (both + 1.0) * (both - 1.0))
    return by_matrix(name, n, parameters, middle, np.concatenate([np.reshape(near, (1,)), far])[:n - 1], total, mu)


def size_of(n: Any) -> Any:
    m = int(n)
    if n < 1 or n != m:
        raise ValueError("n must be a positive integer.")
    return m


@definition_of(special.roots_jacobi, special.j_roots)
def roots_jacobi(n: Any, alpha: Any, beta: Any, mu: Any = False) -> Any:
    a, b = alpha * 1.0, beta * 1.0
    total = 2.0 ** (a + b + 1.0) * special.beta(a + 1.0, b + 1.0)
    return of_jacobi("roots_jacobi", size_of(n), (a, b), a, b, total, mu)


@definition_of(special.roots_sh_jacobi, special.js_roots)
def roots_sh_jacobi(n: Any, p1: Any, q1: Any, mu: Any = False) -> Any:
    p, q = p1 * 1.0, q1 * 1.0
    found = roots_jacobi(n, p - q, q - 1.0, True)
    scale = 2.0**p
    points, weights = (found[0] + 1.0) / 2.0, found[1] / scale
    return (points, weights, found[2] / scale) if mu else (points, weights)


@definition_of(special.roots_gegenbauer, special.cg_roots)
def roots_gegenbauer(n: Any, alpha: Any, mu: Any = False) -> Any:
    a = alpha * 1.0
    total = math.sqrt(math.pi) * np.exp(special.gammaln(a + 0.5) - special.gammaln(a + 1.0))
    return of_jacobi("roots_gegenbauer", size_of(n), (a,), a - 0.5, a - 0.5, total, mu)


@definition_of(special.roots_genlaguerre, special.la_roots)
def roots_genlaguerre(n: Any, alpha: Any, mu: Any = False) -> Any:
    a, m = alpha * 1.0, size_of(n)
    k = np.arange(1.0, m)
    middle, total = 2.0 * np.arange(m) + a + 1.0, special.gamma(a + 1.0)
    return by_matrix("roots_genlaguerre", m, (a,), middle, k * (k + a), total, mu)
