"""Recursive functions that call other functions, change variables around them, and give arrays which nobody reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

X = np.array([0.5, -1.25, 2.0])


def calls_a_function_from_outside(a, x):
    def outer(s):
        return s * np.sum(x)

    def f(n, s):
        if n < 1:
            return a
        t = f(n - 1, outer(s))
        return t * a + s

    return outer(f(3, a)) + a * outer(a)


def gives_an_array_too(n, b, x):
    def f(m, s, y):
        if m < 1:
            return sum(x[:n]), x - y
        t, z = f(m - 1, s, x + x)
        return t + s, z * y

    v, _ = f(n, b, x)
    return v


def reads_the_array_of_one_call(n, b, x):
    def f(m, s, y):
        if m < 1:
            return s, x * y
        t, z = f(m - 1, s * b, y + x)
        u, _ = f(m - 1, t, z)
        return t + u, z + y

    v, z = f(n, b, x)
    return v + z[1]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (calls_a_function_from_outside, (0.75, X)),
        (gives_an_array_too, (2, 0.5, X)),
        (gives_an_array_too, (0, 0.5, X)),
        (reads_the_array_of_one_call, (2, 0.5, X)),
    ],
)
def test_they_have_derivatives_under_every_exponential(f, args):
    agrees(f, *args)
    expected = ccc.gradient(f)(*args)
    for exponential in (ccc.AdditiveMap(), ccc.AnyDerivative()):
        found = ccc.gradient(f, exponential=exponential)(*args)
        for a, b in zip(found, expected, strict=True):
            assert (a is None and b is None) or np.allclose(a, b)  # type: ignore[reportArgumentType]


def summed_by_visits(x: float, n: int) -> float:
    count, total = 0, 0.0

    def visit(v: float, depth: int) -> None:
        nonlocal count, total
        count += 1
        total += v * 0.5**depth
        if depth < n:
            visit(v * v, depth + 1)
            if count % 2:
                visit(v + 1.0, depth + 1)

    visit(x, 0)
    return total / count


def best_of_search(x: float, n: int) -> float:
    best = None

    def search(v: float, depth: int) -> None:
        nonlocal best
        if depth == n:
            if best is None or v > best:
                best = v
            return
        for c in (0.5, 1.5):
            search(v * c + x, depth + 1)

    search(x, 0)
    assert best is not None
    return best


def counted_calls(x: float, n: int) -> float:
    calls = 0

    def power(k: int) -> float:
        nonlocal calls
        calls += 1
        return x if k == 0 else x * power(k - 1)

    return power(n) + calls


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [summed_by_visits, best_of_search, counted_calls])
def test_recursive_functions_change_variables_around_them(f: Callable[..., Any], backend: str) -> None:
    """Such a variable is read from a store; lists and objects were, and variables were refused as these."""
    for x, n in ((0.5, 3), (0.7, 2)):
        found = ccc.compiled(f, backend=backend)(x, n)
        assert type(found) is float and found == pytest.approx(f(x, n), rel=1e-14)
        slope = (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6
        assert ccc.gradient(f, wrt="x", backend=backend)(x, n) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_recursive_function_that_surely_raises_where_it_ends(backend, capsys):
    def at_base(x, n):
        xs = [x]

        def go(k, y):
            print("go", k)
            if k == 0:
                return xs[3] * y
            return go(k - 1, y * x)

        return go(n, x)

    def behind_itself(x, n):
        xs = [x]

        def go(k, y):
            a, b = go(k - 1, y * x) if k > 0 else (y, x)
            print("ends", k)
            return xs[3] * a, b

        return x * x if n < 3 else go(n, x)[0]

    def changing(x, n):
        xs, a = [x], np.zeros(2)

        def go(k, y):
            a[0] = a[0] + y
            print(a)
            return xs[3] * y if k == 0 else go(k - 1, y * x)

        return go(n, x)

    for f in (at_base, behind_itself, changing):
        for verb in (ccc.compiled, ccc.gradient):
            with pytest.raises(IndexError, match="out of range"):
                f(1.5, 4)
            printed = capsys.readouterr().out
            with pytest.raises(IndexError, match="out of range"):
                verb(f, backend=backend)(1.5, 4)
            assert capsys.readouterr().out == printed
    assert ccc.gradient(behind_itself, wrt="x", backend=backend)(1.5, 2) == 3.0


def sweep(a, by):
    if len(a) == 1:
        a[0] = a[0] * by + 0.25
        return 1
    m = len(a) // 2
    return sweep(a[:m], by) + sweep(a[m:], by * 0.5)


def halves_of_an_array_whose_length_is_known(x):
    a, rows = np.array([x, 2.0, 0.5]), np.ones((2, 3)) * x
    s = 0.5 * x + sweep(a, 0.5 * x)
    for i in range(2):
        s += sweep(rows[i], 0.5 * x)
    return s + a[1] * x + np.sum(a * rows[1])


def halves_of_integers(x):
    a = np.array([1, 2, 3])
    b = np.ones(3) * x
    return 0.5 * x + sweep(a, 2) + sweep(b, x) + a[1] * x + b[2]


@pytest.mark.parametrize("f", [halves_of_an_array_whose_length_is_known, halves_of_integers])
def test_a_function_that_takes_parts_of_any_length_changes_an_array_of_a_known_one(f):
    agrees(f, 1.3, second=False)
