"""Functions as expressions of SymPy and back: its derivatives are ours, and what it means otherwise is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ccc

sympy: Any = pytest.importorskip("sympy")
X, Y = sympy.symbols("x y", real=True)


def curve(x: Any, y: Any) -> Any:
    z = np.exp(-x * x) * y
    for i in range(3):
        z = z * math.sin(y) + x / (1.0 + y * y) ** i
    return z if x * y < 1.0 else np.arctan(z) + 0.25


def same(a: Any, b: Any) -> bool:
    return abs(complex((a - b).evalf(subs={X: 0.37, Y: 1.2}))) < 1e-12


def test_a_function_is_an_expression():
    found = ccc.sympy.expression(curve, X, Y)
    assert found.has(sympy.Piecewise) and found.free_symbols == {X, Y}
    for at in ((0.37, 1.2), (2.0, 1.7)):
        assert float(found.evalf(subs=dict(zip((X, Y), at, strict=True)))) == pytest.approx(curve(*at), rel=1e-14)
    assert ccc.sympy.expression(curve, X, 2) == found.subs(Y, 2)


def test_derivatives_are_those_of_sympy():
    found = ccc.sympy.expression(curve, X, Y)
    for slope, symbol in zip(ccc.sympy.expression(ccc.gradient(curve), X, Y), (X, Y), strict=True):
        assert same(slope, found.diff(symbol))
    second = ccc.sympy.expression(ccc.derivative(ccc.derivative(lambda x: math.tanh(x) * x)), X)
    assert same(second, sympy.diff(sympy.tanh(X) * X, X, 2))


def test_an_expression_is_a_function():
    expr = sympy.Piecewise((X**2 * sympy.sin(Y), X > 0), (Y, True)) + sympy.erf(X) * sympy.Max(X, Y)
    found = ccc.gradient(ccc.sympy.function(expr.subs(Y, X + 1.0), X), backend="numpy")(0.7)
    assert found == pytest.approx(float(expr.subs(Y, X + 1.0).diff(X).subs(X, 0.7)), rel=1e-12)
    f = ccc.sympy.function(sympy.cos(X) * Y, X, Y)
    np.testing.assert_allclose(
        ccc.gradient(lambda x, y: np.sum(f(x, y)))(np.array([0.3, 0.4]), 2.0)[0], -2.0 * np.sin([0.3, 0.4]))


def test_what_sympy_means_otherwise_is_refused():
    def halved(x):
        while x > 1.0:
            x = x * 0.5
        return x

    for f, text in [
        (lambda x: np.sinc(x) * 2.0, "it gives"), (halved, "hangs on more than 16 tests of its symbols"),
        (lambda x: float(np.linalg.det(np.array([[x, 1.0], [2.0, x]]))), "SymPy has no expression for"),
        (lambda x: math.sqrt(-2.0 - x * x), "no point tried is in its domain"),
    ]:  # fmt: skip
        with pytest.raises(ccc.CCCError, match=text):
            ccc.sympy.expression(f, X)


def test_gradients_of_tests_inside_tests_are_expressions():
    def nested(x: Any, y: Any) -> Any:
        return (x * y if x < y else y - x * x) if x > 1.0 else math.sin(x) * y

    for found, taken in zip(ccc.sympy.expression(ccc.gradient(nested), X, Y), (0, 1), strict=True):
        for at in ((0.5, 2.0), (1.5, 2.0), (2.5, 2.0)):
            value = float(found.evalf(subs=dict(zip((X, Y), at, strict=True))))
            assert value == pytest.approx(ccc.gradient(nested)(*at)[taken], rel=1e-12)


def test_functions_of_other_names_in_sympy_and_tests_of_equality_are_expressions():
    def of_many(x: Any, y: Any) -> Any:
        z = max(x, y) * np.log10(1.0 + x * x) + math.hypot(x, y)
        z = z + np.where(x > y, math.expm1(x), np.maximum(x, 2.0 * y))
        return z - 1.0 if x == y else z * math.floor(3.0 * x) + np.arcsinh(y)

    found = ccc.sympy.expression(of_many, X, Y)
    slopes = ccc.sympy.expression(ccc.gradient(of_many), X, Y)
    for at in ((0.37, 1.2), (1.5, 0.3), (0.75, 0.75), (-1.5, -2.0)):
        there = dict(zip((X, Y), map(sympy.Float, at), strict=True))
        assert float(found.subs(there)) == pytest.approx(float(of_many(*at)), rel=1e-12)
        for slope, expected in zip(slopes, ccc.gradient(of_many)(*at), strict=True):
            assert float(slope.subs(there)) == pytest.approx(expected, rel=1e-12)


def test_tests_of_what_tests_chose_and_loops_that_end_are_expressions():
    def walk(x: Any, y: Any) -> Any:
        n = 0
        while abs(x) < 2.0 and n < 4:
            x = x + y if x < 0.5 else 1.5 * x - 0.25
            n += 1
        return x * y

    found = ccc.sympy.expression(walk, X, Y)
    slopes = ccc.sympy.expression(ccc.gradient(walk), X, Y)
    for at in ((0.37, 1.2), (-0.5, 0.3), (0.75, 0.75), (3.0, 0.1)):
        there = dict(zip((X, Y), map(sympy.Float, at), strict=True))
        assert float(found.subs(there)) == pytest.approx(walk(*at), rel=1e-12)
        for slope, expected in zip(slopes, ccc.gradient(walk)(*at), strict=True):
            assert float(slope.subs(there)) == pytest.approx(expected, rel=1e-12)


def test_programs_of_too_many_ways_are_refused():
    def many(x: Any) -> Any:
        for i in range(9):
            x = 1.5 * x - i if math.sin(x) < 0.1 * i else x * x
        return x

    with pytest.raises(ccc.CCCError, match="SymPy has no expression for what goes more than 256 ways"):
        ccc.sympy.expression(many, X)
