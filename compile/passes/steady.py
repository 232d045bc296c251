"""Which arrays may be read later: no later version of them is made, so nothing keeps their memory from being used."""

from __future__ import annotations

from ccc.compile.program.lam import Apply, Atom, BlockKind, Branch, Call, Let, Loop, Program, Var, While, blocks_in
from ccc.primitives.primitive import is_update


def steady(program: Program) -> set[Var]:
    """The arrays of which no later version is made: to read one again keeps nothing from being overwritten. Of what a
    loop changes run by run, what it leaves is one, unless that is changed behind it."""
    found, changing, carried = set[Var](), set[Atom](), list[tuple[set[Atom], list[Atom]]]()
    for block in blocks_in(program.block):
        found.update(block.params)
        if block.kind in (BlockKind.BRANCH, BlockKind.FUNCTION):
            changing.update(block.results)
        for let in block.lets:
            op = let.op
            found.update(let.targets)
            if isinstance(op, (Loop, While)):
                for k in range(op.carries):
                    again = [op.body.params[k], let.args[k], op.body.results[k]]
                    again += [op.test.params[k]] if isinstance(op, While) else []
                    carried.append(({op.body.params[k], let.targets[k]}, again))
            elif isinstance(op, (Call, Branch)):
                changing.update(let.args)
            elif isinstance(op, Apply) and is_update(op.primitive):
                changing.update(changed_by(op, let))
    size = -1
    while size < len(changing):
        size = len(changing)
        for told, again in carried:
            if not told.isdisjoint(changing):
                changing.update(again)
    return found - changing


def changed_by(op: Apply, let: Let) -> list[Atom]:
    """The arguments of which an update makes a later version: what it changes, and what its result may hold or be."""
    p, memory = op.primitive, op.primitive.memory_of(op.params)
    return [a for i, a in enumerate(let.args) if i == p.overwrites or memory.reaches(i)]
