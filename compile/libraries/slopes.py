"""What a library computes, with the derivatives of what is as large: for values that SciPy finds in its own way, beside
a formula that moves as they do.

>>> with_slope_of(2.0, 2.0 + 1e-9)
2.0
"""

from __future__ import annotations

from typing import Any

from ccc.compile.api.derivative_overrides import without_derivative


def with_slope_of(value: Any, moving: Any) -> Any:
    """A value with the derivatives of another, which is as large."""
    return value + (moving - without_derivative(moving))
