"""More kernels of numerical practice: images, and rows of a few entries.

>>> float(np.round(white_balanced(np.ones((2, 2, 3)), np.array([0.5, 0.5, 0.5])), 6))
0.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.practice import UNIFORM, Case, normal, positive


def luma_sharpened(image: Any, target: Any, gain: Any) -> Any:
    r, g, b = image[..., 0], image[..., 1], image[..., 2]
    y = 0.299 * r + 0.587 * g + 0.114 * b
    cb, cr = 0.564 * (b - y), 0.713 * (r - y)
    z = y + gain * (y - 0.25 * (np.roll(y, 1, 0) + np.roll(y, -1, 0) + np.roll(y, 1, 1) + np.roll(y, -1, 1)))
    out = np.stack([z + 1.403 * cr, z - 0.714 * cr - 0.344 * cb, z + 1.773 * cb], axis=-1)
    return np.mean((np.clip(out, 0.0, 1.0) - target) ** 2)


def composited(front: Any, back: Any, alpha: Any) -> Any:
    out = front * alpha + back * (1.0 - alpha)
    red, green, blue = np.split(out, 3, axis=-1)
    return np.mean((np.maximum(np.maximum(red, green), blue) - np.minimum(np.minimum(red, green), blue)) ** 2)


def shuffled(x: Any, w: Any) -> Any:
    h, width, c = x.shape
    y = np.transpose(np.reshape(x, (h, width, 2, 2, c // 4)), (0, 2, 1, 3, 4))
    return np.mean(np.tanh(np.reshape(y, (2 * h, 2 * width, c // 4)) * w) ** 2)


def white_balanced(image: Any, grey: Any) -> Any:
    means = np.mean(image, axis=(0, 1))
    return np.mean((np.minimum(image * (grey / means), 1.0) - 0.5) ** 2)


def shaded(depth: Any, light: Any) -> Any:
    dx = depth[1:-1, 2:] - depth[1:-1, :-2]
    dy = depth[2:, 1:-1] - depth[:-2, 1:-1]
    n = np.stack([-dx, -dy, np.ones_like(dx)], axis=-1)
    n = n / np.sqrt(np.sum(n * n, axis=-1, keepdims=True))
    return np.mean(np.maximum(n @ light, 0.0) ** 2)


def colour_corrected(image: Any, m: Any, target: Any) -> Any:
    y = np.maximum(image @ m, 1e-3) ** 0.45
    return np.mean(np.abs(y - target))


def cosines(x: Any, y: Any) -> Any:
    a = x / np.linalg.norm(x, axis=-1, keepdims=True)
    b = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return 1.0 - np.mean(np.sum(a * b, axis=-1))


def grouped(x: Any, scale: Any) -> Any:
    n, c = x.shape
    g = np.reshape(x, (n, 4, c // 4))
    g = (g - np.mean(g, axis=2, keepdims=True)) / np.sqrt(np.var(g, axis=2, keepdims=True) + 1e-5)
    return np.mean((np.reshape(g, (n, c)) * scale - x) ** 2)


def gated(x: Any, h: Any, w: Any) -> Any:
    i, f, o, g = np.split(np.concatenate([x, h], axis=1) @ w, 4, axis=-1)
    c = h / (1.0 + np.exp(-f)) + np.tanh(g) / (1.0 + np.exp(-i))
    return np.mean((np.tanh(c) / (1.0 + np.exp(-o))) ** 2)


def rotated(points: Any, angles: Any) -> Any:
    c, s = np.cos(angles), np.sin(angles)
    x, y, z = np.moveaxis(points, -1, 0)
    moved = np.stack([c * x - s * y, s * x + c * y, z * c], axis=-1)
    return np.mean(np.cross(moved, points) ** 2)


def colours(n: int) -> Any:
    return UNIFORM(0.05, 0.95, (n, n + 3, 3))


CASES = [
    Case(luma_sharpened, lambda n: [colours(n), colours(n), 0.7], ((16,), (400,)), (0, 2)),
    Case(composited, lambda n: [colours(n), colours(n), UNIFORM(size=(n, n + 3, 1))], ((16,), (400,)), (0, 1, 2)),
    Case(shuffled, lambda n, c: [normal(n, n, c), normal(c // 4)], ((8, 12), (200, 16)), (0, 1)),
    Case(white_balanced, lambda n: [colours(n), positive(3)], ((16,), (400,)), (0, 1)),
    Case(shaded, lambda n: [normal(n, n), normal(3)], ((16,), (400,)), (0, 1)),
    Case(colour_corrected, lambda n: [colours(n), positive(3, 3), colours(n)], ((16,), (300,)), (0, 1)),
    Case(cosines, lambda n, d: [normal(n, d), normal(n, d)], ((16, 8), (4000, 100)), (0, 1)),
    Case(grouped, lambda n, c: [normal(n, c), positive(c)], ((16, 8), (4000, 128)), (0, 1)),
    Case(gated, lambda n, d: [normal(n, d), normal(n, d), normal(2 * d, 4 * d) / d], ((16, 4), (500, 64)), (0, 1, 2)),
    Case(rotated, lambda n: [normal(n, 3), normal(n)], ((50,), (100_000,)), (0, 1)),
]  # fmt: skip
