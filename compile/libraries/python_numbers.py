"""Methods of Python's numbers and ranges, where these are not known before the program runs.

>>> bit_length(-37), bit_length(0), bit_count(37), is_integer(2.0), is_integer(2.5)
(6, 0, 3, True, False)
>>> index_in((1, 9, 2), 5), count_in((9, 0, -2), 5.0), count_in((0, 9, 1), 0.5)
(2, 1, 0)
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
