"""What random compositions found: each program was wrong, or ended in an exception from inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from compile.diagnostics import CompileError
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


def test_powers_by_a_list_beside_an_array() -> None:
    agrees(lambda x: np.sum(pow(x, [2, 1, 3])), X)
    with pytest.raises(CompileError, match="CC027"):
        ccc.gradient(lambda x: np.sum(pow([2.0, 1.0, 3.0], [2, 1, 3]) * x))(X)  # type: ignore


def cumulative(x: Any) -> Any:
    return np.sum(x[0].cumsum(axis=0) * x)


def rolled_by_truths(x: Any) -> Any:
    return np.sum(np.roll(x, x > 0.5) * x)


def correlated_by_number(x: Any) -> Any:
    return np.sum(np.correlate(x, x[:2], mode=2) ** 2) + np.sum(np.convolve(x, 0.5, 1) * x)  # type: ignore


def converted(x: Any) -> Any:
    return np.sum(np.asarray(x, dtype=float) * x)


@pytest.mark.parametrize(("f", "x"), [
    (cumulative, X), (rolled_by_truths, X), (correlated_by_number, X), (converted, 0.5),
])  # fmt: skip
def test_forms_of_arguments_agree(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [
    lambda x: np.vdot(x, 0.5), lambda x: np.vdot(x, x[:2]), lambda x: np.dot(x[:, None], x[1:]),
    lambda x: np.inner(x[:, None], x[1:]), lambda x: (np.vdot(x, 0.5), x)[1],
])  # fmt: skip
def test_products_do_not_stretch_what_they_sum_over(f: Callable[..., Any], backend: str) -> None:
    """Machine code took a vector of one entry for a longer one, and its derivative read memory that is not its own."""
    if backend == "native":
        pytest.importorskip("llvmlite")
    for run in (Transform(f, backend=backend), ccc.value_with_pullback(f, backend=backend)):
        with pytest.raises(ValueError):
            run(X)


@pytest.mark.parametrize("f", [
    lambda x: np.fliplr(x), lambda x: np.correlate(0.5, 0.5) * x, lambda x: np.searchsorted(x, 0.5, side="valid") * x,  # type: ignore
    lambda x: np.convolve(x, x, mode=3), lambda x: np.correlate(x, x, mode=None),  # type: ignore
])  # fmt: skip
def test_what_numpy_refuses_is_refused_by_name(f: Callable[..., Any]) -> None:
    with pytest.raises(CompileError, match="CC027"):
        Transform(f)(X)


def test_a_pullback_reads_arrays_backwards_where_the_caller_does() -> None:
    """NumPy rounds by the direction; the copy that a pullback keeps went forwards."""
    run = ccc.value_with_pullback(lambda x: np.sum(np.exp(x) * 1.5) + x @ x, backend="numpy")
    r = np.random.default_rng(0)
    for n in (1, 2, 5):
        for _ in range(60):
            x = r.uniform(-2.0, 2.0, n)[::-1]
            assert run(x)[0] == np.sum(np.exp(x) * 1.5) + x @ x


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_scalar_of_numpy_is_squeezed_to_itself(backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    assert type(Transform(lambda x: (0.5 - x).squeeze(), backend=backend)(POINT)) is np.float64


def test_the_sign_of_zero_that_is_subtracted() -> None:
    def f(x: Any) -> Any:
        t = x * 0.0
        np.subtract.at(t, 1, np.argmax(x) * 0)
        return t

    np.testing.assert_array_equal(np.signbit(Transform(f)(-np.abs(X))), np.signbit(f(-np.abs(X))))
