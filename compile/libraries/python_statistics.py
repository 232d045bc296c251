"""Python's `statistics`: values are its own, to the last bit, derivatives those of the formulas.

    mean        sum of x_i / n
    variance    sum of (x_i - mean)^2 / (n - 1)         pvariance    the same over n
    stdev       the square root of the variance         pstdev       that of pvariance

>>> variance([1.5, 2.5, 4.0]), stdev([1.5, 2.5, 4.0])
(1.5833333333333333, 1.2583057392117916)
"""

from __future__ import annotations

import math
import statistics
from typing import Any

from ccc.compile.api.derivative_overrides import without_derivative as fixed
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse


@definition_of(statistics.mean)
def mean(data: Any) -> Any:
    xs = [x for x in data]
    value = constant(statistics.mean, sum(xs, 0.0), xs)
    size = size_of(xs)
    return moved(value, size * (math.fsum([x / size for x in xs]) / len(xs)))


@definition_of(statistics.variance)
def variance(data: Any, xbar: Any = None) -> Any:
    xs = numbers(data, "variance", xbar)
    return moved(constant(statistics.variance, sum(xs, 0.0), xs), deviation(xs, 1) ** 2)


@definition_of(statistics.pvariance)
def pvariance(data: Any, mu: Any = None) -> Any:
    xs = numbers(data, "pvariance", mu)
    return moved(constant(statistics.pvariance, sum(xs, 0.0), xs), deviation(xs, 0) ** 2)


@definition_of(statistics.stdev)
def stdev(data: Any, xbar: Any = None) -> Any:
    xs = numbers(data, "stdev", xbar)
    return moved(constant(statistics.stdev, 0.0, xs), deviation(xs, 1))


@definition_of(statistics.pstdev)
def pstdev(data: Any, mu: Any = None) -> Any:
    xs = numbers(data, "pstdev", mu)
    return moved(constant(statistics.pstdev, 0.0, xs), deviation(xs, 0))


def numbers(data: Any, name: str, about: Any) -> Any:
    """The numbers of what is iterated."""
    if about is not None:
        refuse(f"`statistics.{name}` about a given number", "leave the number out")
    return [x for x in data]


def deviation(xs: Any, fewer: int) -> Any:
    """How far numbers are off their mean, over how many there are but for `fewer`; of numbers over their size, since
    squares of large and small ones are none."""
    size = size_of(xs)
    middle = math.fsum([x / size for x in xs]) / len(xs)
    return size * math.sqrt(math.fsum([(x / size - middle) ** 2 for x in xs]) / (len(xs) - fewer))


def size_of(xs: Any) -> Any:
    """The largest of the absolute values of numbers; 1 where that is no size."""
    size = fixed(max([abs(x) for x in xs]))
    return size if 0.0 < size < math.inf else 1.0


def moved(value: Any, formula: Any) -> Any:
    """A value that moves as a formula does, which is off it by some rounding errors: their difference is exact."""
    if value - value != 0.0:  # infinite, or not a number
        return value
    return formula + fixed(value - formula)
