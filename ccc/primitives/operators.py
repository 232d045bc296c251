"""The operators of arithmetic on values that stand for those of a later run: rules and adaptors are written with them.

    x - y  =  sub(x, y)        2.0 * x  =  mul(2.0, x)

Comparisons are none of these: what they give has no truth yet.
"""

from __future__ import annotations

from typing import Any

from ccc.primitives import arithmetic


class Operators:
    """Operators that record the primitives of arithmetic."""

    __slots__ = ()
    __array_ufunc__ = None  # an array times a variable is the variable's business, not item by item

    def __add__(self, other: Any) -> Any:
        return arithmetic.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return arithmetic.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return arithmetic.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return arithmetic.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return arithmetic.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return arithmetic.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return arithmetic.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return arithmetic.div(other, self)

    def __pow__(self, other: Any) -> Any:
        return arithmetic.power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return arithmetic.power(other, self)

    def __mod__(self, other: Any) -> Any:
        return arithmetic.mod(self, other)

    def __rmod__(self, other: Any) -> Any:
        return arithmetic.mod(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return arithmetic.floordiv(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return arithmetic.floordiv(other, self)

    def __neg__(self) -> Any:
        return arithmetic.neg(self)

    def __abs__(self) -> Any:
        return arithmetic.absolute(self)
