"""Whether two functions are one: of a branch that chose, of a list, of a call that made them, and in `remove`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees

import ccc

Function = Callable[[float], float]


def chosen(x: float, n: int) -> float:
    def f(v: float) -> float:
        return v * x

    def g(v: float) -> float:
        return v + x

    h = g if n > 2 else f
    return h(x) * (1.0 if h is f else 3.0) + x * (h == g) + x * x * (f != h)


def chosen_of_library(x: float, n: int) -> float:
    h = math.sin if n > 2 else math.cos
    return h(x) * (1.0 if h is math.sin else 3.0) + x * (h == math.cos)


def of_one_definition(x: float, n: int) -> float:
    def make(k: float) -> Function:
        return lambda v: v * k

    a, b = make(x), make(x)
    c = a
    fs = [lambda v, k=k: v * k for k in (1.0, 2.0)]
    return a(x) * (1.0 if a is b else 3.0) + x * (c is a) + sum([f(x) * (5.0 if f is fs[0] else 7.0) for f in fs])


class Emitter:
    def __init__(self) -> None:
        self.handlers: dict[str, list[Function]] = {}

    def on(self, name: str, handler: Function) -> Callable[[], None]:
        self.handlers.setdefault(name, []).append(handler)
        return lambda: self.handlers[name].remove(handler)

    def fire(self, name: str, v: float) -> float:
        return sum([handler(v) for handler in self.handlers.get(name, [])])


def handlers_removed(x: float, n: int) -> float:
    emitter, seen = Emitter(), list[float]()

    def noting(v: float) -> float:
        seen.append(v)
        return v * x

    emitter.on("a", noting)
    off = emitter.on("a", lambda v: v * v + len(seen))
    s = emitter.fire("a", x)
    off()
    emitter.handlers["a"].index(noting)
    return s + emitter.fire("a", 2.0 * x) * n + sum(seen)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("f", [chosen, chosen_of_library, of_one_definition, handlers_removed])
def test_functions_are_compared_as_objects(f: Callable[..., float], n: int) -> None:
    agrees(f, 1.3, n)
    assert ccc.compiled(f, backend="native")(1.3, n) == pytest.approx(f(1.3, n), rel=1e-12)


def known(x: float, n: int) -> float:
    xs, words = [x, 2.0, x * x], ["a", "b", "c"]
    xs.remove(2.0)
    words.remove("b")
    return sum(xs) * len(xs) + x * words.index("c")


def of_the_program(x: float, n: int) -> float:
    xs = [(i * 7) % 5 for i in range(n)]
    ys = xs
    ys.remove(n % 3)
    try:
        xs.remove(77)
    except ValueError as error:
        ys.append(len(str(error)))
    return x * sum([v * (i + 1) for i, v in enumerate(xs)])


def rows(x: float, n: int) -> float:
    grid = [[x * i, 1.0] for i in range(n)]
    grid.remove([x, 1.0])
    grid[1][0] += x
    return sum([a * b * (i + 1) for i, (a, b) in enumerate(grid)])


@pytest.mark.parametrize("f", [known, of_the_program, rows])
def test_items_are_removed(f: Callable[..., float]) -> None:
    agrees(f, 1.3, 5)


def of_a_loop(x: float, n: int) -> float:
    fs: list[Any] = []
    for i in range(n):
        fs.append(lambda v, i=i: v * x + i)
    return fs[0](x) if fs[0] is fs[1] else x


def test_what_may_be_one_function_or_another_of_its_definition_is_refused() -> None:
    with pytest.raises(ccc.CCCError, match="whether two functions are one is not known"):
        ccc.gradient(of_a_loop, wrt=0)(1.3, 3)
