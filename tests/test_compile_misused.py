"""Calls of functions of numbers with what they do not take, where a program may not come."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


class Point:
    def __init__(self, x: float) -> None:
        self.x = x


def guarded(use: Callable[[Any, float], Any], of: Callable[[float], Any]) -> Callable[..., Any]:
    """A function that misuses a value where `k` is 0."""
    def f(x: float, k: int) -> Any:
        value = of(x)
        print("made")
        if k == 0:
            return use(value, x)
        return x * x

    return f


VALUES: list[Any] = [lambda x: Point(x), lambda x: [x], lambda x: (x, x), lambda x: {"a": x}, lambda x: "text"]
USES: list[Any] = [
    lambda v, x: abs(v), lambda v, x: math.sin(v), lambda v, x: math.sqrt(v) * x, lambda v, x: round(v),
    lambda v, x: len(x), lambda v, x: math.hypot(x, v),
]


@TARGETS
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("of", VALUES)
def test_what_a_function_of_numbers_does_not_take_raises_there(
    use: Any, of: Any, backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole function was refused."""
    f = guarded(use, of)
    compiled = ccc.compiled(f, backend=backend)
    assert compiled(2.5, 1) == f(2.5, 1)
    assert ccc.gradient(f, wrt="x", backend=backend)(2.5, 1) == 5.0
    with pytest.raises(TypeError) as expected:
        f(2.5, 0)
    capsys.readouterr()
    with pytest.raises(TypeError) as found:
        compiled(2.5, 0)
    assert str(found.value) == str(expected.value)
    assert capsys.readouterr().out == "made\n"
