"""What is discrete has no derivative: an int that is read as a real gets no cotangent, and its tangent is nothing.

>>> [check.name for check in DISCRETE]
['discrete-is-flat']
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, parts
from ccc.arrows import Arrow, Id, Prim, Prod, Proj, compose
from ccc.categories.forward import Forward
from ccc.categories.reverse import Reverse
from ccc.laws.checks import Check, Judged
from ccc.laws.cotangents import same_cotangent, vanishes
from ccc.laws.equality import Difference
from ccc.laws.generate import EVERYTHING, NUMBER, PAIR, Generator
from ccc.laws.obligations import Sample
from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject
from ccc.objects import Product
from ccc.primitives.structure import INT
from ccc.primitives.widening import widen

COUNTED = Product((INT, NUMBER))


def counted(g: Generator, i: int) -> Sample:
    """An arrow of an int and a number, which reads the int as a number.

    >>> from ccc.laws.choices import Replayed
    >>> print(counted(Generator(Replayed([])), 0).arrow.dom)
    (int, R[fraction])
    """
    read: Arrow = compose(Proj(COUNTED, 0), Prim(widen, INT, NUMBER))
    return Sample(compose(Prod((read, Proj(COUNTED, 1))), g.arrow(PAIR, NUMBER, 3)), Id(COUNTED))


def _flat(comparison: Any, sample: Sample) -> Judged:
    f, x = comparison.read(sample.arrow), (comparison.draw.below(7), comparison.point(NUMBER))
    if isinstance(comparison.k, Forward):
        v = comparison.number()
        (_, nothing), (_, something) = f((x, (ZERO, v))), f((x, (Fraction(1), v)))
        same = same_cotangent(nothing, something)
        return Judged(None if same else Difference("the tangent of an int is read", x, v, something, nothing))
    found = parts(f(x)[1](comparison.number()), 2)[0]
    return Judged(None if vanishes(found) else Difference("an int gets a cotangent", x, None, found, ZERO))


def _derivatives(subject: Subject) -> bool:
    return isinstance(subject.category, (Reverse, Forward)) and subject.numbers is RATIONALS


DISCRETE: tuple[Check, ...] = (
    Check("discrete-is-flat", "pullbacks", "an int read as a real gets no cotangent, and its tangent is not read",
          counted, _flat, EVERYTHING, applies=_derivatives, share=0.5),
)
