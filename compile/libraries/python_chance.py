"""Expectations of programs that draw, and estimators of their derivatives that are right in the mean.

    E [f]  =  sum over paths of   w  y  exp(s - fixed s)        w the weight of the path, s the score of what was drawn

A program asks a `Chance` for what it draws. What is *enumerated* is not drawn: the program runs once for each outcome,
and its value counts with the probability, which moves. What is drawn by *score* stays where it is, and the logarithm of
its density is added up: the derivative of `exp(s - fixed s)`, which is 1, is that of s. What is drawn by *path* moves
itself. Both classes are plain Python, which the compiler reads with the program: so these derivatives have derivatives,
and expectations stand in programs as other functions do.

>>> import ccc, numpy as np
>>> def game(theta, chance):
...     return 0.0 if chance.flip(theta) else -theta / 2.0
>>> value, slope = ccc.value_with_gradient(ccc.expectation(game), wrt=0)(0.2, np.random.default_rng(0))
>>> round(value, 12), round(slope, 12)
(-0.08, -0.3)

References: Lew, Huot, Staton, Mansinghka, *ADEV: Sound Automatic Differentiation of Expected Values of Probabilistic
Programs* (2023); Foerster et al., *DiCE: The Infinitely Differentiable Monte Carlo Estimator* (2018), for `exp`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.api.derivative_overrides import without_derivative as fixed
from ccc.compile.diagnostics import WrongArguments


class Chance:
    """What a program draws from: `rng`, a generator of NumPy's, and how each draw counts in a derivative.

    >>> chance = Chance(np.random.default_rng(0))
    >>> chance.flip(0.25, by="score"), round(chance.score, 6) == round(math.log(0.75), 6)
    (False, True)

    `weight` is that of what was enumerated, `score` the logarithm of the density of what was drawn by score. A draw
    from `rng` itself moves as `docs/random.md` says.
    """

    def __init__(self, rng: np.random.Generator, outcomes: list[int] | None = None) -> None:
        self.rng = rng
        self.outcomes: list[int] = [] if outcomes is None else outcomes
        self.asked = 0
        self.weight: Any = 1.0
        self.score: Any = 0.0

    def enumerated(self, size: int) -> int:
        """Which of so many outcomes this run is for: those that come last are gone through first."""
        if self.asked == len(self.outcomes):
            self.outcomes.append(size - 1)
        self.asked += 1
        return self.outcomes[self.asked - 1]

    def scored(self, log_density: Any) -> None:
        """Say with which density something was drawn, of parameters that move; what was drawn does not.

        >>> chance = Chance(np.random.default_rng(0))
        >>> n = chance.rng.poisson(3.0)
        >>> chance.scored(n * math.log(3.0) - 3.0)
        """
        self.score = self.score + log_density

    def flip(self, p: Any, by: str = "enumeration") -> bool:
        """A coin that shows True with probability `p`, by "enumeration", "score" or "measure".

        >>> chance = Chance(np.random.default_rng(0))
        >>> chance.flip(0.25), chance.weight
        (True, 0.25)

        By "measure" the value is that of one outcome, which is drawn, and the derivative the difference of both. Raises
        ValueError where `p` is no probability, and by score where it is 0 or 1: what is never drawn has a derivative.
        """
        if by == "score":
            if not 0.0 < p < 1.0:
                raise ValueError("a flip by score needs a probability between 0 and 1")
            shown = self.rng.random() < fixed(p)
            self.scored(math.log(p) if shown else math.log1p(-p))
            return shown
        if not 0.0 <= p <= 1.0:
            raise ValueError("a flip needs a probability from 0 to 1")
        if by == "measure":
            drawn = self.rng.random() < fixed(p)
            shown = self.enumerated(2) == 1
            moved = p - fixed(p)
            self.weight = self.weight * ((1.0 if drawn == shown else 0.0) + (moved if shown else -moved))
            return shown
        if by != "enumeration":
            raise ValueError("a flip is by 'enumeration', 'score' or 'measure'")
        shown = self.enumerated(2) == 1
        self.weight = self.weight * (p if shown else 1.0 - p)
        return shown

    def choice(self, ps: Sequence[Any], by: str = "enumeration") -> int:
        """One of 0, 1, ... with these probabilities, by "enumeration" or "score".

        >>> chance = Chance(np.random.default_rng(0))
        >>> chance.choice([0.5, 0.25, 0.25]), chance.weight
        (2, 0.25)

        Raises ValueError where these are no probabilities, or by score where one is 0.
        """
        total = 0.0
        for p in ps:
            if not p >= 0.0:
                raise ValueError("a choice needs probabilities")
            total = total + fixed(p)
        if not abs(total - 1.0) <= 1e-9:
            raise ValueError("the probabilities of a choice add up to 1")
        if by == "score":
            for p in ps:
                if not p > 0.0:
                    raise ValueError("a choice by score needs probabilities above 0")
            found, left = 0, self.rng.random() - fixed(ps[0])
            while left >= 0.0 and found < len(ps) - 1:
                found += 1
                left = left - fixed(ps[found])
            self.scored(math.log(ps[found]))
            return found
        if by != "enumeration":
            raise ValueError("a choice is by 'enumeration' or 'score'")
        found = self.enumerated(len(ps))
        self.weight = self.weight * ps[found]
        return found

    def normal(self, mu: Any = 0.0, sigma: Any = 1.0, by: str = "score") -> Any:
        """A number of the normal distribution, by "score" or, where the result does not jump in it, by "path".

        >>> chance = Chance(np.random.default_rng(0))
        >>> round(chance.normal(1.0, 2.0, by="path"), 6), chance.score
        (1.25146, 0.0)

        Raises ValueError where `sigma` is not positive.
        """
        if not sigma > 0.0:
            raise ValueError("a normal distribution needs a positive sigma")
        if by == "path":
            return self.rng.normal(mu, sigma)
        if by != "score":
            raise ValueError("a normal number is drawn by 'path' or by 'score'")
        x = self.rng.normal(fixed(mu), fixed(sigma))
        z = (x - mu) / sigma
        self.scored(-0.5 * z * z - math.log(sigma))
        return x


def once(f: Callable[..., Any], args: tuple[Any, ...], seed: Any) -> Any:
    """An estimate from one stream: the sum over all outcomes that are enumerated, each with the same draws."""
    outcomes: list[int] = []
    total = 0.0
    more = True
    while more:
        chance = Chance(np.random.default_rng(seed), outcomes)
        y = f(*args, chance)
        total = total + chance.weight * math.exp(chance.score - fixed(chance.score)) * y
        while outcomes and outcomes[-1] == 0:
            outcomes.pop()
        more = len(outcomes) > 0
        if more:
            outcomes[-1] -= 1
    return total


def expectation(f: Callable[..., Any], samples: int = 1) -> Callable[..., Any]:
    """The mean of a program that draws: `expectation(f)(*args, rng)` is an estimate of the mean of `f(*args, chance)`.

    >>> import ccc
    >>> def walk(p, chance):
    ...     x = 0.0
    ...     for _ in range(4):
    ...         x = x + 1.0 if chance.flip(p) else x * 0.5
    ...     return x
    >>> round(ccc.gradient(expectation(walk), wrt=0)(0.5, np.random.default_rng(0)), 6)
    3.78125

    It is an ordinary function, in programs and under all verbs; its value and its derivatives of every order are right
    in the mean, over streams of `rng`, but for draws by path in which the result jumps, and exact where all is
    enumerated. `samples` are so many estimates, of which it is the mean. Of a function of a mean that is not linear no
    estimate is right.
    Enumeration runs the program for each combination of outcomes: in a loop without a known bound, draw by score.

    Raises `WrongArguments` for what is no function, or for less than one sample.

    Source: Lew, Huot, Staton, Mansinghka, *ADEV* (2023).
    """
    if not callable(f) or not isinstance(samples, int) or samples < 1:
        raise WrongArguments("expectation takes a function and the number of samples, an int of one at least",
                             help="write expectation(f, samples=100)(*args, rng), where f takes *args and a chance")

    def expected(*args: Any) -> Any:
        total = 0.0
        for _ in range(samples):
            total = total + once(f, args[:-1], args[-1].integers(2**62))
        return total / samples

    return expected


__all__ = ["Chance", "expectation"]
