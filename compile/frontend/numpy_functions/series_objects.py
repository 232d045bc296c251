"""The classes of `np.polynomial`, made in a program or before it: coefficients on a domain that is mapped to a window.

    p(x) = sum of c_k B_k(off + scl x)        p'(x) = scl sum of c_k B_k'(off + scl x)

>>> p = Power([1.0, 2.0, 3.0], [-1.0, 1.0], [-1.0, 1.0])
>>> p(2.0), p.deriv().coef, (p * p).coef
(np.float64(17.0), array([2., 6.]), array([ 1.,  4., 10., 12.,  9.]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import Chebyshev, Legendre, Polynomial, chebyshev, legendre, polynomial

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments


@dataclass
class Series:
    """A series with coefficients `coef`, the lowest first."""

    coef: Any
    domain: Any
    window: Any
    at: ClassVar[Any]
    times: ClassVar[Any]
    derived: ClassVar[Any]
    integrated: ClassVar[Any]

    def like(self, coef: Any) -> Any:
        """Another one on the same domain."""
        return type(self)(coef, self.domain, self.window)

    def degree(self) -> Any:
        return len(self.coef) - 1

    def mapparms(self) -> Any:
        """The offset and the scale that map the domain to the window."""
        old, new = self.domain, self.window
        length = old[1] - old[0]
        return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length

    def other(self, other: Any) -> Any:
        """The coefficients of an operand."""
        if isinstance(other, Series):
            if np.any(self.domain != other.domain) or np.any(self.window != other.window):
                raise TypeError("Domains differ")
            return other.coef
        return other

    def __neg__(self) -> Any:
        return self.like(-self.coef)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return self.like(polynomial.polyadd(self.coef, self.other(other)))

    def __radd__(self, other: Any) -> Any:
        return self.like(polynomial.polyadd(other, self.coef))

    def __sub__(self, other: Any) -> Any:
        return self.like(polynomial.polysub(self.coef, self.other(other)))

    def __rsub__(self, other: Any) -> Any:
        return self.like(polynomial.polysub(other, self.coef))

    def __mul__(self, other: Any) -> Any:
        return self.like(self.times(self.coef, self.other(other)))

    def __rmul__(self, other: Any) -> Any:
        return self.like(self.times(other, self.coef))

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) > 0:
            raise TypeError("unsupported types for true division")
        return self.like(self.coef / other)

    def __pow__(self, other: Any) -> Any:
        found = np.ones(1)
        for _ in range(other):
            found = self.times(found, self.coef)
        return self.like(found)

    def __call__(self, arg: Any) -> Any:
        off, scl = self.mapparms()
        return self.at(off + scl * np.asarray(arg), self.coef)

    def deriv(self, m: Any = 1) -> Any:
        return self.like(self.derived(self.coef, m, self.mapparms()[1]))

    def copy(self) -> Any:
        return self.like(self.coef)

    def truncate(self, size: Any) -> Any:
        return self.like(self.coef[:size])

    def cutdeg(self, deg: Any) -> Any:
        return self.like(self.coef[:deg + 1])

    def linspace(self, n: Any = 100, domain: Any = None) -> Any:
        ends = self.domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)

    def powers(self) -> Any:
        """The same series in powers."""
        return self.like(self.coef)

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        """The same function as a series of a class, by Horner's rule in that of its argument."""
        p, (off, scl) = self.powers().coef, self.mapparms()
        made = (type(self) if kind is None else SERIES[kind])(p[-1:], interval(domain), interval(window))
        first, step = Power(p, made.window, made.domain).mapparms()
        line, found = np.stack([off + scl * first, scl * step]), p[-1:]
        for i in range(len(p) - 2, -1, -1):
            found = polynomial.polyadd(made.times(found, line), p[i:i + 1])
        return made.like(found)

    def integ(self, m: Any = 1, k: Any = (), lbnd: Any = None) -> Any:
        off, scl = self.mapparms()
        return self.like(self.integrated(self.coef, m, k, 0.0 if lbnd is None else off + scl * lbnd, 1.0 / scl))


@dataclass
class Power(Series):
    """`Polynomial`."""

    def at(self, x: Any, c: Any) -> Any:
        return polynomial.polyval(x, c)

    def times(self, a: Any, b: Any) -> Any:
        return polynomial.polymul(a, b)

    def derived(self, c: Any, m: Any, scl: Any) -> Any:
        return polynomial.polyder(c, m, scl)

    def integrated(self, c: Any, m: Any, k: Any, low: Any, scl: Any) -> Any:
        return polynomial.polyint(c, m, k, low, scl)

    def roots(self) -> Any:
        off, scl = self.mapparms()
        return (polynomial.polyroots(self.coef) - off) / scl

    def __divmod__(self, other: Any) -> Any:
        quotient, rest = polynomial.polydiv(self.coef, np.atleast_1d(self.other(other)))
        return self.like(quotient), self.like(rest)

    def __floordiv__(self, other: Any) -> Any:
        return self.like(polynomial.polydiv(self.coef, np.atleast_1d(self.other(other)))[0])

    def __mod__(self, other: Any) -> Any:
        return self.like(polynomial.polydiv(self.coef, np.atleast_1d(self.other(other)))[1])


@dataclass
class ChebyshevSeries(Series):
    """`Chebyshev`."""

    def at(self, x: Any, c: Any) -> Any:
        return chebyshev.chebval(x, c)

    def times(self, a: Any, b: Any) -> Any:
        return chebyshev.chebmul(a, b)

    def powers(self) -> Any:
        return self.like(chebyshev.cheb2poly(self.coef))

    def derived(self, c: Any, m: Any, scl: Any) -> Any:
        return chebyshev.chebder(c, m, scl)

    def integrated(self, c: Any, m: Any, k: Any, low: Any, scl: Any) -> Any:
        return chebyshev.chebint(c, m, k, low, scl)


@dataclass
class LegendreSeries(Series):
    """`Legendre`."""

    def at(self, x: Any, c: Any) -> Any:
        return legendre.legval(x, c)

    def times(self, a: Any, b: Any) -> Any:
        return legendre.legmul(a, b)

    def powers(self) -> Any:
        return self.like(legendre.leg2poly(self.coef))

    def derived(self, c: Any, m: Any, scl: Any) -> Any:
        return legendre.legder(c, m, scl)

    def integrated(self, c: Any, m: Any, k: Any, low: Any, scl: Any) -> Any:
        return legendre.legint(c, m, k, low, scl)


SERIES: dict[Any, Any] = {Polynomial: Power, Chebyshev: ChebyshevSeries, Legendre: LegendreSeries}
"""What stands here for a class."""


def interval(given: Any) -> Any:
    return np.array([-1.0, 1.0]) if given is None else np.asarray(given) + 0.0


@definition_of(Polynomial)
def power_series(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Power(np.atleast_1d(coef) + 0.0, interval(domain), interval(window))


@definition_of(Chebyshev)
def chebyshev_series(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return ChebyshevSeries(np.atleast_1d(coef) + 0.0, interval(domain), interval(window))


@definition_of(Legendre)
def legendre_series(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return LegendreSeries(np.atleast_1d(coef) + 0.0, interval(domain), interval(window))


def domain_of(x: Any, domain: Any) -> Any:
    """The domain of a fit: that of the points, where none is given."""
    if isinstance(domain, list) and len(domain) == 0:
        refuse("a fit of np.polynomial is known for domain=None and for two numbers")
    if domain is not None:
        return np.asarray(domain) + 0.0
    low, high = np.min(x), np.max(x)
    return np.stack([low - 1.0, high + 1.0]) if low == high else np.stack([low, high])


def onto_window(x: Any, domain: Any, window: Any) -> Any:
    length = domain[1] - domain[0]
    return (domain[1] * window[0] - domain[0] * window[1]) / length + (window[1] - window[0]) / length * x


def fitted(
    kind: Any, fit: Any, x: Any, y: Any, deg: Any, domain: Any, rcond: Any, full: Any, w: Any, window: Any
) -> Any:
    """The series of a class that a fit of coefficients gives, of points in a domain moved to a window."""
    x, window = np.asarray(x) + 0.0, interval(window)
    domain = domain_of(x, domain)
    return kind(fit(onto_window(x, domain, window), y, deg, rcond, full, w), domain, window)


@definition_of(Polynomial.fit)
def power_fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: Any = False, w: Any = None,
              window: Any = None) -> Any:
    return fitted(Power, polynomial.polyfit, x, y, deg, domain, rcond, full, w, window)


@definition_of(Chebyshev.fit)
def chebyshev_fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: Any = False, w: Any = None,
                  window: Any = None) -> Any:
    return fitted(ChebyshevSeries, chebyshev.chebfit, x, y, deg, domain, rcond, full, w, window)


@definition_of(Legendre.fit)
def legendre_fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: Any = False, w: Any = None,
                 window: Any = None) -> Any:
    return fitted(LegendreSeries, legendre.legfit, x, y, deg, domain, rcond, full, w, window)


@definition_of(Polynomial.fromroots)
def power_from_roots(roots: Any, domain: Any = None, window: Any = None) -> Any:
    if domain is not None or window is not None:
        refuse("Polynomial.fromroots is known without domain and window")
    return Power(polynomial.polyfromroots(roots), interval(None), interval(None))


def taken_apart(cls: type) -> Any:
    """How one that a program made before is read."""

    def parts(made: Any) -> Arguments | None:
        if made.coef.dtype.kind not in "fiu":
            return None
        return cls, (), {"coef": made.coef + 0.0, "domain": made.domain + 0.0, "window": made.window + 0.0}

    return parts


ARGUMENTS.update({Polynomial: taken_apart(Power), Chebyshev: taken_apart(ChebyshevSeries),
                  Legendre: taken_apart(LegendreSeries)})
