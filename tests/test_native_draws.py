"""Machine code of programs that make their own sources of random numbers: it calls out for the draws alone."""

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_programs import close

import ccc

pytest.importorskip("llvmlite")


def mean_square(x: float, n: int) -> float:
    rng = np.random.default_rng(3)
    total = 0.0
    for _ in range(n):
        total += (x + rng.normal()) ** 2
    return total / n


def walked(x: float, n: int) -> float:
    source = random.Random(5)
    at = x
    for _ in range(n):
        angle = source.uniform(0.0, 6.0)
        at += 0.1 * np.cos(angle * at)
    return at


def backwards(x: float, n: int) -> float:
    rng = np.random.RandomState(1)
    weights = np.arange(1.0, n + 1.0)
    total = 0.0
    for w in reversed(weights):
        total += w * x * rng.uniform(0.0, 1.0)
    return total


def step(rng: Any, x: float, size: float) -> float:
    return x + size * rng.normal(0.0, 1.0)


def chosen(x: float, n: int) -> float:
    rng, other = np.random.default_rng(1), np.random.default_rng(2)
    for i in range(n):
        x = step(rng, x, 0.3) if x * x + i > 3.0 else step(other, x, 0.1 * x)
    return x * rng.random()


def one_of_two(x: float, n: int) -> float:
    rng = np.random.default_rng(n) if x > 0.0 else np.random.default_rng(n + 1)
    return x * rng.normal() + rng.integers(10)


def resampled(x: float, n: int) -> Any:
    rng = np.random.default_rng(0)
    p = x + rng.normal(0.0, 1.0, n)
    for z in (0.1, 0.4, 0.2):
        p = p + 0.5 * np.sin(p) + rng.normal(0.0, 0.2, n)
        w = np.exp(-0.5 * (z - p) ** 2)
        w = w / np.sum(w)
        places = np.searchsorted(np.cumsum(w), (rng.random() + np.arange(n)) / n)
        p = p[np.minimum(places, n - 1)]
    return np.mean(p)


@pytest.mark.parametrize("f", [mean_square, walked, backwards, chosen, one_of_two, resampled])
def test_draws_are_those_of_numpy_and_the_rest_is_machine_code(f: Callable[..., Any]) -> None:
    for verb in (ccc.compiled, ccc.value_with_gradient):
        native, numpy = [verb(f, backend=backend) for backend in ("native", "numpy")]
        for x in (0.7, -0.4):
            for _ in range(2):
                assert close(numpy(x, 12), native(x, 12))
    assert ccc.compiled(f, backend="native")(0.7, 12) == pytest.approx(f(0.7, 12), rel=1e-12)
    text = ccc.explain(ccc.compiled(f, backend="native"), 0.7, 12).backend
    assert text.startswith("native\ncalls out to numpy:") and "`draw`" in text


def test_what_leaves_behind_draws_makes_them_anew() -> None:
    def f(x: float, n: int) -> float:
        rng = np.random.default_rng(4)
        xs = [rng.normal() for _ in range(5)]
        try:
            return x * xs[n] + rng.random()
        except IndexError:
            return x + rng.random()

    def g(x: float, n: int) -> float:
        rng = np.random.default_rng(4)
        return x * np.array([rng.normal(), rng.normal()])[n]

    run = ccc.compiled(f, backend="native")
    assert [run(2.0, n) for n in (1, 9, 1)] == [f(2.0, n) for n in (1, 9, 1)]
    found = ccc.compiled(g, backend="native")
    assert found(2.0, 1) == g(2.0, 1)
    with pytest.raises(IndexError):
        found(2.0, 5)
    assert found(2.0, 0) == g(2.0, 0)


def test_what_a_draw_raises_comes_as_from_numpy() -> None:
    def f(x: float) -> float:
        rng = np.random.default_rng(4)
        return rng.normal(0.0, x)

    run = ccc.compiled(f, backend="native")
    assert run(2.0) == f(2.0)
    with pytest.raises(ValueError, match="scale < 0"):
        run(-2.0)


def test_sources_that_loops_make_are_left_to_numpy() -> None:
    def f(x: float, n: int) -> float:
        for i in range(n):
            x += np.random.default_rng(i).normal()
        return x

    assert ccc.compiled(f, backend="native")(1.0, 5) == f(1.0, 5)
    assert "made in a loop or function" in ccc.explain(ccc.compiled(f, backend="native"), 1.0, 5).backend


def test_programs_that_draw_call_each_other() -> None:
    inner = ccc.compiled(mean_square, backend="native")
    called = functools.partial(inner, 0.5)

    @ccc.derivative_of(called)
    def rule(n: int) -> Any:
        return called(n), lambda ct: None

    def f(x: float, n: int) -> float:
        rng = np.random.default_rng(8)
        first = rng.normal()
        return x * first + called(n) + rng.normal()

    assert ccc.compiled(f, backend="native")(1.0, 5) == pytest.approx(f(1.0, 5), rel=1e-12)
