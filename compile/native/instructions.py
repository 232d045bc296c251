"""What is known of LLVM's instructions and intrinsic functions: one entry for each, which whoever reads or writes its
text asks.

>>> ADD.folded("2", "3"), ADD.folded("%n", "0"), MUL.folded("%n", "0"), SUB.folded("0", "%n")
('5', '%n', '0', None)
>>> NEUTRAL["fmul"], FOLDS["smax"](2, 3)
('0x3FF0000000000000', 3)
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from ccc.compile.native.code import is_name
from ccc.values import value


@value(eq=False)
class Opcode:
    """An instruction, or an intrinsic function, with two operands of one type, whose result has it too.

    `fold` computes it of integers that are known. Of integers, `unit` as the second operand changes nothing, as the
    first one neither where it is `commutative`; `zero` as one of them is the result. An `additive` one moves an integer
    by another. `real` is the instruction for doubles, `checked` the intrinsic that tells an overflow. `neutral` is what
    items are gathered from.
    """

    name: str
    fold: Callable[[int, int], int] | None = None
    unit: int | None = None
    zero: int | None = None
    commutative: bool = False
    additive: bool = False
    real: str = ""
    checked: str = ""
    neutral: str = ""

    def folded(self, a: str, b: str) -> str | None:
        """The result for operands that are integers where it is one of these, or a constant."""
        x, y = [int(x) if not is_name(x) else None for x in (a, b)]
        if self.fold is not None and x is not None and y is not None:
            return str(self.fold(x, y))
        if self.unit is None:
            return None
        if self.commutative and x == self.unit:
            return b
        if y == self.unit:
            return a
        return str(self.zero) if self.zero is not None and self.zero in (x, y) else None


ADD = Opcode("add", operator.add, 0, commutative=True, additive=True, real="fadd", checked="sadd",
                  neutral="0")
SUB = Opcode("sub", operator.sub, 0, additive=True, real="fsub", checked="ssub")
MUL = Opcode("mul", operator.mul, 1, zero=0, commutative=True, real="fmul", checked="smul")
SDIV = Opcode("sdiv", real="fdiv")
AND = Opcode("and", operator.and_)
OR = Opcode("or", operator.or_, neutral="false")
XOR = Opcode("xor")
SHL = Opcode("shl", operator.lshift)
LSHR = Opcode("lshr")
UDIV, UREM = Opcode("udiv"), Opcode("urem")
FADD = Opcode("fadd", neutral="0x8000000000000000")
FMUL = Opcode("fmul", neutral="0x3FF0000000000000")
INSTRUCTIONS = (
    FADD, Opcode("fsub"), FMUL, Opcode("fdiv"), Opcode("frem"),
    ADD, SUB, MUL, AND, OR, XOR, SHL, LSHR, Opcode("ashr"), SDIV, Opcode("srem"), UDIV, UREM,
)  # fmt: skip
"""Those that are operators."""
MAXIMUM = Opcode("maximum", neutral="0xFFF0000000000000")
MINIMUM = Opcode("minimum", neutral="0x7FF0000000000000")
SMAX, SMIN = Opcode("smax", max), Opcode("smin", min)
UMAX, UMIN = Opcode("umax", max), Opcode("umin", min)
FOLDS = {i.name: i.fold for i in (*INSTRUCTIONS, SMAX, SMIN, UMAX, UMIN) if i.fold is not None}
"""How integers that are known, and not negative, are computed."""
CHECKED = {i.name for i in INSTRUCTIONS if i.checked}
"""Sums, differences and products of integers."""
NEUTRAL = {i.name: i.neutral for i in (*INSTRUCTIONS, MAXIMUM, MINIMUM) if i.neutral}
"""What changes nothing, by the name of what brings items together."""


SUFFIX = {"double": "f64", "float": "f32", "i64": "i64", "i8": "i8", "i1": "i1", "ptr": "p0"}
"""How the names of intrinsic functions call a type."""


def intrinsic(name: str, type_: str) -> str:
    """The name of an intrinsic function for numbers of a type.

    >>> intrinsic("fabs", "float")
    'llvm.fabs.f32'
    """
    return f"llvm.{name}.{SUFFIX[type_]}"


@value()
class Intrinsic:
    """An intrinsic function of reals, for vectors as for numbers: how many it takes."""

    name: str
    count: int = 1

    @property
    def symbol(self) -> str:
        """Its name for doubles."""
        return intrinsic(self.name, "double")

    def declared(self, type_: str = "double") -> str:
        """Its declaration."""
        return f"declare {type_} @{intrinsic(self.name, type_)}({', '.join([type_] * self.count)})"


FABS, SQRT = Intrinsic("fabs"), Intrinsic("sqrt")
FLOOR, CEIL, TRUNC, RINT = Intrinsic("floor"), Intrinsic("ceil"), Intrinsic("trunc"), Intrinsic("rint")
COPYSIGN = Intrinsic("copysign", 2)
INTRINSICS = (
    FABS, FLOOR, CEIL, TRUNC, RINT, SQRT, COPYSIGN, Intrinsic(MAXIMUM.name, 2), Intrinsic(MINIMUM.name, 2),
)  # fmt: skip
IN_LANES = {i.name for i in (*INTRINSICS, SMAX, SMIN)}
"""The names of the intrinsics that have one for vectors, which does the same in each lane."""
