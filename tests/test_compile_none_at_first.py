"""What is None at first and used on paths that are taken later: Python's error where it is None still."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores

import ccc


class Last:
    def __init__(self) -> None:
        self.pair: Any = None
        self.number: Any = None
        self.matrix: Any = None


def length(last: Any, x: Any) -> Any:
    return len(last.pair) * x


def item(last: Any, x: Any) -> Any:
    return last.pair[0] * x


def part(last: Any, x: Any) -> Any:
    return last.pair[1:][0] + x


def attribute(last: Any, x: Any) -> Any:
    return last.number.real * x


def total(last: Any, x: Any) -> Any:
    return sum(last.pair) * x


def greatest(last: Any, x: Any) -> Any:
    return max(last.pair) * x


def loop(last: Any, x: Any) -> Any:
    found = x
    for v in last.pair:
        found = found * v
    return found


def comprehension(last: Any, x: Any) -> Any:
    return sum([v * x for v in last.pair])


def unpacked(last: Any, x: Any) -> Any:
    a, b = last.pair
    return a * b + x


def compared(last: Any, x: Any) -> Any:
    return x * x if last.number > 0.5 else x


def within(last: Any, x: Any) -> Any:
    return x * x if x in last.pair else x


def negative(last: Any, x: Any) -> Any:
    return -last.number * x


def absolute(last: Any, x: Any) -> Any:
    return abs(last.number) * x


def sine(last: Any, x: Any) -> Any:
    return math.sin(last.number) * x


def both(last: Any, x: Any) -> Any:
    return math.atan2(last.number, last.number) * x


def of_numpy(last: Any, x: Any) -> Any:
    return np.maximum(last.number, 0.25 * x)


def product(last: Any, x: Any) -> Any:
    return np.dot(last.pair, last.pair) * x


def solution(last: Any, x: Any) -> Any:
    return np.sum(np.linalg.solve(last.matrix, np.array([x, 1.0])))


USES = [length, item, part, attribute, total, greatest, loop, comprehension, unpacked, compared, within, negative,
        absolute, sine, both, of_numpy, product, solution]


def using(use: Callable[..., Any]) -> Callable[..., Any]:
    def along(xs: Any) -> Any:
        last, found = Last(), 0.0
        for x in xs:
            if x > 0.5:
                found = found + use(last, x)
            last.pair, last.number, last.matrix = (x, 2.0 * x), x * x, x * np.eye(2)
        return found

    return along


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_what_is_none_at_first_is_used_once_it_is_not(use: Callable[..., Any]) -> None:
    agrees(using(use), [0.3, 0.7, 0.9])


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_what_is_none_still_raises_what_python_raises(use: Callable[..., Any]) -> None:
    along = using(use)
    with pytest.raises((TypeError, AttributeError, np.linalg.LinAlgError)) as expected:
        along([0.7, 0.9])
    with pytest.raises(expected.type) as found:
        ccc.value_with_gradient(along)([0.7, 0.9])
    alike = use not in (product, of_numpy)  # where NumPy is asked with a number in place of what else may be None
    assert not isinstance(found.value, ccc.CCCError)
    assert not alike or str(found.value) == str(expected.value)


def assigned(xs: Any) -> Any:
    held: Any = Last()
    held.number = Last()
    held.number.number = 0.0
    for x in xs:
        if x > 0.5:
            held.pair.number = x * x
            held.pair.number += x
            held.number.number += held.pair.number
        held.pair = Last()
    return held.number.number


def test_attributes_of_what_is_none_at_first_are_assigned() -> None:
    agrees(assigned, [0.3, 0.7, 0.9])
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'number'"):
        ccc.value_with_gradient(assigned)([0.7, 0.3])


class Node:
    def __init__(self, weight: Any, name: Any = None, left: Any = None, right: Any = None) -> None:
        self.weight, self.name, self.left, self.right = weight, name, left, right


def named(weights: Any) -> Any:
    nodes = [Node(weight, i) for i, weight in enumerate(weights)]
    while len(nodes) > 1:
        nodes.sort(key=lambda node: -node.weight)
        a, b = nodes.pop(), nodes.pop()
        nodes.append(Node(a.weight + b.weight, None, a, b))
    depths: dict[int, int] = {}

    def walk(node: Any, depth: int) -> None:
        if node.name is not None:
            depths[node.name] = depth
            return
        walk(node.left, depth + 1)
        walk(node.right, depth + 1)

    walk(nodes[0], 0)
    return sum([weight * weight * depths[i] for i, weight in enumerate(weights)])


def test_what_a_test_says_of_an_attribute_holds_where_it_is_read_again() -> None:
    runs_in_stores(named, [0.1, 0.4, 0.2, 0.35])


def chosen_behind_a_change(x: float, n: int) -> Any:
    one, best = Node(x), None
    if x > 0.5:
        one.weight *= 3.0
        best = one
    return best.weight * n if best is not None else 0.0


def chosen_before_a_change(x: float, n: int) -> Any:
    one, best, i = Node(x), None, 0
    while i < n:
        if i == 1:
            best = one
        one.weight *= 1.5
        i += 1
    return best.weight if best is not None else 0.0


def each_run_anew(x: float, n: int) -> Any:
    one, best = Node(x), 0.0
    for _ in range(n):
        best = one
        one.weight *= 1.5
    return best.weight if isinstance(best, Node) else best


def in_a_tuple(x: float, n: int) -> Any:
    one, best = Node(x), (None, 0)
    for i in range(n):
        if i < 2:
            best = one, i
        one.weight *= 1.5
    return best[0].weight * best[1] if best[0] is not None else 0.0


def inside_of_another(x: float, n: int) -> Any:
    one, best = Node(x, left=Node(x * x)), None
    for _ in range(n):
        best = one
        one.left.weight *= 1.5
    return best.left.weight if best is not None else 0.0


def in_an_attribute(x: float, n: int) -> Any:
    one, other = Node(x), Node(x * x)
    for _ in range(2):
        one.left = other
        other.weight *= 1.5
    if x > 0.5:
        other.weight *= n
        other.right = one
        one.weight += 1.0
    return one.left.weight + (other.right.weight if other.right is not None else 0.0)


def round_and_round(x: float, n: int) -> Any:
    one, other = Node(x), Node(x * x)
    for _ in range(n):
        one.left, other.left = other, one
    at, steps = one, 0
    while at is not None and steps < 7:
        at, steps = at.left, steps + 1
    return -1.0 if at is None else at.weight * steps


SEEN = [chosen_behind_a_change, chosen_before_a_change, each_run_anew, in_a_tuple, inside_of_another, in_an_attribute,
        round_and_round]


@pytest.mark.parametrize("f", SEEN, ids=lambda f: f.__name__)
def test_what_may_be_an_object_sees_what_changes_in_it(f: Callable[..., Any]) -> None:
    agrees(f, 0.8, 4, second=False, exponentials=("Delta",))
