"""Fits of distributions within bounds, and how well one fits: SciPy finds the parameters, and the implicit function
theorem says how those move that are inside of their bounds. Whole ones and those at a bound are constants. Of what is
drawn from a fitted distribution the slopes are NaN.

>>> found = fit(stats.norm, np.array([1.0, 3.0]), {"loc": (0.0, 5.0), "scale": (0.1, 5.0)})
>>> round(float(found.params.loc), 3), round(float(found.params.scale), 3)
(2.0, 1.0)
"""

from __future__ import annotations

import warnings
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.stats

from ccc.compile.api.transforms import gradient
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.slopes import only_where, with_slope_of
from ccc.compile.libraries.solutions import solved

stats: Any = scipy.stats


def names_of(of: Any) -> tuple[str, ...]:
    shapes = tuple([part.strip() for part in of.shapes.split(",")] if of.shapes else [])
    return (*shapes, "loc") if isinstance(of, stats.rv_discrete) else (*shapes, "loc", "scale")


PARAMETERS: dict[str, Any] = {
    name: namedtuple("FitParams", names_of(of)) for name, of in vars(stats).items()
    if isinstance(of, (stats.rv_continuous, stats.rv_discrete))}
"""The class of the parameters of each distribution."""


@dataclass
class Fit:
    """What `fit` gives."""

    __ccc_record__ = True

    params: Any
    success: Any
    message: Any


def found_by_scipy(of: Any, data: Any, bounds: Any, guess: Any) -> Any:
    """The parameters; of each whether it moves; and whether the search ended well."""
    bounds = dict(bounds) if isinstance(bounds, dict) else bounds
    found = stats.fit(of, data, bounds, guess=guess)
    z = np.array(found.params, float)
    sides, whole = sides_of(of, bounds), [p.integrality for p in of._param_info()]
    room = 1e-6 * (1.0 + np.abs(z))
    free = (z - sides[:, 0] > room) & (sides[:, 1] - z > room) & ~np.array(whole, bool)
    return np.stack([z, free * 1.0, np.full(len(z), float(found.success))])


def itself(z: Any) -> Any:
    return z


def sides_of(of: Any, bounds: Any) -> Any:
    """The bounds of each parameter, where none is given those of SciPy."""
    given = {"loc": (0.0, 0.0), "scale": (1.0, 1.0)}
    names = names_of(of)
    if isinstance(bounds, dict) or bounds is None:
        given = {**given, **(bounds or {})}
    else:
        given = {**given, **dict(zip(names, bounds, strict=False))}
    domains = [p.domain for p in of._param_info()]
    both = np.array([given.get(name, domain) for name, domain in zip(names, domains, strict=True)], float)
    low, high = np.array(domains, float).T
    return np.stack([np.maximum(both[:, 0], low), np.minimum(both[:, 1], high)], axis=1)


@definition_of(stats.fit)
def fit(dist: Any, data: Any, bounds: Any = None, *, guess: Any = None, method: Any = "mle",
        optimizer: Any = scipy.optimize.differential_evolution) -> Any:
    if method != "mle" or optimizer is not scipy.optimize.differential_evolution:
        refuse("scipy.stats.fit has a derivative by the likelihood, as SciPy searches by itself",
               "leave `method` and `optimizer` out")
    x = np.asarray(data) * 1.0
    kind = PARAMETERS[dist.name]
    count = len(kind._fields)
    of = dist.logpdf if hasattr(dist, "logpdf") else dist.logpmf
    kept = constant(found_by_scipy, np.zeros((3, 3)), dist, data, bounds, guess)

    def away(z: Any) -> Any:
        slope = gradient(lambda z: np.sum(of(x, *[z[i] for i in tuple(range(count))])))(z)
        return np.where(kept[1] > 0.5, slope, z - kept[0])

    z = solved(away, itself, (kept[0],), np.zeros(2))
    return Fit(kind(*[z[i] for i in tuple(range(count))]), kept[2][0] > 0.5, "the parameters of `params`")


# -- how well a distribution fits --------------------------------------------------------------------------------------


@dataclass
class Goodness:
    """What `goodness_of_fit` gives."""

    __ccc_record__ = True

    fit_result: Any
    statistic: Any
    pvalue: Any
    null_distribution: Any


def parameters(dist: Any, x: Any, fixed: Any) -> Any:
    """Those that SciPy compares with: of the normal distribution the deviation is that of a sample."""
    if dist.name == "norm":
        loc = fixed["floc"] if "floc" in fixed else np.mean(x)
        if "fscale" in fixed:
            return loc, fixed["fscale"]
        return loc, np.std(x, ddof=1) if "floc" not in fixed else np.sqrt(np.mean((x - loc) ** 2))
    if len(fixed) == len(PARAMETERS[dist.name]._fields):
        return tuple([fixed["f" + name] for name in PARAMETERS[dist.name]._fields])
    return dist.fit(x, **fixed)


def distance(of: Any, x: Any, kind: Any) -> Any:
    """The statistics that SciPy knows by name."""
    y, n = np.sort(x), np.size(x)
    i = np.arange(1, n + 1)
    if kind == "ad":
        return -n - np.sum((2 * i - 1) / n * (of.logcdf(y) + of.logsf(y)[::-1]))
    if kind == "filliben":
        places = of.ppf(stats.beta.median(i * 1.0, n + 1.0 - i))
        a, b = y - np.mean(y), places - np.mean(places)
        return np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))
    below = of.cdf(y)
    if kind == "cvm":
        return 1.0 / (12 * n) + np.sum(((2 * i - 1) / (2 * n) - below) ** 2)
    return np.maximum(np.max(i / n - below), np.max(below - (i - 1.0) / n))


def as_scipy_tests(dist: Any, data: Any, options: Any, rng: int) -> Any:
    """The statistic, how often one as extreme is drawn, and those that are drawn."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = stats.goodness_of_fit(dist, data, rng=np.random.default_rng(rng), **options)
    return np.concatenate([[found.statistic, found.pvalue], np.ravel(found.null_distribution)])


@definition_of(stats.goodness_of_fit)
def goodness_of_fit(dist: Any, data: Any, *, known_params: Any = None, fit_params: Any = None,
                    guessed_params: Any = None, statistic: Any = "ad", n_mc_samples: Any = 9999,
                    rng: Any = None) -> Any:
    if not isinstance(rng, int):
        refuse("scipy.stats.goodness_of_fit has a derivative for a seed", "give it a whole number, as `rng=0`")
    if not isinstance(statistic, str):
        refuse("scipy.stats.goodness_of_fit has a derivative for the statistics that have names",
               "call yours: `statistic(dist(*dist.fit(data)), data, 0)`")
    if guessed_params is not None:
        refuse("scipy.stats.goodness_of_fit has a derivative for guessed_params=None")
    if fit_params is not None:
        refuse("scipy.stats.goodness_of_fit has a derivative for fit_params=None", "give `known_params`")
    x = np.asarray(data) * 1.0
    fixed = {} if known_params is None else {"f" + name: value for name, value in known_params.items()}
    options = {"statistic": statistic, "n_mc_samples": n_mc_samples, "known_params": known_params}
    kept, kind = constant(as_scipy_tests, np.zeros(4), dist, data, options, rng), PARAMETERS[dist.name]
    z = parameters(dist, x, fixed)
    found = with_slope_of(kept[0], distance(dist(*z), x, statistic.lower()))
    drawn = with_slope_of(kept[2:], only_where(np.sum(x), False))
    return Goodness(Fit(kind(*z), True, "The fit was performed successfully."), found, kept[1], drawn)
