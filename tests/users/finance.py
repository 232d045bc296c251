"""Money: present values, yields, options, portfolios, loans; derivatives are sensitivities that have formulas."""

from __future__ import annotations

import contextlib
import enum
import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import ccc


def present_value(rate: float, flows: list[float]) -> float:
    return sum(flow / (1.0 + rate) ** t for t, flow in enumerate(flows))


def internal_rate(flows: list[float], guess: float = 0.1) -> float:
    """Newton's method, whose slope is found here too."""
    slope = ccc.value_with_gradient(present_value, wrt="rate")
    rate = guess
    for _ in range(50):
        value, d = slope(rate, flows)
        if abs(value) < 1e-12:
            return rate
        rate -= value / d
    raise ArithmeticError("the rate does not settle")


def check_internal_rate() -> None:
    assert abs(internal_rate([-100.0, 60.0, 60.0]) - (math.sqrt(0.3**2 + 0.6) + 0.3 - 1.0)) < 1e-10


class Bond(NamedTuple):
    face: float
    coupon: float
    years: int

    def price(self, yield_: float) -> float:
        value, discount = 0.0, 1.0
        for _ in range(self.years):
            discount /= 1.0 + yield_
            value += self.coupon * self.face * discount
        return value + self.face * discount


def check_a_bond_at_par() -> None:
    bond = Bond(100.0, 0.05, 4)
    price, slope = ccc.value_with_gradient(bond.price)(0.05)
    assert abs(price - 100.0) < 1e-10
    assert abs(-slope / price - (1.0 - 1.05**-4) / 0.05) < 1e-10


def normal(x: float) -> float:
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


class Kind(enum.Enum):
    CALL = "call"
    PUT = "put"


@dataclass
class Option:
    kind: Kind
    strike: float
    expiry: float


def black_scholes(spot: float, vol: float, rate: float, option: Option) -> float:
    root = vol * math.sqrt(option.expiry)
    d1 = (math.log(spot / option.strike) + (rate + 0.5 * vol**2) * option.expiry) / root
    d2 = d1 - root
    discounted = option.strike * math.exp(-rate * option.expiry)
    if option.kind is Kind.CALL:
        return spot * normal(d1) - discounted * normal(d2)
    return discounted * normal(-d2) - spot * normal(-d1)


def check_parity_of_puts_and_calls() -> None:
    call, put = Option(Kind.CALL, 95.0, 0.5), Option(Kind.PUT, 95.0, 0.5)
    (c, dc), (p, dp) = (ccc.value_with_gradient(black_scholes, wrt="spot")(100.0, 0.2, 0.03, o) for o in (call, put))
    assert abs(c - p - (100.0 - 95.0 * math.exp(-0.015))) < 1e-10 and abs(dc - dp - 1.0) < 1e-10


def check_gamma_is_the_slope_of_delta() -> None:
    call = Option(Kind.CALL, 95.0, 0.5)
    delta = ccc.gradient(black_scholes, wrt="spot")
    gamma = ccc.gradient(lambda spot: delta(spot, 0.2, 0.03, call))(100.0)
    d1 = (math.log(100.0 / 95.0) + (0.03 + 0.02) * 0.5) / (0.2 * math.sqrt(0.5))
    assert abs(gamma - math.exp(-0.5 * d1**2) / math.sqrt(2.0 * math.pi) / (100.0 * 0.2 * math.sqrt(0.5))) < 1e-10


def implied_volatility(price: float, option: Option) -> float:
    slope = ccc.value_with_gradient(black_scholes, wrt="vol")
    vol = 0.5
    for _ in range(30):
        value, vega = slope(100.0, vol, 0.03, option)
        vol -= (value - price) / vega
    return vol


def check_implied_volatility() -> None:
    call = Option(Kind.CALL, 105.0, 1.0)
    assert abs(implied_volatility(black_scholes(100.0, 0.27, 0.03, call), call) - 0.27) < 1e-9


def tree_price(spot: float, strike: float, up: float = 1.05, steps: int = 20) -> float:
    """An American put on a tree of prices."""
    down, rate = 1.0 / up, 1.001
    p = (rate - down) / (up - down)
    values = [max(strike - spot * up**k * down ** (steps - k), 0.0) for k in range(steps + 1)]
    for n in range(steps - 1, -1, -1):
        values = [max((p * values[k + 1] + (1.0 - p) * values[k]) / rate, strike - spot * up**k * down ** (n - k))
                  for k in range(n + 1)]
    return values[0]


def check_a_put_far_in_the_money_is_exercised() -> None:
    value, slope = ccc.value_with_gradient(tree_price, wrt="spot")(40.0, 100.0)
    assert abs(value - 60.0) < 1e-12 and abs(slope + 1.0) < 1e-12


def variance(weights: np.ndarray, covariance: np.ndarray) -> float:
    return weights @ covariance @ weights  # pyright: ignore[reportReturnType]


def check_least_variance() -> None:
    covariance = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
    slope, w = ccc.gradient(variance, wrt="weights"), np.ones(3) / 3.0
    for _ in range(400):
        g = slope(w, covariance)
        w = w - 2.0 * (g - g.mean())
    best = np.linalg.solve(covariance, np.ones(3))
    assert np.allclose(w, best / best.sum(), atol=1e-6)


def amortise(rate: float, principal: float, payment: float) -> int | float:
    """What is owed after the years of a loan, where the payment covers the interest."""
    owed = principal
    for year in range(10):
        interest = owed * rate
        if interest > payment:
            raise ValueError(f"year {year}: the interest is {interest:.2f}")
        owed += interest - payment
    return owed


def check_loans() -> None:
    slope = ccc.value_with_gradient(amortise, wrt="rate")
    value, _ = slope(0.05, 1000.0, 1000.0 * 0.05 / (1.0 - 1.05**-10))
    assert abs(value) < 1e-9
    with contextlib.suppress(ValueError):
        slope(0.5, 1000.0, 100.0)
        raise AssertionError("the interest is too large")


@functools.cache
def factor(years: int) -> float:
    return 1.0 if years == 0 else factor(years - 1) / 1.02


def check_cached_discounts() -> None:
    slope = ccc.gradient(lambda x: sum(x**t * factor(t) for t in range(5)))(1.0)
    assert abs(slope - sum(t / 1.02**t for t in range(5))) < 1e-12


def drawdown(returns: np.ndarray) -> float:
    """The largest fall from a peak."""
    wealth = peak = 1.0
    worst = 0.0
    for r in returns:
        wealth *= 1.0 + r
        peak = max(peak, wealth)
        worst = max(worst, 1.0 - wealth / peak)
    return worst


def check_drawdown() -> None:
    value, slope = ccc.value_with_gradient(drawdown)(np.array([0.1, -0.2, -0.1, 0.3]))
    assert abs(value - 0.28) < 1e-12 and np.allclose(slope, [0.0, -0.9, -0.8, 0.0])


def log_likelihood(mu: float, sigma: float, returns: np.ndarray) -> float:
    z = (returns - mu) / sigma
    return -np.sum(0.5 * z**2) - len(returns) * math.log(sigma)


def check_the_likeliest_volatility() -> None:
    returns = np.random.default_rng(3).normal(0.01, 0.02, 200)
    a, b = ccc.gradient(log_likelihood, wrt=("mu", "sigma"))(returns.mean(), returns.std(), returns)
    assert abs(a) < 1e-6 and abs(b) < 1e-6
