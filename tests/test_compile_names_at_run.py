"""Attributes by names that branches choose, sequences and mappings of `collections.abc`, and what is read of known
texts."""

from __future__ import annotations

import collections
import collections.abc
import json
import math
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def twice(self) -> Any:
        return 2 * self.a

    def both(self) -> Any:
        return self.a + self.b


class Tree:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.left: Any = None
        self.right: Any = None

    def insert(self, v: Any) -> None:
        side = "left" if v < self.v else "right"
        child: Any = getattr(self, side)
        if child is None:
            setattr(self, side, Tree(v))
        else:
            child.insert(v)

    def __iter__(self) -> Any:
        if self.left:
            yield from self.left
        yield self.v
        if self.right:
            yield from self.right


class Row(collections.abc.Sequence):
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: Any) -> Any:
        return self.items[i]


def by_name(x: Any) -> Any:
    p = Pair(x, x * x)
    name = "a" if x > 1 else "b"
    other = "twice" if x > 2 else "both"
    function = "sin" if x > 1 else "cos"
    setattr(p, name, getattr(p, name) * 3)
    return p.a * p.b + getattr(p, other)() + getattr(math, function)(x) + getattr(p, name, 0.0)


def trees(x: Any) -> Any:
    tree = Tree(x)
    for v in (2.0, x * x, 0.1, 3 * x, -x):
        tree.insert(v)
    return sum((i + 1) * v for i, v in enumerate(tree))


def rows(x: Any) -> Any:
    r = Row(x, 2.0, x * x)
    return (sum(r) + max(r) + sum(reversed(r)) * 2 + r.index(2.0) * x + (x if 2.0 in r else 0.0) + r.count(2.0) * x
            + r[-1] + sum(v * v for v in r))


def user_lists(x: Any) -> Any:
    p = collections.UserList([x, 2.0])
    p.append(x * x)
    q = (p + [x]) * 2  # noqa: RUF005
    return sum(q[1:]) + sum(p) + max(p) + np.sum(np.array(p)) + (x if isinstance(p, collections.UserList) else 0.0)


CONFIGURATION = '{"a": 2.5, "layers": [1, 2], "act": "tanh", "opt": {"lr": 0.1, "on": true, "z": null}}'


def known_texts(x: Any) -> Any:
    found, again = json.loads(CONFIGURATION), json.loads(CONFIGURATION)
    found["layers"].append(4)
    found["opt"]["lr"] *= x
    rate = found["opt"]["lr"] if found["opt"]["on"] and found["opt"]["z"] is None else 0.0
    total = sum(getattr(math, found["act"])(x * n) for n in found["layers"]) * found["a"]
    return total + rate + again["opt"]["lr"] * len(again["layers"]) * x + len(textwrap.dedent("  a\n  b")) * x


@pytest.mark.parametrize("f", [by_name, trees, rows, user_lists, known_texts])
def test_programs(f: Callable[..., Any]):
    agrees(f, 1.3)
    agrees(f, 2.3)
