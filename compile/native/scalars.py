"""Operations on numbers: what each primitive does to registers.

An operation that raises in Python spoils the result here: the caller computes it another way, which raises. `strict`
says that it follows Python's own numbers, which raise, and not NumPy's, which give infinities and nans.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from ccc.compile.native import elementary
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import (
    ADD,
    AND,
    CEIL,
    COPYSIGN,
    FABS,
    FLOOR,
    FOLDS,
    INSTRUCTIONS,
    INTRINSICS,
    MAXIMUM,
    MINIMUM,
    MUL,
    OR,
    RINT,
    SMAX,
    SMIN,
    SQRT,
    SUB,
    TRUNC,
    XOR,
    Intrinsic,
    Opcode,
    intrinsic,
)
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.vectorize_loop import MASKS_COST
from ccc.compile.native.writer import Num, Writer, narrowed, real
from ccc.primitives import arithmetic, boundary, elementary_math, elementary_numpy, gamma, guarded
from ccc.primitives.primitive import Primitive
from ccc.primitives.sinc import reach, series, sinc_slope

Operation = Callable[..., Num]
HUGE = real(2.0**62)


# -- conversions ---------------------------------------------------------------------------------------------------


def as_real(w: Writer, x: Num) -> str:
    """A number as a double."""
    return as_floating(w, x, "double")


def as_floating(w: Writer, x: Num, type_: str) -> str:
    """A number as a real of a type."""
    if x.type == type_:
        return x.text
    if x.type == "i1":
        return w.cast("uitofp", "i1", x.text, type_)
    if x.type == "i64":
        known = x.known if x.known is None or abs(x.known) <= 2**24 else None  # else it would be rounded twice
        return real(float(known)) if known is not None else w.cast("sitofp", "i64", x.text, type_)
    if not is_name(x.text):
        return narrowed(x.text) if type_ == "float" else x.text
    return w.cast("fptrunc" if type_ == "float" else "fpext", x.type, x.text, type_)


def reals(w: Writer, *xs: Num) -> tuple[str, list[str]]:
    """The type of reals that numbers have together, and the numbers as such."""
    wide = wider(*xs)
    type_ = wide if wide in FLOATING else "double"
    return type_, [as_floating(w, x, type_) for x in xs]


def as_int(w: Writer, x: Num) -> str:
    """A bool or an integer as an integer."""
    if x.type == "i64":
        return x.text
    if x.type == "i1":
        return w.cast("zext", "i1", x.text, "i64")
    raise NotNative("a real where an integer has to be")


def as_bool(w: Writer, x: Num) -> str:
    """The truth of a number."""
    if x.type == "i1":
        return x.text
    zero = real(0.0) if x.type in FLOATING else "0"
    return w.compared("une" if x.type in FLOATING else "ne", x.type, x.text, zero)


def converted(w: Writer, x: Num, type_: str) -> Num:
    """A number as one of a type that is wide enough."""
    if x.type == type_:
        return x
    if type_ in FLOATING:
        return Num(type_, as_floating(w, x, type_))
    return Num("i64", as_int(w, x)) if type_ == "i64" else Num("i1", as_bool(w, x))


def wider(*xs: Num) -> str:
    """The type of what numbers are together, which is not bool: an integer that is not constant takes a double."""
    types = {x.type for x in xs}
    if types.isdisjoint(FLOATING):
        return "i64"
    return "double" if "double" in types or any(x.type == "i64" and x.known is None for x in xs) else "float"


def alike(w: Writer, *xs: Num) -> list[Num]:
    """Numbers as numbers of one type, which is not bool."""
    wide = wider(*xs)
    return [converted(w, x, wide) for x in xs]


def finite(w: Writer, x: str) -> str:
    """Whether a double is neither infinite nor nan."""
    size = w.call("double", "llvm.fabs.f64", ("double", x))
    return w.compared("olt", "double", size, real(math.inf))


def spoil_unless_finite(w: Writer, x: str) -> None:
    w.spoil(w.binary("xor", "i1", finite(w, x), "true"))


DIGITS = {"double": 53, "float": 24}
"""The bits of a real of each type."""


def spoil_unless_exact(w: Writer, x: str, type_: str = "double") -> None:
    """An integer that stands for a real is one that such a real holds."""
    if not is_name(x):
        if abs(int(x)) > 2 ** DIGITS[type_]:
            w.spoil("true")
    else:
        moved = w.binary("add", "i64", x, str(2 ** DIGITS[type_]))
        w.spoil(w.compare("ugt", moved, str(2 ** (DIGITS[type_] + 1))))


def call(w: Writer, name: str, *xs: str) -> str:
    """A function of doubles."""
    return w.call("double", name, *[("double", x) for x in xs])


def called(w: Writer, i: Intrinsic | Opcode, type_: str, *xs: str) -> str:
    """What LLVM computes of reals of a type, or of integers."""
    return w.call(type_, intrinsic(i.name, type_), *[(type_, x) for x in xs])


# -- arithmetic ----------------------------------------------------------------------------------------------------


def _arithmetic(i: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        a, b = alike(w, a, b)
        if a.type in FLOATING:
            return Num(a.type, w.binary(i.real, a.type, a.text, b.text))
        if a.known is not None and b.known is not None:
            return Num("i64", str(FOLDS[i.name](a.known, b.known)))
        pair = w.checked(i.checked, a.text, b.text)
        w.spoil(w.part(pair, 1))
        return Num("i64", w.part(pair, 0))

    return f


add, sub, mul = [_arithmetic(i) for i in (ADD, SUB, MUL)]
operation(arithmetic.add, facts=Facts(exact=Writer.add, adds=(0, 1)))(add)
operation(arithmetic.sub, facts=Facts(exact=Writer.sub, adds=(0,)))(sub)
operation(arithmetic.mul, facts=Facts(exact=Writer.mul, zeros=(0, 1)))(mul)
operation(elementary_numpy.add, facts=Facts(adds=(0, 1)))(add)
operation(elementary_numpy.subtract)(sub)
operation(elementary_numpy.multiply)(mul)


@operation(arithmetic.neg, facts=Facts(exact=lambda w, a: w.sub("0", a), zeros=(0,)))
@operation(elementary_numpy.negative)
def negative(w: Writer, strict: bool, a: Num) -> Num:
    if a.type in FLOATING:
        return Num(a.type, w.negative(a.type, a.text))
    return sub(w, strict, Num("i64", "0"), Num("i64", as_int(w, a)))


@operation(arithmetic.pos, elementary_numpy.positive, arithmetic.to_float64)
def positive_of(w: Writer, strict: bool, a: Num) -> Num:
    return a


@operation(arithmetic.to_float)
def to_float(w: Writer, strict: bool, a: Num) -> Num:
    return Num("double", as_real(w, a))


@operation(arithmetic.to_float32)
def to_float32(w: Writer, strict: bool, a: Num) -> Num:
    return converted(w, a, "float")


@operation(arithmetic.div, facts=Facts(zeros=(0,)))
@operation(elementary_numpy.divide)
def divide(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    type_, (x, y) = reals(w, a, b)
    if strict and y in ("", real(0.0), real(-0.0)):
        w.spoil("true")
    elif strict and is_name(y):
        w.spoil(w.compared("oeq", type_, y, real(0.0)))
    return Num(type_, w.binary("fdiv", type_, x, y))


@operation(arithmetic.weight_sum)
def weight_sum(w: Writer, strict: bool, a: Num) -> Num:
    x = as_real(w, a)
    w.spoil(w.compared("oeq", "double", x, real(0.0)))
    return Num("double", x)


def _remainder(w: Writer, a: str, b: str) -> str:
    """Python's `a % b` of doubles for `b != 0`: of the sign of b."""
    r = w.binary("frem", "double", a, b)
    sign = w.call("double", "llvm.copysign.f64", ("double", real(0.0)), ("double", b))
    zero = w.compared("oeq", "double", r, real(0.0))
    below = [w.compared("olt", "double", x, real(0.0)) for x in (r, b)]
    differs = w.binary("xor", "i1", *below)
    moved = w.select("double", differs, w.binary("fadd", "double", r, b), r)
    return w.select("double", zero, sign, moved)


@operation(arithmetic.mod, elementary_numpy.mod)
def modulo(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    a, b = alike(w, a, b)
    if a.type in FLOATING:
        a, b = Num("double", as_real(w, a)), Num("double", as_real(w, b))
        w.spoil(w.compared("oeq", "double", b.text, real(0.0)))
        return Num("double", _remainder(w, a.text, b.text))
    safe = _divisor(w, b)
    r = w.binary("srem", "i64", a.text, safe)
    return Num("i64", w.select("i64", _crossed(w, r, safe), w.binary("add", "i64", r, safe), r))


@operation(arithmetic.floordiv, elementary_numpy.floor_divide)
def floor_divide(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    a, b = alike(w, a, b)
    if a.type in FLOATING:
        a, b = Num("double", as_real(w, a)), Num("double", as_real(w, b))
        w.spoil(w.compared("oeq", "double", b.text, real(0.0)))
        r = _remainder(w, a.text, b.text)
        quotient = w.binary("fdiv", "double", w.binary("fsub", "double", a.text, r), b.text)
        return Num("double", call(w, "llvm.rint.f64", quotient))
    safe = _divisor(w, b)
    q, r = w.binary("sdiv", "i64", a.text, safe), w.binary("srem", "i64", a.text, safe)
    return Num("i64", w.select("i64", _crossed(w, r, safe), w.binary("sub", "i64", q, "1"), q))


def _divisor(w: Writer, b: Num) -> str:
    """A divisor of integers that is not 0 nor -1, which may overflow."""
    if b.known is not None and b.known not in (0, -1):
        return b.text
    bad = w.compare("ule", w.binary("add", "i64", b.text, "1"), "1")
    w.spoil(bad)
    return w.select("i64", bad, "1", b.text)


def _crossed(w: Writer, r: str, b: str) -> str:
    """Whether a remainder has the other sign than the divisor, and is not 0."""
    signs = w.compare("slt", w.binary("xor", "i64", r, b), "0")
    return w.binary("and", "i1", signs, w.compare("ne", r, "0"))


@operation(arithmetic.power, elementary_numpy.power, elementary_numpy.float_power)
def power(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    if a.type == "i1" and n.type not in FLOATING:
        raise NotNative("powers of truth values, which NumPy makes integers of several widths of")
    if a.type not in FLOATING and n.type not in FLOATING:
        return _integer_power(w, a, n)
    x, k = as_real(w, a), n.known
    for small in (-1.0, 1.0, 2.0, 3.0, 4.0):
        if n.text == real(small):
            k = int(small)
    if k == 0:
        return Num("double", real(1.0))
    if k == 2 and a.type == "float":
        return mul(w, strict, a, a)
    if k is not None and 1 <= k <= 4:
        square = w.binary("fmul", "double", x, x) if k > 1 else x
        found = {1: x, 2: square}.get(k) or w.binary("fmul", "double", square, x if k == 3 else square)
    else:
        found = call(w, "ccc_power", x, as_real(w, n))
    if strict:
        spoil_unless_finite(w, found)
    return Num("double", found)


def _integer_power(w: Writer, a: Num, n: Num) -> Num:
    """By squares, from the highest bit of the exponent on; negative exponents give no integer."""
    base = Num("i64", as_int(w, a))
    if n.known is not None and n.known >= 0:
        found = Num("i64", "1")
        for bit in bin(n.known)[2:] if n.known else "":
            found = mul(w, False, found, found)
            found = mul(w, False, found, base) if bit == "1" else found
        return found
    count = as_int(w, n)
    negative_ = w.compare("slt", count, "0")
    w.spoil(negative_)
    so_far, square_, left = w.local("i64"), w.local("i64"), w.local("i64")
    w.store("i64", "1", so_far)
    w.store("i64", base.text, square_)
    w.store("i64", w.select("i64", negative_, "0", count), left)
    with w.loop() as (_, body, done):
        rest = w.load("i64", left)
        w.fork(w.compare("sgt", rest, "0"), body, done)
        w.label(body)
        x, y = w.load("i64", so_far), w.load("i64", square_)
        odd = w.cast("trunc", "i64", rest, "i1")
        half = w.binary("lshr", "i64", rest, "1")
        used = w.compare("ne", half, "0")
        more = [w.checked("smul", p, y) for p in (x, y)]
        for pair, counts in zip(more, (odd, used), strict=True):
            over = w.part(pair, 1)
            w.spoil(w.binary("and", "i1", over, counts))
        values = [w.part(pair, 0) for pair in more]
        w.store("i64", w.select("i64", odd, values[0], x), so_far)
        w.store("i64", values[1], square_)
        w.store("i64", half, left)
    return Num("i64", w.load("i64", so_far))


@operation(arithmetic.absolute, elementary_numpy.absolute, elementary_numpy.fabs, elementary_math.fabs)
def absolute(w: Writer, strict: bool, a: Num) -> Num:
    if a.type in FLOATING:
        return Num(a.type, called(w, FABS, a.type, a.text))
    return Num("i64", w.call("i64", "llvm.abs.i64", ("i64", as_int(w, a)), ("i1", "false")))


@operation(elementary_numpy.square)
def square(w: Writer, strict: bool, a: Num) -> Num:
    return mul(w, strict, a, a)


@operation(elementary_numpy.reciprocal)
def reciprocal(w: Writer, strict: bool, a: Num) -> Num:
    return divide(w, False, Num(a.type if a.type in FLOATING else "double", real(1.0)), a)


# -- comparisons and truth -----------------------------------------------------------------------------------------


def compared(w: Writer, what: str, a: Num, b: Num) -> str:
    """Whether `a` is lt, le, gt, ge, eq, ne to `b`."""
    a, b = alike(w, a, b)
    if a.type in FLOATING:
        return w.compared("une" if what == "ne" else "o" + what, a.type, a.text, b.text)
    return w.compare(what if what in ("eq", "ne") else "s" + what, a.text, b.text)


def exactly(w: Writer, *xs: Num) -> None:
    """Python compares numbers as they are: an integer beside a real is one that such a real holds."""
    for type_ in sorted({x.type for x in xs if x.type in FLOATING}):
        for x in xs:
            if x.type == "i64":
                spoil_unless_exact(w, x.text, type_)


def _comparison(what: str) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        exactly(w, a, b)
        return Num("i1", compared(w, what, a, b))

    return f


operation(arithmetic.less, elementary_numpy.less)(_comparison("lt"))
operation(arithmetic.less_equal, elementary_numpy.less_equal)(_comparison("le"))
operation(arithmetic.greater, elementary_numpy.greater)(_comparison("gt"))
operation(arithmetic.greater_equal, elementary_numpy.greater_equal)(_comparison("ge"))
operation(arithmetic.equal, elementary_numpy.equal)(_comparison("eq"))
operation(arithmetic.not_equal, elementary_numpy.not_equal)(_comparison("ne"))


@operation(arithmetic.logical_not, elementary_numpy.logical_not)
def logical_not(w: Writer, strict: bool, a: Num) -> Num:
    return Num("i1", w.binary("xor", "i1", as_bool(w, a), "true"))


@operation(arithmetic.both, elementary_numpy.logical_and)
def both(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("and", "i1", as_bool(w, a), as_bool(w, b)))


@operation(elementary_numpy.logical_or)
def either(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("or", "i1", as_bool(w, a), as_bool(w, b)))


@operation(elementary_numpy.logical_xor)
def either_one(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("xor", "i1", as_bool(w, a), as_bool(w, b)))


@operation(arithmetic.invert)
def invert(w: Writer, strict: bool, a: Num) -> Num:
    if a.type == "i1" and not strict:  # an item of an array
        return Num("i1", w.binary("xor", "i1", a.text, "true"))
    return Num("i64", w.binary("xor", "i64", as_int(w, a), "-1"))


@operation(arithmetic.truth)
def truth(w: Writer, strict: bool, a: Num) -> Num:
    return Num("i1", as_bool(w, a))


def _bits(i: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        if a.type == b.type == "i1":
            return Num("i1", w.binary(i.name, "i1", a.text, b.text))
        return Num("i64", w.binary(i.name, "i64", as_int(w, a), as_int(w, b)))

    return f


operation(arithmetic.bit_and)(_bits(AND))
operation(arithmetic.bit_or)(_bits(OR))
operation(arithmetic.bit_xor)(_bits(XOR))


@operation(arithmetic.left_shift)
def left_shift(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    """Spoils where bits are lost: Python's integers grow."""
    x, places = _shifted(w, a, n)
    found = w.binary("shl", "i64", x, places)
    w.spoil(w.compare("ne", w.binary("ashr", "i64", found, places), x))
    return Num("i64", found)


@operation(arithmetic.right_shift)
def right_shift(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    x, places = _shifted(w, a, n)
    return Num("i64", w.binary("ashr", "i64", x, places))


def _shifted(w: Writer, a: Num, n: Num) -> tuple[str, str]:
    """An integer, and by how many places LLVM shifts it: from 0 to 63."""
    if a.type == n.type == "i1":
        raise NotNative("a shift of truth values, of which NumPy makes short integers")
    places = as_int(w, n)
    bad = w.compare("ugt", places, "63")
    w.spoil(bad)
    return as_int(w, a), w.select("i64", bad, "0", places)


@operation(guarded.positive)
def positive(w: Writer, strict: bool, a: Num) -> Num:
    return Num("i1", compared(w, "gt", a, Num("i64", "0")))


@operation(arithmetic.to_int)
def to_int(w: Writer, strict: bool, a: Num) -> Num:
    if a.type not in FLOATING:
        return Num("i64", as_int(w, a))
    return Num("i64", _whole(w, as_real(w, a)))


def _whole(w: Writer, x: str) -> str:
    """A double that is not too large as an integer."""
    size = call(w, "llvm.fabs.f64", x)
    small = w.compared("olt", "double", size, HUGE)
    w.spoil(w.binary("xor", "i1", small, "true"))
    return w.cast("fptosi", "double", w.select("double", small, x, real(0.0)), "i64")


def _to_whole(rounding: Intrinsic) -> Operation:
    def f(w: Writer, strict: bool, a: Num) -> Num:
        if a.type not in FLOATING:
            return Num("i64", as_int(w, a))
        return Num("i64", _whole(w, call(w, rounding.symbol, as_real(w, a))))

    return f


operation(elementary_math.floor)(_to_whole(FLOOR))
operation(elementary_math.ceil)(_to_whole(CEIL))
operation(elementary_math.trunc)(_to_whole(TRUNC))
operation(arithmetic.rounded)(_to_whole(RINT))


def _rounded(rounding: Intrinsic) -> Operation:
    def f(w: Writer, strict: bool, a: Num) -> Num:
        type_, (x,) = reals(w, a)
        return Num(type_, called(w, rounding, type_, x))

    return f


operation(elementary_numpy.floor)(_rounded(FLOOR))
operation(elementary_numpy.ceil)(_rounded(CEIL))
operation(elementary_numpy.trunc)(_rounded(TRUNC))
operation(elementary_numpy.rint)(_rounded(RINT))


# -- the largest, the smallest, and who was chosen -----------------------------------------------------------------


def _python_choice(what: str) -> Operation:
    def f(w: Writer, strict: bool, *xs: Num) -> Num:
        exactly(w, *xs)
        found, *others = alike(w, *xs)
        for x in others:  # as Python: the first of those that are equal
            found = Num(x.type, w.select(x.type, compared(w, what, x, found), x.text, found.text))
        return found

    return f


operation(arithmetic.largest)(_python_choice("gt"))
operation(arithmetic.smallest)(_python_choice("lt"))


def _numpy_choice(i: Opcode, whole: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        a, b = alike(w, a, b)
        return Num(a.type, called(w, i if a.type in FLOATING else whole, a.type, a.text, b.text))

    return f


maximum, minimum = _numpy_choice(MAXIMUM, SMAX), _numpy_choice(MINIMUM, SMIN)
operation(elementary_numpy.maximum)(maximum)
operation(elementary_numpy.minimum)(minimum)


@operation(boundary.of_kind)
def of_kind(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    return converted(w, d, x.type if x.type in FLOATING else "double")


@operation(guarded.share)
def share(w: Writer, strict: bool, d: Num, y: Num, x: Num, *others: Num) -> Num:
    type_, (whole,) = reals(w, d)
    count = Num("i64", "1")
    for other in others:
        tie = w.cast("zext", "i1", compared(w, "eq", other, y), "i64")
        count = Num("i64", w.binary("add", "i64", count.text, tie))
    part = w.binary("fdiv", type_, whole, as_floating(w, count, type_))
    return Num(type_, w.select(type_, compared(w, "eq", x, y), part, real(0.0)))


@operation(guarded.signum, elementary_numpy.sign)
def signum(w: Writer, strict: bool, a: Num) -> Num:
    if a.type not in FLOATING:
        above, below = (Num("i1", compared(w, what, a, Num("i64", "0"))) for what in ("gt", "lt"))
        return Num("i64", w.binary("sub", "i64", as_int(w, above), as_int(w, below)))
    one = called(w, COPYSIGN, a.type, real(1.0), a.text)
    moves = w.compared("one", a.type, a.text, real(0.0))
    return Num(a.type, w.select(a.type, moves, one, a.text))


# -- products and quotients in which zero is strong ----------------------------------------------------------------


def _strong(w: Writer, type_: str, d: str, result: str) -> Num:
    zero = w.compared("oeq", type_, d, real(0.0))
    return Num(type_, w.select(type_, zero, real(0.0), result))


@operation(guarded.times0, facts=Facts(zeros=(0,)))
def times0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (a, b) = reals(w, d, x)
    return _strong(w, type_, a, w.binary("fmul", type_, a, b))


@operation(guarded.both0)
def both0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (_, b) = reals(w, d, x)
    return _strong(w, type_, b, times0(w, strict, d, x).text)


@operation(guarded.over0)
def over0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (a, b) = reals(w, d, x)
    return _strong(w, type_, a, w.binary("fdiv", type_, a, b))


@operation(guarded.unit)
def unit(w: Writer, strict: bool, x: Num, length: Num) -> Num:
    type_, (a, b) = reals(w, x, length)
    return _strong(w, type_, b, w.binary("fdiv", type_, a, b))


@operation(guarded.log0)
def log0(w: Writer, strict: bool, x: Num) -> Num:
    a = as_real(w, x)
    above = w.compared("ogt", "double", a, real(0.0))
    return Num("double", w.select("double", above, call(w, "ccc_log", a), real(0.0)))


@operation(guarded.power0)
def power0(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    return power(w, False, Num("double", as_real(w, a)), n)


# -- elementary functions ------------------------------------------------------------------------------------------

def _function(symbol: str, count: int, *primitives: Primitive, python: bool = False) -> None:
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
    _function(f"ccc_{_name}", _own.count, *_own.python, python=True)
    _function(f"ccc_{_name}", _own.count, *_own.numpy)
_function("tgamma", 1, gamma.gamma, python=True)
_function("lgamma", 1, gamma.lgamma, python=True)
_function("fmod", 2, elementary_math.fmod, python=True)
_function("fmod", 2, elementary_numpy.fmod)
_function(SQRT.symbol, 1, elementary_math.sqrt, python=True)
operation(elementary_numpy.sqrt)(_rounded(SQRT))
_function(COPYSIGN.symbol, 2, elementary_math.copysign, python=True)
_function(COPYSIGN.symbol, 2, elementary_numpy.copysign)


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
