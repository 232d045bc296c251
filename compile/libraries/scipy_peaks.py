"""Peaks of signals: where they are is constant while none comes or goes, and how high and wide they are moves.

    prominence    x_peak - max(x_left, x_right)        a width ends where a line between two samples has its height

>>> local_maxima(np.array([0.0, 2.0, 1.0, 3.0, 0.0]))[0]
array([1, 3])

What SciPy writes in Python is read; this is what it has in C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal._peak_finding

from ccc.compile.frontend.numpy_functions.table import constant, definition_of

finding: Any = scipy.signal._peak_finding
PLACES, WIDE, MARKS = np.zeros(2, np.int64), np.zeros((3, 2), np.int64), np.zeros(2, bool)


@definition_of(finding._local_maxima_1d)
def local_maxima(x: Any) -> Any:
    found = constant(maxima_of, WIDE, x)
    return found[0], found[1], found[2]


def maxima_of(x: Any) -> Any:
    return np.stack(finding._local_maxima_1d(np.ascontiguousarray(x)))


@definition_of(finding._select_by_peak_distance)
def selected_by_distance(peaks: Any, priority: Any, distance: Any) -> Any:
    return constant(far_apart, MARKS, peaks, priority, distance)


def far_apart(peaks: Any, priority: Any, distance: Any) -> Any:
    return finding._select_by_peak_distance(peaks, np.ascontiguousarray(priority), float(distance))


@definition_of(finding._peak_prominences)
def prominences(x: Any, peaks: Any, wlen: Any) -> Any:
    bases = constant(bases_of, WIDE, x, peaks, wlen)
    left, right = bases[0], bases[1]
    return x[peaks] - np.maximum(x[left], x[right]), left, right


def bases_of(x: Any, peaks: Any, wlen: Any) -> Any:
    return np.stack(finding._peak_prominences(np.ascontiguousarray(x), peaks, wlen)[1:])


@definition_of(finding._peak_widths)
def widths(x: Any, peaks: Any, rel_height: Any, prominences: Any, left_bases: Any, right_bases: Any) -> Any:
    found = constant(crossings, WIDE, x, peaks, rel_height, prominences, left_bases, right_bases)
    height = x[peaks] - prominences * rel_height
    left = found[0] + share(x, height, found[0], 1)
    right = found[1] - share(x, height, found[1], -1)
    return right - left, height, left, right


def share(x: Any, height: Any, at: Any, step: Any) -> Any:
    """How far from one sample to the next a line has a height; 0 where the sample has it."""
    below = x[at] < height
    rise = np.where(below, x[np.minimum(np.maximum(at + step, 0), len(x) - 1)] - x[at], 1.0)
    return np.where(below, height - x[at], 0.0) / rise


def crossings(*given: Any) -> Any:
    """The samples before the ends of widths, from outside."""
    x, peaks, rel_height, *others = given
    _, _, left, right = finding._peak_widths(np.ascontiguousarray(x), peaks, float(rel_height), *map(
        np.ascontiguousarray, others))
    return np.stack([np.floor(left), np.ceil(right)]).astype(np.int64)


@definition_of(finding._unpack_condition_args)
def limits(interval: Any, x: Any, peaks: Any) -> Any:
    """The least and the most, each None, a number, or one at each sample."""
    low, high = (interval[0], interval[1]) if isinstance(interval, (tuple, list)) else (interval, None)
    return at_peaks(low, x, peaks), at_peaks(high, x, peaks)


def at_peaks(limit: Any, x: Any, peaks: Any) -> Any:
    if limit is None or np.ndim(limit) == 0:
        return limit
    if np.size(limit) != np.size(x):
        raise ValueError("array size of an interval border must match x")
    return limit[peaks]
