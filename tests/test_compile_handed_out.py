"""Sets, deques and the dicts of `collections` as results: the caller gets objects of Python's classes."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments


def a_set(ws: list[float]) -> Any:
    found = set()
    for i, w in enumerate(ws):
        if w > 1.0:
            found.add(i)
    return found, {1, "b", (2, 3)}


def a_deque(ws: list[float]) -> Any:
    last = deque(maxlen=2)
    for w in ws:
        last.append(2.0 * w)
    return last


def rows(ws: list[float]) -> Any:
    found = defaultdict(list)
    for w in ws:
        found[w > 1.0].append(w)
    return found, 1


def first(ws: list[float]) -> Any:
    found = OrderedDict()
    for w in ws:
        found.setdefault(int(w), w)
    return found


def counts(ws: list[float]) -> Any:
    return Counter([int(w) for w in ws])


def kinds(x: Any) -> Any:
    """The classes in a structure."""
    inside = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple, deque)) else ()
    return type(x), getattr(x, "maxlen", None), [kinds(part) for part in inside]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [a_set, a_deque, rows, first, counts])
def test_containers_are_those_of_python(f: Any, backend: Any) -> None:
    found, expected = ccc.compiled(f, backend=backend)([0.5, 1.5, 1.25]), f([0.5, 1.5, 1.25])
    assert found == expected and kinds(found) == kinds(expected)


def test_they_have_derivatives() -> None:
    value, pullback = ccc.value_with_pullback(a_deque)([0.5, 1.5, 1.25])
    assert value == deque([3.0, 2.5], maxlen=2) and pullback(deque([1.0, 0.5])) == [0.0, 2.0, 1.0]
    assert ccc.jvp(a_deque, ([0.5, 1.5, 1.25],), ([1.0, 0.0, 2.0],))[1] == deque([0.0, 4.0])
    with pytest.raises(WrongArguments, match="the value is a deque, so must its cotangent be; found list"):
        pullback([1.0, 0.5])
