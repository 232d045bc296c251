"""`while` loops that compute part of what another one computes: they go, and the other one gives their results.

    x = while p(x): f(x)                             x, dx = while p(x): f(x), g(x, dx)
    y, dy = while p(y): f(y), g(y, dy)               with x for y

A value and a derivative of the same function are such loops. Carries of both are told apart, as in `numbering`, until
those that are left together have equal updates; the loops run equally often if their tests are equal then. What the one
raises in, the other has to raise in. Where it stands later, it moves up, with what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ccc.compile.passes.inline_program_primitives import Replaced, found_in, substitute
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    Branch,
    Lambda,
    Let,
    Loop,
    Program,
    Var,
    While,
    free_variables,
    lets_in,
)
from ccc.compile.program.numbering import Numbering, alike, arm_of
from ccc.compile.program.raises import can_raise, may_raise
from ccc.compile.program.sharing import is_foreign

NEAR = 16
"""So many loops before one are compared with it."""


def covered(program: Program, handed_out: Callable[[Program], set[Var]]) -> bool:
    """Rewrite a program in place; true where a loop has gone. What is handed out keeps memory of its own."""
    if sum(isinstance(let.op, While) for let in lets_in(program.block)) < 2:
        return False
    work = Covering(shapes_of(program).numbering, handed_out(program))
    work.block(program.block, [], [])
    if work.replaced:
        substitute(program, work.replaced)
    return bool(work.replaced)


class Covering:
    """A walk through a program in its order."""

    def __init__(self, numbering: Numbering, handed: set[Var]) -> None:
        self.numbering = numbering
        self.handed = handed
        self.inside: list[frozenset[int]] = []
        self.replaced: Replaced = {}

    def block(self, block: Block, around: Sequence[Let], inside: list[frozenset[int]]) -> None:
        """Look at the loops of a block; those `around` have run before it, and it is `inside` of loops, as `numbering`
        tells these."""
        self.inside = inside
        ran: list[Let] = []
        for let in list(block.lets):
            before = [*around, *ran]
            if isinstance(let.op, While) and self.candidate(let):
                if any(self.part(let, other) for other in before[: -NEAR - 1 : -1]):
                    block.lets.remove(let)
                    continue
                for other in ran[: -NEAR - 1 : -1]:
                    if self.moves(let, other, block) and self.part(other, let, moving=True):
                        self.move(let, other, block)
                        ran.remove(other)
                before = [*around, *ran]
                ran.append(let)
            if isinstance(let.op, Lambda):
                self.block(let.op.body, [], [*inside, frozenset({-1})])
            elif not isinstance(let.op, Branch) or arm_of(let.op, let) is None:
                loop = isinstance(let.op, (Loop, While))
                within = [*inside, self.numbering.keys[self.numbering.contexts[let]][1]] if loop else inside
                for inner in let.op.blocks:
                    self.block(inner, before, within)
            self.inside = inside

    def candidate(self, let: Let) -> bool:
        """Whether a loop calls nothing and has no effect, and whether memory of its own is not asked of it."""
        return not any(target in self.handed for target in let.targets) and all(
            isinstance(inner.op, (Apply, Branch, Loop, While)) and not (
                isinstance(inner.op, Apply) and (inner.op.primitive.effect or is_foreign(inner.op.primitive)))
            for block in let.op.blocks for inner in lets_in(block))

    # -- whether one is part of the other --------------------------------------------------------------------------

    def part(self, let: Let, other: Let, moving: bool = False) -> bool:
        """Let the results of a loop be those of another one, if that computes them. Where the other one is `moving`, it
        may raise in nothing else."""
        numbering = self.numbering
        starts = [set(map(numbering.of, loop.args)) for loop in (let, other)]
        if not starts[0] <= starts[1]:
            return False
        kept = dict(numbering.numbers), dict(numbering.contexts), numbering.inside
        try:
            found = self.results(let, other)
            if found is None or not self.raise_alike(let, other, moving):
                return False
        finally:
            numbering.numbers, numbering.contexts, numbering.inside = kept
        self.replaced.update(found)
        other.adjoint = other.adjoint and let.adjoint
        return True

    def results(self, let: Let, other: Let) -> dict[Var, Var] | None:
        """The results of a loop by those of another one that are equal."""
        classes = self.classes(let, other)
        if classes is None:
            return None
        own, theirs = classes
        number = self.numbering.of
        given = {number(a): i for i, a in enumerate(body_of(other).results) if i >= len(theirs)}
        places = [theirs.index(kind) if kind in theirs else None for kind in own]
        places += [given.get(number(a)) for a in body_of(let).results[len(own) :]]
        found = {target: other.targets[i] for target, i in zip(let.targets, places, strict=True) if i is not None}
        return found if None not in places and all(alike(a.object, b.object) for a, b in found.items()) else None

    def classes(self, let: Let, other: Let) -> tuple[list[int], list[int]] | None:
        """Numbers of the carries of both, the same for those that are always equal; None where the tests differ."""
        numbering = self.numbering
        number = numbering.number
        loops = (let, other)
        kinds = [[number(("together", numbering.of(init), param.object)) for init, param in zip(
            loop.args, body_of(loop).params, strict=True)] for loop in loops]
        if not set(kinds[0]) <= set(kinds[1]):
            return None
        numbering.inside = [*self.inside, frozenset({number(("both", let, other))})]
        while True:
            for loop, own in zip(loops, kinds, strict=True):
                for block in loop.op.blocks:
                    numbering.numbers.update(zip(block.params, own, strict=False))
                    numbering.block(block)
            following = [[number(("apart", kind, numbering.of(result))) for kind, result in zip(
                own, body_of(loop).results, strict=False)] for loop, own in zip(loops, kinds, strict=True)]
            if not set(following[0]) <= set(following[1]):
                return None
            if len({*following[0], *following[1]}) == len({*kinds[0], *kinds[1]}):
                break
            kinds = following
        tests = [numbering.of(loop.op.test.results[0]) for loop in loops]  # type: ignore[attr-defined]
        return (kinds[0], kinds[1]) if tests[0] == tests[1] else None

    def raise_alike(self, let: Let, other: Let, moving: bool) -> bool:
        """Whether the other loop raises in what this one raises in; where it is `moving`, in the same order, and in
        nothing else."""
        own, theirs = [list(self.raising(loop)) for loop in (let, other)]
        needed = [way for way, inner in own if may_raise(inner)]
        there = {way: inner for way, inner in theirs if moving or may_raise(inner)}
        if any(way not in there for way in needed):
            return False
        if moving and [way for way, inner in theirs if may_raise(inner) or way in needed] != needed:
            return False
        for way in needed:
            there[way].adjoint = False
        return True

    def raising(self, let: Let) -> Iterator[tuple[Any, Let]]:
        """What a loop may raise in: how it is reached in a run, with its number, and the let."""
        todo: list[tuple[Any, Block]] = [((), block) for block in reversed(let.op.blocks)]
        while todo:
            way, block = todo.pop()
            inner: list[tuple[Any, Block]] = []
            for here in block.lets:
                op = here.op
                if isinstance(op, Apply):
                    if can_raise(op, here.args):
                        yield (*way, block.kind, self.numbering.of(here.targets[0])), here
                elif isinstance(op, Branch):
                    test = self.numbering.of(here.args[0])
                    inner += [((*way, block.kind, test, i), arm) for i, arm in enumerate(op.blocks)]
                else:
                    inner += [((*way, block.kind, self.numbering.contexts[here]), part) for part in op.blocks]
            todo += reversed(inner)

    # -- moving up -------------------------------------------------------------------------------------------------

    def moves(self, let: Let, to: Let, block: Block) -> bool:
        """Whether a loop may move to the place of an earlier one, with what it reads."""
        between = self.between(let, to, block)
        return to not in between and all(
            isinstance(x.op, Apply) and not x.op.primitive.effect and not is_foreign(x.op.primitive)
            and not may_raise(x) for x in between[:-1])

    def between(self, let: Let, to: Let, block: Block) -> list[Let]:
        """The lets from one on that a later one is computed from, itself included."""
        start, end = block.lets.index(to), block.lets.index(let)
        wanted = set[Atom]()
        found: list[Let] = []
        memo: dict[int, list[Var]] = {}
        for x in reversed(block.lets[start : end + 1]):
            if x is let or any(target in wanted for target in x.targets):
                found.append(x)
                read = [*x.args, *[var for inner in x.op.blocks for var in free_variables(inner, memo)]]
                wanted.update([found_in(atom, self.replaced) for atom in read])
        return found[::-1]

    def move(self, let: Let, to: Let, block: Block) -> None:
        """Put a loop in the place of an earlier one, with what it reads before it."""
        moved = self.between(let, to, block)
        rest = [x for x in block.lets if x not in moved]
        at = rest.index(to)
        block.lets = [*rest[:at], *moved, *rest[at + 1 :]]


def body_of(let: Let) -> Block:
    assert isinstance(let.op, While)
    return let.op.body
