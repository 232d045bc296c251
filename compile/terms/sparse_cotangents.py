"""Contributions to a cotangent that a branch or a loop makes: they are added where the sum already is.

`ccc.additive.Contribution` is their protocol. Adding one to an accumulator records the branch or starts the loop at it,
so that no zero array is made for each branch taken and each inner loop run.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from ccc.additive import Contribution, Zero, ZeroLike, add
from ccc.compile.program.lam import Block, Let, Var
from ccc.errors import CannotStage
from ccc.primitives import zero_trees

_made = count()


class Chosen(Contribution):
    """A contribution made in one branch, or another in the other; what it is added to is updated in the taken one."""

    __slots__ = ("arms", "let", "scope", "staging", "starts", "test")

    def __init__(self, staging: Any, test: Var, let: Let, then: Any, orelse: Any) -> None:
        self.staging = staging
        self.test = test
        self.let = let
        self.scope = staging.block
        self.arms = (then, orelse)
        self.starts = min([ct.starts for ct in self.arms if isinstance(ct, Contribution)])

    def onto(self, accumulator: Any) -> Any:
        if isinstance(accumulator, Var) and accumulator.definition is self.let:
            i = self.let.targets.index(accumulator)
            inside = [block.results[i] for block in self.let.op.blocks]
            if all(isinstance(x, Var) for x in inside):
                return self.staging.more(self.let, self.scope, [
                    lambda x=x, ct=ct: add(x, ct) for x, ct in zip(inside, self.arms, strict=True)
                ])
        if isinstance(accumulator, Var) and precedes(accumulator, self.let, self.scope):
            return self.staging.more(self.let, self.scope, [
                lambda ct=ct: add(accumulator, ct) for ct in self.arms
            ])
        then, orelse = [lambda ct=ct: add(accumulator, ct) for ct in self.arms]
        return self.staging.cond(self.test, then, orelse)

    def dense(self) -> Any:
        then, orelse = [lambda ct=ct, other=other: self.settled(ct, other)
                        for ct, other in (self.arms, self.arms[::-1])]
        return self.staging.cond(self.test, then, orelse)

    def settled(self, ct: Any, other: Any) -> Any:
        if isinstance(ct, ZeroLike):
            return zero_trees.zero_for(ct.witness)
        return other.zero() if isinstance(ct, Zero) else ct.dense()

    def zero(self) -> Any:
        found = next(ct for ct in self.arms if isinstance(ct, Contribution))
        return found.zero()


def precedes(var: Var, let: Let, scope: Block) -> bool:
    """True where a let, which is or will be in the block `scope`, can read a variable."""
    if var.home is None or var.home not in list(scope.ancestors()):
        return False
    if var.definition is None:
        return True
    block = scope
    while block is not var.home and block.parent is not None:
        assert block.parent is not None
        let = block.owner  # type: ignore[assignment]
        block = block.parent
        if let is None:  # a block that is still being recorded: what is there was there before
            return any(found is var.definition for found in block.lets) if block is var.home else False
    lets = block.lets
    if not any(found is let for found in lets):
        return True
    return lets.index(var.definition) < lets.index(let)


class Accumulated(Contribution):
    """What a loop or a recursive function adds up for a value from outside it: the sum may start at what it is to be
    added to, where that is done in the block of the loop. In an arm of a branch behind it that would be done for one
    arm, while both read the sum."""

    __slots__ = ("begun", "let", "position", "read", "scope", "staging", "starts", "total", "witness")

    def __init__(self, staging: Any, let: Let, position: int, total: Var, witness: Any) -> None:
        self.staging = staging
        self.let = let
        self.position = position
        self.total = total
        self.starts = next(_made)
        self.scope = staging.block
        self.read = self.begun = False
        self.witness = witness

    def onto(self, accumulator: Any) -> Any:
        fits = isinstance(accumulator, Var) and accumulator.object == self.total.object
        alone = self.staging.block is self.scope and not self.read
        if not (fits and alone and precedes(accumulator, self.let, self.scope)):
            return add(accumulator, self.dense())
        total = self.dense()
        self.let.args[self.position] = accumulator
        self.begun = True
        return total

    def dense(self) -> Any:
        if self.begun:
            raise CannotStage("a sum that begins at another one and is read apart from it")
        self.read = True
        return self.total

    def zero(self) -> Any:
        return zero_trees.zeros_like(self.witness)
