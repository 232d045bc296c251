"""What may be a list or a tuple, as what `d.get(k, ())` gives: a branch for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees


def groups(x: float, n: int) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for i in range(n):
        found.setdefault(i % 2, []).append(x * i)
    return found


def looped(x: float, n: int) -> float:
    d, t = groups(x, n), 0.0
    for k in range(4):
        for v in d.get(k, ()):
            t = t * 0.5 + v * v
    return t


def looped_while_it_grows(x: float, n: int) -> float:
    d, t = groups(x, n), 0.0
    for k in range(3):
        for v in d.get(k, ()):
            t += v * v
            if len(d[k]) < 6:
                d[k].append(v * 0.5 + t)
    return t


def taken_at_once(x: float, n: int) -> float:
    d = groups(x, n)
    found = [x]
    for k in range(4):
        found.extend(d.get(k, ()))
    return sum([v * i for i, v in enumerate(found)])


def summed_and_counted(x: float, n: int) -> float:
    d, t = groups(x, n), 0.0
    for k in range(4):
        t += sum(d.get(k, ())) * x + len(d.get(k, ()))
        t += max([v * v for v in d.get(k, ())], default=x)
    return t


def or_none(x: float, n: int) -> float:
    d, t = groups(x, n), 0.0
    for k in range(4):
        for v in d.get(k) or ():
            t += v * v
    return t


def array_or_tuple(x: float, n: int) -> float:
    t = 0.0
    for k in range(6):
        r = np.ones(3) * x if k < n else ()
        for v in r:
            t += v * v
        t += 0.5 if type(r) is tuple else x
    return t


def walked(x: float, n: int) -> float:
    graph = {0: [1, 2], 1: [2], 2: []}
    t, seen, todo = 0.0, set(), [n % 2]
    while todo:
        u = todo.pop()
        if u in seen:
            continue
        seen.add(u)
        t = t * x + u
        todo.extend(graph.get(u, ()))
    return t


@pytest.mark.parametrize("f", [
    looped, looped_while_it_grows, taken_at_once, summed_and_counted, or_none, array_or_tuple, walked,
])  # fmt: skip
@pytest.mark.parametrize("stores", ["refused", "always"])
def test_each_is_iterated_as_it_is(f: Callable[..., Any], stores: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_STORES", stores)
    agrees(f, 1.5, 5)
