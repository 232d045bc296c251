"""Arithmetic and comparisons: Python's operators on numbers and arrays.

Zero cotangents stay zero: where a factor may be infinite, products and quotients of a pullback are the guarded
`times0` and `over0`, for which 0 * inf = 0.

>>> mul.pullback(1.0, 6.0, 2.0, 3.0)
(3.0, 2.0)
>>> over0(0.0, 0.0), over0(1.0, 0.0)
(0.0, inf)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add as sum_of
from ccc.base import Traced
from ccc.objects import BOOL, Array, Bool, Object, Real
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.primitive import Primitive, by_sampling, elementwise

Rule = Callable[..., Any]


def operation(
    name: str, value: Callable[..., Any], source: str, *partials: Rule, exact: bool = True, precedence: int = 100
) -> Primitive:
    """An elementwise primitive by its products with the partial derivatives: `partial(d, y, *xs) = d * dy/dx_i`.

    Every partial must be additive in `d`; it serves forward mode and, fitted to the argument, reverse mode.
    """

    def pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
        return tuple([fit(partial(ct, y, *xs), x) for partial, x in zip(partials, xs, strict=True)])

    def differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
        result: Any = ZERO
        for partial, d in zip(partials, ds, strict=True):
            if not isinstance(d, Zero):
                result = sum_of(result, partial(d, y, *xs))
        return spread(result, y)

    return Primitive(name, value, elementwise, source, pullback, differential, exact, precedence)


def spread(d: Any, y: Any) -> Any:
    """A tangent with the shape of `y`, of which it may be a broadcast part."""
    from ccc.primitives.broadcasting import broadcast_like

    if isinstance(d, Zero) or not isinstance(kind_of(y), Array) or kind_of(d) == kind_of(y):
        return d
    return broadcast_like(d, y)


def compared(name: str, value: Callable[..., Any], source: str) -> Primitive:
    """A comparison: its result is discrete and has no derivative."""
    return Primitive(name, value, elementwise, source, exact=True, precedence=40)


def _guarded(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def guarded(d: Any, x: Any) -> Any:
        if isinstance(d, float | int | Fraction) and not isinstance(x, np.ndarray):
            return compute(d, x) if d else d * 0
        with np.errstate(all="ignore"):
            return np.where(d == 0, np.zeros_like(d), compute(d, x))[()]

    return guarded


def _over(d: Any, x: Any) -> Any:
    if isinstance(x, float | int | Fraction) and x == 0:
        if isinstance(d, np.ndarray | np.generic):
            return np.asarray(d) / np.float64(x)
        return math.copysign(math.inf, float(d)) * math.copysign(1.0, float(x))
    return d / x


def _power(a: Any, n: Any) -> Any:
    """`a ** n` by IEEE: infinite where Python raises."""
    if isinstance(a, float | int | Fraction) and isinstance(n, float | int):
        try:
            return a**n
        except ZeroDivisionError:
            return math.inf
        except OverflowError:
            return math.inf if a > 0 or n % 2 == 0 else -math.inf
    with np.errstate(all="ignore"):
        return np.power(np.asarray(a, dtype=float), n)[()]


def _first_or_broadcast(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return elementwise(p, args, params)


times0 = operation(
    "times0", _guarded(operator.mul), "times0({}, {})",
    lambda d, y, a, b: times0(d, b), lambda d, y, a, b: times0(a, d), exact=True,
)
over0 = operation(
    "over0", _guarded(_over), "over0({}, {})",
    lambda d, y, a, b: over0(d, b), lambda d, y, a, b: over0(-(d * y), b), exact=True,
)
power0 = operation(
    "power0", _power, "power0({}, {})",
    lambda d, y, a, n: _power_slope(d, y, a, n), lambda d, y, a, n: times0(d * y, log0(a)), exact=True,
)
log0 = operation(
    "log0", lambda x: _log(x), "log0({})", lambda d, y, x: over0(d, x), exact=False,
)


def _log(x: Any) -> Any:
    """The logarithm where it is real, else 0: the slope of `a ** n` in `n`."""
    with np.errstate(all="ignore"):
        return np.where(np.asarray(x) > 0, np.log(np.abs(x)), 0.0)[()]


def _power_slope(d: Any, y: Any, a: Any, n: Any) -> Any:
    """`d * n * a**(n-1)`; `x**0` has slope 0, also at 0."""
    if not isinstance(n, Traced | np.ndarray):
        if n == 0:
            return d * 0.0 if isinstance(n, float) else d * 0
        if n == 1:
            return d
        if n == 2:
            return d * (2 * a)
        if n == int(n) and n > 1:
            return d * (n * a ** (n - 1))
    return times0(times0(d, n), power0(a, n - 1))


add = operation("add", operator.add, "{} + {}", lambda d, y, a, b: d, lambda d, y, a, b: d, precedence=60)
sub = operation("sub", operator.sub, "{} - {}", lambda d, y, a, b: d, lambda d, y, a, b: -d, precedence=60)
mul = operation("mul", operator.mul, "{} * {}", lambda d, y, a, b: d * b, lambda d, y, a, b: d * a, precedence=70)
neg = operation("neg", operator.neg, "-{}", lambda d, y, a: -d, precedence=80)
pos = operation("pos", operator.pos, "+{}", lambda d, y, a: d, precedence=80)


def _quotient(d: Any, b: Any) -> Any:
    """`d / b` where the primal divided by `b`: Python floats were not zero then, NumPy's may have been."""
    b_kind = kind_of(b)
    return d / b if isinstance(b_kind, Real) and b_kind.kind in ("float", "fraction") else over0(d, b)


div = operation(
    "div", operator.truediv, "{} / {}",
    lambda d, y, a, b: _quotient(d, b), lambda d, y, a, b: -_quotient(d * y, b), precedence=70,
)
power = operation(
    "power", operator.pow, "{} ** {}",
    _power_slope, lambda d, y, a, n: times0(d * y, log0(a)), precedence=90,
)
absolute = operation("abs", operator.abs, "abs({})", lambda d, y, a: d * sign(a))
sign = Primitive("sign", lambda x: np.sign(x) if not isinstance(x, Fraction) else (x > 0) - (x < 0), by_sampling,
                 "np.sign({})", exact=True)
floordiv = Primitive("floordiv", operator.floordiv, elementwise, "{} // {}", exact=True, precedence=70)
mod = operation("mod", operator.mod, "{} % {}", lambda d, y, a, b: d, lambda d, y, a, b: -(d * floordiv(a, b)),
                precedence=70)

less = compared("less", operator.lt, "{} < {}")
less_equal = compared("less_equal", operator.le, "{} <= {}")
greater = compared("greater", operator.gt, "{} > {}")
greater_equal = compared("greater_equal", operator.ge, "{} >= {}")
equal = compared("equal", operator.eq, "{} == {}")
not_equal = compared("not_equal", operator.ne, "{} != {}")
logical_not = Primitive("not", operator.not_, lambda p, args, params: BOOL, "not {}", exact=True, precedence=35)


def _truth_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return Bool()


truth = Primitive("truth", bool, _truth_type, "bool({})", exact=True)
