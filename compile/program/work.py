"""How long a program runs, as far as its text and the sizes of its arguments say.

What is not known is guessed: a loop of unknown length runs `GUESS` or `WHILE` times, and so does a function that calls
itself.
`seconds` is what NumPy code takes on a processor of 2024, within a factor of three or so.

>>> from ccc.compile.frontend.elaborate import elaborate
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
>>> 1e-5 < work(program, [[0.5] * 200, 7]).seconds < 1e-3
True
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ccc.compile.program.lam import Apply, Atom, Block, Lambda, Let, Lit, Loop, Program, Tree, Var, While
from ccc.objects import Array, Int
from ccc.primitives import structure
from ccc.primitives.facts import MOVEMENT, NOT_LINEAR, SIZES
from ccc.primitives.primitive import elementwise, is_update
from ccc.records import parts_of
from ccc.values import value

GUESS, WHILE = 8, 30
"""How often a loop along a list of which nothing is known runs, and one that a condition ends."""
NUMBER, CALL, ARRAY, ITEM = 3e-8, 8e-8, 1e-6, 1e-9
"""What NumPy code takes for a let of numbers, for one that calls a function or begins a loop, for one of arrays, and
more for each of their items."""
LARGEST = 10_000
"""Programs of more lets than this stay with NumPy."""


@value()
class Work:
    """The lets of a program, how often they run, how long that takes in NumPy code, its loops, and whether nothing
    says how long it runs; how long those lets take that are `apart`, and how often they run."""

    lets: int
    steps: int
    seconds: float
    loops: int
    unbounded: bool
    apart: float = 0.0
    calls: int = 0


class Sizes:
    """What is known of the values of a program: integers, and the sizes of arrays and lists."""

    def __init__(self) -> None:
        self.value: dict[Var, int] = {}
        self.shape: dict[Var, tuple[int, ...]] = {}
        self.spans: set[Var] = set()

    def enter(self, tree: Tree, value: Any) -> None:
        """Note an argument."""
        if isinstance(tree, tuple):
            for part, inner in zip(tree, parts_of(value) or (), strict=False):
                self.enter(part, inner)
        elif isinstance(tree, Var):
            if isinstance(value, (int, np.integer)):
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
        target, p = let.targets[0], op.primitive
        a = target.object
        if isinstance(a, Array) and a.axes:
            shape = self.largest(atom for atom in let.args if self.rank(atom) == len(a.axes))
            if shape:
                self.shape[target] = shape
        like = p.like_of(op.params)
        if p is structure.span:
            ends = [self.number(atom) for atom in let.args]
            if None not in ends and ends[2:] != [0]:
                self.shape[target] = (len(range(*ends)),)  # type: ignore[arg-type]
                self.spans.add(target)
        elif like is not None and let.args[like] in self.shape:
            self.shape[target] = self.shape[let.args[like]]  # type: ignore[index]
        elif p.axis is not None:
            sizes, axis = self.shape.get(let.args[0], ()), p.axis(op.params)  # type: ignore[arg-type]
            if -len(sizes) <= axis < len(sizes):
                self.value[target] = sizes[axis]
        elif isinstance(a, Int) and p.type_rule is elementwise and (p.whole or p.linear is not NOT_LINEAR):
            xs = [self.number(atom) for atom in let.args]
            if None not in xs:
                with suppress(ZeroDivisionError):
                    self.value[target] = int(p.value(*xs))

    def rank(self, atom: Atom) -> int:
        return len(self.shape.get(atom, ())) if isinstance(atom, Var) else 0

    def largest(self, atoms: Iterable[Atom]) -> tuple[int, ...]:
        """The largest of the known shapes."""
        shapes = [self.shape[atom] for atom in atoms if isinstance(atom, Var) and atom in self.shape]
        return max(shapes, key=math.prod, default=())

    def seconds(self, let: Let) -> float:
        """What a let takes in NumPy code, without the blocks in it: what reads or changes one number of an array
        takes no longer than a call."""
        if not isinstance(let.op, Apply):
            return CALL
        arrays = [a for a in (*let.args, *let.targets) if isinstance(a.object, Array) and a.object.axes != ()]
        p = let.op.primitive
        about = let.args[1:2] if is_update(p) else let.targets
        places = p.work == SIZES or is_update(p) or (p.work == MOVEMENT and p.places)
        if arrays and not (places and not any(isinstance(a.object, Array) for a in about)):
            return ARRAY + ITEM * math.prod(self.largest(arrays))
        return NUMBER if p.precedence < 100 else CALL

    def runs(self, let: Let) -> int:
        """How often the blocks of a let run."""
        op = let.op
        if isinstance(op, Loop):
            lengths = [n for n in map(self.length, let.args[op.carries :]) if n is not None]
            count = min(lengths, default=GUESS)
            for target in let.targets[op.carries :]:
                self.shape[target] = (count,)
            for atom, param in zip(let.args, op.body.params, strict=True):
                if isinstance(atom, Var) and atom in self.spans:
                    self.value[param] = count // 2  # on average
                elif isinstance(param.object, Array) and self.rank(atom) == len(param.object.axes or ()):
                    self.shape[param] = self.shape.get(atom, ())  # type: ignore[arg-type]  # a literal is one number
            return count
        return WHILE if isinstance(op, While) else 1


def work(program: Program, args: Sequence[Any] = (), apart: Container[Let] = ()) -> Work:
    """The work of a program; with the arguments of a call, that of the call."""
    sizes = Sizes()
    for (_, tree), x in zip(program.params, args, strict=False):
        sizes.enter(tree, x)
    lets = steps = loops = 0
    seconds = aside = 0.0
    calls_aside = 0
    unbounded = False
    todo: list[tuple[Block, int]] = [(program.block, 1)]
    while todo:
        here, times = todo.pop()
        for let in here.lets:
            op = let.op
            lets, steps = lets + 1, steps + times
            sizes.let(let)
            takes = times * sizes.seconds(let)
            seconds += takes
            if let in apart:
                aside, calls_aside = aside + takes, calls_aside + times
            again = isinstance(op, Lambda) and calls(op.body, let.targets[0])
            loops += isinstance(op, (Loop, While)) or again
            unbounded = unbounded or isinstance(op, While) or again
            runs = GUESS if again else sizes.runs(let)
            todo += [(inner, times * runs) for inner in op.blocks]
    return Work(lets, steps, seconds, loops, unbounded, aside, calls_aside)


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


def size(args: Sequence[Any]) -> int:
    """How large arguments are: the items of arrays and lists, and what integers say."""
    total, todo = 0, list(args)
    while todo:
        x = todo.pop()
        if isinstance(x, np.ndarray):
            total += x.size
        elif isinstance(x, int):
            total += x
        elif isinstance(x, list) and x and not isinstance(x[0], (list, tuple, np.ndarray)):
            total += len(x)
        elif not isinstance(x, float):
            todo += parts_of(x) or ()
    return total
