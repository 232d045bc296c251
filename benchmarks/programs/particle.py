"""A charged particle is steered into the origin by descent, through a trajectory whose forces are gradients.

The problem is that of Pearlmutter and Siskind, *Using Programming Language Theory to Make Automatic Differentiation
Sound and Efficient*; the function `particle_rf` descends by reverse mode and has forces by forward mode.
"""

from __future__ import annotations

import math

from benchmarks.programs.descent import Gradient, Vector, forward, minimum, reverse


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


def particle_rr(w: float) -> float:
    return particle(reverse, reverse, w)


def particle_rf(w: float) -> float:
    return particle(reverse, forward, w)


def particle_fr(w: float) -> float:
    return particle(forward, reverse, w)


def particle_ff(w: float) -> float:
    return particle(forward, forward, w)
