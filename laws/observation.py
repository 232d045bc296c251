"""Do we get a strong CCC? The experiment that answers the question that the slides leave open, for Delta.

    η          curry(cross(h, id) ; eval) = h

Strictly no: the two sides capture different environments. As far as a program can observe, yes, for every arrow. What
would tell them apart is a program that looks into Delta, such as a gradient step on the environment of a closure: h
below captures (t, t), its η-expansion captures t, and after a step of the same size they have different slopes. So no
combinator looks into Delta.

>>> print(inspect())
(Fraction(17, 5), Fraction(14, 5))

References: *The Differentiable Curry* ("Results (II)": "we get a weak CCC. Open: do we get a strong CCC?").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ccc.additive import parts
from ccc.arrows import Curry, Id, Prod, Proj, compose
from ccc.categories.exponentials import Delta
from ccc.categories.reverse import Reverse
from ccc.combinators import primitive
from ccc.denotation import functor
from ccc.laws.generate import NUMBER, PAIR
from ccc.laws.limits import PATIENCE, limited
from ccc.laws.scalars import EXACT
from ccc.laws.verdicts import Verdict
from ccc.objects import Product
from ccc.primitives.arithmetic import add, mul
from ccc.theory.functions import CURRY_ETA

UNIQUENESS = ("curry-eta", "curry-natural", "trimming")
AT, STEP, ARGUMENT = Fraction(2), Fraction(1, 10), Fraction(3)


@dataclass(frozen=True, slots=True)
class Observation:
    """How uniqueness of `curry` fared under Delta, and the slopes that a program inspecting Delta would see."""

    laws: tuple[str, ...]
    agreeing: int
    disagreeing: int
    strictly_different: int
    slopes: tuple[Fraction, Fraction]
    error: str = ""

    @property
    def as_expected(self) -> bool:
        """Weak strictly, strong up to ≅, and told apart by looking into Delta."""
        told = self.slopes[0] != self.slopes[1]
        return not self.error and self.disagreeing == 0 and self.strictly_different > 0 and told

    def __str__(self) -> str:
        if self.error:
            return f"Strong or weak? The experiment fails: {self.error}"
        plain, expanded = self.slopes
        return (
            f"Strong or weak? Uniqueness of curry under Delta ({', '.join(self.laws)}):\n"
            f"  strictly, {self.strictly_different} of {len(self.laws)} laws fail: a weak CCC;\n"
            f"  as far as programs observe, {self.agreeing} examples agree and {self.disagreeing} do not: "
            "a strong CCC;\n"
            f"  a program that changes the environment of a closure by its gradient sees the slopes {plain} and "
            f"{expanded}\n  of t ↦ (x ↦ (t + t) * x) and of its η-expansion, at t = {AT}, x = {ARGUMENT}, step {STEP}."
        )

    def data(self) -> dict[str, Any]:
        """The observation as numbers, strings and lists."""
        return {**asdict(self), "laws": list(self.laws), "slopes": list(map(str, self.slopes))}


def observation(verdicts: Iterable[Verdict], subject: str = "Reverse(Delta)") -> Observation | None:
    """The answer as far as these verdicts give one; None where they do not concern it."""
    concerned = [v for v in verdicts if v.subject == subject and v.check in UNIQUENESS and v.examples]
    if not concerned:
        return None
    failed = [v for v in concerned if v.outcome == "fails"]
    counts = (tuple([v.check for v in concerned]), sum(v.examples for v in concerned) - len(failed), len(failed),
              sum(v.outcome == "up to ≅" for v in concerned))
    try:
        with limited(PATIENCE):
            return Observation(*counts, inspect())
    except Exception as error:  # whatever is wrong with the category, the verdicts say where
        return Observation(*counts, (Fraction(0), Fraction(0)), f"{type(error).__name__} is raised: {error}")


def inspect() -> tuple[Fraction, Fraction]:
    """The slopes of `t |-> (x |-> (t + t) * x)` and of its η-expansion after a gradient step on their environments."""
    body = Product((PAIR, NUMBER))
    slope = compose(Proj(body, 0), primitive(add, NUMBER, NUMBER))
    h = compose(
        Prod((Id(NUMBER), Id(NUMBER))), Curry(compose(Prod((slope, Proj(body, 1))), primitive(mul, NUMBER, NUMBER)))
    )
    found: list[Fraction] = []
    for side in (h, CURRY_ETA.sides(h)[0]):
        closure, _ = functor(Reverse(Delta(), EXACT), side)(AT)
        delta, _ = parts(closure.apply(ARGUMENT)[1](Fraction(1)), 2)
        moved = _moved(closure.environment, delta)
        found.append(sum(moved, Fraction(0)) if isinstance(moved, tuple) else 2 * moved)
    return found[0], found[1]


def _moved(env: Any, delta: Any) -> Any:
    if isinstance(env, tuple):
        return tuple(map(_moved, env, parts(delta, len(env))))  # type: ignore[arg-type]
    return env - STEP * delta
