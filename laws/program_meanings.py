"""Programs of statements in the categories in layers: arrays, loops over them and calls, of which the arrows that
`ccc.laws.meanings` draws have none.

    sound      if the layers of the arguments stand for values, then those of the result stand for what Python gives
    tangents   where derivatives stand beside a value, the first of them is J v of plain Python on dual numbers
    dependence marks say of a program what its derivative may be at all points where its tests decide alike

>>> [check.name for check in PROGRAM_MEANINGS]
['program-sound', 'program-tangent', 'program-dependence']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ccc.categories.dependence import Dependence
from ccc.categories.layered import Layered
from ccc.errors import CannotStage, CCCError, MissingMeaning
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.meanings import covers, meanings
from ccc.laws.programs import Written, drawn, flat, function_in, reference
from ccc.laws.pullbacks import decisions
from ccc.laws.subjects import of_kind

SIZE = 3


class In:
    """A program, and the category that it is read in."""

    def __init__(self, k: Layered, written: Written) -> None:
        self.k = k
        self.written = written

    def named(self) -> list[tuple[str, Any]]:
        """The text, and the name of the category."""
        return [*self.written.named(), ("category", type(self.k).__name__)]


def _drawn(which: Callable[[Layered], bool]) -> Callable[[Generator, int], In]:
    def draw(generator: Generator, i: int) -> In:
        some = [k for k in meanings() if which(k)]
        return In(some[i % len(some)], drawn(generator, i))

    return draw


def in_layers(k: Layered, draw: Generator) -> tuple[list[Any], list[Any]]:
    """Two numbers and an array in layers, and a value for which each of them stands."""
    elements = [k.element(lambda: float(1 + draw.below(4))) for _ in range(2 + SIZE)]
    members = [k.member(x, draw.below) for x in elements]
    along = tuple([np.array(layer) for layer in zip(*elements[2:], strict=True)])
    return [*elements[:2], along], [*members[:2], np.array(members[2:])]


def items(found: Any, layers: int) -> list[tuple[Any, ...]]:
    """The numbers of a result in layers, each in its layers; what is beside nothing has one."""
    flats = [flat(layer) for layer in found[:layers]]
    return list(zip(*flats, strict=True))


def read_in(k: Layered, example: Written, args: Sequence[Any]) -> Any:
    """What the program gives in the category. Raises `Discarded` where it says that it cannot."""
    from ccc.compile.api.interpretation import interpret

    try:
        found = interpret(function_in(example), k)(*args, k.alone(example.args[3]))
    except (CannotStage, MissingMeaning) as error:
        raise mistake(error) or Discarded() from error
    if len({len(flat(layer)) for layer in found}) > 1:  # beside a whole number stands nothing
        raise Discarded
    return found


def mistake(error: BaseException) -> Exception | None:
    """What else was raised on the way to a refusal: a category that fails at a primitive refuses nothing.

    >>> mistake(CannotStage("`K` does not say what `f` means")) is None
    True
    """
    found = error.__context__
    while found is not None and isinstance(found, CCCError):
        found = found.__context__
    return None if found is None else TypeError(str(error))


def _sound(comparison: Any, example: In) -> Judged:
    k, f = example.k, function_in(example.written)
    args, values = in_layers(k, comparison.draw)
    expected = flat(f(*values, example.written.args[3]))
    found = items(read_in(k, example.written, args), k.layers)
    for item, value in zip(found, expected, strict=True):
        if not k.holds(item, value):
            return Judged(Difference(f"what is found in {type(k).__name__} does not hold the value", args, None, item,
                                     value))
    return Judged()


def _tangents(comparison: Any, example: In) -> Judged:
    k = example.k
    args, _ = in_layers(k, comparison.draw)
    values, along = [x[0] for x in args], [x[1] for x in args]
    at = replace(example.written, args=(*values, example.written.args[3]), tangents=tuple(along))
    expected, slope = reference(function_in(at), at)
    found = items(read_in(k, at, args), k.layers)
    value, tangent = [item[0] for item in found], [item[1] for item in found]
    if value != expected:
        return Judged(Difference(f"values in {type(k).__name__} differ", args, None, value, expected))
    same = covers(tangent, slope) if isinstance(k, Dependence) else tangent == slope
    return Judged(None if same else Difference(f"tangents in {type(k).__name__} differ", args, None, tangent, slope))


def _elsewhere(comparison: Any, example: In) -> Judged:
    """Marks at one point, of which numbers may be 0, against the derivative at another where all tests decide alike."""
    k, n, f, g = example.k, example.written.args[3], function_in(example.written), comparison.draw

    def point(zeros: int) -> tuple[Any, ...]:
        a, b, *x = [g.pick((0.0, -1.0)) if g.chance(zeros) else float(1 + g.below(4)) for _ in range(2 + SIZE)]
        return a, b, np.array(x)

    here, there, marks = point(60), point(0), point(50)
    marked = [(mark > 0.0) * 1.0 for mark in marks]
    slopes = tuple([mark * v for mark, v in zip(marked, point(0), strict=True)])
    with decisions() as first:
        reference(f, replace(example.written, args=(*here, n), tangents=slopes))
    with decisions() as second:
        _, slope = reference(f, replace(example.written, args=(*there, n), tangents=slopes))
    if first != second:
        raise Discarded
    args = list(zip(here, marked, strict=True))
    found = [item[1] for item in items(read_in(k, replace(example.written, args=(*here, n)), args), k.layers)]
    if covers(found, slope):
        return Judged()
    return Judged(Difference("no mark where the derivative at another point is", args, there, found, slope))


PROGRAM_MEANINGS: tuple[Check, ...] = (
    Check("program-sound", "soundness", "programs in each category in layers: if x stands for v, f x stands for f v",
          _drawn(lambda k: True), _sound, applies=of_kind("values"), share=0.25, weight=4.0),
    Check("program-tangent", "soundness", "where tangents stand beside a value: the first is J v of plain Python",
          _drawn(lambda k: k.tangents), _tangents, applies=of_kind("values"), share=0.15, weight=4.0),
    Check("program-dependence", "soundness",
          "marks at one point are no fewer than J v at another one, where all tests decide alike",
          _drawn(lambda k: isinstance(k, Dependence)), _elsewhere, applies=of_kind("values"), share=0.25, weight=4.0),
)
