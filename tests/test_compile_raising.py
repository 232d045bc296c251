"""What plain Python raises is raised though nothing reads the value; what cannot raise is dropped."""

from __future__ import annotations

import importlib.util
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import random_raising
from checks import agrees_in_value
from random_raising import Writer, arguments, function_of

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.improve import improve
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.plan import Plan, derived
from ccc.objects import INT, REAL, Array, Int, Real
from ccc.primitives import (
    arithmetic,
    bilinear,
    elementary_math,
    elementary_numpy,
    joining,
    matrices,
    reductions,
    shaping,
)
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import AtLeast, may_raise

BACKENDS = ("numpy", "native") if importlib.util.find_spec("llvmlite") else ("numpy",)
VERBS: dict[str, Callable[[Any, str], Any]] = {
    "value": lambda f, backend: ccc.compiled(f, backend=backend)(*arguments()),
    "gradient": lambda f, backend: ccc.gradient(f, wrt="x", backend=backend)(*arguments()),
    "pullback": lambda f, backend: ccc.value_with_pullback(f, wrt="x", backend=backend)(*arguments())[1](1.0),
    "forward": lambda f, backend: ccc.value_with_differential(f, wrt="x", backend=backend)(*arguments())[1](1.0),
}


def raised_by(run: Callable[[], Any]) -> type | None:
    try:
        run()
    except Exception as error:
        return type(error)
    return None


def differences(f: Any) -> list[str]:
    """Where a derivative raises something else than the function."""
    expected = raised_by(lambda: f(*arguments()))
    found = []
    for backend in BACKENDS:
        for name, verb in VERBS.items():
            try:
                verb(f, backend)
                got = None
            except CompileError as error:  # raised while compiling, where the statement surely runs
                got = expected if expected is not None and f"{expected.__name__}: " in str(error) else type(error)
            except Exception as error:
                got = type(error)
            if got is not expected:
                found.append(f"{backend} {name}: {got} for {expected}")
    return found


UNREAD = [
    "np.linalg.inv(a)", "np.linalg.cholesky(-a)", "np.take(a, 7)", "np.take(a, n + 7)", "np.max(np.zeros(0))",
    "np.max(a[0, :n - 1])", "range(0, 5, n - 1)", "range(0, 5, 0)", "1 << -1", "1 << -n", "1 >> -n", "np.zeros(-1)",
    "np.zeros(-n)", "np.eye(-n)", "np.linspace(0, 1, -n)", "np.arange(0, 5, n - 1)", "1 // 0", "1 // (n - 1)",
    "int(x * float('nan'))", "int(x * float('inf'))", "round(x * float('nan'))", "math.log(-1)", "math.log(-x)",
    "math.exp(1e4)", "math.exp(1e4 * x)", "10.0 ** 400", "10.0 ** (400 * x)", "[1, 2][n + 3]", "[1][3]",
    "{'a': 1}['missing']", "{1: 2}[n + 5]", "np.argmax(a[0, :n - 1])", "np.broadcast_to(a, (3, 3))",
    "np.linalg.det(np.ones((2, 3)))", "np.linalg.eigh(np.ones((2, 3)))[0]", "np.linalg.solve(a, np.ones(3))",
    "np.cumsum(a, axis=3)", "np.diag(np.ones((2, 2, 2)))", "np.concatenate([a, np.ones((1, 3))])", "float(a)", "int(a)",
    "bool(a)", "a @ np.ones(3)", "a + np.ones(3)", "x * 1e308 ** 2", "math.factorial(-n)", "math.fmod(x, 0.0)",
    "f'{x:d}'", "f'{x!r:d}'", "f'{a:.2f}'", "f'{n:s}'", "f'{[x]:>5}'", "f'{(x, n):>5}'", "f'{None:d}'", "f'{\"a\":d}'",
]  # fmt: skip


@pytest.mark.share(12)
@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize("form", ["u = {}", "for i in range(2):\n        u = {}", "if x > 0.0:\n        u = {}"])
def test_what_nothing_reads_raises(text: str, form: str):
    f = function_of(f"def f(x, a, n):\n    {form.format(text)}\n    return x * 2.0")
    assert raised_by(lambda: f(*arguments())) is not None
    assert not differences(f)


@pytest.mark.parametrize(
    "text", ["[1][3]", "{'a': 1}['missing']", "{1: 2}[3]", "(x, x)[5]", "1 << -1", "10.0 ** 400", "f'{x:d}'"])
def test_what_does_not_run_does_not_raise(text: str):
    f = function_of(f"def f(x, a, n):\n    if x > 5.0:\n        u = {text}\n    return x * 2.0")
    assert not differences(f)
    assert ccc.gradient(f, wrt="x", backend="numpy")(*arguments()) == 2.0


def test_a_range_without_a_step_raises_where_the_loop_does_nothing():
    f = function_of("def f(x, a, n):\n    for i in range(0, 5, n - 1):\n        pass\n    return x * 2.0")
    assert raised_by(lambda: f(*arguments())) is ValueError
    assert not differences(f)


def checked(seeds: range) -> None:
    for seed in seeds:
        text = Writer(random.Random(seed)).program()
        with np.errstate(all="ignore"):
            assert not differences(function_of(text)), f"{seed}:\n{text}"


def test_random_programs_raise_what_python_raises():
    checked(range(40))


@pytest.mark.nightly
def test_more_random_programs_raise_what_python_raises():
    checked(range(40, 1500))


def test_the_generator_is_the_same_each_time():
    assert Writer(random.Random(3)).program() == Writer(random.Random(3)).program()
    assert random_raising.arguments()[2] == 1


# -- what cannot raise -----------------------------------------------------------------------------------------------

VECTOR, MATRIX, ROW = Array("float64", ("n",)), Array("float64", ("n", "n")), Array("float64", ("1", "n"))
FACTS: list[tuple[Primitive, tuple[Any, ...], bool]] = [
    (arithmetic.mul, (REAL, REAL), False), (arithmetic.div, (REAL, REAL), True),
    (arithmetic.div, (VECTOR, REAL), False),
    (arithmetic.power, (REAL, REAL), True), (arithmetic.power, (Real("float64"), Real("float64")), False),
    (arithmetic.power, (Array("int64", ("n",)), INT), True), (arithmetic.mod, (Int("int64"), INT), False),
    (arithmetic.left_shift, (INT, INT), True), (arithmetic.to_int, (REAL,), True), (arithmetic.to_int, (INT,), False),
    (arithmetic.add, (VECTOR, VECTOR), True), (arithmetic.add, (VECTOR, Array("float64", ("1",))), False),
    (arithmetic.add, (MATRIX, ROW), True), (arithmetic.to_float, (VECTOR,), True), (arithmetic.truth, (REAL,), False),
    (elementary_math.tanh, (REAL,), False), (elementary_math.cosh, (REAL,), True),
    (elementary_numpy.log, (VECTOR,), False),
    (reductions.max_, (VECTOR,), True), (reductions.mean, (VECTOR,), False), (bilinear.outer, (VECTOR, VECTOR), False),
    (matrices.inv, (MATRIX,), True), (shaping.transpose, (MATRIX,), False),
    (joining.concatenate, (VECTOR, VECTOR), False),
    (joining.concatenate, (MATRIX, MATRIX), True),
]  # fmt: skip


@pytest.mark.parametrize(("p", "args", "expected"), FACTS)
def test_where_a_primitive_may_raise(p: Primitive, args: tuple[Any, ...], expected: bool):
    assert may_raise(p, args, {"axis": 0} if p is joining.concatenate else {}) is expected


def test_what_is_known_of_numbers_is_asked():
    assert not may_raise(arithmetic.div, (REAL, REAL), {}, lambda: [(1, 2.0)])
    assert may_raise(arithmetic.div, (REAL, REAL), {}, lambda: [(1, 0.0)])
    assert not may_raise(elementary_math.sqrt, (REAL,), {}, lambda: [(0, AtLeast(0))])
    assert may_raise(elementary_math.log, (REAL,), {}, lambda: [(0, AtLeast(0))])
    assert not may_raise(elementary_math.log, (REAL,), {}, lambda: [(0, AtLeast(1e-30))])


def unread_rows(x: float, a: np.ndarray, b: np.ndarray) -> float:
    _rows = np.array([a[i:] for i in range(2)] + [b])
    return x * 2.0


def unread_sum_of_rows(x: float, a: np.ndarray, b: np.ndarray) -> float:
    _total = sum([a[i:] for i in range(2)] + [b])
    return x * 2.0


def unread_exact_sum(x: float, a: np.ndarray, b: np.ndarray) -> float:
    _total = math.fsum([v for v in a] + [v for v in b])
    return x * 2.0


@pytest.mark.parametrize("f", [unread_rows, unread_sum_of_rows, unread_exact_sum])
def test_items_of_a_list_that_do_not_go_together_raise_though_nothing_reads_them(f: Callable[..., Any]):
    """Lists of equal items alone were tried, so an array of rows of several lengths was dropped where it is unread."""
    args = (1.5, np.array([math.inf, 2.0, 3.0]), np.array([-math.inf, 5.0]))
    agrees_in_value(f, *args)
    for transform in (ccc.grad, ccc.value_and_grad):
        with pytest.raises((ValueError, OverflowError)):
            transform(f)(*args)


def unread_but_harmless(x: float, a: np.ndarray, b: float) -> float:
    _root = math.sqrt(x * x + b * b)
    _sum = np.sum(np.exp(a) * 2.0) + np.mean(a)
    _size = np.zeros((len(a), 2))
    _angle = math.atan2(x, b)
    return x * 2.0


@pytest.mark.parametrize("kind", ["value", "gradient"])
def test_what_cannot_raise_is_dropped(kind: str):
    program = derived(Plan(kind, (0,), None), elaborate(unread_but_harmless, [1.0, np.ones(3), 2.0]).program)
    improve(program)
    text = program_text(program)
    assert "sqrt" not in text and "sum" not in text and "atan2" not in text, text
    assert "zeros" not in text and "exp" not in text, text


def test_derivatives_do_not_raise_where_the_function_does_not():
    """The slope of a root at zero is infinite, and what computes it is ours."""
    f = lambda x: math.sqrt(x) if x > 0.0 else x * 0.0 + 3.0  # noqa: E731
    assert ccc.gradient(f, backend="numpy")(0.0) == 0.0


class Coded(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code

    def __str__(self):
        return f"code {self.code}"

    def __repr__(self):
        return f"Coded<{self.code}>"


@pytest.mark.parametrize("x", [1.5, -1.5])
def test_an_exception_says_what_its_class_says(x):
    def f(x):
        try:
            if x > 0.0:
                raise Coded(x)
            raise Coded(7)
        except Coded as error:
            return str(error), f"wrapped {error}", repr(error)

    agrees_in_value(f, x)


class Named(Exception):
    def __init__(self, name, value):
        super().__init__(name)
        self.value = value


class Pair(Exception):
    pass


def raises_the_last(xs):
    errors = []
    for x in xs:
        try:
            if x < 0.0:
                raise Named("low", x)
        except Named as error:
            errors.append(error)
    if errors:
        raise errors[-1]
    return len(errors)


def reads_all(xs):
    errors = []
    for x in xs:
        try:
            if x < 0.0:
                raise Pair("low", x)
        except Pair as error:
            errors.append(error)
    return [error.args[1] for error in errors]


@pytest.mark.parametrize("xs", [[1.0, 2.0], [-1.0, 2.0, -3.0]])
@pytest.mark.parametrize("f", [raises_the_last, reads_all])
def test_exceptions_are_kept_in_lists(f, xs):
    agrees_in_value(f, xs)


class Missing(KeyError):
    def __init__(self, name, where):
        super().__init__(name)
        self.where = where


def test_what_a_class_of_pythons_says_is_asked_without_the_users_init():
    def f(x):
        try:
            raise Missing("a", x)
        except Missing as error:
            return str(error), error.where

    agrees_in_value(f, 1.5)
