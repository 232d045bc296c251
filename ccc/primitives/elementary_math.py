"""The functions of `math`, on Python scalars, with their derivatives in terms of `math`.

    d sin x = cos x dx        d sqrt x = dx / (2 sqrt x)        d atan2(a, b) = (b da - a db) / (a^2 + b^2)

Kinks and edges: `sqrt` and `cbrt` have slope inf at 0, `asin acos acosh` at the ends of their domains; `hypot` and
`atan2` have slope 0 at the origin, `fabs` at 0. `floor ceil trunc` and the sign in `copysign` are locally constant.

>>> sin.pullback(2.0, math.sin(0.0), 0.0), sqrt.pullback(0.0, 0.0, 0.0)
((2.0,), (0.0,))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, Zero, total
from ccc.objects import Real
from ccc.primitives.arithmetic import absolute, both, greater, greater_equal, less, less_equal
from ccc.primitives.domains import (
    HYPERBOLIC,
    LIMIT,
    above,
    any_below,
    below,
    beyond,
    not_finite,
    real_power,
    remainder_of_infinity,
    up_to,
)
from ccc.primitives.facts import (
    ACROSS_ZERO,
    AT_PEAKS,
    AT_ZERO,
    ENTRIES,
    FROM_ZERO,
    MAGNITUDE,
    MAY,
    NEVER,
    NEW,
    NOWHERE,
    PI,
    TO_ZERO,
    UNIT,
    Raises,
    Refusal,
    jointly,
)
from ccc.primitives.guarded import exponent_slope, over0, power_slope, signum, times0, unit
from ccc.primitives.pointwise import Slope, flat, operation, scalar_type
from ccc.primitives.primitive import Primitive

LN2 = math.log(2.0)
LN10 = math.log(10.0)
TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)


def _source(name: str, count: int) -> str:
    return f"math.{name}({', '.join(['{}'] * count)})"


def scalar(name: str, value: Callable[..., Any], *slopes: Slope, **facts: Any) -> Primitive:
    """The function `math.name` with its slopes."""
    return operation(f"math.{name}", value, _source(name, len(slopes)), *slopes, type_rule=scalar_type, **facts)


def step(name: str, value: Callable[..., Any], raises: Raises) -> Primitive:
    """The function `math.name`, locally constant."""
    return flat(f"math.{name}", value, _source(name, 1), exact=True, type_rule=scalar_type, raises=raises)


def integral(name: str, count: int, raises: Raises) -> Primitive:
    """The function `math.name` of `count` integers."""
    value = getattr(math, name)
    return flat(f"math.{name}", value, _source(name, count), exact=True, type_rule=scalar_type, raises=raises)


def outside(
    test: Callable[[Any], Any], least: float, most: float, closed: bool = True, kind: type[Exception] = ValueError
) -> Refusal:
    """What `math` raises of reals that are outside of the domain of a function, and between which numbers that is."""
    return Refusal(kind, test, lambda objects, params: all(isinstance(a, Real) for a in objects), (least, most), closed)


INF = math.inf
NEGATIVE = outside(lambda x: less(x, 0.0), 0.0, INF)
NOT_POSITIVE = outside(lambda x: less_equal(x, 0.0), 0.0, INF, closed=False)
BEYOND_ONE = outside(lambda x: greater(absolute(x), 1.0), -1.0, 1.0)
INFINITE = outside(lambda x: isinf(x), -INF, INF, closed=False)
LARGEST_POWER = math.nextafter(1024.0, 0.0)


def too_large(most: float) -> Refusal:
    """What `math` raises of finite numbers beyond the largest of which a result is one."""
    return outside(lambda x: both(greater(x, most), less(x, INF)), -INF, most, kind=OverflowError)


TOO_FAR = outside(lambda x: both(greater(absolute(x), HYPERBOLIC), less(absolute(x), INF)), -HYPERBOLIC, HYPERBOLIC,
                  kind=OverflowError)
sqrt = scalar("sqrt", math.sqrt, lambda d, y, x: over0(d * 0.5, y), bounds=MAGNITUDE, raises=below(0), refusal=NEGATIVE,
    increasing=True)
cbrt = scalar("cbrt", math.cbrt, lambda d, y, x: over0(d, 3.0 * (y * y)), raises=NEVER, increasing=True)
exp = scalar("exp", math.exp, lambda d, y, x: d * y, bounds=MAGNITUDE, raises=above(LIMIT), refusal=too_large(LIMIT),
    increasing=True)
exp2 = scalar("exp2", math.exp2, lambda d, y, x: d * (y * LN2), bounds=MAGNITUDE, raises=above(LARGEST_POWER),
    refusal=too_large(LARGEST_POWER), increasing=True)
expm1 = scalar("expm1", math.expm1, lambda d, y, x: d * exp(x), raises=above(LIMIT), refusal=too_large(LIMIT),
    increasing=True)
log = scalar("log", math.log, lambda d, y, x: d / x, raises=up_to(0), refusal=NOT_POSITIVE, increasing=True)
log1p = scalar("log1p", math.log1p, lambda d, y, x: d / (1.0 + x), raises=up_to(-1),
    refusal=outside(lambda x: less_equal(x, -1.0), -1.0, INF, closed=False), increasing=True)
log2 = scalar("log2", math.log2, lambda d, y, x: d * (1.0 / LN2) / x, raises=up_to(0), refusal=NOT_POSITIVE,
    increasing=True)
log10 = scalar("log10", math.log10, lambda d, y, x: d * (1.0 / LN10) / x, raises=up_to(0), refusal=NOT_POSITIVE,
    increasing=True)
sin = scalar("sin", math.sin, lambda d, y, x: d * cos(x), bounds=UNIT, raises=not_finite, refusal=INFINITE,
    turns=AT_PEAKS)
cos = scalar("cos", math.cos, lambda d, y, x: -(d * sin(x)), bounds=UNIT, raises=not_finite, refusal=INFINITE,
    turns=FROM_ZERO)
tan = scalar("tan", math.tan, lambda d, y, x: d * (1.0 + y * y), raises=not_finite, refusal=INFINITE, poles=AT_PEAKS)
asin = scalar("asin", math.asin, lambda d, y, x: over0(d, sqrt((1.0 - x) * (1.0 + x))),
    raises=beyond(1), refusal=BEYOND_ONE, increasing=True)
acos = scalar("acos", math.acos, lambda d, y, x: -over0(d, sqrt((1.0 - x) * (1.0 + x))), raises=beyond(1),
    refusal=BEYOND_ONE, turns=NOWHERE)
atan = scalar("atan", math.atan, lambda d, y, x: d / (1.0 + x * x), raises=NEVER, increasing=True)
sinh = scalar("sinh", math.sinh, lambda d, y, x: d * cosh(x), raises=beyond(HYPERBOLIC), refusal=TOO_FAR,
    increasing=True)
cosh = scalar("cosh", math.cosh, lambda d, y, x: d * sinh(x), bounds=(1.0, math.inf), raises=beyond(HYPERBOLIC),
    refusal=TOO_FAR, turns=AT_ZERO)
tanh = scalar("tanh", math.tanh, lambda d, y, x: d * (1.0 - y * y), bounds=UNIT, raises=NEVER, increasing=True)
asinh = scalar("asinh", math.asinh, lambda d, y, x: d / hypot(1.0, x), raises=NEVER, increasing=True)
acosh = scalar("acosh", math.acosh, lambda d, y, x: over0(d, sqrt(x - 1.0) * sqrt(x + 1.0)),
    raises=below(1), refusal=outside(lambda x: less(x, 1.0), 1.0, INF), increasing=True)
atanh = scalar("atanh", math.atanh, lambda d, y, x: d / ((1.0 - x) * (1.0 + x)),
    raises=lambda x: x.low <= -1 or x.high >= 1, increasing=True,
    refusal=outside(lambda x: greater_equal(absolute(x), 1.0), -1.0, 1.0, closed=False))
erf = scalar("erf", math.erf, lambda d, y, x: d * (TWO_OVER_SQRT_PI * exp(-(x * x))), raises=NEVER, increasing=True)
erfc = scalar("erfc", math.erfc, lambda d, y, x: -(d * (TWO_OVER_SQRT_PI * exp(-(x * x)))), raises=NEVER,
    turns=NOWHERE)
degrees = scalar("degrees", math.degrees, lambda d, y, x: d * (180.0 / math.pi), linear=jointly(0), raises=NEVER)
radians = scalar("radians", math.radians, lambda d, y, x: d * (math.pi / 180.0), linear=jointly(0), raises=NEVER)
fabs = scalar("fabs", math.fabs, lambda d, y, x: d * signum(x), bounds=MAGNITUDE, raises=NEVER,
    turns=AT_ZERO)
pow_ = scalar("pow", math.pow, power_slope, exponent_slope, raises=real_power, powers=True)
atan2 = scalar(
    "atan2", math.atan2,
    lambda d, y, a, b: over0(d * b, a * a + b * b), lambda d, y, a, b: -over0(d * a, a * a + b * b), raises=NEVER,
    bounds=(-PI, PI), turns=(ACROSS_ZERO, NOWHERE),
)
copysign = scalar(
    "copysign", math.copysign, lambda d, y, x, s: d * (signum(x) * signum(y)), lambda d, y, x, s: ZERO, raises=NEVER
)
fmod = scalar("fmod", math.fmod, lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)),
    raises=remainder_of_infinity, remainder=TO_ZERO)
remainder = scalar("remainder", math.remainder, lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)),
    raises=remainder_of_infinity)

floor = step("floor", math.floor, raises=not_finite)
ceil = step("ceil", math.ceil, raises=not_finite)
trunc = step("trunc", math.trunc, raises=not_finite)
isnan = step("isnan", math.isnan, raises=NEVER)
isinf = step("isinf", math.isinf, raises=NEVER)
isfinite = step("isfinite", math.isfinite, raises=NEVER)
isclose = flat(
    "isclose", lambda a, b, rel, least: math.isclose(a, b, rel_tol=rel, abs_tol=least),
    "math.isclose({}, {}, rel_tol={}, abs_tol={})", type_rule=scalar_type, memory=NEW,
    raises=lambda a, b, rel, least: rel.low < 0 or least.low < 0,
)
gcd, lcm = [integral(name, 2, NEVER) for name in ("gcd", "lcm")]
comb, perm = [integral(name, 2, any_below(0)) for name in ("comb", "perm")]
power_modulo = flat("power_modulo", pow, "pow({}, {}, {})", exact=True, type_rule=scalar_type, raises=MAY)
factorial, isqrt = [integral(name, 1, below(0)) for name in ("factorial", "isqrt")]


def _hypot_pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
    return tuple([times0(ct, unit(x, y)) for x in xs])


def _hypot_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    return total([times0(d, unit(x, y)) for d, x in zip(ds, xs, strict=True) if not isinstance(d, Zero)])


hypot = Primitive(
    "math.hypot", math.hypot, scalar_type, lambda *xs: f"math.hypot({', '.join(xs)})",
    _hypot_pullback, _hypot_differential, memory=NEW, work=ENTRIES, raises=NEVER, turns=AT_ZERO, bounds=MAGNITUDE,
)
