"""Statements of a `try` in which a call raises on some paths: what was read before the call is what it was then, though
the call gives the name, attribute, item or entry another value; and the `__exit__` of a `with` is such a statement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


def checked(a: Any, v: Any, limit: float) -> Any:
    a[0] += v
    if v > limit:
        raise ValueError("large")
    return a[0] * v


class Holder:
    def __init__(self, v: Any) -> None:
        self.s = v
        self.d = {"k": v}
        self.items = [v, v]

    def tick(self) -> Any:
        self.s += 0.25
        self.d["k"] *= 1.5
        self.items[0] *= 2.0
        return self.s


def augmented_name(x: float, limit: float) -> Any:
    s, a = 0.5 * x, [x, x]

    def tick() -> Any:
        nonlocal s
        s += 0.25
        return s

    try:
        s += checked(a, tick(), limit)
    except ValueError:
        s += 10.0
    return s * a[0]


def names_around(x: float, limit: float) -> Any:
    s, a = 0.5 * x, [x, x]

    def tick() -> Any:
        nonlocal s
        s += 0.25
        return s

    try:
        t = s, checked(a, tick(), limit), s
        s = t[0] + t[1] * 2.0 + t[2] * 4.0
    except ValueError:
        s += 10.0
    return s * a[0]


def places(x: float, limit: float) -> Any:
    c, a = Holder(x), [x, x]
    try:
        c.s += checked(a, c.tick(), limit)
        c.d["k"] += checked(a, c.tick(), limit)
        c.items[0] += checked(a, c.tick(), limit)
    except ValueError:
        c.s += 10.0
    return c.s * a[0] + c.d["k"] * 3.0 + c.items[0] * 7.0


def entry(x: float, limit: float) -> Any:
    m, a = np.array([x, 2 * x]), [x, x]

    def tick() -> Any:
        m[0] *= 3.0
        return m[1]

    try:
        m[0] += checked(a, tick(), limit)
    except ValueError:
        m[:] += 10.0
    return np.sum(m * np.array([1.0, 3.0]))


def other_array(x: float, limit: float) -> Any:
    s, a = np.array([x, 2 * x]), [x, x]

    def tick() -> Any:
        nonlocal s
        s = s * 2.0
        return s[0]

    try:
        s = s + checked(a, tick(), limit)
    except ValueError:
        s = s + 10.0
    return np.sum(s) * a[0]


def changed_array(x: float, limit: float) -> Any:
    s, a = np.array([x, 2 * x]), [x, x]

    def tick() -> Any:
        s[0] = s[1] * 2.0
        return s[0]

    try:
        s = s + checked(a, tick(), limit)
    except ValueError:
        s = s + 10.0
    return np.sum(s) * a[0]


def other_list(x: float, limit: float, n: int = 2) -> Any:
    s, a = [x, 2 * x], [x, x]

    def tick() -> Any:
        nonlocal s
        s = [3.0 * x] * n
        return s[0]

    try:
        s = [*s, checked(a, tick(), limit)]
        s = [*s, checked(a, tick(), limit)]
    except ValueError:
        s = [*s, 10.0]
    return sum(s) * a[0] * len(s)


def other_object(x: float, limit: float) -> Any:
    s, a = Holder(x), [x, x]

    def tick() -> Any:
        nonlocal s
        s.s *= 2.0
        s = Holder(3.0 * x)
        return s.s

    try:
        t = s, checked(a, tick(), limit)
        t[0].s += 1.0
        s.s += t[1] * t[0].s
    except ValueError:
        s.s += 10.0
    return s.s * a[0]


ONCE = (augmented_name, names_around, places, entry, other_array, changed_array, other_list, other_object)


@pytest.mark.parametrize("stores", ["refused", "always"])
@pytest.mark.parametrize("limit", [0.2, 1.3, 40.0])
@pytest.mark.parametrize("f", ONCE, ids=lambda f: f.__name__)
def test_what_is_read_before_a_call_that_may_raise_is_what_it_was_then(f, limit, stores, monkeypatch):
    monkeypatch.setenv("CCC_STORES", stores)
    agrees(f, 0.7, limit, second=False)
    gradients = [ccc.gradient(f, backend=backend)(0.7, limit) for backend in ("numpy", "native")]
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-12)


class Held:
    def __init__(self, a: Any, known: bool) -> None:
        self.a = a
        self.known = known

    def __enter__(self) -> Any:
        return self.a

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.a[1] = 1.0 / self.a[0]
        return self.known and kind is not None and issubclass(kind, KeyError)


def left(x: float, scale: int, known: bool) -> Any:
    a, s = [x, 2.0, x], 0.0
    try:
        with Held(a, known) as w:
            w[0] *= scale
            if x > 1.0:
                raise KeyError("s")
            s += 1.0
        s += a[1] * 2.0
    except ZeroDivisionError:
        s += 10.0 * a[0] + x
    except KeyError:
        s += 3.0 * a[1]
    return s + a[0] * a[1] + a[2]


@pytest.mark.parametrize("x", [0.7, 1.7])
@pytest.mark.parametrize("scale", [0, 2])
@pytest.mark.parametrize("known", [True, False])
def test_what_an_exit_raises_is_caught_around_its_with(x, scale, known):
    agrees(lambda x: left(x, scale, known), x)
    assert ccc.gradient(left, backend="native")(x, scale, known)[0] == pytest.approx(
        ccc.gradient(left, backend="numpy")(x, scale, known)[0], rel=1e-12
    )
