"""Nothing reads an array behind the let that overwrites it: the rule `in-place` of `ccc.compile.program.verify`.

    u = v[1:];  w = add_at(v, 1.0, 0)  in the memory of v        v and u are not read behind it

What may share memory with the variable that is overwritten is followed through views, branches and what loops carry; an
older version is not, since it was looked at where it was overwritten itself. A reader is later that stands behind the
let, or in a loop around it where what it reads is bound before the loop. `ownership` finds the lets by following
versions forwards; this looks back from each of them, and knows nothing of how it was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Var,
    While,
    blocks_in,
)
from ccc.compile.program.sharing import memory_of, mutable, takes_off
from ccc.compile.program.verify import BrokenProgram
from ccc.objects import Array

Place = tuple[Block, float]
"""A block and where in it: the number of a let, or infinity for its results."""


def verify_in_place(block: Block, overwritten: dict[Let, int], by: str = "ownership") -> None:
    """Raise `BrokenProgram` where a let overwrites what is read later."""
    readers = Readers(block, overwritten)
    for let, position in overwritten.items():
        found = readers.later(let, let.args[position])
        if found is not None:
            var, reader = found
            raise BrokenProgram(by, "in-place", "`{}` is overwritten, and read later", reader or let, var)


class Readers:
    """Where each variable of a program is read, and what may share its memory."""

    def __init__(self, block: Block, overwritten: dict[Let, int]) -> None:
        self.places: dict[Let, Place] = {}
        self.uses: dict[Var, list[tuple[Let | None, Place, int]]] = {}
        self.calls: dict[Block, list[Let]] = {}
        for here in blocks_in(block):
            for n, let in enumerate(here.lets):
                self.places[let] = here, n
                self.read(let.args, let, (here, n))
                made = let.args[0].definition if isinstance(let.op, Call) and isinstance(let.args[0], Var) else None
                if made is not None and isinstance(made.op, Lambda):
                    self.calls.setdefault(made.op.body, []).append(let)
            self.read(here.results, None, (here, math.inf))
        self.writes: set[tuple[Let, int]] = set()
        todo = list(overwritten.items())
        while todo:
            let, i = todo.pop()
            if (let, i) not in self.writes:
                self.writes.add((let, i))
                todo += [found for var in origins(let.args[i]) for found in self.around(var)]

    def around(self, var: Any) -> list[tuple[Let, int]]:
        """The loop or the calls that give what a variable is in a block, and their arguments: they overwrite them where
        the variable is overwritten."""
        home = var.home if isinstance(var, Var) and var.definition is None else None
        if home is not None and home.kind is BlockKind.FUNCTION:
            return [(call, home.params.index(var) + 1) for call in self.calls.get(home, ())]
        found = carried(var)
        return [] if found is None else [found]

    def read(self, atoms: list[Atom], let: Let | None, place: Place) -> None:
        for i, atom in enumerate(atoms):
            if isinstance(atom, Var):
                self.uses.setdefault(atom, []).append((let, place, i))

    def later(self, let: Let, overwritten: Any) -> tuple[Var, Let | None] | None:
        """A variable that may share the memory that a let overwrites, and the let that reads it later, or None for the
        results of a block."""
        seen = set[Var]()
        todo: list[tuple[Let, Any]] = [(let, overwritten)]
        while todo:
            writer, var = todo.pop()
            if not isinstance(var, Var) or var in seen:
                continue
            seen.add(var)
            for reader, place, _ in self.uses.get(var, ()):
                if reader is not writer and self.is_later(var, place, writer):
                    return var, reader
            if var in writer.args and self.is_run_again(var, self.places[writer][0]):
                return var, writer
            if (kept := self.kept(var)) is not None:
                return kept, None
            todo += [(writer, other) for other in self.sharing(var, writer, isinstance(overwritten.object, Array))]
            todo += [(giver, giver.args[i]) for giver, i in self.around(var)]
        return None

    def is_later(self, var: Var, place: Place, writer: Let) -> bool:
        """Whether a reader of a variable comes after a let, in the same run of the blocks around both or in a later one
        of a block that does not bind the variable."""
        read = dict(self.outward(place))
        for block, n in self.outward(self.places[writer]):
            if block in read:
                within = self.places[writer] == (block, n) == (block, read[block])
                return within or n < read[block] or self.is_run_again(var, block)
        return False

    def is_run_again(self, var: Var, block: Block) -> bool:
        """Whether a block is one, or stands in one, that runs more than once for one value of a variable."""
        for here in block.ancestors():
            if here is var.home:
                return False
            if here.kind in (BlockKind.LOOP, BlockKind.TEST, BlockKind.FUNCTION):
                return here not in enclosing(var)
        return False

    def outward(self, place: Place) -> Iterator[Place]:
        """A place in its block, and in those around it."""
        block, n = place
        while True:
            yield block, n
            if block.owner is None:
                return
            block, n = self.places[block.owner]

    def kept(self, var: Var) -> Var | None:
        """What the run before gives as a carry that is overwritten now, if it gives it in another place as well."""
        found = carried(var)
        if found is None:
            return None
        loop, k = found
        body = loop.op.blocks[-1]
        seen = {var}
        todo: list[Any] = [body.results[k]]
        while todo:
            given = todo.pop()
            if isinstance(given, Var) and given not in seen:
                seen.add(given)
                if any(reader is None and block is body and i != k
                       for reader, (block, _), i in self.uses.get(given, ())):
                    return given
                todo += [x for x in self.sharing(given, loop, isinstance(var.object, Array)) if body in enclosing(x)]
        return None

    def sharing(self, var: Var, writer: Let, arrays: bool) -> Iterator[Var]:
        """The variables that may share the memory of one: none of an older or newer version, nor by an arm that is not
        taken where the writer runs. If what is overwritten is an array, lists and tuples hold it."""
        yield from (a for a in self.made_of(var) if isinstance(a, Var))
        for let, (block, _), i in self.uses.get(var, ()):
            owner = block.owner if let is None else let
            holder = arrays and not isinstance(var.object, Array)  # which holds the same array when it changes
            if owner is None or (let is not None and (let, i) in self.writes and not holder):
                continue
            if let is None and isinstance(owner.op, Branch):
                running = list(self.places[writer][0].ancestors())
                if block in running or not any(arm in running for arm in owner.op.blocks):
                    yield owner.targets[i]
            elif let is None and isinstance(owner.op, (Loop, While)) and (arrays or i < owner.op.carries) and (
                    block is owner.op.body):
                yield owner.targets[i]
            elif let is not None and takes_off(writer, let):
                continue
            elif let is not None and (i in viewed(let) or (arrays and holds(let, i))):
                yield let.targets[0]
            elif let is not None and isinstance(let.op, (Loop, While)) and i < let.op.carries:
                yield let.targets[i]

    def made_of(self, var: Var) -> list[Atom]:
        """What a variable may be, or be a view of."""
        let = var.definition
        if let is None:
            found = carried(var)
            result = None if found is None else found[0].op.blocks[-1].results[found[1]]
            outside = isinstance(result, Var) and var.home not in enclosing(result)
            return [result] if outside else []  # type: ignore[list-item]
        if isinstance(let.op, Branch):
            return [arm.results[let.targets.index(var)] for arm in let.op.blocks]
        if isinstance(let.op, (Loop, While)):
            k = let.targets.index(var)
            result = let.op.body.results[k]
            return [] if k >= let.op.carries else [result] if (let, k) in self.writes else [let.args[k], result]
        return [let.args[i] for i in viewed(let) if (let, i) not in self.writes]


def origins(var: Any) -> Iterator[Any]:
    """A variable, and what it may be or be a view of in its block, in arms of branches and in what loops leave."""
    todo, seen = [var], set[Any]()
    while todo:
        here = todo.pop()
        if isinstance(here, Var) and here not in seen:
            seen.add(here)
            yield here
            let = here.definition
            if let is not None and isinstance(let.op, Branch):
                todo += [arm.results[let.targets.index(here)] for arm in let.op.blocks]
            elif let is not None and isinstance(let.op, (Loop, While)):
                k = let.targets.index(here)
                todo += [let.args[k], let.op.body.results[k]] if k < let.op.carries else []
            elif let is not None:
                todo += [let.args[i] for i in viewed(let)]


def enclosing(var: Var) -> list[Block]:
    """The block that binds a variable, and those around that."""
    return [] if var.home is None else list(var.home.ancestors())


def holds(let: Let, i: int) -> bool:
    """Whether a let gives a list, tuple or map that may hold an array, or what holds one."""
    op = let.op
    return isinstance(op, Apply) and mutable(let.args[i].object) and memory_of(op).reaches(i) and (
        mutable(let.targets[0].object) and not isinstance(let.targets[0].object, Array))


def carried(var: Any) -> tuple[Let, int] | None:
    """The loop whose body takes a variable as one that it carries, and which of these it is."""
    if not isinstance(var, Var) or var.definition is not None or var.home is None or var.home.owner is None:
        return None
    loop = var.home.owner
    if not isinstance(loop.op, (Loop, While)) or var.home is not loop.op.body:
        return None
    k = var.home.params.index(var)
    return (loop, k) if k < loop.op.carries else None


def viewed(let: Let) -> list[int]:
    """The arrays among the arguments of a let that its result may share memory with."""
    op = let.op
    if not isinstance(op, Apply) or not isinstance(let.targets[0].object, Array):
        return []
    memory = memory_of(op)
    return [i for i, a in enumerate(let.args) if isinstance(a.object, Array) and memory.reaches(i)]
