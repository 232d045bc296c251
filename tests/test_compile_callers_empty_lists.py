"""Empty lists of callers that a function does not change: nothing says what their items are."""

# ruff: noqa: RUF005 - `xs + [1]` is what these are about

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def shown(f: Callable[..., Any], *args: Any) -> str:
    """What a function gives, with the classes of numbers, and prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        return f"{f(*args)!r} {out.getvalue()}"


def grown(xs: Any, t: Any) -> Any:
    out = []
    for k in range(2):
        out = out + xs + [k]
    return out


def copied(xs: Any, t: Any) -> Any:
    ys = xs[:]
    ys.append(1)
    return ys, xs, t


def printed(xs: Any, t: Any) -> Any:
    print(xs + [1], xs or [2], xs, [*xs, 3], sorted(xs + [2, 1]))
    return t


def largest(xs: Any, t: Any) -> Any:
    m = t
    for x in xs:
        if x > m:
            m = x
    return m


FUNCTIONS = [
    lambda xs, t: xs + [1], lambda xs, t: [1] + xs, lambda xs, t: xs or [t], lambda xs, t: xs + [t], grown, copied,
    lambda xs, t: xs or [1, 2], lambda xs, t: (xs + [1])[0], lambda xs, t: xs + ["a"], lambda xs, t: xs + [(1, t)],
    lambda xs, t: [x for x in xs] + [True], lambda xs, t: (max(xs + [1]), max(xs, default=1)), printed, largest,
    lambda xs, t: {"a": xs + [1], "b": t}, lambda xs, t: tuple(xs) + (1,), lambda xs, t: isinstance((xs + [1])[0], int),
    lambda xs, t: sum(xs + [1]) * t, lambda xs, t: (xs[0] if xs else t) * 2, lambda xs, t: math.fsum(xs) + t,
]  # fmt: skip


@TARGETS
@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_is_made_of_an_empty_list_has_the_classes_that_python_gives(f: Callable[..., Any], backend: str) -> None:
    """Its items were floats, so that ints beside them became floats."""
    compiled = ccc.compiled(f, backend=backend)
    for t in (2.5, 2, -1.5):
        assert shown(compiled, [], t) == shown(f, [], t)


@TARGETS
def test_derivatives_in_empty_lists(backend: str) -> None:
    for f in (largest, lambda xs, t: sum(x * x for x in xs) + t, lambda xs, t: np.sum(np.array(xs + [t]))):
        assert ccc.gradient(f, backend=backend)([], 2.0) == ([], 1.0)
        assert ccc.gradient(f, backend=backend)([3.0], 2.0)[0] != []
    assert ccc.jvp(lambda xs, t: xs + [t], ([], 2.0), ([], 1.0), backend=backend) == ([2.0], [1.0])
    assert ccc.vjp(lambda xs, t: xs + [t], [], 2.0, backend=backend)[1]([3.0]) == ([], 3.0)
