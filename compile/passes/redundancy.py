"""What a program computes twice: the second time goes, and so does what does not change in a loop.

    let y = e ... let z = e         z becomes y where y is seen
    for x in xs: let y = e          y moves before the loop where e reads nothing of it
    for x in xs: ... e ...          e is read from a list where a loop over xs that ran before computes it

Each keeps value and pullback. A value that is handed out stays one of its own, since its reader may change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ccc.compile.passes.unread import drop
from ccc.compile.program.facts import shapes_now
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Tree,
    Var,
    While,
    blocks_in,
    joined_from,
    leaves,
    like,
    move,
)
from ccc.compile.program.numbering import Numbering, alike, arm_of
from ccc.compile.program.raises import can_raise, may_raise
from ccc.compile.program.shapes import Shapes
from ccc.compile.program.sharing import is_foreign, may_share, mutable
from ccc.objects import INT, Array, Int, List, Object
from ccc.primitives import barriers, shaping
from ccc.primitives.facts import FILLING, SIZES
from ccc.primitives.primitive import Primitive, fits, is_update
from ccc.primitives.sizes import Dim, Made, Number


def rewritten(program: Program) -> bool:
    """Let a program compute nothing twice. Where something is no longer given the shape that it has, more may be
    equal than value numbers told before, if something else reads it, or a loop carries it."""
    while rewritten_once(program):
        pass
    return True


def rewritten_once(program: Program) -> bool:
    """Whether more may be equal than value numbers told."""
    shapes = shapes_now(program)
    numbering = shapes.numbering
    rewriting = Rewriting(numbering, shapes, handed_out(program))
    rewriting.block(program.block, [])
    program.result = rewriting.tree(program.result)
    program.block.results = [atom for atom in leaves(program.result) if isinstance(atom, (Var, Lit))]
    drop(program, numbering, shapes)
    for var in rewriting.same:  # variables and lets know each other, so nothing else would free them at once
        if var.definition is not None and isinstance(var.definition.op, Apply):
            var.home = var.definition = None
    return bool(rewriting.reshaped) and is_read_twice(program, map(rewriting.now, rewriting.reshaped))


def is_read_twice(program: Program, values: Iterable[Atom]) -> bool:
    """Whether something else reads one of these values too, or a loop carries it."""
    blocks = blocks_in(program.block)
    atoms = [a for block in blocks for let in block.lets for a in let.args]
    read = Counter([*atoms, *[a for block in blocks for a in block.results], *leaves(program.result)])
    return any(isinstance(x, Var) and (x.definition is None or read[x] > 1) for x in values)


def clear_mirrors(block: Block) -> None:
    """Forget which loop runs along which: what is read of the other is in lists by now."""
    for here in blocks_in(block):
        here.mirror = None


def handed_out(program: Program) -> set[Var]:
    """The variables whose memory a result of the program, or of a function of it, may share."""
    todo: list[Any] = list(leaves(program.result))
    for block in blocks_in(program.block):
        if block.kind is BlockKind.FUNCTION:
            todo += block.results
        todo += [a for let in block.lets if isinstance(let.op, Call) for a in let.args]
    found: set[Var] = set()
    while todo:
        var = todo.pop()
        if isinstance(var, Var) and var not in found and mutable(var.object):
            found.add(var)
            todo += memory_of(var)
    return found


def memory_of(var: Var) -> list[Atom]:
    """What a variable may share memory with."""
    found, let = joined_from(var), var.definition
    if found is not None or let is None:
        return found or []
    return list(let.args) if isinstance(let.op, Apply) and may_share(let.op) else []


def may_move(let: Let, shapes: Shapes) -> bool:
    """True for what may run before a loop that does not run: what never raises, but for values to be changed. Of what
    derivatives compute, sizes say whether it does; what a user wrote stays in its order where types do not."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive.effect or is_foreign(op.primitive) or is_to_change(op.primitive):
        return False
    return not can_raise(op, let.args, shapes if let.adjoint else None)


def is_to_change(p: Primitive) -> bool:
    """True for what makes a value to be changed in place, one for two of which would be copied, or for such a change,
    which costs a copy where it cannot overwrite its argument."""
    return p.work == FILLING or is_update(p)


class Rewriting:
    """A walk through a program in its order, with what is known where."""

    def __init__(self, numbering: Numbering, shapes: Shapes, handed: set[Var]) -> None:
        self.numbering = numbering
        self.shapes = shapes
        self.given: dict[Any, Var] = {}
        self.handed = handed
        self.reshaped: list[Var] = []
        self.same: dict[Var, Atom] = {}
        self.homes: dict[Var, Block] = {}
        self.arms: dict[tuple[Block, int], tuple[Var, Var]] = {}
        self.tables: dict[Block, dict[Any, tuple[Let, Var]]] = {}
        self.inner: dict[Block, dict[Any, list[Block]]] = {}

    def now(self, atom: Atom) -> Atom:
        return self.same.get(atom, atom)  # type: ignore[call-overload]

    def tree(self, tree: Tree) -> Tree:
        if isinstance(tree, tuple):
            return like(tree, map(self.tree, tree))
        return self.now(tree) if isinstance(tree, Var) else tree

    def block(self, block: Block, scopes: list[Scope]) -> None:
        """Rewrite a block; `scopes` are those around it, inside out."""
        lets, block.lets = block.lets, []
        scopes = [Scope(block), *scopes]
        for param in block.params:
            self.bound(param, scopes)
            if len(scopes) == 1 and (shape := self.shapes.of(param)) is not None:
                self.given.setdefault((shape, param.object), param)
        same = self.same
        for let in lets:
            if not same.keys().isdisjoint(let.args):
                let.args = [self.now(a) for a in let.args]
            self.let(let, scopes)
        block.results = [self.now(a) for a in block.results]
        if block.tree is not None:
            block.tree = self.tree(block.tree)

    def bound(self, var: Var, scopes: list[Scope]) -> bool:
        """Note a variable, or that it is another one; True where it is."""
        found = self.lookup(self.numbering.numbers[var], var, scopes)
        if found is not None:
            self.same[var] = found
            return True
        scopes[0].known.setdefault(self.numbering.numbers[var], var)
        self.homes[var] = scopes[0].block
        return False

    def lookup(self, number: int, var: Var, scopes: list[Scope]) -> Atom | None:
        if var in self.handed:
            return None
        for scope in scopes:
            found = scope.known.get(number)
            if found is not None:
                return found if alike(found.object, var.object) else None
        return None

    def in_shape(self, op: Apply, let: Let) -> Atom | None:
        """What is given a shape that it has. Of what is read for its sizes, a parameter of the program that has them is
        read instead."""
        sizes = op.primitive.sizes
        if not sizes:
            return None
        if op.primitive.work != SIZES and self.given:
            for i, a in enumerate(let.args):
                if i in sizes and (shape := self.shapes.of(a)) is not None:
                    let.args[i] = self.given.get((shape, a.object), a)
        if not fits(op.primitive) or op.params or let.targets[0] in self.handed:
            return None
        x, like = let.args
        if x.object != like.object or not self.surely_like(x, like):
            return None
        if isinstance(x, Var):
            self.reshaped.append(x)
        return x

    def surely_like(self, d: Atom, x: Atom) -> bool:
        """Whether two arrays have one shape, whatever their sizes."""
        return self.shapes.equal(self.shapes.of(d), self.shapes.of(x))

    def size(self, op: Apply, let: Let, scopes: list[Scope]) -> Atom | None:
        """A whole number that is known, or is a number that an array was made with, or the size of an array that is
        there before."""
        target = let.targets[0]
        if op.primitive.work != SIZES or not isinstance(target.object, Int):
            return None
        size = self.shapes.size(target)
        if not size.terms:
            return Lit(size.constant, INT)
        (atom, times), *more = size.terms
        if more or times != 1 or size.constant:
            return None
        if isinstance(atom, Number):
            return self.lookup(atom.of, target, scopes)
        if isinstance(atom, Made):
            number = self.shapes.numbers.get(atom.number)
            return None if number is None else self.lookup(number, target, scopes)
        var = scopes[-1].known.get(atom.of) if isinstance(atom, Dim) else None  # type: ignore[arg-type]
        given = isinstance(var, Var) and self.given.get((self.shapes.of(var), var.object)) is var
        if var is None or not isinstance(atom, Dim) or not given or var is let.args[0]:
            return None
        args: list[Atom] = [var]
        same = atom.axis == op.params.get("axis", 0)
        let.args, let.op = args, let.op if same else Apply(shaping.dim, {"axis": atom.axis})
        return self.lookup(self.numbering.applied(let.op, let), target, scopes)  # type: ignore[arg-type]

    def let(self, let: Let, scopes: list[Scope]) -> None:
        op = let.op
        if isinstance(op, Apply):
            target = let.targets[0]
            found = self.in_shape(op, let)
            if op.primitive is barriers.check_like and self.surely_like(*let.args):
                return
            if found is None and not op.primitive.effect and op.primitive.work != FILLING:
                found = self.lookup(self.numbering.numbers[target], target, scopes)
                found = self.size(op, let, scopes) if found is None else found
                found = self.elsewhere(let, target, scopes) if found is None else found
            if found is None:
                if len(scopes) > 1 and may_raise(let):
                    self.raised_before(let, scopes)
                self.place(let, scopes)
                return
            self.same[target] = found
            if isinstance(found, Var) and found.definition is not None and not let.adjoint:
                found.definition.adjoint = False
            return
        if isinstance(op, Branch) and (arm := arm_of(op, let)) is not None:
            self.taken(arm, let, scopes)
            return
        for inner in op.blocks:
            self.block(inner, scopes)
        scopes[0].block.lets.append(let)
        if not isinstance(op, Lambda):
            for inner in op.blocks:
                scopes[0].ran.setdefault(self.way(inner), []).append(inner)
        for target in let.targets:
            if not self.bound(target, scopes) and isinstance(op, Branch):
                found = self.elsewhere(let, target, scopes)
                if found is not None:
                    self.same[target] = found

    def taken(self, arm: Block, let: Let, scopes: list[Scope]) -> None:
        """The arm of a branch whose test is known, in the place of the branch."""
        here = scopes[0].block
        for inner in arm.lets:
            inner.args = [self.now(a) for a in inner.args]
            move(inner, here)
            self.let(inner, scopes)
        self.same.update(zip(let.targets, map(self.now, arm.results), strict=True))

    def place(self, let: Let, scopes: list[Scope]) -> None:
        """Append a let to its block, or to one before the loops that it reads nothing of."""
        depth = 0
        if scopes[0].block.kind is BlockKind.LOOP and may_move(let, self.shapes):
            while scopes[depth].block.kind is BlockKind.LOOP and not any(
                    isinstance(a, Var) and self.homes.get(a) is scopes[depth].block for a in let.args):
                depth += 1
        scope, target = scopes[depth], let.targets[0]
        scope.block.lets.append(let)
        self.homes[target] = target.home = scope.block
        scope.known.setdefault(self.numbering.numbers[target], target)

    # -- what an earlier loop or branch computes -------------------------------------------------------------------

    def elsewhere(self, let: Let, target: Var, scopes: list[Scope]) -> Var | None:
        """A value that a block computes which is not seen here but ran as often: a loop along the same sequences, or
        the same arm of a branch on the same test."""
        here = scopes[0].block
        if target in self.handed or here.owner is None:
            return None
        if here.kind is BlockKind.BRANCH and isinstance(let.op, Apply):
            found = self.exported(let, scopes)
            return self.listed_of_arm(let, scopes) if found is None else found
        if here.kind is BlockKind.LOOP and isinstance(here.owner.op, Loop):
            return self.listed(let, target, here.owner, scopes)
        return None

    def exported(self, let: Let, scopes: list[Scope]) -> Var | None:
        """The value of a let as a further result of an earlier branch."""
        here, number = scopes[0].block, self.numbering.numbers[let.targets[0]]
        for scope in scopes[1:]:
            for arm in scope.ran.get(self.way(here), ()):
                earlier = arm.owner
                assert earlier is not None
                if (arm, number) in scope.exports:
                    return scope.exports[arm, number]
                source = self.source(arm, number, let)
                if source is None or source in self.handed or not may_be_handed(source):
                    continue
                scopes[0].known[number] = found = self.out_of_arm(arm, source, number, scope)
                return found
        return None

    def out_of_arm(self, arm: Block, source: Var, number: int, scope: Scope) -> Var:
        """A variable of an arm as a further result of the branch, absent on the other side."""
        assert arm.owner is not None
        for block in arm.owner.op.blocks:
            block.results.append(source if block is arm else Lit(Absent(source.object), source.object))
        found = scope.exports[arm, number] = self.result(arm.owner, source, source.object, scope)
        self.numbering.alone(found)
        return found

    def listed_of_arm(self, let: Let, scopes: list[Scope]) -> Var | None:
        """The value of a let in an arm of a branch in a loop, as an element of a list that an earlier loop builds."""
        body, target = scopes[1].block, let.targets[0]
        loop = body.owner
        if body.kind is not BlockKind.LOOP or loop is None or not isinstance(loop.op, Loop):
            return None
        if len(loop.args) == loop.op.carries:
            return None
        number, way = self.numbering.numbers[target], self.way(scopes[0].block)
        for scope in scopes[2:]:
            for earlier in scope.ran.get(self.way(body), ()):
                for arm in self.within(earlier).get(way, ()):
                    source = self.source(arm, number, let)
                    known = self.arms.get((arm, number))
                    kept = source is not None and source not in self.handed and may_be_kept(source)
                    if known is None and kept:
                        assert earlier.owner is not None and source is not None
                        value = self.out_of_arm(arm, source, number, Scope(earlier))
                        earlier.results.append(value)
                        column = self.result(earlier.owner, value, List(value.object), scope)
                        self.numbering.numbers[column] = self.numbering.number(
                            ("outputs", self.numbering.contexts[loop], self.numbering.numbers[value]))
                        known = self.arms[arm, number] = column, value
                    if known is not None and alike(known[1].object, target.object):
                        found = scopes[1].known.get(self.numbering.numbers[known[1]])
                        found = self.element(known[0], loop, body, known[1], scopes[1]) if found is None else found
                        scopes[0].known[number] = found
                        return found
        return None

    def listed(self, let: Let, target: Var, loop: Let, scopes: list[Scope]) -> Var | None:
        """The value of a let as an element of a list that an earlier loop builds."""
        assert isinstance(loop.op, Loop)
        context, number = self.numbering.contexts[loop], self.numbering.numbers[target]
        column = self.numbering.number(("outputs", context, number))
        for scope in scopes[1:]:
            found = scope.known.get(column)
            for body in scope.ran.get((context, BlockKind.LOOP), ()) if found is None else ():
                source = self.source(body, number, let)
                if source is not None:
                    if source not in self.handed and may_be_kept(source):
                        assert body.owner is not None
                        body.results.append(source)
                        found = self.result(body.owner, source, List(source.object), scope)
                        self.numbering.numbers[found] = column
                        scope.known[column] = found
                    break
            if found is not None and alike(found.object, List(target.object)) and len(loop.args) > loop.op.carries:
                return self.element(found, loop, scopes[0].block, target, scopes[0])
        return None

    def raised_before(self, let: Let, scopes: list[Scope]) -> None:
        """Mark a let that raises nothing since one like it ran before, in blocks nested in the same way."""
        number = self.numbering.numbers[let.targets[0]]
        for k, around in enumerate(scopes[:-1], 1):
            found = [block for scope in scopes[k:] for block in scope.ran.get(self.way(around.block), ())]
            for inner in reversed(scopes[: k - 1]):
                found = [b for block in found for b in self.within(block).get(self.way(inner.block), ())]
            if any(self.source(block, number, let) is not None for block in found):
                return

    def within(self, block: Block) -> dict[Any, list[Block]]:
        """The blocks in a block that is done, by how often they run."""
        if block not in self.inner:
            table = self.inner[block] = {}
            for let in block.lets:
                for inner in let.op.blocks:
                    table.setdefault(self.way(inner), []).append(inner)
        return self.inner[block]

    def way(self, block: Block) -> Any:
        """What decides how often a block runs."""
        let = block.owner
        if let is None:
            return block
        if isinstance(let.op, (Loop, While)):
            return self.numbering.contexts[let], block.kind
        return (self.numbering.of(let.args[0]), let.op.blocks.index(block)) if isinstance(let.op, Branch) else block

    def source(self, block: Block, number: int, let: Let) -> Var | None:
        """The variable of a block that has a number: what the let would raise, is raised there."""
        if block not in self.tables:
            found = [(self.numbering.numbers.get(v), (inner, v)) for inner in block.lets for v in inner.targets]
            self.tables[block] = dict(reversed(found))
        inner, found = self.tables[block].get(number, (None, None))
        if inner is not None:
            inner.adjoint = inner.adjoint and let.adjoint
            let.adjoint = True
        return found

    def result(self, let: Let, source: Var, a: Object, scope: Scope) -> Var:
        """One more result of a loop or branch."""
        found = type(source)(source.name, a, scope.block, let)
        found.base = source.base
        let.targets.append(found)
        self.homes[found] = scope.block
        return found

    def element(self, sequence: Var, loop: Let, body: Block, target: Var, scope: Scope) -> Var:
        found = type(target)(target.name, target.object, body)
        found.base = target.base
        self.homes[found] = body
        body.params.append(found)
        loop.args.append(sequence)
        self.numbering.numbers[found] = self.numbering.numbers[target]
        scope.known[self.numbering.numbers[target]] = found
        return found


class Scope:
    """What is known in a block: variables by number, and the blocks of loops and branches that ran, by how often."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.known: dict[int, Var] = {}
        self.ran: dict[Any, list[Block]] = {}
        self.exports: dict[tuple[Block, int], Var] = {}


def may_be_kept(var: Var) -> bool:
    """True for new arrays, which cost more to compute than to keep in a list."""
    return isinstance(var.object, Array) and var.object.axes != () and may_be_handed(var)


def may_be_handed(var: Var) -> bool:
    """True for what is computed and is no view: the base of a view that is kept could not be changed in place."""
    let = var.definition
    if let is None:
        return False
    if isinstance(let.op, Branch):
        i = let.targets.index(var)
        return all(isinstance(a, Var) and may_be_handed(a) for a in [arm.results[i] for arm in let.op.blocks])
    if not isinstance(let.op, Apply) or let.op.primitive.effect or is_update(let.op.primitive):
        return False
    return not (mutable(var.object) and (may_share(let.op) or let.op.primitive.work == FILLING))
