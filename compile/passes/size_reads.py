"""What is read for its sizes alone is neither computed nor kept: what else has its sizes stands for it.

    t = x @ a;  broadcast_like(1.0, t)              broadcast_like(1.0, blank(n)), where a has n columns
    for x, y in xs, ys: expanded(d, y) ... f(x)     for x in xs: expanded(d, x) ... f(x), where both have one shape
    dim(t, axis=0)                                  the number of rows of x

What stands for it is a parameter of the program, or what a loop runs along and reads anyway; else an array of its sizes
that nothing is written to, made of the sizes and numbers that they are expressions of (`ccc.compile.program.shapes`).
What may raise on values is computed all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.passes.steady import steady
from ccc.compile.passes.unread import drop
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Let, Lit, Loop, Program, Var, lets_in
from ccc.compile.program.shapes import Shapes
from ccc.compile.terms.readback import Liveness
from ccc.objects import INT, Array, Int, List, Object
from ccc.primitives import arithmetic, creation, indexing, shaping, structure
from ccc.primitives.facts import SIZES
from ccc.primitives.sizes import Clip, Dim, Made, Number, Part, Size


def without_size_reads(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    reads = [let for let in lets_in(program.block) if any(True for _ in sized(let))]
    if not reads:
        return False
    shapes = shapes_of(program)
    values = Values(program.block, program.result, shapes)
    unread = {let.args[i].object for let in reads if let in values.live for i in sized(let)
              if let.args[i] not in values.live}
    if not unread:
        return False
    work = SizeReads(program, shapes, values, unread)
    work.block(program.block, [])
    if not work.replaced:
        return False
    substitute(program, work.same)
    drop(program, work.numbering, work.shapes)
    return True


def sized(let: Let) -> Iterator[int]:
    """The positions of the arrays that an operation reads for their sizes, and that an operation or a loop made. What
    looks at sizes to raise reads the arrays themselves."""
    op = let.op
    if isinstance(op, Apply) and op.primitive.sizes and not op.primitive.effect:
        for i, a in enumerate(let.args):
            if i not in op.primitive.sizes or not isinstance(a, Var) or not isinstance(a.object, Array):
                continue
            if a.object.axes and (a.definition is not None or (a.home is not None and a.home.kind is BlockKind.LOOP)):
                yield i


def is_plain(size: Size) -> bool:
    """Whether a size is a constant, or that of an axis."""
    return not size.terms or (not size.constant and all(isinstance(atom, Dim) for atom, _ in size.terms))


class Values(Liveness):
    """Marks that of which more than the sizes is needed."""

    def need_target(self, let: Let, var: Var) -> None:
        if not isinstance(let.op, Apply):
            super().need_target(let, var)
            return
        self.live.add(let)
        sizes = let.op.primitive.sizes
        for i, atom in enumerate(let.args):
            if type(atom) is not Lit and not (sizes and i in sizes and isinstance(atom.object, Array)):
                self.todo.append(atom)

    def count_runs(self) -> bool:
        """How often a loop runs is known without the items that it runs along."""
        return False


def read_for_sizes(program: Program) -> set[Var]:
    """The arrays of a program of which no more than the sizes is read, and which nothing else stands for."""
    values = Values(program.block, program.result).live
    return {v for let in lets_in(program.block) for v in let.targets if isinstance(v.object, Array) and v not in values}


class Scope:
    """A block under way: what it binds by number, what has a shape and is there anyway, and what is made in it."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.known: dict[int, Var] = {}
        self.shaped: dict[Any, Var] = {}
        self.made: dict[Any, Var] = {}


class SizeReads:
    """A walk through a program in its order. What may stand for something is one of the objects that are `wanted`."""

    def __init__(self, program: Program, shapes: Shapes, values: Values, wanted: set[Object]) -> None:
        self.numbering = shapes.numbering
        self.shapes = shapes
        self.values = values
        self.wanted = wanted
        self.steady = steady(program)
        self.same: dict[Var, Atom] = {}
        self.replaced = False

    def block(self, block: Block, around: list[Scope]) -> None:
        scopes = [Scope(block), *around]
        loop = block.owner.op if block.owner is not None else None
        carries = loop.carries if isinstance(loop, Loop) else 0
        for i, param in enumerate(block.params):
            self.bind(param, scopes, i >= carries and block.kind in (BlockKind.LOOP, BlockKind.TOP))
        lets, block.lets = block.lets, []
        for let in lets:
            for inner in let.op.blocks:
                self.block(inner, scopes)
            if isinstance(let.op, Apply) and let in self.values.live:
                self.let(let, scopes)
            block.lets.append(let)
            for target in let.targets:
                self.bind(target, scopes, False)

    def bind(self, var: Var, scopes: list[Scope], stands: bool) -> None:
        scopes[0].known.setdefault(self.numbering.of(var), var)
        if not (var in self.values.live or (stands and len(scopes) == 1)) or var not in self.steady:
            return
        if type(var.object) is not Array or var.object not in self.wanted:
            return
        shape = self.shapes.of(var)
        if shape is not None:
            table = scopes[0].shaped if stands else scopes[0].made
            table.setdefault((shape, var.object), var)

    def let(self, let: Let, scopes: list[Scope]) -> None:
        op = let.op
        assert isinstance(op, Apply)
        for i in sized(let):
            a = let.args[i]
            if a in self.values.live:
                continue
            if op.primitive.work == SIZES and isinstance(let.targets[0].object, Int):
                number = self.number(self.shapes.one(self.shapes.size(let.targets[0])), scopes, a)
                if number is not None:
                    self.same[let.targets[0]] = number
                    self.replaced = True
                    continue
            found = self.standing(a, scopes)
            if found is None:
                self.needed(a)
            else:
                let.args[i] = found
                self.replaced = True

    def needed(self, var: Atom) -> None:
        """What cannot be replaced is computed, and so is what it is computed from."""
        self.values.want(var)
        self.values.settle()

    # -- what has the same sizes -----------------------------------------------------------------------------------

    def standing(self, var: Any, scopes: list[Scope]) -> Atom | None:
        """An array of the sizes and the object of another one, which is there or costs nothing."""
        shape = self.shapes.of(var)
        if shape is None:
            return None
        shape = self.shapes.settled(shape)
        for scope in scopes:
            found = scope.shaped.get((shape, var.object))
            if found is not None:
                return found
        if not all(map(is_plain, shape)):  # an array that is there says more than what its sizes are computed from
            for scope in scopes:
                found = scope.made.get((shape, var.object))
                if found is not None:
                    return found
        sizes = [self.number(size, scopes, var) for size in shape]
        known = [n for n in sizes if n is not None]
        if len(known) < len(sizes):
            return None
        found = self.apply(creation.blank, known, var.object, scopes, dtype=var.object.dtype, known=var.object.axes)
        made, meant = found.definition, var.definition
        if made is not None and meant is not None:
            made.of = made.of or meant.span or meant.of
        return found

    def number(self, size: Size, scopes: list[Scope], of: Any) -> Atom | None:
        """A size as a number of the program, None where what it is a size of is not at hand, or is `of` itself."""
        terms = sorted(size.terms, key=lambda term: (-term[1], repr(type(term[0]))))
        found: Atom | None = None
        for atom, n in terms:
            one = self.atom(atom, scopes, of)
            if one is None:
                return None
            if abs(n) != 1:
                one = self.whole(arithmetic.mul, [one, Lit(abs(n), INT)], scopes)
            if found is None:
                found = one if n > 0 else self.whole(arithmetic.neg, [one], scopes)
            else:
                found = self.whole(arithmetic.add if n > 0 else arithmetic.sub, [found, one], scopes)
        if found is None:
            return Lit(size.constant, INT)
        if size.constant:
            by = arithmetic.add if size.constant > 0 else arithmetic.sub
            found = self.whole(by, [found, Lit(abs(size.constant), INT)], scopes)
        return found

    def atom(self, atom: Any, scopes: list[Scope], of: Any) -> Atom | None:
        match atom:
            case Dim(number, axis):
                var = self.at_hand(number, scopes)
                if var is None or (var is of and var not in self.values.live) or var not in self.steady:
                    return None
                return self.whole(structure.length, [var], scopes) if isinstance(var.object, List) else self.whole(
                    shaping.dim, [var], scopes, axis=axis)
            case Number(number):
                found = self.at_hand(number, scopes)
                return found if found is None or isinstance(found.object, Int) else None
            case Made(size):
                known = self.at_hand(self.shapes.numbers.get(size, -1), scopes)
                return self.number(size, scopes, of) if known is None else known
            case Clip(size, most):
                found = self.number(size, scopes, of)
                if found is not None:
                    found = self.whole(arithmetic.largest, [found, Lit(0, INT)], scopes)
                if found is not None and most is not None:
                    found = self.whole(arithmetic.smallest, [found, Lit(most, INT)], scopes)
                return found
            case Part():
                numbers = [None if end is None else self.number(end, scopes, of) for end in atom]
                if any(n is None and end is not None for n, end in zip(numbers, atom, strict=True)):
                    return None
                return self.part([n for n in numbers if n is not None], atom[1:], scopes)
            case _:
                return None

    def part(self, numbers: list[Atom], ends: Sequence[Any], scopes: list[Scope]) -> Atom:
        """How many places a slice takes: the size of that part of an array of so many."""
        pattern = ("s" + "".join([place for place, end in zip("123", ends, strict=True) if end is not None]),)
        whole = Array("float64", ("?",))
        x = self.apply(creation.blank, numbers[:1], whole, scopes)
        y = self.apply(indexing.index, [x, *numbers[1:]], whole, scopes, pattern=pattern)
        return self.whole(shaping.dim, [y], scopes, axis=0)

    def at_hand(self, number: int, scopes: list[Scope]) -> Var | None:
        return next((scope.known[number] for scope in scopes if number in scope.known), None)

    def whole(self, p: Any, args: list[Atom], scopes: list[Scope], **params: Any) -> Var:
        return self.apply(p, args, INT, scopes, **params)

    def apply(self, p: Any, args: list[Atom], a: Any, scopes: list[Scope], **params: Any) -> Var:
        """The result of an operation that is there, or is computed before the loops that it reads nothing of."""
        homes = [x.home for x in args if isinstance(x, Var)]
        scope = next((s for s in scopes[:-1] if s.block.kind is not BlockKind.LOOP or s.block in homes), scopes[-1])
        let = Let(Apply(p, params), args, adjoint=True)
        var = let.target("", a, scope.block)
        self.numbering.let(let)
        number = self.numbering.numbers[var]
        found = self.at_hand(number, scopes[scopes.index(scope) :])
        if found is not None and found.object == a:
            return found
        scope.block.lets.append(let)
        scope.known.setdefault(number, var)
        self.shapes.note(number, a)
        self.steady.add(var)
        return var
