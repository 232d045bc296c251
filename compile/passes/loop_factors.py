"""What a loop multiplies a cotangent by in two steps, neither of which it changes, is multiplied before the loop.

    over0(times0(d, y), b)                 times0(d, over0(y, b)), where over0(y, b) stands before the loop

So the slope of a quotient in its denominator is one product a run, where a reverse loop does not change the quotient.
That pays where nothing else reads the first product. As wherever products are made in another order, an intermediate
number may be beyond the range of floats that was not.
"""

from __future__ import annotations

from ccc.compile.passes.readers import Readers
from ccc.compile.passes.steady import steady
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Loop, Program, Var, While, blocks_in
from ccc.objects import Object
from ccc.primitives.primitive import elementwise


def with_loop_factors(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    readers, steady_, changed = Readers(program), steady(program), False
    for block in blocks_in(program.block):
        for let in block.lets if is_body(block) else ():
            found = factors(let, block, readers, steady_)
            changed |= found is not None and regrouped(let, *found, block, steady_)
    return changed


def is_body(block: Block) -> bool:
    """Whether a block is what a loop runs."""
    return block.owner is not None and isinstance(block.owner.op, (Loop, While)) and block is block.owner.op.body


def factors(let: Let, body: Block, readers: Readers, steady_: set[Var]) -> tuple[int, Let, int] | None:
    """The place, among the arguments of a let of a loop, of a product that nothing else reads, that product, and the
    place of what changes there; None where the loop changes more of both, or something else."""
    at = changing(let, body, steady_)
    product = let.args[at] if at is not None else None
    made = product.definition if isinstance(product, Var) and product.home is body else None
    if at is None or product is None or made is None or len(let.args) != 2 or readers.only(product) is not let:
        return None
    place = changing(made, body, steady_)
    return None if place is None or len(made.args) != 2 or len(linear(made)) != 2 else (at, made, place)


def changing(let: Let, body: Block, steady_: set[Var]) -> int | None:
    """The place of the one argument that a loop changes, in a let of a derivative that is elementwise, and linear in
    it."""
    op = let.op
    if not let.adjoint or not isinstance(op, Apply) or op.params or op.primitive.type_rule is not elementwise:
        return None
    found = [i for i, x in enumerate(let.args) if not stays(x, body, steady_)]
    return found[0] if len(found) == 1 and (found[0],) in linear(let) else None


def stays(x: Atom, body: Block, steady_: set[Var]) -> bool:
    """Whether a loop of this body changes neither what a variable stands for nor what that holds."""
    return isinstance(x, Lit) or (x in steady_ and x.home is not None and body not in x.home.ancestors())


def linear(let: Let) -> tuple[tuple[int, ...], ...]:
    op = let.application
    return op.primitive.linear_of(op.params).groups(len(let.args))


def regrouped(let: Let, at: int, made: Let, place: int, body: Block, steady_: set[Var]) -> bool:
    """Compute the factor of both steps before all loops that do not change it, and let the second one multiply by it;
    false where that would be of another type."""
    first = [made.args[1 - place] if i == at else x for i, x in enumerate(let.args)]
    loop, outer = body.owner, body.parent
    while outer is not None and is_body(outer) and all(stays(x, outer, steady_) for x in first):
        loop, outer = outer.owner, outer.parent
    assert loop is not None and outer is not None
    try:
        a = type_of(let, first)
        before = Let(let.op, first, let.span, True, let.of)
        factor = before.target("", a, outer)
        args = [x if i == place else factor for i, x in enumerate(made.args)]
        if type_of(made, args) != let.targets[0].object:
            return False
    except TypeError:
        return False
    outer.lets.insert(outer.lets.index(loop), before)
    steady_.add(factor)
    let.op, let.args = made.op, args
    return True


def type_of(let: Let, args: list[Atom]) -> Object:
    """What the operation of a let gives of other arguments."""
    op = let.application
    return op.primitive.type_of(tuple([x.object for x in args]), op.params)
