"""What passes ask: how many axes an array has, what slices leave out, and who reads a variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ccc.compile.program.lam import Atom, Block, Let, Lit, Program, blocks_in, leaves
from ccc.objects import Array

FLOATS = ("float32", "float64")
"""The dtypes of arrays that have derivatives."""


def rank(atom: Atom) -> int:
    """How many axes an array of floats has, 0 for anything else."""
    a = atom.object
    return len(a.axes or ()) if isinstance(a, Array) and a.dtype in FLOATS else 0


Ends = tuple[int, int]
"""How many places a slice leaves out before and behind it."""


def left_out(pattern: Sequence[str], numbers: Iterable[Atom]) -> list[Ends] | None:
    """What slices leave out at the ends of the axes, where these are known numbers of places; None for other indices.

    >>> from ccc.objects import INT
    >>> left_out(("s12", "s"), [Lit(1, INT), Lit(-2, INT)]), left_out(("s2",), [Lit(3, INT)])
    ([(1, 2), (0, 0)], None)
    """
    given, found = iter(numbers), list[Ends]()
    for code in pattern:
        ends = {place: next(given) for place in code[1:]}
        known = {place: n.value if isinstance(n, Lit) else None for place, n in ends.items()}
        start, stop = known.get("1", 0), known.get("2", 0)
        if code[0] != "s" or "3" in ends or type(start) is not int or type(stop) is not int:
            return None
        if start < 0 or stop > 0 or ("2" in ends and stop == 0):
            return None
        found.append((start, -stop))
    return found


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
