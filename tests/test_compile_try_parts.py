"""What calls raise that stand in no expression of their own, as those that `reduce`, `sorted`, `sum` and `max` make: a
`try` catches it, and goes on behind the very call that did not raise."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


def added(a: Any, b: Any) -> Any:
    if b < 0:
        raise ValueError("negative")
    return a + b * b


def key(v: Any) -> Any:
    if v > 2:
        raise KeyError("large")
    return -v * v


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, other: Box) -> Box:
        if other.v < 0:
            raise ValueError("negative")
        return Box(self.v + other.v)


def by_reduce(x: Any, y: Any) -> Any:
    try:
        s = functools.reduce(added, [x, 2 * x, y, 3.0])
    except ValueError:
        s = -x
    return s * x


def by_sorted(x: Any, y: Any) -> Any:
    try:
        s = sorted([x, y, 1.5], key=key)[0]
    except KeyError:
        s = -x
    return s * x


def by_max_and_min(x: Any, y: Any) -> Any:
    try:
        s = max([x, y], key=key) + min(key(x), y)
    except KeyError:
        s = -x * y
    return s * x


def by_map(x: Any, y: Any) -> Any:
    try:
        s = sum(map(key, [x, y]))
    except KeyError:
        s = -x * y
    return s * x


def by_a_lambda(x: Any, y: Any) -> Any:
    g = lambda a: added(a, y)  # noqa: E731
    try:
        s = list(map(g, [x, 2 * x]))
        t = s[0] * s[1]
    except ValueError:
        t = x
    return t * x


def by_operators(x: Any, y: Any) -> Any:
    try:
        s = sum([Box(x), Box(y), Box(2.0)], Box(0.0)).v
    except ValueError:
        s = x * x
    return s * x


def by_several(x: Any, y: Any) -> Any:
    try:
        s = functools.reduce(operator.add, [Box(x), Box(1.0), Box(y)]).v * key(x)
    except (ValueError, KeyError):
        s = x * x
    return s * x


def with_a_log(x: Any, y: Any) -> Any:
    log = []

    def noted(v: Any) -> Any:
        log.append(v)
        if v < 0:
            raise ValueError
        return v

    try:
        s = noted(x) + functools.reduce(lambda a, b: a * noted(b), [y, x], 1.0) + noted(y)
    except ValueError:
        s = 100.0 * x
    return s * x + len(log) * 1000


def of_what_is_left(x: Any, y: Any) -> Any:
    try:
        m = max([v for v in [x, 0.5, x * 0.3] if v > 1.0])
    except ValueError:
        m = -x
    return m * x * y


def by_unpacking(x: Any, y: Any) -> Any:
    xs = [x * v for v in range(3) if v * 0.6 < y]
    s = 1.0
    try:
        s += y
        first, *others, last = xs
        s += x * len(others) + last + y * first
    except ValueError as error:
        s = x * y + len(str(error))
    else:
        s *= x
    return s * x


PROGRAMS = [by_reduce, by_sorted, by_max_and_min, by_map, by_a_lambda, by_operators, by_several, with_a_log,
            of_what_is_left, by_unpacking]


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("x", "y"), [(1.2, 0.7), (1.2, -0.7), (2.5, 0.7), (1.1, 2.5), (-1.0, 0.5)])
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.filterwarnings("ignore::ccc.CCCWarning")
def test_a_try_goes_on_behind_the_call_that_did_not_raise(f: Callable[..., Any], x: float, y: float, backend: str):
    value, found = ccc.value_with_gradient(f, backend=backend)(x, y)
    assert value == pytest.approx(f(x, y), rel=1e-14)
    for slope, (h, k) in zip(found, ((1e-6, 0.0), (0.0, 1e-6)), strict=True):
        assert slope == pytest.approx((f(x + h, y + k) - f(x - h, y - k)) / 2e-6, rel=1e-6, abs=1e-6)


def test_calls_of_a_definition_are_told_apart_by_where_they_are_written():
    """`np.poly` calls three functions in one statement: the first is not read again where the next may raise."""

    def f(a: Any) -> Any:
        try:
            c = np.poly(a)
        except ValueError:
            c = np.ones(3)
        return 2.0 * c[1] + 3.0 * c[2]

    a = np.array([[-1.0, 0.3], [0.2, -2.0]])
    value, slope = ccc.value_with_gradient(f)(a)
    assert value == pytest.approx(f(a), rel=1e-14)
    np.testing.assert_allclose(slope, [[-8.0, -0.6], [-0.9, -5.0]], rtol=1e-14)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_a_key_error_says_of_a_value_is_how_that_is_represented(backend, capsys):
    def f(x, names):
        told = ""
        for name in names:
            try:
                if name != "a":
                    raise KeyError(name)
                x = x * x
            except KeyError as error:
                told = str(error)
                print(error, f"no {error}!", repr(error), error.args)
        print(told, len(told))
        return x

    for names in (["a", "b", "c"], ["a"], ["it's"]):
        wanted, printed = f(1.5, names), capsys.readouterr().out
        assert ccc.compiled(f, backend=backend)(1.5, names) == wanted and capsys.readouterr().out == printed
