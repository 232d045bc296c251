"""How long a program runs, as far as its text and the sizes of its arguments say.

What is not known is guessed: a loop of unknown length runs `GUESS` times, and so does a function that calls itself.

>>> from compile.elaborate import elaborate
>>> def f(xs, n):
...     s = 0.0
...     for x in xs:
...         for i in range(n):
...             s = s + x * x
...     while s > 1.0:
...         s = s / 2.0
...     return s
>>> program = elaborate(f, [[1.0, 2.0], 3]).program
>>> work(program).loops, work(program).unbounded
(3, True)
>>> work(program, [[0.5] * 200, 7]).steps > 9 * work(program, [[0.5] * 10, 7]).steps
True
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.primitives import structure
from ccc.records import parts_of
from compile.lam import Apply, Atom, Block, Lambda, Let, Lit, Loop, Program, Tree, Var, While

GUESS = 8
"""How often a loop runs of which nothing is known."""
INTEGERS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv}


@dataclass(frozen=True)
class Work:
    """The lets of a program, how often they run, its loops, and whether nothing says how long it runs."""

    lets: int
    steps: int
    loops: int
    unbounded: bool


class Sizes:
    """What is known of the values of a program: integers, and the sizes of arrays and lists."""

    def __init__(self) -> None:
        self.value: dict[Var, int] = {}
        self.shape: dict[Var, tuple[int, ...]] = {}

    def enter(self, tree: Tree, value: Any) -> None:
        """Note an argument."""
        if isinstance(tree, tuple):
            for part, inner in zip(tree, parts_of(value) or (), strict=False):
                self.enter(part, inner)
        elif isinstance(tree, Var):
            if isinstance(value, int | np.integer):
                self.value[tree] = int(value)
            elif isinstance(value, np.ndarray):
                self.shape[tree] = value.shape
            elif isinstance(value, list):
                self.shape[tree] = (len(value),)

    def number(self, atom: Atom) -> int | None:
        if isinstance(atom, Lit):
            return atom.value if type(atom.value) is int else None
        return self.value.get(atom)

    def length(self, atom: Atom) -> int | None:
        found = self.shape.get(atom) if isinstance(atom, Var) else None
        return found[0] if found else None

    def let(self, let: Let) -> None:
        """Note what a let of a primitive says."""
        op = let.op
        if not isinstance(op, Apply) or not let.targets:
            return
        target, name = let.targets[0], op.primitive.name
        if op.primitive is structure.span:
            ends = [self.number(atom) for atom in let.args]
            if None not in ends and ends[2:] != [0]:
                self.shape[target] = (len(range(*ends)),)  # type: ignore[arg-type]
        elif name in ("rows", "own", "copy", "zeros_like") and let.args[0] in self.shape:
            self.shape[target] = self.shape[let.args[0]]  # type: ignore[index]
        elif name in ("len", "dim"):
            sizes, axis = self.shape.get(let.args[0], ()), op.params.get("axis", 0)  # type: ignore[arg-type]
            if isinstance(axis, int) and axis < len(sizes):
                self.value[target] = sizes[axis]
        elif name in INTEGERS:
            xs = [self.number(atom) for atom in let.args]
            if None not in xs and (name != "floordiv" or xs[1]):
                self.value[target] = INTEGERS[name](*xs)

    def runs(self, let: Let) -> int:
        """How often the blocks of a let run."""
        op = let.op
        if isinstance(op, Loop):
            lengths = [n for n in map(self.length, let.args[op.carries :]) if n is not None]
            count = min(lengths, default=GUESS)
            for target in let.targets[op.carries :]:
                self.shape[target] = (count,)
            return count
        return GUESS if isinstance(op, While) else 1


def work(program: Program, args: Sequence[Any] = ()) -> Work:
    """The work of a program; with the arguments of a call, that of the call."""
    sizes = Sizes()
    for (_, tree), value in zip(program.params, args, strict=False):
        sizes.enter(tree, value)
    lets = steps = loops = 0
    unbounded = False
    todo: list[tuple[Block, int]] = [(program.block, 1)]
    while todo:
        here, times = todo.pop()
        for let in here.lets:
            op = let.op
            lets, steps = lets + 1, steps + times
            sizes.let(let)
            again = isinstance(op, Lambda) and calls(op.body, let.targets[0])
            loops += isinstance(op, Loop | While) or again
            unbounded = unbounded or isinstance(op, While) or again
            runs = GUESS if again else sizes.runs(let)
            todo += [(inner, times * runs) for inner in op.blocks]
    return Work(lets, steps, loops, unbounded)


def calls(block: Block, function: Var) -> bool:
    """Whether a block calls a function, or hands it on."""
    todo = [block]
    while todo:
        here = todo.pop()
        for let in here.lets:
            if function in let.args:
                return True
            todo += let.op.blocks
    return function in block.results


__all__ = ["Work", "work"]
