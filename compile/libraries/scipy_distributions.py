"""Distributions of `scipy.stats` of one variable that SciPy writes in Python: their formulas are read as they stand.

    logpdf(x)  =  _logpdf((x - loc) / scale) - log(scale)  inside of the support        ppf(q)  =  _ppf(q) scale + loc

What is given is put into the standard form, and what is outside of the support, or has parameters that are not allowed,
gets what SciPy gives there, as `rv_continuous` and `rv_discrete` do. Of a distribution with a formula of our own, the
methods of that are called (`ccc.primitives.scipy_univariate`).

>>> bool(made(scipy.stats.argus.cdf)(0.5, 1.0) == scipy.stats.argus.cdf(0.5, 1.0))
True
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.integrate
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import MADE, constant, definition_of, hosted, refuse
from ccc.compile.libraries.scipy_quantiles import numeric

stats: Any = scipy.stats
special: Any = scipy.special
integrate: Any = scipy.integrate
CONTINUOUS, DISCRETE = stats.rv_continuous, stats.rv_discrete


def is_written(of: Any, *names: str) -> bool:
    """Whether one of these methods is the distribution's own."""
    base = CONTINUOUS if isinstance(of, CONTINUOUS) else DISCRETE
    return any(getattr(type(of), name, None) is not getattr(base, name, None) for name in names)


NEEDS = {
    "logpdf": ("_pdf", "_logpdf"), "pdf": ("_pdf",), "logpmf": ("_pmf", "_logpmf"), "pmf": ("_pmf",),
    "cdf": ("_cdf",), "sf": ("_sf", "_cdf"), "logcdf": ("_logcdf", "_cdf"), "logsf": ("_logsf", "_sf", "_cdf"),
    "ppf": ("_ppf",), "isf": ("_isf", "_ppf"), "median": ("_ppf",), "mean": ("_stats", "_munp"),
    "var": ("_stats", "_munp"), "std": ("_stats", "_munp"), "entropy": ("_entropy",),
}
"""The formulas of which a method is made."""
BY_DENSITY = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf", "median")
"""What is known of a distribution by its density."""


@functools.cache
def made(method: Any) -> Any:
    """The definition of a method of a distribution, where SciPy has a formula; None elsewhere."""
    of, name = method.__self__, method.__name__
    if name in MADE_OF_OTHERS:
        return MADE_OF_OTHERS[name](of)
    if name not in NEEDS:
        return None
    written = is_written(of, *NEEDS[name])
    if not written and not (name in BY_DENSITY and isinstance(of, CONTINUOUS) and is_written(of, "_pdf")):
        return None
    shapes = tuple([part.strip() for part in of.shapes.split(",")]) if of.shapes else ()
    names = (*shapes, "loc", "scale") if isinstance(of, CONTINUOUS) else (*shapes, "loc")
    how = MOMENTS.get(name) or (quantile(name) if name in ("ppf", "isf") else along(name))
    how = how if written else numeric(name)

    def definition(*args: Any, **options: Any) -> Any:
        count = 1 if takes_place else 0
        given = bound(f"{of.name}.{name}", names, args[count:], options)
        return how(of, args[:count], given[:len(shapes)], given[len(shapes)], given[-1] if continuous else 1.0)

    takes_place, continuous = name not in MOMENTS, isinstance(of, CONTINUOUS)
    return definition


def bound(title: str, names: Any, args: Any, options: Any) -> Any:
    """The values of the parameters, in order."""
    for name in tuple(options):
        if name not in names or name in names[:len(args)]:
            raise TypeError(f"{title}() got an unexpected keyword argument '{name}'")
    if len(args) > len(names):
        raise TypeError(f"{title}() takes {len(names)} arguments: {len(args)} were given")
    usual = {"loc": 0.0, "scale": 1.0}
    found = list(args)
    for name in names[len(args):]:
        if name not in options and name not in usual:
            raise TypeError(f"{title}() missing required argument: '{name}'")
        found.append(options[name] if name in options else usual[name])
    return tuple(found)


def filled(good: Any, otherwise: Any, f: Any, *given: Any) -> Any:
    """`f(*given)` where something holds, and elsewhere what is otherwise."""
    good, found, *rest = np.broadcast_arrays(good, otherwise, *given)
    shape, mask = np.shape(good), np.ravel(good)
    found = np.ravel(found) * 1.0
    found[mask] = f(*[np.ravel(x)[mask] for x in rest])
    return np.reshape(found, shape)[()]


@definition_of(stats._continuous_distns._lazyselect)
def lazyselect(condlist: Any, choicelist: Any, arrays: Any, default: Any = 0) -> Any:
    """Functions where conditions hold."""
    arrays = np.broadcast_arrays(*arrays)
    shape, arrays = np.shape(arrays[0]), [np.ravel(x) for x in arrays]
    found = np.full(np.shape(arrays[0]), default * 1.0)
    for f, condition in zip(choicelist, condlist, strict=True):
        there = np.ravel(np.broadcast_to(condition, shape))
        found[there] = f(*[x[there] for x in arrays])
    return np.reshape(found, shape)


@definition_of(stats._stats.geninvgauss_logpdf)
def geninvgauss_logpdf(x: Any, p: Any, b: Any) -> Any:
    return (p - 1.0) * np.log(x) - b * (x + 1.0 / x) / 2.0 - math.log(2.0) - np.log(special.kve(p, b)) + b


@definition_of(stats._stats.genhyperbolic_logpdf)
def genhyperbolic_logpdf(x: Any, p: Any, a: Any, b: Any) -> Any:
    width = (a + b) * (a - b)
    root, away = np.sqrt(width), np.sqrt(1.0 + x * x)
    constant = 0.5 * p * np.log(width) - 0.5 * math.log(2.0 * math.pi) - (p - 0.5) * np.log(a)
    constant = constant - np.log(special.kve(p, root)) + root
    return constant + (p - 0.5) * np.log(away) + np.log(special.kve(p - 0.5, a * away)) - a * away + b * x


@definition_of(stats._stats.genhyperbolic_pdf)
def genhyperbolic_pdf(x: Any, p: Any, a: Any, b: Any) -> Any:
    return np.exp(genhyperbolic_logpdf(x, p, a, b))


def allowed(of: Any, shapes: Any, scale: Any) -> Any:
    return np.asarray((of._argcheck(*shapes) != 0) & (scale > 0.0))


def real(shapes: Any) -> Any:
    return tuple([np.asarray(x) * 1.0 for x in shapes])


def along(name: Any) -> Any:
    """A density or a distribution function."""
    formula = f"_{name}"
    density, logarithm = name in ("pdf", "pmf", "logpdf", "logpmf"), name.startswith("log")
    upper, discrete = name in ("sf", "logsf"), name in ("pmf", "logpmf")

    def how(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        shapes, x = real(shapes), np.asarray(x[0]) * 1.0
        z = (x - loc) / scale
        a, b = of._get_support(*shapes)
        good = allowed(of, shapes, scale)
        run = getattr(of, formula)
        least, most = (-np.inf, 0.0) if logarithm else (0.0, 1.0)
        if density:
            inside = (a <= z) & (z <= b)
            inside = inside & of._nonzero(z, *shapes) if discrete else inside
            otherwise = np.where(good & (z == z), least, np.nan)
        else:
            inside = (a < z) & (z < b) if isinstance(of, CONTINUOUS) else (a <= z) & (z < b)
            beyond = (z <= a if isinstance(of, CONTINUOUS) else z < a) if upper else z >= b
            otherwise = np.where(good & (z == z), np.where(beyond, most, least), np.nan)
        if not density or not isinstance(of, CONTINUOUS):
            return filled(good & inside, otherwise, run, z, *shapes)
        if logarithm:
            return filled(good & inside, otherwise, lambda z, s, *p: run(z, *p) - np.log(s), z, scale, *shapes)
        return filled(good & inside, otherwise, lambda z, s, *p: run(z, *p) / s, z, scale, *shapes)

    return how


def end(a: Any, loc: Any, scale: Any) -> Any:
    """`a scale + loc`, where `a` may be infinite."""
    finite = np.isfinite(a)
    return np.where(finite, np.where(finite, a, 0.0) * scale + loc, a)


def quantile(name: Any) -> Any:
    """`ppf` or `isf`."""
    formula, turned = f"_{name}", name == "isf"

    def how(of: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        shapes, q = real(shapes), np.asarray(q[0]) * 1.0
        a, b = of._get_support(*shapes)
        first = a if isinstance(of, CONTINUOUS) else a - 1.0
        low, high = (end(b, loc, scale), end(a, loc, scale)) if turned else (end(first, loc, scale), end(b, loc, scale))
        good = allowed(of, shapes, scale) & (loc == loc)
        ends = np.where(q == 0.0, low, np.where(q == 1.0, high, np.nan))
        run = getattr(of, formula)
        return filled(good & (q > 0.0) & (q < 1.0), np.where(good, ends, np.nan),
                      lambda q, s, m, *p: run(q, *p) * s + m, q, scale, loc, *shapes)

    return how


def moment(of: Any, order: Any, shapes: Any) -> Any:
    """The mean or the variance of the standard form."""
    found = None
    if is_written(of, "_stats"):
        found = of._stats(*shapes)[order - 1]
    if found is not None:
        return found
    if not is_written(of, "_munp"):
        refuse(f"scipy.stats.{of.name} has no formula of its moments", "compute them by an integral of `pdf`")
    found = of._munp(order, *shapes)
    return found if order == 1 else found - moment(of, 1, shapes) ** 2


def mean(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    shapes = real(shapes)
    return filled(allowed(of, shapes, scale), np.nan, lambda s, m, *p: moment(of, 1, p) * s + m, scale, loc, *shapes)


def var(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    shapes = real(shapes)
    return filled(allowed(of, shapes, scale), np.nan, lambda s, m, *p: moment(of, 2, p) * s * s, scale, loc, *shapes)


def std(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return np.sqrt(var(of, x, shapes, loc, scale))


def entropy(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    shapes = real(shapes)
    return filled(allowed(of, shapes, scale), np.nan, lambda s, m, *p: of._entropy(*p) + np.log(s), scale, loc, *shapes)


def median(of: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return quantile("ppf")(of, (0.5,), shapes, loc, scale)


MOMENTS = {"mean": mean, "var": var, "std": std, "entropy": entropy, "median": median}


# -- what is made of other methods -------------------------------------------------------------------------------------


def interval(of: Any) -> Any:
    def definition(confidence: Any, *args: Any, **options: Any) -> Any:
        share = np.asarray(confidence) * 1.0
        if np.any((share > 1.0) | (share < 0.0)):
            raise ValueError("alpha must be between 0 and 1 inclusive")
        return of.ppf((1.0 - share) / 2.0, *args, **options), of.ppf((1.0 + share) / 2.0, *args, **options)

    return definition


def first_two(of: Any) -> Any:
    def definition(*args: Any, moments: Any = "mv", **options: Any) -> Any:
        if moments not in ("m", "v", "mv"):
            refuse(f"scipy.stats.{of.name}.stats has a derivative for the moments 'm', 'v' and 'mv'")
        found = [of.mean(*args, **options)] if "m" in moments else []
        found = [*found, of.var(*args, **options)] if "v" in moments else found
        return found[0] if len(found) == 1 else tuple(found)

    return definition


def expected(of: Any) -> Any:
    """An integral over the tails and what is between them, as SciPy takes it; a frozen distribution has its parameters
    behind the function, where SciPy has `args`."""
    names = (*([part.strip() for part in of.shapes.split(",")] if of.shapes else []), "loc", "scale")

    def tails(low: Any, high: Any, given: Any) -> Any:
        """Where SciPy splits the integral, which may be anywhere."""
        below, above = of.cdf([low, high], *given)
        return of.ppf(below + (above - below) * np.array([0.05, 0.95]), *given)

    def definition(*given: Any, func: Any = None, args: Any = (), lb: Any = None, ub: Any = None,
                   conditional: Any = False, **options: Any) -> Any:
        if len(given) > 0 and (given[0] is None or callable(given[0])):
            func, given = given[0], given[1:]
        if len(given) > 0 and isinstance(given[0], tuple):
            args, given = given[0], given[1:]
        given = bound(f"{of.name}.expect", names, (*args, *given), options)
        ends = of._get_support(*given[:-2])
        low = end(ends[0], given[-2], given[-1]) if lb is None else lb
        high = end(ends[1], given[-2], given[-1]) if ub is None else ub
        near, far = constant(tails, np.zeros(2), low, high, given)
        run = (lambda x: x * of.pdf(x, *given)) if func is None else (lambda x: func(x) * of.pdf(x, *given))
        total = sum([integrate.quad(run, a, b)[0] for a, b in ((low, near), (near, far), (far, high))])
        mass = of.cdf(high, *given) - of.cdf(low, *given) if conditional else 1.0
        return np.asarray(total / mass)[()]

    return definition


def standard(of: Any, shapes: Any, size: Any, seed: int) -> Any:
    """Draws of the standard form."""
    return np.asarray(of.rvs(*shapes, size=size, random_state=seed), float)


def drawn(of: Any) -> Any:
    """Draws with a seed: location and scale move them; how parameters of the shape do is not known."""
    shapes = tuple([part.strip() for part in of.shapes.split(",")]) if of.shapes else ()
    scaled = isinstance(of, CONTINUOUS)
    names = (*shapes, "loc", *(("scale",) if scaled else ()))

    def definition(*args: Any, size: Any = None, random_state: Any = None, **options: Any) -> Any:
        if not isinstance(random_state, (int, np.integer)):
            refuse(f"scipy.stats.{of.name}.rvs is known with a whole number as `random_state`",
                   "draw from a generator of NumPy's, as `rng.normal(loc, scale, size)`")
        given = bound(f"{of.name}.rvs", names, args, options)
        many = 1 if size is None else size
        found = hosted(standard, np.zeros(many), of, given[:len(shapes)], many, random_state)
        found = found * given[-1] + given[len(shapes)] if scaled else (found + given[-1]).astype(int)
        return found[0] if size is None else found

    return definition


MADE_OF_OTHERS = {"interval": interval, "stats": first_two, "expect": expected, "rvs": drawn}
MADE.update({CONTINUOUS.expect.__code__: made, CONTINUOUS.interval.__code__: made, CONTINUOUS.stats.__code__: made,
             CONTINUOUS.rvs.__code__: made, DISCRETE.rvs.__code__: made})
MADE.update({getattr(base, name).__code__: made for base in (CONTINUOUS, DISCRETE) for name in NEEDS
             if hasattr(base, name)})
__all__ = ["bound", "made", "refuse"]
