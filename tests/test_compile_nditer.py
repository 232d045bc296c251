"""`np.nditer`: what goes through arrays place by place gives what NumPy gives, with the derivatives of differences."""

# pyright: reportOperatorIssue=false, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

A = np.arange(1.0, 7.0).reshape(2, 3)


def read_alone(a: Any) -> Any:
    s = 0.0
    for x in np.nditer(a):
        s += x ** 2
    return s


def written_in_place(a: Any) -> Any:
    b = a * 1.0
    with np.nditer(b, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = 2 * x * x
    return np.sum(b * b)


def with_places(a: Any) -> Any:
    it = np.nditer(a, flags=["multi_index"])
    s = 0.0
    for x in it:
        i, j = it.multi_index
        s = s + x * x * (i + 2 * j)
    return s


def asked_for_the_next(a: Any) -> Any:
    it = np.nditer(a, flags=["multi_index"])
    s = 0.0
    while not it.finished:
        s = s + it[0]**2 * it.multi_index[1] + a[it.multi_index]
        it.iternext()
    return s


def into_another(a: Any) -> Any:
    out = np.zeros_like(a)
    for x, y in np.nditer([a, out], op_flags=[["readonly"], ["writeonly"]]):
        y[...] = np.sin(x) * 2
    return np.sum(out * a)


def broadcast(a: Any) -> Any:
    s = 0.0
    for x, y in np.nditer([a, np.arange(3.)]):
        s += x * x * y
    return s


def into_a_new_one(a: Any) -> Any:
    it = np.nditer([a, None])
    for x, y in it:
        y[...] = x * x
    return np.sum(it.operands[1] * a)


def changed_where_large(a: Any) -> Any:
    b = a.copy()
    with np.nditer(b, flags=["multi_index"], op_flags=["readwrite"]) as it:
        for x in it:
            if x > 2.5:
                x[...] = np.sqrt(x) + np.exp(-x)
            else:
                x *= 3.0
    return np.sum(b * a)


def written_at_the_next(a: Any) -> Any:
    b = a.copy()
    it = np.nditer(b, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        it[0] = it[0] * a[it.multi_index]
        it.iternext()
    return np.sum(b)


def with_counts(a: Any) -> Any:
    it = np.nditer(a, flags=["c_index"])
    return sum([x * it.index for x in it])


def differences_by_hand(a: Any) -> Any:
    grad = np.zeros_like(a)
    it = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"])
    h = 0.5
    while not it.finished:
        ix = it.multi_index
        old = a[ix]
        grad[ix] = ((old + h)**3 - (old - h)**3) / (2 * h)
        it.iternext()
    return np.sum(grad * a)


def with_an_output(a: Any) -> Any:
    def square(x: Any, out: Any = None) -> Any:
        it = np.nditer([x, out], flags=["buffered"], op_flags=[
            ["readonly"], ["writeonly", "allocate", "no_broadcast"]])
        with it:
            for x, y in it:
                y[...] = x * x
            return it.operands[1]
    return np.sum(square(a) * a)


FORMS: list[Callable[..., Any]] = [
    read_alone, written_in_place, with_places, asked_for_the_next, into_another, broadcast, into_a_new_one,
    changed_where_large, written_at_the_next, with_counts, differences_by_hand, with_an_output]


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_each_form_has_its_values_and_slopes(f: Callable[..., Any]) -> None:
    agrees(f, A)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_the_argument_itself_is_written(backend: str) -> None:
    def doubled(a: Any) -> Any:
        for x in np.nditer(a, op_flags=["readwrite"]):
            x[...] = 2.0 * x
        return np.sum(a)

    at = A.copy()
    assert ccc.compiled(doubled, backend=backend)(at) == 42.0
    np.testing.assert_array_equal(at, 2.0 * A)


def test_what_does_not_lie_by_rows_is_refused() -> None:
    with pytest.raises(TypeError, match="write order='C'"):
        ccc.compiled(read_alone)(np.asfortranarray(A))

    def by_rows(a: Any) -> Any:
        s = 0.0
        for x in np.nditer(a, order="C"):
            s = 2.0 * s + x
        return s

    at = np.asfortranarray(A)
    assert ccc.compiled(by_rows)(at) == by_rows(at)


class Celsius:
    """What says to NumPy which array it is."""

    def __init__(self, degrees: Any) -> None:
        self.degrees = degrees

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.degrees + 273.15, dtype)


def test_an_object_that_says_which_array_it_is() -> None:
    agrees(lambda v: np.sum(np.log(Celsius(v)) * np.asarray(Celsius(v))), np.array([1.0, 20.0]))
