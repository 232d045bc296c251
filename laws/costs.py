"""What a derivative costs: under exponentials that keep environments, no more than a few times the program.

    values of primitives      as many as the program computes, and none again
    pullbacks of primitives   no more than values

Under `AdditiveMap` a closure runs again at each of its calls: that this law fails there is what the second curry is
for.

>>> from ccc.laws.subjects import standard
>>> [subject.name for subject in standard() if COSTS[0].concerns(subject)]
['Reverse(Delta)', 'Reverse(AnyDerivative)']

References: *The Differentiable Curry* ("Results (II): an efficient curry"); Griewank and Walther, *Evaluating
Derivatives* (2008), section 4.4.
"""

from __future__ import annotations

from typing import Any

from ccc.arrows import Prim
from ccc.categories.exponentials import Delta
from ccc.categories.functions import Function, Functions
from ccc.categories.reverse import Lifted, Reverse
from ccc.denotation import functor
from ccc.laws.checks import Check, Judged
from ccc.laws.counting import Cost, Meter
from ccc.laws.equality import Difference
from ccc.laws.generate import EVERYTHING
from ccc.laws.obligations import Sample, first_order
from ccc.laws.scalars import EXACT, RATIONALS
from ccc.laws.subjects import Subject


class MeteredFunctions(Functions):
    """Plain functions that count the primitives which they compute."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(EXACT)
        self.meter = meter

    def primitive(self, term: Prim) -> Function:
        plain = super().primitive(term)

        def counted(x: Any) -> Any:
            self.meter.values += 1
            return plain(x)

        return counted


class MeteredReverse(Reverse):
    """Reverse mode that counts the primitives which it computes and pulls back."""

    def __init__(self, exponential: Any, meter: Meter) -> None:
        super().__init__(exponential, EXACT)
        self.meter = meter

    def primitive(self, term: Prim) -> Lifted:
        lifted = super().primitive(term)

        def counted(x: Any) -> tuple[Any, Any]:
            self.meter.values += 1
            y, pullback = lifted(x)

            def pulled(ct: Any) -> Any:
                self.meter.pullbacks += 1
                return pullback(ct)

            return y, pulled

        return counted


def _cheap(comparison: Any, sample: Sample) -> Judged:
    """The cost of value and pullback, against that of the value."""
    f, x, plain, meter = sample.arrow, comparison.point(sample.arrow.dom), Meter(), Meter()
    functor(MeteredFunctions(plain), f)(x)
    value, pullback = functor(MeteredReverse(comparison.k.exponential, meter), f)(x)
    forward = meter.values
    pullback(comparison.cotangent(value, f.cod))
    found, most = Cost(forward, meter.values - forward, meter.pullbacks), Cost(plain.values, 0, plain.values)
    if found.forward == most.forward and found.rerun == 0 and found.backward <= most.backward:
        return Judged()
    return Judged(Difference("the derivative costs more than the program", x, None, found, most))


def _environments(subject: Subject) -> bool:
    """True where the cotangent of a function is that of its environment."""
    return subject.known and subject.numbers is RATIONALS and isinstance(subject.exponential, Delta)


COSTS: tuple[Check, ...] = (
    Check("reverse-is-cheap", "costs", "no value is computed again, and no more are pulled back than computed",
          first_order, _cheap, EVERYTHING, applies=_environments),
)
