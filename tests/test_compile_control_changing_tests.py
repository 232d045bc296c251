"""Tests of a `while` that change what was there before the loop: values as in plain Python, derivatives against
differences. What such a test changed was forgotten, so loops did not end or gave other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


class Falling:
    def __init__(self, height: float) -> None:
        self.height = height
        self.steps = 0

    def falls(self, rate: float = 0.5) -> bool:
        self.height = self.height * rate
        self.steps += 1
        return self.height > 0.1

    @property
    def falling(self) -> bool:
        return self.falls()

    def __bool__(self) -> bool:
        return self.falls()

    def __lt__(self, other: float) -> bool:
        return not self.falls() or self.height < other


def method(x: float) -> float:
    stone, s = Falling(x), 0.0
    while stone.falls(x):
        s += stone.height
    return s + stone.height * stone.steps


def attribute(x: float) -> float:
    stone, s = Falling(x), 0.0
    while stone.falling and s < 5.0:
        s += stone.height
    return s + stone.height


def truth(x: float) -> float:
    stone, s = Falling(x), 0.0
    while stone:
        s += stone.height
    return s + stone.height


def comparison(x: float) -> float:
    stone, s = Falling(9.0 * x), 0.0
    while not stone < 0.5:
        s += stone.height
    return s + stone.height


def outer_variable(x: float) -> float:
    def falls() -> bool:
        nonlocal height
        height *= 0.5
        return height > 0.1

    height, s = x, 0.0
    while falls():
        if s > 0.5:
            continue
        s += height
    else:
        s += 3.0 * height
    return s


def popped(x: float) -> float:
    queue, s = [x, 2.0 * x, 3.0 * x, -1.0, 5.0], 0.0
    while queue and queue.pop(0) > 0.0:
        s += queue[0] * x
    return s + sum(queue)


def appended(x: float) -> float:
    found = [x]
    while not (found.append(x * found[-1]) or len(found) > 4):
        found[0] += 1.0
    return sum(found)


def entry(x: float) -> float:
    a = np.array([x, 1.0])

    def falls() -> bool:
        a[0] *= 0.5
        return bool(a[0] > 0.1)

    s = 0.0
    while falls():
        s += a[0]
    return s + a[0]


def iterator(x: float) -> float:
    rising, s = iter([x, 2.0 * x, 3.0 * x, 5.0]), 0.0
    while next(rising) < 2.5 * x:
        s += x
    return s + next(rising)


def one_of_several(x: float) -> float:
    stones, s = [Falling(x), Falling(2.0 * x)], 0.0
    chosen = stones[0] if x > 0.5 else stones[1]
    for stone in stones:
        while stone.falls():
            s += chosen.height
    while stones[int(s) % 2].falls():
        s += stones[0].height
    return s + stones[1].height * stones[0].steps


@pytest.mark.parametrize("f", [method, attribute, truth, comparison, outer_variable, popped, appended, entry, iterator,
                               one_of_several], ids=lambda f: f.__name__)
def test_what_a_test_changes_is_carried(f: Callable[..., Any]) -> None:
    agrees(f, 0.7)


def test_draws_in_a_test_are_drawn_once() -> None:
    class Coin:
        def __init__(self, rng: np.random.Generator) -> None:
            self.rng = rng
            self.total = 0.0

        def again(self, x: float) -> bool:
            self.total += x
            return bool(self.rng.random() < 0.8)

    def tossed(x: float, rng: np.random.Generator) -> float:
        coin = Coin(rng)
        while coin.again(x):
            pass
        return coin.total * x

    for seed in range(4):
        value, slope = ccc.value_with_gradient(tossed, wrt=0)(1.5, np.random.default_rng(seed))
        assert value == tossed(1.5, np.random.default_rng(seed)) and slope == pytest.approx(2.0 * value / 1.5)
