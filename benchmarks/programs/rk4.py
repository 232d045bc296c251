"""Prey and predators after Lotka and Volterra, integrated by the classical Runge-Kutta method."""

from __future__ import annotations


def slope(a: float, b: float, c: float, d: float, u: float, v: float) -> tuple[float, float]:
    return u * (a - b * v), v * (d * u - c)


def orbit_end(a: float, b: float, c: float, d: float, u: float, v: float, steps: int) -> float:
    """The sum of both kinds at time 10, from u prey and v predators."""
    h = 10.0 / steps
    for _ in range(steps):
        k1, l1 = slope(a, b, c, d, u, v)
        k2, l2 = slope(a, b, c, d, u + 0.5 * h * k1, v + 0.5 * h * l1)
        k3, l3 = slope(a, b, c, d, u + 0.5 * h * k2, v + 0.5 * h * l2)
        k4, l4 = slope(a, b, c, d, u + h * k3, v + h * l3)
        u, v = u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
    return u + v
