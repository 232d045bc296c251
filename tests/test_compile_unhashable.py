"""Keys, and items of sets, that have no hash."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def caught(use: Callable[[dict[Any, Any], float], Any]) -> Callable[..., Any]:
    """A function that catches what a use of a dict raises."""
    def f(x: float) -> Any:
        print("before")
        d = {1: x}
        try:
            found = use(d, x)
            print("not raised")
            return found
        except (KeyError, TypeError) as error:
            print(type(error).__name__, error)
        finally:
            print("in the end")
        return x * 2

    return f


def assigned(d: dict[Any, Any], x: float) -> Any:
    d[1, [x]] = x


def deleted(d: dict[Any, Any], x: float) -> Any:
    del d[[1]]


def displayed(d: dict[Any, Any], x: float) -> Any:
    key: Any = [1]
    return {key: x}


def in_a_loop(d: dict[Any, Any], x: float) -> Any:
    for k in range(3):
        try:
            d[[k]] = x
        except TypeError:
            x = x + 1.0
    return x


def in_a_branch(d: dict[Any, Any], x: float) -> Any:
    return x if x > 0 else d[[1]]


USES: list[Any] = [
    assigned, deleted, in_a_loop, in_a_branch, lambda d, x: d[[1]], lambda d, x: d.get([1], x), lambda d, x: d.pop([1]),
    lambda d, x: d.setdefault({}, x), lambda d, x: x if [1] in d else -x, displayed,
    lambda d, x: {1, (2, [x])}, lambda d, x: frozenset([[x]]), lambda d, x: dict([([1], x)]),
    lambda d, x: d[np.array([1.0])], lambda d, x: d[{1}],
]  # fmt: skip


def printed(f: Callable[..., Any], x: float) -> tuple[Any, str]:
    """What a function gives, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        return f(x), out.getvalue()


@TARGETS
@pytest.mark.parametrize("use", USES)
def test_what_has_no_hash_raises_where_the_program_comes_there(use: Callable[..., Any], backend: str) -> None:
    f = caught(use)
    compiled = ccc.compiled(f, backend=backend)
    for x in (2.0, -1.0):
        assert printed(compiled, x) == printed(f, x)
    slope = ccc.gradient(f, backend=backend)(2.0)
    assert slope == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6)


def test_keys_of_callers_that_have_no_hash() -> None:
    def f(x: float, keys: list[Any]) -> Any:
        d: dict[Any, float] = {}
        for k in keys:
            try:
                d[k] = x
            except TypeError:
                x = x * 2
        return x

    assert [ccc.compiled(f)(2.0, keys) for keys in ([1, 2], [[1], [2]])] == [2.0, 8.0]


def caught_where_none_is_raised(x: float) -> float:
    found = {}
    try:
        found[x * 1j] = x
    except TypeError:
        return 7.0 * x
    return found[x * 1j]


def test_complex_numbers_are_keys():
    """They were said to have no hash, where a `try` caught that too."""
    agrees_in_value(caught_where_none_is_raised, 0.7)
    agrees_in_value(lambda x: {x * 1j: 3.0 * x, (x + 2j): x}[x * 1j], 0.7)
