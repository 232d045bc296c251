"""Expectations of programs that draw: exact where all is enumerated, and right in the mean by every estimator, which is
tested with fixed seeds within five standard errors; an estimator that is off in the mean fails the same test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc import Chance, expectation
from ccc.compile.diagnostics import WrongArguments

Estimate = Callable[[float, np.random.Generator], Any]
ERRORS = 5.0
"""Standard errors that a mean may be off: a right estimator is off by more once in a million seeds."""


def is_right_in_the_mean(estimate: Estimate, at: float, exact: tuple[float, ...], count: int = 2000) -> bool:
    rng = np.random.default_rng(20230113)
    found = np.array([estimate(at, rng) for _ in range(count)])
    error = np.std(found, axis=0, ddof=1) / math.sqrt(count)
    return bool(np.all(np.abs(np.mean(found, axis=0) - exact) <= ERRORS * error + 1e-12))


def estimates(f: Callable[..., Any], backend: str | None = None) -> Estimate:
    return ccc.value_with_gradient(expectation(f), wrt=0, backend=backend)


def game(by: str) -> Callable[..., Any]:
    return lambda theta, chance: 0.0 if chance.flip(theta, by=by) else -theta / 2.0


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("by", ["enumeration", "score", "measure"])
def test_a_choice_and_its_probability(by: str, backend: str) -> None:
    for theta in (0.2, 0.7):
        exact = (theta * theta - theta) / 2.0, theta - 0.5
        assert is_right_in_the_mean(estimates(game(by), backend), theta, exact)
    assert by != "enumeration" or estimates(game(by))(0.2, np.random.default_rng(0)) == pytest.approx((-0.08, -0.3))


def test_the_slope_of_one_run_is_not_that_of_the_mean() -> None:
    def run(theta: float, rng: np.random.Generator) -> float:
        return 0.0 if rng.random() < ccc.without_derivative(theta) else -theta / 2.0

    naive = ccc.value_with_gradient(run, wrt=0)
    assert is_right_in_the_mean(lambda theta, rng: naive(theta, rng)[0], 0.2, (-0.08,))
    assert not is_right_in_the_mean(lambda theta, rng: naive(theta, rng)[1], 0.2, (-0.3,))


def walk(by: str, other: str, turns: int = 2) -> Callable[..., Any]:
    """A loop with branches on what was drawn, whose probabilities hang on what was drawn before."""

    def walked(theta: float, chance: Chance) -> float:
        x = 1.0
        for i in range(turns):
            if chance.flip(theta / (1.0 + i), by=by):
                x = x * theta + 1.0
            else:
                k = chance.choice([0.5 * theta, 1.0 - theta, 0.5 * theta], by=other)
                x = x - theta if k == 0 else x * (k + 0.5)
        return x * x

    return walked


def exactly(theta: float) -> float:
    return expectation(walk("enumeration", "enumeration"))(theta, np.random.default_rng(0))


def test_enumeration_is_exact_in_loops_with_branches() -> None:
    def mean(x: float, i: int, theta: float) -> float:
        if i == 3:
            return x * x
        p, q = theta / (1.0 + i), 0.5 * theta
        others = q * mean(x - theta, i + 1, theta) + (1.0 - theta) * mean(1.5 * x, i + 1, theta)
        return p * mean(x * theta + 1.0, i + 1, theta) + (1.0 - p) * (others + q * mean(2.5 * x, i + 1, theta))

    by_hand = ccc.value_with_gradient(lambda theta: mean(1.0, 0, theta))(0.4)
    walked = walk("enumeration", "enumeration", 3)
    assert estimates(walked)(0.4, np.random.default_rng(1)) == pytest.approx(by_hand)
    second = ccc.gradient(ccc.gradient(expectation(walked), wrt=0), wrt=0)
    assert second(0.4, np.random.default_rng(1)) == pytest.approx(ccc.gradient(ccc.gradient(
        lambda theta: mean(1.0, 0, theta)))(0.4))


@pytest.mark.share(4)
@pytest.mark.parametrize(("by", "other"), [
    ("score", "score"), ("score", "enumeration"), ("enumeration", "score"), ("measure", "score"),
])
def test_estimators_mix_in_loops_with_branches(by: str, other: str) -> None:
    exact = exactly(0.4), ccc.derivative(exactly)(0.4)
    assert is_right_in_the_mean(estimates(walk(by, other)), 0.4, exact)


@pytest.mark.share(2)
@pytest.mark.parametrize(("by", "other", "count"), [("score", "score", 1500), ("measure", "score", 500)])
def test_second_derivatives_are_right_in_the_mean(by: str, other: str, count: int) -> None:
    second = ccc.gradient(ccc.gradient(expectation(walk(by, other)), wrt=0), wrt=0)
    exact = ccc.derivative(ccc.derivative(exactly))(0.4)
    assert is_right_in_the_mean(second, 0.4, (exact,), count)


@pytest.mark.parametrize("by", ["path", "score"])
def test_normal_numbers(by: str) -> None:
    def squared(theta: float, chance: Chance) -> float:
        return chance.normal(theta, 0.5 + theta * theta, by=by) ** 2

    theta, sigma = 0.6, 0.5 + 0.36
    exact = theta**2 + sigma**2, 2.0 * theta + 4.0 * sigma * theta
    assert is_right_in_the_mean(estimates(squared), theta, exact)


def test_a_test_of_a_normal_number_that_is_drawn_by_score() -> None:
    def tail(theta: float, chance: Chance) -> float:
        return 1.0 if chance.normal(theta) > 0.5 else 0.0

    exact = 0.5 * math.erfc((0.5 - 0.2) / math.sqrt(2.0)), math.exp(-0.5 * 0.3**2) / math.sqrt(2.0 * math.pi)
    assert is_right_in_the_mean(estimates(tail), 0.2, exact)


def test_a_loop_without_a_bound_and_a_density_of_ones_own() -> None:
    def waits(theta: float, chance: Chance) -> float:
        n = 0.0
        while not chance.flip(theta, by="score"):
            n += 1.0
        return n

    def counts(rate: float, chance: Chance) -> float:
        k = chance.rng.poisson(ccc.without_derivative(rate))
        chance.scored(k * math.log(rate) - rate)
        return k * k * rate

    assert is_right_in_the_mean(estimates(waits), 0.4, (0.6 / 0.4, -1.0 / 0.16))
    assert is_right_in_the_mean(estimates(counts), 1.5, (1.5**3 + 1.5**2, 3.0 * 1.5**2 + 2.0 * 1.5))


def test_expectations_stand_in_programs_and_have_other_verbs() -> None:
    exact = expectation(game("enumeration"))

    def squared(theta: float, rng: np.random.Generator) -> float:
        return exact(theta, rng) ** 2

    rng = np.random.default_rng(0)
    assert ccc.gradient(squared, wrt=0)(0.2, rng) == pytest.approx(2.0 * -0.08 * -0.3)
    assert ccc.derivative(lambda theta: exact(theta, np.random.default_rng(3)))(0.2) == pytest.approx(-0.3)
    many = ccc.value_with_gradient(expectation(game("score"), samples=4000), wrt=0)
    value, slope = many(0.2, rng)
    assert abs(value + 0.08) < 5.0 * 0.04 / math.sqrt(4000) and abs(slope + 0.3) < 5.0 * 0.25 / math.sqrt(4000)
    rows = ccc.gradient(expectation(lambda a, chance: np.sum(a * a) if chance.flip(0.25) else np.sum(a)), wrt=0)
    assert np.allclose(rows(np.array([1.0, 2.0]), rng), 0.25 * np.array([2.0, 4.0]) + 0.75)


@pytest.mark.share(2)
@pytest.mark.parametrize(("draw", "what"), [
    (lambda p, chance: chance.flip(p + 1.0), "a flip needs a probability from 0 to 1"),
    (lambda p, chance: chance.flip(p * math.nan), "a flip needs a probability from 0 to 1"),
    (lambda p, chance: chance.flip(0.0 * p, by="score"), "by score needs a probability between 0 and 1"),
    (lambda p, chance: chance.flip(p, by="chance"), "'enumeration', 'score' or 'measure'"),
    (lambda p, chance: chance.choice([p, p]), "add up to 1"),
    (lambda p, chance: chance.choice([1.0 + p, -p]), "a choice needs probabilities"),
    (lambda p, chance: chance.choice([0.0 * p, 1.0], by="score"), "needs probabilities above 0"),
    (lambda p, chance: chance.choice([p, 1.0 - p], by="measure"), "'enumeration' or 'score'"),
    (lambda p, chance: chance.normal(p, p - 1.0), "needs a positive sigma"),
    (lambda p, chance: chance.normal(p, p, by="measure"), "'path' or by 'score'"),
])
def test_what_has_no_right_estimate_raises(draw: Any, what: str) -> None:
    def drawn(p: float, chance: Chance) -> float:
        return p if draw(p, chance) else 2.0 * p

    for run in (expectation(drawn), ccc.gradient(expectation(drawn), wrt=0)):
        with pytest.raises(ValueError, match=what):
            run(0.4, np.random.default_rng(0))


def test_what_is_no_expectation_is_refused() -> None:
    for args in ((1.0,), (game("score"), 0), (game("score"), 1.5)):
        with pytest.raises(WrongArguments, match="expectation takes a function and the number of samples"):
            expectation(*args)  # type: ignore[arg-type]
