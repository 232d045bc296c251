"""Rows of lists that change where a loop, a function or a dict leads to them, and rows that change places."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores

import ccc


def relax(g: Any, i: int) -> None:
    g[i][1] += g[i - 1][0] * 0.5


def rows_that_a_loop_names(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for row in g:
        row[0] = row[1] * x + 1
        row[1] += row[0]
    return sum([sum(r) * r[0] for r in g])


def rows_that_are_numbered(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i, row in enumerate(g):
        for j in range(n):
            row[j] += x * i + j
    return sum([sum(r) * r[0] for r in g])


def rows_of_an_array_that_a_loop_names(x: Any, n: Any) -> Any:
    a = np.arange(1.0, 1.0 + n * n).reshape(n, n) * x
    for i, row in enumerate(a):
        row -= row.mean() * x
        row[0] = row[i] * row[-1] + a[0, 1]
    for column in a.T:
        column /= 1.0 + column[0] ** 2
        for j in range(n):
            column[j] += x * column[j - 1]
    return np.sum(a**2) + a[1, 0]


def an_array_that_changes_under_loops_along_its_rows(x: Any, n: Any) -> Any:
    a = np.arange(1.0, 1.0 + n * n).reshape(n, n) * x
    for row in a:
        a[0] = 3.0 * row[1] + row
        for other in a:
            row[0] = x * other[1] - row[0]
    return np.sum(a**2)


def rows_of_rows(x: Any, n: Any) -> Any:
    a = np.arange(1.0, 1.0 + 2 * n * n).reshape(n, 2, n) * x
    for block in a:
        for row in block:
            row[0] += row[1] ** 2
            if row[0] > 40.0:
                continue
            row[:] = row[::-1] * a[0, 0, 1]
    return np.sum(a * np.arange(2.0 * n * n).reshape(n, 2, n))


def arrays_that_a_loop_names(x: Any, n: Any) -> Any:
    g = [np.array([x, x * i]) for i in range(n)]
    for row in g:
        row += 1.0
        row[0] *= x
    return sum([np.sum(r * r) for r in g])


def a_row_that_an_inner_function_changes(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]

    def put(i, v):
        g[i][0] = v

    for i in range(n):
        put(i, x * g[i - 1][1])
    return sum([sum(r) * r[0] for r in g])


def a_row_that_a_helper_changes(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    for i in range(n):
        relax(g, i)
    return sum([sum(r) * r[0] for r in g])


def a_sort_of_rows(x: Any, n: Any) -> Any:
    g = [[math.sin(x * i * 5), x * i] for i in range(n)]
    for _k in range(n):
        for i in range(n - 1):
            if g[i][0] > g[i + 1][0]:
                g[i], g[i + 1] = g[i + 1], g[i]
    for i in range(n):
        g[i][1] += x * i
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def elimination_with_exchanges(x: Any, n: Any) -> Any:
    a = [[math.sin(3 * i + j) + x for j in range(n)] for i in range(n)]
    d = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        if p != k:
            a[p], a[k] = a[k], a[p]
            d = -d
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
        d *= a[k][k]
    return d


def a_row_exchanged_with_itself(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    for i in range(n):
        for j in range(n):
            g[i], g[j] = g[j], g[i]
            g[i][0] += x * j
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def three_rows_exchanged(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    g[0], g[1], g[2] = g[2], g[0], g[1]
    g[0][0] += 5.0 * x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def names_that_go_along(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    a = g[0]
    b = g[1]
    g[0], g[1] = b, a
    a[0] += 3.0 * x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)]) + a[0] * b[0]


def indices_from_the_end(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    g[-1], g[n - 1] = g[n - 1], g[-1]
    g[-1], g[0] = g[0], g[-1]
    g[0][0] += x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def arrays_exchanged(x: Any, n: Any) -> Any:
    g = [np.array([x * i, 1.0]) for i in range(n)]
    for i in range(1, n):
        g[i], g[i - 1] = g[i - 1], g[i]
        g[i] += x
    return sum([np.sum(r) * (k + 1) for k, r in enumerate(g)])


def rows_of_a_display_exchanged(x: Any, n: Any) -> Any:
    g = [[x, 1.0], [2.0 * x, 3.0], [x * x, 0.1]]
    for i in range(1, n):
        g[i], g[i - 1] = g[i - 1], g[i]
        g[i][0] += x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def an_inner_function_exchanges(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]

    def swap(i, j):
        g[i], g[j] = g[j], g[i]

    for i in range(1, n):
        swap(i, i - 1)
        g[i][0] += x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def a_heap_of_rows(x: Any, n: Any) -> Any:
    h = []
    for i in range(n):
        h.append([math.sin(x * i * 7), x * i])
        k = i
        while k > 0 and h[(k - 1) // 2][0] > h[k][0]:
            p = (k - 1) // 2
            h[k], h[p] = h[p], h[k]
            k = p
    h[0][1] += x
    return sum([sum(r) * (k + 1) for k, r in enumerate(h)])


def lists_in_lists_in_a_dict(x: Any, n: Any) -> Any:
    d = {k: [[x * k] * n for _ in range(n)] for k in range(n)}
    for k in range(n):
        for i in range(n):
            d[k][i][0] = x * i + d[k][i][1]
            d[k][i][1] += d[k][i][0]
    return sum([sum(r) * r[0] for k in d for r in d[k]])


def lists_put_into_a_dict(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k] = [[x * k] * n for _ in range(n)]
    for k in range(n):
        for i in range(n):
            d[k][i][0] = x * i + d[k][i][1]
    return sum([sum(r) * r[0] for k in d for r in d[k]])


def lists_in_a_dict_of_known_keys(x: Any, n: Any) -> Any:
    d = {"a": [[x] * n for _ in range(n)], "b": [[x * x] * n for _ in range(n)]}
    for i in range(n):
        for j in range(n):
            d["a"][i][j] = d["b"][i][j] * x + i
            d["b"][j][i] += d["a"][i][j]
    return sum([sum(r) * r[0] for k in d for r in d[k]])


def a_dict_filled_and_changed(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k] = [[x * k] * n for _ in range(n)]
        d[k][0][0] = x * 3.0
        if k > 0:
            d[k - 1][1][1] += d[k][0][0]
    return sum([sum(r) * r[0] for k in d for r in d[k]])


def arrays_added_to_by_index(x: Any, n: Any) -> Any:
    g = [np.array([x * i, 1.0]) for i in range(n)]
    for i in range(n):
        g[i] += x * i
    g[0] *= 2.0
    return sum([np.sum(r) * (k + 1) for k, r in enumerate(g)])


def numbers_changed_under_their_loop(x: Any, n: Any) -> Any:
    xs = [x * i for i in range(n)]
    s = 0.0
    for i, v in enumerate(xs):
        if i + 1 < n:
            xs[i + 1] += v
        s += v * (i + 1)
    return s


def numbers_changed_under_two_loops(x: Any, n: Any) -> Any:
    xs = [x * i + 1.0 for i in range(n)]
    s = 0.0
    for i, u in enumerate(xs):
        for j, v in enumerate(xs):
            if i != j:
                xs[i] += 0.1 * v + u
            s += v
    return s


def a_helper_that_branches(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]

    def hit(i: Any, t: Any) -> Any:
        if t > 0.5:
            g[i][0] += t
            return g[i][0]
        k = 0
        while g[i][1] < 3.0 and k < 2:
            g[i][1] += x
            k += 1
        return x

    s = 0.0
    for i in range(n):
        s += hit(i, x * i) if i > 0 else -hit(0, x)
    return sum([sum(r) for r in g]) * s


def a_list_that_inner_functions_grow(x: Any, n: Any) -> Any:
    stack = [x * i for i in range(n)]

    def push(v: Any) -> None:
        stack.append(v)

    def run(k: Any) -> None:
        for i in range(k):
            push(x * i)
            if i > 0:
                push(stack[-1] * x)

    run(n)
    return sum([v * (i + 1) for i, v in enumerate(stack)])


PROGRAMS = [
    numbers_changed_under_their_loop,
    numbers_changed_under_two_loops,
    a_helper_that_branches,
    a_list_that_inner_functions_grow,
    rows_that_a_loop_names,
    rows_that_are_numbered,
    arrays_that_a_loop_names,
    rows_of_an_array_that_a_loop_names,
    an_array_that_changes_under_loops_along_its_rows,
    rows_of_rows,
    a_row_that_an_inner_function_changes,
    a_row_that_a_helper_changes,
    a_sort_of_rows,
    elimination_with_exchanges,
    a_row_exchanged_with_itself,
    three_rows_exchanged,
    names_that_go_along,
    indices_from_the_end,
    arrays_exchanged,
    rows_of_a_display_exchanged,
    an_inner_function_exchanges,
    a_heap_of_rows,
    lists_in_lists_in_a_dict,
    lists_put_into_a_dict,
    lists_in_a_dict_of_known_keys,
    a_dict_filled_and_changed,
    arrays_added_to_by_index,
]


@pytest.mark.share(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees_with_python_and_with_differences(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 3)


def one_row_in_two_places(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    g[0], g[1] = g[1], g[1]
    g[0][0] += 5.0 * x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def a_name_that_may_go_along(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    a = g[n - 1]
    g[0], g[1] = g[1], g[0]
    a[0] += 3.0 * x
    return sum([sum(r) * (k + 1) for k, r in enumerate(g)])


def rows_of_a_slice_exchanged(x: Any, n: Any) -> Any:
    g = [[x * i, 1.0] for i in range(n)]
    h = g[:]
    g[0], g[1] = g[1], g[0]
    g[0][0] += x
    return h[0][0] + h[1][0]


def one_row_in_lists_of_a_dict(x: Any, n: Any) -> Any:
    r = [x] * n
    d = {}
    for k in range(n):
        d[k] = [r, [x]]
    d[0][0][0] = 5.0
    return d[1][0][0]


def one_row_twice_in_a_list_of_a_dict(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        r = [x] * n
        d[k] = [r for _ in range(2)]
    d[0][0][0] = 5.0
    return d[0][1][0]


def one_list_under_two_keys(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        g = [[x * k] * n for _ in range(n)]
        d[k] = g
        d[k + n] = g
    d[0][0][0] = 5.0
    return d[n][0][0]


def a_row_of_a_dict_with_a_name(x: Any, n: Any) -> Any:
    d = {k: [[x * k] * n for _ in range(n)] for k in range(n)}
    r = d[0][0]
    d[0][0][0] = 5.0
    return r[0]


def what_stands_in_the_statement(x: Any, n: Any) -> Any:
    g = [[x * i] * n for i in range(n)]
    t = (g[0], g[0].append(x))
    return sum(t[0])


def an_argument_that_another_changes(x: Any, n: Any) -> Any:
    def first(xs: Any, _: Any) -> Any:
        return sum(xs)

    g = [x * i for i in range(n)]
    return first(g, g.append(x))


def pushed(xs: list[float], value: float) -> None:
    xs.append(value)


def a_row_pushed_behind_exchanges(x: float, n: int) -> float:
    c = [[x], [float(n), x + 1.0]]
    for _ in range(n - 1):
        for _ in range(n - 1):
            c[0], c[1] = c[1], c[0]
        pushed(c[n % 2], 2.0 * x)
    return sum(c[0]) * x + 3 * sum(c[1])


def a_row_appended_behind_exchanges(x: float, n: int) -> float:
    c = [[x], [float(n), x + 1.0]]
    for _ in range(n - 1):
        for _ in range(n):
            c[0], c[1] = c[1], c[0]
        c[n % 2].append(2.0 * x)
    return sum(c[0]) * x + 3 * sum(c[1])


@pytest.mark.parametrize("f", [a_row_pushed_behind_exchanges, a_row_appended_behind_exchanges])
def test_rows_change_behind_exchanges_in_a_loop(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 3)


def one_of_two_rows_behind_exchanges(x: float, n: int) -> float:
    c = [[x], [float(n), x + 1.0]]
    for _ in range(n - 1):
        for _ in range(n - 1):
            c[0], c[1] = c[1], c[0]
        pushed(c[n % 2] if x > 1.0 else c[0], 2.0)
    return sum(c[0]) + 3 * sum(c[1])


SEEN_ELSEWHERE = [
    one_of_two_rows_behind_exchanges,
    one_row_in_two_places,
    a_name_that_may_go_along,
    rows_of_a_slice_exchanged,
    one_row_in_lists_of_a_dict,
    one_row_twice_in_a_list_of_a_dict,
    one_list_under_two_keys,
    a_row_of_a_dict_with_a_name,
    what_stands_in_the_statement,
    an_argument_that_another_changes,
]


@pytest.mark.parametrize("f", SEEN_ELSEWHERE, ids=lambda f: f.__name__)
def test_rows_that_something_else_leads_to_stand_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 0.7, 3)


def test_rows_of_the_caller_change_places_as_in_plain_python() -> None:
    def f(g: Any) -> Any:
        g[0], g[1] = g[1], g[0]
        return g[0][0]

    rows = [[1.0], [2.0]]
    first, second = rows
    assert ccc.compiled(f)(rows) == 2.0 and rows[0] is second and rows[1] is first
    assert ccc.gradient(f)([[1.0], [2.0]]) == [[0.0], [1.0]]
