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
from ccc.objects import Array
from ccc.primitives import indexing, updating
from ccc.primitives.primitive import elementwise


def read_early(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    taken = [(block, let) for block in blocks_in(program.block) for let in block.lets if is_taken(let)]
    if not taken:
        return False
    readers = Readers(program)
    return any([before_change(block, let, readers) for block, let in taken])


def is_taken(let: Let) -> bool:
    """Whether a let copies what slices say of an array."""
    if not isinstance(let.op, Apply) or let.op.primitive is not updating.take_at:
        return False
    return "a" not in let.op.params["pattern"] and isinstance(let.targets[0].object, Array)


def before_change(block: Block, taken: Let, readers: Readers) -> bool:
    """Let all that reads a part of an array stand before the array changes, and the part be a view; false where
    something has to read it behind that."""
    places = {let: n for n, let in enumerate(block.lets)}
    array, (part,) = taken.args[0], taken.targets
    change = next((let for let in block.lets[places[taken]:] if changes(let) and let.args[0] is array), None)
    if change is None:
        return False
    late = list[Let]()
    for reader in dict.fromkeys(readers.of.get(part, [])):
        if not isinstance(reader, Let) or reader not in places or not is_of_entries(reader):
            return False
        late += [reader] * (places[reader] > places[change])
    late.sort(key=places.__getitem__)
    if not all(is_there(atom, block, places, places[change]) for let in late for atom in let.args):
        return False
    for let in late:
        block.lets.remove(let)
    at = block.lets.index(change)
    block.lets[at:at] = late
    taken.op = Apply(indexing.index, taken.application.params)
    return True


def changes(let: Let) -> bool:
    """Whether a let puts something into its first argument."""
    return isinstance(let.op, Apply) and let.op.primitive.writes is not None


def is_of_entries(let: Let) -> bool:
    """Whether a let of a derivative, which raises nothing, gives an entry for entries in memory of its own."""
    return let.adjoint and isinstance(let.op, Apply) and let.op.primitive.type_rule is elementwise and (
        let.op.primitive.memory_of(let.op.params).how == "new")


def is_there(atom: object, block: Block, places: dict[Let, int], at: int) -> bool:
    """Whether a value is there before the let of a block at a position."""
    made = atom.definition if isinstance(atom, Var) and atom.home is block else None
    return made is None or places[made] < at
