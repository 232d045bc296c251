"""Programs of their own, elaborated inside another."""

from __future__ import annotations

from collections.abc import Sequence

from ccc.arrows import Arrow
from ccc.compile.program.lam import Block, Program, Tree, Var, free_variables, leaves
from ccc.compile.terms.abstract import abstract
from ccc.objects import Object


class Part:
    """A program of its own, elaborated inside another: its block and the tree of its result."""

    def __init__(self, name: str, params: list[Var], block: Block, tree: Tree) -> None:
        self.name = name
        self.params = params
        self.block = block
        self.tree = tree
        self.captured = free_variables(block, {})

    def term(self, captured: Sequence[Var]) -> Arrow:
        """The arrow from the arguments and what is captured to the result."""
        params = [(v.name, v) for v in [*self.params, *captured]]
        return abstract(Program(self.name, params, self.block, self.tree))  # type: ignore[arg-type]

    @property
    def results(self) -> list[Object]:
        """The objects of the variables in the result."""
        return [leaf.object for leaf in leaves(self.tree) if isinstance(leaf, Var)]

    def values(self, captured: Sequence[Var]) -> Arrow:
        """The arrow to the variables in the result: to one alone, or to a tuple."""
        found = [leaf for leaf in leaves(self.tree) if isinstance(leaf, Var)]
        return Part(self.name, self.params, self.block, found[0] if len(found) == 1 else tuple(found)).term(captured)
