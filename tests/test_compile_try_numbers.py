"""What operations on numbers raise at some values, caught by one handler of several, and what it says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees, agrees_in_value


def says_which(x: float) -> tuple[float, str]:
    try:
        y = math.log(x) / (x - 1.0)
    except (ValueError, ZeroDivisionError) as error:
        return 1.0, str(error)
    return y, "none"


def says_which_in_a_text(x: float) -> str:
    if x > 0.0:
        y = 2.0 * x
        text = f"{y:.2f} of {x}"
    else:
        return ""
    return text + "!"


def weighs_what_it_says(x: float) -> float:
    try:
        return 1.0 / x + math.sqrt(x)
    except (ValueError, ZeroDivisionError) as error:
        return x * len(str(error))


def square(x: float) -> float:
    try:
        return x**2
    except OverflowError:
        return math.inf


def powers(x: float) -> list[float]:
    found = []
    for n in (0, 1, 2, 2.5, 100):
        try:
            found.append(abs(x) ** n)
        except ArithmeticError as error:
            found.append(float(len(str(error))))
    return found


def of_a_function(x: float, n: int) -> float:
    total = 0.0
    for i in range(3):
        try:
            total += raised(x, n + i)
        except OverflowError:
            total -= 1.0
            break
    return total


def raised(x: float, n: int) -> float:
    return x**n


@pytest.mark.parametrize("x", [2.0, 1.0, 0.0, -3.0, 1e200])
@pytest.mark.parametrize("f", [says_which, says_which_in_a_text, weighs_what_it_says, square, powers])
def test_what_is_raised_is_caught_and_told_as_python_does(f: Callable[..., Any], x: float) -> None:
    agrees_in_value(f, x)


@pytest.mark.parametrize(("x", "n"), [(1e200, 1), (2.5, 0), (-3.0, 2)])
def test_a_power_that_a_function_raises_to(x: float, n: int) -> None:
    agrees_in_value(of_a_function, x, n)


@pytest.mark.parametrize("xs", [[], [1.0], [1.0, 2.0], [1.0, 2.0, 3.0]])
def test_how_many_there_are_to_unpack(xs: list[float]) -> None:
    def unpacked(xs: list[float]) -> tuple[float, str]:
        try:
            a, b = xs
        except ValueError as error:
            return 0.0, str(error)
        return a * b, ""

    agrees_in_value(unpacked, xs)


def test_derivatives_behind_what_may_be_raised() -> None:
    agrees(weighs_what_it_says, 2.0)
    agrees(weighs_what_it_says, -2.0)
    agrees(of_a_function, 1.5, 1)
