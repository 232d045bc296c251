"""Functions from outside: what `functional_grad` finds that a functional asks of the function it is given.

    h (g + w k) = h g + w * sum of gr * k(s) over the calls (s, gr)  + ...         G[S => R] for every exponential

The reference is the functional itself, on plain functions and dual numbers.

>>> [check.name for check in FUNCTIONALS]
['calls-of-function', 'cotangent-object']
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ccc.arrows import Arrow
from ccc.categories.exponentials import AdditiveMap, AnyDerivative
from ccc.categories.functions import Functions
from ccc.denotation import functor
from ccc.errors import CotangentMismatch
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import FUNCTION, NUMBER, PAIR, Generator
from ccc.laws.pullbacks import DualNumber, lifted
from ccc.laws.scalars import EXACT, RATIONALS
from ccc.laws.subjects import Subject
from ccc.objects import BOOL, REAL, UNIT, Bool, Exponential, List, Object, Product
from ccc.probes import functional_grad


@dataclass(frozen=True, slots=True)
class Functional:
    """A functional, the function that it is given, and a direction in which that may change."""

    h: Arrow
    g: Arrow
    k: Arrow

    def named(self) -> list[tuple[str, Arrow]]:
        """The three by their names."""
        return [("h", self.h), ("g", self.g), ("k", self.k)]


def _drawn(generator: Generator, i: int) -> Functional:
    dom = generator.pick((NUMBER, PAIR))
    h = generator.arrow(Exponential(dom, NUMBER) if i % 2 else FUNCTION, NUMBER, 4)
    dom = h.dom.dom  # type: ignore[attr-defined]
    return Functional(h, generator.arrow(dom, NUMBER, 2), generator.arrow(dom, NUMBER, 2))


def _calls(comparison: Any, example: Functional) -> Judged:
    """The calls that are found, against a perturbation of the function."""
    h, g, k = [functor(Functions(EXACT), arrow) for arrow in (example.h, example.g, example.k)]
    direction = DualNumber(Fraction(0), Fraction(1))
    slope = lifted(h(lambda s: lifted(g(s)) + direction * lifted(k(s)))).slope
    calls = functional_grad(example.h, example.g, Fraction(1), exponential=comparison.k.exponential, base=EXACT)
    found = calls.fold(lambda s, gr: gr * k(s)) or 0
    if found == slope:
        return Judged()
    return Judged(Difference("the calls mean another derivative", "here", None, found, slope))


@dataclass(frozen=True, slots=True)
class Objects:
    """An object, and one for the environment of a function in it."""

    a: Object
    environment: Object

    def named(self) -> list[tuple[str, str]]:
        """Both."""
        return [("A", str(self.a)), ("environment", str(self.environment))]


def _objects(generator: Generator, i: int) -> Objects:
    return Objects(_object(generator, 3, i % 2 == 1), _object(generator, 2, False))


def _object(g: Generator, depth: int, higher: bool) -> Object:
    kinds = ("real", "bool", "unit", *(("product", "list", *(("function",) if higher else ())) if depth else ()))
    match g.pick(kinds):
        case "real":
            return REAL
        case "bool":
            return BOOL
        case "unit":
            return UNIT
        case "list":
            return List(_object(g, depth - 1, higher))
        case "function":
            return Exponential(_object(g, depth - 1, False), _object(g, depth - 1, higher))
        case _:
            return Product(tuple([_object(g, depth - 1, higher) for _ in range(2)]))


def _cotangent_object(comparison: Any, example: Objects) -> Judged:
    """G[A] by its definition; under Delta that of a function is G of its environment."""
    exponential, a = comparison.k.exponential, example.a
    closed = isinstance(exponential, (AdditiveMap, AnyDerivative))
    try:
        found = str(exponential.cotangent(a, environment=example.environment))
    except CotangentMismatch:
        found = "refused"
    expected = _expected(exponential, a, None if closed else example.environment, top=True)
    return Judged(None if found == expected else Difference("G differs", str(a), None, found, expected))


def _expected(exponential: Any, a: Object, environment: Object | None, top: bool = False) -> str:
    if isinstance(a, Exponential):
        if isinstance(exponential, AdditiveMap):
            return f"AdditiveMap({a.dom}, {_expected(exponential, a.cod, None)})"
        if isinstance(exponential, AnyDerivative):
            return "static['AnyDerivative']"
        return _expected(exponential, environment, None) if top and environment is not None else "refused"
    if isinstance(a, Product):
        inner = [_expected(exponential, part, environment) for part in a.parts]
        return "refused" if "refused" in inner else f"({', '.join(inner)})" if inner else "1"
    if isinstance(a, List):
        inner = _expected(exponential, a.item, environment)
        return "refused" if inner == "refused" else f"[{inner}]"
    return "1" if isinstance(a, Bool) else str(a)


def _known(subject: Subject) -> bool:
    return subject.known and subject.kind == "pullbacks" and subject.numbers is RATIONALS


FUNCTIONALS: tuple[Check, ...] = (
    Check("calls-of-function", "functionals",
          "h (g + w k) = h g + w * the sum of gr * k(s) over the calls (s, gr) of g", _drawn, _calls,
          frozenset({"curry", "eval"}), applies=_known),
    Check("cotangent-object", "functionals", "G is structural, and at functions what the exponential says", _objects,
          _cotangent_object, applies=_known),
)
