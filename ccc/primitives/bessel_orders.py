"""How Bessel functions of the third kind move with their order, by the rule of equal steps.

    exp(x) d^n K_v(x) / dv^n = int_0^inf t^n c(v t) exp(-2 x sinh(t / 2)^2) dt        c is cosh, or sinh where n is odd

The integrand is even, has no singularity and falls faster than any exponential, so the sum of its values at equal
steps, which are small beside its peak, has all digits. It is NaN where it would take more than 100,000 steps.

>>> round(float(order_slope(1)(1.5, 2.0)), 12)
0.794792390007

Reference: *NIST Handbook of Mathematical Functions*, 10.32, 10.38, 3.5.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import item_by_item, operation

MOST, STEP = 100_000, 0.125
BELOW = 45.0
"""How far below the peak, in logarithms, what is left counts no more."""


def _exponent(t: Any, v: float, x: float) -> Any:
    """The logarithm of the integrand, beside powers."""
    return v * t - 2.0 * x * np.sinh(0.5 * t) ** 2


def _last(v: float, x: float, peak: float) -> float:
    """A place behind the peak from where on the integrand counts no more."""
    top, step = float(_exponent(peak, v, x)), 0.5 / math.sqrt(math.hypot(v, x))
    while float(_exponent(peak + step, v, x)) > top - BELOW:
        step *= 1.25
    return peak + step


def _moved(v: float, x: float, n: int) -> float:
    """The integral."""
    size = abs(v)
    if not (x > 0.0 and math.isfinite(size)):
        return math.nan
    if x == math.inf:
        return 0.0
    peak = math.asinh(size / x)
    last = _last(size, x, peak)
    count = last / min(STEP, 0.5 / math.sqrt(math.hypot(size, x)))
    if not count <= MOST:
        return math.nan
    t = np.linspace(0.0, last, int(count) + 2)
    turned = np.exp(-2.0 * size * t)
    values = t**n * np.exp(_exponent(t, size, x)) * (0.5 * (1.0 - turned) if n % 2 else 0.5 * (1.0 + turned))
    values[0] *= 0.5
    total = float(np.sum(values)) * float(t[1])
    return -total if n % 2 and v < 0.0 else total


@functools.cache
def order_slope(n: int) -> Any:
    """The derivative of order n in `v` of `K_v(x)`, times `exp(x)`, as a primitive of `v` and `x`."""
    def in_place(d: Any, y: Any, v: Any, x: Any) -> Any:
        return times0(d, y - 0.5 * (order_slope(n)(v - 1.0, x) + order_slope(n)(v + 1.0, x)))

    return operation(f"kve_{n}", item_by_item(lambda v, x: _moved(v, x, n)), f"kve_{n}({{}}, {{}})",
                     lambda d, y, v, x: times0(d, order_slope(n + 1)(v, x)), in_place, memory=NEW, raises=NEVER)
