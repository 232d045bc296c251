"""What passes over products ask: how many axes an array has, and who reads a variable."""

from __future__ import annotations

from ccc.compile.program.lam import Atom, Block, Let, Program, blocks_in, leaves
from ccc.objects import Array

FLOATS = ("float32", "float64")
"""The dtypes of arrays that have derivatives."""


def rank(atom: Atom) -> int:
    """How many axes an array of floats has, 0 for anything else."""
    a = atom.object
    return len(a.axes or ()) if isinstance(a, Array) and a.dtype in FLOATS else 0


class Readers:
    """Who reads each variable: lets, blocks that yield it, and the program."""

    def __init__(self, program: Program) -> None:
        self.of: dict[Atom, list[Let | Block | Program]] = {}
        for atom in leaves(program.result):
            self.of.setdefault(atom, []).append(program)
        for block in blocks_in(program.block):
            for atom in (*block.results, *leaves(block.tree)):
                self.of.setdefault(atom, []).append(block)
            for let in block.lets:
                for atom in let.args:
                    self.of.setdefault(atom, []).append(let)

    def only(self, var: Atom) -> Let | Block | Program | None:
        """The one that reads a variable, if it is one, once."""
        found = self.of.get(var, [])
        return found[0] if len(found) == 1 else None
