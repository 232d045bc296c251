"""All modules that say how primitives are lowered: importing this one knows them all."""

from __future__ import annotations

from ccc.compile.native import (
    calls,
    conforming,
    contractions,
    gathers,
    indices,
    lists,
    loops,
    new_arrays,
    orders,
    products,
    rearranging,
    reductions,
    reshaping,
    sequences,
    sums,
    systems,
    tapes,
    totals,
)
from ccc.compile.native.lowering import HANDLERS

MODULES = (
    calls, conforming, contractions, gathers, indices, lists, loops, new_arrays, orders, products, rearranging,
    reductions, reshaping, sequences, sums, systems, tapes, totals,
)  # fmt: skip

__all__ = ["HANDLERS", "MODULES"]
