"""Where the pointers of a text go: Steensgaard's analysis, in which memories that one pointer may point to are one.

    %p = call ptr @ccc_alloc(...)           a request: a memory of its own
    %q = getelementptr ..., ptr %p, ...     points into the same
    store ptr %q, ptr %at                   what the memory of %at points to is the memory of %q
    %r = load ptr, ptr %at                  and that of %r

Reference: Steensgaard, Points-to analysis in almost linear time, POPL 1996.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

REQUEST = re.compile(r"  (%\w+) = call ptr @ccc_(?:alloc|next)\(ptr %arena, ")
CALLED = re.compile(r"  %\w+ = call i32 @f\d+\(ptr %arena, ptr (%\w+)(.*)\)$")
POINTERS = re.compile(r"ptr>? (%\w+)")
LOADED = re.compile(r"  (%\w+) = load (?:<\d+ x )?ptr>?, ptr (%\w+)")
STORED = re.compile(r"  store (?:<\d+ x )?ptr>? (%\w+), ptr (%\w+)")
ADDRESS = re.compile(r"  (%\w+) = getelementptr .*?\bptr>? (%\w+)")
JOINING = re.compile(r"  (%\w+) = (?:select|insertelement|shufflevector|extractelement) .*\bptr\b")
COPIED = re.compile(r"  call void @llvm\.memcpy\S*\(ptr (%\w+), ptr (%\w+)")
WIDELY = re.compile(r"masked\.(?:store|scatter)\.v\d+p0\S*\(<\d+ x ptr> (%\w+), (?:<\d+ x )?ptr>? (%\w+)")
GATHERED = re.compile(r"  (%\w+) = call <\d+ x ptr> @llvm\.masked\.\w+\.v\d+p0\S*\((?:<\d+ x )?ptr>? (%\w+)")
MADE = re.compile(r"  (%\w+) = ")


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

    def __init__(self, text: Sequence[str]) -> None:
        self.memories: dict[str, Memory] = {}
        self.made: set[str] = set()
        self.requests: dict[int, Memory] = {}  # by the line
        self.calls: list[tuple[Memory, Memory]] = []
        for n, line in enumerate(text):
            made = MADE.match(line)
            if made:
                self.made.add(made[1])
            if "ptr" in line:
                self.read(n, line)
        for results, own in self.calls:  # what a function made may point to itself
            if results.pointee().points_to is not None:
                one(results.pointee().pointee(), own)
                one(results.pointee(), own)

    def of(self, name: str) -> Memory:
        return self.memories.setdefault(name, Memory()).root()

    def read(self, n: int, line: str) -> None:
        if found := REQUEST.match(line):
            self.requests[n] = self.of(found[1])
        elif found := CALLED.match(line):
            own = self.requests[n] = Memory()
            results = self.of(found[1])
            for name in POINTERS.findall(found[2]):
                one(own, self.of(name))
            one(results.pointee(), own)
            self.calls.append((results, own))
        elif (found := LOADED.match(line)) or (found := GATHERED.match(line)):
            one(self.of(found[2]).pointee(), self.of(found[1]))
        elif (found := STORED.match(line)) or (found := WIDELY.search(line)):
            self.of(found[2]).changes = True
            one(self.of(found[2]).pointee(), self.of(found[1]))
        elif found := ADDRESS.match(line):
            one(self.of(found[1]), self.of(found[2]))
        elif found := COPIED.match(line):
            self.of(found[1]).changes = True
            one(self.of(found[1]).pointee(), self.of(found[2]).pointee())
        elif found := JOINING.match(line):
            for name in POINTERS.findall(line):
                one(self.of(found[1]), self.of(name))

    def given_out(self, out: Sequence[str]) -> set[Memory]:
        """The memories to which pointers are stored in what was there before, variables of the loop apart."""
        todo = [self.of(name).points_to for name in self.memories if name in out or (
            self.of(name).changes and name not in self.made and not name.startswith("%v"))]
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
