"""Distributions of `scipy.stats` of several variables: values are SciPy's, slopes those of differences, of symmetric
matrices along symmetric ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

stats: Any = pytest.importorskip("scipy.stats")

A = np.array([[1.0, 0.2, 0.1], [0.3, 1.2, 0.4], [-0.2, 0.1, 0.9]])
B = A + 0.3
E = np.eye(3)
m = np.array([0.1, -0.2, 0.3])
X = np.array([[0.5, 0.1, -0.3], [1.0, -0.4, 0.2]])
p = np.array([0.2, 0.5, 0.3])
made = stats.wishart(5, E), stats.multivariate_t(m, E, 4), stats.matrix_normal(X, np.eye(2), E)
CASES: dict[str, Any] = {
    "t": (lambda x, m, a, df: np.sum(stats.multivariate_t.logpdf(x, m, a @ a.T + E, df)), X, m, A, 3.5),
    "t at a point": (lambda x, m, a: stats.multivariate_t(m, a @ a.T, 4).pdf(x), X[0], m, A),
    "t of one": (lambda x, m: np.sum(stats.multivariate_t.logpdf(x, m, 2.0, 3.0)), m[:2], 0.3),
    "entropies": (lambda a: stats.multivariate_normal.entropy(None, a @ a.T)
                  + stats.multivariate_normal(m, a @ a.T + E).entropy(), A),
    "wishart": (lambda a, b, df: stats.wishart.logpdf(a @ a.T + E, df, b @ b.T), A, B, 4.5),
    "wishart, frozen": (lambda b, df: stats.wishart(df, b @ b.T).pdf(A @ A.T), B, 4.5),
    "wishart of numbers": (lambda x, df, s: stats.wishart.logpdf(x, df, s), 1.5, 4.5, 2.0),
    "wishart of several": (lambda a: np.sum(stats.wishart.logpdf(np.stack([a @ a.T, a @ a.T + E], axis=-1), 5, E)), A),
    "invwishart": (lambda a, b, df: stats.invwishart.logpdf(a @ a.T + E, df, b @ b.T), A, B, 4.5),
    "matrix_normal": (lambda x, m, a, b: stats.matrix_normal.logpdf(x, m, a @ a.T, b @ b.T), X, X * 0.3, A[:2, :2], B),
    "multinomial": (lambda p: np.sum(stats.multinomial(6, p / np.sum(p)).logpmf([[2, 3, 1], [1, 4, 1]])), p),
    "dirichlet_multinomial": (lambda a: stats.dirichlet_multinomial.logpmf([2, 3, 1], a, 6), p),
    "dirichlet": (lambda a: np.sum((stats.dirichlet.mean(a) + stats.dirichlet(a).var()) * m)
                  + stats.dirichlet.entropy(a), p),
    "normal_inverse_gamma": (lambda *xs: stats.normal_inverse_gamma.logpdf(*xs), 0.3, 1.2, 0.1, 1.5, 2.5, 0.7),
    "corners": (lambda x, m, a: np.sum(stats.multivariate_normal.cdf(x, m, a @ a.T) * np.array([1.0, 2.0])),
                X[:, :2], m[:2], A[:2, :2]),
    "corner, frozen": (lambda x: stats.multivariate_normal(m[:2], E[:2, :2] + 0.2).logcdf(x), X[0, :2]),
    "corner of one": (lambda x, v: stats.multivariate_normal.cdf(x, 0.1, v), 0.3, 1.5),
    "made before": (lambda a, x, y: made[0].logpdf(a @ a.T) + made[1].logpdf(x) + made[2].pdf(y), A, m + 1.0, X + 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str):
    f, *args = CASES[name]
    us = [np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x))[()] for x in args]

    def moved(h: float) -> Any:
        return f(*[x + h * u for x, u in zip(args, us, strict=True)])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of probabilities whose sum is nearly one
        value, slopes = ccc.value_with_gradient(f)(*args)
        assert value == pytest.approx(f(*args), rel=1e-11)
        d1, d2, d3 = [moved(k * 1e-3) - moved(-k * 1e-3) for k in (1, 2, 3)]
    along = sum([np.sum(s * u) for s, u in zip(slopes if len(args) > 1 else (slopes,), us, strict=True)])
    assert along == pytest.approx((45 * d1 - 9 * d2 + d3) / 60e-3, rel=1e-7, abs=1e-9)


def test_what_is_outside_of_a_support_and_what_is_singular():
    f = ccc.value_with_gradient(lambda p: stats.multinomial.logpmf([2, 3, 2], 6, p))
    assert f(p)[0] == -np.inf and f(p)[1].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        ccc.gradient(lambda a: stats.multivariate_t.logpdf(m, m, a, 4))(np.diag([1.0, 1.0, 0.0]))
    with pytest.raises(CCCError, match="scipy.stats.multivariate_t has a derivative for allow_singular=False only"):
        ccc.gradient(lambda x: stats.multivariate_t.pdf(x, m, E, 4, allow_singular=True))(m)


def test_the_probability_of_a_corner_of_several_components_and_its_second_order():
    def alone(x: Any) -> Any:
        return np.prod(stats.norm.cdf(x, m, np.array([1.0, 1.5, 2.0])))

    def together(x: Any) -> Any:
        return stats.multivariate_normal.cdf(x, m, np.diag(np.array([1.0, 2.25, 4.0])))

    x, v = X[0], X[1]
    assert np.allclose(ccc.gradient(together)(x), ccc.gradient(alone)(x), rtol=1e-4)
    assert np.allclose(ccc.hvp(together)(x, v), ccc.hvp(alone)(x, v), rtol=1e-4, atol=1e-6)
    assert ccc.jvp(together, (x,), (v,))[1] == pytest.approx(ccc.jvp(alone, (x,), (v,))[1], rel=1e-4)
    with pytest.raises(CCCError, match="has a derivative without allow_singular, lower_limit and rng"):
        ccc.gradient(lambda x: stats.multivariate_normal.cdf(x, m, E, lower_limit=x - 1.0))(x)
