"""How distribution functions that are not central move with their degrees of freedom, by sums of those that are.

    P(x; v, c) = sum_j p_j P(v / 2 + j, x / 2)        p_j = exp(-c / 2) (c / 2)^j / j!

Each term moves as `ccc.primitives.quantiles` says. A sum goes beyond its largest term until nothing is added that
counts; it is NaN where it would take more than 100,000 terms, or where they cancel to a millionth.

>>> round(float(chi_in_freedom(2.4, 3.0, 1.3)), 12)
-0.138070795324

References: *NIST Handbook of Mathematical Functions*, 8.17; Johnson, Kotz, Balakrishnan: *Continuous univariate
distributions* 2, chapters 29 to 31.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import item_by_item, operation
from ccc.primitives.quantiles import beta_slope, gamma_slope
from ccc.primitives.scipy_special import fixed, special

MOST = 100_000


def _gamma_in_shape(z: Any, a: Any, order: int) -> Any:
    """The derivative of `gammainc(a, z)` in `a`, of order 1 or 2."""
    density = np.exp(special.xlogy(a - 1.0, z) - z - special.gammaln(a))
    moved = gamma_slope.value(z, a, n=0)
    if order == 1:
        return -density * moved
    return -density * ((np.log(z) - special.psi(a)) * moved + gamma_slope.value(z, a, n=1))


def _beta_in_shape(z: Any, a: Any, b: Any, of: int) -> Any:
    """The derivative of `betainc(a, b, z)` in `a` or `b`."""
    density = np.exp(special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b))
    return -density * beta_slope.value(np.full_like(a, z), a, np.full_like(a, b), of=of)


def _summed(largest: float, term: Callable[[Any], Any]) -> float:
    """The sum of terms, of which none behind the place `largest` is larger than that."""
    count = largest + 14.0 * math.sqrt(largest + 1.0) + 50.0
    if not count <= MOST:
        return math.nan
    found = term(np.arange(float(int(count))))
    total = float(np.sum(found))
    return total if abs(total) >= 1e-6 * float(np.sum(np.abs(found))) else math.nan


def _chances(half: float, j: Any) -> Any:
    """Those of Poisson's distribution."""
    return np.exp(special.xlogy(j, half) - half - special.gammaln(j + 1.0))


def _chi(x: float, df: float, nc: float, order: int) -> float:
    """How that of a sum of squares moves, of order 1 or 2."""
    if not (df > 0.0 and nc >= 0.0 and x >= 0.0 and math.isfinite(x)):
        return 0.0 if x == math.inf and df > 0.0 and nc >= 0.0 else math.nan
    if x == 0.0:
        return 0.0
    largest = max(0.5 * nc, 0.5 * math.sqrt(nc * x))
    return 0.5**order * _summed(
        largest, lambda j: _chances(0.5 * nc, j) * _gamma_in_shape(np.full_like(j, 0.5 * x), 0.5 * df + j, order))


def _ratio(m: float, n: float, nc: float, w: float, of: int) -> float:
    """How that of a ratio moves with `m` (`of` is 0) or `n`, at a fixed share `w`."""
    if not (m > 0.0 and n > 0.0 and nc >= 0.0 and 0.0 <= w <= 1.0):
        return math.nan
    if w in (0.0, 1.0):
        return 0.0
    apart = 0.5 * m - 0.5 * nc  # a term over the last one is (nc / 2j) (a + b + j) / (a + j) at most
    largest = 0.5 * (math.sqrt(apart * apart + nc * (m + n)) - apart)
    return 0.5 * _summed(largest, lambda j: _chances(0.5 * nc, j) * _beta_in_shape(w, 0.5 * m + j, 0.5 * n, of))


def _student(df: float, nc: float, t: float) -> float:
    """How that of Student's variable moves, at a fixed share `t^2 / (df + t^2)`."""
    if not (df > 0.0 and math.isfinite(nc) and math.isfinite(t)):
        return 0.0 if math.isinf(t) and df > 0.0 else math.nan
    if t < 0.0:
        return -_student(df, -nc, -t)
    if t == 0.0:
        return 0.0
    w, half = t * t / (df + t * t), 0.5 * nc * nc

    def term(j: Any) -> Any:
        odd = nc / math.sqrt(2.0) * np.exp(special.xlogy(j, half) - half - special.gammaln(j + 1.5))
        return _chances(half, j) * _beta_in_shape(w, j + 0.5, 0.5 * df, 1) + odd * _beta_in_shape(
            w, j + 1.0, 0.5 * df, 1)

    apart = 0.5 - half
    largest = 0.5 * (math.sqrt(apart * apart + 2.0 * half * (1.0 + df)) - apart)
    return 0.25 * _summed(largest, term)


def moving(name: str, value: Callable[..., Any], *slopes: Any) -> Any:
    """An elementwise primitive of a sum."""
    return operation(name, value, f"{name}({', '.join(['{}'] * len(slopes))})", *slopes, memory=NEW, raises=NEVER)


def unknown_slopes(of: str, *arguments: str) -> list[Any]:
    """Those that are refused by name."""
    return [fixed(of, argument, i) for i, argument in enumerate(arguments)]


# -- sums of squares ---------------------------------------------------------------------------------------------------


def chi_step(of: Any, x: Any, df: Any, nc: Any) -> Any:
    """The derivative in `nc`."""
    return 0.5 * (of(x, df + 2.0, nc) - of(x, df, nc))


def chi_along(x: Any, df: Any, nc: Any) -> Any:
    """The derivative of `chi_in_freedom` in x, which is that of the density f in `df`: by
    `x f(df) = df f(df + 2) + nc f(df + 4)`, where `f(df + 2)` is how `P(df)` falls with `nc`."""
    moved = df * chi_step(chi_in_freedom, x, df, nc) + nc * chi_step(chi_in_freedom, x, df + 2.0, nc)
    return -(moved + chi_step(chi_value, x, df, nc)) / x


chi_value = moving("chndtr_0", special.chndtr, *unknown_slopes("chndtr", "x", "df", "nc"))
chi_bend = moving("chndtr_2", item_by_item(lambda x, df, nc: _chi(x, df, nc, 2)),
                  *unknown_slopes("chndtr", "x", "df"),
                  lambda d, y, x, df, nc: times0(d, chi_step(chi_bend, x, df, nc)))
chi_in_freedom = moving("chndtr_1", item_by_item(lambda x, df, nc: _chi(x, df, nc, 1)),
                        lambda d, y, x, df, nc: times0(d, chi_along(x, df, nc)),
                        lambda d, y, x, df, nc: times0(d, chi_bend(x, df, nc)),
                        lambda d, y, x, df, nc: times0(d, chi_step(chi_in_freedom, x, df, nc)))


# -- ratios, and Student's variable ------------------------------------------------------------------------------------


def ratio(of: int) -> Any:
    """How the distribution function of a ratio moves with `dfn` or `dfd` at a fixed share `w` of all."""
    found = moving(
        f"ncfdtr_{of}", item_by_item(lambda m, n, nc, w: _ratio(m, n, nc, w, of)),
        *unknown_slopes("ncfdtr", "dfn", "dfd"),
        lambda d, y, m, n, nc, w: times0(d, 0.5 * (found(m + 2.0, n, nc, w) - y)), fixed("ncfdtr", "f", 3))
    return found


ratio_moves = [ratio(0), ratio(1)]
student_moves = moving("nctdtr_0", item_by_item(_student), *unknown_slopes("nctdtr", "df", "nc", "t"))
