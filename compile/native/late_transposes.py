"""A transpose that products in loops read stands in these loops: they read the matrix as it lies.

    t = np.transpose(a)                         for x in xs: y = np.transpose(a) @ y + x
    for x in xs: y = t @ y + x

What stands before a loop is in memory there, since the loop reads it again and again: a copy of the matrix.
"""

from __future__ import annotations

from collections.abc import Collection

from ccc.compile.native.table import known
from ccc.compile.passes.readers import Readers
from ccc.compile.program.lam import Apply, Block, BlockKind, Let, Program, Var, lets_in
from ccc.objects import Array
from ccc.primitives import shaping


def put_late(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    turned = [let for let in lets_in(program.block) if turns(let)]
    if not turned:
        return False
    readers = Readers(program).of
    return any([moved(let, dict.fromkeys(readers.get(let.targets[0], ()))) for let in turned])


def moved(turned: Let, readers: Collection[Let | Block | Program]) -> bool:
    """Put a transpose where it is read, and tell whether that was done: all its readers are products in loops."""
    x = turned.targets[0]
    found = [(by, block) for by in readers if isinstance(by, Let) and known(by).columns and (
        block := by.targets[0].home) is not None and runs_again(block, x)]  # fmt: skip
    if not found or len(found) < len(readers):
        return False
    for let, block in found:
        again = Let(turned.op, turned.args, turned.span, turned.adjoint)
        here = again.target(x.name, x.object, block)
        block.lets.insert(block.lets.index(let), again)
        let.args = [here if a is x else a for a in let.args]
    x.home.lets.remove(turned)  # type: ignore[union-attr]
    return True


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
