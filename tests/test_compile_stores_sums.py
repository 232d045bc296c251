"""What changes in place and may be one of several: an array or None, an array or a number, a view or its array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc


class Total:
    def __init__(self, v: float) -> None:
        self.v = v

    def __iadd__(self, other: float) -> Total:
        self.v += other
        return self

    def __add__(self, other: float) -> Total:
        return Total(self.v + 100.0 * other)


def array_or_none(x: float, k: int) -> Any:
    a = np.array([x, 1.0])
    b: Any = a if x > 1.0 else None
    b += 2.0 * x
    return np.sum(a * a) + 3.5 * np.sum(b)


def where_it_is_no_none(x: float, k: int) -> Any:
    a = np.array([x, 1.0])
    b: Any = a if x > 1.0 else None
    if b is not None:
        b *= x
    return np.sum(a * a)


def array_or_number(x: float, k: int) -> Any:
    a = np.array([x, 1.0])
    c = [a, np.sum(a)]
    b = c[k]
    b += x
    return np.sum(a * a) + np.sum(b)


def view_or_array(x: float, k: int) -> Any:
    a = np.array([2.0 * x, 3.0, x])
    b = a.reshape(3) if x > 1.0 else a
    b += 2.0 * x
    return np.sum(a * a) + 3.5 * b[0]


def view_or_none(x: float, k: int) -> Any:
    a = np.array([2.0 * x, 3.0, x])
    b: Any = a[::-1] if x > 1.0 else None
    b[0] = b[1] * x
    b[1] += x
    return np.sum(a[:2] * a[1:])


def list_or_none(x: float, k: int) -> Any:
    a = [x, 1.0]
    b = {0: a, 1: None}[k]
    for i in range(2):
        b += [x * i]
    b[0] = x * x
    b[1] += x
    return sum(a) + 3.0 * sum(b) + len(a)


def object_or_none(x: float, k: int) -> Any:
    a = Total(x)
    b: Any = a if x > 1.0 else None
    b += x * x
    return a.v * b.v


def to_what_is_a_sum_in_a_list(x: float, k: int) -> Any:
    a = np.array([x, 1.0])
    c: list[Any] = [a if x > 1.0 else None]
    c[0] += x
    return np.sum(a * a)


PROGRAMS = [
    array_or_none, where_it_is_no_none, array_or_number, view_or_array, view_or_none, list_or_none, object_or_none,
    to_what_is_a_sum_in_a_list,
]


@pytest.mark.share(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_all_names_see_what_changes(f: Callable[..., Any]) -> None:
    """`b += v` of what may be None bound `b` to a new array, and `a` kept what it held."""
    agrees(f, 1.5, 0)


def test_none_raises_what_python_raises() -> None:
    for f in (array_or_none, view_or_none):
        with pytest.raises(TypeError) as expected:
            f(0.5, 0)
        with pytest.raises(TypeError) as found:
            ccc.gradient(f, wrt=0)(0.5, 0)
        assert str(found.value) == str(expected.value)


def test_the_number_of_an_item_in_a_store_stays_an_integer() -> None:
    """The gradient with respect to all arguments read `k` as a float, and the index raised."""

    def f(x: float, n: int, k: int) -> float:
        c: list[Any] = [None] * n
        c[k] = x
        return c[0] * 2.0

    assert ccc.gradient(f)(1.5, 3, 0) == (2.0, None, None)


class Ball:
    def __init__(self, at: float, r: float) -> None:
        self.at = at
        self.r = r

    def hit(self, x: float) -> float | None:
        return self.at - x if abs(self.at - x) < 3.0 * self.r else None


class Wall:
    def __init__(self, at: float) -> None:
        self.at = at

    def hit(self, x: float) -> float | None:
        return 0.5 * (self.at - x) if self.at > x else None


def nearest_and_others(x: float, k: int) -> Any:
    """Identity with an object that was chosen among those of several classes, or none."""
    scene: list[Any] = [Ball(x, 1.0), Ball(1.5, x), Wall(0.5 * x)]
    best, chosen = np.inf, None
    for one in scene:
        t = one.hit(0.1 * k)
        if t is not None and t < best:
            best, chosen = t, one
    if chosen is None:
        return x
    others = sum(one.at * (i + 1.0) for i, one in enumerate(scene) if one is not chosen)
    return best * others + (3.0 * x if chosen is scene[2] else x * x)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("x", "k"), [(2.0, 1), (0.45, 2), (1.2, 20), (-1.0, 9)])
def test_identity_with_what_may_be_of_several_classes(x: float, k: int, backend: str):
    value, found = ccc.value_with_gradient(nearest_and_others, wrt="x", backend=backend)(x, k)
    assert value == nearest_and_others(x, k)
    differences = (nearest_and_others(x + 1e-6, k) - nearest_and_others(x - 1e-6, k)) / 2e-6
    assert found == pytest.approx(differences, rel=1e-7, abs=1e-7)


def total(tree: list[Any] | None, depth: int) -> Any:
    return 0.0 if tree is None else tree[0] * depth + total(tree[1], depth + 1) + total(tree[2], depth + 1)


def put_in(tree: list[Any] | None, x: Any) -> list[Any]:
    if tree is None:
        return [x, None, None]
    side = 1 if x < tree[0] else 2
    tree[side] = put_in(tree[side], x)
    return tree


def lists_in_lists(xs: list[float]) -> Any:
    """A tree of lists that grows from None: an item is a number, None or another such list."""
    root = None
    for x in xs:
        root = put_in(root, x)
    return total(root, 1) * total(root, 2)


def chain_of_lists(xs: list[float]) -> Any:
    head = None
    for x in xs:
        head = [x, head]
    found = 0.0
    while head is not None:
        found, head = found * 0.5 + head[0] ** 2, head[1]
    return found


@pytest.mark.parametrize("f", [lists_in_lists, chain_of_lists], ids=lambda f: f.__name__)
def test_trees_of_lists_grow_from_none(f: Callable[..., Any]) -> None:
    agrees(f, [3.0, 1.0, 4.0, 0.5], second=False)


def test_what_is_a_list_is_no_number() -> None:
    def less(x: float, n: int) -> float:
        found = [x, [x]]
        return x if found[n] < 3.0 else 2.0 * x

    def product(x: float, n: int) -> float:
        given, found = [x, [x]], 0.0
        for i in range(n):
            found += given[i] * 2.0
        return found

    for n in (0, 1, 2):
        agrees_in_value(less, 1.5, min(n, 1))
        agrees_in_value(product, 1.5, n)


def by_type(v: Any) -> Any:
    return sum((i + 1.0) * by_type(w) for i, w in enumerate(v)) + len(v) if isinstance(v, list) else v


def by_depth(v: Any, depth: int) -> Any:
    if depth == 0:
        return v
    found = 0.0
    for i, w in enumerate(v):
        found += (i + 1.0) * by_depth(w, depth - 1)
    return found + len(v)


def length_of_one_of_several(x: float, n: int, k: int) -> Any:
    """A row that may be a number by its type: its length was that of what leads to it."""
    rows = [[[1.5, x + 1.0] for _ in range(n)] for _ in range(n)]
    row = rows[1 - k]
    if len(row) > 2:
        row.pop()
    return by_type(rows)


def of_any_depth(x: float, n: int, k: int) -> Any:
    rows = [[x, 1.0], [x, x * x]]
    row = rows[k]
    others = [row, rows[0]]
    row.append(x)
    return by_depth(rows, 2) + by_depth(others, n - 1 + k) + by_depth(row, 1)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [length_of_one_of_several, of_any_depth], ids=lambda f: f.__name__)
def test_numbers_and_lists_in_one_recursion(f: Callable[..., Any]) -> None:
    agrees(f, 1.5, 3, 0, second=False, exponentials=("Delta",))
    agrees_in_value(f, 0.7, 3, 1)  # of which one goes too deep


def array_or_number_as_a_test(x: Any, n: int) -> Any:
    """What may be an array that changes or a number: the array counted as true, as an object without a length does."""
    y: Any = None
    found = 0.0
    for i in range(n):
        y = x[:1] if i < 3 else 2.0 * (i - 3)
        found = 10.0 * found + (1.0 if y else 2.0)
        x[0] = i % 2
    return found


def number_of_the_least(x: Any, n: int) -> Any:
    found = 0.0
    for i in range(n):
        distances: list[Any] = []
        for j in range(int((len(x) - 3) / 2)):
            distances.append(abs(x[3 + 2 * j : 5 + 2 * j] - i % 3).T @ np.ones((2, 1)))
        distances.append(0.5)
        k = distances.index(min(distances))
        found = 10.0 * found + k
        if k == int((len(x) - 3) / 2):
            x = np.vstack((x, np.ones((2, 1)) * i))
    x[2] = 0.5 * x[2]
    return found


@pytest.mark.parametrize("f", [array_or_number_as_a_test, number_of_the_least], ids=lambda f: f.__name__)
def test_what_may_be_an_array_is_as_true_as_its_entry(f: Callable[..., Any]) -> None:
    for n in (0, 3, 6):
        given = np.array([0.0, 3.5]) if f is array_or_number_as_a_test else np.zeros((3, 1))
        assert ccc.compiled(f, backend="numpy")(given.copy(), n) == f(given.copy(), n)
