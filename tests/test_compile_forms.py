"""Primitives on arguments of every form, and what such calls found wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])
TABLE = np.array([[1.0, 5.0, 2.0], [4.0, 3.0, 9.0]])


@TARGETS
@pytest.mark.parametrize(("f", "expected"), [
    (lambda x: np.max(x, axis=1, keepdims=True), [[0, 1, 0], [0, 0, 2]]),
    (lambda x: x.max(axis=1, keepdims=True), [[0, 1, 0], [0, 0, 2]]),
    (lambda x: np.min(x, axis=1, keepdims=True), [[1, 0, 0], [0, 2, 0]]),
    (lambda x: np.ptp(x, axis=1, keepdims=True), [[-1, 1, 0], [0, -2, 2]]),
    (lambda x: np.nanmax(x, axis=1, keepdims=True), [[0, 1, 0], [0, 0, 2]]),
    (lambda x: np.std(x, axis=1, keepdims=True) * 0.0 + np.sum(x, axis=1, keepdims=True), [[1, 1, 1], [2, 2, 2]]),
])  # fmt: skip
def test_the_pullback_of_a_kept_axis(f: Callable[..., Any], expected: Any, backend: str) -> None:
    """It read the memory behind the cotangent."""
    found = ccc.vjp(f, TABLE, backend=backend)[1](np.array([[1.0], [2.0]]))
    np.testing.assert_allclose(found[0], expected, atol=1e-15)


@TARGETS
@pytest.mark.parametrize("same", [
    lambda t: np.float64(t), lambda t: np.double(t), lambda t: np.asarray(t, dtype=float), lambda t: np.diff(t, n=0),
    lambda t: np.asarray(t, dtype="float64"), lambda t: np.asarray(t), lambda t: np.float64(np.asarray(t)),
])  # fmt: skip
def test_results_that_are_their_argument(same: Callable[..., Any], backend: str) -> None:
    """They were taken for new arrays: what is written into them was lost, and the caller's array was written."""
    def assigned(x: Any) -> Any:
        t = x * 1
        u = same(t)
        u[0] = 9.0
        return np.sum(t * 2)

    def read(x: Any) -> Any:
        t = same(x)
        return np.sum(np.sin(t) * t)

    np.testing.assert_array_equal(ccc.gradient(assigned, backend=backend)(np.array([1.0, 2.0])), [0.0, 2.0])
    x = np.array([1.0, 2.0])
    found = ccc.gradient(read, backend=backend)(x)
    assert not np.shares_memory(found, x)
    np.testing.assert_array_equal(x, [1.0, 2.0])
    np.testing.assert_allclose(found, np.sin(x) + x * np.cos(x))
    _, tangent = ccc.jvp(ccc.gradient(read, backend=backend), (x,), (np.ones(2),), backend=backend)
    np.testing.assert_allclose(tangent, 2 * np.cos(x) - x * np.sin(x))


@TARGETS
def test_heaviside_in_its_value_at_zero(backend: str) -> None:
    gradient = ccc.gradient(lambda x, h: np.heaviside(x, h) * 3.0, backend=backend)
    assert gradient(0.0, 0.5) == (0.0, 3.0)
    assert gradient(1.0, 0.5) == (0.0, 0.0)


@TARGETS
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3,), (2, 1, 2)])
def test_inner_with_a_number(shape: tuple[int, ...], backend: str) -> None:
    """The array was transposed, or did not fit."""
    m = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    for f in (lambda a, m: np.sum(np.inner(a, m) * m), lambda a, m: np.sum(np.inner(m, a) * m)):
        da, dm = ccc.gradient(f, backend=backend)(2.0, m)
        np.testing.assert_allclose(da, np.sum(m * m))
        np.testing.assert_allclose(dm, 4.0 * m)


@TARGETS
def test_no_spread_has_no_slope_of_any_order(backend: str) -> None:
    """A deviation of a number is 0 everywhere; a norm at 0 has the slope of least norm, which counts as constant."""
    for f in (np.std, np.var, np.ptp):
        g = ccc.gradient(lambda x, f=f: f(x), backend=backend)
        assert g(3.5) == ccc.gradient(g, backend=backend)(3.5) == 0.0
    for f in (np.std, np.linalg.norm, lambda x: np.hypot(x[0], x[1])):
        assert not np.any(ccc.hessian(lambda x, f=f: f(x), backend=backend)(np.zeros(2)))
    assert not np.any(ccc.hessian(lambda x: np.std(x), backend=backend)(np.full(3, 2.0)))


@TARGETS
@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.exp2(x)), lambda x: np.sum(np.sin(x).transpose(0)), lambda x: np.sum(np.transpose(x, 0) ** 2),
    lambda x: np.sum(np.sum(x, axis=()) ** 2), lambda x: np.sum(np.mean(x, axis=()) ** 2),
    lambda x: np.sum(np.max(x, axis=()) ** 2), lambda x: np.sum(np.nansum(x, axis=()) ** 2),
    lambda x: np.sum(np.ptp(x, axis=()) ** 2), lambda x: np.sum(x.min(axis=(), keepdims=True) ** 2),
    lambda x: np.sum(np.var(x, axis=()) + np.std(x, axis=()) ** 2),
])  # fmt: skip
def test_forms_that_machine_code_ended_with_an_error(f: Callable[..., Any], backend: str) -> None:
    x = np.array([0.5, -1.5, 2.0])
    found = ccc.gradient(f, backend=backend)(x)
    steps = [np.eye(3)[i] * 1e-6 for i in range(3)]
    np.testing.assert_allclose(found, [(f(x + h) - f(x - h)) / 2e-6 for h in steps], atol=1e-7)


@TARGETS
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 2), (2, 1, 3, 2)])
@pytest.mark.parametrize("join", [
    np.vstack, np.hstack, np.column_stack, np.stack, lambda x: np.stack(x, axis=-1), np.concatenate,
    lambda x: np.concatenate(x, axis=-1), lambda x: np.concatenate(x, axis=None),
])  # fmt: skip
def test_the_rows_of_one_array_joined(join: Callable[..., Any], shape: tuple[int, ...], backend: str) -> None:
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    try:
        expected = join(x)
    except ValueError as error:
        with pytest.raises((ValueError, CCCError), match=str(error)):
            ccc.vjp(join, x, backend=backend)
        return
    value, pullback = ccc.vjp(join, x, backend=backend)
    np.testing.assert_array_equal(value, expected)
    ct = np.sin(np.arange(expected.size)).reshape(expected.shape)
    np.testing.assert_array_equal(join(pullback(ct)[0]), ct)
