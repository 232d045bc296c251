"""Generators, generator expressions and iterators under names, against plain Python and differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc

DATA = np.arange(10.0)


def powers(x: float, n: int) -> Iterator[float]:
    p = 1.0
    for _ in range(n):
        yield p
        p *= x


def some(x: float) -> Iterator[float]:
    yield x
    if x > 1.0:
        return
    yield x * x


def outer(x: float, n: int) -> Iterator[float]:
    yield 1.0
    yield from powers(x, n)
    yield from [x, x]


def batches(xs: Any, ys: Any, n: int) -> Iterator[tuple[Any, Any]]:
    for i in range(0, len(xs), n):
        yield xs[i : i + n], ys[i : i + n]


@dataclass
class Node:
    value: float
    left: Node | None = None
    right: Node | None = None


def walk(node: Node | None) -> Iterator[float]:
    if node is not None:
        yield from walk(node.left)
        yield node.value
        yield from walk(node.right)


def total(items: Iterable[float]) -> float:
    """What is given is read once."""
    s = 0.0
    for v in items:
        s += v * v
    return s


def by_loops(x: float, n: int) -> float:
    s = 0.0
    for i, p in enumerate(powers(x, n)):
        s += i * p
    for a, b in zip(powers(x, n), outer(x, n)):  # noqa: B905
        s += a * b
    first, second, *rest = outer(x, n)
    return s + sum(powers(x, 3)) + list(powers(x, n))[2] * first * second + len(rest)


def by_names(x: float, n: int) -> float:
    scaled = (x * i for i in range(n))
    s = total(scaled)
    pairs = zip(powers(x, n), [1.0, 2.0, 3.0], strict=False)
    for a, b in pairs:
        s += a * b
    return s + total(x * v for v in powers(x, n)) + total(map(lambda v: v * x, [1.0, 2.0]))


def by_itertools(x: float, n: int) -> float:
    y = x
    for i in itertools.count(1):
        y = 0.5 * (y + x / y)
        if i > n:
            break
    for key, group in itertools.groupby([("a", 1.0), ("a", 2.0), ("b", 3.0)], key=lambda row: row[0]):
        y += sum([v * x for _, v in group]) * (2.0 if key == "a" else 1.0)
    return y + sum(itertools.chain([x], powers(x, n)))


def mini_batches(w: float, n: int) -> float:
    loss = 0.0
    for xs, ys in batches(DATA, 2.0 * DATA, n):
        loss += np.mean((xs * w - ys) ** 2)
    return loss


def in_order(x: float, n: int) -> float:
    import math
    from math import cos as c

    found = sum(walk(Node(x, Node(2.0 * x), Node(x * x, Node(math.sin(x))))))
    return found * c(x) + sum(some(x)) + sum(some(x / 9.0))


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [by_loops, by_names, by_itertools, mini_batches, in_order])
def test_generators_give_what_they_give_in_plain_python(f: Any):
    agrees(f, 1.5, 4, exponentials=("Delta",))


def told(x: float, n: int) -> Iterator[float]:
    for i in range(n):
        print(i)
        yield x * i


def halves(x: float) -> Generator[float, None, None]:
    while True:
        yield x
        x = x / 2.0


def doubled(xs: list[float]) -> Iterator[float]:
    for v in xs:
        yield 2.0 * v


def beside_a_loop(x: float, n: int) -> float:
    s = 0.0
    for i, v in enumerate(told(x, n)):
        print("got", i)
        s += v
    return s * v  # type: ignore[possibly-undefined]


def left_early(x: float, n: int) -> float:
    for i, h in zip(range(n + 9), halves(x), strict=False):
        for k in range(n):
            if h < 0.2 * k:
                return h * i
    else:
        print("none")
    return x


def one_in_another(x: float, n: int) -> float:
    s = 0.0
    for a in told(x, n):
        for b in told(a, n):
            if b > 8.0:
                break
            s += b
        else:
            s *= 2.0
    return s


def first_of_endless(x: float, n: int) -> float:
    return sum(itertools.islice(halves(x), n)) + sum(itertools.takewhile(lambda h: h > 0.1, halves(x)))


def close_together(x: float, n: int) -> float:  # type: ignore[return]
    for a, b in itertools.pairwise(halves(x)):
        if a - b < 1e-2:
            return a * b


def reads_what_changes(x: float, n: int) -> float:
    xs, s = [x, x, x], 0.0
    for v in doubled(xs):
        xs[2] = 5.0
        s += v
    return s


def asked_in_a_loop(x: float, n: int) -> float:
    found, s = told_forever(x), 0.0
    print("before")
    for _ in range(n):
        s = s * 0.5 + next(found)
    return s * next(found)


def told_forever(x: float) -> Any:
    while True:
        print("yields", x)
        yield x
        x = x * 0.75
        yield -x


def averaged() -> Any:
    total, k, mean = 0.0, 0, None
    while True:
        v = yield mean
        total += v
        k += 1
        mean = total / k


def sent_to(x: float, n: int) -> float:
    means, s = averaged(), 0.0
    next(means)
    for k in range(n):
        s += means.send(x * k)
    return s * means.send(x * x)


def smoothed(a: float, xs: list[float]) -> Any:
    m = 0.0
    for v in xs:
        m = a * m + (1.0 - a) * v
        yield m


def first_and_rest(x: float, n: int) -> float:
    found = smoothed(x * 0.1, [x * k for k in range(n + 1)])
    first = next(found)
    s = next(found, 5.0) + first
    for v in found:
        s = s * x + v
    return s + next(found, 3.0 * x)


def parts_of_endless(x: float, n: int) -> float:
    found = halves(x)
    s = sum(itertools.islice(halves(x), 2, n + 3)) + sum(h * h for h in itertools.islice(halves(x), 1, 9, 2))
    return s + sum(itertools.islice(found, 1, n)) * next(found) + sum(itertools.islice(found, 0, 4, 3)) * next(found)


def closed(x: float, n: int) -> float:
    found, pair = halves(x), iter(multiples(x))
    s = next(found) + next(pair) + next(pair)
    for v in found:
        s = s * v
        if v < x / n:
            found.close()
    pair.close()
    return s + sum(found) + sum(pair) + next(found, 3.0 * x)


@pytest.mark.parametrize("f", [asked_in_a_loop, sent_to, first_and_rest, parts_of_endless, beside_a_loop, left_early,
                               closed, one_in_another, first_of_endless, close_together, reads_what_changes])
def test_generators_run_in_turn_with_a_loop(f: Any, capsys: pytest.CaptureFixture[str]):
    value = f(1.5, 4)
    wanted = capsys.readouterr().out
    found, slope = ccc.value_with_gradient(f, wrt="x")(1.5, 4)
    assert capsys.readouterr().out == wanted
    assert abs(found - value) < 1e-12 and type(found) is type(value)
    h = 1e-6
    assert abs(slope - (f(1.5 + h, 4) - f(1.5 - h, 4)) / (2.0 * h)) < 1e-6 * (1.0 + abs(slope))


def multiples(x: float) -> Generator[float, None, None]:
    for i in range(5):
        yield i * x


def every(k: int, values: Iterator[float]) -> Iterator[float]:
    for i, value in enumerate(values):
        if i % k == 0:
            yield value


def squares(values: Iterator[float]) -> Iterator[float]:
    for value in values:
        yield value * value


def added_up(values: Iterator[float]) -> float:
    seen: list[float] = []
    for value in values:
        seen.append(value)
    return sum(seen) * len(seen)


def test_generators_are_given_to_generators() -> None:
    agrees(lambda x: sum(squares(every(2, multiples(x)))) + added_up(squares(squares(multiples(x)))), 0.6)


def ends_badly(x: float) -> Iterator[float]:
    yield x
    if x > 0.0:
        raise ValueError("late")
    yield 2.0 * x


def leaves_first(x: float) -> float:
    for v in ends_badly(x):
        return v * 3.0
    return x


def breaks_first(x: float) -> float:
    s = 0.0
    for v in ends_badly(x):
        s += v
        if s > 1.0:
            break
    return s


@pytest.mark.parametrize("f", [
    leaves_first, breaks_first, lambda x: any(v > 1.0 for v in ends_badly(x)) * x,
    lambda x: sum(a * v for a, v in zip([1.0], ends_badly(x), strict=False)),
])  # fmt: skip
def test_what_is_raised_behind_the_last_item_that_is_taken_is_not_raised(f: Any) -> None:
    """All items were collected first, so the error came where Python has none."""
    agrees(f, 2.0)


def noting(x: float, log: list[float]) -> Iterator[float]:
    """What it notes tells when each item was taken."""
    for k in range(3):
        log.append(x * k)
        yield x + k
    log.append(0.25)


def noting_last(x: float, log: list[float]) -> Iterator[float]:
    try:
        yield x
    finally:
        log.append(0.5)


def ordered(log: list[float]) -> float:
    return sum([(i + 1) * v for i, v in enumerate(log)])


@pytest.mark.share(3)
@pytest.mark.parametrize("through", [
    lambda g: itertools.chain(g, [0.5]), lambda g: itertools.chain([0.5], g, [1.5]), lambda g: itertools.islice(g, 2),
    lambda g: itertools.islice(g, 1, 3), lambda g: itertools.takewhile(lambda u: u < 2.0, g),
    lambda g: itertools.dropwhile(lambda u: u < 1.0, g), lambda g: itertools.filterfalse(lambda u: u > 2.0, g),
    itertools.accumulate, lambda g: itertools.accumulate(g, max, initial=1.0), itertools.pairwise,
    lambda g: itertools.compress(g, [1, 0, 1]), lambda g: itertools.starmap(pow, ((u, 2) for u in g)),
    lambda g: filter(None, g), lambda g: map(abs, g), lambda g: zip(g, [1.0, 2.0], strict=False),
])  # fmt: skip
@pytest.mark.parametrize("made", [noting, noting_last])
def test_iterators_take_each_item_when_its_turn_comes(through: Any, made: Any) -> None:
    def f(x: float) -> float:
        log = [x]
        for u in through(made(x, log)):
            log.append(u[0] if isinstance(u, tuple) else u)
        return ordered(log)

    agrees(f, 0.7)


def in_comprehensions(x: float) -> float:
    """What is found to be of unknown length on the way, or runs in turn, has its effects once."""
    log = [0.0]

    def put(v: float) -> float:
        log.append(v)
        return v * x

    kept = [put(v) for v in (1.0, x, 2.0) if v > 0.5]
    more = [u * k for k in (1.0, 2.0) for u in noting(x, log) if u > 1.0]
    last = list(u for u in noting_last(x, log) if u > 0.3)
    return sum(kept) + sum(more) + sum(last) + ordered(log)


@pytest.mark.parametrize("x", [0.7, 0.2])
def test_effects_of_comprehensions_happen_once(x: float) -> None:
    agrees(in_comprehensions, x)


@pytest.mark.parametrize("taken", [list, tuple, dict, sorted])
def test_what_takes_a_zip_whole_asks_for_items_in_turn(taken: Callable[..., Any]):
    def f(n):
        log = []

        def numbers(k):
            for i in range(n):
                log.append(k * i)
                yield i
            log.append(-k)

        return taken(zip(numbers(1.0), filter(lambda k: k < 1, numbers(0.5)), strict=False)), log

    agrees_in_value(f, 2)
    agrees_in_value(f, 0)


def test_what_takes_a_part_whole_asks_for_no_more(capsys: pytest.CaptureFixture[str]):
    def f(xs):
        def shown():
            for x in xs:
                print(x)
                yield x

        return sum(itertools.islice(shown(), 2))

    assert ccc.compiled(f)([1.0, 2.0, 3.0]) == 3.0
    assert capsys.readouterr().out == "1.0\n2.0\n"
