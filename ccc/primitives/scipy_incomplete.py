"""Incomplete gamma and beta functions of `scipy.special`, their inverses, and the distribution functions that they are.

    d gammainc(a, x) = f dx - f q da        f = x**(a - 1) exp(-x) / gamma(a)        q = how the quantile x moves with a

The derivatives in parameters are those of quantiles (`ccc.primitives.quantiles`), of every order. At the ends of a
support they are 0, outside of it NaN.

>>> round(float(gammainc.pullback(1.0, gammainc.value(2.0, 1.0), 2.0, 1.0)[0]), 12)
-0.276196045703

References: *NIST Handbook of Mathematical Functions*, 8.7, 8.17.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.primitives.elementary_numpy import (
    equal,
    exp,
    floor,
    greater,
    less,
    log,
    log1p,
    logical_and,
    logical_or,
    sign,
    where,
)
from ccc.primitives.guarded import over0, times0
from ccc.primitives.quantiles import beta_slope, gamma_slope
from ccc.primitives.scipy_special import betaln, fixed, functions_of, gammaln, ufunc, xlog1py, xlogy

Formula = Callable[..., Any]


def gamma_density(a: Any, x: Any) -> Any:
    """`x**(a - 1) exp(-x) / gamma(a)`."""
    return exp(xlogy(a - 1.0, x) - x - gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """`x**(a - 1) (1 - x)**(b - 1) / beta(a, b)`."""
    return exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b))


def t_density(df: Any, t: Any) -> Any:
    """The density of Student's distribution."""
    half = 0.5 * (df + 1.0)
    return exp(gammaln(half) - gammaln(0.5 * df) - 0.5 * log(math.pi * df) - half * log1p(t * t / df))


def inside(x: Any, low: Any, high: Any, y: Any) -> Any:
    """What `y` gives between two ends, 0 at them, NaN elsewhere."""
    there = logical_and(greater(x, low), less(x, high))
    at_end = where(logical_or(equal(x, low), equal(x, high)), 0.0, math.nan)
    return where(there, y(where(there, x, 0.5)), at_end)


def gamma_moves(a: Any, x: Any) -> Any:
    """How the quantile that is `x` moves with the shape."""
    return inside(x, 0.0, math.inf, lambda z: gamma_slope(z, a, n=0))


def gamma_in_shape(a: Any, x: Any) -> Any:
    """The derivative of `gammainc` in `a`."""
    return inside(x, 0.0, math.inf, lambda z: -gamma_density(a, z) * gamma_slope(z, a, n=0))


def beta_moves(a: Any, b: Any, x: Any, of: int) -> Any:
    """How the quantile that is `x` moves with `a` or `b`."""
    return inside(x, 0.0, 1.0, lambda z: beta_slope(z, a, b, of=of))


def beta_in_shape(a: Any, b: Any, x: Any, of: int) -> Any:
    """The derivative of `betainc` in `a` or `b`."""
    return inside(x, 0.0, 1.0, lambda z: -beta_density(a, b, z) * beta_slope(z, a, b, of=of))


def t_in_freedom(df: Any, t: Any) -> Any:
    """The derivative of Student's distribution function in `df`, by `P(|T| > t) = betaincc(1/2, df / 2, w)`."""
    square, half = t * t, 0.5 * df
    w = square / (df + square)
    moved = exp(xlogy(0.5, w) + xlog1py(half - 1.0, -w) - betaln(0.5, half)) / (df + square)
    return 0.5 * sign(t) * (0.5 * beta_in_shape(0.5, half, w, 1) - moved)


gammainc = ufunc("gammainc", lambda d, y, a, x: times0(d, gamma_in_shape(a, x)),
                 lambda d, y, a, x: times0(d, gamma_density(a, x)))
gammaincc = ufunc("gammaincc", lambda d, y, a, x: -times0(d, gamma_in_shape(a, x)),
                  lambda d, y, a, x: -times0(d, gamma_density(a, x)))
gammaincinv = ufunc("gammaincinv", lambda d, y, a, p: times0(d, gamma_moves(a, y)),
                    lambda d, y, a, p: over0(d, gamma_density(a, y)))
gammainccinv = ufunc("gammainccinv", lambda d, y, a, p: times0(d, gamma_moves(a, y)),
                     lambda d, y, a, p: -over0(d, gamma_density(a, y)))
betainc = ufunc("betainc", *[lambda d, y, a, b, x, of=of: times0(d, beta_in_shape(a, b, x, of)) for of in (0, 1)],
                lambda d, y, a, b, x: times0(d, beta_density(a, b, x)))
betaincc = ufunc("betaincc", *[lambda d, y, a, b, x, of=of: -times0(d, beta_in_shape(a, b, x, of)) for of in (0, 1)],
                 lambda d, y, a, b, x: -times0(d, beta_density(a, b, x)))
betaincinv = ufunc("betaincinv", *[lambda d, y, a, b, p, of=of: times0(d, beta_moves(a, b, y, of)) for of in (0, 1)],
                   lambda d, y, a, b, p: over0(d, beta_density(a, b, y)))
betainccinv = ufunc("betainccinv", *[lambda d, y, a, b, p, of=of: times0(d, beta_moves(a, b, y, of)) for of in (0, 1)],
                    lambda d, y, a, b, p: -over0(d, beta_density(a, b, y)))
chdtr = ufunc("chdtr", lambda d, y, v, x: times0(d, 0.5 * gamma_in_shape(0.5 * v, 0.5 * x)),
              lambda d, y, v, x: times0(d, 0.5 * gamma_density(0.5 * v, 0.5 * x)))
chdtrc = ufunc("chdtrc", lambda d, y, v, x: -times0(d, 0.5 * gamma_in_shape(0.5 * v, 0.5 * x)),
               lambda d, y, v, x: -times0(d, 0.5 * gamma_density(0.5 * v, 0.5 * x)))
chdtri = ufunc("chdtri", lambda d, y, v, p: times0(d, gamma_moves(0.5 * v, 0.5 * y)),
               lambda d, y, v, p: -over0(d, 0.5 * gamma_density(0.5 * v, 0.5 * y)))
pdtr = ufunc("pdtr", fixed("pdtr", "k"), lambda d, y, k, m: -times0(d, gamma_density(floor(k) + 1.0, m)))
pdtrc = ufunc("pdtrc", fixed("pdtrc", "k"), lambda d, y, k, m: times0(d, gamma_density(floor(k) + 1.0, m)))
gdtr = ufunc("gdtr", lambda d, y, a, b, x: times0(d, x * gamma_density(b, a * x)),
             lambda d, y, a, b, x: times0(d, gamma_in_shape(b, a * x)),
             lambda d, y, a, b, x: times0(d, a * gamma_density(b, a * x)))
gdtrc = ufunc("gdtrc", lambda d, y, a, b, x: -times0(d, x * gamma_density(b, a * x)),
              lambda d, y, a, b, x: -times0(d, gamma_in_shape(b, a * x)),
              lambda d, y, a, b, x: -times0(d, a * gamma_density(b, a * x)))
bdtr = ufunc("bdtr", fixed("bdtr", "k"), fixed("bdtr", "n", 1),
             lambda d, y, k, n, p: -times0(d, beta_density(floor(k) + 1.0, n - floor(k), p)))
bdtrc = ufunc("bdtrc", fixed("bdtrc", "k"), fixed("bdtrc", "n", 1),
              lambda d, y, k, n, p: times0(d, beta_density(floor(k) + 1.0, n - floor(k), p)))
nbdtr = ufunc("nbdtr", fixed("nbdtr", "k"), fixed("nbdtr", "n", 1),
              lambda d, y, k, n, p: times0(d, beta_density(n, k + 1.0, p)))
nbdtrc = ufunc("nbdtrc", fixed("nbdtrc", "k"), fixed("nbdtrc", "n", 1),
               lambda d, y, k, n, p: -times0(d, beta_density(n, k + 1.0, p)))
stdtr = ufunc("stdtr", lambda d, y, df, t: times0(d, t_in_freedom(df, t)),
              lambda d, y, df, t: times0(d, t_density(df, t)))
stdtrit = ufunc("stdtrit", lambda d, y, df, p: -over0(d * t_in_freedom(df, y), t_density(df, y)),
                lambda d, y, df, p: over0(d, t_density(df, y)))


def f_share(m: Any, n: Any, x: Any) -> Any:
    """Where the distribution function of F is an incomplete beta function."""
    return m * x / (m * x + n)


def f_density(m: Any, n: Any, x: Any) -> Any:
    """The density of F."""
    w = f_share(m, n, x)
    return beta_density(0.5 * m, 0.5 * n, w) * (m * n / ((m * x + n) * (m * x + n)))


def f_in_freedom(m: Any, n: Any, x: Any, of: int) -> Any:
    """The derivative of the distribution function of F in a number of degrees of freedom."""
    moved = f_density(m, n, x) * (x / m if of == 0 else -x / n)
    return 0.5 * beta_in_shape(0.5 * m, 0.5 * n, f_share(m, n, x), of) + moved


fdtr = ufunc("fdtr", *[lambda d, y, m, n, x, of=of: times0(d, f_in_freedom(m, n, x, of)) for of in (0, 1)],
             lambda d, y, m, n, x: times0(d, f_density(m, n, x)))
fdtrc = ufunc("fdtrc", *[lambda d, y, m, n, x, of=of: -times0(d, f_in_freedom(m, n, x, of)) for of in (0, 1)],
              lambda d, y, m, n, x: -times0(d, f_density(m, n, x)))
fdtri = ufunc(
    "fdtri", *[lambda d, y, m, n, p, of=of: -over0(d * f_in_freedom(m, n, y, of), f_density(m, n, y)) for of in (0, 1)],
    lambda d, y, m, n, p: over0(d, f_density(m, n, y)))


FUNCTIONS: dict[Any, Any] = functions_of(vars())
