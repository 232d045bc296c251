"""Functions of `scipy.fft`: values are SciPy's, first and second derivatives those of differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import bends_agree, differences

import ccc
from ccc.compile.diagnostics import CompileError

fft = pytest.importorskip("scipy.fft")
RNG = np.random.default_rng(0)
A, W = RNG.normal(size=(3, 5)), RNG.normal(size=(8, 8))
SHAPED = {"type": (1, 2, 3, 4), "norm": (None, "ortho", "forward"), "orthogonalize": (None, True, False)}


def weighed(z: Any) -> Any:
    """A number that depends on all of a real or complex array, by no linear map."""
    m, n = np.shape(z)
    return np.sum(W[:m, :n] * z.real**2) + np.sum(W[:m, 1 : n + 1] * z.imag**3 + z.imag)


def weighed_real(z: Any) -> Any:
    m, n = np.shape(z)
    return np.sum(W[:m, :n] * (z**2 + z**3))


@pytest.mark.parametrize("of", ["dct", "idct", "dst", "idst"])
def test_cosines_and_sines(of: str):
    transform = getattr(fft, of)
    for type in SHAPED["type"]:
        for norm in SHAPED["norm"]:
            for orthogonalize in SHAPED["orthogonalize"]:
                f = lambda x: transform(x, type, norm=norm, orthogonalize=orthogonalize)  # noqa: B023, E731
                np.testing.assert_array_equal(ccc.compiled(f, backend="numpy")(A), f(A))
                pulled = ccc.pullback(f, backend="numpy")(A)(W[:3, :5])
                matrix = f(np.eye(5))
                np.testing.assert_allclose(pulled, W[:3, :5] @ matrix.T, rtol=1e-12, atol=1e-13)


def many(x: Any) -> Any:
    """Sizes, axes and several axes, of real transforms."""
    return (weighed_real(fft.dct(x, n=4)) + weighed_real(fft.dct(x, n=7, axis=0)) + weighed_real(fft.dctn(x))
            + weighed_real(fft.idctn(x, 3, axes=(0,), norm="ortho")) + weighed_real(fft.dstn(x, s=(4, 4)))
            + weighed_real(fft.idstn(x, 1)) + weighed_real(fft.irfft2(fft.rfft2(x) ** 2, (3, 5)))
            + weighed_real(fft.irfft(x, 6)) + weighed_real(fft.irfftn(fft.rfftn(x) ** 2, (3, 5))))


def complex_ones(x: Any) -> Any:
    y = x + 0.5j * x**2
    return (weighed(fft.fft(x)) + weighed(fft.ifft(y, 6, axis=0, norm="ortho")) + weighed(fft.rfft(x, norm="forward"))
            + weighed(fft.fft2(y)) + weighed(fft.ifftn(fft.fftn(y) ** 2, workers=2))
            + weighed(fft.ihfft(x)) + weighed_real(fft.hfft(y, 4)) + weighed(fft.fftshift(fft.ifft2(y)))
            + weighed(fft.ifftshift(y, axes=1)) + np.sum(fft.fftfreq(5, 0.5) * x) + np.sum(fft.rfftfreq(9) * x))


@pytest.mark.parametrize("f", [many, complex_ones])
def test_derivatives(f: Any):
    slope = ccc.gradient(f, backend="numpy")
    assert ccc.value_with_gradient(f)(A)[0] == pytest.approx(f(A), rel=1e-12)
    np.testing.assert_allclose(slope(A), differences(f, A), rtol=1e-7, atol=1e-7)
    u = np.cos(np.arange(15.0)).reshape(3, 5)
    assert ccc.jvp(f, (A,), (u,))[1] == pytest.approx(np.sum(slope(A) * u), rel=1e-10)
    bends_agree(f, A, u)


def test_single_precision_and_whole_numbers():
    assert ccc.compiled(lambda x: fft.dct(x))(A.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(ccc.compiled(lambda x: fft.dct(x))(np.arange(4)), fft.dct(np.arange(4)))


def test_what_is_not_taken():
    with pytest.raises(CompileError, match="Invalid type"):
        ccc.gradient(lambda x: np.sum(fft.dct(x, 5)))(A)
    with pytest.raises(CompileError, match="unexpected keyword|bogus"):
        ccc.gradient(lambda x: np.sum(fft.dct(x, bogus=1)))(A)  # type: ignore[call-arg]
    with pytest.raises(CompileError, match="plan"):
        ccc.gradient(lambda x: np.sum(fft.rfft(x, plan=1).real))(A)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be positive"):
        ccc.gradient(lambda x: x[0, 0] * fft.next_fast_len(-7))(A)


@pytest.mark.parametrize("real", [False, True])
def test_fast_sizes_are_those_of_scipy(real: bool):
    following = ccc.compiled(lambda n: fft.next_fast_len(n, real) + 0 * n)
    before = ccc.compiled(lambda n: fft.prev_fast_len(n, real) + 0 * n)
    assert [following(n) for n in range(1, 150)] == [fft.next_fast_len(n, real) for n in range(1, 150)]
    assert [before(n) for n in range(1, 150)] == [fft.prev_fast_len(n, real) for n in range(1, 150)]
