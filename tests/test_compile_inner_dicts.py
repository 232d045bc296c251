"""Dicts whose keys the run knows, and lists read item by item, in what is differentiated inside a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc

BACKENDS = ("numpy", "native")


def cubes(x, d, ks):
    total = 0.0
    for k in ks:
        if k in d:
            total += d[k] * x**3
    return total


def toggled(x, d, ks):
    for k in ks:
        try:
            del d[k]
        except KeyError:
            d[k] = x**3
    return sum(d.values())


def following(x, ks):
    found = {}
    for k in ks:
        found[k + 1] = x * k
    return found


def slope(x, ks):
    return ccc.gradient(cubes, wrt="x")(x, following(x, ks), ks)


def by_entry(x, ks):
    found = ccc.gradient(cubes, wrt="d")(x, following(x, ks), ks)
    return sum(found.values()) + found[2]


def both(x, ks):
    value, (dx, dd) = ccc.value_with_gradient(cubes, wrt=("x", "d"))(x, following(x, ks), ks)
    dd[2] = 2.0 * dd[2]
    return value + dx + sum(dd.values())


def pulled(x, ks):
    value, pullback = ccc.value_with_pullback(cubes, wrt=("x", "d"))(x, following(x, ks), ks)
    dx, dd = pullback(2.0 * x)
    return value + dx + sum(dd.values())


def of_a_nested_function(x, ks):
    d = following(x, ks)

    def inner(y, e):
        total = 0.0
        for k in ks:
            if k in e:
                total += e[k] * y**3
        return total

    return ccc.gradient(inner, wrt="y")(x, d) + sum(ccc.gradient(inner, wrt="e")(x, d).values())


def changed(x, ks):
    d = following(x, ks)
    dx = ccc.gradient(toggled, wrt="x")(x, d, ks)
    return dx + sum(d.values()) * len(d)


def the_callers(x, ks):
    return changed_twice(x, {1: 1.0, 2: 2.0}, ks)


def changed_twice(x, d, ks):
    return ccc.gradient(toggled, wrt="x")(x, d, ks) * x + sum(d.values()) * len(d)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [slope, by_entry, both, pulled, of_a_nested_function, changed, the_callers])
def test_dicts_are_arguments_of_what_is_differentiated_inside(f: Any, backend: str):
    ks, h = [1, 2, 3, 1], 1e-6
    value, found = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.5, ks)
    assert np.isclose(value, f(1.5, ks), rtol=1e-13)
    assert np.isclose(found, (f(1.5 + h, ks) - f(1.5 - h, ks)) / (2 * h), rtol=1e-7)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_dict_of_the_callers_is_changed_by_what_is_differentiated_inside(backend: str):
    ours, theirs = {1: 1.0, 2: 2.0}, {1: 1.0, 2: 2.0}
    value = ccc.compiled(changed_twice, backend=backend)(1.5, ours, [1, 1, 3])
    assert value == changed_twice(1.5, theirs, [1, 1, 3])
    assert ours == theirs and list(ours) == list(theirs)


def scaled(x, parts):
    parts[0]["a"] = parts[0]["a"] * x
    parts[1] = parts[1] * x
    return parts[0]["a"] * x + parts[1].sum()


def scaled_inside(x, parts):
    return ccc.gradient(scaled, wrt="x")(x, parts) * x


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_list_without_a_common_type_is_changed_by_what_is_differentiated_inside(backend: str):
    ours: Any = [{"a": 2.0}, np.ones(2)]
    value, found = ccc.value_with_gradient(scaled_inside, wrt="x", backend=backend)(1.5, ours)
    assert np.isclose(value, 2 * 2.0 * 1.5**2 + 2 * 1.5) and np.isclose(found, 8.0 * 1.5 + 2.0)
    assert ours[0] == {"a": 3.0} and np.array_equal(ours[1], [1.5, 1.5])
