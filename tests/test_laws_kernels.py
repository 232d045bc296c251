"""A category that is cartesian in nothing but its copies: Markov kernels, of which the laws say where copying shows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ccc import laws
from ccc.objects import Product

COPIES = {"prod-eta", "prod-fusion", "sharing", "summing"}
"""What says that to copy what was drawn is to draw twice."""


def merged(pairs: list[tuple[Any, Fraction]]) -> list[tuple[Any, Fraction]]:
    """The same distribution with each value once."""
    found: dict[str, tuple[Any, Fraction]] = {}
    for y, p in pairs:
        found[repr(y)] = (y, p + found[repr(y)][1] if repr(y) in found else p)
    return [found[key] for key in sorted(found)]


class Kernels:
    """`x |-> [(y, probability), ...]`; a sum has an error of 1 half of the time."""

    def identity(self, a: Any) -> Any:
        return lambda x: [(x, Fraction(1))]

    def compose(self, *arrows: Any) -> Any:
        def run(x: Any) -> Any:
            found = [(x, Fraction(1))]
            for f in arrows:
                found = merged([(z, p * q) for y, p in found for z, q in f(y)])
            return found

        return run

    def terminal(self, a: Any) -> Any:
        return lambda x: [((), Fraction(1))]

    def prod(self, *arrows: Any) -> Any:
        def run(x: Any) -> Any:
            found: list[Any] = [((), Fraction(1))]
            for f in arrows:
                found = [((*y, z), p * q) for y, p in found for z, q in f(x)]
            return merged(found)

        return run

    def proj(self, a: Any, index: int) -> Any:
        return lambda x: [(x[index], Fraction(1))]

    def const(self, term: Any) -> Any:
        return lambda x: [(term.value, Fraction(1))]

    def primitive(self, term: Any) -> Any:
        def run(x: Any) -> Any:
            y = term.primitive.value(*(x if isinstance(term.dom, Product) else [x]), **dict(term.params))
            noisy = term.primitive.name == "add"
            return [(y, Fraction(1, 2)), (y + 1, Fraction(1, 2))] if noisy else [(y, Fraction(1))]

        return run

    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        return lambda x: merged([(z, p * q) for t, p in test(x) for z, q in (then if t else orelse)(x)])


class FirstFactor(Kernels):
    def compose(self, *arrows: Any) -> Any:
        def run(x: Any) -> Any:
            found = [(x, Fraction(1))]
            for f in arrows:
                found = merged([(z, q) for y, _ in found for z, q in f(y)])
            return found

        return run


class OneDraw(Kernels):
    def prod(self, *arrows: Any) -> Any:
        def run(x: Any) -> Any:
            found: list[Any] = [((), Fraction(1))]
            for f in arrows:
                found = [((*y, z), p) for y, p in found for z, _ in f(x)]
            return merged(found)

        return run


class NoTest(Kernels):
    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        return lambda x: merged([(z, p * q) for _, p in test(x) for z, q in then(x)])


def failing(k: Any) -> set[str]:
    return {verdict.check for verdict in laws.check(k, examples=100).verdicts if not verdict}


def test_kernels_have_all_laws_but_those_of_copies() -> None:
    assert failing(Kernels()) == COPIES


@pytest.mark.parametrize("slip", [FirstFactor, OneDraw, NoTest])
def test_a_slip_in_kernels_is_told_from_copies(slip: type) -> None:
    assert failing(slip()) - COPIES
