"""Characteristic values of Mathieu's and of the spheroidal equation, in their parameters: eigenvalues of tridiagonal
matrices that depend on these.

    M(x + h) = M + M1 h + M2 h^2:   l_k = v0^T sum_j Mj v_k-j,   v_k = (l0 - M)^+ sum_j (Mj - lj) v_k-j

Values are SciPy's; derivatives are known up to the third order.

>>> import scipy.special
>>> round(float(FUNCTIONS[scipy.special.mathieu_a].pullback(1.0, 0.0, 1, 0.0)[1]), 12)
1.0

References: *NIST Handbook of Mathematical Functions*, 28.4, 30.8; Kato, *Perturbation Theory for Linear Operators*,
II.2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_special import fixed, special

Matrices = tuple[Any, Any, Any, int]
"""A matrix, its first two Taylor coefficients, and which of its eigenvalues is meant."""


def of_mathieu(name: str, m: int, q: float) -> Matrices:
    """Of Fourier coefficients, `(2 r + p)^2` on the diagonal and q beside it."""
    r = np.arange(40 + m // 2 + 2 * int(math.sqrt(abs(q))))
    odd, even = m % 2, name == "mathieu_a"
    whole = 2.0 * r + (odd if odd or even else 2)
    beside = np.ones(len(r) - 1)
    first = 0.0
    if odd:
        first = 1.0 if even else -1.0
    elif even:
        beside[0] = math.sqrt(2.0)
    slope = np.diag(beside, 1) + np.diag(beside, -1)
    slope[0, 0] = first
    return np.diag(whole**2) + q * slope, slope, 0.0 * slope, m // 2 - (0 if odd or even else 1)


def of_spheroidal(name: str, m: int, n: int, c: float) -> Matrices:
    """Of coefficients of Legendre functions, as a matrix that is symmetric."""
    r = 2.0 * np.arange(40 + n + int(abs(c))) + (n - m) % 2
    k = m + r
    main = (2.0 * k * (k + 1.0) - 2.0 * m * m - 1.0) / ((2.0 * k - 1.0) * (2.0 * k + 3.0))
    over = (2.0 * m + r + 2.0) * (2.0 * m + r + 1.0) / ((2.0 * k + 3.0) * (2.0 * k + 5.0))
    under = r * (r - 1.0) / ((2.0 * k - 3.0) * (2.0 * k - 1.0))
    beside = np.sqrt(over[:-1] * under[1:])
    square = (np.diag(main) + np.diag(beside, 1) + np.diag(beside, -1)) * (1.0 if name == "pro_cv" else -1.0)
    return np.diag(k * (k + 1.0)) + c * c * square, 2.0 * c * square, square, (n - m) // 2


def coefficient(matrices: Matrices, order: int) -> float:
    """The derivative of an eigenvalue, of this order."""
    at, first, second, place = matrices
    w, v = np.linalg.eigh(at)
    gaps = w[place] - np.delete(w, place)
    others, start = np.delete(v, place, axis=1), v[:, place]
    moves, vectors, values = (at, first, second), [start], [w[place]]
    for k in range(1, order + 1):
        pushed = sum([moves[j] @ vectors[k - j] for j in range(1, min(k, 2) + 1)])
        values.append(start @ pushed)
        rest = pushed - sum([values[j] * vectors[k - j] for j in range(1, k + 1)])
        vectors.append(others @ ((others.T @ rest) / gaps))
    return float(values[order] * math.factorial(order))


def derivative(name: str, order: int) -> Any:
    """The derivative of a characteristic value in the last argument, item by item."""
    least = 1 if name == "mathieu_b" else 0

    def mathieu(m: Any, q: Any) -> float:
        if not (m >= least and m == math.floor(m) and math.isfinite(q)):
            return math.nan
        return coefficient(of_mathieu(name, int(m), float(q)), order)

    def spheroidal(m: Any, n: Any, c: Any) -> float:
        if not (0 <= m <= n and m == math.floor(m) and n == math.floor(n) and math.isfinite(c)):
            return math.nan
        if c < 0.0:
            return 0.0  # SciPy gives the value at 0 there
        return coefficient(of_spheroidal(name, int(m), int(n), float(c)), order)

    items = np.vectorize(mathieu if name.startswith("mathieu") else spheroidal, otypes=[float])

    def value(*xs: Any) -> Any:
        return items(*xs).astype(np.asarray(getattr(special, name)(*xs)).dtype)[()]

    return value


def characteristic(name: str) -> tuple[Primitive, ...]:
    """A characteristic value and its derivatives in the last argument."""
    parameters = ("m", "q") if name.startswith("mathieu") else ("m", "n", "c")
    last = len(parameters) - 1
    unknown = [fixed(name, argument, i) for i, argument in enumerate(parameters[:-1])]
    found: list[Primitive] = []
    for order in range(3, -1, -1):
        at_last = (lambda d, y, *xs, of=found[-1]: times0(d, of(*xs))) if found else fixed(name, parameters[-1], last)
        called = f"scipy.special.{name}" if order == 0 else f"{name}_{order}"
        value = getattr(special, name) if order == 0 else derivative(name, order)
        found.append(operation(called, value, f"{called}({', '.join(['{}'] * len(parameters))})", *unknown, at_last,
                               memory=NEW, raises=NEVER))
    return tuple(found[::-1])


mathieu_a, mathieu_a_1, mathieu_a_2, mathieu_a_3 = characteristic("mathieu_a")
mathieu_b, mathieu_b_1, mathieu_b_2, mathieu_b_3 = characteristic("mathieu_b")
pro_cv, pro_cv_1, pro_cv_2, pro_cv_3 = characteristic("pro_cv")
obl_cv, obl_cv_1, obl_cv_2, obl_cv_3 = characteristic("obl_cv")

VALUES = {"mathieu_a": mathieu_a, "mathieu_b": mathieu_b, "pro_cv": pro_cv, "obl_cv": obl_cv}
FUNCTIONS: dict[Any, Any] = {getattr(special, name): p for name, p in VALUES.items()}
