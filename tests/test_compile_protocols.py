"""Objects where Python asks their class: loops, unpacking, conversions and the builtins that are methods."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


@dataclass(frozen=True)
class Vector:
    x: float
    y: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __abs__(self) -> float:
        return math.hypot(self.x, self.y)

    def __float__(self) -> float:
        return self.x * self.y

    def __int__(self) -> int:
        return 3

    def __round__(self, digits: int = 0) -> Vector:
        return Vector(self.x * digits, self.y)

    def __divmod__(self, other: Vector) -> tuple[Vector, Vector]:
        return self, Vector(self.x / other.y, self.y)

    def __reversed__(self) -> Iterator[float]:
        return iter((self.y, self.x))

    def __floor__(self) -> int:
        return 2

    def __ceil__(self) -> int:
        return 4

    def __trunc__(self) -> int:
        return 5

    def __lt__(self, other: Vector) -> bool:
        return self.x < other.x

    def __gt__(self, other: Vector) -> bool:
        return self.x > other.x


class Path:
    def __init__(self, points: list[float]) -> None:
        self.points = points

    def __iter__(self) -> Iterator[float]:
        return iter(self.points)


def looped(v: Vector) -> float:
    total = 1.0
    for part in v:
        total = total * part + part
    return total


def unpacked(v: Vector) -> float:
    a, b = v
    first, *rest = v
    return a * b * first + rest[0]


def of_any_length(v: Vector, n: int) -> float:
    path = Path([v.x * k for k in range(n)])
    s = 0.0
    for p in path:
        s += p * p
    return s + sum(path) * max(path) + sum(i * p for i, p in enumerate(path))


PROGRAMS: list[Callable[[Vector], Any]] = [
    looped,
    unpacked,
    lambda v: abs(v) * v.x,
    lambda v: float(v) * v.x + int(v),
    lambda v: round(v, 2).x * round(v).y,
    lambda v: divmod(v, v)[1].x,
    lambda v: next(reversed(v)) ** 2,
    lambda v: v.x ** (math.floor(v) + math.ceil(v) + math.trunc(v)),
    lambda v: sum(v) * max(v) - min(v),
    lambda v: sum(q * q for q in v) + sum([q * p for p, q in zip(v, v, strict=True)]),
    lambda v: tuple(v)[1] * list(v)[1] + math.prod(v) + sorted(v)[0] ** 2,
    lambda v: math.hypot(*v) + sum([1.0, *v]),
    lambda v: sum(map(math.sin, v)) + sum(itertools.accumulate(v)) + sum(i * a for i, a in enumerate(v)),
    lambda v: max(v, Vector(v.y, 2.0 * v.x)).y,
    lambda v: of_any_length(v, 4),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_the_class_defines_is_called(number: int):
    agrees(PROGRAMS[number], Vector(0.3, 1.2))


def test_a_class_may_iterate_by_a_generator():
    class Pair(Path):
        def __iter__(self) -> Iterator[float]:
            yield self.points[0]
            yield from (2.0 * p for p in self.points)

    agrees(lambda x: sum(Pair([x, x * x])), 2.0)


class Steps:
    """An iterator whose end comes from what its `__next__` runs."""

    def __init__(self, x: float) -> None:
        self.x, self.i = x, 0

    def __iter__(self) -> Steps:
        return self

    @property
    def step(self) -> float:
        if self.i >= 3:
            raise StopIteration
        self.i += 1
        return self.x * self.i

    def gamma(self) -> float:
        return self.step


class ByMethod(Steps):
    def __next__(self) -> float:
        return self.gamma()


class ByProperty(Steps):
    def __next__(self) -> float:
        return self.step


class ByFunction(Steps):
    def __next__(self) -> float:
        return log(self)


class Within(Steps):
    def __init__(self, x: float) -> None:
        self.inner = Steps(x)

    def __next__(self) -> float:
        return self.inner.step


class Endless(Steps):
    def __next__(self) -> float:
        self.x = 2.0 * math.sin(self.x)
        return self.x


def log(steps: Steps) -> float:
    """A function with the name of one of Python's."""
    return steps.step


def added(steps: Any) -> float:
    s = 0.0
    for v in steps:
        s += v
        if s > 50.0:
            break
    return s


@pytest.mark.parametrize("cls", [ByMethod, ByProperty, ByFunction, Within, Endless])
def test_an_iterator_ends_where_what_it_runs_says_so(cls: Any):
    """A method or function with the name of one of `math` was taken for that, and the loop had no end."""
    agrees(lambda x: added(cls(x)), 2.0)


def filter(xs: Any) -> float:
    """A function with the name of a builtin, which tells a tuple from a list."""
    return 1.0 if isinstance(xs, tuple) else 2.0


def told_apart(*xs: float) -> float:
    return filter(xs) * xs[0]


def told_apart_within(*xs: float) -> float:
    max = filter
    return max(xs) * xs[0]


def measured(*xs: float) -> float:
    return np.sum(xs) * len(xs) * sum(xs)


def told_apart_outside(x: np.ndarray) -> float:
    sum = filter
    return (lambda *xs: sum(xs) * xs[0])(*[2.0 * v for v in x])


@pytest.mark.parametrize("f", [
    lambda x: told_apart(*[2.0 * v for v in x]), lambda x: told_apart_within(*[2.0 * v for v in x]),
    told_apart_outside,
])
def test_what_tells_arguments_apart_is_given_a_tuple_whatever_its_name(f: Any):
    """It was given a list for the tuple that Python gives it, and said that it was one."""
    agrees(f, np.array([1.0, 2.0, 3.0]))
    for xs in ([1.0, 2.0, 3.0], [2.0], [1.0, 4.0]):  # how many there are is known in each call
        assert ccc.value_with_gradient(f)(xs) == (f(xs), ccc.gradient(lambda xs: 2.0 * xs[0])(xs))


def test_what_iterates_arguments_is_given_any_number():
    agrees(lambda x: measured(*[2.0 * v for v in x]), np.array([1.0, 2.0, 3.0]))


class Readings:
    """What is iterated by `__getitem__` alone, which Python asks until it raises `IndexError`."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def __getitem__(self, i: int) -> float:
        if i >= len(self.values):
            raise IndexError(i)
        return self.values[i]


def readings(x: float, n: int) -> Any:
    found = Readings()
    for i in range(n):
        found.values.append(x * (i + 1))
    return found


def by_index(x: float, n: int) -> float:
    found = readings(x, n)
    a, b, *_ = found
    return sum(v * v for v in found) + max(found) * a * b + list(found)[-1] + len(tuple(found)) * x


def by_index_while_it_grows(x: float, n: int) -> float:
    found = readings(x, n)
    s = x
    for k, v in enumerate(found):
        if k < 2:
            found.values.append(v * x)
        s = s * v + 1.0
    return s + (x if 99.0 not in found else 0.0)


class Given:
    def __init__(self, *steps: int) -> None:
        self.steps = steps

    def __iter__(self) -> Iterator[int]:
        yield from self.steps


class Deck:
    def __init__(self, cards: list[float]) -> None:
        self.cards = cards

    def __iter__(self) -> Iterator[float]:
        return iter(self.cards)


def recipes(x: float) -> float:
    deck: Any = Deck([x, 2.0 * x, 0.3])
    s = sum(a * b for a, b in itertools.combinations(deck, 2)) + functools.reduce(lambda a, b: a * 0.5 + b, deck)
    s += sum(v * i for i, v in zip(range(5), itertools.cycle(deck), strict=False))
    a, b = itertools.tee(deck)
    s += sum(a) * sum(b) + sum(itertools.compress(deck, [1, 0, 1]))
    s += sum(itertools.filterfalse(lambda v: v > 1.0, deck))
    return s + sum(sum(group) * (2.0 if key else 1.0) for key, group in itertools.groupby(deck, key=lambda v: v > 1.0))


def within_what_is_iterated(x: float) -> float:
    steps, left = Given(1, 2, 3), iter([1, 2, 3, 4])
    s = x if 2 in steps else x * x
    s += 3.0 * x if 5 not in steps else 0.0
    s += x * x if 2 in left else 0.0
    for step in left:  # those behind
        s += step * x
    return s


@pytest.mark.parametrize(("f", "args"), [
    (by_index, (1.3, 3)), (by_index_while_it_grows, (1.3, 3)), (within_what_is_iterated, (1.3,)),
    (recipes, (1.3,)),
], ids=lambda case: getattr(case, "__name__", ""))
def test_what_python_iterates_by_index_and_what_in_goes_through(f: Any, args: Any):
    agrees(f, *args)
