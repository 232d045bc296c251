"""Arrays of None, which stand where numbers will be, and other values of Python's own that never change."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, same

import ccc
from ccc.compile.diagnostics import TypeMismatch, UnsupportedPython


class Tracker:
    def __init__(self, size: int) -> None:
        self.size = size
        self.level = np.zeros((size, 1))
        self.seen: Any = np.array([[None] * size]).T
        self.score = np.log(sys.float_info.min)

    def take(self, x: Any, gain: Any) -> None:
        if x is None:
            self.seen = np.array([[None] * self.size]).T
            return
        self.seen = np.atleast_2d(x)
        self.level = self.level + gain * (self.seen - self.level)
        self.score = -float(np.sum((self.seen - self.level) ** 2))


def tracked(xs: Any, gain: Any) -> Any:
    tracker = Tracker(1)
    for x in xs:
        tracker.take(x, gain)
    return tracker.score + np.sum(tracker.level)


def tracked_with_a_gap(xs: Any, gain: Any) -> Any:
    tracker = copy.deepcopy(Tracker(1))
    tracker.take(xs[0], gain)
    tracker.take(None, gain)
    return tracker.score + tracker.level[0, 0] * tracker.seen.size


@pytest.mark.parametrize("f", [tracked, tracked_with_a_gap], ids=lambda f: f.__name__)
def test_attributes_that_are_arrays_of_none_at_first(f: Callable[..., Any]):
    agrees(f, np.array([0.3, 1.2, -0.4]), 0.3)


EMPTY: dict[str, Callable[[float], Any]] = {
    "handed out": lambda x: (np.array([None, None]), x),
    "as a column": lambda x: (np.array([[None] * 3]).T, np.asarray((None,)), x),
    "an item": lambda x: x if np.array([[None, None]])[0, 1] is None else 2.0 * x,
    "itself": lambda x: x if np.array([None]) is None else 2.0 * x,
    "its class": lambda x: x if type(np.array([None])) is np.ndarray else 2.0 * x,
    "an instance": lambda x: x if isinstance(np.array([None]), (list, np.ndarray)) else 2.0 * x,
    "its dtype": lambda x: x if np.array([None]).dtype == object else 2.0 * x,
    "its sizes": lambda x: x * np.array([[None] * 3]).shape[1] + np.array([[None] * 3]).ndim,
    "its truth": lambda x: x if np.array([None]) else 2.0 * x,
    "with more axes": lambda x: x * np.atleast_2d(np.array([None] * 3)).T.shape[0] + np.size(np.array([None, None])),
    "its text": lambda x: (f"{np.array([None])}", x),
    "its length": lambda x: x * len(np.array([None] * 3)) + len(np.array([[None] * 3])[0]),
    "its items": lambda x: sum([x if y is None else 7.0 for y in np.array([None] * 3)]),
    "its rows": lambda x: sum([x * len(row) for row in np.array([[None] * 3] * 2)]),
    "a copy": lambda x: x * len(np.array([None] * 3).copy()) if np.array([None]).copy()[0] is None else 7.0,
    "filled": lambda x: (np.full(2, None), np.full((1, 2), fill_value=None), x),
}


@pytest.mark.parametrize("f", EMPTY.values(), ids=EMPTY.keys())
def test_arrays_of_none_are_what_python_has(f: Callable[[float], Any]):
    found, wanted = ccc.compiled(f)(3.0), f(3.0)
    if isinstance(wanted, tuple) and isinstance(wanted[0], np.ndarray):
        for a, b in zip(found[:-1], wanted[:-1], strict=True):
            assert a.dtype == b.dtype == object and a.shape == b.shape and all(x is None for x in a.flat)
        found, wanted = found[-1], wanted[-1]
    assert same(found, wanted)


NONES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "compared": (lambda x: x[0] * np.sum(np.array([None]) == None), UnsupportedPython, "comparing an array"),  # noqa: E711
    "of a loop": (lambda x: np.sum(np.array([None for _ in x]) == None) * x[0], TypeMismatch, "in lists: found None"),  # noqa: E711
    "added": (lambda x: x + np.array([None]), TypeMismatch, "an operator met an array of None"),
}


@pytest.mark.parametrize("case", NONES)
def test_numbers_are_not_made_of_none(case: str):
    """A list of None that a loop made was an array of zeros, of which none was None."""
    f, error, text = NONES[case]
    with pytest.raises(error, match=text):
        ccc.compiled(f)(np.ones(3))


def counted(xs: Any) -> Any:
    """As many as there are numbers."""
    found = np.full(len(xs), None)
    total = 0.0
    for y in found.copy():
        if y is None:
            total = total + xs[0]
    return total * len(found)


def test_arrays_of_none_of_the_sizes_of_others():
    for n in (1, 3):
        agrees(counted, np.linspace(0.3, 0.9, n))


def of_the_machine(x: Any) -> Any:
    major, minor, *_ = sys.version_info
    scale = 2.0 if sys.version_info >= (3, 8) else 1.0
    return x * scale * major + np.sqrt(sys.float_info.epsilon) * x**2 + sys.float_info[3] * minor + len(sys.float_info)


def test_struct_sequences_are_tuples_with_names():
    agrees(of_the_machine, 0.7)


class Shape:
    def __init__(self, k: Any) -> None:
        self.k = k

    @property
    def double(self) -> Any:
        return self.k * 2.0

    def area(self, x: Any) -> Any:
        return self.k * x


class Slab(Shape):
    def __init__(self, k: Any, m: Any) -> None:
        super(Slab, self).__init__(k)  # noqa: UP008
        self.m = m

    def area(self, x: Any) -> Any:
        return super(Slab, self).area(x) * self.m + super(Slab, self).double  # noqa: UP008


class Plate(Slab):
    def area(self, x: Any) -> Any:
        return super(Plate, self).area(x) + super(Slab, self).area(x) ** 2  # noqa: UP008


def areas(k: Any, x: Any) -> Any:
    return Plate(k, 3.0).area(x) + super(Slab, Plate(k, 2.0)).area(x)


def test_super_with_a_class_and_an_object():
    agrees(areas, 0.7, 1.3)
