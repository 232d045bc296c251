"""Numbers in registers of another kind, and the functions that they are given to.

What cannot be converted spoils the result: the caller computes it another way, which raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import Intrinsic, Opcode, intrinsic
from ccc.compile.native.layout import NotNative
from ccc.compile.native.writer import Num, Writer, narrowed, real

Operation = Callable[..., Num]


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
