"""What is computed of a part of an array that is about to change is computed before it changes, not of a copy.

    v = take_at(x, i)                      v = x[i]
    y = set_at(x, 0, i)                    w = v * c
    w = v * c                              y = set_at(x, 0, i)

The cotangent of what an assignment writes is taken out of the array like that, and most often multiplied with
something. It is a view then, if all that reads it stands before the change.
"""

from __future__ import annotations

from ccc.compile.passes.readers import Readers
from ccc.compile.program.lam import Apply, Block, Let, Program, Var, blocks_in
from ccc.compile.program.sharing import is_change
from ccc.objects import Array
from ccc.primitives import indexing, updating
from ccc.primitives.primitive import elementwise


def read_early(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    readers, changed = Readers(program), False
    for block in blocks_in(program.block):
        taken, places = list(filter(is_taken, block.lets)), dict[Let, int]()
        for let in taken:
            places = places or {let: n for n, let in enumerate(block.lets)}
            found = late_readers(block, let, places, readers)
            if found is None:
                continue
            changed, let.op = True, Apply(indexing.index, let.application.params)
            change, late = found
            if late:
                left = [other for other in block.lets if other not in late]
                at = left.index(change)
                block.lets[:] = [*left[:at], *late, *left[at:]]
                places.clear()
    return changed


def is_taken(let: Let) -> bool:
    """Whether a let copies what slices say of an array."""
    if not isinstance(let.op, Apply) or let.op.primitive is not updating.take_at:
        return False
    return "a" not in let.op.params["pattern"] and isinstance(let.targets[0].object, Array)


def late_readers(
    block: Block, taken: Let, places: dict[Let, int], readers: Readers
) -> tuple[Let, list[Let]] | None:
    """The change of an array, and the lets behind it that read a part which was taken before and may stand before it;
    None where something has to read that behind it, or the array does not change."""
    array, (part,) = taken.args[0], taken.targets
    behind = [let for let in readers.of[array] if isinstance(let, Let) and places.get(let, -1) > places[taken]
              and is_change(let.op) and let.args[0] is array]
    if not behind:
        return None
    change = min(behind, key=places.__getitem__)
    late = list[Let]()
    for reader in dict.fromkeys(readers.of.get(part, [])):
        if not isinstance(reader, Let) or reader not in places or not is_of_entries(reader):
            return None
        late += [reader] * (places[reader] > places[change])
    if not all(is_there(atom, block, places, places[change]) for let in late for atom in let.args):
        return None
    return change, sorted(late, key=places.__getitem__)


def is_of_entries(let: Let) -> bool:
    """Whether a let of a derivative, which raises nothing, gives an entry for entries in memory of its own."""
    return let.adjoint and isinstance(let.op, Apply) and let.op.primitive.type_rule is elementwise and (
        let.op.primitive.memory_of(let.op.params).how == "new")


def is_there(atom: object, block: Block, places: dict[Let, int], at: int) -> bool:
    """Whether a value is there before the let of a block at a position."""
    made = atom.definition if isinstance(atom, Var) and atom.home is block else None
    return made is None or places[made] < at
