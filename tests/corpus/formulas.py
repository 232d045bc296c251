"""Formulas: polynomials, quadrature, options, test functions of optimization."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def horner(coefficients: list[float], x: float) -> float:
    """A polynomial by Horner's rule."""
    result = 0.0
    for c in coefficients:
        result = result * x + c
    return result


def basis(i: int, degree: int, t: float, knots: tuple[float, ...]) -> float:
    """A basis function of splines by the recursion of Cox and de Boor."""
    if degree == 0:
        return 1.0 if knots[i] <= t < knots[i + 1] else 0.0
    rising = (t - knots[i]) / (knots[i + degree] - knots[i])
    falling = (knots[i + degree + 1] - t) / (knots[i + degree + 1] - knots[i + 1])
    return rising * basis(i, degree - 1, t, knots) + falling * basis(i + 1, degree - 1, t, knots)


def b_spline(t: float, controls: np.ndarray) -> float:
    """A uniform cubic spline from its control values."""
    knots = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    total = 0.0
    for i in range(len(controls)):
        total += controls[i] * basis(i, 3, t, knots)
    return total


def simpson(f: Callable[[float], float], a: float, b: float, n: int) -> float:
    """An integral by Simpson's rule."""
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += (4 if i % 2 else 2) * f(a + i * h)
    return total * h / 3


def cubic_integral(a: float, b: float, c: float) -> float:
    """The integral of c*x**3 + x, which Simpson's rule gives exactly."""
    return simpson(lambda x: c * x**3 + x, a, b, 4)


def normal_cdf(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def black_scholes(spot: float, strike: float, rate: float, volatility: float, maturity: float) -> float:
    """The price of a European call."""
    spread = volatility * math.sqrt(maturity)
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * maturity) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * math.exp(-rate * maturity) * normal_cdf(d2)


def asian_option(spot: float, volatility: float, draws: np.ndarray) -> float:
    """The mean payoff of an Asian call over passed normal draws."""
    payoff = 0.0
    for path in draws:
        price = spot
        average = 0.0
        for z in path:
            price *= math.exp(-0.5 * volatility**2 / 12 + volatility * z / math.sqrt(12))
            average += price
        payoff += max(average / len(path) - 0.5, 0.0)
    return payoff / len(draws)


def monte_carlo(mean: float, scale: float, draws: np.ndarray) -> float:
    """The second moment of a normal variable by the pathwise estimator."""
    total = 0.0
    for z in draws:
        total += (mean + scale * z) ** 2
    return total / len(draws)


def rosenbrock(x: np.ndarray) -> float:
    """Rosenbrock's banana function."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def ackley(x: np.ndarray) -> float:
    """Ackley's function."""
    hill = -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2)))
    return hill - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e
