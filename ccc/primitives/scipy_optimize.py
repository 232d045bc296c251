"""The function of `scipy.optimize` that is to be minimised.

>>> import numpy as np, scipy.optimize
>>> FUNCTIONS[scipy.optimize.rosen](np.array([1.0, 1.0, 2.0]))
np.float64(100.0)
"""

from __future__ import annotations

from typing import Any

import scipy.optimize

from ccc.primitives.adaptors import real_array
from ccc.primitives.adaptors_reductions import np_sum
from ccc.primitives.bilinear import rank_of
from ccc.primitives.indexing import index

optimize: Any = scipy.optimize


def sp_rosen(x: Any) -> Any:
    x = real_array(x)
    if not rank_of(x):
        raise TypeError("scipy.optimize.rosen takes an array")
    before, after = index(x, -1, pattern=("s2",)), index(x, 1, pattern=("s1",))
    bend, slope = after - before * before, 1.0 - before
    return np_sum(100.0 * (bend * bend) + slope * slope, 0)


FUNCTIONS: dict[Any, Any] = {optimize.rosen: sp_rosen}
