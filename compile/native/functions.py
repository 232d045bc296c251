"""Functions and modules as data, until LLVM is given them: `str` is what it reads.

A `Function` has instructions. What is always the same, or no pass looks into, is `Written`: it says no more than its
name, what stands before and behind that, and which functions and constants it reads. A `Code` is a module of these.

>>> x = Function("f", [Param("i64", "%n")], [Return("i32", "0")], "")
>>> print(x)
define internal i32 @f(i64 %n) {
entry:
  ret i32 0
}
>>> x.reads, Written("double", "g", "(double %x)", " {\\n  ret double %x\\n}").declared()
({}, 'declare hidden double @g(double %x)')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from ccc.compile.native.code import LEAVE, OURS, WAYS, Begin, Call, Checked, Instruction, Request
from ccc.values import value

FIRST = "f0"
"""The name of the function that a program is."""
WIDE = ' "prefer-vector-width"="512"'
"""What lets LLVM make the widest vectors that the CPU has."""


class Return(Instruction):
    """The function ends, and gives a value of a type, or nothing."""

    __slots__ = ("of",)
    ATTRIBUTES = __slots__

    def __init__(self, of: str = "void", x: str = "") -> None:
        self.name, self.type, self.operands, self.of = "", "void", (x,) if x else (), of

    def types(self) -> tuple[str, ...]:
        return (self.of,) * len(self.operands)

    def body(self) -> str:
        return " ".join(["ret", self.of, *self.operands])


class Param(NamedTuple):
    """A parameter: its type and its name, and what LLVM is told of it."""

    type: str
    name: str
    told: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.told}{' ' if self.told else ''}{self.name}"


@value()
class Constant:
    """A constant of a module, by its name."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"@{self.name} = {self.text}"


class Defined:
    """A function of a module: its name, and the text of its definition, a head and the rest."""

    name: str
    head: str
    rest: str
    linkage: str

    @property
    def own(self) -> bool:
        """Whether it is one of this library's own small functions, or known outside of the module."""
        return self.name.startswith(OURS)

    def linked(self, linkage: str) -> str:
        """Its text, with a linkage."""
        return f"define {linkage}{self.head}{self.rest}"

    def declared(self) -> str:
        """Its declaration, for another module."""
        return f"declare hidden {self.head}"

    def __str__(self) -> str:
        return self.linked(self.linkage)


@value()
class Written(Defined):
    """A function as text: the type of its result, its name, its parameters and the rest; and the names of what it
    reads that has a text of its own."""

    result: str
    name: str
    params: str
    rest: str
    reads: Sequence[str] = ()
    linkage: str = "internal "

    @property
    def head(self) -> str:
        return f"{self.result} @{self.name}{self.params}"


@value()
class Function(Defined):
    """A function: its name, parameters and instructions, which end with those where it leaves early."""

    name: str
    params: Sequence[Param]
    lines: Sequence[Instruction]
    attributes: str = WIDE
    result: str = "i32"
    linkage = "internal "

    @property
    def own(self) -> bool:
        return False

    @cached_property
    def reads(self) -> dict[str, None]:
        """The names of the functions and constants that it reads."""
        return dict.fromkeys(called(self.lines))

    @property
    def rest(self) -> str:
        """What stands behind the parameters."""
        return "\n".join([f"{self.attributes} {{", "entry:", *map(str, self.lines), "}"])

    @property
    def head(self) -> str:
        return f"{self.result} @{self.name}({', '.join(map(str, self.params))})"


def called(lines: Iterable[Instruction]) -> Iterable[str]:
    """The names of the functions that instructions call, and of what else of the module they name, in their order."""
    for line in lines:
        match line:
            case Call() | Checked():
                yield line.function
            case Request():
                yield line.take
        for x in line.operands:
            if x[0] == "@":
                yield x[1:]


def ending(lines: Sequence[Instruction]) -> list[Instruction]:
    """Instructions with the block where a function leaves early, if they lead there."""
    leaves = any([LEAVE in line.targets for line in lines if isinstance(line, WAYS)])
    return [*lines, Begin(LEAVE), Return("i32", "1")] if leaves else list(lines)


@value()
class Handled(Defined):
    """A function that handles objects of Python, mostly as text: its name, what stands before its lines, and these."""

    name: str
    head: str
    rest: str
    lines: Sequence[str | Instruction]
    linkage: str = ""

    def linked(self, linkage: str) -> str:
        """Its text, with a linkage."""
        return "\n".join([Defined.linked(self, linkage), *map(str, self.lines), "}"])


Piece = str | Constant | Written | Function | Handled
"""What a module is made of; a text declares something or is metadata."""


@value()
class Code:
    """A module. Of a `simple` one LLVM need not look for more vectors, nor for functions to inline."""

    pieces: Sequence[Piece]
    simple: bool = False

    @cached_property
    def reads(self) -> set[str]:
        """What its functions of instructions read."""
        return {name for f in self.functions() for name in f.reads}

    def functions(self) -> list[Function]:
        return [x for x in self.pieces if isinstance(x, Function)]

    def of(self, pieces: Iterable[Piece]) -> Code:
        """The same with other pieces."""
        return replace(self, pieces=list(pieces))

    def __str__(self) -> str:
        return "\n".join(map(str, self.pieces))
