"""Sets as arguments, what a function changes of them and of other containers of Python's, and the order of sets."""

from __future__ import annotations

import collections
import copy
import struct
from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def runs_as_python(f: Callable[..., Any], backend: Any, *args: Any) -> None:
    """The value, and what becomes of the arguments."""
    mine = copy.deepcopy(args)
    found = ccc.compiled(f, backend=backend)(*mine)
    assert found == f(*args)
    assert mine == args and list(map(type, mine)) == list(map(type, args))


def jaccard(a: Any, b: Any) -> float:
    return len(a.intersection(b)) / len(a | b)


def is_in(x: Any, items: Any) -> bool:
    return x in items


def paths(grid: Any, i: Any, j: Any, seen: Any) -> Any:
    if i < 0 or j < 0 or i >= len(grid) or j >= len(grid[0]) or (i, j) in seen or grid[i][j] == 1:
        return 0
    if i == len(grid) - 1 and j == len(grid[0]) - 1:
        return 1
    seen.add((i, j))
    found = paths(grid, i + 1, j, seen) + paths(grid, i - 1, j, seen)
    found += paths(grid, i, j + 1, seen) + paths(grid, i, j - 1, seen)
    seen.remove((i, j))
    return found


def repeated(seen: Any, xs: Any) -> Any:
    n = 0
    for x in xs:
        if x in seen:
            n += 1
        seen.add(x)
    return n


def walked(queue: Any, after: Any) -> Any:
    found = []
    while queue:
        i = queue.popleft()
        found.append(i)
        queue.extend(after[i])
    return found


def pushed(queue: Any, x: Any) -> Any:
    queue.append(x)
    return len(queue)


def counted(counts: Any, key: Any) -> None:
    counts[key] += 1


def twice(a: Any, b: Any) -> Any:
    a.add(5)
    return len(b)


class Board:
    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.queue = collections.deque([1, 2])

    def __eq__(self, other: Any) -> bool:
        return self.seen == other.seen and self.queue == other.queue

    def visit(self, x: int) -> int:
        if x in self.seen:
            return 0
        self.seen.add(x)
        self.queue.append(x)
        return len(self.seen)


@TARGETS
@pytest.mark.parametrize(("f", "args"), [
    (jaccard, ({"a", "b"}, {"b", "c"})), (jaccard, ({1, 2}, {2, 3})), (is_in, (2, {1, 2})), (is_in, ((1, 3), {(1, 2)})),
    (paths, ([[0, 0, 0], [0, 1, 0], [0, 0, 0]], 0, 0, set())), (repeated, ({1, 2}, [1, 3, 3])),
    (repeated, (set(), [1, 3, 3])), (walked, (collections.deque([0]), [[1, 2], [3], [], []])),
    (pushed, (collections.deque([1.0, 2.0], 2), 3.0)), (counted, (collections.Counter("ab"), "a")),
    (counted, (collections.defaultdict(int), "a")), (counted, (collections.OrderedDict(a=1, b=2), "a")),
    (lambda d, x: d["a"].add(x), ({"a": {1}, "b": {2}}, 3)), (lambda board, x: board.visit(x), (Board(), 4)),
])
def test_sets_and_other_containers_are_given_and_changed(f: Any, args: Any, backend: Any) -> None:
    runs_as_python(f, backend, *args)


@TARGETS
def test_a_set_that_is_given_twice_is_one(backend: Any) -> None:
    items = {1, 2}
    assert ccc.compiled(twice, backend=backend)(items, items) == 3
    assert items == {1, 2, 5}


@TARGETS
def test_containers_that_change_have_cotangents_of_what_they_were(backend: Any) -> None:
    def f(x: Any, items: Any, queue: Any) -> Any:
        queue.append(x * 2)
        items.add(3)
        return x * len(items) + queue[0] * queue[-1]

    items, queue = {1, 2}, collections.deque([1.0, 2.0])
    found = ccc.gradient(f, backend=backend)(3.0, items, queue)
    assert found == (5.0, None, collections.deque([6.0, 0.0]))
    assert items == {1, 2, 3} and queue == collections.deque([1.0, 2.0, 6.0])


@TARGETS
def test_ints_in_a_deque_do_not_become_floats(backend: Any) -> None:
    queue = collections.deque([1, 2])
    with pytest.raises(ccc.CCCError, match="the ints in it would become floats"):
        ccc.compiled(pushed, backend=backend)(queue, 3.5)
    assert queue == collections.deque([1, 2])


def digits(xs: Any) -> Any:
    n = 0
    for x in set(xs):
        n = n * 3 + x
    return n


def factors(n: Any) -> Any:
    found: set[Any] = set()
    for i in range(2, n):
        while n % i == 0:
            found.add(i)
            n //= i
    return list(found)


def powers(xs: Any, x: Any) -> Any:
    s = 0.0
    for y in set(xs):
        s = s * x + y
    return s


@TARGETS
@pytest.mark.parametrize(("f", "args"), [
    (digits, ([9, 1, 8, 17, 25, 2, 3, 33],)), (factors, (2 * 3 * 17 * 33,)),
    (powers, ([9.5, 1.0, 8.25, 17.0, -1.0], 0.5)), (lambda xs: list(set(xs)), (["a", "b", "zz", "q"],)),
    (lambda xs: list({(x, x + 1) for x in xs}), ([5, 2, 77, 3],)), (lambda n: list({30, n, 17}), (5,)),
    (lambda a, b: list({x + y for x in a for y in b}), ({1, 2}, {2, 33})),
])
def test_a_set_of_items_that_were_added_one_by_one_has_python_s_order(f: Any, args: Any, backend: Any) -> None:
    runs_as_python(f, backend, *args)


@TARGETS
def test_items_have_their_derivatives_in_that_order(backend: Any) -> None:
    xs = [9.5, 1.0, 8.25, 17.0, -1.0]
    places = {y: len(xs) - 1 - i for i, y in enumerate(set(xs))}
    assert ccc.gradient(powers, wrt="xs", backend=backend)(xs, 0.5) == [0.5 ** places[y] for y in xs]


@TARGETS
def test_a_set_that_is_given_is_gone_through_as_it_is(backend: Any) -> None:
    items = set([33, 1, 9, 17, 65])
    items.discard(1)
    assert ccc.compiled(lambda xs: [x for x in xs], backend=backend)(items) == list(items)


@TARGETS
@pytest.mark.parametrize("f", [
    lambda n: list({30, 2, 17} | {n}), lambda n: [*{*[30, 2, 17], n}], lambda n: list(set({30: 1, n: 2})),
])
def test_an_order_that_is_not_known_is_not_guessed(f: Any, backend: Any) -> None:
    with pytest.raises(NotImplementedError, match="the order of a set is not known"):
        ccc.compiled(f, backend=backend)(5)


class Words(Enum):
    ONES = {0: "zero", 1: "one"}  # noqa: RUF012
    SHARES = [0.5, 2.0]  # noqa: RUF012


@TARGETS
def test_members_of_enumerations_have_lists_and_dicts(backend: Any) -> None:
    runs_as_python(lambda i: Words.ONES.value[i], backend, 1)
    assert ccc.gradient(lambda x, i: x * Words.SHARES.value[i], wrt="x", backend=backend)(3.0, 1) == 2.0


def packed(n: Any) -> Any:
    tens, ones = divmod(n, 10)
    return struct.pack("f", ones) if tens == 0 else "many"


def said(n: Any) -> str:
    found = []
    for power in (18, 17, 16, 15, 12, 9, 6, 3, 2):
        d, n = divmod(n, 10**power)
        if d > 0:
            found.append(f"{said(d) if d >= 100 else packed(d)} x")
    if n > 0 or not found:
        found.append(packed(n))
    return " ".join(found)


def test_each_number_is_computed_once_where_tests_are_settled() -> None:
    """It took time that doubled with each power."""
    with pytest.raises(ccc.CCCError, match="no derivative rule for `_struct.pack`"):
        ccc.compiled(said)(0)


SEEN = {1, 2}


def entered(x: Any) -> Any:
    for i in range(3):
        SEEN.add(i * 4)
    return x


@TARGETS
def test_a_set_outside_is_changed_where_it_stands(backend: Any) -> None:
    SEEN.clear()
    assert ccc.compiled(entered, backend=backend)(2.0) == 2.0
    assert sorted(SEEN) == [0, 4, 8]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_set_that_is_known_beside_one_that_changes(backend: str) -> None:
    def f(s: set[int], n: int) -> Any:
        s.add(n)
        s ^= {1, 5}
        return s ^ {7, -1}, s.issuperset({1}), s - {1}

    mine, ours = {1, 7}, {1, 7}
    assert ccc.compiled(f, backend=backend)(ours, 4) == f(mine, 4) and ours == mine
