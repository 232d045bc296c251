"""Statistics of what lies in bins. Which bin a value lies in, and where in its bin it stands, are constants; edges of
bins that are counted lie between the least and the largest of a sample, and move with these.

>>> binned_statistic(np.array([0.0, 1.0, 4.0]), np.array([1.0, 2.0, 4.0]), "sum", 2).statistic.tolist()
[3.0, 4.0]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.named_parts import Parts

stats: Any = scipy.stats


@dataclass
class Binned(Parts):
    """What `binned_statistic` and `binned_statistic_dd` give."""

    statistic: Any
    bin_edges: Any
    binnumber: Any

    def parts(self) -> Any:
        return self.statistic, self.bin_edges, self.binnumber


@dataclass
class BinnedInTwo(Parts):
    """What `binned_statistic_2d` gives."""

    statistic: Any
    x_edge: Any
    y_edge: Any
    binnumber: Any

    def parts(self) -> Any:
        return self.statistic, self.x_edge, self.y_edge, self.binnumber


def numbers_of(columns: Any, bins: Any, range: Any) -> Any:
    """SciPy's number of the bin of each item, with those before the first and behind the last."""
    columns = list(columns)
    return np.asarray(stats.binned_statistic_dd(columns, columns[0], "count", list(bins), range).binnumber, int)


def places_of(values: Any, number: Any, total: int, kind: str) -> Any:
    """Of each bin the two items between which a statistic by order lies; 0 where it is empty."""
    order = np.lexsort((values, number))
    first, count = np.searchsorted(number[order], np.arange(total)), np.bincount(number, minlength=total)
    low, high = {"min": (0 * count, 0 * count), "max": (count - 1, count - 1),
                 "median": ((count - 1) // 2, count // 2)}[kind]
    return np.where(count > 0, order[np.minimum(first + np.array([low, high]), len(order) - 1)], 0)


def edges_of(column: Any, bins: Any, range: Any) -> Any:
    if np.ndim(bins) > 0:
        return np.asarray(bins) * 1.0
    low, high = (np.min(column), np.max(column)) if range is None else (range[0] * 1.0, range[1] * 1.0)
    same = low == high
    return np.linspace(np.where(same, low - 0.5, low), np.where(same, high + 0.5, high), bins + 1)


def of_row(v: Any, number: Any, total: Any, kind: Any) -> Any:
    """The statistic of each bin."""
    count = np.bincount(number, minlength=total) * 1.0
    none = count == 0.0
    if kind == "count":
        return count
    if kind in ("min", "max", "median"):
        at = constant(places_of, np.zeros((2, 2), int), v, number, total, kind)
        return np.where(none, np.nan, (v[at[0]] + v[at[1]]) / 2)
    whole = np.bincount(number, v, total)
    if kind == "sum":
        return whole
    safe = np.where(none, 1.0, count)
    if kind == "mean":
        return np.where(none, np.nan, whole / safe)
    square = np.bincount(number, (v - (whole / safe)[number]) ** 2, total)
    spread = np.sqrt(np.where(square > 0.0, square, 1.0) / safe)
    return np.where(none, np.nan, np.where(square > 0.0, spread, 0.0))


def in_bins(columns: Any, values: Any, statistic: Any, bins: Any, range: Any) -> Any:
    """The statistic of what lies in each bin, the edges along each axis, the numbers, and how many there are."""
    kind = statistic if isinstance(statistic, str) else ""
    for f, name in ((np.mean, "mean"), (np.sum, "sum"), (np.std, "std"), (np.median, "median"), (np.min, "min"),
                    (np.max, "max")):
        kind = name if statistic is f else kind
    if kind == "":
        refuse("scipy.stats.binned_statistic is known for mean, sum, count, std, median, min and max",
               "take another by a mask: `f(values[number == k])`")
    if kind not in ("mean", "median", "count", "sum", "std", "min", "max"):
        raise ValueError(f"invalid statistic {statistic!r}")
    edges = [edges_of(column, bins[k], None if range is None else range[k]) for k, column in enumerate(columns)]
    number = constant(numbers_of, np.zeros(2, int), columns, bins, range)
    sizes = tuple([len(edge) + 1 for edge in edges])
    total = 1
    for size in sizes:
        total = total * size
    if np.ndim(values) > 1:
        values = np.asarray(values) * 1.0
        found = np.stack([np.reshape(of_row(v, number, total, kind), sizes) for v in values])
    else:
        found = np.reshape(of_row(np.asarray(values) * 1.0, number, total, kind), sizes)
    for k in tuple(range_of(len(sizes))):
        found = np.take(found, np.arange(1, sizes[k] - 1), axis=k - len(sizes))
    return found, edges, number, sizes


range_of = range
"""Python's, where SciPy's parameter has its name."""


@definition_of(stats.binned_statistic)
def binned_statistic(x: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None) -> Any:
    ends = (range,) if range is not None and len(range) == 2 else range
    found, edges, number, _ = in_bins((np.asarray(x) * 1.0,), values, statistic, (bins,), ends)
    return Binned(found, edges[0], number)


@definition_of(stats.binned_statistic_dd)
def binned_statistic_dd(sample: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None,
                        expand_binnumbers: Any = False, binned_statistic_result: Any = None) -> Any:
    if binned_statistic_result is not None:
        refuse("scipy.stats.binned_statistic_dd has a derivative for binned_statistic_result=None",
               "give the edges: `bins=found.bin_edges`")
    if isinstance(sample, (tuple, list)):
        columns = tuple([np.asarray(column) * 1.0 for column in sample])
    elif np.ndim(sample) == 1:
        columns = (np.asarray(sample) * 1.0,)
    else:
        columns = tuple([np.asarray(sample)[:, k] * 1.0 for k in tuple(range_of(np.shape(sample)[1]))])
    each = (bins,) * len(columns) if isinstance(bins, int) else bins
    found, edges, number, sizes = in_bins(columns, values, statistic, each, range)
    if expand_binnumbers and len(columns) > 1:
        number = np.stack(np.unravel_index(number, sizes))
    return Binned(found, edges, number)


@definition_of(stats.binned_statistic_2d)
def binned_statistic_2d(x: Any, y: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None,
                        expand_binnumbers: Any = False) -> Any:
    both = (bins, bins) if isinstance(bins, int) or len(bins) != 2 else bins
    found = binned_statistic_dd((x, y), values, statistic, both, range, expand_binnumbers)
    return BinnedInTwo(found.statistic, found.bin_edges[0], found.bin_edges[1], found.binnumber)
