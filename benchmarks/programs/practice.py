"""Kernels of numerical practice, as NumPy's users write them, with arguments of two sizes for each.

None of them was looked at while the compiler was written: what they take is what code that nobody tuned for takes.

>>> float(floyd_warshall(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 2.0], [9.0, 2.0, 0.0]])))
12.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def n_body(x: Any, v: Any, m: Any) -> Any:
    dt = 0.01
    for _ in range(5):
        d = x[:, None, :] - x[None, :, :]
        r2 = np.sum(d * d, axis=2) + 0.01
        a = -np.sum(d * (m[None, :, None] / (r2 * np.sqrt(r2))[:, :, None]), axis=1)
        v = v + dt * a
        x = x + dt * v
    return np.sum(x * x) + np.sum(v * v)


def heat(u: Any, mask: Any) -> Any:
    for _ in range(20):
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        new = u.copy()
        new[1:-1, 1:-1] = np.where(mask[1:-1, 1:-1], u[1:-1, 1:-1] + 0.1 * lap, u[1:-1, 1:-1])
        u = new
    return np.sum(u * u)


def lstm(xs: Any, h: Any, c: Any, W: Any, U: Any, b: Any) -> Any:
    n = h.shape[0]
    for t in range(xs.shape[0]):
        z = W @ xs[t] + U @ h + b
        i = 1.0 / (1.0 + np.exp(-z[:n]))
        f = 1.0 / (1.0 + np.exp(-z[n : 2 * n]))
        o = 1.0 / (1.0 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * h)


def k_means(x: Any, centers: Any) -> Any:
    d = np.sum((x[:, None, :] - centers[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(d, axis=1))


def attention(x: Any, wq: Any, wk: Any, wv: Any) -> Any:
    q, k, v = x @ wq, x @ wk, x @ wv
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((p @ v) ** 2)


def batch_norm(x: Any, gamma: Any, beta: Any, w: Any) -> Any:
    mu = np.mean(x, axis=0)
    var = np.mean((x - mu) ** 2, axis=0)
    y = gamma * (x - mu) / np.sqrt(var + 1e-5) + beta
    return np.sum(np.maximum(y @ w, 0.0) ** 2)


def monte_carlo(s0: Any, sigma: Any, z: Any) -> Any:
    r, dt, strike = 0.03, 1.0 / z.shape[0], 100.0
    s = s0 * np.ones(z.shape[1])
    total = np.zeros(z.shape[1])
    for t in range(z.shape[0]):
        s = s * np.exp((r - 0.5 * sigma * sigma) * dt + sigma * np.sqrt(dt) * z[t])
        total = total + s
    return np.exp(-r) * np.mean(np.maximum(total / z.shape[0] - strike, 0.0))


def kalman(ys: Any, F: Any, H: Any, Q: Any, R: Any, x: Any, P: Any) -> Any:
    eye = np.eye(x.shape[0])
    loss = 0.0
    for t in range(ys.shape[0]):
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        e = ys[t] - H @ x
        x = x + K @ e
        P = (eye - K @ H) @ P
        loss = loss + e @ np.linalg.solve(S, e) + np.log(np.linalg.det(S))
    return loss


def soft_dtw(x: Any, y: Any) -> Any:
    d = (x[:, None] - y[None, :]) ** 2
    n, m = d.shape
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a, b, c = r[i, j], r[i, j + 1], r[i + 1, j]
            lo = min(a, b, c)
            r[i + 1, j + 1] = d[i, j] + lo - np.log(np.exp(lo - a) + np.exp(lo - b) + np.exp(lo - c))
    return r[n, m]


def floyd_warshall(w: Any) -> Any:
    d = w
    for k in range(w.shape[0]):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return np.sum(d)


def sinkhorn(x: Any, y: Any) -> Any:
    c = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
    k = np.exp(-c)
    u = np.ones(x.shape[0])
    v = np.ones(y.shape[0])
    for _ in range(20):
        u = 1.0 / (k @ v)
        v = 1.0 / (k.T @ u)
    return np.sum(u[:, None] * k * v[None, :] * c)


def lotka_volterra(y0: Any, p: Any, n: Any) -> Any:
    def rhs(y: Any) -> Any:
        return np.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    y, h = y0, 0.01
    for _ in range(n):
        k1 = rhs(y)
        k2 = rhs(y + 0.5 * h * k1)
        k3 = rhs(y + 0.5 * h * k2)
        k4 = rhs(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y * y)


def logistic_momentum(x: Any, t: Any, w: Any) -> Any:
    v = np.zeros(w.shape[0])
    for _ in range(20):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        g = x.T @ (p - t) / x.shape[0] + 0.01 * w
        v = 0.9 * v - 0.5 * g
        w = w + v
    z = x @ w
    return np.sum(np.maximum(z, 0.0) - z * t + np.log1p(np.exp(-np.abs(z))))


def conv_2d(x: Any, w: Any) -> Any:
    h, k = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    y = np.zeros((h, k))
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            y = y + w[i, j] * x[i : i + h, j : j + k]
    return np.sum(np.tanh(y))


def cholesky(a: Any) -> Any:
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        s = a[j, j] - np.sum(low[j, :j] ** 2)
        low[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            low[i, j] = (a[i, j] - np.sum(low[i, :j] * low[j, :j])) / low[j, j]
    return np.sum(np.log(np.diag(low)))


def thomas(a: Any, b: Any, c: Any, d: Any) -> Any:
    n = b.shape[0]
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x * x)


def escape(re: Any, im: Any) -> Any:
    x, y = np.zeros(re.shape), np.zeros(re.shape)
    for _ in range(20):
        inside = x * x + y * y < 4.0
        u = x * x - y * y + re
        v = 2.0 * x * y + im
        x = np.where(inside, u, x)
        y = np.where(inside, v, y)
    return np.sum(np.log1p(x * x + y * y))


def distances(x: Any) -> Any:
    d = x[:, None, :] - x[None, :, :]
    return np.sum(np.exp(-np.sqrt(np.sum(d * d, axis=2) + 1e-6)))


def spectral(u: Any) -> Any:
    n = u.shape[0]
    k = 2.0 * np.pi * np.fft.fftfreq(n, 1.0 / n)
    for _ in range(5):
        ux = np.real(np.fft.ifft(1j * k * np.fft.fft(u)))
        uxx = np.real(np.fft.ifft(-k * k * np.fft.fft(u)))
        u = u + 1e-9 * (0.01 * uxx - u * ux)
    return np.sum(u * u)


def gram_schmidt(a: Any) -> Any:
    n = a.shape[1]
    q = np.zeros(a.shape)
    for j in range(n):
        v = a[:, j]
        v = v - q @ (q.T @ v)
        q[:, j] = v / np.sqrt(np.sum(v * v))
    return np.sum(np.abs(q @ np.arange(1.0, n + 1.0)))


def conv_1d(x: Any, w: Any) -> Any:
    n = x.shape[0] - w.shape[0] + 1
    y = 0.0
    for k in range(w.shape[0]):
        y = y + w[k] * x[k : k + n]
    return np.sum(y * y)


def rff_ridge(x: Any, t: Any, w: Any, b: Any) -> Any:
    f = np.cos(x @ w + b)
    g = f.T @ f + 0.1 * np.eye(f.shape[1])
    c = np.linalg.solve(g, f.T @ t)
    return np.sum((f @ c - t) ** 2)


def cross_entropy(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, labels: Any) -> Any:
    h = np.maximum(x @ w1 + b1, 0.0)
    z = h @ w2 + b2
    z = z - np.max(z, axis=1, keepdims=True)
    return -np.mean(z[np.arange(z.shape[0]), labels] - np.log(np.sum(np.exp(z), axis=1)))


def poisson(u: Any, f: Any) -> Any:
    for _ in range(30):
        u = u.copy()
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - f[1:-1, 1:-1])
    return np.sum((u - 1.0) ** 2)


def ar_fit(x: Any, phi: Any) -> Any:
    p = phi.shape[0]
    e = x[p:]
    for k in range(p):
        e = e - phi[k] * x[p - 1 - k : x.shape[0] - 1 - k]
    return 0.5 * np.sum(e * e) / np.var(x)


def hmm(log_a: Any, log_b: Any, log_pi: Any, obs: Any) -> Any:
    alpha = log_pi + log_b[:, obs[0]]
    for t in range(1, obs.shape[0]):
        s = alpha[:, None] + log_a
        m = np.max(s, axis=0)
        alpha = m + np.log(np.sum(np.exp(s - m), axis=0)) + log_b[:, obs[t]]
    m = np.max(alpha)
    return m + np.log(np.sum(np.exp(alpha - m)))


def lorenz96(x: Any, F: Any) -> Any:
    h = 0.01
    for _ in range(20):
        k1 = (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + F
        y = x + 0.5 * h * k1
        k2 = (np.roll(y, -1) - np.roll(y, 2)) * np.roll(y, 1) - y + F
        x = x + h * k2
    return np.sum(x * x)


class Case(NamedTuple):
    """A kernel, what its arguments of two sizes are, and in which of these it is differentiated."""

    kernel: Callable[..., Any]
    arguments: Callable[..., list[Any]]
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    wrt: tuple[int, ...]


RNG = np.random.default_rng(0)
NORMAL, UNIFORM = RNG.normal, RNG.uniform


def normal(*shape: int) -> Any:
    return NORMAL(size=shape)


def positive(*shape: int) -> Any:
    return UNIFORM(0.5, 1.5, size=shape)


def square(n: int) -> Any:
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)


def wave(n: int) -> Any:
    return np.sin(np.arange(n) * 2.0 * np.pi / n)


CASES = [
    Case(n_body, lambda n: [normal(n, 3), normal(n, 3), positive(n)], ((10,), (100,)), (0, 1, 2)),
    Case(heat, lambda n: [normal(n, n), UNIFORM(size=(n, n)) < 0.8], ((20,), (200,)), (0,)),
    Case(lstm, lambda t, n: [normal(t, n), normal(n), normal(n), 0.3 * normal(4 * n, n), 0.3 * normal(4 * n, n),
                             normal(4 * n)], ((10, 8), (50, 64)), (3, 4, 5)),
    Case(k_means, lambda n, k, d: [normal(n, d), normal(k, d)], ((50, 5, 2), (2000, 10, 8)), (1,)),
    Case(attention, lambda n, d: [normal(n, d), *[normal(d, d) / d for _ in range(3)]], ((16, 8), (200, 64)),
         (0, 1, 2, 3)),
    Case(batch_norm, lambda n, d: [normal(n, d), positive(d), normal(d), normal(d, d)], ((16, 8), (500, 64)),
         (0, 1, 2, 3)),
    Case(monte_carlo, lambda t, n: [100.0, 0.2, normal(t, n)], ((10, 100), (50, 5000)), (0, 1)),
    Case(kalman, lambda t, n: [normal(t, 2), np.eye(n) + 0.1 * normal(n, n), normal(2, n), 0.1 * np.eye(n), np.eye(2),
                               normal(n), np.eye(n)], ((10, 4), (100, 6)), (1, 2, 3, 4)),
    Case(soft_dtw, lambda n: [normal(n), normal(n)], ((10,), (60,)), (0, 1)),
    Case(floyd_warshall, lambda n: [UNIFORM(0.1, 10.0, (n, n))], ((10,), (80,)), (0,)),
    Case(sinkhorn, lambda n: [normal(n, 2), normal(n, 2)], ((10,), (200,)), (0, 1)),
    Case(lotka_volterra, lambda n: [np.array([1.0, 0.5]), np.array([1.5, 1.0, 1.0, 3.0]), n], ((50,), (1000,)), (0, 1)),
    Case(logistic_momentum, lambda n, d: [normal(n, d), (normal(n) < 0.0) * 1.0, normal(d)], ((50, 5), (2000, 20)),
         (0, 2)),
    Case(conv_2d, lambda n, k: [normal(n, n), normal(k, k)], ((16, 3), (128, 5)), (0, 1)),
    Case(cholesky, lambda n: [square(n)], ((8,), (50,)), (0,)),
    Case(thomas, lambda n: [positive(n), 4.0 + positive(n), positive(n), normal(n)], ((20,), (1000,)), (0, 1, 2, 3)),
    Case(escape, lambda n: [UNIFORM(-2.0, 1.0, (n, n)), UNIFORM(-1.0, 1.0, (n, n))], ((10,), (200,)), (0, 1)),
    Case(distances, lambda n: [normal(n, 3)], ((20,), (300,)), (0,)),
    Case(spectral, lambda n: [wave(n)], ((64,), (4096,)), (0,)),
    Case(gram_schmidt, lambda m, n: [normal(m, n)], ((12, 6), (100, 40)), (0,)),
    Case(conv_1d, lambda n, k: [normal(n), normal(k)], ((100, 5), (10_000, 16)), (0, 1)),
    Case(rff_ridge, lambda n, d: [normal(n, 3), normal(n), normal(3, d), normal(d)], ((30, 8), (500, 60)), (2, 3)),
    Case(cross_entropy, lambda n, d, h: [normal(n, d), normal(d, h) / d, normal(h), normal(h, 10), normal(10),
                                         RNG.integers(0, 10, n)], ((16, 8, 12), (256, 64, 128)), (1, 2, 3, 4)),
    Case(poisson, lambda n: [normal(n, n), normal(n, n)], ((16,), (128,)), (0, 1)),
    Case(ar_fit, lambda n, p: [normal(n), 0.1 * normal(p)], ((100, 3), (20_000, 8)), (0, 1)),
    Case(hmm, lambda k, t: [normal(k, k), normal(k, 6), normal(k), RNG.integers(0, 6, t)], ((4, 20), (24, 200)),
         (0, 1, 2)),
    Case(lorenz96, lambda n: [normal(n), 8.0], ((40,), (4000,)), (0, 1)),
]  # fmt: skip
