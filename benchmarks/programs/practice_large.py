"""Ten more kernels of numerical practice, whose larger size leaves the caches: differences and rolls of images, soft
histograms, molecules, Gaussian processes, gathers, random walks, losses of batches.

They were timed before the compiler was changed for what they showed.

>>> round(float(total_variation(np.array([[0.0, 3.0], [4.0, 0.0]]), np.array([[0.0, 3.0], [4.0, 0.0]]))), 6)
5.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.practice import UNIFORM, Case, normal, positive


def total_variation(x: Any, y: Any) -> Any:
    dx = np.diff(x, axis=0)
    dy = np.diff(x, axis=1)
    return np.sum(np.sqrt(dx[:, :-1] ** 2 + dy[:-1, :] ** 2 + 1e-6)) + np.sum((x - y) ** 2)


def upwind(u: Any, v: Any, c: Any) -> Any:
    for _ in range(20):
        ux = u - np.roll(u, 1, axis=0)
        uy = u - np.roll(u, 1, axis=1)
        u = u - 0.1 * (c * ux + v * uy)
    return np.sum(u**2)


def soft_histogram(x: Any, centers: Any) -> Any:
    w = np.exp(-0.5 * ((x[:, None] - centers[None, :]) / 0.1) ** 2)
    p = w / np.sum(w, axis=1, keepdims=True)
    h = np.mean(p, axis=0)
    return -np.sum(h * np.log(h + 1e-12))


def molecules(q: Any, p: Any) -> Any:
    n = len(q)
    for _ in range(5):
        d = q[:, None, :] - q[None, :, :]
        r2 = np.sum(d * d, axis=-1) + np.eye(n)
        s = 1.0 / r2**3
        forces = np.sum((24 * (2 * s**2 - s) / r2 * (1 - np.eye(n)))[:, :, None] * d, axis=1)
        p = p + 0.0005 * forces
        q = q + 0.0005 * p
    return 0.5 * np.sum(p**2)


def gaussian_process(x: Any, y: Any, scale: Any, noise: Any) -> Any:
    d = np.sum((x[:, None, :] - x[None, :, :]) ** 2 / scale**2, axis=-1)
    k = np.exp(-0.5 * d) + noise * np.eye(len(y))
    factor = np.linalg.cholesky(k)
    a = np.linalg.solve(factor, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(factor)))


def bilinear(image: Any, xs: Any, ys: Any) -> Any:
    i = np.floor(xs).astype(int)
    j = np.floor(ys).astype(int)
    a = xs - i
    b = ys - j
    v = (1 - a) * (1 - b) * image[i, j] + a * (1 - b) * image[i + 1, j]
    v = v + (1 - a) * b * image[i, j + 1] + a * b * image[i + 1, j + 1]
    return np.sum(v**2)


def stationary(a: Any, v: Any) -> Any:
    p = a / np.sum(a, axis=0)
    for _ in range(10):
        v = 0.85 * p @ v + 0.15 / len(v)
        v = v / np.sum(v)
    return np.max(v)


def contrastive(e: Any, w: Any) -> Any:
    z = np.tanh(e @ w)
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    s = z @ z.T / 0.1
    s = s - np.max(s, axis=1, keepdims=True)
    return -np.mean(np.diag(s) - np.log(np.sum(np.exp(s), axis=1)))


def layer_norm(x: Any, g: Any, w: Any, b: Any) -> Any:
    for _ in range(2):
        m = np.mean(x, axis=-1, keepdims=True)
        v = np.var(x, axis=-1, keepdims=True)
        x = x + np.maximum((x - m) / np.sqrt(v + 1e-5) * g @ w + b, 0)
    return np.mean(x**2)


def pair_potential(x: Any) -> Any:
    d = np.sqrt(np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1) + 1e-3)
    return np.sum(1 / d)


def image(n: int) -> Any:
    return UNIFORM(0.0, 1.0, (n, n))


CASES = [
    Case(total_variation, lambda n: [image(n), image(n)], ((32,), (1000,)), (0,)),
    Case(upwind, lambda n: [image(n), image(n), image(n)], ((32,), (300,)), (0, 1, 2)),
    Case(soft_histogram, lambda n, k: [UNIFORM(size=n), np.linspace(0.0, 1.0, k)], ((100, 10), (50_000, 20)), (0, 1)),
    Case(molecules, lambda n: [8.0 * UNIFORM(size=(n, 3)), normal(n, 3)], ((10,), (200,)), (0, 1)),
    Case(gaussian_process, lambda n: [normal(n, 3), normal(n), positive(3), 0.1], ((20,), (400,)), (0, 1, 2, 3)),
    Case(bilinear, lambda n, m: [image(n), (n - 2) * UNIFORM(size=m), (n - 2) * UNIFORM(size=m)],
         ((20, 100), (500, 200_000)), (0, 1, 2)),
    Case(stationary, lambda n: [positive(n, n), np.full(n, 1.0 / n)], ((20,), (500,)), (0, 1)),
    Case(contrastive, lambda n, d: [normal(n, d), normal(d, 16) / d], ((16, 8), (512, 64)), (0, 1)),
    Case(layer_norm, lambda n, d: [normal(n, d), positive(d), normal(d, d) / d, normal(d)],
         ((16, 8), (2000, 64)), (1, 2, 3)),
    Case(pair_potential, lambda n: [normal(n, 3)], ((20,), (800,)), (0,)),
]  # fmt: skip
