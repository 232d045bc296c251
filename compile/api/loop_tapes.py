"""What the loops of a program keep for those that run along it later: whose value, from which line, how many bytes.

>>> from ccc.compile.frontend.elaborate import program_of
>>> def f(n, x):
...     kept = [x * i for i in range(n)]
...     total = 0.0
...     for y in kept:
...         total = total + y * y
...     return total
>>> print(kept_by_loops(program_of(f, (3, 2.0)), (3, 2.0)))
24 bytes  [R]  x * i, line 2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ccc.compile.api.phases import made_by
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Atom, Let, Loop, Program, Var, lets_in
from ccc.compile.program.shapes import Shapes, assumed_in
from ccc.objects import Array, Bool, Int, Real
from ccc.primitives.sizes import Clip, Common, Number, Part, Size
from ccc.primitives.structure import span


def kept_by_loops(program: Program, args: Sequence[Any]) -> str:
    """The lists that loops of a finished program make and others run along, as a table; "" where there are none.

    Bytes are those at the arguments, at most so many where they differ from run to run. A slice counts though it is no
    more than an address where nothing changes its array.
    """
    loops = [(let, let.op) for let in lets_in(program.block) if isinstance(let.op, Loop)]
    read = {a for let, op in loops for a in let.args[op.carries :]}
    kept = [(v, let) for let, op in loops for v in let.targets[op.carries :] if v in read]
    before, program.assumed = program.assumed, assumed_in(program, args)
    work = Bytes(shapes_of(program))
    program.assumed = before
    rows = [(told(work.of(v, let)), str(v.object), made_by(v)) for v, let in kept]
    widths = [max([len(row[i]) for row in rows], default=0) for i in (0, 1)]
    return "\n".join([f"{count:>{widths[0]}}  {a:{widths[1]}}  {made}".rstrip() for count, a, made in rows])


class Count(NamedTuple):
    """A number, or the most that one may be."""

    most: int
    exact: bool

    def times(self, other: Count) -> Count:
        return Count(self.most * other.most, self.exact and other.exact)


def told(count: Count | None) -> str:
    return "? bytes" if count is None else f"{'' if count.exact else 'at most '}{count.most:,} bytes"


class Bytes:
    """How many bytes values have, at the sizes of the arguments of a call."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def of(self, atom: Atom, let: Let | None) -> Count | None:
        """The bytes of a value that a let makes; None where they are not known."""
        a, shape = atom.object, self.shapes.of(atom)
        if isinstance(a, (Real, Int, Bool)):
            return Count(1 if isinstance(a, Bool) else 8, True)
        if isinstance(a, Array) and a.axes is not None and (shape is not None or not a.axes):
            return product([Count(np.dtype(a.dtype).itemsize, True), *map(self.size, shape or ())])
        if let is None or not isinstance(let.op, Loop):
            return None
        k = next(k for k, var in enumerate(let.targets) if var is atom)
        item = let.op.body.results[k]
        runs = [found for xs in let.args[let.op.carries :] if (found := self.runs(xs)) is not None]
        return product([*runs[:1], self.of(item, item.definition if isinstance(item, Var) else None)]) if runs else None

    def runs(self, sequence: Atom) -> Count | None:
        """How many items a sequence has."""
        number = self.shapes.numbering.of(sequence)
        made = self.shapes.numbering.keys[number]
        if made[0] is span and len(made[1]) == 3:  # as often as with a step of 1, at most
            start, stop, step = map(self.shapes.number, made[1])
            backwards = not step.terms and step.constant < 0
            found = self.size(Size(0, frozenset([(Clip(start - stop if backwards else stop - start, None), 1)])))
            return found if found is None or abs(step.constant) == 1 else Count(found.most, False)
        count = self.shapes.count(number)
        return None if count is None else self.size(count)

    def size(self, size: Size, least: bool = False) -> Count | None:
        """A size, or the most that it may be, or the `least`."""
        found = self.shapes.example(size)
        if found is not None:
            return Count(found, True)
        total, exact = size.constant, True
        for atom, n in size.terms:
            one = self.atom(atom, least != (n < 0))
            if one is None:
                return None
            total, exact = total + n * one.most, exact and one.exact
        return Count(total, exact)

    def atom(self, atom: Any, least: bool) -> Count | None:
        match atom:
            case Clip(size, most):
                found = self.size(size, least)
                if found is None:
                    return None
                n = max(found.most, 0)
                return Count(n if most is None else min(n, most), found.exact)
            case Part(size):
                found = Count(0, False) if least else self.size(size)
                return None if found is None else Count(found.most, False)
            case Common(sizes):
                found = [self.size(size, least) for size in sizes]
                known = [one.most for one in found if one is not None]
                return Count(max(known), False) if known and len(known) == len(found) else None
            case Number(of):
                ends = self.shapes.range_of(of)
                found = None if ends is None else self.size(ends[0 if least else 1], least)
                return None if found is None else Count(found.most, False)
            case _:
                return None  # an axis of an argument of which `example` knows no size


def product(counts: Sequence[Count | None]) -> Count | None:
    total = Count(1, True)
    for count in counts:
        if count is None:
            return None
        total = total.times(count)
    return total
