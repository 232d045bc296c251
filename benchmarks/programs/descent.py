"""Descent along gradients that reverse or forward mode takes, of tuples of numbers.

The descent and its constants are those of Pearlmutter and Siskind, *Using Programming Language Theory to Make Automatic
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
