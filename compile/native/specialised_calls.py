"""A function and its pullbacks that give lists of some lengths to copies for these: see `specialised`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.native.specialised_families import NONE, Copy, Family
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Let,
    Lit,
    Program,
    Var,
)
from ccc.objects import INT, Exponential, List, Object, Product
from ccc.primitives import arithmetic, structure, tapes


class Serving:
    """A function and its pullbacks with the copies for lists that these serve: which one it was is a part of the tape,
    and so is the tape of the copy."""

    def __init__(self, program: Program, family: Family, copies: dict[int, Copy]) -> None:
        self.program = program
        self.family = family
        self.copies = copies
        self.lengths = sorted(copies)

    def write(self) -> None:
        """Rewrite the functions, and put the copies before them."""
        family, lets = self.family, self.program.block.lets
        first = self.forward()
        for function, let in family.pullbacks.items():
            self.backward(let, first)
            at = lets.index(let)
            lets[at:at] = [defined(copy.pullbacks[function]) for copy in self.copies.values()]
        at = lets.index(family.let)
        lets[at:at] = [defined(copy) for copy in self.copies.values()]

    def forward(self) -> int:
        """Rewrite the function; gives where in its tapes the new parts begin."""
        body, taped = body_of(self.family.let), self.family.tape is not None
        roll = body.lets.pop() if taped else None
        given = body.results[:-1] if roll else body.results
        parts = roll.args if roll else []
        tape_of = [self.copies[n].tape for n in self.lengths] if roll else []
        xs = body.params[self.family.place]

        def of(n: int, block: Block) -> list[Atom]:
            copy = self.copies[n]
            items = [applied(block, structure.item, xs, number(i)) for i in range(n)]
            found, tape = calling(block, copy, [x for p in body.params for x in (items if p is xs else [p])], given)
            own = [atom for a in tape_of for atom in (tape if a is copy.tape else [absent(a)])]
            return [*found, *[absent(a.object) for a in parts], *([number(n)] if roll else []), *own]

        others = [*given, *parts, *([number(NONE)] if roll else []), *map(absent, tape_of)]
        results = self.divided(body, lambda block: applied(block, structure.length, xs), of, others)
        body.results = results
        if roll is not None:
            body.results = [*results[: len(given)], *roll.targets]
            roll.args = results[len(given) :]
            body.lets.append(roll)
        return len(parts)

    def backward(self, let: Let, first: int) -> None:
        """Rewrite a pullback."""
        body, (function,) = body_of(let), let.targets
        tape, *rest = body.params

        def of(n: int, block: Block) -> list[Atom]:
            copy = self.copies[n]
            own = applied(block, tapes.unroll, tape, index=first + 1 + self.lengths.index(n), of=copy.tape)
            return calling(block, copy.pullbacks[function], [own, *rest], given)[0]

        given = body.results
        body.results = self.divided(
            body, lambda block: applied(block, tapes.unroll, tape, index=first, of=INT), of, given)

    def divided(
        self, body: Block, length: Callable[[Block], Var], of: Callable[[int, Block], list[Atom]], others: list[Atom]
    ) -> list[Atom]:
        """Let a body be one branch of itself, and what there is for each length the other; gives its results."""
        inner, body.lets = body.lets, []
        n = length(body)
        low = applied(body, arithmetic.greater_equal, n, number(self.lengths[0]))
        high = applied(body, arithmetic.less_equal, n, number(self.lengths[-1]))
        then, orelse = Block(BlockKind.BRANCH, body), Block(BlockKind.BRANCH, body)
        orelse.lets, orelse.results = inner, others
        for let in inner:
            for target in let.targets:
                target.home = orelse
            for block in let.op.blocks:
                block.parent = orelse
        then.results = self.chosen(then, self.lengths, n, of)
        return branched(body, applied(body, arithmetic.both, low, high), then, orelse)

    def chosen(
        self, block: Block, lengths: list[int], n: Var, of: Callable[[int, Block], list[Atom]]
    ) -> list[Atom]:
        """What there is for the length that a number says."""
        if len(lengths) == 1:
            return of(lengths[0], block)
        half = len(lengths) // 2
        then, orelse = Block(BlockKind.BRANCH, block), Block(BlockKind.BRANCH, block)
        then.results = self.chosen(then, lengths[:half], n, of)
        orelse.results = self.chosen(orelse, lengths[half:], n, of)
        return branched(block, applied(block, arithmetic.less, n, number(lengths[half])), then, orelse)


def applied(block: Block, primitive: Any, *atoms: Atom, **params: Any) -> Var:
    """The result of an operation at the end of a block."""
    let = Let(Apply(primitive, params), list(atoms))
    block.lets.append(let)
    return let.target("", primitive.type_of(tuple([atom.object for atom in atoms]), params), block)


def calling(block: Block, copy: Copy, args: list[Atom], like: list[Atom]) -> tuple[list[Atom], list[Var]]:
    """The results of a call of a copy at the end of a block, as those of the function are, and its tape."""
    let = Let(Call(), [copy.variable, *args])
    block.lets.append(let)
    targets = iter([let.target("", a.object, block) for a in copy.block.results])
    found = [shaped(x, targets) for x in copy.results]
    return [listed(block, x, a.object) for x, a in zip(found, like, strict=True)], list(targets)


def listed(block: Block, x: Any, a: Object) -> Atom:
    """A list of variables, or of such lists, as a list of the program."""
    if not isinstance(x, list):
        return x
    assert isinstance(a, List)
    return applied(block, structure.listing, *[listed(block, part, a.item) for part in x], of=a)


def flat(xs: list[Any]) -> list[Any]:
    """The items of lists in the places of these."""
    return [y for x in xs for y in (flat(x) if isinstance(x, list) else [x])]


def shaped(x: Any, variables: Iterator[Var]) -> Any:
    """Variables in the places of values and of items of lists."""
    return [shaped(y, variables) for y in x] if isinstance(x, list) else next(variables)


def branched(block: Block, test: Var, then: Block, orelse: Block) -> list[Atom]:
    """The results of a branch at the end of a block."""
    let = Let(Branch(then, orelse), [test])
    block.lets.append(let)
    return [let.target(getattr(a, "name", ""), a.object, block) for a in orelse.results]


def defined(copy: Copy) -> Let:
    """The let of a copy, the type of which is known by now."""
    results = [a.object for a in copy.block.results]
    cod = results[0] if len(results) == 1 else Product(tuple(results))
    copy.variable.object = Exponential(Product(tuple([p.object for p in copy.block.params])), cod)
    assert copy.variable.definition is not None
    return copy.variable.definition


def body_of(function: Let) -> Block:
    (body,) = function.op.blocks
    return body


def number(n: int) -> Lit:
    return Lit(n, INT)


def absent(a: Object) -> Lit:
    return Lit(Absent(a), a)
