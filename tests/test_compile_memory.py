"""What compiling leaves behind: the code, and nothing of the compiler."""

from __future__ import annotations

import gc
from collections.abc import Callable

import ccc
from ccc.compile.api import programs
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


def test_programs_are_forgotten_when_they_are_compiled():
    """Classes that stand for kept functions are remembered by type rules; what they were made of is not. The few that
    were read last are kept for other verbs, without what read them."""
    gc.collect()
    before = sum(isinstance(x, Elaboration | Let) for x in gc.get_objects())
    for n in range(1, 4):
        f = ccc.gradient(composed(n), backend="numpy")
        assert f(2.0) > 0
    del f
    gc.collect()
    assert not any(isinstance(x, Elaboration) for x in gc.get_objects())
    programs.clear()
    gc.collect()
    assert sum(isinstance(x, Elaboration | Let) for x in gc.get_objects()) <= before
