"""Draws of Python's `random`: values and the state left behind as in plain Python, derivatives as differences."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import ccc

BACKENDS = ("numpy", "native")


def moved(x: float, k: int) -> Any:
    r = random.Random(k)
    total = r.random() * x + r.gauss(x, 2.0) + r.gauss(0.0, x) + r.uniform(1.0, x) + r.normalvariate(x, x * x)
    total = total + r.expovariate(x) + r.weibullvariate(x, 1.5) + r.paretovariate(x) + r.lognormvariate(x, 0.1 * x)
    return total + r.gammavariate(2.0, x) + r.gammavariate(x, 1.0) + r.randint(1, 6) * x + r.randrange(5) * x * x


def of_sequences(x: float, k: int) -> Any:
    r = random.Random(k)
    xs = [x, 2.0 * x, 3.0, x * x]
    r.shuffle(xs)
    some = r.choices([x, 2.0 * x, x**3], weights=[1, 2, 3], k=k)
    return xs[0] * 2.0 + xs[1] * 3.0 + r.choice(xs) + sum(r.sample(xs, 2)) + sum(some)


def in_a_loop(x: float, k: int) -> Any:
    r, s = random.Random(2), 2.0
    for _ in range(k):
        new = s + r.gauss(0.0, 1.0) * x
        kept = new * new < s * s or r.random() < math.exp(-abs(new) / x)
        s = new if kept else s * r.uniform(0.5, x)
    return s


def of_the_module(x: float, k: int) -> Any:
    random.seed(k)
    return x * random.random() + random.gauss(0.0, x) + random.choice([x, 2.0 * x, x * x])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [3, 8])
@pytest.mark.parametrize("f", [moved, of_sequences, in_a_loop, of_the_module])
def test_draws_are_those_of_python(f: Callable[..., Any], k: int, backend: str):
    value, found = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.3, k)
    assert value == pytest.approx(f(1.3, k), rel=1e-15)
    differences = (f(1.3 + 1e-6, k) - f(1.3 - 1e-6, k)) / 2e-6
    if f is not moved:
        assert found == pytest.approx(differences, rel=1e-6)


def test_the_derivative_of_draws_moved_by_formula():
    def f(x: float) -> Any:
        r = random.Random(4)
        return r.gauss(x, 2.0) * r.uniform(x, 3.0) + r.expovariate(x) + r.weibullvariate(2.0, x) + r.paretovariate(x)

    assert ccc.gradient(f)(1.3) == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-7)


def test_a_gamma_moves_with_its_shape_at_a_fixed_probability():
    from scipy.stats import gamma

    f = lambda a: random.Random(4).gammavariate(a, 2.0)  # noqa: E731
    y = f(2.5)
    p = gamma.cdf(y, 2.5, scale=2.0)
    expected = (gamma.ppf(p, 2.5 + 1e-5, scale=2.0) - gamma.ppf(p, 2.5 - 1e-5, scale=2.0)) / 2e-5
    assert ccc.gradient(f)(2.5) == pytest.approx(expected, rel=1e-6)


def drawn_from(r: random.Random, x: float) -> Any:
    return r.random() * x + r.gauss(0.0, 1.0) * x


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_source_of_the_callers_is_left_as_python_leaves_it(backend: str):
    ours, theirs = random.Random(1), random.Random(1)
    for _ in range(3):
        value, found = ccc.value_with_gradient(drawn_from, wrt="x", backend=backend)(ours, 2.0)
        assert value == drawn_from(theirs, 2.0) and found == pytest.approx(value / 2.0)
    assert ours.getstate() == theirs.getstate()


def test_what_python_refuses_is_refused():
    for f in (lambda x: random.Random(1).choice([]) * x, lambda x: random.Random(1).randrange(0) * x):
        with pytest.raises((IndexError, ValueError, ccc.errors.CCCError)):
            ccc.compiled(f)(1.0)
    with pytest.raises(ccc.errors.CCCError, match="without a seed"):
        ccc.compiled(lambda x: random.Random().random() * x)(1.0)
