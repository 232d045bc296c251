"""Comprehensions, choices and generators in a `try` that stop half way: what was done until then was done once."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


class Meter:
    """Counts what it is asked, and adds it up."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0

    def root(self, a: Any) -> Any:
        self.count += 1
        self.total = self.total + a
        return math.sqrt(a)

    def seen(self, a: Any) -> Any:
        self.count += 1
        return 2.0 * a


def a_list(v: Any, m: Meter) -> Any:
    try:
        return sum([m.root(a) for a in v if a < 9.0])
    except ValueError:
        return 2.0


def two_loops(v: Any, m: Meter) -> Any:
    try:
        return sum([m.root(a) * b for a in v for b in v if b < 9.0])
    except ValueError:
        return 2.0


def a_choice_in_a_list(v: Any, m: Meter) -> Any:
    try:
        return sum([m.root(m.seen(a)) if m.seen(a) < 9.0 else m.root(a) for a in v])
    except ValueError:
        return 2.0


def beside_others(v: Any, m: Meter) -> Any:
    try:
        return m.seen(v[0]) + np.array([m.root(a) for a in v if a < 9.0])[0] + m.seen(v[1])
    except ValueError:
        return 2.0


def a_generator(v: Any, m: Meter) -> Any:
    try:
        return max(m.root(a) for a in v if a < 9.0)
    except ValueError:
        return 2.0


def a_dict(v: Any, m: Meter) -> Any:
    try:
        return sum({i: m.root(a) for i, a in enumerate(v) if a < 9.0}.values())
    except ValueError:
        return 2.0


def keys_before_values(v: Any, m: Meter) -> Any:
    try:
        return {m.seen(a) > 1.0: math.sqrt(a) for a in v}[True]
    except ValueError:
        return 2.0


def a_set(v: Any, m: Meter) -> Any:
    try:
        return float(len({int(m.root(a)) for a in v}))
    except ValueError:
        return 2.0


@pytest.mark.parametrize("collecting", [a_list, two_loops, a_choice_in_a_list, beside_others, a_generator])
def test_what_is_collected_is_done_once(collecting: Callable[[Any, Meter], Any]):
    def f(v: Any) -> Any:
        meter = Meter()
        return collecting(v, meter) + meter.count + meter.total

    agrees(f, np.array([2.0, 1.0, -3.0]))
    agrees(f, np.array([2.0, 1.0, 3.0]))


@pytest.mark.parametrize("collecting", [a_dict, keys_before_values, a_set])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_dicts_and_sets_that_stop_half_way(collecting: Callable[[Any, Meter], Any], backend: str) -> None:
    """They were refused; the key of an item comes before its value."""
    def f(v: Any) -> Any:
        meter = Meter()
        return collecting(v, meter) + meter.count + meter.total

    both = ccc.value_with_gradient(f, backend=backend)
    for v in ([2.0, 1.5, -3.0], [2.0, 1.5, 3.0], [-1.0]):
        value, found = both(v)
        assert value == pytest.approx(f(v), rel=1e-14)
        for i, d in enumerate(found):
            up, down = [f([a + (k == i) * h for k, a in enumerate(v)]) for h in (1e-6, -1e-6)]
            assert d == pytest.approx((up - down) / 2e-6, rel=1e-6, abs=1e-8)


def the_last(x: float, v: list[float]) -> float:
    try:
        return [math.sqrt(a) for a in v].pop() * x
    except ValueError:
        return x


def test_the_method_of_a_list_that_stops_half_way() -> None:
    """The comprehension was read without end."""
    both = ccc.value_with_gradient(the_last, wrt="x")
    assert both(0.7, [2.0, 9.0]) == (pytest.approx(2.1), 3.0) and both(0.7, [-2.0, 9.0]) == (0.7, 1.0)


def left_of_an_iterator(v: Any) -> Any:
    left, found = iter(v), 0.0
    try:
        found = sum([math.sqrt(a) for a in left])
    except ValueError:
        found = found + 2.0
    return found + sum([a * a for a in left])


def left_of_known_items(v: Any) -> Any:
    left, found = iter([v[0], v[1] * v[2], v[1]]), 0.0
    try:
        found = sum([a if a > 0.0 else math.sqrt(a - 1.0) for a in left])
    except ValueError:
        found = found + 2.0
    return found + sum([a * a for a in left])


@pytest.mark.parametrize("f", [left_of_an_iterator, left_of_known_items])
def test_an_iterator_is_left_where_a_comprehension_stops(f: Callable[[Any], Any]):
    agrees(f, np.array([2.0, -1.0, 3.0]))
    agrees(f, np.array([2.0, 1.0, 3.0]))


def folded(x: Any) -> Any:
    try:
        r = functools.reduce(lambda a, b: a * 0.5 + b, (1.0 / float(v) for v in x))
    except ZeroDivisionError:
        r = 0.0
    return r


def folded_from(x: Any) -> Any:
    try:
        return functools.reduce(lambda a, b: a * 0.5 + b, (1.0 / float(v) for v in x), 2.0)
    except ZeroDivisionError:
        return 0.0


@pytest.mark.parametrize("f", [folded, folded_from])
def test_a_generator_expression_beside_others_is_folded(f: Callable[..., Any]) -> None:
    """The list of its items was taken for what the fold gives."""
    agrees(f, np.array([0.3, -1.2, 0.7]))
    assert ccc.compiled(f)(np.array([1.0, 0.0])) == 0.0
