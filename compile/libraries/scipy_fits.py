"""Fits of distributions by their likelihood: SciPy finds the parameters, and the implicit function theorem says how
they move.

    sum of the slopes of logpdf(x_i; p) = 0        of the parameters p that are not given

Where the likelihood is not flat in all of these, as at an end of the support, this raises `ValueError`; but `expon`,
`uniform` and `laplace`, which have such ends or bend, are known by their formulas. SciPy's search ends where it is near
enough: the derivative is that of the place where it stops.

>>> [float(p) for p in fitted(scipy.stats.expon)(np.array([1.0, 3.0, 5.0]))]
[1.0, 2.0]
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.api.transforms import gradient
from ccc.compile.frontend.numpy_functions.table import MADE, lifted, refuse
from ccc.compile.libraries.solutions import solved

stats: Any = scipy.stats
NEAR = 1e-2
"""How far from where the likelihood is flat a search may stop, as a share of the parameters and the spread."""


def names_of(of: Any) -> tuple[str, ...]:
    return (*([part.strip() for part in of.shapes.split(",")] if of.shapes else []), "loc", "scale")


def flat_from(slope: Any, captured: Any, z: Any, spread: float) -> bool:
    """Whether the likelihood is flat near a place: as far off as one step of Newton's says."""
    h = 1e-5 * (np.abs(z) + 1e-2 * spread)
    g = np.asarray(slope(z, *captured))
    bend = np.array([(np.asarray(slope(z + step, *captured)) - np.asarray(slope(z - step, *captured))) / (2.0 * h[i])
                     for i, step in enumerate(np.diag(h))])
    try:
        off = np.abs(np.linalg.solve(bend, g))
    except np.linalg.LinAlgError:
        return False
    return bool(np.all(off <= NEAR * (np.abs(z) + spread)) and np.all(np.linalg.eigvalsh(0.5 * (bend + bend.T)) < 0.0))


def fit_definition(of: Any) -> Any:
    """The definition of `fit` of a distribution."""
    names = names_of(of)
    keys = {key: i for i, name in enumerate(names) for key in (f"f{name}", f"fix_{name}", f"f{i}")}

    def run(slope: Any, captured: Any, data: Any, args: Any, options: Any, free: Any) -> Any:
        found = np.asarray(of.fit(data, *args, **options), float)[list(free)]
        if not flat_from(slope, captured, found, float(np.std(data))):
            raise ValueError(f"scipy.stats.{of.name}.fit finds parameters where the likelihood is not flat, so there "
                             "is no derivative: give some of them by `floc` and its like")
        return found

    def definition(data: Any, *args: Any, **options: Any) -> Any:
        if "method" in options or "optimizer" in options:
            refuse(f"scipy.stats.{of.name}.fit has a derivative by the likelihood",
                   "leave `method` and `optimizer` out")
        x = np.ravel(np.asarray(data)) * 1.0
        fixed = {keys[key]: value for key, value in options.items() if key in keys}
        if len(fixed) == len(names):
            raise ValueError("All parameters fixed. There is nothing to optimize.")
        if of.name in ENDS:
            return ENDS[of.name](x, fixed)
        free = tuple([i for i in tuple(range(len(names))) if i not in fixed])

        def all_of(z: Any) -> Any:
            return [fixed[i] if i in fixed else z[free.index(i)] for i in tuple(range(len(names)))]

        start = np.zeros(len(free))
        slope, captured = lifted(lambda z: gradient(lambda z: np.sum(of.logpdf(x, *all_of(z))))(z), start)
        z = solved(lambda z: slope(z, *captured), run, (slope, captured, x, args, options, free), start)
        return tuple([value * 1.0 for value in all_of(z)])

    return definition


def fit_of_expon(x: Any, fixed: Any) -> Any:
    loc = fixed[0] if 0 in fixed else np.min(x)
    if np.min(x) < loc:
        raise ValueError("scipy.stats.expon.fit: there are data below `floc`")
    return loc * 1.0, fixed[1] * 1.0 if 1 in fixed else np.mean(x) - loc


def fit_of_uniform(x: Any, fixed: Any) -> Any:
    width = np.max(x) - np.min(x)
    if 1 in fixed:
        if fixed[1] < width:
            raise ValueError("scipy.stats.uniform.fit: `fscale` is less than the range of the data")
        return np.min(x) - 0.5 * (fixed[1] - width), fixed[1] * 1.0
    loc = fixed[0] * 1.0 if 0 in fixed else np.min(x)
    if np.min(x) < loc:
        raise ValueError("scipy.stats.uniform.fit: there are data below `floc`")
    return loc, np.max(x) - loc


def fit_of_laplace(x: Any, fixed: Any) -> Any:
    loc = fixed[0] * 1.0 if 0 in fixed else np.median(x)
    return loc, fixed[1] * 1.0 if 1 in fixed else np.sum(np.abs(x - loc)) / len(x)


ENDS = {"expon": fit_of_expon, "uniform": fit_of_uniform, "laplace": fit_of_laplace}


@functools.cache
def fitted(of: Any) -> Any:
    return fit_definition(of)


def of_method(method: Any) -> Any:
    """The definition of `fit` of the distribution that it is a method of; None for what is none."""
    of = getattr(method, "__self__", None)
    return fitted(of) if isinstance(of, stats.rv_continuous) and method.__name__ == "fit" else None


MADE.update({type(of).fit.__code__: of_method for of in vars(stats).values()
             if isinstance(of, stats.rv_continuous)})
