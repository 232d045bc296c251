"""What a library computes, with the derivatives of what is as large: for values that SciPy finds in its own way, beside
a formula that moves as they do.

>>> with_slope_of(2.0, 2.0 + 1e-9)
2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.frontend.custom import RULES


def with_slope_of(value: Any, moving: Any) -> Any:
    """A value with the derivatives of another, which is as large."""
    return value + (moving - without_derivative(moving))


def only_where(x: Any, known: Any) -> Any:
    """A value whose derivative is NaN where it is not known.

    >>> only_where(2.0, False)
    2.0
    """
    return x


def with_none_elsewhere(x: Any, known: Any) -> Any:
    """The derivative of `only_where`."""
    return only_where(x, known), lambda ct: (ct * np.where(known, 1.0, np.nan), None)


RULES[only_where] = with_none_elsewhere
