"""Which updates may happen in place: those of a value that the program made and that nothing else can see.

A value made by `zeros_like` and the like is followed through its uses: as long as each version of it is read exactly
once, by the update that makes the next, by both arms of a branch, or by a loop that carries it, the update may
overwrite.
"""

from __future__ import annotations

from typing import Any

from ccc.objects import Array
from ccc.primitives import arithmetic, indexing, structure
from compile.lam import Apply, Block, Branch, Let, Loop, Var, While

FRESH = frozenset({"zeros_like", "add_at", "stack_rows", "add_item", "copy", "own"})
UPDATES = (indexing.add_at, structure.add_item, arithmetic.add, structure.add_trees)

Use = tuple[Any, int]
"""A let and the position among its arguments, or a block and the position among its results."""


def in_place(block: Block) -> set[Let]:
    """The lets of a program whose first argument may be overwritten by their result."""
    analysis = Ownership(block)
    return analysis.marked


class Ownership:
    """The uses of every variable, and the updates found to be safe."""

    def __init__(self, block: Block) -> None:
        self.uses: dict[Var, list[Use]] = {}
        self.marked: set[Let] = set()
        made: list[Var] = []
        todo = [block]
        while todo:
            here = todo.pop()
            for let in here.lets:
                for i, atom in enumerate(let.args):
                    if isinstance(atom, Var):
                        self.uses.setdefault(atom, []).append((let, i))
                if isinstance(let.op, Apply) and let.op.primitive.name in FRESH:
                    made += let.targets
                todo += let.op.blocks
            for i, atom in enumerate(here.results):
                if isinstance(atom, Var):
                    self.uses.setdefault(atom, []).append((here, i))
        for var in made:
            _, marks = self.follow(var)
            self.marked.update(marks)

    def follow(self, var: Var) -> tuple[Var, list[Let]]:
        """The last version of a value reached by safe updates, and these."""
        marks: list[Let] = []
        while True:
            step = self.step(var)
            if step is None:
                return var, marks
            var, found = step
            marks += found

    def step(self, var: Var) -> tuple[Var, list[Let]] | None:
        uses = self.uses.get(var, [])
        if len(uses) == 1:
            user, position = uses[0]
            if isinstance(user, Let) and user.targets:
                return self.through(user, position, var)
        if len(uses) == 2:
            return self.through_branch(uses, var)
        return None

    def through(self, let: Let, position: int, var: Var) -> tuple[Var, list[Let]] | None:
        op = let.op
        if isinstance(op, Apply) and position == 0 and op.primitive in UPDATES and overwritable(let):
            return let.targets[0], [let]
        if isinstance(op, Loop | While) and position < op.carries:
            last, marks = self.follow(op.body.params[position])
            if self.uses.get(last) == [(op.body, position)]:
                return let.targets[position], marks
        return None

    def through_branch(self, uses: list[Use], var: Var) -> tuple[Var, list[Let]] | None:
        """Both arms of one branch go on with the value and yield it at the same place."""
        arms: list[tuple[Block, int, list[Let]]] = []
        for user, position in uses:
            if isinstance(user, Block):
                arms.append((user, position, []))
                continue
            step = self.through(user, position, var)
            if step is None:
                return None
            last, marks = self.follow(step[0])
            ends = self.uses.get(last, [])
            if len(ends) != 1 or not isinstance(ends[0][0], Block):
                return None
            arms.append((ends[0][0], ends[0][1], step[1] + marks))
        (a, i, first), (b, j, second) = arms
        owner = a.owner
        if a is b or i != j or owner is None or owner is not b.owner or not isinstance(owner.op, Branch):
            return None
        return owner.targets[i], first + second


def overwritable(let: Let) -> bool:
    """The result has the dtype and shape of what it overwrites."""
    if not isinstance(let.op, Apply) or let.op.primitive is not arithmetic.add:
        return True
    a, b, y = let.args[0].object, let.args[1].object, let.targets[0].object
    if not (isinstance(a, Array) and a == y and a.axes and "?" not in a.axes):
        return False
    return not isinstance(b, Array) or (b.dtype == a.dtype and b.axes is not None)
