"""What compiling leaves behind: the code, and nothing of the compiler."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import ccc
from ccc.compile.api import programs, wrapper
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.program.lam import Let


def composed(n: int) -> Callable[[float], float]:
    def f(x: float) -> float:
        g = lambda t: t * x  # noqa: E731
        for i in range(n):
            h = g
            g = (lambda t, h=h: h(t) + x) if i % 2 else (lambda t, h=h: h(t) * x)
        return g(1.0)

    return f


def refused(n: int) -> Callable[[float], float]:
    def f(x: float) -> float:
        functions = [lambda t: t * x for _ in range(n)]
        return functions[0](x) + n * vars(functions[0])["x"]

    return f


def evaluated(x: float, n: int) -> float:
    return eval("x * n", {"x": x, "n": n})


@ccc.derivative_of(evaluated)
def its_rule(x: float, n: int) -> Any:
    return evaluated(x, n), lambda ct: (eval("ct * n", {"ct": ct, "n": n}), None)


def called_as_it_is(n: int) -> Callable[[float], float]:
    return lambda x: evaluated(x, n) * x


def in_stores(n: int) -> Callable[[float], float]:
    def f(x: float) -> float:
        kept: list[Any] = [{"x": x}, {"x": 2.0 * x}]
        one = kept[0] if x > 1.0 else kept[1]
        for _ in range(n):
            one["x"] = one["x"] * x
        return kept[0]["x"] + kept[1]["x"]

    return f


def alive(*kinds: type) -> list[Any]:
    gc.collect()
    with warnings.catch_warnings():  # some objects of libraries warn where their class is looked at
        warnings.simplefilter("ignore")
        return [x for x in gc.get_objects() if isinstance(x, kinds)]


@pytest.mark.parametrize("made", [composed, refused, called_as_it_is, in_stores])
def test_programs_are_forgotten_when_they_are_compiled(made: Callable[[int], Callable[[float], float]]):
    """Classes that stand for kept functions are remembered by type rules; what they were made of is not. The few that
    were read last are kept for other verbs, without what read them."""
    before = {id(x) for x in alive(Elaboration)}  # of what a test before keeps
    lets = len(alive(Let))
    for n in range(1, 4):
        f = ccc.gradient(made(n), backend="numpy")
        try:
            assert f(2.0) > 0 and made is not refused
        except ccc.CCCError:
            assert made is refused
    del f
    assert not [x for x in alive(Elaboration) if id(x) not in before]
    programs.clear()
    wrapper.forget()
    assert len(alive(Let)) <= lets
