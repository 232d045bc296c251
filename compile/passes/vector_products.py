"""A product with an outer product is one with its vectors.

    np.outer(u, v) @ a                     np.outer(u, v @ a)
    np.outer(u, v).T @ x                   v * (u @ x)
    broadcast_like(s, m) @ a               np.outer(s, ..., s; np.ones(n) @ a)

So a matrix is multiplied by a vector, where two matrices were, and what nothing reads then is never made. An
intermediate number may be beyond the range of floats that was not, and the other way round, as wherever sums are made
in another order.

Source: the order of least cost of a chain of products, of which an outer product is one with a single column.
"""

from __future__ import annotations

from ccc.compile.passes.inline_program_primitives import Replaced, substitute
from ccc.compile.passes.shared_factors import applied, is_turned, multiplies, put, rank
from ccc.compile.passes.steady import steady
from ccc.compile.program.lam import Atom, Block, Let, Lit, Program, Var, blocks_in
from ccc.objects import REAL, Array, Real
from ccc.primitives import arithmetic, bilinear, creation, shaping
from ccc.primitives.broadcasting import broadcast_like

Vectors = tuple[Atom, Atom]


def with_vector_products(program: Program, own: bool = False) -> bool:
    """Rewrite the products of derivatives, and where `own` says so those of the function, in place; true where one
    changed."""
    if not any(is_matrix_product(let, own) for block in blocks_in(program.block) for let in block.lets):
        return False
    work = VectorProducts(steady(program), own)
    work.block(program.block)
    if work.same:
        substitute(program, work.same)
    return bool(work.same)


def is_matrix_product(let: Let, own: bool) -> bool:
    """Whether a let is a product, one factor of which is a matrix; where an axis has size 1, little is to be saved."""
    if not multiplies(let) or not (let.adjoint or own):
        return False
    flat = any(isinstance(a.object, Array) and "1" in (a.object.axes or ()) for a in let.args)
    return not flat and sorted([rank(a) for a in let.args]) in ([1, 2], [2, 2])


class VectorProducts:
    """A walk through a program in its order, with the outer products in it, each with how to get its vectors."""

    def __init__(self, steady_: set[Var], own: bool) -> None:
        self.steady, self.own = steady_, own
        self.outers: dict[Atom, Let] = {}
        self.made: dict[tuple[Let, Block], Vectors] = {}
        self.same: Replaced = {}

    def block(self, block: Block) -> None:
        lets, block.lets = block.lets, []
        for let in lets:
            for inner in let.op.blocks:
                self.block(inner)
            made = self.product(let, block) if is_matrix_product(let, self.own) else None
            if made is None:
                block.lets.append(let)
                self.note(let)

    def note(self, let: Let) -> None:
        """Note what is an outer product: one of vectors, a number at all places, or one of these turned over."""
        if applied(let, bilinear.outer):
            known = all(rank(a) == 1 and a in self.steady for a in let.args)
        elif applied(let, broadcast_like):
            a = let.targets[0].object
            known = isinstance(let.args[0].object, Real) and rank(let.args[1]) == 2 and (
                isinstance(a, Array) and rank(let.targets[0]) == 2 and a.dtype == "float64")
        else:
            known = is_turned(let) and let.args[0] in self.outers
        if known:
            self.outers[let.targets[0]] = let

    def product(self, let: Let, block: Block) -> Var | None:
        """Append a product with the vectors of an outer product; None where there is none."""
        left, right = [self.same.get(a, a) for a in let.args]  # type: ignore[call-overload]
        if left not in self.outers and right not in self.outers:
            return None
        lets, result = list[Let](), let.targets[0]
        if left in self.outers:
            u, v = self.vectors(left, block, lets)
            found = self.times(u, self.multiplied(v, right, block, lets), block, lets, result)
        else:
            u, v = self.vectors(right, block, lets)
            found = self.times(v, self.multiplied(u, left, block, lets, behind=True), block, lets, result, behind=True)
        found.name = result.name
        for made in lets:
            made.adjoint, made.span = let.adjoint, let.span
            block.lets.append(made)
            self.steady.update(made.targets)
            self.note(made)
        self.same[result] = found
        return found

    def vectors(self, outer: Atom, block: Block, lets: list[Let]) -> Vectors:
        """The column and the row that a matrix is the product of."""
        let = self.outers[outer]
        if is_turned(let):
            u, v = self.vectors(let.args[0], block, lets)
            return v, u
        if applied(let, bilinear.outer):
            return let.args[0], let.args[1]
        if (let, block) not in self.made:
            number, like = let.args
            known = like.definition if isinstance(like, Var) else None
            sizes = known.args if known is not None and applied(known, creation.blank) else [
                put(lets, shaping.dim, [like], block, axis=k) for k in (0, 1)]
            axes = outer.object.axes or ()  # type: ignore[attr-defined]  # of which one may have size 1
            blanks = [put(lets, creation.blank, [n], block, Array("float64", (axis,)), dtype="float64", known=(axis,))
                      for n, axis in zip(sizes, axes, strict=True)]
            u, v = [put(lets, broadcast_like, [x, y], block)
                    for x, y in zip((number, Lit(1.0, REAL)), blanks, strict=True)]
            self.made[let, block] = u, v
        return self.made[let, block]

    def multiplied(self, vector: Atom, factor: Atom, block: Block, lets: list[Let], behind: bool = False) -> Var:
        """A vector times a factor, or a factor times a vector."""
        if factor in self.outers:
            u, v = self.vectors(factor, block, lets)
            first, second = (v, u) if behind else (u, v)
            number = put(lets, bilinear.matmul, [vector, first], block)
            return put(lets, arithmetic.mul, [second, number], block)
        return put(lets, bilinear.matmul, [factor, vector] if behind else [vector, factor], block)

    def times(
        self, vector: Atom, other: Var, block: Block, lets: list[Let], result: Var, behind: bool = False
    ) -> Var:
        """An outer product of vectors, or a vector times a number."""
        if not rank(other):
            return put(lets, arithmetic.mul, [vector, other], block, result.object)
        return put(lets, bilinear.outer, [other, vector] if behind else [vector, other], block, result.object)



