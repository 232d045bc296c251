"""Loops whose body changes what they run along: Python reads each item when its turn comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores

import ccc


def a_known_place(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0], 0.0
    for v in found:
        found[2] = x * x
        total += v * x
    return total


def an_unknown_place(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0], 0.0
    for v in found:
        found[n - 1] = x * x
        total += v * x
    return total


def beside_another(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0], 0.0
    for v, y in zip(found, [x * i for i in range(n)], strict=False):
        found[n - 1] = x * x
        total += v * y
    return total


def in_a_comprehension(x: float, n: int) -> Any:
    found = [1.0, x, 3.0]

    def changing(v: float) -> float:
        found[2] = x * x
        return v * x

    return sum([changing(v) for v in found])


def growing(x: float, n: int) -> Any:
    found, total = [x, 2.0], 0.0
    for v in found:
        total += v * v
        if len(found) < 7:
            found.append(v * x)
    return total


def a_search(x: float, n: int) -> Any:
    graph = {0: [1, 2], 1: [3], 2: [3], 3: [4], 4: []}
    order, seen = [0], {0: True}
    for node in order:
        for other in graph[node]:
            if other not in seen:
                seen[other] = True
                order.append(other)
    return sum([x**node for node in order])


def shrinking(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0, 4.0], 0.0
    for v in found:
        found.pop()
        total += v * x
    return total


def values(x: float, n: int) -> Any:
    found, total = {0: 1.0, 1: x, 2: 3.0}, 0.0
    for v in found.values():
        found[2] = x * x
        total += v * x
    return total


def values_at_unknown_keys(x: float, n: int) -> Any:
    found, total = {0: 1.0, 1: x, 2: 3.0}, 0.0
    for v in found.values():
        found[n - 1] = x * x
        total += v * x
    return total


def items(x: float, n: int) -> Any:
    found, total = {i: x * i for i in range(n)}, 0.0
    for key, v in found.items():
        found[n - 1] = x * x
        total += v * x + key
    return total


def items_until(x: float, n: int) -> Any:
    found, total = {i: x * i for i in range(n)}, 0.0
    for key, v in found.items():
        if total > 40.0:
            break
        found[n - 1] = x * x + total
        total += v * x + key
    return total


def its_own_item(x: float, n: int) -> Any:
    found = {i: x * i for i in range(n)}
    for key, v in found.items():
        found[key] = v * x
    return sum(found.values())


def a_copy(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0], 0.0
    for v in reversed(list(found)):
        found[0] = x * x
        total += v * x
    return total


def all_at_once(x: float, n: int) -> Any:
    seen: list[float] = []

    def noted(v: float) -> float:
        seen.append(v)
        return v * x

    total = sum(map(noted, [x, 1.0])) + sum([2.0 * y for y in map(noted, [x, 3.0])])
    for y in list(map(noted, [x, 1.0])):
        seen.append(y * 10.0)
    return total + sum([v * (i + 1) for i, v in enumerate(seen)])


def deleting(x: float, n: int) -> Any:
    known, made = [x, 1.0, x * x, 3.0, 4.0 * x], [x * i for i in range(n)]
    del known[0], made[1]
    del known[1:3]
    del made[-1]
    return known[0] * 3.0 + known[1] * x + made[0] + len(made)


CHANGING = [
    a_known_place, an_unknown_place, beside_another, in_a_comprehension, growing, a_search, shrinking, values,
    values_at_unknown_keys, items, items_until, its_own_item, a_copy, all_at_once,
    deleting,
]  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("f", CHANGING, ids=lambda f: f.__name__)
def test_what_changes_is_read_when_its_turn_comes(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


def backwards(x: float, n: int) -> Any:
    found, total = [1.0, x, 3.0], 0.0
    for v in reversed(found):
        found[0] = x * x
        total += v
    return total


def mapped(x: float, n: int) -> Any:
    found, total = [x * i for i in range(n)], 0.0
    for v in map(lambda t: t * x, found):
        found[2] = x * x
        total += v
    return total


def longer_by_the_run(x: float, n: int) -> Any:
    found, total = [1.0, 2.0], 0.0
    for v in found:
        total += v
        if total < x:
            found.append(v)
    return total


def noted_in_turn(x: float, n: int) -> Any:
    seen: list[float] = []

    def noted(v: float) -> float:
        seen.append(v)
        return v

    for y in map(noted, [x, 1.0]):
        seen.append(y * 10.0)
    return sum([v * (i + 1) for i, v in enumerate(seen)])


def noted_until(x: float, n: int) -> Any:
    seen: list[float] = []

    def large(v: float) -> bool:
        seen.append(v)
        return v > 1.0

    return x * any(map(large, [x, 2.0])) + len(seen)


def a_new_key(x: float, n: int) -> Any:
    found = {0: x, 1: 2.0}
    for key in found:
        found[key + 5] = x
    return found[0]


def behind_a_view(x: float, n: int) -> Any:
    found = {0: x, 1: 2.0}
    view = found.values()
    found[1] = x
    return sum(view)


def named_in_turn(x: float, n: int) -> Any:
    def told(v: float) -> float:
        print("made", v)
        return v * x

    total = 0.0
    made = map(told, [x, 2.0])
    for v in made:
        print("read", v)
        total += v
    return total


def late_in_a_sum(x: float, n: int) -> Any:
    return sum(g(x) for g in (lambda t: i * t for i in (1, 2, 3)))  # noqa: B023


def late_in_a_map(x: float, n: int) -> Any:
    return sum(map(lambda g: g(x), (lambda t: i * t for i in (1, 2, 3))))  # noqa: B023


def late_in_a_loop(x: float, n: int) -> Any:
    total = 0.0
    for g in (lambda t: i * t for i in (1, 2, 3)):  # noqa: B023
        total += g(x)
    return total


REFUSED = [
    (a_new_key, "dictionary changed size during iteration"),
    (behind_a_view, "a dict changes while `view` is a view of it"),
]


@pytest.mark.parametrize(("f", "message"), [
    (backwards, "this loop changes what its iterator reads"),
    (longer_by_the_run, "this loop changes the length of the list that it runs along"),
], ids=["backwards", "longer_by_the_run"])
def test_a_list_that_changes_under_its_loop_stands_in_a_store(f: Callable[..., Any], message: str) -> None:
    runs_in_stores(f, 1.3, 3, says=message)


def late_in_lists(x: float, n: int) -> Any:
    """Python reads the last `i`."""
    first = [lambda t: i * t for i in range(3)]  # noqa: B023
    second = list(lambda t: i * t * t for i in (1, 2))  # noqa: B023
    third = [lambda: i + x for i in range(n)]  # noqa: B023
    return first[0](x) + sum(g(x) for g in second) + third[0]() * 2.0


def late_in_turn(x: float, n: int) -> Any:
    def lines() -> Any:
        for i in (1, 2, 3):
            yield lambda t: i * t  # noqa: B023

    total = 0.0
    for g in lines():
        total += total * g(x) + g(x)
    return total + sum(g(x) for g in list(lines()))


@pytest.mark.parametrize("f", [
    named_in_turn, late_in_a_loop, late_in_a_map, late_in_a_sum, mapped, noted_in_turn, noted_until,
])  # fmt: skip
def test_iterators_whose_turns_matter_are_read_in_turn(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


@pytest.mark.parametrize("f", [late_in_lists, late_in_turn])
def test_functions_read_what_their_variables_are_when_they_are_called(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


@pytest.mark.parametrize(("f", "message"), REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_what_is_not_known_to_be_so_is_refused_by_name(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(ccc.CCCError, match=message):
        ccc.gradient(f)(1.3, 3)


def sets_in_order(x: Any) -> Any:
    """The order of a set of numbers follows from how Python makes it: constants in a display are a constant first."""
    numbers, again = {10, 3, 99, 64, 8}, set([10, 3, 99, 64, 8])
    of_keys, of_set, n = set({10: 1, 3: 2, 99: 3, 64: 4, 8: 5}), set(numbers), 64
    t = 0.0
    for items in (numbers, again, of_keys, of_set, {10, 3, 99, n, 8}):
        for i in items:
            t = t * 0.7 + i * x
    for i in {10, 3, 99, 64, 8}:
        t = t * 0.7 + i * x
    for a, b in {(0.5, 1), (2.0, 3), (5.5, 1)}:
        t = t * x + a * b
    return t + sum(v * x for v in {4.5, 2.0, 1.5, 8.0}) * sorted(of_keys)[0]


def test_the_order_of_known_sets() -> None:
    agrees(sets_in_order, 0.9)


TEXT = "the cat sat on the mat"
NAMED = frozenset({"alpha", "beta", "gamma", "delta"})


def sets_of_texts_in_order(x: Any) -> Any:
    """A set of texts has the order that it has in this process."""
    weights = {"rate": x, "decay": 2.0 * x, "gain": x * x}
    t = 0.0
    for name in {"decay", "rate"}.union(weights, ["gain"]):
        t = t * 0.7 + weights[name]
    for i, word in enumerate(NAMED):
        t = t * 0.7 + i * len(word) * x
    places = {word: i for i, word in enumerate(set(TEXT.split()) - {"on"})}
    t += sum(weights[name] * places["cat"] for name in weights.keys() & {"gain": 1, "rate": 2}.keys())
    return t * (1 + {"rate"}.issubset(weights) + NAMED.issuperset(["beta"]) + NAMED.isdisjoint({"x"}))


def test_the_order_of_known_sets_of_texts() -> None:
    agrees(sets_of_texts_in_order, 0.9)


def what_an_iterator_has_left(w: Any) -> Any:
    """All that an iterator has left is a list of its own, also where it goes along an array or a tuple."""
    along, parts = iter(w), iter((w[0], w[1], 2.0))
    t = next(along) * next(parts)
    rest, others = list(along), list(parts)
    rest.append(t)
    others.append(t)
    rest[0] = rest[0] * 3.0
    return sum(rest * 2) * len(rest) + sum(others * 2) * len(others)


def test_what_an_iterator_has_left_is_a_list() -> None:
    agrees(what_an_iterator_has_left, np.array([0.3, -0.7, 1.1]))


def around_stars(xs: Any) -> Any:
    """A tuple around stars that is iterated at once is a list."""
    t = 0.0
    for i, x in enumerate((*xs, 1.0, *xs[1:])):
        t = t + (i + 1) * x * x
    parts = [{"a": x, "b": 1.0} for x in xs]
    names = sorted({name for part in parts for name in (*part, *part)})
    return t + len(names) * sum([x for x in (*xs, 3.0)])


def test_tuples_around_stars_that_are_iterated_at_once() -> None:
    agrees(around_stars, np.array([0.3, -0.7, 1.1]))
    agrees(around_stars, [0.3, -0.7, 1.1])
