"""Programs whose values change: lists that are written to, closures that read them, matrices, names of several kinds.

    <gradient f, v> = J v        J of plain Python on dual numbers

Between the making of a closure and its calls the list that it reads changes, a loop leaves another kind of thing in a
name than it found, and products of vectors are added up.

>>> from ccc.laws.choices import Replayed
>>> print(stateful(Generator(Replayed([]))), end="")
def f(a, b, x, n):
    l1 = [a, a, a]
    return l1[0] + a
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.program_targets import by_machine_code
from ccc.laws.programs import (
    PARAMETERS,
    SIZE,
    Scope,
    Writer,
    Written,
    directions,
    function_in,
    reference,
    with_names,
)
from ccc.laws.subjects import of_kind, on_target


class States(Writer):
    """Writes programs whose values change."""

    def change(self, scope: Scope, xs: str) -> None:
        """Write to a list, once or in a loop."""
        at = self.g.below(SIZE)
        match self.g.below(4):
            case 0:
                self.write(scope, f"{xs}[{at}] = {self.number(scope, 1)}")
            case 1:
                self.write(scope, f"{xs}[{at}] += {self.number(scope, 1)}")
            case 2:
                self.write(scope, f"{xs}.append({self.number(scope, 1)})")
            case _:
                i = self.name("i")
                self.write(scope, f"for {i} in range({self.many()}):")
                self.write(scope, f"    {xs}[{i} % {SIZE}] = {xs}[{at}] + {self.number(scope, 1)}")

    def reader(self, scope: Scope, xs: str) -> str:
        """A closure that reads a list when it is called, and at times writes to it."""
        h, s = self.name("h"), self.name("s")
        self.write(scope, f"def {h}({s}):")
        if self.g.chance(25):
            self.write(scope, f"    {xs}[0] = {xs}[0] + {s}")
        whole = self.g.pick((f"{xs}[{self.g.below(SIZE)}]", f"sum({xs})", f"{xs}[-1]"))
        self.write(scope, f"    return {s} * {whole} + {self.number(with_names(scope, numbers=s), 1)}")
        return h

    def called(self, scope: Scope, h: str) -> Scope:
        v = self.name("v")
        self.write(scope, f"{v} = {h}({self.number(scope, 1)})")
        return with_names(scope, numbers=v)

    def matrix(self, scope: Scope) -> Scope:
        """A matrix, of rows or of products of vectors, and a vector that comes of its products with others."""
        m, y = self.name("m"), self.name("y")
        rows = [self.array(scope, 1) for _ in range(SIZE)]
        self.write(scope, f"{m} = " + self.g.pick((
            f"np.array([{', '.join(rows)}])", f"np.outer({rows[0]}, {rows[1]})",
            f"np.outer({rows[0]}, {rows[1]}) + np.outer({rows[1]}, {rows[2]})")))
        z, w = self.array(scope, 0), self.array(scope, 1)
        self.write(scope, f"{y} = " + self.g.pick((
            f"{m} @ {z}", f"{m} @ ({m} @ {w})", f"({m} @ {z}) * ({w} @ {m})", f"{m}.T @ ({m} @ {z})",
            f"({m} @ {m})[0]")))
        return with_names(scope, arrays=y)

    def mapping(self, scope: Scope) -> Scope:
        """A dict that a key which is not known is written to, and what is read of it."""
        d, v = self.name("d"), self.name("v")
        self.write(scope, f"{d} = {{0: {self.number(scope, 1)}, 1: {self.number(scope, 1)}}}")
        self.write(scope, f"{d}[n % {SIZE}] = {self.number(scope, 1)}")
        self.write(scope, f"{v} = {d}[{self.g.below(2)}] * {d}.get(n, {self.number(scope, 0)}) + sum({d}.values())")
        return with_names(scope, numbers=v)

    def left(self, scope: Scope) -> Scope:
        """A loop that leaves another kind of thing in a name than it finds there, which nobody reads behind it."""
        v, t, i = self.name("v"), self.name("t"), self.name("i")
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{t} = {self.number(scope, 1)}")
        self.write(scope, f"for {i} in range({self.many()}):")
        self.write(scope, f"    {v} = {v} + {self.number(with_names(scope, numbers=v), 1)}")
        kinds = f"({v}, {v})", f"[{v}]", "None", "'left'", f"lambda s: s * {v}"
        self.write(scope, f"    {t} = {self.g.pick(kinds)}")
        return with_names(scope, numbers=v)


def stateful(g: Generator) -> str:
    """The text of a function of two numbers, an array and a count that gives a number, of all that it computes."""
    writer, scope = States(g), Scope(("a", "b"), ("x",))
    xs = writer.name("l")
    writer.write(scope, f"{xs} = [{', '.join([writer.number(scope, 1) for _ in range(SIZE)])}]")
    reader = writer.reader(scope, xs) if g.chance(60) else ""
    parts = [f"{xs}[{g.below(SIZE)}]"]
    for _ in range(g.below(4)):
        match g.below(6):
            case 0:
                scope = writer.matrix(scope)
                parts.append(f"np.sum({scope.arrays[0]})")
            case 1:
                scope = writer.left(scope)
                parts.append(scope.numbers[0])
            case 2:
                y, z = writer.array(scope, 1), writer.array(scope, 0)
                parts += [f"np.sum(np.sort({y}) * {z})", f"np.searchsorted(np.sort({y}), {scope.numbers[0]})"]
            case 3:
                scope = writer.mapping(scope)
                parts.append(scope.numbers[0])
            case _:
                scope = writer.called(scope, reader) if reader else scope
                parts.append(scope.numbers[0])
                writer.change(scope, xs)
    parts.append(writer.called(scope, reader).numbers[0] if reader else writer.number(scope, 1))
    return "\n".join([f"def f({', '.join(PARAMETERS)}):", *writer.lines, f"    return {' + '.join(parts)}", ""])


def _drawn(g: Generator, i: int) -> Written:
    return Written(stateful(g), (*directions(g), g.below(SIZE + 1)), directions(g))


def _gradient(comparison: Any, example: Written) -> Judged:
    """The value and the gradient, against the directional derivative of plain Python."""
    from ccc.compile.api.transforms import value_with_gradient

    f = function_in(example)
    (value,), (slope,) = reference(f, example)
    exponential = comparison.k.exponential
    found, grads = value_with_gradient(f, wrt=("a", "b", "x"), exponential=exponential)(*example.args)
    if found != value:
        return Judged(Difference("values differ", example.args, None, found, value))
    left = sum(float(np.sum(ct * v)) for ct, v in zip(grads, example.tangents, strict=True))
    return Judged(None if left == slope else Difference("<grad, v> is not J v, J of plain Python", example.args, None,
                                                        left, slope))


STATES: tuple[Check, ...] = (
    Check("program-states", "programs", "<grad f, v> = J v, f writes to lists that closures read, multiplies matrices",
          _drawn, _gradient, applies=of_kind("pullbacks"), share=0.15, weight=3.0),
    Check("program-states-machine-code", "programs", "the same by machine code, value and pullback", _drawn,
          by_machine_code, applies=on_target("pullbacks", "native"), share=0.02, weight=40.0),
)
