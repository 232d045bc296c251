"""Views that are chosen, carried by loops, put into lists or folded anew change where their arrays do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pytest
from checks import agrees, is_refused_without_stores

import ccc
from ccc.compile.diagnostics import CompileError


def chosen(x: float, n: int) -> Any:
    a = np.array([[x, 2.0, 0.5], [3.0, x * x, 1.5]])
    v = a[n - 2] if x > 1.0 else a[:, 1]
    w = a.T[0] if n > 5 else a[0][::-1]
    v *= x
    a[0, 1] += v[1] * w[0]
    return np.sum(a * a) + w[0] * v[2]


def carried(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    v = a[0]
    for i in range(n):
        v += a[i - 1]
        v = a[i][::-1] if i == 1 else a[i]
        a[i, 0] *= v[1]
    v[1] *= 2.0
    return np.sum(a**2)


def in_lists(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    rows = [row for row in a]
    rows.append(a[:, 0][:2])
    for row in rows:
        row *= a[1]
    rows[0][n - 3] += rows[n][1]
    return np.sum(a**2) + rows[3][0]


def from_the_end(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    for row in reversed(a):
        row += 0.1 * a[0]
    return np.sum(a**2)


def given_back(x: float, n: int) -> Any:
    def first(b: Any) -> Any:
        for row in b:
            if row[0] > 2.5:
                return row
            row[1] += b[0, 0]
        return b[0]

    a = np.array([[x, 2.0], [3.0, x * x]])
    found = first(a)
    found[0] *= x
    return np.sum(a**2)


def folded_anew(x: float, n: int) -> Any:
    """Of what does not lie in order, `ravel` is a copy, and `reshape` is where even steps do not lead along it."""
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    flat, two = a.T.reshape(6), a[::2, 1].reshape(2)
    apart = a[::2, 1].ravel()
    flat[1] = 5.0 * a[0, 0]
    two *= x
    apart *= 3.0
    np.ravel(a)[n] *= x
    a.T.ravel()[n] *= 100.0
    return np.sum(a**2) + flat[1] * apart[0] + np.sum(flat) + two[0]


@dataclass
class Held:
    part: Any


def held(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x]])
    holders = [Held(a[0]), Held(a[:, 1]), Held(a[1])]
    for i in range(n):
        holders[i].part[:] = holders[i - 1].part * x
        holders[i].part = holders[i].part[::-1]
    return np.sum(a * holders[0].part)


def replaced(x: float, n: int) -> Any:
    """A name that stood for one thing and stands for another: no cotangent is left of the first."""
    a = np.array([x, 2.0, 3.0])
    b = np.array([1.0])
    for i in range(n):
        b = a[: i + 1]
        a[0] += x * i
        a[1] *= x
        if b[0] > 100.0:
            b = a[1:2]
    return np.sum(b) + a[0] * b[0]


def in_a_deque(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    q, seen = deque([row for row in a]), {}
    for i in range(n):
        row = q.popleft()
        row *= x
        seen[i % 2] = row
        q.append(row[::-1])
    seen[1][0] += 1.0
    return np.sum(a**2) + q[0][0] + seen[0][1]


def in_try(x: float, n: int) -> Any:
    a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
    try:
        for i, row in enumerate(a):
            if i == n - 1:
                raise ValueError("the last")
            row *= row[::-1] + a[-1]
            a[2] += row
    except ValueError:
        a[0] *= 3.0
    return np.sum(a**2)


def one_of_two_added(x: float, n: int) -> Any:
    """What is added in place is a view, or an array in a store."""
    a, b, c = np.ones((3, 3)) * x, np.ones((3, 3)) * x, np.ones(3) * 2.0 * x
    for _ in range(n - 1):
        a += a.reshape(9)[::3] if x > 1.0 else c
        part = b[::-1]  # noqa: F841
    for _ in c:
        b[:] = b.T

        def inner() -> None:
            c[1:] += 2.5
            b[-1][:] = np.copy(a.flatten()[:3])

        inner()
    return np.sum(a * np.arange(9.0).reshape(3, 3)) + np.sum(b) + np.sum(c)


@pytest.mark.share(6)
@pytest.mark.parametrize("f", [
    in_a_deque, in_try, chosen, carried, in_lists, from_the_end, given_back, folded_anew, held, replaced,
    one_of_two_added,
], ids=lambda f: f.__name__)
def test_views_change_where_their_arrays_do(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3, second=f in (chosen, in_lists))
    is_refused_without_stores(f, 1.3, 3)


class Owner:
    def __init__(self, w: np.ndarray) -> None:
        self.w = w
        self.part = np.zeros(2)


def keeps_parts(owners: list[Owner], x: float) -> Any:
    """One owner keeps a view of what the other has, one a view of a new array."""
    one, other = owners
    v = one.w[0] if x > 0 else other.w[:, 1]
    v *= x
    one.part = other.w[::2, 1]
    other.part = np.array([x, 2.0])[::-1]
    other.part[0] += v[0]
    return np.sum(v) + np.sum(one.part) * other.part[0]


def tries_rows(owners: list[Owner], x: float) -> Any:
    for p in owners:
        try:
            for r in p.w:
                r += x * np.mean(r)
            if p.w[0, 0] > 1.0:
                raise ValueError
        except ValueError:
            p.w[0] *= 2.0
    return np.sum(owners[0].w ** 2) + np.sum(owners[1].w ** 3)


def owners() -> list[Owner]:
    w = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.7]])
    return [Owner(w), Owner(np.asfortranarray(w + 1.0))]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [keeps_parts, tries_rows], ids=lambda f: f.__name__)
def test_views_that_the_caller_gets(f: Callable[..., Any], backend: str) -> None:
    mine, plain, h = owners(), owners(), 1e-6
    found, slope = ccc.value_with_gradient(f, wrt=1, backend=backend)(mine, 0.3)
    assert found == f(plain, 0.3)
    assert abs(slope - (f(owners(), 0.3 + h) - f(owners(), 0.3 - h)) / (2.0 * h)) < 1e-6
    for step in range(2):
        for a, b in zip(mine, plain, strict=True):
            assert np.array_equal(a.w, b.w)
            assert np.array_equal(a.part, b.part)
            a.w[2, 1] = b.w[2, 1] = 7.0 + step  # which the parts show that are views


def test_what_a_view_is_of_is_not_asked() -> None:
    """Two views of the same entries are two objects, so `is` is not answered by what they show."""
    def f(x: float) -> Any:
        a = np.array([[x, 2.0], [3.0, x * x]])
        v = a[0] if x > 1.0 else a[1]
        w = v[:]
        v *= x
        return np.sum(a) if v is w else 0.0

    with pytest.raises(CompileError):
        ccc.compiled(f)(1.3)


def test_a_view_that_a_store_leads_to_is_assigned_as_what_it_shows() -> None:
    """`a[1], a[0] = a[0], a[1]` wrote the place and the indices of the view into the row: an internal error."""

    def f(x: float, n: int) -> Any:
        a = np.array([[x, 2.0], [3.0, x * x], [0.5, x]])
        b = a * 1.0 if x > 1.0 else a[:]
        b[0] += x
        for row in a:
            a[n - 1], a[0] = a[0], a[n - 1]
            row *= x
        a[1], c = [b[0, 0], b[0, 1]], 2.0
        return np.sum(a * a) + c

    agrees(f, 1.3, 3, second=False)
    agrees(f, 0.7, 2, second=False)


def test_arrays_of_a_tuple_meet_where_a_zip_makes_a_list_of_them() -> None:
    """The places of the two arrays stayed apart, and the list of both was refused."""

    def f(x: float, n: int) -> Any:
        c = (np.array([x, 1.0]), np.array([2.0, x * x]))
        for i, a in zip(range(2), c, strict=True):
            a[i] *= x
            c[1][0] += a[0]
        c[n - 3][1] -= x
        return np.sum(c[0] * c[1])

    agrees(f, 1.3, 3)


def part_or_fold(x: float, n: int) -> Any:
    """A part of a copy, which has a place of its own, or a view: what is folded anew lies as these do."""
    a = np.arange(9.0).reshape(3, 3) * x
    part = a.flatten()[::3] if n > 3 else a.reshape(9)[::3]
    flat = part.ravel()
    flat[1] += x * x
    part[0] *= 3.0
    a += x
    weights = np.arange(1.0, 4.0)
    return np.sum(a * a) + part @ weights + 5.0 * (flat @ weights)


def fold_of_a_copy(x: float, n: int) -> Any:
    a = np.zeros((3, 3)) + x
    b = np.array(a)
    c = np.copy(b)
    if n > 2:
        b[::2] *= 2.5
    b.reshape(9)[1] = x * x
    c.ravel()[2] = 3.0 * x
    return np.sum(b * np.arange(9.0).reshape(3, 3)) + np.sum(c * np.arange(9.0).reshape(3, 3)) * x


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [part_or_fold, fold_of_a_copy], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [3, 4])
def test_parts_and_copies_of_new_arrays_lie_as_these_do(f: Callable[..., Any], n: int) -> None:
    agrees(f, 1.3, n)


def spread_over_names(x, k):
    """An array is unpacked into a name and a list, where what it shows stands in a store."""
    m = np.array([[x, 1.0, 2.0], [0.25 * x, 3.0, x]])
    rows = [np.ones(3) * x, m[0]]
    rows[k][0] += x
    first, *others = m[-1]
    *before, last = m[0]
    return 100.0 * first + len(others) + others[1] * x + before[0] * last


def test_an_array_is_unpacked_into_a_name_and_a_list():
    for x, k in ((1.3, 0), (0.7, 1)):
        agrees(spread_over_names, x, k, second=False, exponentials=("Delta",))


def chained_rows(x, k):
    """Arrays and lists one after another, where what an array shows stands in a store."""
    m = np.array([[x, 1.0, 2.0], [0.25 * x, 3.0, x]])
    rows = [np.ones(3) * x, m[0]]
    rows[k][0] += x
    numbers = [x, 2.0 * x]
    first, *others = chain(m[0], numbers, rows[k])
    return sum(chain(m[0], rows[k])) * x + first * others[3] + len(others)


def tuple_of_a_row(x, k):
    m = np.array([[x, 1.0, 2.0], [0.25 * x, 3.0, x]])
    rows = [np.ones(3) * x, m[0]]
    rows[k][0] += x
    first, second, third = tuple(rows[k])
    return first * 100.0 + second * 10.0 + third * x


@pytest.mark.parametrize("f", [chained_rows, tuple_of_a_row])
@pytest.mark.parametrize(("x", "k"), [(1.3, 0), (0.7, 1)])
def test_an_array_in_a_store_is_taken_apart_by_what_it_holds(f, x, k):
    agrees(f, x, k, second=False, exponentials=("Delta",))


class Weighted:
    def __init__(self, w, name="first"):
        self.w = w
        self.name = name

    def weights(self):
        return self.w


def by_a_key_that_is_computed(x, n):
    m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5], [0.25, 3.0, x]])
    d = {"a": Weighted(np.arange(3.0) + x), "b": Weighted(m[1], "second")}
    s = 0.5 * x

    def tick():
        nonlocal s
        d["a" if x > 1.0 else "b"].weights()[1] += m[:, 1][n]
        return s

    s = tick()
    if m[-1][0] > 1.0:
        for weighted in d.values():
            s += weighted.w[n]
    s += 0.25
    return s * x + float(np.sum(m * m) + d["a"].w[1] * d["b"].w[1])


@pytest.mark.parametrize("x", [1.3, 0.7])
def test_objects_meet_that_a_dict_holds_which_is_read_at_a_computed_key(x):
    agrees(by_a_key_that_is_computed, x, 1)


def heads(rows):
    for row in rows:
        yield row[:2]


def yielded(x, n):
    m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5], [0.25, 3.0, x]])
    rows = [m[0], m[:, 1], m[n]]
    for u in heads(m):
        u[:] = u[::-1].copy()
        rows[n - 1][0] += x * u[0]
    return np.sum(m * np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("n", [1, 2])
def test_views_that_a_generator_yields_change_in_turn_with_it(n):
    agrees(yielded, 0.7, n)
    native, numpy = [ccc.gradient(yielded, backend=backend)(0.7, n)[0] for backend in ("native", "numpy")]
    assert native == pytest.approx(numpy, rel=1e-12)


def becomes_a_row(x: float, n: int) -> Any:
    a, b = np.array([x, 2.0, 0.5]), np.array([[x, 2.0, x * x], [3.0, x, 0.25]])
    for _ in range(n):
        a[1:] *= 0.5 * x
        a = b[-1]
    return np.sum(a * b)


def becomes_a_column_turned(x: float, n: int) -> Any:
    a, b = np.array([x, 2.0]), np.array([[x, 2.0, x * x], [3.0, x, 0.25]])
    for _ in range(n):
        a += 0.5 * b[::-1, 0]
        a = b.T[1, ::-1]
    return np.sum(b**2) + a[0]


def becomes_a_row_under_another_name(x: float, n: int) -> Any:
    a, b = np.array([x, 2.0, 0.5]), np.array([[x, 2.0, x * x], [3.0, x, 0.25]])
    k = 0
    while k < n:
        c = a
        c[1:] -= x
        a = b[k % 2]
        k += 1
    return np.sum(b**2) * a[0]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", [becomes_a_row, becomes_a_column_turned, becomes_a_row_under_another_name])
def test_an_array_that_a_loop_changes_becomes_a_view_of_another(f: Callable[..., Any], n: int) -> None:
    agrees(f, 0.7, n)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_an_argument_changes_where_a_loop_changes_what_has_become_a_view_of_it(backend: str) -> None:
    def f(a: np.ndarray, b: np.ndarray) -> Any:
        for _ in range(3):
            a[1:] -= 0.25
            a = b[-1]
        return a * 1.0

    found, expected = [(np.arange(3.0), np.ones((2, 3))) for _ in range(2)]
    assert np.array_equal(ccc.value_with_pullback(f, backend=backend)(*found)[0], f(*expected))
    assert all(map(np.array_equal, found, expected))
