"""What is said to passes at a place of the code: a `Note` is no instruction, and LLVM reads over it.

>>> print(Row("%p", "%n"), Each(True), sep="\\n")
  ; row %p %n
  ; each run begins
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.code import Instruction, Label


class Note(Instruction):
    """What is said to passes at a place."""

    __slots__ = ()

    def body(self) -> str:
        return f"; {type(self).__name__}"


class Row(Note):
    """A row of a matrix begins at the first operand and has as many numbers as the second one says."""

    __slots__ = ()

    def __init__(self, row: str, count: str) -> None:
        self.name, self.type, self.operands = "", "void", (row, count)

    def body(self) -> str:
        return f"; row {' '.join(self.operands)}"


class StoredRow(Note):
    """The loop that follows, up to a block, writes so many items of a row to a place."""

    __slots__ = ("done",)
    ATTRIBUTES = __slots__

    def __init__(self, at: str, row: str, count: str, done: Label) -> None:
        self.name, self.type, self.operands, self.done = "", "void", (at, row, count), done

    def body(self) -> str:
        return f"; store row {' '.join(self.operands)} {self.done}"


class Filled(Note):
    """All items of an array are written, and nothing was there before: whole vectors may be."""

    __slots__ = ()

    def __init__(self, array: str) -> None:
        self.name, self.type, self.operands = "", "void", (array,)

    def body(self) -> str:
        return f"; whole {self.operands[0]}"


class Held(Note):
    """How many items an array has that a list is to hold."""

    __slots__ = ()

    def __init__(self, array: str, count: str) -> None:
        self.name, self.type, self.operands = "", "void", (array, count)

    def body(self) -> str:
        return f"; array {' '.join(self.operands)}"


class Runs(Note):
    """A run of a loop that takes memory begins or ends."""

    __slots__ = ("begins", "number")
    ATTRIBUTES = __slots__

    def __init__(self, number: str, begins: bool) -> None:
        self.name, self.type, self.operands, self.number, self.begins = "", "void", (), number, begins

    def body(self) -> str:
        return f"; runs {self.number} {'begin' if self.begins else 'end'}"


class Along(Note):
    """A run of a loop reads what a run of another one gave out: that of the same index, or from the end."""

    __slots__ = ("back", "number")
    ATTRIBUTES = __slots__

    def __init__(self, number: str, now: str, back: bool) -> None:
        self.name, self.type, self.operands, self.number, self.back = "", "void", (now,), number, back

    def body(self) -> str:
        return f"; runs {self.number} {'back' if self.back else 'forth'} {self.operands[0]}"


class Each(Note):
    """A run begins or ends at whose end nothing is left of what it has requested, but what is kept."""

    __slots__ = ("begins",)
    ATTRIBUTES = __slots__

    def __init__(self, begins: bool) -> None:
        self.name, self.type, self.operands, self.begins = "", "void", (), begins

    def body(self) -> str:
        return "; each run begins" if self.begins else "; each run ends"


class Shareable(Note):
    """A loop that threads may share begins or ends, whose sizes these are."""

    __slots__ = ("axes", "begins", "loop")
    ATTRIBUTES = __slots__

    def __init__(self, loop: str, axes: Sequence[str], begins: bool) -> None:
        self.name, self.type, self.operands = "", "void", ()
        self.loop, self.axes, self.begins = loop, tuple(axes), begins

    def body(self) -> str:
        return f"; loop {self.loop} {' '.join(self.axes)}" if self.begins else f"; end {self.loop}"


class Sizes(Note):
    """An argument is taken, whose words are those of these numbers at a place."""

    __slots__ = ("words",)
    ATTRIBUTES = __slots__

    def __init__(self, at: str, words: range) -> None:
        self.name, self.type, self.operands, self.words = "", "void", (at,), words

    def body(self) -> str:
        return f"; sizes of {self.operands[0]} from {self.words.start} to {self.words.stop}"


class Items(Note):
    """The items of all arguments are counted, at a place."""

    __slots__ = ()

    def __init__(self, at: str) -> None:
        self.name, self.type, self.operands = "", "void", (at,)

    def body(self) -> str:
        return f"; items in {self.operands[0]}"


class OtherSizes(Note):
    """Here goes a call whose arguments have other sizes than those that are constants."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name, self.type, self.operands = "", "void", ()

    def body(self) -> str:
        return "; other sizes"
