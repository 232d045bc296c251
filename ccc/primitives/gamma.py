"""The gamma function, its logarithm and the derivatives of that, of every order.

    d lgamma x = psi_0(x) dx        d psi_n(x) = psi_{n+1}(x) dx        d gamma x = gamma x psi_0(x) dx

`polygamma(n, x)` is psi_n at a real `x`: by recurrence from where its asymptotic series holds all digits, and by
reflection left of 0. At the poles, where `math.lgamma` raises, it is inf for odd `n` and nan for even `n`.

>>> lgamma.pullback(1.0, math.lgamma(1.0), 1.0), polygamma(1, 1.0)
((-0.5772156649015328,), 1.6449340668482264)

References: *NIST Handbook of Mathematical Functions*, 5.4, 5.5, 5.11, 5.15.
"""

from __future__ import annotations

import math

from ccc.additive import ZERO
from ccc.primitives.domains import no_order, up_to
from ccc.primitives.elementary_math import scalar
from ccc.primitives.facts import MAGNITUDE, NEW, NOWHERE
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import operation, scalar_type

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)

LEAST = (1.4616321449683623, math.inf)
"""Where the gamma function of positive numbers turns, and its logarithm."""
LARGEST = 171.624
"""Where the gamma function is next to what is larger than any float."""


def polygamma_of(n: int, x: float) -> float:
    """The derivative of order `n` of the derivative of `math.lgamma`."""
    x = float(x)
    if math.isnan(x) or x == -math.inf:
        return math.nan
    if x == math.inf:
        return math.inf if n == 0 else 0.0
    if x > 0.0:
        return _of_positive(n, x)
    if x == math.floor(x):
        return math.inf if n % 2 else math.nan
    sign = -1.0 if n % 2 else 1.0
    return sign * _of_positive(n, 1.0 - x) - math.pi * _cotangent(n, x)


def _of_positive(n: int, x: float) -> float:
    """Upward until the series holds, then the series."""
    terms: list[float] = []
    factor = float(math.factorial(n))
    while x < 12.0 + 2.0 * n:
        terms.append(factor * _power(1.0 / x, n + 1))
        x += 1.0
    w = 1.0 / x
    if n == 0:
        terms += [-math.log(x), 0.5 * w]
        terms += [b / (2 * k) * _power(w, 2 * k) for k, b in enumerate(BERNOULLI, 1)]
        return -_total(terms)
    terms += [math.factorial(n - 1) * _power(w, n), 0.5 * factor * _power(w, n + 1)]
    for k, b in enumerate(BERNOULLI, 1):
        terms.append(b * (math.factorial(2 * k + n - 1) / math.factorial(2 * k)) * _power(w, 2 * k + n))
    return _total(terms) if n % 2 else -_total(terms)


def _total(terms: list[float]) -> float:
    """The sum, exact before it is rounded; inf where a term is."""
    return math.fsum(terms) if all(map(math.isfinite, terms)) else sum(terms)


def _power(x: float, n: int) -> float:
    """`x**n`, inf where that is too large."""
    try:
        return x**n
    except OverflowError:
        return math.inf


def _cotangent(n: int, x: float) -> float:
    """The derivative of order `n` of cot(pi x): a polynomial in the cotangent c, as c' = -pi (1 + c^2)."""
    r = x - math.floor(x + 0.5)
    c = math.sin(math.pi * (0.5 - abs(r))) / math.sin(math.pi * r)
    coefficients = [0, 1]
    for _ in range(n):
        slope = [k * a for k, a in enumerate(coefficients)][1:]
        coefficients = [-(a + b) for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    value = 0.0
    for a in reversed(coefficients):
        value = value * c + a
    return math.pi**n * value


polygamma = operation(
    "polygamma",
    polygamma_of,
    "polygamma({}, {})",
    lambda d, y, n, x: ZERO,
    lambda d, y, n, x: times0(d, polygamma(n + 1, x)),
    type_rule=scalar_type, memory=NEW, raises=no_order, turns=NOWHERE, within=MAGNITUDE, absolute=2.0**-48,
)
lgamma = scalar("lgamma", math.lgamma, lambda d, y, x: times0(d, polygamma(0, x)), raises=up_to(0),
    turns=LEAST, within=MAGNITUDE, finite=(-math.inf, 2.559e305), absolute=2.0**-48)
gamma = scalar("gamma", math.gamma, lambda d, y, x: times0(d, y * polygamma(0, x)),
    raises=lambda x: x.low <= 0 or x.high > LARGEST, turns=LEAST, within=MAGNITUDE, finite=(-math.inf, LARGEST))
