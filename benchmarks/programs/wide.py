"""Kernels whose arrays are wide enough for accelerators, as NumPy's users write them, with arguments of two sizes.

>>> float(advantages(np.ones((3, 1)), np.zeros((4, 1)), np.ones((3, 1)), 0.0))
3.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.practice import RNG, UNIFORM, Case, normal, positive, wave


def seismogram(c: Any, source: Any, observed: Any) -> Any:
    """A wave on a grid, started at a point, heard along a row: full waveform inversion."""
    n, m = c.shape
    before, u = np.zeros((n, m)), np.zeros((n, m))
    heard = np.zeros(observed.shape)
    for t in range(source.shape[0]):
        lap = np.zeros((n, m))
        lap[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        after = 2.0 * u - before + c * c * lap
        after[n // 2, m // 2] += source[t]
        before, u = u, after
        heard[t] = u[1]
    return np.sum((heard - observed) ** 2)


def inner_training(w1: Any, w2: Any, x: Any, y: Any, rate: Any) -> Any:
    """The loss after steps of descent whose slopes are written by hand, as a function of where they start."""
    for _ in range(10):
        h = np.tanh(x @ w1)
        e = (h @ w2 - y) / x.shape[0]
        back = (e @ w2.T) * (1.0 - h * h)
        w2 = w2 - rate * (h.T @ e)
        w1 = w1 - rate * (x.T @ back)
    return np.mean((np.tanh(x @ w1) @ w2 - y) ** 2)


def gaussian_process(x: Any, y: Any, scale: Any, noise: Any) -> Any:
    d = np.sum((x[:, None, :] - x[None, :, :]) ** 2 / scale**2, axis=2)
    k = np.exp(-0.5 * d) + noise * np.eye(x.shape[0])
    low = np.linalg.cholesky(k)
    return 0.5 * y @ np.linalg.solve(k, y) + np.sum(np.log(np.diag(low)))


def word_vectors(table: Any, context: Any, words: Any, near: Any, far: Any) -> Any:
    """Rows that are looked up: those beside a word are alike to it, others are not."""
    w = table[words]
    alike = np.sum(w * context[near], axis=1)
    other = np.sum(w[:, None, :] * context[far], axis=2)
    return np.mean(np.log1p(np.exp(-alike))) + np.mean(np.log1p(np.exp(other)))


def page_rank(weights: Any, start: Any, sources: Any, targets: Any) -> Any:
    """Flow along the edges of a graph, summed at their ends."""
    n = start.shape[0]
    out = np.full(n, 1e-9)
    np.add.at(out, sources, weights)
    r = start
    for _ in range(10):
        new = np.zeros(n)
        np.add.at(new, targets, weights / out[sources] * r[sources])
        r = 0.15 / n + 0.85 * new
    return np.sum(r * r)


def advantages(rewards: Any, values: Any, going: Any, decay: Any) -> Any:
    """Discounted sums from the last step to the first, until an episode ends."""
    found = np.zeros(rewards.shape)
    last = np.zeros(rewards.shape[1])
    for t in range(rewards.shape[0] - 1, -1, -1):
        delta = rewards[t] + decay * values[t + 1] * going[t] - values[t]
        last = delta + decay * 0.95 * going[t] * last
        found[t] = last
    return np.sum(found * found) / rewards.shape[1]


def advection(q: Any, speed: Any) -> Any:
    """Upwind differences with a limiter of slopes, in periods."""
    for _ in range(20):
        left, right = q - np.roll(q, 1), np.roll(q, -1) - q
        slope = np.where(left * right > 0.0, np.where(np.abs(left) < np.abs(right), left, right), 0.0)
        flux = speed * (q + 0.5 * (1.0 - speed) * slope)
        q = q - (flux - np.roll(flux, 1))
    return np.sum(q**4)


def implied_volatility(price: Any, spot: Any, strike: Any, years: Any) -> Any:
    """Newton's steps for many options at once, with a distribution in one formula."""

    def below(x: Any) -> Any:
        return 1.0 / (1.0 + np.exp(-1.5976 * x - 0.07056 * x**3))

    sigma = np.full(spot.shape, 0.3)
    root = np.sqrt(years)
    for _ in range(8):
        d1 = (np.log(spot / strike) + 0.5 * sigma * sigma * years) / (sigma * root)
        value = spot * below(d1) - strike * below(d1 - sigma * root)
        vega = spot * root * np.exp(-0.5 * d1 * d1) / np.sqrt(2.0 * np.pi)
        sigma = np.clip(sigma - (value - price) / (vega + 1e-3), 0.05, 2.0)
    return np.mean(sigma)


def pooled_network(image: Any, w: Any, dense: Any) -> Any:
    """Nine shifted products with channels, the positive part, the largest of four, a layer."""
    n = image.shape[0]
    y = np.zeros((n - 2, n - 2, w.shape[3]))
    for i in range(3):
        for j in range(3):
            y = y + image[i : i + n - 2, j : j + n - 2] @ w[i, j]
    y = np.maximum(y, 0.0)
    half = (n - 2) // 2
    pooled = y[: 2 * half, : 2 * half].reshape(half, 2, half, 2, -1).max(axis=(1, 3))
    return np.sum(np.tanh(pooled.reshape(half * half, -1) @ dense) ** 2)


def density(points: Any, grid: Any, width: Any) -> Any:
    """The entropy of a smoothed histogram."""
    z = (grid[:, None] - points[None, :]) / width
    p = np.mean(np.exp(-0.5 * z * z), axis=1) / (width * np.sqrt(2.0 * np.pi))
    return -np.sum(p * np.log(p + 1e-12)) * (grid[1] - grid[0])


def places(n: int, *shape: int) -> Any:
    return RNG.integers(0, n, shape)


CASES = [
    Case(seismogram, lambda n, t: [0.5 * positive(n, n), wave(t), normal(t, n)], ((12, 8), (256, 100)), (0, 1)),
    Case(inner_training, lambda n, d: [normal(d, d) / d, normal(d, 4) / d, normal(n, d), normal(n, 4), 0.1],
         ((8, 4), (1024, 128)), (0, 1, 4)),
    Case(gaussian_process, lambda n: [normal(n, 3), normal(n), np.ones(3), 0.1], ((8,), (500,)), (2, 3)),
    Case(word_vectors, lambda n, d, b: [normal(n, d) / d, normal(n, d) / d, places(n, b), places(n, b),
                                        places(n, b, 5)], ((10, 4, 6), (20_000, 64, 2048)), (0, 1)),
    Case(page_rank, lambda n, m: [positive(m), positive(n) / n, places(n, m), places(n, m)],
         ((10, 30), (10_000, 200_000)), (0, 1)),
    Case(advantages, lambda t, n: [normal(t, n), normal(t + 1, n), (UNIFORM(size=(t, n)) < 0.98) * 1.0, 0.99],
         ((6, 4), (200, 1024)), (0, 1, 3)),
    Case(advection, lambda n: [normal(n), 0.4], ((20,), (200_000,)), (0, 1)),
    Case(implied_volatility, lambda n: [8.0 + positive(n), 100.0 * positive(n) ** 0.1, np.full(n, 100.0), positive(n)],
         ((10,), (100_000,)), (0, 1)),
    Case(pooled_network, lambda n, c: [normal(n, n, 3), 0.2 * normal(3, 3, 3, c), normal(c, 8)],
         ((8, 4), (130, 32)), (1, 2)),
    Case(density, lambda n, m: [normal(n), np.linspace(-4.0, 4.0, m), 0.3], ((20, 10), (10_000, 256)), (0, 2)),
]  # fmt: skip
