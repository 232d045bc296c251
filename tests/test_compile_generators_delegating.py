"""What is sent and thrown to a generator that runs along another one by `yield from`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])
Numbers = Generator[Any, Any, Any]


def summing() -> Numbers:
    s = 0.0
    while True:
        v = yield s
        if v is None:
            return s
        s += v


def outer() -> Numbers:
    r = yield from summing()
    print("sum", r)
    yield r * 10


def sent(x: float, n: int) -> float:
    g = outer()
    s = next(g)
    for i in range(n):
        s += g.send(x * i)
    return s + next(g)


def sent_on_twice(x: float, n: int) -> float:
    def middle() -> Numbers:
        return (yield from summing())

    def last() -> Numbers:
        r = yield from middle()
        yield r * x

    g = last()
    next(g)
    g.send(x)
    g.send(2 * x)
    return g.send(None)


def catching(x: float) -> Numbers:
    try:
        yield x
        yield 2 * x
    except ValueError:
        print("caught inside")
    return 5.0


def thrown(x: float, n: int) -> float:
    def around() -> Numbers:
        r = yield from catching(x)
        yield r * x

    g = around()
    s = next(g)
    return s + g.throw(ValueError("q"))


def pair(x: float) -> Numbers:
    yield x
    yield 2 * x


def thrown_through(x: float, n: int) -> float:
    def around() -> Numbers:
        try:
            yield from pair(x)
        except ValueError:
            print("caught outside")
        yield 7.0

    g = around()
    s = next(g)
    return s * g.throw(ValueError("q"))


def along_a_list(x: float, n: int) -> float:
    def around() -> Numbers:
        yield from [x, 2 * x]
        yield 1.0

    g = around()
    s = next(g)
    try:
        g.throw(KeyError("q"))
    except KeyError:
        return s * x
    return 0.0


@TARGETS
@pytest.mark.parametrize("f", [
    sent, sent_on_twice, thrown, thrown_through, along_a_list,
])  # fmt: skip
def test_it_goes_to_the_inner_generator(f: Callable[..., Any], backend: str, capsys: Any) -> None:
    """It stayed at the outer one: what was sent was lost."""
    expected, said = f(2.0, 3), capsys.readouterr().out
    assert ccc.compiled(f, backend=backend)(2.0, 3) == expected
    assert capsys.readouterr().out == said
    if backend == "numpy":
        slope = (f(2.0 + 1e-6, 3) - f(2.0 - 1e-6, 3)) / 2e-6
        assert ccc.gradient(f, wrt="x", backend=backend)(2.0, 3) == pytest.approx(slope, rel=1e-7)


def value_or_none(x: float, n: int) -> Any:
    try:
        if n:
            raise StopIteration(x * 2)
        raise StopIteration
    except StopIteration as end:
        return end.value


@TARGETS
@pytest.mark.parametrize("n", [0, 1])
def test_the_value_of_an_end_that_may_have_none(n: int, backend: str) -> None:
    """It was the number of a place."""
    assert ccc.compiled(value_or_none, backend=backend)(2.0, n) == value_or_none(2.0, n)


def product_at_last(a: float, x: float) -> Numbers:
    yield x
    return a * x


def delegated_end(a: float, n: int) -> Any:
    def outer() -> Numbers:
        r = yield from product_at_last(a, 3.0)
        again = yield from product_at_last(r, 2.0)
        return r * again

    it = outer()
    s = next(it)
    for _ in range(n):
        s = s * 0.5 + next(it)
    try:
        next(it)
    except StopIteration as end:
        s += end.value
    return s


@TARGETS
def test_the_end_of_a_generator_that_delegates_has_what_it_returns(backend: str) -> None:
    """What a branch had put into a store where two tuples met was lost: an IndexError."""
    assert ccc.compiled(delegated_end, backend=backend)(2.0, 1) == delegated_end(2.0, 1)
    slope = (delegated_end(2.0 + 1e-6, 1) - delegated_end(2.0 - 1e-6, 1)) / 2e-6
    assert ccc.gradient(delegated_end, wrt="a", backend=backend)(2.0, 1) == pytest.approx(slope, rel=1e-7)


def around_itself(x: float, n: int) -> float:
    def walk(k: int, v: float) -> Any:
        if k > 0:
            yield from walk(k - 1, v * 0.5)
            yield v
            for u in walk(k - 1, v * x):
                yield u + k

    s = 0.0
    for i, v in enumerate(walk(n, x)):
        s += (i + 1) * v
    return s


@TARGETS
def test_a_nested_generator_delegates_to_itself(backend: str) -> None:
    """The function that collects what it yields was not known as the one that its body calls: read without end."""
    f = ccc.value_with_gradient(around_itself, wrt="x", backend=backend)
    for n in (0, 3):
        value, found = f(0.7, n)
        assert value == pytest.approx(around_itself(0.7, n), rel=1e-14)
        slope = (around_itself(0.7 + 1e-6, n) - around_itself(0.7 - 1e-6, n)) / 2e-6
        assert found == pytest.approx(slope, rel=1e-7)


def batches(xs: list[float], n: int) -> Any:
    found: list[float] = []
    for v in xs:
        found.append(v)
        if len(found) == n:
            yield found
            found = []
    if found:
        yield found


def in_batches(x: float, n: int) -> float:
    return sum(len(b) * sum(v * v for v in b) for b in batches([x * i for i in range(n)], 3))


@TARGETS
def test_lists_that_are_yielded_and_then_begun_anew_are_summed_in_turn(backend: str) -> None:
    """Refused: what makes a list in a store changes something, so each item was to be made in its turn."""
    f = ccc.value_with_gradient(in_batches, wrt="x", backend=backend)
    value, found = f(0.7, 7)
    assert value == pytest.approx(in_batches(0.7, 7), rel=1e-14)
    assert found == pytest.approx(2 * value / 0.7, rel=1e-12)
