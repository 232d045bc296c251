"""Lists that a function makes and changes: known item by item, of the program, in loops and branches, and refused."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores, same, value_of

import ccc
from ccc.compile.diagnostics import CompileError


@dataclass
class Tape:
    items: list[Any] = field(default_factory=list)
    total: float = 0.0

    def push(self, value: float) -> None:
        self.items.append(value)
        self.total += value


def known_item_by_item(x: float, y: float) -> float:
    ys = [x, y]
    zs = ys
    zs.append(x * y)
    ys[0] = y * 2
    ys += [1.0, x]
    t = ys.pop()
    ys.insert(0, t * y)
    ws = ys[1:3]
    ws.reverse()
    ws.extend((x,))
    return zs[0] * zs[1] + zs[2] * zs[3] + len(zs) * x + ws[0] * ws[-1]


def appended_in_a_loop(x: float, n: int) -> float:
    ys: list[float] = []
    for _ in range(n):
        x = x * 1.1 + math.sin(x)
        ys.append(x)
    s = 0.0
    for y in ys:
        s = s + y * y
    return s + ys[-1] * ys[0] + len(ys)


def until_it_is_long(x: float, n: int) -> float:
    ys = [x, 2.0]
    while len(ys) < n:
        ys.append(ys[-1] * ys[-2])
    ys[n - 2] = ys[0] * x
    return ys[-1] + ys[-2] + sum(y * y for y in ys)


def of_arrays(v: Any, n: int) -> Any:
    hs = [v]
    for i in range(n):
        v = np.tanh(v * 1.2)
        hs.append(v)
        if i > 1:
            hs[i - 1] = v * hs[0]
    t = 0.0
    for h in hs:
        t = t + np.sum(h * h)
    return t + np.sum(hs[1] * hs[-1])


def a_stack(x: float, n: int) -> float:
    stack = []
    for i in range(n):
        stack.append((x * i, i))
    s = 0.0
    while len(stack) > 0:
        v, i = stack.pop()
        s = s * 0.5 + v * v * i
    return s


def joined_and_sliced(x: float, n: int) -> float:
    ys = [x * k for k in range(n)]
    zs = [*ys, x] if n < 0 else ys + [x]  # noqa: RUF005
    ws = zs[1:] + ys[::-1]
    ws[0] += x * x
    us = list(ws)
    us.append(x)
    return sum(ws) * x + sum(us) + ws[2] * us[-1]


def of_lists(x: float, n: int) -> float:
    m = [[x, 1.0], [2.0, x * x]]
    m[0][1] = x * 3
    for _ in range(n):
        for j in range(2):
            m[1][j] = m[1][j] * x + m[0][j]
    return m[1][0] * m[1][1]


def under_a_test(xs: list[float], k: float) -> float:
    ys = []
    for x in xs:
        if x > 0.5:
            ys.append(x * k)
    return sum(ys) * k


def in_an_object(x: float, n: int) -> float:
    tape = Tape()
    for i in range(n):
        tape.push(x**i)
    return tape.total * tape.items[2] + len(tape.items)


def rows_of_a_triangle(x: float, n: int) -> float:
    ys = []
    for i in range(n):
        row = []
        for j in range(i + 1):
            row.append(x * j)
        ys.append(row)
    return sum(ys[2]) * ys[3][1]


def of_records(x: float, n: int) -> float:
    steps = []
    for i in range(n):
        steps.append({"x": x * i, "k": x})
    return sum(s["x"] * s["k"] for s in steps)


def returns_early(x: float, n: int) -> float:
    ys = [x]
    for _ in range(n):
        ys.append(ys[-1] * x)
        if ys[-1] > 3.0:
            return ys[-1] + ys[0]
    return ys[-1]


def known_sequences(x: float, y: float) -> float:
    squares = list(map(lambda v: v * v, [x, y]))
    kept = list(filter(None, [1, 0, 2]))
    order = sorted([3, 1, 2], reverse=True)
    total = 0.0
    for i, v in zip(order, reversed([x, y, x * y]), strict=False):
        total = total + i * v
    for i in reversed(range(3)):
        total = total * x + i
    return total + squares[0] * kept[1] + (1.0 if type(x) is float else 0.0)


def integers_become_reals(x: float, n: int) -> float:
    counts: list[Any] = [0] * 3
    sums: list[Any] = [0] * 3
    for i in range(n):
        counts[i % 2] += 1
        sums[i % 3] += x * i
        x = x + (1, x, 2.0)[i % 3] * 0.1
    return x ** counts[0] * counts[1] + sums[0] * sums[1]


def extended_by_an_operator(x: float, n: int) -> float:
    i, out = 0, []
    while True:
        if i >= n:
            break
        out += [x * i, x]
        i += 1
    return sum(out) * out[-1]


def in_a_dict(x: float, n: int) -> float:
    d = {"a": [], "b": x}
    for i in range(n):
        d["a"].append(d["b"] * i)
        d["b"] *= x
    return d["a"][1] * d["b"] + sum(d["a"])


def exchanged_under_a_test(x: float, y: float) -> float:
    xs = [x, y, x * y]
    if x > y:
        xs[0], xs[1] = xs[1], xs[0]
    xs[2] += xs[0]
    return xs[0] * 2 + xs[1] * 3 + xs[2]


def a_copy_of_an_argument(xs: list[float], k: float) -> float:
    ys = xs[:]
    ys[0] = k
    ys.append(k * k)
    return sum(ys) * xs[0]


def shared_by_closures(x: float) -> float:
    def counter(k: float) -> Any:
        state = {"n": k}

        def step() -> float:
            state["n"] = state["n"] + x
            return state["n"]

        return step

    f, g = counter(1.0), counter(x)
    return f() * f() + g() * f()


AGREE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (known_item_by_item, (0.7, 1.3)),
    (appended_in_a_loop, (0.7, 5)),
    (until_it_is_long, (0.9, 6)),
    (of_arrays, (np.array([0.3, 0.5]), 4)),
    (a_stack, (0.7, 4)),
    (joined_and_sliced, (0.7, 4)),
    (of_lists, (0.7, 3)),
    (under_a_test, ([0.2, 0.7, 0.9], 1.3)),
    (in_an_object, (0.7, 4)),
    (rows_of_a_triangle, (0.7, 4)),
    (of_records, (0.7, 4)),
    (returns_early, (1.3, 9)),
    (returns_early, (1.3, 2)),
    (known_sequences, (0.7, 1.3)),
    (integers_become_reals, (1.2, 6)),
    (extended_by_an_operator, (1.2, 3)),
    (in_a_dict, (1.2, 3)),
    (exchanged_under_a_test, (1.2, 0.5)),
    (exchanged_under_a_test, (0.2, 0.5)),
    (a_copy_of_an_argument, ([1.0, 2.0], 0.7)),
    (shared_by_closures, (1.2,)),
]


@pytest.mark.parametrize(("f", "args"), AGREE, ids=[f"{f.__name__}{i}" for i, (f, _) in enumerate(AGREE)])
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_a_list_in_the_result_and_its_cotangent() -> None:
    def powers(x: float, n: int) -> list[float]:
        ys = [1.0]
        for _ in range(n):
            ys.append(ys[-1] * x)
        return ys

    value, pullback = ccc.value_with_pullback(powers, wrt="x")(2.0, 3)
    assert same(value, [1.0, 2.0, 4.0, 8.0])
    assert pullback([0.0, 1.0, 1.0, 1.0]) == 1.0 + 4.0 + 12.0
    _, differential = ccc.value_with_differential(powers, wrt="x")(2.0, 3)
    assert differential(1.0) == [0.0, 1.0, 4.0, 12.0]


def test_appending_is_done_in_place() -> None:
    code = ccc.explain(appended_in_a_loop, 0.7, 5).code
    assert "ys.append(" in code
    assert "del " in code
    assert "[*" not in code


def test_exceptions_are_those_of_python() -> None:
    def beyond(x: float, n: int) -> float:
        ys = [x for _ in range(n)]
        ys[n] = x
        return ys[0]

    with pytest.raises(IndexError):
        value_of(beyond, 1.0, 3)


def appends_in_a_derivative_inside(xs: list[float]) -> float:
    def grown(ys: list[float]) -> float:
        ys.append(1.0)
        return ys[0]

    return ccc.gradient(grown)(xs)[0]


def appends_to_one_of_two_names(x: float, n: int) -> float:
    ys = [x * i for i in range(n)]
    zs = (ys, 1.0)
    ys.append(x)
    return zs[0][0]


def keeps_the_list_of_the_last_run(x: float, n: int) -> float:
    ys = [x for _ in range(n)]
    zs = [x for _ in range(n)]
    for _ in range(n):
        ys.append(x)
        zs = ys
    return zs[0]


def two_names_in_a_loop(x: float, n: int) -> float:
    ys = [x]
    zs = [ys, ys]
    for _ in range(n):
        ys.append(x)
    return zs[0][0]


def mixed_items(x: float, n: int) -> float:
    ys = [x, "a"]
    for i in range(n):
        ys[i] = x
    return ys[0]  # type: ignore[return-value]


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (appends_in_a_derivative_inside, ([1.0, 2.0],), "cannot append to `ys`: the caller sees that list"),
    (mixed_items, (1.0, 3), "its items differ in type"),
]
IN_STORES: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (appends_to_one_of_two_names, (1.0, 3), "it is also reachable as `zs`"),
    (keeps_the_list_of_the_last_run, (1.0, 3), "visible elsewhere"),
    (two_names_in_a_loop, (1.0, 3), "more than one name or object stands for it"),
]


@pytest.mark.parametrize(("f", "args", "message"), IN_STORES, ids=[f.__name__ for f, _, _ in IN_STORES])
def test_lists_that_others_see_stand_in_stores(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    runs_in_stores(f, *args, says=re.escape(message))


@pytest.mark.parametrize(("f", "args", "message"), REFUSED, ids=[f.__name__ for f, _, _ in REFUSED])
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError) as found:
        ccc.gradient(f)(*args)
    assert message in str(found.value)
    assert f"{__file__.rpartition('/')[2]}:" in str(found.value)
    assert "^" in str(found.value)


def appends_in_another_function(x: float, n: int) -> float:
    def push(xs: list[float], v: float) -> None:
        xs.append(v)

    ys = [x for _ in range(n)]
    push(ys, x)
    return ys[-1]


def changes_an_item(x: float, n: int) -> float:
    history = [Tape(total=x)]
    for _ in range(n):
        last = history[-1]
        last.total = last.total * 2
        history.append(Tape(total=last.total))
    return history[0].total


@pytest.mark.parametrize("f", [appends_in_another_function, changes_an_item], ids=lambda f: f.__name__)
def test_what_a_function_appends_and_an_item_that_changes(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 3)


def first_and_rest(x: float, n: int) -> Any:
    a, *rest = [x * k + 1.0 for k in range(n)]
    return a + sum(rest)


def between(x: float, n: int) -> Any:
    a, *rest, b, c = [x * k + 1.0 for k in range(n)]
    return a * b * c + sum(rest) * len(rest)


def all_but_the_last(x: float, n: int) -> Any:
    *init, last = [x * k + 1.0 for k in range(n)]
    init.append(x)
    return sum(init) * last


@pytest.mark.parametrize("f", [first_and_rest, between, all_but_the_last])
def test_a_list_of_any_length_is_unpacked_around_a_star(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 5)
    agrees(f, 0.7, 3)
    with pytest.raises(ValueError) as plain:
        f(0.7, 0)
    with pytest.raises(ValueError, match=re.escape(str(plain.value))):
        ccc.gradient(f)(0.7, 0)


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray


def over_arrays(xs: Any) -> float:
    t = 1.0
    for x in xs:
        t = t + np.sum(np.sin(x)) * t
    return t


def over_lists(xs: list[list[np.ndarray]]) -> float:
    t = 1.0
    for row in xs:
        t = t + over_arrays(row) * t
    return t


def over_layers(xs: list[Layer]) -> float:
    t = 1.0
    for layer in xs:
        t = t + np.sum(np.sin(layer.w)) * t + np.sum(layer.b) ** 2
    return t


def over_pairs(xs: list[tuple[np.ndarray, float]]) -> float:
    t = 1.0
    for w, b in xs:
        t = t + np.sum(np.sin(w)) * t * b
    return t


def over_maps(xs: list[dict[str, np.ndarray]]) -> float:
    t = 1.0
    for of in xs:
        for key in of:
            t = t + np.sum(np.sin(of[key])) * t
    return t


def one_of(xs: Any, key: Any) -> float:
    return np.sum(np.sin(xs[key])) * np.sum(xs[key])


A, B, C = np.array([0.2, 0.9]), np.array([0.3, 0.5, 0.8]), np.linspace(0.1, 0.6, 6).reshape(2, 3)


@pytest.mark.parametrize(("f", "args"), [
    (over_arrays, ([A, B],)), (over_arrays, ([A, C],)), (over_lists, ([[A], [B, A]],)), (over_lists, ([[C], []],)),
    (over_layers, ([Layer(A, B), Layer(B, A)],)), (over_pairs, ([(A, 0.5), (B, 0.7)],)),
    (over_maps, ([{"a": A, "b": B}, {"a": B, "b": A}],)), (one_of, ([A, B], 1)), (one_of, ({"a": A, "b": B}, "b")),
])  # fmt: skip
def test_items_of_different_sizes_are_differentiated_twice(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Reverse mode of a pullback fitted lists to the shape of an array that NumPy could not make of them."""
    agrees(f, *args)


class Multiples:
    def __init__(self, n: int, x: float) -> None:
        self.n, self.x = n, x

    def __iter__(self) -> Any:
        for i in range(self.n):
            yield i * self.x


def slice_of_an_iterator(xs: list[float]) -> float:
    it, ys = iter(xs), [1.0, 2.0]
    first = next(it)
    ys[1:] = it
    return sum(ys) * first + next(it, 5.0)


def slice_of_an_object(xs: list[float]) -> float:
    ys = [1.0, xs[0]]
    ys[1:] = Multiples(3, xs[1])
    ys[::2] = Multiples(2, xs[2])
    return ys[0] * ys[3] + ys[2] * ys[3] + len(ys)


def extended_by_iterators(xs: list[float]) -> float:
    it, ys, tape = iter(xs), [1.0], Tape()
    ys.extend(Multiples(2, next(it)))
    ys += it
    ys.extend(it)
    tape.items += Multiples(3, xs[0])
    for _, group in itertools.groupby(xs, key=lambda x: x > 1.0):
        ys.extend(group)
    return sum(ys) * ys[2] * ys[-1] + tape.items[2] * next(it, 5.0)


@pytest.mark.parametrize("f", [slice_of_an_iterator, slice_of_an_object, extended_by_iterators])
def test_a_list_takes_what_an_object_gives(f: Callable[..., Any]) -> None:
    """The parts of the object stood in the slice, and an iterator that has a name was no iterable."""
    agrees(f, [0.3, 1.2, 2.0])


def test_a_list_takes_no_object_that_is_not_iterated() -> None:
    def f(x: float) -> float:
        xs = [1.0, 2.0]
        xs[1:] = Tape([x])  # type: ignore[call-overload]
        return sum(xs)

    with pytest.raises(CompileError, match="cannot be iterated"):
        ccc.gradient(f)(2.0)


def of_two_rows(xs: np.ndarray[Any, Any], ys: np.ndarray[Any, Any]) -> Any:
    return sum([v * v for row in [xs, ys] for v in row if v > 1.2])


def of_two_tables(xs: np.ndarray[Any, Any], ys: np.ndarray[Any, Any]) -> Any:
    return sum([np.sum(v) for table in (xs, ys) for v in table if np.sum(v) > 3.0])


@pytest.mark.parametrize("f", [of_two_rows, of_two_tables])
def test_a_comprehension_goes_along_each_row_of_several(f: Callable[..., Any]) -> None:
    xs = np.arange(6.0).reshape(3, 2) if f is of_two_tables else np.array([0.5, 1.5, 2.5])
    agrees(f, xs, 2.0 * xs)
