"""What dicts, slices and classes are asked for where they are not known."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from checks import agrees, runs_in_stores

import ccc
from ccc.compile.libraries.python_numbers import indices


def test_the_last_item_of_a_dict_of_lists_is_the_list_itself() -> None:
    def f(x: float, n: int) -> float:
        d: dict[int, list[float]] = {}
        for i in range(n):
            d[i] = [x * i]
        first = d[1]
        k, v = d.popitem()
        v.append(first[0])
        first[0] += v[0] * k
        d[7] = v
        return sum([sum(row) * (i + 1) for i, row in enumerate(d.values())])

    runs_in_stores(f, 1.5, 4, says="cannot append to `v`")


def test_an_empty_dict_has_no_last_item() -> None:
    def f(x: float, n: int) -> float:
        d: dict[int, list[float]] = {}
        for i in range(n):
            d[i] = [x * i]
        kept = d
        try:
            while True:
                x += kept.popitem()[1][0]
        except KeyError:
            return x * len(d) + x

    agrees(f, 1.5, 3)


def test_the_indices_of_slices() -> None:
    ends = (None, -9, -3, 0, 2, 5, 9)
    for start, stop, step, n in itertools.product(ends, ends, (None, -3, -1, 1, 2), (0, 1, 5)):
        key = slice(start, stop, step)
        assert indices(key, n) == key.indices(n)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        indices(slice(0, 1, 0), 3)


class Window:
    def __init__(self, items: list[float]) -> None:
        self.items = items

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [self.items[i] for i in range(*key.indices(len(self.items)))]
        return self.items[key]


def test_a_class_of_a_user_is_sliced() -> None:
    def f(x: float, n: int) -> float:
        w = Window([x * i for i in range(8)])
        return sum(w[n:-1:2]) * w[3] + sum(w[::-3])

    agrees(f, 1.5, 2)


class Wide:
    scale = 2.0

    def __init__(self, v: float) -> None:
        self.v = v


class Narrow(Wide):
    scale = -0.5


def test_the_class_of_one_of_several_is_asked_for_an_attribute_in_a_try() -> None:
    def f(x: float) -> float:
        o = Narrow(x) if x > 1.0 else Wide(x)
        try:
            return type(o).scale * o.v
        except AttributeError:
            return 7.0

    for x in (0.5, 1.5):
        agrees(f, x)
        assert ccc.gradient(f)(x) == type(Narrow(x) if x > 1.0 else Wide(x)).scale
