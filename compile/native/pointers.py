"""Where the pointers of a text go: Steensgaard's analysis, in which memories that one pointer may point to are one.

    %p = call ptr @ccc_alloc(...)           a request: a memory of its own
    %q = getelementptr ..., ptr %p, ...     points into the same
    store ptr %q, ptr %at                   what the memory of %at points to is the memory of %q
    %r = load ptr, ptr %at                  and that of %r

Reference: Steensgaard, Points-to analysis in almost linear time, POPL 1996.
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.code import (
    ARENA,
    Address,
    Call,
    Choice,
    Freeze,
    Instruction,
    Lane,
    Load,
    Placed,
    Request,
    Shuffle,
    Store,
    Variable,
    is_name,
    item_of,
)

JOINING = (Choice, Placed, Shuffle, Lane, Freeze)
"""What gives one of its operands, or several in one vector."""


class Memory:
    """What is known of a memory: what its pointers point to, and the requests that it may be of."""

    def __init__(self) -> None:
        self.same_as: Memory | None = None
        self.points_to: Memory | None = None
        self.changes = False  # whether pointers are stored in it

    def root(self) -> Memory:
        here = self
        while here.same_as is not None:
            here = here.same_as
        return here

    def pointee(self) -> Memory:
        here = self.root()
        if here.points_to is None:
            here.points_to = Memory()
        return here.points_to.root()


def one(a: Memory, b: Memory) -> None:
    """Two memories are one as far as is known, and so is what they point to."""
    a, b = a.root(), b.root()
    if a is b:
        return
    b.same_as = a
    a.changes = a.changes or b.changes
    if b.points_to is not None:
        if a.points_to is None:
            a.points_to = b.points_to
        else:
            one(a.points_to, b.points_to)


class Flow:
    """Where the pointers of a text go."""

    def __init__(self, text: Sequence[Instruction]) -> None:
        self.memories: dict[str, Memory] = {}
        self.made: set[str] = set()
        self.requests: dict[int, Memory] = {}  # by the line
        self.calls: list[tuple[Memory, Memory]] = []
        for n, line in enumerate(text):
            if line.name:
                self.made.add(line.name)
            self.read(n, line)
        for results, own in self.calls:  # what a function made may point to itself
            if results.pointee().points_to is not None:
                one(results.pointee().pointee(), own)
                one(results.pointee(), own)

    def of(self, name: str) -> Memory:
        return self.memories.setdefault(name, Memory()).root()

    def read(self, n: int, line: Instruction) -> None:
        match line:
            case Request(operands=(arena, _)) if arena == ARENA:
                self.requests[n] = self.of(line.name)
            case Call(inner=True):
                own = self.requests[n] = Memory()
                results, *others = [self.of(name) for name in pointers(line) if name != ARENA]
                for other in others:
                    one(own, other)
                one(results.pointee(), own)
                self.calls.append((results, own))
            case Load() if item_of(line.type) == "ptr" and is_name(line.at):
                self.read_from(line.at, line.name)
            case Store() if item_of(line.of) == "ptr" and is_name(line.value) and is_name(line.at):
                self.written(line.value, line.at)
            case Address() if is_name(line.operands[0]):
                one(self.of(line.name), self.of(line.operands[0]))
            case Call():
                self.called(line)
            case _ if isinstance(line, JOINING):
                for name in pointers(line):
                    one(self.of(line.name), self.of(name))

    def called(self, line: Call) -> None:
        """A call of a function that only moves what is in memory."""
        names = pointers(line)
        if line.intrinsic == "memcpy" and len(names) > 1:
            self.of(names[0]).changes = True
            one(self.of(names[0]).pointee(), self.of(names[1]).pointee())
        elif line.intrinsic in ("masked.store", "masked.scatter") and item_of(line.given[0]) == "ptr":
            if len(names) > 1:
                self.written(names[0], names[1])
        elif line.intrinsic in ("masked.load", "masked.gather") and item_of(line.type) == "ptr" and names:
            self.read_from(names[0], line.name)

    def read_from(self, at: str, name: str) -> None:
        one(self.of(at).pointee(), self.of(name))

    def written(self, value: str, at: str) -> None:
        self.of(at).changes = True
        one(self.of(at).pointee(), self.of(value))

    def given_out(self, out: Sequence[str]) -> set[Memory]:
        """The memories to which pointers are stored in what was there before, variables of the loop apart."""
        todo = [self.of(name).points_to for name in self.memories if name in out or (
            self.of(name).changes and name not in self.made and not isinstance(name, Variable))]
        found: set[Memory] = set()
        while todo:
            here = todo.pop()
            if here is not None and here.root() not in found:
                found.add(here.root())
                todo.append(here.root().points_to)
        return found

    def reached(self, slots: Sequence[str]) -> set[Memory]:
        """The memories that the pointers in variables lead to."""
        found: set[Memory] = set()
        for name in slots:
            here = self.of(name).points_to
            while here is not None and here.root() not in found:
                found.add(here.root())
                here = here.root().points_to
        return found


def pointers(line: Instruction) -> list[str]:
    """The operands that are pointers, or vectors of them, and have names."""
    return [x for t, x in zip(line.types(), line.operands, strict=True) if item_of(t) == "ptr" and is_name(x)]
