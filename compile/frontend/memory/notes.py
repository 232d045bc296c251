"""What is noted of rows of lists, and of items of dicts, while a function is elaborated."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.memory.undo_log import Heap
from ccc.compile.frontend.values import Mutable, RecordValue
from ccc.compile.program.lam import Block, Let, Var

SEALED = "a list"


class Rows:
    """The changes of rows so far: the lists before them, and the lets that put the rows back. Which lists
    and objects that were known became rows, how often, which of these may stand in several places; what was converted.

    `elements` are the elements of loops, with what they run along; `listed` the lists of the program that were made of
    known items to read them at any index. `promoted` are the known lists that became lists of the program, `by_key` the
    loops along the values of dicts that they change, `by_items` those whose numbers have to be known, `counted` the
    numbers that loops count, with what they run along."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.changed: dict[Var, tuple[Var, str, Any]] = {}
        self.back: set[Let] = set()
        self.sources: dict[Var, Mutable] = {}
        self.times: dict[Mutable, int] = {}
        self.shared: set[Var] = set()
        self.before: dict[Var, Var] = {}
        self.elements: dict[Block, dict[Var, Var]] = {}
        self.listed: dict[Var, Mutable] = {}
        self.promoted: set[Mutable] = set()
        self.by_key: set[ast.AST] = set()
        self.by_items: set[ast.AST] = set()
        self.checks: dict[ast.AST, Any] = {}  # what is looked at behind each turn of a loop
        self.counted: dict[Var, ast.AST] = {}

    def copied(self, found: Mutable, var: Var) -> Var:
        """Note that a variable stands for a list or object that was known, which may be put into several places."""
        if isinstance(found, RecordValue) and found.original is not None:
            found = found.original
        self.sources[var] = found
        self.times[found] = self.times.get(found, 0) + 1
        if self.heap.before_block(found) or found.shared not in (False, SEALED):
            self.shared.add(var)
        return var

    def converted(self, old: Any, new: Var) -> Var:
        """Note that a list or array is another one with its items converted."""
        self.before[new] = old
        return new


class Inside:
    """What is known of the items of dicts: which may be seen elsewhere, which were changed where they stand."""

    def __init__(self) -> None:
        self.seen: dict[RecordValue, Any] = {}
        self.changed: dict[RecordValue, Any] = {}
        self.put: set[Any] = set()
        self.views: dict[Var, RecordValue] = {}
        self.either: dict[Var, list[RecordValue]] = {}
        """The dicts of which a variable is a view by the way that a branch went."""
        self.viewed: set[RecordValue] = set()
        self.shows: dict[RecordValue, Any] = {}  # what was read of a store, and the dict there
        self.copies: set[Any] = set()  # lists that were read of a dict whose keys are known, at a key that is not

    def viewed_by(self, var: Any) -> list[RecordValue]:
        """The dicts of which a variable is a view, or may be one."""
        owner = self.views.get(var)
        return self.either.get(var, []) if owner is None else [owner]
