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


def one_part_of_each(x):
    z = np.fft.fft(x, axis=0, norm="ortho") * (1 - 0.5j)
    t = np.imag(np.fft.ifft(z, axis=0)) * x + np.real(np.fft.fft(z)) + np.real(np.fft.fft2(z, norm="forward"))
    return np.sum(np.sin(t)) + np.sum(np.imag(np.fft.ifftn(z)) ** 3)


def derivatives_of_a_field(x):
    k = 2.0 * np.pi * np.fft.fftfreq(x.shape[0], 0.5)
    slope = np.real(np.fft.ifft(1j * k * np.fft.fft(x)))
    return np.sum(np.real(np.fft.ifft(-k * k * np.fft.fft(x))) * x * slope)


CASES: list[tuple[Any, tuple[int, ...]]] = [
    (spectrum, (8,)), (spectrum, (37,)), (of_reals, (6,)), (of_reals, (1,)), (half, (8,)), (half, (9,)), (half, (2,)),
    (filtered, (8,)), (filtered, (9,)), (to_other_sizes, (8,)), (to_other_sizes, (3,)), (in_a_plane, (4, 6)),
    (along_the_first, (5, 3)), (in_a_loop, (3, 8)), (one_part_of_each, (4, 5)), (one_part_of_each, (5, 1)),
    (derivatives_of_a_field, (8,)), (derivatives_of_a_field, (7,)), (derivatives_of_a_field, (1,)),
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


def test_a_part_that_nothing_reads_is_not_computed_and_sums_are_transformed_once() -> None:
    """Forward: the field, and the real parts of two. Back: both from real numbers, and their sum."""
    code = ccc.explain(derivatives_of_a_field, RNG.normal(size=8)).code
    assert code.count(" transform(") == 3 and code.count("part=0") == 4
    assert code.count("transform_onto(") == 3 and code.count("of='fftn'") == 2


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_frequencies_are_numpys(n: int) -> None:
    f = ccc.compiled(lambda n, d: (np.fft.fftfreq(n, d), np.fft.rfftfreq(n, d)), backend="native")
    for found, wanted in zip(f(n, 0.3), (np.fft.fftfreq(n, 0.3), np.fft.rfftfreq(n, 0.3)), strict=True):
        assert np.allclose(found, wanted, rtol=1e-15) and found.dtype == wanted.dtype


def test_no_points_raise_as_in_numpy() -> None:
    f = ccc.compiled(spectrum, backend="native")
    f(np.ones(4))
    with pytest.raises(ValueError, match="data points"):
        f(np.zeros(0))
