"""`np.poly1d`, made in a program or before it: coefficients, the highest power first, without zeros before them.

>>> p = poly1d([1.0, 2.0, 3.0])
>>> p(2.0), p.deriv().coeffs, (p * p).coeffs
(np.float64(11.0), array([2., 2.]), array([ 1.,  4., 10., 12.,  9.]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments


@dataclass(eq=False)
class Descending:
    """A polynomial with coefficients `coeffs`."""

    coeffs: Any

    @property
    def c(self) -> Any:
        return self.coeffs

    @property
    def coef(self) -> Any:
        return self.coeffs

    @property
    def coefficients(self) -> Any:
        return self.coeffs

    @property
    def order(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def o(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        return np.roots(self.coeffs)

    @property
    def r(self) -> Any:
        return np.roots(self.coeffs)

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def __call__(self, val: Any) -> Any:
        if isinstance(val, Descending):
            found = poly1d(self.coeffs[:1])
            for i in range(1, len(self.coeffs)):
                found = found * val + self.coeffs[i]
            return found
        return np.polyval(self.coeffs, val)

    def __getitem__(self, val: Any) -> Any:
        return self.coeffs[len(self.coeffs) - 1 - val] if 0 <= val < len(self.coeffs) else 0.0

    def __neg__(self) -> Any:
        return Descending(-self.coeffs)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return poly1d(np.polyadd(self.coeffs, numbers(other)))

    def __radd__(self, other: Any) -> Any:
        return poly1d(np.polyadd(numbers(other), self.coeffs))

    def __sub__(self, other: Any) -> Any:
        return poly1d(np.polysub(self.coeffs, numbers(other)))

    def __rsub__(self, other: Any) -> Any:
        return poly1d(np.polysub(numbers(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        return poly1d(np.polymul(self.coeffs, numbers(other)))

    def __rmul__(self, other: Any) -> Any:
        return poly1d(np.polymul(numbers(other), self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Descending) and np.ndim(other) == 0:
            return poly1d(self.coeffs / other)
        quotient, rest = np.polydiv(self.coeffs, numbers(other))
        return poly1d(quotient), poly1d(rest)

    def __pow__(self, val: Any) -> Any:
        found = np.ones(1)
        for _ in range(val):
            found = np.polymul(self.coeffs, found)
        return poly1d(found)

    def deriv(self, m: Any = 1) -> Any:
        return poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        return poly1d(np.polyint(self.coeffs, m, k))


def numbers(other: Any) -> Any:
    """The coefficients of an operand."""
    return other.coeffs if isinstance(other, Descending) else other


@definition_of(np.poly1d)
def poly1d(c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    if isinstance(c_or_r, Descending):
        return c_or_r
    c = np.atleast_1d(np.poly(c_or_r) if r else c_or_r)
    if np.ndim(c) > 1:
        raise ValueError("Polynomial must be 1d only.")
    if np.iscomplexobj(c):
        refuse("np.poly1d has a derivative for real coefficients")
    first = 0
    while first < len(c) - 1 and c[first] == 0:
        first += 1
    return Descending(c[first:])


def taken_apart(made: Any) -> Arguments | None:
    """How one that a program made before is read."""
    return (Descending, (), {"coeffs": made.coeffs}) if made.coeffs.dtype.kind in "fiu" else None


ARGUMENTS[np.poly1d] = taken_apart
