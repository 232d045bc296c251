"""Lists and arrays in lists, changed where they stand: what Python means by it, or a refusal, never a wrong number."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, numbers, runs_in_stores

import ccc

ROWS = [[1.0, 2.0], [3.0, 4.0]]


@dataclass
class Tab:
    g: list[list[float]]
    k: float


def mixed(g: Any) -> Any:
    return sum([sum([u * math.sin(u + 0.3 * j) for j, u in enumerate(q)]) * (k + 1) for k, q in enumerate(g)])


def a_table_filled_by_its_indices(x: Any, n: Any) -> Any:
    grid = [[0.0] * n for _ in range(n)]
    for i in range(n):
        grid[i][0] = x * i
        grid[0][i] = x * x
    for i in range(1, n):
        for j in range(1, n):
            grid[i][j] = grid[i - 1][j] * x + math.sin(grid[i][j - 1])
    return grid[n - 1][n - 1]


def rows_with_names(x: Any, n: Any) -> Any:
    grid = [[0.0 for _ in range(n)] for _ in range(n)]
    grid[0][0] = x
    for i in range(1, n):
        row = grid[i]
        prev = grid[i - 1]
        for j in range(1, n):
            row[j] = prev[j - 1] * x + math.sin(prev[j]) + row[j - 1]
    return sum([sum(r) for r in grid])


def augmented_assignments(x: Any, n: Any) -> Any:
    grid = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            grid[i][j] += x * i + j
            if j > 0:
                grid[i][j - 1] *= grid[i][j]
    return sum([sum(r) * k * 0.1 for k, r in enumerate(grid)])


def rows_that_grow(x: Any, n: Any) -> Any:
    rows = []
    for _ in range(n):
        rows.append([])
    for i in range(n):
        for j in range(i + 1):
            rows[i].append(x * j + i)
    return sum([sum(r) * x for r in rows])


def arrays_for_rows(x: Any, n: Any) -> Any:
    rows = [np.array([x, 1.0]) for _ in range(n)]
    for i in range(n):
        rows[i][0] = rows[i - 1][1] * x + i
    for i in range(1, n):
        rows[i][1] += rows[i - 1][0] * x
    return sum([np.sum(r * r) for r in rows])


def lists_in_lists_in_lists(x: Any, n: Any) -> Any:
    c = [[[x * i for i in range(2)] for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            c[i][j][1] = c[i - 1][j][0] * x + i
            c[i][j][0] += c[i - 1][j][1]
    return sum([sum([sum(a) for a in b]) for b in c])


def a_display_of_rows(x: Any, n: Any) -> Any:
    g = [[0.0, 0.0, 0.0], [x, x, x], [0.0, 1.0, 2.0]]
    for i in range(1, n):
        for j in range(n):
            g[i][j] = g[i - 1][j] * x + g[i][j - 1]
    return sum([sum(a) for a in g])


def a_known_number_of_rows(x: Any, n: Any) -> Any:
    g = [[0.0] * 3 for _ in range(3)]
    for i in range(n):
        for j in range(n):
            g[i][j] = g[i - 1][j] * x + i + j
    return sum([sum(a) for a in g])


def a_known_number_of_rows_of_any_length(x: Any, n: Any) -> Any:
    g = [[0.0] * n for _ in range(3)]
    for i in range(3):
        for j in range(n):
            g[i][j] = g[i - 1][j] * x + i + j
    return sum([sum(a) for a in g])


def a_knapsack(xs: Any, ws: Any, n: Any) -> Any:
    best = [[0.0] * (n + 1) for _ in range(len(xs) + 1)]
    for i in range(1, len(xs) + 1):
        for w in range(n + 1):
            best[i][w] = best[i - 1][w]
            if ws[i - 1] <= w:
                c = best[i - 1][w - ws[i - 1]] + xs[i - 1]
                if c > best[i][w]:
                    best[i][w] = c
    return best[len(xs)][n]


def a_while_that_is_left(x: Any, n: Any) -> Any:
    g = [[x] * n for _ in range(n)]
    i = 0
    while i < n:
        j = 0
        r = g[i]
        while j < n:
            r[j] = r[j] * x + g[i - 1][j]
            if j == 2:
                break
            j += 1
        i += 1
    return sum([sum(a) for a in g])


def a_table_in_an_object(x: Any, n: Any) -> Any:
    t = Tab([[x] * n for _ in range(n)], x)
    for i in range(n):
        t.g[i][0] = t.g[i - 1][0] * t.k + x
        t.k += t.g[i][0]
    return sum([sum(a) for a in t.g]) + t.k


def two_entries_at_once(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(n - 1):
        g[i][0], g[i][1] = (g[i][1] * x, g[i][0] + g[i + 1][0])
    return sum([sum(a) for a in g])


def a_row_changed_in_a_branch(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    row = g[1]
    if x > 0:
        row[0] = x * x
    row[1] = row[0] * 2
    g[1][0] += 1
    return sum([sum(a) for a in g]) + row[0] * x + row[1]


def rows_added_between_changes(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(n):
        g[-1][0] += x * i
        g.append([x] * n)
    return sum([sum(a) for a in g])


def copies_of_the_rows_of_an_argument(x: Any, g: Any, n: Any) -> Any:
    g = [list(r) for r in g]
    for i in range(n):
        g[i][0] = x * i
    return sum([sum(a) for a in g])


def slices_of_the_rows_of_an_argument(x: Any, g: Any, n: Any) -> Any:
    g = [r[:] for r in g]
    for i in range(n):
        g[i][0] = x * i
    return sum([sum(a) for a in g])


def a_closure_reads_a_row(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    r = g[0]
    f = lambda: r[0] * 2  # noqa: E731
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i + f()
    return sum([sum(a) for a in g]) + f()


def integers_at_first(x: Any, n: Any) -> Any:
    g = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            g[i][j] = g[i - 1][j] + x * j
    return sum([sum(a) for a in g])


def integers_to_the_end(x: Any, n: Any) -> Any:
    g = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            g[i][j] = g[i - 1][j] + j
    return sum([sum(a) * x for a in g])


def two_lists_that_change_places(x: Any, n: Any) -> Any:
    a = [0.0] * n
    b = [x] * n
    for i in range(n):
        for j in range(n):
            a[j] = b[j - 1] * x + i
        a, b = (b, a)
    return sum(a) + 2 * sum(b)


def a_loop_that_is_left(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(n):
        row = g[i]
        for j in range(n):
            if j > i:
                break
            if j == 1:
                continue
            row[j] += g[i - 1][j] * x
        if row[0] > 100:
            return row[0]
        row[-1] = x
    return sum([sum(a) * k for k, a in enumerate(g)])


def sums_of_rows_between_changes(x: Any, n: Any) -> Any:
    g = [[x * i + j for j in range(n)] for i in range(n)]
    s = 0.0
    for i in range(n):
        s += sum(g[i]) * x
        for j in range(n):
            g[i][j] = g[i][j] * s + g[i - 1][j]
            s += sum(g[i - 1]) * 0.01
    return s + sum([sum(r) for r in g])


def what_rows_held_before(x: Any, n: Any) -> Any:
    g = [[x * i + j for j in range(n)] for i in range(n)]
    t = []
    for i in range(n):
        t.append(sum([u * u for u in g[i]]))
        g[i][0] *= t[-1] * 0.1
        t.append(math.sin(g[i][0]) * g[0][1])
        g[0][1] = x * t[0] * 0.1
    return sum(t) * x


def a_derivative_with_a_table_inside(x: Any, n: Any) -> Any:
    g = [[x] * n for i in range(n)]

    def f(y):
        h = [[y] * n for _ in range(n)]
        for i in range(n):
            h[i][0] = y * g[i][0] + h[i - 1][1] * y
        return sum([sum(r) for r in h])

    for i in range(n):
        g[i][0] = ccc.derivative(f)(x) * 0.1 + g[i - 1][0]
    return sum([sum(r) for r in g])


def a_relaxation(x: Any, n: Any) -> Any:
    g = [[x * i + j for j in range(n)] for i in range(n)]
    for _k in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                g[i][j] = 0.25 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) * x
    return sum([sum([u * u for u in r]) for r in g])


def a_memo_table(x: Any, n: Any) -> Any:
    memo = [[-1.0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        memo[i][0] = x
        memo[0][i] = x * x
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if (i + j) % 2 == 0:
                memo[i][j] = memo[i - 1][j - 1] * x
            else:
                memo[i][j] = max(memo[i - 1][j], memo[i][j - 1]) + x
    return memo[n][n]


def rows_read_through_another_list(x: Any, n: Any) -> Any:
    g = [[x * i + j for j in range(n)] for i in range(n)]
    h = [r for r in g]
    s = 0.0
    for i in range(n):
        s += h[i][0] * g[i][1]
    return s * x


def a_search_that_is_left(x: Any, n: Any) -> Any:
    g = [[x * i + j for j in range(n)] for i in range(n)]
    i = 0
    while i < n and g[i][0] < 50:
        g[i][0] += g[i - 1][1] * x
        if g[i][0] > 3.0:
            g[i][1] = g[i][0] * x
            break
        i += 1
    return sum([sum([u * u for u in r]) for r in g])


def a_table_that_a_function_makes(x: Any, n: Any) -> Any:

    def table():
        return [[x] * n for _ in range(n)]

    g = table()
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def two_tables_that_a_function_makes(x: Any, n: Any) -> Any:

    def table():
        return [[x] * n for _ in range(n)]

    g = table()
    h = table()
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x + h[i][0]
    return sum([sum(r) for r in g]) + h[1][0]


def rows_that_a_function_makes(x: Any, n: Any) -> Any:

    def row(i):
        return [x * i] * n

    g = [row(i) for i in range(n)]
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def a_table_that_a_recursion_makes(x: Any, n: Any) -> Any:

    def build(k):
        if k < 1:
            return [[x] * n]
        g = build(k - 1)
        return [*g, [x * k] * n]

    g = build(n)
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def lists_that_a_function_makes(x: Any, n: Any) -> Any:

    def mk():
        return [x * i for i in range(n)]

    a = mk()
    b = mk()
    for i in range(1, n):
        a[i] = a[i - 1] * x + b[i]
    return sum(a) * sum(b)


def gaussian_elimination(x: Any, n: Any) -> Any:
    a = [[x * (i == j) * 3 + math.sin(i * 2 + j) for j in range(n)] for i in range(n)]
    b = [1.0 * i + x for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
            b[i] -= f * b[k]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        t = b[i]
        for j in range(i + 1, n):
            t -= a[i][j] * s[j]
        s[i] = t / a[i][i]
    return sum(s)


def a_triangle(x: Any, n: Any) -> Any:
    rows = [[1.0]]
    for i in range(1, n):
        row = [1.0]
        for j in range(1, i):
            row.append(rows[i - 1][j - 1] + rows[i - 1][j] * x)
        row.append(1.0)
        rows.append(row)
    return sum(rows[-1]) * x


def time_warping(xs: Any, ys: Any) -> Any:
    n, m = (len(xs), len(ys))
    d = [[1000000000.0] * (m + 1) for _ in range(n + 1)]
    d[0][0] = 0.0
    for i in range(1, n + 1):
        row, prev = (d[i], d[i - 1])
        for j in range(1, m + 1):
            c = (xs[i - 1] - ys[j - 1]) ** 2
            row[j] = c + min(prev[j], row[j - 1], prev[j - 1])
    return d[-1][-1]


def a_display_of_its_own(x: Any, n: Any) -> Any:
    g = [[0.0, x], [x, 1.0]]
    for i in range(2):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def displays_made_in_a_loop(x: Any, n: Any) -> Any:
    g = []
    for i in range(n):
        r = [x * i, 1.0]
        g.append(r)
    for i in range(n):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def a_new_empty_list_in_each_run(x: Any, n: Any) -> Any:
    r = []
    g = []
    for _ in range(n):
        g.append(r)
        r = []
    for i in range(n):
        g[i].append(x * i + 1)
    return sum([sum(q) for q in g]) + sum(r)


def integers_with_a_name_for_a_row(x: Any, n: Any) -> Any:
    h = [[0] * n for _ in range(n)]
    r = h[0]
    h[1][0] = x
    r[0] = x * x
    return sum([sum(q) for q in h]) + r[0] * 5


def a_display_read_while_it_grows(x: Any, n: Any) -> Any:
    g = [[0.0, x, 1.0], [x, x * x, 2.0], [1.0, 0.5, x]]
    (g[2], x * x)  # pyright: ignore[reportUnusedExpression]

    def f2(t):
        return t * g[-1][-1]

    g.append([math.tanh(sum(g[-1]) * 0.1)] * n)
    g.append([math.tanh(sum(g[n - 1]) * 0.1)] * n)
    return (
        sum([sum([u * math.sin(u + 0.3 * j) for j, u in enumerate(q)]) * (k + 1) for k, q in enumerate(g)]) + g[-1][0]
    )


def a_row_named_on_one_path_of_a_loop(x: Any, n: Any) -> Any:
    g = [[x] * n for _ in range(n)]
    t1 = math.tanh(x)
    g[n - 1][-1] = math.tanh(math.sin(g[1][0]))
    k2 = 0
    while k2 < n:
        k2 += 1
        if g[2][-1] + g[-1][n - 1] > 0.9:
            continue
        x = math.tanh(x * sum(g[2]) * 0.1)
        g[n - 1][k2 - 1] += math.tanh(math.sin(k2 - 1 - t1))
        g[-1]
    k4 = 0
    while k4 < n:
        k4 += 1
        if math.sin(g[-1][n - 1]) > 0.9:
            continue
        g[-1][2] += math.tanh(math.sin(g[-1][k4 - 1]))
        g[n - 1][n - 1] = math.tanh(math.sin(0.22 + (k4 - 1)))
    g[1][n - 1] = g[n - 1][2]
    return mixed(g) + (x - -0.84)


def rows_of_integers_that_grow_by_reals(x: Any, n: Any) -> Any:
    g = [[0] * n for _ in range(n)]
    math.tanh(g[n - 1][-1] * g[n - 1][n - 1] + g[0][1] * 0.77)
    g[-1].append(math.tanh(sum(g[2]) * 0.1))
    g[1][-1] *= math.tanh(g[2][2])
    t2 = math.tanh(math.sin(g[1][2]))
    g[-1][1] = g[0][n - 1]
    return sum(
        [sum([u * math.sin(u + 0.3 * j) for j, u in enumerate(q)]) * (k + 1) for k, q in enumerate(g)]
    ) + math.sin(t2)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (a_table_filled_by_its_indices, (0.7, 4)),
    (rows_with_names, (0.7, 4)),
    (augmented_assignments, (0.7, 3)),
    (rows_that_grow, (0.7, 3)),
    (arrays_for_rows, (0.7, 3)),
    (lists_in_lists_in_lists, (0.7, 3)),
    (a_display_of_rows, (0.7, 3)),
    (a_known_number_of_rows, (0.7, 3)),
    (a_known_number_of_rows_of_any_length, (0.7, 3)),
    (a_knapsack, ([1.5, 2.0, 0.7], [1, 2, 1], 3)),
    (a_while_that_is_left, (0.7, 4)),
    (a_table_in_an_object, (0.7, 3)),
    (two_entries_at_once, (0.7, 3)),
    (a_row_changed_in_a_branch, (0.7, 3)),
    (rows_added_between_changes, (0.7, 3)),
    (copies_of_the_rows_of_an_argument, (0.7, [[1.0, 2.0], [3.0, 4.0]], 2)),
    (slices_of_the_rows_of_an_argument, (0.7, [[1.0, 2.0], [3.0, 4.0]], 2)),
    (a_closure_reads_a_row, (0.7, 3)),
    (integers_at_first, (0.7, 3)),
    (integers_to_the_end, (0.7, 3)),
    (two_lists_that_change_places, (0.7, 3)),
    (a_loop_that_is_left, (0.7, 3)),
    (sums_of_rows_between_changes, (0.7, 3)),
    (what_rows_held_before, (0.7, 3)),
    (a_derivative_with_a_table_inside, (0.7, 3)),
    (a_relaxation, (0.7, 3)),
    (a_memo_table, (0.7, 3)),
    (rows_read_through_another_list, (0.7, 3)),
    (a_search_that_is_left, (0.7, 3)),
    (a_table_that_a_function_makes, (0.7, 3)),
    (two_tables_that_a_function_makes, (0.7, 3)),
    (rows_that_a_function_makes, (0.7, 3)),
    (a_table_that_a_recursion_makes, (0.7, 3)),
    (lists_that_a_function_makes, (0.7, 3)),
    (gaussian_elimination, (0.7, 3)),
    (a_triangle, (0.7, 5)),
    (time_warping, ([0.1, 0.5, 0.9], [0.2, 0.4])),
    (a_display_of_its_own, (0.7, 3)),
    (displays_made_in_a_loop, (0.7, 3)),
    (a_new_empty_list_in_each_run, (0.7, 3)),
    (integers_with_a_name_for_a_row, (0.7, 3)),
    (a_display_read_while_it_grows, (0.7, 3)),
    (a_row_named_on_one_path_of_a_loop, (0.7, 3)),
    (rows_of_integers_that_grow_by_reals, (0.7, 3)),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [f for f, args in PROGRAMS if args == (0.7, 3)], ids=lambda f: f.__name__)
def test_pullbacks_of_gradients_agree_with_differences(f: Callable[..., Any]) -> None:
    gradient = ccc.gradient(f)
    _, pullback = ccc.value_with_pullback(gradient)(0.7, 3)
    found, h = pullback((1.0, None))[0], 1e-4
    expected = (gradient(0.7 + h, 3)[0] - gradient(0.7 - h, 3)[0]) / (2 * h)
    assert abs(found - expected) <= 1e-5 * (1 + abs(expected))


@pytest.mark.parametrize("f", [a_table_filled_by_its_indices, a_relaxation, a_memo_table], ids=lambda f: f.__name__)
def test_an_entry_is_read_and_changed_in_place_forward_and_backward(f: Callable[..., Any]) -> None:
    code = ccc.explain(f, 0.7, 4).code
    assert "][" in code
    assert "set_along(" not in code
    assert "= add_along(" not in code
    assert "set_item(" not in code


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_machine_code_gives_the_same(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    pytest.importorskip("llvmlite")
    value, cts = ccc.value_with_gradient(f)(*args)
    found, native = ccc.value_with_gradient(f, backend="native")(*args)
    np.testing.assert_allclose(list(numbers((found, native))), list(numbers((value, cts))), rtol=1e-12)


# -- what something else leads to --------------------------------------------------------------------------------------


def the_same_row_twice(x: Any, n: Any) -> Any:
    r = [x] * n
    g = [r, r, [0.0] * n]
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g])


def the_same_row_many_times(x: Any, n: Any) -> Any:
    r = [x] * n
    g = []
    for _ in range(n):
        g.append(r)
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g])


def a_row_that_has_a_name(x: Any, n: Any) -> Any:
    g = []
    r = [x] * n
    g.append(r)
    g.append([x * 2] * n)
    for i in range(2):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g]) + r[0] * 3


def rows_of_a_slice(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    h = g[:]
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g]) + h[0][0] * 3


def rows_of_a_list_behind_itself(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    g = g + g
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g])


def rows_repeated(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    g = g * 2
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g])


def a_row_put_in_the_place_of_another(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    g[0] = g[1]
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i
    return sum([sum(a) for a in g])


def a_row_kept_from_run_to_run(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    k = g[0]
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i + k[0]
        k = g[i]
        g[0][1] = x + i
    return sum([sum(a) for a in g]) + k[0] * 3 + k[1]


def a_row_kept_for_the_next_run(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    k = [0.0] * n
    for i in range(n):
        g[i][0] = g[i - 1][0] + x * i + k[1]
        g[i][1] += k[0]
        k = g[i]
        k[1] = x
        g[i][0] *= 1.5
    return sum([sum(a) for a in g]) + k[0] * 3 + k[1]


def a_row_put_into_the_list_later(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    r = [x] * n
    for i in range(n):
        g[-1][0] = g[i - 1][0] + x * i
        g.append(r)
    return sum([sum(a) for a in g])


def a_row_of_the_list_put_into_it_later(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(n):
        g[-1][0] += x * i
        g.append(g[0])
    return sum([sum(a) for a in g])


def a_view_of_an_array(x: Any, n: Any) -> Any:
    g = [np.array([x, x * i]) for i in range(n)]
    v = g[0][1:]
    for i in range(n):
        g[i][1] = g[i - 1][0] + x * i
    return sum([np.sum(a) for a in g]) + v[0] * 3


def the_same_array_many_times(x: Any, n: Any) -> Any:
    a = np.array([x, 1.0])
    g = []
    for _ in range(n):
        g.append(a)
    for i in range(n):
        g[i][1] = g[i - 1][0] + x * i
    return sum([np.sum(a) for a in g])


def rows_of_a_matrix(x: Any, n: Any) -> Any:
    m = np.outer(np.array([x, 1.0, 2.0]), np.array([x, 1.0]))
    g = [m[i] for i in range(n)]
    for i in range(n):
        g[i][1] = g[i - 1][0] + x * i
    return sum([np.sum(a) for a in g]) + np.sum(m)


def arrays_added_to_beside_a_name(x: Any, n: Any) -> Any:
    g = [np.array([x, x * i]) for i in range(n)]
    r = g[0]
    for i in range(n):
        g[i] += x * i + 1
    return sum([np.sum(a) for a in g]) + r[0] * 3


def an_array_added_to_beside_a_name(x: Any, n: Any) -> Any:
    g = [np.array([x, x * i]) for i in range(n)]
    r = g[0]
    g[0] += x
    return sum([np.sum(a) for a in g]) + r[0] * 3


def a_row_in_a_tuple(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    t = (g[0], x)
    g[0][1] = x * 9
    return t[0][1] * x


def rows_that_change_places(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(1, n):
        g[i], g[i - 1] = (g[i - 1], g[i])
        g[i][0] += x
    return sum([sum(a) * k for k, a in enumerate(g)])


def a_row_taken_out(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    r = g.pop()
    r[0] = 5.0 * x
    g[0][0] = x
    g.append(r)
    g[-1][1] = x * x
    return sum([sum(a) * k for k, a in enumerate(g)])


def a_loop_along_what_it_changes(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for j, u in enumerate(g[0]):
        g[0][(j + 1) % n] = u * x
    return sum(g[0])


def rows_of_the_caller(x: Any, g: Any, n: Any) -> Any:
    for i in range(n):
        g[i][0] = x
    return sum([sum(a) for a in g])


def rows_of_the_caller_in_a_new_list(x: Any, g: Any, n: Any) -> Any:
    g = list(g)
    for i in range(n):
        g[i][0] = x
    return sum([sum(a) for a in g])


def rows_of_the_caller_listed(x: Any, g: Any, n: Any) -> Any:
    g = [r for r in g]
    for i in range(n):
        g[i][0] = x * i
    return sum([sum(a) for a in g])


def a_table_that_a_function_only_gives(x: Any, n: Any) -> Any:
    a = [[x] * n for _ in range(n)]

    def same():
        return a

    g = same()
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g]) + a[1][0]


def one_row_that_a_function_gives(x: Any, n: Any) -> Any:
    r = [x] * n

    def row(i):
        return r

    g = [row(i) for i in range(n)]
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def rows_doubled_by_a_recursion(x: Any, n: Any) -> Any:

    def build(k):
        if k < 1:
            return [[x] * n]
        g = build(k - 1)
        return g + g

    g = build(2)
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def one_row_passed_along_a_recursion(x: Any, n: Any) -> Any:

    def build(r, k):
        if k < 1:
            return [r]
        g = build(r, k - 1)
        return [*g, r]

    g = build([x] * n, 2)
    for i in range(1, n):
        g[i][0] = g[i - 1][0] * x
    return sum([sum(r) for r in g])


def a_list_that_a_function_only_gives(x: Any, n: Any) -> Any:
    c = [x * i for i in range(n)]

    def mk():
        return c

    a = mk()
    for i in range(1, n):
        a[i] = a[i - 1] * x
    return sum(a) * sum(c)


def a_display_that_has_a_name(x: Any, n: Any) -> Any:
    r = [x, x]
    g = [r, [0.0, 1.0]]
    for i in range(2):
        g[i][0] += x
    return r[0] * g[0][0]


def one_display_many_times(x: Any, n: Any) -> Any:
    r = [0.0, x]
    g = [r for _ in range(n)]
    for i in range(n):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def one_display_appended_many_times(x: Any, n: Any) -> Any:
    r = [0.0, x]
    g = []
    for _ in range(n):
        g.append(r)
    for i in range(n):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def a_row_of_a_display_put_in_two_places(x: Any, n: Any) -> Any:
    g = [[0.0, x], [x, 1.0]]
    g[n - 2] = g[0]
    for i in range(2):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def a_row_of_a_display_in_a_tuple(x: Any, n: Any) -> Any:
    g = [[0.0, x], [x, 1.0]]
    p = (g[0], x)
    for i in range(2):
        g[i][0] += x * i
    return sum([sum(q) for q in g]) + p[0][0]


def two_lists_of_the_same_rows(x: Any, n: Any) -> Any:
    g = [[0.0, x], [x, 1.0]]
    h = [g[0], g[1]]
    for i in range(2):
        g[i][0] += x * i
    return sum([sum(q) for q in g]) + h[0][0]


def a_new_row_twice(x: Any, n: Any) -> Any:
    g = []
    for i in range(n):
        r = [x * i, 1.0]
        g.append(r)
        g.append(r)
    for i in range(n):
        g[i][0] += x * i
    return sum([sum(q) for q in g])


def one_empty_list_many_times(x: Any, n: Any) -> Any:
    g = []
    r = []
    for _ in range(n):
        g.append(r)
    for i in range(n):
        g[i].append(x * i)
    return sum([sum(q) for q in g])


def one_empty_list_twice(x: Any, n: Any) -> Any:
    r = []
    g = [r, r]
    for i in range(2):
        g[i].append(x * i)
    return sum([sum(q) for q in g])


def an_empty_list_that_has_a_name(x: Any, n: Any) -> Any:
    r = []
    g = [r, [x]]
    for i in range(2):
        g[i].append(x * i + 1)
    return sum([sum(q) for q in g]) + sum(r)


def integers_that_have_a_name(x: Any, n: Any) -> Any:
    r = [0, 1]
    g = [r, [x, 1.0]]
    for i in range(2):
        g[i][0] += x * (i + 1)
    return sum([sum(q) for q in g]) + r[0] * 5


def integers_of_any_length_that_have_a_name(x: Any, n: Any) -> Any:
    r = [0] * n
    g = [[x] * n for _ in range(n)]
    g.append(r)
    for i in range(n + 1):
        g[i][0] += x * (i + 1)
    return sum([sum(q) for q in g]) + r[0] * 5


def an_array_of_integers_that_has_a_name(x: Any, n: Any) -> Any:
    r = np.array([n, 1])
    g = [np.array([x, 1.0]) for _ in range(n)]
    g.append(r)
    for i in range(n):
        g[i][0] += x * (i + 1)
    g[-1][0] = 7.0
    return sum([np.sum(q) for q in g]) + r[0] * 5


def an_item_of_a_display_many_times(x: Any, n: Any) -> Any:
    r = [[x]]
    g = [r[0] for _ in range(n)]
    for i in range(2):
        g[i][0] += x * i
    return sum([sum(q) for q in g]) + sum(r[0])


SEEN_ELSEWHERE = [
    a_display_that_has_a_name,
    one_display_many_times,
    one_display_appended_many_times,
    a_row_of_a_display_put_in_two_places,
    a_row_of_a_display_in_a_tuple,
    two_lists_of_the_same_rows,
    a_new_row_twice,
    one_empty_list_many_times,
    one_empty_list_twice,
    an_empty_list_that_has_a_name,
    integers_that_have_a_name,
    integers_of_any_length_that_have_a_name,
    an_array_of_integers_that_has_a_name,
    an_item_of_a_display_many_times,
    a_table_that_a_function_only_gives,
    one_row_that_a_function_gives,
    rows_doubled_by_a_recursion,
    one_row_passed_along_a_recursion,
    a_list_that_a_function_only_gives,
    the_same_row_twice,
    the_same_row_many_times,
    a_row_that_has_a_name,
    rows_of_a_slice,
    rows_of_a_list_behind_itself,
    rows_repeated,
    a_row_put_in_the_place_of_another,
    a_row_kept_from_run_to_run,
    a_row_kept_for_the_next_run,
    a_row_put_into_the_list_later,
    a_row_of_the_list_put_into_it_later,
    a_view_of_an_array,
    the_same_array_many_times,
    rows_of_a_matrix,
    a_row_in_a_tuple,
    a_row_taken_out,
    a_loop_along_what_it_changes,
]


@pytest.mark.parametrize(
    "f",
    [
        arrays_added_to_beside_a_name,
        an_array_added_to_beside_a_name,
        rows_that_change_places,
    ],
    ids=lambda f: f.__name__,
)
def test_names_and_loops_see_what_changes(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 3)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", SEEN_ELSEWHERE, ids=lambda f: f.__name__)
def test_rows_that_something_else_leads_to_stand_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 0.7, 3, still=f is an_array_of_integers_that_has_a_name)


@pytest.mark.parametrize(
    "f", [rows_of_the_caller, rows_of_the_caller_in_a_new_list, rows_of_the_caller_listed], ids=lambda f: f.__name__
)
def test_rows_of_the_caller_change_where_they_stand(f: Callable[..., Any]) -> None:
    expected, found, shifted = (copy.deepcopy(ROWS) for _ in range(3))
    rows = list(found)
    value, slope = ccc.value_with_gradient(f, wrt=0, backend="numpy")(0.7, found, 2)
    assert value == f(0.7, expected, 2) and str(found) == str(expected)
    assert all(a is b for a, b in zip(found, rows, strict=True))
    assert slope == pytest.approx((f(0.7 + 1e-6, shifted, 2) - f(0.7, copy.deepcopy(ROWS), 2)) / 1e-6, abs=1e-4)


def an_entry_that_nothing_reads(x: float, n: int) -> float:
    g = [[x] * n for _ in range(n)]
    g[0][n]
    return x


def an_entry_that_is_not_there(x: float, n: int) -> float:
    g = [[x] * n for _ in range(n)]
    g[n][0] = x
    return x


def rows_that_cannot_be_stacked(x: float, n: int) -> float:
    rows = [np.ones(i + 1) * x for i in range(n)]
    np.sum(np.stack(rows))
    return x


@pytest.mark.parametrize(
    "f",
    [an_entry_that_nothing_reads, an_entry_that_is_not_there, rows_that_cannot_be_stacked],
    ids=lambda f: f.__name__,
)
def test_what_nothing_reads_raises_as_in_python(f: Callable[..., Any]) -> None:
    agrees_in_value(f, 0.7, 3)


def by_dtype(rows: list[Any], x: float) -> float:
    total = 0.0
    for row in rows:
        total += x * x if row.dtype == np.float32 else np.sum(row * x)
    return total


def test_the_dtype_of_one_of_several_is_not_taken_for_that_of_all() -> None:
    single, double, whole = np.ones(2, np.float32), np.ones(2), np.arange(2)
    f = ccc.value_with_gradient(by_dtype, wrt="x")
    for rows in ([double, double], [single], [single, single], [whole]):
        assert f(rows, 3.0)[0] == by_dtype(rows, 3.0)
    for rows in ([single, double], [double, single, single], [whole, double]):
        with pytest.raises(ccc.CCCError, match="known only when it runs"):
            f(rows, 3.0)
        assert f([row.astype(float) for row in rows], 3.0)[0] == 6.0 * len(rows) - 3.0 * (rows[0] is whole)
