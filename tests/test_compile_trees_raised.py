"""What methods of a tree of many classes raise, and recursive `lambda`s, is caught where Python catches it."""

from __future__ import annotations

from typing import Any

import pytest
from users_checks import agrees_with_python

import ccc


class Number:
    def __init__(self, v: float) -> None:
        self.v = v

    def at(self, x: float) -> float:
        if self.v < 0.0:
            raise ValueError("below zero", self.v)
        return self.v * x

    def __call__(self, x: float) -> float:
        if self.v < 0.0:
            raise ValueError("below zero", self.v)
        return self.v * x


class Ratio:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def at(self, x: float) -> float:
        return x * self.a.at(x) / self.b.at(x)

    def __call__(self, x: float) -> float:
        return x * self.a(x) / self.b(x)


class Tried:
    def __init__(self, a: Any) -> None:
        self.a = a

    def at(self, x: float) -> float:
        try:
            return self.a.at(x)
        except ValueError as error:
            return 50.0 * x - error.args[1]

    def __call__(self, x: float) -> float:
        try:
            return self.a(x)
        except ValueError as error:
            return 50.0 * x - error.args[1]


TREES: list[Any] = [
    Number(2.0), Number(-2.0), Ratio(Number(1.0), Tried(Ratio(Number(-1.0), Number(2.0)))),
    Ratio(Number(-1.0), Tried(Number(2.0))), Tried(Ratio(Number(1.0), Tried(Ratio(Number(2.0), Number(-3.0))))),
    Ratio(Tried(Number(1.0)), Ratio(Number(0.0), Number(2.0))),
]


def by_method(x: float, tree: Any) -> float:
    return tree.at(x) + x


def by_call(x: float, tree: Any) -> float:
    return tree(x) + x


def caught_around(x: float, tree: Any) -> float:
    try:
        return tree.at(x)
    except (ValueError, ZeroDivisionError):
        return 7.0 * x


@pytest.mark.parametrize("f", [by_method, by_call, caught_around], ids=lambda f: f.__name__)
@pytest.mark.parametrize("i", range(len(TREES)))
def test_trees(f: Any, i: int) -> None:
    agrees_with_python(f, 2.0, TREES[i])


def checked(v: float) -> float:
    if v > 3.0:
        raise ValueError("above", v)
    return v


def within(x: float, n: int) -> float:
    go = lambda k, v: v if k == 0 else go(k - 1, checked(v + x))  # noqa: E731
    try:
        return go(n, 0.0)
    except ValueError as error:
        return -2.0 * error.args[1]


def divided(x: float, n: int) -> float:
    go = lambda k: 1.0 / (x - k) if k == 0 else go(k - 1) / (x - k)  # noqa: E731
    try:
        return go(n)
    except ZeroDivisionError:
        return -x


@pytest.mark.parametrize("f", [within, divided], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("x", "n"), [(1.0, 2), (0.8, 9), (2.0, 3), (2.5, 1)])
def test_recursive_lambdas(f: Any, x: float, n: int) -> None:
    value = f(x, n)
    assert ccc.compiled(f)(x, n) == value
    if f is within or value != -x:
        agrees_with_python(f, x, n)
