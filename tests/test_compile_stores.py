"""Programs in which several names lead to one list, dict or object: with stores they are what Python makes of them."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
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


def in_place(x: float, n: int) -> float:
    a, d = [x, 1.0], {"k": x}
    b, e = a, d
    b *= n
    e |= {"k": 3.0 * x, "l": x}
    chosen = a if x > 1.0 else [x]
    chosen[0] = 2.0 * x
    return sum(a) + len(b) + d["k"] * d["l"] + (walrus := [x])[0] + sum(walrus)


def arrays_by_index(x: float, n: int) -> Any:
    c = [np.array([x, 1.0]), np.array([2.0, x])]
    a, k = c[n - 2], n - 2
    a[0] = 3.0 * x
    c[1][1] += x
    c.append(c[k])
    c[2] *= 2.0
    return a[0] * c[k][0] + np.sum(c[0]) + 10.0 * np.sum(c[1])


def one_of_two_arrays(x: float, n: int) -> Any:
    a, b = np.array([x, 1.0]), np.array([2.0, x])
    chosen = a if x > 1.0 else b
    chosen[1] = x * x
    chosen += 1.0
    d = {"a": a, "b": b}
    d["a"][:] = d["b"] * 2.0
    np.copyto(b, chosen + x)
    np.add(a, b, out=chosen)
    return a[0] + a[1] * b[1] + np.sum(chosen) + 5.0 * (chosen is a)


def views_of_arrays(x: float, n: int) -> Any:
    m = np.zeros((2, 3)) + x
    rows, v = [m, m], m[1, 1:]
    rows[n - 2][1, 2] = x * x
    v[0] = 5.0 * x
    m.T[1] += x
    m[:, ::-1][0, 0] = 7.0 * x
    return np.sum(rows[0] * np.arange(6.0).reshape(2, 3)) + v[1] + np.sum(v)


def arrays_that_change_while_a_loop_runs_along_them(x: float, n: int) -> Any:
    a = np.array([x, 1.0, x * x])
    b, total = [a, np.zeros(3)], 0.0
    for v in a:
        total += v
        b[0][2] = total
    for i, v in enumerate(b[n - 3]):
        a[(i + 1) % 3] += v
    return total + np.sum(a * np.array([1.0, 2.0, 3.0]))


def arrays_in_dicts_and_objects(x: float, n: int) -> Any:
    d: dict[int, Any] = {}
    for i in range(4):
        d.setdefault(i % 2, np.zeros(2))[n - 2] += x * i
    p: Any = Part(d[0], x)
    q: Any = p if x > 1.0 else Part(p.xs, 2.0)
    q.xs += 1.0
    p.xs[0] = 3.0 * x
    return np.sum(d[0]) * q.v + 3.0 * np.sum(d[1])


def arrays_in_calls(x: float, n: int) -> Any:
    def swapped(p: Any, q: Any) -> None:
        t = p.copy()
        p[:] = q
        q[:] = t

    def grown(xs: Any, k: int) -> Any:
        if k == 0:
            return 0.0
        xs[k % 2][0] += x
        return xs[0][0] * grown(xs, k - 1) + xs[1][0]

    c = [np.array([x, 1.0]), np.array([3.0, x * x])]
    swapped(c[0], c[n - 2])
    c.append(c[0])
    return grown(c, n) + 10.0 * c[2][0] + np.sum(c[n - 2])


PROGRAMS = [
    one_of_two_objects, by_index, in_two_lists, setdefault_then_assigned, rows_under_two_names, grows_while_it_is_read,
    methods, recursion, closures, identity, copies, slices, nothing_or_an_object, links,
    kept_by_its_own_init, known_one_by_one_at_first, arrays_by_index, one_of_two_arrays, views_of_arrays,
    arrays_that_change_while_a_loop_runs_along_them, arrays_in_dicts_and_objects, arrays_in_calls, in_place,
]


def slope(f: Callable[..., Any], x: float, n: int) -> float:
    h = 1e-6
    return (f(x + h, n) - f(x - h, n)) / (2.0 * h)


@pytest.fixture(params=["refused", pytest.param("always", marks=pytest.mark.nightly)])
def stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("CCC_STORES", request.param)
    forget()
    yield request.param
    forget()


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients_are_those_of_python(stores: str, f: Callable[..., Any]):
    gradient = ccc.value_with_gradient(f, wrt=0, backend="numpy")
    for x, n in ((1.3, 3), (0.6, 2)):
        value, found = gradient(x, n)
        assert math.isclose(value, f(x, n), rel_tol=1e-14)
        assert math.isclose(found, slope(f, x, n), rel_tol=1e-6, abs_tol=1e-6)


def bend(f: Callable[..., Any], x: float, n: int) -> float:
    h = 1e-4
    return (f(x + h, n) - 2.0 * f(x, n) + f(x - h, n)) / (h * h)


@pytest.mark.share(8)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives_inside_and_both_exponentials(f: Callable[..., Any]):
    x, n = 1.3, 3
    inside = ccc.gradient(lambda x: ccc.gradient(lambda y: f(y, n))(x), backend="numpy")
    second = bend(f, x, n)
    if abs(second) > 1e-5:  # else the result does not depend on x, which is warned of
        assert math.isclose(inside(x), second, rel_tol=1e-4)
        assert math.isclose(ccc.hvp(lambda y: f(y, n), backend="numpy")(x, 1.0), inside(x), rel_tol=1e-12)
    first = ccc.gradient(f, wrt=0, backend="numpy")(x, n)
    both = ccc.gradient(f, wrt=0, exponential=ccc.AdditiveMap(), backend="numpy")
    assert math.isclose(both(x, n), first, rel_tol=1e-12)
    assert math.isclose(ccc.jvp(lambda y: f(y, n), (x,), (1.0,), backend="numpy")[1], first, rel_tol=1e-12)


def test_a_derivative_inside_reads_the_places_around_it_and_changes_its_own():
    def f(x: float, n: int) -> float:
        rows = [[x], [2.0, x]]
        row = rows[n % 2]
        row[0] = x * x

        def inner(y: float) -> float:
            own = [[y], [row[0], y]]
            chosen = own[n % 2]
            chosen.append(y * rows[0][0])
            return own[0][0] * sum(own[1]) * len(own[n % 2])

        return ccc.gradient(inner)(x) + rows[1][0]

    def expected(x: float, n: int) -> float:
        def of(y: float) -> float:
            rows = [[x], [2.0, x]]
            row = rows[n % 2]
            row[0] = x * x
            own = [[y], [row[0], y]]
            own[n % 2].append(y * rows[0][0])
            return own[0][0] * sum(own[1]) * len(own[n % 2]), rows[1][0]  # pyright: ignore[reportReturnType]

        return (of(x + 1e-6)[0] - of(x - 1e-6)[0]) / 2e-6 + of(x)[1]  # pyright: ignore[reportIndexIssue]

    for n in (2, 3):
        assert math.isclose(ccc.compiled(f, backend="numpy")(1.3, n), expected(1.3, n), rel_tol=1e-7)
        _, found = ccc.value_with_gradient(f, wrt=0, backend="numpy")(1.3, n)
        assert math.isclose(found, slope(expected, 1.3, n), rel_tol=1e-3)


def test_what_is_a_constant_stays_one(stores: str):
    def f(x: float) -> float:
        a, b = Part([x], x), Part([x], 2.0 * x)
        chosen = a if x > 1.0 else b
        chosen.v = chosen.v * x
        return chosen.v * ccc.without_derivative(chosen.xs[0])

    assert ccc.value_with_gradient(f, backend="numpy")(1.5) == (f(1.5), 2.0 * 1.5 * 1.5)


def test_what_is_refused_again_is_refused_as_it_was_first(monkeypatch: pytest.MonkeyPatch):
    def f(x, a):
        b = a * x
        c = b.ravel()
        c[0] = x
        return np.sum(b)

    texts: list[str] = []
    for when in ("never", "refused"):
        monkeypatch.setenv("CCC_STORES", when)
        with pytest.raises(CompileError) as error:
            ccc.gradient(f)(1.0, np.ones((2, 2)))
        texts.append(str(error.value))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_code_is_for_what_the_switch_says(monkeypatch: pytest.MonkeyPatch, backend: str):
    call = ccc.value_with_gradient(one_of_two_objects, wrt=0, backend=backend)
    monkeypatch.delenv("CCC_STORES", raising=False)
    found = [call(1.3, 3) for _ in range(6)]  # the later calls go the short way
    for _ in range(2):
        monkeypatch.setenv("CCC_STORES", "never")
        with pytest.raises(CompileError):
            call(1.3, 3)
        monkeypatch.setenv("CCC_STORES", "refused")
        assert [call(1.3, 3), call(1.3, 3)] == found[:2]


def test_code_without_stores_is_not_that_of_always(monkeypatch: pytest.MonkeyPatch):
    def f(x: float) -> float:
        xs = [x, 1.0]
        xs[0] = x * x
        return sum(xs)

    codes: list[Any] = []
    for when in ("refused", "always", "refused"):
        monkeypatch.setenv("CCC_STORES", when)
        call = ccc.gradient(f, backend="numpy")
        assert call(1.5) == 3.0
        codes.append(next(iter(call.codes.values()))[0])
    assert codes[0] is codes[2] and codes[0] is not codes[1]


def test_random_programs_are_right_or_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CCC_STORES", "refused")
    found = [outcome_of(aliases(seed)).kind for seed in range(400, 404)]
    assert not set(found) & set(FAILURES)
    assert AGREED in found
