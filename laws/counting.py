"""Counting primitive evaluations: what the two curries cost (forward, re-run, backward).

A counted primitive is the primitive with a meter at its value and its pullback; nothing else knows of it. Counting is
no category of its own: a pullback that counts is not additive, so it would break the laws.

>>> from ccc.combinators import primitive
>>> from ccc.objects import REAL
>>> from ccc.primitives.arithmetic import neg
>>> from ccc.probes import vjp
>>> meter = Meter()
>>> f = primitive(meter.counted(neg), REAL)
>>> cost(f >> f, 2.0, 1.0, meter)
Cost(forward=2, rerun=0, backward=2)

References: *The Differentiable Curry* ("Results (I)", "Results (II): an efficient curry").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ccc.arrows import Arrow
from ccc.base import HOST, Base
from ccc.categories.reverse import Reverse
from ccc.denotation import functor
from ccc.primitives.primitive import Primitive


@dataclass(frozen=True, slots=True)
class Cost:
    """Primitive evaluations of the program, of its re-runs by the pullback, and of primitive pullbacks."""

    forward: int
    rerun: int
    backward: int


class Meter:
    """Two counters, for values and for pullbacks of primitives.

    >>> from ccc.primitives.arithmetic import neg
    >>> meter = Meter()
    >>> meter.counted(neg).value(2.0), meter.values, meter.pullbacks
    (-2.0, 1, 0)
    """

    def __init__(self) -> None:
        self.values = 0
        self.pullbacks = 0

    def counted(self, p: Primitive) -> Primitive:
        """The same primitive, counted here."""
        rule = p.pullback
        assert rule is not None, f"`{p.name}` has no pullback to count"

        def value(*args: Any, **params: Any) -> Any:
            self.values += 1
            return p.value(*args, **params)

        def pullback(*args: Any, **params: Any) -> Any:
            self.pullbacks += 1
            return rule(*args, **params)

        return replace(p, value=value, pullback=pullback)


def cost(
    arrow: Arrow, x: Any, ct: Any, meter: Meter, *, exponential: Any = None, base: Base = HOST,
    category: Reverse | None = None,
) -> Cost:
    """What one run of the arrow at `x` and one of its pullback at `ct` cost by the meter, under an exponential or in a
    category that has a curry of its own."""
    image = functor(category or Reverse(exponential, base), arrow)
    meter.values = meter.pullbacks = 0
    _, pullback = image(x)
    forward = meter.values
    pullback(ct)
    return Cost(forward, meter.values - forward, meter.pullbacks)
