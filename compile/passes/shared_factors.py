"""Products that are added up and have a factor in common are one product.

    x.T @ a + x.T @ b                      x.T @ (a + b)
    a @ x + (x.T @ b.T).T                  (a + b) @ x
    np.outer(u, v) + np.outer(w, z)        np.stack([u, w], 1) @ np.stack([v, z])
    np.fft.ifft(a) + np.fft.ifft(b)        np.fft.ifft(a + b), and so for each map that is linear in its one argument

Sums of derivatives alone are rewritten, of matrices and vectors of floats, where nothing else reads the products, and
the common factor is a matrix. What is added has fewer entries than the product takes steps, so this always pays; to add
two matrices that one vector is multiplied by takes longer than a second product. Outer products that are added up are
one product of their vectors: a large array is written once.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

from ccc.compile.passes import readers as who_reads
from ccc.compile.passes.inline_program_primitives import Replaced, substitute
from ccc.compile.passes.joint_calls import without
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, Let, Program, Var, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.compile.program.simplify import identity
from ccc.objects import Array
from ccc.primitives import arithmetic, bilinear, joining, shaping
from ccc.primitives.facts import PRODUCTS, jointly
from ccc.primitives.primitive import Primitive
from ccc.values import value


@value()
class Factor:
    """A matrix, `turned` or as it is, or a vector, with the number of its value."""

    atom: Var
    number: int
    turned: bool

    @property
    def rank(self) -> int:
        a = self.atom.object
        return len(a.axes or ()) if isinstance(a, Array) else 0

    @property
    def dtype(self) -> str:
        a = self.atom.object
        return a.dtype if isinstance(a, Array) else ""

    def other_way(self) -> Factor:
        return Factor(self.atom, self.number, not self.turned and self.rank == 2)

    def is_same(self, other: Factor) -> bool:
        return (self.number, self.turned) == (other.number, other.turned)


@value()
class Term:
    """What is added: a product, by its factors, and the variable that it is."""

    value: Var
    left: Factor
    right: Factor


def with_shared_factors(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    sums = [(block, found) for block in blocks_in(program.block) if (found := sums_of_products(block))]
    if not sums:
        return False
    claimed = {inner for block in blocks_in(program.block) if block.claim for inner in blocks_in(block)}
    work = Sharing(shapes_of(program), who_reads.Readers(program), claimed)
    for block, found in sums:
        work.block(block, found)
    if work.same:
        substitute(program, work.same)
    return bool(work.same)


def sums_of_products(block: Block) -> set[Let]:
    """The lets of a derivative that add up two products or more, outer products, or linear maps, as far as lets tell
    that."""
    found, counts = set[Let](), dict[Atom, tuple[int, ...]]()
    for let in block.lets:
        if not let.adjoint:
            continue
        if applied(let, arithmetic.add):
            added = [counts.get(a, (0, 0, 0)) for a in let.args]
            counts[let.targets[0]] = tuple([min(sum(numbers), 2) for numbers in zip(*added, strict=True)])
            if max(counts[let.targets[0]]) > 1:
                found.add(let)
        elif is_turned(let):
            counts[let.targets[0]] = counts.get(let.args[0], (0, 0, 0))
        else:
            counts[let.targets[0]] = int(is_product(let)), int(is_outer(let)), int(is_map(let))
    return found


def is_product(let: Let) -> bool:
    """Whether a let of a derivative is a product of matrices, or of one with a vector."""
    return let.adjoint and multiplies(let)


def is_outer(let: Let) -> bool:
    """Whether a let of a derivative is an outer product of two vectors."""
    return applied(let, bilinear.outer) and let.adjoint and all(rank(a) == 1 for a in let.args)


def is_map(let: Let) -> bool:
    """Whether a let of a derivative is a map that is linear in its first argument, and takes more than one step an
    entry."""
    return isinstance(let.op, Apply) and let.adjoint and let.op.primitive.work == PRODUCTS and (
        let.op.primitive.linear_of(let.op.params) == jointly(0))


def multiplies(let: Let) -> bool:
    """Whether a let is a product of matrices, or of one with a vector."""
    return isinstance(let.op, Apply) and bilinear.multiplies_matrices(let.op.primitive)


def applied(let: Let | None, *of: object) -> bool:
    return let is not None and isinstance(let.op, Apply) and let.op.primitive in of


class Sharing:
    """A walk through the blocks of a program."""

    def __init__(self, shapes: Shapes, readers: who_reads.Readers, claimed: set[Block]) -> None:
        self.numbering, self.shapes, self.readers, self.claimed = shapes.numbering, shapes, readers, claimed
        self.same: Replaced = {}
        self.sums: dict[Let, bool] = {}

    def block(self, block: Block, sums: set[Let]) -> None:
        for let in list(block.lets):
            if let in sums and self.is_sum(let) and not self.is_inner(let, block):
                self.rewrite(let, block)

    def is_sum(self, let: Let) -> bool:
        """Whether a let of a derivative adds two arrays of the same sizes."""
        found = self.sums.get(let)
        if found is None:
            found = self.sums[let] = self.adds(let)
        return found

    def adds(self, let: Let) -> bool:
        if not applied(let, arithmetic.add) or not let.adjoint or not rank(let.targets[0]):
            return False
        shape = self.shapes.of(let.targets[0])
        return all(rank(a) and self.shapes.equal(self.shapes.of(a), shape) for a in let.args)

    def is_inner(self, let: Let, block: Block) -> bool:
        """Whether a sum is an argument of another one alone."""
        reader = self.readers.only(let.targets[0])
        return isinstance(reader, Let) and self.is_sum(reader) and self.stands(reader.targets[0], block)

    def stands(self, value: Atom, block: Block) -> bool:
        """Whether a block computes a value still."""
        return isinstance(value, Var) and value.home is block and value not in self.same

    def rewrite(self, root: Let, block: Block) -> None:
        terms = self.terms(root, block)
        for one, other in combinations(terms, 2):
            shared = self.shared(one, other)
            if shared is not None:
                self.join(root, block, one, other, *shared)
                return
        if self.join_maps(root, block):
            return
        if block not in self.claimed:  # where vectors that are linear in a cotangent would stand beside others
            self.join_outers(root, block)

    def terms(self, root: Let, block: Block) -> list[Term]:
        """The products that a sum is made of."""
        found = [self.term(atom, let, block) for atom, let in self.parts(root, block)]
        return [one for one in found if one is not None]

    def parts(self, root: Let, block: Block) -> list[tuple[Var, Let]]:
        """What a sum is made of that nothing else reads."""
        found, todo = list[tuple[Var, Let]](), list(root.args)
        while todo:
            atom = todo.pop()
            let = atom.definition if isinstance(atom, Var) else None
            reader = self.readers.only(atom)
            if let is None or not self.stands(atom, block) or isinstance(reader, Block | Program | None):
                continue
            if self.is_sum(let):
                todo += let.args
            elif isinstance(atom, Var):
                found.append((atom, let))
        return found

    def term(self, value: Var, let: Let, block: Block) -> Term | None:
        """A product, or one that is turned over, as that of its factors turned over in the other order."""
        found, turned = self.unturned(let, block)
        if found is None:
            return None
        let = found
        if not is_product(let) or not all(rank(a) in (1, 2) for a in let.args) or sum(map(rank, let.args)) < 3:
            return None
        left, right = map(self.factor, let.args)
        if turned or left.rank == 1:
            left, right = right.other_way(), left.other_way()
        return Term(value, left, right)

    def unturned(self, let: Let, block: Block) -> tuple[Let | None, bool]:
        """What is turned over, if nothing else reads it, and whether it is."""
        turned = False
        while let.adjoint and is_turned(let):
            inner = let.args[0].definition if isinstance(let.args[0], Var) else None
            if inner is None or not self.stands(inner.targets[0], block) or self.readers.only(let.args[0]) is not let:
                return None, turned
            let, turned = inner, not turned
        return let, turned

    def factor(self, atom: Atom) -> Factor:
        """What a factor is before it is turned over."""
        assert isinstance(atom, Var)
        let, turned = atom.definition, False
        while let is not None and is_turned(let):
            (atom,) = let.args
            assert isinstance(atom, Var)
            let, turned = atom.definition, not turned
        return Factor(atom, self.numbering.of(atom), turned)

    def shared(self, one: Term, other: Term) -> tuple[Factor, Factor, bool] | None:
        """The factors of two terms that are not the same, if the others are, and whether these stand on the right."""
        if one.left.rank + one.right.rank != other.left.rank + other.right.rank:
            return None
        if one.left.rank == 2 and one.left.is_same(other.left) and self.alike(one.right, other.right):
            return one.right, other.right, True
        if one.right.rank == 2 and one.right.is_same(other.right) and self.alike(one.left, other.left):
            return one.left, other.left, False
        return None

    def alike(self, a: Factor, b: Factor) -> bool:
        """Whether two factors are of one dtype, and surely have the same sizes."""
        shapes = [self.shapes.of(x.atom) for x in (a, b)]
        turned = [None if s is None else s[::-1] if x.turned else s for s, x in zip(shapes, (a, b), strict=True)]
        return a.rank == b.rank and a.dtype == b.dtype and self.shapes.equal(*turned)

    def join(self, root: Let, block: Block, one: Term, other: Term, a: Factor, b: Factor, right: bool) -> None:
        """Write a sum with one product for two."""
        lets = list[Let]()
        x = put(lets, arithmetic.add, [self.now(a, block, lets), self.now(b, block, lets)], block)
        kept = self.now(one.left if right else one.right, block, lets)
        product = put(lets, bilinear.matmul, [kept, x] if right else [x, kept], block, one.value.object)
        self.put_in(root, block, product, {one.value, other.value}, lets)

    def join_maps(self, root: Let, block: Block) -> bool:
        """Write maps that are added up as one of a sum; one of each part of something as one of the whole."""
        alike = defaultdict[Any, list[Let]](list)
        for _, let in self.parts(root, block):
            if is_map(let) and all(rank(a) for a in let.args[:1]):
                alike[self.map_of(let)].append(let)
        for lets in alike.values():
            p, params = lets[0].application.primitive, lets[0].application.params
            new, sums = list[Let](), dict[Any, Atom]()
            sized = [0, *p.sizes]
            if len(lets) < 2 or not all(self.shapes.equal(self.shapes.of(let.args[i]), self.shapes.of(lets[0].args[i]))
                                        for let in lets for i in sized):
                continue
            for let in lets:
                one, x = let.application.params.get(p.of_one), let.args[0]
                sums[one] = x if one not in sums else put(new, arithmetic.add, [sums[one], x], block)
            whole, of = params, next(iter(sums.values()))
            if len(sums) > 1:
                whole = without(p.of_one, params)
                of = put(new, joining.stack, [x for _, x in sorted(sums.items())], block, axis=0)
            gone = lets[0].targets[0]
            made = put(new, p, [of, *lets[0].args[1:]], block, gone.object, **whole)
            self.put_in(root, block, made, {let.targets[0] for let in lets}, new)
            return True
        return False

    def map_of(self, let: Let) -> Any:
        """What tells a map from others, but for which part of something it takes."""
        op, a = let.application, let.args[0].object
        params = [(name, value if isinstance(value, tuple) else identity(value))
                  for name, value in sorted(op.params.items()) if name != op.primitive.of_one]
        others = [self.numbering.of(x) if isinstance(x, Var) else identity(x.value)  # type: ignore[union-attr]
                  for i, x in enumerate(let.args) if i and i not in op.primitive.sizes]
        return op.primitive, tuple(params), tuple(others), a, op.primitive.of_one in op.params

    def join_outers(self, root: Let, block: Block) -> None:
        """Write outer products that are added up as one product of matrices."""
        shape, outers = self.shapes.of(root.targets[0]), dict[Var, list[Atom]]()
        for atom, let in self.parts(root, block):
            found, turned = self.unturned(let, block)
            if found is not None and is_outer(found) and self.shapes.equal(self.shapes.of(atom), shape):
                outers[atom] = found.args[::-1] if turned else found.args
        if len(outers) < 2:
            return
        lets, vectors = list[Let](), list(zip(*outers.values(), strict=True))
        left, right = [put(lets, joining.stack, [*vectors[i]], block, axis=1 - i) for i in (0, 1)]
        product = put(lets, bilinear.matmul, [left, right], block, root.targets[0].object)
        self.put_in(root, block, product, set(outers), lets)

    def put_in(self, root: Let, block: Block, product: Var, gone: set[Var], lets: list[Let]) -> None:
        """Let a product stand in a sum for the terms that it is made of."""
        rest = self.without(root, gone, lets)
        (total,) = root.targets
        found = product
        if rest is not None and not is_zero(rest):
            found = put(lets, arithmetic.add, [rest, product], block, total.object)
        found.name = total.name
        at = block.lets.index(root)
        block.lets[at : at + 1] = lets
        self.same[total] = found

    def without(self, let: Let, gone: set[Var], lets: list[Let]) -> Atom | None:
        """What a sum is without some of its terms."""
        kept, block = list[Atom](), let.targets[0].home
        for a in let.args:
            inner = a.definition if isinstance(a, Var) else None
            if inner is not None and self.is_sum(inner) and self.readers.only(a) is let:
                a = self.without(inner, gone, lets)
            if a is not None and a not in gone:
                kept.append(a)
        assert block is not None
        if len(kept) < 2:
            return kept[0] if kept else None
        return let.targets[0] if kept == let.args else put(lets, arithmetic.add, kept, block, let.targets[0].object)

    def now(self, factor: Factor, block: Block, lets: list[Let]) -> Var:
        """A factor as it is read."""
        return put(lets, shaping.transpose, [factor.atom], block) if factor.turned else factor.atom


def is_zero(atom: Atom) -> bool:
    """Whether an array surely is one of zeros."""
    let = atom.definition if isinstance(atom, Var) else None
    return let is not None and isinstance(let.op, Apply) and let.op.primitive.bounds == (0.0, 0.0)


def is_turned(let: Let) -> bool:
    """Whether a let turns a matrix over."""
    return isinstance(let.op, Apply) and let.op.primitive is shaping.transpose and not let.op.params and (
        rank(let.args[0]) == 2)


def rank(atom: Atom) -> int:
    """How many axes an array of floats of the program has, 0 for anything else."""
    return who_reads.rank(atom) if isinstance(atom, Var) else 0


def put(lets: list[Let], p: Primitive, args: list[Atom], block: Block, a: object = None, **params: Any) -> Var:
    let = Let(Apply(p, params), [*args], adjoint=True)
    lets.append(let)
    found = a if isinstance(a, Array) else p.type_of(tuple([x.object for x in args]), params)
    return let.target("", found, block)
