"""What a class refuses its objects: attributes that they do not take, and objects of abstract classes."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from checks import agrees_in_value

import ccc


class Slots:
    __slots__ = ("a",)

    def __init__(self, a: float) -> None:
        self.a = a


class MoreSlots(Slots):
    __slots__ = ("b",)


class Open(Slots):
    pass


@dataclass(frozen=True)
class Frozen:
    a: float


class Computed:
    def __init__(self, a: float) -> None:
        self.a = a

    @property
    def double(self) -> float:
        return 2 * self.a


class Shape(abc.ABC):
    def __init__(self, r: float) -> None:
        self.r = r

    @abc.abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    def area(self) -> float:
        return self.r**2


class Interval:
    def __init__(self, low: float) -> None:
        self.low = low

    def __contains__(self, x: float) -> Any:
        return x * self.low


def no_such_slot(x: float) -> tuple[float, str]:
    s: Any = Slots(x)
    try:
        s.b = 2.0
    except AttributeError as error:
        return 3 * s.a, str(error)
    return s.b, ""


def slots_of_bases(x: float) -> float:
    s: Any = MoreSlots(x)
    s.b = 2 * x
    o: Any = Open(x)
    o.c = 5.0
    return s.a * s.b + o.c


def on_one_path(x: float) -> float:
    s: Any = Slots(x)
    if x < 0:
        s.b = 2.0
    return s.a


def frozen(x: float) -> tuple[float, str, str]:
    f: Any = Frozen(x)
    try:
        f.a = 3.0
    except AttributeError as error:
        return f.a, str(error), type(error).__name__
    return f.a, "", ""


def without_a_setter(x: float) -> tuple[float, str]:
    c: Any = Computed(x)
    try:
        c.double = 3.0
    except AttributeError as error:
        return c.double, str(error)
    return 0.0, ""


def abstract(x: float) -> tuple[float, str]:
    try:
        shape: Any = Shape(x)  # type: ignore[abstract]
    except TypeError as error:
        return Square(x).area(), str(error)
    return shape.r, ""


def abstract_on_one_path(x: float) -> float:
    return Shape(x).r if x < 0 else Square(x).area()  # type: ignore[abstract]


@pytest.mark.parametrize("x", [1.5, -2.5])
@pytest.mark.parametrize("f", [
    no_such_slot, slots_of_bases, on_one_path, frozen, without_a_setter, abstract, abstract_on_one_path,
])  # fmt: skip
def test_what_a_class_refuses_is_raised_as_python_raises_it(f: Callable[..., Any], x: float) -> None:
    agrees_in_value(f, x)


@pytest.mark.parametrize("x", [1.5, 0.0])
def test_what_contains_gives_is_a_bool(x: float) -> None:
    agrees_in_value(lambda x: (1.0 in Interval(x), 0.0 in Interval(x), 0.0 not in Interval(x)), x)
    assert ccc.compiled(lambda x: 2.0 in Interval(x), backend="native")(x) is (x != 0)
