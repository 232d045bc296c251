"""Factorisations, systems and functions of matrices of `scipy.linalg`: values are SciPy's, first and second derivatives
those of differences, and what is not taken is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.diagnostics import CompileError

linalg = pytest.importorskip("scipy.linalg")
RNG = np.random.default_rng(0)
M, W, w = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 4)), RNG.normal(size=4)
S, T = M @ M.T + 4.0 * np.eye(4), RNG.normal(size=(6, 4))
ONE = np.ones(1)
SHIFT = 5.0 * np.eye(4)[0]


def weighed(found: Any) -> Any:
    """A number that depends on all of what a factorisation gives, and not on the signs of vectors."""
    return sum([np.sum((w if np.ndim(x) == 1 else W if np.shape(x) == (4, 4) else 1.0) * x**2) for x in found])


CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "eigh": (lambda a: weighed(linalg.eigh(a @ a.T)), M),
    "eigh, upper": (lambda a: weighed(linalg.eigh(a, lower=False)), S),
    "eigh of two": (lambda a: weighed(linalg.eigh(a + a.T, a @ a.T + np.eye(4))), M),
    "eigvalsh": (lambda a: np.sum(w * linalg.eigvalsh(a)), S),
    "eigvalsh of two": (lambda a: np.sum(w * linalg.eigvalsh(a, b=a @ a.T + np.eye(4))), S),
    "eigh_tridiagonal": (lambda a: weighed(linalg.eigh_tridiagonal(a[0], a[1, 1:])), S),
    "eigvalsh_tridiagonal": (lambda a: np.sum(w * linalg.eigvalsh_tridiagonal(a[0], a[1, 1:])), S),
    "svd": (lambda a: weighed(linalg.svd(a)), M),
    "svdvals": (lambda a: np.sum(w * (linalg.svdvals(a) + linalg.svd(a, compute_uv=False) ** 2)), M),
    "qr": (lambda a: weighed(linalg.qr(a)), M),
    "qr, wide": (lambda a: weighed(linalg.qr(a[:3])), M),
    "qr, economic": (lambda a: weighed(linalg.qr(a, mode="economic")), T),
    "qr, r": (lambda a: np.sum(W * linalg.qr(a, mode="r")[0]), M),
    "qr, full": (lambda a: (lambda q, r: np.sum(np.arange(36.0).reshape(6, 6) * q) + np.sum(r**2))(*linalg.qr(a)), T),
    "qr, pivoting": (lambda a: weighed(linalg.qr(a, pivoting=True)[:2]) + np.sum(linalg.qr(a, pivoting=True)[2]), M),
    "rq": (lambda a: weighed(linalg.rq(a)), M),
    "schur": (lambda a: weighed(linalg.schur(a)), 0.2 * M + np.diag([4.0, 1.5, -1.0, -3.0])),
    "schur, a pair": (lambda a: (lambda t, z: np.sum(t**2) + np.sum(np.diag(t) ** 3) + np.sum(w**2 * z[:, 0] ** 2))(
        *linalg.schur(a)), 0.2 * M + linalg.block_diag(4.0, [[1.0, -1.0], [1.0, 1.0]], -3.0)),  # or it turned around
    "hessenberg": (lambda a: weighed(linalg.hessenberg(a, calc_q=True)) + np.sum(W * linalg.hessenberg(a)), M),
    "ldl": (lambda a: weighed(linalg.ldl(a + a.T)[:2]) + weighed(linalg.ldl(a @ a.T)[:2]), M),
    "bands": (lambda a: (lambda c: np.sum(W[:2] * c) + np.sum(w * linalg.cho_solve_banded((c, False), w)))(
        linalg.cholesky_banded(a[:2] + 9.0 * np.eye(2)[1][:, None])) + np.sum(
            w * linalg.eigvals_banded(a[:3], True)), M),
    "powers": (lambda t: np.sum(W * linalg.fractional_matrix_power(S, t[0])) + np.sum(W * linalg.signm(
        S - 5.0 * t[0] * np.eye(4))), ONE),
    "lu": (lambda a: (lambda p, low, up: np.sum(W * (p @ low)) + np.sum(W * up**2))(*linalg.lu(a)), M),
    "lu, permuted": (lambda a: weighed(linalg.lu(a, permute_l=True)), M),
    "lu, indices": (lambda a: (lambda p, low, up: np.sum(W * low[p] @ up))(*linalg.lu(a, p_indices=True)), M),
    "polar": (lambda a: weighed(linalg.polar(a)) + weighed(linalg.polar(a, side="left")), M),
    "pinv": (lambda a: np.sum(T.T * linalg.pinv(a)), T),
    "lstsq": (lambda a: np.sum(w * linalg.lstsq(a, np.arange(6.0))[0]), T),
    "lstsq, columns": (lambda a: np.sum(linalg.lstsq(a, np.arange(12.0).reshape(6, 2))[0] ** 2), T),
    "solve_banded": (lambda a: np.sum(w * linalg.solve_banded((1, 2), a + 3.0 * np.eye(4)[2][:, None], a[0])), M),
    "solve_banded, columns": (lambda a: np.sum(W * linalg.solve_banded(
        (2, 1), a + 3.0 * np.eye(4)[1][:, None], a)), M),
    "solve_toeplitz": (lambda a: np.sum(w * linalg.solve_toeplitz((a[0] + SHIFT, a[1]), a[2])), M),
    "solve_toeplitz, symmetric": (lambda a: np.sum(w * linalg.solve_toeplitz(a[0] + SHIFT, a[2])), M),
    "lyapunov": (lambda a: np.sum(W * linalg.solve_continuous_lyapunov(a, a @ a)), S),
    "lyapunov, discrete": (lambda a: np.sum(W * linalg.solve_discrete_lyapunov(a / 10.0, a @ a)), S),
    "logm": (lambda t: np.sum(W * linalg.logm(S + t[0] * M)), ONE),
    "waves": (lambda a: np.sum(W * (linalg.sinm(a) + linalg.cosm(a) ** 2 + linalg.tanm(a / 20.0))), S / 2.0),
    "hyperbolic": (lambda t: np.sum(W * (linalg.sinhm(t[0] * M) + linalg.coshm(M * t) + linalg.tanhm(M * t))), ONE),
    "circulant": (lambda a: np.sum(W**2 * linalg.circulant(a[0]) ** 2), M),
    "hankel": (lambda a: np.sum(W * (linalg.hankel(a[0], a[1]) ** 2 + linalg.hankel(a[0]))), M),
    "khatri_rao": (lambda a: np.sum(np.arange(64.0).reshape(16, 4) * linalg.khatri_rao(a, a)), M),
} | {
    f"solve, {kind}": (lambda a, kind=kind: np.sum(w * linalg.solve(a, a[0], assume_a=kind)), S)
    for kind in ("tridiagonal", "upper triangular", "lower triangular", "diagonal", "banded")
}


@pytest.mark.share(24)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    f, x = CASES[name]
    u = np.cos(np.arange(x.size)).reshape(x.shape)
    slope = ccc.gradient(f, backend="numpy")
    along = lambda x: np.sum(slope(x) * u)  # noqa: E731
    first, second = differences(f, x), differences(along, x)
    assert ccc.compiled(f, backend="numpy")(x) == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(slope(x), first, rtol=1e-6, atol=1e-8)
    assert ccc.jvp(f, (x,), (u,))[1] == pytest.approx(np.sum(first * u), rel=1e-6, abs=1e-8)
    found = ccc.gradient(along, backend="numpy")(x)
    np.testing.assert_allclose(found, second, rtol=1e-5, atol=1e-8 * (1.0 + np.max(np.abs(second))))


@pytest.mark.parametrize("name", ["eigh of two", "solve_banded", "waves", "lu"])
def test_machine_code_gives_the_same(name: str):
    f, x = CASES[name]
    value, slope = ccc.value_with_gradient(f, backend="native")(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(slope, ccc.gradient(f, backend="numpy")(x), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["expm", "sinm"])
def test_third_derivatives_of_functions_of_matrices(name: str):
    f = lambda t: getattr(linalg, name)(M * t)[0, 0]  # noqa: E731
    cubed = np.linalg.matrix_power(M, 3)
    found = ccc.gradient(ccc.gradient(ccc.gradient(f)))(0.5)
    expected = cubed @ linalg.expm(M * 0.5) if name == "expm" else -cubed @ linalg.cosm(M * 0.5)
    assert found == pytest.approx(expected[0, 0], rel=1e-9)


def test_what_is_not_taken_is_refused_or_raises():
    for f, text in [
        (lambda a: np.sum(linalg.svd(a, lapack_driver="gesvd")[1]), "gesdd"),
        (lambda a: np.sum(linalg.eigh(a, subset_by_value=[0.4, 1.5])[0]), "values by their places"),
        (lambda a: np.sum(linalg.eigh(a, a, type=2)[0]), "type=1"),
        (lambda a: np.sum(linalg.pinv(a, atol=0.1)), "atol=None"),
        (lambda a: np.sum(linalg.solve_toeplitz(a[0], a)), "one right side"),
        (lambda a: np.sum(linalg.schur(a, sort="lhp")[0]), "sort=None"),
        (lambda a: np.sum(linalg.cossin(a, 1, 1)[0]), "cossin"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(S)
    with pytest.raises(ValueError, match="not real"):
        ccc.gradient(lambda a: np.sum(linalg.logm(a)))(-S)
