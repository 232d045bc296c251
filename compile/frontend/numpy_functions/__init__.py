"""What functions of NumPy's mean, written in Python with others; `ccc.compile.frontend.definitions` reads them where
they are called."""

from __future__ import annotations

from ccc.compile.frontend.numpy_functions import (
    calculus,
    elementwise,
    functional,
    joining,
    padding,
    polynomials,
    selections,
    series,
    shapes,
    statistics,
)
from ccc.compile.frontend.numpy_functions.table import BEYOND, DEFINED, refuse

__all__ = [
    "BEYOND", "DEFINED", "calculus", "elementwise", "functional", "joining", "padding", "polynomials", "refuse",
    "selections", "series", "shapes", "statistics",
]
