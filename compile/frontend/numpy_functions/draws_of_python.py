"""Draws of Python's `random.Random` by what they are made of: a draw of the standard one, moved by parameters.

    gauss(mu, sigma)  =  mu + sigma * gauss(0, 1)        choice(xs)    =  xs[randrange(len(xs))]
    uniform(a, b)     =  a + (b - a) * random()          sample(xs, k) =  [xs[i] for i in sample(range(len(xs)), k)]

So Python draws itself, bit by bit, and from the same stream. What is in no table here is drawn by Python as it stands.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.compile.frontend.numpy_functions.draws import drawn

METHODS: dict[str, Any] = {}
"""The definition of each method, whose first parameter is the source."""


def method(definition: Any) -> Any:
    """Enter a definition under its name."""
    METHODS[definition.__name__] = definition
    return definition


# -- reals -----------------------------------------------------------------------------------------------------------


@method
def uniform(source: Any, a: Any, b: Any) -> Any:
    return a + (b - a) * drawn(source, "random")


@method
def gauss(source: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + drawn(source, "gauss", mu=0.0, sigma=1.0) * sigma


@method
def normalvariate(source: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + drawn(source, "normalvariate", mu=0.0, sigma=1.0) * sigma


@method
def lognormvariate(source: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return math.exp(mu + drawn(source, "normalvariate", mu=0.0, sigma=1.0) * sigma)


@method
def expovariate(source: Any, lambd: Any = 1.0) -> Any:
    return -math.log(1.0 - drawn(source, "random")) / lambd


@method
def gammavariate(source: Any, alpha: Any, beta: Any) -> Any:
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    return drawn(source, "gammavariate", alpha=alpha, beta=1.0) * beta


@method
def paretovariate(source: Any, alpha: Any) -> Any:
    u = 1.0 - drawn(source, "random")
    return u ** (-1.0 / alpha)


@method
def weibullvariate(source: Any, alpha: Any, beta: Any) -> Any:
    u = 1.0 - drawn(source, "random")
    return alpha * (-math.log(u)) ** (1.0 / beta)


# -- of sequences ----------------------------------------------------------------------------------------------------


@method
def choice(source: Any, seq: Any) -> Any:
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[drawn(source, "randrange", start=len(seq))]


@method
def shuffle(source: Any, x: Any) -> None:
    for i in range(len(x) - 1, 0, -1):
        j = drawn(source, "randrange", start=i + 1)
        x[i], x[j] = x[j], x[i]


@method
def sample(source: Any, population: Any, k: Any) -> Any:
    places = drawn(source, "sample", population=range(len(population)), k=k)
    return [population[i] for i in places]


@method
def choices(source: Any, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    n = range(len(population))
    places = drawn(source, "choices", population=n, weights=weights, cum_weights=cum_weights, k=k)
    return [population[i] for i in places]
