"""Classes of other libraries that were registered as structures: as arguments, results, items of lists, cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import ccc
from ccc.errors import UnknownObject


class Ray:
    """Made as some libraries make them: with a `__new__`, slots, and parts under other names."""

    __slots__ = ("_name", "_origin", "_slope")

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return super().__new__(cls)

    def __init__(self, origin: Any, slope: Any, name: str = "") -> None:
        self._origin, self._slope, self._name = origin, slope, name

    @property
    def origin(self) -> Any:
        return self._origin

    @property
    def slope(self) -> Any:
        return self._slope

    def at(self, t: Any) -> Any:
        return self.origin + self.slope * t


class Pair:
    def __init__(self, first: Any, second: Any) -> None:
        self._both = (first, second)

    @property
    def first(self) -> Any:
        return self._both[0]

    @property
    def second(self) -> Any:
        return self._both[1]


ccc.register(Ray, lambda r: {"origin": r.origin, "slope": r.slope, "name": r._name}, Ray)
ccc.register(Pair, lambda p: {"first": p._both[0], "second": p._both[1]}, Pair)
ccc.register(Polynomial, lambda p: {"coef": p.coef}, lambda coef: Polynomial(coef))


def f(ray: Any, t: Any) -> Any:
    return np.sum(np.sin(ray.at(t)))


RAY = Ray(np.array([1.0, 2.0]), 3.0, "r")


@pytest.mark.parametrize("backend", ["numpy", "native", None])
def test_the_gradient_is_of_the_class(backend: Any):
    ct, dt = ccc.gradient(f, backend=backend)(RAY, 0.5)
    slope = np.cos(np.array([1.0, 2.0]) + 1.5)
    assert type(ct) is Ray and np.allclose(ct.origin, slope) and np.isclose(ct.slope, 0.5 * slope.sum())
    assert np.isclose(dt, 3.0 * slope.sum()) and ct._name is None
    assert np.allclose(ccc.gradient(f, wrt="ray.origin", backend=backend)(RAY, 0.5), slope)


def test_forward_mode_and_second_derivatives():
    move = Ray(np.array([1.0, 0.0]), 2.0)
    ct = ccc.gradient(f, wrt="ray")(RAY, 0.5)
    value, differential = ccc.value_with_differential(f, wrt="ray")(RAY, 0.5)
    assert value == f(RAY, 0.5) and np.isclose(differential(move), ct.origin[0] + 2.0 * ct.slope)
    second = ccc.hvp(lambda ray: f(ray, 0.5))(RAY, move)
    step = 1e-6
    there = [Ray(RAY.origin + s * move.origin, 3.0 + s * 2.0, "r") for s in (step, -step)]
    moved = [ccc.gradient(f, wrt="ray")(ray, 0.5) for ray in there]
    assert np.allclose(second.origin, (moved[0].origin - moved[1].origin) / (2 * step), rtol=1e-6)


def test_objects_in_lists_and_loops():
    def total(rays, t):
        s = 0.0
        for ray in rays:
            s = s + ray.slope * t * ray.origin
        return s

    def total_plain(pairs, t):
        return total([Ray(a, b) for a, b in pairs], t)

    rays = [Ray(1.0, 2.0), Ray(3.0, 4.0)]
    cts = ccc.gradient(total, wrt="rays")(rays, 0.5)
    assert [(type(ct), ct.origin, ct.slope) for ct in cts] == [(Ray, 1.0, 0.5), (Ray, 2.0, 1.5)]
    assert ccc.gradient(total, wrt="rays[1].slope")(rays, 0.5) == 1.5
    assert total_plain([(1.0, 2.0), (3.0, 4.0)], 0.5) == total(rays, 0.5)


def test_results_are_of_the_class():
    def swapped(pair, x):
        return Pair(pair.second * x, pair.first)

    value, pullback = ccc.value_with_pullback(swapped)(Pair(2.0, 3.0), 5.0)
    assert type(value) is Pair and (value.first, value.second) == (15.0, 2.0)
    ct, dx = pullback(Pair(1.0, 10.0))
    assert (ct.first, ct.second, dx) == (10.0, 5.0, 3.0)
    same, back = ccc.value_with_pullback(lambda pair: pair)(Pair(2.0, 3.0))
    assert type(same) is Pair and back(Pair(1.0, 2.0)).second == 2.0


def test_a_class_of_numpy():
    p = Polynomial([1.0, 2.0, 3.0])
    ct = ccc.gradient(lambda p, x: p.coef[0] + p.coef[1] * x + p.coef[2] * x * x, wrt="p")(p, 2.0)
    assert type(ct) is Polynomial and ct.coef.tolist() == [1.0, 2.0, 4.0]


def test_what_cannot_be_registered():
    with pytest.raises(UnknownObject, match="takes a class of a library"):
        ccc.register(float, lambda x: {"x": x}, float)

    class Odd:
        __slots__ = ()

    ccc.register(Odd, lambda x: [1.0], Odd)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnknownObject, match="are no dict with names"):
        ccc.gradient(lambda x: x.a)(Odd())
