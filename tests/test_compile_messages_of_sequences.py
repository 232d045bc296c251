"""What errors call a sequence: a tuple, a range, what `pop` and `del` do not find, caught and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value


def told(run: Callable[[], Any]) -> str:
    try:
        run()
    except (IndexError, KeyError) as error:
        return str(error)
    return "nothing"


def of_a_tuple(x: Any, n: int) -> list[str]:
    pair, names = (x, 2.0 * x), ("a", "b")
    return [told(lambda: pair[n]), told(lambda: names[n]), told(lambda: range(n)[n] * x), told(lambda: [x, x][n])]


def of_a_tuple_of_the_caller(xs: Any, n: int) -> list[str]:
    return [told(lambda: xs[n]), told(lambda: tuple([2.0 * x for x in xs])[n])]


def of_a_stack(x: Any, n: int) -> list[str]:
    stack = [x * i for i in range(n)]
    said = []
    for _ in range(n + 1):
        try:
            stack.pop()
        except IndexError as error:
            said.append(str(error))
    stack.append(x)
    try:
        stack.pop(n)
    except IndexError as error:
        said.append(str(error))
    try:
        del stack[n]
    except IndexError as error:
        said.append(str(error))
    return said


def of_a_stack_with_two_names(x: Any, n: int) -> list[str]:
    stack = [x * i for i in range(n)]
    same = stack
    said = []
    try:
        same.pop(n)
    except IndexError as error:
        said.append(str(error))
    try:
        del stack[n]
    except IndexError as error:
        said.append(str(error))
    same.clear()
    try:
        stack.pop()
    except IndexError as error:
        said.append(str(error))
    return said


def of_what_is_empty(x: Any, n: int) -> list[str]:
    d: dict[str, Any] = {}
    said = []
    try:
        d.popitem()
    except KeyError as error:
        said.append(str(error))
    return said


@pytest.mark.parametrize(
    "f", [of_a_tuple, of_a_stack, of_a_stack_with_two_names, of_what_is_empty], ids=lambda f: f.__name__)
def test_errors_say_what_python_says(f: Callable[..., Any]):
    agrees_in_value(f, 1.5, 3)


@pytest.mark.parametrize("xs", [(1.0, 2.0), [1.0, 2.0]], ids=["tuple", "list"])
def test_errors_tell_a_tuple_of_the_caller_from_a_list(xs: Any):
    agrees_in_value(of_a_tuple_of_the_caller, xs, 5)


def test_a_number_of_numpy_stays_one_without_axes():
    def kinds(x: Any) -> Any:
        number = np.float64(x)
        found = [np.reshape(number, ()), np.reshape(x, ()), np.reshape(number, (1,)), number.reshape(())]
        return [isinstance(r, np.ndarray) for r in found], [isinstance(r, float) for r in found]

    agrees_in_value(kinds, 2.0)
