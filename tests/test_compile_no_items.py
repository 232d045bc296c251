"""Of what has no items, as a generator that is kept or an object, `len`, `in` and an unpacking raise, as in Python."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

import pytest

import ccc


@dataclass
class Pair:
    x: float
    y: float


def length_of_a_generator(xs: list[float]) -> Any:
    items = (v * v for v in xs)
    try:
        n = len(items)  # type: ignore[arg-type]
    except TypeError:
        n = 0
        for _ in items:
            n = n + 1
    return n


def counted(data: Any) -> Any:
    try:
        n = len(data)
    except TypeError:
        n = 0

        def count(items: Any) -> Any:
            nonlocal n
            for n, x in enumerate(items, start=1):  # noqa: B007
                yield x

        data = count(data)
    return math.fsum(data) / n


def mean_of_a_generator(xs: list[float]) -> Any:
    return counted(v * v for v in xs) + statistics.fmean(v * xs[0] for v in xs)


def unpacked_generator(xs: list[float]) -> Any:
    items: Any = (v * xs[1] for v in xs)
    try:
        return items[0]
    except TypeError:
        a, b, c = items
    return a * b + c


def displayed_generator(xs: list[float]) -> Any:
    items: Any = (v * xs[1] for v in xs)
    try:
        return items + 1.0
    except TypeError:
        return [*items][-1]


def object_without_items(xs: list[float]) -> Any:
    pair: Any = Pair(xs[0], 2.0)
    found = xs[1]
    for attempt in range(4):
        try:
            if attempt == 0:
                found = float(2.0 in pair)
            elif attempt == 1:
                found, _ = pair
            elif attempt == 2:
                found = pair[0]
            else:
                pair[0] = 7.0
        except TypeError as error:
            print(error)
            found += pair.x * (attempt + 1)
    return found


def number_without_items(xs: list[float]) -> Any:
    x: Any = xs[0]
    try:
        a, b = x
    except TypeError as error:
        print(error)
        a = b = x
    try:
        return a if 1.0 in x else b
    except TypeError as error:
        print(error)
    return a * b


def numbered_from(xs: list[float]) -> Any:
    items = iter(xs)
    first = next(items)
    return sum(i * v for i, v in enumerate(items, start=len(xs))) * first


PROGRAMS = [length_of_a_generator, mean_of_a_generator, unpacked_generator, displayed_generator, object_without_items,
            number_without_items, numbered_from]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_what_has_no_items_raises_as_in_python(f: Any, backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    xs = [1.5, 2.0, 4.0]
    wanted, told = f(xs), capsys.readouterr().out
    found = ccc.compiled(f, backend=backend)(xs)
    assert type(found) is type(wanted) and found == pytest.approx(wanted, rel=1e-14)
    assert capsys.readouterr().out == told
