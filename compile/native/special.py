"""Functions of `scipy.special` in terms of those of `math`, number by number.

A program that calls one has loaded the primitives of SciPy; then this is read, too (`handlers.with_guests`).
"""

from __future__ import annotations

import math
from functools import partial

from ccc.compile.native.conversions import Operation, as_real, call
from ccc.compile.native.digamma import digamma
from ccc.compile.native.elementary_calls import function_of
from ccc.compile.native.table import operation
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import scipy_special

function_of("ccc_erf", 1, scipy_special.erf)
function_of("ccc_erfc", 1, scipy_special.erfc)
function_of("ccc_sigmoid", 1, scipy_special.expit)
operation(scipy_special.psi)(digamma)


@operation(scipy_special.gammaln)
def gammaln(w: Writer, strict: bool, x: Num) -> Num:
    """That of C, but at -inf, where SciPy gives -inf."""
    a = as_real(w, x)
    low = w.compared("oeq", "double", a, real(-math.inf))
    return Num("double", w.select("double", low, a, call(w, "lgamma", a)))


@operation(scipy_special.ndtr)
def ndtr(w: Writer, strict: bool, x: Num) -> Num:
    """Half of what the error function leaves: erfc (-x / √2) / 2."""
    moved = w.binary("fmul", "double", as_real(w, x), real(-math.sqrt(0.5)))
    return Num("double", w.binary("fmul", "double", real(0.5), call(w, "ccc_erfc", moved)))


@operation(scipy_special.log_expit)
def log_expit(w: Writer, strict: bool, x: Num) -> Num:
    """-log (1 + e^-x) = min(x, 0) - log (1 + e^-|x|)."""
    a = as_real(w, x)
    size = w.call("double", "llvm.fabs.f64", ("double", a))
    rest = call(w, "ccc_log1p", call(w, "ccc_exp", w.negative("double", size)))
    below = w.select("double", w.compared("ogt", "double", a, real(0.0)), real(-0.0), a)
    return Num("double", w.binary("fsub", "double", below, rest))


@operation(scipy_special.logit)
def logit(w: Writer, strict: bool, p: Num) -> Num:
    """log (p / (1 - p)); near one half log1p s - log1p -s, where s = 2p - 1."""
    subtract, a = partial(w.binary, "fsub", "double"), as_real(w, p)
    s = subtract(w.binary("fadd", "double", a, a), real(1.0))
    close = w.compared("olt", "double", w.call("double", "llvm.fabs.f64", ("double", s)), real(0.4))
    safe = w.select("double", close, s, real(0.0))
    near = subtract(call(w, "ccc_log1p", safe), call(w, "ccc_log1p", w.negative("double", safe)))
    odds = call(w, "ccc_log", w.binary("fdiv", "double", a, subtract(real(1.0), a)))
    return Num("double", w.select("double", close, near, odds))


def _x_times(symbol: str) -> Operation:
    """A number times a logarithm: 0 where the number is, unless the other is not a number."""

    def f(w: Writer, strict: bool, x: Num, y: Num) -> Num:
        a, b = as_real(w, x), as_real(w, y)
        zero = w.binary("and", "i1", w.compared("oeq", "double", a, real(0.0)), w.compared("ord", "double", b, b))
        product = w.binary("fmul", "double", a, call(w, symbol, b))
        return Num("double", w.select("double", zero, real(0.0), product))

    return f


operation(scipy_special.xlogy)(_x_times("ccc_log"))
operation(scipy_special.xlog1py)(_x_times("ccc_log1p"))


@operation(scipy_special.entr)
def entr(w: Writer, strict: bool, x: Num) -> Num:
    """-x log x; 0 at 0, and -inf below."""
    a = as_real(w, x)
    found = w.negative("double", w.binary("fmul", "double", a, call(w, "ccc_log", a)))
    found = w.select("double", w.compared("oeq", "double", a, real(0.0)), real(0.0), found)
    return Num("double", w.select("double", w.compared("olt", "double", a, real(0.0)), real(-math.inf), found))
