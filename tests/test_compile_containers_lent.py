"""Sets, deques, dicts of Python's library and classes below containers that a function is given and changes, where what
it makes itself stands in stores: written back once, with all that they hold and their attributes."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

import pytest

import ccc


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.next = None


class Listing(list[float]):
    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.calls = 0
        self.log: list[float] = []

    def extend(self, items: Any) -> None:
        raise AssertionError("not called where it is written back")


class Table(collections.OrderedDict[str, float]):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale


class Seen:
    def __init__(self) -> None:
        self.seen: set[int] = {1}
        self.queue = collections.deque([1.0, 2.0], maxlen=3)
        self.other: Any = None


def adds_beside_another(s: Any, n: Any) -> Any:
    s.add(n)
    t = {n, 2}
    return len(s) + len(t)


def joins(s: Any, n: Any) -> Any:
    s.add(n)
    u = {n, 2} | s
    u -= {9}
    return len(u), s <= u


def discards_in_a_loop(s: Any, n: Any) -> Any:
    t: set[int] = set()
    for i in range(n):
        t.add(i % 3)
    s.discard(1)
    return len(s) + len(t)


def by_a_choice(q: Any, x: Any) -> Any:
    nodes = [Node(x), Node(2.0)]
    chosen = nodes[int(x) % 2]
    chosen.value = chosen.value * 3
    q.appendleft(x * x)
    return nodes[0].value * q[1] + sum(q)


def counts(c: Any, n: Any) -> Any:
    c[n] += 1
    t = {n, 2}
    return sum(c.values()) + len(t)


def lists_in_a_table(o: Any, x: Any) -> Any:
    o[int(x)].append(x)
    o[1].append(2.0)
    return len(o)


def sets_in_a_queue(q: Any, n: Any) -> Any:
    q[0].add(n)
    q.append({n})
    q[-1].add(9)
    return len(q)


def new_in_a_list(qs: Any, x: Any) -> Any:
    qs.append(collections.deque([x, 2 * x], maxlen=3))
    for q in qs:
        q.append(x)
        q.append(5 * x)
    return sum([sum(q) for q in qs])


def of_an_object(p: Any, n: Any) -> Any:
    p.other = p.seen
    p.other.add(n)
    p.queue.append(n * 1.0)
    p.queue.append(2.0)
    t = {n, 5}
    return len(p.seen) + len(t)


def attributes(xs: Any, x: Any) -> Any:
    xs.append(x)
    xs.calls += 1
    return xs.calls


def a_list_in_an_attribute(xs: Any, x: Any) -> Any:
    xs.append(x)
    xs.log.append(2 * x)
    return sum(xs) + sum(xs.log)


def of_a_table(t: Any, x: Any) -> Any:
    t["b"] = x * t.scale
    t.scale = x
    t.more = 2.0
    return t["b"]


GIVEN: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (adds_beside_another, lambda: ({1, 2}, 3)),
    (adds_beside_another, lambda: ({1, 2}, 2)),
    (joins, lambda: ({1, 2}, 4)),
    (discards_in_a_loop, lambda: ({1, 2}, 4)),
    (by_a_choice, lambda: (collections.deque([1.0], maxlen=3), 4.0)),
    (counts, lambda: (collections.Counter({1: 2}), 5)),
    (lists_in_a_table, lambda: (collections.defaultdict(list, {1: [1.0]}), 3.0)),
    (sets_in_a_queue, lambda: (collections.deque([{1}, {2, 3}]), 3)),
    (new_in_a_list, lambda: ([collections.deque([1.0], maxlen=2)], 3.0)),
    (of_an_object, lambda: (Seen(), 3)),
    (attributes, lambda: (Listing([1.0]), 3.0)),
    (a_list_in_an_attribute, lambda: (Listing([1.0]), 3.0)),
    (of_a_table, lambda: (Table(2.0), 3.0)),
]


def shown(value: Any) -> Any:
    """What is seen of an argument: what it holds, its class and its attributes."""
    inside = {name: shown(part) for name, part in getattr(value, "__dict__", {}).items()}
    return type(value), None if isinstance(value, (Node, Seen)) else value, inside


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("f", "given"), GIVEN, ids=[f"{f.__name__}-{i}" for i, (f, _) in enumerate(GIVEN)])
def test_what_is_given_is_written_back(f: Any, given: Any, backend: str) -> None:
    mine, ours = given(), given()
    assert ccc.compiled(f, backend=backend)(*ours) == f(*mine)
    assert list(map(shown, ours)) == list(map(shown, mine))


def test_what_raises_writes_nothing() -> None:
    def f(s: Any, q: Any, n: Any) -> Any:
        s.add(n)
        q.append(n)
        t = {n, 2}
        if n > 2:
            raise ValueError("large")
        return len(s) + len(t)

    g = ccc.compiled(f)
    s, q = {1, 2}, collections.deque([1])
    with pytest.raises(ValueError, match="large"):
        g(s, q, 5)
    assert (s, q) == ({1, 2}, collections.deque([1]))
    assert g(s, q, 0) == 5 and (s, q) == ({0, 1, 2}, collections.deque([1, 0]))


def test_derivatives_in_what_is_given_and_changed() -> None:
    def f(q: Any, x: Any) -> Any:
        t = {int(x), 2}
        q.appendleft(x * x)
        return q[1] * q[1] * q[2] * len(t) + sum(q)

    q = collections.deque([1.0, 2.0])
    assert ccc.gradient(f, wrt="q")(copy.copy(q), 4.5) == collections.deque([9.0, 3.0])
    assert ccc.gradient(f, wrt="x")(q, 4.5) == 9.0 and q[0] == 20.25


def test_two_are_one_object_in_one_call_alone() -> None:
    def f(a: Any, b: Any, x: Any) -> Any:
        a.append(x)
        return len(b)

    g, one = ccc.compiled(f), collections.deque([1.0, 2.0])
    assert g(one, one, 3.0) == 3
    assert g(collections.deque([1.0, 2.0]), collections.deque([1.0]), 3.0) == 1


def test_a_set_keeps_the_order_of_what_stays() -> None:
    def f(s: Any, t: Any, n: Any) -> Any:
        s.add(n)
        return len(s) + len({n, 2}) + len(t)

    s, t = {8, 0}, {16, 8, 0}
    before = list(t)
    assert ccc.compiled(f)(s, t, 3) == 8
    assert s == {0, 3, 8} and list(t) == before


def test_a_table_below_pythons_has_its_attributes() -> None:
    def f(x: Any) -> Any:
        t = Table(x)
        t["a"] = x
        return t

    found = ccc.compiled(f)(2.0)
    assert type(found) is Table and list(found.items()) == [("a", 2.0)] and found.scale == 2.0
