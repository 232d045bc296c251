"""Objects in lists of any length, changed where they stand: what Python means by it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from changed_objects import A, M, N, P, T, W
from checks import agrees, numbers, runs_in_stores

import ccc


def kick(p: P, f: float) -> None:
    p.v += f
    p.x += p.v


def an_attribute_by_index(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0 - x) for i in range(n)]
    for i in range(len(ps)):
        ps[i].x += x * ps[i].v
    return sum([p.x * p.x for p in ps])


def attributes_of_the_element(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0 - x) for i in range(n)]
    for _t in range(3):
        for p in ps:
            p.v -= 0.1 * math.sin(p.x)
            p.x += p.v * 0.1
    return sum([p.x * p.x + p.v for p in ps])


def a_name_for_an_item(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0 - x) for i in range(n)]
    for i in range(n):
        p = ps[i]
        p.x = p.x + p.v * x
        p.v *= p.x
    return sum([p.x * p.x + p.v for p in ps])


def objects_known_one_by_one(x: Any, n: Any) -> Any:
    ps = [P(x, 1.0), P(x * x, 2.0), P(1.0, x)]
    for i in range(n):
        ps[i].x += ps[i].v * 0.1
        ps[i - 1].v -= ps[i].x * x
    return sum([p.x * p.x + p.v for p in ps])


def forces_between_pairs(x: Any, n: Any) -> Any:
    ps = [P(x * i + 0.1 * i * i, 1.0 - x) for i in range(n)]
    for _t in range(2):
        for i in range(n):
            for j in range(n):
                if i != j:
                    ps[i].v += 0.01 * (ps[j].x - ps[i].x)
        for p in ps:
            p.x += p.v
    return sum([p.x * p.x + p.v for p in ps])


def arrays_of_objects(x: Any, n: Any) -> Any:
    ps = [A(np.array([x * i, x]), np.array([1.0, x])) for i in range(n)]
    for _t in range(2):
        for p in ps:
            p.pos += p.vel * 0.1
            p.vel[0] = p.pos[1] * x
    return sum([np.sum(p.pos * p.vel) for p in ps])


def objects_given_to_a_helper(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0 - x) for i in range(n)]
    for p in ps:
        kick(p, x)
    for i in range(n):
        kick(ps[i], x * ps[i - 1].x)
    return sum([p.x * p.x + p.v for p in ps])


def a_list_given_to_a_function(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0 - x) for i in range(n)]

    def step(ps, dt):
        for p in ps:
            p.x += p.v * dt

    for _t in range(2):
        step(ps, x)
    return sum([p.x * p.x + p.v for p in ps])


def two_names_for_the_list(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = ps
    for p in ps:
        p.x += x
    return sum([q.x for q in qs]) + qs[0].x


def names_that_nothing_reads_again(x: Any, n: Any) -> Any:
    ps = []
    for i in range(n):
        p = P(x * i, 1.0)
        p.v += x
        ps.append(p)
    for i in range(n):
        ps[i].x += ps[i].v
    return sum([q.x for q in ps])


def a_closure_reads_an_object(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    p = ps[0]

    def f():
        return p.x

    ps[0].x = 9.0 * x
    return f()


def objects_in_objects(x: Any, n: Any) -> Any:
    ns = [N(P(x * i, 1.0), x) for i in range(n)]
    for q in ns:
        q.p.x += q.w
        q.p.v *= q.p.x
    return sum([q.p.x * q.p.v for q in ns])


def an_array_that_objects_share(x: Any, n: Any) -> Any:
    a = np.array([x, 1.0])
    ps = [M(a, x * i) for i in range(n)]
    for p in ps:
        p.m += 1.0
    return sum([np.sum(p.pos) * p.m for p in ps])


def new_arrays_for_objects(x: Any, n: Any) -> Any:
    ps = [M(np.array([x, 1.0 * i]), x * i) for i in range(n)]
    for i in range(1, n):
        ps[i].pos = ps[i - 1].pos * 2.0
    for p in ps:
        p.pos += 1.0
    return sum([np.sum(p.pos) * p.m for p in ps])


def lists_of_objects(x: Any, n: Any) -> Any:
    ps = [T([x * i], 1.0) for i in range(n)]
    for _t in range(2):
        for p in ps:
            p.trail.append(p.trail[-1] * x + p.m)
            p.m += x
    return sum([sum(p.trail) * p.m for p in ps])


def objects_of_an_object(x: Any, n: Any) -> Any:
    w = W([P(x * i, 1.0) for i in range(n)], 0.0)
    for _ in range(3):
        w.step(x)
    return sum([p.x * p.x for p in w.ps]) + w.t


def objects_of_an_object_and_of_a_name(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    w = W(ps, 0.0)
    for _ in range(3):
        w.step(x)
    return sum([p.x * p.x for p in ps]) + w.t


def methods_that_change(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for p in ps:
        p.kick(x)
    for i in range(n):
        ps[i].kick(ps[i - 1].x)
    return sum([p.x * p.x for p in ps])


def pairs_that_are_not_one(x: Any, n: Any) -> Any:
    ps = [P(x * i + 0.3 * i * i, 1.0) for i in range(n)]
    for a in ps:
        for b in ps:
            if a is not b:
                a.v += 0.01 * (b.x - a.x)
                b.v -= 0.02 * a.v
    return sum([p.x * p.v for p in ps])


def pairs_by_index(x: Any, n: Any) -> Any:
    ps = [P(x * i + 0.3 * i * i, 1.0) for i in range(n)]
    for i in range(n):
        p = ps[i]
        for j in range(i + 1, n):
            q = ps[j]
            d = q.x - p.x
            p.v += d * 0.1
            q.v -= d * 0.1
    return sum([p.x * p.v for p in ps])


def two_names_that_may_be_one(x: Any, n: Any) -> Any:
    ps = [P(x * i + 0.3 * i * i, 1.0) for i in range(n)]
    for i in range(n):
        p = ps[i]
        q = ps[0]
        p.x += q.x + 1.0
        q.x *= 1.5
        p.v += q.x + p.x
    return sum([p.x * p.v for p in ps])


def elements_beside_numbers(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    fs = [x * i * i for i in range(n)]
    for p, f in zip(ps, fs, strict=False):
        p.v += f
    for i, (p, f) in enumerate(zip(ps, fs, strict=False)):
        p.x += f * p.v * i
    return sum([p.x * p.v for p in ps])


def a_list_beside_itself(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for p, q in zip(ps, ps, strict=False):
        q.v += p.x + p.v
        p.x += q.v
    return sum([p.x * p.v for p in ps])


def loops_that_are_left(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for p in ps:
        p.v += x
        if p.x > 0.5:
            break
        p.x += p.v
    for p in ps:
        if p.x > 0.2:
            continue
        p.x -= p.v
    return sum([p.x * p.v for p in ps])


def a_while_by_index(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    k = 0
    while k < n and ps[k].x < 5.0:
        ps[k].x += x
        p = ps[k]
        p.v *= p.x
        k += 1
    return sum([p.x * p.v for p in ps])


def a_branch_changes_an_object(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    p = ps[0]
    if x > 0.5:
        p.x = 3.0 * x
    else:
        ps[0].v = x
    ps[0].v += p.x
    return p.x * p.v + sum([p.x * p.v for p in ps])


def integers_become_reals(x: Any, n: Any) -> Any:
    ps = [P(0, 1) for i in range(n)]
    for p in ps:
        p.x += x
        p.v += 1
    return sum([p.x * p.v for p in ps])


def dicts_in_a_list(x: Any, n: Any) -> Any:
    ps = [{"x": x * i, "v": 1.0} for i in range(n)]
    for p in ps:
        p["x"] += p["v"] * x
    for i in range(n):
        ps[i]["v"] *= ps[i]["x"]
    return sum([p["x"] * p["v"] for p in ps])


def objects_change_places(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    for i in range(1, n):
        if ps[i].x > ps[i - 1].x:
            ps[i], ps[i - 1] = ps[i - 1], ps[i]
    for i, p in enumerate(ps):
        p.v += i * x
    return sum([p.x * p.v for p in ps])


def a_name_goes_along(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    p = ps[0]
    ps[0], ps[1] = ps[1], ps[0]
    p.x = 7.0 * x
    return ps[0].x + ps[1].x * 2


def an_operand_read_before(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def hit():
        ps[0].x = 5.0
        return 1.0

    return ps[0].x + hit() * ps[0].x


def objects_in_a_grid(x: Any, n: Any) -> Any:
    g = [[P(x * i, 1.0 * j) for j in range(n)] for i in range(n)]
    for row in g:
        for p in row:
            p.x += p.v
    for i in range(n):
        for j in range(n):
            g[i][j].v += g[i - 1][j].x
    return sum([p.x * p.v for row in g for p in row])


def two_lists_of_objects(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]
    qs = [P(x, 1.0 * i) for i in range(n)]
    for p in ps:
        for q in qs:
            p.v += q.x
            q.x *= p.v * 0.1
    return sum([p.x * p.v for p in ps]) + sum([q.x for q in qs])


def a_comprehension_changes_objects(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def hit(p):
        p.x += x
        return p.x

    s = sum([hit(p) for p in ps])
    return s + sum([p.x for p in ps])


def a_derivative_inside(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def energy(y):
        qs = [P(y * i, y) for i in range(n)]
        for q in qs:
            q.x += q.v * y
        return sum([q.x * q.x for q in qs])

    for p in ps:
        p.v -= 0.1 * ccc.derivative(energy)(p.x)
    return sum([p.x * p.v for p in ps])


def objects_of_each_call(x: Any, n: Any) -> Any:
    def f(i):
        ps = [P(x * j, 1.0) for j in range(n)]
        for p in ps:
            p.x += i
        return sum([p.x * p.x for p in ps])

    return sum([f(i * x) for i in range(n)])


def objects_along_a_recursion(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def go(p, k):
        if k < 1:
            return p.x
        return go(ps[k], k - 1) * p.x

    return go(ps[0], n - 1)


def what_a_function_gives(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def first():
        return ps[0]

    p = first()
    ps[0].x = 9.0 * x
    return p.x


def what_a_function_gives_changed(x: Any, n: Any) -> Any:
    ps = [P(x * i, 1.0) for i in range(n)]

    def first():
        return ps[0]

    p = first()
    p.x = 9.0 * x
    return ps[0].x


def lists_of_objects_in_a_dict(x: Any, n: Any) -> Any:
    d = {k: [P(x * k, 1.0) for _ in range(n)] for k in range(n)}
    for k in range(n):
        for i in range(n):
            d[k][i].x += x * i
    return sum([p.x * p.v for k in d for p in d[k]])


def objects_in_a_dict_of_known_keys(x: Any, n: Any) -> Any:
    d = {"a": P(x, 1.0), "b": P(x * x, 2.0)}
    for _k in range(n):
        d["a"].x += x * d["b"].v
    return d["a"].x


PROGRAMS = [
    an_attribute_by_index,
    attributes_of_the_element,
    a_name_for_an_item,
    objects_known_one_by_one,
    forces_between_pairs,
    arrays_of_objects,
    objects_given_to_a_helper,
    a_list_given_to_a_function,
    two_names_for_the_list,
    names_that_nothing_reads_again,
    a_closure_reads_an_object,
    objects_in_objects,
    an_array_that_objects_share,
    new_arrays_for_objects,
    lists_of_objects,
    objects_of_an_object,
    objects_of_an_object_and_of_a_name,
    methods_that_change,
    pairs_that_are_not_one,
    pairs_by_index,
    two_names_that_may_be_one,
    elements_beside_numbers,
    a_list_beside_itself,
    loops_that_are_left,
    a_while_by_index,
    a_branch_changes_an_object,
    integers_become_reals,
    dicts_in_a_list,
    objects_change_places,
    a_name_goes_along,
    an_operand_read_before,
    objects_in_a_grid,
    two_lists_of_objects,
    a_comprehension_changes_objects,
    a_derivative_inside,
    objects_of_each_call,
    objects_along_a_recursion,
    what_a_function_gives,
    what_a_function_gives_changed,
    lists_of_objects_in_a_dict,
    objects_in_a_dict_of_known_keys,
]


@pytest.mark.share(8)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees_with_python_and_with_differences(f: Callable[..., Any]) -> None:
    agrees(f, 0.7, 3)


@pytest.mark.share(6)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_machine_code_gives_the_same(f: Callable[..., Any]) -> None:
    pytest.importorskip("llvmlite")
    value, cts = ccc.value_with_gradient(f)(0.7, 3)
    found, native = ccc.value_with_gradient(f, backend="native")(0.7, 3)
    np.testing.assert_allclose(list(numbers((found, native))), list(numbers((value, cts))), rtol=1e-12)


@dataclass
class Track:
    points: list[float] = field(default_factory=list)
    weight: float = 1.0

    def add(self, x: float) -> None:
        self.points.append(x)
        self.weight *= 0.99


def empty_at_first(x: float, n: int) -> Any:
    tracks = [Track() for _ in range(n)]
    for i in range(7):
        tracks[i % n].add(x * i)
        if i > 3:
            tracks[i % n].points.append(x * x)
        if len(tracks[0].points) > 2:
            tracks[0].points.pop()
    return sum([sum(t.points) * t.weight for t in tracks])


def test_lists_of_objects_that_are_empty_at_first_change_in_branches() -> None:
    agrees(empty_at_first, 0.7, 3)


def one_list_for_all(x: float, n: int) -> Any:
    points: list[float] = []
    return filled([Track(points) for _ in range(n)], x)


def twice_in_the_list(x: float, n: int) -> Any:
    tracks = [Track() for _ in range(n)]
    tracks.append(tracks[0])
    return filled(tracks, x)


def in_two_lists(x: float, n: int) -> Any:
    tracks = [Track() for _ in range(n)]
    others = [t for t in tracks]
    return filled(tracks, x) + sum([sum(t.points) for t in others])


def filled(tracks: list[Track], x: float) -> Any:
    for i in range(7):
        tracks[i % len(tracks)].points.append(x * i)
        if i > 3:
            tracks[i % len(tracks)].points.append(x)
    return sum([sum(t.points) for t in tracks])


@pytest.mark.parametrize("f", [one_list_for_all, twice_in_the_list, in_two_lists])
def test_empty_lists_that_something_else_leads_to_stand_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 0.7, 3, says="cannot append to")
