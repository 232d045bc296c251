"""All modules that say how primitives are lowered: importing this one knows them all."""

from __future__ import annotations

from compile.backends.native import (
    arrays,
    conforming,
    contractions,
    gathers,
    lists,
    orders,
    rearranging,
    reductions,
    sequences,
    sums,
    systems,
    tapes,
)
from compile.backends.native.lowering import HANDLERS

MODULES = (
    arrays, conforming, contractions, gathers, lists, orders, rearranging, reductions,
    sequences, sums, systems, tapes,
)  # fmt: skip

__all__ = ["HANDLERS", "MODULES"]
