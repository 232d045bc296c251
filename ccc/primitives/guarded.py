"""Products and quotients in which a zero is strong: `0 * inf = 0`, `0 / 0 = 0`.

Pullbacks use them where a slope may be infinite, so that a zero cotangent stays zero; they follow IEEE arithmetic also
for Python floats, so that a pullback never raises where its primal did not.

>>> times0(0.0, np.inf), over0(0.0, 0.0), over0(1.0, 0.0), power0(0.0, -1.0), log0(0.0)
(0.0, 0.0, inf, inf, 0.0)
>>> share(1.0, 2.0, 2.0, 2.0), share(1.0, 2.0, 1.0, 2.0)
(0.5, 0.0)
>>> [float(weight(a, -np.inf)) for a in (-np.inf, 1.0)]
[0.5, 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.errors import MissingDerivative
from ccc.objects import Array, Bool, Int, Object, Real
from ccc.primitives import domains
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.facts import AT_ZERO, ENTRIES, MAGNITUDE, NEVER, NEW, NOWHERE, jointly, separately
from ccc.primitives.pointwise import flat, operation
from ccc.primitives.primitive import Primitive, elementwise, linear

NUMPY = (np.ndarray, np.generic)


def _strong(d: Any, result: Any) -> Any:
    """`result`, with zero wherever `d` is zero."""
    if isinstance(result, np.ndarray):
        np.copyto(result, 0, where=np.equal(d, 0))  # type: ignore[reportUnknownArgumentType]
        return result  # type: ignore[reportUnknownVariableType]
    return result if d != 0 else type(result)(0)


def _times0(d: Any, x: Any) -> Any:
    if not isinstance(d, NUMPY) and not isinstance(x, NUMPY):
        return d * x if d else d * 0
    with np.errstate(all="ignore"):
        return _strong(d, np.multiply(d, x))


def _over0(d: Any, x: Any) -> Any:
    if not isinstance(d, NUMPY) and not isinstance(x, NUMPY):
        if not d:
            return d * 0
        return d / x if x else d * math.copysign(math.inf, x)
    with np.errstate(all="ignore"):
        return _strong(d, np.divide(d, x))


def _both0(d: Any, x: Any) -> Any:
    if not isinstance(d, NUMPY) and not isinstance(x, NUMPY):
        return d * x if d and x else 0 * (x if d else d) if d - d == 0 and x - x == 0 else 0.0
    with np.errstate(all="ignore"):
        return _strong(x, _strong(d, np.multiply(d, x)))


def _unit(x: Any, length: Any) -> Any:
    if not isinstance(x, NUMPY) and not isinstance(length, NUMPY):
        return x / length if length else type(x)(0)
    with np.errstate(all="ignore"):
        found = np.divide(x, length)
    if isinstance(found, np.ndarray):
        np.copyto(found, 0, where=np.equal(length, 0))  # type: ignore[reportUnknownArgumentType]
        return found
    return found if length != 0 else type(found)(0)


def _power0(a: Any, n: Any) -> Any:
    if isinstance(a, (Fraction, int)) and isinstance(n, int) and (a or n >= 0):
        return a**n
    if not isinstance(a, NUMPY) and not isinstance(n, NUMPY):
        a, n = float(a), float(n)
        try:
            return math.pow(a, n)
        except OverflowError:
            return -math.inf if a < 0 and n % 2 == 1 else math.inf
        except ValueError:
            return math.nan if a else math.copysign(math.inf, a) if n % 2 == 1 else math.inf
    base: Any = a if isinstance(a, float) or getattr(a, "dtype", np.dtype(bool)).kind == "f" else np.asarray(a, float)
    with np.errstate(all="ignore"):
        return np.power(base, n)


def _log0(x: Any) -> Any:
    if not isinstance(x, NUMPY):
        return math.log(x) if x > 0 else 0.0
    with np.errstate(all="ignore"):
        return np.where(np.greater(x, 0), np.log(np.abs(x)), 0)[()]


def _weight(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        found = 1.0 / (1.0 + np.exp(np.subtract(b, a)))
    if isinstance(found, np.ndarray):
        np.copyto(found, 0.5, where=np.equal(a, b))  # type: ignore[reportUnknownArgumentType]
        return found  # type: ignore[reportUnknownVariableType]
    return type(found)(0.5) if a == b else found


def _signum(x: Any) -> Any:
    if isinstance(x, NUMPY):
        return np.sign(x)
    if isinstance(x, float):
        return math.copysign(1.0, x) if x > 0 or x < 0 else x
    if isinstance(x, complex):
        raise MissingDerivative("the sign of a complex number, which a negative number to a fraction is, is no slope",
                                help="let the number be complex before: `complex(x) ** 0.5`")
    return (x > 0) - (x < 0)


def _share(d: Any, y: Any, x: Any, *others: Any) -> Any:
    if not any(isinstance(z, np.ndarray) for z in (d, x, y, *others)):
        if x == y:
            return d / (1 + sum([bool(other == y) for other in others]))
        return d * 0 if d - d == 0 else type(d)(0.0)
    ties = sum([np.equal(other, y).astype(np.int8) for other in others], np.int8(1))
    with np.errstate(all="ignore"):
        return np.where(np.equal(x, y), np.divide(d, ties, dtype=np.result_type(d)), 0)[()]


times0 = operation(
    "times0", _times0, "times0({}, {})",
    lambda d, y, a, b: times0(d, b), lambda d, y, a, b: both0(d, a), exact=True, memory=NEW,
    linear=separately(0, 1), raises=NEVER,
)
both0 = operation(
    "both0", _both0, "both0({}, {})",
    lambda d, y, a, b: both0(d, b), lambda d, y, a, b: both0(d, a), exact=True, memory=NEW,
    linear=separately(0, 1), raises=NEVER,
)
"""`both0(d, x)`: a product in which either zero is strong: the slope of `times0(0, x)` in x, which is constantly 0 also
where the tangent of x is infinite."""
over0 = operation(
    "over0", _over0, "over0({}, {})",
    lambda d, y, a, b: over0(d, b), lambda d, y, a, b: -both0(d, over0(y, b)), exact=True, memory=NEW,
    linear=jointly(0), raises=NEVER, poles=(NOWHERE, AT_ZERO),
)
unit = operation(
    "unit", _unit, "unit({}, {})", lambda d, y, x, n: unit(d, n), lambda d, y, x, n: -unit(d * y, n), exact=True,
    memory=NEW, linear=jointly(0), raises=NEVER, poles=(NOWHERE, AT_ZERO),
)
"""`unit(x, length)`: the part of a direction that `x` is. There is none at length 0, where it counts as 0 and constant:
so have norms at 0 and deviations without spread derivatives of all orders that are 0."""
weight = operation("weight", _weight, "weight({}, {})", lambda d, y, a, b: d * (y * (1.0 - y)),
    lambda d, y, a, b: -(d * (y * (1.0 - y))), memory=NEW, raises=NEVER, bounds=(0.0, 1.0))
"""`weight(a, b)`: what `exp(a)` is of `exp(a) + exp(b)`, the slope of the logarithm of that sum in `a`. Infinities that
are equal weigh the same, as the largest do at a tie."""
log0 = operation("log0", _log0, "log0({})", lambda d, y, x: over0(times0(d, positive(x)), x), memory=NEW,
    raises=NEVER, turns=NOWHERE, within=MAGNITUDE)
positive = flat("positive", lambda x: x > 0, "{} > 0", exact=True, precedence=40, memory=NEW, raises=NEVER)
signum = flat("signum", _signum, "signum({})", exact=True, memory=NEW, raises=NEVER, increasing=True)


def _where_real(d: Any, a: Any, n: Any) -> Any:
    if isinstance(a, NUMPY) or isinstance(n, NUMPY) or d == 0:
        return d
    if not isinstance(a, complex) and not isinstance(n, complex) and (
            not -math.inf < a < 0 or n % 1 == 0 or not math.isfinite(n)):
        return d
    raise MissingDerivative("a negative number to a fraction is a complex number, which has no derivative here",
                            help="let the number be complex before: `complex(x) ** 0.5`")


where_real = operation(
    "where_real", _where_real, "where_real({}, {}, {})",
    lambda g, y, d, a, n: where_real(g, a, n), lambda g, y, d, a, n: ZERO, lambda g, y, d, a, n: ZERO,
    exact=True, type_rule=lambda p, args, params: args[0], memory=NEW, linear=jointly(0), raises=domains.complex_power,
    increasing=True,
)
"""`where_real(d, a, n)`: the derivative `d` of Python's `a**n`, which is refused where that is complex, unless it is
zero."""


def power_slope(d: Any, y: Any, a: Any, n: Any) -> Any:
    """`d * n * a**(n-1)`, the slope of `a**n` in `a`; `a**0` has slope 0, also at 0."""
    if isinstance(n, (int, float)) and n > 2 and n % 1 == 0 and math.isfinite(n):
        return d * (n * a ** (n - 1))
    return ieee_power_slope(d, y, a, n)


def ieee_power_slope(d: Any, y: Any, a: Any, n: Any) -> Any:
    """The same where `a**n` follows IEEE arithmetic and does not raise."""
    if isinstance(n, (int, float)):
        if n == 0:
            return ZERO
        if n == 1:
            return d
        if n == 2:
            return d * (2 * a)
    return times0(d, times0(n, power0(a, n - 1)))


def exponent_slope(d: Any, y: Any, a: Any, n: Any) -> Any:
    """`d * a**n * log(a)`, the slope of `a**n` in `n`; 0 where the logarithm of `a` is not real, none in an integer."""
    if isinstance(n, int):
        return ZERO
    return times0(d, y) * log0(a)


def _moved(d: Any, a: Any, n: Any) -> Any:
    """The derivative of a power, asked whether that is real where both numbers are Python's and it may be complex."""
    whole = isinstance(kind_of(n), (Int, Bool)) or (isinstance(n, (int, float)) and n % 1 == 0)
    kinds = kind_of(a), kind_of(n)
    of_python = all(isinstance(kind, (Real, Int)) and kind.kind in domains.OF_PYTHON for kind in kinds)
    return where_real(d, a, n) if of_python and not whole and not (isinstance(a, (int, float)) and a >= 0) else d


POWER: tuple[Any, Any] = (
    lambda d, y, a, n: power_slope(_moved(d, a, n), y, a, n),
    lambda d, y, a, n: exponent_slope(_moved(d, a, n), y, a, n),
)
"""The slopes of `a**n`, which is a complex number of Python's where `a` is negative and `n` a fraction."""

power0 = operation("power0", _power0, "power0({}, {})", ieee_power_slope, exponent_slope, exact=True, memory=NEW,
    raises=NEVER, powers=True)


def _share_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0] if not any(isinstance(a, Array) for a in args) else elementwise(p, args, params)


def _share_pullback(g: Any, s: Any, d: Any, *xs: Any) -> tuple[Any, ...]:
    return (fit(share(g, *xs), d), *[ZERO] * len(xs))


share = linear("share", _share, _share_type, lambda *xs: f"share({', '.join(xs)})", _share_pullback, exact=True,
               memory=NEW, work=ENTRIES, raises=domains.uncombined, shares=True)
"""`share(d, y, x, *others)`: the part of `d` that belongs to `x` where `y` was chosen among `x` and `others`; equal
parts where several are equal, none where `x` was not chosen."""


def chosen(name: str, value: Callable[..., Any], source: str, exact: bool = False) -> Primitive:
    """A choice of one of two arguments (maximum, minimum); at a tie each has slope 1/2."""
    return operation(
        name, value, source,
        lambda d, y, a, b: share(d, y, a, b), lambda d, y, a, b: share(d, y, b, a), exact=exact, memory=NEW,
        raises=NEVER, increasing=True,
    )
