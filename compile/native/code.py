"""The code of a function as data: instructions, and where blocks begin. A pass asks for the class of one and for its
attributes; `str` is the line that LLVM reads.

Operands are names or constants, `Variable`s where a frame keeps them; the `role` of a `Label` says what a block is for.

>>> x = Operation("double", "fadd", "%a", "%b", "nsz", "%x")
>>> print(x, Fork("%t", Label("head1", "head"), Label("done2", "done")), Begin(Label("head1", "head")), sep="\\n")
  %x = fadd nsz double %a, %b
  br i1 %t, label %head1, label %done2
head1:
>>> print(x.renamed({"%a": "%c", "%x": "%y"}))
  %y = fadd nsz double %c, %b
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from ccc.compile.native.dtypes import FLOATING

UNLIKELY, LIKELY = "!0", "!9"
"""How often the first way of a branch is taken."""
ROLLED, WHOLE = "!4", "!1"
"""What is said of a loop: that it is not to be unrolled, nor, if it takes vectors, to be made one over vectors."""
OURS = "ccc_"
"""How the names of this library's own small functions begin."""
ARENA, SPOILED = "%arena", "%spoiled"
"""Where the memory of a call is taken from, and the variable that says that its result does not count."""


class Variable(str):
    """The name of a place in the frame of a function."""

    __slots__ = ()


class Label(str):
    """The name of a block, and what it is for."""

    __slots__ = ("role",)
    role: str

    def __new__(cls, name: str, role: str = "") -> Self:
        found = super().__new__(cls, name)
        found.role = role
        return found

    def __getnewargs__(self) -> tuple[str, str]:
        return str(self), self.role


LEAVE = Label("leave", "leave")
"""The block where a function ends early."""


def item_of(type_: str) -> str:
    """The type of the items of a vector; a type that is none itself.

    >>> item_of("<8 x double>"), item_of("i64")
    ('double', 'i64')
    """
    return type_.rpartition(" x ")[2][:-1] if type_[0] == "<" else type_


def alike(type_: str, item: str) -> str:
    """The type of as many items of a type as another one has.

    >>> alike("<8 x double>", "i1"), alike("double", "i1")
    ('<8 x i1>', 'i1')
    """
    return f"{type_.rpartition(' x ')[0]} x {item}>" if type_[0] == "<" else item


def is_name(operand: str) -> bool:
    """Whether an operand is the name of a value, and no constant."""
    return operand[:1] == "%"


class Instruction:
    """One line of a function: the name of its result, or "", the type of that, and its operands."""

    __slots__ = ("name", "operands", "type")
    ATTRIBUTES: ClassVar[Sequence[str]] = ()
    name: str
    type: str
    operands: tuple[str, ...]

    def body(self) -> str:
        """How LLVM writes it, without the name."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"  {self.name} = {self.body()}" if self.name else f"  {self.body()}"

    def types(self) -> tuple[str, ...]:
        """The types of its operands."""
        return (self.type,) * len(self.operands)

    def renamed(self, new: Mapping[str, str]) -> Self:
        """The same of other names."""
        found = object.__new__(type(self))
        found.name, found.type = new.get(self.name, self.name), self.type
        found.operands = tuple([new.get(x, x) for x in self.operands])
        for attribute in self.ATTRIBUTES:
            setattr(found, attribute, getattr(self, attribute))
        return found

    def named(self) -> list[str]:
        """The names in it, of its result and of its operands."""
        found = [x for x in self.operands if x[0] == "%"]
        return [self.name, *found] if self.name else found


class Operation(Instruction):
    """An operation on two operands of one type."""

    __slots__ = ("flags", "op")
    ATTRIBUTES = __slots__

    def __init__(self, type_: str, op: str, a: str, b: str, flags: str = "", name: str = "") -> None:
        self.name, self.type, self.operands, self.op, self.flags = name, type_, (a, b), op, flags

    def body(self) -> str:
        a, b = self.operands
        return f"{self.op}{' ' if self.flags else ''}{self.flags} {self.type} {a}, {b}"


class Negation(Instruction):
    """A number with the other sign."""

    __slots__ = ()

    def __init__(self, type_: str, x: str, name: str = "") -> None:
        self.name, self.type, self.operands = name, type_, (x,)

    def body(self) -> str:
        return f"fneg {self.type} {self.operands[0]}"


class Comparison(Instruction):
    """Whether two operands of a type are in a relation."""

    __slots__ = ("of", "relation")
    ATTRIBUTES = __slots__

    def __init__(self, relation: str, of: str, a: str, b: str, name: str = "") -> None:
        self.name, self.type, self.operands, self.relation, self.of = name, alike(of, "i1"), (a, b), relation, of

    def types(self) -> tuple[str, ...]:
        return self.of, self.of

    def body(self) -> str:
        op = "fcmp" if item_of(self.of) in FLOATING else "icmp"
        return f"{op} {self.relation} {self.of} {self.operands[0]}, {self.operands[1]}"


class Choice(Instruction):
    """The second operand where the first one holds, which is one test or has one for each item, else the third."""

    __slots__ = ("tests",)
    ATTRIBUTES = __slots__

    def __init__(self, type_: str, test: str, a: str, b: str, tests: str = "i1", name: str = "") -> None:
        self.name, self.type, self.operands, self.tests = name, type_, (test, a, b), tests

    def types(self) -> tuple[str, ...]:
        return self.tests, self.type, self.type

    def body(self) -> str:
        test, a, b = self.operands
        return f"select {self.tests} {test}, {self.type} {a}, {self.type} {b}"


class Cast(Instruction):
    """An operand of one type as one of another."""

    __slots__ = ("have", "op")
    ATTRIBUTES = __slots__

    def __init__(self, op: str, have: str, x: str, want: str, name: str = "") -> None:
        self.name, self.type, self.operands, self.op, self.have = name, want, (x,), op, have

    def types(self) -> tuple[str, ...]:
        return (self.have,)

    def body(self) -> str:
        return f"{self.op} {self.have} {self.operands[0]} to {self.type}"


class Freeze(Instruction):
    """The same value, which LLVM does not look through."""

    __slots__ = ()

    def __init__(self, type_: str, x: str, name: str = "") -> None:
        self.name, self.type, self.operands = name, type_, (x,)

    def body(self) -> str:
        return f"freeze {self.type} {self.operands[0]}"


# -- memory --------------------------------------------------------------------------------------------------------


class Load(Instruction):
    """What stands at a place."""

    __slots__ = ("align",)
    ATTRIBUTES = __slots__

    def __init__(self, type_: str, at: str, align: int = 0, name: str = "") -> None:
        self.name, self.type, self.operands, self.align = name, type_, (at,), align

    @property
    def at(self) -> str:
        return self.operands[0]

    def types(self) -> tuple[str, ...]:
        return ("ptr",)

    def body(self) -> str:
        end = f", align {self.align}" if self.align else ""
        return f"load {self.type}, ptr {self.operands[0]}{end}"


class Store(Instruction):
    """Write a value of a type to a place."""

    __slots__ = ("align", "of")
    ATTRIBUTES = __slots__

    def __init__(self, of: str, x: str, at: str, align: int = 0) -> None:
        self.name, self.type, self.operands, self.of, self.align = "", "void", (x, at), of, align

    @property
    def value(self) -> str:
        return self.operands[0]

    @property
    def at(self) -> str:
        return self.operands[1]

    def types(self) -> tuple[str, ...]:
        return self.of, "ptr"

    def body(self) -> str:
        end = f", align {self.align}" if self.align else ""
        return f"store {self.of} {self.operands[0]}, ptr {self.operands[1]}{end}"


class Address(Instruction):
    """Where an item lies, or many; `inside` says that it is one of an array that is there."""

    __slots__ = ("at_type", "index_type", "inside", "item")
    ATTRIBUTES = __slots__

    def __init__(self, item: str, at: str, index: str, inside: bool = False, index_type: str = "i64",
                 at_type: str = "ptr", name: str = "") -> None:  # fmt: skip
        self.name, self.operands, self.item, self.inside = name, (at, index), item, inside
        self.type = alike(index_type, "ptr") if index_type[0] == "<" else at_type
        self.index_type, self.at_type = index_type, at_type

    def types(self) -> tuple[str, ...]:
        return self.at_type, self.index_type

    def body(self) -> str:
        at, index = self.operands
        inside = "inbounds " if self.inside else ""
        return f"getelementptr {inside}{self.item}, {self.at_type} {at}, {self.index_type} {index}"


class Room(Instruction):
    """A place in the frame of the function for `count` values of a type."""

    __slots__ = ("align", "count", "of")
    ATTRIBUTES = __slots__

    def __init__(self, of: str, name: str, count: int = 1, align: int = 0, array: bool = False) -> None:
        self.name, self.type, self.operands, self.of, self.count, self.align = name, "ptr", (), of, count, align
        if array or count > 1:
            self.of = f"[{count} x {of}]"

    def body(self) -> str:
        return f"alloca {self.of}, align {self.align}" if self.align else f"alloca {self.of}"


class Request(Instruction):
    """Memory of an arena for so many bytes, or null. What is `kept` does not end with a run of a loop."""

    __slots__ = ("kept", "take")
    ATTRIBUTES = __slots__

    def __init__(self, size: str, arena: str = ARENA, take: str = "ccc_alloc", name: str = "") -> None:
        self.name, self.type, self.operands, self.take, self.kept = name, "ptr", (arena, size), take, False

    @property
    def size(self) -> str:
        return self.operands[1]

    def types(self) -> tuple[str, ...]:
        return "ptr", "i64"

    def body(self) -> str:
        arena, size = self.operands
        return f"call ptr @{self.take}(ptr {arena}, i64 {size}){'  ; kept' if self.kept else ''}"


# -- parts ---------------------------------------------------------------------------------------------------------


class Checked(Instruction):
    """An operation on integers and whether it overflows: a pair, or one for each item."""

    __slots__ = ("of", "op", "suffix")
    ATTRIBUTES = __slots__

    def __init__(self, op: str, of: str, a: str, b: str, suffix: str = "i64", name: str = "") -> None:
        self.name, self.type, self.operands = name, f"{{{of}, {alike(of, 'i1')}}}", (a, b)
        self.op, self.of, self.suffix = op, of, suffix

    @property
    def function(self) -> str:
        """The name of what LLVM calls."""
        return f"llvm.{self.op}.with.overflow.{self.suffix}"

    def types(self) -> tuple[str, ...]:
        return self.of, self.of

    def body(self) -> str:
        a, b = self.operands
        return f"call {self.type} @{self.function}({self.of} {a}, {self.of} {b})"


class Part(Instruction):
    """The number of a pair with a test of overflow, or the test."""

    __slots__ = ("index", "of")
    ATTRIBUTES = __slots__

    def __init__(self, of: str, pair: str, index: int, name: str = "") -> None:
        self.name, self.type, self.operands = name, (of, alike(of, "i1"))[index], (pair,)
        self.of, self.index = of, index

    def types(self) -> tuple[str, ...]:
        return (f"{{{self.of}, {alike(self.of, 'i1')}}}",)

    def body(self) -> str:
        return f"extractvalue {{{self.of}, {alike(self.of, 'i1')}}} {self.operands[0]}, {self.index}"


class Lane(Instruction):
    """An item of a vector."""

    __slots__ = ("of",)
    ATTRIBUTES = __slots__

    def __init__(self, of: str, x: str, index: str, name: str = "") -> None:
        self.name, self.type, self.operands, self.of = name, item_of(of), (x, index), of

    def types(self) -> tuple[str, ...]:
        return self.of, "i64"

    def body(self) -> str:
        return f"extractelement {self.of} {self.operands[0]}, i64 {self.operands[1]}"


class Placed(Instruction):
    """A vector with an item in a lane."""

    __slots__ = ()

    def __init__(self, type_: str, x: str, item: str, index: str, name: str = "") -> None:
        self.name, self.type, self.operands = name, type_, (x, item, index)

    def types(self) -> tuple[str, ...]:
        return self.type, item_of(self.type), "i64"

    def body(self) -> str:
        x, item, index = self.operands
        return f"insertelement {self.type} {x}, {item_of(self.type)} {item}, i64 {index}"


class Shuffle(Instruction):
    """Items of two vectors in an order."""

    __slots__ = ("of", "order", "order_type")
    ATTRIBUTES = __slots__

    def __init__(self, of: str, a: str, b: str, order: str, order_type: str = "", name: str = "") -> None:
        self.order_type = order_type or alike(of, "i32")
        self.name, self.type, self.operands = name, alike(self.order_type, item_of(of)), (a, b)
        self.of, self.order = of, order

    def types(self) -> tuple[str, ...]:
        return self.of, self.of

    def body(self) -> str:
        a, b = self.operands
        return f"shufflevector {self.of} {a}, {self.of} {b}, {self.order_type} {self.order}"


# -- calls and ways ------------------------------------------------------------------------------------------------

LONGER = {"masked": 2, "vector": 3}
"""How many parts the names of some of LLVM's operations have."""


class Call(Instruction):
    """A call of a function. `inner` is one of the functions of the program."""

    __slots__ = ("flags", "function", "given", "inner")
    ATTRIBUTES = __slots__

    def __init__(self, type_: str, function: str, types: tuple[str, ...], operands: tuple[str, ...], flags: str = "",
                 inner: bool = False, name: str = "") -> None:  # fmt: skip
        self.name, self.type, self.operands, self.flags = name, type_, operands, flags
        self.function, self.given, self.inner = function, types, inner

    @property
    def ours(self) -> bool:
        """Whether it is one of this library's own small functions."""
        return self.function.startswith(OURS)

    @property
    def intrinsic(self) -> str:
        """What LLVM calls the operation, if it is one of its own: "fabs", "masked.load"."""
        first, *parts = self.function.split(".")
        return "" if first != "llvm" else ".".join(parts[: LONGER.get(parts[0], 1)])

    def types(self) -> tuple[str, ...]:
        return self.given

    def body(self) -> str:
        given = ", ".join([f"{t} {x}" for t, x in zip(self.given, self.operands, strict=True)])
        return f"call {self.flags}{' ' if self.flags else ''}{self.type} @{self.function}({given})"


class Jump(Instruction):
    """Go to a block; `loop` is what is said of the loop that this ends a run of."""

    __slots__ = ("loop", "to")
    ATTRIBUTES = __slots__

    def __init__(self, to: Label, loop: str = "") -> None:
        self.name, self.type, self.operands, self.to, self.loop = "", "void", (), to, loop

    @property
    def targets(self) -> tuple[Label, ...]:
        return (self.to,)

    def body(self) -> str:
        return f"br label %{self.to}, !llvm.loop {self.loop}" if self.loop else f"br label %{self.to}"


class Fork(Instruction):
    """Go one way where a test holds, else another way."""

    __slots__ = ("orelse", "then", "weight")
    ATTRIBUTES = __slots__

    def __init__(self, test: str, then: Label, orelse: Label, weight: str = "") -> None:
        self.name, self.type, self.operands = "", "void", (test,)
        self.then, self.orelse, self.weight = then, orelse, weight

    @property
    def targets(self) -> tuple[Label, ...]:
        return self.then, self.orelse

    def types(self) -> tuple[str, ...]:
        return ("i1",)

    def body(self) -> str:
        end = f", !prof {self.weight}" if self.weight else ""
        return f"br i1 {self.operands[0]}, label %{self.then}, label %{self.orelse}{end}"


class Begin(Instruction):
    """A block begins."""

    __slots__ = ("label",)
    ATTRIBUTES = __slots__

    def __init__(self, label: Label) -> None:
        self.name, self.type, self.operands, self.label = "", "void", (), label

    @property
    def role(self) -> str:
        return self.label.role

    def __str__(self) -> str:
        return f"{self.label}:"


WAYS = (Jump, Fork)


def made(lines: Iterable[Instruction]) -> dict[str, Any]:
    """The instructions that give something, by its names."""
    return {line.name: line for line in lines if line.name}
