"""What a `while` keeps for the loops that run along it: one list, with a tuple for each run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import target
from ccc.compile.passes.improve import improve
from ccc.compile.terms.plan import Plan, derived

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

A = 0.3 * np.random.default_rng(0).normal(size=(3, 3))


def numbers(x: float, n: int) -> float:
    """Numbers, a bool and an integer of each run."""
    y, z, k = x, 1.0, 0
    while k < n:
        y = np.sin(y) * z if y > 0.5 else y * y + np.exp(z)
        z = z / (1.0 + y * y) * k
        k += 1
    return y * z + y


def arrays(x: float, n: int) -> float:
    """Arrays and numbers of each run."""
    v, s, k = A[0] * x, x, 0
    while k < n:
        v = np.tanh(A @ v + s) * s
        s = np.tanh(s * np.sum(v * v)) + 0.5
        k += 1
    return np.sum(v) * s


def read_twice(x: float, n: int) -> float:
    """What two loops run along, one of them in a branch."""
    y, k, ys, zs = x, 0, [], []
    while k < n:
        y = np.cos(y) + 0.1
        ys.append(y)
        zs.append(y * x)
        k += 1
    total = 0.0
    for a, b in zip(ys, zs, strict=True):
        total += a * b
    if total > 0.0:
        for b in zs:
            total += b * b
    return total


def read_otherwise(x: float, n: int) -> float:
    """What is read at an index as well, and in a function."""
    y, k, ys, zs = x, 0, [0.0], [0.0]
    while k < n:
        y = np.cos(y) + 0.1
        ys.append(y)
        zs.append(y * x)
        k += 1

    def total(c: float) -> float:
        found = 0.0
        for b in zs:
            found += b * c
        return found

    return total(ys[n // 2]) + total(ys[-1]) + sum(ys)


PROGRAMS = [numbers, arrays, read_twice, read_otherwise]


def lowered(f: Callable[..., Any]) -> str:
    """The text of the gradient."""
    plan = Plan("gradient", (0,), ccc.Delta())
    program = derived(plan, elaborate(f, (0.3, 5), {}).program)
    improve(program)
    return target.lowered(program).text


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    g = ccc.compiled(f, backend="native")
    for n in (0, 1, 2, 9, 200):
        assert np.isclose(g(0.3, n), f(0.3, n), rtol=1e-12)
        slopes = [ccc.gradient(f, wrt="x", backend=backend)(0.3, n) for backend in ("native", "numpy")]
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-9, atol=1e-12)
        step = 1e-6
        if n < 10:
            quotient = (f(0.3 + step, n) - f(0.3 - step, n)) / (2 * step)
            np.testing.assert_allclose(slopes[0], quotient, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", [numbers, arrays])
def test_a_tape_grows_as_one(f: Callable[..., Any]) -> None:
    assert len(re.findall(r"^grow\d+:", lowered(f), re.MULTILINE)) == 1
