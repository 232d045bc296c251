"""Hyperbolic functions and their inverses as formulas over `expm1`, `e^x / 2` and `log1p`.

    sinh x = (m + m / (m + 1)) / 2, m = expm1 x       tanh x = n / (n + 2), n = expm1 2x
    cosh x = h + 1 / 4h, h = e^x / 2
    arcsinh x = log1p(x + x² / (1 + sqrt(1 + x²)))       arccosh x = log1p(t + sqrt(t (t + 2))), t = x - 1
    arctanh x = log1p(2x / (1 - x)) / 2

Odd functions are computed on `|x|`. Above 2^54 the first two inverses are `log x + log 2`.
"""

from __future__ import annotations

import math

from ccc.compile.native.exponentials import expm1, expm1_of_positive, half_exp, log1p
from ccc.compile.native.formula import Formula, Value

LN2 = math.log(2.0)


def sinh(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    e = expm1(f, a)
    y = (a > 22.0).where(half_exp(f, a), 0.5 * (e + e / (e + 1.0)))
    return f.signed_like(y, x)


def cosh(f: Formula, x: Value) -> Value:
    h = half_exp(f, f.magnitude(x))
    return h + 0.25 / h


def tanh(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    e = expm1_of_positive(f, 2.0 * (a > 22.0).where(22.0, a))
    return f.signed_like(e / (e + 2.0), x)


def log_of_double(f: Formula, x: Value, below: Value) -> Value:
    """`log 2x` above 2^54, else `log1p` of `below`."""
    large = x > 2.0**54
    return log1p(f, large.where(x, below)) + large.where(f.real(LN2), 0.0)


def arcsinh(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    square = a * a
    return f.signed_like(log_of_double(f, a, a + square / (f.sqrt(square + 1.0) + 1.0)), x)


def arccosh(f: Formula, x: Value) -> Value:
    t = x - 1.0
    return (x < 1.0).where(math.nan, log_of_double(f, x, t + f.sqrt(t * (t + 2.0))))


def arctanh(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    return f.signed_like(0.5 * log1p(f, (a + a) / (1.0 - a)), x)
