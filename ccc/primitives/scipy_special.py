"""The functions of `scipy.special`, with their derivatives in terms of these.

    d gammaln x = psi(x) dx        d J_v(x) = (J_{v-1}(x) - J_{v+1}(x)) / 2 dx        d ndtr x = phi(x) dx

The registry loads this module when a program that has imported `scipy.special` calls one of its functions
(`scipy_specials` has them all); nothing else imports SciPy. In arguments where no formula is known, as the order of
`jv`, a derivative is refused by name (`ccc.primitives.unknown`). Zero cotangents stay
zero, also where a slope is infinite; outside of a domain slopes are NaN, as values are.

>>> gammaln.pullback(1.0, 0.0, 1.0), erf.pullback(1.0, 0.0, 0.0)
((np.float64(-0.5772156649015329),), (np.float64(1.1283791670955126),))

References: *NIST Handbook of Mathematical Functions*, 5.4, 7.10, 8.8, 8.17, 10.6, 10.29, 13.3, 15.5, 25.11.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special

from ccc.additive import ZERO
from ccc.objects import is_discrete
from ccc.primitives.adaptors import np_squeeze, real_array
from ccc.primitives.adaptors_reductions import np_max, np_sum
from ccc.primitives.arguments import flag, integer, static
from ccc.primitives.barriers import stop
from ccc.primitives.bessel_orders import order_slope
from ccc.primitives.bilinear import rank_of
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.elementary_numpy import (
    clip,
    equal,
    exp,
    greater_equal,
    isfinite,
    less,
    less_equal,
    log,
    log1p,
    logaddexp,
    logical_and,
    maximum,
    power,
    sign,
    sin,
    sqrt,
    where,
)
from ccc.primitives.facts import MAGNITUDE, NEVER, NEW, NOWHERE
from ccc.primitives.gamma import LEAST
from ccc.primitives.guarded import over0, times0
from ccc.primitives.indexing import index
from ccc.primitives.matrices import lapack_dtype
from ccc.primitives.pointwise import Slope, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.shaping import astype
from ccc.primitives.unknown import unknown
from ccc.primitives.zeta_slope import zeta_slope

special: Any = scipy.special
LN2, LN10 = math.log(2.0), math.log(10.0)
ROOT_PI = math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
DEGREE = math.pi / 180.0


def ufunc(name: str, *slopes: Slope, source: str = "", **facts: Any) -> Primitive:
    """The function `scipy.special.name` with its slopes."""
    text = source or f"scipy.special.{name}({', '.join(['{}'] * len(slopes))})"
    known: dict[str, Any] = {"memory": NEW, "raises": NEVER} | facts
    return operation(f"scipy.special.{name}", getattr(special, name), text, *slopes, **known)


def functions_of(names: dict[str, Any]) -> dict[Any, Primitive]:
    """The primitives of a module that stand for functions of `scipy.special`."""
    return {p.value: p for p in names.values() if isinstance(p, Primitive) and p.name.startswith("scipy.")
            and p.name.removeprefix("scipy.special.").isidentifier()}


def fixed(name: str, argument: str, position: int = 0) -> Slope:
    """The slope in an argument in which no derivative is known: that of an integer is none."""

    def slope(d: Any, y: Any, *xs: Any) -> Any:
        if is_discrete(kind_of(xs[position])):
            return ZERO
        return unknown(d, *xs, of=f"scipy.special.{name}", argument=argument)

    return slope


# -- gamma and beta functions ----------------------------------------------------------------------------------------


polygamma = operation(
    "scipy.special.polygamma", lambda n, x: special.polygamma(n, x)[()], "scipy.special.polygamma({}, {})[()]",
    fixed("polygamma", "n"), lambda d, y, n, x: times0(d, polygamma(n + 1, x)), memory=NEW, raises=NEVER,
    turns=NOWHERE, within=MAGNITUDE, absolute=2.0**-48,
)
zeta = operation(
    "scipy.special.zeta", lambda x, q: special.zeta(x, q)[()], "scipy.special.zeta({}, {})[()]",
    lambda d, y, x, q: times0(d, zeta_slope(x, q)), lambda d, y, x, q: times0(d, -x * zeta(x + 1, q)),
    memory=NEW, raises=NEVER,
)
zetac = ufunc("zetac", lambda d, y, x: times0(d, zeta_slope(x, 1.0)))
psi = ufunc("psi", lambda d, y, x: times0(d, polygamma(1, x)), turns=NOWHERE, within=MAGNITUDE, absolute=2.0**-48)
gammaln, loggamma = [
    ufunc(name, lambda d, y, x: times0(d, psi(x)), turns=LEAST, within=MAGNITUDE, absolute=2.0**-48)
    for name in ("gammaln", "loggamma")
]
gamma = ufunc("gamma", lambda d, y, x: times0(d, y * psi(x)), turns=LEAST, within=MAGNITUDE)
beta = ufunc("beta", lambda d, y, a, b: times0(d, y * (psi(a) - psi(a + b))),
             lambda d, y, a, b: times0(d, y * (psi(b) - psi(a + b))))
betaln = ufunc("betaln", lambda d, y, a, b: times0(d, psi(a) - psi(a + b)),
               lambda d, y, a, b: times0(d, psi(b) - psi(a + b)))
binom = ufunc("binom", lambda d, y, n, k: times0(d, y * (psi(n + 1.0) - psi(n - k + 1.0))),
              lambda d, y, n, k: times0(d, y * (psi(n - k + 1.0) - psi(k + 1.0))))
poch = ufunc("poch", lambda d, y, z, m: times0(d, y * (psi(z + m) - psi(z))),
             lambda d, y, z, m: times0(d, y * psi(z + m)))


# -- error functions and the normal distribution ---------------------------------------------------------------------


def mills(x: Any) -> Any:
    """The density of the standard normal distribution over its distribution function."""
    return math.sqrt(2.0 / math.pi) / erfcx(-x / math.sqrt(2.0))


erf = ufunc("erf", lambda d, y, x: d * (2.0 / ROOT_PI * exp(-(x * x))), increasing=True)
erfc = ufunc("erfc", lambda d, y, x: -(d * (2.0 / ROOT_PI * exp(-(x * x)))))
erfcx = ufunc("erfcx", lambda d, y, x: times0(d, 2.0 * x * y - 2.0 / ROOT_PI))
erfi = ufunc("erfi", lambda d, y, x: times0(d, 2.0 / ROOT_PI * exp(x * x)), increasing=True)
dawsn = ufunc("dawsn", lambda d, y, x: d * (1.0 - 2.0 * x * y))
erfinv = ufunc("erfinv", lambda d, y, x: times0(d, 0.5 * ROOT_PI * exp(y * y)), increasing=True)
erfcinv = ufunc("erfcinv", lambda d, y, x: -times0(d, 0.5 * ROOT_PI * exp(y * y)))
ndtr = ufunc("ndtr", lambda d, y, x: d * (exp(-0.5 * (x * x)) / ROOT_TWO_PI), increasing=True)
ndtri = ufunc("ndtri", lambda d, y, p: times0(d, ROOT_TWO_PI * exp(0.5 * (y * y))), increasing=True)
log_ndtr = ufunc("log_ndtr", lambda d, y, x: times0(d, mills(x)), increasing=True)
ndtri_exp = ufunc("ndtri_exp", lambda d, y, x: over0(d, mills(y)), increasing=True)
owens_t = ufunc(
    "owens_t", lambda d, y, h, a: -d * (exp(-0.5 * (h * h)) * erf(h * a / math.sqrt(2.0)) / (2.0 * ROOT_TWO_PI)),
    lambda d, y, h, a: d * (exp(-0.5 * (h * h) * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))),
)


# -- logarithms, exponentials, entropies -----------------------------------------------------------------------------


def exprel_slope(u: Any) -> Any:
    """The derivative of `exprel`."""
    return 0.5 * hyp1f1(2.0, 3.0, u)


def box_slope(length: Any, lmbda: Any) -> Any:
    """The slope of the Box-Cox transform in lambda, given the logarithm of its argument."""
    return length * length * exprel_slope(lmbda * length)


def inverse_box_slope(x: Any, y: Any, lmbda: Any) -> Any:
    """The slope of `(1 + lmbda y)**(1 / lmbda)`, which is x, in lambda."""
    return -0.5 * x * (y * y) * hyp2f1(2.0, 2.0, 3.0, -lmbda * y)


expit = ufunc("expit", lambda d, y, x: d * (y * expit(-x)), bounds=(0.0, 1.0), increasing=True)
logit = ufunc("logit", lambda d, y, p: over0(d, p * (1.0 - p)), increasing=True)
log_expit = ufunc("log_expit", lambda d, y, x: d * expit(-x), increasing=True)
xlogy = ufunc("xlogy", lambda d, y, x, z: times0(d, log(z)), lambda d, y, x, z: over0(d * x, z))
xlog1py = ufunc("xlog1py", lambda d, y, x, z: times0(d, log1p(z)), lambda d, y, x, z: over0(d * x, 1.0 + z))
entr = ufunc("entr", lambda d, y, x: -times0(d, 1.0 + log(x)))
rel_entr = ufunc("rel_entr", lambda d, y, x, z: times0(d, 1.0 + log(x / z)), lambda d, y, x, z: -over0(d * x, z))
kl_div = ufunc("kl_div", lambda d, y, x, z: times0(d, log(x / z)), lambda d, y, x, z: d - over0(d * x, z))
exprel = ufunc("exprel", lambda d, y, x: times0(d, exprel_slope(x)), bounds=MAGNITUDE, increasing=True)
cosm1 = ufunc("cosm1", lambda d, y, x: -(d * sin(x)))
expm1 = ufunc("expm1", lambda d, y, x: d * exp(x), increasing=True)
exp2 = ufunc("exp2", lambda d, y, x: d * (y * LN2), bounds=MAGNITUDE, increasing=True)
exp10 = ufunc("exp10", lambda d, y, x: d * (y * LN10), bounds=MAGNITUDE, increasing=True)
log1p_ = ufunc("log1p", lambda d, y, x: over0(d, 1.0 + x), increasing=True)
cbrt = ufunc("cbrt", lambda d, y, x: over0(d, 3.0 * (y * y)), increasing=True)
boxcox = ufunc("boxcox", lambda d, y, x, n: times0(d, power(x, n - 1.0)),
               lambda d, y, x, n: times0(d, box_slope(log(x), n)))
boxcox1p = ufunc("boxcox1p", lambda d, y, x, n: times0(d, power(1.0 + x, n - 1.0)),
                 lambda d, y, x, n: times0(d, box_slope(log1p(x), n)))
inv_boxcox = ufunc("inv_boxcox", lambda d, x, y, n: times0(d, power(x, 1.0 - n)),
                   lambda d, x, y, n: times0(d, inverse_box_slope(x, y, n)))
inv_boxcox1p = ufunc("inv_boxcox1p", lambda d, x, y, n: times0(d, power(1.0 + x, 1.0 - n)),
                     lambda d, x, y, n: times0(d, inverse_box_slope(1.0 + x, y, n)))
sindg = ufunc("sindg", lambda d, y, x: d * (DEGREE * cosdg(x)), bounds=(-1.0, 1.0))
cosdg = ufunc("cosdg", lambda d, y, x: -(d * (DEGREE * sindg(x))), bounds=(-1.0, 1.0))
tandg = ufunc("tandg", lambda d, y, x: d * (DEGREE * (1.0 + y * y)))
cotdg = ufunc("cotdg", lambda d, y, x: -(d * (DEGREE * (1.0 + y * y))))


# -- losses ----------------------------------------------------------------------------------------------------------


def steepness(delta: Any, r: Any) -> Any:
    """What the slopes of the smooth loss are divided by."""
    return sqrt(1.0 + (r / delta) * (r / delta))


huber = ufunc("huber", lambda d, y, delta, r: d * maximum(abs(r) - delta, 0.0),
              lambda d, y, delta, r: d * clip(r, -delta, delta))
"""`huber(delta, r)`: at a negative delta, where it is inf, its slopes mean nothing."""
pseudo_huber = ufunc(
    "pseudo_huber", lambda d, y, delta, r: d * (2.0 * y / delta - r * r / (delta * steepness(delta, r))),
    lambda d, y, delta, r: d * (r / steepness(delta, r)),
)


# -- Bessel functions ------------------------------------------------------------------------------------------------


def quotient(y: Any, x: Any) -> Any:
    """A function of order 1 that is `x / 2` near zero, over its argument."""
    return np.divide(y, x, out=np.full_like(y, 0.5), where=np.not_equal(x, 0.0))


def j1_slope_of(x: Any) -> Any:
    """The derivative of `j1`, by the functions of orders 0 and 1, which are fast."""
    return special.j0(x) - quotient(special.j1(x), x)[()]


def i1_slope_of(x: Any) -> Any:
    """The derivative of `i1`."""
    return special.i0(x) - quotient(special.i1(x), x)[()]


def i1e_slope_of(x: Any) -> Any:
    """The derivative of `i1e`, beside that of its scale."""
    return special.i0e(x) - quotient(special.i1e(x), x)[()]


def order_1(value: Any, slope: Slope) -> Primitive:
    """The derivative of a function of order 1. Its own one is that of functions of higher orders, since differences of
    quotients by the argument have no digits near zero."""
    name = value.__name__
    return operation(name, value, f"{name}({{}})", slope, memory=NEW, raises=NEVER)


def cylinder(name: str, slope: Slope, in_order: Slope | None = None) -> Primitive:
    """A Bessel function of an order and an argument."""
    return ufunc(name, fixed(name, "v") if in_order is None else in_order, slope)


jv = cylinder("jv", lambda d, y, v, x: times0(d, 0.5 * (jv(v - 1, x) - jv(v + 1, x))))
yv = cylinder("yv", lambda d, y, v, x: times0(d, 0.5 * (yv(v - 1, x) - yv(v + 1, x))))
yn = cylinder("yn", lambda d, y, v, x: times0(d, 0.5 * (yv(v - 1, x) - yv(v + 1, x))))
jve = cylinder("jve", lambda d, y, v, x: times0(d, 0.5 * (jve(v - 1, x) - jve(v + 1, x))))
yve = cylinder("yve", lambda d, y, v, x: times0(d, 0.5 * (yve(v - 1, x) - yve(v + 1, x))))
iv = cylinder("iv", lambda d, y, v, x: times0(d, 0.5 * (iv(v - 1, x) + iv(v + 1, x))))
kv = cylinder("kv", lambda d, y, v, x: -times0(d, 0.5 * (kv(v - 1, x) + kv(v + 1, x))),
              lambda d, y, v, x: times0(d, exp(-x) * order_slope(1)(v, x)))
kn = cylinder("kn", lambda d, y, v, x: -times0(d, 0.5 * (kv(v - 1, x) + kv(v + 1, x))))
ive = cylinder("ive", lambda d, y, v, x: times0(d, 0.5 * (ive(v - 1, x) + ive(v + 1, x)) - sign(x) * y))
kve = cylinder("kve", lambda d, y, v, x: times0(d, y - 0.5 * (kve(v - 1, x) + kve(v + 1, x))),
               lambda d, y, v, x: times0(d, order_slope(1)(v, x)))
j0 = ufunc("j0", lambda d, y, x: -(d * j1(x)), bounds=(-1.0, 1.0), modulus=lambda d: 0.582 * d)
j1 = ufunc("j1", lambda d, y, x: d * j1_slope(x), bounds=(-1.0, 1.0), modulus=lambda d: 0.5 * d)
j1_slope = order_1(j1_slope_of, lambda d, y, x: d * (0.25 * jv(3, x) - 0.75 * j1(x)))
y0 = ufunc("y0", lambda d, y, x: -times0(d, y1(x)))
y1 = ufunc("y1", lambda d, y, x: times0(d, y0(x) - y / x))
i0 = ufunc("i0", lambda d, y, x: times0(d, i1(x)))
i1 = ufunc("i1", lambda d, y, x: times0(d, i1_slope(x)))
i1_slope = order_1(i1_slope_of, lambda d, y, x: times0(d, 0.75 * i1(x) + 0.25 * iv(3, x)))
i0e = ufunc("i0e", lambda d, y, x: d * (i1e(x) - sign(x) * y))
i1e = ufunc("i1e", lambda d, y, x: d * (i1e_slope(x) - sign(x) * y))
i1e_slope = order_1(i1e_slope_of, lambda d, y, x: d * (0.75 * i1e(x) + 0.25 * ive(3, x) - sign(x) * y))
k0 = ufunc("k0", lambda d, y, x: -times0(d, k1(x)))
k1 = ufunc("k1", lambda d, y, x: -times0(d, k0(x) + y / x))
k0e = ufunc("k0e", lambda d, y, x: times0(d, y - k1e(x)))
k1e = ufunc("k1e", lambda d, y, x: times0(d, y - k0e(x) - y / x))


# -- integrals and hypergeometric functions --------------------------------------------------------------------------


def spence_slope(z: Any) -> Any:
    """`log(z) / (1 - z)`, which is regular at 1."""
    near = less(abs(z - 1.0), 0.5)
    inside, outside = where(near, z, 1.0), where(near, 2.0, z)
    return -where(near, hyp2f1(1.0, 1.0, 2.0, 1.0 - inside), log(outside) / (outside - 1.0))


expi = ufunc("expi", lambda d, y, x: times0(d, exp(x) / x))
exp1 = ufunc("exp1", lambda d, y, x: -times0(d, exp(-x) / x))
expn = ufunc("expn", fixed("expn", "n"), lambda d, y, n, x: -times0(d, expn(n - 1, x)))
spence = ufunc("spence", lambda d, y, z: times0(d, spence_slope(z)))
ellipk = ufunc("ellipk", lambda d, y, m: times0(d, math.pi / 8.0 * hyp2f1(1.5, 1.5, 2.0, m)))
ellipe = ufunc("ellipe", lambda d, y, m: -times0(d, math.pi / 8.0 * hyp2f1(0.5, 1.5, 2.0, m)))
hyp0f1 = ufunc("hyp0f1", fixed("hyp0f1", "v"), lambda d, y, v, z: times0(d, hyp0f1(v + 1.0, z) / v))
hyp1f1 = ufunc("hyp1f1", fixed("hyp1f1", "a"), fixed("hyp1f1", "b", 1),
               lambda d, y, a, b, x: times0(d, a / b * hyp1f1(a + 1.0, b + 1.0, x)))
hyp2f1 = ufunc("hyp2f1", fixed("hyp2f1", "a"), fixed("hyp2f1", "b", 1), fixed("hyp2f1", "c", 2),
               lambda d, y, a, b, c, z: times0(d, a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)))
hyperu = ufunc("hyperu", fixed("hyperu", "a"), fixed("hyperu", "b", 1),
               lambda d, y, a, b, x: -times0(d, a * hyperu(a + 1.0, b + 1.0, x)))
wrightomega = ufunc("wrightomega", lambda d, y, x: d * (y / (1.0 + y)), bounds=MAGNITUDE, increasing=True)
radian = ufunc("radian", lambda d, y, a, m, s: d * DEGREE, lambda d, y, a, m, s: d * (DEGREE / 60.0),
               lambda d, y, a, m, s: d * (DEGREE / 3600.0))


# -- functions that SciPy has in Python ------------------------------------------------------------------------------


def sp_zeta(x: Any, q: Any = None) -> Any:
    return zeta(x, 1.0 if q is None else q)


def sp_comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    if flag("exact", exact):
        raise TypeError("scipy.special.comb has a derivative for exact=False only")
    if flag("repetition", repetition):
        return sp_comb(N + k - 1, k)
    inside = logical_and(logical_and(less_equal(k, N), greater_equal(N, 0)), greater_equal(k, 0))
    return where(inside, binom(where(inside, N, 2.0), where(inside, k, 1.0)), 0.0)


def sp_multigammaln(a: Any, d: Any) -> Any:
    order = integer("d", d)
    found = order * (order - 1) * 0.25 * math.log(math.pi)
    for j in range(order):
        found = found + gammaln(a - 0.5 * j)
    return found


def sp_softplus(x: Any) -> Any:
    return logaddexp(0.0, real_array(x))


def sp_softmax(x: Any, axis: Any = None) -> Any:
    x = real_array(x)
    raised = exp(x - stop(np_max(x, axis, keepdims=True)))
    return raised / np_sum(raised, axis, keepdims=True)


def sp_log_softmax(x: Any, axis: Any = None) -> Any:
    x = real_array(x)
    top = stop(np_max(x, axis, keepdims=True))
    lowered = x - where(isfinite(top), top, 0.0)
    return lowered - log(np_sum(exp(lowered), axis, keepdims=True))


def sp_logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    """The largest terms stand before the logarithm, so that a sum near 1 keeps its digits; they are constant in the
    shift, of which the value does not depend."""
    a, weights = real_array(a), None if b is None else real_array(b)
    if weights is not None:
        a, weights = a + 0.0 * weights, weights + 0.0 * where(isfinite(a), a, 0.0)
        a = where(equal(weights, 0.0), -math.inf, a)
    top = stop(np_max(a, axis, keepdims=True))
    largest, shift = equal(a, top), where(isfinite(top), top, 0.0)
    weight = 1.0 if weights is None else weights
    ones = astype(largest, dtype=lapack_dtype(kind_of(a)))
    head = np_sum(ones if weights is None else where(largest, weights, 0.0), axis, keepdims=True)
    rest = where(largest, weight * expm1(where(largest, a - shift, 0.0)), weight * exp(a - shift))
    tail = np_sum(rest, axis, keepdims=True)
    ratio = tail / head
    signed = sign(1.0 + ratio) * sign(head)
    found = log1p(where(less(ratio, -1.0), -ratio - 2.0, ratio)) + log(abs(head)) + shift
    if not flag("return_sign", return_sign) and weights is not None:
        found = where(less(signed, 0.0), math.nan, found)
    if not flag("keepdims", keepdims):
        found, signed = [as_scalar(np_squeeze(x, static("axis", axis))) for x in (found, signed)]
    return (found, signed) if flag("return_sign", return_sign) else found


def as_scalar(x: Any) -> Any:
    """An array without axes as the number that it holds."""
    return index(x, pattern=()) if rank_of(x) == 0 else x


FUNCTIONS: dict[Any, Any] = functions_of(vars()) | {
    special.polygamma: polygamma, special.zeta: sp_zeta, special.comb: sp_comb, special.multigammaln: sp_multigammaln,
    special.logsumexp: sp_logsumexp, special.softmax: sp_softmax, special.log_softmax: sp_log_softmax,
} | ({special.softplus: sp_softplus} if hasattr(special, "softplus") else {})
