"""What all items of a row are multiplied by, or divided by, is multiplied with the sum of the row.

    unbroadcast(over0(x, s), s)                  over0(unbroadcast(x, s), s)
    unbroadcast(-times0(x, s), s)                -times0(unbroadcast(x, s), s)

A cotangent of what was stretched is summed along the axes along which it was, where it is the same number: so a factor
that is what was stretched can be put behind the sum. `x / np.linalg.norm(x, axis=-1, keepdims=True)` has a division for
each row in its derivative then, in the place of one for each item. That pays where nothing else reads what is summed.
As wherever sums are made in another order, an intermediate number may be beyond the range of floats that was not.
"""

from __future__ import annotations

from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.passes.readers import Readers
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, Var, blocks_in
from ccc.objects import Object
from ccc.primitives import broadcasting
from ccc.primitives.primitive import elementwise


def is_row_sum(let: Let) -> bool:
    """Whether a let of a derivative sums what was stretched."""
    return let.adjoint and isinstance(let.op, Apply) and let.op.primitive is broadcasting.unbroadcast


def with_factors_behind(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    readers, same = Readers(program), dict[Var, Atom]()
    for block in blocks_in(program.block):
        if not any(map(is_row_sum, block.lets)):
            continue
        lets, block.lets = block.lets, []
        for let in lets:
            block.lets.append(let)
            steps = factors(let, block, readers) if is_row_sum(let) else []
            types = types_of(let, steps) if steps else []
            if types and types[-1] == let.targets[0].object:
                (result,) = let.targets
                same[result] = behind(let, steps, types, block)
    if same:
        substitute(program, same)
    return bool(same)


def factors(let: Let, block: Block, readers: Readers) -> list[tuple[Let, int]]:
    """What multiplies the rows that a let sums by what has their sums' sizes, the last one first; each with the place
    of the rows among its arguments."""
    found, reader, (here, like) = list[tuple[Let, int]](), let, let.args
    while isinstance(here, Var) and here.home is block and readers.only(here) is reader:
        made = here.definition
        at = None if made is None else rows_in(made, like)
        if made is None or at is None:
            break
        found.append((made, at))
        reader, here = made, made.args[at]
    return found if any(len(made.args) > 1 for made, _ in found) else []


def rows_in(let: Let, like: Atom) -> int | None:
    """The place of the rows among the arguments of what is linear in them, where all others are numbers that are known
    or `like`; None for others."""
    op = let.op
    if not let.adjoint or not isinstance(op, Apply) or op.params or op.primitive.type_rule is not elementwise:
        return None
    rows = [i for i, a in enumerate(let.args) if a is not like and not (isinstance(a, Lit) and type(a.value) is float)]
    if len(rows) != 1 or (rows[0],) not in op.primitive.linear_of({}).groups(len(let.args)):
        return None
    return rows[0] if let.args[rows[0]].object == let.targets[0].object else None


def types_of(let: Let, steps: list[tuple[Let, int]]) -> list[Object]:
    """The types of the sums of rows, and of what they are then: nothing where something is of none."""
    last, at = steps[-1]
    try:
        found = [type_of(let, [last.args[at].object, let.args[1].object])]
        for step, at in reversed(steps):
            found.append(type_of(step, [found[-1] if i == at else x.object for i, x in enumerate(step.args)]))
    except TypeError:
        return []
    return found


def type_of(let: Let, objects: list[Object]) -> Object:
    op = let.application
    return op.primitive.type_of(tuple(objects), op.params)


def behind(let: Let, steps: list[tuple[Let, int]], types: list[Object], block: Block) -> Atom:
    """Sum the rows before they are multiplied, and append what multiplies the sums; gives the last result."""
    result, (last, at) = let.targets[0], steps[-1]
    home, name = result.home, result.name
    assert home is not None
    let.args[0], let.targets = last.args[at], []
    here: Atom = let.target("", types[0], home)
    for (step, at), a in zip(reversed(steps), types[1:], strict=True):
        again = Let(step.op, [here if i == at else x for i, x in enumerate(step.args)], step.span, True, step.of)
        here = again.target("", a, home)
        block.lets.append(again)
    here.name = name  # type: ignore[attr-defined]
    return here


__all__ = ["is_row_sum", "with_factors_behind"]
