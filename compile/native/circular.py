"""Circular functions and their inverses as formulas.

    sin x, cos x : x = n π/2 + r, |r| <= π/4;  sin r = r + r³ S(r²),  cos r = 1 - r²/2 + r⁴ C(r²), as n mod 4 chooses
    arctan t = t + t³ A(t²) for |t| <= tan π/8, with one division: t, (t - 1)/(t + 1) or -1/t, beside 0, π/4 or π/2
    arcsin x = x + x³ B(x²) for |x| <= 1/2, else π/2 - 2 arcsin sqrt((1 - |x|)/2)

π/2 has as many parts as make `r` right to its last bit up to `limit`; above, each of the few such elements is left to
the C library (`Formula.rarely`). `S C A B` are minimax polynomials, found by Remez' exchange in 50 digits and then
rounded to doubles.
"""

from __future__ import annotations

import math

from ccc.compile.native.exponentials import rounder
from ccc.compile.native.formula import Formula, Value

TWO_OVER_PI = 0.6366197723675814
PARTS_OF_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
"""π/2, each part the double nearest to what the parts before it leave."""

SHORT_PARTS_OF_HALF_PI = (1.570796325802803, 9.920935774287987e-10, 2.2517417706346578e-18, 3.5215598651832e-27)
"""π/2 where all parts but the last have at most 29 bits, so that their products with `n < 2^24` are exact."""

LIMIT, SHORT_LIMIT = 1.0e9, 8.0e6

S_COEFFICIENTS = (
    -0.16666666666666638, 0.008333333333323778, -0.00019841269830708696, 2.7557313960749003e-06,
    -2.5050795336136414e-08, 1.5898740767808794e-10,
)  # fmt: skip
"""(sin r / r - 1) / r² in r², for |r| <= π/4."""

C_COEFFICIENTS = (
    0.04166666666666665, -0.0013888888888881968, 2.4801587293931486e-05, -2.755731553477974e-07,
    2.0875872608649075e-09, -1.136688853783033e-11,
)  # fmt: skip
"""(cos r - 1 + r²/2) / r⁴ in r², for |r| <= π/4."""

A_COEFFICIENTS = (
    -0.3333333333333326, 0.19999999999968465, -0.14285714281468487, 0.11111110839272263, -0.09090899197531557,
    0.07692083550825778, -0.0666334855731659, 0.058495439966366705, -0.050462890748097795, 0.03823177541698326,
    -0.018080615647567234,
)  # fmt: skip
"""(arctan t / t - 1) / t² in t², for |t| <= tan π/8."""

B_COEFFICIENTS = (
    0.16666666666666718, 0.07499999999979515, 0.044642857167687594, 0.03038194299518927, 0.02237220780649899,
    0.01735172843076862, 0.01397954438863957, 0.011408558790084653, 0.010729884382961262, 0.003884866021392159,
    0.021297801144734316, -0.020449432006098767, 0.0323013519181275,
)  # fmt: skip
"""(arcsin x / x - 1) / x² in x², for |x| <= 1/2."""

EIGHTH_TURN, EIGHTH_TURN_LOW = 0.7853981633974483, 3.061616997868383e-17
"""π/4 as a double whose products with 0, 1, 2, 3, 4 are exact, and the rest."""

TAN_EIGHTH, TAN_THREE_EIGHTHS = math.sqrt(2.0) - 1.0, math.sqrt(2.0) + 1.0


def limit_of(f: Formula) -> float:
    """The size up to which `turned` is right."""
    return LIMIT if f.fma_there else SHORT_LIMIT


def turned(f: Formula, x: Value) -> tuple[Value, Value, Value, Value]:
    """`n` as bits, whether it is odd, and the sine and cosine of `x - n π/2`."""
    t = f.fma(x, TWO_OVER_PI, rounder(f))
    n = t - rounder(f)
    first, *middle, last = PARTS_OF_HALF_PI if f.fma_there else SHORT_PARTS_OF_HALF_PI
    r, low = f.fma(n, -first, x), n * -last
    for part in middle:
        p = n * part
        before, r = r, r - p
        low = low + ((before - r) - p)
        if f.fma_there:
            low = low - f.fma(n, part, -p)
    z = r * r
    sine = r + f.fma(r, z * f.polynomial(z, S_COEFFICIENTS), low)
    cosine = 1.0 + f.fma(z, f.fma(z, f.polynomial(z, C_COEFFICIENTS), -0.5), -(r * low))
    turns = f.bits(t)
    return turns, (turns & 1).compare("ne", 0), sine, cosine


def negated_by(f: Formula, turns: Value, x: Value) -> Value:
    """`x`, or `-x` where the second bit of `turns` is set."""
    return f.double(f.bits(x) ^ ((turns & 2) << 62))


def sin_small(f: Formula, x: Value) -> Value:
    turns, odd, sine, cosine = turned(f, x)
    y = negated_by(f, turns, odd.where(cosine, sine))
    return (f.magnitude(x) < 2.0**-27).where(x, y)


def cos_small(f: Formula, x: Value) -> Value:
    turns, odd, sine, cosine = turned(f, x)
    return negated_by(f, turns + 1, odd.where(sine, cosine))


def tan_small(f: Formula, x: Value) -> Value:
    _, odd, sine, cosine = turned(f, x)
    y = odd.where(-cosine, sine) / odd.where(sine, cosine)
    return (f.magnitude(x) < 2.0**-27).where(x, y)


def sin(f: Formula, x: Value) -> Value:
    return f.rarely(f.magnitude(x) > limit_of(f), "sin", x, sin_small(f, x))


def cos(f: Formula, x: Value) -> Value:
    return f.rarely(f.magnitude(x) > limit_of(f), "cos", x, cos_small(f, x))


def tan(f: Formula, x: Value) -> Value:
    return f.rarely(f.magnitude(x) > limit_of(f), "tan", x, tan_small(f, x))


def angle(f: Formula, num: Value, den: Value, eighths: Value, sign: Value | None = None) -> Value:
    """`eighths π/4 + arctan(num / den)`, or the difference where `sign` is -1."""
    t = num / den
    z = t * t
    a = f.fma(t, z * f.polynomial(z, A_COEFFICIENTS), t)
    if sign is not None:
        a = a * sign
    return f.fma(eighths, EIGHTH_TURN, f.fma(eighths, EIGHTH_TURN_LOW, a))


def arctan(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    middle, steep = a > TAN_EIGHTH, a > TAN_THREE_EIGHTHS
    num = steep.where(-1.0, middle.where(a - 1.0, a))
    den = steep.where(a, middle.where(a + 1.0, 1.0))
    return f.signed_like(angle(f, num, den, steep.where(2.0, middle.where(f.real(1.0), 0.0))), x)


def arctan2(f: Formula, y: Value, x: Value) -> Value:
    across, along = f.magnitude(y), f.magnitude(x)
    above = across > along
    long, short = above.where(across, along), above.where(along, across)
    infinite = long.equals(math.inf)
    short = infinite.where(short.equals(math.inf).where(f.real(1.0), 0.0), short)
    long = (infinite | long.equals(0.0)).where(1.0, long)
    scale = (long > 2.0**1000).where(f.real(2.0**-64), (long < 2.0**-900).where(f.real(2.0**128), 1.0))
    long, short = long * scale, short * scale
    middle = short > long * TAN_EIGHTH
    num, den = middle.where(short - long, short), middle.where(short + long, long)
    behind = f.signed_like(f.real(1.0), x) < 0.0
    eighths = middle.where(f.real(1.0), 0.0)
    eighths, sign = above.where(2.0 - eighths, eighths), above.where(f.real(-1.0), 1.0)
    eighths, sign = behind.where(4.0 - eighths, eighths), behind.where(-sign, sign)
    value = f.signed_like(angle(f, num, den, eighths, sign), y)
    return x.compare("uno", y).where(math.nan, value)


def arcsin_part(f: Formula, a: Value) -> tuple[Value, Value, Value]:
    """Whether `a > 1/2`, and the arcsine of `a`, or of `sqrt((1 - a)/2)` there, as a sum of two, for `a >= 0`."""
    large = a > 0.5
    half = (1.0 - a) * 0.5
    z, s = large.where(half, a * a), large.where(f.sqrt(half), a)
    return large, s, s * (z * f.polynomial(z, B_COEFFICIENTS))


def arcsin(f: Formula, x: Value) -> Value:
    large, part, more = arcsin_part(f, f.magnitude(x))
    high, low = f.fast_two_sum(f.real(2.0 * EIGHTH_TURN), part * -2.0)
    rest = high + (f.fma(more, -2.0, low) + 2.0 * EIGHTH_TURN_LOW)
    return f.signed_like(large.where(rest, part + more), x)


def arccos(f: Formula, x: Value) -> Value:
    large, part, more = arcsin_part(f, f.magnitude(x))
    part = f.signed_like(part + more, x)
    beside = 2.0 * EIGHTH_TURN - (part - 2.0 * EIGHTH_TURN_LOW)
    far = (x < 0.0).where(4.0 * EIGHTH_TURN + (2.0 * part + 4.0 * EIGHTH_TURN_LOW), 2.0 * part)
    return large.where(far, beside)
