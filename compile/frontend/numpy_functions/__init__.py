"""What functions of NumPy's mean, written in Python with others; `ccc.compile.frontend.definitions` reads them where
they are called."""

from __future__ import annotations

from ccc.compile.frontend.numpy_functions.table import DEFINED, left_by_adaptor, refuse

__all__ = ["DEFINED", "left_by_adaptor", "refuse"]
