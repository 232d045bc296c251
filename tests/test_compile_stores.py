"""Programs in which several names lead to one list, dict or object: with stores they are what Python makes of them."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from random_aliases import aliases
from random_checks import AGREED, FAILURES, outcome_of

import ccc
from ccc.compile.api.wrapper import forget
from ccc.compile.diagnostics import CompileError


@dataclass
class Part:
    xs: list[float]
    v: float


class Counter:
    def __init__(self, v: float) -> None:
        self.v = v
        self.seen: list[float] = []

    def add(self, x: float) -> None:
        self.v += x
        self.seen.append(x)


@dataclass
class Link:
    value: float
    rest: Link | None = None


def one_of_two_objects(x: float, n: int) -> float:
    a, b = Part([x], x), Part([2.0 * x, 1.0], 2.0)
    chosen = a if x > 1.0 else b
    chosen.v += 3.0 * x
    chosen.xs.append(x * x)
    return a.v * sum(a.xs) + b.v * sum(b.xs) + len(b.xs)


def by_index(x: float, n: int) -> float:
    parts = [Part([x], 1.0), Part([x, x], 2.0)]
    for i in range(n):
        parts[i % 2].v = parts[i % 2].v * x
        parts[(i + 1) % 2].xs[0] += parts[i % 2].v
    return parts[0].v + sum(parts[0].xs) + parts[1].v * sum(parts[1].xs)


def in_two_lists(x: float, n: int) -> float:
    a = [x, 1.0]
    rows, others = [a, [2.0]], [[3.0], a]
    rows[n % 2].append(x * x)
    others[1][0] *= 3.0
    return sum(a) + sum(rows[1]) + sum(others[0]) + len(rows[0])


def setdefault_then_assigned(x: float, n: int) -> float:
    found: dict[int, list[float]] = {}
    for i in range(n):
        found.setdefault(i % 2, []).append(x * i)
    first = found[0]
    found[1] = first
    found[1].append(x * x)
    return sum(first) + sum(found[0]) * 2.0


def rows_under_two_names(x: float, n: int) -> float:
    grid = [[x, 1.0], [2.0, x]]
    row = grid[n % 2]
    grid[0], grid[1] = grid[1], grid[0]
    row[0] = x * x
    grid[n % 2][1] += 5.0 * row[0]
    return grid[0][0] + 2.0 * grid[0][1] + 3.0 * grid[1][0] + 4.0 * grid[1][1]


def grows_while_it_is_read(x: float, n: int) -> float:
    xs = [x, 1.0]
    ys = xs if x > 0.0 else [2.0]
    total = 0.0
    for y in xs:
        total += y * y
        if len(ys) < n + 2:
            ys.append(y * 0.5)
    return total


def methods(x: float, n: int) -> float:
    cs = [Counter(x), Counter(2.0)]
    last = cs[n % 2]
    for c in cs:
        c.add(x * c.v)
        last.add(1.0)
    return cs[0].v + 2.0 * cs[1].v + sum(last.seen) * len(cs[0].seen)


def visited(x: float, n: int, seen: list[float], part: Part) -> float:
    if n == 0:
        return part.v
    seen.append(x * n)
    part.v += seen[-1]
    return visited(x, n - 1, seen, part) + x


def recursion(x: float, n: int) -> float:
    seen, part = [1.0], Part([x], x)
    others = [seen, [2.0]]
    total = visited(x, n, others[n % 2], part)
    return total + part.v + sum(seen) + 3.0 * sum(others[1])


def closures(x: float, n: int) -> float:
    rows = [[x], [1.0, x]]

    def total() -> float:
        return sum(rows[n % 2]) + rows[0][0]

    before = total()
    rows[n % 2].append(x * x)
    rows[0][0] += before
    return total() + before


def identity(x: float, n: int) -> float:
    a, b = Part([x], x), Part([x], x)
    c = [a, b][n % 2]
    c.v = x * x
    return (1.0 if c is a else 2.0) * a.v + (4.0 if c is b else 8.0) * b.v + (0.5 if a.xs is b.xs else 0.25)


def copies(x: float, n: int) -> float:
    a = Part([x], x)
    b = [a, copy.copy(a), dataclasses.replace(a, v=2.0)][n % 3]
    b.v += x
    b.xs.append(x * x)
    return a.v + b.v * sum(a.xs)


def slices(x: float, n: int) -> float:
    xs = [x, 1.0, 2.0, x]
    ys = xs if x > 1.0 else [3.0, x]
    ys[1:2] = [x, x * x]
    del xs[0]
    xs.insert(n % 2, 4.0 * x)
    ys.reverse()
    popped = xs.pop(n % 2)
    xs += [popped, 7.0]
    return sum([(i + 1.0) * v for i, v in enumerate(xs)]) + 10.0 * sum(ys)


def nothing_or_an_object(x: float, n: int) -> float:
    best: Part | None = None
    parts = [Part([x], x), Part([1.0], 2.0), Part([x, x], 1.5)]
    for p in parts:
        if best is None or p.v > best.v:
            best = p
    assert best is not None
    best.xs.append(x * x)
    return sum([sum(p.xs) * p.v for p in parts])


def links(x: float, n: int) -> float:
    first = Link(x)
    last = first
    for i in range(n):
        last.rest = Link(x * i)
        last = last.rest
    first.value = x * x
    total = 0.0
    here: Link | None = first
    while here is not None:
        total += here.value * here.value
        here = here.rest
    return total


class Registered:
    def __init__(self, v: float, all: list[Any]) -> None:
        self.v = v
        all.append(self)
        self.w = v * 2.0


def kept_by_its_own_init(x: float, n: int) -> float:
    all: list[Any] = []
    a, b = Registered(x, all), Registered(2.0 * x, all)
    a.v = 5.0 * x
    all[1].v = 7.0 * x * x
    return a.v + 10.0 * b.v + 100.0 * all[0].v + all[1].w


def known_one_by_one_at_first(x: float, n: int) -> float:
    a: list[Any] = [lambda t: t]
    a[0] = x
    b: Any = a
    b[0] = 5.0 * x
    c: list[Any] = [[x], lambda t: t]
    d = {"k": c[0], "a": a}
    c[0][0] = 3.0 * x
    d["a"].append(x)
    return a[0] + 10.0 * b[-1] + 100.0 * d["k"][0]


PROGRAMS = [
    one_of_two_objects, by_index, in_two_lists, setdefault_then_assigned, rows_under_two_names, grows_while_it_is_read,
    methods, recursion, closures, identity, copies, slices, nothing_or_an_object, links,
    kept_by_its_own_init, known_one_by_one_at_first,
]


def slope(f: Callable[..., float], x: float, n: int) -> float:
    h = 1e-6
    return (f(x + h, n) - f(x - h, n)) / (2.0 * h)


@pytest.fixture(params=["refused", pytest.param("always", marks=pytest.mark.nightly)])
def stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("CCC_STORES", request.param)
    forget()
    yield request.param
    forget()


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients_are_those_of_python(stores: str, f: Callable[..., float]):
    gradient = ccc.value_with_gradient(f, wrt=0, backend="numpy")
    for x, n in ((1.3, 3), (0.6, 2)):
        value, found = gradient(x, n)
        assert value == f(x, n)
        assert math.isclose(found, slope(f, x, n), rel_tol=1e-6, abs_tol=1e-6)


def test_what_is_a_constant_stays_one(stores: str):
    def f(x: float) -> float:
        a, b = Part([x], x), Part([x], 2.0 * x)
        chosen = a if x > 1.0 else b
        chosen.v = chosen.v * x
        constant = ccc.without_derivative(chosen.xs)
        return chosen.v * constant[0]

    assert ccc.value_with_gradient(f, backend="numpy")(1.5) == (f(1.5), 2.0 * 1.5 * 1.5)


def test_what_is_refused_again_is_refused_as_it_was_first(monkeypatch: pytest.MonkeyPatch):
    def f(x, xs):
        xs[0].append(x)
        return sum(xs[0])

    texts: list[str] = []
    for when in ("never", "refused"):
        monkeypatch.setenv("CCC_STORES", when)
        with pytest.raises(CompileError) as error:
            ccc.gradient(f)(1.0, [[2.0]])
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def test_random_programs_are_right_or_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CCC_STORES", "refused")
    found = [outcome_of(aliases(seed)).kind for seed in range(400, 404)]
    assert not set(found) & set(FAILURES)
    assert AGREED in found
