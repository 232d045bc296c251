"""Functions of `np.emath`, which are complex beyond their domain, and the truth of complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc

emath: Any = np.emath
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda x: emath.sqrt(x), "log": lambda x: emath.log(x), "log2": lambda x: emath.log2(x),
    "log10": lambda x: emath.log10(x), "logn": lambda x: emath.logn(3.0, x), "power": lambda x: emath.power(x, 1.5),
    "below": lambda x: emath.power(x, -2.0), "arcsin": lambda x: emath.arcsin(x), "arccos": lambda x: emath.arccos(x),
    "arctanh": lambda x: emath.arctanh(x),
}  # fmt: skip
POINTS: list[Any] = [0.3, -0.4, 1.7, -2.2, np.array([0.3, 0.7]), np.array([0.3, -0.7]), np.array([[1.5, -0.2]])]
OTHERS: list[Any] = [0.3 + 0.2j, np.array([0.3 + 1j, -0.2]), [0.3, -2.0], -3, np.array([1.5, -2.0])]
BACKENDS = pytest.mark.parametrize("backend", ["numpy", "native"])


@BACKENDS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_numpy(name, backend):
    compiled = ccc.compiled(FUNCTIONS[name], backend=backend)
    for x in [*POINTS, *OTHERS]:
        found, expected = compiled(x), FUNCTIONS[name](x)
        assert type(found) is type(expected), x
        assert np.shape(found) == np.shape(expected)
        assert np.allclose(found, expected, rtol=1e-13, atol=1e-13), x


@BACKENDS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_differences(name, backend):
    def size(x):
        y = FUNCTIONS[name](x)
        return np.sum(np.abs(y) ** 2) + np.sum(np.real(y))

    slope = ccc.gradient(size, backend=backend)
    for x in POINTS:
        assert np.allclose(slope(x), differences(size, np.asarray(x)), rtol=1e-6, atol=1e-7), x


def test_the_root_of_one_complex_number_is_a_number():
    def root(z):
        return np.sqrt(np.asarray(z))

    assert type(ccc.compiled(root)(-0.4 + 0.1j)) is type(root(-0.4 + 0.1j)) is np.complex128


def test_whole_powers_of_whole_numbers_are_refused():
    with pytest.raises(ccc.CCCError, match=r"np.emath.power of integers"):
        ccc.compiled(lambda n: emath.power(n, 2))(3)
    assert ccc.compiled(lambda x: emath.power(x, -2))(0.5) == 4.0


def sizes(z):
    total = abs(z) if z else 2.0
    if not z:
        total += 5.0
    return total * (3.0 if bool(z) else 4.0) + abs(z or 7.0)


def truths_of_arrays(z):
    return np.any(z) * 1.0 + np.all(z) * 2.0 + np.sum(np.logical_not(z)) * 4.0 + z.any() * 8.0 + np.sum(z.all(axis=0))


@BACKENDS
def test_complex_numbers_are_true_where_they_are_not_zero(backend):
    for z in (0j, 0.3j, 1.0 + 0j, complex("nan")):
        assert np.array_equal(ccc.compiled(sizes, backend=backend)(z), sizes(z), equal_nan=True)
    for z in (np.zeros((2, 2), complex), np.array([[0j, 1j], [0j, 2.0]])):
        assert ccc.compiled(truths_of_arrays, backend=backend)(z) == truths_of_arrays(z)
    with pytest.raises(ValueError, match="ambiguous"):
        ccc.compiled(lambda z: 1.0 if z else 2.0, backend=backend)(np.array([1j, 2j]))
