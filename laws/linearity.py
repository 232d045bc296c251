"""Every combinator takes additive derivatives to additive ones, with 0 at 0.

    pb 0 = 0        pb (a + b) = pb a + pb b

This is the step of an induction on terms: from primitives with additive pullbacks it follows for every arrow without
loops and recursion. It is proved for each combinator at opaque arrows, whose own derivatives are additive.

>>> from ccc.laws.catalogue import all_checks
>>> from ccc.laws.subjects import standard
>>> print(prove(all_checks()["combinators-linear"], standard()[2]).argument)
by induction on terms: 10 combinators, 88 instances, 1724 cases

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.arrows import Arrow, Cond, Const, Curry, Eval, Id, Prod, Proj, Terminal
from ccc.combinators import uncurry
from ccc.denotation import functor
from ccc.laws.checks import Check
from ccc.laws.free import Cases, Stuck, every_case, prepared
from ccc.laws.proving import Renaming, opaque, renamed, renamings, symbols_of
from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Proof
from ccc.laws.without_functions import once
from ccc.objects import BOOL, UNIT, Exponential, Object
from ccc.theory.law import A, B, C, Metavariable, R, S, T, X, pair, then


@dataclass(frozen=True, slots=True)
class Combinator:
    """A combinator of opaque arrows."""

    name: str
    arrows: tuple[tuple[str, Object, Object], ...]
    made: Callable[..., Arrow]

    def at(self, renaming: Renaming) -> Arrow:
        """Its term at opaque arrows between these objects."""
        return self.made(*[Metavariable(n, renamed(a, renaming), renamed(b, renaming)) for n, a, b in self.arrows])


_F, _G, _H = ("f", X, A), ("g", X, B), ("h", X, C)
COMBINATORS = (
    Combinator("identity", (_F,), lambda f: Id(f.dom)),
    Combinator("compose", (_F, ("g", A, B)), then),
    Combinator("terminal", (_F,), lambda f: Terminal(f.dom)),
    Combinator("prod", (_F, _G, _H), lambda *arrows: Prod(arrows)),
    Combinator("proj", (("f", pair(A, B), C),), lambda f: Proj(f.dom, 1)),
    Combinator("curry", (("f", pair(T, S), R),), Curry),
    Combinator("closure", (("f", pair(T, S), R),), lambda f: uncurry(Curry(f))),
    Combinator("eval", (("f", S, R),), lambda f: Eval(Exponential(f.dom, f.cod))),
    Combinator("const", (_F,), lambda f: Const(f.dom, (), UNIT)),
    Combinator("cond", (("p", X, BOOL), _F, ("g", X, A)), Cond),
)


def prove(check: Check, subject: Subject) -> Proof | None:
    """The proof that the combinators of a category keep derivatives additive; None where it is not decided, or not
    so."""
    if check.name != "combinators-linear" or subject.numbers is not RATIONALS:
        return None
    instances, cases = 0, 0
    try:
        for combinator in COMBINATORS:
            for renaming in renamings([a for _, dom, cod in combinator.arrows for a in (dom, cod)]):
                instances += 1
                term = combinator.at(renaming)
                for sparse in (False, True):
                    count, represented = once(
                        subject, [term], ("combinators-linear", combinator.name, tuple(renaming.items()), sparse),
                        lambda: _cases(subject, term, sparse, not renaming),  # noqa: B023
                    )
                    if not count:
                        return None
                    cases += count
                    if not represented:
                        break
    except Exception:  # whatever a category raises on symbols
        return None
    argument = f"by induction on terms: {len(COMBINATORS)} combinators, {instances} instances, {cases} cases"
    return Proof("strictly", argument)


def _cases(subject: Subject, arrow: Arrow, sparse: bool, vanishing: bool) -> tuple[int, bool]:
    """In how many cases an arrow is additive, 0 where it is not in one of them; and whether cotangents of products were
    made, of which there are two kinds."""
    count, represented = 0, False
    ready = prepared(lambda cases: _read(subject, arrow, cases, sparse, vanishing))

    def one(cases: Cases) -> tuple[bool, bool]:
        symbols, f = ready(cases)
        return _additive(arrow, symbols, f), symbols.represented

    for additive, made in every_case(one):
        if not additive:
            return 0, True
        count, represented = count + 1, represented or made
    return count, represented


def _read(subject: Subject, arrow: Arrow, cases: Cases, sparse: bool, vanishing: bool) -> tuple[Any, Any]:
    """The symbols, and the arrow as the category reads it."""
    symbols = symbols_of(subject, cases, sparse, vanishing)
    if subject.kind == "values":
        raise Stuck("functions have no derivatives")
    return symbols, functor(opaque(subject.category, symbols, [arrow]), arrow)


def _additive(arrow: Arrow, symbols: Any, f: Any) -> bool:
    return all(left == right for left, right in symbols.sums(f, arrow.dom, arrow.cod))
