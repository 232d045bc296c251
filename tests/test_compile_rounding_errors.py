"""Bounds of rounding errors hold at random points, come close to FPTaylor's, and say nothing where nothing is known;
what variables of a narrower format lose is what programs lose in which they are narrower."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import ccc
from benchmarks import rounding, rounding_variables
from benchmarks.rounding_programs import EXPRESSIONS, Expression
from ccc.compile.diagnostics import WrongArguments
from ccc.errors import MissingMeaning

pytest.importorskip("mpmath")
LOW = 2.0**-24
"""Half a unit in the last place of numbers of 32 bits near 1."""


@pytest.mark.parametrize("e", EXPRESSIONS, ids=lambda e: e.name)
def test_no_error_is_beyond_the_bound_which_is_close_to_that_of_fptaylor(e: Expression):
    bound = rounding.bound(e, boxes=8000)
    assert bound <= 1.5 * e.of_magnitudes and bound <= 2.01 * e.of_places
    assert rounding.largest(e, 200, seed=1) <= bound


@pytest.mark.nightly
@pytest.mark.parametrize("e", EXPRESSIONS, ids=lambda e: e.name)
def test_no_error_is_beyond_the_bound_at_ten_thousand_points(e: Expression):
    assert rounding.largest(e, 10_000, seed=2) <= rounding.bound(e)


def newton(x):
    y = x
    for _ in range(4):
        y = 0.5 * (y + x / y) if y > 0.25 else y + 1.0
    return y


def horner(x, n):
    y = 0.0
    for i in range(n):
        y = y * x + (1.0 if i % 2 == 0 else -0.5)
    return y


def repeated(x, n):
    return x if n == 0 else repeated(x * x - 0.5, n - 1)


def within(x):
    def inner(y):
        return y * x + 0.1

    return inner(inner(x) / 3.0)


def until(x):
    y, n = x, 0
    while n < 5:
        y, n = y * 0.75 + x, n + 1
    return y


SMALL = {newton: ((0.5, 2.0),), horner: ((0.25, 0.75), 7), repeated: ((-0.5, 0.5), 3), within: ((1.0, 2.0),),
         until: ((1.0, 1.5),)}


def in_32_bits(f, *args):
    """What a program gives whose numbers have 32 bits: floats and literals are rounded to them."""
    class Single(float):
        pass

    def of(x):
        return Single(np.float32(x))

    for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
        method = getattr(float, f"__{name}__")
        setattr(Single, f"__{name}__", lambda a, b, method=method: of(method(a, float(np.float32(b)))))
    return f(*[of(x) if isinstance(x, float) else x for x in args])


def in_fractions(f, *args):
    """What exact numbers give."""
    class Exact(Fraction):
        def __new__(cls, *given):
            return super().__new__(cls, *given)

    for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
        method = getattr(Fraction, f"__{name}__")
        setattr(Exact, f"__{name}__", lambda a, b, method=method: Exact(method(a, Fraction(b))))
    return f(*[Exact(x) if isinstance(x, float) else x for x in args])


@pytest.mark.parametrize("f", SMALL, ids=lambda f: f.__name__)
def test_loops_branches_recursion_and_closures_in_32_bits(f):
    box, *rest = SMALL[f]
    bound = ccc.rounding_error(f, box, *rest, format=np.float32).bound
    r, worst = np.random.default_rng(3), 0.0
    for x in r.uniform(box[0], box[1], 500):
        x = float(np.float32(x))
        worst = max(worst, abs(float(Fraction(in_32_bits(f, x, *rest)) - in_fractions(f, x, *rest))))
    assert 0.0 < worst <= bound <= 40.0 * worst


def test_one_operation_is_off_by_half_a_unit_of_what_it_gives():
    for f, units in ((lambda x, y: x + y, 4.0), (lambda x, y: x - y, 1.0), (lambda x, y: x * y, 4.0),
                     (lambda x, y: x / y, 2.0)):
        found = ccc.rounding_error(f, (1.0, 2.0), (1.0, 2.0), format=np.float32).bound
        assert units * LOW <= found <= units * LOW * 1.03


def test_what_moves_numbers_turns_signs_or_doubles_is_exact():
    assert ccc.rounding_error(lambda x, y: max(-x, y), (1.0, 2.0), (1.0, 2.0)).bound == 0.0
    assert ccc.rounding_error(lambda x: x * 0.5 + 0.0, (1.0, 2.0)).bound <= 2.0**-1073
    assert ccc.rounding_error(lambda x: 4.0 * x, (1.0, 2.0), rounded=True).bound > 8.0 * 2.0**-53


def test_errors_that_cancel_cancel_and_what_is_computed_twice_is_rounded_once():
    assert ccc.rounding_error(lambda x: (x + 1.0) - (x + 1.0), (0.0, 1.0)).bound < 1e-18
    assert ccc.rounding_error(lambda x: x - x, (0.0, 1.0), rounded=True).bound < 1e-18


def test_other_functions_are_off_by_what_is_said():
    for functions in (1.5, 8.0):
        found = ccc.rounding_error(math.exp, (0.0, 1.0), format=np.float32, functions=functions).bound
        assert functions * LOW * math.e <= found <= functions * LOW * math.e * 1.05


def test_literals_are_what_they_are_or_what_is_written():
    assert ccc.rounding_error(lambda x: max(0.1, x), (0.0, 0.05)).bound == 0.0
    off = float(abs(Fraction(0.1) - Fraction(1, 10)))
    assert off <= ccc.rounding_error(lambda x: max(0.1, x), (0.0, 0.05), decimals=True).bound <= 1.01 * off
    off = abs(0.1 - float(np.float32(0.1)))
    assert off <= ccc.rounding_error(lambda x: max(0.1, x), (0.0, 0.05), format=np.float32).bound <= 1.01 * off
    for f in (lambda x: 0.1 if x > 0.5 else 0.25, lambda x: 0.1):
        assert ccc.rounding_error(f, (0.75, 1.0), format=np.float32).bound >= off


SCALE = 0.1


def test_what_is_read_from_outside_is_rounded_to_a_narrower_format():
    found = ccc.rounding_error(lambda x: max(x, SCALE), (0.0, 0.05), format=np.float32).bound
    assert abs(0.1 - float(np.float32(0.1))) <= found <= 0.1 * LOW * 1.03


def test_sums_of_arrays_in_any_order():
    low, high = np.full(8, 0.5), np.ones(8)
    found = ccc.rounding_error(lambda x: np.sum(x * x), (low, high), format=np.float32, boxes=200)
    assert 16.0 * LOW <= found.bound <= 8.0 * 9.1 * LOW
    r = np.random.default_rng(1)
    for x in r.uniform(low, high, (200, 8)).astype(np.float32):
        exact = sum(Fraction(float(a)) ** 2 for a in x)
        assert abs(float(np.sum(x * x)) - exact) <= found.bound


def test_tests_steps_and_what_overflows():
    def two(x):
        return x + 0.3 if x < 0.5 else 1.3 - x

    def hidden(x):
        return math.tanh(1.0 if x < 0.5 else 2.0) + x

    assert ccc.rounding_error(two, (0.0, 1.0), boxes=50).bound == math.inf
    assert ccc.rounding_error(two, (0.75, 1.0)).bound <= 2.0**-53
    assert ccc.rounding_error(hidden, (0.0, 1.0), boxes=50).bound == math.inf
    assert ccc.rounding_error(lambda x: np.floor(x) + x, (0.25, 0.75)).bound < 1e-15
    assert ccc.rounding_error(lambda x: np.floor(x) + x, (0.25, 1.75), boxes=50).bound == math.inf
    for f in (lambda x: x * x, lambda x: 1.0 / (x * x), lambda x: 256.0 * x + 0.0 * x):
        assert ccc.rounding_error(f, (200.0, 300.0), format=np.float16, boxes=50).bound == math.inf
        assert ccc.rounding_error(f, (200.0, 250.0), format=np.float16).bound < 100.0
    beyond = ccc.rounding_error(lambda x: x if x * x < 70000.0 else -x, (256.0, 260.0), format=np.float16, boxes=50)
    assert beyond.bound == math.inf  # 260² is infinite in 16 bits, and less than 70000
    assert ccc.rounding_error(lambda x: 1.0 / x, (-1.0, 1.0), boxes=50).bound == math.inf
    assert ccc.rounding_error(math.sqrt, (-1.0, -0.5)).bound == math.inf


def test_numbers_that_are_subnormal_count():
    found = ccc.rounding_error(lambda x: x * x, (1e-4, 2e-4), format=np.float16).bound
    x = np.float16(1.5e-4)
    assert abs(float(x * x) - float(x) ** 2) <= found <= 2.0**-24


def test_a_derivative_that_is_given_by_hand_is_not_asked():
    @ccc.differentiable
    def square(x):
        return x * x

    @ccc.derivative_of(square)
    def _(x):
        return square(x), lambda ct: 0.0 * ct

    assert ccc.gradient(square)(1.5) == 0.0
    assert ccc.rounding_error(lambda x: square(x + 1.0), (1.0, 2.0)).bound > 20.0 * 2.0**-53


def test_refusals():
    with pytest.raises(MissingMeaning, match="how `matmul` rounds is not known"):
        ccc.rounding_error(lambda a: np.sum(a @ a), (np.zeros((2, 2)), np.ones((2, 2))))
    for bounds in ((1.0, 0.0), (0.0, 1.0, 2.0), (np.zeros(2), np.ones(3))):
        with pytest.raises(WrongArguments, match="bounds of an argument"):
            ccc.rounding_error(lambda x: x, bounds)


@pytest.mark.parametrize("p", rounding_variables.programs(), ids=lambda p: p.function.__name__)
def test_what_variables_lose_is_estimated(p):
    errors, exact = ccc.narrowing_errors(p.function)(*p.args), p.function(*p.args)
    for name, error in errors.items():
        found = abs(rounding_variables.narrowed(p.function, [name])(*p.args) - exact)
        assert found <= 1.2 * error + 1e-12, name
    names = rounding_variables.chosen(errors, p.threshold)
    assert names and abs(rounding_variables.narrowed(p.function, names)(*p.args) - exact) <= p.threshold


def test_a_variable_counts_where_it_is_computed_chosen_carried_or_put():
    def f(x, xs):
        chosen = x * x if x > 1.0 else x
        y = np.zeros(3)
        for i in range(3):
            y[i] = xs[i] * x
        before = 0.0
        for i in range(3):
            after = before * x + xs[i]
            before = after
        return np.sum(y) + chosen + before

    x, xs = 1.1, np.array([0.1, 0.2, 0.3])
    errors = ccc.narrowing_errors(f)(x, xs)
    assert set(errors) == {"x", "xs", "chosen", "y", "before", "after"}
    assert errors["chosen"] == abs(x * x - float(np.float32(x * x)))
    assert math.isclose(errors["y"], sum(abs(a * x - float(np.float32(a * x))) for a in xs), rel_tol=1e-9)
    assert errors["xs"] > 0.0 and errors["x"] > 0.0


def test_half_precision_loses_more():
    def f(x):
        y = x / 3.0
        return y * y

    single, half = [ccc.narrowing_errors(f, format=kind)(1.0)["y"] for kind in (np.float32, np.float16)]
    assert math.isclose(single, abs(1 / 3 - float(np.float32(1 / 3))) * 2 / 3, rel_tol=1e-9) and half > 1000.0 * single
