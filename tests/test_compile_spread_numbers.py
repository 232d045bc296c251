"""Numbers behind a list that is spread over the parameters of a function with defaults."""

# pyright: reportCallIssue=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value, same

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def shown(a: Any = 1.0, b: Any = 2.0, c: Any = 7) -> Any:
    return a * b, str(c), c


def repeated(a: Any, b: Any = 2, n: int = 1) -> Any:
    for _ in range(n):
        a = a * b
    return a, b, n


class Held:
    def __init__(self, a: Any, b: Any = 2.0, n: Any = 3) -> None:
        self.parts = a, b, n


def of_a_list(xs: Any, n: Any) -> Any:
    return shown(*xs, n)


def of_what_is_chosen(xs: Any, n: int) -> Any:
    ys = [x for x in xs if x > 0]
    return shown(*ys, n)


def of_two_behind(xs: Any, n: int) -> Any:
    ys = [x for x in xs if x > 2]
    return shown(*ys, n, 4)


def with_a_number_of_turns(xs: Any, n: int) -> Any:
    return repeated(*xs, n)


def of_a_class(xs: Any, n: int) -> Any:
    return Held(*xs, n).parts


def behind_another(xs: Any, n: int) -> Any:
    ys = [x for x in xs if x > 2]
    return repeated(3.0, *ys, n)


@TARGETS
@pytest.mark.parametrize("f", [
    of_a_list, of_what_is_chosen, of_two_behind, with_a_number_of_turns, of_a_class, behind_another,
])  # fmt: skip
@pytest.mark.parametrize("kind", [list, np.array])
def test_a_number_behind_a_list_keeps_its_class(f: Callable[..., Any], kind: Any, backend: str) -> None:
    """It was a float, as the items of the list are."""
    for xs in ([2.0, 3.0], [2.5]):
        found, expected = ccc.compiled(f, backend=backend)(kind(xs), 3), f(kind(xs), 3)
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))


def of_lists_and_numbers(xs, ys, n):
    return max(*xs, n), min(n, *xs), max(1, *xs, n, *ys), min(*xs, 2.5, *ys, n)


@pytest.mark.parametrize("args", [([1.0, 2.0], [9.0], 3), ([1.0, 5.0], [], 3), ([4.0], [4.0], 4), ([0.5], [1.0], 0)])
def test_the_largest_of_lists_and_numbers_keeps_its_class(args):
    agrees_in_value(of_lists_and_numbers, *args)
    assert same(ccc.compiled(of_lists_and_numbers, backend="native")(*args), of_lists_and_numbers(*args))


def test_one_number_beside_a_list_without_items_is_too_few():
    with pytest.raises(TypeError):
        ccc.compiled(lambda xs, n: max(*xs, n))([1.0][1:], 3)
