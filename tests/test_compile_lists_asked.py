"""Lists that an expression makes and asks, `sorted(xs).index(x)`, and methods of lists that are called later."""

from __future__ import annotations

from typing import Any

import pytest
from checks import agrees_in_value

XS = [1.0, 2.0, 3.0, 2.0]


def of_slices(xs: list[float]) -> Any:
    return xs[1:].count(2.0), xs[1:].index(3.0), xs[::-1].index(3.0), xs[:2].copy()


def of_calls(xs: list[float]) -> Any:
    return sorted(xs).index(3.0), list(xs).count(2.0), sorted(xs).copy()


def of_expressions(xs: list[float]) -> Any:
    return [2 * x for x in xs].index(4.0), (xs + xs).count(2.0), [*xs, 1.0].count(1.0)


def of_chosen(xs: list[float]) -> Any:
    xs = [x for x in xs]
    count = (xs if xs[0] > 0.0 else [1.0]).count
    xs.append(2.0)
    return count(2.0), (xs if xs[0] < 0.0 else [1.0, 2.0]).index(2.0)


def of_a_row(xs: list[float]) -> Any:
    rows = [[x] for x in xs]
    count = rows[int(xs[0])].count
    rows[int(xs[0])].append(2.0)
    return count(2.0)


def of_given(given: list[float]) -> Any:
    xs = [x for x in given]

    def added() -> float:
        xs.append(2.0)
        return 2.0

    return (lambda: xs)().count(added()), xs[:].count(added()), xs[1:].count(2.0)


def sorts(xs: list[float]) -> float:
    xs.sort()
    return xs[len(xs) // 2]


def of_copies(xs: list[float]) -> Any:
    found = []
    i = 0
    while i < len(xs):
        found.append(sorts(xs[i:i + 3].copy()))
        i += 3
    return found


@pytest.mark.parametrize(
    "f", [of_slices, of_calls, of_expressions, of_chosen, of_a_row, of_given, of_copies])
def test_methods_of_lists_that_have_no_name(f: Any) -> None:
    agrees_in_value(f, list(XS))
