"""What is known in each block: which alternatives of sums are left, outcomes of tests, parts of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.program.lam import Block, Var


class Facts:
    """What is known in each block of the sums that it sees: the tags that are left, and the one alternative, opened;
    and the objects that it takes apart."""

    def __init__(self) -> None:
        self.left: dict[Block, dict[Any, set[Any]]] = {}
        self.opened: dict[Block, dict[Any, Any]] = {}
        self.outcomes: dict[Block, dict[Var, bool]] = {}
        self.objects: dict[Block, dict[Any, Any]] = {}

    def saved(self, block: Block) -> Any:
        """What is known in a block, to be restored where it is elaborated again."""
        return [dict(known.get(block, {})) for known in (self.left, self.opened, self.outcomes, self.objects)]

    def restore(self, block: Block, saved: Any) -> None:
        self.left[block], self.opened[block], self.outcomes[block], self.objects[block] = saved

    def object(self, block: Block, key: Any, taken_apart: Callable[[Any], Any]) -> Any:
        """An object of the program with its parts, or a part at a place in a store, read where it is seen first."""
        for around in block.ancestors():
            found = self.objects.get(around, {}).get(key)
            if found is not None:
                return found
        found = self.objects.setdefault(block, {})[key] = taken_apart(key)
        return found
