"""Bounds of the ten programs, at random boxes, against the balls of Arb (package `python-flint`)."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
import pytest
from test_compile_interpretation_built_in import PROGRAMS, Program, every_program

import ccc

flint: Any = pytest.importorskip("flint")
COUNT = 100_000
"""So many boxes are drawn of each program, a million in all."""

class InBalls:
    """`math`, on balls of a hundred digits."""

    def __getattr__(self, name: str) -> Any:
        return lambda x: getattr(flint.arb(x), name)()


def in_balls(f: Program) -> Any:
    return types.FunctionType(f.__code__, {**f.__globals__, "math": InBalls()}, f.__name__, None, f.__closure__)


def outside(f: Program, count: int, seed: int) -> tuple[int, int]:
    """In how many boxes a point has a value that may lie outside of the bounds, and how many have no bounds."""
    draw, found, unknown = np.random.default_rng(seed), 0, 0
    bounds, reference = ccc.interpret(f, ccc.Intervals(), backend="native"), in_balls(f)
    low, high = min(PROGRAMS[f]), max(PROGRAMS[f])
    flint.ctx.prec = 128
    for x, t, k in zip(draw.uniform(low, high, count).tolist(), draw.random(count).tolist(),
                       draw.integers(1, 60, count).tolist(), strict=True):
        end = x + 2.0**-k if k < 50 else x
        least, most = bounds((x, end))
        y = reference(flint.arb(min(x + t * (end - x), end)))
        found += not least <= y <= most
        unknown += math.isinf(most - least)
    return found, unknown


def holds(f: Program, count: int, seed: int) -> None:
    found, unknown = outside(f, count, seed)
    assert found == 0 and unknown < count // 20


@every_program
def test_no_value_lies_outside(f: Program) -> None:
    holds(f, 300, 0)


@pytest.mark.nightly
@every_program
def test_no_value_of_a_million_lies_outside(f: Program) -> None:
    holds(f, COUNT, 1)
