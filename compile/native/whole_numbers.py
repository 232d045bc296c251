"""Bits and shifts of whole numbers, and reals that become whole."""

from __future__ import annotations

from ccc.compile.native.conversions import Operation, as_int, as_real, call, called, reals
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import (
    AND,
    CEIL,
    FLOOR,
    OR,
    RINT,
    TRUNC,
    XOR,
    Intrinsic,
    Opcode,
)
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.truths import BITS, compared
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import arithmetic, elementary_math, elementary_numpy, guarded

HUGE = real(2.0**62)


def _bits(i: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        if a.type == b.type == "i1":
            return Num("i1", w.binary(i.name, "i1", a.text, b.text))
        return Num("i64", w.binary(i.name, "i64", as_int(w, a), as_int(w, b)))

    return f


operation(arithmetic.bit_and, facts=BITS)(_bits(AND))
operation(arithmetic.bit_or, facts=BITS)(_bits(OR))
operation(arithmetic.bit_xor, facts=BITS)(_bits(XOR))


@operation(arithmetic.left_shift, facts=BITS)
def left_shift(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    """Of Python's integers, which grow, it spoils where bits are lost."""
    x, places = _shifted(w, a, n)
    found = w.binary("shl", "i64", x, places)
    if strict:
        w.spoil(w.compare("ne", w.binary("ashr", "i64", found, places), x))
    return Num("i64", found)


def _unsigned_shift(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    return Num("i64", w.binary("lshr", "i64", *_shifted(w, a, n)))


@operation(arithmetic.right_shift, facts=Facts(unsigned=_unsigned_shift))
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


def _unsigned_to_int(w: Writer, strict: bool, a: Num) -> Num:
    """Spoils where it has more than 63 bits."""
    w.spoil(w.compare("slt", as_int(w, a), "0"))
    return Num("i64", as_int(w, a))


@operation(arithmetic.to_int, facts=Facts(unsigned=_unsigned_to_int))
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


def rounded(rounding: Intrinsic) -> Operation:
    def f(w: Writer, strict: bool, a: Num) -> Num:
        type_, (x,) = reals(w, a)
        return Num(type_, called(w, rounding, type_, x))

    return f


operation(elementary_numpy.floor)(rounded(FLOOR))
operation(elementary_numpy.ceil)(rounded(CEIL))
operation(elementary_numpy.trunc)(rounded(TRUNC))
operation(elementary_numpy.rint)(rounded(RINT))
