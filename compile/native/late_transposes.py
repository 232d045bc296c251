"""A transpose that products in loops read stands in these loops: they read the matrix as it lies.

    t = np.transpose(a)                         for x in xs: y = np.transpose(a) @ y + x
    for x in xs: y = t @ y + x

What stands before a loop is in memory there, since the loop reads it again and again: a copy of the matrix.
"""

from __future__ import annotations

from ccc.compile.native.table import known
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Let, Program, Var, blocks_in
from ccc.objects import Array
from ccc.primitives import shaping


def put_late(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    blocks = list(blocks_in(program.block))
    turned = {let.targets[0]: let for block in blocks for let in block.lets if turns(let)}
    if not turned:
        return False
    readers: dict[Var, list[tuple[Block, Let]]] = {}
    kept = set[Atom]()
    for block in blocks:
        kept.update(block.results)
        for let in block.lets:
            for x in let.args:
                if isinstance(x, Var) and x in turned:
                    readers.setdefault(x, []).append((block, let))
    moved = [x for x, lets in readers.items() if x not in kept and all([
        known(let).columns and runs_again(block, x) for block, let in lets])]  # fmt: skip
    for x in moved:
        for block, let in readers[x]:
            again = Let(turned[x].op, turned[x].args, turned[x].span, turned[x].adjoint)
            here = again.target(x.name, x.object, block)
            block.lets.insert(block.lets.index(let), again)
            let.args = [here if a is x else a for a in let.args]
        x.home.lets.remove(turned[x])  # type: ignore[union-attr]
    return bool(moved)


def turns(let: Let) -> bool:
    """Whether a let gives the transpose of a matrix."""
    op = let.op
    a = let.targets[0].object if let.targets else None
    if not isinstance(op, Apply) or not isinstance(a, Array) or a.axes is None or len(a.axes) != 2:
        return False
    return op.primitive.plain is shaping.transpose and op.params.get("axes") in (None, (1, 0))


def runs_again(block: Block, x: Var) -> bool:
    """Whether a block is one that a loop around runs, in the function that binds a variable."""
    here, loops = block, False
    while here is not x.home:
        loops |= here.kind in (BlockKind.LOOP, BlockKind.TEST)
        if here.kind is BlockKind.FUNCTION or here.parent is None:
            return False
        here = here.parent
    return loops
