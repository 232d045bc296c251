"""What one arm of a branch has computed and returns is not under way in the other, which may change it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from checks import agrees, agrees_in_value


def chunks(xs: Any, size: int) -> Iterator[tuple[float, ...]]:
    left = iter(xs)
    while True:
        chunk = tuple(itertools.islice(left, size))
        if not chunk:
            return
        yield chunk


def sums_of_chunks(xs: list[float]) -> list[float]:
    return [sum(chunk) for chunk in chunks(xs, 2)]


def weighted(xs: list[float]) -> float:
    total = 0.0
    for i, chunk in enumerate(chunks(xs, 2)):
        total += (i + 1) * chunk[0] * len(chunk)
    return total


def returned_or_changed(xs: list[float]) -> Any:
    made = [xs[0]]

    def more(times: float) -> list[float]:
        if times > 1.0:
            return made
        made.append(times * xs[0])
        return made

    one, other = more(xs[1]), more(xs[2])
    return one, other, one is other


def changed_finally(xs: list[float]) -> Any:
    made = [xs[0]]

    def more(times: float) -> list[float]:
        try:
            if times > 1.0:
                return made
            made.append(times * xs[0])
            return made
        finally:
            made.append(-xs[0])

    return more(xs[1]), more(xs[2])


@pytest.mark.parametrize("f", [sums_of_chunks, returned_or_changed, changed_finally])
@pytest.mark.parametrize("xs", [[1.0, 2.0, 0.5, 4.0, 5.0], [1.0, 0.5, 2.0]])
def test_values(f: Any, xs: list[float]) -> None:
    agrees_in_value(f, xs)


def test_batches_of_a_generator_have_a_derivative() -> None:
    agrees(weighted, [1.0, 2.0, 3.0, 4.0, 5.0])
