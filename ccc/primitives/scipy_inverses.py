"""Distribution functions of `scipy.special` that are not central, and inverses in any argument, by what they invert.

    f(.., x_i, ..) = p   and   x_i = g(.., p, ..)     so    dg/dp = 1 / f_i     and     dg/dx_j = - f_j / f_i

A derivative of `f` that is not known is none of `g`: it is refused by name.

>>> import scipy.special
>>> nu = FUNCTIONS[scipy.special.stdtridf](0.8, 1.0)
>>> round(float(scipy.special.stdtr(nu, 1.0)), 9)
0.8
>>> round(float(FUNCTIONS[scipy.special.kolmogorov].pullback(1.0, 0.0, 0.7)[0]), 9)
-1.664734266

References: *NIST Handbook of Mathematical Functions*, 8.17, 12.5, 13.4; Johnson, Kotz, Balakrishnan: *Continuous
univariate distributions* 2, chapters 29 to 31; Marsaglia, Tsang, Wang: *Evaluating Kolmogorov's distribution* (2003).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.primitives.elementary_numpy import (
    exp,
    greater,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    power,
    sqrt,
    where,
)
from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import over0, times0
from ccc.primitives.pointwise import Slope, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_freedom import chi_in_freedom, ratio_moves, student_moves
from ccc.primitives.scipy_incomplete import (
    beta_density,
    beta_in_shape,
    f_density,
    f_in_freedom,
    gamma_density,
    gamma_in_shape,
    t_density,
    t_in_freedom,
)
from ccc.primitives.scipy_special import (
    ROOT_TWO_PI,
    box_slope,
    fixed,
    functions_of,
    gammaln,
    hyp0f1,
    hyp1f1,
    hyperu,
    ive,
    ndtri,
    special,
    ufunc,
)

Formula = Callable[..., Any]
ROOT_TWO = math.sqrt(2.0)
Partial = Formula | str
"""How a function moves with an argument, or the name of one in which that is not known."""


def moving(name: str, *partials: Partial) -> Primitive:
    """The function `scipy.special.name` by its partial derivatives."""

    def slope(i: int, partial: Partial) -> Slope:
        if isinstance(partial, str):
            return fixed(name, partial, i)
        return lambda d, y, *xs: times0(d, partial(*xs))

    return ufunc(name, *[slope(i, partial) for i, partial in enumerate(partials)])


def inverse(name: str, place: int, *partials: Partial) -> Primitive:
    """The function that gives the argument at `place` of one with these partial derivatives, in whose place it takes a
    value of that."""
    along: Any = partials[place]

    def slope(i: int, partial: Partial) -> Slope:
        if isinstance(partial, str):
            return fixed(name, partial, i)

        def found(d: Any, y: Any, *xs: Any) -> Any:
            at = [*xs[:place], y, *xs[place + 1 :]]
            return over0(d, along(*at)) if i == place else -over0(times0(d, partial(*at)), along(*at))

        return found

    return ufunc(name, *[slope(i, partial) for i, partial in enumerate(partials)])


# -- central ones ----------------------------------------------------------------------------------------------------


BINOMIAL: tuple[Formula, ...] = (
    lambda k, n, p: beta_in_shape(k + 1.0, n - k, p, 1) - beta_in_shape(k + 1.0, n - k, p, 0),
    lambda k, n, p: -beta_in_shape(k + 1.0, n - k, p, 1),
    lambda k, n, p: -beta_density(k + 1.0, n - k, p),
)
NEGATIVE: tuple[Formula, ...] = (
    lambda k, n, p: beta_in_shape(n, k + 1.0, p, 1), lambda k, n, p: beta_in_shape(n, k + 1.0, p, 0),
    lambda k, n, p: beta_density(n, k + 1.0, p),
)
BETA: tuple[Formula, ...] = (
    lambda a, b, x: beta_in_shape(a, b, x, 0), lambda a, b, x: beta_in_shape(a, b, x, 1), beta_density)
GAMMA: tuple[Formula, ...] = (
    lambda a, b, x: x * gamma_density(b, a * x), lambda a, b, x: gamma_in_shape(b, a * x),
    lambda a, b, x: a * gamma_density(b, a * x),
)
RATIO: tuple[Formula, ...] = (
    lambda m, n, x: f_in_freedom(m, n, x, 0), lambda m, n, x: f_in_freedom(m, n, x, 1), f_density)

bdtri = inverse("bdtri", 2, "k", "n", BINOMIAL[2])
bdtrik, bdtrin = inverse("bdtrik", 0, *BINOMIAL), inverse("bdtrin", 1, *BINOMIAL)
nbdtri = inverse("nbdtri", 2, "k", "n", NEGATIVE[2])
nbdtrik, nbdtrin = inverse("nbdtrik", 0, *NEGATIVE), inverse("nbdtrin", 1, *NEGATIVE)
pdtrik = inverse("pdtrik", 0, lambda k, m: -gamma_in_shape(k + 1.0, m), lambda k, m: -gamma_density(k + 1.0, m))
pdtri = inverse("pdtri", 1, "k", lambda k, m: -gamma_density(k + 1.0, m))
btdtria = inverse("btdtria", 0, *BETA)
btdtrib = inverse("btdtrib", 1, *BETA)
gdtria, gdtrib, gdtrix = [inverse(name, i, *GAMMA) for i, name in enumerate(("gdtria", "gdtrib", "gdtrix"))]
chdtriv = inverse("chdtriv", 0, lambda v, x: 0.5 * gamma_in_shape(0.5 * v, 0.5 * x),
                  lambda v, x: 0.5 * gamma_density(0.5 * v, 0.5 * x))
fdtridfd = inverse("fdtridfd", 1, *RATIO)
stdtridf = inverse("stdtridf", 0, t_in_freedom, t_density)
nrdtrimn = ufunc("nrdtrimn", lambda d, y, p, std, x: -times0(d, std * ROOT_TWO_PI * exp(0.5 * ndtri(p) * ndtri(p))),
                 lambda d, y, p, std, x: -times0(d, ndtri(p)), lambda d, y, p, std, x: d)
nrdtrisd = ufunc("nrdtrisd", lambda d, y, mn, p, x: -over0(d, ndtri(p)),
                 lambda d, y, mn, p, x: -times0(d, y / ndtri(p) * ROOT_TWO_PI * exp(0.5 * ndtri(p) * ndtri(p))),
                 lambda d, y, mn, p, x: over0(d, ndtri(p)))


# -- those that are not central --------------------------------------------------------------------------------------


def chi_density(x: Any, df: Any, nc: Any) -> Any:
    """The density of the sum of squares of normal variables that are not central."""
    far = greater(nc * x, 1.0)
    z, w = where(far, nc * x, 1.0), where(far, 0.0, nc * x)
    apart = sqrt(where(far, x, 1.0)) - sqrt(where(far, nc, 1.0))
    order, ratio = 0.5 * df - 1.0, where(far, x, 1.0) / where(far, nc, 1.0)
    large = 0.5 * exp(-0.5 * apart * apart) * power(ratio, 0.5 * order) * ive(order, sqrt(z))
    small = 0.5 * exp(-0.5 * nc) * gamma_density(0.5 * df, 0.5 * x) * hyp0f1(0.5 * df, 0.25 * w)
    return where(far, large, small)


def ratio_density(m: Any, n: Any, nc: Any, x: Any) -> Any:
    """The density of a ratio of such a sum and one that is central."""
    w = m * x / (m * x + n)
    return f_density(m, n, x) * exp(-0.5 * nc * (1.0 - w)) * hyp1f1(-0.5 * n, 0.5 * m, -0.5 * nc * w)


def ratio_in_nc(m: Any, n: Any, nc: Any, x: Any) -> Any:
    """The derivative of the distribution function in `nc`, by a step of two degrees of freedom."""
    w = m * x / (m * x + n)
    step = beta_density(0.5 * m + 1.0, 0.5 * n, w) * (1.0 - w) / (m + n)
    return -step * exp(-0.5 * nc * (1.0 - w)) * hyp1f1(1.0 - 0.5 * n, 0.5 * m + 1.0, -0.5 * nc * w)


def normal_mean(df: Any, nc: Any, s: Any) -> Any:
    """The mean of `phi(s w - nc)`, where the square of w is a sum of `df` squares: by the integral of
    `u**(df - 1) exp(c u - u**2 / 2)`."""
    below, half = 1.0 + s * s, 0.5 * df
    c = s * nc / sqrt(below)
    left = less(c, -1.0)
    far, near = where(left, c, -1.0), where(left, 0.0, c)
    outside = exp(gammaln(half + 0.5) - 0.5 * nc * nc) * hyperu(half, 0.5, 0.5 * far * far) / (math.pi * ROOT_TWO)
    odd = ROOT_TWO * near * exp(gammaln(half + 0.5) - gammaln(half)) * hyp1f1(1.0 - half, 1.5, -0.5 * near * near)
    even = hyp1f1(0.5 - half, 0.5, -0.5 * near * near)
    return power(below, -half) * where(left, outside, exp(-0.5 * nc * nc / below) * (even + odd) / ROOT_TWO_PI)


def student_density(df: Any, nc: Any, t: Any) -> Any:
    """The density of Student's variable that is not central."""
    scale = exp(gammaln(0.5 * df + 0.5) - gammaln(0.5 * df)) * sqrt(2.0 / df)
    return scale * normal_mean(df + 1.0, nc, t / sqrt(df))


def ratio_in_freedom(m: Any, n: Any, nc: Any, x: Any, of: int) -> Any:
    """The derivative of the distribution function in a number of degrees of freedom."""
    return ratio_moves[of](m, n, nc, m * x / (m * x + n)) + ratio_density(m, n, nc, x) * (x / m if of == 0 else -x / n)


def student_in_freedom(df: Any, nc: Any, t: Any) -> Any:
    return student_moves(df, nc, t) - student_density(df, nc, t) * (0.5 * t / df)


CHI: tuple[Partial, ...] = (chi_density, chi_in_freedom, lambda x, df, nc: -chi_density(x, df + 2.0, nc))
RATIO_APART: tuple[Partial, ...] = (
    lambda m, n, nc, x: ratio_in_freedom(m, n, nc, x, 0), lambda m, n, nc, x: ratio_in_freedom(m, n, nc, x, 1),
    ratio_in_nc, ratio_density)
STUDENT: tuple[Partial, ...] = (
    student_in_freedom, lambda df, nc, t: -normal_mean(df, nc, t / sqrt(df)), student_density)

chndtr = moving("chndtr", *CHI)
chndtrix, chndtridf, chndtrinc = [
    inverse(name, i, *CHI) for i, name in enumerate(("chndtrix", "chndtridf", "chndtrinc"))]
ncfdtr = moving("ncfdtr", *RATIO_APART)
ncfdtridfn, ncfdtridfd, ncfdtrinc, ncfdtri = [
    inverse(name, i, *RATIO_APART) for i, name in enumerate(("ncfdtridfn", "ncfdtridfd", "ncfdtrinc", "ncfdtri"))]
nctdtr = moving("nctdtr", *STUDENT)
nctdtridf, nctdtrinc, nctdtrit = [
    inverse(name, i, *STUDENT) for i, name in enumerate(("nctdtridf", "nctdtrinc", "nctdtrit"))]


# -- others ----------------------------------------------------------------------------------------------------------


def kolmogorov_slope(y: Any) -> Any:
    """The derivative of `kolmogorov`, by one of two series of theta functions."""
    large, there = greater(y, 0.8), greater(y, 0.0)
    above, below = where(large, y, 1.0), where(logical_and(there, less_equal(y, 0.8)), y, 0.5)
    right, left = 0.0, 0.0
    for k in range(1, 7):
        right = right - 8.0 * above * (k * k if k % 2 else -k * k) * exp(-2.0 * k * k * above * above)
    for k in (1, 3, 5):
        a, square = k * k * math.pi * math.pi / 8.0, below * below
        left = left - ROOT_TWO_PI * exp(-a / square) * (2.0 * a / square - 1.0) / square
    return where(large, right, where(there, left, 0.0))


def kolmogorov_bend(y: Any) -> Any:
    """The derivative of that."""
    large, there = greater(y, 0.8), greater(y, 0.0)
    above, below = where(large, y, 1.0), where(logical_and(there, less_equal(y, 0.8)), y, 0.5)
    right, left = 0.0, 0.0
    for k in range(1, 7):
        square = 4.0 * k * k * above * above
        right = right - 8.0 * (1.0 - square) * (k * k if k % 2 else -k * k) * exp(-0.5 * square)
    for k in (1, 3, 5):
        over = 1.0 / (below * below)
        a = k * k * math.pi * math.pi / 8.0 * over
        left = left - 2.0 * ROOT_TWO_PI * exp(-a) * below * over * over * (a * (2.0 * a - 1.0) - 4.0 * a + 1.0)
    return where(large, right, where(there, left, 0.0))


def lambda_slopes(x: Any, n: Any, p: Any) -> tuple[Any, Any]:
    """Those of Tukey's distribution function, by its inverse `(p**n - (1 - p)**n) / n`."""
    inside = logical_and(greater(p, 0.0), less(p, 1.0))
    p = where(inside, p, 0.5)
    density = 1.0 / (power(p, n - 1.0) + power(1.0 - p, n - 1.0))
    moved = box_slope(log(p), n) - box_slope(log1p(-p), n)
    return where(inside, density, 0.0), where(inside, -moved * density, 0.0)


steepness = operation(
    "scipy.special.smirnov.slope", special._ufuncs._smirnovp, "scipy.special._ufuncs._smirnovp({}, {})",
    fixed("smirnov", "n"), fixed("_smirnovp", "d", 1), memory=NEW, raises=NEVER)
kolmogorov = moving("kolmogorov", kolmogorov_slope)
kolmogi = inverse("kolmogi", 0, kolmogorov_slope)
smirnov = moving("smirnov", "n", steepness)
smirnovi = inverse("smirnovi", 1, "n", steepness)
tklmbda = ufunc("tklmbda", *[lambda d, y, x, n, i=i: times0(d, lambda_slopes(x, n, y)[i]) for i in (0, 1)])


FUNCTIONS: dict[Any, Any] = functions_of(vars())
