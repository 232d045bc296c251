"""Generators and iterators that are kept while what they read changes, against plain Python on both targets."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import agrees, agrees_in_value

import ccc

LIMITS = [1.0, 2.0]


def of_limits() -> Iterator[float]:
    yield from LIMITS


def values_changed(d: dict[str, float]) -> float:
    g = (v * v for v in d.values())
    d["a"] = 3.0 * d["b"]
    return sum(g)


def keys_changed(d: dict[str, float]) -> float:
    g = (d[k] * d["b"] for k in d)
    d["a"] *= 5.0
    return sum(g)


def items_changed(d: dict[str, float]) -> float:
    g = (len(k) * v for k, v in d.items())
    d["b"] *= d["a"]
    return sum(g)


def mapped_values(d: dict[str, float]) -> float:
    m = map(lambda v: v * v, d.values())
    d["b"] = 2.0 * d["a"]
    return sum(m)


def started_values(d: dict[str, float]) -> float:
    def g() -> Iterator[float]:
        for v in d.values():
            yield v * d["a"]

    it = g()
    a = next(it)
    d["b"] *= 3.0
    return a + sum(it)


def keys_started(d: dict[str, float]) -> float:
    def g() -> Iterator[float]:
        for k in d:
            yield d[k]

    it = g()
    a = next(it)
    d["b"] *= d["a"]
    return a * next(it)


def in_a_branch(d: dict[str, float]) -> float:
    def g() -> Iterator[float]:
        for k in d:
            yield d[k]

    it = g()
    s = 1.0
    if d["a"] > 0.5:
        d["b"] = 4.0 * d["a"]
    return s + sum(v * v for v in it)


OF_DICTS = [
    values_changed, keys_changed, items_changed, mapped_values, started_values, keys_started, in_a_branch,
]


@pytest.mark.share(2)
@pytest.mark.parametrize("f", OF_DICTS)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_dicts_that_change_behind_what_iterates_them(f: Callable[..., Any], backend: str) -> None:
    mine, plain = {"a": 1.5, "b": 2.0}, {"a": 1.5, "b": 2.0}
    assert ccc.compiled(f, backend=backend)(mine) == f(plain)
    assert mine == plain


@pytest.mark.share(2)
@pytest.mark.parametrize("f", OF_DICTS)
def test_their_derivatives(f: Callable[..., Any]) -> None:
    def of_two(a: float, b: float) -> float:
        return f({"a": a, "b": b})

    agrees(of_two, 1.5, 2.0, second=False)


def variable_bound_anew(x: float) -> float:
    def g() -> Iterator[float]:
        for k in range(3):
            yield k * x

    it = g()
    x = 2.0 * x * x
    return sum(it)


def through_a_function(x: float) -> float:
    xs = [x, 2.0 * x]

    def square(i: int) -> float:
        return xs[i] * xs[i]

    def g() -> Iterator[float]:
        for i in range(2):
            yield square(i)

    it = g()
    if x > 0.0:
        xs[1] = 5.0 * x
    return sum(it)


def one_after_the_other(x: float) -> float:
    def g(k: list[float]) -> Iterator[float]:
        for v in (x, 2.0 * x * k[0]):  # noqa: UP028
            yield v

    it = g([x])
    a, b = next(it), next(it)
    return a + 10.0 * b + 100.0 * next(it, 7.0)


def the_rest_in_a_loop(x: float) -> float:
    def g(k: list[float]) -> Iterator[float]:
        for v in [x, 2.0 * x, x * k[0]]:  # noqa: UP028
            yield v

    it = g([3.0])
    s = next(it)
    while True:
        try:
            s = 2.0 * s + next(it)
        except StopIteration:
            break
    return s


def kept_by_a_nonlocal(x: float) -> float:
    it = iter([0.0])

    def begin() -> float:
        nonlocal it
        it = iter([x, 2.0 * x])
        for v in it:
            return v
        return 0.0

    a = begin()
    return a + 10.0 * next(it) + next(it, 5.0)


@pytest.mark.parametrize(
    "f", [variable_bound_anew, through_a_function, one_after_the_other, the_rest_in_a_loop, kept_by_a_nonlocal])
def test_what_generators_read_is_what_it_is_then(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, second=False)
    assert ccc.compiled(f, backend="native")(0.7) == f(0.7)


def list_changed(xs: list[float]) -> float:
    def g() -> Iterator[float]:
        for v in xs:
            yield v * v

    it = g()
    xs[0] = 100.0
    return sum(it)


def size_changed(d: dict[str, float], k: str) -> float:
    it = iter(d.values())
    a = next(it)
    d[k] = 1.0
    return a + next(it)


def outside_changed(x: float) -> float:
    it = of_limits()
    LIMITS[0] = x
    found = sum(it)
    LIMITS[0] = 1.0
    return found


def test_lists_and_sizes() -> None:
    agrees_in_value(list_changed, [1.0, 2.0])
    agrees_in_value(outside_changed, 5.0)
    agrees_in_value(lambda k: size_changed({"a": 1.0, "b": 2.0}, k), "b")
    agrees_in_value(lambda k: size_changed({"a": 1.0, "b": 2.0}, k), "c")


def grows_finally(x: float, xs: list[float]) -> float:
    def noting(log: list[float]) -> Iterator[float]:
        yield 0.5 * x
        try:
            yield xs[0]
        finally:
            log.append(0.25 * x)

    s, log = x, [x]
    for u in (u for u in noting(log) if u > 0.3):
        s += 0.5 * u * u
    return s * sum(log)


def grows_in_a_with(x: float, n: int) -> float:
    @contextlib.contextmanager
    def ended(log: list[float]) -> Iterator[None]:
        yield
        log.append(x)

    log = [x * x]
    with ended(log):
        if n > 2:
            log.append(3.0 * x)
        log.append(x / log[-1])
    return sum([(i + 1) * v for i, v in enumerate(log)])


@pytest.mark.parametrize(("f", "args"), [
    (grows_finally, (1.6, [0.4, 3.0])), (grows_finally, (0.5, [0.2, 3.0])), (grows_finally, (0.7, [0.7, 1.0])),
    (grows_in_a_with, (1.6, 2)), (grows_in_a_with, (1.6, 3))])
def test_lists_that_grow_in_statements_that_end_in_one_way(f: Callable[..., float], args: Any) -> None:
    agrees(f, *args)


class Counting:
    """What says how far it is."""

    def __init__(self, xs: Any) -> None:
        self.xs = xs
        self.k = 0

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self.xs)):
            self.k = i
            yield self.xs[i]


def reads_an_attribute(xs: list[float]) -> float:
    it = Counting(xs)
    return sum([x * it.k for x in it])


def reads_what_is_outside(xs: list[float]) -> float:
    n = 0

    def counted() -> Iterator[float]:
        nonlocal n
        for x in xs:
            n += 1
            yield x

    return sum([x * n for x in counted()]) + sum([x for x in counted() if n > 7])


def reads_a_row_again(xs: list[float]) -> float:
    def rows() -> Iterator[Any]:
        row = [0.0, 1.0]
        for x in xs:
            row[0] = x
            yield row

    return sum([r[0] * r[1] for r in rows()])


@pytest.mark.parametrize("f", [reads_an_attribute, reads_what_is_outside, reads_a_row_again])
def test_items_of_lists_that_show_how_far_a_generator_is(f: Callable[..., float]) -> None:
    agrees(f, [1.0, 2.5, 4.0, 0.5, 3.0])
