"""Reverse mode over semirings: what the paths of a program are asked, and what the laws find of wrong ones."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import ccc
from ccc import laws, semirings
from ccc.additive import ZERO
from ccc.errors import BoundaryMismatch
from ccc.laws.walks import project
from ccc.semirings import LINEAGE, MAX_PLUS, NUMBERS, POLYNOMIALS, SETS, TROPICAL, WALKS, WHY, Polynomial, Walks

EXPONENTIALS = (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative())


def asked(f: Any, L: Any, args: tuple[Any, ...], ct: Any, weight: Any = None, exponential: Any = None) -> Any:
    return ccc.interpret(f, ccc.Reverse(exponential, L=L, weight=weight))(*args)[1](ct)


def woven(xs: list[float], n: int) -> float:
    y = 1.0
    for x in xs:
        y = y * math.sin(x) if x > 0.0 else y

    def shifted(t: float) -> float:
        return t + y * xs[0]

    while n > 0:
        y, n = y * xs[n % len(xs)], n - 1
    return shifted(2.0) - y


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_a_polynomial_of_the_steps_means_what_each_semiring_finds(exponential: Any) -> None:
    xs, meanings = [1.0, -2.0, 3.0], {"math.sin": 5.0, "mul": 2.0, "add": 1.0, "sub": 0.5}
    found = asked(woven, POLYNOMIALS, (xs, 2), Polynomial(), lambda use: Polynomial(use.name), exponential)[0]
    walks = asked(woven, WALKS, (xs, 2), Walks(), lambda use: Walks(use.name), exponential)[0]
    assert all(isinstance(p, Polynomial) for p in found)
    for L in (TROPICAL, MAX_PLUS, NUMBERS):
        of = asked(woven, L, (xs, 2), L.one, lambda use: meanings[use.name], exponential)[0]
        assert [p.at(L, meanings.get) for p in found] == of == [w.at(L, meanings.get) for w in walks]
    names = asked(woven, LINEAGE, (xs, 2), frozenset(), lambda use: frozenset([use.name]), exponential)[0]
    assert names == [{label for walk in p.of for label in walk} for p in found]
    each = asked(woven, WHY, (xs, 2), WHY.one, lambda use: frozenset([frozenset([use.name])]), exponential)[0]
    assert each == [{frozenset(walk) for walk in p.of} for p in found]


def test_slopes_for_weights_are_derivatives_of_programs_with_arrays() -> None:
    def f(a: Any, x: Any) -> Any:
        y = np.tanh(a @ x)
        for i in range(2):
            y = y * x[::-1] + np.cumsum(y) if y[i] > 0.0 else y / (1.0 + x * x)
        return np.sum(y * np.sqrt(np.abs(x)))

    args = np.arange(9.0).reshape(3, 3) / 7.0, np.array([0.3, -0.2, 0.7])
    found = asked(f, NUMBERS, args, 1.0, lambda use: use.slope)
    for ct, slope in zip(found, ccc.value_with_pullback(f)(*args)[1](1.0), strict=True):
        assert np.allclose(ct.astype(float), slope, rtol=1e-14)


def test_the_cheapest_way_goes_by_the_lines_of_the_source() -> None:
    def f(x: float) -> float:
        short = x * 2.0
        long = math.exp(math.exp(x))
        return short + long

    line = f.__code__.co_firstlineno
    walks = asked(f, WALKS, (0.5,), Walks(), lambda use: Walks(use.line - line))
    assert walks == Walks(1, 3) + Walks(2, 2, 3)
    assert asked(f, TROPICAL, (0.5,), 0.0, lambda use: 1.0) == 2.0
    assert asked(f, MAX_PLUS, (0.5,), 0.0, lambda use: 1.0) == 3.0


def test_items_that_are_only_moved_have_no_weight() -> None:
    def f(x: Any) -> Any:
        return np.concatenate([x[::-1], x]).reshape(2, 3)[0]

    x = np.array([1.0, 2.0, 4.0])
    assert asked(f, WALKS, (x,), np.array([Walks()] * 3), lambda use: Walks(use.name)).tolist() == [Walks()] * 3


def test_labels_of_results_are_sets_or_what_has_a_sum_of_its_own() -> None:
    def f(x: float, y: float) -> Any:
        return x * y, y + 1.0

    assert asked(f, SETS, (3.0, 4.0), (frozenset("a"), frozenset("b"))) == (frozenset("a"), frozenset("ab"))
    assert asked(f, semirings.OWN, (3.0, 4.0), (ccc.Labels("a"), None)) == (ccc.Labels("a"), ccc.Labels("a"))


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(BoundaryMismatch, match="nothing that multiplies"):
        ccc.Reverse(L=SETS, weight=lambda use: 1)
    with pytest.raises(BoundaryMismatch, match="weights are multiplied"):
        ccc.Reverse(weight=lambda use: 1)
    with pytest.raises(BoundaryMismatch, match="without `L`"):
        ccc.Reverse().behind(ccc.arrow(lambda x: x, 1.0), 1.0)
    with pytest.raises(ccc.CCCError, match="which no target runs"):
        ccc.interpret(lambda x: x, ccc.Reverse(L=NUMBERS), backend="native")


@pytest.mark.parametrize("L", project(), ids=lambda L: L.name)
def test_each_of_the_project_obeys_the_laws(L: Any) -> None:
    some = ["semirings", "slices", "pullback-linear", "curry-beta", "fix-unroll", "boxes", "discrete-is-flat"]
    for exponential in EXPONENTIALS:
        report = laws.check(ccc.Reverse(exponential, L=L), only=some, examples=8)
        assert report.ok, str(report)
        assert {verdict.check for verdict in report.verdicts if verdict.outcome == "tested"} >= {
            "semiring-laws", "paths", "program-paths"}


WRONG = {
    "no unit": ("semiring-laws", semirings.Semiring("w", 0.0, max, (0.5,), 0.5, operator.mul)),
    "not distributive": ("semiring-laws", semirings.Semiring("w", 0, operator.add, (2, 3), 0, operator.add)),
    "zero is not absorbed": ("semiring-laws", semirings.Semiring("w", 0.0, max, (2.0, 3.0), 0.0, operator.add)),
    "not idempotent": ("semiring-laws", semirings.lattice("w", 0, 1, operator.add, operator.mul)),
    "not commutative": ("semiring-laws", semirings.Monoid("w", "", operator.add, ("a", "b"))),
}


@pytest.mark.parametrize("law, L", WRONG.values(), ids=WRONG)
def test_what_is_no_semiring_is_found(law: str, L: Any) -> None:
    assert not laws.check(L, only=[law], examples=60)


class OnceOnly(ccc.Reverse):
    """Where two ways meet, it forgets one."""

    def prod(self, *arrows: Any) -> Any:
        run = super().prod(*arrows)
        first = super().prod(*arrows[:1], *[self.const_like(f) for f in arrows[1:]]) if len(arrows) > 1 else run
        return lambda x: (run(x)[0], first(x)[1])

    @staticmethod
    def const_like(f: Any) -> Any:
        return lambda x: (f(x)[0], lambda ct: ZERO)


def test_a_category_of_a_users_that_forgets_a_way_is_found() -> None:
    assert not laws.check(OnceOnly(L=TROPICAL), only=["paths"], examples=60)


def max_plus(a: Any, b: Any) -> Any:
    return np.max(a[:, :, None] + b[None, :, :], axis=1)


FAR = -np.inf
SOME = np.array([[1.0, 2.0], [FAR, 0.0]]), np.array([[0.0, FAR], [3.0, 1.0]])
ONE = np.array([[0.0, FAR], [FAR, 0.0]])


@pytest.mark.parametrize("times, ok", [(max_plus, True), (lambda a, b: max_plus(b, a), True), (operator.add, False)])
def test_elements_may_be_matrices(times: Any, ok: bool) -> None:
    L = semirings.Semiring("matrices", np.full((2, 2), FAR), np.maximum, SOME, ONE, times)
    assert laws.check(L, only=["semirings", "pullback-linear", "curry-beta"], examples=30).ok is ok


def test_elements_may_be_pairs_and_matrices_of_results_that_are_pairs_and_arrays() -> None:
    def plus(a: Any, b: Any) -> Any:
        return min(a, b) if a[0] != b[0] else (a[0], a[1] + b[1])

    def times(a: Any, b: Any) -> Any:
        return (a[0] + b[0], a[1] * b[1])

    best = semirings.Semiring("how many are cheapest", (math.inf, 0), plus, ((2.0, 1),), (0.0, 1), times)
    assert asked(lambda x, y: (x * y + x, [y]), best, (2.0, 3.0), ((0.0, 1), [None]), lambda use: (1.0, 1)) == (
        (1.0, 1), (2.0, 1))
    assert asked(lambda x: x * x, best, (2.0,), (0.0, 1), lambda use: (1.0, 1)) == (1.0, 2)
    L = semirings.Semiring("matrices", np.full((2, 2), FAR), np.maximum, SOME, ONE, max_plus)
    ct = np.empty(2, object)
    ct[0] = ONE
    found = asked(lambda x: np.cumsum(x) * x, L, (np.array([1.0, 2.0]),), ct, lambda use: SOME[use.argument])
    assert np.array_equal(found[0], np.maximum(max_plus(SOME[0], SOME[0]), SOME[1])) and found[1] is None


def test_arguments_may_have_names() -> None:
    value, asks = ccc.interpret(lambda x, y: x * x + y, ccc.Reverse(L=NUMBERS))(3.0, y=1.0)
    assert value == 10.0 and asks(1) == (2, 1)
