"""Functions of `scipy.fftpack`, which is written in Python over what `scipy.fft` is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc

fftpack = pytest.importorskip("scipy.fftpack")
X = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
Y = np.arange(12.0).reshape(3, 4) ** 1.5
BACKENDS = ["numpy", "native"]


def holds(f: Any, x: Any, backend: str) -> None:
    expected, found = f(x), ccc.compiled(f, backend=backend)(x)
    assert found.dtype == expected.dtype
    eps = float(np.finfo(expected.dtype).eps)
    np.testing.assert_allclose(found, expected, rtol=100.0 * eps, atol=100.0 * eps)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "x"), [
    (lambda x: fftpack.fft(x), X), (lambda x: fftpack.fft(x, 8), X), (lambda x: fftpack.fft2(x), Y),
    (lambda x: fftpack.ifft(fftpack.fft(x, axis=0) * 1j, axis=0), Y), (lambda x: fftpack.fftn(x, shape=(4, 6)), Y),
    (lambda x: fftpack.ifftn(x), Y), (lambda x: x * fftpack.fftfreq(5, 0.1) + fftpack.rfftfreq(5, 0.1), X),
    (lambda x: fftpack.fftshift(x) + fftpack.ifftshift(x), X),
])
def test_complex_transforms(f: Any, x: Any, backend: str) -> None:
    holds(f, x, backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [None, 3, 4, 5, 7, 8])
def test_transforms_of_reals_side_by_side(n: int | None, backend: str) -> None:
    holds(lambda x: fftpack.rfft(x, n), X, backend)
    holds(lambda x: fftpack.irfft(x, n), X, backend)
    holds(lambda x: fftpack.rfft(x, n, axis=0), Y, backend)
    holds(lambda x: fftpack.irfft(x, n, axis=0), Y, backend)
    holds(lambda x: fftpack.rfft(x, n), X.astype(np.float32), backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_waves(kind: int, norm: str | None, backend: str) -> None:
    def along_one(x: Any) -> Any:
        return np.concatenate([fftpack.dct(x, kind, norm=norm), fftpack.idct(x, kind, norm=norm),
                               fftpack.dst(x, kind, norm=norm), fftpack.idst(x, kind, norm=norm)])

    def along_all(x: Any) -> Any:
        return np.concatenate([fftpack.dctn(x, kind, norm=norm), fftpack.idctn(x, kind, norm=norm),
                               fftpack.dstn(x, kind, norm=norm), fftpack.idstn(x, kind, norm=norm)])

    holds(along_one, X, backend)
    holds(along_all, Y, backend)


def test_derivatives() -> None:
    def f(x: Any) -> Any:
        waves = np.sum(np.abs(fftpack.fft(x, 8)) ** 3) + np.sum(fftpack.idct(x, norm="ortho") ** 3)
        return waves + np.sum(fftpack.rfft(x, 7) ** 3) + np.sum(fftpack.irfft(x, 6) ** 3)

    agrees(f, X)
