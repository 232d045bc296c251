"""Names that have a value on some paths only: the program raises where plain Python does, and nowhere else."""

# pyright: reportOperatorIssue=false

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, value_of

import ccc
from ccc.compile.diagnostics import CompileError


@dataclasses.dataclass
class Pair:
    a: float
    b: float


def last_item(xs: Any) -> Any:
    for v in xs:  # noqa: B007
        pass
    return v * v


def last_of_body(xs: Any) -> Any:
    for i, v in enumerate(xs):
        w = v * i
    return w * v


def from_the_run_before(xs: Any) -> Any:
    s = 0.0
    for i, v in enumerate(xs):
        if i > 0:
            s = s + before * v  # noqa: F821
        before = v * v  # noqa: F841
    return s


def read_too_early(xs: Any) -> Any:
    s = 0.0
    for v in xs:
        s = s + before * v  # noqa: F821
        before = v * v  # noqa: F841
    return s


def in_a_while(xs: Any) -> Any:
    i = 0
    while i < len(xs):
        if i > 0:
            last = xs[i] * i
        i += 1
    return last * 2.0


def left_by_break(xs: Any) -> Any:
    for i in range(len(xs)):
        if xs[i] > 1.05:
            found = xs[i] * i
            break
    return found * xs[0]


def inner_loops(xs: Any) -> Any:
    for i in range(len(xs)):
        for j in range(i):
            if xs[i] * xs[j] > 1.1:
                hit = xs[i] * xs[j]
                break
        else:
            continue
        break
    return hit * 3.0


def deleted(xs: Any) -> Any:
    for i, v in enumerate(xs):
        t = v * v
        if i > 0:
            del t
    return t * v


def last_array(xs: Any) -> Any:
    for i in range(len(xs)):
        row = np.array([xs[i] * i, xs[0], xs[i]])
        row[1] = row[0] * 2.0
    return np.sum(row * row) * row[2]


def last_array_of_some_runs(xs: Any) -> Any:
    for i in range(len(xs)):
        if xs[i] > 1.05:
            row = np.array([xs[i], xs[0]])
    return row[0] * row[1]


def last_arrays_of_all_sizes(xs: Any) -> Any:
    for i in range(len(xs)):
        row = np.ones(i + 1) * xs[i]
        row[0] = xs[0]
    return np.sum(row * row)


def last_record(xs: Any) -> Any:
    for i, v in enumerate(xs):
        p = Pair(v, v * i)
    return p.a * p.b


def bound_in_a_branch(xs: Any) -> Any:
    if len(xs) > 1:
        y = xs[0] * xs[1]
    return y * 3.0


def bound_in_two_of_three(xs: Any) -> Any:
    if len(xs) > 2:
        y = xs[0] * xs[1]
    elif len(xs) > 0:
        y = xs[0]
    return y * y


def read_in_a_branch(xs: Any) -> Any:
    if len(xs) > 1:
        y = xs[0] * xs[1]
    z = 1.0
    if len(xs) > 0:
        z = y * y
    return z * y


def bound_by_a_pattern(xs: Any) -> Any:
    match len(xs):
        case 3:
            y = xs[0] * xs[1]
        case 1:
            y = xs[0]
    return y * y


def list_of_one_branch(xs: Any) -> Any:
    if len(xs) > 1:
        ys = [xs[0], xs[1]]
        same = ys
    same[0] = xs[0] * 5.0
    return ys[0] * ys[1]


def growing_list_of_one_branch(xs: Any) -> Any:
    if len(xs) > 1:
        ys = [x * x for x in xs]
    ys.append(xs[0])
    return sum(ys)


def array_of_one_branch(xs: Any) -> Any:
    if len(xs) > 1:
        a = np.array([xs[0], xs[1]])
        same = a
    same[0] = xs[0] * 5.0
    return np.sum(a * a)


def name_for_an_array(xs: Any) -> Any:
    a = np.array([xs[0] * 2.0, 1.0]) if len(xs) > 0 else np.ones(2)
    if len(xs) > 1:
        same = a
    a[0] = a[1] * 3.0
    return np.sum(same * same)


def record_of_one_branch(xs: Any) -> Any:
    if len(xs) > 1:
        p = Pair(xs[0], xs[1])
        same = p
    same.a = xs[0] * 5.0
    return p.a * p.b


def function_of_one_branch(xs: Any) -> Any:
    if len(xs) > 1:
        g = lambda t: t * xs[0]  # noqa: E731
    return g(xs[1]) * 2.0


def read_by_an_inner_function(xs: Any) -> Any:
    def g() -> Any:
        return y * xs[0]

    if len(xs) > 1:
        y = xs[1]
    return g()


def read_by_a_comprehension(xs: Any) -> Any:
    if len(xs) > 1:
        y = xs[1]
    return sum([y * k for k in (2.0, 3.0)])


def twice_tested(xs: Any) -> Any:
    if len(xs) > 1:
        pair = xs[0], xs[1]
    if len(xs) > 1:
        return pair[0] * pair[1]
    return 2.0


NAMES = [
    last_item, last_of_body, from_the_run_before, read_too_early, in_a_while, left_by_break, inner_loops, deleted,
    last_array, last_array_of_some_runs, last_arrays_of_all_sizes, last_record, bound_in_a_branch,
    bound_in_two_of_three, read_in_a_branch, bound_by_a_pattern, list_of_one_branch, growing_list_of_one_branch,
    array_of_one_branch, record_of_one_branch, function_of_one_branch, read_by_an_inner_function,
    read_by_a_comprehension, twice_tested,
]


@pytest.mark.share(4)
@pytest.mark.parametrize("xs", [[1.25, 0.75, 1.5], [0.5], []], ids=["three", "one", "none"])
@pytest.mark.parametrize("f", NAMES)
def test_a_name_bound_on_some_paths(f: Callable[[Any], Any], xs: Any) -> None:
    try:
        f(xs)
    except (NameError, IndexError) as error:
        agrees_in_value(f, xs)
        for transform in (ccc.gradient(f), ccc.value_with_differential(f)):
            with pytest.raises(type(error)) as caught:
                transform(xs)
            assert str(caught.value) == str(error)
    else:
        agrees(f, xs)


def test_an_alias_bound_in_one_branch_is_seen_or_refused() -> None:
    xs = [1.25, 0.75, 1.5]
    try:
        found = value_of(name_for_an_array, xs)
    except CompileError:
        return
    assert found == name_for_an_array(xs)


def walrus(x: Any, y: Any) -> Any:
    if (n := x * y) > 0.1 and (m := n + x) > 0.2:
        return n * m
    return x


def walrus_in_a_while(x: Any, y: Any) -> Any:
    while (n := x * y) > 1.0 and (m := n * 0.5) > 0.2:
        x = x * 0.5 + m * 0.1
    return x * n


def walrus_behind_or(x: Any, y: Any) -> Any:
    if x > 0.5 or (m := x * y) > 0.2:
        return x * y
    return m * x


@pytest.mark.parametrize("f", [walrus, walrus_in_a_while, walrus_behind_or])
@pytest.mark.parametrize("x", [0.9, 0.1, 0.01])
def test_names_of_a_test_are_known_where_it_holds(f: Callable[..., Any], x: float) -> None:
    agrees(f, x, 2.3)
    assert "UnboundLocalError" not in str(ccc.explain(f, x, 2.3)) or f is walrus_in_a_while


def test_nothing_is_kept_for_names_that_nobody_reads() -> None:
    def f(xs: Any) -> Any:
        s = 0.0
        for v in xs:
            w = v * v
            if w > 1.0:
                u = w * 2.0
                s = s + u
        return s

    agrees(f, [1.5, 0.5])
    assert "False" not in str(ccc.explain(f, [1.5, 0.5]))


def again(k: int, t: float) -> float:
    if k > 0:
        r = again(k - 1, t * 0.5)
    if k == 0:
        return t
    return r * t


def test_a_name_of_a_recursion() -> None:
    agrees(lambda x: again(3, x) * x, 0.7)


c = 7.0


def test_a_kept_function_does_not_read_a_global_for_a_name_of_its_own() -> None:
    def f(x: float, n: int) -> float:
        def g() -> float:
            return c * x

        kept = []
        if n > 1:
            kept.append(g)
        if n > 2:
            c = x
        s = 0.0
        for h in kept:
            s = s + h()
        return s

    agrees_in_value(f, 1.5, 3)
    with pytest.raises(CompileError, match="may have no value yet"):
        value_of(f, 1.5, 2)


def unbound_where_it_may_not_run(x: float) -> float:
    total = x * x

    def inner() -> None:
        total *= 2.0  # type: ignore[reportUnboundVariable]  # noqa: F823, F841

    if x < 0.0:
        inner()
    return total


def test_a_name_without_a_value_on_a_path_that_may_not_be_taken() -> None:
    """It was refused, whether or not the path was taken."""
    agrees(unbound_where_it_may_not_run, 1.5)
    agrees_in_value(unbound_where_it_may_not_run, -1.5)
