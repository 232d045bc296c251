"""Complex numbers and arrays as arguments of machine code, which takes them apart itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import native, never_left

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(4, 6)) + 1j * RNG.normal(size=(4, 6))


def energy(z):
    return np.sum(np.abs(z * z + 1j) ** 2)


def turned(z):
    return z * (1.0 - 0.5j)


ARRAYS = {
    "rows": Z, "columns": np.asfortranarray(Z), "transposed": Z.T, "backwards": Z[::-1, ::-2], "a row": Z[1],
    "a column": Z[:, 2], "one": Z[:1, :1], "empty": Z[:0], "none": Z[()], "byte order": Z.astype(">c16"),
    "complex64": Z.astype(np.complex64), "read-only": np.broadcast_to(Z[0], (3, 6)),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name: str) -> None:
    z = ARRAYS[name]
    if name == "byte order":
        assert native(energy, Z)(z) == pytest.approx(energy(z))
        return
    with never_left():
        for f in (energy, turned):
            found = native(f, z)(z)
            np.testing.assert_allclose(found, f(z), rtol=1e-6 if z.dtype == np.complex64 else 1e-13)
            assert np.asarray(found).dtype == np.asarray(f(z)).dtype
        found, expected = [ccc.gradient(energy, backend=backend)(z) for backend in ("native", "numpy")]
        np.testing.assert_allclose(found, expected, rtol=1e-5 if z.dtype == np.complex64 else 1e-12)
        assert found.dtype == expected.dtype and found.shape == z.shape


@pytest.mark.parametrize("z", [1.5 - 2j, np.complex128(0.5 + 1j), np.complex64(2 - 1j), complex(0.0, -0.0)], ids=repr)
def test_numbers(z: Any) -> None:
    with never_left():
        for f in (energy, turned, lambda z: z.imag):
            found = native(f, z)(z)
            assert found == pytest.approx(f(z), rel=1e-6) and type(found) is type(f(z))
    assert np.signbit(native(lambda z: z.imag, z)(z)) == np.signbit(z.imag)


def test_what_is_something_else_in_another_call() -> None:
    found = ccc.compiled(turned, backend="native")
    for z in (Z, Z.real, 2.0, 1j, Z[0], np.complex64(1j), np.arange(3), Z.astype(np.complex64), Z):
        value = found(z)
        np.testing.assert_allclose(value, turned(z), rtol=1e-6)
        assert type(value) is type(turned(z)) and np.asarray(value).dtype == np.asarray(turned(z)).dtype


def test_they_lie_where_they_were() -> None:
    z = Z.copy()
    z.flags.writeable = False
    with never_left():
        found = native(turned, z)
        for _ in range(200):  # whose parts live no longer than the call
            value = found(z)
    assert np.array_equal(z, Z) and not np.shares_memory(value, z)


def filtered(x, w, n):
    """Rows of an argument that changes, slices, items of an array that is filled."""
    out = np.zeros((2, n), complex)
    for k in range(2):
        for i in range(n):
            out[k, i] = np.sum(x[:, i : i + 3] * np.conj(w[k]))
            w[k] += 0.1 * np.conj(out[k, i]) * x[0, i : i + 3]
    return np.sum(np.abs(out) ** 2)


def test_an_adaptive_filter() -> None:
    x, w = RNG.normal(size=(2, 24)) + 0.5j, np.ones((2, 3)) * (0.25 - 1j)
    seen: list[tuple[Any, np.ndarray]] = []
    with never_left():
        for backend in ("native", "numpy"):
            given = w.copy()
            seen.append((ccc.value_with_gradient(filtered, backend=backend, wrt=("x", "w"))(x, given, 20), given))
    expected = w.copy()
    assert seen[0][0][0] == pytest.approx(filtered(x, expected, 20), rel=1e-12)
    np.testing.assert_allclose(seen[0][1], expected, rtol=1e-12)
    for a, b in zip(seen[0][0][1], seen[1][0][1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def pulled(f: Callable[..., Any], z: Any, ct: Any, backend: str) -> Any:
    return ccc.value_with_pullback(f, backend=backend)(z)[1](ct)


def test_complex_cotangents() -> None:
    ct = Z[::-1] * 1j
    with never_left():
        np.testing.assert_allclose(pulled(turned, Z, ct, "native"), pulled(turned, Z, ct, "numpy"), rtol=1e-13)
