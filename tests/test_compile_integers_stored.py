"""Arrays that are made of an integer stay arrays of integers where the integer is among what is differentiated: what is
stored in them loses what is behind its point, as in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


def filled(x: float, n: int) -> float:
    a = np.full(1, n)
    a[0] += 0.5
    return x * a[0] + a[0] * n


def of_a_list(x: float, n: int) -> float:
    a = np.array([n, 1])
    a[0] = x + 0.7
    return x * a[0] + n * x


def like_another(x: float, n: int) -> float:
    a = np.zeros_like(np.array([n]))
    a[0] = 1.7
    return x * a[0] + n * x


def filled_like(x: float, n: int) -> float:
    return x * np.full_like(np.array([n]), 3.7)[0] + n * x


def repeated(x: float, n: int) -> float:
    a = np.repeat(n, 3)
    a[:] = a / 3
    return x * a[0] + n * x


def along_a_view(x: float, n: int) -> float:
    a = np.arange(3) * n
    a[:, None][1] = x * 1.9
    return x * a[1] + n * x


def inserted(x: float, n: int) -> float:
    return x * np.insert(np.tile(n, 2), 0, 2.7)[0] + n * x


def by_a_method(x: float, n: int) -> float:
    a = np.asarray([n, n])
    a.fill(x)
    return x * a[0] + n * x


def copied(x: float, n: int) -> float:
    a = np.atleast_1d(n).copy()
    a[0] = 0.7
    return x * a[0] + n * x


def of_one_dtype_or_another(x: float, n: int) -> float:
    a = np.array([n]) if x > 0.0 else np.array([0.5])
    a[0] = 0.7
    return x * a[0] + n * x


def padded(x: float, n: int) -> float:
    return x * np.pad(np.full(2, n), 1, constant_values=0.7)[0] + n * x


def asked_for_its_dtype(x: float, n: int) -> float:
    return x * n if np.issubdtype(np.array([n]).dtype, np.integer) else x


def asked_for_its_kind(x: float, n: int) -> float:
    of = np.array([n]).dtype
    return x * n * (of.kind == "i")


def asked_for_a_class(x: float, n: int) -> float:
    return x * n if isinstance(np.array([n])[0], np.integer) else x


STORED = [filled, of_a_list, like_another, filled_like, repeated, along_a_view, inserted, by_a_method, copied,
          of_one_dtype_or_another, padded, asked_for_its_dtype, asked_for_its_kind, asked_for_a_class]


@pytest.mark.parametrize("f", STORED)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_is_stored_is_whole(f: Callable[[Any, Any], Any], backend: Any) -> None:
    value, (slope, none) = ccc.value_with_gradient(f, backend=backend)(1.25, 2)
    assert value == f(1.25, 2) and none is None
    assert math.isclose(slope, (f(1.25 + 1e-6, 2) - f(1.25 - 1e-6, 2)) / 2e-6, rel_tol=1e-6)


def only_one(x: float, n: int, m: int) -> float:
    a = np.full(1, n)
    a[0] += 0.5
    return x * a[0] * m


def test_the_others_are_differentiated() -> None:
    assert ccc.gradient(only_one)(1.25, 2, 3) == (6.0, None, 2.5)


def whole_anyway(x: float, n: int) -> float:
    a = np.array([n, 2])
    a *= 3
    a[1] = int(x)
    return x * a[0] + {x: n}[x] * float(a[1])


def test_where_nothing_is_lost_it_is_differentiated() -> None:
    assert ccc.value_with_gradient(whole_anyway)(1.25, 3) == (14.25, (9.0, 4.75))


def inside(x: float) -> float:
    return x * ccc.gradient(filled)(x, 2)[0]


def test_inside_a_program() -> None:
    assert ccc.value_with_gradient(inside)(1.25) == (2.5, 2.0)
