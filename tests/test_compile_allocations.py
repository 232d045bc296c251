"""What `explain` says of each place where a function makes something: which representation it got, and why."""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc

KNOWN, LIST, MAP, ARRAY = "known part by part", "a list of the program", "a map of the program", "an array"
STORE = "store"


@dataclass
class Point:
    v: Any
    w: Any = 1.0


def of_parts(x: float) -> float:
    p = Point(x)
    p.v = p.v * 2.0
    return p.v


def that_grows(x: float) -> float:
    xs = [x]
    for _ in range(int(x) + 20):
        xs.append(xs[-1] * 0.5)
    return sum(xs)


def that_is_collected(x: float) -> float:
    ys = [x * i for i in range(20)]
    return sum(ys)


def by_unknown_keys(x: float) -> float:
    e = {}
    for i in range(20):
        e[i % 3] = e.get(i % 3, 0.0) + x
    return e[0]


def array_of_its_own(x: float) -> Any:
    a = np.zeros(3)
    a[1] = x
    return np.sum(a * a)


def chosen_object(x: float) -> float:
    a = Point(x)
    b = Point(x * x)
    c = a if x > 1.0 else b
    c.v = c.v * x
    return a.v + b.v


def chosen_array(x: float) -> Any:
    a = np.array([x, 1.0])
    b = np.array([x * x, x])
    c = a if x > 1.0 else b
    c[0] = 3.0 * x
    return np.sum(a * b)


def linked(x: float) -> float:
    top: Any = None
    for i in range(20):
        top = Point(x * i, top)
    top.w.v = x
    return top.v + top.w.v


def objects_in_lists(x: float) -> float:
    xs = [Point(x), Point(1.0)]
    for i in range(int(x) + 1):
        xs[i].v *= x
    return xs[0].v


def counted(x: float) -> float:
    s = set()
    for i in range(20):
        s.add(i % 4)
    return x * len(s)


def queue(x: float) -> float:
    q = collections.deque([x])
    q.append(q.popleft() * x)
    return q[0]


@pytest.mark.parametrize(("f", "said"), [
    (of_parts, {"Point(x)": KNOWN}), (that_grows, {"[x]": LIST}),
    (that_is_collected, {"[x * i for i in range(20)]": LIST}), (by_unknown_keys, {"{}": MAP}),
    (array_of_its_own, {"np.zeros(3)": ARRAY}), (chosen_object, {"Point(x)": STORE, "Point(x * x)": STORE}),
    (chosen_array, {"np.array([x, 1.0])": STORE, "np.array([x * x, x])": STORE}),
    (linked, {"Point(x * i, top)": STORE}),
    (objects_in_lists, {"[Point(x), Point(1.0)]": STORE, "Point(x)": STORE, "Point(1.0)": STORE}),
    (counted, {"set()": "`set`, store"}), (queue, {"collections.deque([x])": KNOWN}),
])  # fmt: skip
def test_what_each_is_in_the_program(f: Callable[[float], Any], said: dict[str, str]) -> None:
    found = ccc.explain(f, 1.5)
    lines = {line.split("`")[1]: line for line in found.allocations.splitlines()}
    for text, what in said.items():
        assert what in lines[text].partition(f"`{text}`: ")[2], found.allocations
        assert (" since " in lines[text]) == (what.endswith("store")) and lines[text].count(":") >= 3
    assert found.sections["allocations"] == found.allocations
