"""All modules that say how primitives are lowered: importing this one knows them all."""

from __future__ import annotations

from compile.backends.native import arrays, conforming, lists, orders, sequences, sums
from compile.backends.native.lowering import HANDLERS

MODULES = (arrays, conforming, lists, orders, sequences, sums)

__all__ = ["HANDLERS", "MODULES"]
