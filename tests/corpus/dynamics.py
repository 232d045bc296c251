"""Initial value problems: Runge-Kutta, leapfrog, adaptive steps, bounces."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def lotka_volterra(start: np.ndarray, rates: np.ndarray, dt: float, steps: int) -> float:
    """Predators and prey by the classical Runge-Kutta method; the prey at the end."""
    a, b, c, d = rates

    def field(z: np.ndarray) -> np.ndarray:
        prey, predators = z
        return np.array([a * prey - b * prey * predators, c * prey * predators - d * predators])

    z = start
    for _ in range(steps):
        k1 = field(z)
        k2 = field(z + 0.5 * dt * k1)
        k3 = field(z + 0.5 * dt * k2)
        k4 = field(z + dt * k3)
        z = z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return z[0]


def runge_kutta(f: Callable[[float, float], float], y: float, end: float, steps: int) -> float:
    """One ordinary differential equation by the classical Runge-Kutta method."""
    h = end / steps
    for i in range(steps):
        t = i * h
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def logistic_growth(y0: float, rate: float) -> float:
    """The population at time one, the field given as a closure."""
    return runge_kutta(lambda t, y: rate * y * (1 - y), y0, 1.0, 40)


def pendulum_energy(angle: float, speed: float, length: float) -> float:
    """The energy of a pendulum after leapfrog steps."""
    dt = 0.05
    for _ in range(20):
        half = speed - 0.5 * dt * math.sin(angle) / length
        angle += dt * half
        speed = half - 0.5 * dt * math.sin(angle) / length
    return 0.5 * length**2 * speed**2 + length * (1 - math.cos(angle))


def harmonic_leapfrog(x: float, v: float, omega: float) -> float:
    """The position of a harmonic oscillator after leapfrog steps."""
    dt = 0.1
    for _ in range(15):
        v -= 0.5 * dt * omega**2 * x
        x += dt * v
        v -= 0.5 * dt * omega**2 * x
    return x


def three_bodies(positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray) -> float:
    """The total energy of gravitating bodies."""
    energy = 0.0
    for i in range(len(masses)):
        energy += 0.5 * masses[i] * np.dot(velocities[i], velocities[i])
        for j in range(i):
            energy -= masses[i] * masses[j] / np.linalg.norm(positions[i] - positions[j])
    return energy


def bouncing_ball(height: float, speed: float, restitution: float) -> float:
    """The height after some time, with a bounce at the exact moment of each impact."""
    gravity = 9.81
    remaining = 2.0
    while True:
        until_impact = (speed + math.sqrt(speed**2 + 2 * gravity * height)) / gravity
        if until_impact > remaining:
            break
        remaining -= until_impact
        speed = restitution * (gravity * until_impact - speed)
        height = 0.0
    return height + speed * remaining - 0.5 * gravity * remaining**2


def adaptive(y: float, rate: float, tolerance: float) -> float:
    """Decay with the step chosen by an embedded pair of methods."""
    t = 0.0
    h = 0.5
    while t < 2.0:
        h = min(h, 2.0 - t)
        k1 = -rate * y
        k2 = -rate * (y + h * k1)
        k3 = -rate * (y + h * (k1 + k2) / 4)
        coarse = y + h * (k1 + k2) / 2
        fine = y + h * (k1 + k2 + 4 * k3) / 6
        if abs(fine - coarse) > tolerance:
            h *= 0.5
            continue
        t += h
        y = fine
        if abs(fine - coarse) < tolerance / 8:
            h *= 2.0
    return y


def euler(A: np.ndarray, z0: np.ndarray, steps: int) -> float:
    """A linear system by Euler's method; the sum of the final state."""
    z = z0
    for _ in range(steps):
        z = z + 0.1 * (A @ z)
    return np.sum(z)


def escape(cr: float, ci: float, limit: int) -> float:
    """The smoothed escape time of z*z + c."""
    x = 0.0
    y = 0.0
    n = 0
    while x * x + y * y <= 100.0 and n < limit:
        x, y = x * x - y * y + cr, 2 * x * y + ci
        n += 1
    return n + 1 - math.log(math.log(math.sqrt(x * x + y * y))) / math.log(2.0)
