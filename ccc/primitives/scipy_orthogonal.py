"""Orthogonal polynomials, spherical Bessel functions and derivatives of Bessel functions of `scipy.special`.

    d P_n(x) = C_{n-1}^{3/2}(x) dx      d T_n(x) = n U_{n-1}(x) dx      d H_n(x) = 2 n H_{n-1}(x) dx

A derivative in a degree or in a parameter is refused by name.

>>> import scipy.special
>>> [round(float(c), 12) for c in FUNCTIONS[scipy.special.eval_legendre].pullback(1.0, 0.0, 2, 0.5)[1:]]
[1.5]

References: *NIST Handbook of Mathematical Functions*, 10.6, 10.29, 10.51, 18.9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.primitives.arguments import integer
from ccc.primitives.elementary_numpy import equal, where
from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_special import fixed, functions_of, iv, jv, kv, special, ufunc, yv

Formula = Callable[..., Any]


def polynomial(name: str, slope: Formula, *parameters: str) -> Primitive:
    """A polynomial of a degree, of parameters and of an argument; `slope(n, *parameters, x)` is its derivative where n
    is not 0."""

    def in_argument(d: Any, y: Any, n: Any, *xs: Any) -> Any:
        none = equal(n, 0)
        return times0(d, where(none, 0.0, slope(where(none, 1, n), *xs)))

    unknown = [fixed(name, argument, i) for i, argument in enumerate(("n", *parameters))]
    return ufunc(name, *unknown, in_argument)


eval_jacobi = polynomial(
    "eval_jacobi", lambda n, a, b, x: 0.5 * (n + a + b + 1.0) * eval_jacobi(n - 1, a + 1.0, b + 1.0, x),
    "alpha", "beta")
eval_sh_jacobi = polynomial(
    "eval_sh_jacobi", lambda n, p, q, x: n * eval_sh_jacobi(n - 1, p + 2.0, q + 1.0, x), "p", "q")
eval_gegenbauer = polynomial("eval_gegenbauer", lambda n, a, x: 2.0 * a * eval_gegenbauer(n - 1, a + 1.0, x), "alpha")
eval_legendre = polynomial("eval_legendre", lambda n, x: eval_gegenbauer(n - 1, 1.5, x))
eval_sh_legendre = polynomial("eval_sh_legendre", lambda n, x: 2.0 * eval_gegenbauer(n - 1, 1.5, 2.0 * x - 1.0))
eval_chebyt = polynomial("eval_chebyt", lambda n, x: n * eval_chebyu(n - 1, x))
eval_chebyu = polynomial("eval_chebyu", lambda n, x: 2.0 * eval_gegenbauer(n - 1, 2.0, x))
eval_sh_chebyt = polynomial("eval_sh_chebyt", lambda n, x: 2.0 * n * eval_sh_chebyu(n - 1, x))
eval_sh_chebyu = polynomial("eval_sh_chebyu", lambda n, x: 4.0 * eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0))
eval_chebyc = polynomial("eval_chebyc", lambda n, x: n * eval_chebys(n - 1, x))
eval_chebys = polynomial("eval_chebys", lambda n, x: eval_gegenbauer(n - 1, 2.0, 0.5 * x))
eval_hermite = polynomial("eval_hermite", lambda n, x: 2.0 * n * eval_hermite(n - 1, x))
eval_hermitenorm = polynomial("eval_hermitenorm", lambda n, x: n * eval_hermitenorm(n - 1, x))
eval_genlaguerre = polynomial("eval_genlaguerre", lambda n, a, x: -eval_genlaguerre(n - 1, a + 1.0, x), "alpha")
eval_laguerre = polynomial("eval_laguerre", lambda n, x: -eval_genlaguerre(n - 1, 1.0, x))
lpmv = ufunc("lpmv", fixed("lpmv", "m"), fixed("lpmv", "v", 1),
             lambda d, y, m, v, x: times0(d, (v * x * y - (v + m) * lpmv(m, v - 1.0, x)) / (x * x - 1.0)))


# -- spherical Bessel functions --------------------------------------------------------------------------------------


def spherical(name: str, before: float, behind: float) -> Primitive:
    """One with the slope `(before n f_{n-1} + behind (n + 1) f_{n+1}) / (2 n + 1)`."""

    def slope(d: Any, y: Any, n: Any, z: Any) -> Any:
        lower = where(equal(n, 0), 0.0, n * found(where(equal(n, 0), 1, n) - 1, z))
        return times0(d, (before * lower + behind * (n + 1) * found(n + 1, z)) / (2 * n + 1))

    found = operation(f"scipy.special.{name}", getattr(special, name), f"scipy.special.{name}({{}}, {{}})",
                      fixed(name, "n"), slope, memory=NEW, raises=NEVER)
    return found


spherical_jn = spherical("spherical_jn", 1.0, -1.0)
spherical_yn = spherical("spherical_yn", 1.0, -1.0)
spherical_in = spherical("spherical_in", 1.0, 1.0)
spherical_kn = spherical("spherical_kn", -1.0, -1.0)


def with_derivative(p: Primitive, before: float, behind: float) -> Formula:
    """The function as SciPy has it, which may be asked for the derivative."""

    def found(n: Any, z: Any, derivative: Any = False) -> Any:
        if not derivative:
            return p(n, z)
        lower = where(equal(n, 0), 0.0, n * p(where(equal(n, 0), 1, n) - 1, z))
        return (before * lower + behind * (n + 1) * p(n + 1, z)) / (2 * n + 1)

    return found


# -- derivatives of Bessel functions ---------------------------------------------------------------------------------


def derivatives(function: Formula, phase: float, sign: float = 1.0) -> Formula:
    """The derivatives of order `n` of a Bessel function of order `v`, as SciPy sums them."""

    def found(v: Any, z: Any, n: Any = 1) -> Any:
        order = integer("n", n)
        if order == 0:
            return function(v, z)
        factor, total = 1.0, function(v - order, z)
        for i in range(1, order + 1):
            factor = phase * (factor * (order - i + 1)) / i
            total = total + factor * function(v - order + i * 2, z)
        return sign**order * total / 2.0**order

    return found


FUNCTIONS: dict[Any, Any] = functions_of(vars()) | {
    special.jvp: derivatives(jv, -1.0), special.yvp: derivatives(yv, -1.0), special.ivp: derivatives(iv, 1.0),
    special.kvp: derivatives(kv, 1.0, -1.0),
    special.spherical_jn: with_derivative(spherical_jn, 1.0, -1.0),
    special.spherical_yn: with_derivative(spherical_yn, 1.0, -1.0),
    special.spherical_in: with_derivative(spherical_in, 1.0, 1.0),
    special.spherical_kn: with_derivative(spherical_kn, -1.0, -1.0),
}
