"""Statistics of samples that are drawn anew from a sample, or put in another order: which items are drawn is a
constant, what a statistic makes of them moves with them.

>>> found = bootstrap((np.array([0.0, 1.0, 4.0]),), np.mean, rng=0, n_resamples=9, method="percentile")
>>> found.bootstrap_distribution.shape, float(found.confidence_interval.low) <= float(found.confidence_interval.high)
((9,), True)

Sources: Efron, Tibshirani: *An Introduction to the Bootstrap* (1993), 14.3, 15.4; Phipson, Smyth: *Permutation P-values
should never be zero* (2010).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, has_parameter, refuse
from ccc.compile.libraries.named_parts import Parts

stats: Any = scipy.stats
resampling: Any = stats._resampling


def source(rng: Any, random_state: Any) -> Any:
    """What SciPy draws from: `random_state` names another generator than `rng`."""
    return np.random.default_rng(rng) if random_state is None else np.random.RandomState(random_state)


def refuse_sources(name: Any, rng: Any, random_state: Any, exact: Any = False) -> None:
    for seed in (rng, random_state):
        if not (seed is None or isinstance(seed, int)):
            refuse(f"scipy.stats.{name} has a derivative for a seed", "give it a whole number, as `rng=0`")
    if rng is None and random_state is None and not exact:
        refuse(f"scipy.stats.{name} without a seed draws other numbers at each call", "give it one, as `rng=0`")


def rows_of(data: Any, axis: Any) -> Any:
    """The samples, with what is drawn along the last axis."""
    return [np.moveaxis(np.asarray(x), axis, -1) for x in data]


def over_rows(statistic: Any, by_axis: Any, xs: Any) -> Any:
    """A statistic of each row of what is drawn."""
    if by_axis:
        return statistic(*xs, axis=-1)
    if max([np.ndim(x) for x in xs]) > 2:
        refuse("a statistic without `axis` is taken of samples of one axis", "give it a parameter `axis`")
    return np.stack([statistic(*[x[k] for x in xs]) for k in range(np.shape(xs[0])[0])])


def of_all(statistic: Any, by_axis: Any, xs: Any) -> Any:
    """A statistic of the samples themselves."""
    return statistic(*xs, axis=-1) if by_axis else statistic(*xs)


def takes_axis(statistic: Any, vectorized: Any) -> Any:
    return has_parameter(statistic, "axis") if vectorized is None else vectorized


# -- samples of samples ------------------------------------------------------------------------------------------------


@dataclass
class Interval(Parts):
    """The ends of an interval."""

    low: Any
    high: Any

    def parts(self) -> Any:
        return self.low, self.high


@dataclass
class Resampled:
    """What `bootstrap` gives."""

    __ccc_record__ = True

    confidence_interval: Any
    bootstrap_distribution: Any
    standard_error: Any


def drawn(sizes: tuple[int, ...], which: int, count: int, batch: int, rng: Any, random_state: Any) -> Any:
    """Which items of one of some samples are drawn, row by row; those of all are drawn in turn."""
    of, found = source(rng, random_state), []
    for k in range(0, count, batch):
        shapes = [(min(batch, count - k), n) for n in sizes]
        turns = [scipy._lib._util.rng_integers(of, 0, n, shape) for n, shape in zip(sizes, shapes, strict=True)]
        found.append(turns[which])
    return np.concatenate(found)


def left_out(n: int) -> Any:
    """The places of all items but one, for each."""
    return np.array([[k for k in range(n) if k != j] for j in range(n)], int).reshape(n, n - 1)


def acceleration(statistic: Any, by_axis: Any, xs: Any, paired: Any) -> Any:
    """How the spread of a statistic changes, by leaving out each item in turn."""
    cubes, squares = 0.0, 0.0
    for j in range(1 if paired else len(xs)):
        n = np.shape(xs[j])[-1]
        places = constant(left_out, np.zeros((2, 2), int), n)
        whole = [np.zeros((n, 1)) + x[..., None, :] for x in xs]
        rows = [x[..., places] if paired or k == j else whole[k] for k, x in enumerate(xs)]
        each = over_rows(statistic, by_axis, rows)
        away = (n - 1) * (np.mean(each, axis=-1, keepdims=True) - each)
        cubes = cubes + np.sum(away**3, axis=-1) / float(n) ** 3
        squares = squares + np.sum(away**2, axis=-1) / float(n) ** 2
    return cubes / squares**1.5 / 6.0


def levels(statistic: Any, by_axis: Any, xs: Any, paired: Any, alpha: Any, found: Any) -> Any:
    """The levels of an interval that is corrected for bias and acceleration."""
    here = np.asarray(of_all(statistic, by_axis, xs))[..., None]
    below = (np.sum(found < here, axis=-1) + np.sum(found <= here, axis=-1)) / (2.0 * np.shape(found)[-1])
    bias, a, z = scipy.special.ndtri(below), acceleration(statistic, by_axis, xs, paired), scipy.special.ndtri(alpha)
    low, high = bias + z, bias - z
    return scipy.special.ndtr(bias + low / (1.0 - a * low)), scipy.special.ndtr(bias + high / (1.0 - a * high))


def at_level(found: Any, level: Any) -> Any:
    """The quantiles at levels that may go by the row."""
    rows, n = np.sort(found, axis=-1), np.shape(found)[-1]
    place = np.asarray(level) * (n - 1.0)
    below = np.clip(np.floor(place), 0.0, max(n - 2.0, 0.0))
    at = below.astype(int)[..., None]
    low = np.take_along_axis(rows, at, axis=-1)[..., 0]
    high = np.take_along_axis(rows, np.minimum(at + 1, n - 1), axis=-1)[..., 0]
    return (low + (place - below) * (high - low))[()]


@definition_of(stats.bootstrap)
def bootstrap(data: Any, statistic: Any, *, n_resamples: Any = 9999, batch: Any = None, vectorized: Any = None,
              paired: Any = False, axis: Any = 0, confidence_level: Any = 0.95, alternative: Any = "two-sided",
              method: Any = "BCa", rng: Any = None, random_state: Any = None) -> Any:
    refuse_sources("bootstrap", rng, random_state)
    kind, way, by_axis = alternative.lower(), method.lower(), takes_axis(statistic, vectorized)
    if kind not in ("two-sided", "less", "greater") or way not in ("percentile", "basic", "bca"):
        raise ValueError("`alternative` must be one of {'two-sided', 'less', 'greater'}, and `method` one of "
                         "{'percentile', 'basic', 'bca'}")
    xs, count = rows_of(data, axis), int(n_resamples)
    sizes, each = tuple([np.shape(x)[-1] for x in xs]), count if batch is None else batch
    if paired and min(sizes) != max(sizes):
        raise ValueError("When `paired is True`, all samples must have the same length along `axis`")
    rows = []
    for j, x in enumerate(xs):
        groups, which = (sizes[:1], 0) if paired else (sizes, j)
        rows.append(x[..., constant(drawn, np.zeros((2, 2), int), groups, which, count, each, rng, random_state)])
    found = over_rows(statistic, by_axis, rows)
    alpha = (1 - confidence_level) / 2 if kind == "two-sided" else 1 - confidence_level
    low, high = levels(statistic, by_axis, xs, paired, alpha, found) if way == "bca" else (alpha, 1 - alpha)
    bottom, top = at_level(found, low + np.zeros(np.shape(found)[:-1])), at_level(found, high + np.zeros(
        np.shape(found)[:-1]))
    if way == "basic":
        here = of_all(statistic, by_axis, xs)
        bottom, top = 2 * here - top, 2 * here - bottom
    if kind == "less":
        bottom = bottom * 0.0 - np.inf
    if kind == "greater":
        top = top * 0.0 + np.inf
    return Resampled(Interval(bottom, top), found, np.std(found, axis=-1, ddof=1))


# -- samples in other orders -------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """A statistic, how often one as extreme occurs, and those that are drawn."""

    __ccc_record__ = True

    statistic: Any
    pvalue: Any
    null_distribution: Any


def extreme(found: Any, here: Any, alternative: Any, more: Any) -> Any:
    """The share of what is drawn that is as extreme as `here`; `more` is what is counted beside."""
    count, near = np.shape(found)[0] + more, np.abs(np.finfo(np.float64).eps * 100 * here)
    less = (np.sum(found <= here + near, axis=0) + more) / count
    greater = (np.sum(found >= here - near, axis=0) + more) / count
    if alternative == "less":
        return np.clip(less, 0.0, 1.0)
    return np.clip(greater if alternative == "greater" else 2.0 * np.minimum(less, greater), 0.0, 1.0)


def shuffled(sizes: tuple[int, ...], count: Any, rng: Any, random_state: Any) -> Any:
    """The orders of all items of some samples, one behind the other: all partitions, where these are no more than are
    asked for."""
    ends = list(itertools.accumulate(sizes, initial=0))
    most = math.prod([math.comb(n, k) for n, k in itertools.pairwise(ends[::-1])])
    if count >= most:
        return np.array(list(resampling._all_partitions_concatenated(sizes)))
    of = source(rng, random_state)
    return np.array([of.permutation(ends[-1]) for _ in range(count)])


def reordered(samples: int, n: int, count: Any, batch: Any, rng: Any, random_state: Any) -> Any:
    """Orders of each of some samples of one size: all, where these are no more than are asked for."""
    most = math.factorial(n) ** samples
    if count >= most:
        return np.array(list(itertools.product(*[itertools.permutations(range(n))] * samples)))
    steps = (count, samples, n, batch or int(count), source(rng, random_state))
    return np.concatenate(list(resampling._pairings_permutations_gen(*steps)))


@definition_of(stats.permutation_test)
def permutation_test(data: Any, statistic: Any, *, permutation_type: Any = "independent", vectorized: Any = None,
                     n_resamples: Any = 9999, batch: Any = None, alternative: Any = "two-sided", axis: Any = 0,
                     rng: Any = None, random_state: Any = None) -> Any:
    refuse_sources("permutation_test", rng, random_state, n_resamples == np.inf)
    by_axis, xs, kind = takes_axis(statistic, vectorized), rows_of(data, axis), permutation_type.lower()
    if kind not in ("independent", "pairings", "samples"):
        raise ValueError("`permutation_type` must be in {'samples', 'pairings', 'independent'}.")
    if max([np.ndim(x) for x in xs]) > 1:
        refuse("scipy.stats.permutation_test has a derivative for samples of one axis", "call it for each row")
    here = np.asarray(of_all(statistic, by_axis, xs))[()]
    sizes, like = tuple([np.shape(x)[-1] for x in xs]), np.zeros((2, 2, 2), int)
    n = sizes[0]
    if kind == "independent":
        places = constant(shuffled, np.zeros((2, 2), int), sizes, n_resamples, rng, random_state)
        joined, at = np.concatenate(xs)[places], np.cumsum(np.array((0, *sizes)))
        rows = [joined[:, at[k]:at[k + 1]] for k in range(len(xs))]
        most = 1.0
        for k in range(1, len(xs)):
            most = most * scipy.special.binom(at[k + 1], at[k])
    elif kind == "pairings":
        places = constant(reordered, like, len(xs), n, n_resamples, batch, rng, random_state)
        rows, most = [x[places[:, k]] for k, x in enumerate(xs)], scipy.special.gamma(n + 1.0) ** len(xs)
    else:
        both = np.stack(xs if len(xs) > 1 else [xs[0], -xs[0]])
        places = constant(reordered, like, n, len(both), n_resamples, batch, rng, random_state)
        rows = [np.stack([both[places[:, i, k], i] for i in range(n)], axis=-1) for k in range(len(xs))]
        most = scipy.special.gamma(len(both) + 1.0) ** n
    found = over_rows(statistic, by_axis, rows)
    more = 0 if n_resamples >= np.round(most) else 1
    return Outcome(here, extreme(found, here, alternative.lower(), more), found)


@definition_of(stats.monte_carlo_test)
def monte_carlo_test(data: Any, rvs: Any, statistic: Any, *, vectorized: Any = None, n_resamples: Any = 9999,
                     batch: Any = None, alternative: Any = "two-sided", axis: Any = 0) -> Any:
    by_axis, several = takes_axis(statistic, vectorized), isinstance(rvs, (tuple, list))
    xs, makers = rows_of(data if several else (data,), axis), rvs if several else (rvs,)
    each, count, found = n_resamples if batch is None else batch, int(n_resamples), []
    for k in range(0, count, each):
        now = min(each, count - k)
        found.append(over_rows(statistic, by_axis, [
            make(size=(now, np.shape(x)[-1])) for make, x in zip(makers, xs, strict=True)]))
    drawn_ones = np.concatenate(found)
    here = np.asarray(of_all(statistic, by_axis, xs))[()]
    beside = np.reshape(drawn_ones, (-1,) + (1,) * np.ndim(here))
    return Outcome(here, extreme(beside, here, alternative.lower(), 1), beside)
