"""Checking a law in a category: it holds strictly, or up to ≅, or fails with a counterexample.

>>> from random import Random
>>> from ccc.theory import CURRY_BETA
>>> print(check(CURRY_BETA, Reverse(base=EXACT), [Generator(Random(n)).instance(CURRY_BETA) for n in range(3)]))
curry-beta holds strictly in Reverse(Delta)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.theory import Law
from laws.equality import EXACT, Comparison, Difference
from laws.generate import Generator, Instance

Holds = Literal["strictly", "up to ≅", "fails"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance of a law at which its two sides differ."""

    instance: Instance
    difference: Difference

    def __str__(self) -> str:
        return f"{self.instance}\n{self.difference}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a law holds in a category. Where it does not hold strictly, `counterexample` is one to that."""

    law: Law
    category: str
    holds: Holds
    counterexample: Counterexample | None = None

    def __str__(self) -> str:
        verb = self.holds if self.holds == "fails" else f"holds {self.holds}"
        return f"{self.law.name} {verb} in {self.category}"


def name_of(k: Any) -> str:
    """The name of a category with its exponential.

    >>> name_of(Reverse()), name_of(Functions())
    ('Reverse(Delta)', 'Functions')
    """
    exponential = getattr(k, "exponential", None)
    return type(k).__name__ if exponential is None else f"{type(k).__name__}({exponential.name})"


def expected(law: Law, k: Any) -> Holds:
    """What the theory says: strictly, or up to ≅."""
    exponential = getattr(k, "exponential", None)
    return "strictly" if exponential is None or exponential.name in law.strict else "up to ≅"


def check(law: Law, k: Any, instances: Iterable[Instance], *, seed: int = 0) -> Verdict:
    """The law in the category `k`, at these instances."""
    weak: Counterexample | None = None
    for i, instance in enumerate(instances):
        comparison = Comparison(k, Generator(Random(1000 * seed + i)))
        sides = (instance.left, instance.right, instance.world)
        found = comparison.observed(*sides)
        if found is not None:
            return Verdict(law, name_of(k), "fails", Counterexample(instance, found))
        found = comparison.strictly(*sides)
        if found is not None and weak is None:
            weak = Counterexample(instance, found)
    return Verdict(law, name_of(k), "strictly" if weak is None else "up to ≅", weak)


def categories() -> list[Any]:
    """The categories in which every law is checked, over exact rationals."""
    from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta

    reverse = [Reverse(exponential, EXACT) for exponential in (AdditiveMap(), Delta(), AnyDerivative())]
    return [Functions(EXACT), *reverse]
