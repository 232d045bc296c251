"""What a loop keeps for a later one, computed again there where that costs less than to keep it.

    ys = for x in xs: y = x + a ... -> y        for x in xs: y = x + a ...
    for x, y in xs, ys: ... y ...               for x in xs: y = x + a ... y ...

What is kept is written and read once a run, and a tape leaves the cache; sums, differences, products and quotients,
sizes, and items of arrays that nothing changes cost less. What they are computed from has to be at hand where
they are read, or to be such a value again, or to be an array that each run of a loop makes and of which inner loops
read item by item, or the run a slice: then the loop keeps the array instead of what was computed from it.

    for x in xs:                                for x in xs:
        v = copy(x)                                 v = copy(x)
        for i in range(dim(v)): ... v[i] - a        for i in range(dim(v)): ... v[i] - a
        keep the list of v[i] - a                   keep v

Parts of an array that a loop changes elsewhere are read of the array that it leaves (`settled_reads`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.passes import readers
from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.passes.redundancy import may_move
from ccc.compile.passes.settled_reads import SettledReads
from ccc.compile.passes.steady import steady
from ccc.compile.passes.unread import drop
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Lambda, Let, Loop, Program, Var, lets_in
from ccc.compile.program.numbering import alike
from ccc.compile.program.shapes import Shapes
from ccc.compile.program.sharing import mutable
from ccc.objects import Array, List
from ccc.primitives import indexing, shaping
from ccc.primitives.facts import ENTRIES, NEW, SIZES
from ccc.primitives.primitive import elementwise
from ccc.primitives.sizes import Dim, Shape
from ccc.primitives.structure import span


def cheap(let: Let) -> bool:
    """Whether a let costs less than to keep its result: sizes, items of arrays, and arithmetic that is linear in all
    numbers, or in some entries of arrays, since to write an array, and to read it later, takes longer than that."""
    op, a = let.op, let.targets[0].object
    if not isinstance(op, Apply) or op.primitive.effect:
        return False
    p = op.primitive
    if p is indexing.index:
        return all(code == "i" for code in op.params["pattern"]) or has_all(let)
    if p.work == ENTRIES:
        linear = p.linear_of(op.params).arguments(len(let.args))
        if isinstance(a, Array):
            return bool(linear) and p.type_rule is elementwise and not op.params and a.dtype in readers.FLOATS
        return len(linear) == len(let.args)
    return p.work == SIZES and p.memory is NEW


def has_all(let: Let) -> bool:
    """Whether a let gives an array of the same memory with the same items, and maybe more axes: `x[:, None]`."""
    op = let.op
    return isinstance(op, Apply) and op.primitive is indexing.index and len(let.args) == 1 and (
        op.primitive.memory_of(op.params).how == "view") and isinstance(let.targets[0].object, Array)


def nearly_whole(let: Let) -> bool:
    """Whether a let is a slice of an array that leaves out a few items at its ends: `x[1:-1]`, `x[:, 2:]`."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive is not indexing.index or not isinstance(let.targets[0].object, Array):
        return False
    ends = readers.left_out(op.params["pattern"], let.args[1:])
    return ends is not None and all(n < 8 for slice_ in ends for n in slice_)


def cheap_or_slice(let: Let) -> bool:
    """Whether a let costs less than to keep its result where part of an array is no more than an address."""
    op = let.op
    if not isinstance(op, Apply) or not isinstance(let.targets[0].object, Array):
        return cheap(let)
    return cheap(let) or op.primitive.memory_of(op.params).how == "view"


def recompute(program: Program, cheap: Callable[[Let], bool] = cheap) -> bool:
    """Rewrite a program without redundancy in place; true where it changed. `cheap` says which lets cost less than to
    keep their results."""
    if not any(isinstance(let.op, Loop) for let in lets_in(program.block)):
        return False
    shapes = shapes_of(program)
    work = Recomputation(shapes, steady(program), cheap, SettledReads(program, shapes))
    work.block(program.block, [])
    if not work.same:
        return False
    substitute(program, work.same)
    drop(program, shapes.numbering, shapes)
    return True


class Scope:
    """A block under way: the variables that it binds by their numbers, and the loop whose body it is."""

    def __init__(self, block: Block, known: dict[int, Var] | None = None) -> None:
        self.block = block
        self.known = {} if known is None else known
        self.loop = block.owner if block.owner is not None and isinstance(block.owner.op, Loop) else None


class Recomputation:
    """A walk through a program in its order."""

    def __init__(
        self, shapes: Shapes, steady_: set[Var], cheap: Callable[[Let], bool], settled: SettledReads
    ) -> None:
        self.numbering = shapes.numbering
        self.shapes = shapes
        self.steady = steady_
        self.costs_less = cheap
        self.settled = settled
        self.same: dict[Var, Atom] = {}
        self.lets: dict[int, Let] = {}
        self.elements: dict[int, Var] = {}
        self.arrays: dict[int, Var] = {}

    def block(self, block: Block, around: list[Scope]) -> None:
        """Rewrite a block; `around` are the scopes around it, inside out."""
        lets, block.lets = block.lets, []
        scopes = [Scope(block), *around]
        self.enter(block, scopes)
        for let in lets:
            for inner in let.op.blocks:
                self.block(inner, later(scopes) if isinstance(let.op, Lambda) else scopes)
            block.lets.append(let)
            for target in let.targets:
                number = self.numbering.numbers[target]
                scopes[0].known.setdefault(number, target)
                if isinstance(let.op, Apply):
                    self.lets.setdefault(number, let)
                if block.kind is BlockKind.LOOP and isinstance(target.object, Array):
                    self.arrays.setdefault(number, target)

    def enter(self, block: Block, scopes: list[Scope]) -> None:
        """The parameters of a block: what is kept for it, after what it may be computed from."""
        kept: list[tuple[int, Var]] = []
        loop, known = scopes[0].loop, scopes[0].known
        carries = loop.op.carries if loop is not None and isinstance(loop.op, Loop) else len(block.params)
        for i, param in enumerate(block.params):
            number = self.numbering.of(param)
            if i >= carries and number in self.lets and self.cheap(self.lets[number]):
                kept.append((number, param))
            else:
                known.setdefault(number, param)
                self.elements.setdefault(number, param)
                if i < carries and loop is not None and isinstance(param.object, Array):
                    self.arrays.setdefault(number, param)
        for number, param in sorted(kept, key=lambda found: found[0]):
            again = self.again(number, param, scopes)
            if again is not None:
                self.same[param] = again
            else:
                known.setdefault(number, param)

    def cheap(self, let: Let) -> bool:
        """Whether a let costs less than to keep its result. A part of an array that a loop changes elsewhere is no more
        than an address in the array that it leaves, where the part itself would be kept with a copy of the array."""
        return self.costs_less(let) or (cheap_or_slice(let) and bool(self.settled.of(let)))

    def again(
        self, number: int, like: Var, scopes: list[Scope], sliced: bool = False, below: int = 0
    ) -> Var | None:
        """The variable of a number in a block, computed there where it is not known; None where it cannot be. Where it
        is `sliced`, most of it is read; where it has axes, but fewer than are `below`, it is kept rather than what is
        computed of it."""
        for scope in scopes:
            found = scope.known.get(number)
            if found is not None:
                return found if alike(found.object, like.object) and self.readable(found) else None
        if self.numbering.keys[number][0] == "element":
            return self.element(number, scopes)
        let = self.lets.get(number)
        if let is not None and sliced and let.application.primitive is shaping.copy:
            source: Any = let.args[0]
            return self.again(self.numbering.numbers[source], source, scopes, sliced)
        if let is None or not self.cheap(let):
            return self.whole(number, scopes, sliced, below)
        if not self.readable(let.targets[0]):
            return None
        args: list[Atom] = []
        for i, a in enumerate(let.args):
            more = below if has_all(let) else self.long_axes(let.targets[0])
            left = None if i else self.left(let, scopes)
            x = a if left is None else left
            if isinstance(a, Var) and left is None:
                x = self.again(self.numbering.numbers[a], a, scopes, nearly_whole(let), more)
            if x is None:
                return self.whole(number, scopes, sliced, below) if below else None
            args.append(x)
        copy = Let(let.op, args, let.span, True, let.of)
        scope = self.outermost(copy, scopes)
        if isinstance(like.object, Array) and not self.as_often(let.targets[0], scope, scopes):
            return self.whole(number, scopes, sliced, below)
        result = copy.target(like.name, let.targets[0].object, scope.block)
        scope.block.lets.append(copy)
        return self.bound(result, let.targets[0], number, scope)

    def left(self, let: Let, scopes: list[Scope]) -> Var | None:
        """The array that loops leave of which a let reads what it reads: one that is at hand, or else, for a part, that
        of a run of the loop around."""
        found = self.settled.of(let)
        for array in found:
            number = self.numbering.numbers[array]
            if array in self.steady and any(scope.known.get(number) is array for scope in scopes):
                return array
        if not found or not isinstance(let.targets[0].object, Array):
            return None
        return self.again(self.numbering.numbers[found[0]], found[0], scopes, sliced=True)

    def outermost(self, let: Let, scopes: list[Scope]) -> Scope:
        """Where a let is computed: before the loops that it reads nothing of, if it raises nothing."""
        depth = 0
        if may_move(let, self.shapes):
            homes = [a.home for a in let.args if isinstance(a, Var)]
            while scopes[depth].loop is not None and scopes[depth].block not in homes:
                depth += 1
        return scopes[depth]

    def as_often(self, var: Var, scope: Scope, scopes: list[Scope]) -> bool:
        """Whether a scope runs no more often than the loop that binds a variable."""
        around = self.reading(var, scopes)
        return around is not None and scopes.index(scope) >= around

    def element(self, number: int, scopes: list[Scope]) -> Var | None:
        """The element of a sequence that a loop around runs along, though it does not read it yet."""
        _, context, sequence, mirrored = self.numbering.keys[number]
        like = self.elements.get(number)
        for i, scope in enumerate(scopes):
            if scope.loop is None or self.numbering.contexts[scope.loop] != context:
                continue
            op, lengths = scope.loop.op, self.numbering.keys[context][1]
            assert isinstance(op, Loop)
            alone = len(scope.loop.args) == op.carries
            if like is None or alone or mirrored != (op.reverse and len(lengths) > 1):
                return None
            for outer in scopes[i + 1 :]:
                xs = outer.known.get(sequence)
                if xs is not None and self.readable(xs):
                    scope.loop.args.append(xs)
                    return self.bound(scope.block.param(like.name, like.object), like, number, scope)
        return None

    def long_axes(self, var: Var) -> int:
        """How many axes an array has whose size is not 1."""
        axes = var.object.axes if isinstance(var.object, Array) else None
        return len([axis for axis in axes or () if axis != "1"])

    def whole(self, number: int, scopes: list[Scope], sliced: bool, below: int) -> Var | None:
        """An array that a run of a loop made, for the run of another loop that computes from a slice of it, or from its
        items where as many loops along its sizes as it has axes are around the place, or an array of more axes."""
        array = self.arrays.get(number)
        around = None if array is None else self.reading(array, scopes)
        if array is None or around is None or not isinstance(array.object, Array) or not self.readable(array):
            return None
        rank = len(array.object.axes or ())
        shape = self.shapes.of(array)
        loops = rank if sliced else sum([self.along(shape, scope) for scope in scopes[:around]])
        return self.held(array, scopes) if 0 < rank <= loops or 0 < self.long_axes(array) < below else None

    def reading(self, var: Var, scopes: list[Scope]) -> int | None:
        """Which of the scopes is the body of the loop that runs along the one that binds a variable."""
        context = self.numbering.contexts.get(var.home.owner) if var.home is not None and var.home.owner else None
        for i, scope in enumerate(scopes):
            if scope.loop is not None and self.numbering.contexts[scope.loop] == context:
                return i
        return None

    def held(self, var: Var, scopes: list[Scope]) -> Var | None:
        """A variable that a run of a loop binds, kept for the run of another loop."""
        if any(scope.block is var.home for scope in scopes):
            return var
        around, body = self.reading(var, scopes), var.home
        if around is None or body is None or body.owner is None or not body.owner.targets:
            return None
        number, made, scope = self.numbering.numbers[var], body.owner, scopes[around]
        kept = Var(var.name, List(var.object), made.targets[0].home, made)
        self.numbering.numbers[kept] = self.numbering.number(("outputs", self.numbering.contexts[made], number))
        xs = self.held(kept, scopes[around + 1 :])
        if xs is None or scope.loop is None:
            return None
        made.targets.append(kept)
        body.results.append(var)
        scope.loop.args.append(xs)
        return self.bound(scope.block.param(var.name, var.object), var, number, scope)

    def along(self, shape: Shape | None, scope: Scope) -> bool:
        """Whether a scope is the body of a loop that runs along a size of arrays of a shape."""
        if scope.loop is None or shape is None:
            return False
        lengths = self.numbering.keys[self.numbering.contexts[scope.loop]][1]
        return any(self.is_size(n, shape) for n in lengths)

    def is_size(self, number: int, shape: Shape) -> bool:
        """Whether a number, or the length of a sequence, is computed from a size of arrays of a shape."""
        key = self.numbering.keys[number]
        if key[0] is span:
            return any(self.is_size(n, shape) for n in key[1])
        found = {atom for atom, _ in self.shapes.number(number).terms if isinstance(atom, Dim)}
        return any(found & {atom for atom, _ in size.terms} for size in shape)

    def bound(self, var: Var, like: Var, number: int, scope: Scope) -> Var:
        var.base = like.base
        self.numbering.numbers[var] = number
        self.steady.add(var)
        return scope.known.setdefault(number, var)

    def readable(self, var: Var) -> bool:
        """Whether a value may be read later than it is now."""
        return not mutable(var.object) or var in self.steady


def later(scopes: list[Scope]) -> list[Scope]:
    """What a function may read that runs later: not what its caller may change meanwhile."""
    seen = [item for scope in reversed(scopes) for item in scope.known.items()]
    return [Scope(scopes[-1].block, {number: var for number, var in seen if not mutable(var.object)})]
