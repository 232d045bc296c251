"""Attributes of objects that are deleted: `del p.a`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b


def read_again(x: Any) -> Any:
    p = Pair(x[0], x[1])
    s = p.a
    del p.a
    try:
        s += p.a
    except AttributeError:
        s *= 3.0
    return s * p.b


def on_one_path(x: Any) -> Any:
    p = Pair(x[0], x[1])
    if x[2] > 0:
        del p.a
    return p.b * 2.0 + (p.a if hasattr(p, "a") else 5.0 * x[0])


def for_a_while(x: Any) -> Any:
    p = Pair(x[0], x[1])
    for v in x:
        p.held = v * p.a  # type: ignore[attr-defined]
        p.b = p.b + p.held * p.held  # type: ignore[attr-defined]
        del p.held  # type: ignore[attr-defined]
    return p.b * len(vars(p))


def not_there(x: Any) -> Any:
    p = Pair(x[0], x[1])
    try:
        del p.c  # type: ignore[attr-defined]
    except AttributeError:
        return p.b * 3.0
    return p.b


def seen_by_others(x: Any) -> Any:
    p = Pair(x[0], x[1])
    both = [p, p]
    del both[0].a
    return p.b * len(vars(both[1]))


def several_at_once(x: Any) -> Any:
    p, s = Pair(x[0], x[1]), x[0]
    del (p.a, s)
    return p.b * len(vars(p))


@pytest.mark.parametrize("f", [several_at_once, read_again, on_one_path, for_a_while, not_there, seen_by_others])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_deleted_attribute_is_there_no_more(f: Callable[..., Any], sign: float) -> None:
    agrees(f, sign * np.array([0.3, -1.2, 0.7]))
