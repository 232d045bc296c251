"""Python's `statistics`: values are its own, to the last bit, derivatives those of the formulas.

    mean        sum of x_i / n
    variance    sum of (x_i - mean)^2 / (n - 1)         pvariance    the same over n
    stdev       the square root of the variance         pstdev       that of pvariance
    harmonic    sum of w_i over sum of w_i / x_i        correlation  s_xy / sqrt(s_xx s_yy)
    inv_cdf     mu + sigma z,  where Phi(z) = p

Where a value is infinite or no number, so is its derivative no number.

>>> variance([1.5, 2.5, 4.0]), stdev([1.5, 2.5, 4.0])
(1.5833333333333333, 1.2583057392117916)
"""

from __future__ import annotations

import math
import statistics
from typing import Any

from ccc.compile.api.derivative_overrides import without_derivative as fixed
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse


@definition_of(statistics.mean)
def mean(data: Any) -> Any:
    xs = [x for x in data]
    return moved(constant(statistics.mean, sum(xs, 0.0), xs), xs, lambda: middle_of(xs, size_of(xs)))


@definition_of(statistics.variance)
def variance(data: Any, xbar: Any = None) -> Any:
    xs = [x for x in data]
    value = constant(statistics.variance, sum(xs, 0.0), xs, xbar)
    return moved(value, xs, lambda: deviation(xs, 1, xbar) ** 2)


@definition_of(statistics.pvariance)
def pvariance(data: Any, mu: Any = None) -> Any:
    xs = [x for x in data]
    return moved(constant(statistics.pvariance, sum(xs, 0.0), xs, mu), xs, lambda: deviation(xs, 0, mu) ** 2)


@definition_of(statistics.stdev)
def stdev(data: Any, xbar: Any = None) -> Any:
    xs = [x for x in data]
    return moved(constant(statistics.stdev, 0.0, xs, xbar), xs, lambda: deviation(xs, 1, xbar))


@definition_of(statistics.pstdev)
def pstdev(data: Any, mu: Any = None) -> Any:
    xs = [x for x in data]
    return moved(constant(statistics.pstdev, 0.0, xs, mu), xs, lambda: deviation(xs, 0, mu))


@definition_of(statistics.harmonic_mean)
def harmonic_mean(data: Any, weights: Any = None) -> Any:
    xs = [x for x in data]
    ws = [1.0 for x in xs] if weights is None else [w for w in weights]
    value = constant(statistics.harmonic_mean, 0.0, xs, None if weights is None else ws)
    if value == 0.0:  # one of them is zero, and no quotient of it
        return unmoved(value, xs)
    return moved(value, xs, lambda: math.fsum(ws) / math.fsum([w / x for w, x in zip(ws, xs, strict=True)]))


@definition_of(statistics.geometric_mean)
def geometric_mean(data: Any) -> Any:
    xs = [x for x in data]
    value = constant(statistics.geometric_mean, 0.0, xs)
    return moved(value, xs, lambda: math.exp(math.fsum([math.log(x) for x in xs]) / len(xs)))


@definition_of(statistics.correlation)
def correlation(x: Any, y: Any, *, method: Any = "linear") -> Any:
    if method != "linear":
        refuse("statistics.correlation has a derivative for method='linear'", "leave `method` out")
    xs, ys = [u for u in x], [v for v in y]
    return moved(constant(statistics.correlation, 0.0, xs, ys), [*xs, *ys], lambda: cosine(off_mean(xs), off_mean(ys)))


def middle_of(xs: Any, size: Any) -> Any:
    """The mean of numbers of this size."""
    return size * (math.fsum([x / size for x in xs]) / len(xs))


def off_mean(xs: Any) -> Any:
    """How far numbers are off their mean, over their size."""
    size = size_of(xs)
    middle = math.fsum([x / size for x in xs]) / len(xs)
    return [x / size - middle for x in xs]


def cosine(us: Any, vs: Any) -> Any:
    """That of the angle between two vectors."""
    product = math.fsum([u * v for u, v in zip(us, vs, strict=True)])
    return product / (math.sqrt(math.fsum([u * u for u in us])) * math.sqrt(math.fsum([v * v for v in vs])))


def inverse(p: Any, mu: Any, sigma: Any) -> Any:
    """Where a normal distribution function has this value: by Newton's steps from there, of which the first has the
    first derivative and the second the next two; of their values nothing is taken."""
    found = constant(statistics._normal_dist_inv_cdf, 0.0, p, mu, sigma)  # type: ignore[attr-defined]
    z = constant(statistics._normal_dist_inv_cdf, 0.0, p, 0.0, 1.0)  # type: ignore[attr-defined]
    for _ in (1, 2):
        off = (0.5 * math.erfc(-z / math.sqrt(2.0)) - p) * math.exp(0.5 * z * z) * math.sqrt(2.0 * math.pi)
        z = z - (off - fixed(off))
    moving = mu + sigma * z
    return found + (moving - fixed(moving))


definition_of(statistics._normal_dist_inv_cdf)(inverse)  # type: ignore[attr-defined]


def mean_and_deviation(data: Any) -> Any:
    xs = [x for x in data]
    return mean(xs) + 0.0, stdev(xs)


if hasattr(statistics, "_mean_stdev"):
    definition_of(statistics._mean_stdev)(mean_and_deviation)  # type: ignore[attr-defined]


def deviation(xs: Any, fewer: int, about: Any) -> Any:
    """How far numbers are off their mean, or another one, over how many there are but for `fewer`; of numbers over
    their size, since squares of large and small ones are none."""
    size = size_of(xs)
    middle = math.fsum([x / size for x in xs]) / len(xs) if about is None else about / size
    return size * math.sqrt(math.fsum([(x / size - middle) ** 2 for x in xs]) / (len(xs) - fewer))


def size_of(xs: Any) -> Any:
    """The largest of the absolute values of numbers; 1 where that is no size."""
    size = fixed(max([abs(x) for x in xs]))
    return size if 0.0 < size < math.inf else 1.0


def moved(value: Any, xs: Any, formula: Any) -> Any:
    """A value that moves as a formula of numbers does, which is off it by some rounding errors: their difference is
    exact."""
    if value - value != 0.0:  # infinite, or not a number
        return unmoved(value, xs)
    found = formula()
    return found + fixed(value - found)


def unmoved(value: Any, xs: Any) -> Any:
    """A value that has no derivative in numbers.

    >>> unmoved(math.inf, [math.inf, 1.0])
    inf
    """
    return value


def by_nothing(value: Any, xs: Any) -> Any:
    """The derivative of `unmoved`: no numbers."""
    return value, lambda ct: (None, [ct * math.nan for x in xs])


RULES[unmoved] = by_nothing
