"""A value that is of one kind on some paths and of another on others: a text or a number, a tuple or a list, an array
or a list. Each use does what Python does with what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


def told(x: Any) -> Any:
    if x > 2.0:
        return ("high", x * x)
    if x > 1.0:
        return ("middle", x)
    return (-1, -1)


def by_its_class(x: Any) -> Any:
    v = "none" if x > 2.0 else [x, 2.0 * x] if x > 1.0 else 3.0 * x
    if isinstance(v, str):
        return 1.0
    return v[1] * x if isinstance(v, list) else v


def used_alike(x: Any) -> Any:
    v = [x, x * x] if x > 1.0 else np.array([x, 3.0 * x, 1.0])
    return v[1] * len(v)


def a_tuple_or_none(x: Any) -> Any:
    v = () if x > 1.0 else (x, x)
    return [v, None] if x > 0.6 else [None, v]


def of_any_length(x: Any) -> Any:
    v = tuple([x] * int(2.0 * x))
    return v if x > 1.0 else 2.0


def is_a_float(x: Any) -> Any:
    v = None if x > 2.0 else 2.0 * x
    return v * x if isinstance(v, float) else 1.0


PROGRAMS = [told, by_its_class, used_alike, a_tuple_or_none, of_any_length, is_a_float]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("x", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_of_unlike_kinds_are_as_in_python(f: Callable[[Any], Any], x: float, backend: str):
    found, wanted = ccc.compiled(f, backend=backend)(x), f(x)
    assert type(found) is type(wanted) and found == wanted


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("x", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("f", [by_its_class, used_alike, is_a_float])
def test_they_have_gradients(f: Callable[[Any], Any], x: float, backend: str):
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert ccc.gradient(f, backend=backend)(x) == pytest.approx(slope, rel=1e-7, abs=1e-7)


def changed_by_its_other_name(x: Any, c: Any) -> Any:
    xs = [x * i for i in range(int(c * 4) + 2)]
    v = xs if c > 0.5 else None
    xs[0] = x * x
    return v[0] + v[-1] if v is not None else x


def longer_by_its_other_name(x: Any, c: Any) -> Any:
    xs = [x * i for i in range(int(c * 4) + 2)]
    v: Any = xs if c > 0.5 else 2.0
    xs.append(x * x)
    return x * v if isinstance(v, float) else v[-1] * len(v)


def a_row_of_it(x: Any, c: Any) -> Any:
    xs = [[x * i] for i in range(int(c * 4) + 2)]
    v = xs[0] if c > 0.5 else "none"
    xs[0][0] = x * x
    return x if isinstance(v, str) else v[0]


def in_a_tuple(x: Any, c: Any) -> Any:
    xs = [x * i for i in range(int(c * 4) + 2)]
    v = (xs, 1) if c > 0.5 else None
    xs[0] = x * x
    return v[0][0] if v is not None else x


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("c", [1.0, 0.25])
@pytest.mark.parametrize("f", [changed_by_its_other_name, longer_by_its_other_name, a_row_of_it, in_a_tuple])
def test_a_list_among_others_is_the_one_that_changes(f: Callable[..., Any], c: float, backend: str):
    value, slope = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.5, c)
    assert value == pytest.approx(f(1.5, c), rel=1e-14)
    assert slope == pytest.approx((f(1.5 + 1e-6, c) - f(1.5 - 1e-6, c)) / 2e-6, rel=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_one_of_them_does_not_take_raises_as_in_python(backend: str):
    def f(x: Any) -> Any:
        v = [x] if x > 1.0 else x
        return v[0]

    compiled = ccc.compiled(f, backend=backend)
    assert compiled(1.5) == 1.5
    with pytest.raises(TypeError, match="'float' object is not subscriptable"):
        compiled(0.5)


def test_a_number_among_others_is_of_no_class_that_it_may_not_have():
    def by_instance(x: Any) -> Any:
        v = (x if x > 1.0 else 2) if x < 3.0 else None
        return isinstance(v, int)

    def by_type(x: Any) -> Any:
        v = (x if x > 1.0 else 2) if x < 3.0 else "a"
        return type(v) is float

    for f in (by_instance, by_type):
        with pytest.raises(ccc.CCCError, match="a number of float or int is not known while compiling"):
            ccc.compiled(f)(0.5)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_sum_over_a_number_or_an_array(backend: str):
    def f(x: Any) -> Any:
        v = x if x > 1.0 else np.array([x, 2.0 * x])
        return sum(v)

    compiled = ccc.compiled(f, backend=backend)
    assert compiled(0.5) == 1.5
    with pytest.raises(TypeError, match="'float' object is not iterable"):
        compiled(1.5)
