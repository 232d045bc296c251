"""Roots as formulas: `cbrt` and `hypot`; the square root is one instruction.

cbrt x = 2^q c,  x = 2^(3q) m,  1/2 <= m < 4:   c = m y²,  y = m^(-1/3) by a polynomial and one step of third order,
then c + (m - c³) / 3c², where c³ has two doubles
hypot(a, b) = sqrt(a² + b²), scaled by a power of two where a square would overflow or underflow; numbers branch there,
vectors multiply by one
"""

from __future__ import annotations

import math

from ccc.compile.native.exponentials import rounder
from ccc.compile.native.formula import Formula, Value

Y_COEFFICIENTS = (
    1.8797740518351314, -1.9853458820833316, 1.9769274792478386, -1.273303586897291, 0.5019606135215177,
    -0.11040113302629677, 0.010387565081799633,
)  # fmt: skip
"""x^(-1/3) for 1 <= x <= 2, with 20 bits."""

CBRT_OF_HALF, CBRT_OF_TWO = 0.7937005259840998, 1.2599210498948732
SLOPE_OF_HALF, SLOPE_OF_TWO = 0.5291336839893999, 0.20998684164914552
"""1 / 3c² for c = cbrt 1/2 and c = cbrt 2."""


LARGE, SMALL = 2.0**500, 2.0**-450
"""The square of a larger number overflows, and that of a smaller one may lose digits."""


def sqrt(f: Formula, x: Value) -> Value:
    return f.sqrt(x)


def cbrt(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    tiny = a < 2.0**-1022
    bits = f.bits(tiny.where(a * 2.0**54, a))
    exponent = f.double((bits >> 52) | f.format.bits_of(2.0**52)) - 2.0**52
    t = f.fma(exponent, 1.0 / 3.0, rounder(f))
    n = t - rounder(f)
    rest = exponent - n * 3.0
    fraction = f.double((bits & ((1 << 52) - 1)) | f.format.bits_of(1.0))
    y = f.polynomial(fraction, Y_COEFFICIENTS)
    error = 1.0 - fraction * y * (y * y)
    y = f.fma(y * error, f.fma(error, 2.0 / 9.0, 1.0 / 3.0), y)
    less, more = rest < 0.0, rest > 0.0
    m = fraction * less.where(f.real(0.5), more.where(f.real(2.0), 1.0))
    root = less.where(f.real(CBRT_OF_HALF), more.where(f.real(CBRT_OF_TWO), 1.0))
    c = (fraction * y) * (y * root)
    square, square_low = f.two_product(c, c)
    p, p_low = f.two_product(square, c)
    slope = less.where(f.real(SLOPE_OF_HALF), more.where(f.real(SLOPE_OF_TWO), 1.0 / 3.0)) * (y * y)
    c = c - ((p - m) + (p_low + square_low * c)) * slope
    scale = f.double((f.bits(t) << 52) + ((1023 - 341) << 52)) * tiny.where(f.real(2.0**-18), 1.0)
    y = f.signed_like(c * scale, x)
    return ((a > 0.0) & (a < math.inf)).where(y, x)


def hypot(f: Formula, x: Value, y: Value) -> Value:
    a, b = f.magnitude(x), f.magnitude(y)
    less = a < b
    long, short = less.where(b, a), less.where(a, b)

    def scaled() -> Value:
        large, small = long > LARGE, long < SMALL
        scale = large.where(f.real(2.0**-600), small.where(f.real(2.0**600), 1.0))
        back = large.where(f.real(2.0**600), small.where(f.real(2.0**-600), 1.0))
        z = f.sqrt(squares(f, long * scale, short * scale)) * back
        return (a.equals(math.inf) | b.equals(math.inf)).where(math.inf, z)

    if f.lanes > 1 or not f.fma_there:  # where LLVM makes no vectors of a loop with a branch
        return scaled()
    usual = (long <= LARGE) & (long >= SMALL)
    return f.seldom(usual ^ True, scaled, f.sqrt(squares(f, long, short)))


def squares(f: Formula, long: Value, short: Value) -> Value:
    """The sum of the squares, of which the larger one is not rounded."""
    return f.fma(long, long, short * short)
