"""Functions with derivatives of their own that give back what they are given, one object: it stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

import ccc
from ccc.compile.diagnostics import CompileError


class Box:
    def __init__(self, x: float) -> None:
        self.x = x


def same(box: Any) -> Any:
    return box


@ccc.derivative_of(same)
def same_rule(box: Any) -> Any:
    return box, lambda ct: ct


def held(box: Any) -> Any:
    return (box, 1.0)


GIVING = [same, ccc.checkpointed(lambda box: box), lambda box: ccc.checkpointed(held)(box)[0], ccc.without_derivative]


@pytest.mark.parametrize("give", GIVING, ids=("rule", "checkpoint", "in a tuple", "constant"))
@pytest.mark.parametrize("first", [True, False])
def test_what_is_given_back_does_not_change(give: Any, first: bool):
    def f(x: float) -> float:
        box = Box(x)
        again = give(box)
        (box if first else again).x = 5.0 * x
        return box.x * again.x

    with pytest.raises(CompileError, match="would change something that is visible elsewhere"):
        ccc.gradient(f)(2.0)


@pytest.mark.parametrize("give", GIVING[:3], ids=("rule", "checkpoint", "in a tuple"))
def test_what_is_given_back_has_a_derivative(give: Any):
    def f(x: float) -> float:
        box = Box(x * x)
        return give(box).x * box.x

    assert ccc.value_with_gradient(f)(2.0) == (16.0, 32.0)


def test_a_copy_may_change():
    def f(x: float) -> float:
        xs = [x, 2.0 * x]
        ys = ccc.without_derivative(list(xs))
        xs[0] = 5.0 * x
        return xs[0] * ys[0]

    assert ccc.value_with_gradient(f)(2.0) == (20.0, 10.0)
