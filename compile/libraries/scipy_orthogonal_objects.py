"""Orthogonal polynomials of `scipy.special` as objects: coefficients, the highest power first, and the points and
weights of their rule. They are evaluated as SciPy does it, and move with their parameters as the coefficients do.

    p(x) = k prod over j of (x - x_j)        x_j the points of the rule with as many points as the degree

>>> legendre(2)(0.5), jacobi(1, 0.5, 0.0).coeffs.round(9).tolist()
(np.float64(-0.125), [1.25, 0.25])

Source: *NIST Handbook of Mathematical Functions*, 18.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.frontend.numpy_functions.polynomial_objects import Descending
from ccc.compile.frontend.numpy_functions.table import constant, definition_of

special: Any = scipy.special


@dataclass(eq=False)
class Orthogonal(Descending):
    """One of a kind, with its parameters; its values are those of SciPy's `eval_...` times `share`."""

    weights: Any
    normcoef: Any
    limits: Any
    kind: str
    n: Any
    parameters: Any
    share: Any

    def __call__(self, v: Any) -> Any:
        if isinstance(v, Descending):
            return Descending.__call__(self, v)
        of = getattr(special, "eval_" + self.kind)
        kept = [without_derivative(p) for p in self.parameters]
        value = of(self.n, *kept, v) * without_derivative(self.share)
        if len(kept) == 0:
            return value
        moving = np.polyval(self.coeffs, without_derivative(v))
        return value + (moving - without_derivative(moving))


def made(kind: Any, n: Any, parameters: Any, points: Any, norm: Any, leading: Any, weight: Any, limits: Any,
         monic: Any) -> Any:
    """The polynomial with these points and weights of its rule, and the leading coefficient that it has by default."""
    if n < 0:
        raise ValueError("n must be nonnegative.")
    k, x, w = 1.0 if monic else leading, points[0], points[1]
    coeffs = np.poly(x) * k
    weights = np.stack([x, w, w / weight(x)], axis=1)
    size = np.sqrt(norm) / np.abs(leading) if monic else np.sqrt(norm)
    return Orthogonal(coeffs, weights, size, limits, kind, n, parameters, 1.0 / leading if monic else 1.0)


def one(kind: Any, parameters: Any, limits: Any) -> Any:
    return Orthogonal(np.ones(1), np.zeros(0), 1.0, limits, kind, 0, parameters, 1.0)


@definition_of(special.jacobi)
def jacobi(n: Any, alpha: Any, beta: Any, monic: Any = False) -> Any:
    a, b = alpha * 1.0, beta * 1.0
    if n == 0:
        return one("jacobi", (a, b), (-1, 1))
    c, gamma = a + b + 1.0, special.gamma
    norm = 2.0**c / (2 * n + c) * gamma(n + a + 1.0) * gamma(n + b + 1.0) / gamma(n + 1.0) / gamma(n + c)
    leading = gamma(2 * n + c) / 2.0**n / gamma(n + 1.0) / gamma(n + c)
    return made("jacobi", n, (a, b), special.roots_jacobi(n, a, b), norm, leading,
                lambda x: (1.0 - x) ** a * (1.0 + x) ** b, (-1, 1), monic)


@definition_of(special.sh_jacobi)
def sh_jacobi(n: Any, p: Any, q: Any, monic: Any = False) -> Any:
    p, q, gamma = p * 1.0, q * 1.0, special.gamma
    if n == 0:
        return one("sh_jacobi", (p, q), (-1, 1))
    norm = gamma(n + 1.0) * gamma(n + q) * gamma(n + p) * gamma(n + p - q + 1.0) / (2 * n + p) / gamma(2 * n + p) ** 2
    return made("sh_jacobi", n, (p, q), special.roots_sh_jacobi(n, p, q), norm, 1.0,
                lambda x: (1.0 - x) ** (p - q) * x ** (q - 1.0), (0, 1), monic)


@definition_of(special.genlaguerre)
def genlaguerre(n: Any, alpha: Any, monic: Any = False) -> Any:
    a = alpha * 1.0
    if a <= -1.0:
        raise ValueError("alpha must be > -1")
    norm, leading = special.gamma(n + a + 1.0) / special.gamma(n + 1.0), (-1.0) ** n / special.gamma(n + 1.0)
    if n == 0:
        return Orthogonal(np.ones(1), np.zeros(0), np.sqrt(norm), (0, np.inf), "genlaguerre", 0, (a,), 1.0)
    return made("genlaguerre", n, (a,), special.roots_genlaguerre(n, a), norm, leading,
                lambda x: np.exp(-x) * x**a, (0, np.inf), monic)


@definition_of(special.gegenbauer)
def gegenbauer(n: Any, alpha: Any, monic: Any = False) -> Any:
    a = alpha * 1.0
    base = jacobi(n, a - 0.5, a - 0.5, monic)
    if monic or n == 0:
        return base
    gamma = special.gamma
    factor = gamma(2.0 * a + n) * gamma(a + 0.5) / gamma(2.0 * a) / gamma(a + 0.5 + n)
    return Orthogonal(base.coeffs * factor, base.weights, base.normcoef * factor, (-1, 1), "gegenbauer", n, (a,), 1.0)


# -- those without further parameters ----------------------------------------------------------------------------------


def of_scipy(kind: str, n: int, monic: bool, part: str) -> Any:
    found = getattr(special, kind)(n, monic)
    if part == "share":
        return float(found.coeffs[0] / getattr(special, kind)(n).coeffs[0])
    return float(found.normcoef) if part == "normcoef" else np.array(getattr(found, part), float)


LIMITS = {"chebyc": (-2, 2), "chebys": (-2, 2), "chebyt": (-1, 1), "chebyu": (-1, 1), "hermite": (-np.inf, np.inf),
          "hermitenorm": (-np.inf, np.inf), "laguerre": (0, np.inf), "legendre": (-1, 1), "sh_chebyt": (0, 1),
          "sh_chebyu": (0, 1), "sh_legendre": (0, 1)}


def of_degree(kind: str) -> Any:
    """The definition of a maker of polynomials that a degree tells."""

    @definition_of(getattr(special, kind))
    def definition(n: Any, monic: Any = False) -> Any:
        return Orthogonal(constant(of_scipy, np.zeros(2), kind, n, monic, "coeffs"),
                          constant(of_scipy, np.zeros((2, 3)), kind, n, monic, "weights"),
                          constant(of_scipy, 1.0, kind, n, monic, "normcoef"), LIMITS[kind], kind, n, (),
                          constant(of_scipy, 1.0, kind, n, monic, "share"))

    return definition


legendre = of_degree("legendre")
for _kind in LIMITS:
    if _kind != "legendre":
        of_degree(_kind)
