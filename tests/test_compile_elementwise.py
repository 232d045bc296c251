"""Derivatives of each item of an array: what differences and autograd's `elementwise_grad` say, or a refusal."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments

X = np.linspace(-1.4, 1.7, 84).reshape(2, 42)


def curve(x: Any) -> Any:
    return np.exp(-x * x) * np.sin(x) / (1.0 + x**4) + np.where(x > 0.0, x**3, np.log1p(x * x))


def test_each_item_has_its_derivative():
    found = ccc.derivative(curve)(X)
    assert found.shape == X.shape and found.dtype == X.dtype
    np.testing.assert_allclose(found, (curve(X + 1e-6) - curve(X - 1e-6)) / 2e-6, atol=1e-8)
    np.testing.assert_allclose(found, [[ccc.derivative(curve)(x) for x in row] for row in X.tolist()], rtol=1e-12)
    np.testing.assert_allclose(found, ccc.gradient(lambda x: np.sum(curve(x)))(X), rtol=1e-12)


def test_machine_code_computes_them():
    found = ccc.derivative(lambda x: x * x * np.sin(x), backend="native")(X)
    np.testing.assert_allclose(found, 2.0 * X * np.sin(X) + X * X * np.cos(X), rtol=1e-12)
    with pytest.raises(ValueError, match="depends on other items"):
        ccc.derivative(lambda x: x * x[::-1], backend="native")(X[0])


def test_it_nests_and_is_differentiated_in_programs():
    np.testing.assert_allclose(ccc.derivative(ccc.derivative(np.sin))(X), -np.sin(X), rtol=1e-14)
    found = ccc.gradient(lambda x, a: np.sum(ccc.derivative(lambda t: np.sin(a * t))(x * x)))(X, 0.7)
    np.testing.assert_allclose(found[0], -0.49 * np.sin(0.7 * X * X) * 2.0 * X, rtol=1e-12)
    slope = np.cos(0.7 * X * X) - 0.7 * X * X * np.sin(0.7 * X * X)
    np.testing.assert_allclose(found[1], np.sum(slope), rtol=1e-12)
    assert ccc.derivative(np.tanh)(X.astype(np.float32)).dtype == np.float32
    assert ccc.derivative(np.tanh)(np.zeros((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_it_is_that_in_one_of_several_arguments(backend: str):
    def wave(x, k, n=2):
        return np.sin(k * x) ** n, n

    first = ccc.derivative(wave, has_aux=True, backend=backend)
    second = ccc.derivative(wave, wrt="k", has_aux=True, backend=backend)
    for found, n in (first(X, 3.0), first(X, 3.0, n=2), first(X, k=3.0)):
        np.testing.assert_allclose(found, 3.0 * np.sin(6.0 * X), rtol=1e-12)
        assert n == 2
    assert second(0.5, 3.0, 2) == (pytest.approx(0.5 * math.sin(3.0), rel=1e-14), 2)
    assert ccc.derivative(lambda x, n: x**n, backend=backend)(2.0, 3) == 12.0
    mixed = ccc.derivative(ccc.gradient(lambda x, y: x**2 * y**3, wrt="y"), backend=backend)
    assert mixed(2.0, 3.0) == 108.0
    inside = ccc.gradient(lambda x: ccc.derivative(lambda a, b: a**3 * b, wrt=1)(x, 2.0), backend=backend)
    assert inside(3.0) == 27.0


MIXED = {
    "a sum in each": lambda x: x / np.sum(x),
    "the other way round": lambda x: x[::-1],
    "one further": lambda x: np.roll(x, 1),
    "as far as there are digits": lambda x: np.roll(x, 32),
    "one item of another": lambda x: x + 1e-6 * np.where(np.arange(np.size(x)) == 70, np.roll(x, 64), 0.0),
    "second differences": lambda x: np.roll(x, 1) - 2.0 * x + np.roll(x, -1),
    "running sums": np.cumsum,
}


@pytest.mark.parametrize("name", MIXED)
def test_items_that_depend_on_others_are_refused(name: str):
    with pytest.raises(ValueError, match=r"depends on other items of the array; take ccc\.jacobian"):
        ccc.derivative(MIXED[name])(np.linspace(0.3, 2.0, 72))


def test_other_shapes_integers_and_functions_of_numbers_are_refused():
    with pytest.raises(ValueError, match="the value has another shape"):
        ccc.derivative(lambda x: x[1:])(X[0])
    for f in (lambda x: np.outer(x, x), lambda x: (x, x)):
        with pytest.raises(WrongArguments, match="1 axis the value is"):
            ccc.derivative(f)(X[0])
    for run in (ccc.derivative(lambda x: x * x), ccc.compiled(lambda x: ccc.derivative(lambda x: x * x)(x))):
        with pytest.raises(WrongArguments, match=r"`x` is an array of int64; derivatives need real numbers"):
            run(np.array([1, 2]))
    with pytest.raises(ccc.CCCError, match="use NumPy's function"):
        ccc.derivative(lambda x: math.sin(x))(X)
    np.testing.assert_array_equal(ccc.vmap(ccc.derivative(lambda x: math.sin(x)))(X[0]), list(map(math.cos, X[0])))


def test_what_is_not_finite_stays():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ccc.derivative(lambda x: x * x)(np.array([np.nan, np.inf, 1e300, 5e-324]))
    np.testing.assert_array_equal(found, [np.nan, np.inf, 2e300, 1e-323])


def test_functions_of_numbers_as_ufuncs():
    def f(x: Any) -> Any:
        steep = np.frompyfunc(lambda t: 0 if t < 0 else t * 1.5, 1, 1)
        both = np.frompyfunc(lambda t, s: t * s + math.sin(t), 2, 1)
        return np.sum(steep(x).astype(float)) + np.sum(both(x, x[0])) * both(x[1], 2.0)

    x = np.array([-0.3, 0.5, 1.2])
    value, slope = ccc.value_with_gradient(f)(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    steps = [1e-6 * row for row in np.eye(3)]
    np.testing.assert_allclose(slope, [(f(x + h) - f(x - h)) / 2e-6 for h in steps], rtol=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_function_of_numbers_is_called_once_for_each(backend, capsys):
    def noisy(t: float) -> float:
        print("at", t)
        return t * t

    def f(x: Any) -> Any:
        return np.frompyfunc(noisy, 1, 1)(x)

    compiled = ccc.compiled(f, backend=backend)
    for x in (0.5, np.array([0.5, 2.0])):
        expected = f(x)
        said = capsys.readouterr().out
        found = compiled(x)
        assert capsys.readouterr().out == said
        assert np.array_equal(found, expected)
        assert type(found) is type(expected)
