"""The largest and the smallest of numbers, who was chosen, and signs."""

from __future__ import annotations

from ccc.compile.native.conversions import Operation, alike, as_floating, as_int, called, converted, reals
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import COPYSIGN, MAXIMUM, MINIMUM, SMAX, SMIN, Opcode
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.truths import ORDERS, compared, exactly
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import arithmetic, boundary, elementary_numpy, guarded


def _python_choice(what: str) -> Operation:
    def f(w: Writer, strict: bool, *xs: Num) -> Num:
        exactly(w, *xs)
        found, *others = alike(w, *xs)
        for x in others:  # as Python: the first of those that are equal
            found = Num(x.type, w.select(x.type, compared(w, what, x, found), x.text, found.text))
        return found

    return f


operation(arithmetic.largest, facts=Facts(by_test=arithmetic.greater))(_python_choice("gt"))
operation(arithmetic.smallest, facts=Facts(by_test=arithmetic.less))(_python_choice("lt"))


def _numpy_choice(i: Opcode, whole: Opcode) -> Operation:
    def f(w: Writer, strict: bool, a: Num, b: Num) -> Num:
        a, b = alike(w, a, b)
        return Num(a.type, called(w, i if a.type in FLOATING else whole, a.type, a.text, b.text))

    return f


maximum, minimum = _numpy_choice(MAXIMUM, SMAX), _numpy_choice(MINIMUM, SMIN)
operation(elementary_numpy.maximum, facts=ORDERS)(maximum)
operation(elementary_numpy.minimum, facts=ORDERS)(minimum)


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
    return Num(a.type, w.select(a.type, moves, one, w.binary("fadd", a.type, a.text, real(0.0))))  # of -0.0 it is 0.0
