"""The distributions of `scipy.stats`: values are SciPy's, derivatives of densities those of mpmath with 50 digits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

stats: Any = pytest.importorskip("scipy.stats")
mp: Any = pytest.importorskip("mpmath")

from ccc.primitives.scipy_families import CONTINUOUS, DISCRETE  # noqa: E402 - only where SciPy is installed
from ccc.primitives.scipy_stats import FUNCTIONS  # noqa: E402

BACKENDS = ["numpy", "native"]


def normal(z: Any) -> Any:
    return -z * z / 2 - mp.log(2 * mp.pi) / 2


def of_t(z: Any, n: Any) -> Any:
    return mp.loggamma((n + 1) / 2) - mp.loggamma(n / 2) - mp.log(n * mp.pi) / 2 - (n + 1) / 2 * mp.log(1 + z * z / n)


def of_binom(k: Any, n: Any, p: Any) -> Any:
    return mp.log(mp.binomial(n, k)) + k * mp.log(p) + (n - k) * mp.log(1 - p)


DENSITIES: dict[str, tuple[Callable[..., Any], tuple[float, ...], list[float]]] = {
    "norm": (normal, (), [-0.7, 0.4, 6.0]),
    "lognorm": (lambda z, s: normal(mp.log(z) / s) - mp.log(s * z), (0.8,), [0.3, 2.5]),
    "expon": (lambda z: -z, (), [0.3, 4.0]),
    "gamma": (lambda z, a: (a - 1) * mp.log(z) - z - mp.loggamma(a), (2.3,), [0.3, 4.0]),
    "invgamma": (lambda z, a: -(a + 1) * mp.log(z) - 1 / z - mp.loggamma(a), (2.3,), [0.3, 4.0]),
    "beta": (lambda z, a, b: (a - 1) * mp.log(z) + (b - 1) * mp.log(1 - z) - mp.log(mp.beta(a, b)), (2.3, 0.7),
             [0.3, 0.9]),
    "uniform": (lambda z: 0 * z, (), [0.3, 0.9]),
    "t": (of_t, (3.7,), [-0.7, 5.0]),
    "chi2": (lambda z, k: (k / 2 - 1) * mp.log(z) - z / 2 - mp.loggamma(k / 2) - k / 2 * mp.log(2), (3.7,), [0.3, 4.0]),
    "cauchy": (lambda z: -mp.log(mp.pi * (1 + z * z)), (), [-0.7, 5.0]),
    "halfcauchy": (lambda z: mp.log(2 / mp.pi / (1 + z * z)), (), [0.7, 5.0]),
    "laplace": (lambda z: -mp.log(2) - abs(z), (), [-0.7, 5.0]),
    "logistic": (lambda z: -z - 2 * mp.log(1 + mp.exp(-z)), (), [-0.7, 5.0]),
    "pareto": (lambda z, b: mp.log(b) - (b + 1) * mp.log(z), (2.6,), [1.2, 5.0]),
    "weibull_min": (lambda z, c: mp.log(c) + (c - 1) * mp.log(z) - z**c, (1.7,), [0.3, 2.0]),
    "gumbel_r": (lambda z: -z - mp.exp(-z), (), [-0.7, 5.0]),
    "gumbel_l": (lambda z: z - mp.exp(z), (), [-0.7, 2.0]),
    "halfnorm": (lambda z: normal(z) + mp.log(2), (), [0.7, 5.0]),
    "rayleigh": (lambda z: mp.log(z) - z * z / 2, (), [0.7, 5.0]),
    "truncnorm": (lambda z, a, b: normal(z) - mp.log(mp.ncdf(b) - mp.ncdf(a)), (-1.2, 2.5), [-0.7, 2.0]),
    "poisson": (lambda k, m: k * mp.log(m) - m - mp.loggamma(k + 1), (2.6,), [0, 3, 7]),
    "binom": (of_binom, (7.0, 0.3), [0, 3, 7]),
    "bernoulli": (lambda k, p: k * mp.log(p) + (1 - k) * mp.log(1 - p), (0.3,), [0, 1]),
    "nbinom": (lambda k, n, p: mp.loggamma(n + k) - mp.loggamma(k + 1) - mp.loggamma(n) + n * mp.log(p)
               + k * mp.log(1 - p), (2.6, 0.3), [0, 3, 7]),
    "geom": (lambda k, p: (k - 1) * mp.log(1 - p) + mp.log(p), (0.3,), [1, 3, 7]),
}
FAMILIES = CONTINUOUS | DISCRETE
PLACES = np.array([-3.0, -1.0, -0.25, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 9.5, math.inf, -math.inf, math.nan])
QUANTILES = np.array([-0.1, 0.0, 0.2, 0.5, 0.9, 1.0, 1.1, math.nan])


def known(name: str, methods: tuple[str, ...]) -> list[str]:
    return [m for m in methods if getattr(getattr(stats, name), m, None) in FUNCTIONS]


def agrees(f: Callable[..., Any], *args: Any, backend: str | None = None, rtol: float = 1e-12) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = f(*args)
        found = ccc.compiled(f, backend=backend)(*args)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-15)
    assert np.shape(found) == np.shape(expected) and np.asarray(found).dtype == np.asarray(expected).dtype


def called(name: str, method: str) -> Callable[..., Any]:
    """The method as a function of its argument, of the shapes, and of `loc` and `scale` by name."""
    f, (_, shapes, _) = getattr(getattr(stats, name), method), DENSITIES[name]
    if name in DISCRETE:
        return [lambda x, loc: f(x, loc=loc), lambda x, a, loc: f(x, a, loc=loc),
                lambda x, a, b, loc: f(x, a, b, loc=loc)][len(shapes)]
    return [lambda x, loc, s: f(x, loc=loc, scale=s), lambda x, a, loc, s: f(x, a, loc=loc, scale=s),
            lambda x, a, b, loc, s: f(x, a, b, loc=loc, scale=s)][len(shapes)]


def moment(name: str, method: str) -> Callable[..., Any]:
    """The method as a function of the shapes, and of `loc` and `scale` where there are such."""
    f, count = getattr(getattr(stats, name), method), len(DENSITIES[name][1])
    if name in DISCRETE:
        return [lambda a: f(a), lambda a, b: f(a, b)][count - 1]
    return [lambda loc, s: f(loc=loc, scale=s), lambda a, loc, s: f(a, loc, s),
            lambda a, b, loc, s: f(a, b, loc=loc, scale=s)][count]


def test_each_family_is_compared():
    assert set(DENSITIES) == set(FAMILIES)


@pytest.mark.share(12)
@pytest.mark.parametrize("name", FAMILIES)
def test_values_are_those_of_scipy(name: str):
    shapes, discrete = DENSITIES[name][1], name in DISCRETE
    places = [0.0] if discrete else [0.5, 2.0]
    for method in known(name, ("logpdf", "pdf", "logpmf", "pmf", "cdf", "sf", "logcdf", "logsf")):
        for backend in BACKENDS:
            agrees(called(name, method), PLACES, *shapes, *places, backend=backend)
        agrees(called(name, method), PLACES[4], *shapes, *places)
        agrees(called(name, method), PLACES.astype(np.float32), *shapes, *places)
    for method in known(name, ("ppf", "isf")):
        for backend in BACKENDS:
            agrees(called(name, method), QUANTILES, *shapes, *places, backend=backend, rtol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_that_are_not_allowed(name: str):
    shapes, last = DENSITIES[name][1], ["scale"] if name in CONTINUOUS else []
    wrong = [(*shapes, 0.5, s) for s in (0.0, -1.0, math.nan)] if last else []
    wrong += [(*shapes[:i], x, *shapes[i + 1 :], 0.0, *[1.0 for _ in last])
              for i in range(len(shapes)) for x in (-1.0, 0.0, math.nan, 1.5)]
    for method in known(name, ("logpdf", "logpmf", "cdf", "logsf")):
        for given in wrong:
            agrees(called(name, method), PLACES, *given)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_moments_are_those_of_scipy(name: str):
    shapes = DENSITIES[name][1]
    for method in known(name, ("mean", "var", "std", "entropy", "median")):
        g = moment(name, method)
        agrees(g, *shapes, 0.5, 2.0, rtol=1e-10)
        agrees(g, *shapes, 0.5, np.array([2.0, 0.3]), rtol=1e-10)
        if len(shapes) == 1:
            agrees(g, np.array([0.5, 1.0, 1.5, 2.0, 5.0, -1.0]), 0.5, 2.0, rtol=1e-10)


@pytest.mark.parametrize("name", DISCRETE)
def test_moments_of_discrete_families(name: str):
    shapes = DENSITIES[name][1]
    for method in known(name, ("mean", "var", "std", "entropy")):
        agrees(moment(name, method), *shapes)


@pytest.mark.share(6)
@pytest.mark.parametrize("name", FAMILIES)
def test_slopes_of_densities_are_those_of_mpmath(name: str):
    density, shapes, points = DENSITIES[name]
    discrete = name in DISCRETE
    f = called(name, "logpmf" if discrete else "logpdf")
    places = [0.0] if discrete else [0.25, 2.0]

    def exact(order: int, i: int, given: list[float]) -> float:
        def g(x: Any) -> Any:
            every = [*given[:i], x, *given[i + 1 :]]
            loc, scale = (every[-1], 1) if discrete else (every[-2], every[-1])
            return density((every[0] - loc) / scale, *every[1 : 1 + len(shapes)]) - mp.log(scale)

        with mp.workdps(50):
            given = [mp.mpf(x) for x in given]
            return float(mp.diff(g, given[i], order, h=mp.mpf(10) ** -14, relative=False))

    for z in points:
        x = float(z) if discrete else 0.25 + 2.0 * z
        given = [x, *shapes, *places]
        count = 1 + len(shapes) + len(places)
        moving = range(1, count - 1) if discrete else range(count)
        for i in moving:
            if name == "binom" and i == 1:
                continue  # only integers are allowed there
            for backend in BACKENDS:
                slope = ccc.gradient(f, wrt=i, backend=backend)(*given)
                assert slope == pytest.approx(exact(1, i, given), rel=1e-10, abs=1e-13), (z, i)
            twice = ccc.gradient(ccc.gradient(f, wrt=i), wrt=i)(*given)
            assert twice == pytest.approx(exact(2, i, given), rel=1e-9, abs=1e-12), (z, i)


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_distribution_functions_have_the_density_as_slope(name: str):
    shapes, points = DENSITIES[name][1], DENSITIES[name][2]
    dist = getattr(stats, name)(*shapes, loc=0.25, scale=2.0)
    for method in known(name, ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")):
        f = called(name, method)
        for z in points:
            x = 0.25 + 2.0 * z
            density, q = dist.pdf(x), dist.cdf(x)
            slope = {"cdf": density, "sf": -density, "logcdf": density / q, "logsf": -density / dist.sf(x),
                     "ppf": 1.0 / density, "isf": -1.0 / dist.pdf(dist.isf(q))}[method]
            at = q if method in ("ppf", "isf") else x
            if not 0.0 < q < 1.0 or (method == "ppf" and q > 0.99):
                continue
            for backend in BACKENDS:
                found = ccc.gradient(f, wrt=0, backend=backend)(at, *shapes, 0.25, 2.0)
                assert found == pytest.approx(slope, rel=1e-9), (method, z)


def differences(f: Callable[..., Any], given: list[float], i: int) -> float:
    """A derivative by differences of order 6."""
    h = 1e-3 * max(1.0, abs(given[i]))
    at = lambda k: f(*given[:i], given[i] + k * h, *given[i + 1 :])  # noqa: E731
    with np.errstate(all="ignore"):
        return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", FAMILIES)
def test_slopes_in_parameters_are_right(name: str):
    _, shapes, points = DENSITIES[name]
    places = [0.0] if name in DISCRETE else [0.25, 2.0]
    x = float(points[1]) if name in DISCRETE else 0.25 + 2.0 * points[0]
    for method in known(name, ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")):
        given = [0.3 if method in ("ppf", "isf") else x, *shapes, *places]
        for i in range(1, len(given) - (name in DISCRETE)):
            if name == "binom" and i == 1:
                continue
            found = ccc.gradient(called(name, method), wrt=i)(*given)
            expected = differences(called(name, method), given, i)
            if not math.isfinite(expected):
                continue  # behind the last place of the support
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9), (method, i)


def test_outside_of_the_support_slopes_are_zero():
    f = ccc.gradient(lambda x, a: np.sum(stats.gamma.logpdf(x, a)), wrt=(0, 1))
    dx, da = f(np.array([-1.0, 2.0]), 2.5)
    assert dx.tolist() == [0.0, 1.5 / 2.0 - 1.0]
    assert da == ccc.gradient(lambda a: stats.gamma.logpdf(2.0, a))(2.5)


def test_frozen_distributions():
    prior = stats.gamma(2.5, scale=np.array([1.0, 2.0]))
    method = stats.norm(1.0, 2.0).logpdf

    def inside(x: float, s: float) -> Any:
        noise = stats.norm(0.5, scale=s)
        return noise.logpdf(x) + stats.expon(scale=s).logpdf(x) + noise.mean() * noise.std()

    for backend in BACKENDS:
        agrees(inside, 0.7, 1.3, backend=backend)
        agrees(lambda x: prior.logpdf(x), 0.7, backend=backend)
        agrees(lambda x: method(x), 0.7, backend=backend)
        g = ccc.gradient(inside, wrt=1, backend=backend)(0.7, 1.3)
        assert g == pytest.approx(differences(inside, [0.7, 1.3], 1), rel=1e-9)
    h = ccc.gradient(lambda x: np.sum(prior.logpdf(x)))
    assert h(0.7) == pytest.approx(3.0 / 0.7 - 1.5)
    prior.kwds["scale"][:] = 4.0
    assert h(0.7) == pytest.approx(3.0 / 0.7 - 0.5)


def test_a_frozen_distribution_may_be_an_argument_or_a_result():
    assert ccc.gradient(lambda x, d: d.logpdf(x), wrt="x")(1.5, stats.norm(0.0, 2.0)) == -0.375
    made = ccc.compiled(lambda s: stats.norm(0.0, scale=s))(2.0)
    assert made.logpdf(1.0) == stats.norm(0.0, 2.0).logpdf(1.0)
    with pytest.raises(CompileError, match="`norm_frozen` has no method `logpfd`\n(.*\n)*.*logpdf"):
        ccc.gradient(lambda s: stats.norm(0.0, scale=s).logpfd(1.0))(2.0)


def test_frozen_distributions_behind_branches_and_loops():
    def f(x: float) -> Any:
        d = stats.norm(0.0, x) if x > 1.0 else stats.norm(x, 2.0)
        total = 0.0
        for i in range(3):
            total = total + d.logpdf(x + i)
        return total

    for x in (0.5, 1.5):
        agrees(f, x)
        assert ccc.gradient(f)(x) == pytest.approx(differences(f, [x], 0), rel=1e-8)


def spread(n: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=(n, n))


def gradient_agrees(f: Callable[[Any], Any], x: Any, backend: str | None) -> None:
    found, expected = ccc.gradient(f, backend=backend)(x), np.zeros_like(x)
    for place in np.ndindex(x.shape):
        def moved(h: float, place: Any = place) -> Any:
            y = x.copy()
            y[place] += h
            return f(y)

        expected[place] = differences(moved, [0.0], 0)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_normal_distributions_of_several_variables(backend: str | None):
    rng = np.random.default_rng(1)
    points, mean, root = rng.normal(size=(5, 3)), rng.normal(size=3), spread(3)
    cov = root @ root.T + np.eye(3)
    normal, one, cov1 = stats.multivariate_normal, mean[:1], cov[:1, :1]
    for f, x in [
        (lambda x: normal.logpdf(x, mean, cov), points), (lambda x: normal.logpdf(x, mean, cov), points[:1]),
        (lambda x: normal.logpdf(x, mean, cov), points[0]), (lambda x: normal.pdf(x, mean), points),
        (lambda x: normal.logpdf(x, cov=cov), points),
        (lambda x: normal.logpdf(x, mean, np.array([1.0, 2.0, 3.0])), points),
        (lambda x: normal.logpdf(x, 0.5, 2.0), points[:, 0]), (lambda x: normal.logpdf(x), 0.7),
        (lambda x: normal.logpdf(x, one, cov1), points[:, :1]),
        (lambda x: normal.logpdf(x, np.zeros(len(x)), cov), points[0]),
    ]:
        agrees(f, x, backend=backend)
    frozen = normal(mean, cov)
    agrees(lambda x: frozen.logpdf(x), points, backend=backend)
    gradient_agrees(lambda x: np.sum(normal.logpdf(x, mean, cov)), points, backend)
    gradient_agrees(lambda m: np.sum(normal.logpdf(points, m, cov)), mean, backend)
    gradient_agrees(lambda a: np.sum(normal(mean, a @ a.T + np.eye(3)).logpdf(points)), root, backend)


def test_a_covariance_that_is_not_positive_raises():
    f = ccc.gradient(lambda x: stats.multivariate_normal.logpdf(x, np.zeros(2), np.array([[1.0, 2.0], [2.0, 1.0]])))
    with pytest.raises(np.linalg.LinAlgError):
        f(np.ones(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_covariances_that_may_be_singular(backend: str | None):
    """What SciPy takes for singular raises: the density on a subspace is another one."""
    rng = np.random.default_rng(1)
    points, root, normal = rng.normal(size=(5, 3)), spread(3), stats.multivariate_normal
    agrees(lambda x: normal.logpdf(x, None, root @ root.T + np.eye(3), True), points, backend=backend)
    likelihood = lambda a: np.sum(normal.logpdf(points, cov=a @ a.T + np.eye(3), allow_singular=True))  # noqa: E731
    gradient_agrees(likelihood, root, backend)
    for cov in (np.ones((3, 3)), np.diag([1.0, 1e-11, 1.0])):
        with pytest.raises(np.linalg.LinAlgError, match="the covariance is singular"):
            ccc.compiled(lambda x, c=cov: normal.logpdf(x, None, c, allow_singular=True), backend=backend)(points)


@pytest.mark.parametrize("backend", BACKENDS)
def test_dirichlet(backend: str | None):
    alpha, x = np.array([1.5, 2.5, 0.7]), np.array([0.2, 0.5, 0.3])
    many = np.array([[0.2, 0.1], [0.5, 0.3], [0.3, 0.6]])
    for given in (x, x[:2], many, many[:2], many[:, :1]):
        agrees(lambda x, a: stats.dirichlet.logpdf(x, a), given, alpha, backend=backend)
        gradient_agrees(lambda a, given=given: np.sum(stats.dirichlet.logpdf(given, a)), alpha, backend)
    small = x[:2]
    gradient_agrees(lambda t: stats.dirichlet(alpha).pdf(t * small), np.array([0.4, 0.6]), backend)
    with pytest.raises(ValueError, match="normal simplex"):
        ccc.gradient(lambda x: stats.dirichlet.logpdf(x, alpha), backend=backend)(x + 0.1)


def test_what_no_family_has_is_refused_by_name():
    for f, name in [(lambda x: stats.genexpon.mean(x, 1.0, 2.0), "scipy.stats.genexpon.mean"),
                    (lambda x: stats.burr12.entropy(x, 2.0), "scipy.stats.burr12.entropy")]:
        with pytest.raises(CompileError, match=f"no derivative rule for `{name}`"):
            ccc.gradient(f)(1.5)
    with pytest.raises(CompileError, match="scipy.stats.norm.rvs is known with a whole number as `random_state`"):
        ccc.gradient(lambda x: stats.norm(0.0, x).rvs())(1.5)
    with pytest.raises(CompileError, match="unexpected keyword argument 'sigma'"):
        ccc.gradient(lambda x: stats.norm.logpdf(x, sigma=2.0))(1.5)
    with pytest.raises(CompileError, match="missing required argument: 'a'"):
        ccc.gradient(lambda x: stats.gamma.logpdf(x))(1.5)
