"""Methods of Python's numbers and ranges, where these are not known before the program runs.

>>> bit_length(-37), bit_length(0), bit_count(37), is_integer(2.0), is_integer(2.5)
(6, 0, 3, True, False)
>>> index_in((1, 9, 2), 5), count_in((9, 0, -2), 5.0), count_in((0, 9, 1), 0.5)
(2, 1, 0)
>>> indices(slice(None, None, -2), 5), indices(slice(-3, 9), 5)
((4, -1, -2), (2, 5, 1))
"""

from __future__ import annotations

import math
from typing import Any

from ccc.compile.frontend.numpy_functions.table import definition_of


@definition_of(int.bit_length)
def bit_length(n: Any) -> int:
    return len(bin(abs(n))) - 2 if n != 0 else 0


@definition_of(int.bit_count)
def bit_count(n: Any) -> int:
    return bin(abs(n)).count("1")


@definition_of(float.is_integer)
def is_integer(x: Any) -> bool:
    return math.isfinite(x) and math.fmod(x, 1.0) == 0.0


@definition_of(slice.indices)
def indices(key: Any, n: Any) -> tuple[int, int, int]:
    if n < 0:
        raise ValueError("length should not be negative")
    step = 1 if key.step is None else key.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (-1, n - 1) if step < 0 else (0, n)
    first, last = (high, low) if step < 0 else (low, high)
    return within(key.start, first, n, low, high), within(key.stop, last, n, low, high), step


def within(i: Any, missing: int, n: int, low: int, high: int) -> int:
    """An end of a slice between those of a list of `n` items."""
    if i is None:
        return missing
    return max(i + n, low) if i < 0 else min(i, high)


@definition_of(range.count)
def count_in(bounds: Any, value: Any) -> int:
    if isinstance(value, str):
        return 0
    start, stop, step = bounds
    between = start <= value < stop if step > 0 else stop < value <= start
    return 1 if between and (value - start) % step == 0 else 0


@definition_of(range.index)
def index_in(bounds: Any, value: Any) -> int:
    if count_in(bounds, value) == 0:
        raise ValueError(f"{value!r} is not in range" if isinstance(value, int) else
                         "sequence.index(x): x not in sequence")
    return int((value - bounds[0]) // bounds[2])
