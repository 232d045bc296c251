"""The kernels of `benchmarks.programs.wide` as users of JAX write them; what is not here runs as it is."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def seismogram(c: Any, source: Any, observed: Any) -> Any:
    n, m = c.shape

    def step(state: Any, given: Any) -> Any:
        before, u = state
        inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        after = 2.0 * u - before + c * c * jnp.pad(inner, 1)
        after = after.at[n // 2, m // 2].add(given)
        return (u, after), after[1]

    start = jnp.zeros((n, m)), jnp.zeros((n, m))
    heard = lax.scan(step, start, source)[1]
    return jnp.sum((heard - observed) ** 2)


def inner_training(w1: Any, w2: Any, x: Any, y: Any, rate: Any) -> Any:
    def step(w: Any, _: Any) -> Any:
        w1, w2 = w
        h = jnp.tanh(x @ w1)
        e = (h @ w2 - y) / x.shape[0]
        back = (e @ w2.T) * (1.0 - h * h)
        return (w1 - rate * (x.T @ back), w2 - rate * (h.T @ e)), None

    (w1, w2), _ = lax.scan(step, (w1, w2), None, length=10)
    return jnp.mean((jnp.tanh(x @ w1) @ w2 - y) ** 2)


def page_rank(weights: Any, start: Any, sources: Any, targets: Any) -> Any:
    n = start.shape[0]
    out = jnp.full(n, 1e-9).at[sources].add(weights)

    def step(r: Any, _: Any) -> Any:
        flow = weights / out[sources] * r[sources]
        return 0.15 / n + 0.85 * jnp.zeros(n).at[targets].add(flow), None

    r, _ = lax.scan(step, start, None, length=10)
    return jnp.sum(r * r)


def advantages(rewards: Any, values: Any, going: Any, decay: Any) -> Any:
    def step(last: Any, given: Any) -> Any:
        reward, value, following, on = given
        last = reward + decay * following * on - value + decay * 0.95 * on * last
        return last, last

    given = rewards, values[:-1], values[1:], going
    found = lax.scan(step, jnp.zeros(rewards.shape[1]), given, reverse=True)[1]
    return jnp.sum(found * found) / rewards.shape[1]


def advection(q: Any, speed: Any) -> Any:
    def step(q: Any, _: Any) -> Any:
        left, right = q - jnp.roll(q, 1), jnp.roll(q, -1) - q
        slope = jnp.where(left * right > 0.0, jnp.where(jnp.abs(left) < jnp.abs(right), left, right), 0.0)
        flux = speed * (q + 0.5 * (1.0 - speed) * slope)
        return q - (flux - jnp.roll(flux, 1)), None

    return jnp.sum(lax.scan(step, q, None, length=20)[0] ** 4)


def implied_volatility(price: Any, spot: Any, strike: Any, years: Any) -> Any:
    def below(x: Any) -> Any:
        return jax.nn.sigmoid(1.5976 * x + 0.07056 * x**3)

    root = jnp.sqrt(years)

    def step(sigma: Any, _: Any) -> Any:
        d1 = (jnp.log(spot / strike) + 0.5 * sigma * sigma * years) / (sigma * root)
        value = spot * below(d1) - strike * below(d1 - sigma * root)
        vega = spot * root * jnp.exp(-0.5 * d1 * d1) / jnp.sqrt(2.0 * jnp.pi)
        return jnp.clip(sigma - (value - price) / (vega + 1e-3), 0.05, 2.0), None

    return jnp.mean(lax.scan(step, jnp.full(spot.shape, 0.3), None, length=8)[0])


def pooled_network(image: Any, w: Any, dense: Any) -> Any:
    y = lax.conv_general_dilated(image[None], w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jnp.maximum(y, 0.0)
    pooled = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jnp.sum(jnp.tanh(pooled.reshape(-1, pooled.shape[-1]) @ dense) ** 2)
