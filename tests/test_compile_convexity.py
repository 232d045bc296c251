"""Certificates of convexity: what is convex is proved, and what is not never is, wherever what bends it is hidden."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ccc
from ccc import convex_on
from ccc.compile.api.convexity import positive_semidefinite, surely_positive_semidefinite
from ccc.compile.diagnostics import WrongArguments
from ccc.errors import CannotStage, MissingMeaning

LOW, HIGH = np.array([-1.0, -1.0]), np.array([1.0, 1.0])


def iterated(x: float) -> float:
    y = x
    for _ in range(2):
        y = y * y + 0.1 * x if y < 3.0 else y
    return y


def logistic(w: np.ndarray) -> float:
    total = 0.1 * np.sum(w * w)
    for a, b in ((1.0, 0.5), (0.5, -1.0), (-0.5, 0.25)):
        total += math.log(1.0 + math.exp(a * w[0] + b * w[1]))
    return total


@pytest.mark.share(16)
@pytest.mark.parametrize(("f", "low", "high"), [
    (lambda x: x ** 4, -1.0, 1.0), (lambda x: -math.log(x), 0.5, 2.0), (lambda x: math.sin(x), 3.2, 6.2),
    (lambda x: math.cosh(x) - 0.4 * x * x, -2.0, 2.0), (lambda x: abs(x), 0.5, 1.0), (iterated, 0.1, 1.0),
    (lambda x: x[0] * x[0] + x[1] * x[1] + x[0] * x[1], LOW, HIGH), (lambda x: np.sum(x), LOW, HIGH),
    (lambda x: np.log(np.sum(np.exp(x))) + 0.5 * np.sum(x * x), LOW, HIGH), (logistic, LOW, HIGH),
])
def test_what_is_convex_is_proved(f: Any, low: Any, high: Any) -> None:
    found = convex_on(f, low, high, depth=10)
    assert found and found.proved and found.open is None and found.boxes >= 1


def hinge(x: float) -> float:
    return x if x < 0.0 else -x


def counted(x: float) -> float:
    n = 0.0
    while x < 1.0:
        x, n = 1.5 * x, n + 1.0
    return n


@pytest.mark.parametrize(("f", "low", "high"), [
    (lambda x: x ** 3, -1.0, 1.0), (lambda x: math.sin(x), 3.0, 6.2), (lambda x: 1.0 / x, -1.0, 2.0),
    (lambda x: -abs(x), -1.0, 1.0), (lambda x: x * abs(x), -1.0, 1.0), (hinge, -1.0, 1.0), (counted, 0.3, 1.0),
    (lambda x: 1.0 if x > 0.3 else 0.0, 0.0, 1.0), (lambda x: x if x != 0.25 else 5.0, 0.0, 1.0),
    (lambda x: math.tanh(1.0 if x > 0.3 else -1.0), 0.0, 1.0), (lambda x: -math.sqrt(x * x), -1.0, 1.0),
    (lambda x: 1.0 / (1.0 + np.exp(np.sign(x))), -1.0, 1.0),
    (lambda x: x * x - 3.0 * ccc.without_derivative(x) ** 2, 0.0, 1.0),
    (lambda x: math.tanh(5.0 * ccc.without_derivative(x)), -1.0, 1.0),
    (lambda x: x[0] * x[0] - x[1] * x[1], LOW, HIGH), (lambda x: -np.sum(np.abs(x)), LOW, HIGH),
    (lambda x: x[0] * x[0] + x[1] * x[1] + 2.1 * x[0] * x[1], LOW, HIGH),
])
def test_what_is_not_convex_is_never_proved(f: Any, low: Any, high: Any) -> None:
    for depth in (0, 4):
        found = convex_on(f, low, high, depth=depth)
        assert not found and found.open is not None


BENT: list[Callable[[float], Any]] = [
    lambda x: x * x - max(x, 0.5), lambda x: x * x + min(x * x, (x - 1.0) ** 2) * 3.0, lambda x: x * x - max([x, 0.5]),
    lambda x: x * x - np.maximum(x, 0.5), lambda x: x * x - np.clip(x, 0.5, 3.0), lambda x: x * x - np.fmax(x, 0.5),
    lambda x: x * x - np.sum(np.maximum(np.array([x, 2.0 * x]), 0.5)), lambda x: x * x - np.max(np.array([x, 0.5])),
    lambda x: x * x - np.sort(np.array([x, 0.5]))[1], lambda x: x * x - np.ptp(np.array([x, 0.5])),
    lambda x: x * x + x % 0.5, lambda x: x * x - math.fmod(x, 0.5), lambda x: x * x - 0.3 * math.atan2(x - 0.5, -1.0),
    lambda x: x * x - 3.0 * np.median(np.array([x, 0.5, 0.6])), lambda x: x * x - np.where(x > 0.5, x, 0.5),
    lambda x: x * x - math.hypot(x - 0.5, 0.0), lambda x: x * x - (x - 0.5) * np.sign(x - 0.5),
]
"""What bends or jumps at 1/2 against its curvature, which is positive on both sides."""


@pytest.mark.share(16)
@pytest.mark.parametrize("f", BENT)
def test_no_kink_and_no_jump_is_hidden_by_bounds_of_derivatives(f: Any) -> None:
    for low, high in ((0.0, 1.0), (0.3, 0.9)):
        for depth in (0, 3):
            found = convex_on(f, low, high, depth=depth)
            assert not found and found.open is not None
    for f_of_two in (lambda x: np.sum(x * x) - np.max(x), lambda x: np.sum(x * x) + min(x[0], f(x[1]) - x[1] * x[1])):
        assert not convex_on(f_of_two, LOW, HIGH, depth=2)


@pytest.mark.parametrize("f", [
    lambda x: x * x + max(x, 5.0), lambda x: x * x + np.max(np.array([x, 5.0])), lambda x: x * x + x % 3.0,
    lambda x: x * x + np.clip(x, -5.0, 5.0), lambda x: x * x + 0.01 * math.atan2(x, 3.0),
    lambda x: x * x + max(x, -x - 9.0),
    lambda x: x * x + np.sum(np.maximum(np.array([x, 2.0 * x]), 7.0)),
])
def test_a_choice_that_is_decided_hides_nothing(f: Any) -> None:
    assert convex_on(f, 0.25, 1.0, depth=0)


def composed(r: random.Random, depth: int) -> Callable[[Any], Any]:
    """A random function of two numbers."""
    if depth == 0:
        i, c = r.randrange(2), r.choice([-1.0, 0.5, 2.0])
        return r.choice([lambda x: x[i], lambda x: c * x[i] + x[1 - i]])
    f, g = composed(r, depth - 1), composed(r, depth - 1)
    return r.choice([
        lambda x: f(x) + g(x), lambda x: f(x) * f(x) + g(x), lambda x: f(x) - g(x), lambda x: math.exp(0.3 * f(x)),
        lambda x: f(x) * g(x), lambda x: math.cos(f(x)) + f(x) * f(x), lambda x: f(x) if x[0] < 0.25 else g(x),
    ])


def test_what_is_proved_of_random_functions_holds_between_points() -> None:
    r, proved = random.Random(5), 0
    for _ in range(20):
        f = composed(r, 1 + (proved > 5))
        if convex_on(lambda x, f=f: f(x) + 0.0 * x[0], LOW, HIGH, depth=3):
            proved += 1
            for _ in range(200):
                a, b = (np.array([r.uniform(-1.0, 1.0), r.uniform(-1.0, 1.0)]) for _ in range(2))
                assert f((a + b) / 2.0) <= (f(a) + f(b)) / 2.0 + 1e-12 * (1.0 + abs(f(a)) + abs(f(b)))
    assert 4 <= proved < 20


def test_matrices_are_judged_exactly() -> None:
    r = random.Random(3)
    for _ in range(200):
        b = [[Fraction(r.randint(-2, 2)) for _ in range(3)] for _ in range(2)]
        gram = [[sum((row[i] * row[j] for row in b), Fraction(0)) for j in range(3)] for i in range(3)]
        assert positive_semidefinite(gram)
        gram[r.randrange(3)][0] -= Fraction(1, 10**20)
        a = [[gram[max(i, j)][min(i, j)] for j in range(3)] for i in range(3)]
        assert not positive_semidefinite(a) or min(np.linalg.eigvalsh(np.array(a, float))) > -1e-9
    assert not positive_semidefinite([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])
    assert not surely_positive_semidefinite([[1.0, 0.5], [0.5, 1.0]], [[1.0, 1.5], [1.5, 1.0]])


def test_what_proves_nothing_is_refused() -> None:
    @ccc.custom_vjp
    def bent(x: float) -> float:
        return -x * x

    bent.defvjp(lambda x: (bent(x), x), lambda x, ct: (2.0 * x * ct,))
    with pytest.raises(MissingMeaning, match="`bent` has a derivative that is given by hand"):
        convex_on(lambda x: bent(x), 0.0, 1.0)
    with pytest.raises(CannotStage, match="`math.floor` makes an integer of what is known by bounds only"):
        convex_on(lambda x: 1.0 * math.floor(x), 0.0, 1.5)
    for low, high, depth in ((1.0, 0.0, 2), (LOW, HIGH[:1], 2), (0.0, 1.0, -1), (math.nan, 1.0, 2)):
        with pytest.raises(WrongArguments, match="convex_on takes lower and upper bounds"):
            convex_on(lambda x: x, low, high, depth=depth)
