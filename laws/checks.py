"""What can be checked of a category: a name, how an example is drawn, and how it is judged.

A `Check` is all that a run, a report or a mutation of the source needs to know. `all_checks` has them by name; those of
the equations come from `ccc.theory`, the others from modules of this package.

>>> check = all_checks()["curry-beta"]
>>> check.section, check.statement
('functions', 'cross(curry f, id) ; eval = f')
>>> from ccc.laws.choices import Randomly
>>> from ccc.laws.generate import Generator
>>> from ccc.laws.subjects import standard
>>> [check.judge(subject.comparison(Generator(Randomly(1))), check.draw(Generator(Randomly(0)), 0)).observed
...  for subject in standard()]
[None, None, None, None, None]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, Protocol

from ccc.arrows import (
    Arrow,
    Cond,
    Const,
    Curry,
    Eval,
    Fix,
    Iterate,
    Prim,
    Prod,
    Proj,
    Scan,
    Terminal,
    Unfold,
    postorder,
)
from ccc.laws.contexts import contexts
from ccc.laws.equality import Comparison, Difference
from ccc.laws.errors import no_law
from ccc.laws.generate import Generator, Instance, inside
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Proof
from ccc.objects import Bool, Exponential, List
from ccc.theory import SECTIONS, Law

METHODS: dict[type[Arrow], str] = {
    Terminal: "terminal", Prod: "prod", Proj: "proj", Curry: "curry", Eval: "eval", Const: "const",
    Prim: "primitive", Cond: "cond", Iterate: "iterate", Unfold: "unfold", Scan: "scan", Fix: "fix",
}


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
    if found is not None or comparison.identical(example.left, example.world):
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


def of_law(law: Law, section: str) -> Check:
    """A law of the theory as a check.

    >>> from ccc.theory.products import PROD_LEFT
    >>> sorted(of_law(PROD_LEFT, "products").needs)
    ['prod', 'proj']
    """

    def draw(generator: Generator, i: int) -> Instance:
        return with_uses(generator, generator.instance(law, order=i % 2))

    def strict(subject: Subject) -> Literal["strictly", "up to ≅", ""]:
        if not subject.known:
            return ""
        return "strictly" if subject.kind == "values" or subject.curry_of in law.strict else "up to ≅"

    return Check(law.name, section, law.statement, draw, equal, combinators_in(law), strict=strict)


def combinators_in(law: Law) -> frozenset[str]:
    """The methods of a category that both sides of a law use.

    >>> from ccc.theory.functions import CURRY_BETA
    >>> sorted(combinators_in(CURRY_BETA))
    ['curry', 'eval', 'prod', 'proj']
    """
    found: set[str] = set()
    for side in law.pattern():
        for node in postorder(side):
            if type(node) in METHODS:
                found.add(METHODS[type(node)])
            for a in (*inside(node.dom), *inside(node.cod)):
                if isinstance(a, Exponential):
                    found |= {"curry", "eval"}
                elif isinstance(a, Bool):
                    found.add("cond")
                elif isinstance(a, List):
                    found.add("scan")
    return frozenset(found)


@cache
def all_checks() -> dict[str, Check]:
    """Every check of this package by its name, in the order of the table."""
    from ccc.laws.compiler_passes import PASSES  # they are made of the checks here
    from ccc.laws.compiling import COMPILING
    from ccc.laws.discrete import DISCRETE
    from ccc.laws.folds import TERMS
    from ccc.laws.functionals import FUNCTIONALS
    from ccc.laws.loops import LOOPS
    from ccc.laws.obligations import OBLIGATIONS
    from ccc.laws.programs import PROGRAMS
    from ccc.laws.representations import REPRESENTATIONS
    from ccc.laws.rules import RULES
    from ccc.laws.taylor import SECOND

    equations = [of_law(law, section) for section, laws in SECTIONS.items() for law in laws]
    found = [
        *equations, *OBLIGATIONS, *FUNCTIONALS, *REPRESENTATIONS, *COMPILING, *PASSES, *PROGRAMS, *SECOND,
        *DISCRETE, *LOOPS, *TERMS, *RULES,
    ]
    names = [check.name for check in found]
    assert len(set(names)) == len(names), "two checks have one name"
    return {check.name: check for check in found}


def chosen(names: Iterable[str] | None) -> list[Check]:
    """The checks of these names, or of the sections of these names; all for None.

    >>> [check.name for check in chosen(["category", "curry-eta"])]
    ['id-left', 'id-right', 'associativity', 'curry-eta']

    Raises `NothingNamed` for an unknown name.
    """
    checks = all_checks()
    if names is None:
        return list(checks.values())
    found: dict[str, Check] = {}
    for name in names:
        some = [check for check in checks.values() if name in (check.name, check.section)]
        if not some:
            raise no_law(name, [*checks, *{check.section for check in checks.values()}])
        found.update({check.name: check for check in some})
    return list(found.values())

