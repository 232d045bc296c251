"""Functions in IR that handle objects of Python: how they are written, and where the fields of objects lie.

`runtime.layouts_hold` checks these places when the first function is compiled.

>>> f = Handling("ptr", "same", "ptr %x")
>>> print(f.finished("%x"))
define internal ptr @same(ptr %x) {
  ret ptr %x
}
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ccc.compile.native.code import Instruction
from ccc.compile.native.dtypes import IN_WORD, INTEGERS, ITEM
from ccc.compile.native.functions import Handled
from ccc.compile.program.lam import Lit, Node, Tree, Var
from ccc.objects import Object, Product, Record, Static
from ccc.objects_of_values import object_of
from ccc.records import parts_of

TYPE = 8  # of an object
NUMBER = 16  # the value of a float, a NumPy scalar or a list's and tuple's length
ITEMS = 24  # of a tuple, and where a list has a pointer to them
DATA, RANK, SIZES, DESCR, FLAGS = 16, 24, 32, 56, 64  # of an array
KIND = 24  # of a dtype: kind, letter, byte order, flags, number
KIND_MASK = ~(0xFF << 24)
DTYPES = {name: np.dtype(name) for name in (*ITEM, *INTEGERS)}
QUICKLY = " noinline optnone"
"""Marks a function that is compiled quickly: optimising it costs more than it ever gains."""
UNKNOWN = Static(NotImplemented)
"""A part of an argument that the type of the arguments has settled."""


def address(x: Any) -> str:
    """The operand that is an object; whoever writes it holds the object."""
    return f"inttoptr (i64 {id(x)} to ptr)"


def object_of_tree(tree: Tree, first: Any = NotImplemented) -> Object:
    """The object of a parameter or a result; what its type has settled is what the `first` argument has there.

    >>> print(object_of_tree((Lit(1, Static(1)), None)), object_of_tree((None, None), ("mean", 2.0)))
    (static[1], static[NotImplemented]) (static['mean'], static[NotImplemented])
    """
    if isinstance(tree, tuple):
        inside = None if first is NotImplemented else parts_of(first)
        found = tuple(map(object_of_tree, tree, inside)) if inside is not None and len(inside) == len(tree) else (
            tuple(map(object_of_tree, tree)))
        return Record(found, tree.cls, tree.names) if isinstance(tree, Node) else Product(found)
    if isinstance(tree, (Var, Lit)):
        return tree.object
    settled = None if tree is not None or first is NotImplemented else object_of(first)
    return settled if isinstance(settled, Static) else UNKNOWN


class Handling:
    """One function under way. `ends` are what it does where it cannot go on, by label."""

    def __init__(self, result: str, name: str, params: str, linkage: str = "internal ", mark: str = "") -> None:
        self.name, self.params, self.result, self.linkage, self.mark = name, params, result, linkage, mark
        self.head: list[str] = []
        self.lines: list[str | Instruction] = []
        self.ends: dict[str, list[str | Instruction]] = {}
        self.count = 0

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %e{self.count} = {text}")
        return f"%e{self.count}"

    def give(self, i: Instruction) -> str:
        """An instruction with a result, of which the operand is given."""
        self.count += 1
        i.name = f"%e{self.count}"
        self.lines.append(i)
        return i.name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def local(self, type_: str, align: str = "") -> str:
        """Memory until the function ends."""
        self.count += 1
        self.head.append(f"  %e{self.count} = alloca {type_}{align}")
        return f"%e{self.count}"

    def at(self, ptr: str, place: int | str) -> str:
        """The address so many bytes further on."""
        return ptr if place == 0 else self.op(f"getelementptr i8, ptr {ptr}, i64 {place}")

    def field(self, x: str, place: int, type_: str = "ptr") -> str:
        """A field of an object."""
        return self.op(f"load {type_}, ptr {self.at(x, place)}")

    def word(self, x: str, place: int, type_: str) -> str:
        """The number of a type in a word of memory, see `dtypes`."""
        found = self.field(x, place, IN_WORD.get(type_, type_))
        return self.op(f"fptrunc {IN_WORD[type_]} {found} to {type_}") if type_ in IN_WORD else found

    def put_word(self, type_: str, x: str, at: str) -> None:
        """Write a number of a type to a word of memory."""
        x = self.op(f"fpext {type_} {x} to {IN_WORD[type_]}") if type_ in IN_WORD else x
        self.do(f"store {IN_WORD.get(type_, type_)} {x}, ptr {at}")

    def label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def require(self, test: str, end: str = "refuse") -> None:
        """Go to an end where a test fails."""
        on = self.label("on")
        self.do(f"br i1 {test}, label %{on}, label %{end}, !prof !9")
        self.start(on)

    def there(self, x: str, end: str = "refuse") -> str:
        """A pointer that is not null."""
        self.require(self.op(f"icmp ne ptr {x}, null"), end)
        return x

    def is_(self, x: str, *objects: Any) -> None:
        """Require a pointer to be that of one of some objects."""
        found = [self.op(f"icmp eq ptr {x}, {address(o)}") for o in objects]
        test = found[0]
        for other in found[1:]:
            test = self.op(f"or i1 {test}, {other}")
        self.require(test)

    @contextmanager
    def counted(self, count: str) -> Iterator[str]:
        """A loop, whose body is written within; gives the index."""
        head, body, done = self.label("head"), self.label("body"), self.label("done")
        place = self.local("i64")
        self.do(f"store i64 0, ptr {place}")
        self.do(f"br label %{head}")
        self.start(head)
        now = self.op(f"load i64, ptr {place}")
        self.do(f"br i1 {self.op(f'icmp slt i64 {now}, {count}')}, label %{body}, label %{done}")
        self.start(body)
        yield now
        self.do(f"store i64 {self.op(f'add i64 {now}, 1')}, ptr {place}")
        self.do(f"br label %{head}, !llvm.loop !1")
        self.start(done)

    def note(self, what: Instruction) -> None:
        """Say something to whoever makes variants of the function."""
        self.lines.append(what)

    def finished(self, result: str) -> Handled:
        """The whole; `result` is what it gives in the end."""
        ends = [line for label, lines in self.ends.items() for line in (f"{label}:", *lines)]
        lines = [*self.head, *self.lines, f"  ret {self.result} {result}", *ends]
        return Handled(self.name, f"{self.result} @{self.name}({self.params})", f"{self.mark} {{", lines, self.linkage)
