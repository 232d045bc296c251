"""Programs that minimise or integrate inside, by derivatives of their own."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import ccc


def minimum(f: Callable[[float], float], x: float) -> float:
    """A local minimum by Newton's method on the derivative."""

    def slope(t: float) -> float:
        return ccc.derivative(f)(t)

    for _ in range(8):
        x -= slope(x) / ccc.derivative(slope)(x)
    return x


def inner_minimum(p: float) -> float:
    """The minimiser of x**4/4 + x**2/2 - p*x, which solves x**3 + x = p."""
    return minimum(lambda x: x**4 / 4 + x**2 / 2 - p * x, 0.5)


def saddle(start: float) -> float:
    """The value at the saddle of a convex-concave function, by maximising within a minimisation."""

    def best_response(x: float) -> float:
        y = 0.0
        for _ in range(5):
            y += 0.5 * ccc.derivative(lambda v: x * v - v**2 / 2 - v**4 / 12)(y)
        return x**2 * start + x * y - y**2 / 2 - y**4 / 12

    x = 1.0
    for _ in range(5):
        x -= 0.2 * ccc.derivative(best_response)(x)
    return best_response(x)


def particle(w: float) -> float:
    """The squared landing place of a particle in a potential, integrated until it meets the ground."""

    def potential(x: float, y: float) -> float:
        return 1.0 / math.hypot(x - 10.0, y - 10.0 + w) + 1.0 / math.hypot(x - 10.0, y)

    dt = 0.1
    x, y, vx, vy = 0.0, 8.0, 0.75, 0.0
    while True:
        ax, ay = ccc.gradient(potential)(x, y)
        vx -= dt * ax
        vy -= dt * ay
        if y + dt * vy <= 0.0:
            break
        x += dt * vx
        y += dt * vy
    landing = -y / vy
    return (x + landing * vx) ** 2


def learned_rate(rate: float, target: np.ndarray) -> float:
    """The loss after descent along the program's own gradient."""

    def loss(x: np.ndarray) -> float:
        return np.sum((x**2 - target) ** 2)

    x = np.ones(len(target))
    for _ in range(3):
        x = x - rate * ccc.gradient(loss)(x)
    return loss(x)
