"""Comparisons of numbers, and truth values."""

from __future__ import annotations

from ccc.compile.native.conversions import Operation, alike, as_bool, as_int, spoil_unless_exact
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.writer import Num, Writer
from ccc.primitives import arithmetic, elementary_numpy

BITS, ORDERS, SAMENESS = Facts(bits=True), Facts(orders=True), Facts(orders=True, sameness=True)


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


operation(arithmetic.less, elementary_numpy.less, facts=ORDERS)(_comparison("lt"))
operation(arithmetic.less_equal, elementary_numpy.less_equal, facts=ORDERS)(_comparison("le"))
operation(arithmetic.greater, elementary_numpy.greater, facts=ORDERS)(_comparison("gt"))
operation(arithmetic.greater_equal, elementary_numpy.greater_equal, facts=ORDERS)(_comparison("ge"))
operation(arithmetic.equal, elementary_numpy.equal, facts=SAMENESS)(_comparison("eq"))
operation(arithmetic.not_equal, elementary_numpy.not_equal, facts=SAMENESS)(_comparison("ne"))


@operation(arithmetic.logical_not, elementary_numpy.logical_not, facts=BITS)
def logical_not(w: Writer, strict: bool, a: Num) -> Num:
    return Num("i1", w.binary("xor", "i1", as_bool(w, a), "true"))


@operation(arithmetic.both, elementary_numpy.logical_and, facts=BITS)
def both(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("and", "i1", as_bool(w, a), as_bool(w, b)))


@operation(elementary_numpy.logical_or, facts=BITS)
def either(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("or", "i1", as_bool(w, a), as_bool(w, b)))


@operation(elementary_numpy.logical_xor, facts=BITS)
def either_one(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    return Num("i1", w.binary("xor", "i1", as_bool(w, a), as_bool(w, b)))


@operation(arithmetic.invert, facts=BITS)
def invert(w: Writer, strict: bool, a: Num) -> Num:
    if a.type == "i1" and not strict:  # an item of an array
        return Num("i1", w.binary("xor", "i1", a.text, "true"))
    return Num("i64", w.binary("xor", "i64", as_int(w, a), "-1"))


@operation(arithmetic.truth, facts=BITS)
def truth(w: Writer, strict: bool, a: Num) -> Num:
    return Num("i1", as_bool(w, a))
