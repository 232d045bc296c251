"""Lists and records that change while a function is elaborated: what a branch or loop does to one is undone behind it.

Each block of a branch, loop or nested function is elaborated on the contents that were there before it. What it changed
is kept beside the block; where two branches meet, the contents are joined part by part.
"""

from __future__ import annotations

from typing import Any

from compile.diagnostics import unsupported
from compile.lam import Block
from compile.values import Mutable, _serials

Elaboration = Any
Changes = dict[Mutable, Any]


class Heap:
    """The changes under way, inner blocks last, and those of finished blocks."""

    def __init__(self) -> None:
        self.open: list[tuple[int, Changes]] = []
        self.blocks: list[int] = []
        self.changes: dict[Block, Changes] = {}
        self.started: dict[Block, int] = {}

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

    def before_block(self, found: Mutable) -> bool:
        """True for what was made before the innermost block that is being elaborated."""
        return bool(self.blocks) and found.serial < self.blocks[-1]

    def older(self, block: Block, found: Mutable) -> bool:
        """True for what was made before the block."""
        return found.serial < self.started.get(block, 0)


def change(e: Elaboration, found: Mutable, what: str, node: Any, frame: Any) -> None:
    """Refuse to change what others see; else note that it changes now."""
    if found.shared:
        who = found.shared if isinstance(found.shared, str) else "the caller"
        raise unsupported("CC011", f"{what} would change something that is visible elsewhere", e.place(node, frame),
                          f"{who} sees it too", help="make a new one, with dataclasses.replace, dict(...) or list(...)")
    e.heap.before_change(found)
