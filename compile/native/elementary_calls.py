"""Elementary functions of numbers: which function of LLVM's, of C or of ours computes one, and what is made of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from ccc.compile.native import elementary
from ccc.compile.native.choices import maximum, minimum
from ccc.compile.native.conversions import (
    Operation,
    alike,
    as_bool,
    as_real,
    call,
    called,
    reals,
    spoil_unless_finite,
    wider,
)
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import (
    COPYSIGN,
    FABS,
    INSTRUCTIONS,
    INTRINSICS,
    RINT,
    SMAX,
    SMIN,
    SQRT,
)
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import operation
from ccc.compile.native.vectorize_loop import MASKS_COST
from ccc.compile.native.whole_numbers import rounded
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import elementary_math, elementary_numpy, gamma
from ccc.primitives.primitive import Primitive
from ccc.primitives.sinc import reach, series, sinc_slope


def function_of(symbol: str, count: int, *primitives: Primitive, python: bool = False) -> None:
    """Let primitives, those of Python's `math` or of NumPy, call a function of so many doubles, or that of floats."""
    def f(w: Writer, strict: bool, *xs: Num) -> Num:
        if len(xs) != count:
            raise NotNative(f"a function of {len(xs)} numbers")
        if f"{symbol}_float" in elementary.SYMBOLS and not python and wider(*xs) == "float":
            _, floats = reals(w, *xs)
            return Num("float", w.call("float", f"{symbol}_float", *[("float", x) for x in floats]))
        found = call(w, symbol, *[as_real(w, x) for x in xs])
        if python:
            spoil_unless_finite(w, found)
        return Num("double", found)

    operation(*primitives)(f)


for _name, _own in elementary.FUNCTIONS.items():
    function_of(f"ccc_{_name}", _own.count, *_own.python, python=True)
    function_of(f"ccc_{_name}", _own.count, *_own.numpy)
function_of("tgamma", 1, gamma.gamma, python=True)
function_of("lgamma", 1, gamma.lgamma, python=True)
function_of("fmod", 2, elementary_math.fmod, python=True)
function_of("fmod", 2, elementary_numpy.fmod)
function_of(SQRT.symbol, 1, elementary_math.sqrt, python=True)
operation(elementary_numpy.sqrt)(rounded(SQRT))
function_of(COPYSIGN.symbol, 2, elementary_math.copysign, python=True)
function_of(COPYSIGN.symbol, 2, elementary_numpy.copysign)


@operation(elementary_math.hypot)
def length(w: Writer, strict: bool, *xs: Num) -> Num:
    """Of a vector: of its first two numbers, of that and the third one, and so on."""
    found, *others = [as_real(w, x) for x in xs] or [real(0.0)]
    for x in others or [real(0.0)]:
        found = call(w, "ccc_hypot", found, x)
    spoil_unless_finite(w, found)
    return Num("double", found)


def _degrees(factor: float) -> Operation:
    return lambda w, strict, a: Num("double", w.binary("fmul", "double", as_real(w, a), real(factor)))


operation(elementary_math.degrees, elementary_numpy.degrees, elementary_numpy.rad2deg)(_degrees(180 / math.pi))
operation(elementary_math.radians, elementary_numpy.radians, elementary_numpy.deg2rad)(_degrees(math.pi / 180))


def _test(relation: str, limit: float | None = None) -> Operation:
    """Whether the size of a number is in a relation to a limit, or the number to itself."""

    def f(w: Writer, strict: bool, a: Num) -> Num:
        type_, (x,) = reals(w, a)
        size = called(w, FABS, type_, x)
        return Num("i1", w.compared(relation, type_, *((x, x) if limit is None else (size, real(limit)))))

    return f


operation(elementary_math.isnan, elementary_numpy.isnan)(_test("uno"))
operation(elementary_math.isinf, elementary_numpy.isinf)(_test("oeq", math.inf))
operation(elementary_math.isfinite, elementary_numpy.isfinite)(_test("olt", math.inf))


@operation(elementary_numpy.where)
def where(w: Writer, strict: bool, test: Num, a: Num, b: Num) -> Num:
    x, y = (a, b) if a.type == b.type else alike(w, a, b)
    return Num(x.type, w.select(x.type, as_bool(w, test), x.text, y.text))


def _number_choice(choice: Operation) -> Operation:
    """Of two, of which one that is not a number does not count."""

    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        found = choice(w, strict, a, b)
        if found.type not in FLOATING:
            return found
        type_, (x, y) = reals(w, a, b)
        right = w.select(type_, w.compared("uno", type_, y, y), x, found.text)
        return Num(type_, w.select(type_, w.compared("uno", type_, x, x), y, right))

    return f


operation(elementary_numpy.fmax)(_number_choice(maximum))
operation(elementary_numpy.fmin)(_number_choice(minimum))


@operation(elementary_numpy.heaviside)
def heaviside(w: Writer, strict: bool, x: Num, half: Num) -> Num:
    a, zero = as_real(w, x), real(0.0)
    above = w.select("double", w.compared("ogt", "double", a, zero), real(1.0), a)
    below = w.select("double", w.compared("olt", "double", a, zero), zero, above)
    return Num("double", w.select("double", w.compared("oeq", "double", a, zero), as_real(w, half), below))


@operation(elementary_numpy.signbit)
def signbit(w: Writer, strict: bool, x: Num) -> Num:
    one = w.call("double", "llvm.copysign.f64", ("double", real(1.0)), ("double", as_real(w, x)))
    return Num("i1", w.compared("olt", "double", one, real(0.0)))


@operation(elementary_numpy.sinc)
def sinc(w: Writer, strict: bool, x: Num) -> Num:
    a = as_real(w, x)
    safe = w.select("double", w.compared("oeq", "double", a, real(0.0)), real(1e-20), a)
    y = w.binary("fmul", "double", real(math.pi), safe)
    return Num("double", w.binary("fdiv", "double", call(w, "ccc_sin", y), y))


@operation(sinc_slope)
def slope_of_sinc(w: Writer, strict: bool, n: Num, x: Num) -> Num:
    """By the series near 0, else by the recurrence (`ccc.primitives.sinc`)."""
    order = n.known
    if order is None:
        raise NotNative("a derivative of `np.sinc` of an order that is not known")
    one, a = real(1.0), as_real(w, x)
    u = w.binary("fmul", "double", a, real(math.pi))
    near = w.compared("olt", "double", call(w, "llvm.fabs.f64", u), real(reach(order)))
    square = w.binary("fmul", "double", u, u)
    close = real(0.0)
    for c in reversed(series(order)):
        close = w.binary("fadd", "double", w.binary("fmul", "double", close, square), real(c))
    if order % 2:
        close = w.binary("fmul", "double", close, u)
    close = w.binary("fmul", "double", real(math.pi ** order), close)
    x_safe, u_safe = w.select("double", near, one, a), w.select("double", near, one, u)
    turns = call(w, "ccc_sin", u_safe), call(w, "ccc_cos", u_safe)
    far = w.binary("fdiv", "double", turns[0], u_safe)
    for k in range(1, order + 1):
        factor = math.pi ** (k - 1) * (1 if k % 4 < 2 else -1)
        turn = w.binary("fmul", "double", real(factor), turns[k % 2])
        rest = w.binary("fmul", "double", real(float(k)), far)
        far = w.binary("fdiv", "double", w.binary("fsub", "double", turn, rest), x_safe)
    return Num("double", w.select("double", near, close, far))


@operation(elementary_numpy.round_)
def round_(w: Writer, strict: bool, x: Num, decimals: Num) -> Num:
    """As NumPy: scaled by a power of ten, and back."""
    k = decimals.known
    if k is None or abs(k) > (22 if x.type == "double" else 10) or x.type not in FLOATING:
        raise NotNative("`np.round` to so many places")
    factor, up, down = real(10.0 ** abs(k)), *(("fmul", "fdiv") if k >= 0 else ("fdiv", "fmul"))
    scaled = w.binary(up, x.type, x.text, factor) if k else x.text
    found = called(w, RINT, x.type, scaled)
    return Num(x.type, w.binary(down, x.type, found, factor) if k else found)


@operation(elementary_numpy.clip)
def clip(w: Writer, strict: bool, x: Num, low: Num, high: Num) -> Num:
    return minimum(w, strict, maximum(w, strict, x, low), high)


def intrinsics() -> list[str]:
    """What the operations call, declared."""
    lines = [f.declared(type_) for f in INTRINSICS for type_ in FLOATING]
    lines += [f"declare {{i64, i1}} @llvm.{i.checked}.with.overflow.i64(i64, i64)" for i in INSTRUCTIONS if i.checked]
    lines += ["declare i64 @llvm.abs.i64(i64, i1)"]
    lines += [f"declare i64 @llvm.{i.name}.i64(i64, i64)" for i in (SMAX, SMIN)]
    pure = "nounwind willreturn memory(none)"
    return [*lines, *[f"declare double @{f}(double) {pure}" for f in ("tgamma", "lgamma")],
            f"declare double @fmod(double, double) {pure}"]


FEW, LINES = 4, 300
"""So many calls of elementary functions in a program are inlined; where there are more, those of a short function are
that have so many lines together. Where masks cost, loops have their calls twice (`lanes`)."""


def used(names: Iterable[str]) -> list[tuple[str, int, int | None]]:
    """The elementary functions among those that are called: name, lanes, and the lines up to which one is inlined."""
    calls = [elementary.SYMBOLS[name] for name in names if name in elementary.SYMBOLS]
    wide = Counter(lanes > 1 for _, lanes in calls)
    times = 2 if any(lanes == MASKS_COST for _, lanes in calls) else 1
    return [(*f, None if wide[f[1] > 1] <= times * FEW else times * LINES // count)
            for f, count in Counter(calls).items()]
