"""The logarithmic derivative of the gamma function at positive numbers.

    psi x = psi (x + 10) - sum of 1 / (x + k) for k < 10,    psi y ~ log y - 1 / 2y - sum of B_2k / (2k y^2k), y >= 10

The reciprocals are added in pairs, which share a numerator: those of k and 9 - k are (2x + 9) / (x² + 9x + k (9 - k)).
Elsewhere, and at other orders of `polygamma`, NumPy's target computes it.

References: *NIST Handbook of Mathematical Functions*, 5.5.2, 5.11.2.
"""

from __future__ import annotations

from functools import partial

from ccc.compile.native.conversions import as_real, call
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import operation
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import gamma

SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""B_2k / 2k, from k = 1: at 10 the next term is less than 5e-17."""
LARGE = 10.0


def digamma(w: Writer, strict: bool, x: Num) -> Num:
    add, subtract, times, over = [partial(w.binary, op, "double") for op in ("fadd", "fsub", "fmul", "fdiv")]
    a = as_real(w, x)
    w.spoil(w.compared("ule", "double", a, real(0.0)))
    small = w.compared("olt", "double", a, real(LARGE))
    y = w.select("double", small, add(a, real(LARGE)), a)
    inverse = over(real(1.0), y)
    square = times(inverse, inverse)
    tail = real(0.0)
    for c in reversed(SERIES):
        tail = times(add(tail, real(c)), square)
    far = subtract(subtract(call(w, "ccc_log", y), times(real(0.5), inverse)), tail)
    moved = times(a, add(a, real(9.0)))
    pairs = real(0.0)
    for k in (4, 3, 2, 1, 0):  # the largest last
        pairs = add(pairs, over(real(1.0), add(moved, real(float(k * (9 - k))))))
    near = subtract(far, times(add(add(a, a), real(9.0)), pairs))
    return Num("double", w.select("double", small, near, far))


@operation(gamma.polygamma)
def polygamma(w: Writer, strict: bool, n: Num, x: Num) -> Num:
    if n.known != 0:
        raise NotNative("a derivative of psi")
    return digamma(w, strict, x)
