"""LLVM IR as text, one function at a time: instructions under fresh names, variables in memory, blocks in order.

Everything that changes lives in an `alloca`, which LLVM turns into registers, so no code here writes a phi. A part of
the text may be written later than what follows it: `gap()` marks a place, `at(gap)` writes there.

Two ways lead out of a function early. `leave(c)` leaves at once; `spoil(c)` notes that the result will not count, goes
on, and leaves at the end, which lets loops be vectorised. Whoever calls computes the result in another way then.

>>> w = Writer("f", [("double", "%x")])
>>> y = w.binary("fmul", "double", "%x", real(2.0))
>>> print(w.finished())
define internal i32 @f(double %x) "prefer-vector-width"="512" {
entry:
  %spoiled = alloca i1
  store i1 false, ptr %spoiled
  %t1 = fmul double %x, 0x4000000000000000
  %end = load i1, ptr %spoiled
  %status = zext i1 %end to i32
  ret i32 %status
}
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.compile.native.builder import Builder
from ccc.compile.native.code import (
    LEAVE,
    ROLLED,
    SPOILED,
    UNLIKELY,
    Begin,
    Cast,
    Instruction,
    Label,
    Load,
    Room,
    Store,
    Variable,
    is_name,
)
from ccc.compile.native.first_sizes import folded
from ccc.compile.native.functions import Function, Param, Return, ending
from ccc.compile.native.instructions import ADD, MUL, SDIV, SUB, Opcode
from ccc.compile.native.vectorize_loop import unrolled, vectors


def real(x: float) -> str:
    """A number of type double in IR; of type float too, where it is one.

    >>> real(1.0), real(-0.0)
    ('0x3FF0000000000000', '0x8000000000000000')
    """
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def narrowed(text: str) -> str:
    """The constant of type float that is nearest to one of type double.

    >>> narrowed(real(0.1)), narrowed(real(0.5)) == real(0.5), narrowed(real(1e300)) == real(float("inf"))
    ('0x3FB99999A0000000', True, True)
    """
    (x,) = struct.unpack("<d", struct.pack("<Q", int(text, 16)))
    try:
        return real(struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:
        return real(math.copysign(math.inf, x))


class Num:
    """A number: its type in IR (`double`, `float`, `i64`, `i1`) and its operand. `known` is its value where that is
    constant."""

    __slots__ = ("text", "type")

    def __init__(self, type_: str, text: str) -> None:
        self.type = type_
        self.text = text

    @property
    def known(self) -> int | None:
        """The value of an integer that is constant."""
        return int(self.text) if self.type == "i64" and self.text.lstrip("-").isdigit() else None


class Gap(list[Any]):
    """A place in the text, with the loops that stand around it."""

    loops: tuple[int, ...] = ()
    tests: int = 0
    plain: list[Any] | None = None
    """The same for one item at a time, where this takes several."""


UNKNOWN = ""
"""The item of what is read or written at a place that no index tells."""


class Reached(list[tuple[str, str, str]]):
    """The items, arrays and indices of what is read and written at a place; what is written meanwhile in a loop that
    began before it is left out."""

    def __init__(self, loops: tuple[int, ...], began: int) -> None:
        self.loops, self.began = loops, began

    def here(self, loops: Sequence[int]) -> bool:
        depth = len(self.loops)
        return len(loops) <= depth or abs(loops[depth]) > self.began


class Writer(Builder):
    """The text of one function under way."""

    def __init__(self, name: str, params: Sequence[tuple[str, str]], lanes: int = 0) -> None:
        self.name = name
        self.lanes = lanes
        self.declared: set[str] = set()
        self.padded: set[str] = set()  # memory of arrays in whole vectors
        self.params = params
        self.head: list[Instruction] = []
        self.body = Gap()
        self.here = self.body
        self.count = 0
        self.loops: list[int] = []
        self.innermost = True  # whether no loop has ended since the last one began
        self.guards = 0  # ways out so far
        self.tests = 0  # branches around this place, inside of the innermost loop
        self.defined: dict[str, tuple[int, ...]] = {}
        self.ages: dict[str, int] = {}  # of names, by their number
        self.makers: dict[str, Instruction] = {}
        """What makes each operand."""
        self.below: dict[str, str] = {}
        """What the index of each loop stays below."""
        self.reached: Reached | None = None
        self.runs: dict[str, Any] = {}  # of loops that take memory, see `lifetimes`
        self.given: list[tuple[str, ...]] = []  # the sizes of arrays among the arguments of the program
        self.shared: dict[str, Any] = {}  # loops that several threads may share, see `shares`
        self.made_by: dict[str, str] = {}  # the loops that make lists, by where the lists are

    # -- instructions ----------------------------------------------------------------------------------------------

    def fresh(self, hint: str = "t") -> str:
        """A name that nothing else has."""
        self.count += 1
        name = f"{hint}{self.count}"
        self.ages[f"%{name}"] = self.count
        return name

    def block(self, role: str) -> Label:
        """A block that nothing else is, for what its role says."""
        self.count += 1
        return Label(f"{role}{self.count}", role)

    def give(self, i: Instruction) -> str:
        known = folded(i)
        if known is not None:
            return known
        self.count += 1
        i.name = name = f"%t{self.count}"
        self.here.append(i)
        self.defined[name] = tuple(self.loops)
        self.ages[name] = self.count
        self.makers[name] = i
        return name

    def do(self, i: Instruction) -> None:
        self.here.append(i)

    def local(self, type_: str, count: int = 1) -> str:
        """Memory for values of a type, for one activation of the function."""
        name = Variable(f"%{self.fresh('v')}")
        self.head.append(Room(type_, name, count))
        return name

    def exact(self, i: Opcode, a: str, b: str) -> str:
        """An instruction on integers that does not overflow: of sizes and positions."""
        found = i.folded(a, b)
        return found if found is not None else self.binary(i.name, "i64", a, b, "nsw" if i.checked else "")

    def add(self, a: str, b: str) -> str:
        return self.exact(ADD, a, b)

    def sub(self, a: str, b: str) -> str:
        return self.exact(SUB, a, b)

    def mul(self, a: str, b: str) -> str:
        return self.exact(MUL, a, b)

    def sdiv(self, a: str, b: str) -> str:
        return self.exact(SDIV, a, b)

    def select(self, type_: str, test: str, a: str, b: str) -> str:
        return a if a == b else self.chosen(type_, test, a, b)

    def fill(self, at: str, byte: str, size: str) -> None:
        """Write a byte to so many places."""
        self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        self.run("llvm.memset.p0.i64", ("ptr", at), ("i8", byte), ("i64", size), ("i1", "false"))

    def splat(self, type_: str, x: str) -> str:
        """A number in all lanes of a vector."""
        vector = f"<{self.lanes} x {type_}>"
        return self.shuffled(vector, self.placed(vector, "poison", x, "0"), "poison", "zeroinitializer")

    # -- control ---------------------------------------------------------------------------------------------------

    def label(self, label: Label) -> None:
        """Start a block; what comes before has to have ended."""
        self.here.append(Begin(label))

    def choose(self, test: str, run: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """One text where the test holds, another one where it does not."""
        then, orelse, on = self.block("then"), self.block("else"), self.block("join")
        self.fork(test, then, orelse)
        for label, write in ((then, run), (orelse, otherwise)):
            self.label(label)
            write()
            self.jump(on)
        self.label(on)

    def seldom(self, test: str, type_: str, otherwise: str, run: Callable[[], str]) -> Num:
        """What `run` gives where the test holds, and `otherwise` where it does not."""
        place, behind, on = self.local(type_), self.block("seldom"), self.block("on")
        self.store(type_, otherwise, place)
        self.fork(test, behind, on, UNLIKELY)
        self.label(behind)
        self.store(type_, run(), place)
        self.jump(on)
        self.label(on)
        return Num(type_, self.load(type_, place))

    def leave(self, test: str, guards: bool = True) -> None:
        """Leave the function at once where the test holds; `guards` says whether accesses behind rely on it."""
        if test == "false":
            return
        self.guards += guards
        on = self.block("on")
        self.fork(test, LEAVE, on, UNLIKELY)
        self.label(on)

    def spoil(self, test: str) -> None:
        """From here on, where the test holds, the result does not count."""
        if test == "false":
            return
        before = self.load("i1", SPOILED)
        self.store("i1", self.binary("or", "i1", before, test), SPOILED)

    @contextmanager
    def counted(self, count: str, step: int = 1) -> Iterator[str]:
        """A loop over 0, step, ... below `count`, whose body is written within; gives the operand of the index."""
        if count == "1":
            yield "0"
            return
        with self.loop() as (before, body, done):
            i = self.local("i64")
            before.append(Store("i64", "0", i))
            now = self.load("i64", i)
            self.below[now] = count
            more = self.compare("slt", now, count)
            self.fork(more, body, done)
            self.label(body)
            yield now
            self.store("i64", self.binary("add", "i64", now, str(step), "nuw nsw"), i)

    def in_steps(self, count: str, steps: int) -> Iterator[tuple[str, int]]:
        """A loop below `count` whose body is written so many times, for runs that need not wait for each other, and
        once more for those that are left; gives the operand of the index, and which of the times this is."""
        if steps == 1:
            with self.counted(count) as now:
                yield now, 0
            return
        known = None if is_name(count) else int(count) // steps * steps
        whole = self.binary("and", "i64", count, str(-steps)) if known is None else str(known)
        with self.counted(whole, steps) as now:
            for step in range(steps):
                yield self.is_below(self.add(now, str(step)), count), step
        with self.counted(self.sub(count, whole)) as left:
            yield self.is_below(self.add(whole, left), count), 0

    def is_below(self, index: str, count: str) -> str:
        """An index that stays below a number."""
        self.below[index] = count
        return index

    @contextmanager
    def reaching(self, apart: bool = False) -> Iterator[list[tuple[str, str, str]]]:
        """Gives the items, arrays and indices of what is read and written within, item by item; where that is `apart`,
        the same is told already of one item after the other."""
        outer, self.reached = self.reached, Reached(tuple(self.loops), self.count)
        yield self.reached
        if outer is not None and not apart:
            outer += self.reached
        self.reached = outer

    def at_index(self, item: str, at: str, index: str) -> str:
        if self.reached is not None and self.reached.here(self.loops):
            self.reached.append((item, at, index))
        return super().at_index(item, at, index)

    def address(self, item: str, at: str, index: str, index_type: str = "i64", at_type: str = "ptr") -> str:
        if self.reached is not None:
            self.reached.append((UNKNOWN, at, "0"))
        return super().address(item, at, index, index_type, at_type)

    @contextmanager
    def each(self, count: str) -> Iterator[str]:
        """The same for items whose order is free: several at once where the CPU can."""
        if count == "1" or not self.lanes:
            with self.counted(count) as now:
                yield now
            return
        all_ = self.gap()
        with self.within(all_), self.counted(count) as now:
            text = self.gap()
            with self.within(text):
                yield now
        lines = list(flat(text))
        found = vectors(lines, now, count, self, self.lanes)
        if found is not None:
            self.innermost = False
            all_.plain = unrolled(lines, now, count, self) or list(all_)
            all_[:] = found.lines
            self.declared |= found.declared

    @contextmanager
    def loop(self) -> Iterator[tuple[Gap, Label, Label]]:
        """A loop: gives a gap before it and the labels of its body and of what follows. Within, the head is written,
        which ends with a fork to the two, and then the body."""
        number = self.count + 1
        self.innermost = True
        head, body, done = self.block("head"), self.block("body"), self.block("done")
        before = self.gap()
        tests, self.tests = self.tests, 0
        self.jump(head)
        self.label(head)
        self.loops.append(number)
        yield before, body, done
        self.jump(head, "" if self.innermost else ROLLED)
        self.innermost = False
        self.label(done)
        self.loops.pop()
        self.tests = tests

    def gap(self) -> Gap:
        """A place in the text that is written later."""
        gap = Gap()
        gap.loops = tuple(self.loops)
        gap.tests = self.tests
        self.here.append(gap)
        return gap

    def apart(self) -> Gap:
        """A place that stands nowhere yet."""
        gap = Gap()
        gap.loops = tuple(self.loops)
        return gap

    @contextmanager
    def within(self, gap: Gap) -> Iterator[None]:
        """Write at a place that was left."""
        here, self.here = self.here, gap
        loops, self.loops = self.loops, list(gap.loops)
        yield
        self.here, self.loops = here, loops

    def stands_before(self, operand: str, gap: Gap) -> bool:
        """Whether an operand can be read at a place: it is constant, or was computed in no loop that the place is
        not in."""
        if not is_name(operand) or operand not in self.defined:
            return True
        loops = self.defined[operand]
        return loops == gap.loops[: len(loops)]

    # -- the whole -------------------------------------------------------------------------------------------------

    def finished(self) -> Function:
        """The function."""
        lines = [
            Room("i1", SPOILED),
            *self.head,
            Store("i1", "false", SPOILED),
            *flat(self.body),
            Load("i1", SPOILED, name="%end"),
            Cast("zext", "i1", "%end", "i32", "%status"),
            Return("i32", "%status"),
        ]
        return Function(self.name, [Param(*param) for param in self.params], ending(lines))


def flat(gap: Gap, plain: bool = False) -> Iterator[Instruction]:
    """The lines of a place, those of the places in it included; `plain` ones take one item at a time."""
    for line in gap if gap.plain is None or not plain else gap.plain:
        if isinstance(line, Gap):
            yield from flat(line, plain)
        else:
            yield line
