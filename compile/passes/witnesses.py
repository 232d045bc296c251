"""What a loop reads for its shape alone: another value of that shape stands for it, which the loop reads anyway.

    for x, y in xs, ys: ... expanded(d, y) ... f(x)        for x in xs: ... expanded(d, x) ... f(x)

The list of it goes then, where nothing else reads it.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.program.lam import Apply, Let, Loop, Program, Var, blocks_in
from ccc.compile.program.shapes import Shapes


def witnessed(program: Program, shapes: Shapes) -> None:
    """Rewrite a program in place."""
    blocks = blocks_in(program.block)
    read: set[Any] = {a for block in blocks for let in block.lets for a in values_read(let)}
    read.update(*[block.results for block in blocks])
    found: dict[Var, Any] = {}
    for block in blocks:
        op = block.owner.op if block.owner is not None else None
        if not isinstance(op, Loop):
            continue
        elements = [(param, shapes.of(param)) for param in block.params[op.carries :]]
        at_hand = {(shape, param.object): param for param, shape in reversed(elements) if param in read}
        for param, shape in elements:
            if param not in read and shape is not None and (shape, param.object) in at_hand:
                found[param] = at_hand[shape, param.object]
    if found:
        substitute(program, found)


def values_read(let: Let) -> list[Any]:
    """The arguments of a let of which more is read than the shape."""
    sized = let.op.primitive.sizes if isinstance(let.op, Apply) else ()
    return [a for i, a in enumerate(let.args) if i not in sized]
