"""A first program: the square of a number."""

from __future__ import annotations


def square(x: float) -> float:
    return x * x
