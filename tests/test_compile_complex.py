"""Complex numbers: their parts are of the kinds that Python and NumPy give, and functions have complex derivatives."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value, same

import ccc
from ccc.compile.diagnostics import TypeMismatch, WrongArguments

Z: Any = np.array([0.7 + 0.5j, 1.2 - 1.0j])
W = 0.6 - 0.8j


def orbit(x: float) -> float:
    z, n = complex(0.0, 0.0), 0
    while abs(z) < 2.0 and n < 9:
        z, n = z * z + complex(x, 0.3), n + 1
    return abs(z)


def summed(x: float) -> float:
    s = 0.0
    while s < 5.0:
        s = s + abs(complex(x, s))
    return s


def kinds(x: float) -> Any:
    z = 1 + 1j * x
    return (
        orbit(x), summed(x), abs(complex(x, 2.0)), [abs(z) for z in [1j * x, x + 1j]], abs(np.complex128(1j + x)),
        abs((1j * x + np.array([1.0, 2.0]))[0]), abs(cmath.rect(x, 1.0)), abs(np.exp(1j * x)), (z**-2).real,
        (z**0).imag, (np.float64(x) + 1j).imag, (np.float32(x) + 1j).imag, (2j + x).real,
    )


def test_parts_and_absolute_values_are_of_the_kinds_of_plain_python():
    agrees_in_value(kinds, 0.7)
    with pytest.raises(ZeroDivisionError):
        ccc.compiled(lambda x: 1.0 / abs(1j * x))(0.0)
    assert same(ccc.compiled(orbit, backend="native")(0.7), orbit(0.7))
    assert ccc.gradient(summed)(0.7) == pytest.approx((summed(0.7 + 1e-6) - summed(0.7 - 1e-6)) / 2e-6, rel=1e-8)


REAL_VALUED: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "of a number": (lambda z: abs(z) ** 2 + 3.0 * z.real * z.imag, 1 + 2j, 8 - 7j),
    "of NumPy's": (lambda z: z.real * 2 - z.imag * 3, np.complex64(1 + 2j), np.complex64(2 + 3j)),
    "of an array": (lambda z: np.sum(np.abs(z * Z) ** 2), Z, 2 * np.abs(Z) ** 2 * Z.conj()),
    "of an array read backwards": (lambda z: np.abs(z[0]) ** 2, Z[::-1], np.array([2.4 + 2j, 0])),
    "of no numbers": (lambda z: np.sum(np.abs(z)), np.ones(0, complex), np.ones(0, complex)),
    "in structures": (lambda p: abs(p["a"] * p["b"][0] + p["b"][1]) ** 2, {"a": 1j, "b": [2j, 3.0]},
                      {"a": 4j, "b": [2j, 2.0]}),
    "of a transform": (lambda z: np.sum(np.abs(np.fft.fft(z)) ** 2), Z, 4 * Z.conj()),
    "in a loop with a branch": (lambda c: escaping(c), 0.4 + 0.3j, None),
    "of a derivative": (lambda z: np.sum(np.abs(ccc.gradient(lambda z: np.sum(np.abs(z) ** 4))(z)) ** 2), Z,
                        96 * np.abs(Z) ** 4 * Z.conj()),
}


def escaping(c: Any) -> Any:
    z = 0j
    for _ in range(20):
        z = z * z + c
        if abs(z) > 2.0:
            break
    return abs(z)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("case", REAL_VALUED)
def test_gradients_in_complex_numbers_are_conjugates(case: str, backend: Any):
    f, z, expected = REAL_VALUED[case]
    value, found = ccc.value_with_gradient(f, backend=backend)(z)
    np.testing.assert_allclose(value, f(z), rtol=1e-6)
    if expected is None:
        expected = (f(z + 1e-6) - f(z - 1e-6) - 1j * (f(z + 1e-6j) - f(z - 1e-6j))) / 2e-6
        assert found == pytest.approx(expected, rel=1e-6)
    else:
        assert alike(found, expected)


def alike(a: Any, b: Any) -> bool:
    if isinstance(b, dict):
        return list(a) == list(b) and all(alike(a[k], b[k]) for k in b)
    if isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return type(a) is type(b) and np.asarray(a).dtype == np.asarray(b).dtype and np.allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_complex_results_cotangents_and_tangents(backend: Any):
    def f(z: Any) -> Any:
        return np.sin(z) * z

    slope = np.cos(Z) * Z + np.sin(Z)
    value, pullback = ccc.value_with_pullback(f, backend=backend)(Z)
    assert same(value, f(Z)) or np.allclose(value, f(Z), rtol=1e-14)
    np.testing.assert_allclose(pullback(Z + 1j), slope * (Z + 1j), rtol=1e-13)
    np.testing.assert_allclose(pullback(np.ones(2)), slope, rtol=1e-13)
    _, tangent = ccc.jvp(f, (Z,), (Z + 1j,))
    np.testing.assert_allclose(tangent, slope * (Z + 1j), rtol=1e-13)
    x = np.array([0.3, 0.7])
    for verb in (ccc.jacrev, ccc.jacfwd):
        np.testing.assert_allclose(verb(lambda x: np.exp(1j * x), backend=backend)(x), np.diag(1j * np.exp(1j * x)))
    for z in (complex(-0.0, np.nan), complex(np.inf, -0.0), np.complex64(1j), np.array(1j), np.array([[1j]], "c8")):
        assert same(ccc.compiled(lambda z: [z, {"a": z}], backend=backend)(z), [z, {"a": z}])
    ccc.check_derivative(lambda z: np.sum(np.abs(z * z) ** 2), Z)
    pair = ccc.Complex(Z.real, Z.imag)
    np.testing.assert_allclose(ccc.gradient(lambda z: np.sum(np.abs(z) ** 2), backend=backend)(pair), 2 * Z.conj())


HOLOMORPHIC: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Any]] = {
    "of one number": (lambda z: np.sin(z) * z**-2, lambda z: np.cos(z) / z**2 - 2 * np.sin(z) / z**3, W),
    "in a loop": (lambda z: iterated(z), lambda z: 4 * z * (z * z + 0.2j) + 0 * z, W),
    "of an array": (lambda z: np.sum(np.exp(z) * z), lambda z: np.exp(z) * (1 + z), Z),
}


def iterated(z: Any) -> Any:
    for _ in range(2):
        z = z * z + 0.2j
    return z


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_complex_derivatives(backend: Any):
    for f, expected, z in HOLOMORPHIC.values():
        value, slope = ccc.value_and_grad(f, holomorphic=True, backend=backend)(z)
        np.testing.assert_allclose(value, f(z))
        np.testing.assert_allclose(slope, expected(z), rtol=1e-13)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_complex_jacobians_and_second_derivatives(backend: Any):
    z = Z
    expected = np.diag(3 * z**2 * z[0]) + np.outer(z**3, [1.0, 0.0])
    for verb in (ccc.jacfwd, ccc.jacrev, ccc.jacobian):
        found = verb(lambda z: z**3 * z[0], holomorphic=True, backend=backend)(Z)
        np.testing.assert_allclose(found, expected)
    twice = ccc.hessian(lambda z: z[0] ** 2 * z[1], holomorphic=True, backend=backend)(Z)
    np.testing.assert_allclose(twice, [[2 * z[1], 2 * z[0]], [2 * z[0], 0.0]])
    second = ccc.grad(ccc.grad(lambda z: np.exp(z) * z, holomorphic=True), holomorphic=True, backend=backend)(W)
    np.testing.assert_allclose(second, cmath.exp(W) * (2 + W))


def test_what_is_differentiated_beside_and_in_structures():
    def f(p: Any, w: Any) -> Any:
        return p["a"] * w + p["b"], w.real

    (slopes, to_w), seen = ccc.grad(f, (0, 1), has_aux=True, holomorphic=True)({"a": W, "b": W}, W)
    assert slopes["a"] == W and slopes["b"] == 1.0 and to_w == W
    assert seen == 0.6
    one = np.array([1.0 + 2.0j], np.complex64)
    assert ccc.jacrev(lambda z: z * z, holomorphic=True)(one).dtype == np.complex64


def test_functions_without_a_complex_derivative_are_refused():
    for f in (lambda z: abs(z) + 0j, lambda z: z.conj() * z, lambda z: np.exp(z.conj())):
        with pytest.raises(ValueError, match="no complex derivative here"):
            ccc.grad(f, holomorphic=True)(W)
    for f, x, text in [
        (lambda z: z.real, W, "for complex values"), (lambda x: x + 0j, 1.0, "for complex arguments"),
        (lambda z: {"w": z}, W, "for complex values"),
    ]:
        with pytest.raises(WrongArguments, match=text):
            ccc.grad(f, holomorphic=True)(x)
    with pytest.raises(TypeError, match="one complex number"):
        ccc.grad(lambda z: z, holomorphic=True)(Z)
    with pytest.raises(WrongArguments, match="no sparse matrices"):
        ccc.jacobian(lambda z: z, holomorphic=True, sparse=True)


def response(x: float, taps: list[float]) -> Any:
    """`sum` begins at the integer 0."""
    z = sum(t * cmath.exp(-1j * x * k) for k, t in enumerate(taps))
    return abs(z) ** 2 + z.real + 2.0 * cmath.phase(z) + cmath.exp(z).imag


def test_functions_of_a_sum_of_complex_numbers():
    slope = ccc.gradient(response, wrt="x")
    for taps in ([0.5, 1.0, 0.3], [0.7]):
        agrees_in_value(response, 0.7, taps)
        wanted = (response(0.7 + 1e-6, taps) - response(0.7 - 1e-6, taps)) / 2e-6
        assert slope(0.7, taps) == pytest.approx(wanted, rel=1e-6, abs=1e-8)


def test_roots_have_the_digits_of_plain_python():
    reals, imaginary = (-64.0, -2.0, -0.0, 0.0, 3e-300, 2.0, np.inf), (-1e300, -0.0, 0.0, 0.7, np.inf)
    given = [complex(x, y) for x in reals for y in imaginary]
    found = ccc.compiled(lambda zs: [cmath.sqrt(z) for z in zs])(given)
    expected = [cmath.sqrt(z) for z in given]
    assert all(same(a, b) or abs(a - b) <= 2e-16 * abs(b) for a, b in zip(found, expected, strict=True))
    assert ccc.gradient(lambda x: cmath.sqrt(x).imag)(-4.0) == -0.25
    assert ccc.grad(lambda z: np.sqrt(z), holomorphic=True)(-4 + 0j) == -0.25j


class Phasor(complex):
    pass


def test_complex_numbers_of_other_classes(tmp_path: Any):
    kept = np.memmap(tmp_path / "z", dtype=complex, shape=(2,), mode="w+")
    kept[:] = Z
    np.testing.assert_array_equal(ccc.gradient(lambda z: np.sum(z.real**2 - z.imag))(kept), 2 * Z.real + 1j)
    with pytest.raises(ccc.CCCError, match="a Phasor is a complex that may compute otherwise"):
        ccc.gradient(lambda z: abs(z))(Phasor(1, 2))


def quotients(a: Any, b: Any, c: Any, d: Any) -> Any:
    z, w = a + 1j * b, c + 1j * d
    found = z / w, z / c, 1.0 / w, z / 2.5
    return [(q.real, q.imag) for q in found]


def powers(a: float, b: float, n: int) -> Any:
    z = complex(a, b)
    found = z**2, z**3, z**7, z**-1, z**-4, z**n
    return [(q.real, q.imag) for q in found]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_quotients_and_powers_have_the_digits_of_plain_python(backend: Any):
    r = np.random.default_rng(5)
    divided, raised = ccc.compiled(quotients, backend=backend), ccc.compiled(powers, backend=backend)
    for scale in (1.0, 1e170, 1e-170):
        args = [float(x) for x in r.normal(size=2)] + [float(x * scale) for x in r.normal(size=2)]
        assert same(divided(*args), quotients(*args))
        assert same(divided(*map(np.float64, args)), quotients(*map(np.float64, args)))
        arrays = [r.normal(size=9), r.normal(size=9), r.normal(size=9) * scale, r.normal(size=9) * scale]
        assert same(divided(*arrays), quotients(*arrays))
    for n in (1, 6, 100, -7):
        assert same(raised(0.7, -0.9, n), powers(0.7, -0.9, n))


def turned(x: Any, n: int) -> Any:
    """A wave that is real before its first step, as in plain NumPy."""
    psi = np.sqrt(x)
    for _ in range(n):
        psi = np.exp(-1.0j * x) * psi
    return np.sum(np.abs(psi) ** 2 * x) + np.sum(np.real(psi) * np.cos(x))


def while_it_turns(x: Any, n: int) -> Any:
    z, t = x, 0.0
    while t < 0.5 * n:
        z, t = z * (0.9 + 0.1j) + x, t + 0.5
    return np.sum(np.abs(z)) + np.sum(z.real)


def real_or_complex(x: Any, n: int) -> Any:
    z = x * x if n else x * (1.0 + 2.0j)
    return np.sum(np.abs(z) ** 2) + np.sum(np.real(z)) + np.sum(np.imag(z * x))


def number_of_numpy(x: Any, n: int) -> Any:
    """NumPy's complex number counted as a real one, and the gradient raised."""
    z = x[0] * 2.0 if n else np.complex128(x[1] * (1.0 + 2.0j))
    w = z * z + 1.0
    return abs(w) + np.real(w) + w.imag * 3.0


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [turned, while_it_turns, real_or_complex, number_of_numpy], ids=lambda f: f.__name__)
def test_what_may_be_real_or_complex(f: Callable[..., Any]):
    x = np.array([0.7, 1.2])
    for n in (2, 0):
        value, found = ccc.value_with_gradient(f, wrt="x", backend="numpy")(x, n)
        assert value == pytest.approx(f(x, n), rel=1e-15)
        wanted = [(f(x + d, n) - f(x - d, n)) / 2e-6 for d in np.eye(2) * 1e-6]
        assert found == pytest.approx(np.array(wanted), rel=1e-7, abs=1e-8)


def of_lists(a: Any) -> Any:
    turned = np.diag(np.exp([-0.5j * a, 0.5j * a])) @ [a, 1j]
    sizes = np.abs((1j * a, a)) + np.angle([1j * a, a]) + np.real(np.outer([1j * a, 2], [a, 1])).sum()
    return turned, sizes, np.dot([1j * a, 2], [a, 1j]), np.conj([[1j * a, a], [0, a]]), np.sqrt([a, 1j])


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_lists_of_complex_numbers_are_arrays_of_them(backend: Any):
    """A list was no complex number for functions that are not linear in it, and refused by a name of the compiler's."""
    for found, wanted in zip(ccc.compiled(of_lists, backend=backend)(0.3), of_lists(0.3), strict=True):
        assert np.asarray(found).dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
    energy = lambda a: np.sum(np.abs(np.subtract(np.exp([1j * a, a + 1j]), [a, 1j])) ** 2)  # noqa: E731
    slope = (energy(0.3 + 1e-6) - energy(0.3 - 1e-6)) / 2e-6
    assert ccc.gradient(energy, backend=backend)(0.3) == pytest.approx(slope, rel=1e-8)


def spectrum(x: Any) -> Any:
    waves = np.exp(-2j * np.pi * np.outer(np.arange(6.0), np.arange(6.0)) / 6)
    return np.sum(np.abs(np.array([np.vdot(wave, x) for wave in waves])[:4]))


def stacked_spectra(x: Any) -> Any:
    return np.sum(np.abs(np.vstack([np.array([np.dot(np.exp(1j * k * x), row) for k in x]) for row in np.outer(x, x)])))


def joined_of_a_loop(x: Any) -> Any:
    rows = []
    for v in x:
        rows.append(v + 1j * x)
    return np.sum(np.abs(np.concatenate(rows)[1:])) + np.sum(np.abs(np.stack(rows, axis=1)[0] ** 2))


def of_nested_lists(x: Any) -> Any:
    table = np.array([[v * 1j + w for v in x] for w in x])
    return np.sum(np.abs(table[1:] @ table[0])) + abs(np.fft.ifft([v + 2j * v**2 for v in x])[2])


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [spectrum, stacked_spectra, joined_of_a_loop, of_nested_lists], ids=lambda f: f.__name__)
def test_lists_of_complex_numbers_whose_lengths_are_not_known(f: Callable[..., Any], backend: Any):
    """Their array was said to hold reals, and a gradient met a None where a loop went back over a part of it."""
    x = np.array([0.3, -1.2, 0.7, 2.0, -0.4, 1.1])
    value, found = ccc.value_with_gradient(f, backend=backend)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    wanted = [(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(6) * 1e-6]
    assert found == pytest.approx(np.array(wanted), rel=1e-7, abs=1e-7)


def test_arrays_of_objects_made_of_lists_are_refused():
    with pytest.raises(TypeMismatch, match="needs numbers or arrays in lists: found a `dict`"):
        ccc.gradient(lambda x: np.array([{"part": v} for v in x])[0]["part"])(np.ones(2))


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [
    lambda a: np.fft.fft([1j * a, 2]).imag.sum(), lambda a: np.abs(np.fft.ifft((1j * a, a, 2.0))).sum(),
    lambda a: np.fft.fft2([[1j * a, 2], [a, 1]]).imag.sum(), lambda a: np.fft.fftshift([1j * a, 2])[1].imag,
])  # fmt: skip
def test_transforms_of_displays(f: Callable[..., Any], backend: str) -> None:
    """They ended in an internal error."""
    assert ccc.compiled(f, backend=backend)(2.0) == pytest.approx(f(2.0), rel=1e-14)
    slope = (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6
    assert ccc.gradient(f, backend=backend)(2.0) == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("f", [
    lambda x: x * 1j, lambda x: (x + 1j) * (x - 2j), lambda x: np.exp(1j * x), lambda x: np.abs(x + 1j * x),
    lambda x: 1j / x, lambda x: np.sqrt(x + 0j), lambda x: x[0] * 1j, lambda x: np.abs((x[1] + 2j) / x[0]),
])  # fmt: skip
def test_beside_complex_numbers_float16_is_float32(f: Callable[[Any], Any]) -> None:
    x = np.array([1.1, 2.3], np.float16)
    found, expected = ccc.compiled(f)(x), f(x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def of_parts(w):
    z = np.array([1j * w, w, 2.0 + 1j])
    a, *others = z
    t = np.abs(a) + sum(np.abs(v) ** 2 for v in others)
    for v in z:
        t = t + np.abs(v) * v.real
    return t


def of_two(w):
    a, b = np.array([[1j * w, 1.0], [w, 2.0]]) @ np.array([1.0, 1.5])
    return np.abs((a - b) / (a + b)) ** 2


@pytest.mark.parametrize("f", [of_parts, of_two])
def test_arrays_of_complex_numbers_are_iterated_in_machine_code(f):
    gradient = ccc.gradient(f, backend="native")
    assert abs(gradient(0.7) - (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6) < 1e-7
    assert str(ccc.explain(gradient, 0.7).backend) == "native"
