"""What recursive functions raise and a `try` catches: around the first call, within the recursion, or at both."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import ccc

F = Callable[[float, int], float]


class Stop(Exception):
    pass


def around(x: float, n: int) -> float:
    def down(k: int, v: float) -> float:
        if k == 0:
            if v > 3.0:
                raise ValueError("big")
            return v
        return down(k - 1, v * 1.5) + 1.0

    try:
        return down(n, x)
    except ValueError:
        return x * 10.0


def within(x: float, n: int) -> float:
    def g(k: int, v: float) -> float:
        if v > 2.0:
            raise ValueError("large", v)
        if k == 0:
            return v
        try:
            return g(k - 1, v * 1.5)
        except ValueError as error:
            return g(k - 1, v * 0.3) + error.args[1]

    return g(n, 0.5 * x)


def down(k: int, v: float) -> float:
    if v > 4.0:
        raise Stop(v * 2.0, k)
    if k < 0:
        raise KeyError("below")
    return 1.0 if k == 0 else down(k - 1, v + 1.0) * v


def of_two_kinds(x: float, n: int) -> float:
    s = 0.0
    for i in range(3):
        try:
            s += down(n, x + i)
        except Stop as error:
            s += error.args[0] * error.args[1]
        except KeyError:
            s -= x
    return s


def behind_changes(x: float, n: int) -> float:
    seen = []

    def walk(k: int, v: float) -> None:
        seen.append(v)
        if v > 5.0:
            raise Stop
        if k > 0:
            walk(k - 1, v + x)
            walk(k - 1, v * 2.0)

    try:
        walk(n, x)
    except Stop:
        seen.append(-1.0)
    return sum((i + 1) * v for i, v in enumerate(seen)) + x


def of_an_operation(x: float, n: int) -> float:
    def logs(k: int, v: float) -> float:
        return math.log(v) if k == 0 else logs(k - 1, v - 1.0) * 0.5 + v

    try:
        return logs(n, x)
    except ValueError:
        return x * x


def surely(x: float, n: int) -> float:
    def down(k: int) -> None:
        if k == 0:
            raise Stop
        down(k - 1)

    try:
        down(n)
    except Stop:
        return x * x
    return x


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [around, within, of_two_kinds, behind_changes, of_an_operation, surely])
def test_what_a_recursion_raises_is_caught(f: F, backend: str) -> None:
    """Around it, that was refused; within it, it left the function."""
    both = ccc.value_with_gradient(f, wrt="x", backend=backend)
    for x, n in ((0.3, 2), (2.2, 3), (3.4, 3)):
        value, found = both(x, n)
        assert value == pytest.approx(f(x, n), rel=1e-13)
        slope = (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6
        assert found == pytest.approx(slope, rel=1e-6, abs=1e-8)


def caught_inside_alone(x: float, n: int) -> float:
    def g(k: int, v: float) -> float:
        if k == 0:
            if v > 1.0:
                raise Stop(v)
            raise KeyError("small")
        try:
            return g(k - 1, v * 1.5)
        except Stop:
            return v

    return g(n, x)


def test_what_nothing_catches_leaves_it() -> None:
    f = ccc.compiled(caught_inside_alone)
    assert f(0.7, 3) == caught_inside_alone(0.7, 3)
    with pytest.raises(KeyError, match="small"):
        f(0.1, 2)
    with pytest.raises(Stop):
        f(2.0, 0)
