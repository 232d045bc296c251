"""Intervals of functions that are smooth on all of them: where a test is not decided, or a function jumps, nothing is
known of the result.

Bounds that are finite, of a value, its slopes and its second derivatives, then say that the function is what these are
derivatives of: no branch or step is hidden between the bounds. A derivative that a program gives by hand proves nothing
and is refused.

>>> import ccc
>>> ccc.interpret(lambda x: x if x < 0.5 else 1.0 - x, Smooth())((0.0, 1.0))
(-inf, inf)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ccc.additive import ZERO, Zero, dense
from ccc.arrows import Prim
from ccc.categories.bounds import everything, negated
from ccc.categories.intervals import Intervals
from ccc.categories.layered import NOTHING, Layers, Moved, as_before, is_nothing, kind
from ccc.categories.rules import Custom
from ccc.categories.turning import inside
from ccc.errors import MissingMeaning
from ccc.objects import Array, List, Product, is_discrete
from ccc.primitives.arithmetic import equal, less
from ccc.primitives.elementary_numpy import floor, trunc, where
from ccc.primitives.facts import ENTRIES
from ccc.primitives.primitive import Primitive
from ccc.primitives.reductions import sum_

DECIDED = 2.0**-40
"""Less than shares of one that are not the same are apart."""


class Smooth(Intervals):
    """Lower and upper bounds of functions without jumps and branches between them.

    >>> import ccc
    >>> ccc.interpret(ccc.gradient(lambda x: abs(x)), Smooth())((-1.0, 1.0))
    (-inf, inf)

    Raises `MissingMeaning` where `Intervals` does, and at a derivative that is given by hand.
    """

    def primitive(self, term: Prim) -> Moved:
        p, moved = term.primitive, super().primitive(term)
        if isinstance(p.program, Custom):
            raise MissingMeaning(f"`{p.name}` has a derivative that is given by hand, which proves nothing",
                                 "write what it computes without a rule of its own")
        if p.differential is None or is_discrete(term.cod):
            return moved

        def applied(x: Layers) -> Layers:
            xs = self.apart(x, len(x[0])) if isinstance(term.dom, Product) else [x]
            moving = self.moving(term, [NOTHING if is_nothing(each[1]) else each[0] for each in xs])
            if not moving or not self.is_flat(term, xs, moving):
                y = moved(x)
                linear = p.linear_of(dict(term.params)).arguments(len(xs))  # what has no bounds gives none there
                y = self.lasting(y, [xs[i] for i in moving if i not in linear]) if p.work == ENTRIES else y
                return self.where_known(y, [*self.between_jumps(term, xs, moving), *self.decided(term, xs, moving)])
            if len(xs) > 1:
                raise self.missing(term)
            ((low, high),) = xs
            found = [self.base.apply(p, (end,), dict(term.params), term.label) for end in (low, high)]
            return self.where_known((found[0], found[1]), [equal(*(found if p.increasing else (low, high)))])

        return applied

    def where_known(self, y: Layers, known: Sequence[Any]) -> Layers:
        """Bounds where all of some tests hold, and none elsewhere."""
        for test in known:
            y = as_before(where(test, y[0], -math.inf), y[0]), as_before(where(test, y[1], math.inf), y[1])
        return y

    def partly(self, p: Primitive, y: Layers, below: Any, above: Any) -> tuple[Any, Any]:
        low, high = self.where_known(y, [negated(below), negated(above)])
        return low, high

    def between_jumps(self, term: Prim, xs: Sequence[Layers], moving: Sequence[int]) -> list[Any]:
        """Whether each place where a primitive jumps, though its derivative does not, lies outside of bounds."""
        turns = term.primitive.turns_of(len(xs))
        if turns is None:
            return []
        return [negated(hit) for i, (first, step) in enumerate(turns) if i in moving and step == 0.0
                for _, hit in inside(xs[i], first, step)]

    def remainder(self, p: Primitive, rest: tuple[float, float], x: Layers, y: Layers) -> tuple[Any, Any]:
        rounded = floor if rest[0] == 0.0 else trunc
        least, most = [as_before(rounded(q), q) for q in self.quotient(x, y)]
        low, high = self.where_known(super().remainder(p, rest, x, y), [equal(least, most)])
        return low, high

    def decided(self, term: Prim, xs: Sequence[Layers], moving: Sequence[int]) -> list[Any]:
        """Whether those arguments in which a result makes steps, as one that says which of several numbers was chosen,
        leave it where it is; its derivative says nothing of them."""
        p = term.primitive
        steps = [i for i in moving if len(moving) > 1 and self.is_flat(term, xs, [i])]
        if not steps:
            return []
        if not (p.shares or p.enclosed == "chosen"):
            return [equal(width, 0.0 * width) for width in self.widths(term, [xs[i] for i in steps])]
        alone = [x if i in steps or is_nothing(x[1]) else (x[0] * 0.0 + 1.0,) * 2 for i, x in enumerate(xs)]
        low, high = super().operation(term, *alone)
        return [less(high - low, DECIDED)]

    def widths(self, term: Prim, xs: Sequence[Layers]) -> list[Any]:
        """How far bounds of numbers are apart; of arrays, all together."""
        if any(isinstance(kind(x[0]), List) for x in xs):
            raise self.missing(term)
        return [sum_(x[1] - x[0]) if isinstance(kind(x[0]), Array) else x[1] - x[0] for x in xs]

    def lasting(self, y: Layers, xs: Sequence[Layers]) -> Layers:
        """A result that has no bounds where an argument has none, though it might, as that of `tanh`: what is not known
        of the argument may be how it moves."""
        if not xs:
            return y
        off = sum((bound - bound for x in xs for bound in x), 0.0)  # not a number where one is infinite
        known = equal(off, off)
        return as_before(where(known, y[0], -math.inf), y[0]), as_before(where(known, y[1], math.inf), y[1])

    def is_flat(self, term: Prim, xs: Sequence[Layers], moving: Sequence[int]) -> bool:
        """Whether the derivative of a primitive says that its result does not move, whatever its arguments do."""
        p, params, values = term.primitive, dict(term.params), [x[0] for x in xs]
        y = self.base.apply(p, tuple(values), params, term.label)
        ds = tuple([x if i in moving else ZERO for i, x in enumerate(values)])
        return isinstance(dense(p.differential(ds, y, *values, **params)), Zero)

    def joined(self, x: Layers, y: Layers) -> Layers:
        return everything(super().joined(x, y))
