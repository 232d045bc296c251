"""Powers that nothing reads and that are too large."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])
LARGE = (2.5, 1e200, -1e200, math.inf, math.nan)
pytestmark = pytest.mark.filterwarnings("ignore::ccc.compile.diagnostics.CCCWarning")


def statement(x: float) -> float:
    _ = x**2
    return x


def behind_others(x: float) -> float:
    y = (x + 1.0) ** 3
    z = y * 2 - x  # noqa: F841
    return x * x * 0.0 + 1.0 if x == x else x


def in_a_loop(x: float) -> float:
    s = 0.0
    for i in range(3):
        y = (x + i) ** 4  # noqa: F841
        s = s + 1.0
    return s * min(x, 1.0)


def in_a_branch(x: float) -> float:
    if x > 0:
        pow(x, 2)
    return x


def in_a_list(x: float) -> float:
    return [math.pow(x, 2), x][1]


def in_a_tuple_of_a_function(x: float) -> float:
    def both(y: float) -> tuple[float, float]:
        return y**2, y

    return both(x)[1]


def in_the_call_of_a_call(x: float) -> float:
    def square(y: float) -> float:
        return y**2 * 3.0

    def both(y: float) -> tuple[tuple[float, float], float]:
        return (square(y), 1.0), y

    s = 0.0
    for _ in range(2):
        part, last = both(x)
        s = s + part[1] + last
    return s


def on_one_path_of_a_function(x: float) -> float:
    def both(y: float) -> tuple[float, float]:
        if y > 1.0:
            return y**2, y
        return y, y

    _, last = both(x)
    return last


def read(x: float) -> float:
    return x**2


FUNCTIONS = [
    statement,
    behind_others,
    in_a_loop,
    in_a_branch,
    in_a_list,
    in_a_tuple_of_a_function,
    in_the_call_of_a_call,
    on_one_path_of_a_function,
]


def outcome(f: Callable[..., Any], x: float) -> str:
    """What a function gives or raises."""
    try:
        return repr(f(x))
    except OverflowError as error:
        return repr(error)


@TARGETS
@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_power_that_nothing_reads_raises_where_it_is_too_large(f: Callable[..., Any], backend: str) -> None:
    """It went with what nothing reads."""
    compiled = ccc.compiled(f, backend=backend)
    for x in LARGE:
        assert outcome(compiled, x) == outcome(f, x)
    assert outcome(ccc.gradient(f, backend=backend), 1e200) == outcome(f, 1e200)
    assert "Error" not in outcome(ccc.gradient(f, backend=backend), 2.5)


def test_what_a_derivative_alone_does_not_read_goes() -> None:
    assert ccc.gradient(read)(1e200) == 2e200
