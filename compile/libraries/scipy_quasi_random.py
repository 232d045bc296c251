"""Points that fill a cube evenly, and integrals over them: the points are constants, which go by a seed.

>>> Halton(1, scramble=False, rng=0).random(3).ravel().tolist()
[0.0, 0.5, 0.25]

Source: Owen: *Randomly permuted (t,m,s)-nets and (t,s)-sequences* (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.named_parts import Parts

qmc: Any = scipy.stats.qmc
special: Any = scipy.special
TABLE = np.zeros((2, 2))


def engine(name: str, d: int, options: Any) -> Any:
    return getattr(qmc, name)(d, **dict(options))


def points_of(name: str, d: int, options: Any, before: int, n: int) -> Any:
    """So many points, behind those that were taken before."""
    of = engine(name, d, options)
    if before:
        of.random(before)
    return of.random(n)


@dataclass
class Points:
    """What gives points of a cube, by a seed."""

    name: str
    d: Any
    options: Any
    before: Any = 0

    def random(self, n: Any = 1) -> Any:
        found = constant(points_of, TABLE, self.name, self.d, self.options, self.before, n)
        self.before = self.before + n
        return found


def made(name: Any, d: Any, options: Any) -> Any:
    if not (isinstance(options.get("rng"), int) or isinstance(options.get("seed"), int)):
        refuse(f"scipy.stats.qmc.{name} without a seed gives other points at each call", "give it one, as `rng=0`")
    return Points(name, d, tuple([(key, value) for key, value in options.items()]))


@definition_of(qmc.Halton)
def Halton(d: Any, **options: Any) -> Any:
    return made("Halton", d, options)


@definition_of(qmc.Sobol)
def Sobol(d: Any, **options: Any) -> Any:
    return made("Sobol", d, options)


@definition_of(qmc.LatinHypercube)
def LatinHypercube(d: Any, **options: Any) -> Any:
    return made("LatinHypercube", d, options)


# -- integrals ---------------------------------------------------------------------------------------------------------


@dataclass
class Estimate(Parts):
    """An integral and its error."""

    integral: Any
    standard_error: Any

    def parts(self) -> Any:
        return self.integral, self.standard_error


def points_of_estimates(name: str, d: int, options: Any, before: int, n: int, count: int) -> Any:
    """The points of each estimate, of which all but the first have generators of their own."""
    of, found = engine(name, d, options), []
    if before:
        of.random(before)
    for rng in scipy._lib._util._rng_spawn(of.rng, count):
        found.append(of.random(n))
        of = type(of)(seed=rng, **of._init_quad)
    return np.stack(found)


@definition_of(scipy.integrate.qmc_quad)
def qmc_quad(func: Any, a: Any, b: Any, *, n_estimates: Any = 8, n_points: Any = 1024, qrng: Any = None,
             log: Any = False) -> Any:
    if not isinstance(qrng, Points):
        refuse("scipy.integrate.qmc_quad has a derivative for points that are made in the function, by a seed",
               "give it `qrng=scipy.stats.qmc.Halton(d, rng=0)`")
    low, high = np.atleast_1d(np.asarray(a) * 1.0), np.atleast_1d(np.asarray(b) * 1.0)
    low, high = low + 0.0 * high, high + 0.0 * low
    shares = constant(points_of_estimates, np.zeros((2, 2, 2)), qrng.name, qrng.d, qrng.options, qrng.before, n_points,
                      n_estimates)
    qrng.before = qrng.before + n_points
    sign = np.prod(np.where(high < low, -1.0, 1.0))
    low, high = np.minimum(low, high), np.maximum(low, high)
    each, estimates = np.prod(high - low) / n_points, []
    for k in range(n_estimates):
        values = func(np.transpose(shares[k] * (high - low) + low))
        estimates.append(special.logsumexp(values) + np.log(each) if log else np.sum(values * each))
    found = np.stack(estimates)
    if log:
        mean = special.logsumexp(found) - math.log(n_estimates)
        off = np.log(np.abs(np.expm1(found - mean))) + mean
        spread = 0.5 * (special.logsumexp(2.0 * off) - math.log(n_estimates - 1.0))
        return Estimate(mean, spread - 0.5 * math.log(n_estimates))
    return Estimate(np.mean(found) * sign, np.std(found, ddof=1) / math.sqrt(n_estimates))
