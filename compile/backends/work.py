"""How long a program runs, as far as its text says: how many lets run when every loop of unknown length runs once.

>>> from compile.elaborate import elaborate
>>> def f(x, n):
...     for i in range(1000):
...         x = x * x
...     while x > n:
...         x = x - 1.0
...     return x
>>> work(elaborate(f, [1.0, 2]).program.block)
Work(lets=6, steps=1005, loops=2, unbounded=True)
"""

from __future__ import annotations

from dataclasses import dataclass

from ccc.primitives import structure
from compile.lam import Apply, Atom, Block, Call, Lambda, Let, Lit, Loop, Var, While


@dataclass(frozen=True)
class Work:
    """The lets of a program, how often they run at least, its loops, and whether nothing says how long it runs."""

    lets: int
    steps: int
    loops: int
    unbounded: bool


def work(block: Block) -> Work:
    """The work of a program."""
    lets = steps = loops = 0
    unbounded = False
    todo: list[tuple[Block, int, frozenset[Var]]] = [(block, 1, frozenset())]
    while todo:
        here, times, active = todo.pop()
        for let in here.lets:
            lets, steps = lets + 1, steps + times
            op = let.op
            loops += isinstance(op, Loop | While)
            unbounded = unbounded or isinstance(op, While) or (isinstance(op, Call) and let.args[0] in active)
            inside = active.union(let.targets) if isinstance(op, Lambda) else active
            todo += [(inner, times * runs(let), inside) for inner in op.blocks]
    return Work(lets, steps, loops, unbounded)


def runs(let: Let) -> int:
    """How often the body of a let runs, where that is written in the program; else 1."""
    op = let.op
    if not isinstance(op, Loop):
        return 1
    return max([1, *filter(None, map(length, let.args[op.carries :]))])


def length(sequence: Atom) -> int | None:
    """The length of a range with constant ends."""
    made = sequence.definition if isinstance(sequence, Var) else None
    if made is None or not isinstance(made.op, Apply) or made.op.primitive is not structure.span:
        return None
    ends = [atom.value for atom in made.args if isinstance(atom, Lit)]
    if len(ends) < len(made.args) or not all(isinstance(end, int) for end in ends):
        return None
    return len(range(*ends)) if len(ends) < 3 or ends[2] else None
