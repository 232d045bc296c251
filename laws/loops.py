"""Derivative programs of loops, some of which call closures made outside: right, and no tape is read twice.

    derivative (fold f) = (x, ct) |-> pb ct        for y, z in zip(ys, zs): ...  where ys is not zs

>>> [check.name for check in LOOPS]
['loop-derivative', 'tapes-read-once']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO
from ccc.arrows import Arrow, Id, Prod, Proj, compose
from ccc.combinators import fold, primitive
from ccc.compile.program.lam import Loop, Var, lets_in
from ccc.errors import CannotStage
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import Difference
from ccc.laws.generate import EVERYTHING, FUNCTION, NUMBER, Generator
from ccc.laws.obligations import Sample
from ccc.laws.staging import derivative_program, emitted
from ccc.laws.subjects import of_kind
from ccc.objects import List, Object, Product
from ccc.primitives.arithmetic import add


def looping(g: Generator, i: int) -> Sample:
    """A loop, one that has a function in scope which was made before it, or one inside another.

    >>> from ccc.laws.choices import Replayed
    >>> looping(Generator(Replayed([])), 0).arrow.cod == NUMBER
    True
    """
    a = g.object(0)
    if i % 3 == 1:
        made = Prod((Id(a), g.arrow(a, FUNCTION, 2)))
        return Sample(compose(made, summing(g, Product((a, FUNCTION)), g.arrow)), Id(a))
    if i % 3 == 2:
        return Sample(summing(g, a, g.pick((g.sum_of_list, g.loop))), Id(a))
    return Sample(g.pick((g.sum_of_list, g.loop))(a, NUMBER, 3), Id(a))


def summing(g: Generator, context: Object, step: Callable[[Object, Object, int], Arrow]) -> Arrow:
    """The sum along a list of what a step gives that has the context in its scope."""
    scope = Product((context, NUMBER, Product((NUMBER,))))
    summed = compose(Prod((Proj(scope, 1), step(scope, NUMBER, 2))), primitive(add, NUMBER, NUMBER))
    start, items = g.arrow(context, NUMBER, 1), g.by_structure(context, List(NUMBER), 1)
    return compose(Prod((Id(context), start, Prod((items,)))), fold(summed))


def _derived(comparison: Any, sample: Sample) -> Judged:
    f = sample.arrow
    x, ct = comparison.draw.point(f.dom), comparison.number()
    expected = comparison.read(f)(x)[1](ct)
    try:
        found = emitted(derivative_program(f, comparison.k.exponential))(x, ct)
    except CannotStage as error:
        raise Discarded from error
    if same_cotangent(_smooth(found), expected):
        return Judged()
    return Judged(Difference("the derivative program differs from the host", x, ct, found, expected))


def _smooth(ct: Any) -> Any:
    if isinstance(ct, tuple):
        return tuple(map(_smooth, ct))
    return ZERO if ct is None else ct


def _once(comparison: Any, sample: Sample) -> Judged:
    try:
        program = derivative_program(sample.arrow, comparison.k.exponential)
    except CannotStage as error:
        raise Discarded from error
    for let in lets_in(program.block):
        if isinstance(let.op, Loop):
            read = [atom.name for atom in let.args[let.op.carries :] if isinstance(atom, Var)]
            sequences = {id(atom) for atom in let.args[let.op.carries :] if isinstance(atom, Var)}
            if len(sequences) < len(read):
                return Judged(Difference("a sequence is read twice", "one loop", None, read, len(sequences)))
    return Judged()


LOOPS: tuple[Check, ...] = (
    Check("loop-derivative", "passes", "the derivative program of a loop, emitted = the pullback on the host", looping,
          _derived, EVERYTHING, applies=of_kind("pullbacks"), share=0.5),
    Check("tapes-read-once", "passes", "a loop of a derivative program reads no sequence twice", looping, _once,
          EVERYTHING, applies=of_kind("pullbacks")),
)
