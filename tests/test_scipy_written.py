"""Functions of SciPy's that search, count or draw, and move by a formula: values are SciPy's in both targets,
derivatives those of differences."""

# pyright: reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false, reportIndexIssue=false
# pyright: reportOptionalSubscript=false

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

pytest.importorskip("scipy")

integrate, linalg, ndimage, optimize, signal, special, stats = [importlib.import_module(f"scipy.{name}") for name in (
    "integrate", "linalg", "ndimage", "optimize", "signal", "special", "stats")]
RNG = np.random.default_rng(0)
x, y, img = RNG.normal(size=12), RNG.normal(size=9), RNG.normal(size=(6, 7))
many, pos = RNG.normal(size=1200), np.exp(x)
u, v, w = [RNG.normal(size=30) for _ in range(3)]


def resampled(found: Any) -> Any:
    return *found.confidence_interval, found.bootstrap_distribution, found.standard_error


def of_test(found: Any) -> Any:
    return found.statistic, found.pvalue, found.null_distribution


def posterior(of: Any) -> Any:
    return of.mean(), of.var(), of.std(), of.median(), of.pdf(0.7), of.logpdf(0.7), of.cdf(0.7), of.sf(0.7), of.ppf(
        0.3), *of.interval(0.8)


def apart(a: Any, b: Any, axis: int) -> Any:
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


def mean_along(a: Any, axis: int) -> Any:
    return np.mean(a, axis=axis)


def of_bins(found: Any) -> Any:
    return tuple([np.nan_to_num(part) for part in found])


def of_polynomial(p: Any) -> Any:
    return p(0.4), p.coef, p.weights, p.normcoef, p(np.array([0.1, 0.2])), (p * p).coeffs, p.deriv()(0.3), p.order


def two_draws(c: float) -> Any:
    points = stats.qmc.Halton(2, rng=3)
    first, second = points.random(4), points.random(2)
    return np.sum(first**c) + np.sum(np.cos(c * second))


def of_degree(kind: str, s: Any) -> Any:
    of: Any = getattr(special, kind)
    return of(3)(s), of(3, True)(s) * of(3).normcoef, of(0)(s), of(2).weights, of(2, True).coeffs * s


def squares(of: Any) -> Any:
    return tuple([part * part for part in of])


EDGES, FIFTH = np.array([0.02, 0.1, 0.25, 0.45]), lambda z: np.sum(z**4 + z**2) / 5.0
CASES: dict[str, tuple[Any, ...]] = {
    **{f"stats.anderson, {name}": (lambda s, name=name: tuple(stats.anderson(s, name)), x) for name in (
        "norm", "gumbel", "gumbel_r", "logistic")},
    "stats.anderson, expon": (lambda s: stats.anderson(s, "expon").statistic, pos),
    "stats.anderson, interpolate": (lambda s: tuple(stats.anderson(s, method="interpolate")), pos[:9]),
    **{f"stats.shapiro, {n}": (lambda s: tuple(stats.shapiro(s)), pos[:n]) for n in (3, 4, 11, 12)},
    "stats.shapiro, all": (lambda s: tuple(stats.shapiro(s)), img),
    "stats.bayes_mvs": (lambda s: tuple([t for r in stats.bayes_mvs(s) for t in (r.statistic, r.minmax[0], r[1][1])]),
                        x),
    "stats.bayes_mvs, many": (lambda s: tuple([t for r in stats.bayes_mvs(s, 0.8) for t in (r[0], *r.minmax)]), many),
    "stats.mvsdist": (lambda s: tuple([t for of in stats.mvsdist(s) for t in posterior(of)]), x),
    "stats.dunnett": (lambda s, t: stats.dunnett(s, t, control=y).statistic, x[:6] + 0.1, x),
    **{f"stats.bootstrap, {way}": (lambda s, way=way: resampled(stats.bootstrap(
        (s,), np.mean, rng=0, n_resamples=40, method=way)), x) for way in ("BCa", "basic", "percentile")},
    "stats.bootstrap, a statistic of one": (lambda s: resampled(stats.bootstrap(
        (s,), lambda a: np.mean(a) ** 2, rng=3, n_resamples=40)), x),
    "stats.bootstrap, two": (lambda s, t: resampled(stats.bootstrap((s, t), apart, rng=3, batch=15, n_resamples=40)),
                             x, y),
    "stats.bootstrap, paired": (lambda s, t: resampled(stats.bootstrap(
        (s, t), lambda a, b: np.mean(a * b), random_state=3, paired=True, n_resamples=40)), x[:9], y),
    "stats.bootstrap, rows": (lambda s: resampled(stats.bootstrap((s,), np.std, rng=3, axis=1, n_resamples=40)), img),
    "stats.bootstrap, less": (lambda s: resampled(stats.bootstrap(
        (s,), np.std, rng=3, alternative="less", n_resamples=40))[1:], x),
    "stats.permutation_test": (lambda s, t: of_test(stats.permutation_test(
        (s, t), apart, rng=0, n_resamples=40)), x, y),
    "stats.permutation_test, all": (lambda s, t: of_test(stats.permutation_test(
        (s, t), apart, n_resamples=np.inf, alternative="less")), x[:4], y[:3]),
    "stats.permutation_test, pairings": (lambda s, t: of_test(stats.permutation_test(
        (s, t), lambda a, b: np.sum(a * b), permutation_type="pairings", rng=0, n_resamples=40)), x[:9], y),
    "stats.permutation_test, samples": (lambda s, t: of_test(stats.permutation_test(
        (s, t), apart, permutation_type="samples", rng=0, n_resamples=40, alternative="greater")), x[:9], y),
    "stats.permutation_test, signs": (lambda s: of_test(stats.permutation_test(
        (s,), mean_along, permutation_type="samples", rng=0, n_resamples=40)), y),
    "stats.monte_carlo_test": (lambda s: of_test(stats.monte_carlo_test(
        s, functools.partial(stats.norm.rvs, random_state=0), mean_along, n_resamples=40)), x),
    "stats.monte_carlo_test, a generator": (lambda s: of_test(stats.monte_carlo_test(
        s, np.random.default_rng(3).normal, lambda a: stats.skew(a), n_resamples=40, batch=15)), x),
    **{f"stats.binned_statistic, {kind}": (lambda a, c, kind=kind: of_bins(stats.binned_statistic(a, c, kind, 4)), u, w)
       for kind in ("mean", "sum", "count", "std", "median", "min", "max")},
    **{f"stats.binned_statistic_2d, {kind}": (lambda a, b, c, kind=kind: of_bins(stats.binned_statistic_2d(
        a, b, c, kind, (2, 3))), u, v, w) for kind in ("mean", "std", "median", "max")},
    "stats.binned_statistic_2d, edges": (lambda c: (*stats.binned_statistic_2d(
        u, v, c, np.mean, [-1, 0, 1], expand_binnumbers=True)[:3:2], ), w),
    "stats.binned_statistic_dd": (lambda a, c: np.nan_to_num(stats.binned_statistic_dd(
        np.stack([a, v], 1), [c, c * c], bins=[3, np.array([-1.0, 0.0, 1.0])], range=None).statistic), u, w),
    "stats.binned_statistic_dd, three": (lambda a, b, c: np.nan_to_num(stats.binned_statistic_dd(
        (a, b, c), c, bins=2, range=[(-1, 1), (-2, 2), (-1, 1)]).statistic), u, v, w),
    **{f"stats.goodness_of_fit, {kind}": (lambda s, kind=kind: (lambda r: (r.statistic, r.fit_result.params.loc))(
        stats.goodness_of_fit(stats.norm, s, statistic=kind, n_mc_samples=9, rng=0)), x) for kind in (
        "ad", "ks", "cvm", "filliben")},
    "stats.goodness_of_fit, known": (lambda s, m: (lambda r: (r.statistic, r.pvalue))(stats.goodness_of_fit(
        stats.norm, s, known_params={"loc": m, "scale": 1.0}, statistic="ks", n_mc_samples=9, rng=0)), x, 0.1),
    **{f"stats.levy_stable, {name}": (lambda a, b, c, l, s, name=name: getattr(stats.levy_stable, name)(
        x[:3], a, b, l, s) * c, 1.5, 0.3, 0.9, 0.2, 1.4) for name in ("pdf", "logpdf", "cdf", "sf")},
    "stats.levy_stable, at 1": (lambda s, b: stats.levy_stable.pdf(s, 1.0, b, 0.3, 1.2), x[:3], 0.3),
    **{f"stats.{name}, {method}": (lambda l, s, *c, name=name, method=method: getattr(getattr(stats, name), method)(
        np.array([0.2, 0.6, 0.85]), *c, loc=l, scale=s), 0.1, 1.3, *shapes)
       for name, shapes in {"skewnorm": (1.2,), "vonmises": (1.4,), "invgauss": (0.8,), "exponnorm": (1.2,),
                            "norminvgauss": (1.25, 0.5), "argus": (1.3,)}.items()
       for method in ("cdf", "logsf", "ppf", "isf")},
    "stats.exponnorm, median": (lambda c, s: stats.exponnorm(c, scale=s).median() + stats.exponnorm(c).ppf(0.3), 1.2,
                                1.3),
    "stats.gausshyper, cdf": (lambda s, z: stats.gausshyper.cdf(s, 3.7, 3.1, 2.5, z), np.array([0.3, 0.7]), 1.4),
    "linalg.cossin": (lambda a: squares(linalg.cossin(linalg.expm(a - a.T), 3, 3)), img[:, :6]),
    "linalg.cossin, apart": (lambda a: (lambda r: (r[0][0] ** 2, r[1], r[0][1] @ r[2][0], r[0][0] @ r[2][1]))(
        linalg.cossin(linalg.expm(a - a.T), 2, 2, separate=True, swap_sign=True)), img[:4, :4]),
    "signal.cheb2ord": (lambda p, g: signal.cheb2ord(p, 0.5, g, 30.0)[1], 0.2, 1.0),
    "signal.cheb2ord, high": (lambda p, g: signal.cheb2ord(5.0, p, 1.0, g, fs=20.0), 2.0, 30.0),
    "signal.cheb2ord, band": (lambda p: signal.cheb2ord(p, [0.1, 0.6], 1.0, 30.0)[1], np.array([0.2, 0.5])),
    "signal.cheb2ord, analog": (lambda p: signal.cheb2ord(p, 3.0, 1.0, 30.0, True)[1], 1.3),
    **{f"signal.remez, {n}": (lambda e, d, k, n=n: signal.remez(n, e, d, weight=k), EDGES, np.array([1.0, 0.1]),
                              np.array([1.0, 3.0])) for n in (9, 10)},
    **{f"signal.remez, slope, {n}": (lambda e, d, n=n: signal.remez(n, e, d, type="differentiator", fs=2.0),
                                     np.array([0.1, 0.8]), np.array([1.0])) for n in (9, 10)},
    **{f"signal.remez, turned, {n}": (lambda d, n=n: signal.remez(n, [0.05, 0.45], d, type="hilbert"), np.array([1.0]))
       for n in (9, 10)},
    **{f"signal.unique_roots, {kind}": (lambda r, kind=kind: signal.unique_roots(r, rtype=kind), np.array(
        [1.0, 2.0, 2.0004, 3.0])) for kind in ("min", "max", "avg")},
    "optimize.approx_fprime": (lambda s: optimize.approx_fprime(s, lambda z, a: np.stack(
        [np.sum(z**3) * a, z[0]]), 1e-2, 2.0), y[:3]),
    "optimize.approx_fprime, a number": (lambda s: optimize.approx_fprime(s, lambda z: z**2, 1e-2), 1.5),
    "optimize.check_grad": (lambda s: optimize.check_grad(
        lambda z: np.sum(z**3), lambda z: 2.9 * z**2, s, epsilon=1e-2), y[:3]),
    "optimize.line_search": (lambda s, d: tuple([optimize.line_search(FIFTH, lambda z: (4 * z**3 + 2 * z) / 5, s, d)[k]
                                                 for k in (0, 3, 4)]), np.array([1.8, 1.7]), np.array([-5.0, -5.5])),
    "optimize.bracket": (lambda c: optimize.bracket(lambda z: (z - c) ** 4 + z, -1.0, 0.5), 1.3),
    "integrate.newton_cotes": (lambda a: integrate.newton_cotes(np.concatenate(
        [np.zeros(1), a, np.array([4.0])])), np.array([0.9, 1.7, 3.2])),
    "integrate.newton_cotes, steps": (lambda a: a * integrate.newton_cotes(3)[0], 2.0),
    "integrate.qmc_quad": (lambda c, b: tuple(integrate.qmc_quad(lambda z: np.exp(-c * z[0] * z[1]), np.array(
        [0.0, 1.0]), b, n_estimates=3, n_points=32, qrng=stats.qmc.Sobol(2, rng=0))), 1.3, np.array([1.0, 0.4])),
    "integrate.qmc_quad, logarithms": (lambda c: tuple(integrate.qmc_quad(
        lambda z: -c * z[0], 0.0, 2.0, n_points=32, log=True, qrng=stats.qmc.LatinHypercube(1, rng=0))), 1.3),
    "stats.qmc.Halton": (two_draws, 1.3),
    "ndimage.distance_transform_edt": (lambda s: ndimage.distance_transform_edt(img > 0, sampling=s), np.array(
        [1.0, 1.3])),
    "ndimage.distance_transform_edt, both": (lambda s: ndimage.distance_transform_edt(
        img > 0, sampling=s, return_indices=True), 1.4),
    **{f"special.jacobi, {monic}": (lambda a, b, monic=monic: of_polynomial(special.jacobi(3, a, b, monic)), 0.3, 0.4)
       for monic in (False, True)},
    "special.sh_jacobi": (lambda p, q: of_polynomial(special.sh_jacobi(3, p, q)), 1.3, 0.4),
    "special.genlaguerre": (lambda a: of_polynomial(special.genlaguerre(3, a)), 0.3),
    **{f"special.gegenbauer, {monic}": (lambda a, monic=monic: of_polynomial(special.gegenbauer(3, a, monic)), 0.3)
       for monic in (False, True)},
    "special.jacobi, 0": (lambda a, b: special.jacobi(0, a, b)(a) + special.jacobi(0, a, b).normcoef, 0.3, 0.4),
    **{f"special.{kind}": (lambda s, kind=kind: of_degree(kind, s), 0.3) for kind in (
        "legendre", "chebyc", "chebys", "chebyt", "chebyu", "hermite", "hermitenorm", "laguerre", "sh_chebyt",
        "sh_chebyu", "sh_legendre")},
}
STEP: dict[str, tuple[float, float]] = {
    **{name: (1e-7, 1e-4) for name in CASES if name.startswith("signal.remez")}, "stats.goodness_of_fit, ad": (
        1e-4, 1e-5), **{name: (1e-7, 1e-5) for name in CASES if name.startswith("signal.unique_roots")}}
"""Of what SciPy finds by a search: the step of differences, and how near they are."""


def parts(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def weighted(f: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """A sum of what a function gives."""
    made = f(*args)
    weights = [np.cos(1.0 + np.arange(np.size(part))).reshape(np.shape(part)) for part in parts(made)]
    many = isinstance(made, (tuple, list))

    def g(*xs: Any) -> Any:
        found = f(*xs)
        if not many:
            return np.sum(weights[0] * found)
        return sum([np.sum(k * part) for k, part in zip(weights, found, strict=True)])

    return g


def along(g: Callable[..., Any], args: tuple[Any, ...], us: list[Any], h: float) -> float:
    d1, d2, d3 = [g(*[x + k * h * t for x, t in zip(args, us, strict=True)])
                  - g(*[x - k * h * t for x, t in zip(args, us, strict=True)]) for k in (1, 2, 3)]
    return (45 * d1 - 9 * d2 + d3) / (60 * h)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_in_both_targets(name: str):
    f, *rest = CASES[name]
    args, (h, near) = tuple(rest), STEP.get(name, (1e-4, 1e-6))
    us = [np.cos(0.3 + np.arange(float(np.size(x)))).reshape(np.shape(x))[()] for x in args]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        g = weighted(f, args)
        wanted = along(g, args, us, h)
        for backend in ("numpy", "native"):
            found = parts(ccc.compiled(f, backend=backend)(*args))
            for one, other in zip(found, parts(f(*args)), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
                assert np.shape(one) == np.shape(other)
            slopes = ccc.gradient(g, backend=backend)(*args)
            slopes = slopes if len(args) > 1 else (slopes,)
            slope = sum([np.sum(s * t) for s, t in zip(slopes, us, strict=True)])
            assert slope == pytest.approx(wanted, rel=near, abs=1e-7)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_how_often_a_mean_is_as_far_from_the_control(alternative: str):
    """SciPy integrates by draws: values are its own where it has a seed, and within its error elsewhere."""
    def f(s: Any, t: Any, rng: Any = 0) -> Any:
        return stats.dunnett(s, t, control=y, alternative=alternative, rng=rng).pvalue

    at, us = (x[:6] + 0.4, x), [np.cos(np.arange(6.0)), np.sin(np.arange(12.0))]
    np.testing.assert_allclose(ccc.compiled(f)(*at), f(*at), rtol=1e-12)
    np.testing.assert_allclose(ccc.compiled(lambda s, t: f(s, t, None))(*at), f(*at), atol=2e-4)
    g = weighted(f, at)
    slope = sum([np.sum(s * t) for s, t in zip(ccc.gradient(g)(*at), us, strict=True)])
    assert slope == pytest.approx(along(g, at, us, 2e-2), rel=5e-3)


def test_what_is_drawn_without_a_seed_is_refused_by_name():
    for f, text in [
        (lambda s: stats.bootstrap((s,), np.mean).standard_error, "bootstrap without a seed"),
        (lambda s: stats.permutation_test((s, y), apart).statistic, "permutation_test without a seed"),
        (lambda s: stats.bootstrap((s,), np.mean, rng=np.random.default_rng(0)).standard_error, "for a seed"),
        (lambda s: stats.shapiro(np.stack([s, s]), axis=1).statistic[0], "shapiro has a derivative for one sample"),
        (lambda s: stats.anderson(s, "weibull_min").statistic, "anderson has a derivative for norm"),
        (lambda s: stats.binned_statistic(s, s, np.ptp).statistic[0], "binned_statistic is known for mean, sum"),
    ]:
        with pytest.raises(CCCError, match=text):
            ccc.gradient(f)(x)


def test_parameters_of_the_greatest_likelihood():
    """SciPy's search draws, and ends where it is near."""
    def f(s: Any) -> Any:
        free = stats.fit(stats.gamma, s, {"a": (0.1, 10.0), "scale": (0.1, 5.0)}).params
        return stats.fit(stats.norm, s, [(-3.0, 3.0), (0.1, 5.0)]).params.scale + free.a * free[2] + free.loc

    found, slope = ccc.value_with_gradient(f)(pos)
    assert found == pytest.approx(f(pos), rel=1e-4)
    wanted = (pos - np.mean(pos)) / len(pos) / np.std(pos) + 1.0 / len(pos)  # a scale is the mean of a gamma's sample
    np.testing.assert_allclose(slope, wanted, atol=1e-4)
    at_bound = ccc.gradient(lambda s: stats.fit(stats.norm, s, [(-3.0, 0.1), (0.1, 5.0)]).params.loc)(pos)
    np.testing.assert_array_equal(at_bound, np.zeros(12))
    count = ccc.compiled(lambda m: m * stats.fit(stats.poisson, np.array([1, 3, 2, 4]), {"mu": (0.1, 9.0)}).params.mu)
    assert count(1.0) == pytest.approx(2.5, rel=1e-5)


def test_slopes_that_are_not_known_are_nan():
    """Values of SciPy's that are none of the function, and what is drawn from what was fitted."""
    for f, at in [
        (lambda t: special.pro_rad2(1, 2, 1.4, t)[0], 1.3), (lambda t: special.obl_rad2(1, 2, 1.4, t)[1], 0.7),
        (lambda a: stats.levy_stable.pdf(0.5, a, 0.3), 1.0), (lambda t: stats.levy_stable.pdf(t, 0.4, 0.3), 9.0),
        (lambda t: stats.goodness_of_fit(stats.norm, y * t, n_mc_samples=9, rng=0).null_distribution[0], 1.0),
    ]:
        assert np.isfinite(ccc.compiled(f)(at)) and ccc.compiled(f)(at) == f(at)
        assert np.isnan(ccc.gradient(f)(at)) and np.isnan(ccc.jvp(f, (at,), (1.0,))[1])
    assert ccc.gradient(lambda a: stats.levy_stable.pdf(0.5, a, 0.0))(1.0) == pytest.approx(0.0469037, rel=1e-5)
