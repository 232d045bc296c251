"""Distribution functions that are not central, in their degrees of freedom: slopes are those of mpmath's sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import slopes_agree

import ccc
from ccc.errors import MissingDerivative

mpmath: Any = pytest.importorskip("mpmath")
special: Any = pytest.importorskip("scipy.special")
from scipy import stats  # noqa: E402 - only where SciPy is installed

mp = mpmath.mp
P, U, X = np.array([3.7, 1.3]), np.array([1.0, -0.6]), np.array([0.5, 2.0, 6.0])


def by_chances(nc: Any, of: Any) -> Any:
    """The sum over Poisson's distribution."""
    half = mp.mpf(nc) / 2
    return mp.nsum(lambda j: mp.exp(-half) * half**j / mp.factorial(j) * of(j), [0, mp.inf])


def chi(x: Any, df: Any, nc: Any) -> Any:
    return by_chances(nc, lambda j: mp.gammainc(df / 2 + j, 0, mp.mpf(x) / 2, regularized=True))


def ratio(m: Any, n: Any, nc: Any, x: Any) -> Any:
    w = m * x / (m * x + n)
    return by_chances(nc, lambda j: mp.betainc(m / 2 + j, n / 2, 0, w, regularized=True))


def student(df: Any, nc: Any, t: Any) -> Any:
    """The mean of the normal distribution function over the root of a sum of squares."""
    scale = mp.mpf(2) ** (1 - df / 2) / mp.gamma(df / 2)
    return mp.quad(lambda u: mp.ncdf(t * u / mp.sqrt(df) - nc) * scale * u ** (df - 1) * mp.exp(-u * u / 2),
                   [0, 1, 2, 4, 8, 16, 30])


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name, exact, places", [
    ("chndtr", chi, [(2.4, 3.0, 1.3), (40.0, 5.5, 30.0), (0.02, 1.5, 9.0), (120.0, 2.5, 20.0)]),
    ("ncfdtr", ratio, [(3.5, 7.0, 1.3, 1.2), (4.0, 30.0, 20.0, 1.5), (4.0, 11.0, 9.0, 0.05)]),
    ("nctdtr", student, [(3.5, 0.7, 1.2), (5.0, 1.7, -1.5), (7.0, -2.5, -2.0), (4.0, 3.0, 4.5)]),
])
def test_slopes_are_those_of_mpmath(name: str, exact: Any, places: list[Any], backend: str):
    of = getattr(special, name)
    freedom = {"chndtr": [1], "ncfdtr": [0, 1], "nctdtr": [0]}[name]
    slope = ccc.gradient({3: lambda p: of(p[0], p[1], p[2]), 4: lambda p: of(p[0], p[1], p[2], p[3])}[len(places[0])],
                         backend=backend)
    for xs in places:
        found = slope(np.array(xs))
        with mp.workdps(25):
            for i in freedom:
                of_one = lambda v, i=i, xs=xs: exact(*[mp.mpf(x) for x in xs[:i]], v, *xs[i + 1:])  # noqa: E731
                wanted = mp.diff(of_one, mp.mpf(xs[i]), h=mp.mpf("1e-7"))
                assert found[i] == pytest.approx(float(wanted), rel=1e-9), (name, xs, i)


@pytest.mark.parametrize("f", [
    lambda p: np.sum(stats.ncx2.cdf(X, p[0], p[1]) + stats.ncx2.logsf(X, p[0], p[1])),
    lambda p: np.sum(stats.ncx2.ppf(X / 8.0, p[0], p[1])),
    lambda p: np.sum(stats.ncf.cdf(X, p[0], 2.0 * p[0], p[1]) + stats.ncf.logsf(X, 3.0, p[0], p[1])),
    lambda p: np.sum(stats.ncf.ppf(X / 8.0, p[0], p[0], p[1])),
    lambda p: np.sum(stats.nct.cdf(X, p[0], p[1]) + stats.nct.logsf(X, p[0], p[1])),
    lambda p: np.sum(stats.nct.ppf(X / 8.0, p[0], p[1])),
], ids=["ncx2", "ncx2.ppf", "ncf", "ncf.ppf", "nct", "nct.ppf"])
def test_distributions_move_with_their_freedom(f: Any):
    slopes_agree(f, P, U, 1e-3, 1e-6)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(P), ccc.gradient(f, backend="numpy")(P), rtol=1e-12)


def test_sums_of_squares_bend():
    x, df, nc, h, of = 2.4, 3.0, 1.3, 1e-4, special.chndtr

    def slope(x: float, df: float, nc: float) -> float:
        return ccc.gradient(lambda v: of(x, v, nc), backend="numpy")(df)

    for bend, near in [
        (ccc.gradient(lambda v: ccc.gradient(lambda w: of(v, w, nc))(df))(x), lambda s: slope(x + s, df, nc)),
        (ccc.gradient(lambda v: ccc.gradient(lambda w: of(x, w, nc))(v))(df), lambda s: slope(x, df + s, nc)),
        (ccc.gradient(lambda v: ccc.gradient(lambda w: of(x, w, v))(df))(nc), lambda s: slope(x, df, nc + s)),
    ]:
        assert bend == pytest.approx((near(h) - near(-h)) / (2.0 * h), rel=1e-6)


def test_ends_are_flat_and_the_rest_is_none():
    slope = ccc.gradient(lambda x, df, nc: special.chndtr(x, df, nc))
    assert slope(0.0, 3.0, 1.3)[1] == 0.0 and np.isnan(slope(2.0, 3.0, 1e9)[1]) and np.isnan(slope(2.0, -1.0, 1.0)[1])
    student = ccc.gradient(lambda df, nc, t: special.nctdtr(df, nc, t))
    assert np.isnan(student(4.0, -30.0, 3.0)[0])  # the terms cancel
    with pytest.raises(MissingDerivative, match="has no derivative in"):
        ccc.gradient(lambda df: ccc.gradient(lambda v: special.nctdtr(v, 0.7, 1.2))(df))(3.5)
