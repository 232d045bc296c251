"""Numbers are multiplied with what is smaller: the vectors that a product of derivatives is made of, or gives.

    s * np.outer(u, v)                     np.outer(s * u, v)
    (s * a).T @ x                          s * (a.T @ x)

A product is linear in each of its factors, and what multiplies all items of an array by a number, or divides them by
one, or changes their signs, may do so to a factor or to the product. Where an array of a product has fewer axes than
another one, it does so there. That pays only where nothing else reads the larger array. An intermediate number may be
beyond the range of floats that was not, and the other way round, as wherever sums are made in another order.

Source: the pass of XLA that "sinks a scalar multiply to the smallest operand" of a product.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.passes.readers import Readers, rank
from ccc.compile.passes.steady import steady
from ccc.compile.program.lam import Apply, Atom, Block, Let, Program, Var, blocks_in
from ccc.objects import Array, Int, Real
from ccc.primitives import shaping
from ccc.primitives.facts import PRODUCTS
from ccc.primitives.primitive import elementwise


def with_small_factors(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    blocks = [block for block in blocks_in(program.block) if any(map(is_product, block.lets))]
    if not blocks:
        return False
    work = Factors(Readers(program), steady(program))
    for block in blocks:
        work.block(block)
    if work.same:
        substitute(program, work.same)
    return work.changed


def is_product(let: Let) -> bool:
    """Whether a let of a derivative is a product of arrays."""
    op = let.op
    return let.adjoint and isinstance(op, Apply) and op.primitive.work == PRODUCTS and rank(let.targets[0]) > 0


def scaled(let: Let | None) -> int | None:
    """The position of the one array among the arguments of what multiplies its items by numbers; None for others.

    The numbers may be divisors."""
    if let is None or not isinstance(let.op, Apply) or let.op.primitive.type_rule is not elementwise or let.op.params:
        return None
    arrays = [i for i, a in enumerate(let.args) if isinstance(a.object, Array)]
    numbers = all(isinstance(a.object, (Array, Real, Int)) for a in let.args)
    if len(arrays) != 1 or not numbers or let.args[arrays[0]].object != let.targets[0].object:
        return None
    (at,) = arrays
    alone = (at,) in let.op.primitive.linear_of({}).groups(len(let.args))
    return at if alone and rank(let.targets[0]) else None


class Factors:
    """A walk through the blocks of a program."""

    def __init__(self, readers: Readers, steady_: set[Var]) -> None:
        self.readers, self.steady = readers, steady_
        self.same: dict[Var, Atom] = {}
        self.changed = False

    def block(self, block: Block) -> None:
        lets, block.lets = block.lets, []
        for let in lets:
            if is_product(let):
                self.out_of(let, block)
            elif let.adjoint and (at := scaled(let)) is not None and self.into(let, at, block):
                continue
            else:
                block.lets.append(let)

    # -- a number times what a product is made of ------------------------------------------------------------------

    def out_of(self, let: Let, block: Block) -> None:
        """Append a product, with the numbers that one of its factors was multiplied by behind it, where it is the
        smaller one."""
        result, behind = let.targets[0], list[Let]()
        for i, factor in enumerate(let.args):
            if linear_in(let, i) and rank(result) < rank(factor):
                let.args[i] = self.without_numbers(factor, let, block, behind)
        block.lets.append(let)
        if not behind:
            return
        self.changed = True
        home, name, a = result.home, result.name, result.object
        assert home is not None
        let.targets = []
        here = let.target("", a, home)
        for step in reversed(behind):
            at = scaled(step)
            again = Let(step.op, [here if i == at else x for i, x in enumerate(step.args)], let.span, True, let.of)
            here = again.target("", a, home)
            block.lets.append(again)
        here.name = name
        self.same[result] = here

    def without_numbers(self, factor: Atom, reader: Let, block: Block, behind: list[Let]) -> Atom:
        """A factor before it was multiplied by numbers, which are noted."""
        steps, views, here = list[Let](), list[Let](), factor
        while isinstance(here, Var) and self.readers.only(here) is reader and here.home is block:
            made = here.definition
            if made is not None and (at := scaled(made)) is not None:
                steps.append(made)
                here = made.args[at]
            elif made is not None and not steps and isinstance(made.op, Apply) and (
                    made.op.primitive is shaping.transpose):
                views.append(made)
                here = made.args[0]
            else:
                break
            reader = made
        if not steps or here not in self.steady:
            return factor
        behind += steps
        for view in reversed(views):
            turned = Let(view.op, [here, *view.args[1:]], view.span, True, view.of)
            here = turned.target("", view.targets[0].object, block)
            block.lets.append(turned)
        return here

    # -- a number times a product ----------------------------------------------------------------------------------

    def into(self, let: Let, at: int, block: Block) -> bool:
        """Write what multiplies a product by numbers as a product of which the smaller factor is multiplied by them;
        false where it is not that."""
        product = let.args[at]
        made = product.definition if isinstance(product, Var) and product.home is block else None
        if made is None or not is_product(made):
            return False
        readers = self.readers.of.get(product, [])
        if not all(scaled_by(reader, product) for reader in readers):
            return False
        if len(readers) > 1 and sum(map(rank, made.args)) > rank(product):  # where it takes longer than to scale it
            return False
        small = [i for i, a in enumerate(made.args) if linear_in(made, i) and 0 < rank(a) < rank(product)
                 and of_one_dtype(a, product)]
        if not small:
            return False
        factor = made.args[small[0]]
        first = Let(let.op, [factor if i == at else x for i, x in enumerate(let.args)], let.span, True, let.of)
        x = first.target("", factor.object, block)
        args = [x if i == small[0] else a for i, a in enumerate(made.args)]
        second = Let(Apply(made.application.primitive, made.application.params), args, let.span, True, let.of)
        second.targets, let.targets[0].definition = let.targets, second
        block.lets += [first, second]
        self.changed = True
        return True


def scaled_by(reader: Any, x: Atom) -> bool:
    """Whether a reader is a derivative's let that multiplies an array by numbers."""
    if not isinstance(reader, Let) or not reader.adjoint:
        return False
    at = scaled(reader)
    return at is not None and reader.args[at] is x


def of_one_dtype(a: Atom, b: Atom) -> bool:
    """Whether two arrays have the same dtype, so that a number makes neither wider that keeps the other."""
    return isinstance(a.object, Array) and isinstance(b.object, Array) and a.object.dtype == b.object.dtype


def linear_in(let: Let, i: int) -> bool:
    op = let.op
    return isinstance(op, Apply) and (i,) in op.primitive.linear_of(op.params).groups(len(let.args))
