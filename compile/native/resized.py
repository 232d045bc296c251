"""Arrays that loops carry and whose sizes change from run to run, as far as expressions of sizes tell.

    for _ in t from x:                  a level of a wavelet: half as many items
        -> x[0::2] + x[1::2]

Which sizes a run leaves is an expression of those that it begins with. Where that gives another number in an example,
the array has its sizes beside it, as have arrays of unknown sizes in loops along what such a loop gives out. Of all
others the code checks that they stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ccc.compile.native.unmade import unmade
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Atom, Block, Loop, Program, Var, While, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.objects import Array
from ccc.primitives.sizes import Common, Dim, Size, dim, value_of

EXAMPLE = 97
"""The size of each axis in the example."""


def resized(program: Program) -> set[Var]:
    """All variables whose sizes are not those of what a loop begins with: the others are `unmade`."""
    block = program.block
    carried = list(carries(block))
    shapes = shapes_of(program) if carried else None
    unknown = [(op, params, x) for op, params, x in carried
               if shapes and params[-1] in shapes.numbering.numbers and shapes.of(params[-1]) is None]
    if shapes is None or not unknown:
        return unmade(block)
    own = changing(shapes, [(params[-1], x) for _, params, x in unknown])
    changed = [param for _, params, _ in unknown if params[-1] in own for param in params]
    found = unmade(block, changed)
    for op, params, _ in unknown:
        if isinstance(op, Loop) and not found.isdisjoint(op.body.params[op.carries :]):
            changed += params
    return unmade(block, changed)


def carries(block: Block) -> Iterator[tuple[Loop | While, list[Var], Atom]]:
    """The arrays that loops carry, as the variables of them in a run, and what the next run begins with."""
    for here in blocks_in(block):
        for op in [let.op for let in here.lets]:
            if isinstance(op, Loop | While):
                columns = [b.params[: op.carries] for b in op.blocks]
                for *params, result in zip(*columns, op.blocks[-1].results[: op.carries], strict=True):
                    if isinstance(params[-1].object, Array) and params[-1].object.axes:
                        yield op, params, result


def changing(shapes: Shapes, carried: list[tuple[Var, Atom]]) -> set[Var]:
    """The variables of which a run leaves other sizes, if it begins with sizes of their own."""
    known = shapes.found
    numbers = {param: shapes.numbering.of(param) for param, _ in carried}
    shapes.found = {number: shape for number, shape in known.items() if shape is not None}
    shapes.found.update({number: shapes.own(number) for number in numbers.values()})
    found = {param for param, x in carried for axis, size in enumerate(shapes.of(x) or ())
             if differs(size, dim(numbers[param], axis))}
    shapes.found = known
    return found


def differs(size: Size, before: Size) -> bool:
    """Whether a size, or one that is broadcast to it, is another one than before, in the example.

    >>> n = dim("x", 0)
    >>> [differs(size, n) for size in (n, n + n, dim("y", 0))]
    [False, True, False]
    """
    (atom, k), *more = size.terms or [(None, 0)]
    sizes = atom.sizes if isinstance(atom, Common) and k == 1 and not more and not size.constant else [size]
    return before not in sizes and any(value_of(n, example) not in (None, 1, EXAMPLE) for n in sizes)


def example(atom: Any) -> int | None:
    return EXAMPLE if isinstance(atom, Dim) else None
