"""Methods of Python's numbers, where these are not known before the program runs.

>>> bit_length(-37), bit_length(0), bit_count(37), is_integer(2.0), is_integer(2.5)
(6, 0, 3, True, False)
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
