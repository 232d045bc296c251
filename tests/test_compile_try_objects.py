"""Objects whose `__init__` or `__post_init__` raises where it is caught: each is made once, and is what it was made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


class Gauge:
    def __init__(self, n: Any, y: Any) -> None:
        self.d = 3.0 * y
        if n > 3:
            raise ValueError("full")
        self.d += 1.0


@dataclass
class Tank:
    n: Any
    d: Any

    def __post_init__(self) -> None:
        self.d = self.d * 3.0
        if self.n > 3:
            raise ValueError("full")
        self.d += 1.0


@dataclass
class Plant:
    tank: Any
    e: Any

    def __post_init__(self) -> None:
        if self.e > 30.0:
            raise KeyError("hot")
        self.e = self.e * 2.0


def by_init(y: Any, n: Any) -> Any:
    try:
        x = Gauge(n, y)
    except ValueError:
        return y
    x.d *= y
    return x.d


def by_post_init(y: Any, n: Any) -> Any:
    try:
        x = Tank(n, y)
    except ValueError:
        return y
    return x.d * y


def one_in_another(y: Any, n: Any) -> Any:
    try:
        x = Plant(Tank(n, y), 20.0 * y)
    except ValueError:
        return y
    except KeyError:
        return y * y
    return x.tank.d * y * x.e


def made_anew(y: Any, n: Any) -> Any:
    try:
        x = Gauge(n, y)
    except ValueError:
        x = Gauge(0, 2.0 * y)
    z = [x]
    x.d *= y
    return z[0].d


def collected(y: Any, n: Any) -> Any:
    xs: list[Plant] = []
    for i in range(6):
        try:
            xs.append(Plant(Tank(i, y), i * y))
        except ValueError:
            xs.append(Plant(Tank(0, y), y))
    xs[2].e = xs[3].tank.d + n
    return sum([x.tank.d * x.e for x in xs])


@pytest.mark.parametrize("stores", ["refused", "always"])
@pytest.mark.parametrize(("y", "n"), [(0.7, 1), (0.7, 5), (1.7, 1)])
@pytest.mark.parametrize("f", [by_init, by_post_init, one_in_another, made_anew, collected], ids=lambda f: f.__name__)
def test_an_object_is_made_once_where_making_it_may_raise(f, y, n, stores, monkeypatch):
    monkeypatch.setenv("CCC_STORES", stores)
    agrees(lambda y: f(y, n), y, second=False)
    assert ccc.gradient(f, backend="native")(y, n)[0] == pytest.approx(
        ccc.gradient(f, backend="numpy")(y, n)[0], rel=1e-12
    )


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_counter_is_made_once_in_a_try(backend):
    def f(names: list[int], x: Any) -> Any:
        try:
            found = Counter()
            for name in names:
                found[name] += 1
        except TypeError:
            return Counter()
        return found

    assert ccc.compiled(f, backend=backend)([1, 2, 1], np.float64(2.0)) == Counter({1: 2, 2: 1})
