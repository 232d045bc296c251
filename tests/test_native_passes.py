"""Each pass of a target has a program with what it does to that, and one that it leaves alone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_compile_verify import told

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import specialised, target
from ccc.compile.native.passes import Rewriting
from ccc.compile.numpy_source.copies import Copies
from ccc.compile.passes.engine import Change, Pass, run
from ccc.compile.passes.improve import PASSES, improve
from ccc.compile.program.lam import Program
from ccc.compile.terms.plan import Plan, derived

TABLE = target.HANDLED
"""What primitives are to machine code, which its passes ask."""
X, W, ROWS = np.array([1.0, 2.0, 3.0]), np.ones((3, 4)), np.ones((5, 4))


def of_a_list(xs: list[float]) -> float:
    def add(ys: list[float]) -> float:
        return 0.0 if len(ys) == 0 else ys[0] * ys[0] + add(ys[1:])

    return add(xs)


def of_a_number(xs: list[float]) -> float:
    def add(k: int) -> float:
        return 0.0 if k == 0 else xs[0] + add(k - 1)

    return add(len(xs))


def sorted_items(x: np.ndarray) -> Any:
    return np.sum(np.sin(np.sort(x)))


def sorted_apart(x: np.ndarray) -> Any:
    return np.sum(np.sin(np.sort(x) * 0.0 + 1.0)) if x[0] > 0.0 else 0.0


def clipped(x: np.ndarray) -> Any:
    y = x * 2.0
    y[y > 1.0] = y[y > 1.0] - 1.0
    return np.sum(y)


def sorted_at_a_mask(x: np.ndarray) -> Any:
    y = x * 2.0
    return np.sum(np.sort(y[y > 1.0]))


def iterated(v: np.ndarray, a: np.ndarray) -> Any:
    for _ in range(4):
        v = np.tanh(a @ v)
    return np.sum(v)


def transposed(v: np.ndarray, a: np.ndarray) -> Any:
    t = a.T
    for _ in range(4):
        v = np.tanh(a @ v) + np.sum(t * v, axis=1)
    return np.sum(v)


def by_slices(u: np.ndarray, n: int) -> Any:
    for _ in range(n):
        v = u * 1.0
        v[1:-1] = u[1:-1] * u[1:-1]
        u = v
    return np.sum(u)


def by_steps(u: np.ndarray, n: int) -> Any:
    for _ in range(n):
        v = u * 1.0
        v[::2] = u[::2] * u[::2]
        u = v
    return np.sum(u)


def parts_of_rows(w: np.ndarray, n: int) -> Any:
    total = 0.0
    for i in range(n):
        v = w[i]
        total += v[0] * v[1]
    return total


def items(w: np.ndarray, n: int) -> Any:
    total = 0.0
    for i in range(n):
        total += math.sin(w[i, 0])
    return total


def sum_of_items(x: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += math.exp(math.sin(x[i]))
    return s


def sum_of_sines(x: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[i])
    return s


def product_of_items(x: np.ndarray) -> Any:
    s = 1.0
    for i in range(len(x)):
        s *= math.exp(math.sin(x[i]))
    return s


def nearest(w: np.ndarray, points: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(points)):
        s += np.min(np.sum((w - points[i]) ** 2, axis=1))
    return s


def all_of_them(w: np.ndarray, points: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(points)):
        s += np.sum(np.sum((w - points[i]) ** 2, axis=1))
    return s


def convolved(x: np.ndarray, w: np.ndarray) -> Any:
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(y)):
        for j in range(len(w)):
            y[i] += x[i + j] * w[j]
    return np.sum(y * y)


def multiplied(x: np.ndarray, w: np.ndarray) -> Any:
    y = np.zeros(len(x))
    for i in range(len(y)):
        for j in range(len(w)):
            y[i] += x[i] * w[j]
    return np.sum(y * y)


def sines_within(x: np.ndarray, n: int) -> Any:
    for _ in range(n):
        x = x * 1.0
        x[1:-1] = np.sin(x[1:-1])
    return np.sum(x)


def sines(x: np.ndarray, n: int) -> Any:
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x)


def of_vectors(a, u, v):
    return np.outer(u, v) @ a


def of_another_matrix(a, u, v):
    return np.exp(u)[:, None] * v @ a


def of_either_class(x, n):
    return x[0] if n > 0.0 else 0.5


def of_one_class(x, n):
    return x[0] if n > 0.0 else x[1]


TWINS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...], str, str]] = {
    "told kinds": (of_either_class, of_one_class, (X, 1.0), "value", """
  - t2 = if t
  + t2, t4 = if t
  -   -> t3
  +   -> t3, True
  -   -> 0.5
  - t2
  +   -> 0.5, False
  + (t2, t4)
"""),
    "whole masks": (clipped, sorted_at_a_mask, (X,), "value", """
  - t2 = y[t]
  - t3 = t2 - 1.0
  - y2 = set_at(y, t3, t, pattern=('a',))
  + t5 = y - 1.0
  + y2 = np.where(t, t5, y)
"""),
    "specialisation": (of_a_list, of_a_number, ([1.0, 2.0],), "value", """
  + add_0 = λ .
  +   -> 0.0
  + add_1 = λ ys2:R.
  +   t10 = ys2 * ys2
  +   t11 = t10 + 0.0
  +   -> t11
  -   t = len(ys)
  -   t2 = t == 0
  -   t3 = if t2
  -     -> 0.0
  +   t12 = len(ys)
  +   t13 = t12 >= 0
  +   t14 = t12 <= 1
  +   t15 = t13 and t14
  +   t16 = if t15
  +     t17 = t12 < 1
  +     t18 = if t17
  +       t19 = add_0()
  +       -> t19
  +     else
  +       t20 = ys[0]
  +       t21 = add_1(t20)
  +       -> t21
  +     -> t18
  -     t4 = ys[0]
  -     t5 = t4 * t4
  -     t6 = [*ys[1:]]
  -     t7 = add(t6)
  -     t8 = t5 + t7
  -     -> t8
  -   -> t3
  +     t = len(ys)
  +     t2 = t == 0
  +     t3 = if t2
  +       -> 0.0
  +     else
  +       t4 = ys[0]
  +       t5 = t4 * t4
  +       t6 = [*ys[1:]]
  +       t7 = add(t6)
  +       t8 = t5 + t7
  +       -> t8
  +     -> t3
  +   -> t16
"""),
    "recomputation of slices": (by_slices, by_steps, (X, 3), "gradient", """
  - u2, t2 = for t3 in t from u3 = u
  + u2, u4 = for t3 in t from u3 = u
  -   -> v2, t4
  +   -> v2, u3
  - t7 = for t8 in reversed t2 from t9 = t6
  + t7 = for u5 in reversed u4 from t9 = t6
  +   t15 = u5[1:-1]
  -   t12 = t10 * t8
  +   t12 = t10 * t15
"""),
    "products with vectors": (of_vectors, of_another_matrix, (W.T, X, W[0]), "value", """
  - t = np.outer(u, v)
  - t2 = t @ a
  - t2
  + t3 = v @ a
  + t4 = np.outer(u, t3)
  + t4
"""),
    "direct scatter": (parts_of_rows, items, (W, 2), "gradient", """
  -   t15 = add_at(t14, t12, 0, pattern=('i',))
  -   t16 = add_at(t15, t13, 1, pattern=('i',))
  -   t17 = add_at(dw3, t16, t8, pattern=('i',))
  +   t18 = add_at(dw3, t12, t8, 0, pattern=('i', 'i'))
  +   t17 = add_at(t18, t13, t8, 1, pattern=('i', 'i'))
"""),
    "fusion of loops": (sum_of_items, product_of_items, (X,), "value_with_gradient", """
  - s, t3 = for t4 in t2 from t5 = 0.0
  + dx = zeros_like(x)
  + s, dx2, t9 = for t4 in t2 from t5 = 0.0, dx3 = dx, t12 = 1.0
  -   -> s2, t8
  - dx = zeros_like(x)
  - dx2, t9 = for t10, t11 in reversed t3, t2 from dx3 = dx, t12 = 1.0
  -   t13 = x[t11]
  -   t14 = t12 * t10
  +   t13 = x[t4]
  +   t14 = t12 * t8
  -   t17 = add_at(dx3, t16, t11, pattern=('i',))
  -   -> t17, t12
  +   t17 = add_at(dx3, t16, t4, pattern=('i',))
  +   -> s2, t17, t12
"""),
    "few rows": (nearest, all_of_them, (W, ROWS), "gradient", """
  + t18 = np.absolute(w)
  + t19 = np.max(t18)
  -   t12 = w - t11
  -   t13 = spread_ties(t5, t10, t9)
  -   t14 = expanded(t13, w, axis=1)
  -   t15 = 2 * t12
  -   t16 = t14 * t15
  -   t17 = dw3 + t16
  +   t20 = np.absolute(t11)
  +   t21 = np.max(t20)
  +   t22 = tie_share(t5, t10, t9)
  +   t23 = np.shape(t9)[0]
  +   t24 = range(t23)
  +   t17 = for i in t24 from t25 = dw3
  +     t26 = t9[i]
  +     t27 = t26 == t10
  +     t28 = if t27
  +       t29 = w[i]
  +       t30 = t29 - t11
  +       t31 = 2 * t30
  +       t32 = t22 * t31
  +       t33 = add_at(t25, t32, i, pattern=('i',))
  +       -> t33
  +     else
  +       -> t25
  +     -> t28
"""),
    "shared orders": (sorted_items, sorted_apart, (X,), "value_with_gradient", """
  - t = np.sort(x)
  + t4 = argsort_by(x, kind='stable', axis=0)
  + t = np.take_along_axis(x, t4, axis=0)
  - dx = unsorted(t2, x, axis=-1)
  + dx = np_take_along_axis_onto(t2, x, t4, axis=0)
"""),
    "interchange": (convolved, multiplied, (np.ones(20), np.ones(3)), "gradient", """
  - dx2 = for t19 in reversed t5 from dx3 = dx
  -   dx4 = for t20 in reversed t6 from dx5 = dx3
  -     t21 = t19 + t20
  -     t22 = w[t20]
  -     t23 = take_at(t18, t19, pattern=('i',))
  -     t24 = t23 * t22
  -     t25 = add_at(dx5, t24, t21, pattern=('i',))
  -     -> t25
  -   -> dx4
  + t26 = t2 == 3
  + dx2 = if t26
  +   dx6 = for t27 in reversed t5 from dx7 = dx
  +     t28 = t27 + 0
  +     t29 = w[0]
  +     t30 = take_at(t18, t27, pattern=('i',))
  +     t31 = t30 * t29
  +     t32 = add_at(dx7, t31, t28, pattern=('i',))
  +     t33 = t27 + 1
  +     t34 = w[1]
  +     t35 = take_at(t18, t27, pattern=('i',))
  +     t36 = t35 * t34
  +     t37 = add_at(t32, t36, t33, pattern=('i',))
  +     t38 = t27 + 2
  +     t39 = w[2]
  +     t40 = take_at(t18, t27, pattern=('i',))
  +     t41 = t40 * t39
  +     t42 = add_at(t37, t41, t38, pattern=('i',))
  +     -> t42
  +   -> dx6
  + else
  +   dx8 = for t20 in reversed t6 from dx9 = dx
  +     dx10 = for t19 in t5 from dx5 = dx9
  +       t21 = t19 + t20
  +       t22 = w[t20]
  +       t23 = take_at(t18, t19, pattern=('i',))
  +       t24 = t23 * t22
  +       t25 = add_at(dx5, t24, t21, pattern=('i',))
  +       -> t25
  +     -> dx10
  +   -> dx8
"""),
    "numbers for items": (multiplied, convolved, (np.ones(20), np.ones(3)), "gradient", """
  -   dx4 = for t15 in reversed t4 from dx5 = dx3
  +   t20 = for t15 in reversed t4 from dx6 = 0.0
  -     t19 = add_at(dx5, t18, t14, pattern=('i',))
  -     -> t19
  +     t21 = dx6 + t18
  +     -> t21
  +   dx4 = add_at(dx3, t20, t14, pattern=('i',))
"""),
    "forwards": (sum_of_sines, product_of_items, (X,), "gradient", """
  - dx2, t6 = for t7 in reversed t2 from dx3 = dx, t8 = 1.0
  + dx2, t6 = for t7 in t2 from dx3 = dx, t8 = 1.0
"""),
    "late transposes": (iterated, transposed, (X, np.ones((3, 3))), "gradient", """
  - t5 = np.transpose(a)
  -   t11 = t5 @ t10
  +   t12 = np.transpose(a)
  +   t11 = t12 @ t10
"""),
    "copies": (sines_within, sines, (X, 3), "gradient", """
  -   t5 = np.sin(t4)
  +   t15 = own(t4)
  +   t5 = np.sin(t15)
  -   -> x5, t4
  +   -> x5, t15
  - t7 = for t8 in reversed t2 from t9 = t6
  + t16 = own(t6)
  + t7 = for t8 in reversed t2 from t9 = t16
"""),
}
"""For each pass a program, what goes and comes in it, and one that the pass leaves alone."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of functions for lists of no item and of one."""
    monkeypatch.setattr(specialised, "LONGEST", 1)


def finished(f: Callable[..., Any], args: tuple[Any, ...], kind: str) -> Program:
    """A program as it comes to a target."""
    program = derived(Plan(kind, (0,), ccc.Delta(), True), elaborate(f, args, {}).program)
    improve(program)
    return program


def of_targets(program: Program, args: tuple[Any, ...]) -> Iterator[tuple[Pass, ...]]:
    """The passes of each target."""
    yield Rewriting(program, target.sizes_of(program, args), 8).passes()
    yield (Copies(entries=True).stage,)


def done(name: str, f: Callable[..., Any], args: tuple[Any, ...], kind: str) -> Iterator[list[Change]]:
    """What a pass does to a program behind those before it, for each target that has the pass."""
    for n in range(2):
        program = finished(f, args, kind)
        passes = list(of_targets(program, args))[n]
        at = [i for i, p in enumerate(passes) if p.name == name]
        for i in at:
            run(program, map(told, passes[:i]), verified=True)
            changes: list[Change] = []
            run(program, [told(passes[i])], changes, verified=True)
            yield changes


NUMBERED = re.compile(r"(?<![.\w])([a-z]+)\d+(?![\w(])")
"""The name of a variable with a number: which one depends on how many there were in the passes before."""


def renumbered(lines: list[str]) -> list[str]:
    """The lines with variables numbered in the order in which they come: equal for two that differ by names alone.

    >>> renumbered(["t7 = np.log2(x2)", "t9 = t7 * x2 + t"])
    ['t1 = np.log2(x1)', 't2 = t1 * x1 + t']
    """
    numbers: dict[str, dict[str, int]] = {}

    def number(found: re.Match[str]) -> str:
        of = numbers.setdefault(found[1], {})
        return f"{found[1]}{of.setdefault(found[0], len(of) + 1)}"

    return [NUMBERED.sub(number, line) for line in lines]


def test_lines_that_differ_by_more_than_names_stay_apart() -> None:
    same, other = ["t7 = t5 + t6", "-> t5"], ["t7 = t5 + t6", "-> t6"]
    assert renumbered(same) == renumbered([line.replace("5", "8") for line in same]) != renumbered(other)


@pytest.mark.parametrize("name", TWINS)
def test_a_pass_rewrites_a_program_and_leaves_its_twin_alone(name: str) -> None:
    f, twin, args, kind, expected = TWINS[name]
    for (change,) in done(name, f, args, kind):
        assert renumbered(str(change).split("\n")[1:]) == renumbered(expected.strip("\n").split("\n"))
    assert list(done(name, twin, args, kind)) in ([[]], [[], []])


def test_every_pass_of_a_target_has_twins_and_finds_what_it_needs() -> None:
    program = finished(sum_of_items, (X,), "value")
    for passes in of_targets(program, (X,)):
        assert {p.name for p in passes} <= set(TWINS) and len({p.name for p in passes}) == len(passes)
        there = {form for p in PASSES for form in p.leaves}
        assert all(there.issuperset(p.needs) for p in passes)
    assert list(TWINS) == [p.name for p in next(of_targets(program, (X,)))]


def test_explanations_show_the_passes_of_the_target() -> None:
    by_numpy, by_native = [ccc.explain(ccc.gradient(sines_within, backend=backend), X, 3).passes
                           for backend in ("numpy", "native")]
    assert "\n\ncopies: " in f"\n\n{by_numpy}" and "forwards: " not in by_numpy
    fused = ccc.explain(ccc.value_with_gradient(sum_of_items, backend="native"), X).passes
    assert "fusion of loops: " in fused and "copies: " in by_native
    assert "fusion of loops: " not in ccc.explain(ccc.value_with_gradient(sum_of_items, backend="numpy"), X).passes
