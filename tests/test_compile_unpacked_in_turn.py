"""Iterators that print, unpacked into names: each is asked for as many items as Python asks it for."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def pairs(x: float, n: int, name: str) -> Iterator[Any]:
    for i in range(n):
        print(name, i)
        yield (x * i, x)
    print(name, "ends")


def items(x: float, n: int, name: Any) -> Iterator[float]:
    for i in range(n):
        print(name, i)
        yield x * i


def of_pairs(given: Callable[[float, int], Any]) -> Callable[..., Any]:
    def f(x: float, n: int) -> Any:
        try:
            (a, b), (c, d) = given(x, n)
        except ValueError as error:
            print(error)
            return x
        return a + b * c * d

    return f


def of_items(given: Callable[[float, int], Any]) -> Callable[..., Any]:
    def f(x: float, n: int) -> Any:
        a, b = given(x, n)
        return a + b * x

    return f


def yielded_from(x: float, n: int) -> Iterator[float]:
    yield from items(x, n, "g")
    print("the end")


def kept(x: float, n: int) -> Any:
    it = (v for v in chain(items(x, n, "g"), items(x, n, "h")))
    a, b = it
    return a * b


FUNCTIONS = [
    of_pairs(lambda x, n: (v for v in chain(pairs(x, n, "g"), pairs(x, n, "h")))),
    of_pairs(lambda x, n: chain(pairs(x, n, "g"), pairs(x, n, "h"))), of_pairs(lambda x, n: pairs(x, n, "g")),
    of_pairs(lambda x, n: zip(items(x, n, "g"), items(x, n, "h"))),  # noqa: B905
    of_pairs(lambda x, n: enumerate(items(x, n, "g"))),
    of_items(lambda x, n: map(lambda v: v * 2, items(x, n, "g"))),
    of_items(lambda x, n: (v * 2 for v in items(x, n, 1))),
    of_items(lambda x, n: filter(lambda v: v >= 0, items(x, n, "g"))), of_items(lambda x, n: yielded_from(x, n)),
    of_items(lambda x, n: islice(items(x, n, "g"), 4)), of_items(lambda x, n: list(items(x, n, "g"))),
    of_items(lambda x, n: (v for w in range(n) for v in items(x, 2, w))), kept,
]  # fmt: skip


def shown(f: Callable[..., Any], *args: Any) -> str:
    """What a function gives or raises, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            found = repr(f(*args))
        except ValueError as error:
            found = repr(error)
    return out.getvalue() + found


@TARGETS
@pytest.mark.parametrize("f", FUNCTIONS)
def test_no_more_is_asked_for_than_there_are_names_and_one(f: Callable[..., Any], backend: str) -> None:
    """All items were asked for."""
    compiled = ccc.compiled(f, backend=backend)
    for n in (0, 1, 2, 3, 5):
        assert shown(compiled, 2.5, n) == shown(f, 2.5, n)


@TARGETS
def test_derivatives_in_what_is_unpacked(backend: str) -> None:
    for f in FUNCTIONS[2:8]:
        slope = ccc.gradient(f, wrt="x", backend=backend)(2.5, 2)
        assert slope == pytest.approx((f(2.5 + 1e-6, 2) - f(2.5 - 1e-6, 2)) / 2e-6)
