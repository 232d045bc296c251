"""`xs += value` of a list is what the value makes of it, where its class has a reflected method, as arrays have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

WEIGHTS = np.array([1.0, 2.0])


class Scaled:
    def __init__(self, by: float) -> None:
        self.by = by

    def __radd__(self, xs: list[float]) -> list[float]:
        return [sum(xs) * self.by, self.by]

    def __rmul__(self, xs: list[float]) -> list[float]:
        return [xs[0] * self.by]


class Declining:
    def __init__(self, v: float) -> None:
        self.v = v

    def __radd__(self, xs: Any) -> Any:
        return NotImplemented

    def __iter__(self) -> Any:
        yield self.v
        yield 2.0


class Holder:
    def __init__(self, xs: Any) -> None:
        self.xs = xs


def of_a_name(x: float) -> Any:
    xs: Any = [x, 2.0]
    other = xs
    xs += np.array([x, 3.0])
    xs += WEIGHTS
    other[0] += x
    return xs[0] + len(xs) + other[0] * x + len(other) + xs[1] * x


def of_an_attribute(x: float) -> Any:
    one = Holder([x, 2.0])
    both = [one, one]
    one.xs += np.array([x, 3.0])
    both[1].xs[0] += x
    return one.xs[0] + len(one.xs) + one.xs[1] * x


def of_items(x: float) -> Any:
    d = {"a": [x, 2.0]}
    rows: Any = [[x, 2.0], d["a"]]
    d["a"] += np.array([x, 3.0])
    rows[0] += np.array([x, 3.0])
    return d["a"][0] * x + len(d["a"]) + rows[0][1] * x + rows[1][0] + len(rows[0])


def in_a_loop(x: float) -> Any:
    xs: Any = [x, 2.0]
    for _ in range(3):
        xs += np.array([x, 3.0])
    return xs[0] * x + len(xs)


def of_objects(x: float) -> Any:
    xs: Any = [x, 2.0]
    other = xs
    xs += Scaled(x)
    other[0] += x
    ys: Any = [x, 2.0]
    ys += Declining(x)
    d: Any = {"a": other}
    d["a"] *= Scaled(x)
    return xs[0] + len(xs) + other[0] + sum(ys) * len(ys) + d["a"][0] + len(d["a"])


def of_sequences(x: float) -> Any:
    """What has no such method is taken in."""
    xs: Any = [x, 2.0]
    other = xs
    xs += (x, 3.0)
    xs += (v * x for v in xs[:2])
    xs += {1: x}
    xs.extend(np.array([x, 3.0]))
    return sum(other) + len(other)


@pytest.mark.parametrize("stores", ["refused", "always"])
@pytest.mark.parametrize("f", [of_a_name, of_an_attribute, of_items, in_a_loop, of_objects, of_sequences])
def test_a_list_and_what_has_a_reflected_method(
    f: Callable[..., Any], stores: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCC_STORES", stores)
    agrees(f, 1.3, second=False, exponentials=("Delta",))


def of_another_length(x: float) -> Any:
    xs: Any = [x, 2.0, 4.0]
    xs += np.array([x, 3.0])
    return xs[0]


def test_lengths_that_do_not_fit_are_told_as_numpy_tells_them() -> None:
    with pytest.raises(ValueError, match="could not be broadcast") as plain:
        of_another_length(1.3)
    with pytest.raises(ValueError, match="could not be broadcast") as found:
        ccc.gradient(of_another_length)(1.3)
    assert str(found.value).startswith(str(plain.value).strip())
