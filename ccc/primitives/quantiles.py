"""How draws of the gamma and beta families move with their parameters, at a fixed probability.

    F(z, a) = u    =>    dz/da = - (dF/da) / f            f = dF/dz

Draws are made by rejection, and the formulas of that jump; what stays with the uniform numbers in them is the law, so
the derivative is that of the quantile. F = f S below the mean and 1 - F = f S above it, with series and continued
fractions S of positive terms; f drops out, and nothing cancels. Derivatives in parameters are jets: arrays of the
coefficients of powers of a shift of the parameter. They are nan for parameters above a million, and where a
million terms do not suffice.

>>> round(float(gamma_slope(1.0, 2.0, n=0)), 12), round(float(beta_slope(0.5, 2.0, 2.0, of=0)), 12)
(0.750778692126, 0.147715726853)

References: Figurnov, Mohamed, Mnih, *Implicit Reparameterization Gradients*; *NIST Handbook*, 8.7, 8.9, 8.17.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ccc.additive import Zero, total
from ccc.primitives.broadcasting import fit
from ccc.primitives.elementary_numpy import log
from ccc.primitives.facts import ENTRIES, NEVER, NEW
from ccc.primitives.gamma import BERNOULLI, polygamma_of
from ccc.primitives.pointwise import spread
from ccc.primitives.primitive import Primitive, elementwise

MOST = 1_000_000
LARGE, NEAREST = 1e6, 36.0 / MOST  # a series in z takes at least 36 / (1 - z) terms
TOGETHER = 2048
EPS, NEAR = 2.0**-54, 2.0**-50

Jet = np.ndarray[Any, np.dtype[Any]]
Orders = tuple[int, int]
_polygamma = np.vectorize(polygamma_of, otypes=[float])


# -- jets: entry i, j is the coefficient of the powers i and j of shifts of two parameters --------------------------


def jet(x: Any, orders: Orders, *along: int) -> Jet:
    """That of a number, and of a sum of the parameters `along`."""
    found = np.zeros((orders[0] + 1, orders[1] + 1, *np.shape(x)))
    found[0, 0] = x
    for axis in along:
        if orders[axis]:
            found[(1, 0) if axis == 0 else (0, 1)] = 1.0
    return found


def paired(p: Jet, x: Any) -> tuple[int, ...]:
    """The shape of a jet at as many places as there are in it and in `x`, where it may be one for all."""
    return (*p.shape[:2], *np.broadcast_shapes(p.shape[2:], np.shape(x)))


def two(p: Jet) -> Jet:
    """The two coefficients of a jet of order 1."""
    return p.reshape(2, *p.shape[2:])


def of_two(like: Jet, first: Any, second: Any) -> Jet:
    """The jet of order 1 with two coefficients."""
    found = np.empty((2, *first.shape))
    found[0], found[1] = first, second
    return found.reshape(*like.shape[:2], *first.shape)


def times(p: Jet, q: Jet) -> Jet:
    """The product of two jets."""
    if p.shape[:2] == (1, 1):
        return p * q
    if p.shape[0] * p.shape[1] == 2:  # without the loops that more take
        (p0, p1), (q0, q1) = two(p), two(q)
        return of_two(p, p0 * q0, p0 * q1 + p1 * q0)
    found = np.zeros(paired(p, q[0, 0]))
    for i, j in np.ndindex(*p.shape[:2]):
        for k, m in np.ndindex(i + 1, j + 1):
            found[i, j] += p[k, m] * q[i - k, j - m]
    return found


def over(p: Jet, q: Jet) -> Jet:
    """The quotient of two jets."""
    if p.shape[:2] == (1, 1):
        return p / q
    if p.shape[0] * p.shape[1] == 2:
        (p0, p1), (q0, q1) = two(p), two(q)
        first = p0 / q0
        return of_two(p, first, (p1 - first * q1) / q0)
    found = np.zeros(paired(p, q[0, 0]))
    for i, j in np.ndindex(*p.shape[:2]):
        rest = p[i, j]
        for k, m in np.ndindex(i + 1, j + 1):
            if (k, m) != (i, j):
                rest = rest - found[k, m] * q[i - k, j - m]
        found[i, j] = rest / q[0, 0]
    return found


def more(p: Jet, x: Any) -> Jet:
    """A jet and a number."""
    if p.shape[:2] == (1, 1):
        return p + x
    found = p.copy() if isinstance(x, int | float) else np.broadcast_to(p, paired(p, x)).copy()
    found[0, 0] += x
    return found


def slope_of(p: Jet, axis: int) -> Jet:
    """The derivative in a parameter, of one order less."""
    rows = np.moveaxis(p, axis, 0)
    return np.moveaxis(np.array([(k + 1) * rows[k + 1] for k in range(len(rows) - 1)]), 0, axis)


def psi_jet(x: Any, orders: Orders, *along: int) -> Jet:
    """That of the digamma function of a sum of the parameters `along`."""
    alone, at = np.unique(x, return_inverse=True)
    found = np.zeros((orders[0] + 1, orders[1] + 1, *np.shape(x)))
    for i, j in np.ndindex(*found.shape[:2]):
        if (0 in along or i == 0) and (1 in along or j == 0):
            found[i, j] = polygamma_at(i + j, alone)[at] / (math.factorial(i) * math.factorial(j))
    return found


def polygamma_at(n: int, x: Any) -> Any:
    """`polygamma_of` at an array of positive numbers."""
    factor, least = float(math.factorial(n)), 12.0 + 2.0 * n
    total = np.zeros_like(x)
    for _ in range(int(least)):
        small = x < least
        total = total + np.where(small, factor / x ** (n + 1), 0.0)
        x = np.where(small, x + 1.0, x)
    w, series = 1.0 / x, np.zeros_like(x)
    for k, b in list(enumerate(BERNOULLI, 1))[::-1]:
        series = (series + b * (math.factorial(2 * k + n - 1) / math.factorial(2 * k))) * w * w
    rest = 0.5 * factor * w ** (n + 1) + series * w**n
    if n == 0:
        return np.log(x) - (total + rest)
    total = total + (rest + math.factorial(n - 1) * w**n)
    return total if n % 2 else -total


def settled(term: Jet, total: Jet, bound: float) -> Any:
    """Where a term counts no more; what is no number stays none."""
    return np.all(~(np.abs(term) > bound * np.abs(total)), axis=(0, 1))


def small(term: Jet, total: Jet, bound: float) -> bool:
    """Whether a term counts no more for any."""
    return bool(np.all(settled(term, total, bound)))


# -- gamma -----------------------------------------------------------------------------------------------------------


def _gamma_below(z: Any, a: Any, orders: Orders) -> Jet:
    """- (dF/da) / f = sum_n t_n (psi(a + n + 1) - log z), t_n = z^{n+1} / (a ... (a + n))."""
    x, psi, lead = jet(a, orders, 0), psi_jet(a, orders, 0), np.log(z)
    one = jet(np.ones_like(a), orders)
    total, t = np.zeros_like(x), one
    for n in range(MOST):
        at = more(x, n)
        t = over(t * z, at)
        psi = psi + over(one, at)
        term = times(t, more(psi, -lead))
        total = total + term
        if small(term, total, EPS) and np.all(z < a + n):
            break
    else:
        return np.where(settled(term, total, EPS) & (z < a + MOST), total, np.nan)
    return total


def _gamma_above(z: Any, a: Any, orders: Orders) -> Jet:
    """(d(1 - F)/da) / f = C (log z - psi(a)) + dC/da, C a continued fraction in z + 1 - a."""
    x = jet(a, (orders[0] + 1, 0), 0)
    one = jet(np.ones_like(a), (orders[0] + 1, 0))
    b = more(-x, z + 1.0)
    found = d = c = over(one, b)
    for i in range(1, MOST):
        top = more(i * x, -float(i) * i)
        b = more(b, 2.0)
        d = over(one, b + times(top, d))
        c = b + over(top, c) if i > 1 else b
        step = times(c, d)
        found = times(found, step)
        if small(more(step, -1.0)[:1], one[:1], NEAR) and small(found[0] * step[1:], found[1:], NEAR):
            break
    else:
        found = np.where(settled(more(step, -1.0)[:1], one[:1], NEAR), found, np.nan)
    lead = more(-psi_jet(a, orders, 0), np.log(z))
    return times(z * found[:-1], lead) + slope_of(z * found, 0)


def _gamma_slope(z: Any, a: Any, n: int) -> Any:
    """The derivative of order n in the shape of how a draw moves with it."""
    zs, shapes = np.broadcast_arrays(np.asarray(z, float), np.asarray(a, float))
    found, arrays = np.full(zs.shape, np.nan), any(isinstance(x, np.ndarray) for x in (z, a))
    with np.errstate(all="ignore"):
        found[zs == 0.0] = 0.0
        ok = (zs > 0.0) & (shapes > 0.0) & np.isfinite(zs) & (shapes <= LARGE)
        low = ok & (zs < shapes + 1.0)
        for where, rule in ((low, _gamma_below), (ok & ~low, _gamma_above)):
            found[where] = by_parts(rule, (n, 0), zs[where], shapes[where])
    return found if arrays else found[()]


def by_parts(rule: Any, orders: Orders, z: Any, *xs: Any) -> Any:
    """The derivatives that a rule gives, for a few similar numbers at a time: as many terms as these need."""
    order = np.argsort(z, kind="stable")
    found = np.empty(z.shape)
    for i in range(0, len(order), TOGETHER):
        here = order[i : i + TOGETHER]
        parameters = [x[here[:1]] if np.all(x[here] == x[here[0]]) else x[here] for x in xs]  # one for all, if it is
        found[here] = rule(z[here], *parameters, orders)[orders]
    return found * (math.factorial(orders[0]) * math.factorial(orders[1]))


# -- beta ------------------------------------------------------------------------------------------------------------


def _beta_below(of: int, z: Any, rest: Any, a: Any, b: Any, orders: Orders) -> Jet:
    """- (dF/dp) / f = - (L S + dS/dp) for p = a (`of` is 0) or p = b, where F = f S, S = sum_n t_n and
    t_n / t_{n-1} = z (a + b + n - 1) / (a + n), t_0 = z (1 - z) / a."""
    higher = (orders[0] + 1, orders[1]) if of == 0 else (orders[0], orders[1] + 1)
    first, both = jet(a, higher, 0), jet(a + b, higher, 0, 1)
    t = over(jet(z * rest, higher), first)
    total = t
    for n in range(MOST):
        t = times(t * z, over(more(both, n), more(first, n + 1.0)))
        total = total + t
        if small(t, total, EPS) and np.all(z * (a + b + n) < a + 1.0 + n):
            break
    else:
        total = np.where(settled(t, total, EPS), total, np.nan)
    lead = psi_jet(a + b, orders, 0, 1) - (psi_jet(a, orders, 0) if of == 0 else psi_jet(b, orders, 1))
    kept = total[: orders[0] + 1, : orders[1] + 1]
    return -times(kept, more(lead, np.log(z if of == 0 else rest))) - slope_of(total, of)


def _beta_slope(z: Any, a: Any, b: Any, of: int, orders: Orders = (0, 0)) -> Any:
    """The derivative of these orders in a and b of how a draw moves with a (`of` is 0) or b."""
    zs, first, second = np.broadcast_arrays(*[np.asarray(x, float) for x in (z, a, b)])
    found, arrays = np.full(zs.shape, np.nan), any(isinstance(x, np.ndarray) for x in (z, a, b))
    with np.errstate(all="ignore"):
        found[(zs == 0.0) | (zs == 1.0)] = 0.0
        ok = (zs > 0.0) & (zs < 1.0) & (first > 0.0) & (second > 0.0) & (first + second <= LARGE)
        below = zs * (first + second) < first
        at = ok & below & (1.0 - zs >= NEAREST)
        z, a, b = zs[at], first[at], second[at]
        found[at] = by_parts(partial(_beta_below, of), orders, z, 1.0 - z, a, b)
        at = ok & ~below & (zs >= NEAREST)
        z, a, b = zs[at], first[at], second[at]
        found[at] = -by_parts(partial(_beta_below, 1 - of), (orders[1], orders[0]), 1.0 - z, z, b, a)
    return found if arrays else found[()]


# -- as primitives ---------------------------------------------------------------------------------------------------


def _psi(x: Any, n: int) -> Any:
    return _polygamma(n, x) if isinstance(x, np.ndarray) else polygamma_of(n, x)


def _moved(slopes: Any) -> dict[str, Any]:
    """The two derivatives of an elementwise primitive with parameters, from its slopes."""

    def pullback(ct: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
        return tuple([fit(ct * slope, x) for slope, x in zip(slopes(y, *xs, **params), xs, strict=True)])

    def differential(ds: tuple[Any, ...], y: Any, *xs: Any, **params: Any) -> Any:
        each = zip(ds, slopes(y, *xs, **params), strict=True)
        return spread(total([d * slope for d, slope in each if not isinstance(d, Zero)]), y)

    return {"pullback": pullback, "differential": differential, "memory": NEW, "work": ENTRIES, "raises": NEVER}


def _gamma_slopes(y: Any, z: Any, a: Any, n: int) -> tuple[Any, ...]:
    """From dz/da = h: dh/dz = psi(a) - log z - h ((a - 1) / z - 1), and its derivatives in a."""
    before = -log(z) if n == 0 else -(n * gamma_slope(z, a, n=n - 1)) / z
    return before + psi(a, n=n) - y * ((a - 1.0) / z - 1.0), gamma_slope(z, a, n=n + 1)


def _beta_slopes(y: Any, z: Any, a: Any, b: Any, of: int, orders: Orders = (0, 0)) -> tuple[Any, ...]:
    """The same for two parameters, of which f has one at z and one at 1 - z."""
    i, j = orders
    moved = y * ((a - 1.0) / z - (b - 1.0) / (1.0 - z)) + psi(a + b, n=i + j)
    if i:
        moved = moved + i * beta_slope(z, a, b, of=of, orders=(i - 1, j)) / z
    if j:
        moved = moved - j * beta_slope(z, a, b, of=of, orders=(i, j - 1)) / (1.0 - z)
    if orders[1 - of] == 0:
        moved = moved - psi(b if of else a, n=orders[of])
    if orders == (0, 0):
        moved = moved + log(1.0 - z if of else z)
    return (-moved, beta_slope(z, a, b, of=of, orders=(i + 1, j)), beta_slope(z, a, b, of=of, orders=(i, j + 1)))


psi = Primitive(
    "psi", _psi, elementwise, lambda x, n: f"psi({x}, {n})",
    **_moved(lambda y, x, n: (psi(x, n=n + 1),)),
)
gamma_slope = Primitive(
    "gamma_slope", _gamma_slope, elementwise, lambda z, a, n: f"gamma_slope({z}, {a}, {n})", **_moved(_gamma_slopes),
)
beta_slope = Primitive(
    "beta_slope", _beta_slope, elementwise,
    lambda z, a, b, of, orders=(0, 0): f"beta_slope({z}, {a}, {b}, {of}, {orders})",
    **_moved(_beta_slopes),
)
"""`psi(x, n=)` is the digamma function's derivative of order n, `gamma_slope(z, a, n=)` that of how a draw z of the
gamma family moves with its shape, `beta_slope(z, a, b, of=, orders=)` those of how one of the beta family does."""
