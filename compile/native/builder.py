"""Who writes code names the operation, the types and the operands of each instruction.

>>> class Lines(Builder):
...     def __init__(self):
...         self.lines = []
...     def give(self, i):
...         i.name = f"%t{len(self.lines)}"
...         self.do(i)
...         return i.name
...     def do(self, i):
...         self.lines.append(i)
>>> b = Lines()
>>> x = b.load("double", b.address("double", "%p", "3"), align=8)
>>> b.store("double", b.chosen("double", b.compared("olt", "double", x, "%y"), x, "%y"), "%p")
>>> print(*b.lines, sep="\\n")
  %t0 = getelementptr double, ptr %p, i64 3
  %t1 = load double, ptr %t0, align 8
  %t2 = fcmp olt double %t1, %y
  %t3 = select i1 %t2, double %t1, double %y
  store double %t3, ptr %p
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ccc.compile.native.code import (
    Address,
    Begin,
    Call,
    Cast,
    Checked,
    Choice,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Label,
    Lane,
    Load,
    Negation,
    Operation,
    Part,
    Placed,
    Request,
    Shuffle,
    Store,
)
from ccc.compile.native.dtypes import IN_WORD

Argument = tuple[str, str]
"""The type and the operand of an argument of a call."""


class Splat(str):
    """The operand that is a vector of one constant in all lanes, see `splat`."""

    __slots__ = ()


def splat(type_: str, x: str) -> Splat:
    """A vector of one constant in all lanes."""
    return Splat(f"splat ({type_} {x})")


class Builder(ABC):
    """Who writes instructions, one after the other."""

    @abstractmethod
    def give(self, i: Instruction) -> str:
        """An instruction with a result, of which the operand is given."""

    @abstractmethod
    def do(self, i: Instruction) -> None:
        """An instruction without a result, or with one that has its name."""

    # -- numbers ---------------------------------------------------------------------------------------------------

    def binary(self, op: str, type_: str, a: str, b: str, flags: str = "") -> str:
        """An operation on two operands of one type."""
        return self.give(Operation(type_, op, a, b, flags))

    def negative(self, type_: str, x: str) -> str:
        return self.give(Negation(type_, x))

    def compared(self, relation: str, type_: str, a: str, b: str) -> str:
        """A comparison: eq, ne, slt, ... of integers and pointers, oeq, une, olt, ... of doubles."""
        return self.give(Comparison(relation, type_, a, b))

    def compare(self, relation: str, a: str, b: str) -> str:
        """A comparison of integers: eq, ne, slt, sle, sgt, sge, ult."""
        return self.give(Comparison(relation, "i64", a, b))

    def chosen(self, type_: str, test: str, a: str, b: str, tests: str = "i1") -> str:
        """The first operand where a test holds, else the second; with a test for each item if that is of type
        `tests`."""
        return self.give(Choice(type_, test, a, b, tests))

    def cast(self, op: str, have: str, x: str, want: str) -> str:
        """An operand of one type as one of another."""
        return self.give(Cast(op, have, x, want))

    # -- memory ----------------------------------------------------------------------------------------------------

    def load(self, type_: str, at: str, align: int = 0) -> str:
        return self.give(Load(type_, at, align))

    def store(self, type_: str, x: str, at: str, align: int = 0) -> None:
        self.do(Store(type_, x, at, align))

    def word(self, type_: str, at: str) -> str:
        """The number of a type in a word of memory, see `dtypes`."""
        found = self.load(IN_WORD.get(type_, type_), at)
        return self.cast("fptrunc", IN_WORD[type_], found, type_) if type_ in IN_WORD else found

    def put_word(self, type_: str, x: str, at: str) -> None:
        """Write a number of a type to a word of memory."""
        x = self.cast("fpext", type_, x, IN_WORD[type_]) if type_ in IN_WORD else x
        self.store(IN_WORD.get(type_, type_), x, at)

    def address(self, item: str, at: str, index: str, index_type: str = "i64", at_type: str = "ptr") -> str:
        """Where an item lies, or many of them: none need be there."""
        return self.give(Address(item, at, index, False, index_type, at_type))

    def at_index(self, item: str, at: str, index: str) -> str:
        """The address of an item of an array that is there."""
        return self.give(Address(item, at, index, True))

    def request(self, size: str, arena: str = "%arena", take: str = "ccc_alloc") -> str:
        """Memory for so many bytes, or null."""
        return self.give(Request(size, arena, take))

    # -- parts -----------------------------------------------------------------------------------------------------

    def checked(self, op: str, a: str, b: str) -> str:
        """An operation on integers, and whether it overflows: a pair."""
        return self.give(Checked(op, "i64", a, b))

    def part(self, pair: str, index: int, type_: str = "i64") -> str:
        """The number, of this type, of a pair with a test of overflow; or the test."""
        return self.give(Part(type_, pair, index))

    def lane(self, vector: str, x: str, index: str) -> str:
        """An item of a vector of a type."""
        return self.give(Lane(vector, x, index))

    def placed(self, vector: str, x: str, item: str, index: str) -> str:
        """A vector with an item in a lane."""
        return self.give(Placed(vector, x, item, index))

    def shuffled(self, vector: str, a: str, b: str, order: str, order_type: str = "") -> str:
        """Items of two vectors in an order, which has a type of its own where they are not as many as before."""
        return self.give(Shuffle(vector, a, b, order, order_type))

    # -- calls and ways --------------------------------------------------------------------------------------------

    def call(self, type_: str, function: str, *args: Argument, flags: str = "", inner: bool = False) -> str:
        """What a function gives for arguments."""
        types, operands = tuple([t for t, _ in args]), tuple([x for _, x in args])
        return self.give(Call(type_, function, types, operands, flags, inner))

    def run(self, function: str, *args: Argument) -> None:
        """A call of a function that gives nothing."""
        self.do(Call("void", function, tuple([t for t, _ in args]), tuple([x for _, x in args])))

    def start(self, label: Label) -> None:
        """Begin a block; what comes before has to have ended."""
        self.do(Begin(label))

    def jump(self, label: Label, loop: str = "") -> None:
        self.do(Jump(label, loop))

    def fork(self, test: str, then: Label, orelse: Label, weight: str = "") -> None:
        """Go one way where a test holds, else another way."""
        self.do(Fork(test, then, orelse, weight))
