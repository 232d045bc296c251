"""Symbolic values: the variables that a category's rules compute with, and what the runs of a loop left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.additive import ZERO
from ccc.compile.program.dependence import depends
from ccc.compile.program.lam import Block, Var
from ccc.errors import CannotStage
from ccc.objects import Boxed, Coproduct, List, Map, Product, Space
from ccc.primitives import arithmetic, structure, zero_trees


class Staged(Var):
    """A variable that derivative rules compute with."""

    __slots__ = ()

    def recorded(self, value: Any) -> Any:
        whole = isinstance(self.object, (Product, List, Map, Coproduct))
        return self.base.whole(value) if whole and not isinstance(value, Staged) else value

    def reads(self, others: Sequence[Any]) -> bool:
        return depends([self], others)

    def padded(self, like: Any) -> Any:
        return self if isinstance(like, Tape) else structure.pad(self, like)

    def __add__(self, other: Any) -> Any:
        if isinstance(self.object, (Boxed, Coproduct, Product, List, Map, Space)):
            return zero_trees.add_trees(self, other)
        return super().__add__(other)

    def __lt__(self, other: Any) -> Any:
        return arithmetic.less(self, other)

    def __le__(self, other: Any) -> Any:
        return arithmetic.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return arithmetic.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return arithmetic.greater_equal(self, other)

    def __bool__(self) -> bool:
        raise CannotStage("a rule asked for the truth of a value that is not known yet", CannotStage.chosen)

    def __iter__(self) -> Any:
        raise CannotStage("a rule iterated over a value that is not known yet", CannotStage.taken)


class Tape:
    """What each run of a loop's body left behind: Python values of the compiler, pullbacks among them."""

    __slots__ = ("body", "tree")

    def __init__(self, body: Block, tree: Any) -> None:
        self.body = body
        self.tree = tree

    def padded(self, like: Any) -> Any:
        return ZERO if self.tree == () else self  # of items without parts; else a loop runs along a whole tape
