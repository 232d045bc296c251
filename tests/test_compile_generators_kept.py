"""Generators and iterators that are kept and asked for one item after the other, and what is raised along them, against
plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from checks import agrees, agrees_in_value


def catching(x: float, log: list[float]) -> Iterator[float]:
    try:
        yield x
        yield 2 * x
    except ZeroDivisionError:
        log.append(100.0)


def asking(it: Iterator[float]) -> Iterator[float]:
    while True:
        yield next(it)


def stopping(x: float) -> Iterator[float]:
    yield x
    raise StopIteration


def noting(x: float, log: list[float]) -> Iterator[float]:
    log.append(x)
    yield x
    log.append(2 * x)


def multiples(x: float) -> Iterator[float]:
    for i in itertools.count():
        yield x * i


def sums() -> Generator[float, float, None]:
    t = 0.0
    while True:
        v = yield t
        t += v


def inner(x: float, log: list[float]) -> Generator[float, None, float]:
    log.append(x)
    yield x
    return 3 * x


def outer(x: float, log: list[float]) -> Generator[float, None, None]:
    r = yield from inner(x, log)
    yield r


def take(it: Iterator[float], n: int) -> list[float]:
    out: list[float] = []
    for _ in range(n):
        out.append(next(it, 0.0))
    return out


def going_on(x: float, log: list[float]) -> Generator[float, None, None]:
    while True:
        try:
            yield x
        except ValueError:
            log.append(0.5)
            x = 2 * x


def raising_in_the_body(x: float) -> float:
    log = [x]
    s = x
    try:
        for v in catching(x, log):
            log.append(v)
            s += 1.0 / (v - v)
    except ZeroDivisionError:
        s += 5.0
    return s + sum(log)


def asking_what_has_ended(x: float) -> float:
    it = iter([x, 2 * x])
    s = x
    try:
        for v in asking(it):
            s += v
    except RuntimeError:
        s += 10.0
    return s


def asking_by_name_what_has_ended(x: float) -> float:
    it = iter([x, 2 * x])
    s = x
    g = asking(it)
    try:
        s += next(g)
        s += next(g)
        s += next(g)
    except RuntimeError:
        s += 10.0
    except StopIteration:
        s += 100.0
    return s


def stopping_by_hand(x: float) -> float:
    s = x
    try:
        for v in stopping(x):
            s += v
    except RuntimeError:
        s += 10.0
    return s


def stopping_in_a_list(x: float) -> float:
    s = x
    try:
        s += sum(list(stopping(x)))
    except RuntimeError:
        s += 10.0
    except StopIteration:
        s += 100.0
    return s


def changing_before_the_first_item(x: float) -> float:
    log = [x]
    g = noting(x, log)
    log.append(7.0)
    s = sum(g)
    return s + sum([(i + 1) * v for i, v in enumerate(log)])


def kept_in_a_dict(x: float) -> float:
    log = [x]
    d = {"a": noting(x, log)}
    log.append(7.0)
    s = next(d["a"])
    return s + sum([(i + 1) * v for i, v in enumerate(log)])


def an_expression_that_is_kept(x: float) -> float:
    log = [x, 2 * x]
    g = (u * v for u in log for v in log)
    log.append(7.0)
    return sum(g)


def an_expression_along_what_changes(x: float) -> float:
    log = [x, 2 * x]
    s = x
    for v in (u for u in log):
        if len(log) < 5:
            log.append(v)
        s += v
    return s


def a_list_that_changes(x: float) -> float:
    log = [x, 2 * x]
    g = iter(log)
    s = next(g)
    log.append(3 * x)
    log[1] = 9.0
    return s + sum(g)


def binding_anew_behind_an_expression(x: float) -> float:
    a = x
    g = (a * u for u in [1.0, 2.0])
    a = 10.0
    return sum(g)


def mapping_when_asked(x: float) -> float:
    log: list[float] = []

    def h(u: float) -> float:
        log.append(u)
        return u * x

    m = map(h, [1.0, 2.0, 3.0])
    s = next(m)
    n = len(log)
    return s + 10 * n + sum(m)


def zipping_two_that_note(x: float) -> float:
    log: list[float] = []

    def h(u: float) -> float:
        log.append(u)
        return u * x

    for a, b in zip(map(h, [1.0, 2.0, 3.0]), map(h, [4.0, 5.0]), strict=False):
        log.append(a + b)
    return x + sum([(i + 1) * v for i, v in enumerate(log)])


def zipping_the_longest(x: float) -> float:
    log: list[float] = []

    def h(u: float) -> float:
        log.append(u)
        return u * x

    for a, b in itertools.zip_longest(map(h, [1.0, 2.0, 3.0]), map(h, [4.0, 5.0]), fillvalue=0.5):
        log.append(a + b)
    return x + sum([(i + 1) * v for i, v in enumerate(log)])


def going_round(x: float) -> float:
    log: list[float] = []

    def h(u: float) -> float:
        log.append(u)
        return u * x

    for u in itertools.cycle(map(h, [1.0, 2.0])):
        log.append(u + 0.25)
        if len(log) > 6:
            break
    return x + sum([(i + 1) * v for i, v in enumerate(log)])


def counting_on(x: float) -> float:
    s = x
    for v in multiples(x):
        if v > 5.0:
            break
        s += v
    return s


def counting_on_by_name(x: float) -> float:
    g = multiples(x)
    next(g)
    return next(g) + next(g)


def sending(x: float) -> float:
    g = sums()
    next(g)
    g.send(x)
    return g.send(2 * x)


def returning_to_another(x: float) -> float:
    log: list[float] = []
    s = x
    for v in outer(x, log):
        s += v * len(log)
    return s


def taking_some_in_a_function(x: float) -> float:
    log: list[float] = []
    g = outer(x, log)
    a = take(g, 1)
    b = take(g, 3)
    return a[0] + 2 * sum(b) + len(log)


def several_loops(x: float) -> float:
    log = [x]
    g = outer(x, log)
    s = 0.0
    for v in g:
        s += v
        break
    for v in g:
        s += 10 * v
    for v in g:
        s += 100 * v
    return s


def throwing(x: float) -> float:
    log = [x]
    g = going_on(x, log)
    s = next(g)
    s += g.throw(ValueError("a"))
    log.append(s)
    return sum([(i + 1) * v for i, v in enumerate(log)])


def asking_in_a_function(x: float) -> float:
    log = [x]
    g = noting(x, log)

    def h() -> float:
        return next(g)

    s = h()
    log.append(7.0)
    return s + sum([(i + 1) * v for i, v in enumerate(log)])


def zipping_one_with_itself(x: float) -> float:
    it = iter([1.0, 2.0, 3.0, 4.0, 5.0])
    s = 0.0
    for a, b in zip(it, it, strict=False):
        s += a * b * x
    return s + next(it, 0.25)


KEPT = [
    raising_in_the_body,
    asking_what_has_ended,
    asking_by_name_what_has_ended,
    stopping_by_hand,
    stopping_in_a_list,
    changing_before_the_first_item,
    kept_in_a_dict,
    an_expression_that_is_kept,
    an_expression_along_what_changes,
    a_list_that_changes,
    binding_anew_behind_an_expression,
    mapping_when_asked,
    zipping_two_that_note,
    zipping_the_longest,
    going_round,
    counting_on,
    counting_on_by_name,
    sending,
    returning_to_another,
    taking_some_in_a_function,
    several_loops,
    throwing,
    asking_in_a_function,
    zipping_one_with_itself,
]


@pytest.mark.share(4)
@pytest.mark.parametrize("f", KEPT, ids=[f.__name__ for f in KEPT])
def test_iterators_that_are_kept_are_asked_when_python_asks_them(f: Callable[..., Any]) -> None:
    agrees(f, 0.7)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [changing_before_the_first_item, several_loops, taking_some_in_a_function])
def test_iterators_stand_in_stores(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_STORES", "always")
    agrees(f, 0.7)


def finally_noting(x: float, log: list[float]) -> Iterator[float]:
    try:
        yield x
        yield 2 * x
    finally:
        log.append(0.5)


def left_by_name(x: float) -> float:
    log = [x]
    g = finally_noting(x, log)
    s = 0.0
    for v in g:
        s += v
        break
    log.append(7.0)
    return s + sum([(i + 1) * v for i, v in enumerate(log)])


def next_by_name(x: float) -> float:
    log = [x]
    g = finally_noting(x, log)
    s = next(g, 0.0)
    return s + 3 * len(log)


def left_where_it_stands(x: float) -> float:
    log = [x]
    for v in finally_noting(x, log):
        log.append(v)
        break
    log.append(7.0)
    return sum([(i + 1) * v for i, v in enumerate(log)])


@pytest.mark.parametrize("f", [left_by_name, next_by_name, left_where_it_stands])
def test_what_acts_when_python_drops_it_acts_there(f: Callable[..., Any]) -> None:
    agrees(f, 0.7)


def in_a_dict(xs):
    d = {"i": iter(xs), "g": (2.0 * v for v in xs)}
    return next(d["i"]), next(d["i"]), list(d["i"]), next(d["g"]), sum(d["g"])


def put_into_a_dict(xs):
    d: dict[str, Any] = dict(a=enumerate(xs))
    d["b"] = zip(xs, xs, strict=True)
    return next(d["a"]), next(d["b"]), list(d["b"]), next(d["a"])


@pytest.mark.parametrize("f", [in_a_dict, put_into_a_dict])
def test_an_iterator_in_a_dict_goes_on(f):
    agrees_in_value(f, [1.0, 2.0, 3.0])


def test_what_a_generator_reads_may_change_before_it_is_taken_whole():
    def f(xs):
        g = (v * 2 for v in xs)
        xs[0] = 100.0
        return sum(g)

    agrees_in_value(f, [1.0, 2.0])


def test_a_generator_that_has_raised_is_over():
    def f(xs):
        def inverses():
            for x in xs:
                yield 1.0 / x

        found = []
        for it in (inverses(), (1.0 / x for x in xs)):
            found.append(next(it, -9.0))
            try:
                found.append(next(it, -9.0))
            except ZeroDivisionError:
                found.append(-1.0)
            found.append(next(it, -9.0))
        return found

    agrees_in_value(f, [1.0, 0.0, 2.0])
