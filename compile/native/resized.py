"""Arrays that loops carry and whose sizes change from run to run, as far as expressions of sizes tell.

    for _ in t from x:                  a level of a wavelet: half as many items
        -> x[0::2] + x[1::2]

Which sizes a run leaves is an expression of those that it begins with. Where that gives another number in an example,
or follows from whole numbers or a mask of the run, as in `x[: i + 1]`, or from an array that a list holds, as in
`for w in layers: x = x @ w`, the array has its sizes beside it, as have arrays of unknown sizes in loops along what
such a loop gives out. Of all others the code checks that they stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeGuard

from ccc.compile.native.unmade import unmade
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, Let, Loop, Program, Var, While, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.objects import Array, Int, List
from ccc.primitives.sizes import Common, Dim, Size, dim, dims_in, value_of

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
    own = changing(shapes, [(params[-1], x, op) for op, params, x in unknown])
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
            if isinstance(op, (Loop, While)):
                columns = [b.params[: op.carries] for b in op.blocks]
                for *params, result in zip(*columns, op.blocks[-1].results[: op.carries], strict=True):
                    if isinstance(params[-1].object, Array) and params[-1].object.axes:
                        yield op, params, result


def changing(shapes: Shapes, carried: list[tuple[Var, Atom, Loop | While]]) -> set[Var]:
    """The variables of which a run leaves other sizes, if it begins with sizes of their own."""
    known = shapes.found
    numbers = {param: shapes.numbering.of(param) for param, _, _ in carried}
    own = {op: of_a_run(shapes, op) for op in {op for _, _, op in carried}}
    shapes.found = {number: shapes.own(number) for number in numbers.values()}  # what follows from these is found anew
    found = {param for param, x, op in carried for axis, size in enumerate(shapes.of(x) or ())
             if differs(size, dim(numbers[param], axis), own[op])}
    shapes.found = known
    return found


def of_a_run(shapes: Shapes, op: Loop | While) -> set[int]:
    """The whole numbers of a run, the arrays that it makes by these or by masks, and those that it reads out of lists,
    of which another run may read one of other sizes, by the numbers of their values."""
    blocks = blocks_in(op.blocks[-1])
    found = {v for block in blocks for v in block.params if isinstance(v.object, Int)} | out_of_lists(shapes, blocks)
    for block in blocks:
        for let in block.lets:
            chosen = any(chooses(a) and a.home in blocks for a in let.args)
            found |= {v for v in let.targets if isinstance(v.object, Int) or (chosen and isinstance(v.object, Array))}
    return {shapes.numbering.of(v) for v in found}


def out_of_lists(shapes: Shapes, blocks: list[Block]) -> set[Var]:
    """The arrays that loops run along lists of, those read out of lists, or out of what lists hold, and those of
    unknown sizes that are computed of these."""
    held = set[Var]()
    for block in blocks:
        if isinstance(block.owner, Let) and isinstance(block.owner.op, Loop):
            along = zip(block.params[block.owner.op.carries :], block.owner.args[block.owner.op.carries :], strict=True)
            held |= {param for param, xs in along if isinstance(xs.object, List)}
        for let in block.lets:
            if isinstance(let.op, Apply) and let.op.primitive.memory_of(let.op.params).how == "out of":
                if isinstance(let.args[0].object, List) or let.args[0] in held:
                    held.update(let.targets)
            elif not held.isdisjoint(let.args):
                held.update([v for v in let.targets if isinstance(v.object, Array) and has_own(shapes, v)])
    return {v for v in held if isinstance(v.object, Array)}


def has_own(shapes: Shapes, v: Var) -> bool:
    """Whether the sizes of an array do not follow from those of others."""
    number = shapes.numbering.of(v)
    return any(d.of == number for size in shapes.of(v) or shapes.own(number) or () for d in dims_in(size))


def chooses(atom: Atom) -> TypeGuard[Var]:
    """Whether something is a whole number, or an array of places or a mask."""
    a = atom.object
    return isinstance(atom, Var) and (isinstance(a, Int) or (isinstance(a, Array) and a.dtype in ("int64", "bool")))


def differs(size: Size, before: Size, own: Collection[int] = ()) -> bool:
    """Whether a size, or one that is broadcast to it, is another one than before, in the example, or follows from the
    `own` numbers and arrays of a run.

    >>> n = dim("x", 0)
    >>> [differs(size, n) for size in (n, n + n, dim("y", 0))]
    [False, True, False]
    >>> differs(dim(7, 0), n, {7})
    True
    """
    (atom, k), *more = size.terms or [(None, 0)]
    sizes = atom.sizes if isinstance(atom, Common) and k == 1 and not more and not size.constant else [size]
    return before not in sizes and any(
        value_of(n, example) not in (None, 1, EXAMPLE) or any(d.of in own for d in dims_in(n)) for n in sizes)


def example(atom: Any) -> int | None:
    return EXAMPLE if isinstance(atom, Dim) else None
