"""What a function changes of lists, dicts, objects and arrays that stand in others of the caller's is written back
where it stands: the same objects, in the same places, with the types of plain Python."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.records import parts_of

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


@dataclass
class Tree:
    value: float
    left: Tree | None = None
    right: Tree | None = None


@dataclass
class Bush:
    value: float
    twigs: list[Bush] = field(default_factory=list["Bush"])
    named: dict[str, Bush] = field(default_factory=dict[str, "Bush"])


@dataclass
class Stats:
    mean: float = 0.0
    n: int = 0
    xs: list[float] = field(default_factory=list[float])


@dataclass
class Layer:
    w: np.ndarray
    history: list[float]
    n: int = 0


class Model:
    def __init__(self, w: float) -> None:
        self.w = w
        self.calls = 0
        self.seen: list[float] = []

    def run(self, x: float, depth: int) -> float:
        self.calls += 1
        if depth == 0:
            return x * self.w
        self.seen.append(x)
        self.w += 0.1 * x
        return self.run(x * self.w, depth - 1) + self.run(x, depth - 1)


def at(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a program at these arguments, and differentiate it in the last one."""

    def take(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((f, args))
        return f

    return take


# -- lists ---------------------------------------------------------------------------------------------------------


@at([[1.0, 2.0], [3.0, 4.0, 5.0]], 2.0)
def nested(ps: Any, x: Any) -> Any:
    for i in range(len(ps)):
        for j in range(len(ps[i])):
            ps[i][j] = ps[i][j] * x + i
    return sum([sum(p) for p in ps])


@at([[1.0, 2.0], [3.0, 4.0]], 2.0)
def rows_under_two_names(ps: Any, x: Any) -> Any:
    row = ps[1]
    for i in range(2):
        row[i] = row[i] * x
        ps[i][0] += row[i]
    return sum(ps[0]) + row[0] * sum(ps[1])


@at([[1.0, 2.0], [3.0, 4.0]], 2.0)
def rows_change_places(ps: Any, x: Any) -> Any:
    ps[0], ps[1] = ps[1], ps[0]
    ps[0][0] = x * x
    ps.append([x, x])
    ps[-1][0] = ps[0][0] * 2
    ps.append(ps[1])
    return ps[0][0] * ps[1][0] + ps[2][0]


@at([[[1.0], [2.0]], [[3.0]]], 2.0)
def three_deep(g: Any, x: Any) -> Any:
    for i in range(len(g)):
        for j in range(len(g[i])):
            g[i][j][0] = g[i][j][0] * x
    g[0][0] = g[1][0]
    g[0][0][0] += 1.0
    return g[1][0][0] * x + g[0][1][0]


@at([1.0], [3.0, 4.0], 2.0)
def two_arguments_in_one_list(a: Any, b: Any, x: Any) -> Any:
    rows = [a, b]
    for i in range(3):
        rows[i % 2][0] += x * i
    rows[0], rows[1] = rows[1], rows[0]
    rows[0].append(x)
    return sum(a) * sum(b)


@at(Stats(1.0), 2.0)
def an_empty_list_that_gets_tuples(s: Any, x: Any) -> Any:
    for i, name in enumerate(["a", "b", "a"]):
        s.mean += x * i
        s.xs.append((name, [s.mean]))
    s.xs[0][1].append(x * x)
    return sum([sum(row) for _, row in s.xs]) * s.mean


# -- dicts ---------------------------------------------------------------------------------------------------------


@at({3: [1.0, 2.0], 1: [4.0]}, 2.0)
def lists_of_a_dict(d: Any, x: Any) -> Any:
    a = d[1]
    for k in d:
        d[k][0] *= x
        a.append(x * k)
    d[7] = [x]
    return sum([sum(v) for v in d.values()])


@at({"b": [[1.0, 2.0]], "a": [[3.0], [4.0, 5.0]]}, 2.0)
def lists_at_known_keys(d: Any, x: Any) -> Any:
    r = d["a"]
    for i in range(2):
        r[i][0] = x * i
        d["b"][0][1] += r[i][0]
    d["a"][0] = d["b"][0]
    d["a"][0][0] += x
    return sum([sum(v) for v in d["a"]]) + sum(d["b"][0])


# -- objects -------------------------------------------------------------------------------------------------------


@at(Model(1.5), 2.0)
def a_recursive_method(m: Any, x: Any) -> Any:
    return m.run(x, 2) * m.run(m.w, 1)


@at([Model(1.5), Model(0.5)], 2.0)
def recursive_methods_of_objects_in_a_list(ms: Any, x: Any) -> Any:
    total = 0.0
    for m in ms:
        total += m.run(x, 1)
    return total * ms[0].run(x, 1)


@at([Stats(), Stats(1.0, 2, [3.0])], 2.0)
def statistics(ss: Any, x: Any) -> Any:
    for s in ss:
        s.n += 1
        s.mean += (x - s.mean) / s.n
        s.xs.append(x * s.mean)
    last = ss[-1]
    last.mean = last.mean * 2
    ss[0].xs = last.xs
    return sum([s.mean for s in ss]) + sum(last.xs)


def scaled(t: Tree | None, x: float) -> float:
    if t is None:
        return 0.0
    t.value = t.value * x
    return t.value + scaled(t.left, x) + scaled(t.right, x) * x


@at(Tree(1.0, Tree(2.0, None, Tree(3.0)), Tree(4.0)), 2.0)
def nodes_of_a_tree(t: Any, x: Any) -> Any:
    return scaled(t, x)


def put_in(t: Tree, v: float) -> None:
    if v < t.value:
        if t.left is None:
            t.left = Tree(v)
        else:
            put_in(t.left, v)
    elif t.right is None:
        t.right = Tree(v)
    else:
        put_in(t.right, v)


@at(Tree(1.0, Tree(2.0, None, Tree(3.0)), Tree(4.0)), 0.7)
def a_tree_that_grows(t: Any, x: Any) -> Any:
    for i in range(3):
        put_in(t, x * i)
    return t.value + (t.left.value if t.left is not None else 0.0) * x


def twigs_scaled(b: Bush, x: float) -> float:
    b.value = b.value * x
    if len(b.twigs) > 1:
        b.twigs[0], b.twigs[1] = b.twigs[1], b.twigs[0]
    return b.value + sum([twigs_scaled(t, x) for t in b.twigs])


@at(Bush(1.0, [Bush(2.0), Bush(3.0, [Bush(4.0), Bush(5.0)])]), 2.0)
def a_tree_with_its_children_in_lists(b: Any, x: Any) -> Any:
    found = twigs_scaled(b, x)
    b.twigs[0].twigs.append(Bush(x * x))
    b.twigs.append(b.twigs[1])
    b.twigs[-1].value += x
    return found + b.twigs[1].value * twigs_scaled(b.twigs[0], x)


# -- arrays --------------------------------------------------------------------------------------------------------


@at([np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2.0)
def arrays_of_a_list(xs: Any, x: Any) -> Any:
    for i in range(len(xs)):
        xs[i][0] = x * i
        y = xs[i - 1]
        y[1] += xs[i][0]
    xs.append(xs[0])
    return np.sum(xs[0] * xs[1]) * x


@at([Layer(np.array([1.0, 2.0]), []), Layer(np.array([3.0, 4.0]), [1.0])], 2.0)
def arrays_of_objects(ls: Any, x: Any) -> Any:
    y = x
    for a in ls:
        a.n += 1
        a.w[0] += 0.1 * y
        a.w = a.w * 0.5
        y = y * a.w[0] + a.w[1]
        a.history.append(float(y))
    first = ls[0]
    first.w[1] = y
    ls[-1].history = first.history
    return y + first.w[1] * x


@at(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 2.0)
def two_arrays_in_one_list(a: Any, b: Any, x: Any) -> Any:
    rows = [a, b]
    for i in range(3):
        rows[i % 2][0] += x * i
    return np.sum(a) * np.sum(b)


# -- against plain Python ------------------------------------------------------------------------------------------


def objects_in(value: Any, found: dict[int, Any]) -> dict[int, Any]:
    """What Python could change in a value, in the order in which it is reached, by its address."""
    if isinstance(value, list | dict | np.ndarray) or (hasattr(value, "__dict__") and not isinstance(value, type)):
        if id(value) in found:
            return found
        found[id(value)] = value
    inside = value if isinstance(value, list) else () if isinstance(value, np.ndarray) else parts_of(value) or (
        value.values() if isinstance(value, dict) else ())
    for part in inside:
        objects_in(part, found)
    return found


def pictured(value: Any, before: dict[int, Any]) -> list[Any]:
    """Which of the objects of before stand where in a value, and what they hold; new ones by numbers of their own."""
    numbers = {key: i for i, key in enumerate(before)} | {
        key: -1 - i for i, key in enumerate([key for key in objects_in(value, {}) if key not in before])}

    def of(x: Any) -> Any:
        return numbers[id(x)] if id(x) in numbers else tuple(map(of, x)) if isinstance(x, tuple) else (type(x), x)

    def held(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return x.dtype, x.tolist()
        if isinstance(x, list):
            return list, [of(part) for part in x]
        inside = x if isinstance(x, dict) else vars(x)
        return type(x), [(key, of(part)) for key, part in inside.items()]

    return [of(value), [(numbers[key], held(x)) for key, x in sorted(
        objects_in(value, dict(before)).items(), key=lambda pair: numbers[pair[0]])]]


def run(f: Callable[..., Any], args: tuple[Any, ...], x: float | None = None) -> Any:
    args = copy.deepcopy(args if x is None else (*args[:-1], x))
    return f(*args)


CASES = pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


@pytest.mark.share(4)
@CASES
@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.nightly)])
def test_what_is_written_is_what_plain_python_has(f: Callable[..., Any], args: tuple[Any, ...], backend: str) -> None:
    expected, found, call = copy.deepcopy(args), copy.deepcopy(args), ccc.compiled(f, backend=backend)
    before, there = objects_in(expected, {}), objects_in(found, {})
    assert math.isclose(call(*found), f(*expected), rel_tol=0.0 if backend == "numpy" else 1e-13)
    assert pictured(found, there) == pictured(expected, before) or backend == "native"
    assert [a[0] for a in pictured(found, there)[1]] == [a[0] for a in pictured(expected, before)[1]]


@pytest.mark.share(6)
@CASES
def test_derivatives_are_those_at_the_values_passed_in(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    x, h, last = args[-1], 1e-6, len(args) - 1
    slope = (run(f, args, x + h) - run(f, args, x - h)) / (2.0 * h)
    found, expected = copy.deepcopy(args), copy.deepcopy(args)
    before, there = objects_in(expected, {}), objects_in(found, {})
    value, ct = ccc.value_with_gradient(f, wrt=last, backend="numpy")(*found)
    assert value == f(*expected) and pictured(found, there) == pictured(expected, before)
    assert math.isclose(ct, slope, rel_tol=1e-5, abs_tol=1e-6)
    given = copy.deepcopy(args[:-1])
    there = objects_in(given, {})
    _, tangent = ccc.jvp(lambda x: f(*given, x), (x,), (1.0,), backend="numpy")
    assert math.isclose(tangent, ct, rel_tol=1e-12) and pictured((*given, x), there) == pictured(
        expected, before)


def test_the_later_calls_see_what_the_earlier_ones_wrote():
    expected, found = [Model(1.5), Model(0.5)], [Model(1.5), Model(0.5)]
    for _ in range(4):
        value = ccc.compiled(recursive_methods_of_objects_in_a_list, backend="numpy")(found, 2.0)
        assert value == recursive_methods_of_objects_in_a_list(expected, 2.0)
        assert [vars(m) for m in found] == [vars(m) for m in expected]


def test_the_gradient_is_also_that_in_what_changes():
    ps = [[1.0, 2.0], [3.0, 4.0, 5.0]]
    assert ccc.gradient(nested, wrt=0)(copy.deepcopy(ps), 2.0) == [[2.0, 2.0], [2.0, 2.0, 2.0]]
    t = Tree(1.0, Tree(2.0), None)
    assert ccc.gradient(nodes_of_a_tree, wrt=0)(t, 3.0) == Tree(3.0, Tree(3.0), None)
    assert t == Tree(3.0, Tree(6.0), None)


def test_ints_that_are_read_as_floats_are_written_as_ints():
    def f(ps: Any, x: Any) -> Any:
        for p in ps:
            p[0] = p[0] * 2
        last = ps[-1]
        last[0] += 1
        return sum([p[0] for p in ps]) * x

    ps = [[1, 2], [3, 4]]
    ccc.gradient(f)(ps, 3.0)
    assert ps == [[2, 2], [7, 4]] and {type(v) for p in ps for v in p} == {int}


def test_nothing_is_written_where_it_raises():
    def f(ps: Any, x: Any) -> Any:
        for p in ps:
            if p[0] > 2.0:
                raise ValueError("large")
            p[0] = p[0] * x
        return ps[0][0]

    ps = [[1.0], [3.0]]
    with pytest.raises(ValueError, match="large"):
        ccc.compiled(f)(ps, 2.0)
    assert ps == [[1.0], [3.0]]


# -- what is refused -----------------------------------------------------------------------------------------------


def changes(ps: Any, x: Any, other: Any = None) -> Any:
    row = ps[0]
    for p in ps:
        p[0] = p[0] * x
        row[0] += 1.0
    return ps[0][0] if other is None else ps[0][0] + other[0]


def test_two_places_that_are_one_object_are_refused_in_the_call():
    call, row = ccc.compiled(changes, backend="numpy"), [1.0]
    call([[1.0], [2.0]], 2.0)
    for ps, other in (([row, row], None), ([[2.0], row], row), ([[2.0], [1.0]], row)):
        expected = copy.deepcopy((ps, other))
        refused = ps[0] is ps[1] or ps[1] is other
        if refused:
            with pytest.raises(WrongArguments, match="shares? memory"):
                call(ps, 2.0, other)
            assert (ps, other) == expected
        else:
            assert call(ps, 2.0, other) == changes(*expected[:1], 2.0, *expected[1:]) and ps == expected[0]


def test_arrays_that_overlap_are_refused_in_the_call():
    call, m = ccc.compiled(arrays_of_a_list, backend="numpy"), np.ones((2, 2))
    call([m[0], m[1]], 2.0)
    call([m[:, 0], m[:, 1]], 2.0)
    for xs in ([m[0], m[0]], [m[0], m[:, 0]]):
        with pytest.raises(WrongArguments, match="shares? memory"):
            call(xs, 2.0)

    def beside(xs: Any, y: Any) -> Any:
        for a in xs:
            xs[0][0] += a[1]
        return np.sum(xs[0]) + np.sum(y)

    call = ccc.compiled(beside, backend="numpy")
    call([m[0], m[1]], np.ones(2))
    with pytest.raises(WrongArguments, match="shares? memory"):
        call([m[0], m[1]], m[:, 0])


def test_types_of_the_callers_stay_what_they_are():
    def f(ps: Any, x: Any) -> Any:
        row = ps[1]
        ps[0][0] = x
        row[0] = ps[0][0]
        return row[0]

    ps = [[1, 2], [3, 4]]
    with pytest.raises(CompileError):
        ccc.compiled(f)(ps, 2.5)
    assert ps == [[1, 2], [3, 4]] and {type(v) for p in ps for v in p} == {int}


def rows_of_a_reversed_list(rows: Any, x: float) -> Any:
    found = list(reversed(rows))
    found[-1][0] = x * x
    return rows[0][0] * rows[1][0]


def rows_reversed_in_a_loop(rows: Any, x: float) -> Any:
    for row in rows[::-1]:
        row[0] *= x
    return rows[0][0] * rows[1][0]


def rows_of_a_list_of_a_slice(rows: Any, x: float) -> Any:
    found = list(rows[1:])
    found[0][1] = x * rows[0][1]
    return found[0][1] * rows[1][1]


@pytest.mark.parametrize("stores", ["", "always"])
@pytest.mark.parametrize("f", [rows_of_a_reversed_list, rows_reversed_in_a_loop, rows_of_a_list_of_a_slice])
def test_rows_of_the_callers_change_in_lists_made_of_a_part(f: Callable[..., Any], stores: str, monkeypatch: Any):
    """The list of rows was copied into stores, with the rows."""
    monkeypatch.setenv("CCC_STORES", stores)
    rows, ours = [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] for _ in range(2)]
    wanted = f(rows, 1.5)
    assert ccc.compiled(f)(ours, 1.5) == wanted
    assert ours == rows
    slope = (f([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 1.5 + 1e-6) - wanted) / 1e-6
    assert math.isclose(ccc.gradient(f, wrt="x")([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 1.5), slope, rel_tol=1e-5)
