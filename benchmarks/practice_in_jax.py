"""The kernels of `benchmarks.programs.practice` as users of JAX write them: `scan` for a loop, `.at[].set` for a store.

What runs as it is with `jax.numpy` for `numpy` is taken so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks import wide_in_jax


def of(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel for JAX: the one of the same name below, or in `wide_in_jax`, else the same text."""
    for module in (globals(), vars(wide_in_jax)):
        if kernel.__name__ in module:
            return module[kernel.__name__]
    space: dict[str, Any] = {"np": jnp, "Any": Any}
    exec(compile("from __future__ import annotations\n" + inspect.getsource(kernel), "<for JAX>", "exec"), space)
    return space[kernel.__name__]


def gradient(kernel: Callable[..., Any], wrt: tuple[int, ...], static: tuple[int, ...]) -> Callable[..., Any]:
    """Its gradient under one `jit`, waited for."""
    found = jax.jit(jax.grad(of(kernel), argnums=wrt), static_argnums=static)
    return lambda *arguments: jax.block_until_ready(found(*arguments))


def n_body(x: Any, v: Any, m: Any) -> Any:
    dt = 0.01

    def step(xv: Any, _: Any) -> Any:
        x, v = xv
        d = x[:, None, :] - x[None, :, :]
        r2 = jnp.sum(d * d, axis=2) + 0.01
        a = -jnp.sum(d * (m[None, :, None] / (r2 * jnp.sqrt(r2))[:, :, None]), axis=1)
        v = v + dt * a
        return (x + dt * v, v), None

    (x, v), _ = lax.scan(step, (x, v), None, length=5)
    return jnp.sum(x * x) + jnp.sum(v * v)


def heat(u: Any, mask: Any) -> Any:
    def step(u: Any, _: Any) -> Any:
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].set(jnp.where(mask[1:-1, 1:-1], u[1:-1, 1:-1] + 0.1 * lap, u[1:-1, 1:-1])), None

    u, _ = lax.scan(step, u, None, length=20)
    return jnp.sum(u * u)


def upwind(u: Any, v: Any, c: Any) -> Any:
    def step(u: Any, _: Any) -> Any:
        return u - 0.1 * (c * (u - jnp.roll(u, 1, axis=0)) + v * (u - jnp.roll(u, 1, axis=1))), None

    u, _ = lax.scan(step, u, None, length=20)
    return jnp.sum(u**2)


def lstm(xs: Any, h: Any, c: Any, W: Any, U: Any, b: Any) -> Any:
    n = h.shape[0]

    def step(hc: Any, x: Any) -> Any:
        h, c = hc
        z = W @ x + U @ h + b
        i, f, o = jax.nn.sigmoid(z[:n]), jax.nn.sigmoid(z[n:2*n]), jax.nn.sigmoid(z[2*n:3*n])
        c = f * c + i * jnp.tanh(z[3*n:])
        return (o * jnp.tanh(c), c), None

    (h, c), _ = lax.scan(step, (h, c), xs)
    return jnp.sum(h * h)


def monte_carlo(s0: Any, sigma: Any, z: Any) -> Any:
    r, dt, strike = 0.03, 1.0 / z.shape[0], 100.0

    def step(st: Any, zt: Any) -> Any:
        s, total = st
        s = s * jnp.exp((r - 0.5 * sigma * sigma) * dt + sigma * jnp.sqrt(dt) * zt)
        return (s, total + s), None

    (_, total), _ = lax.scan(step, (s0 * jnp.ones(z.shape[1]), jnp.zeros(z.shape[1])), z)
    return jnp.exp(-r) * jnp.mean(jnp.maximum(total / z.shape[0] - strike, 0.0))


def kalman(ys: Any, F: Any, H: Any, Q: Any, R: Any, x: Any, P: Any) -> Any:
    eye = jnp.eye(x.shape[0])

    def step(s: Any, y: Any) -> Any:
        x, P, loss = s
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ jnp.linalg.inv(S)
        e = y - H @ x
        return (x + K @ e, (eye - K @ H) @ P, loss + e @ jnp.linalg.solve(S, e) + jnp.log(jnp.linalg.det(S))), None

    return lax.scan(step, (x, P, 0.0), ys)[0][2]


def soft_dtw(x: Any, y: Any) -> Any:
    d = (x[:, None] - y[None, :]) ** 2
    m = d.shape[1]

    def row(prev: Any, di: Any) -> Any:
        def cell(left: Any, t: Any) -> Any:
            dij, a, b = t
            lo = jnp.minimum(jnp.minimum(a, b), left)
            v = dij + lo - jnp.log(jnp.exp(lo - a) + jnp.exp(lo - b) + jnp.exp(lo - left))
            return v, v
        _, cur = lax.scan(cell, 1e10, (di, prev[:-1], prev[1:]))
        return jnp.concatenate([jnp.array([1e10]), cur]), None

    last, _ = lax.scan(row, jnp.full(m + 1, 1e10).at[0].set(0.0), d)
    return last[-1]


def floyd_warshall(w: Any) -> Any:
    def step(d: Any, k: Any) -> Any:
        return jnp.minimum(d, lax.dynamic_slice_in_dim(d, k, 1, 1) + lax.dynamic_slice_in_dim(d, k, 1, 0)), None

    return jnp.sum(lax.scan(step, w, jnp.arange(w.shape[0]))[0])


def sinkhorn(x: Any, y: Any) -> Any:
    c = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
    k = jnp.exp(-c)

    def step(uv: Any, _: Any) -> Any:
        u = 1.0 / (k @ uv[1])
        return (u, 1.0 / (k.T @ u)), None

    (u, v), _ = lax.scan(step, (jnp.ones(x.shape[0]), jnp.ones(y.shape[0])), None, length=20)
    return jnp.sum(u[:, None] * k * v[None, :] * c)


def lotka_volterra(y0: Any, p: Any, n: Any) -> Any:
    def rhs(y: Any) -> Any:
        return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    h = 0.01

    def step(y: Any, _: Any) -> Any:
        k1 = rhs(y)
        k2 = rhs(y + 0.5 * h * k1)
        k3 = rhs(y + 0.5 * h * k2)
        k4 = rhs(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    y, _ = lax.scan(step, y0, None, length=n)
    return jnp.sum(y * y)


def logistic_momentum(x: Any, t: Any, w: Any) -> Any:
    def step(wv: Any, _: Any) -> Any:
        w, v = wv
        p = jax.nn.sigmoid(x @ w)
        g = x.T @ (p - t) / x.shape[0] + 0.01 * w
        v = 0.9 * v - 0.5 * g
        return (w + v, v), None

    (w, _), _ = lax.scan(step, (w, jnp.zeros(w.shape[0])), None, length=20)
    z = x @ w
    return jnp.sum(jnp.maximum(z, 0.0) - z * t + jnp.log1p(jnp.exp(-jnp.abs(z))))


def cholesky(a: Any) -> Any:
    n = a.shape[0]

    def col(low: Any, j: Any) -> Any:
        below = jnp.arange(n)
        row = jnp.where(below < j, low[j], 0.0)
        c = a[:, j] - low @ row
        d = jnp.sqrt(c[j])
        return low.at[:, j].set(jnp.where(below > j, c / d, jnp.where(below == j, d, 0.0))), None

    low, _ = lax.scan(col, jnp.zeros((n, n)), jnp.arange(n))
    return jnp.sum(jnp.log(jnp.diag(low)))


def thomas(a: Any, b: Any, c: Any, d: Any) -> Any:
    def fwd(s: Any, t: Any) -> Any:
        cp, dp = s
        a, b, c, d = t
        m = b - a * cp
        new = (c / m, (d - a * dp) / m)
        return new, new

    c0, d0 = c[0] / b[0], d[0] / b[0]
    _, (cp, dp) = lax.scan(fwd, (c0, d0), (a[1:], b[1:], c[1:], d[1:]))
    cp, dp = jnp.concatenate([c0[None], cp]), jnp.concatenate([d0[None], dp])

    def back(x: Any, t: Any) -> Any:
        x = t[1] - t[0] * x
        return x, x

    _, x = lax.scan(back, 0.0, (cp.at[-1].set(0.0), dp), reverse=True)
    return jnp.sum(x * x)


def escape(re: Any, im: Any) -> Any:
    def step(s: Any, _: Any) -> Any:
        x, y = s
        inside = x * x + y * y < 4.0
        return (jnp.where(inside, x * x - y * y + re, x), jnp.where(inside, 2.0 * x * y + im, y)), None

    (x, y), _ = lax.scan(step, (jnp.zeros(re.shape), jnp.zeros(re.shape)), None, length=20)
    return jnp.sum(jnp.log1p(x * x + y * y))


def spectral(u: Any) -> Any:
    n = u.shape[0]
    k = 2.0 * jnp.pi * jnp.fft.fftfreq(n, 1.0 / n)

    def step(u: Any, _: Any) -> Any:
        ux = jnp.real(jnp.fft.ifft(1j * k * jnp.fft.fft(u)))
        uxx = jnp.real(jnp.fft.ifft(-k * k * jnp.fft.fft(u)))
        return u + 1e-9 * (0.01 * uxx - u * ux), None

    return jnp.sum(lax.scan(step, u, None, length=5)[0] ** 2)


def gram_schmidt(a: Any) -> Any:
    n = a.shape[1]

    def step(q: Any, j: Any) -> Any:
        v = a[:, j]
        v = v - q @ (q.T @ v)
        return q.at[:, j].set(v / jnp.sqrt(jnp.sum(v * v))), None

    q, _ = lax.scan(step, jnp.zeros(a.shape), jnp.arange(n))
    return jnp.sum(jnp.abs(q @ jnp.arange(1.0, n + 1.0)))


def poisson(u: Any, f: Any) -> Any:
    def step(u: Any, _: Any) -> Any:
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1:-1, 1:-1].set(0.25 * (around - f[1:-1, 1:-1])), None

    return jnp.sum((lax.scan(step, u, None, length=30)[0] - 1.0) ** 2)


def hmm(log_a: Any, log_b: Any, log_pi: Any, obs: Any) -> Any:
    def step(alpha: Any, o: Any) -> Any:
        return jax.nn.logsumexp(alpha[:, None] + log_a, axis=0) + log_b[:, o], None

    alpha, _ = lax.scan(step, log_pi + log_b[:, obs[0]], obs[1:])
    return jax.nn.logsumexp(alpha)


def lorenz96(x: Any, F: Any) -> Any:
    h = 0.01

    def f(x: Any) -> Any:
        return (jnp.roll(x, -1) - jnp.roll(x, 2)) * jnp.roll(x, 1) - x + F

    def step(x: Any, _: Any) -> Any:
        return x + h * f(x + 0.5 * h * f(x)), None

    return jnp.sum(lax.scan(step, x, None, length=20)[0] ** 2)


def conv_2d(x: Any, w: Any) -> Any:
    y = lax.conv_general_dilated(x[None, None], w[None, None], (1, 1), "VALID")
    return jnp.sum(jnp.tanh(y))


def conv_1d(x: Any, w: Any) -> Any:
    y = jnp.convolve(x, w[::-1], mode="valid")
    return jnp.sum(y * y)
