"""Exponentials, logarithms and powers as formulas: reduction by powers of two, then a polynomial.

    e^x = 2^n e^r,  r = x - n ln 2,  |r| <= ln 2 / 2,          e^r = 1 + r + r² E(r)
    log x = e ln 2 + log(1 + m),  sqrt(1/2) <= 1 + m < sqrt 2, log(1 + m) = m - s (m - s² L(s²)),  s = m / (2 + m)

`x^y` is `e^(y log x)`, where `log x` and the product have two doubles each. `E` and `L` are minimax polynomials, found
by Remez' exchange in 50 digits and then rounded to doubles.
"""

from __future__ import annotations

import math

from ccc.compile.native.formula import DOUBLE, FLOAT, Formula, Value

LOG2_E = 1.4426950408889634
LN2 = {DOUBLE: (0.6931471805598903, 5.497923018708371e-14), FLOAT: (0.693145751953125, 1.4286068203094172e-06)}
"""ln 2 as a number of few bits, so that its products with exponents are exact, and the rest."""

E_COEFFICIENTS = (
    0.5000000000000004, 0.16666666666666685, 0.041666666666582065, 0.00833333333331558, 0.0013888888930169974,
    0.0001984126990105068, 2.4801506692137512e-05, 2.7557229593309714e-06, 2.7625545158103435e-07,
    2.511399025162267e-08,
)  # fmt: skip
"""(e^r - 1 - r) / r² for |r| <= ln 2 / 2."""

EXP2_COEFFICIENTS = (
    0.6931471805599453, 0.2402265069591013, 0.055504108664821736, 0.009618129107594561, 0.0013333558146380623,
    0.0001540353045672481, 1.5252733866354132e-05, 1.3215435421899932e-06, 1.0178046863131965e-07,
    7.073765491258532e-09, 4.457336584135485e-10,
)  # fmt: skip
"""(2^r - 1) / r for |r| <= 1/2."""

L_COEFFICIENTS = (
    0.6666666666666718, 0.39999999999500463, 0.2857142872593271, 0.22222200079762314, 0.18183492938222104,
    0.15315740847961754, 0.14780126204179955,
)  # fmt: skip
"""(2 atanh s - 2 s) / s³ in s², for |s| <= (sqrt 2 - 1) / (sqrt 2 + 1)."""

L_TAIL_COEFFICIENTS = (
    0.39999999999999997, 0.285714285714325, 0.22222222220378496, 0.1818181854730385, 0.15384577329961052,
    0.1333558417780745, 0.11688735314051754, 0.11880249113351768,
)  # fmt: skip
"""The same without its first term 2/3, over s² again."""

TWO_THIRDS, TWO_THIRDS_LOW = 0.6666666666666666, 3.700743415417188e-17
INVERSE_LN2, INVERSE_LN2_LOW = 1.4426950408889634, 2.0355273740931033e-17
INVERSE_LN10, INVERSE_LN10_LOW = 0.4342944819032518, 1.098319650216765e-17
LOG10_2_HIGH, LOG10_2_LOW = 0.30102999566395283, 2.8363394551044964e-14


def clamped(x: Value, low: float, high: float) -> Value:
    """`x` kept between two constants; NaN stays."""
    x = (x > high).where(high, x)
    return (x < low).where(low, x)


def rounder(f: Formula) -> float:
    """Added to a number that is not too large it rounds it to an integer, which then stands in the low bits."""
    return 1.5 * 2.0**f.format.digits


def rounded(f: Formula, x: Value, factor: float) -> tuple[Value, Value]:
    """`x * factor` rounded to an integer, as a real whose low bits hold it, and as a real."""
    t = f.fma(x, factor, rounder(f))
    return t, t - rounder(f)


def power_of_two(f: Formula, t: Value, more: int = 0) -> Value:
    """`2^(n + more)` for the `n` in the low bits of `t`."""
    digits, bias = f.format.digits, f.format.bias
    return f.double((f.bits(t) << digits) + ((bias + more) << digits))


def ends(f: Formula, base: float) -> tuple[float, float, float]:
    """Where powers of a base are 0 from, where infinite, and where they may soon lose digits: whole logarithms."""
    unit, bias = math.log(2.0, base), f.format.bias
    return math.floor(-(bias + f.format.digits) * unit) - 0.0, math.ceil((bias + 1) * unit), -(bias - 13) * unit


def reduced(f: Formula, x: Value) -> tuple[Value, Value, Value]:
    """`n` in the low bits of a double, and `x - n ln 2` in two doubles."""
    t, n = rounded(f, x, LOG2_E)
    ln2, rest = LN2[f.format]
    high = f.fma(n, -ln2, x)
    r = f.fma(n, -rest, high)
    return t, r, f.fma(n, -rest, high - r)


def scaled(f: Formula, p: Value, t: Value, small: Value) -> Value:
    """`p 2^n`, where `small` is true if that may be subnormal; rounded once."""
    digits, bias, spare = f.format.digits, f.format.bias, f.format.spare
    exponent = small.where(f.value((bias + spare) << digits, "i"), (bias - 1) << digits)
    return p * f.double((f.bits(t) << digits) + exponent) * small.where(2.0**-spare, 2.0)


def exp(f: Formula, x: Value) -> Value:
    least, most, small = ends(f, math.e)
    x = clamped(x, least, most)
    t, r, _ = reduced(f, x)
    return scaled(f, 1.0 + f.fma(r * r, f.polynomial(r, E_COEFFICIENTS, 6), r), t, x < small)


def exp_of_sum(f: Formula, x: Value, low: Value, factor: tuple[Value, Value] | None = None) -> Value:
    """`e^(x + low)`, for `low` small beside `x`, times a factor of two doubles."""
    inside = clamped(x, -746.0, 710.0)
    t, r, tail = reduced(f, inside)
    r, tail = f.fast_two_sum(r, tail + inside.equals(x).where(low, 0.0))
    p, tail = f.fast_two_sum(f.real(1.0), r + f.fma(r * r, f.polynomial(r, E_COEFFICIENTS), tail))
    if factor is not None:
        high, rest = factor
        p = f.fma(p, high, f.fma(p, rest, tail * high))
    return scaled(f, p, t, inside < -700.0)


def exp2(f: Formula, x: Value) -> Value:
    least, most, small = ends(f, 2.0)
    x = clamped(x, least - 1.0, most + 1.0)
    t = x + rounder(f)
    r = x - (t - rounder(f))
    return scaled(f, f.fma(r, f.steady_polynomial(r, EXP2_COEFFICIENTS, 7), 1.0), t, x < small)


def expm1(f: Formula, x: Value) -> Value:
    inside = clamped(x, -40.0, ends(f, math.e)[1])
    t, r, low = reduced(f, inside)
    tail = f.fma(r * r, f.polynomial(r, E_COEFFICIENTS, 6), low)
    scale = power_of_two(f, t, -1)
    high, low = f.fast_two_sum(scale - 0.5, scale * r)
    y = (high + f.fma(scale, tail, low)) * 2.0
    return (f.magnitude(x) < 2.0**-(f.format.digits + 2)).where(x, y)


def expm1_of_positive(f: Formula, x: Value) -> Value:
    """`e^x - 1` for `0 <= x < 50`, in fewer steps, to 3 units in the last place."""
    t, n = rounded(f, x, LOG2_E)
    ln2, rest = LN2[f.format]
    r = f.fma(n, -rest, f.fma(n, -ln2, x))
    scale = power_of_two(f, t)
    return f.fma(scale, f.fma(r * r, f.polynomial(r, E_COEFFICIENTS, 6), r), scale - 1.0)


def half_exp(f: Formula, x: Value) -> Value:
    """`e^x / 2` for `x >= 0`, finite where that is."""
    t, r, _ = reduced(f, clamped(x, -1.0, 711.0))
    p = 1.0 + f.fma(r * r, f.polynomial(r, E_COEFFICIENTS), r)
    return p * power_of_two(f, t, -2) * 2.0


def sigmoid(f: Formula, x: Value) -> Value:
    e = exp(f, -f.magnitude(x))
    return (x < 0.0).where(e, 1.0) / (1.0 + e)


def mantissa(f: Formula, x: Value, *, subnormal: bool = True) -> tuple[Value, Value, Value]:
    """`e` and `m` with `x = 2^e (1 + m)`, `1 + m` near 1, for `0 < x < inf`; and the exponent as it is in
    the bits."""
    digits, bits_of = f.format.digits, f.format.bits_of
    whole = 2.0**digits
    bias = f.real(whole + f.format.bias)
    if subnormal:
        tiny = x < 2.0 ** (1 - f.format.bias)
        x = tiny.where(x * (4.0 * whole), x)
        bias = tiny.where(whole + (f.format.bias + digits + 2), bias)
    least = bits_of(math.sqrt(0.5))
    shifted = f.bits(x) + (bits_of(1.0) - least)
    biased = shifted >> digits
    e = f.double(biased | bits_of(whole)) - bias
    return e, f.double((shifted & ((1 << digits) - 1)) + least) - 1.0, biased


def log_tail(f: Formula, m: Value) -> tuple[Value, Value]:
    """`m - log(1 + m)`, and `m / (2 + m)`."""
    s = m / (m + 2.0)
    z = s * s
    return s * (m - z * f.polynomial(z, L_COEFFICIENTS, 4)), s


def with_edges(f: Formula, x: Value, y: Value, least: float = 0.0) -> Value:
    """`y` on `least < x < inf`; -inf at `least`, NaN below, `x` itself if inf or NaN."""
    y = (x < math.inf).where(y, x)
    y = x.equals(least).where(-math.inf, y)
    return (x < least).where(math.nan, y)


def log(f: Formula, x: Value) -> Value:
    e, m, _ = mantissa(f, x)
    tail, _ = log_tail(f, m)
    ln2, rest = LN2[f.format]
    high, low = f.fast_two_sum(e * ln2, m)
    return with_edges(f, x, high + (low + f.fma(e, rest, -tail)))


def log1p(f: Formula, x: Value) -> Value:
    u, lost = f.two_sum(f.real(1.0), x)
    e, m, biased = mantissa(f, u, subnormal=False)
    tail, s = log_tail(f, m)
    digits, (ln2, rest) = f.format.digits, LN2[f.format]
    lost = lost * f.double(f.value(2 * f.format.bias << digits, "i") - (biased << digits))
    lost = (u < 2.0 ** (digits + 2)).where(f.fma(lost + lost, s * (s - 1.0), lost), 0.0)
    high, low = f.fast_two_sum(e * ln2, m)
    y = high + (low + f.fma(e, rest, lost - tail))
    return x.equals(0.0).where(x, with_edges(f, x, y, -1.0))


def log2(f: Formula, x: Value) -> Value:
    e, m, _ = mantissa(f, x)
    tail, _ = log_tail(f, m)
    p, p_low = f.two_product(m, INVERSE_LN2)
    high, low = f.fast_two_sum(e, p)
    return with_edges(f, x, high + (low + f.fma(-tail, INVERSE_LN2, f.fma(m, INVERSE_LN2_LOW, p_low))))


def log10(f: Formula, x: Value) -> Value:
    e, m, _ = mantissa(f, x)
    tail, _ = log_tail(f, m)
    p, p_low = f.two_product(m, INVERSE_LN10)
    high, low = f.fast_two_sum(e * LOG10_2_HIGH, p)
    low = low + f.fma(e, LOG10_2_LOW, f.fma(m, INVERSE_LN10_LOW, p_low))
    return with_edges(f, x, high + f.fma(-tail, INVERSE_LN10, low))


def log_in_two(f: Formula, x: Value) -> tuple[Value, Value]:
    """`log x` as a sum of two doubles, to about 2^-66, for `0 < x < inf`."""
    e, m, _ = mantissa(f, x)
    d = m + 2.0
    inverse = 1.0 / d
    s = m * inverse
    p, p_low = f.two_product(s, d)
    s_low = (((m - p) - p_low) - s * (m - (d - 2.0))) * inverse
    z, z_low = f.two_product(s, s)
    z_low = f.fma(s + s, s_low, z_low)
    b, b_low = f.fast_two_sum(f.real(TWO_THIRDS), z * f.polynomial(z, L_TAIL_COEFFICIENTS))
    b_low = b_low + TWO_THIRDS_LOW
    g, g_low = f.two_product(s, z)
    g_low = g_low + f.fma(s, z_low, s_low * z)
    h, h_low = f.two_product(g, b)
    h_low = h_low + f.fma(g, b_low, g_low * b)
    ln2, rest = LN2[f.format]
    high, low = f.fast_two_sum(e * ln2, s + s)
    high, more = f.fast_two_sum(high, h)
    low = (low + more) + (h_low + f.fma(e, rest, s_low + s_low))
    return f.fast_two_sum(high, low)


def is_whole(x: Value, shifter: float = 2.0**52) -> Value:
    """Whether `0 <= x < 2^52` is an integer."""
    return ((x + shifter) - shifter).equals(x)


def power(f: Formula, x: Value, y: Value) -> Value:
    """`x^y` with the special values of C's `pow`."""
    size = f.magnitude(y)
    near = (y > 2.0**64).where(2.0**64, (y < -(2.0**64)).where(-(2.0**64), y))
    a = f.magnitude(x)
    high, low = log_in_two(f, a)
    p, p_low = f.two_product(near, high)
    z = exp_of_sum(f, p, f.fma(near, low, p_low))

    whole = (size >= 2.0**52) | is_whole(size)
    odd = whole & (size < 2.0**53) & (is_whole(size * 0.5) ^ True)
    edge = a.equals(0.0) | a.equals(math.inf)
    z = edge.where((a.equals(0.0) ^ (y > 0.0)).where(f.real(math.inf), 0.0), z)
    z = ((x < 0.0) & (x > -math.inf) & (whole ^ True)).where(math.nan, z)
    z = x.compare("uno", y).where(math.nan, z)
    z = (y.equals(0.0) | x.equals(1.0)).where(1.0, z)
    return odd.where(f.signed_like(z, x), z)


def logaddexp(f: Formula, x: Value, y: Value) -> Value:
    less = x < y
    apart = x.equals(y).where(0.0, -f.magnitude(x - y))
    return less.where(y, x) + log1p(f, exp(f, apart))
