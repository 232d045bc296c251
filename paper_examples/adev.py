"""*ADEV: Sound Automatic Differentiation of Expected Values of Probabilistic Programs* (Lew, Huot, Staton, Mansinghka;
POPL 2023): the example of the introduction and the estimators that its programs choose between, with `ccc.expectation`.

    θ ↦ E [ b ← flip θ; if b then 0 else -θ/2 ]  =  (θ² - θ)/2          whose slope is θ - 1/2

Means are over fixed seeds, and stand with their standard errors, which the formulas of the variances are held against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ccc
from paper_examples.example import ROUNDING, Example, Outcome, claimed

DOCUMENT = "ADEV"
THETA = 0.2
COUNT = 2000
Program = Callable[[Any, ccc.Chance], Any]


def game(by: str) -> Program:
    """The program of the introduction, with the estimator for its flip."""
    return lambda theta, chance: 0.0 if chance.flip(theta, by=by) else -theta / 2.0


def drawn(f: Program, at: float, count: int = COUNT) -> tuple[Any, Any, bool]:
    """So many estimates of value and slope, and whether the curries agree on them, but for `AdditiveMap`: it would draw
    again."""
    found = []
    for exponential in (ccc.Delta(), ccc.AnyDerivative()):
        estimate = ccc.value_with_gradient(ccc.expectation(f), wrt=0, exponential=exponential)
        rng = np.random.default_rng(2023)
        found.append(np.array([estimate(at, rng) for _ in range(count)]))
    return found[0][:, 0], found[0][:, 1], bool(np.array_equal(*found))


def error(xs: Any) -> float:
    """The standard error of a mean."""
    return float(np.std(xs, ddof=1)) / math.sqrt(len(xs))


def estimated(f: Program, at: float, exact: tuple[float, float], variance: float) -> Outcome:
    """The means of an estimator beside the exact value and slope, and its variance beside the formula."""
    values, slopes, agree = drawn(f, at)
    value, slope = float(np.mean(values)), float(np.mean(slopes))
    squares = (slopes - slope) ** 2
    off = 5.0 * max(error(values), error(slopes)) + ROUNDING
    checks = [
        ("the mean of slopes is right", abs(slope - exact[1]) <= 5.0 * error(slopes) + ROUNDING),
        ("the variance is that of the formula", abs(np.mean(squares) - variance) <= 5.0 * error(squares) + ROUNDING),
    ]
    notes = [f"slope {slope:.4f} ± {error(slopes):.4f}, exactly {exact[1]:.4g}; variance {np.mean(squares):.4f}, "
             f"by formula {variance:.4f}"]
    return claimed(value, slope, expected=exact, agree=agree, tolerance=off, checks=checks, notes=notes)


EXACT = (THETA * THETA - THETA) / 2.0, THETA - 0.5


def enumerated() -> Outcome:
    """`flip_ENUM`: both outcomes, exactly."""
    return estimated(game("enumeration"), THETA, EXACT, 0.0)


def by_score() -> Outcome:
    """`flip_REINFORCE`: where b is false, with probability 1 - θ, the slope -1/2 and θ/2 times 1/(1 - θ)."""
    found = -0.5 + THETA / 2.0 / (1.0 - THETA)
    return estimated(game("score"), THETA, EXACT, found * found * THETA * (1.0 - THETA))


def by_measure() -> Outcome:
    """`flip_MVD`: the difference of both outcomes, θ/2, and -1/2 where b is false."""
    return estimated(game("measure"), THETA, EXACT, 0.25 * THETA * (1.0 - THETA))


def naive() -> Outcome:
    """The slope of a run: -1/2 where b is false, in the mean -(1 - θ)/2, and not θ - 1/2."""

    def run(theta: Any, rng: Any) -> Any:
        return 0.0 if rng.random() < ccc.without_derivative(theta) else -theta / 2.0

    slope_of_run = ccc.gradient(run, wrt=0)
    rng = np.random.default_rng(2023)
    slopes = [slope_of_run(THETA, rng) for _ in range(COUNT)]
    slope, off = float(np.mean(slopes)), error(slopes)
    checks = [("which is not the slope of the mean", abs(slope - EXACT[1]) > 10.0 * off)]
    notes = [f"slope {slope:.4f} ± {off:.4f}; that of the mean is {EXACT[1]:.4g}"]
    expected = EXACT[0], -(1.0 - THETA) / 2.0
    return claimed(EXACT[0], slope, expected=expected, agree=True, tolerance=5.0 * off, checks=checks, notes=notes)


def by_path() -> Outcome:
    """`normal_REPARAM`: x = θ + ε, so the slope of x² is 2 x, of variance 4."""
    return estimated(lambda theta, chance: chance.normal(theta, by="path") ** 2, THETA, (1.0 + THETA**2, 2.0 * THETA),
                     4.0)


def normal_by_score() -> Outcome:
    """`normal_REINFORCE`: x² (x - θ), of variance E [(θ + ε)⁴ ε²] - 4θ² = θ⁴ + 14 θ² + 15."""
    return estimated(lambda theta, chance: chance.normal(theta, by="score") ** 2, THETA,
                     (1.0 + THETA**2, 2.0 * THETA), THETA**4 + 14.0 * THETA**2 + 15.0)


EXAMPLES = (
    Example("flip_ENUM", DOCUMENT, enumerated),
    Example("flip_REINFORCE", DOCUMENT, by_score),
    Example("flip_MVD", DOCUMENT, by_measure),
    Example("the slope of one run", DOCUMENT, naive),
    Example("normal_REPARAM", DOCUMENT, by_path),
    Example("normal_REINFORCE", DOCUMENT, normal_by_score),
)
