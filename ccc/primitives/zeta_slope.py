"""How the zeta function of Hurwitz moves with its exponent, by the sum of Euler and Maclaurin.

    zeta(x, q) = sum_{k < N} (q + k)^-x + w^(1 - x) / (x - 1) + w^-x / 2 + sum_j b_j (x)_{2j - 1} w^(1 - x - 2j)

with `w = q + N` and `b_j = B_2j / (2j)!`; each term is differentiated. It is NaN where x < -2, where the terms cancel.

>>> round(float(zeta_slope(2.0, 1.0)), 12)
-0.937548254316

Reference: *NIST Handbook of Mathematical Functions*, 25.11.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.primitives.elementary_numpy import exp, greater_equal, log, where

TERMS = 12
RATIOS = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
          -3617 / 10670622842880000, 43867 / 5109094217170944000)
"""The numbers of Bernoulli over factorials."""


def zeta_slope(x: Any, q: Any) -> Any:
    """The derivative of `zeta(x, q)` in x."""
    found = 0.0
    for k in range(TERMS):
        found = found - log(q + k) * exp(-x * log(q + k))
    w, size = q + TERMS, log(q + TERMS)
    last, below = exp(-x * size), x - 1.0
    found = found - last * w * (size / below + 1.0 / (below * below)) - 0.5 * size * last
    rising, slope, power = x, 1.0, last / w
    for j, ratio in enumerate(RATIOS):
        found = found + ratio * power * (slope - rising * size)
        for i in (2 * j + 1, 2 * j + 2):
            rising, slope = rising * (x + i), slope * (x + i) + rising
        power = power / (w * w)
    return where(greater_equal(x, -2.0), found, math.nan)
