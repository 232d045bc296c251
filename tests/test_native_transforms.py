"""Fourier transforms in machine code: the loops of NumPy's ufuncs, and so NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.native import runtime

RNG = np.random.default_rng(7)
pytestmark = pytest.mark.skipif(not runtime.transforms(), reason="NumPy has no ufuncs of transforms")


def spectrum(x):
    return np.sum(np.abs(np.fft.fft(x * (1 + 2j))) ** 3)


def of_reals(x):
    return np.sum(np.real(np.fft.fft(x)) ** 3 + np.imag(np.fft.ifft(x, norm="ortho")) ** 3)


def half(x):
    return np.sum(np.abs(np.fft.rfft(x, norm="forward")) ** 2 * np.arange(len(x) // 2 + 1))


def filtered(x):
    return np.sum(np.fft.irfft(np.fft.rfft(x) * np.exp(-0.1 * np.arange(len(x) // 2 + 1)), len(x)) ** 3)


def to_other_sizes(x):
    shorter, longer = np.fft.fft(x * (1 + 1j), 5), np.fft.rfft(x, 12)
    return np.sum(np.abs(shorter) ** 3) + np.sum(np.abs(longer) ** 3) + np.sum(np.fft.irfft(x * (1 - 2j), 9) ** 3)


def in_a_plane(x):
    kept = np.real(np.fft.ifft2(np.fft.fft2(x) * np.arange(x.shape[1])))
    return np.sum(kept**3) + np.sum(np.fft.irfft2(np.fft.rfft2(x))[:, ::2] ** 3)


def along_the_first(x):
    return np.sum(np.real(np.fft.ifft(np.fft.fft(x, axis=0) * x, axis=0)) ** 3)


def in_a_loop(x):
    total = 0.0
    for i in range(x.shape[0]):
        x = np.real(np.fft.ifft(np.fft.fft(x) * 0.9)) + 0.1 * x
        total = total + np.sum(np.abs(np.fft.fft(x[i])) ** 2)
    return total


CASES: list[tuple[Any, tuple[int, ...]]] = [
    (spectrum, (8,)), (spectrum, (37,)), (of_reals, (6,)), (of_reals, (1,)), (half, (8,)), (half, (9,)), (half, (2,)),
    (filtered, (8,)), (filtered, (9,)), (to_other_sizes, (8,)), (to_other_sizes, (3,)), (in_a_plane, (4, 6)),
    (along_the_first, (5, 3)), (in_a_loop, (3, 8)),
]  # fmt: skip


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "shape"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_values_and_gradients_are_those_of_numpy(f: Any, shape: tuple[int, ...]) -> None:
    x = RNG.normal(size=shape)
    derive = ccc.gradient(f, backend="native")
    assert np.isclose(ccc.compiled(f, backend="native")(x), f(x), rtol=1e-13)
    found = derive(x)
    assert np.allclose(found, ccc.gradient(f, backend="numpy")(x), rtol=1e-11, atol=1e-12)
    assert np.allclose(found, differences(f, x), rtol=1e-5, atol=1e-6)
    assert str(ccc.explain(derive, x).backend) == "native"  # without a call that goes out
    narrow = x.astype(np.float32)
    found, wanted = derive(narrow), ccc.gradient(f, backend="numpy")(narrow)
    assert found.dtype == wanted.dtype
    assert np.allclose(found, wanted, rtol=1e-3, atol=1e-3)


def test_a_transform_has_the_bits_of_numpy() -> None:
    def transformed(x):
        z = np.fft.fft(x * (1 - 2j))
        return np.stack([np.real(z), np.imag(z)])

    for n in (1, 12, 37, 64):
        x = RNG.normal(size=n)
        assert np.array_equal(ccc.compiled(transformed, backend="native")(x), transformed(x))


def test_no_points_raise_as_in_numpy() -> None:
    f = ccc.compiled(spectrum, backend="native")
    f(np.ones(4))
    with pytest.raises(ValueError, match="data points"):
        f(np.zeros(0))
