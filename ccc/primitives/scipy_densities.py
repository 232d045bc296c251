"""Functions that `scipy.stats` has in C, of which the formulas of its distributions are made: those of distributions
that are not central, and of Kolmogorov and Smirnov.

    d/dnc f(x; df, nc)  =  (f(x; df + 2, nc) - f(x; df, nc)) / 2        a step of two degrees of freedom

so densities are each other's derivatives, in the place and in how far they are from the centre. In degrees of freedom
a derivative is refused by name. What an installed SciPy has not is left out.

>>> import scipy.stats
>>> from ccc.additive import ZERO
>>> of = FUNCTIONS[scipy.special._ufuncs._ncx2_pdf]
>>> round(float(of.differential((1.0, ZERO, ZERO), of(2.0, 3.0, 1.0), 2.0, 3.0, 1.0)), 12)
-0.017574371119

References: Johnson, Kotz, Balakrishnan: *Continuous univariate distributions* 2, chapters 29 to 31.
"""

from __future__ import annotations

from typing import Any

from ccc.primitives.elementary_numpy import exp, sqrt
from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import over0, times0
from ccc.primitives.pointwise import Slope, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_freedom import chi_along, chi_in_freedom
from ccc.primitives.scipy_inverses import (
    Partial,
    kolmogorov_bend,
    kolmogorov_slope,
    normal_mean,
    ratio_in_freedom,
    ratio_in_nc,
    steepness,
    student_in_freedom,
)
from ccc.primitives.scipy_special import fixed, gammaln, special

FUNCTIONS: dict[Any, Primitive] = {}


def inner(name: str, *partials: Partial) -> Primitive:
    """A function of SciPy's own by its partial derivatives, or the names of arguments in which these are not known."""

    def slope(i: int, partial: Partial) -> Slope:
        if isinstance(partial, str):
            return fixed(name, partial, i)
        return lambda d, y, *xs: times0(d, partial(y, *xs))

    slopes = [slope(i, partial) for i, partial in enumerate(partials)]
    of = getattr(special._ufuncs, name, None)
    found = operation(f"scipy.special.{name}", of or special.erf,
                      f"scipy.special._ufuncs.{name}({', '.join(['{}'] * len(slopes))})", *slopes, memory=NEW,
                      raises=NEVER)
    if of is not None:
        FUNCTIONS[of] = found
    return found


# -- sums of squares -------------------------------------------------------------------------------------------------


def squares_in_place(y: Any, x: Any, df: Any, nc: Any) -> Any:
    return y * ((0.5 * df - 1.0) / x - 0.5) + 0.5 * nc / x * squares(x, df + 2.0, nc)


squares = inner("_ncx2_pdf", squares_in_place, lambda y, x, df, nc: chi_along(x, df, nc),
                lambda y, x, df, nc: 0.5 * (squares(x, df + 2.0, nc) - y))
inner("_ncx2_cdf", lambda y, x, df, nc: squares(x, df, nc), lambda y, x, df, nc: chi_in_freedom(x, df, nc),
      lambda y, x, df, nc: -squares(x, df + 2.0, nc))
inner("_ncx2_sf", lambda y, x, df, nc: -squares(x, df, nc), lambda y, x, df, nc: -chi_in_freedom(x, df, nc),
      lambda y, x, df, nc: squares(x, df + 2.0, nc))


# -- ratios ----------------------------------------------------------------------------------------------------------


def stepped(x: Any, m: Any, n: Any, nc: Any) -> Any:
    """The density two degrees of freedom further, at the same share."""
    return m / (m + 2.0) * ratios(x * m / (m + 2.0), m + 2.0, n, nc)


def ratios_in_place(y: Any, x: Any, m: Any, n: Any, nc: Any) -> Any:
    total = m * x + n
    own = y * ((0.5 * m - 1.0) * n / (x * total) - (0.5 * n - 1.0) * m / total - 2.0 * m / total)
    return own + 0.5 * nc * n / (x * total) * stepped(x, m, n, nc)


ratios = inner("_ncf_pdf", ratios_in_place, "dfn", "dfd", lambda y, x, m, n, nc: 0.5 * (stepped(x, m, n, nc) - y))
inner("_ncf_sf", lambda y, x, m, n, nc: -ratios(x, m, n, nc),
      *[lambda y, x, m, n, nc, of=of: -ratio_in_freedom(m, n, nc, x, of) for of in (0, 1)],
      lambda y, x, m, n, nc: -ratio_in_nc(m, n, nc, x))


# -- Student's variable ----------------------------------------------------------------------------------------------


def rise(df: Any) -> Any:
    """The mean of the root of a sum of `df` squares."""
    return sqrt(2.0) * exp(gammaln(0.5 * df + 0.5) - gammaln(0.5 * df))


def student_in_place(y: Any, t: Any, df: Any, nc: Any) -> Any:
    s = t / sqrt(df)
    moved = nc * rise(df + 1.0) * normal_mean(df + 2.0, nc, s) - s * (df + 1.0) * normal_mean(df + 3.0, nc, s)
    return rise(df) / df * moved


def student_in_nc(y: Any, t: Any, df: Any, nc: Any) -> Any:
    s = t / sqrt(df)
    return rise(df) / sqrt(df) * s * rise(df + 1.0) * normal_mean(df + 2.0, nc, s) - nc * y


student = inner("_nct_pdf", student_in_place, "df", student_in_nc)
inner("_nct_sf", lambda y, t, df, nc: -student(t, df, nc), lambda y, t, df, nc: -student_in_freedom(df, nc, t),
      lambda y, t, df, nc: normal_mean(df, nc, t / sqrt(df)))


# -- Kolmogorov and Smirnov ------------------------------------------------------------------------------------------


def quantile(name: str, *slopes: Slope) -> None:
    """An inverse, by its slopes."""
    of = getattr(special._ufuncs, name, None)
    if of is not None:
        text = f"scipy.special._ufuncs.{name}({', '.join(['{}'] * len(slopes))})"
        FUNCTIONS[of] = operation(f"scipy.special.{name}", of, text, *slopes, memory=NEW, raises=NEVER)


inner("_kolmogp", lambda y, x: kolmogorov_bend(x))
inner("_kolmogc", lambda y, x: -kolmogorov_slope(x))
quantile("_kolmogci", lambda d, y, p: -over0(d, kolmogorov_slope(y)))
inner("_smirnovc", "n", lambda y, n, x: -steepness(n, x))
quantile("_smirnovci", fixed("_smirnovci", "n"), lambda d, y, n, p: -over0(d, steepness(n, y)))
if hasattr(special._ufuncs, "_smirnovp"):
    FUNCTIONS[special._ufuncs._smirnovp] = steepness
