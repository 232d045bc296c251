"""Shallow and deep copies of lists, dicts, arrays and objects, and the fields of dataclasses as dicts and tuples."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc


class Tree:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.parent: Any = None
        self.children: list[Any] = []

    def add(self, child: Any) -> Any:
        child.parent = self
        self.children.append(child)
        return child


class Part:
    def __init__(self, row: Any) -> None:
        self.row = row


class Own:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.made = 0

    def __copy__(self) -> Any:
        found = Own(self.v)
        found.made = self.made + 1
        return found

    def __deepcopy__(self, memo: Any) -> Any:
        found = Own(2.0 * self.v)
        found.made = self.made + 10
        return found


@dataclass
class Point:
    x: Any
    y: Any


@dataclass
class Body:
    at: Point
    name: str = "a"
    past: list[Any] = field(default_factory=list)


def trees(x: float, n: int) -> Any:
    """A copy leads to its own parent, and the tree copied stays as it is."""
    root = Tree(x)
    for i in range(n):
        root.add(Tree(x * i)).add(root.children[0])
    other = copy.deepcopy(root)
    other.children[n - 1].parent.v = 5.0 * x * x
    other.children[1].children[0].v += 1.0
    shallow = copy.copy(root.children[n - 2])
    shallow.v = 0.0
    shallow.children.append(root)
    total = root.v + 10.0 * other.v + 100.0 * len(root.children[n - 2].children)
    return total + sum([c.v for c in root.children]) + 3.0 * sum([c.v for c in other.children])


def shared_stays_shared(x: float, n: int) -> Any:
    row, v = [x], np.zeros(2) + x
    rows = [row, row, v, v]
    found = copy.deepcopy(rows)
    found[0].append(3.0 * x)
    found[2][n - 3] = x * x
    return sum(row) + 10.0 * sum(found[1]) + np.sum(v) + 100.0 * np.sum(found[3])


def the_best_so_far(x: float, n: int) -> Any:
    state = Tree(x)
    best, past = copy.deepcopy(state), []
    for i in range(n):
        state.v = state.v * 0.5 + i * x * x
        state.children.append(state.v)
        past.append(copy.copy(state))
        if state.v > best.v:
            best = copy.deepcopy(state)
    past[0].children.append(x)
    return best.v + 10.0 * sum(best.children) + 100.0 * sum(past[n - 1].children)


def of_dicts_and_in_their_own_way(x: float, n: int) -> Any:
    found = {"a": [x], "b": [1.0, x]}
    other, flat = copy.deepcopy(found), copy.copy(found)
    chosen = found["a" if n > 3 else "b"]
    chosen[0] = 7.0 * x
    other["a"].append(x * x)
    own = [Own(x), Own(2.0 * x)]
    one = own[n - 2]
    one.v += x
    a, b = copy.copy(one), copy.deepcopy(own)
    total = a.v + a.made + b[1].v * b[0].v + b[0].made
    return total + sum(found["b"]) + 10.0 * sum(other["a"]) + 100.0 * sum(flat["b"])


def fields_of_dataclasses(x: float, n: int) -> Any:
    bodies = [Body(Point(x * i, 1.0)) for i in range(n)]
    one = bodies[n - 2]
    one.at.y = x
    one.past.append(x)
    found, parts, other = asdict(one), astuple(one), replace(one, name="b")
    found["at"]["x"] *= 5.0
    found["past"].append(x * x)
    other.at.x += 7.0
    total = found["at"]["x"] * parts[0][1] + sum(found["past"]) + 10.0 * len(parts[2]) + len(one.past)
    return total + one.at.x + sum([asdict(body)["at"]["x"] for body in bodies]) + len(other.name + found["name"])


PROGRAMS = [trees, shared_stays_shared, the_best_so_far, of_dicts_and_in_their_own_way, fields_of_dataclasses]


@pytest.mark.share(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_copies_are_those_of_python(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


@pytest.mark.parametrize("f", [trees, fields_of_dataclasses], ids=lambda f: f.__name__)
def test_copies_are_those_of_python_in_machine_code(f: Callable[..., Any]) -> None:
    value, slope = ccc.value_with_gradient(f, wrt=0, backend="native")(1.3, 4)
    again = ccc.value_with_gradient(f, wrt=0, backend="numpy")(1.3, 4)
    assert value == f(1.3, 4)
    assert (value, slope) == pytest.approx(again, rel=1e-14)


def test_what_is_known_part_by_part_is_copied_so() -> None:
    def f(x: float) -> Any:
        one, past = Point(x, [x]), [[x], [2.0 * x]]
        other, later = copy.deepcopy(one), copy.deepcopy(past)
        other.y.append(x * x)
        later[0][0] = 5.0 * x
        total = one.y[0] + 10.0 * other.y[1] + past[0][0] + later[0][0] * later[1][0]
        return total + astuple(one)[0] * asdict(one)["x"]

    agrees_in_value(f, 1.3)
    agrees(f, 1.3)


def an_array_twice_in_a_list(x: float, k: int) -> Any:
    rows = [np.array([x, 1.0]), np.array([x, x * x])]
    rows.append(rows[k])
    other = copy.deepcopy(rows)
    other[2][0] *= x
    return other[k][0] + 10.0 * rows[k][0] + other[1][1]


def an_item_of_rows_in_a_loop(x: float, k: int) -> Any:
    rows = [np.array([x * i, 1.0]) for i in range(3)]
    rows.append(rows[k])
    other = copy.deepcopy(rows)
    other[3][0] += x
    return other[k][0] * x + 10.0 * rows[k][0]


def one_of_two_arrays(x: float, k: int) -> Any:
    a = np.array([x, 1.0])
    rows = [a, a if x > 1.0 else 2.0 * a]
    other = copy.deepcopy(rows)
    other[1][0] *= x
    return other[0][0] + 10.0 * a[0]


def copies_of_an_array(x: float, k: int) -> Any:
    rows = [np.array([x, 1.0]), np.array([x, x * x])]
    row = rows[k]
    deep, shallow = copy.deepcopy(row), copy.copy(row)
    row[0] *= x
    shallow[1] *= 3.0
    return np.sum(rows[0]) + np.sum(rows[1]) * deep[0] + shallow[1]


def an_object_with_a_view(x: float, k: int) -> Any:
    m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5]])
    row = m[k] if x > 1.0 else m[:, 1]
    one = Part(row)
    other = copy.deepcopy(one)
    row[0] *= x
    other.row[1] += one.row[0]
    m[0] *= 2.0
    return np.sum(m) + np.sum(other.row) * x


ARRAYS = [an_array_twice_in_a_list, an_item_of_rows_in_a_loop, one_of_two_arrays, copies_of_an_array,
          an_object_with_a_view]


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize("f", ARRAYS, ids=lambda f: f.__name__)
def test_an_array_that_is_met_twice_is_copied_once(f: Callable[..., Any], x: float) -> None:
    agrees(f, x, 1)
