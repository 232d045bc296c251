"""Objects in lists that something else leads to: they do not change, or as in Python, and no number is wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from changed_objects import M, N, P, T
from checks import agrees, runs_in_stores

import ccc


def kick(p: P, f: float) -> None:
    p.v += f
    p.x += p.v


class Least:
    def __init__(self, x: float) -> None:
        self.x = x

    def __gt__(self, other: Least) -> bool:
        return self.x > other.x


# -- objects that the caller gives ------------------------------------------------------------------------------------


def copies(ps: Any) -> Any:
    ps = [P(p.x, p.v) for p in ps]
    for p in ps:
        p.x += p.v
    return sum([p.x * p.x for p in ps])


def replaced(ps: Any) -> Any:
    ps = [replace(p, x=p.x * 2) for p in ps]
    for p in ps:
        p.x += p.v
    return sum([p.x * p.x for p in ps])


def by_name(ps: Any) -> Any:
    for p in ps:
        p.x += 1.0
    return sum([p.x for p in ps])


def by_index(ps: Any) -> Any:
    for i in range(len(ps)):
        ps[i].x += 1.0
    return sum([p.x for p in ps])


def in_a_new_list(ps: Any) -> Any:
    ps = [ps[0], P(1.0, 2.0)]
    for i in range(2):
        ps[i].x += 1.0
    return ps[0].x


@pytest.mark.parametrize("f", [copies, replaced], ids=lambda f: f.__name__)
def test_copies_of_what_the_caller_gives_change(f: Callable[..., Any]) -> None:
    agrees(f, [P(0.5, 1.0), P(0.7, 2.0)])


@pytest.mark.parametrize("f", [by_name, by_index, in_a_new_list], ids=lambda f: f.__name__)
def test_what_the_caller_gives_changes_as_in_plain_python(f: Callable[..., Any]) -> None:
    wanted, found, moved = [[P(0.5, 1.0), P(0.7, 2.0)] for _ in range(3)]
    assert f(wanted) == ccc.compiled(f, backend="numpy")(found)
    slopes = ccc.gradient(f)(moved)
    assert wanted == found == moved
    for i, h in ((0, 1e-6), (1, 1e-6)):
        up, down = [P(0.5, 1.0), P(0.7, 2.0)], [P(0.5, 1.0), P(0.7, 2.0)]
        up[i].x, down[i].x = up[i].x + h, down[i].x - h
        assert slopes[i].x == pytest.approx((f(up) - f(down)) / (2 * h))


# -- what something else leads to --------------------------------------------------------------------------------------


def kept_under_a_name(x: Any, n: Any) -> Any:
    p = P(x, 1.0)
    ps = []
    for i in range(n):
        ps.append(P(x * i, 1.0))
    ps.append(p)
    for i in range(n + 1):
        ps[i].x += x
    return p.x + ps[-1].x


def changed_under_its_name_later(x: Any, n: Any) -> Any:
    ps = []
    for i in range(n):
        p = P(x * i, 1.0)
        ps.append(p)
        p.v += x
    return sum([q.v for q in ps])


def twice_in_a_display(x: Any, n: Any) -> Any:
    p = P(x, 1.0)
    ps = [p, p, P(1.0, x)]
    for i in range(n):
        ps[i].x += x * i
    return sum([q.x for q in ps])


def appended_twice(x: Any, n: Any) -> Any:
    ps = []
    for i in range(n):
        p = P(x * i, 1.0)
        ps.append(p)
        ps.append(p)
    for p in ps:
        p.x += x
    return sum([q.x * q.x for q in ps])


def an_item_appended_again(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    ps.append(ps[0])
    for p in ps:
        p.x += x
    return sum([q.x for q in ps])


def an_item_in_the_place_of_another(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    ps[0] = ps[1]
    ps[0].x += 5.0 * x
    return sum([q.x for q in ps])


def in_a_slice(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = ps[1:]
    for p in ps:
        p.x += x
    return sum([q.x for q in qs])


def in_a_list_of_the_same(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = [p for p in ps]
    for p in qs:
        p.x += x
    return sum([q.x for q in ps])


def in_a_list_of_some(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = [p for p in ps if p.x > 0.5]
    for p in qs:
        p.x += x
    return sum([q.x for q in ps])


def the_largest_kept(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    for p in ps:
        p.x += x
    return best.x


def the_largest_changed(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    best.x = 10.0 * x
    return sum([p.x for p in ps])


def the_largest_or_a_new_one(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    best = P(0.0, 0.0)
    for p in ps:
        if p.x > best.x:
            best = p
    for p in ps:
        p.x += 1.0
    return best.x


def in_a_tuple(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    t = (ps[0], 1.0)
    ps[0].x = 9.0 * x
    return t[0].x


def in_one_of_two_tuples(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    t = (ps[0], 1.0) if x > 0 else (ps[1], 2.0)
    ps[0].x = 9.0 * x
    return t[0].x * t[1]


def one_of_two(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    p = ps[0] if x > 0 else ps[1]
    ps[0].x = 9.0 * x
    return p.x


def one_of_the_list_or_a_new_one(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    p = ps[0] if x > 0 else P(0.0, 1.0)
    ps[0].x = 9.0 * x
    return p.x


def in_an_object(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    h = N(ps[0], x)
    ps[0].x = 9.0 * x
    return h.p.x


def in_a_display(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    h = [ps[0], ps[1]]
    ps[0].x = 9.0 * x
    return h[0].x


def in_a_dict(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    h = {"a": ps[0]}
    ps[0].x = 9.0 * x
    return h["a"].x


def in_a_dict_of_any_keys(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    h = {}
    for i in range(n):
        h[i] = ps[i]
    ps[0].x = 9.0 * x
    return h[0].x


def in_a_default(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def f(p=ps[0]):
        return p.x

    ps[0].x = 9.0 * x
    return f()


def in_a_method_kept(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    f = ps[0].kick
    ps[0].x = 9.0 * x
    f(1.0)
    return ps[0].x


def an_object_that_objects_share(x: Any, n: Any) -> Any:
    p = P(x, 1.0)
    ns = [N(p, x * i) for i in range(n)]
    for q in ns:
        q.p.x += q.w
    return sum([q.p.x * q.p.v for q in ns])


def an_object_given_to_another(x: Any, n: Any) -> Any:
    ns = [N(P(x * i, 1.0), x) for i in range(n)]
    ns[0].p = ns[1].p
    for q in ns:
        q.p.x += q.w
    return sum([q.p.x * q.p.v for q in ns])


def a_name_for_an_object_inside(x: Any, n: Any) -> Any:
    ns = [N(P(x * i, 1.0), x) for i in range(n)]
    p = ns[0].p
    ns[0].p.x = 5.0 * x
    return p.x


def an_array_that_objects_share_changed(x: Any, n: Any) -> Any:
    a = np.array([x, 1.0])
    ps = [M(a, x * i) for i in range(n)]
    for p in ps:
        p.pos[0] += 1.0
    return sum([np.sum(p.pos) * p.m for p in ps])


def arrays_given_to_others(x: Any, n: Any) -> Any:
    ps = [M(np.array([x, 1.0 * i]), x * i) for i in range(n)]
    for i in range(1, n):
        ps[i].pos = ps[i - 1].pos
    for p in ps:
        p.pos += 1.0
    return sum([np.sum(p.pos) * p.m for p in ps])


def an_array_with_a_name(x: Any, n: Any) -> Any:
    ps = [M(np.array([x, 1.0 * i]), x * i) for i in range(n)]
    a = ps[0].pos
    for p in ps:
        p.pos += 1.0
    return np.sum(a)


def a_view_of_an_array(x: Any, n: Any) -> Any:
    ps = [M(np.array([x, 1.0 * i]), x * i) for i in range(n)]
    a = ps[0].pos[1:]
    ps[0].pos[1] = 7.0 * x
    return np.sum(a)


def a_list_that_objects_share(x: Any, n: Any) -> Any:
    t = [x, 1.0]
    ps = [T(t, x * i) for i in range(n)]
    ps[0].trail.append(x)
    return sum([sum(p.trail) * p.m for p in ps])


def a_list_beside_its_slice(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for p, q in itertools.pairwise(ps):
        q.v += p.x + p.v
    return sum([p.x * p.v for p in ps])


def a_list_that_grows_under_its_loop(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for p in ps:
        p.x += 1.0
        if len(ps) < 5:
            ps.append(P(x, x))
    return sum([p.x * p.v for p in ps])


def in_the_sum_of_two_lists(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = [P(x, 1.0 * i) for i in range(n)]
    both = ps + qs
    for p in both:
        p.x += 1.0
    return sum([p.x * p.v for p in ps])


def in_a_sorted_list(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = sorted(ps, key=lambda p: -p.x)
    for q in qs:
        q.x += 1.0
    return sum([p.x * p.v for p in ps])


def in_a_part_of_the_statement(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def hit():
        ps[0].x = 5.0
        return 1.0

    t = (ps[0], hit())
    return t[0].x


def integers_that_have_a_name(x: Any, n: Any) -> Any:
    q = P(0, 1)
    ps = [P(x, 1.0), q]
    for i in range(2):
        ps[i].x += x
    return q.x + sum([p.x * p.v for p in ps])


def changed_in_a_recursion(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def go(k):
        if k < 1:
            return ps[k].x
        ps[k].x += x
        return go(k - 1) * ps[k].x

    return go(n - 1) + ps[0].x


def in_two_lists(x: Any, n: Any) -> Any:
    p = P(x, 1.0)
    a = [P(x * i, 1.0) for i in range(n)]
    b = [P(x * i, 1.0) for i in range(n)]
    a.append(p)
    b.append(p)
    for q in a:
        q.x += 1.0
    return sum([q.x for q in b])


def an_item_of_a_display_read_at_any_index(x: Any, n: Any) -> Any:
    a = P(x, 1.0)
    ps = [a, P(2.0 * x, 2.0)]
    p = ps[n - 3]
    a.x = 50.0 * x
    return p.x


def an_item_kept_behind_a_loop(x: Any, n: Any) -> Any:
    ps = [P(x, 1.0), P(2.0 * x, 2.0)]
    for i in range(2):
        p = ps[i]
    ps[n - 2].x = 50.0 * x
    return p.x


def in_another_order(x: Any, n: int) -> Any:
    """Which of the objects stands where is not known."""
    a, b = P(x, 1.0), P(1.0 - x, 2.0)
    ordered = sorted([a, b], key=lambda p: p.x)
    a.v = 9.0 * x
    return ordered[0].v * n + ordered[1].v + (ordered[1] is a)


def one_of_two_lists(x: Any, n: int) -> Any:
    a, b = [x], [1.0]
    return x if (a if x > 0.5 * n else b) is b else 2.0 * x


SEEN_ELSEWHERE = [
    in_another_order,
    one_of_two_lists,
    an_item_of_a_display_read_at_any_index,
    an_item_kept_behind_a_loop,
    kept_under_a_name,
    changed_under_its_name_later,
    twice_in_a_display,
    appended_twice,
    an_item_appended_again,
    an_item_in_the_place_of_another,
    in_a_slice,
    in_a_list_of_the_same,
    in_a_list_of_some,
    the_largest_kept,
    the_largest_changed,
    the_largest_or_a_new_one,
    in_a_tuple,
    in_one_of_two_tuples,
    one_of_two,
    one_of_the_list_or_a_new_one,
    in_an_object,
    in_a_display,
    in_a_dict,
    in_a_dict_of_any_keys,
    in_a_default,
    in_a_method_kept,
    an_object_that_objects_share,
    an_object_given_to_another,
    an_array_that_objects_share_changed,
    arrays_given_to_others,
    an_array_with_a_name,
    a_view_of_an_array,
    a_list_that_objects_share,
    a_list_beside_its_slice,
    a_list_that_grows_under_its_loop,
    in_the_sum_of_two_lists,
    in_a_sorted_list,
    in_a_part_of_the_statement,
    integers_that_have_a_name,
    changed_in_a_recursion,
    in_two_lists,
]


@pytest.mark.share(4)
@pytest.mark.parametrize("f", SEEN_ELSEWHERE, ids=lambda f: f.__name__)
def test_objects_that_something_else_leads_to_stand_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 0.7, 3)


def test_one_of_two_objects_is_not_taken_for_another() -> None:
    def f(x: float) -> float:
        a, b = Least(x), Least(1.0 - x)
        return 2.0 * x if max(a, b) is a else x

    with pytest.raises(ccc.CCCError, match="whether two objects that may stand in lists are one is not known"):
        ccc.compiled(f)(0.7)


def test_a_name_for_an_object_inside_of_one_sees_it_change() -> None:
    agrees(a_name_for_an_object_inside, 0.7, 3)


def one_of_the_list(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    q = P(x, 1.0)
    ps.append(q)
    return 1.0 if ps[-1] is q else 0.0


def test_objects_are_one_or_two_as_in_python() -> None:
    def f(x: float, n: int) -> float:
        ps = [P(x * i, 1.0) for i in range(n)]
        found = 0.0
        for i in range(n):
            for p in ps:
                if p is ps[i - 1] and p is not ps[i]:
                    found += p.x * i
        return found

    agrees(f, 0.7, 3)
    runs_in_stores(one_of_the_list, 0.7, 3, says="whether two objects that may stand in lists are one")
