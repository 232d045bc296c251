"""An access to a place in a store takes as many bytes whatever the number of places, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import places

SIZES = (40, 320)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", places.PROGRAMS, ids=lambda f: f.__name__)
def test_an_access_takes_as_many_bytes_whatever_the_number_of_places(f: Callable[..., Any]):
    for backward in (False, True):
        few, many = places.per_place(f, SIZES, backward)
        assert 0 < many <= few


def test_so_does_one_to_what_the_caller_has():
    for backward in (False, True):
        few, many = places.of_the_caller(SIZES, backward)
        assert 0 < many <= few


def test_a_copy_for_each_access_is_seen():
    def copied(n: int) -> None:
        xs = [0.0] * n
        for _ in range(n):
            xs = list(xs)

    few, many = [places.allocated(lambda n=n: copied(n)) // n for n in SIZES]
    assert many > 4 * few
