"""Dicts whose keys are not known: read, changed in loops and branches, made of sequences, nested, and refused."""

from __future__ import annotations

import copy
import functools
import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, runs_in_stores, same, value_of

import ccc
from ccc.compile.diagnostics import CompileError


def sparse_dot(u: Any, v: Any, n: int) -> Any:
    s = 0.0
    for i in range(n):
        if i in u and i in v:
            s = s + u[i] * v[i]
    return s


def remembered(x: float, n: int) -> Any:
    m = {0: x, 1: x * 2.0}
    for i in range(2, n):
        m[i] = m[i-1] * 0.5 + m[i-2] * x
    return m[n-1] + len(m)


def counted(x: float, ws: list[int]) -> Any:
    c = {}
    for w in ws:
        c[w] = c.get(w, 0) + 1
    s = 0.0
    for k, v in c.items():
        s = s + x ** v * (k + 1)
    return s


def looked_up(w: Any, order: list[str]) -> Any:
    s = 0.0
    for k in order:
        s = s + w[k] * w[k]
    return math.exp(s * 0.1)


def accumulated(x: float, ks: list[int]) -> Any:
    d = {}
    for k in ks:
        if k in d:
            d[k] += x * k
        else:
            d[k] = x * x
    return sum(d.values())


def comprehended(x: float, n: int) -> Any:
    d = {i * i: x * i for i in range(n) if i != 1}
    t = 0.0
    for k in d:
        t = t + d[k] * k
    return t + len(d)


def zipped(x: float, ks: list[int], vs: list[float]) -> Any:
    d = dict(zip(ks, vs, strict=False))
    d[3] = x
    return sum(v * v for v in d.values()) * x


def with_default(x: float, ks: list[int]) -> Any:
    d = defaultdict(float)
    for i, k in enumerate(ks):
        d[k] += x ** (i + 1)
    s = 0.0
    for k, v in d.items():
        s += v * v * (k + 1)
    return s + d[99]


def with_counter(x: float, ks: list[int]) -> Any:
    c = Counter(ks)
    return sum(x ** v for v in c.values()) + c[77]


def deleted(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    del d[ks[0]]
    y = d.pop(ks[1])
    z = d.pop(1000, 2.0 * x)
    return y * z + sum(d.values())


def merged(x: float, ks: list[int]) -> Any:
    a = {k: x * k for k in ks}
    b = {2: x * x, 7: 3.0}
    c = a | b
    a.update(b)
    return sum(c.values()) * a[2] + c[7]


def at_pairs(x: float, n: int) -> Any:
    t = {}
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                t[i, j] = x * (i + j + 1)
            else:
                t[i, j] = math.sin(t[i - 1, j]) + t[i, j - 1] * x
    return t[n - 1, n - 1]


def of_arrays(v: Any, ks: list[int]) -> Any:
    d = {}
    for k in ks:
        d[k] = d.get(k, np.zeros(3)) + v * k
    s = 0.0
    for k in d:
        s = s + np.sum(d[k] ** 2)
    return s


def grows_in_a_branch(x: float, k: int) -> Any:
    d = {"a": x}
    if x > 0:
        d["b"] = x * x
    else:
        d["c"] = 3 * x
    return sum(d.values()) + d["a"]


def changed_in_a_branch(x: float, k: int) -> Any:
    d = {0: x, 1: 2 * x}
    if x > 0:
        d[k] = x * x
    return d[0] + d[1] * 3


def add_to(d: Any, k: int, v: Any) -> Any:
    d[k] = d.get(k, 0.0) + v


def through_a_helper(x: float, ks: list[int]) -> Any:
    d = {}
    for k in ks:
        add_to(d, k, x * k)
    e = d
    add_to(e, 5, x)
    return d[5] * d[1]


def in_a_while(x: float, n: int) -> Any:
    d = {0: x}
    i = 0
    while i < n:
        d[i + 1] = d[i] * x + 0.1
        i += 1
        if d[i] > 10.0:
            break
    return d[i]


def dicts_of_dicts(w: Any, u: Any) -> Any:
    return w[u]["a"] * w[u]["b"] + w[0]["a"]


def read_at_a_key(d: Any, k: int) -> Any:
    return d[k] * d[k] * 3.0


def in_known_sets(x: float, ks: list[int]) -> Any:
    s = 0.0
    seen = {1, 3}
    for k in ks:
        if k in seen or k not in (7, 8):
            s += x * k
    return s * s


def of_tuples(x: float, k: int) -> Any:
    d = {0: (x, 1.0), 1: (2.0, x)}
    a, b = d[k]
    return a * b + a


def set_by_default(x: float, ks: list[int]) -> Any:
    d = {}
    s = 0.0
    for k in ks:
        s += d.setdefault(k, x * k)
        x = x * 1.1
    return s


def rows_of_pairs(w: Any, rows: Any) -> Any:
    t = 0.0
    for r in rows:
        for i, v in r:
            t = t + w[i] * v
    return t * t


def adjacency(x: float, edges: list[tuple[int, int]]) -> Any:
    g = {}
    for u, v in edges:
        if u not in g:
            g[u] = []
        g[u].append(x * v)
    s = 0.0
    for u in g:
        for w in g[u]:
            s = s + w * w * (u + 1)
    return s


def adjacency_by_default(x: float, edges: list[tuple[int, int]]) -> Any:
    g = defaultdict(list)
    for u, v in edges:
        g[u].append((v, x * v))
    s = 0.0
    for u, row in g.items():
        for v, w in row:
            s = s + w * w * (u + v)
    return s + len(g[77])


def adjacency_set_by_default(x: float, edges: list[tuple[int, int]]) -> Any:
    g = {}
    for u, v in edges:
        g.setdefault(u, []).append(x * v)
    return sum(sum(r) * sum(r) for r in g.values())


def table_of_tables(x: float, n: int) -> Any:
    t = {}
    for i in range(n):
        t[i] = {}
        for j in range(n):
            t[i][j] = x * i + j
    return t[1][2] * t[2][1]


def relaxed(w: Any, n: int, edges: list[tuple[int, int]]) -> Any:
    dist = {0: 0.0}
    for _ in range(n):
        for i, (u, v) in enumerate(edges):
            if u in dist:
                d = dist[u] + w[i]
                if v not in dist or d < dist[v]:
                    dist[v] = d
    return dist[n - 1] * dist[1]


def one_list_under_many_keys(x: float, n: int) -> Any:
    row = [x]
    d = {}
    for i in range(n):
        d[i] = row
    d[0].append(x)
    return len(d[1]) * x


def a_named_item(x: float, n: int) -> Any:
    d = {}
    for i in range(n):
        d[i] = [x]
    a = d[0]
    d[0].append(x)
    return len(a) * x


def an_item_put_again(x: float, n: int) -> Any:
    d = {}
    for i in range(n):
        d[i] = [x]
        d[i + 1] = d[i]
    d[0].append(x)
    return len(d[1]) * x


def a_list_kept_outside(x: float, n: int) -> Any:
    row = [x]
    d = {}
    for i in range(n):
        d[i] = row
    row.append(x)
    return len(d[1]) * x


def a_copy_of_the_dict(x: float, n: int) -> Any:
    d = {}
    for i in range(n):
        d[i] = [x]
    f = dict(d)
    d[0].append(x)
    return len(f[0]) * x


def an_array_inside(x: float, n: int) -> Any:
    d = {}
    for i in range(n):
        d[i] = np.zeros(2)
    d[0] += x
    return np.sum(d[0])


def an_array_kept_outside(x: float, n: int) -> Any:
    a = np.zeros(2)
    d = {}
    for i in range(n):
        d[i] = a
    a[0] = x
    return np.sum(d[0])


def returned(x: float, n: int) -> Any:
    return {i: x * i for i in range(n)}


def fib(n: int, x: float, memo: dict[int, float]) -> Any:
    if n in memo:
        return memo[n]
    if n < 2:
        return x * (n + 1)
    r = fib(n - 1, x, memo) * 0.5 + fib(n - 2, x, memo) * x
    memo[n] = r
    return r


def remembered_in_recursion(x: float, n: int) -> Any:
    return fib(n, x, {})


def remembered_beside(x: float, n: int) -> Any:
    memo = {0: x, 1: x * x}
    y = fib(n, x, memo)
    return y + len(memo) * x + memo[n - 1]


def remembered_by_a_closure(x: float, n: int) -> Any:
    memo: Any = {}
    def f(i: int) -> Any:
        if i < 2:
            return x * (i + 1)
        if i not in memo:
            memo[i] = math.sin(f(i - 1)) + f(i - 2) * x
        return memo[i]
    return f(n) + f(n - 1)


def remembered_at_pairs(x: float, n: int) -> Any:
    memo: Any = {}
    def f(i: int, j: int) -> Any:
        if i == 0 or j == 0:
            return x
        if (i, j) not in memo:
            memo[i, j] = f(i - 1, j) * x + math.tanh(f(i, j - 1))
        return memo[i, j]
    return f(n, n)


def depth_first(x: float, edges: list[tuple[int, int]]) -> Any:
    g: Any = {}
    for u, v in edges:
        for node in (u, v):
            if node not in g:
                g[node] = []
        g[u].append(v)
    seen: Any = {}
    def go(u: int, w: float) -> Any:
        if u in seen:
            return 0.0
        seen[u] = w
        s = w * w
        for v in g[u]:
            s = s + go(v, w * x)
        return s
    return go(0, x) + len(seen)


def given_anew(x: float, n: int) -> Any:
    d = {"a": x, "b": 2.0}
    def f(i: int, p: dict[str, float]) -> Any:
        if i == 0:
            return p["a"] * p["b"]
        return f(i - 1, {"a": p["a"] * x, "b": p["b"] + 1.0})
    return f(n, d)


TABLE = {1: 2.0, 2: 5.0}


def whether_it_holds_any(x: float, ks: list[int]) -> Any:
    d: Any = {}
    for k in ks:
        d[k] = x * k
    if d:
        return sum(d.values())
    return x


def until_it_is_empty(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    s = 0.0
    while d:
        for _ in d:
            break
        s += d.pop(ks[len(d) - 1])
    return s


def one_of_two(x: float, ks: list[int]) -> Any:
    a = {k: x * k for k in ks}
    b = {k: x + k for k in ks}
    c = a if x > 0 else b
    return c[ks[0]]


def captured(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    def f(k: int) -> float:
        return d[k] * d[k]

    s = 0.0
    for k in ks:
        s += f(k)
    return s


def gradient_by_a_dict(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    g = ccc.gradient(lambda w: w[ks[0]] * w[ks[1]] * x)(d)
    return g[ks[0]] + g[ks[1]]


def gradient_inside(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    g = ccc.gradient(lambda y: sum(v * y for v in d.values()) * y)(x)
    return g


def in_order(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    s = 0.0
    for i, k in enumerate(sorted(d)):
        s += d[k] * (i + 1)
    return s


def extremes(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    return max(d.values()) + min(d[k] for k in d)


def left_early(x: float, ks: list[int]) -> Any:
    d: Any = {}
    for k in ks:
        if k in d:
            return d[k] * x
        d[k] = x * k
    return x


def made_elsewhere(x: float, ks: list[int]) -> Any:
    d: Any = {}
    for k in ks:
        d[k] = x * k
        if k > 2:
            return d
    return d


def taken_from_elsewhere(x: float, ks: list[int]) -> Any:
    d = made_elsewhere(x, ks)
    return d[ks[0]] * 2.0


def list_of_records(x: float, n: int) -> Any:
    out: Any = []
    for i in range(n):
        out.append({"a": x * i, "b": 1.0})
    return sum(r["a"] * r["b"] for r in out)


def list_of_maps(x: float, n: int) -> Any:
    out: Any = []
    for i in range(n):
        d: Any = {}
        for j in range(i + 1):
            d[j] = x * j
        out.append(d)
    return sum(m[0] + sum(m.values()) for m in out)


@dataclass
class Store:
    items: dict[int, float] = field(default_factory=dict)
    def add(self, k: int, v: float) -> None:
        self.items[k] = self.items.get(k, 0.0) + v


def in_an_object(x: float, ks: list[int]) -> Any:
    s = Store()
    for k in ks:
        s.add(k, x * k)
    return s.items[ks[0]] * len(s.items)


def exchanged(x: float, ks: list[int]) -> Any:
    now = {k: x * k for k in ks}
    for _ in range(3):
        nxt: Any = {}
        for k, v in now.items():
            nxt[k] = v * x + 1.0
        now = nxt
    return sum(now.values())


def printed(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    print(d, f"{d}")
    return d[ks[0]]


def over_its_keys(x: float, n: int) -> Any:
    d = {0: x}
    for _ in range(n):
        for j in list(d):
            d[j + 1] = d.get(j + 1, 0.0) + d[j] * x
    return sum(d.values())


def grows_along_itself(x: float, ks: list[int]) -> Any:
    d = {k: x for k in ks}
    for k in d:
        d[k + 10] = x
    return sum(d.values())


def from_keys(x: float, ks: list[int]) -> Any:
    d = dict.fromkeys(ks, x)
    return sum(d.values())


def among_the_keys(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    return sum(d[k] for k in ks if k in d.keys())  # noqa: SIM118


def numbered(x: float, ks: list[int]) -> Any:
    d = {k: x * k for k in ks}
    s = 0.0
    for i, (k, v) in enumerate(d.items()):
        s += i * k * v
    ps = list(d.items())
    return s + ps[0][1]


def changed_inside(x: float, ks: list[int]) -> Any:
    d: Any = {}
    for k in ks:
        d.setdefault(k, []).append(x)
        d[k][0] = x * x
    return sum(sum(v) for v in d.values())


def from_outside(x: float, ks: list[int]) -> Any:
    return sum(TABLE[k] * x for k in ks)


def as_iterables(x: float, ks: list[int]) -> Any:
    d = {k: x * k - k * k for k in ks}
    best = max(d, key=d.get)  # type: ignore[arg-type]
    least = min(d, key=lambda k: d[k] * x)
    folded = functools.reduce(lambda a, b: a * x + b, d, 0.0)
    return d[best] - d[least] + x * (next(iter(d)) + max(d) + min(d) + folded)


def asked_for(x: float, ks: list[int]) -> Any:
    rows: dict[int, list[float]] = {k: [x * k] for k in ks}
    best: dict[int, float] = {}
    s = 0.0
    for k in range(4):
        row = rows.get(k)
        if row is None:
            s *= 2.0
            continue
        row.append(x)
        s += sum(row) * len(rows[k])
        found = best.get(k % 2)
        if found is None or found < s:
            best[k % 2] = s
    return s + sum(best.values()) + (best.get(5) or x)


def are_equal(x: float, n: int) -> Any:
    """Dicts of the program are compared, and those behind what decides in a heap are not."""
    one, other = {i: x * i for i in range(n)}, {i: x * i for i in range(n)}
    other[n], shallow = 1.0, copy.copy(other)
    shallow[n] = 2.0 * x
    s = x if one == {0: 1.0} else x * x
    s += shallow[n] * other[n] if one != other else 7.0
    one[n] = 1.0
    heap: list[Any] = []
    for i in range(n):
        heapq.heappush(heap, (x * (i * 2 % 3), i, {"weight": x * i, "number": i}))
    while heap:
        s = s * 0.5 + heapq.heappop(heap)[2]["weight"]
    return s + (x if one == other else 9.0)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (are_equal, (0.7, 4)),
    (as_iterables, (0.7, [3, 1, 2])),
    (asked_for, (0.7, [3, 1])),
    (sparse_dot, ({0: 1.0, 2: 3.0}, {2: 2.0, 5: 1.0}, 7)),
    (remembered, (0.7, 8)),
    (counted, (1.1, [3, 1, 3, 3])),
    (looked_up, ({"a": 0.5, "b": -0.3, "c": 1.0}, ["a", "c", "a"])),
    (accumulated, (0.7, [1, 2, 1, 3, 2, 1])),
    (comprehended, (0.7, 5)),
    (zipped, (0.5, [1, 2, 1], [0.5, 1.5, 2.5])),
    (with_default, (0.8, [1, 2, 1, 5])),
    (with_counter, (0.8, [1, 2, 1])),
    (deleted, (0.8, [4, 5, 6, 7])),
    (merged, (0.6, [1, 2, 3])),
    (at_pairs, (0.6, 4)),
    (of_arrays, (np.array([0.1, 0.5, -0.3]), [1, 2, 1])),
    (grows_in_a_branch, (0.5, 2)),
    (grows_in_a_branch, (-0.5, 2)),
    (changed_in_a_branch, (0.5, 1)),
    (changed_in_a_branch, (-0.5, 1)),
    (through_a_helper, (0.5, [5, 1, 2, 1])),
    (in_a_while, (1.5, 8)),
    (dicts_of_dicts, ({0: {"a": 1.0, "b": 2.0}, 3: {"a": 0.5, "b": 0.25}}, 3)),
    (read_at_a_key, ({1: 2.0, 2: 0.5}, 2)),
    (read_at_a_key, ({1: 2.0, 2: 3}, 1)),
    (in_known_sets, (0.5, [1, 3, 7, 9])),
    (of_tuples, (0.5, 1)),
    (set_by_default, (0.5, [1, 2, 1])),
    (rows_of_pairs, ({0: 1.0, 1: 2.0}, [[(0, 1.0), (1, 2.0)], [(1, 0.5)]])),
    (adjacency, (0.5, [(0, 1), (1, 2), (0, 3)])),
    (adjacency_by_default, (0.5, [(0, 1), (1, 2), (0, 3)])),
    (adjacency_set_by_default, (0.5, [(0, 1), (1, 2), (0, 3)])),
    (table_of_tables, (0.5, 4)),
    (remembered_in_recursion, (0.7, 10)),
    (remembered_beside, (0.7, 10)),
    (remembered_by_a_closure, (0.6, 8)),
    (remembered_at_pairs, (0.6, 4)),
    (depth_first, (0.7, [(0, 1), (1, 2), (0, 2), (2, 0)])),
    (given_anew, (0.6, 4)),
    (whether_it_holds_any, (0.5, [1, 2])),
    (until_it_is_empty, (0.5, [1, 2, 3])),
    (one_of_two, (0.5, [1, 2])),
    (one_of_two, (-0.5, [1, 2])),
    (captured, (0.5, [1, 2])),
    (gradient_by_a_dict, (0.5, [1, 2])),
    (gradient_inside, (0.5, [1, 2])),
    (in_order, (0.5, [3, 1, 2])),
    (extremes, (0.5, [3, 1, 2])),
    (left_early, (0.5, [1, 2, 1])),
    (taken_from_elsewhere, (0.5, [1, 2, 3, 4])),
    (list_of_records, (0.5, 3)),
    (list_of_maps, (0.5, 3)),
    (in_an_object, (0.5, [1, 2, 1])),
    (exchanged, (0.5, [1, 2])),
    (over_its_keys, (0.5, 4)),
    (from_keys, (0.5, [1, 2])),
    (among_the_keys, (0.5, [1, 2])),
    (numbered, (0.5, [1, 2])),
    (changed_inside, (0.5, [1, 2, 1])),
    (from_outside, (0.5, [1, 2, 1])),
    (relaxed, ([1.0, 2.0, 0.5, 0.25], 3, [(0, 1), (1, 2), (0, 2), (1, 2)])),
]


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def changed_after_it_was_kept(x: float, n: int) -> Any:
    kept: Any = []
    for i in range(n):
        d: Any = {}
        d[i] = x
        kept.append(d)
        d[i + 1] = x
    return sum(len(m) for m in kept) * x


def a_list_changed_after_it_was_kept(x: float, n: int) -> Any:
    kept: Any = []
    row = [x]
    for _ in range(n):
        kept.append(row)
    row.append(x)
    return len(kept[0]) * x


def changed_behind_a_view(x: float, n: int) -> Any:
    d = {i: x for i in range(n)}
    ks = d.keys()
    d[100] = x
    return len(ks) * x


def grows_along_itself_until(x: float, n: int) -> Any:
    d = {i: x for i in range(n)}
    for k in d:
        if k > 5:
            return x
        d[k + 50] = x
    return sum(d.values())


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    (changed_after_it_was_kept, (0.5, 3), "CC011", "a list sees it too"),
    (a_list_changed_after_it_was_kept, (0.5, 3), "CC011", "a list sees it too"),
    (changed_behind_a_view, (0.5, 3), "CC010", "while `ks` is a view of it"),
    (one_list_under_many_keys, (0.5, 3), "CC010", "may also be reachable otherwise"),
    (a_named_item, (0.5, 3), "CC010", "also reachable as `a`"),
    (an_item_put_again, (0.5, 3), "CC010", "may also be reachable otherwise"),
    (a_list_kept_outside, (0.5, 3), "CC011", "a dict sees it too"),
    (a_copy_of_the_dict, (0.5, 3), "CC010", "also reachable as `f`"),
    (an_array_inside, (0.5, 3), "CC011", "inside a dict in place"),
    (an_array_kept_outside, (0.5, 3), "CC010", "also reachable as `d`"),
]


@pytest.mark.parametrize(("f", "args", "code", "message"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED])
def test_a_dict_that_others_see_stands_in_a_store(
    f: Callable[..., Any], args: tuple[Any, ...], code: str, message: str
) -> None:
    runs_in_stores(f, *args, says=rf"(?s){code}.*{re.escape(message)}", still=f is changed_behind_a_view)


def test_of_nothing() -> None:
    assert ccc.gradient(accumulated)(0.7, []) == (0.0, []) and ccc.gradient(whether_it_holds_any)(0.7, []) == (1.0, [])


def float_keys(x: float, y: float) -> float:
    d = {}
    for i in range(3):
        d[x * i] = y * i
    return d[x * 2] * d[x]


def keys_as_numbers(x: float, n: int) -> float:
    d = {}
    for i in range(n):
        d[x * i] = 1
    return sum(k * k for k in d)


def test_a_real_is_a_key_but_a_key_is_no_number() -> None:
    assert ccc.gradient(float_keys)(0.5, 3.0) == (0.0, 12.0)
    for verb in (ccc.gradient, lambda f: lambda *args: ccc.value_with_differential(f)(*args)[1](1.0, None)):
        with pytest.raises(ccc.CCCError, match="the keys of a dict have no derivative"):
            verb(keys_as_numbers)(0.5, 3)


def test_the_gradient_by_a_dict_is_a_dict() -> None:
    weights = {"b": 1.0, "a": 2.0, "n": 3, "unread": -1.0}
    found = ccc.gradient(looked_up, wrt="w")(weights, ["a", "b", "a"])
    scale = 0.1 * math.exp(0.9)
    assert list(found) == list(weights) and found["n"] == 0.0 and found["unread"] == 0.0
    assert found["a"] == pytest.approx(8 * scale) and found["b"] == pytest.approx(2 * scale)


def test_a_returned_map_is_a_dict() -> None:
    value, pullback = ccc.value_with_pullback(returned)(0.5, 3)
    assert same(value, {0: 0.0, 1: 0.5, 2: 1.0})
    assert pullback({0: 5.0, 1: 1.0, 2: 10.0}) == (21.0, None)
    assert pullback({2: 10.0}) == (20.0, None)


def missing(x: float, ks: list[int]) -> float:
    d = {k: x for k in ks}
    return d[ks[0] + 1]


def missing_pair(x: float, k: int) -> float:
    d = {(0, 1): x}
    return d[k, 2]


def missing_deleted(x: float, ks: list[int]) -> float:
    d = {k: x for k in ks}
    for k in ks:
        del d[k]
    return x


def missing_word(w: dict[str, float], words: list[str]) -> float:
    return sum(w[k] for k in words)


def from_nothing(x: float, k: int) -> float:
    d: dict[int, float] = {}
    return d[k] + x


@pytest.mark.parametrize(("f", "args"), [
    (missing, (1.0, [3, 5])), (missing_pair, (1.0, 0)), (missing_deleted, (1.0, [1, 2, 1])),
    (missing_word, ({"a": 1.0}, ["a", "b"])), (from_nothing, (1.0, 2)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_a_missing_key_raises_as_in_plain_python(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(KeyError) as expected:
        f(*args)
    for run in (value_of, lambda f, *args: ccc.gradient(f)(*args))[: 1 if f is from_nothing else 2]:
        with pytest.raises(KeyError) as found:
            run(f, *args)
        assert found.value.args == expected.value.args


def test_a_dict_that_grows_along_itself_raises_as_in_plain_python() -> None:
    agrees_in_value(grows_along_itself, 0.5, [1, 2])
    agrees_in_value(grows_along_itself_until, 0.5, 3)
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        ccc.gradient(grows_along_itself)(0.5, [1, 2])


def test_a_dict_is_printed_as_in_plain_python(capsys: pytest.CaptureFixture[str]) -> None:
    value_of(printed, 0.5, [1, 2])
    assert capsys.readouterr().out == "{1: 0.5, 2: 1.0} {1: 0.5, 2: 1.0}\n"


def listed_keys(x: float, ks: list[int]) -> Any:
    d = {k: k * 2 for k in ks}
    d[ks[0]] = 7
    return [*d], list(d.values()), len(d), d


def kept_ints(x: float, k: int) -> Any:
    d = {0: 1, 1: x}
    d[k] = x
    return d


def known_only(x: float) -> Any:
    d = {"a": x} | {"b": 2 * x}
    d.update(c=3.0)
    del d["a"]
    return d, d.pop("b"), d.get("z", 1.0), "c" in d, {1, 2} == {2, 1}


@pytest.mark.parametrize(("f", "args"), [
    (listed_keys, (0.5, [3, 1, 3, 2])), (kept_ints, (0.5, 1)), (kept_ints, (0.5, 7)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_values_and_order_are_those_of_python(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees_in_value(f, *args)
    if f is listed_keys:
        assert list(value_of(f, *args)[3]) == list(f(*args)[3])


@pytest.mark.parametrize(("f", "args"), [
    (remembered, (0.7, 8)), (accumulated, (0.7, [1, 2, 1])), (with_default, (0.7, [1, 2, 1])), (at_pairs, (0.6, 4)),
])
def test_each_access_costs_one_item(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    loops = [line for line in ccc.explain(f, *args).code.split("\n") if line.startswith(" " * 8)]
    assert any(".get(" in line for line in loops) and not any("{**" in line for line in loops)


def test_what_recursion_remembers_is_not_copied() -> None:
    code = ccc.explain(remembered_by_a_closure, 0.6, 8).code
    assert "{**" not in code and "without_entry" not in code and ".pop(" in code
    found, _ = ccc.gradient(remembered_in_recursion)(0.5, 300)  # without what is remembered it would never end
    assert math.isfinite(found)


def test_an_argument_is_made_a_map_once() -> None:
    code = ccc.explain(looked_up, {"a": 0.5, "b": 1.0}, ["a"]).code
    assert code.count("{'a': w_a, 'b': w_b}") == 1
    assert code.index("{'a'") < code.index("for ")


def unhashable(x: float, ks: list[int]) -> float:
    d = {k: x for k in ks}
    return d[ks]  # type: ignore[index]


def mixed_items(x: float, k: int) -> float:
    d = {"a": x, "b": {"c": x}}
    return d[k]  # type: ignore[index]


def halved_below(n: int, d: dict[int, float]) -> float:
    if n == 0:
        return d[0]
    d[n] = d[0] * 1.5
    return halved_below(n - 1, d) + d[n]


def known_keys_given_to_a_recursion(x: float, n: int) -> float:
    return halved_below(n, {0: x})


def computed_keys_given_to_a_recursion(x: float, n: int) -> float:
    d = {}
    d[n - n] = x
    return halved_below(n, d)


def test_a_recursion_changes_a_dict_with_known_keys_in_a_store() -> None:
    runs_in_stores(known_keys_given_to_a_recursion, 2.0, 3, says="changes which keys a dict has that it is given")


def test_a_recursion_changes_a_dict_with_computed_keys() -> None:
    agrees(computed_keys_given_to_a_recursion, 2.0, 3)


@pytest.mark.parametrize(("f", "args", "message"), [
    (unhashable, (1.0, [1]), "unhashable type: 'list'"),
    (mixed_items, (1.0, 1), "its items need one type"),
])
def test_what_is_not_supported_is_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ccc.value_with_pullback(f)(*args)


def read_and_changed(x: float, n: int) -> Any:
    d = {0: [1.0], 1: [2.0]}
    row = d[n - 2]
    row.append(x)
    return sum(d[1])


def read_and_assigned(x: float, n: int) -> Any:
    d = {0: [1.0], 1: [2.0]}
    row = d.get(n - 2, [0.0])
    row[0] = x
    return sum(d[1])


def read_and_copied(x: float, n: int) -> Any:
    d = {0: [1.0], 1: [2.0]}
    for i in range(n - 1):
        d[i] = [*d[i], x]
    return sum(d[1]) * sum([y * x for y in d[n - 3]])


@pytest.mark.parametrize("f", [read_and_changed, read_and_assigned])
def test_lists_of_a_dict_that_are_read_at_unknown_keys_stand_in_stores(f: Any):
    runs_in_stores(f, 5.0, 3, says="it stands in a dict, at a key that is not known")
    agrees(read_and_copied, 5.0, 3)


def defaults_in_dicts(x: float, n: int) -> float:
    rows: dict[int, Any] = defaultdict(lambda: defaultdict(float))
    for i in range(n):
        rows[i % 2][i % 3] += x * i
    tables = {"a": Counter([i % 2 for i in range(n)])}
    return sum(v * v for row in rows.values() for v in row.values()) + x * tables["a"][0] + x * tables["a"][7]


def united_in_place(x: float, n: int) -> float:
    known = {"a": x}
    same, holder = known, {"inner": known}
    known |= {"b": 2.0 * x}
    holder["inner"] |= {"c": 3.0}
    found = {i: x * i for i in range(n)}
    other = found
    found |= {n: x, 0: 5.0 * x}
    return len(same) * x + sum(same.values()) ** 2 + len(other) + sum(v * v for v in other.values())


def counters_that_add_up(x: float, n: int) -> float:
    seen = Counter({"a": 1})
    seen.update({"a": 2, "b": n})
    seen.update(["a", "b"])
    return x ** seen["a"] + x * seen["b"]


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [defaults_in_dicts, counters_that_add_up, united_in_place])
def test_dicts_that_are_made_or_changed_through_others(f: Callable[..., Any]):
    """The first raised a KeyError, the second counted what was given last, and `|=` made a new dict."""
    agrees(f, 1.25, 7)


def first_of(a: Any = 5.0, **others: Any) -> Any:
    return a


def all_of(**parts: Any) -> Any:
    return sum(parts.values())


@pytest.mark.parametrize("call", [
    lambda d: first_of(**d), lambda d: all_of(a=1.0, **d), lambda d: all_of(**d, **{"a": 2.0}),
    lambda d: len(dict(z=1.0, **d)), lambda d: np.sum(np.ones(2), **d),
])
def test_keys_that_are_not_known_name_no_parameters(call: Callable[[Any], Any]):
    def f(x: float, words: list[str]) -> Any:
        return call({word: x for word in words}) * x

    with pytest.raises(ccc.CCCError, match="a dict whose keys are known here"):
        ccc.compiled(f)(2.0, ["a"])


def test_keys_that_are_not_known_are_those_of_keywords_alone():
    agrees(lambda x, words: all_of(**{word: x for word in words}) * x, 2.0, ["a", "b"])


def known_views(x, n):
    d = {"p": x, "q": 2.0 * x}
    print(d.keys(), d.values(), d.items())
    return f"{d.keys()} {d.values()!s} {d.items()!r}" + "%s" % d.values()  # noqa: UP031


def views_of_a_map(x, n):
    d = {}
    for i in range(n):
        d[i] = (x, i)
    print(d.keys(), d.values())
    print(d.items())
    return str(d.items()) + "%r %s" % (d.keys(), list(d.values()))  # noqa: UP031


@pytest.mark.parametrize("f", [known_views, views_of_a_map])
def test_views_of_dicts_are_shown_as_views(f, capsys):
    expected = f(0.5, 3), capsys.readouterr().out
    for backend in ("numpy", "native"):
        assert (ccc.compiled(f, backend=backend)(0.5, 3), capsys.readouterr().out) == expected


def test_texts_of_views_whose_keys_and_items_are_known():
    def f(x, ks):
        d, e = {"a": 1}, {k: x * k for k in ks}
        shown = "{}".format(d.keys()), "{!r} {}".format(d.items(), d.values()), "{}".format(e.keys())  # noqa: UP032
        return x * len("".join(shown)) + len("-".join(d.keys()))

    assert ccc.compiled(f)(1.5, []) == f(1.5, []) and ccc.compiled(f)(1.5, [1, 2]) == f(1.5, [1, 2])
