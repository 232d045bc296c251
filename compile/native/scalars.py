"""Arithmetic of numbers: what its primitives do to registers.

An operation that raises in Python spoils the result here: the caller computes it another way, which raises. `strict`
says that it follows Python's own numbers, which raise, and not NumPy's, which give infinities and nans. So it is of all
operations: comparisons and truth values (`truths`), whole numbers (`whole_numbers`), choices (`choices`), what
derivatives compute (`strong_zeros`), elementary functions (`elementary_calls`).
"""

from __future__ import annotations

from ccc.compile.native.code import is_name
from ccc.compile.native.conversions import (
    Operation,
    alike,
    as_int,
    as_real,
    call,
    called,
    converted,
    reals,
    spoil_unless_finite,
)
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import ADD, COPYSIGN, FABS, FLOOR, FOLDS, MUL, SQRT, SUB, Opcode
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.truths import BITS
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import arithmetic, elementary_math, elementary_numpy


def _arithmetic(i: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        a, b = alike(w, a, b)
        if a.type in FLOATING:
            return Num(a.type, w.binary(i.real, a.type, a.text, b.text))
        if a.known is not None and b.known is not None:
            return Num("i64", str(FOLDS[i.name](a.known, b.known)))
        if not strict:
            return Num("i64", w.binary(i.name, "i64", a.text, b.text))
        pair = w.checked(i.checked, a.text, b.text)
        w.spoil(w.part(pair, 1))
        return Num("i64", w.part(pair, 0))

    return f


add, sub, mul = [_arithmetic(i) for i in (ADD, SUB, MUL)]
operation(arithmetic.add, facts=Facts(exact=Writer.add, bits=True))(add)
operation(arithmetic.sub, facts=Facts(exact=Writer.sub, bits=True))(sub)
operation(arithmetic.mul, facts=Facts(exact=Writer.mul, zeros=(0, 1), bits=True))(mul)
operation(elementary_numpy.add, facts=BITS)(add)
operation(elementary_numpy.subtract, facts=BITS)(sub)
operation(elementary_numpy.multiply, facts=BITS)(mul)


@operation(arithmetic.neg, facts=Facts(exact=lambda w, a: w.sub("0", a), zeros=(0,), bits=True))
@operation(elementary_numpy.negative, facts=BITS)
def negative(w: Writer, strict: bool, a: Num) -> Num:
    if a.type in FLOATING:
        return Num(a.type, w.negative(a.type, a.text))
    return sub(w, strict, Num("i64", "0"), Num("i64", as_int(w, a)))


@operation(arithmetic.pos, elementary_numpy.positive, facts=BITS)
@operation(arithmetic.to_float64)
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


def _remainder(w: Writer, type_: str, a: str, b: str) -> str:
    """Python's `a % b` of reals for `b != 0`: of the sign of b."""
    r = w.binary("frem", type_, a, b)
    sign = called(w, COPYSIGN, type_, real(0.0), b)
    zero = w.compared("oeq", type_, r, real(0.0))
    moved = w.select(type_, _of_other_sign(w, type_, r, b), w.binary("fadd", type_, r, b), r)
    return w.select(type_, zero, sign, moved)


def _of_other_sign(w: Writer, type_: str, r: str, b: str) -> str:
    """Whether a remainder of reals that is not zero has the other sign than the divisor."""
    return w.binary("xor", "i1", *[w.compared("olt", type_, x, real(0.0)) for x in (r, b)])


def _unsigned_quotient(w: Writer, a: Num, b: Num) -> tuple[str, str]:
    """The quotient and the remainder of numbers of uint64. Half of the one has a sign bit of 0, and so has the other or
    the quotient is 0 or 1; twice the quotient of these is the quotient, or one less."""
    x, y = as_int(w, a), as_int(w, b)
    bad = w.compare("eq", y, "0")
    w.spoil(bad)
    large = w.compare("slt", y, "0")
    half = w.binary("sdiv", "i64", w.binary("lshr", "i64", x, "1"),
                    w.select("i64", w.binary("or", "i1", bad, large), "1", y))
    twice = w.select("i64", large, "0", w.binary("shl", "i64", half, "1"))
    rest = w.binary("sub", "i64", x, w.binary("mul", "i64", twice, y))
    more = w.cast("zext", "i1", w.compare("uge", rest, y), "i64")
    quotient = w.binary("add", "i64", twice, more)
    return quotient, w.binary("sub", "i64", x, w.binary("mul", "i64", quotient, y))


def _unsigned_division(part: int) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        return Num("i64", _unsigned_quotient(w, a, b)[part])

    return f


@operation(arithmetic.mod, elementary_numpy.mod, facts=Facts(unsigned=_unsigned_division(1)))
def modulo(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    a, b = alike(w, a, b)
    if a.type in FLOATING:
        w.spoil(w.compared("oeq", a.type, b.text, real(0.0)))
        return Num(a.type, _remainder(w, a.type, a.text, b.text))
    safe = _divisor(w, b)
    r = w.binary("srem", "i64", a.text, safe)
    return Num("i64", w.select("i64", _crossed(w, r, safe), w.binary("add", "i64", r, safe), r))


@operation(arithmetic.floordiv, elementary_numpy.floor_divide, facts=Facts(unsigned=_unsigned_division(0)))
def floor_divide(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    a, b = alike(w, a, b)
    if a.type in FLOATING:
        w.spoil(w.compared("oeq", a.type, b.text, real(0.0)))
        return Num(a.type, _whole_quotient(w, a.type, a.text, b.text))
    safe = _divisor(w, b)
    q, r = w.binary("sdiv", "i64", a.text, safe), w.binary("srem", "i64", a.text, safe)
    return Num("i64", w.select("i64", _crossed(w, r, safe), w.binary("sub", "i64", q, "1"), q))


def _whole_quotient(w: Writer, type_: str, a: str, b: str) -> str:
    """Python's `a // b` of reals for `b != 0`, step by step as Python computes it: from the remainder of C, since the
    sum of a large number and Python's own may be infinite, with the sign of the quotient for a zero."""
    r = w.binary("frem", type_, a, b)
    times = w.binary("fdiv", type_, w.binary("fsub", type_, a, r), b)
    below = w.binary("and", "i1", _of_other_sign(w, type_, r, b), w.compared("one", type_, r, real(0.0)))
    times = w.select(type_, below, w.binary("fsub", type_, times, real(1.0)), times)
    floor = called(w, FLOOR, type_, times)
    nearer = w.compared("ogt", type_, w.binary("fsub", type_, times, floor), real(0.5))
    found = w.select(type_, nearer, w.binary("fadd", type_, floor, real(1.0)), floor)
    zero = called(w, COPYSIGN, type_, real(0.0), w.binary("fdiv", type_, a, b))
    return w.select(type_, w.compared("oeq", type_, times, real(0.0)), zero, found)


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


def power_of_items(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    """The powers of an array's items by one number: NumPy takes roots where that is 0.5, of -inf and -0.0 too."""
    if a.type not in FLOATING or n.type not in FLOATING or (not is_name(n.text) and n.text != real(0.5)):
        return power(w, strict, a, n)
    root = Num(a.type, called(w, SQRT, a.type, a.text))
    if not is_name(n.text):
        return root
    found = power(w, strict, a, n)
    half = w.compared("oeq", n.type, n.text, real(0.5))
    return Num(found.type, w.select(found.type, half, converted(w, root, found.type).text, found.text))


@operation(elementary_numpy.float_power)
@operation(arithmetic.power, elementary_numpy.power, facts=Facts(by_number=power_of_items))
def power(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    if a.type == "i1" and n.type not in FLOATING:
        raise NotNative("powers of truth values, which NumPy makes integers of several widths of")
    if a.type not in FLOATING and n.type not in FLOATING:
        return _integer_power(w, strict, a, n)
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


def _integer_power(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    """By squares, from the highest bit of the exponent on; negative exponents give no integer."""
    base = Num("i64", as_int(w, a))
    if n.known is not None and n.known >= 0:
        found = Num("i64", "1")
        for bit in bin(n.known)[2:] if n.known else "":
            found = mul(w, strict, found, found)
            found = mul(w, strict, found, base) if bit == "1" else found
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
        values = [_product(w, strict, p, y, counts) for p, counts in ((x, odd), (y, used))]
        w.store("i64", w.select("i64", odd, values[0], x), so_far)
        w.store("i64", values[1], square_)
        w.store("i64", half, left)
    return Num("i64", w.load("i64", so_far))


def _product(w: Writer, strict: bool, x: str, y: str, counts: str) -> str:
    """A product of integers, which may overflow where it does not count, or where it wraps."""
    if not strict:
        return w.binary("mul", "i64", x, y)
    pair = w.checked("smul", x, y)
    over = w.part(pair, 1)
    w.spoil(w.binary("and", "i1", over, counts))
    return w.part(pair, 0)


@operation(arithmetic.absolute, elementary_numpy.absolute, elementary_numpy.fabs, elementary_math.fabs)
def absolute(w: Writer, strict: bool, a: Num) -> Num:
    if a.type in FLOATING:
        return Num(a.type, called(w, FABS, a.type, a.text))
    if strict:
        negative(w, strict, a)  # the least has no opposite
    return Num("i64", w.call("i64", "llvm.abs.i64", ("i64", as_int(w, a)), ("i1", "false")))


@operation(elementary_numpy.square, facts=BITS)
def square(w: Writer, strict: bool, a: Num) -> Num:
    return mul(w, strict, a, a)


@operation(elementary_numpy.reciprocal)
def reciprocal(w: Writer, strict: bool, a: Num) -> Num:
    return divide(w, False, Num(a.type if a.type in FLOATING else "double", real(1.0)), a)
