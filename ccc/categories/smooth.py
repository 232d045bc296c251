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

from ccc.additive import ZERO, Zero, dense
from ccc.arrows import Prim
from ccc.categories.bounds import everything
from ccc.categories.intervals import Intervals
from ccc.categories.layered import NOTHING, Layers, Moved, as_before, is_nothing
from ccc.categories.rules import Custom
from ccc.errors import MissingMeaning
from ccc.objects import Product, is_discrete
from ccc.primitives.arithmetic import equal
from ccc.primitives.elementary_numpy import where
from ccc.primitives.facts import ENTRIES


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
                return self.lasting(moved(x), [xs[i] for i in moving]) if p.work == ENTRIES else moved(x)
            if len(xs) > 1:
                raise self.missing(term)
            ((low, high),) = xs
            found = [self.base.apply(p, (end,), dict(term.params), term.label) for end in (low, high)]
            known = equal(*(found if p.increasing else (low, high)))
            return (as_before(where(known, found[0], -math.inf), found[0]),
                    as_before(where(known, found[1], math.inf), found[1]))

        return applied

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
