"""Lists and records that change while a function is elaborated: what a branch or loop does to one is undone behind it.

Each block of a branch, loop or nested function is elaborated on the contents that were there before it. What it changed
is kept beside the block; where two branches meet, the contents are joined part by part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ccc.compile.frontend.values import NOT_YET, Frame, Mutable, _serials
from ccc.compile.program.lam import Block

T = TypeVar("T")
Changes = dict[Mutable, Any]


class Slot(Mutable):
    """A name of an activation that a call in it changes: what the call does to it in a branch is undone behind that."""

    __slots__ = ("frame", "name")

    def __init__(self, frame: Frame, name: str) -> None:
        super().__init__(shared=False)
        self.serial = frame.serial
        self.frame = frame
        self.name = name

    def contents(self) -> list[Any]:
        return [self.frame.env.get(self.name, NOT_YET)]

    def restore(self, contents: list[Any]) -> None:
        self.frame.env = {**self.frame.env, self.name: contents[0]}


def is_name_of(found: Mutable, frame: Frame | None) -> bool:
    """True for a name of an activation, whose own branches and loops look after it."""
    return isinstance(found, Slot) and found.frame is frame


def same_contents(a: Any, b: Any) -> bool:
    """Whether a list or record holds the very things that it held, or equal numbers and texts."""
    keys = (a.keys(), b.keys()) if isinstance(a, dict) else (len(a), len(b))
    if keys[0] != keys[1]:
        return False
    pairs = [(a[key], b[key]) for key in a] if isinstance(a, dict) else zip(a, b, strict=True)
    return all(x is y or (type(x) is type(y) and isinstance(x, (int, float, str)) and x == y) for x, y in pairs)


class Heap:
    """The changes under way, inner blocks last, and those of finished blocks."""

    def __init__(self) -> None:
        self.open: list[tuple[int, Changes]] = []
        self.blocks: list[int] = []
        self.changes: dict[Block, Changes] = {}
        self.started: dict[Block, int] = {}
        self.going_on: list[tuple[Block, int]] = []

    def begin(self, block: Block) -> None:
        """From now on, keep what is overwritten; what stands for the arguments of the block is made in it."""
        self.open.append((next(_serials), {}))
        self.blocks.append(self.open[-1][0])
        for param in block.params:
            param.serial = next(_serials)

    def end(self, block: Block) -> None:
        """Undo what was changed since the last `begin`, and keep it beside the block."""
        start, before = self.open.pop()
        self.blocks.pop()
        self.started[block] = start
        self.changes[block] = {found: found.contents() for found in before}
        for found, contents in before.items():
            found.restore(contents)

    def further(self, block: Block, run: Callable[[], T]) -> T:
        """What `run` gives where a block that has ended goes on: it finds what the block changed, and what it changes
        is the block's too. Within that the block goes on already."""
        if self.going_on and self.going_on[-1] == (block, len(self.open)):
            return run()
        changed = self.changes.get(block, {})
        before = {found: found.contents() for found in changed}
        for found, contents in changed.items():
            found.restore(contents)
        start = self.started.setdefault(block, next(_serials))
        self.open.append((start, before))
        self.blocks.append(start)
        self.going_on.append((block, len(self.open)))
        try:
            return run()
        finally:
            self.going_on.pop()
            self.open.pop()
            self.blocks.pop()
            self.changes[block] = {found: found.contents() for found in before}
            for found, contents in before.items():
                found.restore(contents)

    def begin_attempt(self) -> None:
        """From now on, keep what is overwritten, in case that it has to be undone."""
        self.open.append((next(_serials), {}))

    def end_attempt(self, *, undo: bool) -> None:
        """Undo what was changed since the last `begin_attempt`, or leave it."""
        _, before = self.open.pop()
        for found, contents in before.items():
            if undo:
                found.restore(contents)
            elif self.open and found.serial < self.open[-1][0]:
                self.open[-1][1].setdefault(found, contents)

    def noting(self, run: Callable[[], Any]) -> tuple[Any, bool]:
        """What `run` gives, and whether it changed what was there before."""
        self.begin_attempt()
        try:
            value = run()
            return value, bool(self.open[-1][1])
        finally:
            self.end_attempt(undo=False)

    def before_change(self, found: Mutable) -> None:
        """To be called before a list or record is changed."""
        if self.open:
            start, saved = self.open[-1]
            if found.serial < start and found not in saved:
                saved[found] = found.contents()

    def write(self, found: Mutable, contents: Any) -> None:
        """Give a list or record new contents."""
        self.before_change(found)
        found.restore(contents)

    def after(self, block: Block, found: Mutable) -> Any:
        """What a list or record holds behind a block."""
        changes = self.changes.get(block, {})
        return changes[found] if found in changes else found.contents()

    def changed(self, *blocks: Block) -> list[Mutable]:
        """What blocks changed of what was there before them."""
        return list(dict.fromkeys([found for block in blocks for found in self.changes.get(block, {})]))

    def changed_since(self, depth: int) -> list[Mutable]:
        """What was there before the block that was begun at this depth, and is not now what it was then."""
        earliest: Changes = {}
        for _, before in self.open[depth:]:
            earliest = before | earliest
        start = self.open[depth][0]
        return [found for found, contents in earliest.items()
                if found.serial < start and not same_contents(contents, found.contents())]

    def before_block(self, found: Mutable) -> bool:
        """True for what was made before the innermost block that is being elaborated."""
        return bool(self.blocks) and found.serial < self.blocks[-1]

    def older(self, block: Block, found: Mutable) -> bool:
        """True for what was made before the block."""
        return found.serial < self.started.get(block, 0)
