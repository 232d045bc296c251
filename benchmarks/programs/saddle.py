"""A saddle point by nested descent: the least x of what is greatest in y, in each combination of modes.

The problem is that of Pearlmutter and Siskind, *Using Programming Language Theory to Make Automatic Differentiation
Sound and Efficient*.
"""

from __future__ import annotations

from benchmarks.programs.descent import Gradient, Vector, forward, minimum, reverse


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


def saddle_rr(start: Vector) -> tuple[Vector, Vector]:
    return saddle(reverse, reverse, start)


def saddle_rf(start: Vector) -> tuple[Vector, Vector]:
    return saddle(reverse, forward, start)


def saddle_fr(start: Vector) -> tuple[Vector, Vector]:
    return saddle(forward, reverse, start)


def saddle_ff(start: Vector) -> tuple[Vector, Vector]:
    return saddle(forward, forward, start)
