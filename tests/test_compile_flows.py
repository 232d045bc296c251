"""`gradient_of(y, wrt=x)` where the values stand: through branches, loops, calls, objects and other gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import slope

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.errors import CCCError

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


class Node:
    def __init__(self, v: Any, following: Any = None) -> None:
        self.v, self.following = v, following


class Sums:
    def __init__(self) -> None:
        self.items: list[Any] = []
        self.total: Any = 0.0

    def add(self, v: Any) -> None:
        self.items.append(v)
        self.total += v * len(self.items)


def branch(x: Any) -> Any:
    return x * x if x > 1.0 else 3.0 * x


def loop(x: Any) -> Any:
    y = x
    for i in range(50):
        y = math.sin(y) + 0.1 * i
    return y


def until(x: Any) -> Any:
    y = x
    while y < 40.0:
        y = y * (1.0 + x)
    return y


def recursion(x: Any) -> Any:
    def power(n: int) -> Any:
        return x if n == 0 else power(n - 1) * x

    return power(4)


def linked(x: Any) -> Any:
    head: Any = None
    for i in range(4):
        head = Node(x * i, head)
    head.v *= x
    y = 0.0
    while head is not None:
        y += head.v**2
        head = head.following
    return y


def objects(x: Any) -> Any:
    a = Sums()
    for b in [a, Sums()] * 3:
        b.add(x**2)
    a.items[0] = x**3
    return a.total + sum(a.items)


def keys(x: Any) -> Any:
    d: dict[str, Any] = {}
    for k in "ababab":
        d[k] = d.get(k, x) * x
    return sum(d.values())


def caught(x: Any) -> Any:
    try:
        if x < 1.0:
            raise ValueError
        return math.sqrt(x)
    except ValueError:
        return -x


def parts(x: Any) -> Any:
    w = np.zeros(3)
    w[0] = x
    v = w
    v[1] = x * x
    y = w.sum()
    w[2] = 100 * x
    return y


def inner_gradient(x: Any) -> Any:
    return ccc.gradient(lambda t: t**3 * x)(x)


@TARGETS
@pytest.mark.parametrize("f", [
    branch, loop, until, recursion, linked, objects, keys, caught, parts, inner_gradient])
def test_the_gradient_is_that_of_the_function(f: Callable[..., Any], backend: str):
    def first(x: Any) -> Any:
        y = f(x)
        return ccc.gradient_of(y, wrt=x)

    def second(x: Any) -> Any:
        y = f(x)
        g = ccc.gradient_of(y, wrt=x)
        return ccc.gradient_of(g, wrt=x)

    for x in (0.9, 1.7):
        expected = ccc.gradient(f)(x)
        assert ccc.compiled(first, backend=backend)(x) == pytest.approx(expected, rel=1e-12)
        assert expected == pytest.approx(slope(f, [x], [1.0])[0], rel=1e-6)
        bend = ccc.gradient(ccc.gradient(f))(x)
        assert ccc.compiled(second, backend=backend)(x) == pytest.approx(bend, rel=1e-10, abs=1e-12)
        assert ccc.gradient(first, backend=backend)(x) == pytest.approx(bend, rel=1e-10, abs=1e-12)


@TARGETS
def test_several_values_and_structures(backend: str):
    def f(x: Any, p: Any) -> Any:
        a, b = x * 2, x + 1
        y = a * b * b + p["w"] @ p["w"] * p["b"]
        (only,) = ccc.gradient_of(y, wrt=(a,))
        return ccc.gradient_of(y, wrt=(a, b)), ccc.gradient_of(y, wrt=p), only, ccc.gradient_of(x, wrt=x)

    (ga, gb), gp, only, one = ccc.compiled(f, backend=backend)(2.0, {"w": np.array([1.0, 2.0]), "b": 3.0})
    assert (ga, gb, only, one) == (9.0, 24.0, 9.0, 1.0)
    np.testing.assert_allclose(gp["w"], [6.0, 12.0])
    assert gp["b"] == 5.0


@TARGETS
def test_training_where_the_loss_stands(backend: str):
    def trained(x: Any) -> Any:
        w = x * np.ones(3)
        for _ in range(5):
            loss = np.sum((w - np.arange(3.0)) ** 2)
            w = w - 0.1 * ccc.gradient_of(loss, wrt=w)
        return np.sum(w * w)

    def plain(x: Any) -> Any:
        w = x * np.ones(3)
        for _ in range(5):
            w = w - 0.2 * (w - np.arange(3.0))
        return np.sum(w * w)

    assert ccc.compiled(trained, backend=backend)(2.0) == pytest.approx(plain(2.0), rel=1e-13)
    assert ccc.gradient(trained, backend=backend)(2.0) == pytest.approx(ccc.gradient(plain)(2.0), rel=1e-12)


@TARGETS
def test_an_array_that_was_changed_in_place_is_what_it_holds(backend: str):
    def trained(x: Any) -> Any:
        w = x * np.ones(2)
        for _ in range(3):
            loss = np.sum(w * w)
            w -= 0.1 * ccc.gradient_of(loss, wrt=w)
        return w

    def f(x: Any) -> Any:
        p = {"v": x * np.ones(3)}
        v, u = p["v"], p["v"][1:]
        v[0] = 5.0
        y = np.sum(v * v)
        return ccc.gradient_of(y, wrt=v), ccc.gradient_of(y, wrt=p), ccc.gradient_of(np.sum(u * u), wrt=u)

    np.testing.assert_allclose(ccc.compiled(trained, backend=backend)(2.0), [1.024, 1.024], rtol=1e-14)
    np.testing.assert_allclose(ccc.gradient(lambda x: np.sum(trained(x)), backend=backend)(2.0), 1.024, rtol=1e-14)
    whole, parts, view = ccc.compiled(f, backend=backend)(2.0)
    np.testing.assert_array_equal(whole, [10.0, 4.0, 4.0])
    np.testing.assert_array_equal(parts["v"], whole)
    np.testing.assert_array_equal(view, [4.0, 4.0])


@TARGETS
def test_functions_on_the_way_are_called_there(backend: str):
    def f(x: Any) -> Any:
        def early(t: Any) -> Any:
            if t < 3.0:
                return math.sin(t)
            return t

        def power(n: int, t: Any) -> Any:
            return t if n == 0 else power(n - 1, t * early(0.5))

        y = early(x) * power(3, x)
        return ccc.gradient_of(y, wrt=x)

    for x in (0.9, 4.0):
        by_hand = math.sin(0.5) ** 3 * (math.cos(x) * x + math.sin(x) if x < 3.0 else 2.0 * x)
        assert ccc.compiled(f, backend=backend)(x) == pytest.approx(by_hand, rel=1e-14)


@TARGETS
def test_what_lies_between_is_constant_from_there_on(backend: str):
    def f(x: Any) -> Any:
        y = x * x
        z = ccc.gradient_of(y, wrt=x)
        u = z * y
        return ccc.gradient_of(u, wrt=y), ccc.gradient_of(u, wrt=x)

    by_y, by_x = ccc.compiled(f, backend=backend)(3.0)
    assert (by_y, by_x) == (6.0, 54.0)


def test_effects_that_lead_nowhere_happen_once(capsys: pytest.CaptureFixture[str]):
    def f(x: Any) -> Any:
        y = x * x
        print("at", y)
        return ccc.gradient_of(y, wrt=x)

    assert ccc.compiled(f)(3.0) == 6.0
    assert capsys.readouterr().out == "at 9.0\n"


def reassigned(x: Any) -> Any:
    y = x * x
    x = x + 1.0
    return ccc.gradient_of(y, wrt=x)


def along(x: Any) -> Any:
    y, total = 0.0, 0.0
    for v in np.linspace(0.0, 1.0, 50):
        y += v * x
        total += ccc.gradient_of(y, wrt=x)
    return total


def drawn(x: Any) -> Any:
    rng, y = np.random.default_rng(1), 0.0
    for _ in range(3):
        y += rng.normal(x, 1.0) * x
    return ccc.gradient_of(y, wrt=x)


@pytest.mark.parametrize(("f", "says"), [
    (reassigned, "does not depend on what `wrt` is here"),
    (along, "through earlier turns of a loop"),
    (drawn, "through what draws or has an effect"),
    (lambda x: ccc.gradient_of(x * np.ones(3), wrt=x), "needs a real number"),
    (lambda x: ccc.gradient_of(x * x, wrt=2.0), "known while compiling"),
])
def test_what_is_refused(f: Callable[..., Any], says: str):
    with pytest.raises(CompileError, match=says):
        ccc.compiled(f)(2.0)


def test_outside_of_what_is_compiled_it_is_refused():
    with pytest.raises(CCCError, match="stands in a function that is compiled"):
        ccc.gradient_of(1.0, wrt=2.0)
