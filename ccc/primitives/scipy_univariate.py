"""The distributions of `scipy.stats` of one variable: a family is its standard density, the methods follow from it.

    logpdf(x, *shapes, loc, scale)  =  logpdf_0((x - loc) / scale, *shapes) - log(scale)        pdf  =  exp logpdf
    cdf(x)  =  cdf_0((x - loc) / scale)        ppf(q)  =  loc + scale ppf_0(q)        std  =  scale sqrt(var_0)

Results are float64, as SciPy's are. Outside of the support a density is 0 and its logarithm -inf, at parameters that
are not allowed all is NaN; the slopes there are those of constants. A derivative in a parameter in which a function of
`scipy.special` has none is refused by name: that of `gamma.cdf` in `a`. A method that no family has is no function that
is known here.

>>> import scipy.stats
>>> FUNCTIONS[scipy.stats.norm.logpdf](0.0, loc=0.0, scale=2.0).round(12)
np.float64(-1.612085713765)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.stats

from ccc.base import Traced
from ccc.objects import Array
from ccc.primitives.adaptors import np_float64, real_array
from ccc.primitives.adaptors_reductions import np_sum
from ccc.primitives.arithmetic import to_float64
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.elementary_numpy import (
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    isfinite,
    isnan,
    less,
    less_equal,
    log,
    logical_and,
    sqrt,
    where,
)
from ccc.primitives.guarded import times0
from ccc.primitives.indexing import index
from ccc.primitives.scipy_families import Family
from ccc.primitives.scipy_families_seldom import CONTINUOUS, DISCRETE

stats: Any = scipy.stats


# -- conditions that may be known ------------------------------------------------------------------------------------


def both(*conditions: Any) -> Any:
    """Whether all hold; those that are known are not recorded."""
    left = [c for c in conditions if not isinstance(c, (bool, np.bool_))]
    if not all([bool(c) for c in conditions if isinstance(c, (bool, np.bool_))]):
        return False
    found: Any = True
    for c in left:
        found = c if found is True else logical_and(found, c)
    return found


def choose(condition: Any, then: Any, orelse: Any) -> Any:
    """`np.where`, of a condition that may be known; of numbers a number."""
    if isinstance(condition, (bool, np.bool_)):
        return then if condition else orelse
    found = where(condition, then, orelse)
    kind = kind_of(found)
    return to_float64(found) if isinstance(kind, Array) and kind.axes == () else found


def is_known(x: Any, value: float) -> bool:
    """Whether a number is known to be this one."""
    return not isinstance(x, Traced) and np.ndim(x) == 0 and bool(x == value)


def number(x: Any) -> Any:
    """A number or an array in float64."""
    return np_float64(real_array(x))


# -- arguments -------------------------------------------------------------------------------------------------------


class Given:
    """The arguments of a method: what it is applied to, in the standard form, and whether the parameters are allowed.
    """

    def __init__(self, method: Method, x: Any, args: Sequence[Any], kwds: dict[str, Any]) -> None:
        family, names = method.family, method.names
        found = dict(zip(names, args, strict=False)) | kwds
        if len(args) > len(names) or set(names[: len(args)]) & set(kwds):
            raise TypeError(f"{method.name}() takes {len(names)} positional arguments: an argument is given twice")
        for name in kwds:
            if name not in names:
                raise TypeError(f"{method.name}() got an unexpected keyword argument '{name}'")
        missing = [name for name in method.shapes if name not in found]
        if missing:
            raise TypeError(f"{method.name}() missing required argument: '{missing[0]}'")
        self.shapes = [number(found[name]) for name in method.shapes]
        self.loc, scale = number(found.get("loc", 0.0)), number(found.get("scale", 1.0))
        self.allowed = both(family.allowed(*self.shapes), greater(scale, 0.0))
        self.scale = choose(self.allowed, scale, 1.0)
        self.low, self.high = family.support(*self.shapes) if family.support else (method.of.a, method.of.b)
        self.inner, self.far = family.inner, family.far
        self.x = None if x is None else number(x)

    @property
    def standard(self) -> Any:
        """`(x - loc) / scale`."""
        return self.shifted if is_known(self.scale, 1.0) else self.shifted / self.scale

    @property
    def shifted(self) -> Any:
        """`x - loc`."""
        return self.x if is_known(self.loc, 0.0) else self.x - self.loc

    @property
    def log_scale(self) -> Any:
        return 0.0 if is_known(self.scale, 1.0) else log(self.scale)

    @property
    def open(self) -> bool:
        """Whether the support is known to be all numbers, and infinite ones are like others."""
        return self.far and isinstance(self.low, float) and self.low == -math.inf and self.high == math.inf

    def interior(self) -> Any:
        """A point at which the density is positive."""
        if self.inner is not None:
            return self.inner
        if not isinstance(self.low, (float, int)):
            return self.low
        return 0.5 if self.low < 0.5 else self.low + 1.0

    def result(self, y: Any, z: Any) -> Any:
        """`y`, NaN where parameters are not allowed or `z` is NaN."""
        if self.open or z is None:
            return choose(self.allowed, y, math.nan)
        return choose(both(self.allowed, equal(z, z)), y, math.nan)


# -- methods ---------------------------------------------------------------------------------------------------------


class Method:
    """A method of a distribution, by its family."""

    def __init__(self, of: Any, family: Family, name: str) -> None:
        self.of = of
        self.family = family
        self.name = f"{of.name}.{name}"
        self.shapes = [name.strip() for name in of.shapes.split(",")] if of.shapes else []
        self.names = [*self.shapes, "loc", *(["scale"] if family in CONTINUOUS.values() else [])]
        self.how: Callable[..., Any] = getattr(self, name)

    def __call__(self, *args: Any, **kwds: Any) -> Any:
        return self.how(*args, **kwds)

    def given(self, x: Any, args: Sequence[Any], kwds: dict[str, Any]) -> Given:
        return Given(self, x, args, kwds)

    # densities ......................................................................................................

    def logpdf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        g = self.given(x, args, kwds)
        z = g.standard
        if g.open:
            return g.result(self.family.log(z, *g.shapes) - g.log_scale, z)
        above, below = (greater_equal, less_equal) if self.family.ends else (greater, less)
        inside = both(above(z, g.low), below(z, g.high), True if self.family.far else isfinite(z))
        found = self.family.log(choose(inside, z, g.interior()), *g.shapes) - g.log_scale
        return g.result(choose(inside, found, -math.inf), z)

    def pdf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        return exp(self.logpdf(x, *args, **kwds))

    def logpmf(self, k: Any, /, *args: Any, **kwds: Any) -> Any:
        g = self.given(k, args, kwds)
        z = g.shifted
        inside = both(greater_equal(z, g.low), less_equal(z, g.high), equal(floor(z), z))
        found = self.family.log(choose(inside, z, g.low), *g.shapes)
        return g.result(choose(inside, found, -math.inf), z)

    def pmf(self, k: Any, /, *args: Any, **kwds: Any) -> Any:
        return exp(self.logpmf(k, *args, **kwds))

    def nnlf(self, theta: Any, x: Any) -> Any:
        """The negative logarithm of the likelihood of a sample, infinite where that or a parameter is impossible."""
        count = len(self.names)
        parts = theta if isinstance(theta, (tuple, list)) else [
            index(theta, i, pattern=("i",)) for i in range(count)]
        found = -np_sum(self.logpdf(x, *parts))
        return where(isnan(found), math.inf, found)

    # distribution functions .........................................................................................

    def cumulated(self, x: Any, args: Sequence[Any], kwds: dict[str, Any], f: Callable[..., Any], ends: Any) -> Any:
        """A function of the standard form, which has the values `ends` left and right of the support."""
        g = self.given(x, args, kwds)
        if self.family in DISCRETE.values():
            z = g.shifted
            before, behind = less(z, g.low), greater_equal(z, g.high)
            place = choose(both(greater_equal(z, g.low), less(z, g.high)), floor(z), g.low)
            found = f(place, *g.shapes)
        else:
            z = g.standard
            if g.open:
                return g.result(f(z, *g.shapes), z)
            before, behind = less_equal(z, g.low), greater_equal(z, g.high)
            found = f(choose(both(greater(z, g.low), less(z, g.high)), z, g.interior()), *g.shapes)
        return g.result(choose(before, ends[0], choose(behind, ends[1], found)), z)

    def cdf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.cumulated(x, args, kwds, self.family.cdf, (0.0, 1.0))

    def sf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.cumulated(x, args, kwds, self.family.upper, (1.0, 0.0))

    def logcdf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.cumulated(x, args, kwds, self.family.log_cdf, (-math.inf, 0.0))

    def logsf(self, x: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.cumulated(x, args, kwds, self.family.log_upper, (0.0, -math.inf))

    # quantiles ......................................................................................................

    def quantile(self, q: Any, args: Sequence[Any], kwds: dict[str, Any], f: Callable[..., Any], turned: bool) -> Any:
        g = self.given(q, args, kwds)
        inside = both(greater(g.x, 0.0), less(g.x, 1.0))
        found = f(choose(inside, g.x, 0.5), *g.shapes) * g.scale + g.loc
        ends = [times0(g.scale, end) + g.loc for end in (g.low, g.high)]
        first, last = reversed(ends) if turned else ends
        found = choose(inside, found, choose(equal(g.x, 0.0), first, choose(equal(g.x, 1.0), last, math.nan)))
        return choose(g.allowed, found, math.nan)

    def ppf(self, q: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.quantile(q, args, kwds, self.family.ppf, False)

    def isf(self, q: Any, /, *args: Any, **kwds: Any) -> Any:
        return self.quantile(q, args, kwds, self.family.upper_ppf, True)

    def median(self, *args: Any, **kwds: Any) -> Any:
        return self.ppf(0.5, *args, **kwds)

    # moments ........................................................................................................

    def mean(self, *args: Any, **kwds: Any) -> Any:
        g = self.given(None, args, kwds)
        return choose(g.allowed, g.loc + g.scale * self.family.mean(*g.shapes), math.nan)

    def var(self, *args: Any, **kwds: Any) -> Any:
        g = self.given(None, args, kwds)
        return choose(g.allowed, g.scale * g.scale * self.family.var(*g.shapes) + 0.0 * g.loc, math.nan)

    def std(self, *args: Any, **kwds: Any) -> Any:
        return sqrt(self.var(*args, **kwds))

    def entropy(self, *args: Any, **kwds: Any) -> Any:
        g = self.given(None, args, kwds)
        return choose(g.allowed, self.family.entropy(*g.shapes) + g.log_scale + 0.0 * g.loc, math.nan)


NEEDS = {"ppf": "ppf", "isf": "ppf", "median": "ppf", "cdf": "cdf", "sf": "cdf", "logcdf": "cdf", "logsf": "cdf",
         "std": "var"}
"""What of a family a method is made of, where that has another name."""


def methods_of(name: str, family: Family) -> dict[Any, Any]:
    """The methods of a distribution that its family knows."""
    of = getattr(stats, name)
    density = ("logpdf", "pdf", "nnlf") if name in CONTINUOUS else ("logpmf", "pmf")
    others = [m for m in ("cdf", "sf", "logcdf", "logsf", "ppf", "isf", "median", "mean", "var", "std", "entropy")
              if getattr(family, NEEDS.get(m, m)) is not None]
    return {getattr(of, m): Method(of, family, m) for m in (*density, *others)}


FUNCTIONS: dict[Any, Any] = {
    method: how for name, family in (CONTINUOUS | DISCRETE).items() if hasattr(stats, name)
    for method, how in methods_of(name, family).items()
}
