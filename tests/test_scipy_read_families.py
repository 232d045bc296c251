"""Distributions of `scipy.stats` whose formulas are read as SciPy writes them: values are SciPy's to the last bits,
slopes those of differences."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

stats: Any = pytest.importorskip("scipy.stats")

from ccc.compile.libraries.scipy_distributions import made  # noqa: E402 - only where SciPy is installed

SHAPES: dict[str, tuple[float, ...]] = {
    "argus": (1.3,), "betanbinom": (5.0, 2.0, 3.0), "boltzmann": (0.8, 9.0), "cosine": (), "crystalball": (2.0, 3.5),
    "dlaplace": (0.8,), "dpareto_lognorm": (0.3, 1.2, 2.5, 3.1), "fatiguelife": (1.2,), "foldcauchy": (1.5,),
    "genexpon": (2.0, 1.5, 1.2), "genhalflogistic": (0.7,), "jf_skew_t": (4.0, 3.0), "kappa3": (1.2,),
    "levy_l": (), "mielke": (8.0, 4.6), "norminvgauss": (1.25, 0.5), "pearson3": (0.4,),
    "powerlognorm": (2.1, 0.5), "rdist": (3.3,), "recipinvgauss": (0.6,), "rel_breitwigner": (36.5,),
    "skewcauchy": (0.5,), "truncpareto": (2.2, 5.3), "truncweibull_min": (2.5, 0.25, 1.75), "vonmises_line": (4.0,),
    "wrapcauchy": (0.3,), "yulesimon": (3.2,), "ncx2": (3.5, 1.3), "ncf": (4.5, 7.0, 1.3), "nct": (6.5, 0.7),
    "kstwobign": (), "ksone": (12.0,), "skellam": (3.2, 1.7), "nhypergeom": (20.0, 7.0, 4.0), "trapezoid": (0.2, 0.8),
    "tukeylambda": (0.3,), "geninvgauss": (2.3, 1.5), "genhyperbolic": (0.5, 1.5, -0.5),
    "gausshyper": (3.7, 3.1, 2.5, 1.4), "kappa4": (0.3, 0.2), "irwinhall": (3.0,), "zipfian": (1.3, 10.0),
}
WHOLE = {"betanbinom": {0}, "boltzmann": {1}, "nhypergeom": {0, 1, 2}, "zipfian": {1}}
"""Parameters that are whole numbers."""
KEPT = {"ncx2": {0}, "ncf": {0, 1}, "nct": {0}, "ksone": {0}, "gausshyper": {0, 1, 2}, "irwinhall": {0}}
"""Parameters in which a derivative is refused."""
WITHOUT = {
    "cosine": "cdf sf ppf", "dpareto_lognorm": "sf mean var", "rdist": "ppf", "rel_breitwigner": "cdf sf",
    "kappa3": "mean var", "crystalball": "mean var", "norminvgauss": "sf", "levy_l": "mean var",
    "vonmises_line": "cdf sf", "argus": "mean var", "ncf": "mean var", "nct": "mean var isf",
    "tukeylambda": "mean var", "ksone": "logpdf", "kappa4": "mean var",
    "geninvgauss": "cdf sf", "genhyperbolic": "cdf sf",
}
"""Methods whose formulas SciPy has in C, by integrals, or as infinity."""
METHODS = ("logpdf", "logpmf", "cdf", "sf", "ppf", "mean", "var")


def methods(name: str) -> list[Any]:
    of = getattr(stats, name)
    found = [getattr(of, m) for m in METHODS if hasattr(of, m) and m not in WITHOUT.get(name, "").split()]
    return [m for m in found if made(m) is not None]


def values(methods: list[Any], continuous: bool, places: Any, levels: Any, p: Any) -> list[Any]:
    """What all methods give."""
    shapes, by_name = [*p[:-2]], {"loc": p[-2], "scale": p[-1]} if continuous else {"loc": 0.0}
    first = {"ppf": (levels,), "mean": (), "var": ()}
    return [np.ravel(m(*first.get(m.__name__, (places,)), *shapes, **by_name)) for m in methods]


def program(name: str, continuous: bool) -> Any:
    """All methods at places, at levels and at parameters, as the text of a function."""
    first = {"ppf": "q, ", "mean": "", "var": ""}
    count = len(SHAPES[name])
    kept = KEPT.get(name, set())
    shapes = "".join([f"{SHAPES[name][i]}, " if i in kept else f"p[{i}], " for i in range(count)])
    rest = f"loc=p[{count}], scale=p[{count + 1}]" if continuous else "loc=0.0"
    calls = ", ".join([f"np.ravel(stats.{name}.{m.__name__}({first.get(m.__name__, 'x, ')}{shapes}{rest}))"
                       for m in methods(name)])
    return f"lambda p: np.concatenate([{calls}])"


@pytest.mark.share(15)
@pytest.mark.parametrize("name", SHAPES)
def test_values_and_slopes(name: str, tmp_path: Any):
    continuous = isinstance(getattr(stats, name), stats.rv_continuous)
    p = np.array([*SHAPES[name], 0.2, 1.5])
    levels = np.array([0.2, 0.7, 0.0, math.nan])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inside = getattr(stats, name).ppf([0.3, 0.8], *SHAPES[name], *([0.2, 1.5] if continuous else []))
    places = np.array([*inside, -1e3 if name != "levy_l" else 1e3, math.nan])
    path = tmp_path / f"{name}_methods.py"
    path.write_text(f"import numpy as np\nfrom scipy import stats\nf = {program(name, continuous)}\n")
    made: dict[str, Any] = {"__name__": f"{name}_methods"}
    exec(compile(path.read_text(), str(path), "exec"), made)
    made["x"], made["q"] = places, levels
    f = made["f"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = np.concatenate(values(methods(name), continuous, places, levels, p))
        held = WHOLE.get(name, set()) | KEPT.get(name, set())
        u = np.array([0.0 if i in held else math.cos(3.0 * i) for i in range(len(p))])
        value, slope = ccc.jvp(f, (p,), (u,))
        np.testing.assert_allclose(value, wanted, rtol=1e-13, atol=1e-300)
        d1, d2, d3 = [f(p + k * 1e-4 * u) - f(p - k * 1e-4 * u) for k in (1, 2, 3)]
        first = (45 * d1 - 9 * d2 + d3) / 60e-4
    there = np.isfinite(first)
    np.testing.assert_allclose(slope[there], first[there], rtol=1e-6, atol=1e-7)
    assert np.sum(there) > 1 and np.all(slope[np.isnan(wanted) & (slope == slope)] == 0.0)


def test_what_is_frozen_and_bends():
    def f(x: float, a: float) -> float:
        return stats.skewcauchy(a, scale=2.0).logpdf(x) + stats.foldcauchy.cdf(x, a)

    bend = ccc.gradient(lambda x: ccc.gradient(lambda a: f(x, a))(0.5))(0.7)
    h, slope = 1e-4, ccc.gradient(f, backend="numpy")
    assert bend == pytest.approx((slope(0.7 + h, 0.5)[1] - slope(0.7 - h, 0.5)[1]) / (2 * h), rel=1e-6)


def test_what_has_no_formula_is_refused():
    with pytest.raises(CCCError, match="no derivative rule for `scipy.stats.genexpon.mean`"):
        ccc.gradient(lambda a: stats.genexpon.mean(a, 1.0, 2.0))(1.0)
    with pytest.raises(CCCError, match="scipy.stats.kappa3 has no formula of its moments"):
        ccc.gradient(lambda a: stats.kappa3.mean(a))(1.0)
