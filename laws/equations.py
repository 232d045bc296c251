"""The equations of the theory as checks: both sides are drawn, and compared in a world.

>>> [check.name for check in EQUATIONS if check.section == "category"]
['id-left', 'id-right', 'associativity']
"""

from __future__ import annotations

from typing import Literal

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
from ccc.laws.checks import Check, equal, with_uses
from ccc.laws.generate import Generator, Instance, inside
from ccc.laws.subjects import Subject
from ccc.objects import Bool, Exponential, List
from ccc.theory import SECTIONS, Law

METHODS: dict[type[Arrow], str] = {
    Terminal: "terminal", Prod: "prod", Proj: "proj", Curry: "curry", Eval: "eval", Const: "const",
    Prim: "primitive", Cond: "cond", Iterate: "iterate", Unfold: "unfold", Scan: "scan", Fix: "fix",
}


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


EQUATIONS: tuple[Check, ...] = tuple([of_law(law, section) for section, laws in SECTIONS.items() for law in laws])
