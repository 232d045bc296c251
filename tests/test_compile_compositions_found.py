"""What random compositions found: each program was wrong, or ended in an exception from inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from compile.wrapper import Transform

X, ONE, POINT = np.array([0.3, 0.9, -0.4]), np.array([0.7]), np.array(0.6)


def sizes_of_lists(x: Any) -> Any:
    return np.sum(x) * np.ndim([x, x]) + x[0] * np.shape([x, x])[0] + x[1] * np.size((x, x))


def between_arrays(x: Any) -> Any:
    return np.sum(np.sin(np.linspace(x, x[:1] * x, 4)))


def from_a_number(x: Any) -> Any:
    return np.sum(np.sin(np.linspace(1.5, x, 4)))


def axes_of_a_number(x: Any) -> Any:
    return np.sum(np.sin(x)) + np.sum(x[..., None] * x * 1.5)


@pytest.mark.parametrize(("f", "x"), [
    (sizes_of_lists, X), (between_arrays, X), (from_a_number, ONE), (from_a_number, X), (from_a_number, POINT),
])
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_an_array_without_axes_is_indexed_in_a_derivative(backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    gradient = ccc.gradient(axes_of_a_number, backend=backend)
    assert gradient(POINT) == pytest.approx(np.cos(0.6) + 1.8)
    for second in (ccc.value_with_pullback(gradient, backend=backend), ccc.value_with_differential(gradient)):
        assert second(POINT)[1](np.array(1.0)) == pytest.approx(3.0 - np.sin(0.6))


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [
    lambda x: x.take(1), lambda x: np.take(x, 1), lambda x: x[0].copy(), lambda x: x[:1].take(0),
])  # fmt: skip
def test_scalars_of_numpy_stay_scalars(f: Callable[..., Any], backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    found = Transform(f, backend=backend)(X)
    assert type(found) is np.float64 and found == f(X)


def test_values_beside_pullbacks_have_the_bits_of_other_layouts() -> None:
    """What is kept of an argument lay by rows, so that sums of it were in another order."""
    r = np.random.default_rng(0)
    for _ in range(20):
        x = np.asfortranarray(r.normal(size=(7, 9)))
        for f in (lambda x: np.std(x) * 2.0, lambda x: np.sum(np.sin(x.copy()))):
            assert ccc.value_with_pullback(f, backend="numpy")(x)[0] == f(x)


def test_powers_by_a_list() -> None:
    ns = list(range(len(X)))
    found = ccc.gradient(lambda x: np.sum(pow(x, ns)))(X)
    np.testing.assert_allclose(found, [n * x ** (n - 1) if n else 0.0 for n, x in zip(ns, X, strict=True)])
