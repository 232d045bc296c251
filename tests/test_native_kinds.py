"""Numbers that are of one kind on one path and of another on the other: the result is what plain Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc

ONES, NONE = np.ones(3), np.zeros(0)


def chosen(x, n):
    return n if x > 0.0 else x


def computed(x, n):
    y = n if x > 0.0 else x
    return y / 2, y * 2, [y // 2, 1.0]


def a_truth(x, n):
    y = (x > 1.0) if x > 0.0 else x
    return y * 1


def a_float32(x, n):
    y = np.float32(1.5) if x > 0.0 else n
    return y + 1


def halved(x, n):
    y = n if x > 0.0 else x
    return y / 2


def summed(xs, n):
    s = 0
    for x in xs:
        s = s + x
    return s


def counted(xs, n):
    s, i = 0, 0
    while i < n:
        s = s + xs[i]
        i = i + 1
    return 2 * s


def doubled(xs, n):
    s = 0
    for x in xs:
        s = s * 2 if x < 0.0 else s + x
    return s


def inside(xs, n):
    total = 0.0
    for i in range(n):
        s = 0
        for k in range(i):
            s = s + xs[k]
        total = total + s * xs[i]
    return total + 0.5


def largest_of(xs, n):
    best = -np.inf if n > 90 else -1e300
    for x in xs:
        if x > best:
            best = x
    return best, 2.0 * best


def added(xs, n):
    s = 0.0
    for x in xs:
        s += x
    return s


def halvings(xs, n):
    s = 0.5 * n
    while s < 2.5 and n < 3:
        s = s + abs(xs[0])
    return s, min(s, 1.0), max(0.25, s)


def one_or_other(xs, n):
    s = xs[0] if n > 2 else 0.5
    for i in range(n - 1):
        s = s * 0.5 if i > 0 else s + 1.0
    return s, -s, s + 1.0, s + (0.5 if n > 2 else xs[1])


NUMBERS = [(2.0, 3), (0.5, 3), (-0.5, 3)]
ARRAYS: list[tuple[Any, int]] = [(ONES, 3), (NONE, 0), (-ONES, 3), ([1.0, 2.0], 2)]


def wanted(f: Any, xs: Any, n: int) -> Any:
    """What plain Python gives, but that a loop's number is NumPy's where it may change its class in each run."""
    found = f(xs, n)
    return tuple(map(np.float64, found)) if f is largest_of and isinstance(xs, np.ndarray) else found


def typed(x: Any) -> Any:
    """A result with the types of its numbers; in lists NumPy's float is one of Python's."""
    if isinstance(x, tuple):
        return tuple, *map(typed, x)
    if isinstance(x, list):
        return [(float if isinstance(item, float) else type(item), item) for item in x]
    return type(x), x


@pytest.mark.parametrize("f", [chosen, computed, a_truth, a_float32, halved, summed, counted, doubled, inside, added,
                               largest_of, halvings, one_or_other])  # fmt: skip
def test_a_result_has_the_type_of_plain_python(f: Any) -> None:
    run = ccc.compiled(f, backend="native")
    cases: list[Any] = [*(NUMBERS if f in (chosen, computed, a_truth, a_float32, halved) else ARRAYS)]
    for args in cases:
        if f not in (halvings, one_or_other) or len(args[0]):
            assert typed(run(*args)) == typed(wanted(f, *args))


@pytest.mark.parametrize("f", [largest_of, added, halvings, one_or_other])
def test_a_result_that_is_a_float_of_python_or_of_numpy_is_machine_code(f: Any) -> None:
    for transform in (ccc.compiled, ccc.value_with_pullback):
        run = transform(f, backend="native")
        for args in [(ONES, 3), (ONES, 1), (-ONES, 2), (ONES * 2.0, 2), (ONES, 95 if f is largest_of else 4)]:
            found = run(*args)
            assert typed(found if transform is ccc.compiled else found[0]) == typed(wanted(f, *args))
            assert str(ccc.explain(run, *args).backend) == "native"


@pytest.mark.parametrize("f", [halved, summed, counted, inside])
def test_what_has_one_type_wherever_loops_run_is_machine_code(f: Any) -> None:
    args = NUMBERS[0] if f is halved else ARRAYS[0]
    run = ccc.compiled(f, backend="native")
    run(*args)
    assert str(ccc.explain(run, *args).backend) == "native"


def test_other_results_are_left_with_the_reason() -> None:
    run = ccc.compiled(chosen, backend="native")
    assert "of several kinds of numbers" in str(ccc.explain(run, 2.0, 3).backend)
