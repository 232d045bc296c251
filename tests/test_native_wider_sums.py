"""Lists of one of several classes that become lists of one of more: each item stays the same one of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


@dataclass
class Times:
    by: float

    def at(self, t: Any) -> Any:
        return t * self.by


@dataclass
class Plus:
    by: float

    def at(self, t: Any) -> Any:
        return t + self.by


@dataclass
class Minus:
    by: float

    def at(self, t: Any) -> Any:
        return t - 2 * self.by


def joint(w: Any) -> Any:
    some = [Times(v) if v > 0 else Plus(v) for v in w]
    others = [Times(v) if v > 0 else Minus(v) for v in w]
    t = 1.0
    for f in some + others:
        t = f.at(t)
    return t


def either(w: Any) -> Any:
    fs = [Times(v) if v > 0 else Plus(v) for v in w] if w[0] > 5 else [Minus(v) if v > 0 else Plus(v) for v in w]
    t = 1.0
    for f in fs:
        t = f.at(t)
    return t


def in_lists(w: Any) -> Any:
    t = 1.0
    for fs in [[Times(v) if v > 0 else Plus(v)] for v in w] + [[Times(v) if v > 0 else Minus(v)] for v in w]:
        for f in fs:
            t = f.at(t)
    return t


def in_tuples(w: Any) -> Any:
    t = 1.0
    some = [(Times(v) if v > 0 else Plus(v), 1.5) for v in w]
    for f, k in some + [(Times(v) if v > 0 else Minus(v), 2.0) for v in w]:
        t = f.at(t) * k
    return t


def of_functions(w: Any) -> Any:
    some = [lambda t, i=i: t * w[i] for i in range(3)]
    t = 1.0
    for f in some + [lambda t: t + w[i] for i in range(2)]:  # noqa: B023
        t = f(t)
    return t


@pytest.mark.parametrize("f", [joint, either, in_lists, in_tuples, of_functions])
def test_items_stay_what_they_are(f: Callable[..., Any]) -> None:
    gradients_agree(f, np.array([0.3, -0.7, 1.1, 0.6]))


@dataclass
class Tree:
    value: float
    parts: list = field(default_factory=list)


def tree(x: Any) -> Any:
    def grown(depth: int, v: Any) -> Any:
        return Tree(v, [grown(depth - 1, v * x + k) for k in range(2)] if depth else [])

    def total(t: Any) -> Any:
        return t.value + sum(total(part) for part in t.parts)

    return total(grown(3, x))


def test_what_is_laid_out_otherwise_is_left_to_numpy() -> None:
    expected = ccc.gradient(tree, backend="numpy")(0.6)
    assert ccc.gradient(tree, backend="native")(0.6) == pytest.approx(expected)
