"""What lists are asked, and how they are put in order, of numbers and of objects that stand in stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc


class Task:
    def __init__(self, rank: int, cost: Any) -> None:
        self.rank = rank
        self.cost = cost

    def __lt__(self, other: Task) -> bool:
        return self.rank > other.rank


def tasks(x: Any, n: int) -> list[Task]:
    return [Task(i * 7 % 5, x * i) for i in range(n + 2)]


def weighted(found: list[Any]) -> Any:
    return sum([(i + 1) * task.cost for i, task in enumerate(found)])


def sorted_by_their_own_less(x: float, n: int) -> Any:
    found = tasks(x, n)
    last = sorted(found)[n - 1]
    last.cost = 9.0 * x * x
    return weighted(found) + 100.0 * weighted(sorted(found, reverse=True))


def sorted_in_place(x: float, n: int) -> Any:
    found = tasks(x, n)
    others, one = found, found[n - 1]
    others.sort()
    one.cost += 7.0 * x * x
    first = weighted(found)
    others.sort(key=lambda task: (task.rank % 2, task), reverse=True)
    return first + 10.0 * weighted(found)


def asked_for_objects(x: float, n: int) -> Any:
    found = tasks(x, n)
    one, other = found[n - 2], Task(0, x)
    one.cost = 5.0 * x * x
    total = (one in found) * x + 2.0 * (other in found) + found.index(one) * x + found.count(other)
    found.remove(one)
    return total + weighted(found) + 100.0 * (one not in found)


def asked_for_numbers(x: float, n: int) -> Any:
    squares, pairs = [i * i % 5 for i in range(n + 3)], [(i, i + 1) for i in range(n)]
    found = squares.index(4) + squares.index(4, 3) + 10 * squares.count(1) + (3 in squares) + 7 * (4 in squares)
    return x * x * found + x * pairs.index((1, 2)) + ((9, 9) in pairs) + 3.0 * (n in [1, n + 0 * 2])


def slices_with_steps(x: float, n: int) -> Any:
    a = [x * i for i in range(6)]
    b = a
    b[::2] = [x, x * x, 3.0]
    b[n::-1] = [x * x * i for i in range(n + 1)]
    first = sum([(i + 1) * v for i, v in enumerate(a)])
    del b[n - 3::2]
    return first + sum([(i + 1) * v for i, v in enumerate(a)])


def arrays_of_a_slice(x: float, n: int) -> Any:
    """The slice of a list holds its arrays; lists of several kinds stand in stores, and each of them is asked."""
    arrays = [np.array([x * i, x * x]) for i in range(n)]
    lists = [[x + 1.0], [2.5]]
    lists[n % 2].append(x)
    one = lists[0] if x > 1.5 else lists[1]
    for array in arrays[1:]:
        array[0] -= x * x
    return sum(one) + np.sum(arrays[1]) * sum(lists[0]) * len(lists[1])


PROGRAMS = [sorted_by_their_own_less, sorted_in_place, asked_for_objects, asked_for_numbers, slices_with_steps,
            arrays_of_a_slice]


@pytest.mark.share(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_lists_are_those_of_python(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


def sought_in_vain(x: float, n: int) -> Any:
    found = [x * i for i in range(n)]
    return x * found.index(100.0)


def removed_in_vain(x: float, n: int) -> Any:
    found = [x * i for i in range(n)]
    found.remove(100.0)
    return found[0]


def of_another_size(x: float, n: int) -> Any:
    found = [x * i for i in range(n)]
    found[::2] = [x]
    return found[0]


@pytest.mark.parametrize("f", [sought_in_vain, removed_in_vain, of_another_size], ids=lambda f: f.__name__)
def test_they_raise_as_those_of_python(f: Callable[..., Any]) -> None:
    agrees_in_value(f, 1.3, 4)


class Square:
    def __init__(self, side: Any) -> None:
        self.side = side

    def area(self) -> Any:
        return self.side * self.side


class Disc:
    def __init__(self, radius: Any) -> None:
        self.radius = radius

    def area(self) -> Any:
        return 3.0 * self.radius


def squares_and_a_disc(x: float, n: int) -> Any:
    found: list[Any] = [Square(x * i) for i in range(n)] + [Disc(x)]  # type: ignore[operator]
    found[0].side += x
    return sum(shape.area() for shape in found)


def discs_behind_squares(x: float, n: int) -> Any:
    found: list[Any] = []
    for i in range(n):
        found.append(Square(x * i))
    found = [*found, Disc(x), *found]
    found[1].side += x
    return sum((i + 1) * shape.area() for i, shape in enumerate(found))


@pytest.mark.parametrize("f", [squares_and_a_disc, discs_behind_squares])
def test_lists_of_one_class_and_of_another_make_one(f: Callable[..., Any]):
    agrees(f, 1.3, 3)


def steps_until_all_are_seen(x: float, graph: dict[str, list[str]]) -> float:
    seen: list[str] = []
    todo, s = ["a"], 0.0
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.append(name)
            s = s * x + len(name)
            for other in graph[name]:
                todo.append(other)
    return s * x * len(seen)


def critical_path(x: float, needs: dict[str, list[str]], cost: dict[str, float]) -> float:
    order: list[str] = []
    done: set[str] = set()

    def visit(name: str) -> None:
        if name not in done:
            done.add(name)
            for other in needs[name]:
                visit(other)
            order.append(name)

    for name in needs:
        visit(name)
    finish: dict[str, Any] = {}
    for name in order:
        finish[name] = cost[name] * x + max([finish[other] for other in needs[name]], default=0.0)
    return max(finish.values()) ** 2


def numbers_beside_texts(x: float, of: dict[str, list[Any]]) -> float:
    return x * sum(of["numbers"]) + x * x * len(of["texts"])


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), [
    (steps_until_all_are_seen, (1.3, {"a": ["bb", "c"], "bb": [], "c": ["a", "bb"]})),
    (critical_path, (1.3, {"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": []},
                     {"a": 1.0, "b": 2.0, "c": 0.5, "d": 1.1})),
    (numbers_beside_texts, (1.3, {"texts": ["a"], "numbers": []})),
], ids=lambda case: getattr(case, "__name__", ""))
def test_empty_lists_of_the_caller_may_be_lists_of_texts(f: Callable[..., Any], args: Any):
    agrees(f, *args)


def all_rows(x: float, n: int) -> float:
    g = [[x * (i + 2 * j) for j in range(3)] for i in range(3)]
    for _ in range(n):
        g = [list(r) for r in zip(*g[::-1])]  # noqa: B905
        g[0], g[2] = g[2], g[0]
        g[1][0] *= x
    return sum((i + 1) * v for i, v in enumerate(sum(g, [])))  # noqa: RUF017


def test_lists_in_stores_are_summed_from_a_list() -> None:
    """What the sum begins with stood in no store: its type changed in the loop."""
    value, found = ccc.value_with_gradient(all_rows, wrt="x")(0.7, 3)
    assert value == pytest.approx(all_rows(0.7, 3), rel=1e-14)
    slope = (all_rows(0.7 + 1e-6, 3) - all_rows(0.7 - 1e-6, 3)) / 2e-6
    assert found == pytest.approx(slope, rel=1e-7)


def rows_of_other_lengths(rows: list[list[float]], x: float) -> float:
    rows = list(rows)
    total = 0.0
    for i in range(2):
        total += rows[i][1] * x
        rows[i] = [x, x * x, x]
        total += rows[i][2] * rows[i][1]
    return total


def slices_of_rows(rows: list[list[float]], x: float) -> float:
    found, kept = list(reversed(rows)), list(rows)
    found[1] = kept[2]
    found[1:] = found[:2]
    kept[2] = found[1]
    return kept[2][0] * x


@pytest.mark.parametrize("f", [rows_of_other_lengths, slices_of_rows])
def test_rows_in_stores_give_way_to_rows_of_other_lengths_and_kinds(f: Callable[..., Any], monkeypatch: Any) -> None:
    """The cotangent of the row before had the shape of the row that took its place."""
    monkeypatch.setenv("CCC_STORES", "always")
    agrees(f, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 2.0)
