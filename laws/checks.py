"""What can be checked of a category: a name, how an example is drawn, and how it is judged.

A `Check` is all that a run, a report or a mutation of the source needs to know. The modules of this package make
them; `ccc.laws.catalogue` has all of them by name.

>>> check = Check("nothing", "category", "f = f", lambda generator, i: generator.number(), lambda k, example: Judged())
>>> from ccc.laws.choices import Randomly
>>> from ccc.laws.subjects import standard
>>> [check.judge(subject.comparison(Generator(Randomly(1))), check.draw(Generator(Randomly(0)), 0)).observed
...  for subject in standard()]
[None, None, None, None, None, None, None]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ccc.laws.contexts import contexts
from ccc.laws.equality import Comparison, Difference
from ccc.laws.generate import Generator
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Proof


class Example(Protocol):
    """Anything drawn that can say what it consists of."""

    def named(self) -> list[tuple[str, Any]]:
        """The arrows, or texts, of the example by name."""
        ...


@dataclass(frozen=True, slots=True)
class Judged:
    """What a program can observe to differ, and what differs strictly; None is equality."""

    observed: Difference | None = None
    strict: Difference | None = None


class Discarded(Exception):
    """The example says nothing here: it is drawn again."""


def unproved(subject: Subject) -> Proof | None:
    """No proof."""
    return None


@dataclass(frozen=True, slots=True)
class Check:
    """Something that holds, or not, of a category.

    `draw(generator, i)` makes the i-th example and `judge(comparison, example)` says what differs; both may raise
    `Discarded`. `needs` are the combinators that it is about, `share` the part of the examples that it gets, `weight`
    how long one takes compared with others; `prove` may find a proof of its own.
    """

    name: str
    section: str
    statement: str
    draw: Callable[[Generator, int], Any]
    judge: Callable[[Comparison, Any], Judged]
    needs: frozenset[str] = frozenset()
    applies: Callable[[Subject], bool] = lambda subject: True
    strict: Callable[[Subject], Literal["strictly", "up to ≅", ""]] = lambda subject: ""
    share: float = 1.0
    weight: float = 1.0
    prove: Callable[[Subject], Proof | None] = unproved

    def concerns(self, subject: Subject) -> bool:
        """True where the check means something for the category."""
        return self.needs <= subject.features and self.applies(subject)


def equal(comparison: Comparison, example: Any) -> Judged:
    """The judgement of an equation `left = right` in a world."""
    sides = (example.left, example.right, example.world)
    found = comparison.observed(*sides, example.uses)
    known = not comparison.asks_strictly or comparison.identical(example.left, example.world)
    if found is not None or known:
        return Judged(found)
    return Judged(None, comparison.strictly(*sides))


def with_uses(generator: Generator, example: Any) -> Any:
    """The example of an equation with the contexts in which its sides are compared, the same for all categories.

    >>> from ccc.theory.products import PROD_LEFT
    >>> from ccc.laws.choices import Randomly
    >>> generator = Generator(Randomly(0))
    >>> len(with_uses(generator, generator.instance(PROD_LEFT, order=0)).uses)
    0
    """
    return replace(example, uses=tuple(contexts(generator, example.world.dom, example.left.cod)))
