"""Complex numbers go by their real parts, equal ones by their imaginary parts, as NumPy orders them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_compile_numpy_forms import WITH_NUMPY, all_agree, with_scipy

import ccc

TIED = "z = np.array([1.0 + 1j, 1.0 + 2j, 1.0 - 3j, 0.5]) * s; r = "
BY_PARTS = [
    'z = v + 1j*w; r = np.pad(z, 2, mode="maximum")', 'z = v + 1j*w; r = np.pad(z, 2, mode="minimum")',
    'z = v + 1j*w; r = np.pad(z, 2, mode="median")',
]
"""Of which each part has another order."""
PROGRAMS = [
    *BY_PARTS, *[TIED + text for text in (
        "np.max(z)", "z.min()", "np.sort(z)", "z[np.argmax(z)]", "np.median(z)", "np.unique(np.concatenate([z, z]))",
        "np.maximum(z, z[::-1])", "np.clip(z, 0.7, 1.9 + 1j)", "np.ptp(z)", "z[z > z[0]]",
        "np.searchsorted(np.sort(z), z) * z", "np.fmin(z, 1.6 + 0j)")],
    "z = m + 1j*m.T; r = np.median(z, axis=(0, 1), keepdims=True)", "z = m + 1j*m.T; r = np.sort(z, axis=None)",
    "np.partition(v + 1j * v[::-1], 2)", "np.partition(m + 1j * m.T, (0, 2), axis=None)",
    "np.argpartition(m + 1j * m.T, 1, axis=0) * s", "np.average(m + 1j * m.T, axis=1, weights=m + 3, keepdims=True)",
    "np.average(m + 1j * m.T, axis=0, weights=v[:3] + 3, returned=True)[1]", "np.average(v, weights=v + 3 + 1j)",
    "np.average(m + 1j * m.T, axis=1)", "np.histogram(v, bins=2, weights=v * 1j + v, density=True)[0]",
    "np.diff(v + 1j * w, n=0, prepend=1.0)", "np.diff(v + 1j * w, n=2, append=[1j])",
    "np.linalg.tensorsolve((m + 1j * m.T).reshape(3, 3), v[:3] + 1j)",
    "np.linalg.tensorinv((m + 1j * m.T).reshape(3, 3), ind=1)",
    "z = np.where(v > 0, v, np.nan) + 1j*w; r = [np.nanmax(z), np.sort(z)[:3], np.fmax(z, v)]",
]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_they_are_as_in_numpy(backend: str):
    all_agree(PROGRAMS, WITH_NUMPY, backend)


def test_factors_of_complex_matrices_are_no_array():
    program = "linalg.cho_solve(linalg.cho_factor(m @ m.T + 1j * (m - m.T) + 3 * np.eye(3)), v[:3])"
    all_agree([program], with_scipy(), "numpy")


def test_averages_say_what_fits_not():
    z = np.array([[1.0, 2.0j], [3.0, 4.0]])
    cases: list[tuple[Any, Any, type[Exception]]] = [
        (z[0], None, TypeError), (z[:1], 0, ValueError), (z - z, None, ZeroDivisionError)]
    for weights, axis, error in cases:
        def f(x: Any, w: Any, axis: Any = axis) -> Any:
            return np.average(x, axis=axis, weights=w)

        for g in (f, ccc.compiled(f)):
            with pytest.raises(error):
                g(z, weights)


def test_differences_have_an_order():
    with pytest.raises(ValueError, match="order must be non-negative but got -1"):
        ccc.compiled(lambda z: np.diff(z, n=-1))(np.array([1.0, 2.0j]))


def test_equal_ones_share_the_slope_of_the_greatest():
    def greatest(x: Any) -> Any:
        return np.max(x + 1j * np.ones(3)).real

    np.testing.assert_allclose(ccc.gradient(greatest)(np.array([1.0, 2.0, 2.0])), [0.0, 0.5, 0.5])


def test_what_is_no_number_is_the_greatest_and_the_last():
    z = np.array([1.0, np.nan, 3.0]) + 1j * np.array([0.0, 1.0, np.nan])
    for function in (np.max, np.min, np.argmax, np.argmin):
        np.testing.assert_array_equal(ccc.compiled(lambda z, f=function: f(z))(z), function(z))
    np.testing.assert_array_equal(ccc.compiled(np.sort)(z), np.sort(z))


def compared(x: Any) -> Any:
    first, second = complex(x, 1.0), complex(1.0, x)
    return 1.0 if first < second else x  # type: ignore[reportOperatorIssue]


def test_complex_numbers_of_python_have_no_order():
    with pytest.raises((TypeError, ccc.CCCError), match="not supported between instances"):
        ccc.gradient(compared)(0.5)


def test_a_view_of_complex_numbers_as_reals_is_refused_with_an_array_in_its_place():
    with pytest.raises(ccc.CCCError, match=r"np\.stack\(\[z\.real, z\.imag\], axis=-1\)"):
        ccc.gradient(lambda x: np.sum((x + 1j).view(float)))(np.ones(2))


def test_methods_that_order_and_round():
    """NumPy's text of such a function calls the method."""
    at = np.array([0.7, -1.9, 1.2, 2.6])

    def f(v: Any) -> Any:
        z = v + 1j * v[::-1]
        return np.sum(z.argsort() * v) + np.sum(np.abs(z.clip(0.5, 1j + 1))) + z.argmax() + np.sum(z.round(1).real)

    found, slope = ccc.value_with_gradient(f)(at)
    assert found == pytest.approx(f(at), rel=1e-14)
    h = 1e-6 * np.cos(np.arange(4.0))
    steps = (f(at + h) - f(at - h)) / 2.0
    assert np.sum(slope * h) == pytest.approx(steps, rel=1e-6)
