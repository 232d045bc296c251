"""Legendre functions, spherical harmonics, sequences of all orders: values are SciPy's, slopes those of differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

special: Any = pytest.importorskip("scipy.special")

from ccc.primitives import scipy_harmonics  # noqa: E402 - only where SciPy is installed

T = np.array([0.4, 1.1])
CASES: dict[str, Any] = {
    "legendre_p": lambda z: special.legendre_p([2, 3], z, diff_n=2) + special.legendre_p(4, z[0]),
    "legendre_p_all": lambda z: special.legendre_p_all(4, z / 2, diff_n=1),
    "sph_legendre_p": lambda z: special.sph_legendre_p(3, -2, z, diff_n=2),
    "sph_legendre_p_all": lambda z: special.sph_legendre_p_all(3, 2, z),
    "assoc_legendre_p": lambda z: special.assoc_legendre_p(3, 2, z / 2, norm=True, diff_n=2),
    "assoc_legendre_p_all": lambda z: special.assoc_legendre_p_all(3, 2, z / 2),
    "sph_harm_y": lambda z: special.sph_harm_y(3, -2, z, z + 0.2).real + special.sph_harm_y(3, 1, 1.0, z).imag,
    "sph_harm_y_all": lambda z: np.abs(special.sph_harm_y_all(3, 2, z[0], z[1]) + 0.1j),
    "riccati_jn": lambda z: np.stack(special.riccati_jn(3, z[0])),
    "riccati_yn": lambda z: np.stack(special.riccati_yn(0, z[0])),
    "lmbda": lambda z: np.stack(special.lmbda(2.5, z[0])) + np.sum(special.lmbda(0, z[1])[1]),
    "pbdv_seq": lambda z: np.stack(special.pbdv_seq(3.3, z[0])),
    "pbvv_seq": lambda z: np.stack(special.pbvv_seq(0.3, z[1])),
}


def test_each_function_is_compared():
    assert {f.__name__ for f in scipy_harmonics.FUNCTIONS} == {*CASES}


@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str):
    w = np.cos(np.arange(np.size(CASES[name](T)))).reshape(np.shape(CASES[name](T)))
    f = CASES[name]

    def program(z: Any) -> Any:
        return np.sum(w * f(z))

    value, slope = ccc.value_with_gradient(program)(T)
    assert value == pytest.approx(program(T), rel=1e-12)
    for k, u in enumerate(np.eye(2) * 1e-3):
        d1, d2, d3 = [program(T + j * u) - program(T - j * u) for j in (1, 2, 3)]
        assert slope[k] == pytest.approx((45 * d1 - 9 * d2 + d3) / 60e-3, rel=1e-8, abs=1e-9)


def test_what_they_do_not_take_is_refused():
    with pytest.raises(CCCError, match="scipy.special.sph_harm_y has a derivative for diff_n=0 only"):
        ccc.gradient(lambda t: special.sph_harm_y(2, 1, t, 0.3, diff_n=1)[0].real)(0.5)
    with pytest.raises(CCCError, match="scipy.special.pbdv_seq has a derivative for v >= 0"):
        ccc.gradient(lambda x: special.pbdv_seq(-1.5, x)[0][0])(0.5)
