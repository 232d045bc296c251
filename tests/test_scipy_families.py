"""Distributions of `scipy.stats` that are seldom used: values are SciPy's, slopes those of differences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

stats: Any = pytest.importorskip("scipy.stats")

from ccc.primitives import scipy_families  # noqa: E402 - only where SciPy is installed
from ccc.primitives.scipy_families_seldom import CONTINUOUS, DISCRETE  # noqa: E402
from ccc.primitives.scipy_stats import FUNCTIONS  # noqa: E402

SHAPES: dict[str, tuple[float, ...]] = {
    "erlang": (2.0,), "maxwell": (), "f": (3.5, 7.0), "triang": (0.4,), "loguniform": (0.5, 2.5),
    "reciprocal": (0.5, 2.5), "powerlaw": (1.7,), "invgauss": (0.8,), "wald": (), "invweibull": (2.3,),
    "genextreme": (0.2,), "genpareto": (-0.2,), "gengamma": (1.7, 1.3), "skewnorm": (1.5,), "vonmises": (1.5,),
    "weibull_max": (1.7,), "lomax": (2.6,), "fisk": (2.6,), "burr": (2.6, 1.3), "burr12": (2.6, 1.3),
    "nakagami": (1.7,), "chi": (3.7,), "dweibull": (1.7,), "dgamma": (1.7,), "gennorm": (1.7,),
    "halfgennorm": (1.7,), "johnsonsu": (0.5, 1.5), "johnsonsb": (0.5, 1.5), "arcsine": (), "semicircular": (),
    "anglit": (), "hypsecant": (), "gibrat": (), "levy": (), "moyal": (), "loglaplace": (2.6,),
    "laplace_asymmetric": (1.4,), "foldnorm": (1.2,), "halflogistic": (), "gompertz": (0.7,), "exponpow": (1.4,),
    "truncexpon": (2.5,), "exponweib": (1.7, 1.3), "betaprime": (2.3, 3.7), "bradford": (1.4,), "loggamma": (1.7,),
    "genlogistic": (1.7,), "powernorm": (1.7,), "rice": (1.2,), "exponnorm": (1.5,), "alpha": (2.0,),
    "randint": (1.0, 8.0), "betabinom": (7.0, 1.3, 2.1), "logser": (0.6,), "zipf": (2.6,), "planck": (0.6,),
    "hypergeom": (20.0, 7.0, 9.0),
}
WHOLE = {"randint": {0, 1}, "betabinom": {0}, "hypergeom": {0, 1, 2}, "zipf": {0}}
"""Parameters that are whole numbers, and one in which there is no derivative."""
NAN_FAR = {"gengamma", "exponnorm"}
"""Those whose density SciPy has as NaN at an infinite place, where it is 0."""
PLACES = np.array([-3.0, -1.0, -0.6, -0.25, 0.0, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 7.0, 9.5, math.nan, math.inf,
                   -math.inf])
QUANTILES = np.array([-0.1, 0.0, 0.2, 0.5, 0.9, 1.0, 1.1, math.nan])
AT = ("logpdf", "pdf", "logpmf", "pmf", "cdf", "sf", "logcdf", "logsf")
MOMENTS = ("mean", "var", "std", "entropy", "median")


def methods(name: str, wanted: tuple[str, ...]) -> list[Any]:
    return [m for m in (getattr(getattr(stats, name), m, None) for m in wanted) if m in FUNCTIONS]


def everything(name: str) -> Callable[..., Any]:
    """All methods that are known, at places, at probabilities and of the shapes."""
    at, of = methods(name, AT), methods(name, ("ppf", "isf"))
    moments = methods(name, MOMENTS if name != "levy" else ("median",))
    if name in DISCRETE:
        return lambda x, q, loc, scale, *shapes: (
            [m(x, *shapes, loc=loc) for m in at] + [m(*shapes, loc=loc) for m in moments])

    def f(x: Any, q: Any, loc: Any, scale: Any, *shapes: Any) -> Any:
        return ([m(x, *shapes, loc=loc, scale=scale) for m in at] + [m(q, *shapes, loc=loc, scale=scale) for m in of]
                + [m(*shapes, loc=loc, scale=scale) for m in moments])

    return f


def taking(f: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function of as many shapes."""
    return [lambda x, q, loc, s: f(x, q, loc, s), lambda x, q, loc, s, a: f(x, q, loc, s, a),
            lambda x, q, loc, s, a, b: f(x, q, loc, s, a, b),
            lambda x, q, loc, s, a, b, c: f(x, q, loc, s, a, b, c)][count]


def test_each_family_is_compared():
    assert set(SHAPES) == (CONTINUOUS | DISCRETE).keys() - (scipy_families.CONTINUOUS | scipy_families.DISCRETE).keys()


@pytest.mark.share(8)
@pytest.mark.parametrize("name", SHAPES)
def test_values_and_slopes(name: str):
    shapes, f = SHAPES[name], taking(everything(name), len(SHAPES[name]))
    places = PLACES[:-2] if name in NAN_FAR else PLACES
    places = np.round(places) if name in DISCRETE else places
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = ccc.compiled(f, backend="numpy")(places, QUANTILES, 0.0, 2.0, *shapes)
        for a, b in zip(found, f(places, QUANTILES, 0.0, 2.0, *shapes), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-14)
            assert np.asarray(a).dtype == np.asarray(b).dtype and np.shape(a) == np.shape(b)
        x = 3.0 if name in DISCRETE else float(2.0 * getattr(stats, name).ppf(0.37, *shapes) + 0.1)
        given = [x, 0.3, 0.0 if name in DISCRETE else 0.1, 2.0, *shapes]
        moved = [i for i in range(len(given)) if i - 4 not in WHOLE.get(name, ()) and (i > 3 or name in CONTINUOUS)]

        def total(*xs: Any) -> Any:
            values = [v for v in f(*xs) if np.isfinite(v)]
            return sum([math.cos(k) * v for k, v in enumerate(values)])

        finite = [k for k, v in enumerate(f(*given)) if np.isfinite(v)]
        weighed = taking(lambda *xs: [math.cos(n) * f(*xs)[k] for n, k in enumerate(finite)], len(shapes))
        gradient = ccc.gradient(taking(lambda *xs: sum(weighed(*xs)), len(shapes)), wrt=tuple(moved)) if moved else None
        for i, slope in zip(moved, gradient(*given) if gradient else (), strict=True):
            h = 1e-3 * max(1.0, abs(given[i]))
            at = lambda k, i=i, h=h: total(*given[:i], given[i] + k * h, *given[i + 1:])  # noqa: E731
            expected = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h)
            assert slope == pytest.approx(expected, rel=1e-6, abs=1e-7), i
