"""Code for numbers and arrays alike: masks of a number, and items of it that a `try` finds it has not."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


def masked(x: float) -> Any:
    y = np.sqrt(x)
    return np.sum(y[y > 1.0] * 3.0) + np.sum(y[y > 100.0]) + x


def masked_in_a_try(x: float) -> Any:
    y = np.sqrt(x)
    try:
        return y[y > 1.0][0]
    except TypeError:
        return 7.0 * x


def masked_or_refused(x: float) -> Any:
    y = np.sqrt(x)
    try:
        found = y[y > 1.0][0]
    except (IndexError, TypeError):
        found = 7.0 * x
    try:
        missed = y[y > 100.0][0]
    except IndexError:
        missed = 3.0 * x
    return found + missed


def known_masks(x: float) -> Any:
    y = np.sqrt(x)
    return np.sum(y[True]) + 2.0 * np.sum(y[None, y > 1.0]) + y[y > 1.0].size + np.sum(y[..., False])


def masked_float(x: float) -> Any:
    try:
        return x[x > 1.0]  # type: ignore[index]
    except TypeError:
        return 7.0 * x


def assigned_at_mask(x: float) -> Any:
    y = np.radians(x)
    try:
        y[y > 0.01] = 6.0 - y[y > 0.01]
    except TypeError:
        if y > 0.01:
            y = 6.0 - y
    return y * x


def assigned_in_turns(x: float) -> Any:
    y, found = np.sqrt(x), []
    for i in range(3):
        try:
            y[i] = 2.0
        except TypeError:
            found.append(y * i)
    return sum(found)


def assigned_into_int(x: float) -> Any:
    n: Any = 3
    try:
        n[0] = x
    except TypeError as error:
        return x * len(str(error))
    return x


def copied(x: float) -> Any:
    y = abs(np.radians(x) - 5.0)
    z, turns = copy.copy(y), 0
    while True:
        turns += 1
        if turns > 3:
            z = math.pi
            break
        before = copy.copy(z)
        z = y + 0.1 * np.sin(before)
    return z * x + before


CASES = [
    masked,
    masked_in_a_try,
    masked_or_refused,
    known_masks,
    masked_float,
    assigned_at_mask,
    assigned_in_turns,
    assigned_into_int,
    copied,
]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", CASES)
def test_numbers_are_what_numpy_takes_them_for(f: Callable[[float], Any], backend: str) -> None:
    x, h = 4.0, 1e-6
    value, gradient = ccc.value_and_grad(f, backend=backend)(x)
    assert float(value) == pytest.approx(float(f(x)), rel=1e-12)
    assert gradient == pytest.approx((float(f(x + h)) - float(f(x - h))) / (2.0 * h), rel=1e-6)


def test_an_array_without_axes_has_items() -> None:
    def f(x: float) -> Any:
        y = np.empty_like(np.sqrt(x))
        try:
            y[...] = x
        except TypeError:
            y = 7.0 * x
        return y * 1.0

    assert f(4.0) == 4.0
    with pytest.raises(ccc.CCCError, match="holds one number"):
        ccc.grad(f)(4.0)


def number_or_ints(x: float) -> Any:
    return np.arange(3) if x > 1.0 else 2 * x


def number_or_truths(x: float) -> Any:
    y: Any = x
    for i in range(3):
        if i * x > 2.0:
            y = np.array([x, 2.0]) > 1.0
    return y


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [number_or_ints, number_or_truths])
@pytest.mark.parametrize("x", [0.5, 1.5])
def test_a_number_or_an_array_of_another_dtype_keeps_its_own(f: Callable[[float], Any], x: float, backend: Any):
    found, wanted = ccc.compiled(f, backend=backend)(x), f(x)
    assert type(found) is type(wanted) and np.array_equal(found, wanted)
    assert getattr(found, "dtype", None) == getattr(wanted, "dtype", None)

    def total(x: float) -> Any:
        return np.sum(f(x)) * x

    moved = (total(x + 1e-6) - total(x - 1e-6)) / 2e-6
    assert ccc.gradient(total, backend=backend)(x) == pytest.approx(moved, rel=1e-8)
