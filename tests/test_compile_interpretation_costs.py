"""Rounding errors and costs of programs with loops and branches, and of their gradients, as categories."""

from __future__ import annotations

import math
import operator
import types
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from test_compile_interpretation_built_in import BACKENDS, PROGRAMS, Program, every_program, exactly, wave

import ccc
from ccc import laws
from ccc.categories.exponentials import AdditiveMap
from ccc.categories.reverse import Reverse
from ccc.errors import MissingMeaning
from ccc.laws.checking import run
from ccc.laws.costs import COSTS
from ccc.laws.subjects import subject_of

# -- rounding ------------------------------------------------------------------------------------------------------


class Single:
    """`math`, in single precision."""

    def __getattr__(self, name: str) -> Any:
        of = getattr(np, {"atan": "arctan"}.get(name, name))
        return lambda x: np.float32(of(np.float32(x)))


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_bounds_hold_what_single_precision_and_exact_numbers_give(f: Program, backend: str) -> None:
    k = ccc.Rounding(np.float32)
    bounds, reference = ccc.interpret(f, k, backend=backend), exactly(f)
    single = types.FunctionType(f.__code__, {**f.__globals__, "math": Single()}, f.__name__, None, f.__closure__)
    for x in map(np.float32, PROGRAMS[f]):
        low, high = found = bounds(k.exactly(float(x)))
        with mpmath.workdps(40):
            exact = reference(mpmath.mpf(float(x)))
        rounded = single(x)
        assert type(rounded) is np.float32 and low <= rounded <= high and low <= exact <= high
        assert k.error(found) < 2e-4


def times_as_large(f: Program) -> str:
    """How many times as large the bound of the error is as the largest error in single precision near some points."""
    k = ccc.Rounding(np.float32)
    bounds, reference = ccc.interpret(f, k), exactly(f)
    single = types.FunctionType(f.__code__, {**f.__globals__, "math": Single()}, f.__name__, None, f.__closure__)
    ratios: list[float] = []
    for x in PROGRAMS[f]:
        near = [np.float32(x) + np.float32(i * 2.0**-20) for i in range(200)]
        with mpmath.workdps(40):
            errors = [abs(float(single(y)) - reference(mpmath.mpf(float(y)))) for y in near]
        ratios.append(k.error(bounds(k.exactly(float(near[0])))) / float(max(errors)))
    return f"{max(ratios):.2g}"


def rows_of_errors() -> list[str]:
    """The rows of the table in docs/categories.md."""
    return [f"| `{f.__name__}` | {times_as_large(f)} |" for f in PROGRAMS]


def test_bounds_of_errors_are_as_large_as_the_documents_say() -> None:
    page = (Path(__file__).parents[1] / "docs" / "categories.md").read_text("utf-8")
    found = rows_of_errors()
    assert all(row in page for row in found), "\n".join(found)


def test_bounds_of_sums_hold_what_single_precision_gives_in_any_order() -> None:
    k, r = ccc.Rounding(np.float32), np.random.default_rng(0)
    total, mean = (ccc.interpret(f, k) for f in (lambda a: np.sum(a * a[0]), lambda a: np.mean(a)))
    for _ in range(20):
        a = (r.normal(size=300) * 10.0 ** r.integers(-3, 4, size=300)).astype(np.float32)
        low, high = total(k.exactly(a.astype(float)))
        products, exact = a * a[0], math.fsum(a.astype(float) * float(a[0]))
        orders = products, products[::-1], np.sort(products)
        for found in (exact, *(np.cumsum(np.array(order))[-1] for order in orders)):
            assert low <= float(found) <= high
        low, high = mean(k.exactly(a.astype(float)))
        assert low <= float(np.mean(a)) <= high and low <= math.fsum(a.astype(float)) / 300 <= high
        assert high - low < 1e-4 * np.mean(np.abs(a))


def test_bounds_of_gradients_hold_what_double_precision_gives() -> None:
    k = ccc.Rounding()
    low, high = ccc.interpret(ccc.gradient(wave), k, backend="native")(k.exactly(0.4))
    with mpmath.workdps(40):
        exact = mpmath.diff(exactly(wave), mpmath.mpf(0.4))
    assert low <= exact <= high and low <= ccc.gradient(wave)(0.4) <= high and high - low < 1e-13


def test_what_a_format_does_not_have_is_around_it() -> None:
    k = ccc.Rounding(np.float16)
    assert k.exactly(0.5) == (0.5, 0.5)
    low, high = k.exactly(0.1)
    assert low < 0.1 < high and low <= float(np.float16(0.1)) <= high
    assert k.exactly(1e6)[1] == math.inf
    halves = np.array([0.5, 0.1])
    low, high = k.exactly(halves)
    assert np.all(low <= halves.astype(np.float16)) and np.all(halves.astype(np.float16) <= high)
    low, high = ccc.interpret(lambda x: x * x, k)(k.exactly(300.0))
    assert high == math.inf  # as in half precision
    low, high = ccc.interpret(lambda x: 1.0 if x * x > 0.01 else 2.0, k)(k.exactly(0.1))
    assert (low, high) == (1.0, 2.0)


def test_rounding_is_sound_and_cartesian_closed() -> None:
    report = laws.check(ccc.Rounding(np.float32), examples=10, only=["soundness", "category", "functions"])
    assert report.ok, str(report)


# -- costs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_costs_are_those_of_the_runs(backend: str) -> None:
    def f(x: float, n: int) -> float:
        y = 0.0
        while n > 0:
            y = y * x + 1.0 if n % 2 == 0 else math.sin(y)
            n -= 1
        return y

    cost = ccc.interpret(f, ccc.Cost(), backend=backend)
    for n in range(5):
        assert cost((0.5, 0.0), (n, 0.0)) == (f(0.5, n), 2.0 * (n // 2) + (n - n // 2))
    assert cost((0.5, 3.0), (2, 4.0))[1] == 10.0


def test_costs_of_arrays_recursion_and_bytes() -> None:
    a, x = np.ones((3, 4)), np.ones(4)
    assert ccc.interpret(lambda a, x: np.sum(np.tanh(a @ x)), ccc.Cost())((a, 0.0), (x, 0.0))[1] == 12.0 + 3.0 + 3.0
    assert ccc.interpret(lambda x: x * 2.0 + x, ccc.Cost(bytes=True))((x, 0.0))[1] == 64.0

    def power(x: float, n: int) -> float:
        return 1.0 if n < 1 else x * power(x, n - 1)

    assert ccc.interpret(power, ccc.Cost())((2.0, 0.0), (6, 0.0)) == (64.0, 6.0)
    with pytest.raises(MissingMeaning, match=r"does not say what `np.linalg.inv` costs"):
        ccc.interpret(lambda a: np.linalg.inv(a), ccc.Cost())((np.eye(2), 0.0))


@every_program
def test_gradients_cost_a_few_times_the_program(f: Program) -> None:
    x = PROGRAMS[f][0]
    value, plain = ccc.interpret(f, ccc.Cost())((x, 0.0))
    slope, reverse = ccc.interpret(ccc.gradient(f), ccc.Cost())((x, 0.0))
    assert value == f(x) and slope == pytest.approx(ccc.gradient(f)(x), rel=1e-14)
    assert plain > 0 and reverse <= 4 * plain


def test_the_law_of_costs_fails_under_additive_map() -> None:
    subject = subject_of(Reverse, exponential=AdditiveMap())
    (verdict,) = run(replace(COSTS[0], applies=lambda subject: True), [subject], examples=60)
    assert verdict.outcome == "fails" and verdict.counterexample is not None
    assert "costs more" in verdict.counterexample.difference and len(verdict.counterexample.parts[0].python) < 120


def test_wave_costs_what_its_terms_cost() -> None:
    assert ccc.interpret(wave, ccc.Cost())((0.3, 0.0))[1] == 4 * 4 + 2


@pytest.mark.parametrize("format", [np.float64, np.float32, np.float16], ids=lambda f: f.__name__)
@pytest.mark.parametrize("sign", "+-*/")
def test_bounds_of_one_operation_hold_what_is_exact_and_what_is_computed(sign: str, format: Any) -> None:
    """Also where what is exact lies halfway between two numbers, and bounds are rounded back."""
    operate = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign]
    k, eps = ccc.Rounding(format), float(np.finfo(format).eps)
    edges = [1.0, 1.0 + eps, 2.0 - eps, 3.0, eps / 2, 3 * eps / 2, float(format(1 / 3)), -1.0, -eps / 2]
    bounds = ccc.interpret(lambda x, y: operate(x, y), k)
    for x, y in product(edges, repeat=2):
        low, high = bounds(k.exactly(x), k.exactly(y))
        exact, computed = operate(Fraction(x), Fraction(y)), float(operate(format(x), format(y)))
        assert Fraction(float(low)) <= exact <= Fraction(float(high)), (x, y)
        assert low <= computed <= high, (x, y)
