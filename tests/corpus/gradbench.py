"""GradBench's programs that nest derivatives: a saddle point, and a charged particle steered into the origin.

Both descend along gradients of functions that take derivatives themselves, in each combination of modes. The problems,
the descent and the constants are those of Pearlmutter and Siskind, *Using Programming Language Theory to Make Automatic
Differentiation Sound and Efficient*.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ccc

Vector = tuple[float, ...]
Gradient = Callable[[Callable[[Any], float]], Callable[[Any], Vector]]


def forward(f: Callable[[Any], float]) -> Callable[[Any], Vector]:
    """The gradient of a function of a tuple, by forward mode."""

    def slopes(x: Vector) -> Vector:
        _, differential = ccc.value_with_differential(f)(x)
        return tuple([differential(tuple([float(i == j) for j, _ in enumerate(x)])) for i, _ in enumerate(x)])

    return slopes


def reverse(f: Callable[[Any], float]) -> Callable[[Any], Vector]:
    """The gradient of a function of a tuple, by reverse mode."""
    return ccc.gradient(f)


def length(v: Vector) -> float:
    return math.sqrt(sum(a * a for a in v))


def minimum(f: Callable[[Any], float], slopes: Callable[[Any], Vector], x: Vector) -> Vector:
    """Descent with a step that doubles after ten that went down and halves after one that did not."""
    fx, gx = f(x), slopes(x)
    step, downhill = 1e-5, 0
    while length(gx) > 1e-5:
        if downhill == 10:
            step *= 2.0
            downhill = 0
            continue
        y = tuple([a - step * g for a, g in zip(x, gx, strict=True)])
        if length(tuple([a - b for a, b in zip(x, y, strict=True)])) <= 1e-5:
            break
        fy = f(y)
        if fy < fx:
            x, fx, gx = y, fy, slopes(y)
            downhill += 1
        else:
            step /= 2.0
            downhill = 0
    return x


def saddle(outer: Gradient, inner: Gradient, start: Vector) -> tuple[Vector, Vector]:
    """Where |x|**2 - |y|**2 is least in x of what is greatest in y."""

    def f(x: Vector, y: Vector) -> float:
        return (x[0] ** 2 + x[1] ** 2) - (y[0] ** 2 + y[1] ** 2)

    def greatest(x: Vector, gradient: Gradient) -> Vector:
        def lowered(y: Vector) -> float:
            return -f(x, y)

        return minimum(lowered, gradient(lowered), start)

    def cost(x: Vector) -> float:
        return f(x, greatest(x, inner))

    x = minimum(cost, outer(cost), start)
    return x, greatest(x, outer)


def landing(inner: Gradient, w: float) -> float:
    """The squared place where a charged particle meets the ground, between two charges one of which w moves."""

    def potential(x: Vector) -> float:
        return 1.0 / math.hypot(x[0] - 10.0, x[1] - (10.0 - w)) + 1.0 / math.hypot(x[0] - 10.0, x[1])

    x, v, dt = (0.0, 8.0), (0.75, 0.0), 0.1
    while True:
        ahead = (x[0] + dt * v[0], x[1] + dt * v[1])
        if ahead[1] <= 0.0:
            break
        fx, fy = inner(potential)(x)
        x = ahead
        v = (v[0] - dt * fx, v[1] - dt * fy)
    rest = -x[1] / v[1]
    return (x[0] + rest * v[0]) ** 2


def particle(outer: Gradient, inner: Gradient, w: float) -> float:
    """The place of the charge that brings the particle to the origin."""

    def cost(w: Vector) -> float:
        return landing(inner, w[0])

    return minimum(cost, outer(cost), (w,))[0]


def saddle_rr(start: Vector) -> tuple[Vector, Vector]:
    return saddle(reverse, reverse, start)


def saddle_rf(start: Vector) -> tuple[Vector, Vector]:
    return saddle(reverse, forward, start)


def saddle_fr(start: Vector) -> tuple[Vector, Vector]:
    return saddle(forward, reverse, start)


def saddle_ff(start: Vector) -> tuple[Vector, Vector]:
    return saddle(forward, forward, start)


def particle_rr(w: float) -> float:
    return particle(reverse, reverse, w)


def particle_rf(w: float) -> float:
    return particle(reverse, forward, w)


def particle_fr(w: float) -> float:
    return particle(forward, reverse, w)


def particle_ff(w: float) -> float:
    return particle(forward, forward, w)
