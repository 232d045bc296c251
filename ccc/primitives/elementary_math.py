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
from ccc.primitives.facts import ENTRIES, MAGNITUDE, NEW, UNIT, jointly
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


def step(name: str, value: Callable[..., Any]) -> Primitive:
    """The function `math.name`, locally constant."""
    return flat(f"math.{name}", value, _source(name, 1), exact=True, type_rule=scalar_type)


def integral(name: str, count: int) -> Primitive:
    """The function `math.name` of `count` integers."""
    return flat(f"math.{name}", getattr(math, name), _source(name, count), exact=True, type_rule=scalar_type)


sqrt = scalar("sqrt", math.sqrt, lambda d, y, x: over0(d * 0.5, y), bounds=MAGNITUDE)
cbrt = scalar("cbrt", math.cbrt, lambda d, y, x: over0(d, 3.0 * (y * y)))
exp = scalar("exp", math.exp, lambda d, y, x: d * y, bounds=MAGNITUDE)
exp2 = scalar("exp2", math.exp2, lambda d, y, x: d * (y * LN2), bounds=MAGNITUDE)
expm1 = scalar("expm1", math.expm1, lambda d, y, x: d * exp(x))
log = scalar("log", math.log, lambda d, y, x: d / x)
log1p = scalar("log1p", math.log1p, lambda d, y, x: d / (1.0 + x))
log2 = scalar("log2", math.log2, lambda d, y, x: d * (1.0 / LN2) / x)
log10 = scalar("log10", math.log10, lambda d, y, x: d * (1.0 / LN10) / x)
sin = scalar("sin", math.sin, lambda d, y, x: d * cos(x), bounds=UNIT)
cos = scalar("cos", math.cos, lambda d, y, x: -(d * sin(x)), bounds=UNIT)
tan = scalar("tan", math.tan, lambda d, y, x: d * (1.0 + y * y))
asin = scalar("asin", math.asin, lambda d, y, x: over0(d, sqrt((1.0 - x) * (1.0 + x))))
acos = scalar("acos", math.acos, lambda d, y, x: -over0(d, sqrt((1.0 - x) * (1.0 + x))))
atan = scalar("atan", math.atan, lambda d, y, x: d / (1.0 + x * x))
sinh = scalar("sinh", math.sinh, lambda d, y, x: d * cosh(x))
cosh = scalar("cosh", math.cosh, lambda d, y, x: d * sinh(x), bounds=(1.0, math.inf))
tanh = scalar("tanh", math.tanh, lambda d, y, x: d * (1.0 - y * y), bounds=UNIT)
asinh = scalar("asinh", math.asinh, lambda d, y, x: d / hypot(1.0, x))
acosh = scalar("acosh", math.acosh, lambda d, y, x: over0(d, sqrt(x - 1.0) * sqrt(x + 1.0)))
atanh = scalar("atanh", math.atanh, lambda d, y, x: d / ((1.0 - x) * (1.0 + x)))
erf = scalar("erf", math.erf, lambda d, y, x: d * (TWO_OVER_SQRT_PI * exp(-(x * x))))
erfc = scalar("erfc", math.erfc, lambda d, y, x: -(d * (TWO_OVER_SQRT_PI * exp(-(x * x)))))
degrees = scalar("degrees", math.degrees, lambda d, y, x: d * (180.0 / math.pi), linear=jointly(0))
radians = scalar("radians", math.radians, lambda d, y, x: d * (math.pi / 180.0), linear=jointly(0))
fabs = scalar("fabs", math.fabs, lambda d, y, x: d * signum(x), bounds=MAGNITUDE)
pow_ = scalar("pow", math.pow, power_slope, exponent_slope)
atan2 = scalar(
    "atan2", math.atan2,
    lambda d, y, a, b: over0(d * b, a * a + b * b), lambda d, y, a, b: -over0(d * a, a * a + b * b),
)
copysign = scalar(
    "copysign", math.copysign, lambda d, y, x, s: d * (signum(x) * signum(y)), lambda d, y, x, s: ZERO
)
fmod = scalar("fmod", math.fmod, lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)))
remainder = scalar("remainder", math.remainder, lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)))

floor = step("floor", math.floor)
ceil = step("ceil", math.ceil)
trunc = step("trunc", math.trunc)
isnan = step("isnan", math.isnan)
isinf = step("isinf", math.isinf)
isfinite = step("isfinite", math.isfinite)
isclose = flat(
    "isclose", lambda a, b, rel, least: math.isclose(a, b, rel_tol=rel, abs_tol=least),
    "math.isclose({}, {}, rel_tol={}, abs_tol={})", type_rule=scalar_type, memory=NEW,
)
gcd, lcm, comb, perm = [integral(name, 2) for name in ("gcd", "lcm", "comb", "perm")]
factorial, isqrt = [integral(name, 1) for name in ("factorial", "isqrt")]


def _hypot_pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
    return tuple([times0(ct, unit(x, y)) for x in xs])


def _hypot_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    return total([times0(d, unit(x, y)) for d, x in zip(ds, xs, strict=True) if not isinstance(d, Zero)])


hypot = Primitive(
    "math.hypot", math.hypot, scalar_type, lambda *xs: f"math.hypot({', '.join(xs)})",
    _hypot_pullback, _hypot_differential, memory=NEW, work=ENTRIES,
)
