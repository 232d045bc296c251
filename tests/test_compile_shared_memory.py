"""What is changed in place is seen under every name that Python has for it, or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError

W = np.array([[1.3, -0.4, 0.7], [0.2, 0.9, -1.1], [-0.6, 1.7, 0.35]])


def agrees_or_refuses(f: Callable[..., Any], *args: Any) -> None:
    """Value and gradient are plain Python's and those of differences, or the program is refused."""
    try:
        ccc.gradient(f, wrt="w")(*args)
    except CompileError:
        return
    agrees(f, *args)


# -- what calls give back ----------------------------------------------------------------------------------------------


def last(xs, i):
    return xs if i == 0 else last(xs, i - 1)


GIVEN_BACK: dict[str, Callable[..., Any]] = {
    "λ": lambda d, n: (lambda q: q)(d),
    "λ of a λ": lambda d, n: (lambda h, q: h(q))(lambda q: q, d),
    "recursion": last,
    "a tuple": lambda d, n: (lambda q: (q, 1))(d)[0],
    "items": lambda d, n: list(map(lambda a: a, d)),
}


@pytest.mark.parametrize("given", GIVEN_BACK.values(), ids=GIVEN_BACK)
@pytest.mark.parametrize("lists", [False, True], ids=["arrays", "lists"])
@pytest.mark.parametrize("first", [False, True], ids=["behind", "before"])
def test_what_a_call_gives_back_is_what_it_was_given(given: Any, lists: bool, first: bool) -> None:
    """The list that a λ gave back kept the items from before a change of the list that it was given."""

    def f(w, n, k):
        d = [[w[i, 0], w[i, 1]] for i in range(n)] if lists else [w[i] * 2.0 for i in range(n)]
        c = given(d, n)
        z = c[k]
        d[k][0] = 7.0 * w[0, 1]
        if not first:
            z = c[k]
        return np.sum(np.array(z) ** 2)

    agrees_or_refuses(f, W, 3, 1)


def test_what_a_call_makes_anew_is_its_own() -> None:
    def f(w, n):
        fresh = lambda q: [a * 2.0 for a in q]  # noqa: E731
        d = [w[i] * 2.0 for i in range(n)]
        c = fresh(d)
        d[1][0] = w[0, 1]
        return np.sum(c[1] * d[1])

    ccc.gradient(f, wrt="w")(W, 3)
    agrees(f, W, 3)
