"""What random programs found: each made as small as it can be, as one would write it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, runs_in_stores

import ccc
from ccc.compile.diagnostics import CompileError

V = np.array([0.3, -0.2, 0.5])


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node


@dataclass
class Cell:
    total: float
    last: float


def composed(f: Callable[[float], Any], k: int) -> Callable[[float], Any]:
    for _ in range(k):
        f = (lambda g: lambda t: math.sin(g(t)) * t)(f)
    return f


def recursive_closure() -> Callable[..., Any]:
    def go(x: float, n: int) -> float:
        return x if n < 1 else math.sin(go(x, n - 1) * x)

    return go


@dataclass(frozen=True)
class Scale:
    k: float

    def at(self, t: float) -> float:
        return self.k * t * t


TREE = Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0)))


# -- arrays ------------------------------------------------------------------------------------------------------------


def a_copy_changed_in_one_branch(n: int, m: Any) -> Any:
    if n > 1:
        m = np.tanh(m)
        m[m > 0.3] = 0.5 * n
    return np.sum(m)


def a_copy_changed_in_a_branch_of_a_loop(n: int, m: Any) -> Any:
    for i in range(n):
        if i > 0:
            m = np.tanh(m)
            m[m > 0.3] = 0.5 * n
    return np.sum(m)


def beside_the_array_that_it_may_be(n: int, m: Any) -> Any:
    a = np.tanh(m)
    b = a
    if n > 1:
        b = np.sin(m)
        b[0] = 0.5 * n
    return np.sum(b) * np.sum(a)


def arrays_of_a_growing_list(x: float, xs: list[float]) -> Any:
    rows = [np.array([x, 1.0])]
    for u in xs:
        rows.append(rows[-1] * u)
    square = [np.outer(row, row) for row in rows]
    found = np.sum(np.sin(np.stack(rows))) + np.sum(np.concatenate(rows) ** 2) + np.sum(np.stack(rows, axis=1)[1] ** 3)
    found += np.sum(np.vstack(rows)[-1] ** 2) + np.sum(np.hstack(rows) * 2) + np.sum(np.column_stack(rows)[0] ** 2)
    return found + np.sum(np.vstack(square) ** 2) + np.sum(np.hstack(square)[0] ** 2) * x


def pieces_of_several_lengths(x: float, n: int) -> Any:
    parts = [np.ones(i + 1) * x * (i + 1) for i in range(n)]
    return np.sum(np.concatenate(parts) ** 2 * np.arange(0.5 * n * (n + 1)))


def integers_for_reals_in_an_array(y: float, n: int) -> float:
    a = np.cos(np.array([max(n, y) for _ in range(3)]))
    return y + math.exp(0.3 * a[0])


def a_derivative_along_an_array_of_numbers(x: float, y: float) -> Any:
    along = ccc.derivative(lambda t: sum([u * 0.5 * t for u in np.flip(np.array([t, y]))]))(x)
    return along * ccc.derivative(lambda t: sum([u * 0.5 for u in np.array([t, y])]))(x)


def changed_and_then_another(x: Any, n: int, flag: bool) -> Any:
    p = np.zeros(3)
    for _ in range(n):
        p += x
    if flag:
        p = p * 2.0
    p[0] += x[1]
    return np.sum(p * p)


# -- lists -------------------------------------------------------------------------------------------------------------


def a_table(x: float, n: int) -> float:
    table = [0.0] * (n + 1)
    table[1] = x
    for i in range(2, n + 1):
        table[i] = table[i - 1] + x * table[i - 2]
    return table[n]


def repeated_lists(x: float, n: int) -> Any:
    xs = [x * i for i in range(n)]
    ys = xs * 2
    ys[0] = ys[1] + x
    rows = [np.array([x, 1.0])] * n
    pairs = [(x, 2.0)] * n
    found = sum([y * y for y in ys]) + sum(xs * n) * x + sum(n * [x, 1.0]) * x + np.sum(np.stack(rows) * x)
    return found + sum([a * b * x for a, b in pairs])


def repeated_no_times(x: float, n: int) -> float:
    return x + sum([x] * (n - 7))


def the_items_so_far(x: float, n: int) -> float:
    ys = [x, x, 2.0 * x]
    for i in range(1, n):
        ys[i] = math.sin(max(ys[:i]) + x)
    return sum(ys)


def constants_at_first(x: float, n: int) -> float:
    ys = [1.2 for u in range(n) if u > x]
    for i in range(n):
        ys = [*ys, x * i]
    zs = [1.0]
    while len(zs) < n:
        zs.append(2.0)
    for i in range(n):
        zs.append(x * i)
    return sum(ys) * sum(zs)


def replaced_by_longer_ones(x: float, n: int) -> Any:
    ys = [x for _ in range(n)]
    v = np.array([x, x])
    for i in range(n):
        ys = [x * j for j in range(i + 5)]
        v = np.ones(i + 3) * x
    return sum(ys) * np.sum(v * v)


def a_display_beside_a_list_of_any_length(x: Any, n: Any) -> Any:
    ys = [x]
    i = 0
    while i < n:
        if i == 2:
            ys = [x * j for j in range(i)]
        ys.append(x * i)
        i += 1
    return sum(ys)


def a_display_that_grows_in_a_branch(x: Any, n: Any) -> Any:
    ys = [1.0]
    if x > 0:
        ys = ys + [i * 2.0 for i in range(n)]
    zs = ys
    for i in range(n):
        zs = [*zs, x * i]
    return sum(zs)


def another_list_in_a_branch(x: Any, n: Any) -> Any:
    ys = [x]
    if x > 0:
        ys = [i * x for i in range(n)]
    ys.append(x)
    return sum(ys)


def one_of_two_new_lists(x: Any, n: Any) -> Any:
    ys = []
    for i in range(n):
        ys = [x * j for j in range(i)] if i % 2 == 0 else [x]
        ys.append(x)
    return sum(ys)


def a_slice_in_a_branch(x: Any, n: Any) -> Any:
    ys = [x, x]
    if x > 0.5:
        ys = ys[:n]
    return sum(ys) * x


def a_list_begun_anew(x: Any, n: Any) -> Any:
    ys = [x, 2.0]
    while len(ys) < n:
        ys = [*ys, ys[-1] * x]
        if len(ys) == 4:
            ys = [1.0, *ys]
    return sum(ys) * x


def a_display_behind_a_run(x: Any, xs: Any) -> Any:
    ys = list(xs)
    for _i in range(2):
        ys = [x]
    return ys[0]


def integers_among_reals(x: float, n: int, xs: list[float]) -> float:
    ys = [*xs, n]
    ys.append(n)
    ys += [1]
    ys = [*ys, n, 3] + [n]  # noqa: RUF005
    ys.insert(0, n)
    ys[n] = 4
    s = 0.0
    for i, u in enumerate(ys):
        s += u * u * x * i
    return s


def an_integer_in_one_branch(x: float, n: int) -> float:
    todo = [x, 0.577]
    if x > 0.0:
        todo.append(n)
    return sum(todo) * x


def a_list_and_a_number_as_a_test(x: float, y: float) -> float:
    todo, s, k = [x, y], y, 0
    while todo and k < 6:
        k += 1
        u = todo.pop()
        s = math.sin(s + u)
        if u > 0.4:
            todo.append(0.5 * u)
    return s if not (todo and k > 9) else 0.0


def integers_in_tuples_of_a_list(x: float, xs: list[float]) -> float:
    pairs: list[tuple[float, float]] = []
    for u in xs:
        pairs.append((1, u))
    for u in xs:
        pairs.append((x, u))
    return sum([a * b * b for a, b in pairs])


def integers_in_tuples_of_a_comprehension(x: float, xs: list[float]) -> float:
    pairs: list[tuple[float, float]] = [(1, u) for u in xs]
    pairs.append((x, 2))
    pairs = [*pairs, (x, x)] + [(2, 3) for u in xs]
    s = 0.0
    for a, b in pairs:
        s += a * b * x
    return s


def integers_in_records_of_a_list(x: float, xs: list[float]) -> float:
    cells = [Cell(i, u) for i, u in enumerate(xs)]
    if x > 0.0:
        cells.append(Cell(x, 3))
    return sum([c.total * c.last * x for c in cells])


def integer_lists_for_real_ones(x: float, n: int) -> Any:
    rows: list[Any] = [[i, 2] for i in range(n)]
    rows.append([x, x * x])
    ys: Any = [i for i in range(n)]
    if x > 0.5:
        ys = [x * i for i in range(n)]
    zs: Any = [x for _ in range(n)]
    for _ in range(n):
        s = sum(zs)
        zs = [i for i in range(n)]
        zs.append(s)
    return sum([a * b for a, b in rows]) + sum([y * y * x for y in ys]) + sum([z * x for z in zs])


def integer_arrays_among_real_ones(x: float, n: int) -> Any:
    rows = [np.array([n, 1])]
    for _ in range(n):
        rows.append(np.sin(rows[-1] * x))
    return np.sum(np.stack(rows) * x)


def loops_over_nothing(x: float) -> float:
    ys: list[float] = []
    if x:
        for _, u in enumerate(ys):
            x = x * u
        for i in range(len(ys)):
            x = x * ys[i]
        for a, b in zip(ys, ys, strict=True):
            x = x * a * b
        ys.append(x)
    for _ in range(0):
        x = math.nan
    return sum(ys) + x


def an_item_of_nothing(x: float, n: int) -> float:
    ys: list[float] = []
    for i in range(n):
        x = x * ys[i]
    return x * x


def products_that_do_not_fit(x: float, n: int) -> Any:
    v = np.array([x, x])
    w = v
    if n > 1:
        w = np.array([v * x, v])[:, :1] @ np.array([x, x, 2.0])
    for i in range(n):
        if i > 3:
            x += np.dot(v, np.array([x]))
    return np.sum(w) * x if n < 2 else np.sum(np.concatenate([np.array([[x, x]]), v]))


# -- objects -----------------------------------------------------------------------------------------------------------


def changed_and_then_replaced(x: float, n: int) -> float:
    c = Cell(x, x)
    for _ in range(n):
        c.last += 1.0
        c = Cell(c.last * x, c.total)
    c.total *= 2.0
    return c.total + c.last


def changed_and_then_replaced_in_a_while(x: float, n: int) -> float:
    c, k = Cell(x, x), 0
    while k < n:
        k += 1
        c.last += x
        c = Cell(c.last * x, c.total)
    c.last += 1
    return c.total + c.last


def changed_and_then_swapped(x: float, n: int) -> float:
    c, d = Cell(x, x), Cell(1.0, x)
    for _ in range(n):
        c.last += x
        c, d = d, c
    return c.total + c.last * d.last


def a_list_changed_and_then_replaced(x: float, n: int) -> float:
    ys = [x, x]
    for _ in range(n):
        ys[0] += 1.0
        ys = [ys[0] * x, ys[1]]
    return sum(ys)


def a_closure_sees_the_object_that_is_there(x: float, n: int) -> float:
    c = Cell(x, x)
    last = lambda: c.last  # noqa: E731
    for _ in range(n):
        c.last += last()
        c = Cell(c.last * x, c.total)
    return last() + c.total


# -- functions as values -----------------------------------------------------------------------------------------------


def a_function_of_numpy_that_a_loop_carries(x: float, n: int) -> float:
    f: Any = np.tanh
    for i in range(n):
        f = lambda t, h=f, c=x * i: math.sin(h(t) * c)  # noqa: E731
    return f(x)


def passed(t: float, k: int, done: Callable[[float], float]) -> float:
    return done(t) if k <= 0 else passed(math.sin(t), k - 1, lambda u: done(u * t))


def continuations_that_begin_with_a_known_function(x: float, n: int) -> float:
    return passed(x, n, math.cos)


def grown(f: Any, k: int) -> Any:
    if k <= 0:
        return f
    g = grown(f, k - 1)
    return lambda t: math.sin(g(t))


def functions_made_of_what_a_recursion_gives(x: float, n: int) -> float:
    return grown(np.tanh, n)(x)


def functions_of_two_kinds_in_a_list(x: float, n: int) -> float:
    fs: list[Any] = []
    for i in range(n):
        if x > i:
            fs.append(lambda t, c=x: c * t)
        else:
            fs.append(math.sin)
    return sum([f(x) for f in fs]) + x


TABLE = np.array([1.004, 1.394, 1.309])


def blended(f: Any, g: Any, t: float) -> float:
    return 0.5 * f(t) + 0.5 * g(t)


def derivatives_of_partly_applied_functions(x: float) -> Any:
    def high(t: float) -> Any:
        return np.max(np.array([x * t, TABLE[0]]))

    g = functools.partial(blended, high, lambda t: t * t * x)
    return ccc.pullback(g)(0.7)(1.0) * ccc.derivative(g)(x) + ccc.gradient(g)(1.9)


def a_bound_method_of_an_object_of_the_program(x: float) -> Any:
    c = Scale(x * 2.0)
    return ccc.derivative(c.at)(x) * ccc.gradient(c.at)(0.5)


def folded(t: float, depth: int = 0) -> float:
    if abs(t) < 0.3 or depth > 3:
        return 0.784
    return folded(0.6 * t, depth + 1) + math.tanh(t)


def derivatives_of_recursions_in_a_branch(x: float) -> Any:
    if x > 0.1:
        x = x - 0.2 * ccc.derivative(lambda t: t * folded(x))(x)
        x = x - 0.2 * ccc.derivative(lambda t: math.atan(t * folded(np.exp(0.3 * t))))(x)
    return x


def a_function_and_then_a_number(x: float, n: int) -> float:
    f: Any = math.sin
    for _ in range(n):
        f = lambda t, g=f: g(t) * x  # noqa: E731
    y = f
    for _ in range(2):
        y = 0.5  # type: ignore[assignment]
    return x * f(x) if y is not None else x


def whole_numbers_remembered_first(x: float, n: int, k: int) -> Any:
    memo = {0: n}

    def go(k: int) -> Any:
        if k < 2:
            return np.minimum(0.5 * k, n)
        memo[k] = math.sin(x * go(k - 1))  # type: ignore[assignment]
        return memo[k]

    return go(k) * x


def a_memo_of_two_kinds_of_numbers(x: float, n: int) -> Any:
    memo: dict[int, Any] = {}

    def go(k: int) -> Any:
        if k in memo:
            return memo[k]
        if k < 2:
            return TABLE[-1]
        memo[k] = math.tanh(go(k - 1) * x)
        return memo[k]

    return go(n) * x


def a_list_as_a_test_beside_a_tree(x: float, tree: Any) -> float:
    todo, k = [x, 0.3], 0
    while todo and k < 3:
        k += 1
        u = todo.pop()
        x = math.tanh(x + u)
        if k >= x:
            todo.append(x)
    return x * tree.left.value


PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (a_copy_changed_in_one_branch, [(3, np.outer(V, V) * 9), (0, np.outer(V, V))]),
    (a_copy_changed_in_a_branch_of_a_loop, [(3, np.outer(V, V) * 9)]),
    (beside_the_array_that_it_may_be, [(3, V), (0, V)]),
    (changed_and_then_another, [(V, 2, True), (V, 2, False)]),
    (arrays_of_a_growing_list, [(0.7, [0.2, 0.3]), (0.7, [])]),
    (pieces_of_several_lengths, [(0.7, 3)]),
    (integers_for_reals_in_an_array, [(0.7, 3), (0.7, 0)]),
    (a_derivative_along_an_array_of_numbers, [(0.3, 0.4)]),
    (a_table, [(0.7, 5)]),
    (repeated_lists, [(0.7, 3)]),
    (repeated_no_times, [(0.7, 3)]),
    (the_items_so_far, [(0.7, 3)]),
    (integers_among_reals, [(0.5, 2, [0.1, 0.2])]),
    (an_integer_in_one_branch, [(0.5, 2), (-0.5, 2)]),
    (a_list_and_a_number_as_a_test, [(0.7, 0.9)]),
    (a_display_beside_a_list_of_any_length, [(0.7, 4)]),
    (a_display_that_grows_in_a_branch, [(0.7, 3), (-0.7, 3)]),
    (another_list_in_a_branch, [(0.7, 3), (-0.7, 3)]),
    (one_of_two_new_lists, [(0.7, 3)]),
    (a_slice_in_a_branch, [(0.7, 1), (0.4, 1)]),
    (a_list_begun_anew, [(0.7, 6)]),
    (a_display_behind_a_run, [(0.7, [1.0, 2.0])]),
    (constants_at_first, [(0.7, 4)]),
    (replaced_by_longer_ones, [(0.7, 3), (0.7, 0)]),
    (integers_in_tuples_of_a_list, [(0.7, [0.2, 0.3])]),
    (integers_in_tuples_of_a_comprehension, [(0.7, [0.2, 0.3])]),
    (integers_in_records_of_a_list, [(0.7, [0.2, 0.3]), (-0.7, [0.2, 0.3])]),
    (integer_lists_for_real_ones, [(0.7, 3), (0.3, 3)]),
    (integer_arrays_among_real_ones, [(0.7, 3)]),
    (loops_over_nothing, [(0.7,)]),
    (an_item_of_nothing, [(0.7, 0)]),
    (products_that_do_not_fit, [(0.7, 1)]),
    (changed_and_then_replaced, [(0.7, 3), (0.7, 0)]),
    (changed_and_then_replaced_in_a_while, [(0.7, 3), (0.7, 0)]),
    (changed_and_then_swapped, [(0.7, 3)]),
    (a_list_changed_and_then_replaced, [(0.7, 3)]),
    (a_closure_sees_the_object_that_is_there, [(0.7, 3)]),
    (a_function_of_numpy_that_a_loop_carries, [(0.7, 3)]),
    (continuations_that_begin_with_a_known_function, [(0.7, 3)]),
    (functions_made_of_what_a_recursion_gives, [(0.7, 3)]),
    (functions_of_two_kinds_in_a_list, [(1.5, 3)]),
    (derivatives_of_partly_applied_functions, [(0.7,), (2.0,)]),
    (derivatives_of_recursions_in_a_branch, [(0.4,), (0.05,)]),
    (a_memo_of_two_kinds_of_numbers, [(0.7, 4)]),
    (a_list_as_a_test_beside_a_tree, [(0.7, TREE)]),
    (a_function_and_then_a_number, [(0.7, 3)]),
    (composed(lambda t: t * t, 30), [(0.7,)]),
    (composed(lambda t: sum([t * i for i in range(3)]), 6), [(0.7,)]),
    (recursive_closure(), [(0.7, 4)]),
    (whole_numbers_remembered_first, [(0.4, 2, 3)]),
    (a_bound_method_of_an_object_of_the_program, [(0.7,)]),
]


@pytest.mark.share(8)
@pytest.mark.parametrize(
    ("f", "args"), [(f, args) for f, calls in PROGRAMS for args in calls], ids=lambda v: getattr(v, "__name__", "")
)
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


@pytest.mark.parametrize("n", [2, 3, 6])
def test_what_does_not_fit_raises_where_it_runs(n: int) -> None:
    agrees_in_value(products_that_do_not_fit, 0.7, n)
    agrees_in_value(an_item_of_nothing, 0.7, n)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        ccc.gradient(products_that_do_not_fit)(0.7, n)


def test_what_surely_does_not_fit_is_refused_at_its_line() -> None:
    with pytest.raises(CompileError, match="contracts axes of different sizes"):
        ccc.gradient(lambda x: np.sum(np.array([[x], [x]]) @ np.array([x, x, 2.0])))(0.7)


def a_recursion_defined_in_a_loop(a: float, n: int) -> float:
    v = a
    for _ in range(2):

        def r(m: int) -> float:
            if m < 1:
                return v  # noqa: B023
            return r(m - 1) * v  # noqa: B023

        v = r(n)
    return v


@pytest.mark.parametrize(
    "exponential", [ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()], ids=lambda e: type(e).__name__
)
def test_the_gradient_of_a_recursion_defined_in_a_loop_has_a_pullback(exponential: Any) -> None:
    agrees(a_recursion_defined_in_a_loop, 1.5, 1)
    first = ccc.gradient(a_recursion_defined_in_a_loop, exponential=exponential)
    (value, _), pullback = ccc.value_with_pullback(first, exponential=exponential)(1.5, 1)
    assert (value, pullback((1.0, 0.0))) == (4 * 1.5**3, (12 * 1.5**2, 0.0))


def test_an_operator_that_raises_does_so_where_it_runs() -> None:
    def f(x: float, n: int) -> Any:
        if n > 2:
            return x * ccc.gradient(lambda a: a * x)(n)
        return x * x

    agrees(f, 0.7, 1)
    agrees_in_value(f, 0.7, 3)


def test_an_unread_tree_has_the_zeros_of_its_shape_as_gradient() -> None:
    zeros = Node(Leaf(0.0), Node(Leaf(0.0), Leaf(0.0)))
    assert ccc.gradient(lambda x, tree: x)(1.0, TREE) == (1.0, zeros)
    assert ccc.gradient(lambda x, trees: x)(1.0, [TREE, Leaf(2.0)]) == (1.0, [zeros, Leaf(0.0)])


# -- what other names see ----------------------------------------------------------------------------------------------


def kept_by_another_name(x: float, n: int) -> float:
    c = prev = Cell(x, x)
    for _ in range(n):
        c.last += 1.0
        prev = c
        c = Cell(c.last * x, c.total)
    return c.total + c.last + prev.total * prev.last


def kept_before_the_loop(x: float, n: int) -> float:
    c = Cell(x, x)
    first = c
    for _ in range(n):
        c.last += 1.0
        c = Cell(c.last * x, c.total)
    return c.total + c.last + first.total * first.last


def kept_by_an_object(x: float, n: int) -> float:
    c = Cell(x, x)
    holder: Any = Cell(0.0, c)  # type: ignore[arg-type]
    for _ in range(n):
        c.last += 1.0
        holder.last = c
        c = Cell(c.last * x, c.total)
    return c.total + holder.last.last


@pytest.mark.parametrize("f", [kept_by_another_name, kept_before_the_loop, kept_by_an_object], ids=lambda f: f.__name__)
def test_an_object_that_something_else_keeps_stands_in_a_store_where_a_loop_replaces_it(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 0.7, 3, says="visible elsewhere")


def test_lists_that_stand_in_several_places_of_a_list_stand_in_stores() -> None:
    def f(x: float, n: int) -> float:
        rows = [[x, x]] * n
        rows[0][0] = 2.0
        return sum(rows[1])

    runs_in_stores(f, 0.7, 3, says="a list of lists or objects is repeated")


# -- integers for reals, and what comprehensions change ----------------------------------------------------------------


def test_a_gradient_is_a_float_where_an_integer_is_the_largest() -> None:
    found = ccc.gradient(lambda x, n, z: max(x, 0.621) * max(n, z))(-0.183, 2, 1.155)
    assert found == (0.0, 0.621, 0.0)
    assert type(found[0]) is float


def counted(x: float, n: int) -> float:
    c = Cell(x, x)
    a = np.array([x, 1.0])

    def bump(i: int) -> float:
        c.total += x * i
        a[0] *= c.total
        return c.total * a[0]

    return sum([bump(i) for i in range(n)]) + c.total * a[0]


def test_what_the_items_of_a_comprehension_change_stays_changed() -> None:
    agrees(counted, 0.7, 3)


@dataclass
class State:
    x: float
    count: int


def test_the_tangents_of_objects_with_integers_in_a_list_are_of_one_type() -> None:
    def f(x: float, n: int) -> float:
        states = [State(0.5, 0)]
        states.append(State(x, n))
        return sorted(states, key=lambda s: s.x)[-1].x * x

    agrees(f, 0.7, 3)


def test_a_row_that_overlaps_a_column_gets_what_the_column_was() -> None:
    def f(x: float, m: Any) -> Any:
        a = m * x
        a[1] = a[:, 2]
        return np.sum(a * m)

    def with_a_copy(x: float, m: Any) -> Any:
        a = m * x
        a[1] = np.copy(a[:, 2])
        return np.sum(a * m)

    m = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert ccc.compiled(f)(1.5, m) == with_a_copy(1.5, m)
    agrees(with_a_copy, 1.5, m)


def test_what_a_product_of_matrices_is_written_to_has_its_shape() -> None:
    def f(x: float, n: int) -> Any:
        a = np.ones(n) * x
        np.matmul(np.array([[x, 1.0]]), np.array([x, 2.0]), out=a)
        return np.sum(a)

    agrees(f, 0.7, 1)
    compiled = ccc.compiled(f)
    compiled(0.7, 1)
    with pytest.raises(ValueError, match="shape|mismatch"):
        compiled(0.7, 3)


def test_an_integer_at_first_is_appended_to_reals() -> None:
    def f(x: float, n: int) -> float:
        found, s = [x * x, 0.5], 0
        for i in range(n):
            found.append(s)
            found[i] = s
            s = math.sin(s + x)  # type: ignore[assignment]
        return sum(found) * x

    agrees(f, 0.7, 3)


def test_a_sum_along_an_array_is_not_written_to_one_of_another_precision() -> None:
    def f(m: Any) -> Any:
        a = np.zeros(3)
        np.cumsum(m, out=a)
        return np.sum(a)

    agrees(f, np.array([0.1, 0.2, 0.3]))
    with pytest.raises(CompileError, match="in which NumPy computes then"):
        ccc.gradient(f)(np.array([0.1, 0.2, 0.3], np.float32))


def passed_on(t: Any, k: int, done: Callable[[Any], Any]) -> Any:
    if k <= 0:
        return done(t)
    return passed_on(t * 0.9, k - 1, lambda u: done(math.sin(u) * 0.5 + u))


def test_a_recursion_and_a_function_that_it_is_given_may_call_each_other() -> None:
    def f(x: float, n: int) -> Any:
        def calls_it(t: Any) -> Any:
            return passed_on(x, n, math.sin) * t

        return passed_on(x, 2, calls_it) + passed_on(calls_it(x), 2, calls_it)

    agrees(f, 0.7, 3)


def test_a_call_of_one_of_several_functions_leaves_the_names_of_its_caller() -> None:
    def f(x: float) -> Any:
        g = math.sin
        for _ in range(3):
            g = lambda t, h=g: 1.2 * h(t)  # noqa: E731
        y, t = g(x), 1.0
        for i in range(3):
            if i > 0:
                t = z * 0.5  # noqa: F821
            z = y  # noqa: F841
        return t

    def h(x: float, n: int) -> Any:
        g = math.sin
        for _ in range(n):
            g = lambda t, h=g: math.atan(h(t)) * x  # noqa: E731
        total, t = 0.0, 2.0
        for i, u in enumerate([0.3, x, 0.5]):
            if i > 0:
                t = z * g(u)  # noqa: F821
            z = g(t)
            total += t * z
        while total < 3.0:
            g = lambda t, h=g, c=total: h(t) * c  # noqa: E731
            total = total + 1.0 + g(t)
        return total

    agrees(f, 0.7)
    agrees(h, 0.7, 3)


def test_rows_of_several_precisions_keep_their_own() -> None:
    def f(m: Any) -> Any:
        rows = [np.cumsum(0.3 * m[0])]
        for _ in range(2):
            rows.append(0.5 * rows[0] + np.sin(V))
        return np.tanh(sum([np.sum(row) * 0.5 for row in rows]))

    m = np.array([[0.315, 0.587, 0.169], [-0.272, 0.087, -0.333]])
    found, expected = ccc.compiled(f)(m.astype(np.float32)), f(m.astype(np.float32))
    assert found == expected
    assert found.dtype == expected.dtype == np.float64
    gradient = ccc.gradient(f)(m.astype(np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, ccc.gradient(f)(m), rtol=1e-6)
