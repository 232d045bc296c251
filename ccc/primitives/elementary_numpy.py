"""NumPy's elementary functions and operators, with their derivatives in terms of NumPy's.

    d sin x = cos x dx        d maximum(a, b) = da or db, as chosen        d where(c, a, b) = where(c, da, db)

Kinks and edges: `sqrt` and `cbrt` have slope inf at 0, `absolute` and `fabs` slope 0; `maximum minimum fmax fmin clip`
share equally at a tie; `hypot` and `arctan2` have slope 0 at the origin; `where` follows its condition;
`sign floor ceil trunc rint` are locally constant, and so is `heaviside` in `x`; in its value at 0 it
has slope 1 there. Zero cotangents stay zero, also where a slope is infinite.

>>> sqrt.pullback(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
(array([0.5, 0. ]),)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.primitives.arithmetic import denominator_slope
from ccc.primitives.domains import power_of_integers
from ccc.primitives.facts import (
    ACROSS_ZERO,
    AT_PEAKS,
    AT_ZERO,
    DOWN,
    FROM_ZERO,
    MAGNITUDE,
    NEVER,
    NEW,
    NOWHERE,
    PI,
    TO_ZERO,
    UNIT,
    jointly,
    separately,
)
from ccc.primitives.guarded import chosen, exponent_slope, ieee_power_slope, over0, share, signum, times0, unit, weight
from ccc.primitives.pointwise import Slope, flat, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.shaping import wide
from ccc.primitives.sinc import sinc_slope

LN2 = math.log(2.0)
LN10 = math.log(10.0)


def _source(name: str, count: int) -> str:
    return f"np.{name}({', '.join(['{}'] * count)})"


def ufunc(name: str, *slopes: Slope, whole: bool = False, **facts: Any) -> Primitive:
    """The function `np.name` with its slopes."""
    source = _source(name, len(slopes))
    return operation(f"np.{name}", getattr(np, name), source, *slopes, whole=whole, memory=NEW, **facts)


def step(name: str, count: int = 1, whole: bool = False, **facts: Any) -> Primitive:
    """The function `np.name` of `count` arguments, locally constant."""
    return flat(f"np.{name}", getattr(np, name), _source(name, count), whole=whole, memory=NEW, **facts)


def choice(name: str) -> Primitive:
    """One of `np.maximum`, `np.minimum`, `np.fmax`, `np.fmin`."""
    value: Callable[..., Any] = getattr(np, name)
    return chosen(f"np.{name}", value, _source(name, 2))


add = ufunc("add", lambda d, y, a, b: d, lambda d, y, a, b: d, commutative=True, linear=jointly(0, 1), adds=(0, 1),
            adding=True)
subtract = ufunc("subtract", lambda d, y, a, b: d, lambda d, y, a, b: -d, linear=jointly(0, 1))
multiply = ufunc(
    "multiply", lambda d, y, a, b: d * b, lambda d, y, a, b: d * a, commutative=True, linear=separately(0, 1)
)
divide = ufunc("divide", lambda d, y, a, b: over0(d, b), denominator_slope, linear=jointly(0),
               poles=(NOWHERE, AT_ZERO))
negative = ufunc("negative", lambda d, y, x: -d, linear=jointly(0))
positive = ufunc("positive", lambda d, y, x: d, linear=jointly(0), unchanged=True)

power, float_power = [
    ufunc(name, ieee_power_slope, lambda d, y, a, n: exponent_slope(d, y, wide(a, y), n), raises=raises, powers=True)
    for name, raises in (("power", power_of_integers), ("float_power", NEVER))
]
square = ufunc("square", lambda d, y, x: d * (2 * x), bounds=MAGNITUDE, turns=AT_ZERO)
reciprocal = ufunc("reciprocal", lambda d, y, x: -times0(d, y * y), poles=AT_ZERO)
sqrt = ufunc("sqrt", lambda d, y, x: over0(d * 0.5, y), bounds=MAGNITUDE, increasing=True)
cbrt = ufunc("cbrt", lambda d, y, x: over0(d, 3.0 * (y * y)), increasing=True)
exp = ufunc("exp", lambda d, y, x: d * y, bounds=MAGNITUDE, increasing=True)
exp2 = ufunc("exp2", lambda d, y, x: d * (y * LN2), bounds=MAGNITUDE, increasing=True)
expm1 = ufunc("expm1", lambda d, y, x: d * exp(x), increasing=True)
log = ufunc("log", lambda d, y, x: over0(d, x), increasing=True)
log1p = ufunc("log1p", lambda d, y, x: over0(d, 1.0 + x), increasing=True)
log2 = ufunc("log2", lambda d, y, x: over0(d * (1.0 / LN2), x), increasing=True)
log10 = ufunc("log10", lambda d, y, x: over0(d * (1.0 / LN10), x), increasing=True)
logaddexp = ufunc("logaddexp", lambda d, y, a, b: d * weight(a, b), lambda d, y, a, b: d * weight(b, a),
    increasing=True, absolute=2.0**-50)
logaddexp2 = ufunc(
    "logaddexp2", lambda d, y, a, b: d * weight(LN2 * wide(a, y), LN2 * wide(b, y)),
    lambda d, y, a, b: d * weight(LN2 * wide(b, y), LN2 * wide(a, y)),
    increasing=True, absolute=2.0**-50)
ldexp = ufunc("ldexp", lambda d, y, x, n: ldexp(d, n), lambda d, y, x, n: ZERO, linear=jointly(0))
conjugate = ufunc("conjugate", lambda d, y, x: d, linear=jointly(0), unchanged=True)
sin = ufunc("sin", lambda d, y, x: d * cos(x), bounds=UNIT, turns=AT_PEAKS)
cos = ufunc("cos", lambda d, y, x: -(d * sin(x)), bounds=UNIT, turns=FROM_ZERO)
tan = ufunc("tan", lambda d, y, x: d * (1.0 + y * y), poles=AT_PEAKS)
arcsin = ufunc("arcsin", lambda d, y, x: over0(d, sqrt((1.0 - x) * (1.0 + x))), increasing=True)
arccos = ufunc("arccos", lambda d, y, x: -over0(d, sqrt((1.0 - x) * (1.0 + x))), turns=NOWHERE)
arctan = ufunc("arctan", lambda d, y, x: d / (1.0 + x * x), increasing=True)
sinh = ufunc("sinh", lambda d, y, x: d * cosh(x), increasing=True)
cosh = ufunc("cosh", lambda d, y, x: d * sinh(x), bounds=(1.0, math.inf), turns=AT_ZERO)
tanh = ufunc("tanh", lambda d, y, x: d * (1.0 - y * y), bounds=UNIT, increasing=True)
arcsinh = ufunc("arcsinh", lambda d, y, x: d / hypot(1.0, x), increasing=True)
arccosh = ufunc("arccosh", lambda d, y, x: over0(d, sqrt(x - 1.0) * sqrt(x + 1.0)), increasing=True)
arctanh = ufunc("arctanh", lambda d, y, x: over0(d, (1.0 - x) * (1.0 + x)), increasing=True)


def squares(y: Any, *xs: Any) -> Any:
    """The sum of the squares of arguments, of the kind of the result."""
    a, b = [wide(x, y) for x in xs]
    return a * a + b * b


arctan2 = ufunc(
    "arctan2",
    lambda d, y, a, b: over0(d * b, squares(y, a, b)), lambda d, y, a, b: -over0(d * a, squares(y, a, b)),
    bounds=(-PI, PI), turns=(ACROSS_ZERO, NOWHERE),
)
hypot = ufunc("hypot", lambda d, y, a, b: times0(d, unit(a, y)), lambda d, y, a, b: times0(d, unit(b, y)),
              bounds=MAGNITUDE, turns=AT_ZERO)
sinc = ufunc("sinc", lambda d, y, x: d * sinc_slope(1, x), raises=NEVER, bounds=(-0.21723362822, 1.0),
    modulus=lambda d: d * (0.5 * math.pi))
deg2rad = ufunc("deg2rad", lambda d, y, x: d * (math.pi / 180.0), linear=jointly(0))
rad2deg = ufunc("rad2deg", lambda d, y, x: d * (180.0 / math.pi), linear=jointly(0))
radians = ufunc("radians", lambda d, y, x: d * (math.pi / 180.0), linear=jointly(0))
degrees = ufunc("degrees", lambda d, y, x: d * (180.0 / math.pi), linear=jointly(0))
absolute = ufunc("absolute", lambda d, y, x: d * signum(x), bounds=MAGNITUDE, turns=AT_ZERO)
fabs = ufunc("fabs", lambda d, y, x: d * signum(x), bounds=MAGNITUDE, turns=AT_ZERO)
copysign = ufunc("copysign", lambda d, y, x, s: d * (signum(x) * signum(y)), lambda d, y, x, s: ZERO)
fmod = ufunc("fmod", lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)), whole=True,
             remainder=TO_ZERO)
mod = ufunc("mod", lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, over0(a - y, b)), whole=True, remainder=DOWN)
maximum = choice("maximum")
minimum = choice("minimum")
fmax = choice("fmax")
fmin = choice("fmin")

sign, floor, ceil, trunc, rint = [
    step(name, increasing=True) for name in ("sign", "floor", "ceil", "trunc", "rint")
]
floor_divide = step("floor_divide", 2, whole=True, poles=(NOWHERE, AT_ZERO))
nextafter = ufunc("nextafter", lambda d, y, x, to: d, lambda d, y, x, to: ZERO)
spacing = step("spacing")
isfinite, isnan, isinf, signbit = [step(name) for name in ("isfinite", "isnan", "isinf", "signbit")]
less, less_equal, greater, greater_equal, equal, not_equal = [
    step(name, 2) for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
]
logical_and, logical_or, logical_xor = [step(name, 2) for name in ("logical_and", "logical_or", "logical_xor")]
logical_not = step("logical_not")
bitwise_and, bitwise_or, bitwise_xor, left_shift, right_shift, gcd, lcm = [
    step(name, 2, whole=True) for name in
    ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm")
]
invert = step("invert", whole=True)
round_ = flat("np.round", np.round, "np.round({}, {})", memory=NEW, raises=NEVER)

where = operation(
    "np.where", np.where, "np.where({}, {}, {})",
    lambda d, y, c, a, b: ZERO, lambda d, y, c, a, b: where(c, d, 0.0), lambda d, y, c, a, b: where(c, 0.0, d),
    memory=NEW, linear=jointly(1, 2), raises=NEVER,
)
heaviside = ufunc("heaviside", lambda d, y, x, h: ZERO, lambda d, y, x, h: where(equal(x, 0.0), d, 0.0))
clip = operation(
    "np.clip", np.clip, "np.clip({}, {}, {})",
    lambda d, y, x, low, high: share(share(d, y, maximum(x, low), high), maximum(x, low), x, low),
    lambda d, y, x, low, high: share(share(d, y, maximum(x, low), high), maximum(x, low), low, x),
    lambda d, y, x, low, high: share(d, y, high, maximum(x, low)), memory=NEW, raises=NEVER, increasing=True,
)
