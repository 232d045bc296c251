"""Functions of `scipy.linalg`, `integrate`, `optimize` and `signal`, and those of `special` that are no ufuncs: values
are SciPy's, first and second derivatives those of differences, on both targets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.errors import MissingDerivative

integrate, linalg, optimize, signal, special, stats = [
    pytest.importorskip(f"scipy.{name}") for name in ("integrate", "linalg", "optimize", "signal", "special", "stats")
]
BACKENDS = ["numpy", "native"]
RNG = np.random.default_rng(0)
M = RNG.normal(size=(4, 4))
S = M @ M.T + 4.0 * np.eye(4)
b, B, v = RNG.normal(size=4), RNG.normal(size=(4, 3)), RNG.normal(size=7)
W, W3, w = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3)), RNG.normal(size=4)
PLACES = np.arange(7.0) ** 1.5


SYSTEMS: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda a: np.sum(w * linalg.solve(a, b)), S),
    (lambda a: np.sum(W3 * linalg.solve(a, B, transposed=True)), M),
    (lambda a: np.sum(W3 * linalg.solve(a, B, assume_a="pos")), S),
    (lambda a: np.sum(W3 * linalg.solve(a, B, assume_a="sym", lower=True)), S),
    (lambda a: np.sum(W * linalg.inv(a)), S),
    (lambda a: linalg.det(a), M),
    (lambda a: np.sum(W * linalg.cholesky(a @ a.T)), S),
    (lambda a: np.sum(W * linalg.cholesky(a @ a.T, lower=True)), S),
    (lambda a: np.sum(w * linalg.cho_solve(linalg.cho_factor(a @ a.T, lower=True), b)), S),
    (lambda a: np.sum(W3 * linalg.cho_solve(linalg.cho_factor(a @ a.T), B)), S),
    (lambda a: np.sum(w * linalg.solve_triangular(a, b * a[0], lower=True)), S),
    (lambda a: np.sum(W3 * linalg.solve_triangular(a, B, trans=1)), S),
    (lambda a: np.sum(W3 * linalg.solve_triangular(a, B, trans="T", lower=True, unit_diagonal=True)), S),
    (lambda a: np.sum(w * linalg.lu_solve(linalg.lu_factor(a), b)), M),
    (lambda a: np.sum(W3 * linalg.lu_solve(linalg.lu_factor(a), B, trans=1)), M),
    (lambda a: np.sum(W * linalg.lu_factor(a)[0]), M),
    (lambda a: np.sum(W * linalg.expm(a)), M),
    (lambda a: np.sum(W * linalg.sqrtm(a)), S),
    (lambda a: np.sum(W * linalg.solve_sylvester(a, a.T + np.eye(4), a @ a)), S),
    (lambda a: np.sum(w * linalg.eigvalsh(a @ a.T)), S),
    (lambda a: np.sum(linalg.block_diag(a, 2.0 * a[0], a[:2]) ** 2), M),
    (lambda x: np.sum(linalg.toeplitz(x) ** 2 * np.arange(49.0).reshape(7, 7)), v),
    (lambda x: np.sum(linalg.toeplitz(x, x[:3] * 2.0) ** 2 * np.arange(21.0).reshape(7, 3)), v),
    (lambda x: linalg.norm(x), v),
]
OTHERS: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda y: integrate.trapezoid(y**2, dx=0.5), v),
    (lambda y: integrate.trapezoid(y[:4] ** 2, x=np.cumsum(y[:4] ** 2)), v),
    (lambda a: np.sum(w * integrate.trapezoid(a**2, axis=0)), M),
    (lambda y: integrate.simpson(y[:1] ** 2), v),
    (lambda y: integrate.simpson(y[:2] ** 2), v),
    (lambda y: integrate.simpson(y[:3] ** 2), v),
    (lambda y: integrate.simpson(y[:4] ** 2), v),
    (lambda y: integrate.simpson(y[:6] ** 2, dx=0.5), v),
    (lambda y: integrate.simpson(y**2, x=PLACES), v),
    (lambda a: np.sum(w * integrate.simpson(a**2, axis=0)), M),
    (lambda x: optimize.rosen(x), v),
    (lambda x: np.sum(signal.convolve(x, x[:3]) ** 2), v),
    (lambda x: np.sum(signal.convolve(x, x[:3], mode="same") ** 2), v),
    (lambda x: np.sum(signal.fftconvolve(x[:3], x, mode="same") ** 2), v),
    (lambda x: np.sum(signal.fftconvolve(x, x[:4], "valid") ** 2), v),
    (lambda a: np.sum(w * special.logsumexp(a, axis=1)), M),
    (lambda a: np.sum(w * special.logsumexp(a, axis=0, b=a**2)), M),
    (lambda a: special.logsumexp(a, keepdims=True)[0, 0], M),
    (lambda a: np.sum(w * special.logsumexp(a, axis=0, b=a, return_sign=True)[0]), M),
    (lambda a: np.sum(W * special.softmax(a, axis=1)), M),
    (lambda a: np.sum(W * special.log_softmax(a, axis=1)), M),
    (lambda x: np.sum(special.comb(x**2 + 3.0, 2)), v),
    (lambda x: special.multigammaln(x[0] ** 2 + 3.0, 2), v),
]


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "x"), [*SYSTEMS, *OTHERS])
def test_values_and_derivatives(f: Callable[[Any], Any], x: Any):
    u = np.cos(np.arange(x.size)).reshape(x.shape)
    slope = ccc.gradient(f)
    along = lambda x: np.sum(slope(x) * u)  # noqa: E731
    first, second = differences(f, x), differences(along, x)
    size = 1.0 + np.max(np.abs(second))
    for backend in BACKENDS:
        assert ccc.compiled(f, backend=backend)(x) == pytest.approx(f(x), rel=1e-11)
        np.testing.assert_allclose(ccc.gradient(f, backend=backend)(x), first, rtol=1e-6, atol=1e-8)
        found = ccc.gradient(along, backend=backend)(x)
        np.testing.assert_allclose(found, second, rtol=1e-5, atol=1e-8 * size)
    forward = ccc.jvp(f, (x,), (u,))[1]
    assert forward == pytest.approx(np.sum(first * u), rel=1e-6, abs=1e-8)


SUMS = [
    np.array([1.0, 2.0, 3.0]), np.array([0.0, -40.0, -50.0]), np.array([1000.0, 1000.0, -math.inf]),
    np.array([-math.inf, -math.inf]), np.array([math.inf, 1.0]), np.array([math.nan, 1.0]), np.array([-1e-20, -50.0]),
]


@pytest.mark.parametrize("x", SUMS, ids=str)
def test_sums_of_exponentials_at_the_edges(x: Any):
    with np.errstate(all="ignore"):
        for backend in BACKENDS:
            f = ccc.compiled(lambda x: special.logsumexp(x), backend=backend)
            np.testing.assert_allclose(f(x), special.logsumexp(x), rtol=1e-15)
            g = ccc.compiled(lambda x: special.logsumexp(x, b=np.array([1.0, -2.0, 0.0][: len(x)])), backend=backend)
            np.testing.assert_allclose(g(x), special.logsumexp(x, b=np.array([1.0, -2.0, 0.0][: len(x)])), rtol=1e-14)
        if np.all(x < math.inf) and np.any(np.isfinite(x)):
            np.testing.assert_allclose(ccc.gradient(lambda x: special.logsumexp(x))(x), special.softmax(x), rtol=1e-15)


def test_float32_stays():
    x = v.astype(np.float32)
    for f in (special.logsumexp, special.softmax, special.log_softmax, special.expit):
        found = ccc.compiled(lambda x, f=f: f(x))(x)
        assert found.dtype == np.float32 and np.allclose(found, f(x), rtol=1e-6)
        assert ccc.gradient(lambda x, f=f: np.sum(f(x) ** 2))(x).dtype == np.float32


def test_what_is_not_taken_is_refused_by_name():
    for f, text in [
        (lambda a: integrate.solve_ivp(
            lambda t, y: -y, (0.0, 1.0), a[0], "DOP853", dense_output=True).y[0, 0], "'RK45' and 'RK23'"),
        (lambda a: np.sum(linalg.solve(a, b, assume_a="striped")), "scipy.linalg.solve"),
        (lambda a: special.comb(a[0, 0], 2, exact=True), "exact=False"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(M)
    with pytest.raises(ValueError, match="scipy.linalg.cossin has a derivative for four blocks of one size"):
        ccc.gradient(lambda a: np.sum(linalg.cossin(a, 1, 1)[1]))(M)
    with pytest.raises(MissingDerivative, match="`scipy.integrate.simpson` has no derivative in `x`"):
        ccc.gradient(lambda x: integrate.simpson(x**2, x=x))(PLACES)


def test_a_rule_of_the_user_comes_first():
    @ccc.derivative_of(special.gammainc)
    def rule(a: Any, x: Any) -> Any:
        return special.gammainc(a, x), lambda ct: (ct * 2.0, ct * 3.0)

    try:
        assert ccc.gradient(lambda a: special.gammainc(a, 1.5))(0.5) == 2.0
    finally:
        from ccc.compile.frontend import custom

        del custom.RULES[special.gammainc]


# -- as users write them ---------------------------------------------------------------------------------------------


X = RNG.normal(size=(12, 3))
TARGET = X @ np.array([0.5, -1.0, 2.0]) + 0.1 * RNG.normal(size=12)


def log_posterior(params: Any) -> Any:
    """Bayesian linear regression."""
    weights, log_sigma = params[:3], params[3]
    sigma = np.exp(log_sigma)
    prior = np.sum(stats.norm(0.0, 10.0).logpdf(weights)) + stats.halfnorm.logpdf(sigma, scale=2.0) + log_sigma
    return prior + np.sum(stats.norm.logpdf(TARGET, loc=X @ weights, scale=sigma))


def logistic_loss(weights: Any) -> Any:
    """Logistic regression."""
    p = special.expit(X @ weights)
    y = (TARGET > 0.0) * 1.0
    return -np.sum(special.xlogy(y, p) + special.xlog1py(1.0 - y, -p))


def mixture(params: Any) -> Any:
    """A Gaussian mixture."""
    logits, means, scales = params[:2], params[2:4], np.exp(params[4:6])
    each = stats.norm.logpdf(TARGET[:, None], means, scales) + special.log_softmax(logits)
    return np.sum(special.logsumexp(each, axis=1))


def gaussian_process(params: Any) -> Any:
    """The marginal likelihood of a Gaussian process."""
    length, noise = np.exp(params[0]), np.exp(params[1])
    distance = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    kernel = np.exp(-0.5 * distance / length**2) + noise * np.eye(12)
    factor, lower = linalg.cho_factor(kernel, lower=True)
    alpha = linalg.cho_solve((factor, lower), TARGET)
    return -0.5 * TARGET @ alpha - np.sum(np.log(np.diag(factor))) - 6.0 * np.log(2.0 * np.pi)


def same_process(params: Any) -> Any:
    length, noise = np.exp(params[0]), np.exp(params[1])
    distance = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    kernel = np.exp(-0.5 * distance / length**2) + noise * np.eye(12)
    return stats.multivariate_normal(np.zeros(12), kernel).logpdf(TARGET)


@pytest.mark.parametrize(("f", "x"), [
    (log_posterior, np.array([0.4, -0.9, 1.8, -1.0])), (logistic_loss, np.array([0.4, -0.9, 1.8])),
    (mixture, np.array([0.1, -0.3, -1.0, 1.5, 0.2, -0.4])), (gaussian_process, np.array([0.3, -1.0])),
    (same_process, np.array([0.3, -1.0])),
])
def test_models_as_users_write_them(f: Callable[[Any], Any], x: Any):
    for backend in BACKENDS:
        value, slope = ccc.value_with_gradient(f, backend=backend)(x)
        assert value == pytest.approx(f(x), rel=1e-11)
        np.testing.assert_allclose(slope, differences(f, x, 1e-3), rtol=1e-7)


def test_both_likelihoods_of_a_process_are_one():
    x = np.array([0.3, -1.0])
    np.testing.assert_allclose(ccc.gradient(gaussian_process)(x), ccc.gradient(same_process)(x), rtol=1e-9)


def test_scipy_costs_nothing_where_it_is_not_used():
    import subprocess
    import sys

    code = "import sys, numpy as np, ccc; ccc.gradient(lambda x: np.sin(x) + abs(x))(1.0); " \
           "assert not [m for m in sys.modules if m.startswith('scipy')]"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
