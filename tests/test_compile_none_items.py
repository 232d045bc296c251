"""None as an item of lists and dicts: kept, tested, and replaced by numbers and tuples."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, value_of

import ccc
from ccc.compile.diagnostics import CompileError


def checked(x: float, n: int) -> float:
    row: list[Any] = [None] * n
    total = x if row[1] is None else 2 * x
    for v in row:
        if v is not None:
            total *= 3
    for _, (k, v) in zip(range(n), [("a", None)] * n, strict=True):
        total += x if v is None and k == "a" else 5 * x
    return total + (x if row[n - 1] == None else 7 * x) + (x if None in row else 11 * x)  # noqa: E711


def beside_ints(x: float, n: int) -> float:
    row: list[Any] = list(range(n))
    row.append(None)
    pairs: list[Any] = [(k, 0.5) for k in range(n)]
    pairs.append((None, 1.5))
    table: dict[Any, Any] = {0: 1, 1: None, 2: None}
    s = sum(x if row[k] is None else x * x for k in range(n + 1))
    s += sum(x * b if a is None else x * x * b for a, b in pairs)
    return s + sum(x if table[k % 3] is None else 2.0 * x for k in range(n))


def put_into_rows(x: float, n: int) -> float:
    nothing: Any = None
    grid = [[nothing] * 3 for _ in range(n)]
    grid[1][2] = 1
    owner: dict[Any, Any] = dict.fromkeys(range(n))
    owner[2] = 5
    s = sum(x * k * j for k, row in enumerate(grid) for j, c in enumerate(row) if c is None)
    return s + sum(x * x * k for k in range(n) if owner[k] is None)


def way_back(x: float, n: int) -> float:
    far: dict[int, Any] = {0: 0.0}
    before: dict[int, Any] = {0: None}
    for u in range(n):
        for v in (u + 1, u + 2):
            if v not in far or far[u] + x * v < far[v]:
                far[v], before[v] = far[u] + x * v, u
    at: Any = n
    s = 0.0
    while at is not None:
        s += far[at] * x
        at = before[at]
    return s


def collected(x: float, n: int) -> float:
    row = [None for _ in range(n)]
    line = deque([None] * n)
    return (x if row[0] is None else 2 * x) + (x if line.popleft() is None else 3 * x) + sum(
        map(lambda v: x if v is None else 2 * x, row))


def filled(x: float, n: int) -> float:
    row: list[Any] = [None] * n
    pairs: list[Any] = [None] * n
    row[0] = x
    for k in range(1, n):
        row[k] = row[k - 1] * x
    for k in range(n):
        pairs[k] = (x * k, x)
    return row[-1] + sum(a * b for a, b in pairs)


def filled_in_a_table(x: float, n: int) -> float:
    table: list[Any] = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[i][j] = x * i * j if i == 0 or j == 0 else table[i - 1][j] + x * j
    return table[n - 1][n - 1]


def remembered(x: float, n: int) -> float:
    memo: list[Any] = [None] * (n + 1)

    def fib(k: int) -> float:
        if k < 2:
            return x * k
        if memo[k] is not None:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2) * x
        return memo[k]

    return fib(n)


def in_a_dict(x: float, n: int) -> float:
    found: dict[int, Any] = {k: None for k in range(n)}
    for k in range(n):
        if found[k] is None:
            found[k] = x * k
    return sum(found.values())


def beside_texts(x: float, n: int) -> float:
    """A text or None, in names, lists and dicts."""
    mode, found, parents = None, [], {"end": "mid", "mid": "start", "start": None}
    labels: dict[Any, Any] = {k: None for k in ("start", "mid", "end")}
    s = 0.0
    for k in range(n):
        found.append("low" if x * k < 1.0 else None)
        mode = "up" if x * k > 0.5 else "down" if mode == "up" else mode
        s += x * k if mode is None else x * len(mode)
    at: Any = "end" if x > 0.0 else "mid"
    while at is not None:
        s = s * x + x
        labels[at] = "seen" + at
        at = parents[at]
    s += sum(len(each or "none") * x for each in labels.values())
    return s + sum(x for each in found if each is None) + sum(2.0 * x * len(each) for each in found if each)


def cases(x: float, n: int) -> float:
    """`case None` was never what may be None, or a number."""
    s = 0.0
    for k in range(n):
        found: Any = None if k % 2 else x * k
        flag: Any = None if k < 1 else x > 0.5
        match found:
            case None:
                s += x
            case _:
                s += found * x
        match flag:
            case None:
                s += 3.0 * x
            case True:
                s += 5.0 * x
            case False:
                s += 7.0 * x
    return s * (2.0 if (x > 0.5) is True else 3.0)


@pytest.mark.parametrize("f", [beside_texts, cases])
def test_none_is_told_from_texts_and_bools(f: Callable[..., Any]):
    agrees(f, 0.7, 4, second=False)
    agrees(f, 0.4, 3, second=False, exponentials=("Delta",))


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [
    checked, beside_ints, put_into_rows, way_back, collected, filled, filled_in_a_table, remembered, in_a_dict],
                         ids=lambda f: f.__name__)
def test_none_stands_for_itself(f: Callable[..., Any]):
    agrees(f, 0.7, 4)
    assert np.allclose(ccc.value_with_gradient(f, wrt=0, backend="native")(0.7, 4), value_and_slope(f), rtol=1e-6)


def value_and_slope(f: Callable[..., Any]) -> tuple[float, float]:
    return f(0.7, 4), (f(0.7 + 1e-6, 4) - f(0.7 - 1e-6, 4)) / 2e-6


def test_what_is_none_where_a_number_is_needed_raises():
    def f(x: float, n: int) -> float:
        row: list[Any] = [None] * n
        for k in range(1, n):
            row[k] = x
        return row[0] + x if n > 2 else x

    assert value_of(f, 2.0, 2) == 2.0
    with pytest.raises(TypeError, match="unsupported operand"):
        value_of(f, 2.0, 3)
    with pytest.raises(CompileError, match="an operator met None"):
        value_of(lambda x: [None][0] + x, 2.0)  # type: ignore[operator]


class Stack:
    def __init__(self) -> None:
        self.items: list[Any] = []

    def push(self, value: Any) -> Stack:
        self.items.append(value)
        return self

    def pop(self) -> Any:
        return self.items.pop()

    def __bool__(self) -> bool:
        return bool(self.items)

    def peek(self, default: Any = None) -> Any:
        return self.items[-1] if self.items else default


def next_larger(values: Any) -> Any:
    stack, out = Stack(), []
    for value in values:
        while stack and stack.peek() < value:
            out.append(stack.pop() * value)
        stack.push(value)
    while stack:
        out.append(stack.pop())
    return sum([i * v for i, v in enumerate(out, 1)])


def test_what_is_read_of_an_empty_stack_is_read_where_it_is_not_empty():
    agrees(next_larger, np.array([0.7, 0.35, 0.9, 1.4, 0.2]))


def test_none_is_compared_where_the_comparison_runs():
    def f(x: float, n: int) -> float:
        stack = Stack()
        for _ in range(n):
            stack.push(x)
        return x if stack.peek() < 1.0 else x * x

    assert ccc.gradient(f, wrt="x")(0.5, 2) == 1.0
    with pytest.raises(TypeError, match="'<' not supported between instances of 'NoneType' and 'float'"):
        ccc.gradient(f, wrt="x")(0.5, 0)
