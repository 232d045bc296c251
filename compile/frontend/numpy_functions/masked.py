"""What is asked of arrays by functions of `np.ma`: no array of a program has a mask.

>>> isMaskedArray(np.ones(2)), isMaskedArray(np.ma.masked_equal(np.ones(2), 1.0))
(False, True)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of


@definition_of(np.ma.isMaskedArray)
def isMaskedArray(x: Any) -> Any:
    return isinstance(x, np.ma.MaskedArray)
