"""Arrays of which only the sizes are read: the cotangent of a part has the sizes of the part, and no more of it.

    t = x[:-1];  y = np.concatenate([a, t])          dt = piece(dy, a, t):  how many items a and t have

What such an array is made of is not computed for it. An elementwise result, or a slice, of which only the sizes are
read reads no more than sizes itself.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.native.table import applies
from ccc.compile.program.lam import Apply, Block, Let, Var, blocks_in, lets_in
from ccc.objects import Array
from ccc.primitives import indexing
from ccc.primitives.primitive import elementwise


def shapes_only(block: Block) -> set[Var]:
    """The arrays of a program that are made by an operation, and of which only the sizes are read."""
    read: set[Any] = {x for inner in blocks_in(block) for x in inner.results}
    found: set[Var] = set()
    for let in reversed(list(lets_in(block))):  # what reads a variable stands behind it
        op = let.op
        if not isinstance(op, Apply):
            read.update(let.args)
            continue
        sizes = from_sizes(let) and let.targets[0] not in read
        if sizes:
            found.update(let.targets)
        for i, x in enumerate(let.args):
            if not isinstance(x.object, Array) or not (sizes or i in op.primitive.sizes):
                read.add(x)
    return found


def from_sizes(let: Let) -> bool:
    """Whether the sizes of what a let gives follow from those of the arrays that it is given, and numbers."""
    op = let.op
    assert isinstance(op, Apply)
    if len(let.targets) != 1 or not isinstance(let.targets[0].object, Array) or op.primitive.effect:
        return False
    slices = applies(let, indexing.index) and all(code[0] == "s" for code in op.params["pattern"])
    return slices or (op.primitive.type_rule is elementwise and not op.params)
