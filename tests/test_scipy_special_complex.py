"""Functions of `scipy.special` of complex numbers: values are SciPy's, slopes along both parts those of differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError, MissingDerivative

special: Any = pytest.importorskip("scipy.special")

from ccc.primitives import scipy_complex  # noqa: E402 - only where SciPy is installed

Z = np.array([0.7, 0.4])
CASES: dict[str, Any] = {
    "gamma": lambda z: special.gamma(z), "loggamma": lambda z: special.loggamma(z), "erf": lambda z: special.erf(z),
    "rgamma": lambda z: special.rgamma(z), "erfc": lambda z: special.erfc(z), "erfi": lambda z: special.erfi(z),
    "erfcx": lambda z: special.erfcx(z), "dawsn": lambda z: special.dawsn(z), "ndtr": lambda z: special.ndtr(z),
    "log_ndtr": lambda z: special.log_ndtr(z),
    "expi": lambda z: special.expi(z), "exp1": lambda z: special.exp1(z), "expm1": lambda z: special.expm1(z),
    "log1p": lambda z: special.log1p(z), "spence": lambda z: special.spence(z),
    "wrightomega": lambda z: special.wrightomega(z), "sici": lambda z: special.sici(z)[0] + 2 * special.sici(z)[1],
    "shichi": lambda z: special.shichi(z)[0] + 2 * special.shichi(z)[1],
    "fresnel": lambda z: special.fresnel(z)[0] + 2 * special.fresnel(z)[1],
    "airy": lambda z: special.airy(z)[0] + 2 * special.airy(z)[1] + special.airy(z)[2] * special.airy(z)[3],
    "lambertw": lambda z: special.lambertw(z) + special.lambertw(z, -1), "jv": lambda z: special.jv(1.5, z),
    "yv": lambda z: special.yv(1, z), "iv": lambda z: special.iv(0.5, z), "kv": lambda z: special.kv(1.5, z),
    "kve": lambda z: special.kve(1, z), "hyp0f1": lambda z: special.hyp0f1(1.5, z),
    "hyp1f1": lambda z: special.hyp1f1(0.5, 1.5, z), "hyp2f1": lambda z: special.hyp2f1(0.5, 1.5, 2.5, z),
    "spherical_jn": lambda z: special.spherical_jn(2, z) + special.spherical_jn(0, z, derivative=True),
    "spherical_yn": lambda z: special.spherical_yn(0, z), "spherical_in": lambda z: special.spherical_in(1, z),
    "spherical_kn": lambda z: special.spherical_kn(1, z), "jvp": lambda z: special.jvp(1, z, 2),
    "yvp": lambda z: special.yvp(1, z), "ivp": lambda z: special.ivp(0.5, z), "kvp": lambda z: special.kvp(1, z),
    "hankel1": lambda z: special.hankel1(1.5, z), "hankel2": lambda z: special.hankel2(0, z),
    "hankel1e": lambda z: special.hankel1e(1.5, z), "hankel2e": lambda z: special.hankel2e(0, z),
    "h1vp": lambda z: special.h1vp(1, z), "h2vp": lambda z: special.h2vp(1, z, 2),
}
REAL: dict[str, Any] = {
    "kelvin": lambda x: sum(special.kelvin(x)),
    "modfresnelp": lambda x: special.modfresnelp(x)[0] * special.modfresnelp(x)[1],
    "modfresnelm": lambda x: special.modfresnelm(x)[0] + 2 * special.modfresnelm(x)[1],
    "hankel1": lambda x: special.hankel1(1.5, x), "h2vp": lambda x: special.h2vp(1, x, 2),
    "psi": lambda x: special.psi(x),
}


def slopes(f: Any, at: Any) -> list[float]:
    """By differences."""
    found: list[float] = []
    for u in np.eye(len(at)) * 1e-3:
        d1, d2, d3 = [f(at + k * u) - f(at - k * u) for k in (1, 2, 3)]
        found.append((45 * d1 - 9 * d2 + d3) / 60e-3)
    return found


def test_each_function_is_compared():
    assert {f.__name__ for f in {**scipy_complex.COMPLEX, **scipy_complex.FUNCTIONS}} == {*CASES, *REAL}


@pytest.mark.share(6)
@pytest.mark.parametrize("name", CASES)
def test_slopes_along_both_parts(name: str):
    f = CASES[name]

    def program(p: Any) -> Any:
        w = f(p[0] + 1j * p[1])
        return w.real + 2.0 * w.imag

    for at in (Z, np.array([-0.6, 0.9])):
        value, slope = ccc.value_with_gradient(program)(at)
        assert value == pytest.approx(program(at), rel=1e-13)
        np.testing.assert_allclose(slope, slopes(program, at), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", REAL)
def test_slopes_of_real_arguments(name: str):
    f = REAL[name]

    def program(p: Any) -> Any:
        w = f(p[0])
        return np.real(w) + 2.0 * np.imag(w)

    value, slope = ccc.value_with_gradient(program)(Z[:1])
    assert value == pytest.approx(program(Z[:1]), rel=1e-13)
    np.testing.assert_allclose(slope, slopes(program, Z[:1]), rtol=1e-8)


def test_arrays_and_second_derivatives():
    def f(x: Any) -> Any:
        return np.sum(np.abs(special.jv([0, 1], x + 0.3j * x**2)) ** 2)

    x, h = np.array([0.5, 1.2]), 1e-4
    bend = ccc.hessian(f)(x)
    slope = ccc.gradient(f, backend="numpy")
    for k, u in enumerate(np.eye(2) * h):
        np.testing.assert_allclose(bend[k], (slope(x + u) - slope(x - u)) / (2 * h), rtol=1e-6, atol=1e-8)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(MissingDerivative, match="`scipy.special.psi` has no derivative in `z`"):
        ccc.gradient(lambda x: special.psi(x + 1j).real)(0.5)
    with pytest.raises(MissingDerivative, match="`scipy.special.jv` has no derivative in `v`"):
        ccc.gradient(lambda v: special.jv(v, 1.0 + 2j).real)(0.5)
    with pytest.raises(CCCError, match="scipy.special.hyp1f1 has a derivative for real a and b"):
        ccc.gradient(lambda x: special.hyp1f1(x + 1j, 2.0, 1j * x).real)(0.5)
    with pytest.raises(CCCError, match="`xlogy` of complex numbers is not supported"):
        ccc.gradient(lambda x: special.xlogy(x, 1j * x).real)(0.5)
